"""Kinds of values, and one way to write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.contracts.facts import checked_kind, kind_of, normal, same


@pytest.mark.parametrize(
    ("value", "kind", "one"),
    [
        ("$1,248.90", "money", "USD 1248.9"),
        ("1.248,90 €", "money", "EUR 1248.9"),
        ("1,234", "number", "1234"),
        ("2,5", "number", ""),
        ("1.234 €", "money", ""),
        ("5 March 2026", "date", "2026-03-05"),
        ("05.03.2026", "date", "2026-03-05"),
        ("03/04/2026", "date", ""),
        ("13/04/2026", "date", "2026-04-13"),
        ("6:15 PM", "time", "18:15"),
        ("Ada@Example.org", "email", "ada@example.org"),
        ("https://a.example/b", "url", "https://a.example/b"),
        ('{"columns":["a"],"rows":[]}', "table", '{"columns":["a"],"rows":[]}'),
        ("Invoice  INV-3", "text", "Invoice INV-3"),
        ("", "text", ""),
    ],
)
def test_a_value_has_a_kind_and_one_way_to_write_it_unless_it_can_be_read_in_two(value: str, kind: str, one: str) -> None:
    assert (kind_of(value), normal(value, kind)) == (kind, one)


@pytest.mark.parametrize(
    ("said", "value", "kind"),
    [
        ("money", "next week", "text"),
        ("date", "$5.00", "money"),
        ("number", "19 %", "number"),
        ("money", "1,248.90", "money"),
        ("truth", "yes", "truth"),
        ("truth", "perhaps", "text"),
        ("an amount", "$5.00", "money"),
        ("text", "$5.00", "text"),
        ("table", "rows", "text"),
    ],
)
def test_a_kind_that_a_value_does_not_bear_is_not_believed(said: str, value: str, kind: str) -> None:
    assert checked_kind(said, value) == kind


def test_the_same_amount_or_day_in_other_words_is_the_same_value() -> None:
    assert same("$1,248.90", "USD 1248.90", "money")
    assert same("2026-03-05", "5 March 2026", "date")
    assert not same("$1,248.90", "1248.90 €", "money")
    assert not same("2026-03-05", "2026-03-06", "date")


@given(st.text(max_size=60))
def test_no_text_at_all_is_too_strange_for_a_kind(text: str) -> None:
    kind = kind_of(text)
    assert checked_kind(kind, text) == kind
    assert normal(normal(text, kind) or text, kind) in {normal(text, kind), ""} or kind == "text"
