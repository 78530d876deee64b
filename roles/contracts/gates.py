"""What the Evaluator is asked at a gate, and its verdict."""

from __future__ import annotations

from environments.cards import AppCard
from protocol import Frozen, VisualState
from roles.contracts.orders import GoalLedger
from roles.contracts.signals import GateDecision, GateTrigger
from roles.contracts.steering import Note
from roles.contracts.subtasks import AppWords, Expectation, StepRecord, Subtask, Supplement
from roles.knowledge.memory.facts import Board, Fact


class CheckedExpectation(Frozen):
    """One expectation, held against what was observed."""

    subtask: str
    expectation: Expectation
    held_before: bool
    """It was so already when the work began."""
    holds: bool
    evidence: tuple[str, ...] = ()
    """What shows it: `state:<id>`, `step:<n>` or `fact:<name>`."""
    missing: str = ""


class GateEvidence(Frozen):
    """What code found out for one gate, before anybody judges."""

    checked: tuple[CheckedExpectation, ...] = ()
    before: str = ""
    after: str = ""
    """`state:<id>` of the screens on which the work began and stands."""
    changed: str = ""
    """The visible difference between the two, in lines; empty where there is none or the first screen is not at hand."""
    picture: str = ""
    """How far the picture of the screen is another one, in words; empty where there are not both."""
    progress: tuple[str, ...] = ()
    """The steps of late that brought a screen that was not there before, as `step:<n>`."""
    steps: int = 0
    failed: int = 0
    idle: int = 0
    """Steps that worked, with nothing to see for it."""
    repeated: int = 0
    """Steps that did again what an earlier one had done."""
    recoveries: int = 0
    unfounded: tuple[str, ...] = ()
    """At the final check: values that were written or sent and that come from nowhere or from elsewhere, in words."""
    undone: tuple[str, ...] = ()
    """Of a subtask of words alone: what is understood of them and was not seen to be done."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry; held against what happened at the final check."""


class GateRequest(Frozen):
    """What the Evaluator's policy is told. Observations only: never the harness's success conditions."""

    trigger: GateTrigger
    goal: str
    subtask: Subtask | None = None
    plan: tuple[Subtask, ...] = ()
    plan_by_user: bool = False
    """Whether a person wrote this plan in a review of it: then it is what they want, whatever else the goal says."""
    steps: tuple[StepRecord, ...] = ()
    """Of this subtask's current attempt; at FINAL_CHECK of the whole run."""
    facts: tuple[Fact, ...] = ()
    board: Board | None = None
    """As much of the facts as a prompt may be told; all of them where nobody has said how much."""
    screens: tuple[VisualState, ...] = ()
    """The latest observation of every application used; the focused one last."""
    earlier: tuple[VisualState, ...] = ()
    """Older observations that the steps refer to, newest first: evidence of what has left the screen."""
    found: GateEvidence | None = None
    """What code makes of all that."""
    held: str = ""
    """Description of the action that waits for this check."""
    summary: str = ""
    """What the worker says."""
    supplements: tuple[Supplement, ...] = ()
    apps: tuple[AppWords, ...] = ()
    """The applications as the goal may call them."""
    cards: tuple[AppCard, ...] = ()
    """What the applications hold and can do."""
    today: str = ""
    """The world's own day and time, as `2026-03-02 10:30`; empty where it has none."""
    looked_up: tuple[str, ...] = ()
    """What was looked up or asked so far."""
    given_up: tuple[tuple[str, str], ...] = ()
    """Source and title of the pages that were followed and did not help."""
    user_words: tuple[str, ...] = ()
    """What the user said when rejecting or responding, newest last."""
    given: tuple[str, ...] = ()
    """Words of a plan that came with the goal: what they say comes from somewhere."""
    earlier_goals: tuple[str, ...] = ()
    """What the user wanted before, and steps of the run were worked for."""
    number: int = 0
    """How many gates the run had before this one."""
    nth: int = 0
    """How many of them had this trigger."""
    reask: str = ""
    """Why the last answer was not usable."""
    notes: tuple[Note, ...] = ()
    """What the user has said while the crew works, newest last."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry, as it stands."""


UNCHECKED = "unchecked; the worker said: "
"""How the reason of a verdict begins that nobody has looked for."""


class GateVerdict(Frozen):
    """A gate decision with its grounds."""

    decision: GateDecision
    reason: str
    evidence: tuple[str, ...] = ()
    """`state:<id>`, `step:<n>` or `fact:<name>`."""
    issues: tuple[str, ...] = ()
    query: str = ""
    """With gate_supplement: what to look for."""


MOST_STEPS = 200
"""Steps of a run that a final check is told."""
