"""What a run asks of people, read from its journal; and who said what, whether or not the run has heard it yet."""

import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, assert_never

from pydantic import ValidationError

from environments.files.wrong_data import first_problem, problem_told
from orchestrator.control.channel import AnswerRecord, given_to
from orchestrator.errors import UsageProblem
from orchestrator.store.databases import open_read_only
from orchestrator.store.printable import mapping_in
from protocol import AgentAction, JsonObject, TargetError, VisualState, parse_action, resolve
from roles.contracts import requests
from roles.journal.rows import screen_text
from roles.manager.plans import WORK_PLAN, PlanError
from roles.safety.policy import problem_in

_MAPPING = re.compile(r"\s*(?:\{|[\w\"']+\s*:)")
"""How an action as data begins, in JSON or YAML; everything else is a line of the DSL."""


def check_answer(answer: Mapping[str, Any], request: requests.Request | None = None) -> None:
    """Refuse an unusable answer: by its form, and once the request is known by what it answers. Raises UsageProblem."""
    try:
        decision = requests.Answer.model_validate(answer).decisions[0]
        if isinstance(decision, requests.Edit):
            _check_edit(decision, request)
        if decision.constraints is not None and request is not None and not _takes_constraints(request):
            raise UsageProblem("Constraints belong to the answer about an action; this request is not about one.")
    except ValidationError as bad:
        raise UsageProblem(f"The answer is not usable: {problem_in(bad, 'answer').removeprefix('answer.')}") from None
    except PlanError as bad:
        raise UsageProblem(f"The edited plan is not usable: {bad}.") from None


def usable_action(said: JsonObject | str, name: str = "The action") -> AgentAction:
    """An action as it came: data of the protocol, also as JSON or YAML, or a line of the DSL. Raises UsageProblem."""
    import yaml

    from environments.files.yaml_lines import safe_data  # late: who shows a run reads neither YAML nor the DSL
    from protocol.dsl import DSLError, parse_line

    try:
        if isinstance(said, str) and not _MAPPING.match(said):
            return parse_line(said.strip())
        return parse_action(safe_data(said) if isinstance(said, str) else said)
    except DSLError as bad:
        told = bad.message
    except ValidationError as bad:
        first = first_problem(bad)
        told = problem_told(first, tuple(first["loc"])[2:])
    except (yaml.YAMLError, ValueError):
        raise UsageProblem(f"{name} is neither JSON nor YAML; write {{action_type: click, target: {{text: Save}}}}.") from None
    raise UsageProblem(f"{name} is not usable: {told}{'' if told.endswith('?') else '.'}")


def _takes_constraints(request: requests.Request) -> bool:
    match request:
        case requests.ApprovalRequest() | requests.QuestionRequest():
            return True
        case requests.PlanReviewRequest():
            return False
        case _:
            assert_never(request)


def _check_edit(decision: requests.Edit, request: requests.Request | None) -> None:
    edited = decision.edited_action
    if edited is None:
        raise UsageProblem("An edit needs the edited action: action_type and its arguments.")
    is_plan = edited.name == WORK_PLAN
    if not is_plan:
        edited.action()
    if request is None:
        return
    if is_plan != isinstance(request, requests.PlanReviewRequest):
        given, wanted = ("a plan", "an action") if is_plan else ("an action", "a plan (with the key subtasks)")
        raise UsageProblem(f"The edit is {given}, and the run waits for {wanted}.")
    if isinstance(request, requests.ApprovalRequest) and request.request is not None:
        raise UsageProblem("A request of a page cannot be edited: approve or reject it, or respond with words.")
    if isinstance(request, requests.PlanReviewRequest):
        from roles.manager.review import edited_plan

        edited_plan(edited.args, request)


ABOUT = ("approval_requested", "approval", "approval_expired")
"""Kinds of events that tell of what people are asked."""


