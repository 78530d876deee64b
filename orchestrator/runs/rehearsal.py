"""Rehearsal: before anything is done, several attempts in copies of the run, of which the best is carried out.

A copy has world, journal and checkpoints as a process that was killed there would leave them. What is done in it reaches nobody:
it has no tools of other programs, no search, nobody to ask, and teaches nothing. The attempt that is chosen is carried out
decision by decision through review, approval, keys and journal, for as long as each screen is the one that it had then.
"""

from __future__ import annotations

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
from orchestrator.runs.replay.courses import Choice, Course, asks
from orchestrator.runs.replay.recorded_policies import Ask, between
from orchestrator.runs.replay.recording import REPLAYED
from orchestrator.settings.role_settings import RehearseSettings
from orchestrator.settings.settings import Settings
from orchestrator.store.databases import open_read_only
from orchestrator.store.printable import write_json
from orchestrator.store.salvage import salvage
from protocol import JsonObject, describe, parse_action
from roles.contracts import GateRequest, GateVerdict, OperatorView, StepRecord
from roles.contracts.signals import GateTrigger, Signal
from roles.journal.events import ModelCallEvent, RehearsalEvent
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


def forkable(settings: Settings) -> bool:
    """Whether everything of such a run stands in its folder, so that a copy goes on independently."""
    return settings.environment in REPLAYED


class Attempt(NamedTuple):
    """One attempt, and what came of it."""

    choices: list[Choice]
    decision: str
    """Of its last gate; empty where it came to none."""
    reason: str
    gate: GateRequest | None
    """What its last gate was asked, with its steps."""
    right: bool | None
    """What the task's judge says; None where it was not asked."""
    cost: JsonObject

    @property
    def steps(self) -> tuple[StepRecord, ...]:
        return self.gate.steps if self.gate is not None else ()


_CHOICES = TypeAdapter(list[Choice])


class _Over(Exception):
    """The attempt has come to its gate."""

    def __init__(self, verdict: GateVerdict | None) -> None:
        super().__init__()
        self.verdict = verdict


