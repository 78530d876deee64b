#!/usr/bin/env python3
"""Which gates are right, and whose decision is to blame, with workers that make one mistake on purpose.

    benchmarks/gates.py --out FOLDER                 shipped tasks, seed 0, each worker; goes on behind the rows of the folder
    benchmarks/gates.py --out FOLDER --seeds 0..3 --tasks 'claim-*' --workers honest,hasty
    benchmarks/gates.py --out FOLDER --blame 200     of so many runs with a planted mistake, how often it is named
    benchmarks/gates.py --out FOLDER --suite mine.yaml           the tasks, seeds and settings of a suite of one's own
    benchmarks/gates.py --out FOLDER --sample 40 --set crew.evaluator.policy=llm --set crew.model.name=...    a model's gates

A hasty Operator reports its subtask as done at one of its decisions, a forgetful one leaves one action out, and one that alters
writes another value once. After a gate the policies of the suite go on, without what --set says, so that what is compared is the
gate alone. Ctrl-C ends the work with the figures so far.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.errors import UsageProblem
from orchestrator.lab.gates.laboratory import GATE_ROW, HEADS, GateRow, blame, cells, examine, figures
from orchestrator.lab.suite.suite import (
    EpisodeSpec,
    Suite,
    episodes_of,
    lines_of,
    load_suite,
    outcome_of,
    seeds_of,
    settings_of,
    work,
)
from orchestrator.runs.replay.courses import Ask, Interposed, NothingRecorded, between, ending
from orchestrator.views.listing import rows_table
from protocol import AgentStatus, Fill, Type, Wait
from protocol.model.decisions import OperatorDecision

MISTAKES = ("hasty", "forgetful", "alters")


class Mistake:
    """One decision of the Operator that is another one than its policy's; which, is drawn by the seed."""

    def __init__(self, kind: str, seed: str) -> None:
        self.kind = kind
        self.at = random.Random(seed).randrange(0, 8)
        self.asked = 0
        """Questions to any role so far."""
        self.decided = 0
        self.made: int | None = None
        """The number of the question that was answered wrongly."""

    def __call__(self, role: str, request: Any, ask: Ask) -> Any:
        answer = ask(request)
        self.asked += 1
        if role != "operator":
            return answer
        self.decided += 1
        if self.made is None and self.decided > self.at and (wrong := self.wrong(answer)) is not None:
            self.made = self.asked - 1
            return wrong
        return answer

    def wrong(self, decision: OperatorDecision) -> OperatorDecision | None:
        action = decision.action
        if decision.status is not AgentStatus.CONTINUE or action is None:
            return None
        match self.kind:
            case "hasty":
                return OperatorDecision(status=AgentStatus.FINISH, comment="done", is_goal_complete=True, memory=decision.memory)
            case "forgetful":
                return decision.model_copy(update={"action": Wait(seconds=0.1), "then": ()})
            case _ if isinstance(action, Fill | Type) and action.text:
                text = "".join(str((int(c) + 3) % 10) if c.isdigit() else c for c in action.text)
                text = text if text != action.text else f"{text} too"
                return decision.model_copy(update={"action": action.model_copy(update={"text": text}), "then": ()})
        return None


def worked(specs: Sequence[EpisodeSpec], given: argparse.Namespace) -> Iterator[GateRow]:
    """The rows of all episodes under each worker, each named by the worker."""
    order = [(spec, kind) for kind in given.workers.split(",") for spec in specs]
    if given.sample:
        order = random.Random(0).sample(order, min(given.sample, len(order)))
    for spec, kind in order:
        if not settings_of(spec).forkable:
            continue
        folder = given.out / kind
        of_run = spec.model_copy(update={"settings": (*spec.settings, *given.set)})
        try:
            work(of_run, folder, examine=partial(examine, mistaken=planted(kind, spec), after=spec if given.set else None))
        except NothingRecorded as bad:
            print(f"{spec.name} {kind}: {bad}", flush=True)
            continue
        for row in lines_of([of_run], folder, GATE_ROW):
            yield row.model_copy(update={"configuration": kind, "run": f"{kind}/{row.run}"})


def planted(kind: str, spec: EpisodeSpec) -> Interposed | None:
    return Mistake(kind, f"{kind} {spec.name}") if kind in MISTAKES else None


def blamed(specs: Sequence[EpisodeSpec], out: Path, count: int) -> None:
    """How often the planted decision is the one that is named."""
    named = runs = recovered = other = 0
    for repeat in range(1000):
        for spec in (spec for spec in specs if settings_of(spec).forkable):
            for kind in MISTAKES:
                mistake = Mistake(kind, f"{kind} {spec.name} {repeat}")
                try:
                    outcome = outcome_of(spec, out / "blame" / spec.name, parts={"around": between(mistake)})
                    if mistake.made is None or ending(outcome).right:
                        recovered += mistake.made is not None
                        continue
                    found = blame(outcome.run_id, outcome.folder.parent)
                except UsageProblem as bad:
                    print(f"{spec.name} {kind}: {bad}")
                    continue
                if found is None:
                    other += 1
                    continue
                runs += 1
                named += found.number == mistake.made
                if found.number != mistake.made:
                    print(
                        f"{spec.name} {kind}: planted {mistake.made}, named {found.number} ({found.role}): {found.decision[:200]}"
                    )
                if runs % 5 == 0:
                    print(
                        f"{named} of {runs} named; {recovered} recovered by themselves, {other} fail without a mistake",
                        flush=True,
                    )
                if runs >= count:
                    return


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--tasks", default="*")
    arguments.add_argument("--seeds", type=seeds_of, default=(0,))
    arguments.add_argument("--workers", default=",".join(("honest", *MISTAKES)))
    arguments.add_argument("--blame", type=int, default=0)
    arguments.add_argument("--suite", action="append", default=[], metavar="FILE", help="in place of all shipped tasks")
    arguments.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the runs, up to a gate")
    arguments.add_argument("--sample", type=int, default=0, help="so many of the runs, drawn")
    given = arguments.parse_args()
    suites = [load_suite(name) for name in given.suite] or [Suite(seeds=given.seeds)]
    specs = [spec for suite in suites for spec in episodes_of(suite, given.tasks)]
    if given.blame:  # no gate comes between, so that most mistakes are still there at the end
        trusting = "crew.evaluator.policy=trusting"
        specs = [spec.model_copy(update={"settings": (*spec.settings, trusting)}) for spec in specs]
        blamed(specs, given.out, given.blame)
        return
    rows: list[GateRow] = []
    with suppress(KeyboardInterrupt):
        for row in worked(specs, given):
            rows.append(row)
            if row.regret:
                said = {name: end.worth for name, end in row.endings.items()}
                told = f"{row.configuration} {row.task}/{row.seed} {row.trigger} {row.subtask}: {row.decided}"
                print(f"{told} {said} {row.reason[:120]}", flush=True)
    for kind in given.workers.split(","):
        print(
            f"\n{kind}",
            rows_table(figures([row for row in rows if row.configuration == kind]), HEADS, cells, numbers=True),
            sep="\n",
        )
    print("\nall", rows_table(figures(rows), HEADS, cells, numbers=True), sep="\n")


if __name__ == "__main__":
    main()
