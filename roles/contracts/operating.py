"""What the Operator sees before it decides, and the pictures that it may ask for."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from environments.cards import AppCard
from protocol import BoundingBox, Frozen, VisualState
from roles.contracts.orders import GoalLedger
from roles.contracts.steering import Note
from roles.contracts.subtasks import AppWords, StepRecord, Subtask, Supplement
from roles.knowledge.memory.facts import Board, Fact
from roles.skills.contract import Skill
from roles.skills.settings import Way

Granularity = Literal["fine", "coarse"]
"""Whether each of the Operator's twelve stages is a node of its own."""

PictureKind = Literal["clean", "annotated", "last_target", "side_by_side"]


class ScreenPicture(Frozen):
    """A picture that can be had of the screen: what it shows, not its bytes. Who wants them asks the environment."""

    kind: PictureKind
    """As it is; with a mark on every control; with a rectangle around the last target; the first two in one."""
    state_id: str
    marks: tuple[str, ...] = ()
    """Only these elements have a mark, since the last decision asked for them; empty where all controls have one."""
    last: BoundingBox | None = None
    """Of `last_target`: where the target of the last step was."""

    @property
    def ref(self) -> str:
        """A name for it, the same for the same picture."""
        return "/".join([f"picture:{self.state_id}", self.kind, *self.marks])


class OperatorView(Frozen):
    """All that the Operator's policy is given for one decision (seed 001's inputs)."""

    user_request: str
    subtask: Subtask
    app: str | None
    seen: VisualState
    """The screen; its `elements` are what was recognised (the control information)."""
    facts: tuple[Fact, ...] = ()
    """The blackboard."""
    board: Board | None = None
    """As much of the facts as a prompt may be told; all of them where nobody has said how much."""
    history: tuple[StepRecord, ...] = ()
    """Finished steps of this subtask attempt, oldest first; the last ones only when there are many."""
    previous_subtasks: tuple[str, ...] = ()
    previous_plan: tuple[str, ...] = ()
    host_message: str = ""
    retrieved: tuple[Supplement, ...] = ()
    events: tuple[str, ...] = ()
    """Events of the last feedback, as in StepRecord.events."""
    memory: dict[str, Any] = Field(default_factory=dict)
    """What the policy noted in its last decision of this subtask attempt."""
    refused: tuple[str, ...] = ()
    apps: tuple[AppWords, ...] = ()
    cards: tuple[AppCard, ...] = ()
    """What the applications hold and can do."""
    today: str = ""
    """The world's own day and time, as `2026-03-02 10:30`; empty where it has none."""
    before: VisualState | None = None
    """The screen before the last step of this attempt, to tell what that step changed."""
    earlier: tuple[VisualState, ...] = ()
    """Screens of the last steps of this attempt, newest first: evidence of what has left the screen."""
    verbs: tuple[str, ...] = ()
    """What can be done here; empty where that is not known."""
    functions: tuple[str, ...] = ()
    """What can be called beside the surface, a line each: functions of the app's interface, its agent, tools from outside."""
    skills: tuple[Skill, ...] = ()
    """The same in full."""
    prefer: Way = "gui"
    """What is to be tried first where there are several ways."""
    screenshots: tuple[ScreenPicture, ...] = ()
    """Clean, annotated and, after an action on this app, with the last target; none where the environment has no pictures."""
    marks: tuple[str, ...] = ()
    """The elements of which the last decision (SCREENSHOT) wanted to see more clearly; empty where it did not."""
    saved: tuple[VisualState, ...] = ()
    """The latest screens that were kept on the blackboard (`save_screenshot`), private content masked, newest last."""
    context: dict[str, Any] = Field(default_factory=dict)
    """What is needed to act: `page`, `values` that could be entered, `fields` that take them, `assumptions` (seed 000)."""
    meanings: tuple[dict[str, Any], ...] = ()
    """What the elements nearest to the task mean for it, each with its confidence and what can be done with it."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry, as it stands."""
    notes: tuple[Note, ...] = ()
    """What the user has said while the crew works, newest last."""
