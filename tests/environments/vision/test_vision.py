"""Screens from their pixels alone: what is recognised on them, what an action is aimed at, and what is not given away."""

from pathlib import Path

import pytest
from support import Real

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from environments.contract import AppCatalog, DigestMismatch, EnvironmentFault, Files, NativeApi, Peek, Screenshots
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from environments.vision.environment import FromPixels
from protocol import ActionTarget, Click, ExecStatus, Fill, GUIElement, LaunchApp, VisualState

pytestmark = pytest.mark.slow("pictures that are read")

WORLD = """
name: small
screen: [480, 420]
apps: {notes: {notes: [{title: Milk, body: two bottles}]}, settings: {}}
open: [notes]
"""


@pytest.fixture(scope="module")
def notes() -> FromPixels:
    return FromPixels(SimulatedDesktop(parse_world(WORLD)))


def element(state: VisualState, name: str, role: str) -> GUIElement:
    (found,) = [e for e in state.elements if e.name == name and e.role == role]
    return found


def test_controls_are_recognised_with_their_roles_and_names(notes: FromPixels) -> None:
    notes.perform(LaunchApp(app="notes"), key="open")
    seen = notes.observe()
    assert seen.app == "notes"
    assert [window.title for window in seen.windows] == ["Notes"]
    for name, role in (("New note", "button"), ("Search notes", "textbox"), ("Search", "button"), ("Milk", "link")):
        found = element(seen, name, role)
        assert found.bbox is not None
        assert found.confidence > 0.8
        (true,) = [e for e in notes.inner.observe().elements if e.name == name and e.role == role]
        assert true.bbox.contains(found.bbox.center)


def test_what_was_recognised_is_acted_on_and_the_new_screen_is_read(notes: FromPixels) -> None:
    notes.perform(LaunchApp(app="notes"), key="open again")
    button = element(notes.observe(), "New note", "button")
    target = ActionTarget(element_id=button.element_id, state_id=notes.observe().state_id)
    assert notes.perform(Click(target=target), key="new").ok
    field = element(notes.observe(), "Title", "textbox")
    assert notes.perform(Fill(target=ActionTarget(track_id=field.track_id), text="Bread"), key="fill").ok
    filled = element(notes.observe(), "Title", "textbox")
    assert (filled.value, filled.track_id) == ("Bread", field.track_id)


def test_a_key_is_aimed_once_and_never_at_something_else(notes: FromPixels, tmp_path: Path) -> None:
    desk = SimulatedDesktop(parse_world(WORLD), 0, tmp_path)
    one = FromPixels(desk, record=tmp_path / "vision")
    fill = Fill(target=ActionTarget(text="Search notes"), text="milk")
    assert one.perform(fill, key="k").ok
    one.perform(LaunchApp(app="settings"), key="away")
    other = FromPixels(desk, record=tmp_path / "vision")
    assert other.perform(fill, key="k").ok, "the stored result: the field is no longer on the screen"
    with pytest.raises(DigestMismatch):
        other.perform(Fill(target=ActionTarget(text="Search notes"), text="bread"), key="k")
    assert [done["key"] for done in desk.received()] == ["k", "away"]


def test_what_is_not_on_the_picture_is_an_error_and_it_can_nothing_that_tells_more_and_nothing_without_pictures(
    notes: FromPixels,
) -> None:
    done = len(notes.inner.received())  # type: ignore[attr-defined]  # a simulated desktop keeps a record
    result = notes.perform(Click(target=ActionTarget(text="Nowhere to be seen")), key="gone")
    assert result.exec_status is ExecStatus.ERROR
    assert len(notes.inner.received()) == done  # type: ignore[attr-defined]  # as above
    assert isinstance(notes, Screenshots)
    assert isinstance(notes, AppCatalog)
    assert not any(isinstance(notes, kind) for kind in (Peek, NativeApi, Files))
    with pytest.raises(EnvironmentFault, match="real has no pictures"):
        FromPixels(Real())
