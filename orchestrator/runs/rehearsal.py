"""Rehearsal: before anything is done, several attempts in copies of the run, of which the best is carried out.

A copy has world, journal and checkpoints as a process that was killed there would leave them. What is done in it reaches nobody:
it has no tools of other programs, no search, nobody to ask, and teaches nothing. The attempt that is chosen is carried out
decision by decision through review, approval, keys and journal, for as long as each screen is the one that it had then.
"""

import shutil
import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from contextvars import Context as Apart
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from environments.files.scratch import Scratch
from orchestrator.control.channel import FILE as CONTROL
from orchestrator.control.requests import approving
from orchestrator.runs.folders import read_run
from orchestrator.runs.privacy.trust import signed
from orchestrator.runs.replay.courses import Ask, Choice, Course, Enough, asks, between
from orchestrator.settings.role_settings import RehearseSettings
from orchestrator.settings.settings import Settings
from orchestrator.store.databases import open_read_only
from orchestrator.store.printable import write_json
from orchestrator.store.salvage import salvage
from protocol import describe, parse_action
from roles.contracts import GateRequest, GateVerdict, StepRecord
from roles.contracts.signals import GateTrigger, Signal
from roles.journal.budgets import COUNTED, Spending, Use
from roles.journal.events import RehearsalEvent
from roles.journal.journal import Journal
from roles.knowledge.library import stored_at
from roles.knowledge.settings import KnowledgeSettings
from roles.policies.fallback import PolicyFault

KEPT = "rehearsed"
"""The folder of what is to be carried out."""
_TOLD = 40
"""Transitions of an attempt that are told."""


def copied(run: Path, to: Path) -> Path:
    """A copy of a run's folder while it is worked, as far as everything is committed; nobody holds the copy."""
    shutil.copytree(run, to, ignore=shutil.ignore_patterns("*.sqlite*"))
    for path in run.glob("*.sqlite"):
        if path.name != CONTROL:
            with closing(open_read_only(path)) as whole, closing(sqlite3.connect(to / path.name)) as copy:
                whole.backup(copy)
    return to


class Attempt(NamedTuple):
    """One attempt, and what came of it."""

    choices: list[Choice]
    told: RehearsalEvent
    """The decision in it is that of its last gate; empty where it came to none."""
    gate: GateRequest | None
    """What its last gate was asked, with its steps."""
    right: bool
    """The task's judge passes it."""


_CHOICES = TypeAdapter(list[Choice])


