"""The tools for computers that providers have of their own, a row each: how one is bound, read and answered.

A conversation is kept in one form for all: a reply as LangChain has it, and for each call in it a ToolMessage, the last one with
what came of it and the picture. `sent` makes of that what the provider's class takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

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


@dataclass(frozen=True)
class ComputerTool:
    """How one provider's tool is spoken."""

    dialect: str
    variant: str
    bound: Callable[[Size, frozenset[str]], dict[str, Any]]
    """What its model is bound with, for a picture of that size and a surface that has these verbs."""
    calls: Callable[[AIMessage], list[Call]]
    sent: Callable[[Sequence[BaseMessage]], list[BaseMessage]] = list
    told: str = "You act with the tool that you have been given."
    in_words: bool = False
    """Its calls stand in the text."""
    pictured: bool = False
    """A call of it can only be answered with a picture: one whose picture is gone is told in words."""
    grain: int = 1
    """Sides of a picture are made multiples of this before its model counts pixels."""

    def seen(self, size: Size) -> Size:
        """The size on which its model counts, of a picture of `size`."""
        width, height = (max(self.grain, round(side / self.grain) * self.grain) for side in size)
        return width, height


def tool_of(name: str | None, model: str) -> ComputerTool:
    """The tool of that name, else of the model's provider. Raises ModelProblem."""
    said = ":".join(provided(model))
    chosen = name or next((tool for names, tool in _OF_MODELS if re.match(names, said)), "")
    if chosen not in TOOLS:
        why = f"there is no tool {name!r}" if name else f"{model} is not known to have a tool for computers"
        raise ModelProblem(f"{why}; `tool` is one of {', '.join(TOOLS)}")
    return TOOLS[chosen]


def picture_in(blocks: str | Sequence[Any]) -> str:
    """The picture among the blocks of a message, as base64; empty where there is none."""
    return next((str(b["base64"]) for b in blocks if isinstance(b, Mapping) and "base64" in b), "")


def _results(messages: Iterable[BaseMessage], answered: Callable[[list[ToolMessage]], list[BaseMessage]]) -> list[BaseMessage]:
    """The messages, with the answers to the calls of each reply as a provider wants them."""
    sent: list[BaseMessage] = []
    for are_results, group in groupby(messages, lambda message: isinstance(message, ToolMessage)):
        several = list(group)
        sent += answered([m for m in several if isinstance(m, ToolMessage)]) if are_results else several
    return sent


# --- Anthropic -------------------------------------------------------------------------------------------------------


def _anthropic(version: str) -> ComputerTool:
    def bound(size: Size, verbs: frozenset[str]) -> dict[str, Any]:
        tool = {"type": f"computer_{version}", "name": "computer", "display_width_px": size[0], "display_height_px": size[1]}
        return {"tools": [tool]}

    return ComputerTool("anthropic", version, bound, _anthropic_calls)


def _anthropic_calls(reply: AIMessage) -> list[Call]:
    return [Call(str(b.get("id")), {k: v for k, v in b.items() if v is not None}) for b in _blocks(reply, "tool_use")]


def _blocks(reply: AIMessage, kind: str) -> list[dict[str, Any]]:
    content = [] if isinstance(reply.content, str) else reply.content
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


# --- OpenAI ----------------------------------------------------------------------------------------------------------


def _openai_bound(size: Size, verbs: frozenset[str]) -> dict[str, Any]:
    return {"tools": [{"type": "computer"}]}


def _openai_preview(size: Size, verbs: frozenset[str]) -> dict[str, Any]:
    surface = "browser" if "navigate" in verbs else "linux"
    tool = {"type": "computer_use_preview", "display_width": size[0], "display_height": size[1], "environment": surface}
    return {"tools": [tool], "truncation": "auto"}


def _openai_calls(reply: AIMessage) -> list[Call]:
    blocks = _blocks(reply, "computer_call") + _blocks(reply, "function_call")
    return [Call(str(b.get("call_id")), {k: v for k, v in b.items() if k != "index"}) for b in blocks]


