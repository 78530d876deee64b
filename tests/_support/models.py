"""Chat models with written answers, and what asks them, for the tests of the llm policies."""

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from protocol import BoundingBox, GUIElement, VisualState
from protocol.retries import Retries
from roles.analyst.llm import LlmAnalyst
from roles.contracts import (
    AnalystRequest,
    AppWords,
    Fact,
    GateRequest,
    OperatorView,
    PlanRequest,
    ScriptRequest,
    StepRecord,
    Subtask,
)
from roles.contracts.limits import Limits
from roles.contracts.signals import GateTrigger
from roles.evaluator.llm import LlmEvaluator
from roles.journal.journal import Journal
from roles.manager.llm import LlmManager
from roles.operator.llm import LlmOperator
from roles.policies.llm.asking import Asker
from roles.policies.llm.calls import Breaker, Caller, Clocks
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.settings import AnswerForm, ModelSettings
from roles.policies.scripted_model import ScriptedChatModel
from roles.technician.llm import LlmTechnician

SCREEN = VisualState(
    app="claims",
    elements=(
        GUIElement(element_id="e1", role="heading", text="Claim"),
        GUIElement(element_id="e2", role="textbox", text="Amount", value="", bbox=BoundingBox(x1=20, y1=60, x2=340, y2=100)),
        GUIElement(element_id="e3", role="button", text="Submit", bbox=BoundingBox(x1=20, y1=110, x2=100, y2=140)),
        GUIElement(element_id="e4", role="button", text="Save draft", bbox=BoundingBox(x1=120, y1=110, x2=200, y2=140)),
        GUIElement(element_id="e5", role="combobox", text="Category", options=("Travel", "Meals")),
    ),
)
APPS = (AppWords(app="claims", title="Claims"), AppWords(app="mail", title="Mail", words=("inbox",)))
CLICK = {"reasoning": "r", "action": "click", "target": "e3", "status": "CONTINUE"}


class Time:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def clocks(self) -> Clocks:
        return Clocks(lambda: self.now, self.sleep)


def saying(*replies: Any) -> ScriptedChatModel:
    """Says these one after the other, and the last one from then on."""
    left = iter(replies)
    return ScriptedChatModel(answer=lambda _: next(left, replies[-1]))


def asker(
    model: BaseChatModel, *, journal: Journal | None = None, limits: Limits | None = None, at: Time | None = None, **settings: Any
) -> Asker:
    retries = Retries(**{name: settings.pop(name) for name in ("tries", "wait") if name in settings})
    chosen = ModelSettings.model_validate({"name": "given", "structure": "schema", **settings})
    clocks = (at or Time()).clocks
    limits, journal = limits or Limits(), journal or Journal(None, time.time)
    return Asker(Caller(model, chosen, "operator", journal, limits, Breaker(chosen, clocks), clocks, retries), limits.reasks)


def operator(model: BaseChatModel, **more: Any) -> LlmOperator:
    own = ("picturing", "pictures", "batch", "form", "verbs", "ground", "skills")
    given = {name: more.pop(name) for name in own if name in more}
    prompt = more.pop("prompt", None) or load_prompt("operator")
    return LlmOperator(asker(model, **more), prompt, screen_tokens=2_500, recent=8, **given)


def view(**changes: Any) -> OperatorView:
    given: dict[str, Any] = {
        "user_request": "claim the invoice",
        "subtask": Subtask(id="a", title="claim", instruction="enter the amount and submit", app="claims", attempt=1),
        "app": "claims",
        "seen": SCREEN,
        "apps": APPS,
    }
    return OperatorView.model_validate(given | changes)


def step(number: int, **changes: Any) -> StepRecord:
    given: dict[str, Any] = {
        "step": number,
        "subtask": "a",
        "app": "claims",
        "action": {"action_type": "click", "target": {"text": f"Row {number}"}},
        "verb": "click",
        "exec_status": "executed",
        "visible_change": True,
    }
    return StepRecord.model_validate(given | changes)


def fact(name: str, value: str, **more: Any) -> Fact:
    return Fact(name=name, value=value, **more)


def prompts_of(model_answer: Callable[[Sequence[BaseMessage]], Any]) -> tuple[ScriptedChatModel, list[list[BaseMessage]]]:
    """A model, and every question that it is asked."""
    heard: list[list[BaseMessage]] = []

    def answer(messages: Sequence[BaseMessage]) -> Any:
        heard.append(list(messages))
        return model_answer(messages)

    return ScriptedChatModel(answer=answer), heard


def text_of(messages: Sequence[BaseMessage]) -> str:
    parts = []
    for message in messages:
        blocks = message.content if isinstance(message.content, list) else [message.content]
        parts += [block if isinstance(block, str) else str(block.get("text", "")) for block in blocks]
    return "\n".join(parts)


def section(text: str, name: str) -> str:
    """What stands in a fence."""
    found = re.search(rf"<{name} ([0-9a-f]+)>\n(.*?)\n</{name} \1>", text, re.DOTALL)
    return found[2] if found else ""


ROLES = ("operator", "operator, narrow", "manager", "evaluator", "evaluator, narrow", "technician", "analyst")


def answer_of(role: str, asking: Asker, **told: Any) -> Any:
    """What a role answers to one request that `told` is part of, by the model that `asking` asks."""
    name, _, narrow = role.partition(", ")
    form: AnswerForm = "narrow" if narrow else "full"
    prompt, job = load_prompt(name, form=form), Subtask(id="a", title="a", instruction="double it")
    match name:
        case "operator":
            return LlmOperator(asking, prompt, screen_tokens=2_500, recent=8, form=form).decide(view(**told))
        case "evaluator":
            gate: dict[str, Any] = {"trigger": GateTrigger.WORKER_SUCCESS, "steps": (step(4),), "screens": (SCREEN,)}
            return LlmEvaluator(asking, prompt, screen_tokens=2_000, form=form).judge(GateRequest(goal="g", **gate, **told))
        case "manager":
            return LlmManager(asking, prompt).plan(PlanRequest(goal="g", apps=APPS, **told))
        case "technician":
            return LlmTechnician(asking, prompt).write(ScriptRequest(goal="g", subtask=job, files=("/a.txt",), **told))
        case _:
            facts = (fact("total", "$7.00"),)
            return LlmAnalyst(asking, prompt).answer(AnalystRequest(goal="g", subtask=job, facts=facts, **told))
