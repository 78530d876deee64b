"""Which thing on a page a phrase means, and what a page says of a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import BoundingBox, GUIElement, VisualState
from roles.screen import page
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


def test_each_of_many_controls_is_held_against_its_own_line_and_not_against_the_page(monkeypatch):
    looked: list[int] = []
    real = page.lines
    monkeypatch.setattr(page, "lines", lambda elements, anchor: looked.append(len(elements)) or real(elements, anchor))
    seen = state(*[("button", f"Item {n}: open") for n in range(300)])
    assert not page.shows("Amount", "open", page.Page(seen, ""))
    assert len(looked) == 300
    assert max(looked) < 10


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 2500)), max_size=20), st.integers(0, 19))
def test_a_line_of_a_page_is_that_of_all_its_elements(spans, at):
    boxes = [BoundingBox(x1=0, y1=top, x2=9, y2=top + tall) for top, tall in spans]
    elements = tuple(GUIElement(element_id=f"e{n}", role="text", text="x", bbox=box) for n, box in enumerate(boxes))
    for anchor in elements[at : at + 1]:
        assert page.Page(VisualState(elements=elements), "").line(anchor) == page.lines(elements, anchor)
