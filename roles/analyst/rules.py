"""The Analyst's rules policy: formulas over the blackboard, worked out by code. A few plain questions are formulas in words."""

import re
from collections.abc import Sequence

from roles.contracts import AnalystRequest, Answer, Fact, Result
from roles.contracts.orders import ComputeStep
from roles.contracts.values import MissingInput, Trouble
from roles.knowledge.formula import problem_with, sheet_of, worked_out
from roles.screen.matching import only, similarity

_GIVEN = re.compile(r'Compute (?P<formula>.+?) as "(?P<name>[^"\n]+)"(?:[.;]\s*|$)', re.IGNORECASE)
"""A formula in an instruction, as steps are told."""
_FORMS = tuple(
    (re.compile(form, re.IGNORECASE), formula)
    for form, formula in (
        (r"(?:what is |add up |work out |compute )?(?:the )?(?:sum|total) of (?P<all>.+)|add (?:up )?(?P<all2>.+)", " + "),
        (r"(?:what is )?(?:the )?difference (?:between|of) (?P<a>.+?) and (?P<b>.+)", "larger({a}, {b}) - smaller({a}, {b})"),
        (r"how many days (?:are there |lie |are )?(?:between|from) (?P<a>.+?) (?:and|to) (?P<b>.+)", "days({a}, {b})"),
        (r"what (?:percentage|percent|share) of (?P<b>.+?) is (?P<a>.+)", "percent({a}, {b})"),
        (r"is (?P<a>.+?) (?:more|larger|greater|higher|later) than (?P<b>.+)", "{a} > {b}"),
        (r"is (?P<a>.+?) (?:less|smaller|lower|earlier) than (?P<b>.+)", "{a} < {b}"),
        (r"how many (?:(?:rows|entries|items) (?:are )?(?:there )?(?:in|of) )?(?P<table>.+?)(?: are there)?", "{table} | count"),
    )
)  # fmt: skip
_LIST = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_SURE = 0.95
"""How alike words and the name of a fact are at least."""


def formula_for(question: str, facts: Sequence[Fact]) -> str:
    """The formula that the whole question is; empty when it is none, or when a part of it is no fact."""
    words = " ".join(question.strip(" .?!").split())
    for form, formula in _FORMS:
        if match := form.fullmatch(words):
            said = {name: text for name, text in match.groupdict().items() if text}
            parts = _LIST.split(next(iter(said.values()))) if formula == " + " else list(said.values())
            tables = [fact for fact in facts if fact.kind == "table"] if "table" in said else facts
            meant = [_fact(part, tables) for part in parts]
            if all(meant):
                return formula.join(meant) if formula == " + " else formula.format(**dict(zip(said, meant, strict=True)))
    return ""


def _fact(words: str, facts: Sequence[Fact]) -> str:
    """The fact that is meant, as a formula has it; empty where it is none of them."""
    bare = re.sub(r"^(?:the|my|our)\s+(?:fact\s+)?", "", words.strip(" ,"), flags=re.IGNORECASE).strip('"')
    found = only(facts, lambda fact: similarity(bare, fact.name), _SURE)
    return 'fact "{}"'.format(re.sub(r'(["\\])', r"\\\1", found.name)) if found is not None else ""


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
    if given:
        return given if not _GIVEN.sub("", words).strip() and not any(problem_with(formula) for formula, _ in given) else []
    formula = formula_for(words, [fact for fact in request.facts if fact.value])
    return [(formula, request.subtask.title or "the answer")] if formula else []
