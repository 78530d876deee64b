"""Microsoft UFO: answers of both agents, old and new, held against models with the fields that it publishes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol as p
from protocol import AgentStatus, AskUser
from protocol.dialects import Context, DialectError
from protocol.dialects.desktop.ufo import DIALECT, decision_of
from protocol.dialects.desktop.ufo_functions import Keys
from protocol.dsl import emit, parse_line

UFO, UFO2 = Context(), Context(variant="ufo2")


def answer(function: str = "", status: str = "CONTINUE", label: str = "", text: str = "", **arguments: Any) -> dict[str, Any]:
    call = {"ControlLabel": label, "ControlText": text, "Function": function, "Args": arguments}
    end = {"Plan": [], "Comment": "", "SaveScreenshot": {"save": False, "reason": ""}}
    return {"Observation": "", "Thought": "", **call, "Status": status, **end}


def answer2(function: str = "", status: str = "CONTINUE", **arguments: Any) -> dict[str, Any]:
    action = {"function": function, "arguments": arguments, "status": status}
    end = {"plan": [], "comment": "", "save_screenshot": {"save": False, "reason": ""}}
    return {"observation": "", "thought": "", "action": action, **end}


def read(payload: Any, context: Context = UFO) -> tuple[list[str], list[str]]:
    """The actions as lines, and what is lost."""
    actions, losses = DIALECT.read(payload, context)
    return [emit(action) for action in actions], [loss.what for loss in losses]


EXAMPLES: list[tuple[str, str, dict[str, Any]]] = [
    ('click "Send" #12', "click_input", {"button": "left", "double": False}),
    ('Control-Shift-back-double-click "Send" #12', "click_input", {"button": "x", "double": True, "pressed": "CONTROL SHIFT"}),
    ("right-click at (0.5, 0.25) norm1", "click_on_coordinates", {"x": 0.5, "y": 0.25, "button": "right", "double": False}),
    ("Shift-drag at (0.5, 0.25) norm1 to (0.5, 0.25) norm1", "drag_on_coordinates",
     {"start_x": 0.5, "start_y": 0.25, "end_x": 0.5, "end_y": 0.25, "button": "left", "key_hold": "shift"}),
    ('type "{ENTER}^a\\n" into "Send" #12', "set_edit_text", {"text": "{ENTER}^a\n", "clear_current_text": False}),
    ('fill "Send" #12 with ""', "set_edit_text", {"text": "", "clear_current_text": True}),
    ('press Control+Shift+t in "Send" #12', "keyboard_input", {"keys": "{VK_CONTROL}{VK_SHIFT}t", "control_focus": True}),
    ("press Enter", "keyboard_input", {"keys": "{ENTER}", "control_focus": False}),
    ("key down Shift", "keyboard_input", {"keys": "{VK_SHIFT down}", "control_focus": False}),
    ("key up h", "keyboard_input", {"keys": "{h up}", "control_focus": False}),
    ("scroll up 3 in #12", "wheel_mouse_input", {"wheel_dist": 3}),
    ("scroll down 20", "wheel_mouse_input", {"wheel_dist": -20}),
    ('x-ufo.texts on "Send" #12', "texts", {}),
    ('x-ufo.summary {"text": "a form"}', "summary", {"text": "a form"}),
    ("call word.insert_table(rows=3) on #12", "insert_table", {"rows": 3}),
]  # fmt: skip
SHOWN = {"control_labels": ["1", "36"]}
APART: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ('type "C++ (50%) {x}~"', answer("keyboard_input", keys="C{+}{+} {(}50{%}{)} {{}x{}}{~}", control_focus=False),
     answer2("keyboard_input", keys="C++ (50%) {{}x{}}{~}", control_focus=False)),
    ("press Control++", answer("keyboard_input", keys="{VK_CONTROL}{+}", control_focus=False),
     answer2("keyboard_input", keys="{VK_CONTROL}+", control_focus=False)),
    ("wait 2.5 s", answer("keyboard_input", keys="{PAUSE 2.5}", control_focus=False), answer2("wait", seconds=2.5)),
    ("screenshot marks #1, #36", answer("annotation", "SCREENSHOT", **SHOWN), answer2("annotation", "SCREENSHOT", **SHOWN)),
    ('finish "sent"', answer(status="FINISH") | {"Comment": "sent"}, answer2(status="FINISH") | {"comment": "sent"}),
    ('fail "no"', answer(status="FAIL") | {"Comment": "no"}, answer2(status="FAIL") | {"comment": "no"}),
]  # fmt: skip


def both(line: str, function: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The answer in both forms, with the control beside the function or among its arguments."""
    target = parse_line(line).target
    label, text = (target.element_id or "", target.text or "") if target else ("", "")
    named = {"id": label, "name": text} if label else {}
    new = answer2(function)
    old = answer(function, label=label, text=text) | {"Args": arguments}
    return line, old, new | {"action": new["action"] | {"arguments": {**named, **arguments}}}


