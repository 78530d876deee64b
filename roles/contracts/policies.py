"""What the policy of each role is told and answers: the Operator, the Manager, the Evaluator, the Analyst, the Technician."""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from environments.cards import AppCard
from protocol import BoundingBox, Frozen, JsonObject, OperatorDecision, VisualState
from roles.contracts.facts import Board, Fact
from roles.contracts.orders import GoalLedger
from roles.contracts.signals import GateDecision, GateTrigger, Signal
from roles.contracts.steering import Note
from roles.contracts.subtasks import AppWords, Expectation, StepRecord, Subtask, Supplement
from roles.skills.contract import Skill, Way


class _Request(Frozen):
    """What the policy of any role is told."""

    facts: tuple[Fact, ...] = ()
    """The blackboard."""
    board: Board | None = None
    """As much of the facts as a prompt may be told; all of them where nobody has said how much."""
    notes: tuple[Note, ...] = ()
    """What the user has said while the crew works, newest last."""


class _WorldRequest(_Request):
    """What is told to those who see or plan for the world's applications."""

    apps: tuple[AppWords, ...] = ()
    """The applications as the goal may call them."""
    cards: tuple[AppCard, ...] = ()
    """What the applications hold and can do."""
    today: str = ""
    """The world's own day and time, as `2026-03-02 10:30`; empty where it has none."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry, as it stands."""


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


class GateRequest(_WorldRequest):
    """What the Evaluator's policy is told. Observations only: never the harness's success conditions."""

    trigger: GateTrigger
    goal: str
    subtask: Subtask | None = None
    plan: tuple[Subtask, ...] = ()
    plan_by_user: bool = False
    """Whether a person wrote this plan in a review of it: then it is what they want, whatever else the goal says."""
    steps: tuple[StepRecord, ...] = ()
    """Of this subtask's current attempt; at FINAL_CHECK of the whole run."""
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
    refused: bool = False
    """With gate_fail at the final check: nothing that the goal asks was done, and nothing of it is to be done."""


MOST_STEPS = 200
"""Steps of a run that a final check is told."""


class PlanRequest(_WorldRequest):
    """What the Manager's policy is told."""

    goal: str
    plan: tuple[Subtask, ...] = ()
    """The plan so far, with statuses; empty at first. Fulfilled subtasks stay as they are."""
    trigger: str = "task_open"
    """The signal that led to PLAN."""
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


class OperatorView(_WorldRequest):
    """All that the Operator's policy is given for one decision (seed 001's inputs)."""

    user_request: str
    subtask: Subtask
    step: int = 0
    """The number that the next action has; 0 where that is not known."""
    app: str | None
    seen: VisualState
    """The screen; its `elements` are what was recognised (the control information)."""
    history: tuple[StepRecord, ...] = ()
    """Finished steps of this subtask attempt, oldest first; the last ones only when there are many."""
    previous_subtasks: tuple[str, ...] = ()
    previous_plan: tuple[str, ...] = ()
    host_message: str = ""
    retrieved: tuple[Supplement, ...] = ()
    events: tuple[str, ...] = ()
    """What the last step brought, what is older and still on the screen, what was not done, what the user said instead of yes."""
    memory: JsonObject = Field(default_factory=dict)
    """What the policy noted in its last decision of this subtask attempt."""
    refused: tuple[str, ...] = ()
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
    context: JsonObject = Field(default_factory=dict)
    """What is needed to act: `page`, `values` that could be entered, `fields` that take them, `assumptions` (seed 000)."""
    meanings: tuple[JsonObject, ...] = ()
    """What the elements nearest to the task mean for it, each with its confidence and what can be done with it."""


class Report(BaseModel):
    """What every role ends with."""

    model_config = ConfigDict(extra="forbid")

    signal: Signal
    summary: str = ""
    evidence: list[str] = Field(default_factory=list)
    facts: list[str] = Field(default_factory=list)
    """Names of facts that are new on the blackboard."""
    held_action: JsonObject | None = None
    """An action that waits for a gate."""
    query: str = ""
    user_words: str = ""
    """What the user said instead of approving."""
    refused: str = ""
    """The action that policy or user did not allow, in words."""


class AnalystRequest(_Request):
    """What the Analyst's policy is told: a question and all that the crew remembers. It sees no screen and acts on nothing."""

    goal: str
    subtask: Subtask
    """Its instruction is the question."""
    supplements: tuple[Supplement, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    """Run memory: the latest steps of the whole run."""
    reask: str = ""
    """Why the last answer was not usable."""


class Result(Frozen):
    """One thing that was found out, with the facts it rests on."""

    name: str
    """Under which it stands on the blackboard."""
    value: str
    kind: str = "text"
    """number, money, date, text, truth, list or table."""
    used: tuple[str, ...] = ()
    """Names of facts: the citations."""
    working: str = ""
    """How it was worked out."""


class Answer(Frozen):
    """What the Analyst says: results, or what is missing for them."""

    results: tuple[Result, ...] = ()
    missing: tuple[str, ...] = ()
    """What would have to be known, in words. Without results the question is not answered."""
    reason: str = ""
    advice: str = ""
    """A recommendation, where one was asked for."""


class Script(Frozen):
    """Code for the sandbox."""

    language: Literal["bash", "python"] = "bash"
    code: str = Field(min_length=1, max_length=100_000)
    why: str = ""


class RanScript(Frozen):
    """A script of this subtask attempt that was run, and what came of it."""

    script: Script
    exit_code: int
    stdout: str = ""
    stderr: str = ""
    changed: tuple[str, ...] = ()
    """Paths of the user's files that are otherwise since."""
    error: str = ""
    """Why it did not work, in one sentence; a script that did not work has changed nothing."""


class ScriptRequest(_Request):
    """What the Technician's policy is told."""

    goal: str
    subtask: Subtask
    files: tuple[str, ...] = ()
    """Absolute paths of the user's files; folders end with a slash. A script finds them there, or without the first slash."""
    ran: tuple[RanScript, ...] = ()
    """Scripts so far, oldest first."""
    refused: tuple[str, ...] = ()


class ScriptAnswer(Frozen):
    """The next script, or that there is no next one."""

    outcome: Literal["run", "done", "cannot"]
    script: Script | None = None
    reason: str = ""


class ManagerPolicy(Protocol):
    def plan(self, request: PlanRequest) -> PlanAnswer: ...


class OperatorPolicy(Protocol):
    def decide(self, view: OperatorView) -> OperatorDecision: ...


class EvaluatorPolicy(Protocol):
    def judge(self, request: GateRequest) -> GateVerdict: ...


class AnalystPolicy(Protocol):
    def answer(self, request: AnalystRequest) -> Answer: ...


class TechnicianPolicy(Protocol):
    def write(self, request: ScriptRequest) -> ScriptAnswer: ...


class SupplementSource(Protocol):
    """Where the Manager looks things up: help documents, a search, a person."""

    name: str

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]: ...


class Clock(Protocol):
    """Wall time in seconds; injected, so that a replay has none of its own."""

    def __call__(self) -> float: ...
