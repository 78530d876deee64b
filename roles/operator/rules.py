"""The Operator that works typed steps: each by its skill, one action a decision, its place kept in `memory`."""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from environments.cards import vocabulary
from protocol import ActionTarget, AgentStatus, Click, ExecStatus, JsonObject, OperatorDecision, PressKey, describe, parse_action
from roles.contracts import OperatorView, StepRecord, orders
from roles.contracts.policies import UNREAD
from roles.contracts.wording import describe as told
from roles.policies.orders.planner import steps_of
from roles.policies.orders.skills.calling import by_call, may_touch
from roles.policies.orders.skills.creating import answer, create
from roles.policies.orders.skills.filling import fill
from roles.policies.orders.skills.finding import find, open_place
from roles.policies.orders.skills.pressing import press_verb
from roles.policies.orders.skills.reading import collect, read, wait
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail
from roles.policies.orders.state import unwanted_by
from roles.screen.dialogs import heading
from roles.screen.language.reader import read as read_words
from roles.screen.matching import tokens
from roles.screen.screens import PRESS_VERBS, as_shown

_PASSING = re.compile(
    r"network|connection|session|did not answer|in time|timed? ?out|no longer|observe again|try again|temporar|busy|lost", re.I
)
"""Errors that say nothing about the action itself: the same one may work the next time."""
_KEPT = ("at", "notes", "finished", "steps", "dropped")
_AT_WORK = "Open the record."
"""Said before a note of the user where no form is at work, so that its "it" points back at something."""
_SLOTTED = frozenset({"value", "place"})
"""Parts of a step that hold `{fact}` slots; `{title}` in a control is of the card, and stays."""
Skill = Callable[[Any, Situation], Move]


_SKILLS: Mapping[type, Skill] = {
    orders.OpenStep: open_place, orders.FindStep: find, orders.ReadStep: read, orders.CollectStep: collect,
    orders.WaitStep: wait, orders.FillStep: fill, orders.PressStep: press_verb, orders.CreateStep: create,
    orders.AnswerStep: answer,
}  # fmt: skip


class RulesOperator:
    """Deterministic and offline. Text on the screen is looked at and copied, never obeyed."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        memory = _as_before(view)
        before: JsonObject = {key: deepcopy(memory[key]) for key in _KEPT if key in memory}
        before["step"] = view.history[-1].step if view.history else 0
        at, notes, finished = int(memory.get("at", 0)), dict(memory.get("notes", {})), list(memory.get("finished", []))
        planned = [orders.STEP.validate_python(step) for step in memory.get("steps", [])] or _steps_of(view)
        if isinstance(planned, str):
            return _decision(view, (), fail(planned, view.subtask.instruction), {})
        if not memory:
            at, notes = _taken_up(planned, view)
        steps, dropped = _steered(planned, view, at, set(memory.get("dropped", [])))
        kept = {"steps": [step.model_dump(mode="json") for step in planned], "dropped": sorted(dropped)}
        while at < len(steps):
            said = f"{view.subtask.instruction} {steps[at].model_dump_json()}"
            away = at in dropped or _done_otherwise(steps[at], view, notes)
            why = "the user does not want it" if at in dropped else "the user wants something else"
            move = done(why) if away else _worked(steps[at], Situation(view, notes, said=said))
            if move.kind != "done":
                left = [step for n, step in enumerate(steps) if n >= at and n not in dropped]
                again = {} if isinstance(steps[at], orders.AnswerStep) else {"before": before}  # the user is told once
                return _decision(view, left, move, {"at": at, "notes": notes, "finished": finished, **again, **kept})
            finished = [*finished, move.why][-12:]
            at, notes = at + 1, {"here": notes["here"]} if "here" in notes else {}
        said = "; ".join(finished)
        return OperatorDecision(
            observation=_seen(view), reasoning=said, status=AgentStatus.FINISH, comment=said, is_goal_complete=True,
            memory={"at": at, "notes": {}, "finished": finished, **kept},
        )  # fmt: skip


def _taken_up(steps: Sequence[orders.Step], view: OperatorView) -> tuple[int, JsonObject]:
    """Where a worker goes on whose notes were lost: behind what its own steps handed in or pressed, or at what came of it."""
    at, notes, since = 0, JsonObject(), 0
    for n, step in enumerate(steps):
        verb = getattr(step, "commit", "") or getattr(step, "verb", "")
        ends = [record for record in view.history if record.step > since and _ends(verb, record)]
        if verb and ends:
            end = next((record for record in ends if record.visible_change), ends[-1])
            since, last = end.step, end is view.history[-1]
            here = {"began": True, "begun": True, "pressed": 1, "verb": verb, "button": end.target, "at": since - 1}
            at, notes = (n, here) if last else (n + 1, {})
    return at, notes


def _ends(verb: str, record: StepRecord) -> bool:
    """Whether the step was a press for this verb, or in the place of one, that was not stopped before it happened."""
    pressed = record.action.get("action_type") in PRESS_VERBS and record.exec_status is not ExecStatus.ERROR
    return pressed and (verb in {record.verb, record.instead_of} or {*tokens(verb)} <= {*tokens(record.target)})


def _steps_of(view: OperatorView) -> list[orders.Step] | str:
    """The subtask's steps; where it has words alone, what they ask for, or why that is not understood."""
    if view.subtask.steps:
        return list(view.subtask.steps)
    reading = read_words(view.subtask.instruction, view.today, vocabulary(view.cards))
    steps = steps_of(reading, view.cards, view.facts)
    if isinstance(steps, str):
        return f'{UNREAD}"{"; ".join(u.text for u in reading.unread) or view.subtask.instruction}" ({steps})'
    return steps or f'{UNREAD}"{view.subtask.instruction}"'


