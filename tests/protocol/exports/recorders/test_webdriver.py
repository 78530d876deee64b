"""WebDriver actions: valid by the specification's own steps, aligned, and nothing stays pressed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written.runs import BLANK, STATE, Written, steps

from protocol import (
    ActionTarget,
    Click,
    Coordinate,
    Delta,
    Drag,
    Fill,
    HoldKey,
    Hover,
    InteractionStep,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    Scroll,
    Type,
    VisualState,
    Wait,
)
from protocol.exports import format_named

FORM = format_named("webdriver")
HERE = ActionTarget(point=Coordinate(x=10, y=20))
KINDS = {
    "key": {"keyDown": {"value"}, "keyUp": {"value"}, "pause": set()},
    "pointer": {"pointerDown": {"button"}, "pointerUp": {"button"}, "pointerMove": {"x", "y", "origin"}, "pause": set()},
    "wheel": {"scroll": {"x", "y", "deltaX", "deltaY", "origin", "duration"}, "pause": set()},
    "none": {"pause": set()},
}


def check(body: Any, size: tuple[int, int]) -> None:
    """Refuses what WebDriver's "extract an action sequence" and its dispatch would refuse."""
    assert set(body) == {"actions"}
    lengths = set()
    for source in body["actions"]:
        assert isinstance(source["id"], str)
        assert set(source) - {"parameters"} == {"type", "id", "actions"}
        assert source.get("parameters", {"pointerType": "mouse"}) == {"pointerType": "mouse"}
        lengths.add(len(source["actions"]))
        for item in source["actions"]:
            check_item(item, KINDS[source["type"]], size)
    assert len({source["id"] for source in body["actions"]}) == len(body["actions"])
    assert len(lengths) == 1, "every source has the same number of ticks"


def check_item(item: dict[str, Any], kinds: dict[str, set[str]], size: tuple[int, int]) -> None:
    assert set(item) - {"type", "duration"} == kinds[item["type"]] - {"duration"}
    for name in ("duration", "button", "x", "y", "deltaX", "deltaY"):
        assert type(item.get(name, 0)) is int
        assert abs(item.get(name, 0)) <= 2**53 - 1
    assert item.get("duration", 0) >= 0
    assert item.get("button", 0) >= 0
    assert 0 <= item.get("x", 0) < size[0]
    assert 0 <= item.get("y", 0) < size[1]
    assert item.get("origin", "viewport") == "viewport"
    assert len(item.get("value", "a")) == 1


def run_through(bodies: list[Any]) -> tuple[set[Any], list[str]]:
    """What is still pressed in the end, and what was typed."""
    held: set[Any] = set()
    typed = []
    for body in bodies:
        for source in body["actions"]:
            for item in source["actions"]:
                match item["type"]:
                    case "keyDown":
                        held.add(item["value"])
                        typed.append(item["value"])
                    case "keyUp":
                        held.discard(item["value"])
                    case "pointerDown":
                        held.add(item["button"])
                    case "pointerUp":
                        held.discard(item["button"])
    return held, typed


def said(*actions: Any, state: VisualState = BLANK) -> tuple[list[Any], list[str]]:
    """The bodies of these actions, and what was lost."""
    run = [InteractionStep(timestamp=1, visual_state=state, action=action) for action in actions]
    with Written(FORM, run) as written:
        return json.loads(written.text), [f"{loss.what}: {loss.why}" for loss in written.losses]


def ticks(body: Any, source: str) -> list[Any]:
    """The items of one source, shortened."""
    items = next(each["actions"] for each in body["actions"] if each["id"] == source)
    short = {"keyDown": "value", "keyUp": "value", "pointerDown": "button", "pointerUp": "button", "pause": "duration"}
    return [
        (item["x"], item["y"]) if item["type"] == "pointerMove" else (item["type"], item.get(short[item["type"]]))
        for item in items
    ]


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(steps, max_size=6))
def test_every_body_is_valid_and_in_the_end_nothing_is_pressed(run: list[InteractionStep]) -> None:
    with Written(FORM, run) as written:
        bodies = json.loads(written.text)
        for body in bodies:
            check(body, (1920, 1080))
        assert run_through(bodies)[0] == set()
        unsaid = sum(count for loss, count in written.exported.losses.items() if loss.what == "action")
        assert written.exported.steps == len(run) - unsaid


