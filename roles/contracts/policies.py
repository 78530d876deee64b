"""What the policy of each role is told and answers, and what a person says to the roles while they work."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field

from environments.cards import AppCard
from protocol import BoundingBox, Frozen, JsonObject, OperatorDecision, VisualState
from roles.contracts.facts import Board, Fact
from roles.contracts.orders import GoalLedger
from roles.contracts.signals import GateDecision, GateTrigger, Signal
from roles.contracts.subtasks import AppWords, Expectation, StepRecord, Subtask, Supplement
from roles.skills.contract import Skill, Way

Clock = Callable[[], float]
"""Wall time in seconds; injected, so that a replay does not use its own."""
Addressee = Literal["crew", "manager", "operator", "technician", "analyst", "evaluator"]
ADDRESSEES: tuple[Addressee, ...] = get_args(Addressee)


class Note(Frozen):
    """What a person said to the crew, or to one role of it, while it works."""

    words: str
    to: Addressee = "crew"
    who: str = "user"

    @property
    def for_plans(self) -> bool:
        """Whether a plan is wanted that minds it."""
        return self.to in {"crew", "manager"}


class SteeringInput:
    """What a worker and the hub ask about the people beside the run. Here nobody speaks, and nobody acts beside the crew."""

    def safe_point(self) -> None:
        """Nothing is half done here. Takes in what was asked for by now; where that is to hold still, the graph stops here,
        and comes by again when it goes on."""

    def mark(self) -> dict[str, int]:
        """How far the person's words and turns have come: what was decided under another mark is decided anew."""
        return {}

    def by_hand(self) -> int:
        """The latest step that a person did; 0 where none was."""
        return 0

    def notes(self, role: str) -> tuple[Note, ...]:
        """What was said to this role and to the crew, the newest last."""
        return ()

    def unplanned(self) -> str:
        """Words that no plan has minded yet, or nothing."""
        return ""

    def planned(self) -> None:
        """The Manager is told of all there is."""


def notes_told(notes: Sequence[Note]) -> str:
    """Notes as a model is told them: they are the user's own words, and no data."""
    if not notes:
        return ""
    words = "; ".join(f'"{" ".join(note.words.split())}"' for note in notes)
    return f"The user has said while you work: {words}. This counts as much as the goal, and the last words count most."


class _Request(Frozen):
    """The common input of the policies of all roles."""

    facts: tuple[Fact, ...] = ()
    """The blackboard."""
    board: Board | None = None
    """The facts that a prompt may contain; all of them unless a cap is set."""
    notes: tuple[Note, ...] = ()
    """What the user said while the crew works, newest last."""


class _WorldRequest(_Request):
    """The common input of policies that see or plan for the world's applications."""

    apps: tuple[AppWords, ...] = ()
    """The applications as the goal may call them."""
    cards: tuple[AppCard, ...] = ()
    """What the applications contain and can do."""
    today: str = ""
    """The world's own date and time, as `2026-03-02 10:30`; empty if it has none."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry, with the current state."""


class CheckedExpectation(Frozen):
    """One expectation, compared with the observations."""

    subtask: str
    expectation: Expectation
    held_before: bool
    """It already held when the work began."""
    holds: bool
    evidence: tuple[str, ...] = ()
    """What shows it: `state:<id>`, `step:<n>` or `fact:<name>`."""
    missing: str = ""


class GateEvidence(Frozen):
    """What code determined for one gate, before the policy judges."""

    checked: tuple[CheckedExpectation, ...] = ()
    before: str = ""
    after: str = ""
    """`state:<id>` of the screens at the start of the work and now."""
    picture: str = ""
    """How the picture of the screen has changed, in words; empty unless there are both."""
    progress: tuple[str, ...] = ()
    """The recent steps that led to a new screen, as `step:<n>`."""
    steps: int = 0
    failed: int = 0
    idle: int = 0
    """Steps that succeeded without a visible result."""
    repeated: int = 0
    """Steps that repeated an earlier one."""
    recoveries: int = 0
    unfounded: tuple[str, ...] = ()
    """At the final check: written or sent values without a source, or from another source, in words."""
    undone: tuple[str, ...] = ()
    """For a subtask without typed steps: its understood orders that were not observed to be done."""
    ledger: GoalLedger | None = None
    """What the goal asks for, entry by entry; at the final check compared with what happened."""


