"""Roundabout wordings mean what the plain ones mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.policies.rules.grammar import parse
from roles.policies.rules.segments import plainly
from roles.screen.language.clauses import Read
from roles.screen.language.masks import Masks


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("find how much invoice INV-7 comes to", "find the total of invoice INV-7"),
        ("Find out what INV-7 adds up to", "Find out the total of INV-7"),
        ("send it by mail to ada@example.org", "email it to ada@example.org"),
        ("send the total to ada@example.org by e-mail", "email the total to ada@example.org"),
        ("enter the vendor with the category set to Software", "enter the vendor and set the category to Software"),
        ("reimburse me for INV-7", "submit a claim for INV-7"),
        ("set Amount to it and Vendor to Acme", "set Amount to it and set Vendor to Acme"),
    ],
)
def test_a_roundabout_wording_is_read_as_the_plain_one(said: str, plain: str) -> None:
    assert parse(said) == parse(plain)


@pytest.mark.parametrize("quoted", ['"send it by mail to nobody"', "'with the category set to none'"])
def test_what_stands_in_quotes_is_left_as_it_is(quoted: str) -> None:
    masked = Masks().hide_quotes(f"create a note titled {quoted}")
    assert plainly(masked) == masked
    assert quoted.strip("\"'") in repr(parse(f"create a note titled {quoted}"))


@given(st.text(max_size=80))
def test_putting_it_plainly_twice_changes_nothing_more(text: str) -> None:
    once = plainly(text)
    assert plainly(once) == once


def test_an_ampersand_in_a_name_does_not_end_the_name() -> None:
    clauses = parse("Enter the total of Vertex Software & Co's latest invoice as the amount in the expense form")
    read = clauses[0]
    assert isinstance(read, Read)
    assert (read.entity.name, read.entity.pick) == ("Vertex Software & Co", "latest")


def test_what_is_entered_in_a_form_is_not_read_from_that_form() -> None:
    clauses = parse("In the claim form, set Vendor to the vendor")
    assert [clause.app for clause in clauses if isinstance(clause, Read)] == [""]
