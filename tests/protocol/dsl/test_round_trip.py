"""Every action there can be is one line, and that line is that action again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import KINDS, delays, every_action, some_target

import protocol as p
from protocol import Action, ActionTarget, BoundingBox, Coordinate, parse_action
from protocol.dsl import emit, parse_line

DEEP: Any = []
for _ in range(253):
    DEEP = [DEEP]
HUGE = 10**5_000
SAVE = ActionTarget(text="Save")


def is_the_same(action: Action) -> str:
    line = emit(action)
    back = parse_line(line)
    assert type(back) is type(action)
    assert back == action
    assert emit(back) == line
    assert len(line.splitlines()) == 1
    assert line.isprintable() or set(line) & {"\u200c", "\u200d"}
    return line


@pytest.mark.parametrize("verb", KINDS)
@given(data=st.data())
def test_every_verb_comes_back_as_it_was(verb: str, data: st.DataObject) -> None:
    action = data.draw(KINDS[verb])
    is_the_same(action)
    assert parse_line(emit(action)).digest == action.digest, "1 and 1.0, or the order of arguments, are not the same"


@given(every_action, some_target, delays)
def test_every_verb_may_have_a_target_and_a_delay(action: Action, target: ActionTarget | None, delay: float | None) -> None:
    fields = {**action.dump(), "delay": delay}
    if target is not None:
        fields["target"] = target.model_dump(mode="json")
    is_the_same(parse_action(fields))


@pytest.mark.parametrize(
    "action",
    [
        p.CallApi(app="a", function="f", arguments={"x": DEEP}),
        p.CallApi(app="a", function="f", arguments={"x": HUGE, "y": -HUGE, "z": [1, 1.0, -0.0, 1e-300, True, None]}),
        p.Extension(action_type="x-a.", arguments={"x": DEEP}),
        p.Extension(action_type="x-" + "a" * 98),
        p.Tabs(op="select", index=HUGE),
        p.Click(target=ActionTarget(bbox=BoundingBox(x1=-HUGE, y1=0, x2=HUGE, y2=1))),
        p.Click(target=ActionTarget(point=Coordinate(x=1, y=1, space="image", image_size=(HUGE, 1)))),
        p.Click(target=ActionTarget(point=Coordinate(x=1, y=1, image_size=(3, 4)))),
        p.Click(target=SAVE, modifiers=("Shift", "Shift", "ControlOrMeta", "AltGraph"), button="forward", count=3, hold=60),
        p.Click(target=SAVE, hold=-0.0, delay=-0.0),
        p.Scroll(delta=p.Delta(x=-0.0, y=-0.0)),
        p.Scroll(delta=p.Delta(x=0.0, y=0)),
        p.Scroll(delta=p.Delta(x=3, y=0.0)),
        p.Scroll(delta=p.Delta(x=0, y=0)),
        p.Scroll(delta=p.Delta(x=1e-9, y=-1e6)),
        p.PressKey(keys=("+", "+", "+")),
        p.PressKey(keys=("Control", '"', "'", "\u201c", "#", "(", "\\", "\u0301")),
        p.KeyDown(key="\u00e9"),
        p.Type(text="\ufeff\u200d\u200b\xad\u202e\U000e0001\x7f"),
        p.AskUser(question="?", name=""),
        p.Wait(seconds=5, text="", text_gone=""),
    ],
    ids=lambda action: emit(action)[:60],
)  # fmt: skip
def test_what_is_odd_comes_back_too(action: Action) -> None:
    is_the_same(action)
