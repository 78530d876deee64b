"""The Analyst by a model: it chooses what to compute, and code computes it. No number of the model's own gets through."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from roles.contracts import AnalystRequest, Answer, Result
from roles.contracts.policies import notes_told
from roles.contracts.values import MissingInput, Trouble, table_of
from roles.journal.transcripts import Occasion
from roles.knowledge.blackboard import about_told, board_in
from roles.knowledge.formula import literals_in, sheet_of, worked_out
from roles.policies.llm.asking import Asker
from roles.policies.llm.prompts import Prompt
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import form_of
from roles.policies.llm.subtask_words import cut, supplements_told

_ROWS = 5
"""Rows of a table that are shown; a formula sees them all."""
_MOST = 12
_NUMBER = re.compile(r"\d[\d.,']*")
_PLAIN = frozenset(map(Decimal, (0, 1, 2, 100)))
"""Numbers that say nothing about the case: nothing, one, a half and a hundredth."""


@dataclass(frozen=True)
class LlmAnalyst:
    """One question to the model for formulas; what they come to is worked out here."""

    asker: Asker
    prompt: Prompt

    def answer(self, request: AnalystRequest) -> Answer:
        read, about = partial(read_answer, request=request), Occasion(request.subtask.id)
        return self.asker.ask(self.prompt, _values(request), form_of("answer"), read, about)


def _values(request: AnalystRequest) -> dict[str, str]:
    subtask = request.subtask
    return {
        "goal": request.goal,
        "user_says": notes_told(request.notes),
        "subtask": subtask.instruction + "".join(f" Hint: {hint}" for hint in subtask.hints),
        "wanted": ", ".join(e.name for e in subtask.expect if e.kind == "fact_known") or "a name that says what it is",
        "facts": facts_and_tables(request),
        "supplements": supplements_told(request.supplements),
        "problem": cut(request.reask, 400),
    }


def facts_and_tables(request: AnalystRequest) -> str:
    """Facts by name and value; of a table its columns and first rows. A private value is not told, but can be computed with."""
    board = board_in(request)
    lines = []
    for fact in (fact for fact in board.facts if fact.value):
        table = table_of(fact.value)
        if fact.private:
            lines.append(f'fact "{fact.name}" = (hidden)')  # also a reference: nobody computes with that
        elif table is not None:
            columns = ", ".join(f"[{column}]" for column in table.columns)
            lines.append(f'table "{fact.name}" with the columns {columns}, {len(table.rows)} rows, such as')
            lines += [f"  {cut(' | '.join(row))}" for row in table.rows[:_ROWS]]
        else:
            about = about_told(fact)
            lines.append(f'fact "{fact.name}" = {cut(fact.value)}' + (f" ({about})" if about else ""))
    return "\n".join([*lines, *(f"({line}; they can be named all the same)" for line in board.left_out)])


def read_answer(data: Mapping[str, Any], request: AnalystRequest) -> Answer:
    """What the formulas come to. Raises UnusableReply where one cannot be worked out, and for a number that is nobody's."""
    missing = tuple(cut(str(what)) for what in _listed(data.get("missing")) if str(what).strip())
    asked = [_asked(item) for item in _listed(data.get("results"))]
    if len(asked) > _MOST:
        raise UnusableReply(f"the answer has {len(asked)} results; {_MOST} are the most")
    if not asked:
        if not missing:
            raise UnusableReply("there is neither a result nor what is missing for one")
        return Answer(missing=missing, reason=f"missing: {'; '.join(missing)}")
    sheet = sheet_of(request)
    texts = [*(fact.value for fact in request.facts), *(supplement.text for supplement in request.supplements)]
    given = _numbers([request.goal, request.subtask.instruction, *texts])
    results: list[Result] = []
    for name, formula in asked:
        _only_given(formula, given)
        try:
            result = worked_out(formula, name, sheet)
        except MissingInput as lacking:
            there = ", ".join(f.name for f in request.facts[-20:]) or "none"
            raise UnusableReply(f"{lacking}; the facts are {there}. Use one of these, or name what is missing") from None
        except Trouble as trouble:
            raise UnusableReply(f"the formula of {name!r} cannot be evaluated: {trouble}") from None
        if not result.used:
            raise UnusableReply(f"the formula of {name!r} uses no fact; a number has to come from the facts")
        results.append(result)
    advice = cut(str(data.get("advice") or ""), 600)
    known = given | _numbers(r.value for r in results)
    for word in _NUMBER.findall(advice):
        if not _readings(word) & (known | _PLAIN):
            raise UnusableReply(f"the advice says {word}, which no formula gave and no fact holds")
    reason = "; ".join(f"{r.name} is {r.value[:80]}" for r in results)
    return Answer(results=tuple(results), missing=missing, advice=advice, reason=reason)


def _listed(said: Any) -> Sequence[Any]:
    return said if isinstance(said, list) else []


def _asked(item: Any) -> tuple[str, str]:
    if not isinstance(item, Mapping):
        raise UnusableReply("results is a list of objects with a name and a formula")
    name, formula = str(item.get("name") or "").strip(), item.get("formula")
    if not name or not isinstance(formula, str) or not formula.strip():
        raise UnusableReply("each result needs a name and a formula")
    return name[:80], formula


def _numbers(texts: Iterable[str]) -> frozenset[Decimal]:
    """Every number that stands in these texts, with and without what may separate thousands."""
    return frozenset().union(*(_readings(word) for text in texts for word in _NUMBER.findall(text)))


def _readings(word: str) -> set[Decimal]:
    """What a number may mean: `1,234.50` and `1.234,50` are both read, and so is each plain part of a date."""
    word = word.rstrip(".,'")
    forms = {word.replace(",", "").replace("'", ""), word.replace(".", "").replace("'", "").replace(",", ".")}
    forms |= set(re.findall(r"\d+", word))
    return {Decimal(form) for form in forms if re.fullmatch(r"\d+(?:\.\d+)?", form)}


def _only_given(formula: str, given: frozenset[Decimal]) -> None:
    """A formula may hold numbers of the question and of the facts, and no others: those would be the model's own."""
    try:
        strange = [literal for literal in literals_in(formula) if not _numbers([literal]) <= given | _PLAIN]
    except Trouble as trouble:
        raise UnusableReply(str(trouble)) from None
    if strange:
        raise UnusableReply(f"the number {strange[0]} is in no fact and not in the question; compute it, or leave it out")
