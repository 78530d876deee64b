#!/usr/bin/env python3
"""Runs that went wrong on purpose: is any of them called fulfilled?

    benchmarks/mutations.py                                  200 runs of the shipped tasks
    benchmarks/mutations.py --runs 24 --seed 3 --rows rows.jsonl
    benchmarks/mutations.py --only throw-away-mails/0/manager/skips

Each run works a shipped task by rules, with one role that makes one mistake and sticks to it: the Manager or the Operator alters
a value, skips one of several things, or stops early. The task's judge says what came of it. A run that is called fulfilled and
that the judge refuses got past the gates; one on which the mistake had no hold, or that came out right, counts as right.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings, shipped, shipped_names
from orchestrator.tasks.tasks import load_task
from protocol import AgentStatus, OperatorDecision
from roles.contracts import FieldHas, ManagerPolicy, OperatorPolicy, OperatorView, PlanAnswer, PlanRequest, Subtask, TextShown
from roles.policies.rules.grammar import parse
from roles.policies.rules.planning.planning import expectations

ROLES = ("manager", "operator")
MISTAKES = ("alters", "skips", "stops")
_VALUE = re.compile(r'"([^"\n]{2,})"|\b([A-Z]+-\d+)\b|(?<![\w.,-])(\d[\d.,:-]*\d|\d)(?![\w-])')
_SENTENCE = re.compile(r'(?<=\.)\s+(?=[A-Z])(?=(?:[^"]*"[^"]*")*[^"]*$)')


class Asked(NamedTuple):
    """One run: `task/seed/role/mistake`."""

    task: str
    seed: int
    role: str
    mistake: str

    def __str__(self) -> str:
        return "/".join(map(str, self))


@dataclass
class Row:
    """How it came out."""

    run: str
    what: str
    status: str
    right: bool
    refused: bool
    """It is called fulfilled, and the judge refuses it."""
    why: str


class Mistake:
    """What is changed, chosen once by the seed and kept to for the whole run."""

    def __init__(self, asked: Asked) -> None:
        self._random = random.Random(str(asked))
        self._kind = asked.mistake
        self._altered: tuple[str, str] | None = None
        self._skipped = ""
        self._after = self._random.randrange(1, 6)
        self.what = ""

    def alters(self, text: str) -> str:
        if self._altered is None:
            values = [next(filter(None, found.groups())) for found in _VALUE.finditer(text)]
            if not values or self._random.random() < 0.3:
                return text
            old = self._random.choice(values)
            self._altered = (old, other(old, self._random))
            self.what = f"{old!r} becomes {self._altered[1]!r}"
        return text.replace(*self._altered)

    def skips(self, text: str) -> str:
        """The text without one of its sentences."""
        sentences = _SENTENCE.split(text)
        if not self._skipped and self._random.random() >= 0.3:
            self._skipped = self._random.choice(sentences)
            self.what = f"without {self._skipped!r}"
        return " ".join(sentence for sentence in sentences if sentence != self._skipped)

    def stops(self, many: int) -> int:
        """After how many of so many it is called done."""
        if many > self._after and not self.what:
            self.what = f"stops after {self._after}"
        return min(many, self._after)


def other(value: str, chance: random.Random) -> str:
    """A value of the same form that is another one."""
    digits = [at for at, letter in enumerate(value) if letter.isdigit()]
    if digits:
        at = chance.choice(digits)
        return value[:at] + str((int(value[at]) + chance.randrange(1, 9)) % 10) + value[at + 1 :]
    words = value.split()
    words[chance.randrange(len(words))] = chance.choice(("hello", "Otherwise", "Lighthouse"))
    return " ".join(words)


class MistakenManager:
    """Plans as rules do, with a mistake."""

    def __init__(self, policy: ManagerPolicy, mistake: Mistake, kind: str) -> None:
        self._policy, self._mistake, self._kind = policy, mistake, kind
        self._planned = 0

    def plan(self, request: PlanRequest) -> PlanAnswer:
        answer = self._policy.plan(request)
        if answer.outcome != "planned":
            return answer
        known = {subtask.id for subtask in request.plan}
        new = [subtask for subtask in answer.subtasks if subtask.id not in known]
        kept = [subtask for subtask in answer.subtasks if subtask.id in known]
        if self._kind == "stops":
            left = new[: max(0, self._mistake.stops(self._planned + len(new)) - self._planned)]
            self._planned += len(new)
            if len(left) < len(new) and (left or kept):
                return answer.model_copy(update={"subtasks": (*kept, *left), "more": False})
            return answer
        if self._kind == "alters":
            return answer.model_copy(update={"subtasks": (*kept, *(altered(s, self._mistake) for s in new))})
        made = [skipping(subtask, self._mistake) for subtask in new]
        return answer.model_copy(update={"subtasks": tuple(without_nothing((*kept, *made)))})


def altered(subtask: Subtask, mistake: Mistake) -> Subtask:
    expect: list[Any] = []
    instruction = mistake.alters(subtask.instruction)
    for one in subtask.expect:
        match one:
            case FieldHas(value=str(value)):
                expect.append(one.model_copy(update={"value": mistake.alters(value)}))
            case TextShown(text=text):
                expect.append(one.model_copy(update={"text": mistake.alters(text)}))
            case _:
                expect.append(one)
    return subtask.model_copy(update={"instruction": instruction, "expect": tuple(expect)})


def skipping(subtask: Subtask, mistake: Mistake) -> Subtask:
    """The subtask without a sentence, and without what that was to lead to."""
    left = mistake.skips(subtask.instruction)
    if left == subtask.instruction:
        return subtask
    lost = set(subtask.expect) - {e for clause in parse(left) for e in expectations(clause, subtask.app)} if left else ()
    gone = {e for clause in parse(subtask.instruction) for e in expectations(clause, subtask.app)}
    kept = tuple(e for e in subtask.expect if e not in lost or e not in gone)
    return subtask.model_copy(update={"instruction": left or "", "expect": kept})


def without_nothing(plan: Sequence[Subtask]) -> Iterator[Subtask]:
    """The plan without what has no words left; who waited for it waits for what it waited for."""
    waits = {s.id: s.depends_on for s in plan if not s.instruction}
    for subtask in plan:
        if subtask.instruction:
            depends = tuple(dict.fromkeys(d for name in subtask.depends_on for d in _beyond(name, waits)))
            yield subtask.model_copy(update={"depends_on": depends})


def _beyond(name: str, waits: dict[str, tuple[str, ...]]) -> Iterator[str]:
    if name not in waits:
        yield name
        return
    for inner in waits[name]:
        yield from _beyond(inner, waits)


class MistakenOperator:
    """Works as rules do, with a mistake."""

    def __init__(self, policy: OperatorPolicy, mistake: Mistake, kind: str) -> None:
        self._policy, self._mistake, self._kind = policy, mistake, kind

    def decide(self, view: OperatorView) -> OperatorDecision:
        if self._kind == "stops":
            decision = self._policy.decide(view)
            done = view.history[-1].step if view.history else 0
            if decision.status is not AgentStatus.CONTINUE or self._mistake.stops(done + 1) > done:
                return decision
            return OperatorDecision(
                status=AgentStatus.FINISH, comment="it is done", is_goal_complete=True, memory=decision.memory
            )
        change = self._mistake.alters if self._kind == "alters" else self._mistake.skips
        told = change(view.subtask.instruction) or "Wait 1 second."
        facts = view.facts
        if self._kind == "alters":
            facts = tuple(f.model_copy(update={"value": change(f.value)}) if f.kind != "table" else f for f in view.facts)
        subtask = view.subtask.model_copy(update={"instruction": told})
        return self._policy.decide(view.model_copy(update={"subtask": subtask, "facts": facts}))


def work(asked: Asked) -> Row:
    """One run, in a folder of its own that is thrown away."""
    mistake = Mistake(asked)
    wrappers: dict[str, Any] = {"manager": MistakenManager, "operator": MistakenOperator}

    def around(role: str, policy: Any) -> Any:
        return wrappers[role](policy, mistake, asked.mistake) if role == asked.role else policy

    task = load_task(shipped("tasks", f"{asked.task}.yaml"))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        settings = load_settings(
            overrides=[f"seed={asked.seed}", f"runs_dir={folder}", "limits.plans=4"], task_layer=task.layer()
        )
        outcome = start(settings, task, approver=_approving, parts={"around": around})
    verdict = outcome.report.get("judge") or {}
    why = " ".join(outcome.reason.split())[:300]
    got_past = outcome.status == "fulfilled" and not verdict.get("passed")
    return Row(str(asked), mistake.what, outcome.status, bool(verdict.get("passed")), got_past, why)


def _approving(request: dict[str, Any]) -> dict[str, Any] | None:
    return {"decisions": [{"type": "approve"}]} if request["kind"] != "question" else None


def sample(runs: int, seed: int) -> list[Asked]:
    """So many runs that all differ, the same for the same seed."""
    every_task = [load_task(shipped("tasks", f"{name}.yaml")) for name in shipped_names("tasks")]
    tasks = [task.id for task in every_task if "gates" not in task.kinds and "environment" not in task.settings]
    every = [Asked(task, 0, role, mistake) for task in tasks for role in ROLES for mistake in MISTAKES]
    return random.Random(seed).sample(every, min(runs, len(every)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="which runs are taken, and what is changed in them")
    parser.add_argument("--only", default="", metavar="TASK/SEED/ROLE/MISTAKE", help="this run alone")
    parser.add_argument("--rows", type=Path, help="a file for a JSON line each")
    said = parser.parse_args()
    parts = said.only.split("/")
    wanted = [Asked(parts[0], int(parts[1]), *parts[2:])] if said.only else sample(said.runs, said.seed)
    rows = []
    for asked in wanted:
        row = work(asked)
        rows.append(row)
        if said.rows:
            with said.rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
        mark = "PAST " if row.refused else "right" if row.right else "     "
        print(f"{mark} {row.run:48} {row.what[:90]:90} {row.status}: {row.why[:200]}", file=sys.stderr, flush=True)
    past = sum(row.refused for row in rows)
    touched = sum(bool(row.what) for row in rows)
    print(
        f"seed {said.seed}: {len(rows)} runs, {touched} with a mistake; {sum(r.right for r in rows)} came out right all the same"
    )
    print(f"{past} called fulfilled and refused by the judge")


if __name__ == "__main__":
    main()
