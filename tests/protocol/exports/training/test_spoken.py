"""Files of actions in a dialect or the DSL: a payload a line, one document, or a script; what is not understood costs itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from protocol import AgentAction, Click, InteractionStep, PressKey, Type, Wait, describe, read_log
from protocol.dialects import NAMES, Context, DialectError, dialect
from protocol.dsl import emit
from protocol.exports import FormatError
from protocol.exports.training.spoken import read_dsl, read_spoken
from protocol.log.log import LogLine

HERE = Context(screen=(1920, 1080))
EXAMPLES = Path(__file__).parents[4] / "protocol" / "v0_1" / "examples" / "every-verb.jsonl"
EVERY: list[InteractionStep] = [line.step for line in read_log(EXAMPLES) if line.step]


def spoken(tmp_path: Path, name: str, text: str, context: Context = HERE) -> list[LogLine]:
    path = tmp_path / "said"
    path.write_text(text, encoding="utf-8")
    return list(read_spoken(name, path, context).lines)


def actions(lines: list[LogLine]) -> list[AgentAction]:
    assert not [line.error for line in lines if line.error]
    return [line.step.action for line in lines if line.step]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_written_line_by_line_is_read_back_line_by_line(tmp_path: Path, name: str) -> None:
    exact: list[tuple[int, AgentAction]] = []
    said: list[str] = []
    for number, step in enumerate(EVERY, start=1):
        context = Context(screen=HERE.screen)
        try:
            written = dialect(name).write(step.action, context)
        except DialectError as no:
            said.append(json.dumps({"step": number, "error": str(no)}))
            continue
        losses = [loss.model_dump() for loss in written.losses]
        said.append(json.dumps({"step": number, "payload": written.payload, "losses": losses}))
        exact += [] if written.losses else [(number, step.action)]
    lines = spoken(tmp_path, name, "\n".join(said))
    assert exact
    for number, action in exact:
        assert [(line.step.step, line.step.action) for line in lines if line.step and line.number == number] == [(number, action)]
    unsaid = {number for number, text in enumerate(said, start=1) if '"error"' in text}
    assert unsaid == {line.number for line in lines if line.step is None}


CLICK = {"type": "computer_call", "status": "completed", "action": {"type": "click", "button": "left", "x": 1, "y": 2}}
WORDS = [
    {"role": "user", "content": "Save it"},
    {"type": "reasoning", "summary": []},
    {"type": "computer_call_output", "output": {}},
]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_conversation_is_a_document_or_lines_and_its_words_are_no_steps(tmp_path: Path, indent: int | None) -> None:
    items = [*WORDS, CLICK, {**CLICK, "action": {"type": "clik"}}, CLICK]
    for text in (json.dumps(items, indent=indent), "\n".join(map(json.dumps, items))):
        first, bad, last = spoken(tmp_path, "openai", text)
        assert actions([first, last]) == [Click(target={"point": [1, 2]})] * 2
        assert (first.number, bad.number, last.number) == (4, 5, 6)
        assert "clik" in bad.error


def test_messages_of_anthropics_api_are_read_with_the_results_between_them(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "1", "name": "computer", "input": {"action": "key", "text": "ctrl+s"}}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": []}]}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "I save."}, call]}
    lines = spoken(tmp_path, "anthropic", json.dumps([{"role": "user", "content": "Save"}, answer, result]))
    assert actions(lines) == [PressKey(keys="ctrl+s")]
    assert [line.step.raw for line in lines if line.step] == [{"lost": ["words: words beside a call are no action"]}]


def test_a_script_is_read_by_statements_and_says_the_place_of_its_mistake(tmp_path: Path) -> None:
    script = "import pyautogui\r\npyautogui.click(1, 2)\r\npyautogui.write('a')\r\n"
    assert actions(spoken(tmp_path, "pyautogui", script)) == [Click(target={"point": [1, 2]}), Type(text="a")]
    click, write, bad = spoken(tmp_path, "pyautogui", script + "pyautogui.dance()\n")
    assert [click.number, write.number, bad.step] == [2, 3, None]
    assert "line 4" in bad.error


def test_a_script_of_pyautogui_is_read_as_people_write_it(tmp_path: Path) -> None:
    script = """import pyautogui as pg, os
