"""The gate laboratory: at each gate of a suite's runs the other decisions are tried too, and the judge says what became of it.

A gate is right where no other decision would have come to a better end. No role sees anything of it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple, get_args

from pydantic import TypeAdapter

from orchestrator.control.requests import approving
from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.suite import EpisodeSpec, Examined, outcome_of, settings_of
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.replay.courses import Ask, Course, Ending, Interposed, NothingRecorded, asks, choices_of, ending, no_more
from orchestrator.runs.replay.recording import find_recording
from orchestrator.runs.replay.replay import again, parts_of
from orchestrator.store.salvage import salvage
from protocol import Frozen
from roles.contracts import GateRequest, GateVerdict
from roles.contracts.policies import UNCHECKED, Confidence
from roles.contracts.signals import ALLOWED_DECISIONS, GateDecision, Signal
from roles.journal.events import GateEvent

TRIED = f"{UNCHECKED}decided by the gate laboratory"
"""The reason of a decision that is tried: what code finds is not held against it."""


class GateRow(Frozen):
    """One gate: what was decided, and how the run ended, or would have ended, after each decision that was allowed."""

    configuration: str
    task: str
    seed: int
    repeat: int
    evaluator: str
    """Its policy."""
    run: str
    number: int
    """Of the gate in its run, from 0."""
    trigger: str
    subtask: str
    decided: str
    reason: str
    confidence: Confidence = ""
    endings: dict[str, Ending]

    @property
    def best(self) -> str:
        """The decision with the best ending; of several the one that was made, otherwise that with the fewest steps."""
        most = max(found.worth for found in self.endings.values())
        equal = {name: found.steps for name, found in self.endings.items() if found.worth == most}
        return self.decided if self.decided in equal else min(equal, key=lambda name: (equal[name], name))

    @property
    def regret(self) -> int:
        """How much worth was lost by what was decided, from 0 to 2."""
        return self.endings[self.best].worth - self.endings[self.decided].worth


GATE_ROW = TypeAdapter(GateRow)


def examine(
    spec: EpisodeSpec, place: Path, mistaken: Interposed | None = None, after: EpisodeSpec | None = None
) -> Examined[GateRow]:
    """Work one episode, and follow each decision that is allowed at its gates. Who is `mistaken` works the run, and not what
    comes after its gates; there the run goes on by the settings of `after`, where it is given.
    """
    course = Course((), mistaken or asks)
    outcome = outcome_of(spec, place, course.parts)
    return Examined(outcome, [*_gates(spec, outcome, course, after or (spec if mistaken else None))])


def _gates(spec: EpisodeSpec, outcome: Outcome, course: Course, after: EpisodeSpec | None) -> Iterator[GateRow]:
    gates = [event for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == GateEvent.KIND]
    firsts = [at for at, request in enumerate(course.requests) if not getattr(request, "reask", "")]
    asked = {course.requests[at].number: at for at in firsts if isinstance(course.requests[at], GateRequest)}
    for number, gate in enumerate(gates):
        if number not in asked:  # nobody was asked: there was nothing to decide
            continue
        at, decided, on = asked[number], gate.body["decision"], after or spec
        later = [one for one in firsts if one > at] if after else []
        ends = {decided: tried(on, course, later[0], None) if later else ending(outcome)}
        trigger = course.requests[at].trigger
        ends |= {name: tried(on, course, at, name) for name in sorted(ALLOWED_DECISIONS[trigger] - {decided})}
        yield GateRow(
            configuration=spec.configuration, task=Path(spec.task).stem, seed=spec.seed, repeat=spec.repeat,
            evaluator=settings_of(spec).crew.evaluator.policy, number=number, trigger=trigger,
            run="/".join(outcome.folder.parts[-3:]), subtask=gate.subtask, decided=decided,
            reason=gate.body["reason"][:400], confidence=gate.body.get("confidence", ""), endings=ends,
        )  # fmt: skip


def tried(spec: EpisodeSpec, course: Course, at: int, decision: GateDecision | None) -> Ending:
    """How an episode ends where question `at` of its course, a gate, is decided so, and the policies go on; None: they go on from
    that question."""

    def decides(role: str, request: Any, ask: Ask) -> Any:
        query = {"query": request.goal} if decision is Signal.GATE_SUPPLEMENT else {}
        return ask(request) if decision is None else GateVerdict(decision=decision, reason=TRIED, **query)

    return course.otherwise(at, decides, partial(outcome_of, spec))[0]


class TriggerFigures(Frozen):
    """The gates of one trigger under one Evaluator's policy."""

    evaluator: str
    trigger: str
    gates: int
    right: int
    """Of which no other decision would have come to a better end."""
    confusion: dict[str, dict[str, int]]
    """Decided -> best -> how many."""
    precision: float | None
    """Of those that were decided done: how many were right."""
    recall: float | None
    """Of those where done was best: how many were decided done."""
    cost: float
    """Mean worth that a wrong decision lost."""
    calibration: dict[str, tuple[int, int]]
    """How sure the policy said that it was -> how many gates, and how many of them were right; empty where it said nothing."""
    worth: dict[str, float]
    """Decision -> mean worth of the endings after it, over all gates at which it was allowed."""


