"""openadapt-types: its own models judge the JSON that is written for it, its own parser the DSL where that parser is right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from openadapt_types import Action as Theirs
from openadapt_types.parsing import parse_action_dsl, parse_action_json
from written.actions import every_action
from written.dialect_cases import pairs

import protocol as p
from protocol import Action, ActionTarget, Click, Coordinate, GUIElement, PressKey, Scroll, Type
from protocol.dialects import Context, DialectError, Loss
from protocol.dialects.desktop.openadapt import DIALECT, from_openadapt

AT = ActionTarget(point=Coordinate(x=640, y=400))
HALF = ActionTarget(point=Coordinate(x=0.5, y=0.25, space="norm1"))
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
    assert from_openadapt(whole, JSON) == ([action], [])
    assert from_openadapt(json.dumps(whole), JSON) == ([action], [])


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


def test_a_name_is_said_as_the_element_that_it_finds() -> None:
    written = DIALECT.write(Click(target=ActionTarget(text="Save", role="button")), Context(state=SEEN))
    assert written.payload == {"type": "click", "target": {"node_id": "n1"}}
    assert [loss.what for loss in written.losses] == ["target.text"]


def test_pixels_count_in_the_picture_that_the_model_saw() -> None:
    context = Context(image=(640, 400))
    assert DIALECT.write(Click(target=AT), context).payload["target"] == {"x": 320, "y": 200, "is_normalized": False}
    read = from_openadapt({"type": "click", "target": {"x": 320, "y": 200, "is_normalized": False}}, context)
    assert read.actions[0].target.point == Coordinate(x=320, y=200, space="image", image_size=(640, 400))


def test_a_pixel_at_one_one_is_never_taken_for_the_far_corner() -> None:
    """openadapt-types 0.24 reads both of these as fractions."""
    assert parse_action_dsl("CLICK(x=1, y=1)").target.is_normalized
    for payload, context in (("CLICK(x=1, y=1)", DSL), ('{"type": "click", "x": 1, "y": 1}', JSON)):
        read = from_openadapt(payload, context)
        assert read.actions == [Click(target={"point": [1, 1]})]
        assert [loss.what for loss in read.losses] == ["is_normalized"]
    said = DIALECT.write(Click(target={"point": [1, 1]}), DSL)
    assert [loss.what for loss in said.losses] == ["target.point"]
    assert DIALECT.write(Click(target={"point": [1, 1]}), JSON).losses == []


@pytest.mark.parametrize("payload", ["CLICK(x=0.50, y=0.30)", "CLICK(x=1.0, y=1.0)", "CLICK(x=1, y=0.5)"])
def test_decimals_of_the_dsl_are_fractions_of_the_screen(payload: str) -> None:
    read = from_openadapt(payload, DSL)
    assert read.actions[0].target.point.space == "norm1"
    assert [loss.what for loss in read.losses] == ["is_normalized"]


def test_decimals_beyond_the_screen_are_refused_and_not_taken_for_pixels() -> None:
    with pytest.raises(DialectError, match=r"line 1, column 1, CLICK\.x: .* between 0 and 1"):
        from_openadapt("CLICK(x=640.5, y=2.0)", DSL)


def test_the_element_and_the_keys_of_a_call_are_kept() -> None:
    """openadapt-types 0.24 loses both."""
    assert parse_action_dsl('CLICK(node_id="n1")').target is None
    assert from_openadapt('CLICK(node_id="n1")', DSL).actions == [Click(target={"element_id": "n1"})]
    for keys in ('"ctrl+shift+t"', '"ctrl,shift,t"', '["ctrl", "shift", "t"]'):
        assert from_openadapt(f"HOTKEY(keys={keys})", DSL).actions == [PressKey(keys=("Control", "Shift", "t"))]
    assert from_openadapt('KEY(key="ctrl+c")', DSL).actions == [PressKey(keys=("Control", "c"))]


def test_braces_in_strings_and_deep_json_are_read() -> None:
    """openadapt-types 0.24 finds no JSON in either."""
    for text in ('{"type": "type", "text": "}{"}', '{"type": "type", "text": "x", "raw": {"a": {"b": {"c": {}}}}}'):
        assert parse_action_json(text).type == "fail"
        assert from_openadapt(f"Sure:\n```json\n{text}\n```", JSON).actions[0].verb == "type"


def test_a_newline_in_the_dsl_is_one() -> None:
    """openadapt-types 0.24 keeps the backslash."""
    assert parse_action_dsl('TYPE(text="a\\nb")').text == "a\\nb"
    assert from_openadapt('TYPE(text="a\\nb")', DSL).actions == [Type(text="a\nb")]


@pytest.mark.parametrize(
    "text",
    [
        "Thought: press (it)\nAction: CLICK(node_id='n1')",
        "Thought: first\nsecond\nAction: CLICK(node_id='n1')",
        "thought: it is there\nCLICK(node_id='n1')",
        "  Action: CLICK(node_id='n1')",
        "```\nCLICK(node_id='n1')\n```",
        "click(node_id='n1')",
    ],
)
def test_words_around_a_call_are_passed_over(text: str) -> None:
    assert from_openadapt(text, DSL).actions == [Click(target={"element_id": "n1"})]


def test_action_within_a_text_is_text() -> None:
    assert from_openadapt('Thought: x\nAction: TYPE(text="Action: DONE()")', DSL).actions == [Type(text="Action: DONE()")]


def test_older_spellings_of_the_json_are_read() -> None:
    flat = {"action_type": "CLICK", "coordinate": [0.5, 0.25], "thought": "there"}
    assert from_openadapt(flat, JSON) == (
        [Click(target=HALF)],
        [Loss(what="is_normalized", why="not said: whole numbers are read as pixels, others as fractions")],
    )
    assert from_openadapt({"type": "scroll", "direction": "down"}, JSON).actions == [Scroll.toward("down", 1, unit="page")]


def test_a_failure_of_their_parser_is_no_decision() -> None:
    told = parse_action_dsl("I am done!").model_dump(mode="json")
    with pytest.raises(DialectError, match=r"\$\.raw\.parse_error"):
        from_openadapt(told, JSON)
