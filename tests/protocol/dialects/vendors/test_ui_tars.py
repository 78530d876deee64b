"""UI-TARS in its four spellings: what its models say, what we say to them, and what its own parser makes of that."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import HOSTILE
from written.dialect_cases import pairs

import protocol as p
from protocol import ActionTarget, Click, Coordinate, Type
from protocol.dialects import Context
from protocol.dialects.vendors.ui_tars import DIALECT, thought_of

VARIANTS = DIALECT.variants
TEXTS = VARIANTS[:3]


def read(text: str, variant: str = "1.5", **context: Any) -> Any:
    """The one action of a text."""
    found = DIALECT.read(text, Context(variant=variant, **context))
    assert not found.losses
    (action,) = found.actions
    return action


def write(action: p.Action, variant: str = "1.5", **context: Any) -> str:
    """The text of an action that loses nothing."""
    written = DIALECT.write(action, Context(variant=variant, **context))
    assert written.losses == []
    return str(written.payload)


def at(x: float, y: float, space: str = "px", image: tuple[int, int] | None = None) -> ActionTarget:
    return ActionTarget(point=Coordinate(x=x, y=y, space=space, image_size=image))  # type: ignore[arg-type]


EXACT = [(said.removeprefix("Action: "), action) for said, action in pairs("ui_tars")]


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("Thought: Save it.\nThen close.\nAction: wait()", "Save it.\nThen close."),
        ("Action: wait()", ""),
        ("wait()", ""),
        ("<gui_think>Save it.</gui_think>\n<seed:tool_call><function=wait></function></seed:tool_call>", "Save it."),
        ("no action", ""),
    ],
)
def test_the_thought_is_found_beside_the_action(text: str, thought: str) -> None:
    assert thought_of(text) == thought


# --- the judge: UI-TARS's own package ---------------------------------------------------------------------------------------


def theirs(text: str, model: str, size: tuple[int, int] = (1932, 1092)) -> list[dict[str, Any]]:
    parser = pytest.importorskip("ui_tars.action_parser", reason="the package ui-tars is not installed")
    found = parser.parse_action_to_structure_output(text, 1000, size[1], size[0], model_type=model)
    return [{"name": one["action_type"], **one["action_inputs"]} for one in found]


@pytest.mark.parametrize(("said", "action"), EXACT, ids=[said.split("(")[0] for said, _ in EXACT])
def test_its_own_parser_reads_what_we_write(said: str, action: p.Action) -> None:
    (found,) = theirs(write(action), "qwen25vl")
    name, arguments = found.pop("name"), list(found)
    assert said.startswith(f"{name}(")
    assert all(f"{argument}=" in said for argument in arguments)


def test_it_finds_the_same_place() -> None:
    """1.5 counts pixels of the resized picture, the others a grid of 1000."""
    (found,) = theirs(write(Click(target=at(966, 546, "image", (1932, 1092))), image=(1932, 1092)), "qwen25vl")
    assert json.loads(found["start_box"])[:2] == [0.5, 0.5]
    middle = read("Action: click(start_box='(966,546)')", image=(1932, 1092)).target.point
    assert middle.to_px((1920, 1080)) == (960, 540)
    (found,) = theirs(write(Click(target=at(250, 750, "norm1000")), "doubao"), "doubao")
    assert json.loads(found["start_box"])[:2] == [0.25, 0.75]


def test_it_cannot_read_the_special_tokens_of_v1() -> None:
    """Its 0.5.1 wants them removed by the tokenizer; we read both."""
    said = write(Click(target=at(1, 2, "norm1000")), "v1")
    with pytest.raises(ValueError, match="could not convert"):
        theirs(said, "qwen2vl")
    bare = said.replace("<|box_start|>", "").replace("<|box_end|>", "")
    assert theirs(bare, "qwen2vl")[0]["name"] == "click"
    assert read(bare, "v1") == read(said, "v1")


@pytest.mark.parametrize("variant", TEXTS)
@given(text=st.sampled_from(HOSTILE) | st.text(max_size=60), submit=st.booleans())
def test_it_reads_every_text_we_write_but_for_blanks_at_the_start(variant: str, text: str, submit: bool) -> None:
    """It strips those, and drops an argument that is empty."""
    written = DIALECT.write(Type(text=text, submit=submit), Context(variant=variant)).payload
    (found,) = theirs(written, "doubao" if variant == "doubao" else "qwen25vl")
    content = text + "\n" * submit
    assert (found["name"], found.get("content", "")) == ("type", content.lstrip())


@given(text=st.sampled_from(HOSTILE) | st.text(max_size=60))
def test_it_reads_every_text_that_we_write_in_tags(text: str) -> None:
    parser = pytest.importorskip("ui_tars.action_parser", reason="the package ui-tars is not installed")
    (found,) = parser.parse_xml_action_v5(write(Type(text=text, submit=True), "xml"))
    assert found == {"function": "type", "parameters": {"content": text + "\n"}}


def test_where_its_own_parser_fails_on_ordinary_text() -> None:
    """Each of these is read by us, and written so that even it reads them."""
    (changed,) = theirs("Action: type(content='set point=5')", "qwen25vl")
    assert changed["content"] == "set start_box=5"
    for refused in ("type(content='Action: x')", 'type(content="it is")'):
        with pytest.raises((ValueError, AssertionError)):
            theirs(f"Action: {refused}", "qwen25vl")
    for text in ("set point=5", "Action: x", "it is", "a') b"):
        assert theirs(write(Type(text=text)), "qwen25vl") == [{"name": "type", "content": text}]
