"""What is asked of a page, read from imperative English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.forms import understand


def read(goal: str) -> list[p.PageClause]:
    found = understand(goal)
    assert found is not None, goal
    return list(found)


@pytest.mark.parametrize(
    ("goal", "name", "kind", "nth", "place"),
    [
        ('Press the "Pay now" button.', "Pay now", "button", 0, ""),
        ('Please click on the button labelled "Go" in the dialog.', "Go", "button", 0, "dialog"),
        ("Tap the third link.", "", "link", 3, ""),
        ("Click on the second to last tab.", "", "tab", -2, ""),
        ('Hit the "x" in the row of Ada.', "x", "", 0, "row of Ada"),
        ("Click Submit.", "Submit", "", 0, ""),
    ],
)
def test_what_is_pressed_is_known_by_name_kind_ordinal_and_place(goal, name, kind, nth, place):
    clause = read(goal)[0]
    assert isinstance(clause, p.Push)
    thing = clause.thing
    assert (thing.name, thing.kind, thing.nth, thing.place) == (name, kind, nth, place)


def test_values_go_to_the_fields_that_are_named_with_them():
    named = read('Enter the first name "Ada" and the surname "Byron", then press Save.')
    assert [(c.source.text, c.thing.name) for c in named if isinstance(c, p.Put)] == [("Ada", "first name"), ("Byron", "surname")]
    into = read('Type "x" into the Name field and "y" into the City field.')
    assert [(c.source.text, c.thing.name) for c in into if isinstance(c, p.Put)] == [("x", "Name"), ("y", "City")]
    both = read('Put "7" into both boxes.')[0]
    assert isinstance(both, p.Put)
    assert both.thing.every


def test_what_was_found_is_what_it_means():
    learn, put, push = read("Copy the fourth word of the passage, paste it into the answer box and hit Send.")
    assert isinstance(learn, p.Learn)
    assert isinstance(put, p.Put)
    assert (learn.source.word, learn.source.of.kind, put.source.fact) == (4, "area", learn.name)
    assert isinstance(push, p.Push)


@pytest.mark.parametrize(
    ("goal", "most", "by"),
    [
        ("Rent the cheapest bike.", False, "price"),
        ("Book the room with the highest rating.", True, "rating"),
        ("Choose the train with the shortest travel time.", False, "travel time"),
    ],
)
def test_a_superlative_names_what_is_compared(goal, most, by):
    clause = read(goal)[0]
    assert isinstance(clause, p.Extreme)
    assert (clause.most, clause.by) == (most, by)


def test_words_that_say_something_else_are_left_to_the_other_grammar():
    assert understand("Knit a scarf.") is None
    assert understand("Click Save and knit a scarf, please.") != understand("Click Save.")
    assert understand("What does it cost?") is None


@given(st.text(max_size=200))
def test_any_text_is_understood_or_not_and_never_breaks(text):
    found = understand(text)
    assert found is None or all(clause.said for clause in found)


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Co"), blacklist_characters='"\\'), min_size=1, max_size=40))
def test_a_quoted_name_is_taken_as_it_is(name):
    wanted = " ".join(name.split())
    clause = read(f'Click on the "{wanted or "x"}" button.')[0]
    assert isinstance(clause, p.Push)
    assert clause.thing.name == (wanted or "x")


@pytest.mark.parametrize(
    ("goal", "pairs"),
    [
        ("Fill in the form: surname Byron, town Graz.", [("surname", "Byron"), ("town", "Graz")]),
        ("Set the width to 4 and the colour to red.", [("width", "4"), ("colour", "red")]),
        ("Choose Peru as the country.", [("country", "Peru")]),
        ("For the room, choose Single.", [("room", "Single")]),
        ("Select the toppings Cheese and Basil.", [("toppings", "Cheese, Basil")]),
        ('Log in as "mara" with the password "x".', [("user name", "mara"), ("password", "x")]),
    ],
)
def test_every_value_of_a_list_goes_to_the_field_that_is_named_with_it(goal, pairs):
    assert [(c.thing.name, c.source.text) for c in read(goal) if isinstance(c, p.Put)] == pairs


def test_words_that_refer_to_something_are_looked_up_and_never_typed():
    learn, put = read("Enter the weight of the oldest parcel as the weight.")
    assert isinstance(learn, p.Learn)
    assert isinstance(put, p.Put)
    assert (learn.source.label, put.source.fact) == ("weight of the oldest parcel", learn.name)
    assert understand("Fill in the contact form as you think best.") is None
    assert understand("Copy the number of the newest parcel and track it.") is None
    assert understand("Copy the number of the newest parcel, enter it as the number and track it.") is not None


def test_a_verb_and_a_thing_are_a_deed():
    (deed,) = read('Archive the message from "Klara".')
    assert isinstance(deed, p.Deed)
    assert (deed.verb, deed.name) == ("archive", "Klara")
    assert isinstance(read('Drag "A" to "B".')[0], p.DragTo)
    assert isinstance(read("Search for tea.")[0], p.Seek)
    assert isinstance(read('Attach the file "a.txt".')[0], p.Attach)
