"""A run as a film: one picture for each line of it, with what was pressed and a caption, in one GIF that plays anywhere.

Raises EnvironmentFault on import where Pillow is not installed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import EnvironmentFault
from environments.marks import opened
from environments.pillow import Image
from orchestrator.errors import UsageProblem
from orchestrator.viewer.data import Item, RunHead
from orchestrator.viewer.film_frame import Frame, Stage, stage_for
from orchestrator.viewer.gather import gather
from orchestrator.viewer.screens import Pool, chunks
from orchestrator.viewer.source import Source, screens_of
from protocol.whole import write_whole

MOST = 400
"""Lines shown; of a longer run the steps that went well are thinned out."""
WIDTH = 960
_SHOWN = frozenset({"plan", "step", "gate", "approval", "supplement", "recovery", "control", "error", "end"})
_TOLD = frozenset({"plan", "gate", "approval", "control", "error", "end"})
"""Kinds of which none is left out."""
_ON_SCREEN = frozenset({"step", "approval", "report"})
"""Kinds whose screens are those of the moment; a gate names screens of long ago as its evidence."""
_COLOURS = 256
_FIRST, _STEP, _READ, _LAST = 1800, 1100, 2000, 4000
"""Milliseconds: the goal, a step that went well, what has to be read, the end."""


class Filmed(NamedTuple):
    """What came of it."""

    path: Path
    frames: int
    seconds: float
    notes: list[str]


def write_film(path: Path, source: Source) -> Filmed:
    """The film of a run. Raises UsageProblem where nothing can be shown."""
    told = gather(source)
    items: list[Item] = list(told.data["items"])
    places = _chosen(items)
    if not places:
        raise UsageProblem(f"Run {source.run_id} has nothing that a film could show; it has not begun to work.")
    pool = Pool(items, list(told.targets))
    wanted = {state for place in places for state in (items[place].before, items[place].after)}
    screens = {state: Screen(size, elements) for state, size, elements in _screens(pool, source) if state in wanted}
    shots = list(_shots(items, places, screens))
    stage = stage_for([screen.size for screen in screens.values()], WIDTH)
    durations = [_FIRST, *(shot.milliseconds for shot in shots)]
    frames = _frames(told.data["head"], shots, screens, source.pictures, stage)
    _write(path, frames, durations)
    notes = [*source.notes]
    if len(places) < (shown := sum(item.kind in _SHOWN for item in items)):
        notes.append(f"{len(places)} of {shown} lines are in the film; steps that went well were thinned out")
    return Filmed(path, len(durations), sum(durations) / 1000, notes)


class Screen(NamedTuple):
    """A recorded screen."""

    size: tuple[int, int]
    elements: list[Any]


class Shot(NamedTuple):
    """A line, and the screen that stands behind it."""

    item: Item
    state: str
    milliseconds: int


def _chosen(items: Sequence[Item]) -> list[int]:
    """The lines that are shown."""
    shown = [place for place, item in enumerate(items) if item.kind in _SHOWN]
    if len(shown) <= MOST:
        return shown
    kept = {place for place in shown if items[place].kind in _TOLD or items[place].status != "ok"}
    if len(kept) > MOST:
        kept = {shown[round(n * (len(shown) - 1) / (MOST - 1))] for n in range(MOST)}
    others = [place for place in shown if place not in kept]
    room = MOST - len(kept)
    kept.update(others[round(n * (len(others) - 1) / max(room - 1, 1))] for n in range(room) if others)
    return sorted(kept)


def _screens(pool: Pool, source: Source) -> Iterator[tuple[str, tuple[int, int], list[Any]]]:
    for chunk in chunks(pool, screens_of(source)):
        for state, screen in chunk.screens.items():
            across, down = screen["size"]
            yield state, (int(across), int(down)), [chunk.elements[number] for number in screen["elements"]]


def _shots(items: Sequence[Item], places: Sequence[int], screens: dict[str, Screen]) -> Iterator[Shot]:
    """Each step before the screen that it was decided on; any other line stands before the last that was seen."""
    latest = next((state for place in places if (state := items[place].before) in screens), "")
    for place in places:
        item = items[place]
        state = item.before if item.kind in _ON_SCREEN and item.before in screens else latest
        latest = item.after if item.kind in _ON_SCREEN and item.after in screens else state
        good = item.kind == "step" and item.status == "ok"
        yield Shot(item, state, _LAST if item.kind == "end" else _STEP if good else _READ)


def _frames(
    head: RunHead, shots: Sequence[Shot], screens: dict[str, Screen], pictures: dict[str, Path], stage: Stage
) -> Iterator[Image.Image]:
    frame = Frame(stage, len(shots))
    first = next((shot.state for shot in shots if shot.state), "")
    yield frame.title(head, *_seen(first, screens, pictures))
    for number, shot in enumerate(shots, start=1):
        yield frame.line(shot.item, number, *_seen(shot.state, screens, pictures))


def _seen(state: str, screens: dict[str, Screen], pictures: dict[str, Path]) -> tuple[Image.Image | None, Screen | None]:
    """The picture of a screen, where one was kept and can be read, and the screen."""
    screen = screens.get(state)
    file = pictures.get(state)
    if file is None:
        return None, screen
    try:
        return opened(file.read_bytes()), screen
    except (OSError, EnvironmentFault):
        return None, screen


def _write(path: Path, frames: Iterator[Image.Image], durations: list[int]) -> None:
    """One picture after the other, so that a long film needs little more memory than a short one."""
    film = io.BytesIO()
    rest = map(_palette, frames)
    first = next(rest)
    first.save(film, "GIF", save_all=True, append_images=rest, duration=durations, loop=0, optimize=False, disposal=1)
    write_whole(path, film.getvalue())


def _palette(image: Image.Image) -> Image.Image:
    return image.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
