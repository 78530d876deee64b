"""The Analyst's rules policy: formulas over the blackboard, worked out by code."""

from __future__ import annotations

import re

from roles.contracts import AnalystRequest, Answer, Result
from roles.contracts.orders import ComputeStep
from roles.contracts.values import MissingInput, Trouble
from roles.knowledge.formula import problem_with, sheet_of, worked_out

_GIVEN = re.compile(r'Compute (?P<formula>.+?) as "(?P<name>[^"\n]+)"(?:[.;]\s*|$)', re.IGNORECASE)
"""A formula in an instruction, as steps are told."""


class RulesAnalyst:
    """Deterministic and exact. What it cannot work out it names, and it never guesses."""

    def answer(self, request: AnalystRequest) -> Answer:
        asked = _asked(request)
        if not asked:
            return Answer(reason=f'these words are not understood as a question: "{request.subtask.instruction}"')
        sheet = sheet_of(request)
        results: list[Result] = []
        for formula, name in asked:
            try:
                results.append(worked_out(formula, name, sheet))
            except MissingInput as missing:
                return Answer(missing=(missing.what,), reason=str(missing))
            except Trouble as trouble:
                return Answer(reason=f"{name} cannot be evaluated: {trouble}")
        return Answer(results=tuple(results), reason="; ".join(f"{result.name} is {result.value[:80]}" for result in results))


def _asked(request: AnalystRequest) -> list[tuple[str, str]]:
    """Each formula with the name of what it gives: of the steps, else of the words."""
    if steps := [step for step in request.subtask.steps if isinstance(step, ComputeStep)]:
        return [(step.formula, step.name) for step in steps]
    words = " ".join(request.subtask.instruction.split())
    given = [(match["formula"], match["name"]) for match in _GIVEN.finditer(words)]
    whole = not _GIVEN.sub("", words).strip() and not any(problem_with(formula) for formula, _ in given)
    return given if whole else []