def test_a_double_click_with_a_modifier_is_two_presses_while_the_key_is_held() -> None:
    [body], losses = said(Click(target=HERE, count=2, button="right", modifiers=("Control",)))
    assert ticks(body, "keyboard") == [("keyDown", "\ue009"), *[("pause", None)] * 5, ("keyUp", "\ue009")]
    assert ticks(body, "mouse") == [
        ("pause", None),
        (10, 20),
        ("pointerDown", 2),
        ("pointerUp", 2),
        ("pointerDown", 2),
        ("pointerUp", 2),
        ("pause", None),
    ]
    assert losses == []


def test_a_drag_goes_through_every_point() -> None:
    path = (Coordinate(x=30, y=30), Coordinate(x=0.5, y=0.5, space="norm1"))
    [body], losses = said(Drag(target=HERE, path=path, to=ActionTarget(text="Save"), modifiers=("Shift",)), state=STATE)
    pause = ("pause", None)
    assert ticks(body, "mouse") == [
        pause, (10, 20), ("pointerDown", 0), (30, 30), (640, 400), (150, 120), ("pointerUp", 0), pause,
    ]  # fmt: skip
    assert losses == ["path.point: said in px instead of norm1", "to.text: only the place is said, not which element it is"]


def test_a_long_press_a_delay_and_a_wait_are_pauses() -> None:
    bodies, losses = said(Click(target=HERE, hold=0.5, delay=2), Wait(seconds=1.5), HoldKey(keys=("a",), seconds=3))
    assert ticks(bodies[0], "mouse") == [("pause", 2000), (10, 20), ("pointerDown", 0), ("pause", 500), ("pointerUp", 0)]
    assert bodies[1] == {"actions": [{"type": "none", "id": "nobody", "actions": [{"type": "pause", "duration": 1500}]}]}
    assert ticks(bodies[2], "keyboard") == [("keyDown", "a"), ("pause", 3000), ("keyUp", "a")]
    assert losses == []


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("Enter", "\ue007"),
        ("ArrowLeft", "\ue012"),
        ("Delete", "\ue017"),
        ("F12", "\ue03c"),
        ("Meta", "\ue03d"),
        ("Space", " "),
        ("+", "+"),
    ],
)
def test_keys_are_the_code_points_of_the_specification(key: str, code: str) -> None:
    [body], _ = said(PressKey(keys=("Control", key)))
    assert ticks(body, "keyboard") == [("keyDown", "\ue009"), ("keyDown", code), ("keyUp", code), ("keyUp", "\ue009")]


def test_a_key_that_webdriver_lacks_is_not_said() -> None:
    bodies, losses = said(PressKey(keys=("AudioVolumeUp",)), PressKey(keys=("F13",)))
    assert bodies == []
    assert losses == [
        "action: press_key: WebDriver has no key AudioVolumeUp",
        "action: press_key: WebDriver has no key F13",
    ]


def test_a_key_that_depends_on_the_platform_is_a_loss() -> None:
    _, losses = said(PressKey(keys=("ControlOrMeta", "a")))
    assert losses == ["keys: ControlOrMeta is said as Control; on macOS it is Meta"]


def test_a_text_presses_each_sign_and_cannot_smuggle_keys_in() -> None:
    [body], losses = said(Type(text="aB\r\n\t\ue007\x00é🎈", submit=True))
    assert run_through([body])[1] == ["a", "B", "\ue007", "\ue004", "é", "🎈", "\ue007"]
    assert losses == ["type.text: signs that no key types are left out"]


