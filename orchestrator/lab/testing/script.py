"""Single decisions of a crew replaced by script; every other one is made by the policy that would have made it.

A line that a finished run never came to is a failure: a test that changes nothing proves nothing.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import EllipsisType
from typing import Any, TypeVar, get_args

import yaml

from environments.files.wrong_data import did_you_mean
from orchestrator.core.machine import Situation
from orchestrator.runs.replay.courses import Ask, between
from orchestrator.views.terminal.event_lines import EventLine, Teller
from protocol import Action, AgentStatus, OperatorDecision
from protocol.dsl import parse_line
from roles.contracts import GateRequest, GateVerdict, OperatorView, PlanAnswer, PlanRequest
from roles.contracts.signals import ALLOWED_DECISIONS, GATE_DECISIONS, GateTrigger
from roles.journal.events import OutcomeEvent, SituationEvent
from roles.journal.journal import Event

_Word = TypeVar("_Word", bound=StrEnum)
OUTCOMES: tuple[str, ...] = get_args(PlanAnswer.model_fields["outcome"].annotation)


class BadScript(AssertionError):
    """A line of a script that does not fit the run, in one sentence."""


@dataclass
class ScriptLine:
    """One replaced decision: the `at`-th of its role, counted over all or over those of one trigger or subtask."""

    role: str
    said: Any
    at: int
    of: str | None = None
    used: bool = False

    def __str__(self) -> str:
        """What is not there, where it was never used."""
        if self.role == "manager":
            return f"script_plan(at={self.at}): no planning attempt number {self.at}"
        if self.role == "evaluator":
            kind = f" {self.of}" if self.of else ""
            return f"script_gate({self.said.decision.value!r}, at={self.at}): no{kind} gate number {self.at}"
        return f"script_action(at={self.at}): no decision number {self.at}{f' of subtask {self.of!r}' if self.of else ''}"


@dataclass
class Script:
    """All lines of a test."""

    lines: list[ScriptLine] = field(default_factory=list)

    def for_a_run(self) -> Callable[[str, Any], Any]:
        """What puts the lines before the policies of one run; one that is resumed goes on with its counts."""
        made: dict[str, int] = {}
        """The Operator's decisions so far, of the run and by subtask."""

        def asked(role: str, request: Any, ask: Ask) -> Any:
            counts: dict[str | None, int] = {}
            match request:
                case GateRequest():
                    counts = {None: request.number + 1, request.trigger: request.nth + 1}
                case PlanRequest():
                    counts = {None: request.attempts}
                case OperatorView():
                    made[request.subtask.id] = made.get(request.subtask.id, 0) + 1
                    counts = {None: sum(made.values()), request.subtask.id: made[request.subtask.id]}
            line = next((line for line in self.lines if line.role == role and counts.get(line.of) == line.at), None)
            if line is None:
                return ask(request)
            line.used = True
            if isinstance(request, GateRequest) and line.said.decision not in (allowed := ALLOWED_DECISIONS[request.trigger]):
                names = ", ".join(sorted(d.value for d in allowed))
                raise BadScript(
                    f"gate {line.at} was asked for by {request.trigger}, which allows {names}: {line.said.decision.value}"
                )
            notes = {"memory": request.memory} if isinstance(request, OperatorView) else {}
            return line.said.model_copy(update=notes)

        return between(asked)

    def unused(self) -> list[str]:
        """What no run came to, in words."""
        return [str(line) for line in self.lines if not line.used]


def gate_line(decision: str, at: int, trigger: str | None, reason: str, query: str) -> ScriptLine:
    verdict = GateVerdict(decision=_word(GATE_DECISIONS, decision, "gate decision"), reason=reason, issues=(reason,), query=query)
    return ScriptLine(
        "evaluator", verdict, _counted(at), None if trigger is None else _word(GateTrigger, trigger, "gate trigger")
    )


def plan_line(plan: str | PlanAnswer | Sequence[Mapping[str, Any]], at: int, reason: str) -> ScriptLine:
    """`plan` is an outcome (`infeasible`), a list of subtasks, or such a list as YAML; a title may be left out."""
    if isinstance(plan, PlanAnswer):
        return ScriptLine("manager", plan, _counted(at))
    if isinstance(plan, str) and plan in OUTCOMES:
        return ScriptLine("manager", PlanAnswer.model_validate({"outcome": plan, "reason": reason}), _counted(at))
    subtasks = yaml.safe_load(plan) if isinstance(plan, str) else plan
    if not isinstance(subtasks, Sequence) or isinstance(subtasks, str):
        raise BadScript(f"script_plan: {plan!r} is neither a list of subtasks nor one of {', '.join(OUTCOMES)}")
    full = [{"title": item.get("instruction", ""), **item} for item in subtasks]
    answer = PlanAnswer.model_validate_json(json.dumps({"outcome": "planned", "subtasks": full, "reason": reason}))
    return ScriptLine("manager", answer, _counted(at))


