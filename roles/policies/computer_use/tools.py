"""The tools for computers that providers have of their own: how one is bound, read and answered.

A conversation is kept in one form for all: a reply as LangChain has it, and for each call in it a ToolMessage, the last one with
what came of it and the picture. `sent` makes of that what the provider's class takes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from pydantic import Field

from environments.files.yaml_lines import read_small, safe_data
from protocol import Frozen, JsonObject
from protocol.model.geometry import Size
from roles.policies.llm.reply_parsing import text_of
from roles.policies.llm.settings import ModelProblem, provided

URL, CHECKS, CONFIRMED = "url", "checks", "acknowledged_safety_checks"
"""What a ToolMessage says beside its content: the page's address, what the service asked about, and that a person said yes."""

SENT_BACK = frozenset({"model_provider", "__gemini_function_call_thought_signatures__"})
"""What LangChain's classes want of a reply when it is sent back, beside its content and its calls."""


class Call(NamedTuple):
    """One call in a reply: what it is answered under, and what it says, as the dialect reads it."""

    id: str
    body: dict[str, Any]


def grained(size: Size, grain: int) -> Size:
    """The size on which a model counts, of a picture whose sides are made multiples of `grain` before."""
    width, height = (max(grain, round(side / grain) * grain) for side in size)
    return width, height


class ComputerTool(Frozen):
    """How one provider's tool is spoken: a row of tools.yaml."""

    models: str = "(?!)"
    dialect: str
    variant: str
    bind: JsonObject = Field(default_factory=dict)
    surfaces: tuple[str, ...] = ("",)
    needs: dict[str, str] = Field(default_factory=dict)
    pictured: bool = False
    at: str = ""
    grain: int = 1

    @property
    def in_words(self) -> bool:
        """Whether its calls stand in the text."""
        return bool(self.at)

    def bound(self, size: Size, verbs: frozenset[str]) -> JsonObject:
        """What its model is bound with, for a picture of that size and a surface that has these verbs."""
        lacking = [name for name, verb in self.needs.items() if verb not in verbs]
        surface = self.surfaces[0 if "navigate" in verbs else -1]
        said: JsonObject = _with(self.bind, {"WIDTH": size[0], "HEIGHT": size[1], "SURFACE": surface, "LACKING": lacking})
        return said

    def told(self, when: Mapping[str, str]) -> str:
        """How to answer, by the sentences of the prompt."""
        if not self.at:
            return when["tool"]
        start, end = (
            self.at.replace("point=", "start_point="),
            self.at.replace("start_box=", "end_box=").replace("point=", "end_point="),
        )
        return when["calls in words"].replace("{{at}}", self.at).replace("{{drag}}", f"{start}, {end}")

    def calls(self, reply: AIMessage) -> list[Call]:
        """The calls of a reply."""
        blocks = [b for b in ([] if isinstance(reply.content, str) else reply.content) if isinstance(b, dict)]
        match self.dialect:
            case "anthropic":
                used = [block for block in blocks if block.get("type") == "tool_use"]
                return [Call(str(b.get("id")), {k: v for k, v in b.items() if v is not None}) for b in used]
            case "openai":
                used = [block for kind in ("computer_call", "function_call") for block in blocks if block.get("type") == kind]
                return [Call(str(b.get("call_id")), {k: v for k, v in b.items() if k != "index"}) for b in used]
            case "gemini":
                return [Call(str(call["id"]), {"name": call["name"], "args": call["args"]}) for call in reply.tool_calls]
            case _:
                return []

    def sent(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """What the provider's class takes of a conversation."""
        answered = {"openai": _openai_answered, "gemini": _gemini_answered}.get(self.dialect, list)
        sent: list[BaseMessage] = []
        for are_results, group in groupby(messages, lambda message: isinstance(message, ToolMessage)):
            several = list(group)
            sent += answered([m for m in several if isinstance(m, ToolMessage)]) if are_results else several
        return sent


def _with(said: Any, known: Mapping[str, Any]) -> Any:
    """The data with what is known in the place of its words."""
    if isinstance(said, dict):
        return {key: _with(value, known) for key, value in said.items()}
    return [_with(one, known) for one in said] if isinstance(said, list) else known.get(said, said)


TOOLS = {
    name: ComputerTool.model_validate(row) for name, row in safe_data(read_small(Path(__file__).with_name("tools.yaml"))).items()
}


def tool_of(name: str | None, model: str) -> ComputerTool:
    """The tool of that name, else of the model's provider. Raises ModelProblem."""
    said = ":".join(provided(model))
    chosen = name or next((one for one, tool in TOOLS.items() if re.match(tool.models, said)), "")
    if chosen not in TOOLS:
        why = f"there is no tool {name!r}" if name else f"{model} is not known to have a tool for computers"
        raise ModelProblem(f"{why}; `tool` is one of {', '.join(sorted(TOOLS))}")
    return TOOLS[chosen]


def _openai_answered(results: list[ToolMessage]) -> list[BaseMessage]:
    """Results as `computer_call_output`, each with a screenshot; what came of the calls stands behind them in words."""
    png = next((str(b["base64"]) for result in results for b in result.content if isinstance(b, dict) and "base64" in b), "")
    outputs: list[BaseMessage] = []
    for result in results:
        output = {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{png}"}
        value = {"type": "computer_call_output", "call_id": result.tool_call_id, "output": output}
        if result.additional_kwargs.get(CONFIRMED):
            value[CONFIRMED] = result.additional_kwargs[CHECKS]
        outputs.append(ToolMessage([{"type": "non_standard", "value": value}], tool_call_id=result.tool_call_id))
    return [*outputs, HumanMessage(_words(results[-1]))]


def _gemini_answered(results: list[ToolMessage]) -> list[BaseMessage]:
    """Results as objects with the address that the service wants in each; the picture stands behind them."""
    told: list[BaseMessage] = []
    for result in results:
        more = result.additional_kwargs
        body = {URL: more.get(URL, ""), "output": _words(result)}
        body |= {"safety_acknowledgement": "true"} if more.get(CONFIRMED) and more.get(CHECKS) else {}
        told.append(ToolMessage(json.dumps(body, ensure_ascii=False), tool_call_id=result.tool_call_id))
    pictures: list[str | dict[str, Any]] = []
    for result in results:
        pictures += [block for block in result.content if isinstance(block, dict) and "base64" in block]
    return [*told, *([HumanMessage(pictures)] if pictures else [])]


def _words(message: ToolMessage) -> str:
    return "\n".join(str(b.get("text", "")) for b in message.content if isinstance(b, dict) and "text" in b) or "done"


def told_in_words(tool: ComputerTool, reply: AIMessage) -> str:
    """A reply as a text: its words, and its calls as JSON."""
    calls = [json.dumps(call.body, ensure_ascii=False) for call in tool.calls(reply)]
    return "\n".join(filter(None, [text_of(reply), *calls])) or "(nothing)"
