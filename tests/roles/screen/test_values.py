"""Values: kinds, equality across spellings, rewritings, order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.screen.values import amount_of, kind_of, rewritings, same_value, values_in


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("$1,248.90", "money"),
        ("248.90 EUR", "money"),
        ("€99", "money"),
        ("1.248,90 €", "money"),
        ("42", "number"),
        ("7%", "number"),
        ("2026-03-02", "date"),
        ("5 March 2026", "date"),
        ("03/05/2026", "date"),
        ("dana@example.com", "email"),
        ("Oak Ltd", "text"),
        ("INV-1042", "text"),
        ("", "text"),
    ],
)
def test_a_value_shows_its_kind(value: str, kind: str) -> None:
    assert kind_of(value) == kind


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


def test_rewritings_offer_the_plain_number_and_the_iso_date_first() -> None:
    assert rewritings("$1,248.90")[0] == "1248.90"
    assert rewritings("5 March 2026")[0] == "2026-03-05"
    assert rewritings("Oak Ltd") == ()


def test_money_and_dates_are_found_in_running_text() -> None:
    text = "We meet on 5 May 2026 (not 2026-06-01) and pay $98.20 or EUR 12."
    assert values_in("date", text) == ["5 May 2026", "2026-06-01"]
    assert values_in("money", text) == ["$98.20", "EUR 12"]


@given(st.decimals(min_value=0, max_value=9_999_999, places=2))
def test_every_rewriting_is_the_same_amount(amount: object) -> None:
    text = f"${amount:,}"
    assert amount_of(text) == float(str(amount))
    assert all(same_value(text, way) for way in rewritings(text)[:3])


@given(st.text(max_size=40))
def test_no_text_breaks_the_readers_of_values(text: str) -> None:
    kind_of(text)
    rewritings(text)
    same_value(text, "1")


def test_an_amount_below_nothing_may_stand_behind_its_currency() -> None:
    assert amount_of("USD -456.50") == amount_of("-456.50 USD") == amount_of("$-456.50") == -456.5
    assert kind_of("USD -456.50") == "money"
