"""Defects found in other people's converters, parsers and executors: each is a test that is passed here."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import (
    Action,
    BoundingBox,
    Click,
    FailGoal,
    FinishGoal,
    GUIElement,
    HoldKey,
    PressKey,
    Screenshot,
    Scroll,
    Type,
    VisualState,
    Wait,
)
from protocol.dialects import Context, DialectError, dialect

BUTTONS = tuple(
    GUIElement(element_id=f"e{n}", text=f"Button {n}", role="button", bbox=BoundingBox(x1=100 * n, y1=0, x2=100 * n + 80, y2=40))
    for n in range(3)
)
SEEN = VisualState(elements=BUTTONS)


def read(name: str, payload: Any, variant: str | None = None) -> list[Action]:
    return list(dialect(name).read(payload, Context(state=SEEN, variant=variant)).actions)


def written(name: str, action: Action, variant: str | None = None) -> Any:
    return dialect(name).write(action, Context(state=SEEN, variant=variant)).payload


@pytest.mark.parametrize("way", ["up", "down", "left", "right"])
def test_a_scroll_keeps_its_direction_from_anthropic_through_openai_and_back(way: str) -> None:
    """cua turned `down 5` into `up 5` on the way back, and took notches for pixels."""
    said = {"action": "scroll", "coordinate": [640, 400], "scroll_direction": way, "scroll_amount": 5}
    (scroll,) = read("anthropic", said)
    through = written("openai", scroll)
    assert max(abs(through["actions"][0]["scroll_x"]), abs(through["actions"][0]["scroll_y"])) == 600, (
        "five notches of 120 pixels"
    )
    (back,) = read("openai", through)
    assert written("anthropic", back) == said


def test_pixels_are_no_notches_and_right_stays_right() -> None:
    """OSWorld's adapter for OpenAI used pixels as notches and turned the sideways sign round."""
    (scroll,) = read("openai", {"type": "scroll", "x": 5, "y": 5, "scroll_x": 240, "scroll_y": -360})
    assert written("computer_13", scroll.model_copy(update={"target": None})) == {
        "action_type": "SCROLL",
        "parameters": {"dx": 2, "dy": 3},
    }


@pytest.mark.parametrize("button", ["sidewise", "", 3, None])
def test_an_unknown_button_is_not_the_left_one(button: object) -> None:
    with pytest.raises(DialectError):
        read("openai", {"type": "click", "button": button, "x": 1, "y": 2})
    with pytest.raises(DialectError):
        read("computer_13", {"action_type": "CLICK", "parameters": {"x": 1, "y": 2, "button": button or "sidewise"}})


@pytest.mark.parametrize("text", ["set point=5", "Action: click(start_box='(1,2)')", "say \"hi\" and 'bye'", "eval(1)", "(1,2)"])
@pytest.mark.parametrize("variant", ["1.5", "v1", "doubao", "xml"])
def test_typed_text_that_looks_like_syntax_is_typed(text: str, variant: str) -> None:
    """UI-TARS' parser rewrites `point=`, fails on `Action: ` and refuses double quotes; its emitter evaluates boxes."""
    assert read("ui_tars", written("ui_tars", Type(text=text), variant), variant) == [Type(text=text)]


def test_double_quoted_content_is_read() -> None:
    assert read("ui_tars", 'Action: type(content="set point=5")') == [Type(text="set point=5")]


def test_a_click_at_one_one_is_not_the_bottom_right_corner() -> None:
    """openadapt-types guesses the space of a number from its size."""
    (pixel,) = read("openadapt", {"type": "click", "target": {"x": 1, "y": 1, "is_normalized": False}})
    assert pixel.target
    assert pixel.target.point
    assert pixel.target.point.space == "px"
    (share,) = read("openadapt", {"type": "click", "target": {"x": 1.0, "y": 1.0, "is_normalized": True}})
    assert share.target
    assert share.target.point
    assert share.target.point.space == "norm1"
    (whole,) = read("openadapt", "CLICK(x=1, y=1)", "dsl")
    assert whole.target
    assert whole.target.point
    assert whole.target.point.space == "px"


def test_a_click_on_a_node_keeps_its_node_and_a_hotkey_its_keys() -> None:
    """openadapt-types' DSL loses both without a word."""
    (click,) = read("openadapt", 'CLICK(node_id="n1")', "dsl")
    assert click.target
    assert click.target.element_id == "n1"
    (chord,) = read("openadapt", 'HOTKEY(keys=["ctrl", "c"])', "dsl")
    assert chord == PressKey(keys=("Control", "c"))


