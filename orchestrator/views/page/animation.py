"""A run as a film: one picture for each line of it, with what was pressed and a caption, in one GIF that plays anywhere.

Raises EnvironmentFault on import where Pillow is not installed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import EnvironmentFault
from environments.pictures.set_of_mark import COLOUR as COVER
from environments.pictures.set_of_mark import Image, ImageDraw, opened
from environments.simulated.render.raster import image
from environments.simulated.render.shapes import Box, Fill, Label, Picture, Shape, ShapeGroup, common, framed, grown
from environments.simulated.render.text import Face, cut, fit, measure, printable
from environments.simulated.render.theme import DARK, LIGHT
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean
from orchestrator.views.page.data import FLAGS, Item, Pool, RunHead, chunks
from orchestrator.views.page.data import Box as Place
from orchestrator.views.page.run_data import gather
from orchestrator.views.page.source import Source, screens_of
from protocol.log.log import write_whole

COVERED = "••••••••"
_REFERENCE = re.compile(r"<secret>[^<]{0,200}</secret>")
_CHOICES = frozenset({"checkbox", "radio", "switch"})
_PRESSED = frozenset({"button", "tab", "menuitem", "option"})
_FRAMES = _PRESSED | frozenset({
    "textbox", "searchbox", "combobox", "spinbutton", "slider",
    "listbox", "menu", "dialog", "alertdialog", "table", "grid", "tree", "list", "alert", "status", "tooltip", "progressbar",
    "img", "image",
})  # fmt: skip
_SILENT = frozenset({
    "group", "form", "table", "grid", "list", "tree", "dialog", "alertdialog", "listbox", "menu", "tablist", "region", "row",
    "listitem", "navigation", "main", "article",
})  # fmt: skip
_BITS = {name: 1 << bit for bit, name in enumerate(FLAGS)}
_LEAST = 7


def drawn(elements: Sequence[Sequence[Any]], place: Box, scale: float) -> tuple[ShapeGroup, ...]:
    """The elements of a screen (`screens.FIELDS`) as shapes within `place`, which is `scale` as large as the screen."""
    made = [ShapeGroup((Fill(place, LIGHT.page),), place)]
    for x1, y1, x2, y2, role, text, value, flags in elements:
        box = scaled((x1, y1, x2, y2), place, scale)
        told = COVERED if value and flags & _BITS["private"] else _said(value)
        if shapes := tuple(_shapes(box, str(role), _said(text), told, flags, scale)):
            made.append(ShapeGroup(shapes, common(box, place) or (0, 0, 0, 0)))
    return tuple(made)


def scaled(box: Place, place: Box, scale: float) -> Box:
    """A box of the screen, in pixels of the picture of it that stands at `place`."""
    left, top = place[0], place[1]
    x1, y1, x2, y2 = (round(part * scale) for part in box)
    return left + x1, top + y1, left + max(x2, x1 + 1), top + max(y2, y1 + 1)


def private_boxes(elements: Sequence[Sequence[Any]]) -> list[Place]:
    """Where a screen shows what is private; a stored picture has it covered already, and is covered once more."""
    return [(e[0], e[1], e[2], e[3]) for e in elements if e[7] & _BITS["private"]]


def _said(text: Any) -> str:
    return " ".join(_REFERENCE.sub(COVERED, printable(str(text))).split())


def _shapes(box: Box, role: str, text: str, value: str, flags: int, scale: float) -> Iterator[Shape]:
    x1, y1, x2, y2 = box
    high, room, chosen = y2 - y1, x2 - x1 - 8, flags & _BITS["selected"]
    if role in _FRAMES:
        edge = LIGHT.danger if flags & _BITS["invalid"] else LIGHT.accent if flags & _BITS["focused"] else LIGHT.border
        ground = LIGHT.soft if chosen else LIGHT.bar if role in _PRESSED else LIGHT.surface
        yield from framed(box, ground, edge, radius=4 if min(high, room) > 10 else 0)
    elif chosen:
        yield Fill(box, LIGHT.soft)
    if role in _CHOICES:
        text = f"{'☑' if value == 'true' else '☐'} {text}"
    elif value not in (text, "true", "false"):
        text = f"{text} {value}".strip()
    if role in _SILENT or not text or room < _LEAST or high < _LEAST:
        return
    size = max(_LEAST, min(round((20 if role == "heading" else 15) * scale), round(high * 0.7)))
    text, face = fit(text, Face(size, bold=role in ("heading", "columnheader")), room, min(size, _LEAST))
    ink = LIGHT.faint if flags & _BITS["disabled"] else LIGHT.accent if role == "link" else LIGHT.text
    wide = measure(text, face)
    left = x1 + (max(4, round((x2 - x1 - wide) / 2)) if role in _PRESSED else 4)
    yield Label(left, y1 + min(high // 2, face.size) + round(face.size * 0.36), text, face, ink, wide)


ROLES = {
    "controller": "#94a3b8", "manager": "#c79bff", "operator": "#7fa6ff", "technician": "#4fd1c5", "analyst": "#fbbf5a",
    "evaluator": "#4ade80", "user": "#ff9288",
}  # fmt: skip
_SIGNS = {"ok": ("✓", "#4ade80"), "failed": ("✗", "#ff9288"), "warn": ("!", "#fbbf5a"), "waiting": ("?", "#fbbf5a"),
          "info": ("·", "#a0aabb")}  # fmt: skip
_MARK = "#db2777"
_HIGHEST = 720
_NARROWEST = 560
_CAPTION = 84
_PAD = 14
_TITLE, _WORDS, _SMALL = Face(19, bold=True), Face(17), Face(13)


class Screen(NamedTuple):
    """A recorded screen."""

    size: tuple[int, int]
    elements: list[Any]


class Stage(NamedTuple):
    """The size of every picture of a film, and the room for the screen within it."""

    size: tuple[int, int]
    room: tuple[int, int]


def stage_for(sizes: Sequence[tuple[int, int]], width: int) -> Stage:
    """Room for the largest screen, made smaller where it is larger than anybody wants to look at."""
    across = max((size[0] for size in sizes), default=1280)
    down = max((size[1] for size in sizes), default=800)
    scale = min(width / across, _HIGHEST / down, 1.0)
    wide, high = max(round(across * scale), _NARROWEST), max(round(down * scale), 160)
    return Stage((wide, high + _CAPTION), (wide, high))


class Frame:
    """Makes the pictures of one film."""

    def __init__(self, stage: Stage, count: int) -> None:
        self._stage = stage
        self._count = max(count, 1)

    def title(self, head: RunHead, picture: Image.Image | None, screen: Screen | None) -> Image.Image:
        """What was wanted, over the first screen."""
        told = [clean(part, 60) for part in (head["task"], head["world"]) if part]
        caption = self._caption("goal", DARK.accent, clean(head["goal"], 400), " · ".join([clean(head["run_id"], 60), *told]), 0)
        return self._composed(picture, screen, None, caption)

    def line(self, item: Item, number: int, picture: Image.Image | None, screen: Screen | None) -> Image.Image:
        """A line of the run, with its target marked."""
        sign, colour = _SIGNS.get(item.status, _SIGNS["info"])
        where = " · ".join(part for part in (clean(item.role, 30), clean(item.app, 40), f"{item.at:.1f} s") if part)
        below = f"{where}   {clean(item.why, 300)}" if item.why else where
        caption = self._caption(sign, colour, clean(item.line, 400), below, number, ROLES.get(item.role, DARK.muted))
        return self._composed(picture, screen, item, caption)

    def _composed(
        self, picture: Image.Image | None, screen: Screen | None, item: Item | None, caption: ShapeGroup
    ) -> Image.Image:
        wide, high = self._stage.room
        size = screen.size if screen else picture.size if picture else self._stage.room
        scale = min(wide / size[0], high / size[1], 1.0)
        across, down = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
        left, top = (wide - across) // 2, (high - down) // 2
        place: Box = (left, top, left + across, top + down)
        ground = ShapeGroup((Fill((0, 0, *self._stage.size), DARK.page),), (0, 0, *self._stage.size))
        sketch = drawn(screen.elements, place, scale) if picture is None and screen else ()
        made = image(Picture(self._stage.size, (ground, *sketch, caption)))
        if picture is not None:
            made.paste(picture.resize((across, down), Image.Resampling.LANCZOS), place[:2])
        if screen is not None:
            pen = ImageDraw.Draw(made)
            for box in private_boxes(screen.elements) if picture is not None else ():
                pen.rectangle(scaled(box, place, scale), fill=COVER)
            if item is not None:
                _marked(pen, item, place, scale)
        return made

    def _caption(self, sign: str, colour: str, said: str, below: str, number: int, role: str = DARK.muted) -> ShapeGroup:
        wide, high = self._stage.size
        top = high - _CAPTION
        return ShapeGroup(
            tuple(self._told(sign, colour, printable(said), printable(below), number, role, top)), (0, top, wide, high)
        )

    def _told(self, sign: str, colour: str, said: str, below: str, number: int, role: str, top: int) -> Iterator[Shape]:
        wide, high = self._stage.size
        yield Fill((0, top, wide, high), DARK.surface)
        yield Fill((0, top, round(wide * number / self._count), top + 3), role)
        left = _PAD + max(26, round(measure(sign, _TITLE)) + 10)
        count = f"{number} / {self._count}" if number else ""
        right = wide - _PAD - round(measure(count, _SMALL)) - 10
        yield Label(_PAD, top + 29, sign, _TITLE, colour, measure(sign, _TITLE))
        first, face = fit(said, _WORDS, right - left, 12)
        yield Label(left, top + 29, first, face, DARK.text, measure(first, face))
        foot = cut(below, _SMALL, wide - left - _PAD)
        yield Label(left, high - 12, foot, _SMALL, DARK.muted, measure(foot, _SMALL))
        yield Label(right + 10, top + 27, count, _SMALL, DARK.muted, measure(count, _SMALL))


def _marked(pen: ImageDraw.ImageDraw, item: Item, place: Box, scale: float) -> None:
    """The target's box and the pixel that was pressed."""
    if item.box is not None:
        pen.rounded_rectangle(grown(scaled(item.box, place, scale), 3), radius=5, outline=_MARK, width=3)
    if item.point is not None:
        x, y = place[0] + round(item.point[0] * scale), place[1] + round(item.point[1] * scale)
        if place[0] <= x < place[2] and place[1] <= y < place[3]:
            for reach, colour, width in ((10, "#ffffff", 4), (9, _MARK, 2)):
                pen.ellipse((x - reach, y - reach, x + reach, y + reach), outline=colour, width=width)
            pen.ellipse((x - 2, y - 2, x + 2, y + 2), fill=_MARK)


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


class FilmResult(NamedTuple):
    """What came of it."""

    path: Path
    frames: int
    seconds: float
    notes: list[str]


def write_film(path: Path, source: Source) -> FilmResult:
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
    return FilmResult(path, len(durations), sum(durations) / 1000, notes)


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
