"""A decision out of what a model said, in whatever blocks its provider says it."""

import json
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from models import operator, text_of, view

from roles.journal.journal import Journal
from roles.policies.fallback import GaveUp
from roles.policies.llm.reply_parsing import LONGEST, UnusableReply, finish_of, object_in, object_of
from roles.policies.scripted_model import ScriptedChatModel

ANSWER = {
    "reasoning": "a } in a string",
    "action": {"action_type": "click", "target": {"element_id": "e3"}},
    "status": "CONTINUE",
}
TEXT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Sure, here it is:\n\n{TEXT}\n\nAnything else?",
        f'<think>I could say {{"status": "FINISH"}}</think>{TEXT}',
        f"In {{braces}} first. {TEXT}",
        json.dumps(ANSWER, indent=2) + json.dumps({"status": "FINISH"}),
        f"[{TEXT}]",
        f"{{}} {TEXT}",
    ],
)
def test_the_first_whole_object_is_taken_wherever_it_stands(text: str) -> None:
    assert object_in(text) == ANSWER


def test_an_answer_that_was_cut_off_is_no_answer() -> None:
    for cut in range(1, len(TEXT)):
        with pytest.raises(UnusableReply):
            print(cut, object_in(TEXT[:cut]))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("I would click Submit.", "no JSON object"),
        ('["click"]', "no JSON object"),
        (TEXT[:-2], "cut off"),
        ("{'action': 'click'}", "broken"),
        ("{" * 30_000, "cut off"),
        ('{"a":' * 10_000, "recursion"),
        ("x" * (LONGEST + 1), "long"),
        ("{" + "9" * 6_000 + "}", "broken"),
        ('{"seconds": ' + "9" * 6_000 + "}", "cannot be read"),
    ],
)
def test_what_is_no_object_is_said_in_words(text: str, why: str) -> None:
    with pytest.raises(UnusableReply, match=why):
        object_in(text)


@given(st.text(max_size=400))
def test_any_text_is_an_object_or_unusable(text: str) -> None:
    with suppress(UnusableReply):
        assert isinstance(object_in(text), dict)


def test_the_call_of_a_tool_is_an_answer_and_so_are_blocks_of_text() -> None:
    call = AIMessage(content="", tool_calls=[{"name": "decision", "args": ANSWER, "id": "1"}])
    assert object_of(call) == ANSWER
    assert object_of(AIMessage(content=[{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": TEXT}])) == ANSWER


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


class LengthFinishReasonError(Exception):
    """As the package of OpenAI raises it."""


@pytest.mark.parametrize("tokens", [0, 900])
def test_a_package_that_raises_for_a_cut_off_says_the_same_and_what_it_cost(tokens: int) -> None:
    fault = LengthFinishReasonError("Could not parse response content as the length limit was reached")
    if tokens:
        choice = SimpleNamespace(message=SimpleNamespace(content=WHOLE[:20]), finish_reason="length")
        usage = SimpleNamespace(prompt_tokens=10, completion_tokens=tokens)
        fault.completion = SimpleNamespace(choices=[choice], usage=usage)  # type: ignore[attr-defined]

    heard: list[Any] = []

    def answer(messages: Any) -> Any:
        heard.append(messages)
        raise fault

    journal = Journal(None, time.time)
    with pytest.raises(GaveUp, match="cut off at its longest"):
        operator(ScriptedChatModel(answer=answer), journal=journal).decide(view())
    calls = [call.body for call in journal.events("model_call")]
    assert [(call["finish"], call["tokens_out"]) for call in calls] == [("cut_off", tokens)] * 3
    assert "a shorter one is wanted" in text_of(heard[-1])
