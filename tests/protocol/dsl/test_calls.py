"""The call form of the first wording of the seed, for every verb."""

from pathlib import Path

import pytest
import yaml
from written.actions import KINDS

from protocol.dsl import DSLError, emit, parse_line
from protocol.model.actions import VERBS

CALLS = yaml.safe_load(Path(__file__).with_name("spellings.yaml").read_text(encoding="utf-8"))["calls"]


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
