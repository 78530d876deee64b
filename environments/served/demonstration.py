"""What a person does in a world, written down as a protocol log: one step a line, on the disk before the next one."""

from pathlib import Path
from typing import IO, cast

from environments.contract import EnvironmentFault
from protocol import Action, ActionResult, AgentAction, InteractionStep, VisualState, target_element
from protocol.log.log import step_json

MASK = "•••"


class Demonstration:
    """A log that grows. Raises EnvironmentFault when the file is there already or cannot be written."""

    def __init__(self, path: Path, run_id: str) -> None:
        self.path = path
        self._run_id, self.goal = run_id, ""
        self._start = 1
        self._count = 0
        try:
            self._file: IO[str] = path.open("x", encoding="utf-8", newline="\n")
        except FileExistsError:
            raise EnvironmentFault(f"{path} is there already; name a new file for the recording.") from None
        except OSError as bad:
            raise EnvironmentFault(f"{path} cannot be written: {bad.strerror}.") from None

    def begin(self, goal: str) -> None:
        """The world was set back: what follows is a run of its own."""
        if self._count:
            self._start, self._count = self._start + 1, 0
        self.goal = goal

    def add(self, before: VisualState, action: Action, result: ActionResult, after: VisualState, role: str) -> None:
        """Write a step, and have it leave this process before anything else is done."""
        self._count += 1
        hidden = (e.model_copy(update={"value": MASK}) if e.private and e.value else e for e in before.elements)
        step = InteractionStep(
            timestamp=before.timestamp,
            visual_state=before.model_copy(update={"elements": tuple(hidden)}),
            action=cast(AgentAction, _said(action, before)),
            step=self._count,
            run_id=self._run_id if self._start == 1 else f"{self._run_id}-{self._start}",
            subtask=self.goal,
            role=role,
            result=result,
            state_id=before.state_id,
            after_state_id=after.state_id,
            visible_change=before.state_id != after.state_id,
        )
        self._file.write(step_json(step) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def _said(action: Action, state: VisualState) -> Action:
    """The action without what goes into a private field."""
    element = target_element(action.target, state) if action.target else next((e for e in state.elements if e.focused), None)
    if element is None or not element.private or not getattr(action, "text", ""):
        return action
    return action.model_copy(update={"text": MASK})
