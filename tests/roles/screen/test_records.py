"""Choosing among entries, and answering dialogs that the crew itself brought up."""

from __future__ import annotations

import pytest

from protocol import GUIElement, VisualState
from roles.screen.dialogs import agree_choice, expected
from roles.screen.language import clauses as c
from roles.screen.records import Entry, matching_entries, picked
from roles.screen.screens import Screen


def entry(number: str, vendor: str, date: str, status: str, total: str) -> Entry:
    cells = (("Number", number), ("Vendor", vendor), ("Date", date), ("Status", status), ("Total", total))
    return Entry(" · ".join(value for _, value in cells), cells)


ALL = (
    entry("INV-1", "Northwind Supplies & Co", "2026-01-05", "Paid", "$1,000.00"),
    entry("INV-10", "Acme Travel GmbH", "2026-03-05", "Unpaid", "$99.00"),
    entry("INV-2", "Acme Energy LLC", "2026-02-01", "Overdue", "$250.00"),
    entry("INV-3", "Zoë O'Neil", "2026-02-28", "Unpaid", "$980.50"),
)


@pytest.mark.parametrize(
    ("entity", "numbers"),
    [
        (c.Entity(id="INV-1"), ["INV-1"]),
        (c.Entity(id="inv-10"), ["INV-10"]),
        (c.Entity(name="Northwind"), ["INV-1"]),
        (c.Entity(name="Acme"), ["INV-10", "INV-2"]),
        (c.Entity(name="Acme", filters=("overdue",)), ["INV-2"]),
        (c.Entity(name="Northwind Suplies"), ["INV-1"]),
        (c.Entity(name="Zoë O'Neil"), ["INV-3"]),
        (c.Entity(filters=("paid",)), ["INV-1"]),
        (c.Entity(filters=("unpaid",)), ["INV-10", "INV-3"]),
        (c.Entity(dated="5 March 2026"), ["INV-10"]),
        (c.Entity(name="Globex"), []),
    ],
)
def test_entries_fit_what_is_said_of_them(entity: c.Entity, numbers: list[str]) -> None:
    assert [e.key for e in matching_entries(entity, ALL)] == numbers


@pytest.mark.parametrize(
    ("pick", "number"),
    [
        ("latest", "INV-10"),
        ("oldest", "INV-1"),
        ("largest", "INV-1"),
        ("smallest", "INV-10"),
        ("first", "INV-1"),
        ("last", "INV-3"),
    ],
)
def test_a_superlative_leaves_one(pick: str, number: str) -> None:
    assert [e.key for e in picked(c.Entity(pick=pick), ALL)] == [number]


def test_equal_entries_stay_a_choice() -> None:
    twice = (*ALL, entry("INV-4", "Elm", "2026-03-05", "Paid", "$5.00"))
    assert [e.key for e in picked(c.Entity(pick="latest"), twice)] == ["INV-10", "INV-4"]


def dialog(title: str, text: str, *buttons: str) -> Screen:
    parts = [
        GUIElement(element_id="d", role="dialog", text=title),
        GUIElement(element_id="t", role="text", text=text, parent="d"),
    ]
    parts += [GUIElement(element_id=f"b{n}", role="button", text=name, parent="d") for n, name in enumerate(buttons)]
    return Screen(VisualState(elements=tuple(parts), modal="d"))


@pytest.mark.parametrize(
    ("verb", "title", "text", "buttons", "pressed"),
    [
        ("delete", "Delete budget.txt?", "It will be deleted for good.", ("Cancel", "Delete budget.txt"), "Delete budget.txt"),
        ("delete", "Are you sure you want to delete it?", "", ("No", "Yes"), "Yes"),
        ("delete", "Remove note", "This cannot be undone.", ("Keep it", "Remove"), "Remove"),
        ("delete", "Upgrade now", "Pay to delete advertisements", ("OK", "Later"), None),
        ("delete", "Rate this app", "How do you like it?", ("OK", "Later"), None),
        ("submit", "Submit the claim?", "", ("Back", "Submit"), "Submit"),
        ("submit", "Allow access to your files?", "", ("Allow", "Deny"), None),
        ("rename", "Rename plan.txt", "", ("OK", "Cancel"), "OK"),
    ],
)
def test_only_the_crews_own_question_is_agreed_to(
    verb: str, title: str, text: str, buttons: tuple[str, ...], pressed: str | None
) -> None:
    choice = agree_choice(verb, dialog(title, text, *buttons))
    assert (choice.text if choice else None) == pressed


def test_a_question_about_another_file_was_not_expected() -> None:
    asked = dialog("Delete other.txt?", "It will be deleted for good.", "Delete", "Cancel")
    assert asked.dialog is not None
    assert not expected(asked.dialog, asked.elements, "delete", "budget.txt")
    assert expected(asked.dialog, asked.elements, "delete", "other.txt")
