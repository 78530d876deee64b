"""Microsoft UFO's answers: of its AppAgent and HostAgent, `Function` and `Args` or, in UFO², `action` with its `arguments`.

Places are fractions of the window that the agent sees: the screen of the context is that window. `decision_of` reads a whole
answer, with its status, plan and comment.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from protocol import Action, AgentAction, AgentStatus, Extension, JsonObject, OperatorDecision
from protocol.dialects import Context, DialectError, Fields, ParsedPayload, Reading, build, dialect_of, json_in
from protocol.dialects.common.conversion import Conversion
from protocol.dialects.desktop import ufo_functions as functions
from protocol.dialects.desktop.ufo_functions import NAME

STATUSES = {**{status.value: status for status in AgentStatus}, "ASSIGN": AgentStatus.CONTINUE}
"""What UFO's agents may say of themselves; a host assigns a subtask and goes on."""

_WHOLE = {
    "observation": "observation", "thought": "thought", "status": "status", "plan": "plan", "comment": "comment",
    "savescreenshot": "save", "function": "function", "args": "arguments", "arguments": "arguments",
    "controllabel": "label", "controltext": "text", "action": "actions", "actions": "actions", "actionlist": "actions",
    "questions": "questions", "message": "message", "currentsubtask": "subtask", "bash": "bash", "appstoopen": "opens",
    "result": "result",
}  # fmt: skip
"""The fields of all its answers, folded: their meaning."""
_LOGGED = frozenset({"step", "roundstep", "agentstep"})
"""What only a line of its log has, folded."""

_PART = {name: _WHOLE[name] for name in ("function", "args", "arguments", "controllabel", "controltext", "status")}
_OF_A_LOG = ("result", "action_string", "action_representation", "repeat_time")
_OURS = {"message": "message", "subtask": "current_subtask", "questions": "questions", "result": "result"}


@dataclass
class _Answer:
    """An answer taken apart."""

    status: str = ""
    where: str = "$.Status"
    observation: str = ""
    thought: str = ""
    comment: str = ""
    plan: tuple[str, ...] = ()
    save: bool = False
    questions: tuple[str, ...] = ()
    calls: list[functions.Call] = field(default_factory=list)
    direct: list[JsonObject] = field(default_factory=list)
    """What a host says without a function."""
    notes: JsonObject = field(default_factory=dict)


class _Reading(Reading):
    """Answers, or a text that holds one."""

    nothing, empty = "there is no answer", DialectError

    def parsed(self, payload: Any) -> ParsedPayload:
        return super().parsed(json_in(NAME, payload) if isinstance(payload, str) else payload)

    def take(self, payload: Any, where: str) -> None:
        self.actions += _actions(_answer(payload, where, self), self)


def decision_of(payload: Any, context: Context) -> OperatorDecision:
    """The whole answer as a decision; a status that is unknown, missing, or lacks its action is ERROR, never FINISH.

    Raises DialectError where the answer cannot be read, or calls several functions.
    """
    conversion = Conversion(NAME, context, variant=DIALECT.variant(context))
    answer = _answer(json_in(NAME, payload) if isinstance(payload, str) else payload, "$", conversion)
    status, comment = STATUSES.get(answer.status, AgentStatus.ERROR), answer.comment
    action: AgentAction | None = None
    if answer.status not in STATUSES:
        comment = comment or f"status {answer.status[:40]!r} is not one of {', '.join(STATUSES)}"
    elif status is not AgentStatus.ERROR:
        done = _called(answer, conversion)
        if status is AgentStatus.PENDING and answer.questions:
            done = [build(NAME, "$.Questions", action_type="ask_user", question="\n".join(answer.questions))]
        elif status is AgentStatus.PENDING:  # in older answers the user confirms the action
            status = AgentStatus.CONFIRM
        if len(done) > 1:
            raise DialectError(NAME, "$", f"a decision is one action, and this answer has {len(done)}")
        action = done[0] if done else None
    if status in _ACTING and action is None:
        status, comment = AgentStatus.ERROR, comment or f"status {answer.status} without an action"
    return OperatorDecision(
        observation=answer.observation, reasoning=answer.thought, action=action, status=status, plan=answer.plan,
        comment=comment, save_screenshot=answer.save, is_goal_complete=status is AgentStatus.FINISH, memory=answer.notes,
    )  # fmt: skip


