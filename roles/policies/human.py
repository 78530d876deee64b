"""A person decides for a role: asked as for an approval, so in the terminal, through a run that waits, or by a program.

The answer is a line of the DSL or a few words; JSON says all that a decision can say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, assert_never

import yaml
from langgraph.types import interrupt
from pydantic import BaseModel, ValidationError

from environments.files.yaml_lines import safe_data
from protocol import AgentStatus, FailGoal, FinishGoal, JsonObject, OperatorDecision
from protocol.dsl import DSLError, parse_line
from protocol.prompt_form import whole_form
from roles.contracts import (
    AnalystRequest,
    Answer,
    GateRequest,
    GateVerdict,
    OperatorView,
    PlanAnswer,
    PlanRequest,
    Result,
    Script,
    ScriptAnswer,
    ScriptRequest,
    Subtask,
)
from roles.contracts.requests import AskedAction, DecisionRequest, ReviewConfig, digest_of
from roles.contracts.signals import ALLOWED_DECISIONS, Signal, gate_decision
from roles.contracts.values import Trouble, kind_of_value, typed
from roles.knowledge.blackboard import board_in
from roles.knowledge.formula import Sheet, sheet_of, worked_out
from roles.policies.fallback import GaveUp, Recorder, unrecorded

Ask = Callable[[JsonObject], Any]
"""Puts a request to the person and gives the answer; it may pause the graph instead."""
_Answer = TypeVar("_Answer", bound=BaseModel)
_TRIES = 3
_FILES = 30
_OUTPUT = 400
_SCREEN = 600
"""Tokens of the screen that is shown with the question."""


class NotUnderstood(ValueError):
    """What the person wrote is no decision: one sentence that says what is."""


class HumanPolicy:
    """Asks again, with the reason, when an answer cannot be used; gives up after three."""

    def __init__(self, role: str, record: Recorder = unrecorded, ask: Ask = interrupt) -> None:
        self._role = role
        self._record = record
        self._ask = ask

    def plan(self, request: PlanRequest) -> PlanAnswer:
        known = ", ".join(app.app for app in request.apps)
        question = (
            f"How should this be done: {request.goal}? One subtask a line, as APP: what to do there ({known}); "
            "or infeasible WHY; or the plan as JSON."
        )
        evidence = "\n".join(request.evidence)
        return self._until_usable(PlanAnswer, question, evidence, f"plan/{request.attempts}", partial(read_plan, request=request))

    def decide(self, view: OperatorView) -> OperatorDecision:
        question = (
            f'What comes next for "{view.subtask.instruction}"? A line such as click "Save", done, fail WHY, '
            "or the decision as JSON."
        )
        shown = whole_form(view.seen, budget=_SCREEN).text
        step = view.history[-1].step if view.history else 0
        name = f"{view.subtask.id}/{view.subtask.attempt}/{step}/{view.seen.state_id}"
        return self._until_usable(OperatorDecision, question, shown, name, read_decision)

    def judge(self, request: GateRequest) -> GateVerdict:
        allowed = sorted(d.value.removeprefix("gate_") for d in ALLOWED_DECISIONS[request.trigger])
        what = request.subtask.instruction if request.subtask else request.goal
        question = f'{request.trigger}: how does "{what}" stand? One of {", ".join(allowed)}, and why; or the verdict as JSON.'
        shown = whole_form(request.screens[-1], budget=_SCREEN).text if request.screens else ""
        return self._until_usable(GateVerdict, question, shown, f"gate/{request.number}", partial(read_verdict, request=request))

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        question = (
            f'Which script does "{request.subtask.instruction}"? bash: CODE, or python: CODE, or done, or cannot WHY, '
            "or the answer as JSON."
        )
        last = request.ran[-1] if request.ran else None
        shown = "\n".join(request.files[:_FILES])
        if last is not None:
            shown = f"exit code {last.exit_code} {last.error}\n{last.stdout[:_OUTPUT]}\n{last.stderr[:_OUTPUT]}\n{shown}"
        name = f"{request.subtask.id}/{request.subtask.attempt}/script/{len(request.ran)}"
        return self._until_usable(ScriptAnswer, question, shown, name, read_script)

    def answer(self, request: AnalystRequest) -> Answer:
        question = (
            f"{request.subtask.instruction} One result a line, as NAME = FORMULA over the facts, or NAME: what you know; "
            "or missing WHAT; or the answer as JSON."
        )
        told = [f"{f.name} = {'(hidden)' if f.private else f.value[:_OUTPUT]}" for f in board_in(request).facts]
        shown = "\n".join([*told, *board_in(request).left_out])
        name = f"{request.subtask.id}/{request.subtask.attempt}/answer"
        return self._until_usable(Answer, question, shown, name, partial(read_answer, request=request))

    def _until_usable(self, kind: type[_Answer], question: str, shown: str, name: str, read: Callable[[str], _Answer]) -> _Answer:
        problem = ""
        for turn in range(1, _TRIES + 1):
            asked, key = f"{problem}{question}", f"human/{self._role}/{name}/{turn}"
            body = DecisionRequest(
                action_requests=(AskedAction(name="ask_user", args={"question": asked}, description=asked),),
                review_configs=(ReviewConfig(action_name="ask_user", allowed_decisions=("respond", "reject")),),
                key=key,
                digest=digest_of(json.dumps([asked, shown, key])),
                role=self._role,
                screen=shown,
                reasons=(),
                default="reject",
            ).dump()
            self._record(body)
            answer = self._ask(body)
            decisions = answer.get("decisions") if isinstance(answer, dict) else None
            first = decisions[0] if isinstance(decisions, list) and decisions else {}
            if not isinstance(first, dict) or first.get("type") != "respond" or not str(first.get("message", "")).strip():
                raise GaveUp("the person gave no decision")
            said = str(first["message"]).strip()
            try:
                return _understood(kind, said, read)
            except NotUnderstood as bad:
                problem = f"{bad} "
        raise GaveUp(f"the person gave no usable answer: {problem.strip()}")


def read_decision(text: str) -> OperatorDecision:
    """`done`, `fail WHY`, or an action in the DSL. Raises NotUnderstood."""
    word, _, rest = text.partition(" ")
    if word.casefold() in {"done", "finish", "finished"}:
        return OperatorDecision(status=AgentStatus.FINISH, comment=rest.strip() or "the person says that it is done")
    if word.casefold() == "fail":
        return OperatorDecision(status=AgentStatus.FAIL, comment=rest.strip() or "the person gave up")
    try:
        action = parse_line(text)
    except DSLError as bad:
        raise NotUnderstood(f"{bad.message}.") from None
    match action:
        case FinishGoal(summary=said):
            return OperatorDecision(status=AgentStatus.FINISH, comment=said)
        case FailGoal(reason=said):
            return OperatorDecision(status=AgentStatus.FAIL, comment=said)
        case _:
            return OperatorDecision(status=AgentStatus.CONTINUE, action=action, reasoning="as the person said")


def read_plan(text: str, request: PlanRequest) -> PlanAnswer:
    """Lines of `APP: instruction`, each to be done after the one before it. Raises NotUnderstood."""
    word, _, rest = text.partition(" ")
    if word.casefold() == "infeasible":
        return PlanAnswer(outcome="infeasible", reason=rest.strip() or "the person says that it cannot be done")
    known = {app.app for app in request.apps}
    subtasks: list[Subtask] = []
    for line in (line.strip() for line in text.replace(";", "\n").splitlines()):
        if not line:
            continue
        app, colon, instruction = line.partition(":")
        if not colon or app.strip() not in known or not instruction.strip():
            raise NotUnderstood(f"{line!r} is not APP: INSTRUCTION; there are {', '.join(sorted(known))}.")
        before = (subtasks[-1].id,) if subtasks else ()
        name = f"p{request.attempts}-{len(subtasks) + 1}"
        said = instruction.strip()
        subtasks.append(Subtask(id=name, title=said[:80], instruction=said, app=app.strip(), depends_on=before))
    kept = tuple(s for s in request.plan if s.status.value == "fulfilled")
    return PlanAnswer(outcome="planned", subtasks=(*kept, *subtasks), reason="as the person planned it")


def read_verdict(text: str, request: GateRequest) -> GateVerdict:
    """`done`, `fail`, `continue` or `supplement`, and why. Raises NotUnderstood."""
    word, _, why = text.partition(" ")
    decision = gate_decision(f"gate_{word.casefold().rstrip(':,.').removeprefix('gate_')}")
    if decision is None or decision not in ALLOWED_DECISIONS[request.trigger]:
        raise NotUnderstood(f"{word!r} is not one of the decisions.")
    why = why.strip() or f"the person says {word}"
    match decision:
        case Signal.GATE_DONE | Signal.GATE_CONTINUE:
            return GateVerdict(decision=decision, reason=why)
        case Signal.GATE_FAIL:
            return GateVerdict(decision=decision, reason=why, issues=(why,))
        case Signal.GATE_SUPPLEMENT:
            return GateVerdict(decision=decision, reason=why, query=why)
        case _:
            assert_never(decision)


def read_script(text: str) -> ScriptAnswer:
    """`bash: CODE`, `python: CODE`, `done`, or `cannot WHY`. Raises NotUnderstood."""
    head, colon, code = text.partition(":")
    language = head.strip().casefold()
    if colon and language in {"bash", "python"} and code.strip():
        code = code.strip("\n ") if language == "bash" else code.strip("\n").lstrip(" ")
        script = Script.model_validate({"language": language, "code": code})
        return ScriptAnswer(outcome="run", script=script, reason="as the person wrote it")
    word, _, rest = text.partition(" ")
    if word.casefold() == "done":
        return ScriptAnswer(outcome="done", reason=rest.strip() or "the person says that it is done")
    if word.casefold() == "cannot":
        return ScriptAnswer(outcome="cannot", reason=rest.strip() or "the person gave up")
    raise NotUnderstood(f"{word[:40]!r} is neither bash: CODE nor python: CODE, nor done or cannot.")


def read_answer(text: str, request: AnalystRequest) -> Answer:
    """Lines of `NAME = FORMULA` and `NAME: VALUE`, or `missing WHAT`. Raises NotUnderstood."""
    word, _, rest = text.partition(" ")
    if word.casefold() == "missing":
        return Answer(missing=(rest.strip() or "what the question needs",), reason="the person says what is missing")
    sheet = sheet_of(request)
    results = [_result(line.strip(), sheet) for line in text.splitlines() if line.strip()]
    return Answer(results=tuple(results), reason="; ".join(f"{r.name} is {r.value[:80]}" for r in results))


def _result(line: str, sheet: Sheet) -> Result:
    """A formula is worked out; what a person knows is taken as it is said."""
    found = re.match(r'\s*([^=:"]+?)\s*([=:])\s*(.+)', line)
    if found is None:
        raise NotUnderstood(f"{line!r} is neither NAME = FORMULA nor NAME: VALUE.")
    name, sign, said = found.groups()
    if sign == ":":
        return Result(name=name, value=said, kind=kind_of_value(typed(said)), working="as the person said")
    try:
        return worked_out(said, name, sheet)
    except Trouble as trouble:
        raise NotUnderstood(f"{name}: {trouble}.") from None


_CALLED = {OperatorDecision: "decision", PlanAnswer: "plan", GateVerdict: "verdict"}
"""What an answer is called to the person who gives it."""


def _understood(kind: type[_Answer], text: str, read: Callable[[str], _Answer]) -> _Answer:
    """The answer, which is JSON where it begins so. Raises NotUnderstood."""
    try:
        return kind.model_validate(safe_data(text)) if text.startswith("{") else read(text)
    except NotUnderstood:
        raise
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise NotUnderstood(f"That is no {_CALLED.get(kind, 'answer')}: {where + ': ' if where else ''}{first['msg']}.") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise NotUnderstood("That is not valid JSON.") from None
