"""The call form of the first wording of the seed, for every verb."""

import pytest
from written.actions import KINDS

from protocol.dsl import DSLError, emit, parse_line
from protocol.model.actions import VERBS

CALLS = [
    ('clickBox("Submit", [100, 200, 150, 240], delay=0.3)', 'click "Submit" box [100, 200, 150, 240] delay 0.3 s'),
    ('click("Save")', 'click "Save"'),
    ('click(target="Save", button="right", modifiers="ctrl+shift")', 'Control-Shift-right-click "Save"'),
    ('click(element_id=12, text="Save")', 'click "Save" #12'),
    ('click(target={"track_id": "save", "point": {"x": 1, "y": 2}})', "click @save at (1, 2)"),
    ("click(point=[1, 2])", "click at (1, 2)"),
    ('click("Save", role="button")', 'click button "Save"'),
    ('click("Save", [0.25, 0.5, 0.5, 0.25])', 'click "Save" box [0.25, 0.5, 0.75, 0.75] norm1'),
    ('doubleClick("Save")', 'double-click "Save"'),
    ('double_click("Save")', 'double-click "Save"'),
    ('rightClick("Save")', 'right-click "Save"'),
    ("mouseDown()", "mouse down left"),
    ('mouse_up("Save", "right")', 'mouse up right on "Save"'),
    ('hover("Save")', 'hover "Save"'),
    ('drag("a", "b")', 'drag "a" to "b"'),
    ('drag("a", to={"text": "b"}, path=[[1, 2], [3, 4]])', 'drag "a" to "b" via (1, 2), (3, 4)'),
    ('type("hello", target="Amount")', 'type "hello" into "Amount"'),
    ('type("hello", "Amount", submit=true)', 'type "hello" into "Amount" and press Enter'),
    ('type(textToType="hello")', 'type "hello"'),
    ('fill("Amount", "1")', 'fill "Amount" with "1"'),
    ('pressKey("ctrl+s")', "press Control+s"),
    ('press_key(keys=["ctrl", "s"])', "press Control+s"),
    ('hotkey("ctrl+s")', "press Control+s"),
    ('holdKey("shift", 2)', "hold Shift for 2 s"),
    ('keyDown("shift")', "key down Shift"),
    ('key_up(key="shift")', "key up Shift"),
    ('scroll("down", 3)', "scroll down 3"),
    ('scroll(direction="up", amount=2, unit="px", target="List")', 'scroll up 2 px in "List"'),
    ("scroll(dx=1, dy=-2)", "scroll up 2 and right 1"),
    ('selectOption("Travel", "Category")', 'select "Travel" in "Category"'),
    ('select(["a", "b"], target="Category")', 'select "a", "b" in "Category"'),
    ('launchApp("mail")', 'open "mail"'),
    ('launch("mail")', 'open "mail"'),
    ('switchWindow("mail")', 'switch to "mail"'),
    ('navigate("https://a.b")', 'navigate to "https://a.b"'),
    ("goBack()", "go back"),
    ("go_forward()", "go forward"),
    ('tabs("close", 2)', "close tab 2"),
    ('wait(5, text="Saved")', 'wait 5 s for "Saved"'),
    ("wait()", "wait 1 s"),
    ("screenshot()", "screenshot"),
    ('screenshot(marks=["1"], region=[1, 2, 3, 4])', "screenshot marks #1 region [1, 2, 3, 4]"),
    ('upload("a.pdf", "Receipt")', 'upload "a.pdf" to "Receipt"'),
    ('callApi("billing", "list", {"vendor": "Acme"})', 'call billing.list(vendor="Acme")'),
    ('askInAppAgent("mail", "Find it.")', 'ask the agent of "mail": "Find it."'),
    ('runScript("python", "1")', 'run python "1"'),
    ('run_script(code="ls")', 'run bash "ls"'),
    ('memorize("total", "1")', 'memorize "total" = "1"'),
    ('answer("1")', 'answer "1"'),
    ('askUser("Which?", name="choice")', 'ask the user "Which?" as "choice"'),
    ('finishGoal("Done.")', 'finish "Done."'),
    ("finish()", "finish"),
    ('fail(reason="No.")', 'fail "No."'),
    ("x-anthropic.cursor_position(a=1)", 'x-anthropic.cursor_position {"a": 1}'),
    ("  Click ( 'Save' , ) # done", 'click "Save"'),
]


@pytest.mark.parametrize(("call", "line"), CALLS, ids=[call for call, _ in CALLS])
def test_a_call_is_read(call: str, line: str) -> None:
    assert emit(parse_line(call)) == line


def test_every_verb_can_be_called() -> None:
    assert {parse_line(call).verb for call, _ in CALLS} >= {*VERBS}
    assert {*VERBS, "x-other.verb"} == {*KINDS}


@pytest.mark.parametrize(
    ("call", "column", "message"),
    [
        ('clickk("Save")', 1, 'there is no action "clickk"; did you mean "click"?'),
        ('click("Save", colour="red")', 15, "colour: click takes no argument of this name"),
        ('click("Save", button="upper")', 15, "button: "),
        ('clickBox("Save", [1, 2, 3])', 18, "bbox: a box written as a list has four numbers"),
        ('click("Save", [1, 2, 3, 4], 5)', 29, "click needs a name for this argument"),
        ('wait(seconds=1, "x")', 17, "wait needs a name for this argument"),
        ("click()", 1, "click needs a target"),
        ("type()", 1, "text is missing"),
        ('type("x", delay=1, delay=2)', 20, "'delay' is given twice"),
        ('type("x" "y")', 10, 'expected ")" or ","'),
        ("type(x)", 7, 'expected "="'),
        ("press_key('ctrl+shfit')", 11, "keys: there is no key 'shfit'"),
        ("click(bbox=[0x" + "f" * 400 + ", 0.5, 0.5, 0.5])", 7, "bbox: x, y, width and height of a box are numbers"),
        ('answer("x", actionType="finish_goal")', 13, "the name of the call says which action it is"),
        ('scroll(["down"])', 1, "direction is up, down, left or right, not ['down']"),
        ("wait(1e999)", 6, "the number 1e999 is too large"),
    ],
)
def test_a_call_that_is_wrong_says_where(call: str, column: int, message: str) -> None:
    with pytest.raises(DSLError) as caught:
        parse_line(call)
    assert caught.value.column == column
    assert message in caught.value.message