_ACTING = (AgentStatus.CONTINUE, AgentStatus.CONFIRM, AgentStatus.PENDING)


def _actions(answer: _Answer, conversion: Conversion) -> list[AgentAction]:
    status = STATUSES.get(answer.status) if answer.status else AgentStatus.CONTINUE
    if status is None or status is AgentStatus.ERROR:
        raise DialectError(NAME, answer.where, f"{answer.status[:40]!r} is no status to act on")
    actions = _called(answer, conversion)
    if status is AgentStatus.CONFIRM or (status is AgentStatus.PENDING and not answer.questions):
        conversion.lose("status", "a person has to confirm this action first: decision_of keeps that")
    elif status is AgentStatus.PENDING:
        actions += [build(NAME, "$.Questions", action_type="ask_user", question=question) for question in answer.questions]
    elif status is AgentStatus.SCREENSHOT and not actions:
        actions = [build(NAME, "$", action_type="screenshot")]
    elif status is AgentStatus.FINISH:
        actions.append(build(NAME, "$.Comment", action_type="finish_goal", summary=answer.comment))
    elif status is AgentStatus.FAIL:
        actions.append(build(NAME, "$.Comment", action_type="fail_goal", reason=answer.comment))
    if not actions:
        raise DialectError(NAME, "$.Function", "no function is called, and the status ends nothing")
    return actions


def _called(answer: _Answer, conversion: Conversion) -> list[AgentAction]:
    direct = [build(NAME, "$", **action) for action in answer.direct]
    return direct + [action for call in answer.calls for action in functions.actions_of(call, conversion)]


class _FoldedFields(Fields):
    """An object whose fields are read by their meaning, whether they are written `ControlLabel` or `control_label`."""

    def __init__(self, payload: Any, where: str, known: Mapping[str, str]) -> None:
        super().__init__(NAME, payload, where)
        self.names: dict[str, str] = {}
        self.found: JsonObject = {}
        for written, value in payload.items():
            name = str(written)[:60]
            meaning = known.get(_fold(written))
            if meaning is None or meaning in self.found:
                raise DialectError(NAME, f"{where}.{name}", "is said twice" if meaning else "is not understood here")
            self.found[meaning], self.names[meaning] = value, name
        self._left = dict(self.found)

    def refuse(self, name: str, message: str) -> NoReturn:
        super().refuse(self.names.get(name, name), message)

    def path(self, name: str, otherwise: str) -> str:
        return f"{self.where}.{self.names.get(name, otherwise)}"


def _without_log(payload: Any, conversion: Conversion) -> Any:
    """The answer within a line of UFO's `response.log`, which counts its steps and tells the answer again in other words."""
    if not isinstance(payload, Mapping) or not _LOGGED & {_fold(name) for name in payload}:
        return payload
    conversion.lose("log", "what a log counts and tells beside the answer is no action")
    return {
        name: value
        for name, value in payload.items()
        if _fold(name) in _WHOLE and _fold(name) != "result" and not (_fold(name) == "action" and isinstance(value, str))
    }


def _fold(name: Any) -> str:
    return re.sub("[ _-]", "", str(name)).lower()


def _answer(payload: Any, where: str, conversion: Conversion) -> _Answer:
    fields = _FoldedFields(_without_log(payload, conversion), where, _WHOLE)
    answer = _Answer(status=_status(fields), where=fields.path("status", "Status"))
    answer.observation, answer.thought, answer.comment = (fields.text(name, "") for name in ("observation", "thought", "comment"))
    answer.plan = tuple(step for step in fields.texts("plan", (), alone=True) if step.strip() not in ("", "<FINISH>"))
    answer.questions = tuple(filter(None, fields.texts("questions", (), alone=True)))
    save = fields.any("save", False)
    if isinstance(save, Mapping):
        save = Fields(NAME, save, fields.path("save", "SaveScreenshot")).flag("save", False)
    answer.save = save if isinstance(save, bool) else fields.refuse("save", "true or false is needed")
    answer.notes = {ours: fields.found[name] for name, ours in _OURS.items() if fields.found.get(name)}
    fields.drop("message", "subtask", "result")
    if (parts := fields.any("actions", None)) is not None:
        several = isinstance(parts, list | tuple)
        for n, part in enumerate(parts if several else [parts]):
            _one(part, fields.path("actions", "action") + (f"[{n}]" if several else ""), answer)
    elif "function" in fields.names:
        _function(fields, answer)
    else:
        # An older host: it runs a command, opens an app, or chooses a window.
        bash, opens = fields.text("bash", ""), fields.any("opens", None)
        if bash:
            answer.direct.append({"action_type": "run_script", "language": "bash", "code": bash})
        if opens and opens != "None":
            app = Fields(NAME, opens, fields.path("opens", "AppsToOpen"))
            answer.direct.append({"action_type": "launch_app", "app": app.text("APP")})
            if app.text("file_path", ""):
                app.refuse("file_path", "an app is started without a file")
            app.end()
        label, title = _control(fields)
        if label or title:
            answer.direct.append(functions.switch(label, title, conversion, fields.path("label", "ControlLabel")))
    fields.drop("function", "arguments", "label", "text")
    fields.end()
    return answer


