"""LangChain's own messages and tool conversion judge what is written, JSON Schema its arguments."""

import re
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from written.actions import KINDS, every_action

from protocol import Action, FinishGoal, Type
from protocol.dialects import Context
from protocol.dialects.desktop.langchain import from_langchain, to_langchain, tools

HERE = Context()
TOOLS = {tool["name"]: tool for tool in tools()}
VALIDATORS = {name: Draft202012Validator(tool["parameters"]) for name, tool in TOOLS.items()}


def test_there_is_one_tool_a_verb_and_one_for_those_of_others() -> None:
    assert set(TOOLS) == {verb for verb in KINDS if not verb.startswith("x-")} | {"extension"}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_langchain_takes_the_definition_of_a_tool(tool: dict[str, Any]) -> None:
    taken = convert_to_openai_tool(tool)["function"]
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", taken["name"])
    assert len(taken["description"]) > 10
    assert taken["parameters"]["type"] == "object"
    assert taken["parameters"]["additionalProperties"] is False
    assert ("action_type" in taken["parameters"]["properties"]) == (taken["name"] == "extension")
    Draft202012Validator.check_schema(taken["parameters"])


@given(action=every_action)
def test_every_action_is_one_call_that_fits_its_tool_and_loses_nothing(action: Action) -> None:
    call, losses = to_langchain(action, HERE)
    assert not losses
    VALIDATORS[call["name"]].validate(call["args"])
    message = AIMessage(content="", tool_calls=[call])
    assert message.tool_calls == [call]
    assert from_langchain(message.model_dump(), HERE) == ([action], [])


def test_a_call_is_what_a_model_of_langchain_gives() -> None:
    action = Type(text="hi", target={"element_id": "n1"}, submit=True, delay=0.5)
    call = to_langchain(action, HERE).payload
    args = {"target": {"element_id": "n1"}, "text": "hi", "submit": True, "delay": 0.5}
    assert call == {"name": "type", "args": args, "id": call["id"], "type": "tool_call"}
    assert call["id"] == to_langchain(action, HERE).payload["id"]
    assert call["id"] != to_langchain(FinishGoal(), HERE).payload["id"]
