#!/usr/bin/env python3
"""Goals of another meaning, made of those that are worked rightly: is any of them called done that was not done?

    benchmarks/goal_mutations.py                                   500 goals, by the settings as they are
    benchmarks/goal_mutations.py --runs 40 --seed 2 --rows rows.jsonl     goes on behind the last of the rows

Each goal is first worked as it is; where that is right, one word, name or number of it is changed, and it is worked again:
  name        the name, number or quoted title of the thing that is meant becomes one that the world has not: nothing may change
  condition   it is to be done only if there is a note that there is not, or unless there is none: nothing may change
  negation    one of its orders is not to be done: what is changed may not be all that the goal as it was changed
  quantifier  `one of` in place of all: the same; `none of`: nothing may change
  swap        two quoted texts change places: the judge of the goal as it was may not call it right
  value       a quoted text of which the judge speaks, or a number, becomes another: the same
  date        a day becomes another one: the same; of all that there are only those of a year to come: nothing may change
  exception   all but one that was changed before: that one may not be changed
A run is wrong and called done when it is fulfilled and this was broken. A refusal, a question or a spent limit is never wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wrong_done import GOALS, keep, rows_in, task_of

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.control.requests import approving
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task
from roles.screen.language.reader import read

_QUOTED = re.compile(r'"([^"]{2,60})"')
_NUMBERED = re.compile(r"\b[A-Z]{2,}-\d{3,}\b")
_MEANT = re.compile(
    r'\b(?:delete|archive|open|accept|decline|reply to|rename|move|cancel|remove) the \w+ ("[^"]{2,60}")', re.IGNORECASE
)
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_PLAIN = re.compile(r"(?<![\w.,:/\"-])[1-9]\d?(?= (?:%|°C|pieces|persons)|$)")
_ALL = re.compile(r"\b(all|every|each|both)\b")
_STRANGE = ("Quillon Vantage", "Brimstone Ferry", "Oddfellow Paper")


NOTHING, LESS, OTHER = "nothing", "less", "other"
"""What may come of a mutated goal: no change, not all that changed before, not what the judge of the goal as it was wants.
Any other word is a path that may not be changed."""


class Mutation(NamedTuple):
    """A goal of another meaning, and what may come of it."""

    kind: str
    goal: str
    allowed: str


class Worked(NamedTuple):
    """What came of a goal."""

    goal: str
    status: str
    right: bool
    """The judge's conditions of the goal as it was all hold, and nothing else was changed than they allow."""
    changed: frozenset[str]
    why: str
    titles: tuple[tuple[str, str], ...] = ()
    """Of what it changed the records that have a title that no other one has."""


@dataclass
class Row:
    """How a mutated goal came out."""

    run: str
    kind: str
    goal: str
    status: str
    changed: tuple[str, ...]
    wrong: bool
    """It is called fulfilled, and what came of it is not allowed."""
    why: str


def mutations(goal: str, chance: random.Random) -> Iterator[Mutation]:
    """All that can be made of a goal."""
    strange = chance.choice(_STRANGE)
    for found in _NUMBERED.finditer(goal):
        if goal.count(found[0]) == 1:
            yield Mutation("name", goal.replace(found[0], "ZZZ-90817"), NOTHING)
    for found in _MEANT.finditer(goal):
        yield Mutation("name", f'{goal[: found.start(1)]}"{strange}"{goal[found.end(1) :]}', NOTHING)
    yield from _denied(goal, strange)
    for found in _ALL.finditer(goal):
        yield Mutation("quantifier", f"{goal[: found.start()]}one of the{goal[found.end() :]}", LESS)
        yield Mutation("quantifier", f"{goal[: found.start()]}none of the{goal[found.end() :]}", LESS)
    if _ALL.search(goal) and len(read(goal).orders) == 1:
        yield Mutation("date", f"{goal.rstrip('.')} from May 2031", NOTHING)
    for found in _DAY.finditer(goal):
        yield Mutation("date", f"{goal[: found.start()]}2031-05-{chance.randint(10, 28)}{goal[found.end() :]}", OTHER)
    for found in _PLAIN.finditer(goal):
        yield Mutation("value", f"{goal[: found.start()]}{int(found[0]) + 3}{goal[found.end() :]}", OTHER)
    if len(quoted := sorted({found[0] for found in _QUOTED.finditer(goal)})) > 1:
        first, second = chance.sample(quoted, 2)
        yield Mutation("swap", goal.replace(first, "\0").replace(second, first).replace("\0", second), OTHER)


