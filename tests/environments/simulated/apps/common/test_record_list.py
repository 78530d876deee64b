"""The record list of the apps: search, pages, ids and the form of a record."""

from __future__ import annotations

import pytest

from environments.simulated.app import Answered, Dialog, Edited, Left, Pressed
from environments.simulated.apps.common.record_list import (
    FormState,
    ListState,
    form_opened,
    form_update,
    list_update,
    refuse_twice,
    with_ids,
)
from environments.simulated.world.values import Model


class Person(Model):
    id: str = ""
    name: str = ""


class People(ListState, FormState[Person]):
    pass


def test_a_search_starts_at_the_first_page_and_clearing_it_shows_everything():
    typed = list_update(People(page=3), Edited("query", " ann "), lambda: ())
    assert (typed.query, typed.applied, typed.page) == (" ann ", "", 3)
    searched = list_update(typed, Pressed("search"), lambda: ())
    assert (searched.applied, searched.page) == ("ann", 1)
    assert list_update(searched, Pressed("clear"), lambda: ()) == People()
    assert list_update(searched, Pressed("open-1"), lambda: ()) is None
    shrunk = People(page=9)
    assert list_update(shrunk, Pressed("previous"), lambda: range(30)).page == 2, "left from the last page that is there"


def test_ids_that_are_missing_are_numbers_that_nobody_has():
    named = with_ids([Person(name="a"), Person(id="1", name="b"), Person(name="c")])
    assert {name: person.name for name, person in named.items()} == {"2": "a", "1": "b", "3": "c"}
    with pytest.raises(ValueError, match="people: the id 'x' is given twice"):
        refuse_twice("people: the id", ["", "", "x", "x"])


def test_a_form_with_changes_asks_before_it_is_closed():
    def event(state, event):
        return form_update(state, state.draft, event, "person", ("name",), lambda draft, name: (draft, "wrong"))

    opened = form_opened(People(), Person(id="1", name="Ann"))
    assert event(opened, Pressed("cancel")).state == People()
    changed = event(opened, Edited("form.name", "Bob")).state
    left = event(changed, Left("form.name")).state
    assert left.draft == Person(id="1", name="Bob")
    assert left.errors == {"name": "wrong"}
    (ask,) = event(left, Pressed("cancel")).effects
    assert isinstance(ask, Dialog)
    assert ask.text == "This person has changes that are not saved."
    assert event(left, Answered("unsaved", "Discard changes", {})).state == People()
    assert event(left, Pressed("save")) is None