def action_line(action: str | Action | OperatorDecision, at: int, subtask: str | None) -> ScriptLine:
    """`action` is a line of the protocol's language, an action, or a whole decision."""
    if isinstance(action, OperatorDecision):
        return ScriptLine("operator", action, _counted(at), subtask)
    parsed = parse_line(action) if isinstance(action, str) else action
    decision = OperatorDecision.model_validate(
        {"action": parsed.dump(), "status": AgentStatus.CONTINUE.value, "reasoning": "as written in the test"}
    )
    return ScriptLine("operator", decision, _counted(at), subtask)


def _counted(at: int) -> int:
    if at < 1:
        raise BadScript(f"at={at}: the first one is at=1")
    return at


def _word(words: Iterable[_Word], said: str, kind: str) -> _Word:
    known = {word.value: word for word in words}
    if said not in known:
        raise BadScript(f"there is no {kind} {said!r}{did_you_mean(said, [*known])}")
    return known[said]


_TOLD = {Situation.PLAN, Situation.SUPPLEMENT, Situation.QUALITY_CHECK, Situation.FINAL_CHECK, Situation.DONE}
"""Situations that are worth a line; the others follow each other at every action."""


def story(events: Iterable[Event]) -> list[str]:
    """One line for each thing that was planned, done, asked, checked or decided. No times, no ids of the run."""
    teller, told = Teller(), list[EventLine]()
    for event in events:
        lines = teller.lines(event)
        if event.kind == SituationEvent.KIND:
            reached = event.body["next"]
            lines = [EventLine("→", f"{reached} ({event.body['signal']})")] if reached in _TOLD else []
        elif event.kind == OutcomeEvent.KIND:  # by subtask, so that one step more does not change every line below it
            lines = [line._replace(mark=event.subtask) for line in lines]
        told += lines
    return [str(line) for line in told if line.mark not in {"run", "goal"}]


def difference(then: Sequence[str], now: Sequence[str]) -> str:
    """What stands in one story and not in the other, with two lines around it; empty when they are the same."""
    lines = difflib.unified_diff(then, now, lineterm="", n=2)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


_REPEATS = re.compile(r"(?<!\S)(\S+(?: \S+)??)(?: \1)+(?!\S)")


def compressed(words: Sequence[str]) -> str:
    """A path on one line: a part of one word or of two that repeats is said once, with how often."""
    said, path = "", " ".join(words)
    while found := _REPEATS.search(path):
        part, times = found[1], len(found[0].split()) // len(found[1].split())
        said += path[: found.start()] + (f"({part})×{times}" if " " in part else f"{part}×{times}")
        path = path[found.end() :]
    return said + path


Pattern = Sequence[str | EllipsisType]


def mismatch(pattern: Pattern, path: Sequence[str]) -> str:
    """Where the path leaves the pattern, in words; empty when it does not."""
    for item in pattern:
        if item is not ... and item not in list(Situation):
            raise BadScript(f"there is no situation {item!r}{did_you_mean(str(item), [s.value for s in Situation])}")
    expected = " ".join("..." if item is ... else str(item) for item in pattern)
    paths = f"\n  expected  {expected}\n  walked    {compressed(path)}"
    reached = {0}
    for number, item in enumerate(pattern, start=1):
        if item is ...:
            reached = set(range(min(reached), len(path) + 1))
            continue
        further = {at + 1 for at in reached if at < len(path) and path[at] == item}
        if not further:
            came = f"{path[max(reached)]} came" if max(reached) < len(path) else "the path ended"
            instead = "does not come any more" if len(reached) > 1 else f"should come where {came}"
            return f"the run walked another path: {item}, number {number} of {len(pattern)}, {instead}{paths}"
        reached = further
    if len(path) not in reached:
        last = path[max(reached) - 1] if max(reached) else "the start"
        return f"the run walked another path: after {last} it went on{paths}"
    return ""
