"""Goals that only make sense as a whole: figures over many records, conditions, repetitions. Plain clauses are read as ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roles.rules import clauses as c
from roles.rules.condition_forms import condition
from roles.rules.each_forms import each
from roles.rules.folder_forms import folder
from roles.rules.sentences import sentences
from roles.rules.sum_forms import sums
from roles.rules.waiting_forms import awaiting
from roles.rules.which_forms import which

Parse = Callable[[str, Sequence[str]], list[c.Clause]]
"""Reads words, told which facts there are beside those that are known."""


def wholes(text: str, parse: Parse) -> list[c.Clause] | None:
    """The clauses of a goal of one of these forms; None when it is of none of them."""
    said = sentences(text)
    for form in (awaiting, condition, folder, each, which, sums):
        if (found := form(said, parse)) is not None:
            return found
    return None
