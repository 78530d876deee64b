"""Files of actions in a dialect or the DSL: a payload a line, one document, or a script; what is not understood costs itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from protocol import AgentAction, Click, InteractionStep, describe, read_log
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


def check(lines: list[LogLine], expected: list[str]) -> None:
    """Each line by its number: an action, or behind a mark a part of what is wrong."""
    found = [f"{line.number} {emit(line.step.action)}" if line.step else f"{line.number}! {line.error}" for line in lines]
    for one, other in zip(found, expected, strict=True):
        number, marked, part = other.partition("! ")
        assert (one.startswith(f"{number}! ") and part in one) if marked else one == other


CLICK = {"type": "computer_call", "status": "completed", "action": {"type": "click", "button": "left", "x": 1, "y": 2}}
WORDS = [
    {"role": "user", "content": "Save it"},
    {"type": "reasoning", "summary": []},
    {"type": "computer_call_output", "output": {}},
]


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}, **more}


def used(name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t", "name": name, "input": given}


def asked(name: str, **given: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": given}}


def says(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [*content]}


SAVE = {"action": "left_click", "coordinate": [1, 2]}
CLICKED = used("mcp__playwright__browser_click", element="Save", ref="e5")
TARS = "Thought: save\nAction: click(start_box='(1,2)')"
OURS = {"name": "click", "args": {"target": {"text": "Save"}}, "id": "1"}
AI = {"type": "ai", "content": "", "tool_calls": [OURS]}
CLAUDE = says(used("computer", **SAVE))
RPC = {"method": "tools/call", "params": {"name": "browser_click", "arguments": {"element": "Save", "ref": "e5"}}}
CHATS = [
    ("ui_tars", {"role": "assistant", "content": TARS}),
    ("ui_tars", says({"type": "text", "text": TARS})),
    ("ui_tars", {"messages": [{"role": "user", "content": "<image>save"}, {"role": "assistant", "content": TARS}]}),
    ("ui_tars", {"conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": TARS}]}),
    ("qwen", {"role": "assistant", "content": "", "tool_calls": [call("computer_use", SAVE)]}),
    ("qwen", {"role": "assistant", "content": json.dumps({"name": "computer_use", "arguments": SAVE})}),
    ("playwright_mcp", says({"type": "text", "text": "now"}, CLICKED)),
    ("playwright_mcp", {"role": "assistant", "tool_calls": [call("browser_click", {"element": "Save", "ref": "e5"})]}),
    ("anthropic", {"messages": [CLAUDE]}),
    ("gemini", {"contents": [{"role": "model", "parts": [asked("click_at", x=1, y=2)]}]}),
    ("langchain", {"messages": [{"type": "human", "content": "save"}, AI, {"type": "tool", "content": "ok"}]}),
    ("langchain", {"type": "ai", "data": AI}),
    ("langchain", {"messages": [{"type": "human", "data": {"content": "Save"}}, {"type": "ai", "data": AI}]}),
    ("langchain", {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": AI}),
    ("anthropic", {"type": "assistant", "uuid": "1", "message": CLAUDE}),
    ("anthropic", {"role": "assistant", "content": None, "tool_calls": [call("computer", SAVE)]}),
    ("anthropic", {**CLAUDE, "tool_calls": [{"name": "computer", "args": SAVE, "id": "t", "type": "tool_call"}]}),
    ("playwright_mcp", {"type": "ai", "content": [CLICKED], "tool_calls": [{**CLICKED, "args": CLICKED["input"]}]}),
    ("qwen", {"id": "c", "choices": [{"message": {"role": "assistant", "tool_calls": [call("computer_use", SAVE)]}}]}),
    ("browsergym", {"step": 3, "action": "click('a5')", "reward": 0}),
    ("ui_tars", {"prediction": TARS, "parsed": []}),
    ("ui_tars", {"raw_response": "I save.", "model_output": "finished()", "prediction": TARS}),
    ("ui_tars", {"step": 1, "model_response": TARS}),
    ("ui_tars", {"action_output": TARS, "summary": "saved"}),
    ("anthropic", {"name": "computer", "parameters": SAVE}),
    ("anthropic", {"tool": "computer_use", "args": {"action": "left_click", "coordinate": "[1, 2]"}}),
    ("openai", {"role": "assistant", "content": None, "tool_calls": [call("computer", {"type": "click", "x": "1", "y": 2.0})]}),
    ("playwright_mcp", {"tool": "browser_click", "input": CLICKED["input"]}),
    ("playwright_mcp", {"jsonrpc": "2.0", "id": 1, **RPC}),
    ("playwright_mcp", {"session_id": "s", "tool_name": CLICKED["name"], "tool_input": CLICKED["input"]}),
    ("playwright_mcp", says({"type": "tool-call", "toolCallId": "c", "toolName": "browser_click", "input": CLICKED["input"]})),
    ("anthropic", {"ts": 1, "tool": "computer", "params": SAVE}),
    ("anthropic", {"timestamp": 1, "step": 2, **SAVE, "reasoning": "to save", "success": False, "error": "it moved"}),
    ("openai", {"type": "tool_call_item", "raw_item": CLICK}),
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


SHELL = {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}
PARTS = [asked("find_flights", to="Rome"), asked("click_at", x=1, y=2)]
AMONG_OTHERS = [
    ("anthropic", says(used("bash", command="ls"), used("computer", **SAVE)), ".content[0].name"),
    ("gemini", {"role": "model", "parts": PARTS}, ".parts[0].functionCall.name"),
    ("gemini", {"candidates": [{"content": {"role": "model", "parts": PARTS}}]}, ".candidates[0].content.parts[0].functionCall"),
    ("openai", {"id": "r", "output": [SHELL, CLICK]}, ".output[0]."),
    ("playwright_mcp", says(used("Bash", command="ls"), CLICKED), ".content[0].name"),
    ("qwen", {"role": "assistant", "tool_calls": [call("web", {}), call("computer_use", SAVE)]}, ".tool_calls[0].function.name"),
    ("langchain", {**AI, "tool_calls": [{"name": "web_search", "args": {}, "id": "2"}, OURS]}, ".tool_calls[0].name"),
]


@pytest.mark.parametrize(("name", "message", "where"), AMONG_OTHERS, ids=[one[0] for one in AMONG_OTHERS])
def test_a_call_of_another_tool_costs_only_itself(tmp_path: Path, name: str, message: dict[str, Any], where: str) -> None:
    for text in (json.dumps(message), json.dumps([message], indent=1)):
        other, clicked = spoken(tmp_path, name, text)
        assert f"${where}" in other.error
        assert clicked.step
        assert isinstance(clicked.step.action, Click)


CLICKS = [{"action": "left_click", "coordinate": [n, n]} for n in (1, 2, 3)]
THREE = [f"{n} click at ({n}, {n})" for n in (1, 2, 3)]
PRETTY = [json.dumps(click, indent=1) for click in CLICKS]
TALK = [{"role": "user", "content": "Go"}, *(says(used("computer", **one)) for one in CLICKS)]
ITEMS = [*WORDS, CLICK, {**CLICK, "action": {"type": "clik"}}, CLICK]
ACTED = [{"action": None, "reward": 0}, {"action": "click('a5')"}, {"action": None, "done": True}]
M3A = 'Reason: x\nAction: {"action_type": "wait"}\n'
DIALOG = {"messages": [{"role": "assistant", "content": TARS}, {"role": "assistant", "content": "Action: dance()"}]}
FENCED = 'I save.\n```json\n{"action_type": "TYPING", "text": "```a"}\n```\n```\nDONE\n```\n'
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": []}]}
TOLD: list[tuple[str, Any, list[str]]] = [
    # a document, lines, JSON one after the other as jq prints it and RFC 7464 has it, a list without its end
    *[("openai", said, ["4 click at (1, 2)", "5! clik", "6 click at (1, 2)"])
      for said in (json.dumps(ITEMS), json.dumps(ITEMS, indent=2), "\n".join(map(json.dumps, ITEMS)))],
    *[("anthropic", said, THREE) for said in ("\n".join(PRETTY), "".join(f"\x1e{one}\n" for one in PRETTY), ",\n".join(PRETTY))],
    ("anthropic", json.dumps(CLICKS)[:-1], [*THREE, "4! $: the list is cut off here"]),
    *[("anthropic", said[:-12], [*THREE[:2], "3! it ends here or is damaged"])
      for said in ("\n".join(PRETTY), json.dumps(CLICKS))],
    *[("anthropic", json.dumps({"id": "m", "messages": TALK}, indent=indent), [f"{n + 1} click at ({n}, {n})" for n in (1, 2, 3)])
      for indent in (None, 1)],
    # messages
    ("anthropic", [{"role": "user", "content": "Save"}, CLAUDE, RESULT], ["2 click at (1, 2)"]),
    ("ui_tars", f"{json.dumps(DIALOG)}\n{json.dumps(CHATS[0][1])}\n",
     ["1 click at (1, 2)", "1! $.messages[1]", "2 click at (1, 2)"]),
    ("ui_tars", {"from": "gpt", "value": "I think"}, ["1! no Action:"]),
    ("anthropic", says(used("bash")), ["1! $.content[0].name: 'bash' is not the computer tool"]),
    *[("openai", {**CLICK, "status": status}, ["1! $.status"]) for status in ("in_progress", "incomplete")],
    # payloads
    ("browsergym", ACTED, ["2 click #a5"]),
    *[("anthropic", {"action": "left_click", "coordinate": place}, ["1! needed"])
      for place in ("[1, x]", "1, 2, 3", "1", "1e400, 2", '["a", 2]')],
    *[("anthropic", said, ["1! $"])
      for said in ({"action": "dance"}, {"action": "type", "text": "\ud800"}, {"message": 3}, {"data": {"x": 1}},
                   {**SAVE, "url": "a", "button": "right"})],
    ("anthropic", {"action": "type", "text": "a" * 100_001}, ["1! text: String should have at most 100000 characters"]),
    ("anthropic", {"action": "wait", "duration": 10**9}, ["1! $.duration: a number is needed of at most 1000000"]),
    ("ui_tars", "\n".join(map(json.dumps, ["Action: wait()", "Action: dance()", TARS])),
     ["1 wait 5 s", "2! dance", "3 click at (1, 2)"]),
    ("ui_tars", {"said": TARS}, ["1! $: a text is needed, not a dict; one in an object is read under action, response"]),
    ("webarena", '// a log\n"click [1]"\n"Then ```click [2]```"\n"stop [done]"\n',
     ["1! JSON", "2 click #1", "3 click #2", '4 finish "done"']),
    # texts of answers
    ("ui_tars", f"{TARS}\n\nAction: dance()\n\n{TARS}", ["1 click at (1, 2)", "4! dance", "6 click at (1, 2)"]),
    ("webarena", "click [12]\nstop [done]\n", ["1 click #12", '2 finish "done"']),
    ("androidworld", f"{M3A}\n{M3A}", ["1 wait 1 s", "4 wait 1 s"]),
    ("androidworld", f'{M3A}\nAction: {{"action_type": "wait", "step": 3}}', ["1 wait 1 s", "4! $.step: is not understood here"]),
    ("openadapt", "CLICK(x=0.5, y=0.25)\nDONE()\n", ["1 click at (0.5, 0.25) norm1", "1 finish"]),
    ("computer_13", FENCED, ['1 type "```a"', "1 finish"]),
    ("ufo", '```json\n{"Function": "", "Args": {}, "Status": "FINISH"}\n```', ["1 finish"]),
    # scripts
    ("pyautogui", "import pyautogui\r\npyautogui.click(1, 2)\r\npyautogui.write('a')\r\npyautogui.dance()\n",
     ["2 click at (1, 2)", '3 type "a"', "4! line 4"]),
    ("playwright_python", '"""Save it."""\npage.locator("#save").click()\n', ['2 click css "#save"']),
    ("playwright_python", 'page.goto("http://a")\nprint(page.title())\npage.locator("#save").click()\n',
     ['1 navigate to "http://a"', "2! line 2", '3 click css "#save"']),
]  # fmt: skip


@pytest.mark.parametrize(("name", "said", "expected"), TOLD, ids=lambda value: str(value)[:30])
def test_what_a_file_holds_is_told_by_its_numbers_and_a_mistake_costs_only_itself(
    tmp_path: Path, name: str, said: Any, expected: list[str]
) -> None:
    check(spoken(tmp_path, name, said if isinstance(said, str) else json.dumps(said)), expected)


SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "a"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}


@pytest.mark.parametrize(
    ("name", "said", "lost"),
    [
        ("anthropic", says(SEARCH, FOUND, used("computer", **SAVE)), "service: what the service does by itself is no action"),
        ("openai", {"output": [{"type": "web_search_call", "action": {"type": "search"}}, CLICK]}, "by itself is no action"),
        ("anthropic", says({"type": "text", "text": "I save."}, used("computer", **SAVE)), "words: words beside a call"),
        (
            "browsergym",
            {"step": 3, "action": "click('a5')", "reward": 0},
            "what stands beside the action is not kept: step, reward",
        ),
        ("openai", {"step": 3, **CLICK["action"], "url": "a"}, "what stands beside the action is not kept: step, url"),
    ],
)
def test_what_is_no_action_is_a_declared_loss(tmp_path: Path, name: str, said: dict[str, Any], lost: str) -> None:
    (line,) = spoken(tmp_path, name, json.dumps(said))
    assert line.step
    assert lost in str(line.step.raw["lost"])


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
    check(
        lines,
        [
            "7 click at (10, 20)",
            "9 wait 0.5 s",
            '10 type "Ada!"',
            '11 type "Ada"',
            "13! what is done here is only known when it is run: for n in range(many):",
            "16! a literal is needed, not the name 'name': pg.write(name)",
        ],
    )
    first = lines[0].step
    assert first
    assert [str(text).partition(":")[0] for text in first.raw["lost"]] == ["PAUSE", "pyautogui.moveTo.duration"]  # type: ignore[union-attr]


IN_A_FUNCTION = [
    ("pyautogui", "def b():\n    {b}\ndef a():\n    {a}\n    b()\n{c}\na()\n{d}\n", [6, 4, 2, 8]),
    ("pyautogui", "def a():\n    {a}\n{b}\nif late:\n    a()\n{c}\n", [3, -4, 6]),
    ("pyautogui", "def a():\n    {a}\n{b}\na()\na()\n", [-1, 3, -4, -5]),
    ("pyautogui", "def a():\n    {a}\nfor n in range(2):\n    a()\n{b}\n", [-3, 5]),
    ("pyautogui", "def a():\n    {a}\nwith pyautogui.hold('shift'):\n    a()\n{b}\n", [-3, 5]),
    ("pyautogui", "def a():\n    {a}\ndef a():\n    {b}\na()\n", [4]),
    ("pyautogui", "try:\n    {a}\nexcept OSError as bad:\n    print(bad)\nelse: {b}\nfinally:\n    {c}\n{d}\n", [2, 5, 7, 8]),
    ("pyautogui", "try:\n    {a}\nexcept OSError:\n    {b}\n{c}\ntry: {d}\nexcept: pass\n", [-1, 5, 6]),
    ("pyautogui", "def a():\n    try:\n        {a}\n        return\n    except OSError: pass\n    {b}\na()\n", [-2, 6]),
    ("playwright_python", "def a(page, name):\n    {a}\n{b}\na(page, 'x')\n", [-1, 3, -4]),
    ("playwright_python",
     "def a(page):\n    {a}\ndef run(playwright):\n    {b}\n    a(page)\n    {c}\nrun(playwright)\n", [4, 2, 6]),
    ("playwright_python",
     "async def a(page):\n    await {a}\nasync def main():\n    await {b}\n    await a(page)\nasyncio.run(main())\n",
     [4, 2]),
    ("playwright_python", "def a(page):\n    x = page.locator('#a')\n    x.click()\n{b}\na(page)\nx.click()\n", [4, 3, -6]),
]  # fmt: skip


GIVEN = [
    ("pyautogui", "def a(x, y=7):\n    pyautogui.click(x, y=y)\nx = 1\ny = 2\nn = 30\na(n)\n", ["2 click at (30, 7)"]),
    ("pyautogui", "def a(b):\n    pyautogui.write(f'b {b}' + b)\nb, c = 'B', 'C'\na(c)\n", ['2 type "b CC"']),
    ("pyautogui", "def a(b):\n    b = 'x'\n    pyautogui.write(b)\nc = 'C'\na(c)\n", ['3 type "x"']),
    ("pyautogui", "def a(b):\n    c = 'x'\n    pyautogui.write(b + c)\nc = 'C'\na(c)\n", ['3 type "Cx"']),
    ("pyautogui", "c = 'C'\ndef a(b):\n    pyautogui.write(b)\ndef d():\n    c = 'x'\n    a(c)\nd()\n", ['3 type "x"']),
    ("pyautogui", "c = 'a, b'\ndef a(b=c, d='(,'):\n    pyautogui.write(b + d)\nc = 'C'\na()\n", ['3 type "a, b(,"']),
    ("pyautogui", "b = 'B'\ndef a(b):\n    pyautogui.write(b)\na()\n", ["4! only known when it is run"]),
    ("pyautogui", "b = 'B'\ndef a():\n    pyautogui.write(b)\na(b)\n", ["4! only known when it is run"]),
    ("pyautogui", "x = 'X'\ndef a():\n    x = 'A'\n    pyautogui.write(x)\na()\npyautogui.write(x)\n",
     ['4 type "A"', '6 type "X"']),
    ("pyautogui", "x = 'X'\ndef a():\n    global x\n    x = 'A'\na()\npyautogui.write(x)\n", ["3! global", "6! the name 'x'"]),
    ("pyautogui", "def b():\n    x = 'B'\ndef a():\n    x = 'A'\n    b()\n    pyautogui.write(x)\na()\n", ['6 type "A"']),
    ("playwright_python",
     "def a(page):\n    page.go_back()\npage1 = context.new_page()\npage.goto('http://a')\na(page1)\n",
     ["3 new tab", "4 switch to tab 0", '4 navigate to "http://a"', "2 switch to tab 1", "2 go back"]),
    ("playwright_python",
     "def a(p):\n    page1 = context.new_page()\n    p.go_back()\npage1 = context.new_page()\na(page1)\n",
     ["4 new tab", "5! only known when it is run"]),
    ("playwright_python",
     "b = 'B'\ndef a():\n    page.go_back()\ndef c():\n    b = 'C'\n    a()\n    page.goto(b)\nc()\n",
     ["3 go back", '7 navigate to "C"']),
    ("playwright_python",
     "with page.expect_event('popup'):\n    page.go_back()\nwith page.expect_popup() as made:\n    page.go_back()\n"
     "page3 = context.new_page()\nb = made.value\nb.go_back()\npage3.go_back()\n",
     ["2 go back", "4 go back", "5 new tab", "7 switch to tab 2", "7 go back", "8 switch to tab 3", "8 go back"]),
    ("playwright_python", "b = 'B'\ndef a():\n    page.goto(b)\ntry:\n    b = 'C'\nfinally:\n    pass\na()\n",
     ['3 navigate to "C"']),
    ("playwright_python", "b = 'B'\ndef a():\n    global b\n    b = 'C'\na()\npage.goto(b)\n",
     ["3! global", "6! a literal is needed"]),
    ("playwright_python", "_a = page.locator('#a')\npage.goto('b' + 'c')\n", ['2 navigate to "bc"']),
]  # fmt: skip


@pytest.mark.parametrize(("name", "script", "expected"), GIVEN)
def test_a_name_stands_for_what_it_is_given_where_it_is_used(tmp_path: Path, name: str, script: str, expected: list[str]) -> None:
    check(spoken(tmp_path, name, script), expected)


@pytest.mark.parametrize(("name", "script", "numbers"), IN_A_FUNCTION)
def test_a_function_is_told_where_it_is_called(tmp_path: Path, name: str, script: str, numbers: list[int]) -> None:
    """By the lines of its statements, in the order in which they are done; below zero what is not understood."""
    said = "pyautogui.press('{}')" if name == "pyautogui" else "page.click('#{}')"
    lines = spoken(tmp_path, name, script.format(**{sign: said.format(sign) for sign in "abcd"}))
    assert [line.number if line.step else -line.number for line in lines] == numbers


def test_functions_that_call_each_other_without_end_are_one_error(tmp_path: Path) -> None:
    chain = "".join(f"def f{n}():\n    f{n + 1}()\n" for n in range(2_000))
    (line,) = spoken(tmp_path, "pyautogui", f"def f2000():\n    pyautogui.click(1, 2)\n{chain}f0()\n")
    assert "what is done here is only known when it is run" in line.error


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


def test_messages_within_messages_are_followed_only_so_far(tmp_path: Path) -> None:
    said: Any = {"role": "assistant", "content": TARS}
    for _ in range(300):
        said = {"messages": [said]}
    (line,) = spoken(tmp_path, "ui_tars", f"{json.dumps(said)}\n{{}}\n")[:1]
    assert line.error
