"""OmniMCP: its three shapes, held against models with the fields and rules that it publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from written.actions import every_action
from written.dialect_cases import Case, cases

import protocol as p
from protocol import Action, ActionTarget, BoundingBox, Click, FinishGoal, GUIElement, PressKey, Region, Scroll, Type
from protocol.dialects import Context, DialectError
from protocol.dialects.desktop.omnimcp import DIALECT, from_omnimcp

RESPONSE, PLAN, DECISION = (Context(variant=variant) for variant in ("response", "plan", "decision"))
NODE = ActionTarget(element_id="7")
NAMED = p.VisualState(
    elements=(
        GUIElement(element_id="menu", text="Menu", bbox=BoundingBox(x1=0, y1=0, x2=40, y2=40)),
        GUIElement(element_id="save", text="Save", track_id="t1", bbox=BoundingBox(x1=64, y1=40, x2=128, y2=80)),
    )
)


def plan(action: str, **said: Any) -> dict[str, Any]:
    filled = {"element_id": None, "text_to_type": None, "key_info": None, **said}
    return {"reasoning": "", "action": action, "is_goal_complete": False, **filled}


def decision(verb: str, element: int | None = None, complete: bool = False, why: str = "", **parameters: Any) -> dict[str, Any]:
    said = {"analysis_reasoning": why, "action_type": verb, "target_element_id": element}
    return {**said, "parameters": parameters, "is_goal_complete": complete}


def response(verb: str, target: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    tiers = {"track_id": None, "element_id": None, "text": None, "bbox": None}
    action = {"action_type": verb, "target": target and {**tiers, **target}, "parameters": parameters}
    return {"reasoning": "", "action": action, "is_goal_complete": False}


BOX = ActionTarget(bbox=Region(space="norm1", x1=0.25, y1=0.5, x2=0.75, y2=0.625))


@pytest.mark.parametrize("case", [case for case in cases("both") if case.name == "omnimcp"])
def test_each_shape_is_read_as_text_and_behind_words(case: Case) -> None:
    for said in (json.dumps(case.payload), f"I think so.\n```json\n{json.dumps(case.payload)}\n```"):
        assert from_omnimcp(said, case.context) == (case.actions, [])


def test_the_shape_is_known_whatever_variant_is_spoken() -> None:
    for payload in (plan("click", element_id=7), decision("click", 7), response("click", {"element_id": 7})):
        for context in (RESPONSE, PLAN, DECISION):
            assert from_omnimcp(payload, context).actions == [Click(target=NODE)]


@pytest.mark.parametrize(
    ("example", "action"),
    [
        (response("click", {"track_id": "login", "text": "Login"}), Click(target={"track_id": "login", "text": "Login"})),
        (response("type", {"text": "Username"}, text_to_type="testuser"), Type(text="testuser", target={"text": "Username"})),
        ({**response("finish_goal"), "reasoning": "Done.", "is_goal_complete": True}, FinishGoal(summary="Done.")),
    ],
)  # fmt: skip
def test_the_examples_of_the_seed_are_read(example: dict[str, Any], action: Action) -> None:
    assert from_omnimcp(example, RESPONSE) == ([action], [])


@given(action=every_action)
def test_a_response_is_what_this_crew_itself_reads_of_seed_003(action: Action) -> None:
    try:
        payload, losses = DIALECT.write(action, RESPONSE)
    except DialectError:
        return
    if not losses and not isinstance(action, FinishGoal):
        assert p.LLMResponse.model_validate(payload).action == action


def test_the_whole_answer_of_its_planner_is_read() -> None:
    answer = {
        "screen_analysis": {"reasoning": "a form", "new_elements": ["track_1"]},
        "action_decision": decision("type", 7, text_to_type="hi"),
    }
    assert from_omnimcp(json.dumps(answer), DECISION) == ([Type(text="hi", target=NODE)], [])


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        ("ctrl+-", ("Control", "-")),
        ("ctrl--", ("Control", "-")),
        ("Ctrl++", ("Control", "+")),
        ("ctrl-c", ("Control", "c")),
        ("cmd-shift-4", ("Meta", "Shift", "4")),
        ("Cmd+Space", ("Meta", "Space")),
        ("spacebar", ("Space",)),
        ("-", ("-",)),
        ("+", ("+",)),
        ("Page_Down", ("PageDown",)),
        (" return ", ("Enter",)),
        ("option", ("Alt",)),
    ],
)
def test_chords_are_read_with_either_joint(said: str, keys: tuple[str, ...]) -> None:
    assert from_omnimcp(plan("press_key", key_info=said), PLAN).actions == [PressKey(keys=keys)]


def test_elements_with_names_are_counted_as_they_stand() -> None:
    for variant, path in (("plan", ["element_id"]), ("decision", ["target_element_id"])):
        context = Context(state=NAMED, variant=variant)
        written = DIALECT.write(Click(target={"element_id": "save"}), context)
        assert written == ({**written.payload, path[0]: 1}, [])
        assert from_omnimcp(written.payload, context).actions == [Click(target={"element_id": "save"})]
    with pytest.raises(DialectError, match="there are 2 elements"):
        from_omnimcp(plan("click", element_id=2), Context(state=NAMED))
    with pytest.raises(DialectError, match="whole numbers"):
        DIALECT.write(Click(target={"element_id": "save"}), PLAN)


def test_a_name_is_said_as_the_element_that_it_finds() -> None:
    written = DIALECT.write(Click(target={"text": "Save"}), Context(state=NAMED, variant="decision"))
    assert written.payload["target_element_id"] == 1
    assert [loss.what for loss in written.losses] == ["target.text"]


def test_a_response_has_boxes_in_fractions_of_the_screen() -> None:
    written = DIALECT.write(Click(target=ActionTarget.of(NAMED.elements[1])), Context(state=NAMED))
    assert written.payload["action"]["target"] == {"track_id": "t1", "element_id": 1, "text": "Save", "bbox": [0.05] * 4}
    assert [loss.what for loss in written.losses] == ["target.bbox"]
    point = DIALECT.write(Click(target=ActionTarget(point=p.Coordinate(x=640, y=400))), RESPONSE)
    assert point.payload["action"]["target"]["bbox"] == [0.5, 0.5, 0.0, 0.0]
    assert [loss.what for loss in point.losses] == ["target.point"]


def test_whole_numbers_in_a_box_are_fractions_too() -> None:
    read = from_omnimcp(response("click", {"bbox": [0, 0, 1, 1]}), RESPONSE)
    assert read.actions[0].target.bbox == Region(space="norm1", x1=0, y1=0, x2=1, y2=1)


@pytest.mark.parametrize(
    "payload",
    [
        {**plan("click", element_id=7), "is_goal_complete": True},
        {**decision("click", 7), "is_goal_complete": True},
        {**response("click", {"element_id": 7}), "is_goal_complete": True},
    ],
)
def test_a_goal_that_is_reached_ends_the_run_before_the_action(payload: dict[str, Any]) -> None:
    """OmniMCP's executor does nothing more then."""
    read = from_omnimcp(payload, PLAN)
    assert read.actions == [FinishGoal()]
    assert [loss.what for loss in read.losses] == ["action click"]


