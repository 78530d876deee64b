"""One answer of a model: tried again while the trouble may pass, within a deadline, counted and paid for.

Every call and every failure is an event of the journal. What LangGraph raises to stop a run passes through untouched.
"""

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langgraph.errors import GraphBubbleUp

from protocol.http_bounds import TooMuch
from protocol.prompt_form import estimate_tokens
from protocol.retries import Overload, Retries, asked_for, passes, status_of
from roles.contracts.limits import Limits
from roles.journal.budgets import Budgets, BudgetUse
from roles.journal.events import ErrorEvent, Json, ModelCallEvent
from roles.journal.journal import Journal
from roles.journal.transcripts import PICTURE, Occasion
from roles.policies.fallback import BudgetSpent, Unreachable
from roles.policies.llm.reply_parsing import Finish, UnusableReply, finish_of, finish_said, text_of
from roles.policies.llm.settings import ModelSettings
from roles.skills.arguments import within

_REFUSED = frozenset({400, 404, 415, 422})
_SAID = 200
_KEPT = 4_000
"""Characters of an unusable answer that are kept."""


class FormRefused(Exception):
    """The server does not take the way in which the form of the answer was asked for."""


class Question(NamedTuple):
    """What a model is asked, and what for."""

    messages: Sequence[BaseMessage]
    schema: Mapping[str, Any] | None = None
    form: str = ""
    """How the form of the answer is asked for."""
    about: Occasion = Occasion()


def _parts(message: BaseMessage) -> Iterator[tuple[Literal["text", "picture"], str]]:
    for block in [message.content] if isinstance(message.content, str) else message.content:
        if isinstance(block, str):
            yield "text", block
        elif "base64" in block:
            yield "picture", str(block["base64"])
        else:
            yield "text", str(block["text"]) if "text" in block else json.dumps(block, ensure_ascii=False)
    for call in message.tool_calls if isinstance(message, AIMessage) and isinstance(message.content, str) else ():
        yield "text", json.dumps({"name": call["name"], "args": call["args"]}, ensure_ascii=False)


