"""From the pixels of a screen to what is on it: elements with roles, names, values and a confidence."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from rapidfuzz import fuzz

from environments.vision.controls import Controls, ElementDraft, InkedLine, inked
from environments.vision.pixels import Box, Frame, Pixels, around, drawn_in, frames_of, in_rows, lines_of, most_common, part
from environments.vision.reader import Reader, TextLine
from protocol import GUIElement, VisualState, Window

_KNOB = (6, 26)
_ABOVE = 34


def sliders_of(strokes: Sequence[Box], lines: Sequence[InkedLine]) -> tuple[list[ElementDraft], list[InkedLine]]:
    """The sliders, and the lines that belong to none of them."""
    found: list[ElementDraft] = []
    left = list(lines)
    for track in _tracks(strokes):
        level = [line for line in left if 0 < track.middle[1] - line.box.middle[1] <= _ABOVE]
        above = [line for line in level if track.x1 - 4 <= line.box.x1 < track.x2]
        names = [line for line in above if not line.text.strip("%").isdigit() and len(line.text) > 1]
        numbers = [line for line in above if line.text.strip("%").isdigit()]
        if not names:
            continue
        name = min(names, key=lambda line: line.box.x1)
        knob = [line for line in left if abs(line.box.middle[1] - track.middle[1]) <= 6 and len(line.text) <= 2]
        used = [name, *numbers, *knob]
        left = [line for line in left if line not in used]
        box = track.around(name.box)
        value = numbers[-1].text if numbers else None
        found.append(ElementDraft("slider", box, name.text, value=value, source="nearby", confidence=name.confidence))
    return found, left


def _tracks(strokes: Sequence[Box]) -> Iterator[Box]:
    for one in strokes:
        for other in strokes:
            gap = other.x1 - one.x2
            if _KNOB[0] <= gap <= _KNOB[1] and abs(one.y1 - other.y1) <= 1 and one.height >= 3 and one.height == other.height:
                yield one.around(other)


_ALIKE = 10
"""How far the edges of one column may be from each other."""
_DEEPER = 12
"""How much further in a text begins that is below another in a tree."""


def arranged(parts: Sequence[ElementDraft], holders: Sequence[Frame]) -> list[ElementDraft]:
    """The parts in reading order, within the groups, tables and lists that they make."""
    inside: dict[int, list[ElementDraft]] = {}
    loose: list[ElementDraft] = []
    cards = [frame.box for frame in holders if frame.box.height > 60 and frame.box.width > 150]
    for made in parts:
        within = [n for n, card in enumerate(cards) if card.holds(made.box) and card.area > 1.5 * made.box.area]
        if within:
            inside.setdefault(min(within, key=lambda n: cards[n].area), []).append(made)
        else:
            loose.append(made)
    for n, held in inside.items():
        loose += _holder(cards[n], held)
    return [row[0] if len(row) == 1 else ElementDraft("group", around(row), inside=row) for row in rows_of(loose)]


def rows_of(parts: Sequence[ElementDraft]) -> list[list[ElementDraft]]:
    """Parts that stand side by side."""
    return in_rows(parts, lambda made: (made.box.y1, made.box.x1), _level)


def _level(row: Sequence[ElementDraft], made: ElementDraft) -> bool:
    """Whether it stands beside all of a row: at the height of its middle, and not on top of one of them."""
    top, bottom = max(other.box.y1 for other in row), min(other.box.y2 for other in row)
    over = min(bottom, made.box.y2) - max(top, made.box.y1)
    if over < 0.5 * min(made.box.height, bottom - top if bottom > top else made.box.height):
        return False
    return all(made.box.x1 >= other.box.x2 - 2 or made.box.x2 <= other.box.x1 + 2 for other in row)


def _holder(card: Box, held: Sequence[ElementDraft]) -> list[ElementDraft]:
    """A table where rows have columns in common, a list where each row is one thing; else the parts as they are."""
    rows = rows_of(held)
    if len(rows) >= 2 and sum(len(row) > 1 for row in rows) >= max(2, len(rows) // 2) and _columns(rows):
        return [ElementDraft("table", card, inside=[_table_row(row, card, first=not n) for n, row in enumerate(rows)])]
    if _indented(rows):
        return [ElementDraft("tree", card, inside=[_item(row[0], card, "treeitem") for row in rows])]
    if len(rows) >= 2 and all(len(row) == 1 and row[0].role in {"link", "text"} for row in rows):
        return [ElementDraft("list", card, inside=[_item(row[0], card) for row in rows])]
    return list(held)


def _indented(rows: Sequence[Sequence[ElementDraft]]) -> bool:
    """Whether single texts begin at several depths, the first at the least; the one that is chosen may have a frame."""
    if len(rows) < 3 or not all(len(row) == 1 and row[0].role in {"text", "button"} for row in rows):
        return False
    starts = [row[0].box.x1 for row in rows if row[0].role == "text"]
    deep = [start for start in starts if start - min(starts) >= _DEEPER]
    return bool(deep) and starts[0] == min(starts) and len(starts) >= len(rows) - 1


def _columns(rows: Sequence[Sequence[ElementDraft]]) -> bool:
    """Whether most that stands in later rows begins where something of the first does."""
    starts = [made.box.x1 for made in rows[0]]
    below = [made for row in rows[1:] for made in row]
    alike = sum(any(abs(made.box.x1 - start) <= _ALIKE for start in starts) for made in below)
    return len(starts) > 1 and alike >= 0.7 * len(below)


def _table_row(row: Sequence[ElementDraft], card: Box, *, first: bool) -> ElementDraft:
    for made in row:
        if made.role in {"text", "heading"}:
            made.role = "columnheader" if first else "cell"
    box = around(row)
    return ElementDraft("row", Box(card.x1, box.y1, card.x2, box.y2), inside=list(row))


def _item(made: ElementDraft, card: Box, role: str = "listitem") -> ElementDraft:
    box = made.box if role == "treeitem" else Box(card.x1, made.box.y1, card.x2, made.box.y2)
    if made.role == "link":
        return ElementDraft(role, box, inside=[made])
    made.selected = made.selected or made.role == "button"
    made.role, made.box = role, box
    return made


_BAR = 64
"""A bar at the edge of a desktop is no higher."""
_TITLE = 88.0
"""How like the name of an application the words of a bar must be, of 100."""
_LARGER = 1.18
_OVER = 12
"""How much darker everything around a dialog is than the dialog."""


@dataclass(frozen=True)
class SegmentedPicture:
    """A picture taken apart."""

    pixels: Pixels
    lines: list[InkedLine]
    frames: list[Frame]
    strokes: list[Box]


class PixelRecognizer:
    """Reads screens one after another. `titles` are the names of applications by their ids, as a user knows them."""

    def __init__(self, titles: Mapping[str, str], min_confidence: float = 0.5) -> None:
        self._titles = dict(titles)
        self._least = min_confidence
        self._reader = Reader()

    def state(self, pixels: Pixels, *, timestamp: float = 0.0) -> VisualState:
        """The screen that the picture shows."""
        frames = frames_of(pixels)
        boxes = [frame.box for frame in frames]
        read = self._reader.read(pixels, boxes)
        read = (*read, *self._reader.also(pixels, _unread(pixels, frames, read), boxes))
        lines = [inked(pixels, line, line.box) for line in read if line.confidence >= self._least]
        seen = SegmentedPicture(pixels, lines, frames, lines_of(pixels))
        top, bottom, windows = self._chrome(seen)
        app = next((window.app for window in windows if window.focused), None)
        inner = Box(0, top, pixels.shape[1], bottom)
        dialog = _dialog(seen)
        seen = _within(seen, dialog.box if dialog else inner)
        elements = list(_elements(_parts(seen, dialog), app, pixels))
        modal = next((e.element_id for e in elements if e.role == "dialog"), None) if dialog else None
        high, wide = pixels.shape[:2]
        return VisualState(
            screen_resolution=(wide, high), elements=tuple(elements), timestamp=timestamp, app=app, windows=windows, modal=modal
        )

    def _chrome(self, seen: SegmentedPicture) -> tuple[int, int, tuple[Window, ...]]:
        """Where the bars of a desktop end and begin, and the windows that they name. A page in a browser has no bars."""
        high, wide = seen.pixels.shape[:2]
        across = [stroke for stroke in seen.strokes if stroke.width > 0.98 * wide]
        top = max([stroke.y2 for stroke in across if stroke.y2 <= _BAR], default=0)
        bottom = min([stroke.y1 for stroke in across if stroke.y1 >= high - _BAR], default=high)
        title = [app for line in seen.lines if line.box.y2 <= top and (app := self._named(line.text))]
        below = [(line, app) for line in seen.lines if line.box.y1 >= bottom and (app := self._named(line.text))]
        if not title:
            return 0, high if not below else bottom, ()
        rest = [app for _, app in below if app != title[0]]
        names = [app for _, app in below] if title[0] in [app for _, app in below] else [title[0], *rest]
        titles = self._titles
        return top, bottom, tuple(Window(window_id=f"win-{a}", app=a, title=titles[a], focused=a == title[0]) for a in names)

    def _named(self, text: str) -> str | None:
        """The application that a title means: its whole name, or what stands before or behind a dash."""
        for said in (text, *re.split(r"\s[-–—|]\s", text)):
            best = max(self._titles, key=lambda app: fuzz.ratio(said.casefold(), self._titles[app].casefold()), default=None)
            if best is not None and fuzz.ratio(said.casefold(), self._titles[best].casefold()) >= _TITLE:
                return best
        return None


def _unread(pixels: Pixels, frames: Sequence[Frame], lines: Sequence[TextLine]) -> list[Box]:
    """Where the name of a field seems to stand that was overlooked: a short one in small letters, at its top."""
    found = []
    for frame in frames:
        if not frame.filled and frame.box.width >= 100 and frame.box.height >= 32:
            box = frame.box
            place = Box(box.x1 + 4, box.y1 + 4, min(box.x2 - 4, box.x1 + 120), box.y1 + 17)
            level = [line for line in lines if place.y1 <= line.box.middle[1] < place.y2 and place.shared(line.box)]
            found.append(None if level else drawn_in(pixels, place, frame.inside))
    return [box for box in found if box is not None and 5 <= box.height <= 13 and 6 <= box.width <= 60]


def _within(seen: SegmentedPicture, box: Box) -> SegmentedPicture:
    return SegmentedPicture(
        seen.pixels,
        [line for line in seen.lines if box.holds(line.box)],
        [frame for frame in seen.frames if box.holds(frame.box) and frame.box.y1 >= box.y1 - 2 and frame.box != box],
        [stroke for stroke in seen.strokes if box.holds(stroke)],
    )


def _dialog(seen: SegmentedPicture) -> Frame | None:
    """The frame in the middle of a screen that is darker everywhere else."""
    high, wide = seen.pixels.shape[:2]
    for frame in seen.frames:
        box = frame.box
        if not (0.15 * wide < box.width < 0.85 * wide and 60 < box.height < 0.9 * high):
            continue
        if abs(box.middle[0] - wide / 2) > 0.06 * wide or frame.inside.light - frame.outside.light < _OVER:
            continue
        outside = [line for line in seen.lines if not box.holds(line.box)]
        inside = [line for line in seen.lines if box.holds(line.box)]
        if inside and (not outside or median(line.ground.light for line in outside) < frame.inside.light - _OVER):
            return frame
    return None


def _parts(seen: SegmentedPicture, dialog: Frame | None) -> list[ElementDraft]:
    sliders, lines = sliders_of(seen.strokes, seen.lines)
    found = Controls(seen.pixels, seen.frames, lines).sorted()
    height = median([line.size for line in seen.lines] or [12])
    tabs = _tabs(seen.pixels, found.lines, seen.strokes)
    texts = [_said(line, height, tabs.get(line.box)) for line in found.lines]
    whole = arranged([*found.controls, *sliders, *texts], found.holders)
    if dialog is None:
        return whole
    named = sorted((made for made in _all(whole) if made.text), key=lambda made: made.role != "heading")
    title = next((made.text for made in named), "")
    return [ElementDraft("dialog", dialog.box, title, inside=whole)]


def _said(line: InkedLine, height: float, tab: bool | None) -> ElementDraft:
    made = ElementDraft("text", line.box, line.text, confidence=line.confidence)
    if tab is not None:
        made.role, made.selected = "tab", tab
    elif line.ink.warns:
        made.role = "alert"
    elif line.coloured:
        made.role = "link"
    elif line.size >= _LARGER * height and line.size >= 13 and len(line.text) > 2:
        made.role = "heading"
    return made


def _tabs(pixels: Pixels, lines: Sequence[InkedLine], strokes: Sequence[Box]) -> dict[Box, bool]:
    """Where tabs stand, and which one is chosen: of those above one stroke the one below which it is coloured."""
    for stroke in strokes:
        wide = [line for line in lines if stroke.x1 - 4 <= line.box.x1 and line.box.x2 <= stroke.x2 + 4]
        above = [line for line in wide if 0 <= stroke.y1 - line.box.y2 <= 16]
        level = [line for line in above if abs(line.box.middle[1] - above[0].box.middle[1]) <= 4]
        top, bottom = stroke.y1, max(stroke.y1 + 1, stroke.y2 - 2)
        below = [most_common(part(pixels, Box(line.box.x1, top, line.box.x2, bottom))) for line in level]
        chosen = [line for line, colour in zip(level, below, strict=True) if line.coloured and colour.coloured]
        if len(level) > 1 and len(chosen) == 1:
            return {line.box: line is chosen[0] for line in level}
    return {}


def _all(parts: Sequence[ElementDraft]) -> Iterator[ElementDraft]:
    for made in parts:
        yield made
        yield from _all(made.inside)


def _elements(parts: Sequence[ElementDraft], app: str | None, pixels: Pixels) -> Iterator[GUIElement]:
    """The parts with ids: by their order for one screen, and by role and name for as long as they live."""
    counted: Counter[str] = Counter()
    number = 0

    def made(each: ElementDraft, parent: str | None) -> Iterator[GUIElement]:
        nonlocal number
        number += 1
        name = f"{each.role}:{re.sub(r'[^0-9a-z]+', '-', each.text.casefold()).strip('-')[:40]}"
        counted[name] += 1
        own = f"e{number}"
        yield GUIElement(
            element_id=own,
            track_id=name if counted[name] == 1 else f"{name}:{counted[name]}",
            role=each.role,
            text=each.text or None,
            value=each.value,
            bbox=each.box.on(pixels).protocol(),
            name_source=each.source if each.text else None,
            enabled=each.enabled,
            focused=each.focused,
            selected=each.selected,
            required=each.required,
            invalid=each.invalid,
            private=each.private,
            placeholder=each.placeholder or None,
            expanded=each.expanded,
            parent=parent,
            app=app,
            confidence=round(min(1.0, max(0.0, each.confidence)), 3),
        )
        for inner in each.inside:
            yield from made(inner, own)

    for each in parts:
        yield from made(each, None)
