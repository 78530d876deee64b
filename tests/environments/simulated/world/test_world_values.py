"""Money, days and lines of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.world.values import from_cents, in_cents, parse_day, parse_money, shown


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("$1,248.9", "1248.90"), ("1.248,90 EUR", "1248.90"), ("12", "12.00"), ("€ 7", "7.00"), ("0.05", "0.05"),
        ("1 000.00", "1000.00"), ("12,5", "12.50"), ("twelve", None), ("", None), ("-5", None), ("1.2.3", None),
         ("12.345", None), ("1,23,456", None), ("$", None),
    ],
)  # fmt: skip
def test_money_is_read_as_people_write_it(text, amount):
    assert parse_money(text) == amount


@given(st.integers(0, 10**12), st.sampled_from(["$", "€", "£", ""]))
def test_an_amount_that_is_shown_can_be_read_again(cents, currency):
    amount = from_cents(cents)
    assert in_cents(amount) == cents
    assert parse_money(shown(amount, currency)) == amount


def test_days_are_read_in_the_usual_notations():
    days = ("2026-03-02", "2 March 2026", "March 2, 2026", "02.03.2026", "03/02/2026", "2 Mar 2026")
    assert {parse_day(text) for text in days} == {"2026-03-02"}
    assert {parse_day(text) for text in ("", "soon", "2026-13-01", "30.02.2026")} == {None}