class GateRequest(_WorldRequest):
    """The input of the Evaluator's policy. Observations only, never the harness's success conditions."""

    trigger: GateTrigger
    goal: str
    subtask: Subtask | None = None
    plan: tuple[Subtask, ...] = ()
    plan_by_user: bool = False
    """Whether a person wrote this plan in its review: then it is what they want, whatever else the goal says."""
    steps: tuple[StepRecord, ...] = ()
    """The steps of this subtask's current attempt; at FINAL_CHECK of the whole run."""
    run: tuple[StepRecord, ...] = ()
    """The steps of the whole run, at every gate."""
    screens: tuple[VisualState, ...] = ()
    """The latest observation of every application used; the focused one last."""
    earlier: tuple[VisualState, ...] = ()
    """Older observations that the steps refer to, newest first: evidence of what is no longer on the screen."""
    found: GateEvidence | None = None
    """The evidence that code derived from all that."""
    held: str = ""
    """Description of the action that waits for this check."""
    summary: str = ""
    """The worker's report."""
    supplements: tuple[Supplement, ...] = ()
    looked_up: tuple[str, ...] = ()
    """What was looked up or asked so far."""
    given_up: tuple[tuple[str, str], ...] = ()
    """Source and title of followed pages that did not help."""
    user_words: tuple[str, ...] = ()
    """What the user said when rejecting or responding, newest last."""
    given: tuple[str, ...] = ()
    """Words of a plan that came with the goal: values in them have a source."""
    earlier_goals: tuple[str, ...] = ()
    """Earlier goals of the user for which steps of the run were worked."""
    number: int = 0
    """How many gates the run had before this one."""
    nth: int = 0
    """How many of them had this trigger."""
    continued: bool = False
    """Whether the subtask's worker has reported success before, and was to go on."""
    reask: str = ""
    """Why the last answer was unusable."""


UNCHECKED = "unchecked; the worker said: "
"""Prefix of the reason of a verdict without evidence."""
UNREAD = "not understood: "
"""Prefix of the reason of a worker that could not read its subtask: nothing was tried, and another policy may."""


Confidence = Literal["", "low", "medium", "high"]


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
    confidence: Confidence = ""
    """How sure a model says that it is; rules say nothing."""


MOST_STEPS = 200
"""The maximum number of steps in the input of a final check."""


class PlanRequest(_WorldRequest):
    """The input of the Manager's policy."""

    goal: str
    plan: tuple[Subtask, ...] = ()
    """The plan so far, with statuses; empty at first. Fulfilled subtasks stay as they are."""
    trigger: str = "task_open"
    """The signal that led to PLAN."""
    failed: str | None = None
    """Id of the subtask that failed."""
    evidence: tuple[str, ...] = ()
    """The observations that led here, in words."""
    user_words: tuple[str, ...] = ()
    """What the user said when rejecting or responding, newest last."""
    supplements: tuple[Supplement, ...] = ()
    looked_up: tuple[str, ...] = ()
    """What was looked up or asked so far, whatever the result; twice if looked up and then asked."""
    can_ask: bool = False
    """A person may be asked what no page says."""
    given_up: tuple[tuple[str, str], ...] = ()
    """Source and title of pages that were followed in this run and did not help."""
    refused: tuple[str, ...] = ()
    """Descriptions of actions that policy or user will not allow."""
    attempts: int = 1
    """How many plans were requested, including this one."""
    nearly_spent: tuple[str, ...] = ()
    """Budgets of the run that are nearly spent, in words."""
    given: str = ""
    """Plain words that came with the goal and say how to work it: rules plan these, a model plans the goal itself."""


class PageUse(Frozen):
    """The use of something that was looked up: a plan follows it, or the reason why none does."""

    source: str
    title: str
    used: bool = False
    failed: bool = False
    """It was followed without success: it is not followed again in this run."""
    why: str = ""


class PlanAnswer(Frozen):
    """A plan, or why there is none."""

    outcome: Literal["planned", "nothing_left", "supplement_needed", "plan_failed", "infeasible"]
    subtasks: tuple[Subtask, ...] = ()
    """The whole plan, fulfilled subtasks included."""
    reason: str = ""
    more: bool = False
    """This is a part: when it is fulfilled, the Manager is asked again, with the facts known by then."""
    query: str = ""
    """With supplement_needed: what to look for."""
    app: str | None = None
    unread: bool = False
    """With infeasible: the words were not understood, so another policy may succeed."""
    ask: bool = False
    """With supplement_needed: only the user knows it; no source is searched."""
    uses: tuple[PageUse, ...] = ()
    """How the policy uses what was looked up, as far as it says."""
    goal: str = ""
    """The goal as worked, with a page's steps in place of words that are not understood; empty: as stated."""


Granularity = Literal["fine", "coarse"]
"""Whether each of the Operator's twelve stages is a node of its own."""

PictureKind = Literal["clean", "annotated", "last_target", "side_by_side"]


class ScreenPicture(Frozen):
    """A reference to a picture of the screen: what it shows, not its bytes, which the environment supplies."""

    kind: PictureKind
    """Unchanged; with a mark on every control; with a rectangle around the last target; the first two in one."""
    state_id: str
    marks: tuple[str, ...] = ()
    """Only these elements have a mark, as the last decision requested; empty if all controls have one."""
    last: BoundingBox | None = None
    """With `last_target`: the place of the last step's target."""


