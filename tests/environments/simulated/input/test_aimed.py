"""Element ids are of the screen that an action was chosen on, though the clock goes on with the action."""

import pytest

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.settings.layers import shipped
from protocol import ActionTarget, Click, GUIElement, SelectOption, Wait

MOVED = "/Projects/Kitchen"


@pytest.fixture
def about_to_change() -> SimulatedDesktop:
    """An open dialog, and before it a message that is gone as soon as anything is done."""
    env = SimulatedDesktop(load_world(shipped("worlds", "archive.yaml")))
    env.perform(Click(target=ActionTarget(text="/Incoming")), key="folder")
    for turn in range(2):
        env.perform(Click(target=ActionTarget(track_id=first_file(env).track_id)), key=f"file {turn}")
        env.perform(Click(target=ActionTarget(text="Move to…")), key=f"dialog {turn}")
        env.perform(SelectOption(target=ActionTarget(text="Destination folder"), options=(MOVED,)), key=f"where {turn}")
        if not turn:
            env.perform(Click(target=ActionTarget(text="Move")), key="now")
    desk = env.snapshot().world.desk
    (message,) = desk.messages
    env.perform(Wait(seconds=message.until - desk.clock - 0.25), key="wait")
    return env


def first_file(env: SimulatedDesktop) -> GUIElement:
    return next(e for e in env.observe().elements if "/Incoming/" in str(e.track_id) and e.name.endswith(".txt"))


def button(env: SimulatedDesktop) -> GUIElement:
    return next(e for e in env.observe().elements if e.role == "button" and e.name == "Move")


@pytest.mark.parametrize("by", ["element_id", "text"])
def test_what_is_meant_is_that_of_the_screen_before_the_message_went(about_to_change: SimulatedDesktop, by: str) -> None:
    wanted = button(about_to_change)
    target = ActionTarget(element_id=wanted.element_id) if by == "element_id" else ActionTarget(text="Move")
    result = about_to_change.perform(Click(target=target), key="press")
    assert result.ok
    assert (result.resolved.element_id, result.resolved.tier == "element_id") == (wanted.element_id, by == "element_id")
    assert by == "element_id" or result.resolved.known.element_id == wanted.element_id
    moved = [path for path in about_to_change.world()["apps"]["files"]["entries"] if path.startswith(f"{MOVED}/")]
    assert len(moved) == 2


def test_an_id_that_was_chosen_on_yet_another_screen_is_stale(about_to_change: SimulatedDesktop) -> None:
    target = ActionTarget(element_id=button(about_to_change).element_id, state_id="0123456789abcdef")
    result = about_to_change.perform(Click(target=target), key="press")
    assert not result.ok
    assert "observe again" in (result.error or "")