class Clocks(NamedTuple):
    """Time as calls see it; injected, so that tests do not wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def _kept(reply: AIMessage) -> Json:
    """A reply as it is kept, and as `_message` makes it again."""
    said: Json = {"content": reply.content, "tool_calls": reply.tool_calls, "finish": finish_of(reply)}
    return {**said, "usage": reply.usage_metadata} if reply.usage_metadata else said


def _message(kept: Json) -> AIMessage:
    known = {"finish_reason": kept.get("finish") or "stop"}
    usage = kept.get("usage")
    return AIMessage(
        content=kept.get("content", ""), tool_calls=kept.get("tool_calls", []), usage_metadata=usage, response_metadata=known
    )


def png_size(png: str) -> tuple[int, int]:
    """Width and height, which stand at the beginning of every PNG."""
    head = base64.b64decode(png[:32])
    return (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) if head.startswith(b"\x89PNG") else (1, 1)


@dataclass
class Breaker:
    """Leaves a model alone for a while once it has failed several times in a row. Shared by all who ask that model."""

    settings: ModelSettings
    clocks: Clocks
    failed: int = 0
    until: float = 0.0

    def check(self, name: str) -> None:
        left = self.until - self.clocks.now()
        if left > 0:
            raise Unreachable(f"{name} failed {self.failed} times in a row and is not asked again for another {left:.0f} s")

    def told(self, worked: bool) -> None:
        self.failed = 0 if worked else self.failed + 1
        if self.failed >= self.settings.break_after:
            self.until = self.clocks.now() + self.settings.break_seconds


@dataclass(frozen=True)
class Caller:
    """Calls one model for one role: every call is written down, and none is made once a budget is spent."""

    model: BaseChatModel
    settings: ModelSettings
    role: str
    journal: Journal
    limits: Limits
    breaker: Breaker
    clocks: Clocks = field(default_factory=Clocks)
    retries: Retries = field(default_factory=Retries)

    def call(self, asked: Question, bound: Any) -> AIMessage:
        """The model's answer; `bound` is the model with the form of the answer bound to it.

        Raises Unreachable when no answer could be had, Unusable for one that cannot be read, BudgetSpent, and FormRefused.
        """
        transcript = self._transcript(asked)
        if (known := self._recalled(asked, transcript)) is not None:
            return known
        self._check()
        self.breaker.check(self.settings.name)
        until = self.clocks.now() + self.settings.deadline
        trying = self.retries.trying(sleep=self.clocks.sleep, enough=lambda wait: self.clocks.now() + wait >= until)
        try:
            reply: AIMessage = trying(self._once, asked, bound, transcript)
        except Overload as trouble:
            self.breaker.told(worked=False)
            raise Unreachable(f"{self.settings.name} could not be asked: {trouble}") from None
        self.breaker.told(worked=True)
        return reply

    def _once(self, asked: Question, bound: Any, transcript: Json) -> AIMessage:
        self._check()
        self.journal.commit()  # it may take long, and others read along
        began = self.clocks.now()
        try:
            raw = within(self.settings.timeout, lambda: bound.invoke(list(asked.messages)), TimeoutError)
        except GraphBubbleUp:
            raise
        except Exception as fault:
            # A provider's package may raise anything; it becomes one of three cases, but for an answer that it brings with it.
            raw = _brought(fault)
            if raw is None:
                problem = _said(fault)
                kept = transcript or self._transcript(asked, failed=True)
                self.enter(asked, None, self.clocks.now() - began, kept, problem, finish_said(type(fault).__name__))
                raise self._sorted(fault, problem) from fault
        reply = raw["raw"] if isinstance(raw, Mapping) else raw
        if not isinstance(reply, AIMessage):
            reply = AIMessage(content=str(reply))
        self.enter(asked, reply, self.clocks.now() - began, self._with_reply(transcript, reply))
        return reply

    def _sorted(self, fault: Exception, problem: str) -> Exception:
        # There was an answer, and the provider's own package could not read it.
        why = ended(finish_said(type(fault).__name__), self.settings)
        unread = any(isinstance(cause, OutputParserException | RecursionError | TooMuch) for cause in _causes(fault))
        if why or unread:
            return UnusableReply(why or f"it could not be read: {problem}")
        if passes(fault):
            return Overload(problem, asked_for(fault))
        if status_of(fault) in _REFUSED:
            return FormRefused(problem)
        self.breaker.told(worked=False)
        return Unreachable(f"{self.settings.name} refused: {problem}")

    def _check(self) -> None:
        if found := Budgets(self.limits).spent(BudgetUse(self.journal.spending), "call"):
            raise BudgetSpent(f"{found} is spent")

    # --- what is written down ----------------------------------------------------------------------------------------

    def _transcript(self, asked: Question, *, failed: bool = False) -> Json:
        """What is kept of the request: what the settings of the run say."""
        transcripts = self.journal.transcripts
        wanted = transcripts.settings.prompts
        if not (wanted == "all" or (failed and wanted == "failed")):
            return {}
        messages = [(message.type, list(_parts(message))) for message in asked.messages]
        return transcripts.keep(self.settings.name, self.settings.heat, messages, asked.schema, asked.form, asked.about)

    def _with_reply(self, transcript: Json, reply: AIMessage | None) -> Json:
        """The transcript with the reply, stored."""
        if reply is None or "request" not in transcript:
            return transcript
        return transcript | {"reply": self.journal.transcripts.reply(_kept(reply))}

    def _recalled(self, asked: Question, transcript: Json) -> AIMessage | None:
        """A reply that needs no call: a process that is gone had it."""
        transcripts = self.journal.transcripts
        paid = transcripts.paid(self.role, asked.about, transcript) if "request" in transcript else None
        if paid is None:
            return None
        reply = _message(paid)
        known: Json = {"recalled": True, "transcript": self._with_reply(transcript, reply)}
        self._record(ModelCallEvent(model=self.settings.name, tokens_in=0, tokens_out=0, seconds=0.0, **known), asked.about)
        return reply

    def picture(self, name: str) -> str:
        """A picture that a model was shown, as base64; empty where it is not kept, or has been withdrawn since."""
        text = self.journal.transcripts.text(name) or ""
        return text.removeprefix(PICTURE) if text.startswith(PICTURE) else ""

    def _record(self, event: ModelCallEvent | ErrorEvent, about: Occasion) -> None:
        # A step that is worked again may call again, so there is no key.
        step = about.step or self.journal.reached()
        self.journal.record(event, role=self.role, subtask=about.subtask, step=step)

    def enter(
        self, asked: Question, reply: AIMessage | None, seconds: float, transcript: Json, problem: str = "", finish: Finish = ""
    ) -> None:
        """One call, with what the provider says that it used, or an estimate where it says nothing."""
        usage: Mapping[str, Any] = (reply.usage_metadata if reply is not None else None) or {}
        estimated = reply is not None and not usage
        read, written = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
        said = (text_of(reply), str(reply.tool_calls or "")) if reply is not None else ("", "")
        if estimated:
            parts = [part for message in asked.messages for part in _parts(message)]
            sizes, written = self.settings.pictures, estimate_tokens("".join(said))
            read = sum(sizes.tokens(*png_size(it)) if kind == "picture" else estimate_tokens(it) for kind, it in parts)
        cached = min(read, (usage.get("input_token_details") or {}).get("cache_read") or 0)
        prices = self.settings.prices
        of_cached = prices.tokens_in if prices.tokens_cached is None else prices.tokens_cached
        money = ((read - cached) * prices.tokens_in + cached * of_cached + written * prices.tokens_out) / 1_000_000
        more: Json = {
            "characters": len(said[0]) or len(said[1]),
            "money": round(money, 8),
            "tokens_cached": cached,
            "tokens_reasoning": (usage.get("output_token_details") or {}).get("reasoning"),
            "estimated": estimated,
            "problem": problem,
            "finish": finish_of(reply) if reply is not None else finish,
            "transcript": transcript,
        }
        known = {name: value for name, value in more.items() if value}
        used = {"tokens_in": read, "tokens_out": written, "seconds": round(seconds, 3)}
        self._record(ModelCallEvent(model=self.settings.name, **used, **known), asked.about)
        if transcript and reply is not None:
            self.journal.commit()  # what was paid for survives a kill

    def error(self, problem: str, said: str, asked: Question, reply: AIMessage | None) -> None:
        """An answer that could not be used: counted, seen in the report, and kept as it was for reading."""
        problem = f"the answer of {self.settings.name} was not usable: {problem}"
        more: Json = {"reply": said[:_KEPT]} if said else {}
        if self.journal.transcripts.settings.prompts == "failed":
            more |= {"transcript": self._with_reply(self._transcript(asked, failed=True), reply)}
        self._record(ErrorEvent(message=problem, unusable=True, **more), asked.about)


def _brought(fault: Exception) -> AIMessage | None:
    """The answer of OpenAI's package, which raises where one was cut off: what it says was paid for."""
    completion = getattr(fault, "completion", None)
    used, choices = getattr(completion, "usage", None), getattr(completion, "choices", None)
    if not choices or used is None:
        return None
    read, written = int(used.prompt_tokens), int(used.completion_tokens)
    usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    known = {"finish_reason": choices[0].finish_reason}
    return AIMessage(content=choices[0].message.content or "", usage_metadata=usage, response_metadata=known)


def ended(finish: Finish, settings: ModelSettings) -> str:
    """Why an answer that ends so cannot be used, in words; empty where it ended by itself."""
    match finish:
        case "cut_off":
            room = settings.longest - settings.max_tokens
            told = f"max_tokens: {settings.max_tokens}{f', and {room} to reason' if room else ''}"
            return f"the answer was cut off at its longest ({told}); a shorter one is wanted"
        case "refused":
            return "the model refused to answer"
        case _:
            return ""


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    """The fault and what it came of: a provider's package says `Connection error.` of all that goes wrong in it."""
    while fault is not None:
        yield fault
        fault = fault.__cause__


def _said(fault: BaseException) -> str:
    fault = next((cause for cause in _causes(fault) if isinstance(cause, RecursionError | TooMuch)), fault)
    return f"{type(fault).__name__}: {' '.join(str(fault).split())[:_SAID]}".rstrip(": ")