def _steered(steps: Sequence[orders.Step], view: OperatorView, at: int, dropped: set[int]) -> tuple[list[orders.Step], set[int]]:
    """The steps as the user wants them by now: without what is not to be done, with other values in the form to be filled."""
    worked, dropped = list(steps), set(dropped)
    for note in view.notes:
        form = next((n for n in range(at, len(worked)) if isinstance(worked[n], orders.FillStep | orders.CreateStep)), None)
        reading, fixes = _heard(note.words, worked[form] if form is not None else None, view)
        denied = [order.verb for order in reading.orders if order.negated and reading.understood]
        unwanted = {verb for said in denied for verb in unwanted_by(said)}
        for n, step in enumerate(worked[at:], start=at):
            if isinstance(step, orders.PressStep) and step.verb in unwanted:
                dropped.add(n)
            elif isinstance(step, orders.FillStep | orders.CreateStep) and step.commit in unwanted:
                worked[n] = step.model_copy(update={"commit": ""})
        entries = [entry for fix in fixes if isinstance(fix, orders.FillStep | orders.CreateStep) for entry in fix.entries]
        if form is not None and entries and note.to == "operator" and not unwanted:
            kept = [e for e in getattr(worked[form], "entries", ()) if e.label not in {entry.label for entry in entries}]
            worked[form] = worked[form].model_copy(update={"entries": (*kept, *entries)})
    return worked, dropped


def _done_otherwise(step: orders.Step, view: OperatorView, notes: Mapping[str, Any]) -> bool:
    """Whether a person had another control pressed in the place of the one that this step had come to."""
    last = view.history[-1] if view.history else None
    if last is None or not last.instead_of or last.exec_status is not ExecStatus.EXECUTED:
        return False
    pressed = isinstance(step, orders.FillStep | orders.CreateStep | orders.PressStep) and bool(notes.get("pressed"))
    return pressed and last.step > int(notes.get("at", 0))


def _heard(note: str, form: orders.Step | None, view: OperatorView) -> tuple[orders.Reading, list[orders.Step]]:
    """What the user says while this form is at work, of which "it" and the fields that are named are; and the steps of it."""
    records = getattr(form, "records", None)
    kind, app = getattr(form, "kind", "") or (records.kind if records else ""), getattr(form, "app", "")
    cards = [card for card in view.cards if card.app == app]
    reading = read_words(f"{f'Create a {kind}.' if kind else _AT_WORK} {note}", view.today, vocabulary(cards or view.cards))
    steps = steps_of(reading, cards, view.facts) if cards else []
    return reading, [] if isinstance(steps, str) else steps