@pytest.mark.parametrize(("line", "old", "new"), [*(both(*each) for each in EXAMPLES), *APART], ids=lambda value: str(value)[:30])
def test_each_function_is_said_and_read_in_both_forms(line: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    for context, payload in ((UFO, old), (UFO2, new)):
        assert DIALECT.write(parse_line(line), context) == (payload, [])
        for said in (payload, f"```json\n{json.dumps(payload)}\n```"):
            assert DIALECT.read(said, context) == ([parse_line(line)], [])


ASSIGN = {"function": "select_application_window", "arguments": {"id": "12", "name": ""}, "status": "ASSIGN", "questions": []}
SHELL = {"function": "run_shell", "arguments": {"bash_command": "start x"}, "status": "CONTINUE", "questions": []}
ASKED = {"function": "", "arguments": {}, "status": "PENDING", "questions": ["Which one?"]}
HOSTS = [
    ("switch to '12'", UFO, {"ControlLabel": "12", "Status": "ASSIGN", "Bash": "", "Questions": []}),
    ("switch to '12'", UFO2, ASSIGN),
    ("run bash 'start x'", UFO, {"ControlLabel": "", "Status": "CONTINUE", "Bash": "start x", "Questions": []}),
    ("run bash 'start x'", UFO2, SHELL),
    ("ask the user 'Which one?'", UFO, {"ControlLabel": "", "Status": "PENDING", "Bash": "", "Questions": ["Which one?"]}),
    ("ask the user 'Which one?'", UFO2, ASKED),
    ("open powerpnt", UFO, {"AppsToOpen": {"APP": "powerpnt", "file_path": ""}}),
]


@pytest.mark.parametrize(("line", "context", "part"), HOSTS)
def test_what_a_host_does_is_said_as_its_answer(line: str, context: Context, part: dict[str, Any]) -> None:
    payload, losses = DIALECT.write(parse_line(line), context)
    assert (payload, losses) == ({**payload, **part}, [])
    assert DIALECT.read(payload, context) == ([parse_line(line)], [])


FOCUSED = answer("keyboard_input", label="12", keys="{TAB 2}")
LOGGED = {
    "function": "click_input", "arguments": {"button": "left", "double": False}, "status": "", "result": {"status": "success"},
    "target": {"kind": "control", "id": "5", "name": "OK", "rect": [1, 2]}, "action_string": "", "action_representation": "",
}  # fmt: skip
SEED = {
    "Observation": "Application screenshot", "Thought": "Logical reasoning process", "ControlLabel": "36", "ControlText": "Body",
    "Function": "set_edit_text", "Args": ["arg1", True], "Status": "CONTINUE", "Plan": ["Step 1", "Step 2"],
    "Comment": "Additional comments", "SaveScreenshot": True,
}  # fmt: skip
"""Seed 001's example, which gives the arguments as a list."""
LISTED = {
    "Observation": "", "Thought": "", "Plan": ["<FINISH>"], "ActionList": [
        {"Function": "set_edit_text", "Args": {"text": "UFO"}, "ControlLabel": 36, "ControlText": "", "Status": "CONTINUE"},
        {"Function": "click_input", "Args": {}, "ControlLabel": 18, "ControlText": "", "Status": "FINISH"},
    ],
}  # fmt: skip
CLICKED = {"ControlLabel": "12", "ControlText": "New", "Function": "click_input", "Args": {}, "Status": "CONTINUE"}
ABOUT = {"Step": 0, "RoundStep": 0, "AgentStep": 0, "Request": "save", "Agent": "AppAgent", "Cost": 0.1, "Results": ""}
HOST = {
    "observation": "the desktop", "thought": "open it", "current_subtask": "write to Tom", "message": ["be polite"],
    "status": "ASSIGN", "plan": [], "function": "select_application_window", "arguments": {"id": "6", "name": "Teams"},
    "comment": "", "questions": [], "result": "assigned",
}  # fmt: skip
ASKING = {**HOST, "status": "PENDING", "questions": ["Alias?", "Address?"]}


@pytest.mark.parametrize(
    ("payload", "lines", "lost"),
    [
        (SEED, ['fill "Body" #36 with "arg1"'], []),
        (LISTED, ['type "UFO" into #36', "click #18", "finish"], []),
        ({"observation": "", "thought": "", "action": [LOGGED]}, ['click "OK" #5'], []),
        ({"Current Sub-Task": "a", "ControlLabel": "12", "Status": "CONTINUE", "AppsToOpen": "None"}, ['switch to "12"'], []),
        (FOCUSED, ["press Tab in #12", "press Tab"], []),
        (answer("keyboard_input", label="12", keys="{TAB}", control_focus=False), ["press Tab"], ["control"]),
        (answer("click_input", label="12"), ["click #12"], []),
        (answer("click_input", "", label="12"), ["click #12"], []),
        (answer("click_input", "<FINISH>", label="12"), ["click #12", "finish"], []),
        (answer("click_input", "FAIL", label="12"), ["click #12", "fail"], []),
        (answer("click_input", "CONFIRM", label="12"), ["click #12"], ["status"]),
        (answer("click_input", "PENDING", label="12"), ["click #12"], ["status"]),
        (answer(status="SCREENSHOT"), ["screenshot"], []),
        (HOST, ['switch to "6"'], ["window.name"]),
        (ASKING, ['switch to "6"', 'ask the user "Alias?"', 'ask the user "Address?"'], ["window.name"]),
        ({**ABOUT, "Action": "click_input(button='left')", **CLICKED}, ['click "New" #12'], ["log"]),
        ({"Step": 1, "Agent": "AppAgent", **CLICKED}, ['click "New" #12'], ["log"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_answer_is_read_with_its_status(payload: dict[str, Any], lines: list[str], lost: list[str]) -> None:
    """A status ends the goal after the action. Before UFO asked questions, PENDING meant what CONFIRM does."""
    assert read(payload) == (lines, lost)


def test_the_example_of_the_seed_becomes_a_whole_decision() -> None:
    decision = decision_of(SEED, UFO)
    assert decision == p.OperatorDecision(
        observation="Application screenshot", reasoning="Logical reasoning process", status=AgentStatus.CONTINUE,
        plan=("Step 1", "Step 2"), comment="Additional comments", save_screenshot=True, action=DIALECT.read(SEED, UFO).actions[0],
    )  # fmt: skip


def test_a_whole_host_answer_becomes_a_decision() -> None:
    decision = decision_of(HOST, UFO2)
    assert (decision.status, decision.action) == (AgentStatus.CONTINUE, p.SwitchWindow(window="6"))
    assert decision.memory == {"message": ["be polite"], "current_subtask": "write to Tom", "result": "assigned"}
    assert decision_of(ASKING, UFO2).action == AskUser(question="Alias?\nAddress?")


def test_a_decision_confirms_ends_and_is_one_action() -> None:
    for status in ("CONFIRM", "PENDING"):
        assert decision_of(answer("click_input", status, label="12"), UFO).status is AgentStatus.CONFIRM
    done = decision_of(answer(status="FINISH") | {"Comment": "sent", "Plan": "<FINISH>"}, UFO)
    assert (done.status, done.is_goal_complete, done.action, done.plan) == (AgentStatus.FINISH, True, None, ())
    for ended in (AgentStatus.FAIL, AgentStatus.SCREENSHOT):
        assert decision_of(answer(status=ended.value), UFO).status is ended
    with pytest.raises(DialectError, match="a decision is one action"):
        decision_of(LISTED, UFO)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (answer("click_input", "FINISHED", label="12"), "'FINISHED' is not one of"),
        (answer("click_input", "finish", label="12"), "'finish' is not one of"),
        (answer("click_input", "APP_SELECTION", label="12"), "'APP_SELECTION' is not one of"),
        (answer("click_input", "", label="12"), "'' is not one of"),
        (answer(), "CONTINUE without an action"),
        (answer(status="CONFIRM"), "CONFIRM without an action"),
        (answer(status="PENDING"), "PENDING without an action"),
        (answer("no_such_function", "ERROR"), ""),
    ],
)
def test_a_status_that_is_not_understood_is_an_error_and_never_the_end(payload: dict[str, Any], reason: str) -> None:
    decision = decision_of(payload, UFO)
    assert decision.status is AgentStatus.ERROR
    assert decision.action is None
    assert not decision.is_goal_complete
    assert reason in decision.comment
    with pytest.raises(DialectError):
        DIALECT.read(payload | {"Function": ""}, UFO)


@pytest.mark.parametrize(
    ("payload", "where"),
    [
        (answer("fly"), "$.Function"),
        (answer("click_input"), "$.Args"),
        (answer("click_input", label="1", pressed="SUPER"), "$.Args.pressed"),
        (answer("click_on_coordinates", x=640, y=400), "$.Args.x"),
        (answer("keyboard_input", keys=""), "$.Args.keys"),
        ({**answer("texts"), "Args": ["x"]}, "$.Args[0]"),
        ({**answer("texts"), "Args": "x"}, "$.Args"),
        ({**answer("texts"), "ControlLabel": 1.5}, "$.ControlLabel"),
        ({**answer("texts"), "Mood": "good"}, "$.Mood"),
        ({**CLICKED, "Request": "save"}, "$.Request"),
        ({**CLICKED, "Plan": 3}, "$.Plan"),
        (answer("texts", "SWITCH"), "$.Status"),
        (answer2("texts", "SWITCH"), "$.action.status"),
        ({**answer2(), "action": [answer2()["action"], 7]}, "$.action[1]"),
        ([answer(status="FINISH"), {}], "$.Function"),
        ("The task is finished.", "$"),
        *((answer("keyboard_input", keys=keys), f"$.Args.keys, character {place}") for keys, place in (
            ("{ENTER", 1), ("ab)", 3), ("a}", 2), ("+(a(b)c)", 2), ("{NOKEY}", 1), ("x{TAB x}", 2), ("{TAB 99999}", 1),
            ("{PAUSE nan}", 1), ("^{a down}", 2), ("{}", 1),
        )),
        *((answer("keyboard_input", keys=many * 1000), "$.Args.keys") for many in ("{TAB 1000}", "{a 1000}")),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_what_is_not_understood_is_an_error_with_its_place(payload: Any, where: str) -> None:
    with pytest.raises(DialectError) as bad:
        DIALECT.read(payload, UFO)
    assert bad.value.where == where


SENDING = p.VisualState(elements=(p.GUIElement(element_id="12", text="Send", bbox=p.BoundingBox(x1=0, y1=0, x2=64, y2=40)),))


@pytest.mark.parametrize(
    ("line", "said", "losses"),
    [
        ('click "Send"', ['click "Send" #12'], ["target.element_id"]),
        ('type "a" at (0.5, 0.25) norm1 and press Enter', ["click at (0.5, 0.25) norm1", 'type "a"', "press Enter"], ["type"]),
        ('fill #12 with "a" and press Enter', ['fill #12 with "a"', "press Enter"], ["fill"]),
        ("hold Control+a for 2 s", ["key down Control", "key down a", "wait 2 s", "key up a", "key up Control"], ["hold_key"]),
        ("press Meta+r", ["key down Meta", "key down r", "key up r", "key up Meta"], ["press_key"]),
        ("press +", ['type "+"'], ["press_key"]),
        ("triple-click #12", ["click #12"] * 3, ["click"]),
        ('ask the user "Who?" as "who"', ['ask the user "Who?"'], ["ask_user.name"]),
    ],
)
def test_what_is_said_less_exactly_is_declared(line: str, said: list[str], losses: list[str]) -> None:
    written = DIALECT.write(parse_line(line), Context(state=SENDING) if '"Send"' in line else UFO)
    assert [loss.what for loss in written.losses] == losses
    assert read(written.payload) == (said, [])


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ("^a^c", ["press Control+a", "press Control+c"]),
        ("{TAB 2}^a", ["press Tab", "press Tab", "press Control+a"]),
        ("%{F4}", ["press Alt+F4"]),
        ("+(ab)c", ["press Shift+a", "press Shift+b", 'type "c"']),
        ("^+{INS}", ["press Control+Shift+Insert"]),
        ("{VK_CONTROL}c", ["press Control+c"]),
        ("{VK_MENU}{F4}", ["press Alt+F4"]),
        ("Hello World", ['type "Hello World"']),
        ("a~", ['type "a"', "press Enter"]),
        ("{^}a{%}{{}ENTER{}}", ['type "^a%{ENTER}"']),
        ("{h down}{h up}", ["key down h", "key up h"]),
        ("{PAUSE 1.5}{a 3}", ["wait 1.5 s", 'type "aaa"']),
        ("^{RIGHT 2}", ["press Control+ArrowRight"] * 2),
        ("^", ["press Control"]),
        ("{a}{VK_NUMPAD7}{BKSP}", ["press a", "press 7", "press Backspace"]),
    ],
)
def test_keys_are_read_as_pywinauto_reads_them(keys: str, lines: list[str]) -> None:
    assert read(answer("keyboard_input", keys=keys)) == (lines, [])


def test_newer_versions_take_signs_as_themselves_and_modifiers_by_name() -> None:
    """UFO² escapes `+ ^ % ( )` before pywinauto sees them."""
    said = answer2("keyboard_input", keys="{VK_CONTROL}a50% (C++)^")
    assert read(said, UFO2) == (["press Control+a", 'type "50% (C++)^"'], [])


@given(text=st.text(max_size=60) | st.text(alphabet="+^%~(){}VK_CONTROL downENTER 2\n", max_size=40))
def test_a_text_of_keys_is_typed_as_it_is(text: str) -> None:
    for ufo2 in (False, True):
        keys = Keys("ufo", "$", ufo2)
        assert "".join(stroke.value for stroke in keys.read(keys.text(text))) == text
