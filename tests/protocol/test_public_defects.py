"""Defects found between other people's dialects; those of a single one are held by its own tests."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import Action
from protocol.dialects import Context, DialectError, dialect


def read(name: str, payload: Any, variant: str | None = None) -> list[Action]:
    return list(dialect(name).read(payload, Context(variant=variant)).actions)


def written(name: str, action: Action, variant: str | None = None) -> Any:
    return dialect(name).write(action, Context(variant=variant)).payload


@pytest.mark.parametrize("way", ["up", "down", "left", "right"])
def test_a_scroll_keeps_its_direction_from_anthropic_through_openai_and_back(way: str) -> None:
    """cua turned `down 5` into `up 5` on the way back, and took notches for pixels."""
    said = {"action": "scroll", "coordinate": [640, 400], "scroll_direction": way, "scroll_amount": 5}
    (scroll,) = read("anthropic", said)
    through = written("openai", scroll)
    assert max(abs(through["actions"][0]["scroll_x"]), abs(through["actions"][0]["scroll_y"])) == 600, (
        "five notches of 120 pixels"
    )
    (back,) = read("openai", through)
    assert written("anthropic", back) == said


def test_pixels_are_no_notches_and_right_stays_right() -> None:
    """OSWorld's adapter for OpenAI used pixels as notches and turned the sideways sign round."""
    (scroll,) = read("openai", {"type": "scroll", "x": 5, "y": 5, "scroll_x": 240, "scroll_y": -360})
    assert written("computer_13", scroll.model_copy(update={"target": None})) == {
        "action_type": "SCROLL",
        "parameters": {"dx": 2, "dy": 3},
    }


@pytest.mark.parametrize("button", ["sidewise", "", 3, None])
def test_an_unknown_button_is_not_the_left_one(button: object) -> None:
    with pytest.raises(DialectError):
        read("openai", {"type": "click", "button": button, "x": 1, "y": 2})
    with pytest.raises(DialectError):
        read("computer_13", {"action_type": "CLICK", "parameters": {"x": 1, "y": 2, "button": button or "sidewise"}})


@pytest.mark.parametrize("said", ["I think we are done.", "DONE!!", "", "CLICK(", "{not json", "FINISH(1"])
def test_what_cannot_be_parsed_is_not_done(said: str) -> None:
    """openadapt-types once shipped "unparseable means DONE"."""
    with pytest.raises(DialectError):
        read("openadapt", said, "dsl")
    with pytest.raises(DialectError):
        read("openadapt", said)


def test_no_direction_is_read_out_of_prose() -> None:
    """OmniMCP looks for "up" in the reasoning: "look up the total, then scroll" scrolls up."""
    with pytest.raises(DialectError):
        read("omnimcp", {"reasoning": "look up the total, then scroll", "action": "scroll", "is_goal_complete": False}, "plan")
