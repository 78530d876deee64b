"""Asking a policy again: boundedly, with what was wrong, and not for ever the same."""

from __future__ import annotations

import time
from typing import Any

import pytest
from support import desktop

from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.journal.events import ErrorEvent
from roles.journal.journal import Journal
from roles.policies.fallback import GaveUp, PolicyFault, UnusableAnswer, until_usable


def asked(*says: Any, reasks: int = 2) -> tuple[Any, list[str], list[ErrorEvent]]:
    """What comes of a policy that says these things in turn, what it was told each time, and what was written down."""
    context = Context(environment=desktop(), journal=Journal(None, time.time), limits=Limits(reasks=reasks))
    told: list[str] = []

    def ask(problem: str) -> Any:
        told.append(problem)
        said = says[len(told) - 1]
        if isinstance(said, Exception):
            raise said
        return said

    return until_usable(context, ask, "answer", role="analyst"), told, [*context.journal.contents(ErrorEvent)]


def test_the_first_usable_answer_counts_and_the_policy_is_told_what_was_wrong() -> None:
    answer, told, errors = asked(UnusableAnswer("no result"), PolicyFault("unreadable"), 7)
    assert answer == 7
    assert told == ["", "no result", "the policy gave no usable answer: unreadable"]
    assert [error.message for error in errors] == ["no result", "the policy gave no usable answer: unreadable"]
    assert all(error.unusable for error in errors)


def test_the_same_mistake_is_told_as_such_and_in_the_end_it_is_the_outcome() -> None:
    answer, told, errors = asked(*[UnusableAnswer("no result")] * 3)
    assert answer == "no result"
    assert told == ["", "no result", "no result; that is the same mistake again"]
    assert len(errors) == 3


@pytest.mark.parametrize("reasks", [0, 5])
def test_who_has_given_up_is_not_asked_again(reasks: int) -> None:
    answer, told, errors = asked(GaveUp("the model is down"), 7, reasks=reasks)
    assert answer == "the policy gave no usable answer: the model is down"
    assert told == [""]
    assert [error.unusable for error in errors] == [False]
