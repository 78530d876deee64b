"""Screens from their pixels alone: what is recognised on them, what an action is aimed at, and what is not given away."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from PIL import Image, ImageDraw

from environments.contract import AppCatalog, DigestMismatch, EnvironmentFault, Files, NativeApi, Peek, Screenshots
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from environments.vision.environment import FromPixels
from environments.vision.pixels import Box, frames_of, ground_of, pixels_of, written_in
from environments.vision.reader import Reader, _bands, _with_lines
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


def test_what_is_not_on_the_picture_is_an_error_and_nothing_is_done(notes: FromPixels) -> None:
    done = len(notes.inner.received())  # type: ignore[attr-defined]  # a simulated desktop keeps a record
    result = notes.perform(Click(target=ActionTarget(text="Nowhere to be seen")), key="gone")
    assert result.exec_status is ExecStatus.ERROR
    assert len(notes.inner.received()) == done  # type: ignore[attr-defined]  # as above


def test_it_can_nothing_that_tells_more_than_the_picture(notes: FromPixels) -> None:
    assert isinstance(notes, Screenshots)
    assert isinstance(notes, AppCatalog)
    assert not any(isinstance(notes, kind) for kind in (Peek, NativeApi, Files))


class Blind:
    """An environment without pictures."""

    name = "blind"


def test_an_environment_without_pictures_is_refused() -> None:
    with pytest.raises(EnvironmentFault, match="blind has no pictures"):
        FromPixels(Blind())  # type: ignore[arg-type]


# --- parts of it, without OCR ---------------------------------------------------------------------------------------


def drawn(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (200, 120)) -> bytes:
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    for box in boxes:
        pen.rounded_rectangle((box[0], box[1], box[2] - 1, box[3] - 1), 4, outline="#808890")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def test_a_frame_is_found_once_where_it_was_drawn() -> None:
    boxes = [(10, 10, 110, 42), (10, 50, 26, 66), (120, 20, 190, 100)]
    found = sorted(tuple(frame.box) for frame in frames_of(pixels_of(drawn(*boxes))))
    assert found == sorted(boxes)


def test_an_empty_picture_holds_nothing() -> None:
    assert frames_of(pixels_of(drawn())) == []


def test_a_line_that_is_struck_through_is_read_as_it_stands() -> None:
    image = Image.new("RGB", (90, 20), "white")
    ImageDraw.Draw(image).rectangle((0, 9, 89, 10), fill="black")
    out = io.BytesIO()
    image.save(out, "PNG")
    pixels = pixels_of(out.getvalue())
    assert written_in(pixels, Box(0, 0, 90, 20), ground_of(pixels, Box(0, 0, 90, 20))) == Box(0, 9, 90, 11)


def test_only_rows_that_changed_are_read_again_and_no_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    from environments.vision.reader import TextLine

    line = TextLine(Box(5, 40, 90, 60), "x", 1.0)
    assert _with_lines(list(_bands(_rows(50, 52), 120)), [line]) == [(34, 68)]
    reader, read = Reader(), []
    monkeypatch.setattr(reader, "_of_band", lambda pixels, top, bottom, frames: read.append((top, bottom)) or iter(()))
    reader.read(pixels_of(drawn()))
    reader.read(pixels_of(drawn((10, 80, 60, 90))))
    reader.read(pixels_of(drawn()))
    assert read == [(0, 120), (64, 105)], "the third picture was read before"


def _rows(*numbers: int) -> object:
    from environments.vision.pixels import np

    return np.array(numbers)
