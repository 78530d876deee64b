"""The best of many is found over all pages of its table and put to use."""

from __future__ import annotations

from typing import Any

import pytest

from roles.policies.rules.grammar import describe, parse
from roles.policies.rules.reference import Context
from roles.policies.rules.retired.sentence_forms import best_of
from roles.screen.language import clauses as c
from roles.screen.language.masks import Masks


def best(words: str) -> Any:
    masks = Masks()
    return best_of(masks.hide_typed(words), Context(masks))


@pytest.mark.parametrize(
    ("words", "conditions", "column"),
    [
        ("the cheapest lamp of the brand Sol", ['[brand] is "Sol"'], "price"),
        ("the most expensive lamp with at least 3 sockets", ["[sockets] >= 3"], "price"),
        ("the smallest van that has space for at least 9 boxes", ["[space] >= 9"], "space"),
        ("the cheapest kettle that has at least four stars", ["[rating] >= 4"], "price"),
    ],
)
def test_what_decides_is_understood(words: str, conditions: list[str], column: str) -> None:
    found = best(words)
    assert (found.conditions, found.column) == (conditions, column)


@pytest.mark.parametrize("words", ["the cheapest lamp that pleases Ada", "the nicest lamp", "the smallest van"])
def test_words_that_do_not_say_what_decides_are_not_understood(words: str) -> None:
    assert best(words) is None


@pytest.mark.parametrize(
    "goal",
    [
        "Order two of the most expensive item of the category Tools from the shelf on the intranet and for the team Blue",
        "Reserve the smallest van that has space for 9 boxes on the website for 2026-07-01 from 10:00 to 12:00",
    ],
)
def test_the_plain_words_of_such_a_request_mean_the_same(goal: str) -> None:
    clauses = parse(goal)
    assert any(isinstance(x, c.Compute) for x in clauses)
    assert not any(isinstance(x, c.Unknown) for x in clauses)
    assert parse(" ".join(f"{describe(x)}." for x in clauses)) == clauses