def test_json_with_braces_in_texts_and_line_breaks_in_the_dsl_is_read() -> None:
    """openadapt-types fails on braces in strings and leaves `\\n` as two characters."""
    assert read("openadapt", '{"type": "type", "text": "a {b} \\"{\\" c"}') == [Type(text='a {b} "{" c')]
    assert read("openadapt", r'TYPE(text="one\ntwo")', "dsl") == [Type(text="one\ntwo")]


@pytest.mark.parametrize("said", ["I think we are done.", "DONE!!", "", "CLICK(", "{not json", "FINISH(1"])
def test_what_cannot_be_parsed_is_not_done(said: str) -> None:
    """openadapt-types once shipped "unparseable means DONE"."""
    with pytest.raises(DialectError):
        read("openadapt", said, "dsl")
    with pytest.raises(DialectError):
        read("openadapt", said)


def test_control_and_minus_can_be_said() -> None:
    """OmniMCP separates keys by `-` as well as by `+`."""
    for variant in ("response", "plan", "decision"):
        assert read("omnimcp", written("omnimcp", PressKey(keys=("Control", "-")), variant), variant) == [
            PressKey(keys=("Control", "-"))
        ]


def test_no_direction_is_read_out_of_prose() -> None:
    """OmniMCP looks for "up" in the reasoning: "look up the total, then scroll" scrolls up."""
    with pytest.raises(DialectError):
        read("omnimcp", {"reasoning": "look up the total, then scroll", "action": "scroll", "is_goal_complete": False}, "plan")


@pytest.mark.parametrize(("finger", "content"), [("left", "right"), ("right", "left"), ("up", "down"), ("down", "up")])
def test_a_swipe_moves_the_content_the_other_way(finger: str, content: str) -> None:
    """AndroidWorld has left and right of a swipe the wrong way round."""
    (scroll,) = read("androidworld", {"action_type": "swipe", "direction": finger})
    assert isinstance(scroll, Scroll)
    assert scroll.delta == Scroll.toward(content).delta  # type: ignore[arg-type]


def test_the_first_element_can_be_scrolled() -> None:
    """AndroidWorld takes index 0 for no index."""
    (scroll,) = read("androidworld", {"action_type": "scroll", "direction": "down", "index": 0})
    assert scroll.target
    assert scroll.target.element_id == "e0"


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("gemini", {"name": "blink_at", "args": {"x": 1, "y": 2}}),
        ("openai", {"type": "blink", "x": 1, "y": 2}),
        ("anthropic", {"action": "blink"}),
        ("qwen", '<tool_call>{"name": "computer_use", "arguments": {"action": "blink"}}</tool_call>'),
        ("computer_13", {"action_type": "BLINK"}),
        ("pyautogui", "pyautogui.blink()"),
        ("browsergym", "blink('a1')"),
        ("androidworld", {"action_type": "unknown"}),
    ],
)
def test_an_unknown_action_is_no_screenshot_no_wait_and_no_success(name: str, payload: object) -> None:
    """inspect_ai turns an unknown Gemini action into a screenshot and others into a wait of five seconds."""
    with pytest.raises(DialectError) as refused:
        read(name, payload)
    assert "blink" in str(refused.value).casefold() or "unknown" in str(refused.value)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"action_type": "KEY", "parameters": {"key": "ctrl+c"}}, PressKey(keys=("Control", "c"))),
        ({"action_type": "TYPE", "parameters": {"text": "hello"}}, Type(text="hello")),
        ({"action_type": "CLICK", "parameters": {"x": 3, "y": 4, "click_type": "LEFT"}}, Click(target={"point": [3, 4]})),
        ("DONE", FinishGoal()),
        ("FAIL", FailGoal()),
    ],
)
def test_the_verbs_of_osworlds_own_examples_are_read(said: object, meant: Action) -> None:
    """The examples in OSWorld's prompts use verbs that its declared space does not have."""
    assert read("computer_13", said) == [meant]


def test_a_held_key_is_released_and_keeps_its_time() -> None:
    """OSWorld's adapter for Anthropic presses a held key and never lets it go."""
    (hold,) = read("anthropic", {"action": "hold_key", "text": "shift", "duration": 2})
    assert hold == HoldKey(keys=("Shift",), seconds=2)
    code = written("pyautogui", hold)
    assert code.index("keyDown") < code.index("sleep(2") < code.index("keyUp")


def test_an_answer_without_words_is_never_success() -> None:
    for name in (
        "anthropic",
        "openai",
        "gemini",
        "qwen",
        "ui_tars",
        "browsergym",
        "webarena",
        "androidworld",
        "ufo",
        "langchain",
    ):
        for nothing in ("", {}, [], None):
            try:
                actions = read(name, nothing)
            except DialectError:
                continue
            assert not any(isinstance(action, FinishGoal | Wait | Screenshot) for action in actions)
            pytest.fail(f"{name} made {actions} of {nothing!r}")
