"""Whether a plan did what the goal says: the goal is read again, and each of its orders is held against what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from protocol import ExecStatus
from roles.contracts import AppShown, EffectSeen, FieldHas, GateRequest, PlanRequest, StepRecord, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.policies.rules.grammar import describe, parse
from roles.policies.rules.planning.planning import addressed, expectations, make_subtasks
from roles.policies.rules.planning.stages import stages_of
from roles.policies.rules.planning.steering import INSTEAD, with_notes, without_forbidden
from roles.policies.rules.planning.understanding import understood
from roles.safety.outgoing_data import texts
from roles.screen.evidence import check, done_of, fact_of
from roles.screen.language import clauses as c
from roles.screen.language.clauses import PageClause
from roles.screen.matching import tokens
from roles.screen.screens import fold
from roles.screen.values import same_value
from roles.technician.rules import plan_with_jobs

LOOKS = (
    c.Open, c.OpenItem, c.Read, c.Collect, c.Compute, c.Search, c.Scroll, c.Free, c.Pause, c.Await, c.Remember, c.Tell,
    c.Avoid, c.Obey,
)  # fmt: skip
"""Clauses that change nothing: what they bring is held to account where it is used."""


def left_undone(request: GateRequest) -> list[str] | None:
    """The orders of the goal that no fulfilled subtask carries out and nothing shows, in words. None where it cannot be read."""
    wanted = orders(request)
    if wanted is None:
        return None
    live = [s for s in request.plan if s.status is SubtaskStatus.FULFILLED]
    had = Counter(words for s in live for words in _words(s))
    spared = _replaced(request)
    lost = [(clause, app) for words, clause, app in wanted if not _taken(words, had) and words not in spared]
    effects = Counter(
        (e.verb, e.target) for _, clause, app in wanted for e in expectations(clause, app) if isinstance(e, EffectSeen)
    )
    return [
        f"not done: {describe(clause)}"
        for clause, app in lost
        if not isinstance(clause, LOOKS) and not _shown(clause, app, request, effects)
    ]


def _replaced(request: GateRequest) -> set[str]:
    """Orders with an effect that were given up because a person wanted something else instead."""
    if not any(INSTEAD.search(words) for words in (*request.user_words, *(note.words for note in request.notes))):
        return set()
    given_up = (s for s in request.plan if s.status is SubtaskStatus.REJECTED and s.worker == "operator")
    effects = ((clause, s.app) for s in given_up for clause in parse(s.instruction))
    return {describe(x) for x, app in effects if any(isinstance(e, EffectSeen) for e in expectations(x, app))}


def orders(request: GateRequest) -> list[tuple[str, c.Clause, str | None]] | None:
    """What the goal asks for as far as it is known now, in canonical words, with the application that each is for."""
    told = with_notes(
        PlanRequest(
            goal=request.goal,
            apps=request.apps,
            facts=request.facts,
            plan=request.plan,
            supplements=request.supplements,
            looked_up=request.looked_up,
            given_up=request.given_up,
            notes=request.notes,
        )
    )
    if (jobs := plan_with_jobs(told.model_copy(update={"plan": ()}))) is not None:
        return [*_in(jobs.subtasks)]
    found = understood(told)
    if found.unknown or not found.clauses or any(isinstance(x, PageClause) for x in found.clauses):
        return None
    wanted: list[tuple[str, c.Clause, str | None]] = []
    known = [fact.name for fact in request.facts]
    stages = stages_of(addressed(without_forbidden(found.clauses), request.apps), request.facts)
    if stages[-1].unknown and stages[-1].unknown not in known:
        open_end = c.Unknown(text=f"what follows once {stages[-1].unknown!r} is known")
        wanted.append((describe(open_end), open_end, None))
    for stage in stages:
        for group in stage.groups:
            wanted += _in(make_subtasks(group, request.apps, first=1, known=known) if group else ())
    return wanted


def _in(subtasks: Sequence[Subtask]) -> Iterator[tuple[str, c.Clause, str | None]]:
    for subtask in subtasks:
        if subtask.worker == "operator":
            for clause in parse(subtask.instruction):
                yield describe(clause), clause, subtask.app


def _words(subtask: Subtask) -> list[str]:
    return [describe(clause) for clause in parse(subtask.instruction)]


def _taken(words: str, had: Counter[str]) -> bool:
    """Whether one more subtask carries it out."""
    had[words] -= 1
    return had[words] >= 0


def _shown(clause: c.Clause, app: str | None, request: GateRequest, effects: Counter[tuple[str, str | None]]) -> bool:
    """Whether what an order leads to was seen, as often as the goal asks for it."""
    expected = [e for e in expectations(clause, app) if not isinstance(e, AppShown)]
    if not expected or not all(_was_said(text, request.steps, _writes(clause)) for text in _literals(clause)):
        return False
    for one in expected:
        if isinstance(one, FieldHas) and one.fact and fact_of(one.fact, request.facts) is None:
            named = (one.model_copy(update={"fact": None, "value": fact.value}) for fact in request.facts if fact.value)
            if not any(check(other, request).holds for other in named):
                return False
            continue
        if not check(one, request).holds:
            return False
        if isinstance(one, EffectSeen) and len(done_of(one, request)) < effects[one.verb, one.target]:
            return False
    return True


def untouched(subtask: Subtask, steps: Sequence[StepRecord], request: GateRequest) -> list[str]:
    """Orders of a subtask that lead to nothing that is expected, and of which no step that did something says anything."""
    if subtask.worker != "operator":
        return []
    return [
        f"not done: {describe(clause)}"
        for clause in parse(subtask.instruction)
        if not isinstance(clause, (*LOOKS, *_UNNAMED)) and not expectations(clause, subtask.app)
        if (said := _literals(clause)) and not any(_was_said(text, steps) or _stands(text, clause, request) for text in said)
    ]


def _writes(clause: c.Clause) -> bool:
    return isinstance(clause, c.Compose | c.Reply | c.Forward | c.Create | c.Enter | c.Post | c.Invite | c.Rename | c.Cell)


_UNNAMED = (c.Press, c.Complete, c.Commit, c.ClickOn, c.Unknown)


def _literals(clause: Any) -> list[str]:
    """The texts of a clause that are written, pressed or set; not those that only tell which thing is meant."""
    match clause:
        case c.Sort(column=column):
            return [column]
        case c.Move(to=to) | c.Rename(to=to):
            return [to]
        case c.Act(verb=verb):
            return [verb]
        case c.Adjust(device=device, value=value):
            return [value] if any(letter.isdigit() for letter in value) else [device]
        case c.AddUp():
            return ["sum("]
        case c.Buy(item=item):
            return [item]
        case _:
            parts = [getattr(clause, field.name) for field in fields(clause)]
            said = [part.text for part in parts if isinstance(part, c.Value)]
            others = clause.to if isinstance(clause, c.Compose | c.Forward) else ()
            return [text for text in (*said, *(one for one in others if "@" in one)) if text]


def _was_said(text: str, steps: Sequence[StepRecord], written: bool = False) -> bool:
    """Whether it stands in what a step that worked wrote, pressed or brought, unless that only searched for it or noted it."""
    wanted = fold(text)
    return any(wanted in fold(said) for s in steps if s.exec_status is ExecStatus.EXECUTED for said in _sayings(s, written))


def _sayings(step: StepRecord, written: bool) -> Iterator[str]:
    if (
        step.verb in _INNER
        or (written and step.verb == "run_script")
        or fold(step.target).startswith(("search", "find", "filter"))
    ):
        return
    yield from texts({key: value for key, value in step.action.items() if key not in {"target", "action_type", "reason"}})
    if not written:
        yield step.target
        yield from step.events
        yield from texts(step.action.get("target") or {})


_INNER = frozenset({"memorize", "answer", "ask_user"})


def _stands(text: str, clause: c.Clause, request: GateRequest) -> bool:
    """Whether a device is set so already, with nothing done to it."""
    if not isinstance(clause, c.Adjust):
        return False
    named = [e for state in request.screens for e in state.elements if set(tokens(clause.device)) <= set(tokens(e.name))]
    wanted = {"on": "true", "off": "false"}.get(clause.value, clause.value)
    return any(same_value(e.value or "", wanted) for e in named)
