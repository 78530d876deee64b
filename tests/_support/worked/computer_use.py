"""Models of providers with a tool for computers, as LangChain brings their replies, worked by an oracle's actions."""

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from models import asker
from PIL import Image

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.crew import Crew
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, fill_slots, resolve_target
from protocol import Action, LaunchApp
from protocol.dialects import Context, dialect
from roles.journal.journal import Journal
from roles.policies.computer_use.operator import ComputerUseOperator
from roles.policies.computer_use.tools import TOOLS, ComputerTool, grained
from roles.policies.llm.prompts import load_prompt
from roles.policies.scripted_model import ScriptedChatModel

Calls = list[Any]


def _png(width: int, height: int) -> bytes:
    drawn = BytesIO()
    Image.new("L", (width, height)).save(drawn, "PNG")
    return drawn.getvalue()


BLANK = _png(1280, 800)


def reply(tool: ComputerTool, calls: Sequence[Any], words: str = "", number: int = 1, **more: Any) -> AIMessage:
    """The calls, as the dialect writes them, in a reply of that provider."""
    if tool.dialect == "anthropic":
        use = {"type": "tool_use", "name": "computer"}
        blocks = [{**use, "id": f"toolu_{number}_{n}", "input": call} for n, call in enumerate(calls, 1)]
        content = [*([{"type": "text", "text": words}] if words else []), *blocks]
        told = [{"name": b["name"], "args": b["input"], "id": b["id"]} for b in blocks]
        ended = {"stop_reason": "tool_use" if blocks else "end_turn", "model_provider": "anthropic"}
        return AIMessage(content=content, tool_calls=told, response_metadata=ended, **more)  # type: ignore[arg-type]
    if tool.dialect == "openai":
        items = [
            {"type": "computer_call", "id": f"cu_{number}_{n}", "call_id": f"call_{number}_{n}", "status": "completed"}
            | {"pending_safety_checks": []}
            | call
            for n, call in enumerate(calls, 1)
        ]
        message = {"type": "text", "text": words, "annotations": [], "id": f"msg_{number}"}
        thought = {"type": "reasoning", "id": f"rs_{number}", "summary": []}
        content = [thought, *items, *([message] if words else [])]
        return AIMessage(content=content, response_metadata={"status": "completed", "model_provider": "openai"}, **more)  # type: ignore[arg-type]
    if tool.dialect == "gemini":
        told = [{"name": call["name"], "args": call["args"], "id": f"fc-{number}-{n}"} for n, call in enumerate(calls, 1)]
        ended = {"finish_reason": "STOP", "model_provider": "google_genai"}
        return AIMessage(content=words, tool_calls=told, response_metadata=ended, **more)
    thought = words or "The next step."
    actions = "\n\n".join(str(call).removeprefix("Action: ") for call in calls)
    text = f"Thought: {thought}\nAction: {actions}" if calls else words
    return AIMessage(content=text, response_metadata={"finish_reason": "stop"}, **more)


def done(tool: ComputerTool, number: int = 1, words: str = "DONE it is as it should be") -> AIMessage:
    if tool.in_words:
        return AIMessage(content=f"Thought: That was all.\nAction: finished(content='{words}')")
    return reply(tool, [], words, number)


class OracleSpeaker:
    """Says an oracle's actions one by one, at the places where the screen has them; the number of replies tells which is next."""

    def __init__(self, task: Task, seed: int, name: str, *, together: bool = False) -> None:
        self.tool, self.task, self.seed = TOOLS[name], task, seed
        self.desk: SimulatedDesktop | None = None
        self.size = 1280, 800
        """Of the pictures that the model is sent."""
        self.heard: list[list[BaseMessage]] = []
        self._together = together
        """Whether all calls of one action come in one reply."""
        self._said: list[AIMessage] = []
        self._left: Iterator[AIMessage] | None = None

    def __call__(self, messages: Sequence[BaseMessage]) -> AIMessage:
        self.heard.append(list(messages))
        at = sum(isinstance(message, AIMessage) for message in messages)
        self._left = self._left or self._replies()
        while len(self._said) <= at:
            self._said.append(next(self._left))
        return self._said[at]

    def _replies(self) -> Iterator[AIMessage]:
        assert self.desk is not None
        slots = fill_slots(self.task, self.desk.world(), self.seed)
        number = 0
        for step in steps_of(self.task.oracle or (), slots):
            if isinstance(step.action, LaunchApp):
                continue
            calls = self._calls(step.action)
            for several in [calls] if self._together else [[call] for call in calls]:
                number += 1
                yield reply(self.tool, several, number=number)
        while True:
            number += 1
            yield done(self.tool, number)

    def _calls(self, action: Action) -> Calls:
        assert self.desk is not None
        context = Context(state=self.desk.observe(), image=grained(self.size, self.tool.grain), variant=self.tool.variant)
        said = dialect(self.tool.dialect).write(action, context).payload
        if self.tool.in_words:
            return [one for one in str(said).removeprefix("Action: ").split("\n\n") if one]
        several = said if isinstance(said, list) else [said]
        if self.tool.dialect != "openai":
            return several
        actions = [one for call in several for one in call.get("actions", [call.get("action")])]
        if self._together and self.tool.variant == "batched":
            return [{"actions": actions}]
        return [{"actions": [one]} if self.tool.variant == "batched" else {"action": one} for one in actions]


def computer(model: Any, name: str, journal: Journal | None = None, **more: Any) -> ComputerUseOperator:
    """An Operator alone, that is shown a blank picture of 1280 by 800."""
    caller = asker(model, journal=journal)._caller
    given = {"picturing": lambda seen, wanted: BLANK, "reasks": 2, "longest": 20_000, "recent": 3, "batch": 8} | more
    return ComputerUseOperator(caller, TOOLS[name], load_prompt("operator", form="computer_use"), **given)


def watched(patch: pytest.MonkeyPatch, told: Callable[[SimulatedDesktop], None]) -> None:
    """Tell which desktop is looked at, whenever a picture of it is taken."""
    taken = SimulatedDesktop.screenshot

    def screenshot(desk: SimulatedDesktop) -> bytes:
        told(desk)
        return taken(desk)

    patch.setattr(SimulatedDesktop, "screenshot", screenshot)


def crew_of(answer: Any, name: str, folder: Any, *more: str) -> Crew:
    """Rules plan and judge; a model with a tool for computers operates."""
    given = ["crew.operator={policy: llm, form: computer_use, tool: " + name + ", batch: 8, recent: 3}", "crew.model=given"]
    settings = [*given, "retries.wait=0.001", f"runs_dir={folder}", *more]
    return Crew.from_config(overrides=settings, model=ScriptedChatModel(answer=answer))


def by_oracle(patch: pytest.MonkeyPatch, task: str, name: str, *, together: bool = False) -> OracleSpeaker:
    target = resolve_target(task)
    assert isinstance(target, Task)
    speaker = OracleSpeaker(target, 0, name, together=together)

    def look(desk: SimulatedDesktop) -> None:
        speaker.desk = desk

    watched(patch, look)
    return speaker
