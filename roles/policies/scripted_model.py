"""A chat model whose answers are written down: for tests, demonstrations, and trying what bad models do to a crew.

An answer is worked out from the messages and from nothing else, so the same question has the same answer in any process and
after any kill. Only an injected error looks at how often a question was asked: it is over when the question is asked again.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr, ValidationError

from environments.files.yaml_lines import read_small, safe_data
from protocol import Frozen
from protocol.prompt_form import estimate_tokens
from roles.policies.llm.reply_parsing import text_of
from roles.policies.llm.settings import ModelProblem

Reply = str | dict[str, Any] | AIMessage
Answer = Callable[[Sequence[BaseMessage]], Reply]
_NOTHING = "I do not know what to say to that."


class ScriptLine(Frozen):
    """An answer, and the messages it is for. Groups of `matches` can stand in the answer as \\1 or \\g<name>."""

    contains: str = ""
    """Stands in the messages, whatever the case."""
    matches: str = ""
    """A regular expression that is found in the messages."""
    where: Literal["last", "first", "any"] = "any"
    """In the last message, the first one (what the model is told to be), or all of them."""
    answer: str | dict[str, Any]

    def reply(self, messages: Sequence[BaseMessage]) -> Reply | None:
        """The answer, if it is one to these messages."""
        chosen = {"last": messages[-1:], "first": messages[:1], "any": messages}[self.where]
        text = "\n".join(text_of(message) for message in chosen)
        if self.contains.casefold() not in text.casefold():
            return None
        found = re.search(self.matches, text, re.DOTALL)
        return _expanded(self.answer, found) if found is not None else None


def _expanded(answer: Any, found: re.Match[str]) -> Any:
    if isinstance(answer, str):
        return found.expand(answer) if "\\" in answer else answer
    if isinstance(answer, dict):
        return {key: _expanded(value, found) for key, value in answer.items()}
    return [_expanded(value, found) for value in answer] if isinstance(answer, list) else answer


class Script(Frozen):
    """The YAML file of the model `scripted`."""

    lines: tuple[ScriptLine, ...] = Field(min_length=1)
    seed: int = 0
    malformed: float = Field(default=0.0, ge=0.0, le=1.0)
    errors: float = Field(default=0.0, ge=0.0, le=1.0)


def read_script(path: Path) -> ScriptedChatModel:
    """The model that a YAML file describes. Raises ModelProblem."""
    try:
        script = Script.model_validate_json(json.dumps(safe_data(read_small(path))))
    except (OSError, ValueError, TypeError, yaml.YAMLError, RecursionError) as bad:
        first = bad.errors()[0] if isinstance(bad, ValidationError) else None
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(bad).splitlines()[0]
        raise ModelProblem(f"the script of a model {path} cannot be used: {why}") from None
    return ScriptedChatModel(lines=script.lines, seed=script.seed, malformed=script.malformed, errors=script.errors)


class Overloaded(ConnectionError):
    """An injected error, of the kind that passes."""

    status_code = 503


class ScriptedChatModel(BaseChatModel):
    """Answers by a function of the messages, or by the first of its lines that fits them.

    `malformed` and `errors` are rates from 0 to 1: which questions they strike is settled by `seed` and the messages.
    """

    answer: Answer | None = Field(default=None, exclude=True)
    lines: tuple[ScriptLine, ...] = ()
    seed: int = 0
    latency: float = 0.0
    """Seconds that an answer takes; `sleeper` waits for them."""
    sleeper: Callable[[float], None] = Field(default=time.sleep, exclude=True)
    malformed: float = 0.0
    errors: float = 0.0
    structured: bool = True
    """Whether it takes schemas and tools; one that does not answers in words only."""

    _asked: Counter[str] = PrivateAttr(default_factory=Counter)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "deskcrew-scripted"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": "scripted", "seed": self.seed}

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Answers that are objects become calls of the tool that is chosen, or of the one they name by `tool`."""
        if not self.structured:  # as any model of LangChain that lacks it
            return super().bind_tools(tools, tool_choice=tool_choice, **kwargs)
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def with_structured_output(
        self, schema: Any, *, include_raw: bool = False, method: str = "json_schema", **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """As with the models of providers: a JSON object by schema, as a call of a tool, or just as JSON."""
        if not self.structured:
            return super().with_structured_output(schema, include_raw=include_raw, **kwargs)
        if method == "function_calling":
            tool = convert_to_openai_tool(schema)
            bound: Runnable[LanguageModelInput, AIMessage] = self.bind_tools([schema], tool_choice=tool["function"]["name"])
        else:
            bound = self.bind(response_format=method)
        if not include_raw:
            return bound | RunnableLambda(_parsed)
        return RunnableParallel(raw=bound) | RunnablePassthrough.assign(parsed=lambda said: _parsed_or_none(said["raw"]))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._message(messages, kwargs))])

    def _message(self, messages: Sequence[BaseMessage], bound: Mapping[str, Any]) -> AIMessage:
        if self.latency:
            self.sleeper(self.latency)
        said = "\n".join(f"{message.type}: {text_of(message)}" for message in messages)
        key = hashlib.blake2b(f"{self.seed}\n{said}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        with self._lock:
            self._asked[key] += 1
            turn = self._asked[key]
        if turn == 1 and random.Random(f"error {key}").random() < self.errors:  # noqa: S311 - chance by seed
            raise Overloaded("the scripted model is overloaded")
        fitting = (reply for line in self.lines if (reply := line.reply(messages)) is not None)
        reply = self.answer(messages) if self.answer is not None else next(fitting, _NOTHING)
        chance = random.Random(f"malformed {key}")  # noqa: S311 - chance by seed
        if chance.random() < self.malformed:
            return _used(AIMessage(content=spoiled(_as_text(reply), chance)), said)
        return _used(self._formed(reply, bound, key), said)

    def _formed(self, reply: Reply, bound: Mapping[str, Any], key: str) -> AIMessage:
        if isinstance(reply, AIMessage):
            return reply
        tools = [tool["function"]["name"] for tool in bound.get("tools") or () if "function" in tool]
        if isinstance(reply, dict) and tools:
            chosen = bound.get("tool_choice")
            name = chosen if chosen in tools else str(reply.get("tool", tools[0]))
            arguments = {k: v for k, v in reply.items() if k != "tool"}
            return AIMessage(content="", tool_calls=[{"name": name, "args": arguments, "id": f"call_{key[:8]}"}])
        if isinstance(reply, dict) and bound.get("tools") and "content" in reply:  # of a provider's own tool: its whole message
            return AIMessage(**reply)
        return AIMessage(content=_as_text(reply))


def _as_text(reply: Reply) -> str:
    if isinstance(reply, AIMessage):
        return text_of(reply)
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _used(message: AIMessage, said: str) -> AIMessage:
    if message.usage_metadata:
        return message
    read, written = (
        estimate_tokens(said),
        estimate_tokens(text_of(message) + "".join(str(call["args"]) for call in message.tool_calls)),
    )
    usage = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return message.model_copy(update={"usage_metadata": usage})


def _parsed(message: AIMessage) -> Any:
    return dict(message.tool_calls[0]["args"]) if message.tool_calls else json.loads(text_of(message))


def _parsed_or_none(message: AIMessage) -> Any:
    try:
        return _parsed(message)
    except (ValueError, RecursionError):
        return None


def spoiled(text: str, chance: random.Random) -> str:
    """The text as a model in trouble would have said it: cut off, in words, of wrong types, empty, or without end."""
    ways: tuple[Callable[[], str], ...] = (
        lambda: text[: chance.randrange(1, max(2, len(text)))],
        lambda: f"Sure! I would do this: {text[1:-1]}",
        lambda: re.sub(r'"(?=[:,}\]])', "", text),
        lambda: json.dumps([text]),
        lambda: "",
        lambda: re.sub(r": *\"[^\"]*\"", ": 17", text),
        lambda: text[:-1] + ", " * 400,
    )
    return chance.choice(ways)()
