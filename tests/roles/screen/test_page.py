"""Which thing on a page a phrase means, and what a page says of a value."""

from __future__ import annotations

import pytest

from protocol import BoundingBox, GUIElement, VisualState
from roles.screen.page import Scopes, likeness


def state(*parts: tuple[str, str] | tuple[str, str, dict[str, object]]) -> VisualState:
    elements = []
    for n, part in enumerate(parts):
        more = part[2] if len(part) > 2 else {}
        box = BoundingBox(x1=0, y1=n * 20, x2=100, y2=n * 20 + 18)
        elements.append(GUIElement(element_id=f"e{n}", track_id=f"e{n}", role=part[0], text=part[1] or None, bbox=box, **more))
    return VisualState(screen_resolution=(800, 600), elements=tuple(elements), app="browser")


def test_names_count_as_they_are_written_before_what_is_like_them():
    assert likeness("OK", "OK") > likeness("OK", "ok") > likeness("OK", "Okay") == 0.9
    assert likeness("x", "Close") == 0.9
    assert likeness("Launch", "OK") < 0.6


@pytest.mark.parametrize(
    ("wanted", "name", "same"),
    [("Track 8", "Track 83", False), ("Novak", "Nowak", False), ("E-mail", "Email address", True), ("Bill 7", "Bill", False)],
)
def test_names_that_are_alike_by_their_letters_alone_are_two_names(wanted, name, same):
    assert (likeness(wanted, name) >= 0.7) is same


def test_a_place_that_is_not_on_the_page_holds_nothing():
    scopes = Scopes(state(("heading", "Ann"), ("button", "Edit"), ("heading", "Bob"), ("button", "Edit")).elements)
    assert [e.element_id for e in scopes.of("Bob") or ()] == ["e2", "e3"]
    assert scopes.of("Eve") is None