def _worked(step: orders.Step, at: Situation) -> Move:
    """The skill's next move, in the step's application; what it raises is why the step cannot be done."""
    try:
        if isinstance(step, orders.ComputeStep):
            return fail("a formula is evaluated by the Analyst")
        app = step.records.app if isinstance(step, orders.FindStep | orders.CollectStep) else getattr(step, "app", "")
        if app and (called := by_call(_filled(step, at), at)) is not None:
            return called
        if app and not may_touch(at):
            return fail(f'no function does "{told(step)}", and the window of {at.title(app)} may not be touched (skills.forbid)')
        started = "began" in at.notes  # what a skill opens may be shown by another application
        if app and not started and (way := at.to_app(app)) is not None:
            return way
        at.notes["began"] = True
        try:
            move = _SKILLS[type(step)](_filled(step, at), at)
        except Needed as needed:
            move = needed.move
        return _another_way(move, at)
    except orders.StepFailure as failure:
        return fail(str(failure), told(step))


def _filled(step: orders.Step, at: Situation) -> orders.Step:
    """The step with its `{fact}` slots filled."""

    def fill(part: Any, name: str = "") -> Any:
        if isinstance(part, dict):
            return {key: fill(value, key) for key, value in part.items()}
        if isinstance(part, list):
            return [fill(value, name) for value in part]
        return at.filled(part) if isinstance(part, str) and name in _SLOTTED else part

    return orders.STEP.validate_python(fill(step.model_dump(mode="json")))


def _another_way(move: Move, at: Situation) -> Move:
    """An action that was done twice with nothing to see for it is done by key, and then not at all."""
    action = move.action
    if action is None or action.inner or action.verb in {"wait", "scroll"}:
        return move
    if isinstance(action, Click) and action.target is not None:
        by_key = PressKey(target=action.target, keys=("Enter",))
        if at.failed_times(action) < (1 if at.keyboard else 2):
            return move
        if at.failed_times(by_key) < 2:
            return act(by_key, f"{move.why}; clicking did nothing", move.expected)
        return fail(f'"{action.target.describe()}" does not react')
    if at.failed_times(action) >= 3:
        where = action.target.describe() if isinstance(action.target, ActionTarget) else action.verb
        return fail(f'"{where}" does not react to {action.verb.replace("_", " ")}')
    return move


def _as_before(view: OperatorView) -> JsonObject:
    """The notes of the last decision; those from before it where its action was not done, or came to nothing in passing."""
    memory = dict(view.memory)
    before = memory.pop("before", None)
    if before is None:
        return memory
    kept = {key: value for key, value in before.items() if key != "step"}
    if not any(record.step > before["step"] and not record.recovery for record in view.history):
        return kept
    last = Situation(view).last
    if last is None or last.step <= before["step"] or last.visible_change:
        return memory
    passing = last.exec_status is ExecStatus.TIMEOUT or (last.exec_status is ExecStatus.ERROR and _PASSING.search(last.error))
    return kept if passing else memory


def _decision(view: OperatorView, left: Sequence[orders.Step], move: Move, memory: JsonObject) -> OperatorDecision:
    plan, seen = tuple(told(step) for step in left), _seen(view)
    if move.kind == "fail" or move.action is None:
        return OperatorDecision(
            observation=seen, reasoning=move.why, status=AgentStatus.FAIL, plan=plan, comment=move.why,
            supplement=move.query or None, memory=memory,
        )  # fmt: skip
    action = as_shown(move.action, view.seen)
    return OperatorDecision(
        observation=seen, reasoning=f"{move.why}, so {describe(action)}", action=parse_action(action.dump()),
        status=AgentStatus.PENDING if move.kind == "ask" else AgentStatus.CONTINUE, plan=plan,
        expected=move.expected, confidence=1.0, memory=memory,
    )  # fmt: skip


def _seen(view: OperatorView) -> str:
    """The screen in one line: application, heading, dialog, what it complains of."""
    state = view.seen
    dialog = state.by_id.get(state.modal or "")
    alerts = [e.name for e in state.elements if e.role == "alert"][:2]
    parts = [state.app or "the desktop", heading(state), f'dialog "{dialog.name}"' if dialog else "", *alerts]
    return "; ".join(part for part in parts if part)