def _denied(goal: str, strange: str) -> Iterator[Mutation]:
    """One order that is not to be done, and all of it under a condition that does not hold."""
    orders = read(goal).orders
    allowed = NOTHING if len(orders) == 1 else LESS
    for order in orders:
        at = min((span[0] for span in order.spans), default=-1)
        if at >= 0 and not order.negated and order.condition is None:
            yield Mutation("negation", f"{goal[:at]}do not {goal[at].lower()}{goal[at + 1 :]}", allowed)
    if all(order.condition is None for order in orders):
        yield Mutation("condition", f'If there is a note called "{strange}", {goal[0].lower()}{goal[1:]}', allowed)
        yield Mutation("condition", f'Unless there is no note called "{strange}", {goal[0].lower()}{goal[1:]}', allowed)


def of_the_judge(name: str, before: Worked, strange: str) -> Iterator[Mutation]:
    """Mutations of texts that the judge looks at, and of records that were changed."""
    task = task_of(name)
    said = " ".join((*task.success, *(task.changes or ())))
    branches = [span for order in read(before.goal).orders if order.condition is not None for span in order.spans]
    for template, text in zip(_QUOTED.findall(task.goal), _QUOTED.findall(before.goal), strict=False):
        slot = template.strip("{}").partition(".")[0]
        judged = (f"slots.{slot}" if template.startswith("{") else template) in said and before.goal.count(text) == 1
        # a text of a branch that is not taken changes nothing
        if judged and not any(start <= before.goal.index(text) < end for start, end in branches):
            yield Mutation("value", before.goal.replace(text, strange), OTHER)
    many = _ALL.search(before.goal)
    if many and " except " not in before.goal and len(read(before.goal).orders) == 1:
        for path, title in before.titles[:2]:
            yield Mutation("exception", f'{before.goal.rstrip(".")} except "{title}"', path)


def work(name: str, seed: int, settings: Sequence[str], goal: str = "") -> Worked:
    """One run of a goal as it is, or of other words in its place; all that it changed counts as besides."""
    task = task_of(name)
    told = task.model_copy(update={"changes": ("apps.nothing.there",), **({"goal": goal} if goal else {})})
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        overrides = [f"seed={seed}", f"runs_dir={folder}", "limits.plans=4", *settings]
        try:
            outcome = start(load_settings(overrides=overrides, task_layer=told.layer()), told, approver=approving)
        except Exception as bad:  # noqa: BLE001 - a crew that breaks on a goal has not called it done
            return Worked(goal, "broken", False, frozenset(), repr(bad)[:200])
    judged = outcome.report.get("judge") or {}
    holds = all(check["passed"] for check in judged.get("checks", ()) if check["expression"] in task.success)
    changed = frozenset(map(str, judged.get("side_effects", ())))
    why = " ".join(outcome.reason.split())[:200]
    return Worked(str(outcome.report["goal"]), outcome.status, holds, changed, why, tuple(_titles(task, seed, changed)))


