"""openadapt-types: its own models judge the JSON that is written for it, its own parser the DSL where that parser is right."""

import json
from typing import Any

import pytest
from hypothesis import given
from openadapt_types import Action as Theirs
from openadapt_types.parsing import parse_action_dsl
from written.dialect_cases import calls, pairs

import protocol as p
from protocol import Action, GUIElement
from protocol.dialects import Context
from protocol.dialects.desktop.openadapt import DIALECT

JSON, DSL = Context(), Context(variant="dsl")
SEEN = p.VisualState(
    elements=(
        GUIElement(element_id="n1", text="Save", role="button", bbox=p.BoundingBox(x1=10, y1=10, x2=50, y2=30)),
        GUIElement(element_id="n2", text="Name", role="textbox", bbox=p.BoundingBox(x1=10, y1=50, x2=200, y2=80)),
    )
)


@pytest.mark.parametrize(("payload", "action"), pairs("openadapt"))
def test_their_model_takes_the_json_and_gives_it_back(payload: dict[str, Any], action: Action) -> None:
    whole = Theirs.model_validate(payload).model_dump(mode="json")
    assert DIALECT.read(whole, JSON) == ([action], [])
    assert DIALECT.read(json.dumps(whole), JSON) == ([action], [])


@given(written=calls(DIALECT, Context(state=SEEN)))
def test_their_model_takes_whatever_is_written(written: list[Any]) -> None:
    for each in written:
        Theirs.model_validate(each)


@pytest.mark.parametrize(("payload", "action"), pairs("openadapt"))
def test_their_parser_reads_the_dsl_as_the_same_type_and_keys(payload: dict[str, Any], action: Action) -> None:
    read = parse_action_dsl(DIALECT.write(action, DSL).payload)
    told = Theirs.model_validate(payload)
    for field in ("type", "text", "key", "modifiers", "url"):
        assert getattr(read, field) == getattr(told, field), field
    if told.target and told.target.x is not None:
        assert read.target
        for field in ("x", "y", "is_normalized"):
            assert getattr(read.target, field) == getattr(told.target, field), field
