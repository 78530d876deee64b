"""LangChain tool calls `{"name", "args", "id", "type": "tool_call"}`: one tool a verb, our own parameters, nothing lost.

Also read: lists of calls, and messages as `AIMessage.model_dump()` gives them. `tools` are the definitions for `bind_tools`.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Any

from pydantic import ValidationError

from protocol import Action, AgentAction, Extension, JsonObject, parse_action
from protocol.dialects import Context, Dialect, DialectError, Fields, Loss, ParsedPayload, WrittenPayload
from protocol.model.actions import CLASSES

NAME = "langchain"
CARRIER = "extension"
"""The tool of the verbs that are only carried; `action_type` is among its arguments."""

_SAID = {
    "mouse_up": "Let a mouse button go, at the target or where the pointer is.",
    "hover": "Move the pointer over the target.",
    "key_up": "Let a key go that was pressed with key_down.",
    "launch_app": "Start an app.",
    "switch_window": "Bring a window to the front.",
    "go_back": "Go back to the page before.",
    "go_forward": "Go forward to the page that was left by going back.",
    "answer": "Give the user the answer to the goal.",
    "ask_user": "Ask the user a question; the reply is kept as a fact.",
    "finish_goal": "Say that the goal is reached.",
    "fail_goal": "Say that the goal cannot be reached, and why.",
}
"""What a verb does, where its class does not say it."""


_TOOLS: dict[str, type[Action]] = {**CLASSES, CARRIER: Extension}


def tools() -> list[JsonObject]:
    """A definition of each tool: name, description and the JSON schema of its arguments, as `bind_tools` takes them."""
    found = []
    for name, verb in _TOOLS.items():
        schema = verb.model_json_schema()
        if name != CARRIER:
            del schema["properties"]["action_type"]
        for heading in ("title", "description"):
            schema.pop(heading, None)
        found.append({"name": name, "description": _SAID.get(name) or cleandoc(verb.__doc__ or name), "parameters": schema})
    return found


def from_langchain(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a call, of a list of calls, or of a message that calls tools. Raises DialectError."""
    DIALECT.variant(context)
    losses: list[Loss] = []
    actions = [_action(call, where) for call, where in _calls(payload, losses)]
    if not actions:
        raise DialectError(NAME, "$", "no tool is called")
    return ParsedPayload(actions, losses)


def _calls(payload: Any, losses: list[Loss]) -> Iterator[tuple[Any, str]]:
    """Every call, and its JSON path."""
    if isinstance(payload, list | tuple):
        yield from ((call, f"$[{n}]") for n, call in enumerate(payload))
    elif isinstance(payload, Mapping) and "tool_calls" in payload:
        calls, broken = payload["tool_calls"], payload.get("invalid_tool_calls")
        if broken:
            raise DialectError(NAME, "$.invalid_tool_calls", "a call could not be read by LangChain itself")
        if not isinstance(calls, list | tuple):
            raise DialectError(NAME, "$.tool_calls", "a list of tool calls is needed")
        if payload.get("content"):
            losses.append(Loss(what="content", why="words beside the calls are no action"))
        yield from ((call, f"$.tool_calls[{n}]") for n, call in enumerate(calls))
    else:
        yield payload, "$"


def _action(call: Any, where: str) -> AgentAction:
    fields = Fields(NAME, call, where)
    fields.choice("type", ("tool_call",), None)
    name, args = fields.text("name"), fields.any("args")
    fields.drop("id", "extras")
    fields.end()
    if name not in _TOOLS:
        raise DialectError(NAME, f"{where}.name", f"there is no tool {name[:60]!r}")
    if not isinstance(args, Mapping) or not all(isinstance(key, str) for key in args):
        raise DialectError(NAME, f"{where}.args", "an object of arguments is needed")
    given = {str(key): value for key, value in args.items()}
    verb = given.pop("action_type", None) if name == CARRIER else name
    if name == CARRIER and not str(verb).startswith("x-"):
        raise DialectError(NAME, f"{where}.args.action_type", "a verb that is carried starts with x-")
    for twice in ("action_type", "type"):
        if twice in given:
            raise DialectError(NAME, f"{where}.args.{twice}", "the tool is the verb: it is not said again")
    data = {**given, "action_type": verb}
    try:
        return parse_action(data)
    except ValidationError as bad:
        error = bad.errors(include_url=False)[0]
        path = "".join(f".{part}" for part in error["loc"] if part not in ("known", "extension", data["action_type"]))
        raise DialectError(NAME, f"{where}.args" + path, str(error["msg"]).removeprefix("Value error, ")) from None


def to_langchain(action: Action, context: Context) -> WrittenPayload:
    """The action as one tool call. Never loses anything."""
    DIALECT.variant(context)
    args = action.dump()
    name = CARRIER if isinstance(action, Extension) else args.pop("action_type")
    digest = hashlib.blake2b(json.dumps([name, args], sort_keys=True).encode(), digest_size=12).hexdigest()
    return WrittenPayload({"name": name, "args": args, "id": f"call_{digest}", "type": "tool_call"}, [])


DIALECT = Dialect(name=NAME, title="LangChain tool calls", kind="json", read=from_langchain, write=to_langchain)
