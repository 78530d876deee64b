"""A person acts in a run's environment: every action is performed once, written down as theirs, and part of what the crew knows.

The crew's own safety policy does not bind the person; what is private stays masked as everywhere.
"""

from __future__ import annotations

from typing import Any

from environments.contract import EnvironmentFault, KnownKeys
from orchestrator.errors import UsageProblem
from orchestrator.runs.open_run import OpenRun
from protocol import Action, ActionResult, AgentAction, ExecStatus, TargetError, VisualState, describe, parse_action, resolve
from protocol.dsl import DSLError, parse_line
from protocol.prompt_form import whole_form
from roles.contracts import StepRecord
from roles.journal.actions import action_key
from roles.journal.events import FeedbackEvent, OutcomeEvent
from roles.safety.effects import effect_of
from roles.screen.dialogs import effect_verb, screen_events, target_name

_LATEST = 64
_SHOWN = 600
"""Tokens of a screen that is shown in a terminal."""
LANE = "by-hand"
"""What stands for the subtask in the keys of a person's actions: no plan can have one of this name at the same step."""


class Takeover:
    """A run that was taken over, open to act in."""

    def __init__(self, run: OpenRun, who: str) -> None:
        self._run = run
        self._who = who
        values = run.graph.get_state(run.config).values
        self._subtask = str(values.get("current") or "")
        self._attempt = int((values.get("statuses") or {}).get(self._subtask, ["", 0])[1])

    def remember(self) -> None:
        """Write down what was done last, where a kill came between the deed and its record: the environment knows the key."""
        journal, environment, step = self._run.context.journal, self._run.context.environment, self._run.context.say.by_hand()
        key = action_key(journal.run_key, LANE, 0, step)
        intent = journal.intent(key) if step else None
        if intent is None or journal.outcome(key) is not None:  # its outcome is committed together with all else of it
            return
        if isinstance(environment, KnownKeys) and key in environment.latest_keys(_LATEST):
            now = self.look()
            result = journal.settle(key, environment.perform(intent.action, key=key))
            self._write(intent.action, result, now, journal.screens.keep(now), key, step, private=True)

    @property
    def run_id(self) -> str:
        return str(self._run.record["run_id"])

    def look(self) -> VisualState:
        """The screen now."""
        return self._run.context.environment.observe()

    def shown(self) -> str:
        return whole_form(self.look(), budget=_SHOWN).text

    def done(self, line: str) -> str:
        try:
            result = self.do(parse_line(line))
        except DSLError as bad:
            return bad.message
        return "" if result.ok else result.error or "it could not be done"

    def do(self, action: AgentAction) -> ActionResult:
        """Perform an action, and write down what came of it."""
        if action.inner:
            return ActionResult(
                exec_status=ExecStatus.ERROR, error=f"{action.verb} is for the crew; nothing is done with it here"
            )
        context, controls = self._run.context, self._run.controls
        controls.look()
        if said := controls.cancelled():
            raise UsageProblem(f"Nothing is done any more: {said}.")
        journal, before = context.journal, self.look()
        step = max(journal.reached(), context.say.by_hand()) + 1
        key = action_key(journal.run_key, LANE, 0, step)
        action, private = self._referred(action, before)
        before_id = journal.screens.keep(before)
        action = journal.intend(key, action).action
        journal.commit()
        controls.did(step)
        try:
            result = context.environment.perform(action, key=key)
        except EnvironmentFault as fault:
            result = ActionResult(exec_status=ExecStatus.ERROR, error=str(fault))
        result = journal.settle(key, result)
        self._write(action, result, before, before_id, key, step, private)
        return result

    def _write(
        self, action: AgentAction, result: ActionResult, before: VisualState, before_id: str, key: str, step: int, private: bool
    ) -> None:
        journal, after = self._run.context.journal, self.look()
        after_id = journal.screens.keep(after)
        place: dict[str, Any] = {"role": "user", "subtask": self._subtask, "step": step}
        line = describe(action, hide_text=private)
        said = OutcomeEvent(line=line, exec_status=result.exec_status.value, error=result.error, key=key, who=self._who)
        journal.record(said, **place, key=f"outcome/{key}")
        shown = tuple(f"{event['kind']}: {event['text']}" for event in screen_events(before, after))
        record = StepRecord(
            **place,
            app=after.app,
            action=action.dump(),
            verb=effect_verb(action, self._effect(action, before)),
            target=target_name(action),
            exec_status=result.exec_status,
            error=result.error,
            before=before_id,
            after=after_id,
            visible_change=before_id != after_id,
            events=shown,
        )
        journal.step(record, self._attempt, key=f"step/{key}")
        feedback = FeedbackEvent(events=list(shown), visible_change=record.visible_change, state_id=after_id)
        journal.record(feedback, **place, key=f"feedback/{key}")
        journal.commit()

    def _referred(self, action: AgentAction, seen: VisualState) -> tuple[AgentAction, bool]:
        """What goes into a private field is held in the vault, and the action holds a reference to it."""
        element = _element(action, seen)
        private = element is not None and self._run.context.safety.is_private(element)
        return self._run.context.journal.sealed(parse_action(action.dump()), seen), private

    def _effect(self, action: Action, seen: VisualState) -> str:
        return effect_of(action, _element(action, seen), seen).value


def _element(action: Action, seen: VisualState) -> Any:
    if action.target is None:
        return None
    try:
        return seen.by_id[resolve(action.target, seen).element_id]
    except TargetError:
        return None
