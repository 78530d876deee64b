"""The gate laboratory: at each gate of a suite's runs the other decisions are tried too, and the judge says what became of it.

A gate is right where no other decision would have come to a better end. No role sees anything of it.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from environments.files.scratch import Scratch
from orchestrator.control.requests import approving
from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.suite import ROWS, RUNS, EpisodeSpec, Suite, episodes_of, outcome_of, settings_of
from orchestrator.runs.folders import stored_report
from orchestrator.runs.outcome import Approver
from orchestrator.runs.rehearsal import forkable
from orchestrator.runs.replay.courses import Course, asks, choices_of, no_more
from orchestrator.runs.replay.recorded_policies import Ask, Interposed, between
from orchestrator.runs.replay.recording import find_recording
from orchestrator.runs.replay.replay import again
from orchestrator.settings.settings import Settings
from orchestrator.store.salvage import salvage
from orchestrator.views.listing import table
from protocol import Frozen, JsonObject
from protocol.log.log import whole_file
from roles.contracts import GateRequest, GateVerdict
from roles.contracts.policies import UNCHECKED, Confidence
from roles.contracts.signals import ALLOWED_DECISIONS, GateDecision, Signal
from roles.journal.events import GateEvent

TRIED = f"{UNCHECKED}decided by the gate laboratory"
"""The reason of a decision that is tried: what code finds is not held against it."""


class Ending(Frozen):
    """How a run came out."""

    status: str
    right: bool
    """The judge passes it; for a goal without a judge: it ended fulfilled."""
    steps: int
    reason: str = ""

    @property
    def false_done(self) -> bool:
        return self.status == "fulfilled" and not self.right

    @property
    def worth(self) -> int:
        """1 for right, -1 for falsely done, 0 for what was given up, which a person can still see to."""
        return 1 if self.right else -1 if self.false_done else 0


def ending(report: JsonObject) -> Ending:
    """Of a run's report."""
    status, verdict = report["status"], report.get("judge")
    right = bool(verdict["passed"]) if verdict is not None else status == "fulfilled"
    return Ending(status=status, right=right, steps=report["counts"]["steps"], reason=report["reason"][:400])


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


_ROWS = TypeAdapter(list[GateRow])
_Done = TypeVar("_Done")


def laboratory(suite: Suite, folder: Path, *, workers: int = 1, only: str = "*") -> Iterator[tuple[EpisodeSpec, list[GateRow]]]:
    """Work every episode that has no rows yet, and yield the rows of each as it is done. Raises UsageProblem."""
    places = {spec: folder / ROWS / f"{spec.name}.json" for spec in episodes_of(suite, only)}
    yield from worked(places, read_rows, partial(examine, folder=folder), workers)


def worked(
    places: Mapping[EpisodeSpec, Path], read: Callable[[Path], _Done], work: Callable[[EpisodeSpec], _Done], workers: int
) -> Iterator[tuple[EpisodeSpec, _Done]]:
    """What is in the place of each episode; those that have nothing there are worked, so many at once."""
    yield from ((spec, read(place)) for spec, place in places.items() if place.exists())
    left = [spec for spec, place in places.items() if not place.exists()]
    if workers == 1:
        yield from ((spec, work(spec)) for spec in left)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        working = {pool.submit(work, spec): spec for spec in left}
        for future in as_completed(working):
            yield working[future], future.result()


def examine(
    spec: EpisodeSpec, folder: Path, mistaken: Interposed | None = None, after: EpisodeSpec | None = None
) -> list[GateRow]:
    """Work one episode, follow each decision that is allowed at its gates, and write the rows; none where the task's
    environment cannot be forked. Who is `mistaken` works the run, and not what comes after its gates; there the run goes on by
    the settings of `after`, where it is given.
    """
    place = folder / RUNS / spec.name
    shutil.rmtree(place, ignore_errors=True)
    rows = list(_gates(spec, place, folder, mistaken, after)) if forkable(settings_of(spec)) else []
    (folder / ROWS).mkdir(parents=True, exist_ok=True)
    with whole_file(folder / ROWS / f"{spec.name}.json") as file:
        file.write(_ROWS.dump_json(rows, indent=1).decode() + "\n")
    return rows


