"""Replies in each provider's own form: a cut-off, a refusal, a call of a tool in words, a wrong id. None is read as success."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from models import CLICK, operator, view

from roles.journal.journal import Journal
from roles.policies.fallback import GaveUp
from roles.policies.llm.reply_parsing import finish_of
from roles.policies.scripted_model import ScriptedChatModel

WHOLE = '{"status": "FINISH", "action": "none", "target": "", "reasoning": "done"}'
CUT = {
    "openai": {"response_metadata": {"finish_reason": "length", "model_provider": "openai"}},
    "openai responses": {
        "response_metadata": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "object": "response"}
    },
    "anthropic": {"response_metadata": {"stop_reason": "max_tokens", "stop_sequence": None}},
    "google": {"response_metadata": {"finish_reason": "MAX_TOKENS", "safety_ratings": []}},
    "ollama": {"response_metadata": {"done": True, "done_reason": "length"}},
    "bedrock": {"response_metadata": {"stopReason": "max_tokens"}},
    "mistral": {"response_metadata": {"finish_reason": "model_length"}},
}
REFUSED = {
    "openai": {"additional_kwargs": {"refusal": "I can't help with that."}, "response_metadata": {"finish_reason": "stop"}},
    "openai filter": {"response_metadata": {"finish_reason": "content_filter"}},
    "openai responses": {"content": [{"type": "refusal", "refusal": "I can't help with that."}]},
    "anthropic": {"response_metadata": {"stop_reason": "refusal"}},
    "google": {"response_metadata": {"finish_reason": "PROHIBITED_CONTENT"}},
    "bedrock": {"response_metadata": {"stopReason": "guardrail_intervened"}},
}
ENDED = {
    "openai": {"response_metadata": {"finish_reason": "stop"}, "additional_kwargs": {"refusal": None}},
    "openai tools": {"response_metadata": {"finish_reason": "tool_calls"}},
    "anthropic": {"response_metadata": {"stop_reason": "end_turn"}},
    "google": {"response_metadata": {"finish_reason": "STOP"}},
    "ollama": {"response_metadata": {"done_reason": "stop"}},
    "nothing": {},
}


def reply(of: dict[str, Any]) -> AIMessage:
    return AIMessage(**{"content": WHOLE, **of})


@pytest.mark.parametrize(
    ("of", "finish", "words"),
    [
        *(pytest.param(one, "cut_off", "cut off at its longest (max_tokens: 1000)", id=f"cut {n}") for n, one in CUT.items()),
        *(pytest.param(one, "refused", "the model refused to answer", id=f"refused {name}") for name, one in REFUSED.items()),
    ],
)
def test_what_was_cut_off_or_refused_is_never_read_and_says_so(of: dict[str, Any], finish: str, words: str) -> None:
    journal = Journal(None, time.time)
    model = ScriptedChatModel(answer=lambda _: reply(of))
    with pytest.raises(GaveUp) as gave_up:
        operator(model, journal=journal).decide(view())
    assert words in str(gave_up.value)
    assert [call.body["finish"] for call in journal.events("model_call")] == [finish] * 3
    assert all(words in error.body["message"] for error in journal.events("error"))


@pytest.mark.parametrize("of", ENDED.values(), ids=ENDED)
def test_what_ended_by_itself_is_read(of: dict[str, Any]) -> None:
    assert finish_of(reply(of)) == ""
    assert operator(ScriptedChatModel(answer=lambda _: reply(of))).decide(view()).status == "FINISH"


def test_after_a_cut_off_the_model_is_asked_for_less() -> None:
    cut = AIMessage(content=WHOLE[:40], response_metadata={"finish_reason": "length"})
    heard: list[str] = []

    def answer(messages: Any) -> Any:
        heard.append(str(messages[-1].content))
        return cut if len(heard) == 1 else CLICK

    assert operator(ScriptedChatModel(answer=answer)).decide(view()).action is not None
    assert "a shorter one is wanted" in heard[1]


class LengthFinishReasonError(Exception):
    """As the package of OpenAI raises it."""


@pytest.mark.parametrize("tokens", [0, 900])
def test_a_package_that_raises_for_a_cut_off_says_the_same_and_what_it_cost(tokens: int) -> None:
    fault = LengthFinishReasonError("Could not parse response content as the length limit was reached")
    if tokens:
        choice = SimpleNamespace(message=SimpleNamespace(content=WHOLE[:20]), finish_reason="length")
        usage = SimpleNamespace(prompt_tokens=10, completion_tokens=tokens)
        fault.completion = SimpleNamespace(choices=[choice], usage=usage)  # type: ignore[attr-defined]

    def answer(_: Any) -> Any:
        raise fault

    journal = Journal(None, time.time)
    with pytest.raises(GaveUp, match="cut off at its longest"):
        operator(ScriptedChatModel(answer=answer), journal=journal).decide(view())
    calls = [call.body for call in journal.events("model_call")]
    assert [(call["finish"], call["tokens_out"]) for call in calls] == [("cut_off", tokens)] * 3
