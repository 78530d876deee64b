"""BrowserGym: calls by bid and by pixel, both ways, and its own grammar as the judge."""

from __future__ import annotations

from typing import Any

import pytest

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, GUIElement, Scroll, VisualState
from protocol.dialects import Context, DialectError
from protocol.dialects.web.browsergym import DIALECT, from_browsergym

SEEN = VisualState(elements=(GUIElement(element_id="a51", text="Save", bbox=BoundingBox(x1=0, y1=0, x2=100, y2=20)),))


def at(x: float, y: float) -> ActionTarget:
    return ActionTarget(point={"x": x, "y": y})  # type: ignore[arg-type]


def read(text: str) -> Any:
    """The one action of a text."""
    found = from_browsergym(text, Context())
    assert not found.losses
    (action,) = found.actions
    return action


def lost(action: p.Action, **context: Any) -> tuple[str, list[str]]:
    written = DIALECT.write(action, Context(**context))
    return str(written.payload), [loss.what for loss in written.losses]


def test_several_calls_are_several_actions() -> None:
    text = "fill('a12', 'Ada')\nclick('a51') noop(10)"
    assert [a.verb for a in from_browsergym(text, Context()).actions] == ["fill", "click", "wait"]


def test_scrolling_down_is_positive_and_counts_pixels() -> None:
    scrolled = read("scroll(0, 200)")
    assert (scrolled.delta.y, scrolled.unit) == (200, "px")
    assert lost(Scroll.toward("up", 2)) == ("scroll(0, -240)", ["scroll.unit"])
    assert lost(Scroll.toward("down", 1, "page"), screen=(1000, 700)) == ("scroll(0, 700)", ["scroll.unit"])


def test_the_autocomplete_menu_is_a_loss_when_it_is_read() -> None:
    found = from_browsergym("fill('b534', 'Montre', True)", Context())
    assert [loss.what for loss in found.losses] == ["fill.enable_autocomplete_menu"]
    assert found.actions == [p.Fill(target={"element_id": "b534"}, text="Montre")]


def test_the_bid_of_a_target_is_found_in_the_state() -> None:
    assert lost(Click(target={"text": "Save"}), state=SEEN) == ("click('a51')", ["target.text"])
    assert lost(Click(target={"element_id": "a51", "point": [1, 2]})) == ("click('a51')", ["target.point"])
    assert lost(Click(target={"bbox": [10, 10, 20, 20]})) == ("mouse_click(15, 15)", ["target.bbox"])
    mixed = p.Drag(target={"text": "Save"}, to=at(5, 6))
    assert lost(mixed, state=SEEN) == ("mouse_drag_and_drop(50, 10, 5, 6)", ["target.text"])
    with pytest.raises(DialectError, match="a state is needed"):
        DIALECT.write(Click(target={"text": "Save"}), Context())


def test_pixels_of_a_picture_become_pixels_of_the_screen() -> None:
    target = ActionTarget(point={"x": 100, "y": 100, "space": "norm1000"})  # type: ignore[arg-type]
    assert lost(Click(target=target), screen=(2000, 1000)) == ("mouse_click(200, 100)", ["target.point"])


# --- the judge: BrowserGym's own grammar ------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["click('12')", "```\nclick('12')\n```"])
def test_the_tags_of_agentlab_are_read(inner: str) -> None:
    answer = f"<think>\nclick('99') would be wrong\n</think>\n<action>\n{inner}\n</action>"
    assert from_browsergym(answer, Context()).actions == [Click(target={"element_id": "12"})]