class Rehearsal:
    """Comes between the roles of a run and their policies. `follow` resumes a copy; `fresh`: nothing was decided yet."""

    journal: Journal
    """Of the run, once it is open."""

    def __init__(
        self, folder: Path, settings: Settings, parts: Mapping[str, Any], follow: Callable[..., Any], *, fresh: bool
    ) -> None:
        self._folder, self._settings, self._parts, self._follow, self._fresh = folder, settings, parts, follow, fresh
        self._told: RehearseSettings = settings.crew.rehearse
        self._evaluator: Any = None
        self._course = Course((), asks, joins=True)
        """Of the run so far; what it knows is what is to be carried out."""
        self._carried = ""

    def around(self, role: str, policy: Any) -> Any:
        self._evaluator = policy if role == "evaluator" else self._evaluator
        return between(self.asked)(role, policy)

    def asked(self, role: str, request: Any, ask: Ask) -> Any:
        """The answer that was rehearsed, or that of the policy."""
        unit = self._unit(role, request)
        if unit and unit != self._carried:
            self._carried, path = unit, self._folder / KEPT / f"{unit}.json"
            if not path.exists() and self._begins(request):
                path.parent.mkdir(exist_ok=True)
                write_json(path, [choice.model_dump(mode="json") for choice in self._rehearsed(unit)])
            self._course.known = deque(_CHOICES.validate_json(path.read_bytes()) if path.exists() else ())
        return self._course(role, request, ask)

    def _unit(self, role: str, request: Any) -> str:
        """What is rehearsed as a whole: the goal, or an attempt at a subtask that an Operator works."""
        if self._told.at == "goal":
            return "goal"
        return f"{request.subtask.id}-{request.subtask.attempt}" if role == "operator" else ""

    def _begins(self, request: Any) -> bool:
        if self._told.at == "goal":
            return self._fresh and not self._course.choices
        return isinstance(request, OperatorView) and not request.history

    # --- attempts -----------------------------------------------------------------------------------------------------------

    def _rehearsed(self, unit: str) -> Sequence[Choice]:
        """The decisions of the best attempt; none where no attempt came to anything."""
        attempts: list[Attempt] = []
        with Scratch("deskcrew-rehearsal-") as scratch:
            for number in range(self._told.n):
                attempts.append(self._attempt(unit, copied(self._folder, scratch.path / str(number) / self._folder.name), number))
                self._tell(unit, attempts)
                if self._told.choose == "gates" and attempts[-1].decision == Signal.GATE_DONE:
                    break
        chosen, why = self._choice(attempts)
        if chosen is not None:
            self._tell(unit, attempts[: chosen + 1], chosen=True, why=why)
        return attempts[chosen].choices if chosen is not None else ()

    def _tell(self, unit: str, attempts: Sequence[Attempt], *, chosen: bool = False, why: str = "") -> None:
        one = attempts[-1]
        about: JsonObject = {"chosen": True} if chosen else {"told": [*map(transition, one.steps[:_TOLD])], **one.cost}
        event = RehearsalEvent(
            number=len(attempts), of=self._told.n, decision=one.decision, reason=why or one.reason, steps=len(one.steps), **about
        )
        self.journal.record(event, role="controller", subtask="" if unit == "goal" else unit.rpartition("-")[0])

    def _attempt(self, unit: str, place: Path, number: int) -> Attempt:
        self._set_apart(place, number)
        before = _calls(place)
        gates: list[tuple[GateRequest, GateVerdict]] = []

        def decides(role: str, request: Any, ask: Ask) -> Any:
            if unit != "goal" and role == "manager":
                raise _Over(None)
            answer = ask(request)
            if isinstance(answer, GateVerdict):
                gates.append((request, answer))
                ends = (
                    request.trigger is GateTrigger.FINAL_CHECK if unit == "goal" else answer.decision is not Signal.GATE_CONTINUE
                )
                if ends and (unit != "goal" or (answer.decision is Signal.GATE_DONE and self._told.choose != "judge")):
                    raise _Over(answer)
            return answer

        earlier = self._course.choices  # what was decided since the last checkpoint is asked again, and not to be decided anew
        course = Course(earlier, decides, joins=True)
        parts = {**self._parts, "around": between(course), "skills": ()}
        verdict, reason, right = None, "it came to no gate", None
        try:  # as if nothing were at work here: the graph of the run is in the middle of a node
            outcome = Apart().run(self._follow, place.name, runs_dir=place.parent, approver=approving, parts=parts)
            judged = outcome.report.get("judge")
            right = None if judged is None else bool(judged["passed"])
            verdict, reason = gates[-1][1] if gates and right else None, outcome.reason
        except _Over as over:
            verdict = over.verdict
        cost = {name: value - before[name] for name, value in _calls(place).items()}
        decision, reason = (verdict.decision.value, verdict.reason) if verdict is not None else ("", reason)
        own = [choice for choice in course.choices if choice.role != "evaluator" and choice not in earlier]
        return Attempt(own, decision, reason[:400], gates[-1][0] if gates else None, right, cost)

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
        for role in crew.values() if number else ():
            model = role.get("model", role) if isinstance(role, dict) else None
            if isinstance(model, dict) and "name" in model:
                model["temperature"] = self._told.temperature
        write_json(place / "run.json", signed(record))

    # --- the choice ---------------------------------------------------------------------------------------------------------

    def _choice(self, attempts: Sequence[Attempt]) -> tuple[int | None, str]:
        """Of those that came through the shortest; by comparison the one that is told to have done best."""
        judged = self._told.choose == "judge"
        good = [n for n, one in enumerate(attempts) if (one.right if judged else one.decision == Signal.GATE_DONE)]
        compare = getattr(self._evaluator, "compare", None) if self._told.choose == "comparative" else None
        if compare is not None and len(good) > 1:
            with suppress(PolicyFault):
                best, why = compare([gate for n in good if (gate := attempts[n].gate) is not None])
                return good[best], why
        shortest = min(good, key=lambda n: len(attempts[n].steps), default=None)
        return shortest, "" if len(good) < 2 else f"the shortest of {len(good)} that came through"


def transition(step: StepRecord) -> str:
    """What was done, and what could be seen to come of it."""
    came = "; ".join(step.events) or ("the screen changed" if step.visible_change else "nothing to be seen")
    return f"{describe(parse_action(step.action))}: {step.error or came}"


def _calls(run: Path) -> dict[str, Any]:
    """What models have cost so far."""
    events = [event.content for event in salvage(run / "journal.sqlite").events if event.kind == ModelCallEvent.KIND]
    calls = [content for content in events if isinstance(content, ModelCallEvent)]
    spent = {name: sum(getattr(call, name) for call in calls) for name in ("tokens_in", "tokens_out", "money", "seconds")}
    return {"calls": len(calls), **spent}
