"""What operates the physical world waits for a person, under the most permissive policy there is and by every way in."""

from __future__ import annotations

import time
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.settings.layers import shipped_names
from orchestrator.settings.settings import load_safety
from protocol import Action, ActionTarget, CallApi, Click, Fill, LaunchApp, PressKey
from roles.contracts.context import Context
from roles.journal.journal import Journal
from roles.operator.graph import build_operator
from roles.policies.scripted import ScriptedOperator
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor

DOOR = ActionTarget(text="Unlock front door")


def house(room: str = "Hall") -> SimulatedDesktop:
    desk = SimulatedDesktop(load_world("smart-home"), 0)
    desk.perform(Click(target=ActionTarget(text=room, role="tab")), key="room")
    return desk


def worked(desk: SimulatedDesktop, action: Action, preset: str = "never-ask-in-simulation") -> tuple[Any, Any, dict[str, Any]]:
    """The Operator's graph with a script of that one action, and how it stands."""
    safety = SafetyPolicy.model_validate(load_safety(preset))
    decision = {"action": action.dump(), "status": "CONTINUE", "reasoning": "as written"}
    script = ScriptedOperator.model_validate({"decisions": {"any": [decision, {"status": "FINISH", "comment": "done"}]}})
    journal = Journal(None, time.time, Redactor(safety))
    context = Context(environment=desk, journal=journal, operator=script, safety=safety)
    graph = build_operator(context, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 500}
    given = {"task_goal": "operate it", "initial_observation": desk.observe().model_dump(mode="json")}
    return graph, config, graph.invoke(given, config)


def locked(desk: SimulatedDesktop) -> bool:
    return bool(desk.world()["apps"]["home"]["devices"]["front-door"]["locked"])


@pytest.mark.parametrize(
    "action",
    [
        Click(target=DOOR),
        PressKey(target=DOOR, keys=("Enter",)),
        CallApi(app="home", function="unlock_door", arguments={"device": "Front door"}),
    ],
    ids=["click", "key", "function"],
)
def test_a_door_is_not_unlocked_before_a_person_said_so(action: Action) -> None:
    desk = house()
    graph, config, out = worked(desk, action)
    assert "__interrupt__" in out or out["interaction_status"] == "needs_approval"
    assert locked(desk)
    graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert not locked(desk)


def test_a_rejected_request_leaves_the_door_locked() -> None:
    desk = house()
    graph, config, _ = worked(desk, Click(target=DOOR))
    graph.invoke(Command(resume={"decisions": [{"type": "reject", "message": "not today"}]}), config)
    assert locked(desk)


def test_a_light_needs_nobody_where_nothing_is_asked() -> None:
    desk = house()
    before = desk.world()["apps"]["home"]["devices"]["hall-light"]["on"]
    _, _, out = worked(desk, Click(target=ActionTarget(text="Switch hall light")))
    assert out["interaction_status"] == "completed"
    assert desk.world()["apps"]["home"]["devices"]["hall-light"]["on"] is not before


def test_enter_in_the_field_of_an_oven_is_asked_for_like_its_button() -> None:
    desk = house("Kitchen")
    _, _, out = worked(desk, Fill(target=ActionTarget(text="Temperature of oven in °C"), text="200", submit=True))
    assert "__interrupt__" in out or out["interaction_status"] == "needs_approval"
    assert not desk.world()["apps"]["home"]["devices"]["oven"]["on"]


@pytest.mark.parametrize("preset", shipped_names("safety"))
def test_no_shipped_policy_lets_a_door_be_unlocked_unasked(preset: str) -> None:
    desk = house()
    worked(desk, Click(target=DOOR), preset)
    assert locked(desk)


def test_the_report_says_on_what_type_of_surface_it_was() -> None:
    _, _, out = worked(house(), LaunchApp(app="notes"))
    assert out["interaction_report"]["environment_type"] == out["environment_type"] == "simulated_physical"
