"""openadapt-types: its own models judge the JSON that is written for it, its own parser the DSL where that parser is right."""

import json
from typing import Any

import pytest
from hypothesis import given
from openadapt_types import Action as Theirs
from openadapt_types.parsing import parse_action_dsl
from written.actions import every_action
from written.dialect_cases import pairs

import protocol as p
from protocol import Action, GUIElement
from protocol.dialects import Context, DialectError
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


@given(action=every_action)
def test_their_model_takes_whatever_is_written(action: Action) -> None:
    try:
        payload = DIALECT.write(action, Context(state=SEEN)).payload
    except DialectError:
        return
    for each in payload if isinstance(payload, list) else [payload]:
        Theirs.model_validate(each)


@pytest.mark.parametrize(("payload", "action"), pairs("openadapt"))
def test_their_parser_reads_the_dsl_as_the_same_type_and_keys(payload: dict[str, Any], action: Action) -> None:
    read = parse_action_dsl(DIALECT.write(action, DSL).payload)
    told = Theirs.model_validate(payload)
    assert (read.type, read.text, read.key, read.modifiers, read.url) == (
        told.type,
        told.text,
        told.key,
        told.modifiers,
        told.url,
    )
    if told.target and told.target.x is not None:
        assert read.target
        assert (read.target.x, read.target.y, read.target.is_normalized) == (
            told.target.x,
            told.target.y,
            told.target.is_normalized,
        )