def _openai_sent(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Results as `computer_call_output`, each with a screenshot; what came of the calls stands behind them in words."""

    def answered(results: list[ToolMessage]) -> list[BaseMessage]:
        url = f"data:image/png;base64,{next(filter(None, (picture_in(r.content) for r in results)), '')}"
        outputs: list[BaseMessage] = []
        for result in results:
            output = {"type": "computer_screenshot", "image_url": url}
            value = {"type": "computer_call_output", "call_id": result.tool_call_id, "output": output}
            if result.additional_kwargs.get(CONFIRMED):
                value[CONFIRMED] = result.additional_kwargs[CHECKS]
            outputs.append(ToolMessage([{"type": "non_standard", "value": value}], tool_call_id=result.tool_call_id))
        return [*outputs, HumanMessage(_words(results[-1]))]

    return _results(messages, answered)


# --- Gemini ----------------------------------------------------------------------------------------------------------

_GEMINI_NEEDS = {
    "navigate": "navigate", "search": "", "open_web_browser": "", "go_back": "go_back", "go_forward": "go_forward",
    "open_app": "launch_app", "list_apps": "", "go_home": "", "drag_and_drop": "drag", "key_down": "key_down", "key_up": "key_up",
    "mouse_down": "mouse_down", "mouse_up": "mouse_up", "long_press": "", "hover_at": "hover", "move": "hover",
}  # fmt: skip
"""Functions that not every surface has, with the verb that one needs; functions without one are never there."""
_OLDER = frozenset({"navigate", "search", "open_web_browser", "go_back", "go_forward", "drag_and_drop", "hover_at"})


def _gemini(variant: str) -> ComputerTool:
    def bound(size: Size, verbs: frozenset[str]) -> dict[str, Any]:
        names = [n for n in _GEMINI_NEEDS if n in _OLDER or variant != "2.5"]
        lacking = [name for name in names if _GEMINI_NEEDS[name] not in verbs]
        surface = "ENVIRONMENT_BROWSER" if variant == "2.5" or "navigate" in verbs else "ENVIRONMENT_DESKTOP"
        return {"tools": [{"computer_use": {"environment": surface, "excluded_predefined_functions": lacking}}]}

    def calls(reply: AIMessage) -> list[Call]:
        return [Call(str(call["id"]), {"name": call["name"], "args": call["args"]}) for call in reply.tool_calls]

    return ComputerTool("gemini", variant, bound, calls, _gemini_sent)


def _gemini_sent(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Results as objects with the address that the service wants in each; the picture stands behind them."""

    def answered(results: list[ToolMessage]) -> list[BaseMessage]:
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

    return _results(messages, answered)


def _words(message: ToolMessage) -> str:
    return "\n".join(str(b.get("text", "")) for b in message.content if isinstance(b, dict) and "text" in b) or "done"


# --- UI-TARS ---------------------------------------------------------------------------------------------------------

_UI_TARS = """Answer with a thought and the next actions, in this form and in no other:
Thought: ...
Action: ...

The actions are
click({at}), left_double({at}), right_single({at}), hover({at})
drag({drag})
scroll({at}, direction='down or up or right or left')
type(content='...'), with \\n at the end to press Enter
hotkey(key='ctrl c'), keys in small letters with blanks between them
wait()
call_user(), to ask the user for help
finished(content='...'), at the end, with your last line, such as DONE and what was done, in `content`
Several actions stand below each other with an empty line between them."""
_BOXES = {
    "1.5": "start_box='(x,y)'",
    "v1": "start_box='<|box_start|>(x,y)<|box_end|>'",
    "doubao": "point='<point>x y</point>'",
}


def _ui_tars(variant: str) -> ComputerTool:
    at = _BOXES[variant]
    drag = f"{at.replace('point=', 'start_point=')}, {at.replace('start_box=', 'end_box=').replace('point=', 'end_point=')}"
    told = _UI_TARS.format(at=at, drag=drag)
    grain = 28 if variant == "1.5" else 1
    return ComputerTool("ui_tars", variant, lambda size, verbs: {}, lambda reply: [], told=told, in_words=True, grain=grain)


TOOLS: dict[str, ComputerTool] = {
    "anthropic": _anthropic("20251124"),
    "anthropic_20250124": _anthropic("20250124"),
    "openai": ComputerTool("openai", "batched", _openai_bound, _openai_calls, _openai_sent, pictured=True),
    "openai_preview": ComputerTool("openai", "single", _openai_preview, _openai_calls, _openai_sent, pictured=True),
    "gemini": _gemini("3.5"),
    "gemini_2.5": _gemini("2.5"),
    "ui_tars": _ui_tars("1.5"),
    "ui_tars_v1": _ui_tars("v1"),
    "ui_tars_doubao": _ui_tars("doubao"),
}
_CLAUDE, _GOOGLE = r"(anthropic|anthropic_bedrock|google_anthropic_vertex):", r"google_(genai|vertexai):"
_OF_MODELS = (
    (r".*doubao.*ui-?tars", "ui_tars_doubao"),
    (r"(?i).*ui-?tars", "ui_tars"),
    (rf"{_CLAUDE}.*claude-(3|(opus|sonnet)-4(-[01])?(-?\d{{8}}|$)|(sonnet|haiku)-4-5)", "anthropic_20250124"),
    (_CLAUDE, "anthropic"),
    (r"(openai|azure_openai):computer-use-preview", "openai_preview"),
    (r"(openai|azure_openai):", "openai"),
    (rf"{_GOOGLE}.*gemini-(2\.5|3-flash)", "gemini_2.5"),
    (_GOOGLE, "gemini"),
)
"""Which tool models have where nobody says it: the first that fits `PROVIDER:NAME`."""


def told_in_words(tool: ComputerTool, reply: AIMessage) -> str:
    """A reply as a text: its words, and its calls as JSON."""
    calls = [json.dumps(call.body, ensure_ascii=False) for call in tool.calls(reply)]
    return "\n".join(filter(None, [text_of(reply), *calls])) or "(nothing)"