def _status(fields: Fields) -> str:
    return str(fields.text("status", "")).strip().removeprefix("<").removesuffix(">")


def _function(fields: _FoldedFields, answer: _Answer) -> None:
    function = fields.text("function", "")
    label, text = _control(fields)
    arguments = fields.any("arguments", None)
    if function:
        paths = fields.path("arguments", "Args"), fields.path("function", "Function")
        answer.calls.append(functions.Call(function, arguments, label, text, *paths))


def _control(fields: _FoldedFields) -> tuple[str, str]:
    return (
        functions.label_of(fields.any("label", None), fields.path("label", "ControlLabel")),
        functions.label_of(fields.any("text", None), fields.path("text", "ControlText")),
    )


def _one(part: Any, where: str, answer: _Answer) -> None:
    """One of several actions, as an agent gives them or as a log has them."""
    if not isinstance(part, Mapping):
        raise DialectError(NAME, where, "an object is needed")
    given = {name: value for name, value in part.items() if name not in (*_OF_A_LOG, "target")}
    target = part.get("target")
    if isinstance(target, Mapping):
        given = {"ControlLabel": target.get("id"), "ControlText": target.get("name"), **given}
    fields = _FoldedFields(given, where, _PART)
    if status := _status(fields):
        answer.status, answer.where = status, fields.path("status", "status")
    _function(fields, answer)
    fields.end()


_HOSTS = ("select_application_window", "run_shell")


class _Writing(functions.CallWriting):
    """Whole answers of an agent."""

    def payload(self, action: Action) -> Any:
        placed = functions.is_placed(action.target, self.context) and not isinstance(action, Extension)
        writing = functions.PlacedWriting(NAME, self.context, variant=self.variant) if placed else self
        said = [self.whole(call) for call in writing.calls(action)]
        return said[0] if len(said) == 1 else said

    def whole(self, said: functions.UfoCall) -> JsonObject:
        """A call within the whole answer of the agent that makes it."""
        host = said.function in _HOSTS or bool(said.questions)
        if self.ufo2:
            named = {"id": said.label, "name": said.text} if said.label else {}
            call = {"function": said.function, "arguments": {**named, **said.arguments}, "status": said.status}
            tail = {"plan": [], "comment": said.comment}
            about = {"current_subtask": "", "message": [], "questions": list(said.questions)}
            agent = {"action": call, "save_screenshot": {"save": False, "reason": ""}}
            return {"observation": "", "thought": "", **(about | call if host else agent), **tail}
        control = {"ControlLabel": said.label, "ControlText": said.text}
        how = {"Status": said.status, "Plan": [], "Comment": said.comment}
        answer: JsonObject = {"Observation": "", "Thought": "", **control, **how}
        if host or said.opens:
            answer |= {"CurrentSubtask": "", "Message": [], "Questions": list(said.questions)}
            opens = {"AppsToOpen": {"APP": said.opens, "file_path": ""}} if said.opens else {}
            return {**answer, "Bash": said.arguments.get("bash_command", ""), **opens}
        answer |= {"Function": said.function, "Args": said.arguments}
        return {**answer, "SaveScreenshot": {"save": False, "reason": ""}}


DIALECT = dialect_of(_Reading, _Writing, NAME, "Microsoft UFO's answers", "json", ("ufo", "ufo2"))
