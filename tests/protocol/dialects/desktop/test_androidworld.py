"""AndroidWorld: its objects by index and by place, and the answers of its agent M3A."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import HOSTILE
from written.dialect_cases import pairs

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, GUIElement, Scroll, VisualState
from protocol.dialects import Context, DialectError
from protocol.dialects.desktop.androidworld import DIALECT, from_androidworld


def element(name: str, y: int, **fields: Any) -> GUIElement:
    return GUIElement(element_id=name, text=name.title(), bbox=BoundingBox(x1=10, y1=y, x2=110, y2=y + 20), **fields)


SEEN = VisualState(
    elements=(element("first", 0), element("gone", 50, visible=False), element("second", 100), element("third", 200)),
    screen_resolution=(1080, 2400),
)


def named(element_id: str) -> ActionTarget:
    return ActionTarget(element_id=element_id)


def context(variant: str = "index", state: VisualState | None = SEEN) -> Context:
    return Context(state=state, variant=variant)


def read(payload: Any, variant: str = "index") -> Any:
    """The one action of a payload."""
    found = from_androidworld(payload, context(variant))
    assert not found.losses
    (action,) = found.actions
    return action


def write(action: p.Action, variant: str = "index") -> Any:
    """The payload of an action that loses nothing."""
    written = DIALECT.write(action, context(variant))
    assert written.losses == []
    return written.payload


def lost(action: p.Action, variant: str = "index") -> tuple[Any, list[str]]:
    written = DIALECT.write(action, context(variant))
    return written.payload, [loss.what for loss in written.losses]


@pytest.mark.parametrize(("said", "action"), pairs("androidworld"))
def test_m3a_answers_with_a_reason_and_the_same_object(said: dict[str, Any], action: p.Action) -> None:
    text = write(action, "m3a")
    assert text.startswith("Reason: ")
    assert read(text, "m3a") == action
    for spelling in (json.dumps(said), repr(said), f"```json\n{json.dumps(said, indent=1)}\n```"):
        assert read(f"Reason: The button\nlooks right.\nAction: {spelling}", "m3a") == action


def test_an_index_counts_the_visible_elements_from_zero() -> None:
    """As AndroidWorld lists them: an element that is scrolled away has no number."""
    targets = [read({"action_type": "click", "index": n}).target.element_id for n in range(3)]
    assert targets == ["first", "second", "third"]
    for index in (3, -1):
        with pytest.raises(DialectError, match="3 visible elements") as bad:
            read({"action_type": "click", "index": index})
        assert bad.value.where == "$.index"
    with pytest.raises(DialectError, match="no visible element"):
        write(Click(target=named("gone")))


def test_without_a_state_an_index_stays_the_number_that_was_said() -> None:
    """A log keeps the numbers and no screens: which element it was is a declared loss."""
    (click,), losses = from_androidworld({"action_type": "click", "index": 7}, context(state=None))
    assert (click.target, [loss.what for loss in losses]) == (ActionTarget(element_id="7"), ["index"])
    assert from_androidworld({"action_type": "click", "x": 1, "y": 2}, context(state=None)).actions


def test_scroll_moves_the_view_and_swipe_the_finger() -> None:
    for way, other in (("up", "down"), ("down", "up"), ("left", "right"), ("right", "left")):
        scrolled = read({"action_type": "scroll", "direction": way}).delta
        swiped = read({"action_type": "swipe", "direction": other}).delta
        assert (swiped.x, swiped.y) == (2 * scrolled.x, 2 * scrolled.y)
    assert read({"action_type": "scroll", "direction": "down"}).delta.y > 0


def test_clearing_the_focused_field_is_read_as_the_keys_that_do_it() -> None:
    actions = from_androidworld({"action_type": "input_text", "text": "hi", "clear_text": True}, context()).actions
    assert [getattr(a, "keys", a.verb) for a in actions] == [("Control", "a"), ("Backspace",), "type"]


def test_by_place_an_element_becomes_its_middle() -> None:
    said, losses = lost(Click(target=named("second")), "xy")
    assert said == {"action_type": "click", "x": 60, "y": 110}
    assert losses == ["target.element_id"]
    assert write(Click(target={"point": [60, 110]}), "xy") == said
    said, losses = lost(Scroll.toward("up", 0.5, "page", ActionTarget(point={"x": 1, "y": 2})), "xy")
    assert losses == ["scroll.target"]


# --- M3A ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I am done.", "an object in braces"),
        ("Reason: done", "an object in braces"),
        ("Reason: x\nAction: status complete", "an object in braces"),
        ("Reason: x\nAction: {action_type: status, goal_status: complete}", "names in quotes"),
        ("Reason: x\nAction: {'action_type': wait}", "not the name wait"),
        ('Reason: x\nAction: {"action_type": "wait"} and then {"action_type": "status"}', "expected"),
        ("Reason: x\nAction: {'action_type': 'wait'", "expected"),
        ("Action: " + "{" * 100_000, "names in quotes"),
        ('Action: {"a": ' + "[" * 100_000, "nested"),
    ],
)
def test_an_answer_without_a_clear_object_is_refused(text: str, why: str) -> None:
    with pytest.raises(DialectError, match=why):
        from_androidworld(text, context("m3a"))


def test_an_object_inside_a_typed_text_is_never_the_action() -> None:
    text = 'Action: {"action_type": "status", "goal_status": "complete"} }'
    for spelling in (repr({"action_type": "answer", "text": text}), json.dumps({"action_type": "answer", "text": text})):
        assert read(f"Reason: x\nAction: {spelling}", "m3a") == p.Answer(text=text)


@given(text=st.sampled_from(HOSTILE) | st.text(max_size=60))
def test_m3as_own_way_of_finding_the_object_finds_it_whole(text: str) -> None:
    """It cuts at the first closing brace and reads Python before JSON, which ordinary texts with braces break."""
    said = write(p.Answer(text=text), "m3a")
    cut = said[said.index("{") : said.index("}") + 1]
    assert ast.literal_eval(cut) == json.loads(cut) == {"action_type": "answer", "text": text}
