"""The answers of AndroidWorld's agent M3A, as it writes and reads them itself."""

import ast
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import HOSTILE
from written.dialect_cases import Case, cases

import protocol as p
from protocol.dialects import Context
from protocol.dialects.desktop.androidworld import DIALECT

SAID = [case for case in cases("both", "androidworld") if case.context.variant is None]


def written(action: p.Action, state: p.VisualState | None) -> Any:
    payload, losses = DIALECT.write(action, Context(state=state, variant="m3a"))
    assert not losses
    return payload


@pytest.mark.parametrize("case", SAID, ids=lambda case: str(case.payload)[:40])
def test_m3a_answers_with_a_reason_and_the_same_object(case: Case) -> None:
    text = written(case.actions[0], case.context.state)
    assert text.startswith("Reason: ")
    said = (json.dumps(case.payload), repr(case.payload), f"```json\n{json.dumps(case.payload, indent=1)}\n```")
    for answer in (text, *(f"Reason: The button\nlooks right.\nAction: {one}" for one in said)):
        assert DIALECT.read(answer, Context(state=case.context.state, variant="m3a")) == (case.actions, [])


@given(text=st.sampled_from(HOSTILE) | st.text(max_size=60))
def test_m3as_own_way_of_finding_the_object_finds_it_whole(text: str) -> None:
    """It cuts at the first closing brace and reads Python before JSON, which ordinary texts with braces break."""
    said = written(p.Answer(text=text), None)
    cut = said[said.index("{") : said.index("}") + 1]
    assert ast.literal_eval(cut) == json.loads(cut) == {"action_type": "answer", "text": text}