def test_what_needs_several_answers_is_a_list() -> None:
    written = DIALECT.write(p.Fill(target=NODE, text="new", submit=True), DECISION)
    assert [loss.what for loss in written.losses] == ["fill"]
    assert from_omnimcp(written.payload, DECISION).actions == [
        Click(target=NODE),
        PressKey(keys=("Control", "a")),
        PressKey(keys=("Backspace",)),
        Type(text="new"),
        PressKey(keys=("Enter",)),
    ]
    diagonal = DIALECT.write(Scroll(delta={"x": 1, "y": -2}), DECISION)
    assert from_omnimcp(diagonal.payload, DECISION).actions == [Scroll.toward("up", 2), Scroll.toward("right", 1)]


def test_an_older_decision_may_launch_an_app() -> None:
    assert from_omnimcp(decision("launch_app", app_name="calc"), DECISION).actions == [p.LaunchApp(app="calc")]


def test_where_nobody_said_how_far_it_scrolls_three_notches() -> None:
    assert from_omnimcp(decision("scroll", scroll_direction="down"), DECISION).actions == [Scroll.toward("down", 3)]


@pytest.mark.parametrize(
    ("payload", "where"),
    [
        (plan("scroll"), "$.action"),
        (plan("scroll", reasoning="I scroll down"), "$.action"),
        (plan("click"), "$.element_id"),
        (plan("click", element_id=7, key_info="enter"), "$.key_info"),
        (plan("press_key", key_info="a+b"), "$.key_info"),
        (plan("press_key", key_info="ctrl+nokey"), "$.key_info"),
        (plan("click", element_id="the button"), "$.element_id"),
        (decision("scroll", why="down"), "$.parameters.scroll_direction"),
        (decision("click"), "$.target_element_id"),
        ({"action_decision": decision("dance")}, "$.action_decision.action_type"),
        (response("drag"), "$.action.action_type"),
        (response("click"), "$.action"),
        (response("click", {"element_id": 7}, clicks=2), "$.action.parameters.clicks"),
        (response("type", text_to_type="a", text="b"), "$.action.parameters.text"),
        (response("click", {"bbox": [0.5, 0.5, 0.6, 0.1]}), "$.action.target.bbox"),
        ({**response("finish_goal"), "is_goal_complete": False}, "$.is_goal_complete"),
        ([plan("wait"), {}], "$[1].action"),
        ("The goal is complete!", "$"),
    ],
)
def test_what_is_not_understood_is_an_error_with_its_place(payload: Any, where: str) -> None:
    with pytest.raises(DialectError) as bad:
        from_omnimcp(payload, DECISION)
    assert bad.value.where == where
