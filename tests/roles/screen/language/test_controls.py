"""What words about a page are read as, and what of them is not read."""

import pytest

from environments.cards import Vocabulary
from roles.contracts.orders import Of, Order, Reading, Text
from roles.screen.language.reader import read
from roles.screen.language.words import table

PAGE = ("heard island and mcdonald islands", "bread and butter helper", "your answer", "send in", "submit", "name", "town", "cox")


def page(goal: str, *names: str) -> Reading:
    shown = sorted({*PAGE, *names}, key=lambda name: -len(name))
    return read(goal, "2026-03-02 10:30", Vocabulary(shown=tuple(shown)))


def called(order: Order) -> list[tuple[str, str]]:
    things = [order.object, *order.object.also] if order.object is not None else []
    return [(thing.kind, thing.name.text if thing.name else "") for thing in things]


def written(order: Order) -> list[tuple[str, str]]:
    return [(s.field, s.value.text) for s in order.slots if s.role == "value" and isinstance(s.value, Text)]


@pytest.mark.parametrize(("verb", "example"), [(name, verb["example"]) for name, verb in table("pages")["verbs"].items()])
def test_every_verb_of_pages_reads_its_example(verb: str, example: str) -> None:
    reading = page(example)
    assert reading.understood, reading.unread
    assert [order.verb for order in reading.orders] == [verb]


@pytest.mark.parametrize(
    ("goal", "things"),
    [
        ('Click on the "Ok" button.', [("button", "Ok")]),
        ("Press the Nickname button.", [("button", "Nickname")]),
        ("Click the button.", [("button", "")]),
        ('Click the button called "Cancel".', [("button", "Cancel")]),
        ("Press Send in.", [("", "Send in")]),
        ("Select Cox and Bread and butter helper.", [("", "Cox"), ("", "Bread and butter helper")]),
        ('Click the button in the dialog box labeled "Cancel".', [("button", "Cancel")]),
    ],
)
def test_what_is_meant_is_called_as_the_page_calls_it(goal: str, things: list[tuple[str, str]]) -> None:
    assert called(page(goal).orders[0]) == things


@pytest.mark.parametrize("verb", ["Expand", "Open", "Unfold"])
def test_a_section_that_is_to_be_opened_is_no_mere_way_to_what_is_pressed_then(verb: str) -> None:
    assert [order.verb for order in page(f"{verb} the section below and press Submit.").orders] == ["open", "click"]
    assert [order.verb for order in page(f"{verb} the sections below, to find and press Submit.").orders] == ["click"]


@pytest.mark.parametrize(
    ("goal", "values"),
    [
        ('Enter "A7" as the name, "Graz" as the town, and press Send in.', [("name", "A7"), ("town", "Graz")]),
        ('Enter the name "vina" and the town "US" into the text fields and press Submit.', [("name", "vina"), ("town", "US")]),
        ("Set Name to Ann and Town to Graz.", [("Name", "Ann"), ("Town", "Graz")]),
        ('Fill in the order form: name Ada Byron, town "Graz".', [("name", "Ada Byron"), ("town", "Graz")]),
    ],
)
def test_values_go_where_they_are_said_to(goal: str, values: list[tuple[str, str]]) -> None:
    assert written(page(goal).orders[0]) == values


def test_what_a_page_shows_is_read_and_pointed_back_at() -> None:
    reading = page("Find the 2nd word in the paragraph, type that into the textbox and press Submit.")
    found = reading.orders[0].slots[0].value
    assert isinstance(found, Of)
    assert found.fields == ("word 2",)
    assert [order.verb for order in reading.orders] == ["find", "write", "click"]


@pytest.mark.parametrize(
    "goal",
    [
        "Press Submit twice.", "Click Submit 3 times.", "Select Cox or Town from the list.", "Drag Cox to Town.", "Knit a scarf.",
        "Order two of the boats.", "Enter my name into the Name field.", "Enter today as the name.",
    ],
)  # fmt: skip
def test_what_is_not_certain_is_not_read(goal: str) -> None:
    assert not page(goal).understood


def test_what_must_not_be_pressed_is_an_exclusion() -> None:
    first, last = page("Enter Ann as the name, but do not press Submit.").orders
    assert (first.negated, last.negated, last.verb) == (False, True, "click")


def test_a_name_on_the_page_swallows_no_order() -> None:
    reading = page("Press Submit and press Cox.", "submit and press cox")
    assert [called(order) for order in reading.orders] == [[("", "Submit")], [("", "Cox")]]


@pytest.mark.parametrize(
    ("goal", "verbs"),
    [
        ('Find and click on the link "Cox".', ["click"]),
        ('Switch between the tabs to find and click on the link "Cox".', ["click"]),
        ("Click the star icon to mark it as important.", ["click"]),
        ('Use the text field to enter "Ada" into the Name field and press Submit when done.', ["write", "click"]),
        ("Select Town > Cox > Name, then press Submit.", ["select", "click", "click", "click"]),
    ],
)
def test_where_and_what_for_is_no_order_besides(goal: str, verbs: list[str]) -> None:
    reading = page(goal)
    assert reading.understood, reading.unread
    assert [order.verb for order in reading.orders] == verbs


@pytest.mark.parametrize("goal", ["Click Cox to delete all of them.", "Use the second tab to press Submit.", "Open the tabs."])
def test_what_narrows_down_or_goes_further_is_not_passed_over(goal: str) -> None:
    reading = page(goal)
    assert not reading.understood or [order.verb for order in reading.orders] == ["open"]


def test_without_a_page_nothing_is_read_so() -> None:
    assert not read("Focus into the textbox.").understood