class OperatorView(_WorldRequest):
    """The input of the Operator's policy for one decision (seed 001's inputs)."""

    user_request: str
    subtask: Subtask
    step: int = 0
    """The number of the next action; 0 if unknown."""
    app: str | None
    seen: VisualState
    """The screen; its `elements` are the recognised ones (the control information)."""
    history: tuple[StepRecord, ...] = ()
    """Finished steps of this subtask attempt, oldest first; if there are many, only the last ones."""
    previous_subtasks: tuple[str, ...] = ()
    previous_plan: tuple[str, ...] = ()
    host_message: str = ""
    retrieved: tuple[Supplement, ...] = ()
    events: tuple[str, ...] = ()
    """Results of the last step, older messages still on the screen, skipped actions, what the user said instead of approving."""
    memory: JsonObject = Field(default_factory=dict)
    """What the policy noted in its last decision of this subtask attempt."""
    refused: tuple[str, ...] = ()
    before: VisualState | None = None
    """The screen before the last step of this attempt, to tell what that step changed."""
    earlier: tuple[VisualState, ...] = ()
    """Screens of the last steps of this attempt, newest first: evidence of what is no longer on the screen."""
    verbs: tuple[str, ...] = ()
    """The possible verbs; empty if unknown."""
    functions: tuple[str, ...] = ()
    """What can be called, a line each: functions of the app's interface, its agent, external tools."""
    skills: tuple[Skill, ...] = ()
    """The same in full."""
    prefer: Way = "gui"
    """The preferred kind of skill."""
    screenshots: tuple[ScreenPicture, ...] = ()
    """Clean, annotated and, after an action on this app, with the last target; empty if the environment has no pictures."""
    marks: tuple[str, ...] = ()
    """The elements that the last decision (SCREENSHOT) wanted marked; empty if it did not."""
    saved: tuple[VisualState, ...] = ()
    """The latest screens that were kept on the blackboard (`save_screenshot`), private content masked, newest last."""
    context: JsonObject = Field(default_factory=dict)
    """The context of the action: `page`, `values` that could be entered, `fields` that accept them, `assumptions` (seed 000)."""
    meanings: tuple[JsonObject, ...] = ()
    """The meaning for the task of the elements nearest to it, each with its confidence and possible actions."""


class Report(BaseModel):
    """The report with which every role ends."""

    model_config = ConfigDict(extra="forbid")

    signal: Signal
    summary: str = ""
    evidence: list[str] = Field(default_factory=list)
    facts: list[str] = Field(default_factory=list)
    """Names of new facts on the blackboard."""
    held_action: JsonObject | None = None
    """An action that waits for a gate."""
    query: str = ""
    app: str | None = None
    """The application that the query is about."""
    ask: bool = False
    """Whether the query is for the user alone."""
    user_words: str = ""
    """What the user said instead of approving."""
    refused: str = ""
    """The action that the safety policy or the user did not allow, in words."""


class AnalystRequest(_Request):
    """The input of the Analyst's policy: a question and all that the crew knows. It sees no screen and performs no actions."""

    goal: str
    subtask: Subtask
    """Its instruction is the question."""
    supplements: tuple[Supplement, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    """Run memory: the latest steps of the whole run."""
    reask: str = ""
    """Why the last answer was unusable."""


class Result(Frozen):
    """One result, with the facts on which it is based."""

    name: str
    """Its name on the blackboard."""
    value: str
    kind: str = "text"
    """number, money, date, text, truth, list or table."""
    used: tuple[str, ...] = ()
    """Names of facts: the citations."""
    working: str = ""
    """How it was computed."""


class Answer(Frozen):
    """The Analyst's answer: results, or what is missing for them."""

    results: tuple[Result, ...] = ()
    missing: tuple[str, ...] = ()
    """The missing facts, in words. Without results the question is not answered."""
    reason: str = ""
    advice: str = ""
    """A recommendation, if one was requested."""


class Script(Frozen):
    """Code for the sandbox."""

    language: Literal["bash", "python"] = "bash"
    code: str = Field(min_length=1, max_length=100_000)
    why: str = ""


class RanScript(Frozen):
    """A script that was run in this subtask attempt, with its result."""

    script: Script
    exit_code: int
    stdout: str = ""
    stderr: str = ""
    changed: tuple[str, ...] = ()
    """Paths of the user's files that it changed."""
    error: str = ""
    """Why it failed, in one sentence; a failed script has changed nothing."""


class ScriptRequest(_Request):
    """The input of the Technician's policy."""

    goal: str
    subtask: Subtask
    files: tuple[str, ...] = ()
    """Absolute paths of the user's files; folders end with a slash. A script finds them there, or without the first slash."""
    ran: tuple[RanScript, ...] = ()
    """Scripts so far, oldest first."""
    refused: tuple[str, ...] = ()


class ScriptAnswer(Frozen):
    """The next script, or that there is none."""

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
    """A source in which the Manager looks things up: help documents, a search, a person."""

    name: str

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]: ...
