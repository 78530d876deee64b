"""Answers for a run that waits: from somebody who is here, bound to what was asked, or void since a person has acted."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from langgraph.types import Command
from pydantic import ValidationError

from environments.contract import EnvironmentFault, KnownKeys
from orchestrator.control.channel import AnswerRecord, Channel, GivenAnswer, myself
from orchestrator.control.controls import CONTROL
from orchestrator.control.requests import RequestRecord, check_answer, seen_at, settled_by
from orchestrator.errors import USER, UsageProblem
from orchestrator.runs.open_run import OpenRun
from orchestrator.runs.outcome import Approver
from orchestrator.runs.privacy.secrets import answer_to, answer_without, beginning
from orchestrator.tasks.changes import filled_text
from orchestrator.tasks.tasks import answer_of
from protocol import Action, ActionResult, AgentAction, ExecStatus, TargetError, VisualState, describe, parse_action, resolve
from protocol.dsl import DSLError, parse_line
from protocol.prompt_form import whole_form
from roles.contracts import StepRecord
from roles.contracts.requests import QuestionRequest, Request, read_request, screen_of
from roles.journal.actions import action_key
from roles.journal.events import ApprovalEvent, FeedbackEvent, Json, OutcomeEvent
from roles.operator.safety.approval import NOBODY
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
            return ActionResult(exec_status=ExecStatus.ERROR, error=f"{action.verb} is only for the crew")
        context, controls = self._run.context, self._run.controls
        controls.look()
        if said := controls.cancelled():
            raise UsageProblem(f"No further action is done: {said}.")
        journal, before = context.journal, self.look()
        step = max(journal.reached(), context.say.by_hand()) + 1
        key = action_key(journal.run_key, LANE, 0, step)
        element = _element(action, before)
        private = element is not None and context.safety.is_private(element)
        action = journal.sealed(parse_action(action.dump()), before)  # what goes into a private field is held in the vault
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
            verb=effect_verb(action, effect_of(action, _element(action, before), before).value),
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


def _element(action: Action, seen: VisualState) -> Any:
    if action.target is None:
        return None
    try:
        return seen.by_id[resolve(action.target, seen).element_id]
    except TargetError:
        return None


DID = {"approve": "approved it", "reject": "rejected it", "edit": "edited it", "respond": "answered"}
_WAYS = {"terminal": " in another terminal", "desk": " at the desk", "command": " by a command"}


def request_of(waiting: Any) -> Request:
    """What an interrupt of the graph asks. Raises UsageProblem."""
    try:
        return read_request(waiting.value)
    except ValidationError as bad:
        where = ".".join(map(str, bad.errors()[0]["loc"]))
        raise UsageProblem(f"What the run asks was written by another version of deskcrew and cannot be read: {where}") from None


def answering(run: OpenRun, waiting: Any, answer: Mapping[str, Any]) -> Command[Any]:
    """Bind the answer to the action that was shown: by the interrupt's id, and by the action's digest.

    Of several people who answer at once the first is heard.
    """
    request = request_of(waiting)
    answer = answer_without(answer, request, run.context.journal)
    if (who := str(answer["decisions"][0].get("who") or USER)) != NOBODY:
        answer = run.controls.answered(request, answer, who).answer
    decision = {"digest": request.digest, **answer["decisions"][0]}
    return Command(resume={waiting.id: {"decisions": [decision]}})


def asked_first(run: OpenRun, waiting: Sequence[Any]) -> Any:
    """Of what a run waits for, what somebody has answered already; else what was asked first."""
    return next((asked for asked in waiting if run.controls.given(request_of(asked))), waiting[0])


class AnsweredBefore(UsageProblem):
    """Somebody has given another answer."""

    def __init__(self, said: AnswerRecord, told: str) -> None:
        super().__init__(f"Somebody answered before you: {told}.")
        self.said = said


def told_first(run: OpenRun, request: Request, answer: Mapping[str, Any]) -> None:
    """Give this answer. Raises AnsweredBefore."""
    mine = answer_without(answer, request, run.context.journal)
    first = run.controls.answered(request, mine, str(mine["decisions"][0].get("who") or USER))
    if first.answer != mine:
        raise AnsweredBefore(first.said, said_in(first))


def tell_outside(folder: Path, asked: RequestRecord, answer: Mapping[str, Any], who: str) -> AnswerRecord:
    """Give this answer from outside of the run's process. Raises AnsweredBefore, and UsageProblem for one that is not usable."""
    mine = answer_to(folder, answer, asked.request, seen_at(folder, screen_of(asked.request)))
    check_answer(mine, asked.request)
    # What has expired nobody has given: it is in the journal alone.
    if asked.said is not None and asked.said != GivenAnswer(mine, who, 0.0).said:
        raise AnsweredBefore(asked.said, f"{asked.said.who} {DID.get(asked.said.decision, asked.said.decision)}")
    with closing(Channel(folder)) as channel:
        first = channel.answer(asked.id, mine, who)
    if first.answer != mine:
        raise AnsweredBefore(first.said, said_in(first))
    return first.said