class RequestRecord(NamedTuple):
    """Something that was asked of people, once."""

    id: str
    """Of this asking: the same again, after it was too late for an answer, has another one."""
    since: float
    request: requests.Request
    """As it is recorded: the exact action or plan, its digest, the rule that asked, how it may be answered."""
    said: AnswerRecord | None
    """What was answered; None while it is open."""
    heard: bool = False
    """Whether the run has taken the answer in."""

    def is_meant(self, name: str) -> bool:
        return name in (self.id, self.request.digest)


class RequestLog:
    """What a run has asked, and what was answered, by events in their order."""

    def __init__(self) -> None:
        self._found: dict[str, RequestRecord] = {}
        self._last: dict[str, str] = {}
        """The latest asking by its key."""

    def hear(self, at: float, kind: str, body: JsonObject) -> None:
        key = str(body.get("key", ""))
        if kind == "approval_requested":
            if (request := requests.request_in(body)) is not None:
                self._found[request.asking] = RequestRecord(request.asking, at, request, None)
                self._last[key] = request.asking
        elif key in self._last and self._found[self._last[key]].said is None:
            said = AnswerRecord(str(body.get("who", "")), str(body.get("decision", "expired")), str(body.get("message", "")))
            self._found[self._last[key]] = self._found[self._last[key]]._replace(said=said, heard=True)

    def all(self) -> list[RequestRecord]:
        """Oldest first."""
        return list(self._found.values())


def asked_of(folder: Path) -> list[RequestRecord]:
    """Everything that a run has asked, oldest first. What cannot be read is left out."""
    askings, marks = RequestLog(), ", ".join("?" * len(ABOUT))
    with suppress(sqlite3.Error, OSError), closing(open_read_only(folder / "journal.sqlite")) as db:
        rows = db.execute(f"SELECT at, kind, body FROM events WHERE kind IN ({marks}) ORDER BY id", ABOUT)  # noqa: S608 - fixed names
        for at, kind, text in rows.fetchall():
            askings.hear(at, kind, mapping_in(text) or {})
    return [with_given(folder, one) for one in askings.all()]


def still_open(folder: Path) -> list[RequestRecord]:
    """What nobody has answered."""
    return [one for one in asked_of(folder) if one.said is None]


def seen_at(folder: Path, state_id: str) -> VisualState | None:
    """A screen as it was written, private content masked; None where it cannot be read."""
    try:
        with closing(open_read_only(folder / "journal.sqlite")) as db:
            asked = "SELECT row FROM observations WHERE state_id = ? ORDER BY row DESC LIMIT 1"
            found = db.execute(asked, (state_id,)).fetchone()
            return VisualState.model_validate_json(screen_text(db, found[0])) if found is not None else None
    except (sqlite3.Error, OSError, ValueError, TypeError, zlib.error):
        return None


def target_box(folder: Path, request: requests.Request) -> list[float] | None:
    """Where on the screen it would be done: left, top, right and bottom in pixels."""
    try:
        target = getattr(request.about.action(), "target", None)
    except ValidationError:
        return None
    seen = seen_at(folder, requests.screen_of(request)) if target is not None else None
    if target is None or seen is None:
        return None
    try:
        box = seen.by_id[resolve(target, seen).element_id].bbox
    except (TargetError, KeyError):
        box = target.bbox
    return None if box is None else [box.x1, box.y1, box.x2, box.y2]


def with_given(folder: Path, one: RequestRecord) -> RequestRecord:
    """With what somebody has answered that the run has not heard yet."""
    found = given_to(folder, one.id) if one.said is None else None
    return one if found is None else one._replace(said=found.said)


class RequestSettled(Exception):
    """What is asked needs no answer from here any more; the text says why, in a few words."""


ELSEWHERE: ContextVar[Callable[[], str] | None] = ContextVar("settled_elsewhere", default=None)


@contextmanager
def settled_by(look: Callable[[], str]) -> Iterator[None]:
    """While somebody is asked here, `look` says what others have done that settles it; nothing as long as they have not."""
    before = ELSEWHERE.set(look)
    try:
        yield
    finally:
        ELSEWHERE.reset(before)


def approving(request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Every approval is given; a question is left open."""
    return None if request["kind"] == "question" else {"decisions": [{"type": "approve"}]}