def _titles(task: Task, seed: int, changed: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The records that were changed, each by what no other one is called; of those that there were at first."""
    desk = SimulatedDesktop(load_world(str(task.world)), seed=seed)
    apps = desk.world()["apps"]
    desk.close()
    for path in sorted({".".join(one.split(".")[:4]) for one in changed}):
        _, app, store, record = (*path.split("."), "", "")[:4]
        there = apps.get(app, {}).get(store, {})
        records = {key: one for key, one in there.items() if isinstance(one, dict)} if isinstance(there, dict) else {}
        named = {key: one.get("title") or one.get("subject") for key, one in records.items()}
        if (title := named.get(record)) and [*named.values()].count(title) == 1:
            yield path, title


def judged(mutation: Mutation, before: Worked, after: Worked) -> bool:
    """Whether what came of a mutated goal is wrong and called done."""
    if after.status != "fulfilled":
        return False
    match mutation.allowed:
        case "nothing":
            return bool(after.changed)
        case "less":
            return bool(before.changed) and before.changed <= after.changed
        case "other":
            return after.right and bool(after.changed)
        case path:
            return any(one == path or one.startswith(f"{path}.") for one in after.changed)


def as_it_is(run: str, known: dict[str, Any], settings: Sequence[str], kept: Path | None) -> Worked:
    """What came of a goal as it is: as it was kept, or worked now."""
    if run in known:
        kept_one = known[run]
        return Worked(**kept_one | {"changed": frozenset(kept_one["changed"]), "titles": tuple(map(tuple, kept_one["titles"]))})
    name, _, world = run.rpartition("/")
    worked = work(name, int(world), settings)
    if kept:
        keep(kept, {"as_it_is": run, "worked": worked._asdict() | {"changed": sorted(worked.changed)}})
    return worked


def rows_of(number: int, seed: int, settings: Sequence[str], only: Sequence[str] = (), kept: Path | None = None) -> Iterator[Row]:
    """So many mutated goals, the same for the same seed and crew; those that a file keeps are not worked again."""
    rows = rows_in(kept)
    known = {(row["run"], row["goal"]): Row(**row | {"changed": tuple(row["changed"])}) for row in rows if "kind" in row}
    plain = {row["as_it_is"]: row["worked"] for row in rows if "as_it_is" in row}
    read_from_words = [name for name in shipped_names("tasks") if task_of(name).plan is None]
    names = [(name, world) for name in GOALS for world in range(4)]
    names += [(name, world) for name in read_from_words for world in range(2)]
    chance = random.Random(seed)
    chance.shuffle(names)
    left = number
    for name, world in names:
        if only and name not in only:
            continue
        if left <= 0:
            return
        run = f"{name}/{world}"
        before = as_it_is(run, plain, settings, kept)
        if before.status != "fulfilled" or not before.right:
            continue
        chosen = random.Random(f"{name}/{world}/{seed}")
        for mutation in (*mutations(before.goal, chosen), *of_the_judge(name, before, chosen.choice(_STRANGE))):
            if left <= 0:
                return
            left -= 1
            row = known.get((run, mutation.goal))
            if row is None:
                after = work(name, world, settings, mutation.goal)
                changed, wrong = tuple(sorted(after.changed))[:8], judged(mutation, before, after)
                row = Row(run, mutation.kind, mutation.goal, after.status, changed, wrong, after.why)
                if kept:
                    keep(kept, asdict(row))
            yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the crew; repeatable")
    parser.add_argument("--goals", default="", help="only these, with commas between them")
    parser.add_argument("--rows", type=Path, help="a file for a JSON line each")
    said = parser.parse_args()
    rows = []
    for row in rows_of(said.runs, said.seed, said.set, [name for name in said.goals.split(",") if name], said.rows):
        rows.append(row)
        told = f"{row.kind:10} {row.run:28} {row.status:10} {row.goal[:120]} | {row.why[:120]}"
        print(f"{len(rows)}/{said.runs} {'WRONG' if row.wrong else '     '} {told}", file=sys.stderr, flush=True)
    for kind, count in Counter(row.kind for row in rows).items():
        ways = Counter(row.status for row in rows if row.kind == kind)
        print(f"{kind}: {count}, {dict(ways)}, {sum(row.wrong for row in rows if row.kind == kind)} wrong and called done")
    wrong = [row for row in rows if row.wrong]
    told = "".join(f"\n  {row.run}: {row.goal}" for row in wrong)
    print(f"{len(rows)} goals, {len(wrong)} wrong and called done{told}")


if __name__ == "__main__":
    main()
