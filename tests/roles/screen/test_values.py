"""Values: kinds, equality across spellings, rewritings, order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.screen.values import amount_of, is_a, rewritings, same_value, values_in


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("money", "We pay $1,248.90, 248.90 EUR or €99 on day 7", ["$1,248.90", "248.90 EUR", "€99"]),
        ("date", "5 May 2026, not 2026-06-01T09:00 and not 03/05/2026", ["5 May 2026", "2026-06-01", "03/05/2026"]),
        ("time", "From 9:30 to 2 p.m., line 12:345", ["9:30", "2 p.m."]),
        ("number", "42 of 1,000 in INV-1042 and v1.2", ["42", "1,000"]),
        ("email", "Ask dana@example.com.", ["dana@example.com"]),
        ("id", "INV-1042 and PO77 of Oak Ltd 5", ["INV-1042", "PO77"]),
    ],
)
def test_values_of_a_kind_are_found_in_running_text(kind: str, text: str, found: list[str]) -> None:
    assert values_in(kind, text) == found
    assert all(is_a(kind, value) for value in found)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("$1,248.90", "1248.90", True),
        ("1.248,90 €", "1248.9", True),
        ("5 March 2026", "2026-03-05", True),
        ("Oak  Ltd", "oak ltd", True),
        ("German", "Deutsch", True),
        ("$1,248.90", "1248.91", False),
        ("2026-03-05", "2026-03-06", False),
        ("Oak", "Oak Ltd", False),
    ],
)
def test_two_spellings_of_one_value_are_the_same(left: str, right: str, same: bool) -> None:
    assert same_value(left, right) is same
    assert same_value(right, left) is same


def test_rewritings_offer_the_plain_number_first() -> None:
    assert rewritings("$1,248.90")[0] == "1248.90"
    assert rewritings("Oak Ltd") == ()


@given(st.decimals(min_value=0, max_value=9_999_999, places=2))
def test_every_rewriting_is_the_same_amount(amount: object) -> None:
    text = f"${amount:,}"
    assert amount_of(text) == float(str(amount))
    assert all(same_value(text, way) for way in rewritings(text)[:3])


@given(st.text(max_size=40))
def test_no_text_breaks_the_readers_of_values(text: str) -> None:
    values_in("number", text)
    rewritings(text)
    same_value(text, "1")


def test_an_amount_below_nothing_may_stand_behind_its_currency() -> None:
    assert amount_of("USD -456.50") == amount_of("-456.50 USD") == amount_of("$-456.50") == -456.5
