"""OmniMCP: its three shapes, held against models with the fields and rules that it publishes."""

import json

import pytest
from hypothesis import given
from written.actions import every_action
from written.dialect_cases import Case, cases

import protocol as p
from protocol import Action, FinishGoal
from protocol.dialects import Context, DialectError
from protocol.dialects.desktop.omnimcp import DIALECT

RESPONSE = Context(variant="response")


@pytest.mark.parametrize("case", [case for case in cases("both") if case.name == "omnimcp"])
def test_each_shape_is_read_as_text_and_behind_words(case: Case) -> None:
    for said in (json.dumps(case.payload), f"I think so.\n```json\n{json.dumps(case.payload)}\n```"):
        assert DIALECT.read(said, case.context) == (case.actions, [])


@given(action=every_action)
def test_a_response_is_what_this_crew_itself_reads_of_seed_003(action: Action) -> None:
    try:
        payload, losses = DIALECT.write(action, RESPONSE)
    except DialectError:
        return
    if not losses and not isinstance(action, FinishGoal):
        assert p.LLMResponse.model_validate(payload).action == action