def figures(rows: Sequence[GateRow]) -> list[TriggerFigures]:
    """A line for each Evaluator's policy and trigger, in the order of names."""
    groups = sorted({(row.evaluator, row.trigger) for row in rows})
    return [_figures([row for row in rows if (row.evaluator, row.trigger) == group]) for group in groups]


def _figures(rows: Sequence[GateRow]) -> TriggerFigures:
    done = Signal.GATE_DONE.value
    lost = [row.regret for row in rows if row.regret]
    decisions = sorted({name for row in rows for name in row.endings})
    sure = {said: [not row.regret for row in rows if row.confidence == said] for said in get_args(Confidence) if said}
    best = {decided: Counter(row.best for row in rows if row.decided == decided) for decided in decisions}
    return TriggerFigures(
        evaluator=rows[0].evaluator, trigger=rows[0].trigger, gates=len(rows), right=len(rows) - len(lost),
        confusion={decided: dict(sorted(counts.items())) for decided, counts in best.items() if counts},
        precision=_share(row.best == done for row in rows if row.decided == done),
        recall=_share(row.decided == done for row in rows if row.best == done),
        cost=mean(lost) if lost else 0.0,
        calibration={said: (len(right), sum(right)) for said, right in sure.items() if right},
        worth={name: mean(row.endings[name].worth for row in rows if name in row.endings) for name in decisions},
    )  # fmt: skip


def _share(found: Iterable[bool]) -> float | None:
    counted = list(found)
    return sum(counted) / len(counted) if counted else None


HEADS = ("evaluator", "trigger", "gates", "right", "done: precision", "recall", "cost", "worth after", "right when sure")


def cells(one: TriggerFigures) -> tuple[object, ...]:
    """What is told of a trigger's gates under each head."""
    shares = ("-" if share is None else f"{share:.1%}" for share in (one.right / one.gates, one.precision, one.recall))
    worth = "  ".join(f"{name.removeprefix('gate_')} {value:+.2f}" for name, value in one.worth.items())
    sure = "  ".join(f"{said} {right}/{gates}" for said, (gates, right) in one.calibration.items())
    return one.evaluator, one.trigger, one.gates, *shares, f"{one.cost:.2f}", worth, sure or "-"


class Blame(NamedTuple):
    """The first decision of a run from which no recovery was found."""

    role: str
    subtask: str
    number: int
    """Of the decision among all of the run, from 0."""
    of: int
    decision: str
    """What was decided, as JSON."""
    tries: int
    """How often the run was repeated."""


def blame(run_id: str, runs_dir: Path) -> Blame | None:
    """Who is to blame for a run that did not come out right: it is done again up to each decision, and then left to the policies
    of its settings. None where they do not come through from its beginning either. Raises UsageProblem.

    Bisection: they come through from before the decision, and not from before the one that follows.
    """
    recording = find_recording(run_id, runs_dir)
    course = Course(choices_of(recording.events), no_more)
    try:
        right = course.follow(lambda place, parts: again(recording, place, {**parts_of(recording), **parts})).right
    except NothingRecorded as more:
        raise UsageProblem(f"Run {recording.run_id} cannot be repeated to an end: {more}.") from None
    if right:
        raise UsageProblem(f"Run {recording.run_id} came out right; there is nobody to blame.")

    def comes_right(at: int) -> bool:
        return course.otherwise(at, asks, partial(again, recording, approver=approving))[0].right

    low, high, tries = 0, len(course.choices), 1
    if not high or not comes_right(0):
        return None
    while high - low > 1:
        middle, tries = (low + high) // 2, tries + 1
        low, high = (middle, high) if comes_right(middle) else (low, middle)
    chosen, subtask = course.choices[low], getattr(course.requests[low], "subtask", None)
    decided = "" if chosen.fault else json.dumps(chosen.decision, separators=(",", ":"))
    return Blame(chosen.role, subtask.id if subtask is not None else "", low, len(course.choices), decided, tries)
