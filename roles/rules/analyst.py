"""The Analyst's rules policy: formulas over the blackboard, worked out by code; plain questions become formulas first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roles.analyst.formula import Sheet, work_out
from roles.analyst.values import Missing, Table, Trouble, kind_of_value, shown, table_of, table_text
from roles.contracts import AnalystRequest, Answer, Fact, Result
from roles.rules import clauses as c
from roles.rules.analyst_questions import formula_for
from roles.rules.grammar import parse
from roles.rules.matching import best
from roles.rules.records import same_state

_TABLE = re.compile(r'^table "([^"]+)"')
_STEP_COLUMNS = ("step", "subtask", "app", "verb", "target", "status")
_SUPPLEMENT_COLUMNS = ("title", "source", "app")


class RulesAnalyst:
    """Deterministic and exact. What it cannot work out it names, and it never guesses."""

    def answer(self, request: AnalystRequest) -> Answer:
        clauses = [x for x in parse(request.subtask.instruction) if not isinstance(x, c.Avoid)]
        sheet = sheet_of(request)
        results: list[Result] = []
        for number, clause in enumerate(clauses, start=1):
            asked = _asked(clause, number, request)
            if asked is None:
                words = clause.text if isinstance(clause, c.Unknown) else request.subtask.instruction
                return Answer(reason=f'these words are not understood as a question: "{words}"')
            try:
                results.append(worked_out(*asked, sheet))
            except Missing as missing:
                return Answer(missing=(missing.what,), reason=str(missing))
            except Trouble as trouble:
                return Answer(reason=f"{asked[1]} cannot be worked out: {trouble}")
        return Answer(results=tuple(results), reason="; ".join(_said(result) for result in results))


def _asked(clause: c.Clause, number: int, request: AnalystRequest) -> tuple[str, str] | None:
    """The formula, and the name of what it gives."""
    formula = formula_for(request.subtask.instruction, [f for f in request.facts if f.value])
    unknown = isinstance(clause, c.Compute) and _TABLE.findall(clause.formula)[:1] not in ([], *([f.name] for f in request.facts))
    if isinstance(clause, c.Compute) and not (unknown and formula):
        return clause.formula, clause.name
    return (formula, request.subtask.title or f"answer {number}") if formula else None


def worked_out(formula: str, name: str, sheet: Sheet) -> Result:
    """The result of a formula, with the facts that it rests on. Raises Missing or Trouble."""
    sheet.used.clear()
    value = work_out(formula, sheet)
    used = tuple(dict.fromkeys(sheet.used))
    result = Result(name=name, value=shown(value), kind=kind_of_value(value), used=used, working=formula)
    # What was found out may be asked about by the next question of the same subtask.
    sheet.facts = {**sheet.facts, name.casefold(): Fact(name=name, value=result.value, kind=result.kind, role="analyst")}
    if isinstance(value, Table):
        sheet.tables = {**sheet.tables, name.casefold(): Table(value.columns, value.rows, name)}
    return result


def _said(result: Result) -> str:
    return f"{result.name} is {result.value[:80]}"


def sheet_of(request: AnalystRequest) -> Sheet:
    """The blackboard and the run's memory as formulas see them."""
    facts = {fact.name.casefold(): fact for fact in request.facts}
    tables = {name: table for name, fact in facts.items() if (table := table_of(fact.value, fact.name)) is not None}
    rows = tuple(
        (str(s.step), s.subtask, s.app or "", s.verb, s.target, s.exec_status.value) for s in request.steps if not s.recovery
    )
    found = tuple((s.title, s.source, s.app or "") for s in request.supplements)
    memory = {"steps": Table(_STEP_COLUMNS, rows, "steps"), "supplements": Table(_SUPPLEMENT_COLUMNS, found, "supplements")}
    for name, table in memory.items():
        facts.setdefault(name, Fact(name=name, value=table_text(table.columns, table.rows), kind="table"))
        tables.setdefault(name, table)
    return Sheet(facts, tables, columns=find_column, same=same_state)


def find_column(wanted: str, there: Sequence[str]) -> int | None:
    """The column whose heading means what is wanted; two that mean it equally well are none."""
    match = best(wanted, list(enumerate(there)), lambda pair: pair[1], least=0.75)
    return None if match is None or match.rivals else match.item[0]
