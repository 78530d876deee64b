"""Anthropic's own SDK judges what is written for its toolset; the older tools have no types, so examples stand for them."""

from typing import Any

import pytest
from anthropic.types.beta import BetaComputerToolUseBlock
from anthropic.types.beta.beta_computer_member_name import BETA_COMPUTER_MEMBER_NAME_VALUES
from hypothesis import given
from pydantic import TypeAdapter
from written.dialect_cases import calls, pairs

import protocol as p
from protocol.dialects import Context
from protocol.dialects.vendors.anthropic import DIALECT

HERE = Context()
TOOLSET = Context(variant="20260801")
JUDGE: TypeAdapter[Any] = TypeAdapter(BetaComputerToolUseBlock)


SAID = pairs("anthropic")


def test_every_action_of_the_sdk_is_read() -> None:
    assert {call["action"] for call, _ in SAID} == set(BETA_COMPUTER_MEMBER_NAME_VALUES)


@pytest.mark.parametrize(("call", "action"), SAID, ids=lambda value: value["action"] if isinstance(value, dict) else "")
def test_the_blocks_of_the_toolset_are_read(call: dict[str, Any], action: p.Action) -> None:
    given = {name: value for name, value in call.items() if name != "action"}
    block = {"type": "tool_use", "id": "toolu_1", "name": call["action"], "toolset_name": "computer", "input": given}
    block["caller"] = None
    assert DIALECT.read(block, HERE).actions == [action]
    assert DIALECT.read([block], TOOLSET).actions == [action]


@given(written=calls(DIALECT, TOOLSET))
def test_the_sdk_takes_every_block_that_is_written(written: list[Any]) -> None:
    """Strictly: whole numbers, known directions, nothing missing."""
    for block in written:
        checked = JUDGE.validate_python({**block, "id": "toolu_1"}, strict=True)
        assert checked.input.model_dump(exclude_none=True) == block["input"], "the SDK does not know a field"