from time import sleep
pg.PAUSE = 1
name, place = "Ada", (10, 20)
def main():
    pg.moveTo(place, duration=1)
    pg.click()
    print(f"here {name}")
    sleep(0.5)
    pg.write(name + "!")
    pg.write(name)

    for n in range(many):
        pg.press("down")
        name = n
    pg.write(name)

if __name__ == "__main__":
    main()
"""
    lines = spoken(tmp_path, "pyautogui", script)
    assert actions([line for line in lines if line.step]) == [
        Click(target={"point": [10, 20]}), Wait(seconds=0.5), Type(text="Ada"),
    ]  # fmt: skip
    assert [(line.number, line.error.partition(": ")[2]) for line in lines if line.error] == [
        (10, 'expected "(" or ")" or "," or "." or "=" or "[" or "|": pg.write(name + "!")'),
        (13, "what is done here is only known when it is run: for n in range(many):"),
        (16, "a literal is needed, not the name 'name': pg.write(name)"),
    ]
    first = lines[0].step
    told = [text.partition(":")[0] for text in first.raw["lost"]]
    assert told == ["PAUSE", "console", "pyautogui.moveTo.duration"]


def test_texts_as_json_strings_are_a_payload_a_line(tmp_path: Path) -> None:
    said = ["Thought: a\nAction: wait()", "Action: dance()", "Action: click(start_box='(1,2)')"]
    first, bad, last = spoken(tmp_path, "ui_tars", "\n".join(map(json.dumps, said)))
    assert actions([first, last]) == [Wait(seconds=5), Click(target={"point": [1, 2]})]
    assert bad.step is None


def test_the_variant_and_the_picture_are_those_that_are_given(tmp_path: Path) -> None:
    seen = Context(screen=(1920, 1080), image=(960, 540))
    (line,) = spoken(tmp_path, "openai", json.dumps(CLICK), seen)
    (click,) = actions([line])
    assert click.target.point.to_px((1920, 1080)) == (2, 4)
    assert line.step.visual_state.screen_resolution == (1920, 1080)
    with pytest.raises(DialectError, match="no variant"):
        spoken(tmp_path, "openai", json.dumps(CLICK), Context(variant="third"))


@pytest.mark.parametrize("text", ["", " \n\n", "not json", '[{"type": ', "\x00\x01"])
def test_a_file_that_holds_nothing_of_the_kind_is_one_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match=r"^said: "):
        spoken(tmp_path, "openai", text)


@pytest.mark.parametrize("name", NAMES)
def test_whatever_json_is_there_is_a_step_or_an_error(tmp_path: Path, name: str) -> None:
    for value in ([], 1, None, True, {"payload": None}, {"error": "x"}, {"step": "a", "payload": 3}, [[[]]]):
        assert all(line.error for line in spoken(tmp_path, name, json.dumps(value)) if line.step is None), value


def test_the_dsl_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "actions.txt"
    said = "\n".join(["# what was done", "", *(emit(step.action) for step in EVERY)])
    path.write_text(said + "\nfrobnicate\n", encoding="utf-8")
    *lines, bad = read_dsl(path).lines
    assert [describe(line.step.action) for line in lines if line.step] == [describe(step.action) for step in EVERY]
    assert [line.step.action for line in lines if line.step] == [step.action for step in EVERY]
    assert [line.step.step for line in lines if line.step] == list(range(1, len(EVERY) + 1))
    assert (bad.number, bad.step) == (len(said.splitlines()) + 1, None)
    assert "frobnicate" in bad.error


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}, **more}


SAVE = {"action": "left_click", "coordinate": [1, 2]}
BLOCK = {"type": "tool_use", "id": "t", "name": "mcp__playwright__browser_click", "input": {"element": "Save", "ref": "e5"}}
TARS = "Thought: save\nAction: click(start_box='(1,2)')"
AI = {"type": "ai", "content": "", "tool_calls": [{"name": "click", "args": {"target": {"text": "Save"}}, "id": "1"}]}
CLAUDE = {"role": "assistant", "content": [{**BLOCK, "name": "computer", "input": SAVE}]}
RPC = {"method": "tools/call", "params": {"name": "browser_click", "arguments": {"element": "Save", "ref": "e5"}}}
CHATS = [
    ("ui_tars", {"role": "assistant", "content": TARS}),
    ("ui_tars", {"role": "assistant", "content": [{"type": "text", "text": TARS}]}),
    ("ui_tars", {"messages": [{"role": "user", "content": "<image>save"}, {"role": "assistant", "content": TARS}]}),
    ("ui_tars", {"conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": TARS}]}),
    ("qwen", {"role": "assistant", "content": "", "tool_calls": [call("computer_use", SAVE)]}),
    ("qwen", {"role": "assistant", "content": json.dumps({"name": "computer_use", "arguments": SAVE})}),
    ("playwright_mcp", {"role": "assistant", "content": [{"type": "text", "text": "now"}, BLOCK]}),
    ("playwright_mcp", {"role": "assistant", "tool_calls": [call("browser_click", {"element": "Save", "ref": "e5"})]}),
    ("anthropic", {"messages": [{"role": "assistant", "content": [{**BLOCK, "name": "computer", "input": SAVE}]}]}),
    ("gemini", {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "click_at", "args": {"x": 1, "y": 2}}}]}]}),
    ("langchain", {"messages": [{"type": "human", "content": "save"}, AI, {"type": "tool", "content": "ok"}]}),
    ("langchain", {"type": "ai", "data": AI}),
    ("langchain", {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": AI}),
    ("anthropic", {"type": "assistant", "uuid": "1", "message": CLAUDE}),
    ("anthropic", {"role": "assistant", "content": None, "tool_calls": [call("computer", SAVE)]}),
    ("anthropic", {**CLAUDE, "tool_calls": [{"name": "computer", "args": SAVE, "id": "t", "type": "tool_call"}]}),
    (
        "playwright_mcp",
        {"type": "ai", "content": [BLOCK], "tool_calls": [{"name": BLOCK["name"], "args": BLOCK["input"], "id": "t"}]},
    ),
    (
        "qwen",
        {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [call("computer_use", SAVE)]}}]},
    ),
    ("browsergym", {"step": 3, "action": "click('a5')", "reward": 0}),
    ("ui_tars", {"prediction": TARS, "parsed": []}),
    ("ui_tars", {"action_output": TARS, "summary": "saved"}),
    ("anthropic", {"name": "computer", "parameters": SAVE}),
    ("anthropic", {"tool": "computer_use", "args": {"action": "left_click", "coordinate": "[1, 2]"}}),
    ("openai", {"role": "assistant", "content": None, "tool_calls": [call("computer", {"type": "click", "x": "1", "y": 2.0})]}),
    ("playwright_mcp", {"tool": "browser_click", "input": BLOCK["input"]}),
    ("playwright_mcp", {"jsonrpc": "2.0", "id": 1, **RPC}),
]


@pytest.mark.parametrize(("name", "chat"), CHATS, ids=lambda value: str(value)[:40])
def test_a_message_is_what_the_agent_says_in_it(tmp_path: Path, name: str, chat: dict[str, Any]) -> None:
    """On a line, as a document, and in a list; what others say is passed over."""
    answer = {"jsonrpc": "2.0", "id": 0, "result": {}}
    users = answer if "jsonrpc" in chat else {"role": "user", "content": [{"type": "text", "text": "save it"}]}
    lines = f"{json.dumps(users)}\n{json.dumps(chat)}"
    for text in (json.dumps(chat), json.dumps(chat, indent=1), json.dumps([users, chat]), lines):
        (clicked,) = actions(spoken(tmp_path, name, text))
        assert isinstance(clicked, Click)


def test_a_step_at_which_nothing_was_done_is_no_step(tmp_path: Path) -> None:
    steps = [{"action": None, "reward": 0}, {"action": "click('a5')"}, {"action": None, "done": True}]
    assert len(actions(spoken(tmp_path, "browsergym", json.dumps(steps)))) == 1


@pytest.mark.parametrize("place", ["[1, x]", "1, 2, 3", "1", "1e400, 2", '["a", 2]'])
def test_a_place_in_a_text_that_is_no_pair_is_refused(tmp_path: Path, place: str) -> None:
    (line,) = spoken(tmp_path, "anthropic", json.dumps({"action": "left_click", "coordinate": place}))
    assert "a pair of numbers [x, y] is needed" in line.error or "a number is needed" in line.error


def test_a_message_that_is_not_understood_names_its_place(tmp_path: Path) -> None:
    said = {"messages": [{"role": "assistant", "content": TARS}, {"role": "assistant", "content": "Action: dance()"}]}
    (first, line, other) = spoken(tmp_path, "ui_tars", f"{json.dumps(said)}\n{json.dumps(CHATS[0][1])}\n")
    assert "$.messages[1]" in line.error
    assert "no verb 'dance'" in line.error
    assert first.step
    assert other.step


@pytest.mark.parametrize("said", [{"action": "dance"}, {"action": "type", "text": "\ud800"}, {"message": 3}, {"data": {"x": 1}}])
def test_what_holds_no_payload_is_an_error_and_not_passed_over(tmp_path: Path, said: dict[str, Any]) -> None:
    (line,) = spoken(tmp_path, "anthropic", json.dumps(said))
    assert line.error.startswith("$")


CLICKS = [{"action": "left_click", "coordinate": [n, n]} for n in (1, 2, 3)]
PRETTY = [json.dumps(click, indent=1) for click in CLICKS]
RUNS = ["\n".join(PRETTY), "".join(f"\x1e{one}\n" for one in PRETTY), ",\n".join(PRETTY), json.dumps(CLICKS)[:-1]]


@pytest.mark.parametrize("text", RUNS, ids=["as jq prints it", "as RFC 7464 has it", "with commas", "a list without its end"])
def test_json_after_json_is_read_up_to_where_it_is_broken(tmp_path: Path, text: str) -> None:
    lines = spoken(tmp_path, "anthropic", text)
    assert [line.step.action.target.point.x for line in lines if line.step] == [1, 2, 3]
    assert [line.error for line in lines if line.error] == (["$: the list is cut off here"] if text.startswith("[") else [])
    *_, last = spoken(tmp_path, "anthropic", text[:-12])
    assert last.number == 3
    assert "it ends here or is damaged" in last.error


def test_texts_a_line_are_read_though_a_line_is_none(tmp_path: Path) -> None:
    lines = spoken(tmp_path, "webarena", '// a log\n"click [1]"\n"Then ```type [2] [x] [1]```"\n"stop [done]"\n')
    assert [line.number for line in lines if line.step] == [2, 3, 4]
    assert lines[0].error


def test_each_message_of_a_conversation_has_a_number_of_its_own(tmp_path: Path) -> None:
    blocks = [{**BLOCK, "name": "computer", "input": one} for one in CLICKS]
    said = [{"role": "user", "content": "Go"}, *({"role": "assistant", "content": [block]} for block in blocks)]
    for indent in (None, 1):
        lines = spoken(tmp_path, "anthropic", json.dumps({"id": "m", "messages": said}, indent=indent))
        assert [(line.number, line.step.step) for line in lines if line.step] == [(2, 2), (3, 3), (4, 4)]


def test_words_without_a_call_are_told_as_words(tmp_path: Path) -> None:
    (line,) = spoken(tmp_path, "ui_tars", json.dumps({"from": "gpt", "value": "I think"}))
    assert "no Action:" in line.error


def test_a_call_of_another_tool_is_named(tmp_path: Path) -> None:
    (line,) = spoken(tmp_path, "anthropic", json.dumps({"role": "assistant", "content": [{**BLOCK, "name": "bash"}]}))
    assert line.error == "$: anthropic: $.content[0].name: 'bash' is not the computer tool"


def used(name: str, **given: Any) -> dict[str, Any]:
    return {**BLOCK, "name": name, "input": given}


def asked(name: str, **given: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": given}}


CLICKED = used("mcp__playwright__browser_click", element="Save", ref="e5")
OURS = {"name": "click", "args": {"target": {"text": "Save"}}, "id": "1"}
SHELL = {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}
PARTS = [asked("find_flights", to="Rome"), asked("click_at", x=1, y=2)]
AMONG_OTHERS = [
    ("anthropic", {"role": "assistant", "content": [used("bash", command="ls"), used("computer", **SAVE)]}, ".content[0].name"),
    ("gemini", {"role": "model", "parts": PARTS}, ".parts[0].functionCall.name"),
    ("gemini", {"candidates": [{"content": {"role": "model", "parts": PARTS}}]}, ".candidates[0].content.parts[0].functionCall"),
    ("openai", {"id": "r", "output": [SHELL, CLICK]}, ".output[0]."),
    ("playwright_mcp", {"role": "assistant", "content": [used("Bash", command="ls"), CLICKED]}, ".content[0].name"),
    (
        "qwen",
        {"role": "assistant", "tool_calls": [call("web_search", {}), call("computer_use", SAVE)]},
        ".tool_calls[0].function.name",
    ),
    ("langchain", {**AI, "tool_calls": [{"name": "web_search", "args": {}, "id": "2"}, OURS]}, ".tool_calls[0].name"),
]


@pytest.mark.parametrize(("name", "message", "where"), AMONG_OTHERS, ids=[one[0] for one in AMONG_OTHERS])
def test_a_call_of_another_tool_costs_only_itself(tmp_path: Path, name: str, message: dict[str, Any], where: str) -> None:
    for text in (json.dumps(message), json.dumps([message], indent=1)):
        other, clicked = spoken(tmp_path, name, text)
        assert f"{name}: ${where}" in other.error
        assert clicked.step
        assert isinstance(clicked.step.action, Click)


@pytest.mark.parametrize("status", ["in_progress", "incomplete"])
def test_a_call_that_was_not_completed_is_no_action(tmp_path: Path, status: str) -> None:
    (line,) = spoken(tmp_path, "openai", json.dumps({**CLICK, "status": status}))
    assert "$.status" in line.error


SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "a"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
BY_THE_SERVICE = [
    ("anthropic", {"role": "assistant", "content": [SEARCH, FOUND, used("computer", **SAVE)]}),
    ("openai", {"output": [{"type": "web_search_call", "action": {"type": "search", "query": "a"}}, CLICK]}),
]


@pytest.mark.parametrize(("name", "message"), BY_THE_SERVICE)
def test_what_the_service_did_by_itself_is_a_declared_loss(tmp_path: Path, name: str, message: dict[str, Any]) -> None:
    (line,) = spoken(tmp_path, name, json.dumps(message))
    assert line.step
    assert any("by itself is no action" in loss for loss in line.step.raw["lost"])


def test_messages_as_langchain_stores_them_are_read(tmp_path: Path) -> None:
    whole = {"human": {"content": "Save"}, "ai": AI, "tool": {"content": "ok"}}
    said = [{"type": who, "data": data} for who, data in whole.items()]
    (line,) = spoken(tmp_path, "langchain", json.dumps({"messages": said}))
    assert line.step
    assert isinstance(line.step.action, Click)


def test_what_stands_beside_a_payload_is_a_declared_loss(tmp_path: Path) -> None:
    (line,) = spoken(tmp_path, "browsergym", json.dumps({"step": 3, "action": "click('a5')", "reward": 0}))
    assert line.step
    assert line.step.raw["lost"] == ["fields: what stands beside the action is not kept: step, reward"]


BROKEN = ['{"action": "left_cl', '{"action": "wait", "duration": NaN}', '{"action": "wait", "action": "screenshot"}', "\xe9"]


@pytest.mark.parametrize("bad", BROKEN)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_broken_line_costs_only_itself_wherever_it_stands(tmp_path: Path, bad: str, at: int) -> None:
    said = [json.dumps(SAVE)] * 2
    said.insert(at, bad)
    (tmp_path / "said").write_bytes("\r\n".join(said).encode("latin-1"))
    lines = list(read_spoken("anthropic", tmp_path / "said", HERE).lines)
    assert [line.number for line in lines if line.error] == [at + 1]
    assert sum(line.step is not None for line in lines) == 2


M3A = 'Reason: x\nAction: {"action_type": "wait"}\n'
ANSWERS = [
    ("ui_tars", f"{TARS}\n\n{TARS}", 2, []),
    ("ui_tars", f"{TARS}\n\nAction: dance()\n\n{TARS}", 2, [4]),
    ("webarena", "click [12]\ntype [3] [x] [1]\ntype [4] [y] [1]\nstop [done]\n", 4, []),
    ("androidworld", f"{M3A}\n{M3A}", 2, []),
    ("openadapt", 'CLICK(x=0.5, y=0.25)\nDONE()\n', 2, []),
    ("computer_13", 'I save.\n```json\n{"action_type": "TYPING", "text": "```a"}\n```\n```\nDONE\n```\n', 2, []),
    ("ufo", '```json\n{"Function": "", "Args": {}, "Status": "FINISH"}\n```', 1, []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "count", "bad"), ANSWERS)
def test_a_text_holds_an_answer_or_several(tmp_path: Path, name: str, text: str, count: int, bad: list[int]) -> None:
    lines = spoken(tmp_path, name, text)
    assert sum(line.step is not None for line in lines) == count
    assert [line.number for line in lines if line.error] == bad


def test_messages_within_messages_are_followed_only_so_far(tmp_path: Path) -> None:
    said: Any = {"role": "assistant", "content": TARS}
    for _ in range(300):
        said = {"messages": [said]}
    (line,) = spoken(tmp_path, "ui_tars", f"{json.dumps(said)}\n{{}}\n")[:1]
    assert line.error


def test_a_statement_of_a_script_that_is_not_understood_costs_only_itself(tmp_path: Path) -> None:
    script = 'page.goto("https://a.example/")\nprint(page.title())\npage.locator("#save").click()\n'
    lines = spoken(tmp_path, "playwright_python", script)
    assert [(line.number, line.step is not None) for line in lines] == [(1, True), (2, False), (3, True)]
    assert "line 2" in lines[1].error


def test_what_only_a_run_tells_is_one_line_of_a_script_with_its_body(tmp_path: Path) -> None:
    """Whether and how often the body is done is not known: none of it is a step, and what it changes is not known either."""
    script = """url = "https://a.example/"
def login(page, name):
    page.fill("#name", name)

def test_it(page):
    page.goto(url)
    login(page, "Ada")
    for row in rows:
        page.click("#a")

        url = row
    if page.is_visible("#b"): page.click("#b")
    else:
        page.click("#c")
    page.goto(url)
    page.click("#d")
"""
    lines = spoken(tmp_path, "playwright_python", script)
    assert [(line.number, line.step is not None) for line in lines] == [
        (2, False), (6, True), (7, False), (8, False), (12, False), (15, False), (16, True),
    ]  # fmt: skip
    assert "line 2, column 1: what is done here is only known when it is run: def login" in lines[0].error
