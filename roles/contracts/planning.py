"""What the Manager is asked, and what it answers."""

from __future__ import annotations

from typing import Literal

from environments.cards import AppCard
from protocol import Frozen
from roles.contracts.orders import GoalLedger
from roles.contracts.steering import Note
from roles.contracts.subtasks import AppWords, Subtask, Supplement
from roles.knowledge.memory.facts import Board, Fact


class PlanRequest(Frozen):
    """What the Manager's policy is told."""

    goal: str
    apps: tuple[AppWords, ...] = ()
    cards: tuple[AppCard, ...] = ()
    """What the applications hold and can do."""
    today: str = ""
    """The world's own day and time, as `2026-03-02 10:30`; empty where it has none."""
    plan: tuple[Subtask, ...] = ()
    """The plan so far, with statuses; empty at first. Fulfilled subtasks stay as they are."""
    facts: tuple[Fact, ...] = ()
    trigger: str = "task_open"
    """The signal that led to PLAN."""
    board: Board | None = None
    """As much of the facts as a prompt may be told; all of them where nobody has said how much."""
    failed: str | None = None
    """Id of the subtask that did not work."""
    evidence: tuple[str, ...] = ()
    """What was seen that led here, in words."""
    user_words: tuple[str, ...] = ()
    """What the user said when rejecting or responding, newest last."""
    supplements: tuple[Supplement, ...] = ()
    looked_up: tuple[str, ...] = ()
    """What was looked up or asked so far, whatever came of it; twice what was looked up and then asked."""
    can_ask: bool = False
    """There is a person who wants to be asked what no page says."""
    given_up: tuple[tuple[str, str], ...] = ()
    """Source and title of the pages that were followed in this run and did not help."""
    refused: tuple[str, ...] = ()
    """Descriptions of actions that policy or user will not allow."""
    attempts: int = 1
    """How many plans were asked for, this one included."""
    nearly_spent: tuple[str, ...] = ()
    """Budgets of the run of which little is left, in words."""
    notes: tuple[Note, ...] = ()
    """What the user has said to the crew while it works, newest last."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry, as it stands."""
    given: str = ""
    """How the goal is worked, in plain words that came with it: a policy by rules plans these, and a model plans itself."""


class PageUse(Frozen):
    """What became of something that was looked up: a plan follows it, or why none does."""

    source: str
    title: str
    used: bool = False
    failed: bool = False
    """It was followed, and that did not help: it is not followed again in this run."""
    why: str = ""


class PlanAnswer(Frozen):
    """A plan, or why there is none."""

    outcome: Literal["planned", "nothing_left", "supplement_needed", "plan_failed", "infeasible"]
    subtasks: tuple[Subtask, ...] = ()
    """The whole plan, fulfilled subtasks included."""
    reason: str = ""
    more: bool = False
    """This is a part: when it is fulfilled, the Manager is asked again, with what is known by then."""
    query: str = ""
    """With supplement_needed: what to look for."""
    app: str | None = None
    unread: bool = False
    """With infeasible: the words were not understood, so that another policy may know what to do."""
    ask: bool = False
    """With supplement_needed: only the user can say it; no source is searched."""
    uses: tuple[PageUse, ...] = ()
    """What the policy makes of what was looked up, as far as it says so."""
    goal: str = ""
    """The goal as it is worked, with a page's steps in the place of words that nobody understands; empty: as it was said."""
