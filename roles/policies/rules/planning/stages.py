"""Incremental planning: what depends on something still unknown is planned when it is known.

A goal with a condition or a repetition is cut where the first unknown is; the subtask that finds it out ends the stage.
A stage was planned if some subtask waits for the one that found its unknown out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from roles.analyst.formula import find_column
from roles.analyst.values import Table, table_of
from roles.contracts import Fact, FactKnown, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.policies.rules.planning.planning import addressed, make_subtasks
from roles.screen.language import clauses as c

MAX_ITEMS = 40


class Stage:
    """Clauses that can be planned together, and the unknown that they end with, if they do."""

    def __init__(self) -> None:
        self.groups: list[list[c.Clause]] = [[]]
        """Those of a repetition stand by themselves: one group for each row."""
        self.unknown = ""

    def add(self, clause: c.Clause) -> None:
        self.groups[-1].append(clause)


def stages_of(clauses: Sequence[c.Clause], facts: Iterable[Fact]) -> list[Stage]:
    """The stages as far as the facts allow; the last one ends the goal, or with an unknown."""
    known = {fact.name: fact for fact in facts}
    stages = [Stage()]
    queue = list(clauses)
    while queue:
        clause = queue.pop(0)
        if not isinstance(clause, c.When | c.ForEach):
            stages[-1].add(clause)
            continue
        unknown = clause.name if isinstance(clause, c.When) else clause.table
        if isinstance(clause, c.When):
            stages[-1].add(c.Compute(formula=clause.formula, name=clause.name))
        stages[-1].unknown = unknown
        if unknown not in known:
            return stages
        stages.append(Stage())
        if isinstance(clause, c.When):
            queue = [*(clause.then if known[unknown].value == "yes" else clause.otherwise), *queue]
        else:
            stages[-1].groups = [*_bodies(clause, known[unknown]), []]
    return stages


def _bodies(clause: c.ForEach, fact: Fact) -> list[list[c.Clause]]:
    table = table_of(fact.value, fact.name)
    if table is None:
        return []
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows[:MAX_ITEMS]]
    return [[filled(part, row, table) for part in clause.body] for row in rows]


def filled(part: Any, row: Mapping[str, str], table: Table) -> Any:
    """`part` of a clause with the row's values for the facts called `each ...`."""
    if isinstance(part, c.Value):
        return _value(part, row, table)
    if isinstance(part, str):
        return _cell(part, row, table) if part.startswith(c.EACH) else part
    if isinstance(part, tuple):
        return tuple(filled(inner, row, table) for inner in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{f.name: filled(getattr(part, f.name), row, table) for f in fields(part)})
    return part


def _value(value: c.Value, row: Mapping[str, str], table: Table) -> c.Value:
    said = [_cell(name, row, table) for name in value.facts if name.startswith(c.EACH)]
    rest = tuple(name for name in value.facts if not name.startswith(c.EACH))
    return c.Value(value.text + "\n".join(said), rest) if said else value


def _cell(name: str, row: Mapping[str, str], table: Table) -> str:
    at = find_column(name.removeprefix(c.EACH), table.columns)
    return row[table.columns[at]] if at is not None else ""


def staged(clauses: Sequence[c.Clause], request: PlanRequest) -> tuple[list[Subtask], bool]:
    """The subtasks of the first stage that is not planned yet, and whether more is to come."""
    stages = stages_of(addressed(clauses, request.apps), request.facts)
    planned = _planned(stages, request.plan)
    if planned >= len(stages):
        return [], False
    stage = stages[planned]
    after = _found_out(stages[planned - 1].unknown, request.plan) if planned else []
    made: list[Subtask] = []
    first = next_number(request.plan)
    for group in stage.groups:
        if not group:
            continue
        waits = [made[-1].id] if made else after
        known = [f.name for f in request.facts]
        made += make_subtasks(group, request.apps, first=first + len(made), known=known, after=waits)
    return made, bool(stage.unknown)


def _planned(stages: Sequence[Stage], plan: Sequence[Subtask]) -> int:
    """How many stages stand in the plan."""
    if not plan:
        return 0
    live = [s for s in plan if s.status is not SubtaskStatus.REJECTED]
    count = 1
    for stage in stages[:-1]:
        finders = set(_found_out(stage.unknown, live))
        if not any(finders & set(s.depends_on) for s in live):
            break
        count += 1
    return count


def _found_out(unknown: str, plan: Sequence[Subtask]) -> list[str]:
    """Ids of the subtasks that find it out."""
    wanted = FactKnown(name=unknown)
    return [s.id for s in plan if wanted in s.expect and s.status is not SubtaskStatus.REJECTED]


def go_on(request: PlanRequest, clauses: Sequence[c.Clause]) -> PlanAnswer | None:
    """The next stage of the goal, once the one before is fulfilled; None when the goal has no more."""
    made, more = staged(without_avoided(clauses), request)
    if not made:
        return None
    return PlanAnswer(outcome="planned", subtasks=(*request.plan, *made), more=more, reason="what was unknown is known now")


def with_more(answer: PlanAnswer, request: PlanRequest, clauses: Sequence[c.Clause]) -> PlanAnswer:
    """A changed plan of a part is still a part."""
    if answer.outcome != "planned" or answer.more:
        return answer
    stages = stages_of(addressed(clauses, request.apps), request.facts)
    more = bool(stages[min(_planned(stages, answer.subtasks), len(stages)) - 1].unknown)
    return answer.model_copy(update={"more": True}) if more else answer


def unknown_within(clauses: Sequence[c.Clause]) -> c.Unknown | None:
    """Words of a branch or a repetition that nobody understands: said before anything is done."""
    inner = [x for clause in clauses if isinstance(clause, c.When) for x in (*clause.then, *clause.otherwise)]
    inner += [x for clause in clauses if isinstance(clause, c.ForEach) for x in clause.body]
    here = next((x for x in inner if isinstance(x, c.Unknown)), None)
    return here or (unknown_within(inner) if inner else None)


def without_avoided(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """All but what the goal says must not be done."""
    return [x for x in clauses if not isinstance(x, c.Avoid)]


def next_number(plan: Sequence[Subtask]) -> int:
    """The first number that no id of the plan uses."""
    numbers = (s.id.removeprefix("s") for s in plan)
    return max((int("".join(ch for ch in n if ch.isdigit()) or 0) for n in numbers), default=0) + 1