def said_in(given: GivenAnswer, *, quiet: bool = False) -> str:
    """Who answered, in which way, and what, in words; `quiet` without what they wrote."""
    way = _WAYS.get(given.answer["decisions"][0].get("way", ""), "")
    words = "" if quiet or not given.said.message else f" ({given.said.message})"
    return f"{given.who} {DID[given.said.decision]}{way}{words}"


def answer_here(run: OpenRun, request: Request, approver: Approver | None) -> Mapping[str, Any] | None:
    """What is answered by somebody who is here; None where the run has to wait for it."""
    stop = run.controls.stop
    given = _given_already(run, request) or _by_the_tasks_user(run, request)
    if given is not None or approver is None or stop.who:
        return given
    stop.at_rest = True
    try:
        with run.line.waiting(), settled_by(lambda: _settled(run, request)):
            answer = approver(request.dump())
    except KeyboardInterrupt:
        if not stop.who:
            raise
        return None
    finally:
        stop.at_rest = False
    if answer is not None:
        return by_whom(answer, "terminal")
    run.controls.look()
    return _given_already(run, request)


def _given_already(run: OpenRun, request: Request) -> Mapping[str, Any] | None:
    """What answers it without anybody who is here: the run was called off, or somebody has answered elsewhere."""
    if said := run.controls.cancelled():
        return {"decisions": [{"type": "reject", "message": said}]}
    first = run.controls.given(request)
    return None if first is None else first.answer


def by_whom(answer: Mapping[str, Any], way: Literal["terminal", "command"]) -> dict[str, Any]:
    """The answer of this machine's user, given in this way, unless it says who gave it."""
    decision, *more = answer["decisions"]
    return {**answer, "decisions": [{"who": myself(), "way": way, **decision}, *more]}


def _settled(run: OpenRun, request: Request) -> str:
    """Why somebody who is asked here need not answer any more, in words; empty while they have to."""
    if (first := run.controls.given(request)) is not None:
        return said_in(first, quiet=isinstance(request, QuestionRequest) and request.private)
    return run.controls.asked_to_stop()


def _by_the_tasks_user(run: OpenRun, request: Request) -> dict[str, Any] | None:
    """The answer to a question, where the run works a task whose user has one."""
    harness = run.record.get("harness")
    if not harness or not isinstance(request, QuestionRequest):
        return None
    question = str(request.about.args.get("question", ""))
    said = answer_of(harness["task"].get("user", {}), question)
    if said is None:
        return None
    return {"decisions": [{"type": "respond", "message": filled_text(said, beginning(run.folder)[0]), "who": "the task's user"}]}


def withdraw(run: OpenRun, asked: Sequence[Any]) -> None:
    """A person who had the run in their hands has made the worker's question void: it decides anew."""
    journal, who = run.context.journal, run.controls.handed_back
    for request in (request_of(waiting) for waiting in asked if who and waiting.value.get("kind") != CONTROL):
        key, digest = request.key, request.digest
        if key.startswith(f"{journal.run_key}/"):
            said: Json = {"decision": "withdrawn", "message": "the run was taken over", "who": who}
            journal.record(ApprovalEvent(**said, key=key, digest=digest), role="user", key=f"withdrawn/{key}")
            journal.approve(key, digest, **said)
            journal.commit()
            run.controls.withdraw(request)
