"""Microsoft UFO: answers of both agents, old and new, held against models with the fields that it publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from written.ufo_answers import UFO, UFO2, answer, answer2

import protocol as p
from protocol import Action, ActionTarget, AgentStatus, AskUser, Click, Fill, FinishGoal, KeyDown, KeyUp, PressKey, Type, Wait
from protocol.dialects import Context, DialectError
from protocol.dialects.desktop.ufo import DIALECT, decision_of, from_ufo

SEND = ActionTarget(element_id="12", text="Send")
BARE = ActionTarget(element_id="12")
HALF = ActionTarget(point=p.Coordinate(x=0.5, y=0.25, space="norm1"))
SEEN = p.VisualState(
    elements=(
        p.GUIElement(element_id="12", text="Send", role="button", bbox=p.BoundingBox(x1=0, y1=0, x2=64, y2=40)),
        p.GUIElement(element_id="13", text="Body", role="textbox", bbox=p.BoundingBox(x1=0, y1=80, x2=640, y2=400)),
    )
)


EXAMPLES: list[tuple[Action, str, dict[str, Any]]] = [
    (Click(target=SEND), "click_input", {"button": "left", "double": False}),
    (Click(target=SEND, button="back", count=2, modifiers=("Control", "Shift")), "click_input",
     {"button": "x", "double": True, "pressed": "CONTROL SHIFT"}),
    (Click(target=HALF, button="right"), "click_on_coordinates", {"x": 0.5, "y": 0.25, "button": "right", "double": False}),
    (p.Drag(target=HALF, to=HALF, modifiers=("Shift",)), "drag_on_coordinates",
     {"start_x": 0.5, "start_y": 0.25, "end_x": 0.5, "end_y": 0.25, "button": "left", "key_hold": "shift"}),
    (Type(target=SEND, text="{ENTER}^a\n"), "set_edit_text", {"text": "{ENTER}^a\n", "clear_current_text": False}),
    (Fill(target=SEND, text=""), "set_edit_text", {"text": "", "clear_current_text": True}),
    (PressKey(keys=("Control", "Shift", "t"), target=SEND), "keyboard_input",
     {"keys": "{VK_CONTROL}{VK_SHIFT}t", "control_focus": True}),
    (PressKey(keys=("Enter",)), "keyboard_input", {"keys": "{ENTER}", "control_focus": False}),
    (KeyDown(key="Shift"), "keyboard_input", {"keys": "{VK_SHIFT down}", "control_focus": False}),
    (KeyUp(key="h"), "keyboard_input", {"keys": "{h up}", "control_focus": False}),
    (p.Scroll.toward("up", 3, target=BARE), "wheel_mouse_input", {"wheel_dist": 3}),
    (p.Scroll.toward("down", 20), "wheel_mouse_input", {"wheel_dist": -20}),
    (p.Extension(action_type="x-ufo.texts", target=SEND), "texts", {}),
    (p.Extension(action_type="x-ufo.summary", arguments={"text": "a form"}), "summary", {"text": "a form"}),
    (p.CallApi(app="word", function="insert_table", arguments={"rows": 3}, target=BARE), "insert_table", {"rows": 3}),
]  # fmt: skip
SHOWN = {"control_labels": ["1", "36"]}
APART: list[tuple[Action, dict[str, Any], dict[str, Any]]] = [
    (Type(text="C++ (50%) {x}~"), answer("keyboard_input", keys="C{+}{+} {(}50{%}{)} {{}x{}}{~}", control_focus=False),
     answer2("keyboard_input", keys="C++ (50%) {{}x{}}{~}", control_focus=False)),
    (PressKey(keys=("Control", "+")), answer("keyboard_input", keys="{VK_CONTROL}{+}", control_focus=False),
     answer2("keyboard_input", keys="{VK_CONTROL}+", control_focus=False)),
    (Wait(seconds=2.5), answer("keyboard_input", keys="{PAUSE 2.5}", control_focus=False), answer2("wait", seconds=2.5)),
    (p.Screenshot(marks=("1", "36")), answer("annotation", "SCREENSHOT", **SHOWN), answer2("annotation", "SCREENSHOT", **SHOWN)),
    (FinishGoal(summary="sent"), answer(status="FINISH") | {"Comment": "sent"}, answer2(status="FINISH") | {"comment": "sent"}),
    (p.FailGoal(reason="no"), answer(status="FAIL") | {"Comment": "no"}, answer2(status="FAIL") | {"comment": "no"}),
]  # fmt: skip


def both(action: Action, function: str, arguments: dict[str, Any]) -> tuple[Action, dict[str, Any], dict[str, Any]]:
    """The answer in both forms, with the control beside the function or among its arguments."""
    label, text = (action.target.element_id or "", action.target.text or "") if action.target else ("", "")
    named = {"id": label, "name": text} if label else {}
    new = answer2(function)
    old = answer(function, label=label, text=text) | {"Args": arguments}
    return action, old, new | {"action": new["action"] | {"arguments": {**named, **arguments}}}


@pytest.mark.parametrize(("action", "old", "new"), [*(both(*each) for each in EXAMPLES), *APART])
def test_each_function_is_said_and_read_in_both_forms(action: Action, old: dict[str, Any], new: dict[str, Any]) -> None:
    for context, payload in ((UFO, old), (UFO2, new)):
        assert DIALECT.write(action, context) == (payload, [])
        assert from_ufo(payload, context) == ([action], [])
        assert from_ufo(f"```json\n{json.dumps(payload)}\n```", context) == ([action], [])


HOSTS: list[tuple[Action, dict[str, Any], dict[str, Any]]] = [
    (
        p.SwitchWindow(window="12"),
        {"ControlLabel": "12", "Status": "ASSIGN", "Bash": "", "Questions": []},
        {"function": "select_application_window", "arguments": {"id": "12", "name": ""}, "status": "ASSIGN", "questions": []},
    ),
    (
        p.RunScript(code="start explorer"),
        {"ControlLabel": "", "Status": "CONTINUE", "Bash": "start explorer", "Questions": []},
        {"function": "run_shell", "arguments": {"bash_command": "start explorer"}, "status": "CONTINUE", "questions": []},
    ),
    (
        AskUser(question="Which one?"),
        {"ControlLabel": "", "Status": "PENDING", "Bash": "", "Questions": ["Which one?"]},
        {"function": "", "arguments": {}, "status": "PENDING", "questions": ["Which one?"]},
    ),
]


@pytest.mark.parametrize(("action", "old", "new"), HOSTS, ids=lambda value: getattr(value, "verb", None))
def test_what_a_host_does_is_said_as_its_answer(action: Action, old: dict[str, Any], new: dict[str, Any]) -> None:
    for context, part in ((UFO, old), (UFO2, new)):
        written = DIALECT.write(action, context)
        assert not written.losses
        assert written.payload == {**written.payload, **part}
        assert from_ufo(written.payload, context) == ([action], [])


def test_an_older_host_opens_apps() -> None:
    written = DIALECT.write(p.LaunchApp(app="powerpnt"), UFO)
    assert written.payload["AppsToOpen"] == {"APP": "powerpnt", "file_path": ""}
    assert from_ufo(written.payload, UFO) == ([p.LaunchApp(app="powerpnt")], [])
    none: dict[str, Any] = {"Current Sub-Task": "a", "ControlLabel": "12", "Status": "CONTINUE", "AppsToOpen": "None"}
    assert from_ufo(none, UFO).actions == [p.SwitchWindow(window="12")]


def test_the_example_of_the_seed_has_the_form_that_is_read() -> None:
    """Seed 001 gives the arguments as a list."""
    example = {
        "Observation": "Application screenshot",
        "Thought": "Logical reasoning process",
        "ControlLabel": "36",
        "ControlText": "Body",
        "Function": "set_edit_text",
        "Args": ["arg1", True],
        "Status": "CONTINUE",
        "Plan": ["Step 1", "Step 2"],
        "Comment": "Additional comments",
        "SaveScreenshot": True,
    }
    target = ActionTarget(element_id="36", text="Body")
    assert from_ufo(example, UFO) == ([Fill(target=target, text="arg1")], [])
    decision = decision_of(example, UFO)
    assert decision.model_dump(exclude={"action"}) == {
        "observation": "Application screenshot",
        "reasoning": "Logical reasoning process",
        "status": AgentStatus.CONTINUE,
        "plan": ("Step 1", "Step 2"),
        "comment": "Additional comments",
        "save_screenshot": True,
        "is_goal_complete": False,
        "expected": "",
        "confidence": 1.0,
        "supplement": None,
        "memory": {},
        "then": (),
    }


def test_several_actions_are_read_in_their_order() -> None:
    listed = {
        "Observation": "",
        "Thought": "",
        "ActionList": [
            {"Function": "set_edit_text", "Args": {"text": "UFO"}, "ControlLabel": 36, "ControlText": "", "Status": "CONTINUE"},
            {"Function": "click_input", "Args": {}, "ControlLabel": 18, "ControlText": "", "Status": "FINISH"},
        ],
        "Plan": ["<FINISH>"],
    }
    typed, clicked = Type(target={"element_id": "36"}, text="UFO"), Click(target={"element_id": "18"})
    assert from_ufo(listed, UFO).actions == [typed, clicked, FinishGoal()]
    with pytest.raises(DialectError, match="a decision is one action"):
        decision_of(listed, UFO)


def test_a_call_of_a_log_is_read_with_its_target() -> None:
    logged = {
        "function": "click_input",
        "arguments": {"button": "left", "double": False},
        "status": "",
        "target": {"kind": "control", "id": "5", "name": "OK", "rect": [1, 2, 3, 4]},
        "result": {"status": "success"},
        "action_string": "click_input(button='left')",
        "action_representation": "",
    }
    read = from_ufo({"observation": "", "thought": "", "action": [logged]}, UFO2)
    assert read == ([Click(target={"element_id": "5", "text": "OK"})], [])


def test_the_first_key_goes_to_the_control_that_is_focused() -> None:
    focused = answer("keyboard_input", label="12", keys="{TAB 2}")
    assert from_ufo(focused, UFO).actions == [PressKey(keys=("Tab",), target=BARE), PressKey(keys=("Tab",))]
    window = answer("keyboard_input", label="12", keys="{TAB}", control_focus=False)
    read = from_ufo(window, UFO)
    assert read.actions == [PressKey(keys=("Tab",))]
    assert [loss.what for loss in read.losses] == ["control"]


@pytest.mark.parametrize(
    ("status", "actions"),
    [
        ("CONTINUE", [Click(target=BARE)]),
        ("", [Click(target=BARE)]),
        ("<FINISH>", [Click(target=BARE), FinishGoal()]),
        ("FAIL", [Click(target=BARE), p.FailGoal()]),
    ],
)
def test_a_status_ends_the_goal_after_the_action(status: str, actions: list[Action]) -> None:
    assert from_ufo(answer("click_input", status, label="12"), UFO) == (actions, [])


@pytest.mark.parametrize("status", ["CONFIRM", "PENDING"])
def test_an_action_that_a_person_must_confirm_is_declared(status: str) -> None:
    """Before UFO asked questions, PENDING meant what CONFIRM does."""
    payload = answer("click_input", status, label="12")
    read = from_ufo(payload, UFO)
    assert read.actions == [Click(target=BARE)]
    assert [loss.what for loss in read.losses] == ["status"]
    assert decision_of(payload, UFO).status is AgentStatus.CONFIRM


def test_a_whole_host_answer_becomes_a_decision() -> None:
    host = {
        "observation": "the desktop",
        "thought": "open it",
        "current_subtask": "write to Tom",
        "message": ["be polite"],
        "status": "ASSIGN",
        "plan": [],
        "function": "select_application_window",
        "arguments": {"id": "6", "name": "Teams"},
        "comment": "",
        "questions": [],
        "result": "assigned",
    }
    read = from_ufo(host, UFO2)
    assert read.actions == [p.SwitchWindow(window="6")]
    assert [loss.what for loss in read.losses] == ["window.name"]
    decision = decision_of(host, UFO2)
    assert (decision.status, decision.action) == (AgentStatus.CONTINUE, p.SwitchWindow(window="6"))
    assert decision.memory == {"message": ["be polite"], "current_subtask": "write to Tom", "result": "assigned"}
    asked = {**host, "status": "PENDING", "questions": ["Your alias?", "Your address?"]}
    assert decision_of(asked, UFO2).action == AskUser(question="Your alias?\nYour address?")
    assert from_ufo(asked, UFO2).actions[1:] == [AskUser(question="Your alias?"), AskUser(question="Your address?")]


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
        from_ufo(payload | {"Function": ""}, UFO)


def test_an_end_needs_no_action() -> None:
    done = decision_of(answer(status="FINISH") | {"Comment": "sent", "Plan": "<FINISH>"}, UFO)
    assert (done.status, done.is_goal_complete, done.action, done.plan) == (AgentStatus.FINISH, True, None, ())
    assert decision_of(answer(status="FAIL"), UFO).status is AgentStatus.FAIL
    assert decision_of(answer(status="SCREENSHOT"), UFO).status is AgentStatus.SCREENSHOT
    assert from_ufo(answer(status="SCREENSHOT"), UFO).actions == [p.Screenshot()]


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
        (answer("texts", "SWITCH"), "$.Status"),
        (answer2("texts", "SWITCH"), "$.action.status"),
        ({**answer2(), "action": [answer2()["action"], 7]}, "$.action[1]"),
        ([answer(status="FINISH"), {}], "$.Function"),
        ("The task is finished.", "$"),
    ],
)
def test_what_is_not_understood_is_an_error_with_its_place(payload: Any, where: str) -> None:
    with pytest.raises(DialectError) as bad:
        from_ufo(payload, UFO)
    assert bad.value.where == where


def test_a_name_is_said_as_the_label_of_the_control() -> None:
    written = DIALECT.write(Click(target={"text": "Send", "role": "button"}), Context(state=SEEN))
    assert (written.payload["ControlLabel"], written.payload["ControlText"]) == ("12", "Send")
    assert [loss.what for loss in written.losses] == ["target.role"]


@pytest.mark.parametrize(
    ("action", "said", "losses"),
    [
        (
            Type(target=HALF, text="a", submit=True),
            [Click(target=HALF), Type(text="a"), PressKey(keys=("Enter",))],
            ["type"],
        ),
        (
            Fill(target=BARE, text="a", submit=True),
            [Fill(target=BARE, text="a"), PressKey(keys=("Enter",))],
            ["fill"],
        ),
        (
            p.HoldKey(keys=("Control", "a"), seconds=2),
            [KeyDown(key="Control"), KeyDown(key="a"), Wait(seconds=2), KeyUp(key="a"), KeyUp(key="Control")],
            ["hold_key"],
        ),
        (PressKey(keys=("Meta", "r")), [KeyDown(key="Meta"), KeyDown(key="r"), KeyUp(key="r"), KeyUp(key="Meta")], ["press_key"]),
        (PressKey(keys=("+",)), [Type(text="+")], ["press_key"]),
        (Click(target=BARE, count=3), [Click(target=BARE)] * 3, ["click"]),
        (AskUser(question="Who?", name="who"), [AskUser(question="Who?")], ["ask_user.name"]),
    ],
)
def test_what_is_said_less_exactly_is_declared(action: Action, said: list[Action], losses: list[str]) -> None:
    written = DIALECT.write(action, UFO)
    assert [loss.what for loss in written.losses] == losses
    assert from_ufo(written.payload, UFO) == (said, [])


def test_a_line_of_its_log_is_read_as_the_answer_in_it() -> None:
    done = {"Function": "click_input", "Args": {"button": "left"}, "Status": "CONTINUE"}
    answer = {"ControlLabel": "12", "ControlText": "New", **done}
    about = {"Step": 0, "RoundStep": 0, "AgentStep": 0, "Request": "save", "Agent": "AppAgent", "Cost": 0.1, "Results": ""}
    read = from_ufo({**about, "Action": "click_input(button='left')", **answer}, UFO)
    assert read.actions == from_ufo(answer, UFO).actions
    assert [loss.what for loss in read.losses] == ["log"]
    assert from_ufo({"Step": 1, "Agent": "AppAgent", **answer}, UFO) == read
    with pytest.raises(DialectError, match="not understood"):
        from_ufo({**answer, "Request": "save"}, UFO)
