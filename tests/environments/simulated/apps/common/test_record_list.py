"""The record list of the apps: pages and ids; search and forms are shown by the apps."""

import pytest
from worlds.effort import at_most

from environments.simulated.app import Pressed
from environments.simulated.apps.common.record_list import ListState, list_update, refuse_twice, with_ids
from environments.simulated.world.values import Model


class Person(Model):
    id: str = ""
    name: str = ""


@pytest.mark.parametrize(
    ("app", "content", "pages"),
    [
        ("contacts", "generate: 1000", 84),
        ("shop", "generate: 2000", 167),
        ("mail", "generate: 2000", ""),
        ("billing", "generate: 2000", 167),
        ("chat", "generate: 400, generate_messages: 3", 34),
        ("calendar", "generate: 1000, view: Invitations", ""),
    ],
)
def test_thousands_of_records_come_in_pages(hand, app, content, pages):
    h = hand(f"today: 2026-03-05\napps: {{{app}: {{{content}}}}}\nopen: [{app}]")
    for way, page in (("Next", 2), ("Previous", 1), ("Next", 2)):
        with at_most(1):
            h.click(way)
        assert any(text.startswith(f"Page {page} of {pages}") for text in h.texts())
        assert len(h.screen.elements) < 150


def test_a_page_that_is_no_longer_there_is_left_from_the_last_one_that_is():
    assert list_update(ListState(page=9), Pressed("previous"), lambda: range(30)).page == 2


def test_ids_that_are_missing_are_numbers_that_nobody_has():
    named = with_ids([Person(name="a"), Person(id="1", name="b"), Person(name="c")])
    assert {name: person.name for name, person in named.items()} == {"2": "a", "1": "b", "3": "c"}
    with pytest.raises(ValueError, match="people: the id 'x' is given twice"):
        refuse_twice("people: the id", ["", "", "x", "x"])
