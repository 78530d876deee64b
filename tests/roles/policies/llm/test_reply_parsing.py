"""A JSON object out of what a model said; what is cut off or broken is never completed."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from roles.policies.llm.reply_parsing import LONGEST, UnusableReply, object_in, object_of

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
