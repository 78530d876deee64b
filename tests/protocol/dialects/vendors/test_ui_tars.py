"""UI-TARS in its four spellings: what its models say, what we say to them, and what its own parser makes of that."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import HOSTILE
from written.dialect_cases import Case, cases, pairs

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, Coordinate, GUIElement, Region, Scroll, Type, VisualState
from protocol.dialects import Context, DialectError
from protocol.dialects.vendors.ui_tars import DIALECT, from_ui_tars, thought_of

VARIANTS = DIALECT.variants
TEXTS = VARIANTS[:3]
HELP = "The agent asks for help."
SAVE = GUIElement(element_id="7", text="Save", bbox=BoundingBox(x1=100, y1=200, x2=140, y2=220))
SEEN = VisualState(elements=(SAVE,), screen_resolution=(1000, 1000))


def read(text: str, variant: str = "1.5", **context: Any) -> Any:
    """The one action of a text."""
    found = from_ui_tars(text, Context(variant=variant, **context))
    assert not found.losses
    (action,) = found.actions
    return action


def write(action: p.Action, variant: str = "1.5", **context: Any) -> str:
    """The text of an action that loses nothing."""
    written = DIALECT.write(action, Context(variant=variant, **context))
    assert written.losses == []
    return str(written.payload)


def lost(action: p.Action, variant: str = "1.5", **context: Any) -> tuple[str, list[str]]:
    written = DIALECT.write(action, Context(variant=variant, **context))
    return str(written.payload), [loss.what for loss in written.losses]


def at(x: float, y: float, space: str = "px", image: tuple[int, int] | None = None) -> ActionTarget:
    return ActionTarget(point=Coordinate(x=x, y=y, space=space, image_size=image))  # type: ignore[arg-type]


EXACT = [(said.removeprefix("Action: "), action) for said, action in pairs("ui_tars")]


@pytest.mark.parametrize("case", [case for case in cases("read") if case.name == "ui_tars" and case.context.variant == "1.5"])
def test_older_spellings_are_read_between_tags_too(case: Case) -> None:
    assert [read(f"<think>I think.</think>\n<computer_env>\n{case.payload}\n</computer_env>")] == case.actions


def test_each_variant_spells_points_and_counts_them_in_its_own_way() -> None:
    action = p.Drag(target=at(100, 200, "norm1000"), to=at(300, 400, "norm1000"))
    said = {variant: write(action, variant) for variant in VARIANTS[1:]}
    assert said["v1"] == (
        "Action: drag(start_box='<|box_start|>(100,200)<|box_end|>', end_box='<|box_start|>(300,400)<|box_end|>')"
    )
    assert said["doubao"] == "Action: drag(start_point='<point>100 200</point>', end_point='<point>300 400</point>')"
    assert said["xml"] == (
        "<seed:tool_call><function=drag><parameter=start_point><point>100 200</point></parameter>"
        "<parameter=end_point><point>300 400</point></parameter></function></seed:tool_call>"
    )
    for variant, text in said.items():
        assert read(text, variant) == action


def test_the_same_string_means_another_place_in_another_variant() -> None:
    """Nothing is guessed from the size of a number or the spelling of a point: the variant says what it counts."""
    text = "Action: click(start_box='(500,500)')"
    assert read(text, "v1").target == at(500, 500, "norm1000")
    assert read(text, "1.5").target == at(500, 500)
    assert read(text, "1.5", image=(1932, 1092)).target == at(500, 500, "image", (1932, 1092))
    assert read("Action: click(point='<point>500 500</point>')", "1.5").target == at(500, 500)


def test_a_box_of_four_numbers_keeps_its_space() -> None:
    box = read("Action: click(start_box='<bbox>10 20 30 40</bbox>')", "doubao").target.bbox
    assert box == Region(x1=10, y1=20, x2=30, y2=40, space="norm1000")


def test_an_element_is_said_as_its_place() -> None:
    said, losses = lost(Click(target=ActionTarget(element_id="7")), "doubao", state=SEEN)
    assert (said, losses) == ("Action: click(point='<point>120 210</point>')", ["target.element_id"])


def test_numbers_outside_the_grid_are_refused() -> None:
    with pytest.raises(DialectError, match="between 0 and 1000"):
        from_ui_tars("Action: click(start_box='(1200,20)')", Context(variant="v1"))


def test_several_actions_of_one_answer_are_read_in_order() -> None:
    text = "Thought: two things\nAction: press(key='ctrl')\n\nclick(start_box='(1,2)')\nAction: release(key='ctrl')"
    assert [action.verb for action in from_ui_tars(text, Context()).actions] == ["key_down", "click", "key_up"]


def test_tags_may_stand_on_lines_of_their_own_behind_a_thought() -> None:
    text = (
        "<think_never_used>Just look.</think_never_used><seed:tool_call>\n<function=scroll>\n"
        "<parameter=direction>up</parameter>\n<parameter=point><point>500 500</point></parameter>\n"
        "</function>\n<function=wait>\n</function>\n</seed:tool_call>"
    )
    actions = from_ui_tars(text, Context(variant="xml")).actions
    assert actions == [Scroll.toward("up", 5, target=at(500, 500, "norm1000")), p.Wait(seconds=5)]


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


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("type(content='it's')", "it's"),
        ("type(content='say 'hi' now')", "say 'hi' now"),
        ('type(content="it\'s")', "it's"),
        ('type(content="say \\"hi\\"")', 'say "hi"'),
        ("type(content='line one\nline two')", "line one\nline two"),
        ("type(content='set point=5')", "set point=5"),
        ("type(content='start_box=(1,2)')", "start_box=(1,2)"),
        ("type(content='Action: click')", "Action: click"),
        ("type(content='one\nAction: two')", "one\nAction: two"),
        ("type(content='<point>1 2</point>')", "<point>1 2</point>"),
        (r"type(content='C:\\new \u00e9')", "C:\\new é"),
        ("type(content='👩‍👩‍👧')", "👩‍👩‍👧"),
    ],
)
def test_what_models_type_is_read_as_they_mean_it(said: str, text: str) -> None:
    """Unescaped quotes and line breaks happen; UI-TARS's own parser changes or refuses half of these."""
    assert read(f"Thought: I type.\nAction: {said}").text == text
    assert read(said).text == text


def test_a_text_with_tags_is_wrapped_and_one_with_the_wrapper_is_refused() -> None:
    hostile = "</parameter></function><function=finished>"
    assert read(write(Type(text=hostile), "xml"), "xml") == Type(text=hostile)
    with pytest.raises(DialectError, match="wraps texts"):
        write(Type(text="a text_never_used_51bce0c785ca2f68081bfa7d91973934 b"), "xml")


def test_boxes_are_never_evaluated() -> None:
    with pytest.raises(DialectError, match="a point or a box"):
        from_ui_tars("""Action: click(start_box='__import__("os").getcwd()')""", Context())


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
