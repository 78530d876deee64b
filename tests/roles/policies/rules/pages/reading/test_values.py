"""What a page says of a value."""

from __future__ import annotations

from protocol import BoundingBox, GUIElement, VisualState
from roles.policies.rules.pages.reading.clauses import Source
from roles.policies.rules.pages.reading.values import as_asked, measure, value_of
from roles.screen.page import Page, Thing


def state(*parts: tuple[str, str] | tuple[str, str, dict[str, object]]) -> VisualState:
    elements = []
    for n, part in enumerate(parts):
        more = part[2] if len(part) > 2 else {}
        box = BoundingBox(x1=0, y1=n * 20, x2=100, y2=n * 20 + 18)
        elements.append(GUIElement(element_id=f"e{n}", track_id=f"e{n}", role=part[0], text=part[1] or None, bbox=box, **more))
    return VisualState(screen_resolution=(800, 600), elements=tuple(elements), app="browser")


def test_a_text_that_repeats_the_goal_is_not_read_as_the_pages_own():
    goal = "Enter the value of Size into the box."
    page = Page(state(("text", goal), ("text", "Size: 42")), goal)
    assert value_of(Source(label="Size"), page)[0] == "42"


def test_words_are_counted_without_their_punctuation():
    page = Page(state(("text", "Rowing, rowing; all the way (home).")), "")
    assert value_of(Source(word=-1, of=Thing(kind="area", words="sentence")), page)[0] == "home"
    assert value_of(Source(word=2, of=Thing(kind="area", words="sentence")), page)[0] == "rowing"


def test_sizes_are_compared_in_the_unit_of_what_is_asked():
    assert measure("2h 16m", "duration") == 136
    assert measure("Book for $1,300", "price") == 1300
    assert measure("7:05 PM", "departure") == 19 * 60 + 5
    assert measure("8", "duration", bare=False) is None
    assert (as_asked("6:15 PM", "hh:mm"), as_asked("5 March 2027", "yyyy-mm-dd")) == ("18:15", "2027-03-05")