def _gates(
    spec: EpisodeSpec, place: Path, folder: Path, mistaken: Interposed | None, after: EpisodeSpec | None
) -> Iterator[GateRow]:
    course = Course((), mistaken or asks)
    outcome = outcome_of(spec, place, parts={"around": between(course)})
    gates = [event for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == GateEvent.KIND]
    found = [(at, one) for at, one in enumerate(course.requests) if isinstance(one, GateRequest) and not one.reask]
    asked = {request.number: (at, request) for at, request in found}
    for number, gate in enumerate(gates):
        if number not in asked:  # nobody was asked: there was nothing to decide
            continue
        at, request = asked[number]
        decided, on = gate.body["decision"], after or spec
        next_one = next((n for n in range(at + 1, len(course.requests)) if not getattr(course.requests[n], "reask", "")), None)
        if next_one is None or (mistaken is None and after is None):
            ends = {decided: ending(outcome.report)}
        else:
            ends = {decided: tried(on, course, next_one, None)}
        ends |= {name: tried(on, course, at, name) for name in sorted(ALLOWED_DECISIONS[request.trigger] - {decided})}
        yield GateRow(
            configuration=spec.configuration, task=Path(spec.task).stem, seed=spec.seed, repeat=spec.repeat,
            evaluator=settings_of(spec).crew.evaluator.policy, number=number, trigger=request.trigger,
            run=outcome.folder.resolve().relative_to(folder.resolve()).as_posix(), subtask=gate.subtask, decided=decided,
            reason=gate.body["reason"][:400], confidence=gate.body.get("confidence", ""), endings=ends,
        )  # fmt: skip


def tried(spec: EpisodeSpec, course: Course, at: int, decision: GateDecision | None) -> Ending:
    """How an episode ends where question `at` of its course, a gate, is decided so, and the policies go on; None: they go on from
    that question."""
    gate = course.requests[at]

    def decides(role: str, request: Any, ask: Ask) -> Any:
        if decision is None or role != "evaluator" or request.number != gate.number:
            return ask(request)
        query = {"query": request.goal} if decision is Signal.GATE_SUPPLEMENT else {}
        return GateVerdict(decision=decision, reason=TRIED, **query)

    with Scratch("deskcrew-gate-") as scratch:
        other = Course(course.choices[:at], decides)
        return ending(outcome_of(spec, scratch.path, parts={"around": between(other)}).report)


def read_rows(path: Path) -> list[GateRow]:
    """Raises UsageProblem where the file is damaged."""
    try:
        return _ROWS.validate_json(path.read_bytes())
    except ValidationError:
        raise UsageProblem(f"{path} is damaged; delete it, and the laboratory works that episode again.") from None


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


def lines(found: Sequence[TriggerFigures]) -> list[str]:
    """For a person."""
    rows = [["evaluator", "trigger", "gates", "right", "done: precision", "recall", "cost", "worth after", "right when sure"]]
    for one in found:
        shares = ("-" if share is None else f"{share:.1%}" for share in (one.right / one.gates, one.precision, one.recall))
        worth = "  ".join(f"{name.removeprefix('gate_')} {value:+.2f}" for name, value in one.worth.items())
        sure = "  ".join(f"{said} {right}/{gates}" for said, (gates, right) in one.calibration.items())
        rows.append([one.evaluator, one.trigger, str(one.gates), *shares, f"{one.cost:.2f}", worth, sure or "-"])
    return table(rows).splitlines()


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
    settings = Settings.model_validate(recording.record["settings"])
    if not forkable(settings):
        raise UsageProblem(f"Run {recording.run_id} cannot be done again in part: {settings.environment} cannot be forked.")
    course = Course(choices_of(recording.events), no_more)

    def comes_right(repeated: Course, decides: Approver | None = approving) -> bool:
        with Scratch("deskcrew-blame-") as scratch:
            again(recording, scratch.path, course=repeated, decides=decides)
            return ending(stored_report(next(scratch.path.iterdir()))).right

    if comes_right(course, None):
        raise UsageProblem(f"Run {recording.run_id} came out right; there is nobody to blame.")
    low, high, tries = 0, len(course.choices), 1
    if not high or not comes_right(Course((), asks)):
        return None
    while high - low > 1:
        middle, tries = (low + high) // 2, tries + 1
        low, high = (middle, high) if comes_right(Course(course.choices[:middle], asks)) else (low, middle)
    chosen, subtask = course.choices[low], getattr(course.requests[low], "subtask", None)
    decided = "" if chosen.fault else json.dumps(chosen.decision, separators=(",", ":"))
    return Blame(chosen.role, subtask.id if subtask is not None else "", low, len(course.choices), decided, tries)