def test_typing_into_a_target_clicks_there_first() -> None:
    [body], losses = said(Type(text="7", target=ActionTarget(element_id="2")), state=STATE)
    assert ticks(body, "mouse")[:3] == [(200, 220), ("pointerDown", 0), ("pointerUp", 0)]
    assert ticks(body, "keyboard")[3:] == [("keyDown", "7"), ("keyUp", "7")]
    assert "type.target: said as a click and then the keys" in losses


def test_filling_replaces_what_is_there() -> None:
    [body], losses = said(Fill(text="7", target=HERE))
    assert ticks(body, "keyboard")[3:] == [
        ("keyDown", "\ue009"), ("keyDown", "a"), ("keyUp", "a"), ("keyUp", "\ue009"), ("keyDown", "7"), ("keyUp", "7"),
    ]  # fmt: skip
    assert "fill: said as select-all with Control+a and then typing" in losses


@pytest.mark.parametrize(
    ("unit", "delta", "lost"),
    [
        ("px", (5, -300), []),
        ("notch", (600, -36000), ["scroll.unit: a notch is said as 120 px"]),
        ("page", (5 * 1280, -300 * 800), ["scroll.unit: a page is said as the screen's size"]),
    ],
)
def test_a_scroll_is_in_pixels_down_and_right(unit: Any, delta: tuple[int, int], lost: list[str]) -> None:
    [body], losses = said(Scroll(target=HERE, delta=Delta(x=5, y=-300), unit=unit))
    [item] = body["actions"][0]["actions"]
    assert item == {
        "type": "scroll",
        "x": 10,
        "y": 20,
        "deltaX": delta[0],
        "deltaY": delta[1],
        "origin": "viewport",
        "duration": 0,
    }
    assert losses == lost


def test_a_scroll_without_a_place_is_where_the_pointer_was_or_in_the_middle() -> None:
    bodies, losses = said(Scroll(delta=Delta(y=1), unit="px"), Hover(target=HERE), Scroll(delta=Delta(y=1.5), unit="px"))
    assert [
        (item["x"], item["y"]) for item in (bodies[0]["actions"][0]["actions"][0], bodies[2]["actions"][0]["actions"][0])
    ] == [
        (640, 400),
        (10, 20),
    ]
    assert losses == ["scroll.target: said at the middle of the screen", "scroll.delta: said in whole pixels"]


def test_what_is_held_over_several_steps_stays_held_until_it_is_let_go() -> None:
    bodies, _ = said(KeyDown(key="Shift"), Click(target=HERE, modifiers=("Shift",)), KeyUp(key="Shift"))
    assert [each["id"] for each in bodies[1]["actions"]] == ["mouse"]
    assert len(bodies) == 3
    assert run_through(bodies[:2])[0] == {"\ue008"}


def test_what_nobody_lets_go_is_let_go_in_the_end() -> None:
    bodies, _ = said(KeyDown(key="Shift"), MouseDown(target=HERE), MouseUp(button="right"))
    assert ticks(bodies[-1], "mouse")[0] == ("pointerUp", 0)
    assert ticks(bodies[-1], "keyboard")[1] == ("keyUp", "\ue008")


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (Navigate(url="http://x"), "navigate: it is another command of WebDriver, or none of its"),
        (Click(target=ActionTarget(point=Coordinate(x=1280, y=0))), "click: the place is not on the screen"),
        (
            Click(target=ActionTarget(selector="#a")),
            "click: webdriver: target: the selector '#a' cannot be followed on a list of elements",
        ),
    ],
)
def test_what_cannot_be_said_is_left_out_and_told(action: Any, why: str) -> None:
    bodies, losses = said(action, KeyDown(key="a"), KeyUp(key="a"))
    assert losses == [f"action: {why}"]
    assert len(bodies) == 2


def test_a_run_without_steps_is_an_empty_list() -> None:
    assert said() == ([], [])