class Rehearsal:
    """Comes between the roles of a run and their policies. `follow` resumes a copy; `fresh`: nothing was decided yet."""

    journal: Journal
    """Of the run, once it is open."""

    def __init__(
        self, folder: Path, settings: Settings, parts: Mapping[str, Any], follow: Callable[..., Any], *, fresh: bool
    ) -> None:
        self._folder, self._settings, self._parts, self._follow, self._fresh = folder, settings, parts, follow, fresh
        self._told: RehearseSettings = settings.crew.rehearse
        self._whole = self._told.at == "goal"
        self._evaluator: Any = None
        self._course = Course((), asks, joins=True)
        """Of the run so far; what it knows is what is to be carried out."""
        self._carried = ""

    def around(self, role: str, policy: Any) -> Any:
        self._evaluator = policy if role == "evaluator" else self._evaluator
        return between(self.asked)(role, policy)

    def asked(self, role: str, request: Any, ask: Ask) -> Any:
        """The answer that was rehearsed, or that of the policy."""
        subtask = request.subtask if role == "operator" and not self._whole else None
        unit = "goal" if self._whole else f"{subtask.id}-{subtask.attempt}" if subtask is not None else ""
        if unit and unit != self._carried:
            self._carried, path = unit, self._folder / KEPT / f"{unit}.json"
            begins = self._fresh and not self._course.choices if subtask is None else not request.history
            if begins and not path.exists():
                path.parent.mkdir(exist_ok=True)
                best = self._rehearsed(subtask.id if subtask is not None else "")
                write_json(path, [choice.model_dump(mode="json") for choice in best])
            self._course.known = deque(_CHOICES.validate_json(path.read_bytes()) if path.exists() else ())
        return self._course(role, request, ask)

    # --- attempts -----------------------------------------------------------------------------------------------------------

    def _rehearsed(self, subtask: str) -> Sequence[Choice]:
        """The decisions of the best attempt; none where no attempt came to anything."""
        attempts: list[Attempt] = []
        with Scratch("deskcrew-rehearsal-") as scratch:
            for number in range(1, self._told.n + 1):
                place = copied(self._folder, scratch.path / str(number) / self._folder.name)
                attempts.append(self._attempt(place, number))
                self.journal.record(attempts[-1].told, role="controller", subtask=subtask)
                if self._told.choose == "gates" and attempts[-1].told.decision == Signal.GATE_DONE:
                    break
        best, why = self._choice(attempts)
        if best is None:
            return ()
        told = best.told
        carried = RehearsalEvent(
            number=told.number, of=told.of, decision=told.decision, reason=why or told.reason, steps=told.steps, chosen=True
        )
        self.journal.record(carried, role="controller", subtask=subtask)
        return best.choices

    def _attempt(self, place: Path, number: int) -> Attempt:
        self._set_apart(place, number)
        before = _spent(place)
        gates: list[tuple[GateRequest, GateVerdict]] = []

        def decides(role: str, request: Any, ask: Ask) -> Any:
            if role == "manager" and not self._whole:
                raise Enough
            answer = ask(request)
            if isinstance(answer, GateVerdict):
                gates.append((request, answer))
                if self._ends(request, answer):
                    raise Enough
            return answer

        earlier = self._course.choices  # what was decided since the last checkpoint is asked again, and not to be decided anew
        course = Course(earlier, decides, joins=True)
        parts = {**self._parts, **course.parts, "skills": ()}
        right, reason = False, "it came to no gate"
        with suppress(Enough):  # as if nothing were at work here: the graph of the run is in the middle of a node
            outcome = Apart().run(self._follow, place.name, runs_dir=place.parent, approver=approving, parts=parts)
            right, reason = bool((outcome.report.get("judge") or {}).get("passed")), outcome.reason
        gate, decision = gates[-1][0] if gates else None, ""
        if gates and (right or self._ends(*gates[-1])):
            decision, reason = gates[-1][1].decision.value, gates[-1][1].reason
        steps = gate.steps if gate is not None else ()
        told = RehearsalEvent(
            number=number, of=self._told.n, decision=decision, reason=reason[:400], steps=len(steps),
            told=[*map(transition, steps[:_TOLD])],
            **{name: value - getattr(before, name) for name, value in vars(_spent(place)).items()},
        )  # fmt: skip
        own = [choice for choice in course.choices if choice.role != "evaluator" and choice not in earlier]
        return Attempt(own, told, gate, right)

    def _ends(self, gate: GateRequest, verdict: GateVerdict) -> bool:
        """Whether this gate is the one that an attempt is made for."""
        if not self._whole:
            return verdict.decision is not Signal.GATE_CONTINUE
        passed = gate.trigger is GateTrigger.FINAL_CHECK and verdict.decision is Signal.GATE_DONE
        return passed and self._told.choose != "judge"

    def _set_apart(self, place: Path, number: int) -> None:
        """The settings of a copy, from which nobody is reached; another attempt is made at another temperature."""
        record = read_run(place)
        settings: dict[str, Any] = record["settings"]
        crew, knowledge = settings["crew"], settings["knowledge"]
        store = stored_at(KnowledgeSettings.model_validate(knowledge), self._folder.parent)
        if store.is_file():
            shutil.copyfile(store, place.parent / "knowledge.sqlite")
        knowledge |= {"store": str(place.parent / "knowledge.sqlite"), "online": {}}
        knowledge["experience"] = knowledge.get("experience", {}) | {"save": "never"}
        settings |= {"tools": [], "traces": "none", "skills": settings["skills"] | {"mcp": [], "installed": []}}
        settings["plugins"] = settings["plugins"] | {"sources": []}
        crew["rehearse"] = {}
        for role in crew.values() if number > 1 else ():
            model = role.get("model", role) if isinstance(role, dict) else None
            if isinstance(model, dict) and "name" in model:
                model["temperature"] = self._told.temperature
        write_json(place / "run.json", signed(record))

    # --- the choice ---------------------------------------------------------------------------------------------------------

    def _choice(self, attempts: Sequence[Attempt]) -> tuple[Attempt | None, str]:
        """Of those that came through the shortest; by comparison the one that is told to have done best."""
        judged = self._told.choose == "judge"
        good = [one for one in attempts if (one.right if judged else one.told.decision == Signal.GATE_DONE)]
        compare = getattr(self._evaluator, "compare", None) if self._told.choose == "comparative" else None
        if compare is not None and len(good) > 1:
            with suppress(PolicyFault):
                best, why = compare([one.gate for one in good if one.gate is not None])
                return good[best], why
        shortest = min(good, key=lambda one: one.told.steps, default=None)
        return shortest, "" if len(good) < 2 else f"the shortest of {len(good)} that came through"


def transition(step: StepRecord) -> str:
    """What was done, and what could be seen to come of it."""
    came = "; ".join(step.events) or ("the screen changed" if step.visible_change else "nothing to be seen")
    return f"{describe(parse_action(step.action))}: {step.error or came}"


def _spent(run: Path) -> Use:
    """What models have cost so far."""
    events = salvage(run / "journal.sqlite").events
    return Spending.of((event.role, event.content) for event in events if event.kind in COUNTED).total()
