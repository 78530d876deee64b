"""What each frame is: a button, a field, a box to tick, a message, or only what holds other things."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from environments.vision.pixels import (
    Box,
    Colour,
    Frame,
    Pixels,
    drawn_in,
    ground_of,
    in_rows,
    ink_of,
    most_common,
    part,
    written_in,
)
from environments.vision.reader import TextLine

DOTS = re.compile(r"[•●∙·*⬤.…\s]{4,}|…|[•●∙·⬤]{2,}")
"""How a text looks that nobody is to read."""


_HANGING = re.compile(r"[gjpqy,;()$@]")
_STAR = re.compile(r"\s*[*＊]$|\s+[+×x·]$")
"""A small star is read as other signs too."""


@dataclass
class ElementDraft:
    """A draft of an element."""

    role: str
    box: Box
    text: str = ""
    value: str | None = None
    placeholder: str = ""
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    required: bool = False
    private: bool = False
    invalid: bool = False
    expanded: bool | None = None
    source: str = "content"
    confidence: float = 1.0
    inside: "list[ElementDraft]" = field(default_factory=list)


class InkedLine(NamedTuple):
    """A line of text with the colours that it is written in."""

    box: Box
    text: str
    confidence: float
    ground: Colour
    ink: Colour

    @property
    def size(self) -> float:
        """How high its capitals are, or nearly: what hangs below the line does not count."""
        return self.box.height * (0.78 if _HANGING.search(self.text) else 1.0)

    @property
    def strength(self) -> float:
        """How far the ink stands out from its ground, 0 to 255."""
        return self.ink.far(self.ground)

    @property
    def coloured(self) -> bool:
        """Whether it is written in a colour, as links are, and not only on one."""
        return self.ink.coloured and not self.ground.coloured and not self.ink.warns


def inked(pixels: Pixels, line: TextLine | InkedLine, box: Box) -> InkedLine:
    """A line, or the part of one in this box."""
    ground = ground_of(pixels, box.grown(1))
    return InkedLine(box, line.text, line.confidence, ground, ink_of(pixels, box, ground))


def marked_required(text: str) -> tuple[str, bool]:
    """A label without the star that says that a field must be filled."""
    bare = text.rstrip()
    starred = _STAR.sub("", bare)
    return starred.rstrip(":： "), starred != bare


_ELLIPSIS = re.compile(r"\s*\.\.\.$")
_TALL = 66
"""A higher frame holds several things, or a text of several lines."""
_ARROW = re.compile(r"[vVyY▾▼⌄∨˅✓√]")
"""As what the arrow of a list is read."""
_AT_END = 36
_TICKED = frozenset({"checkbox", "radio", "switch"})
_TICK = (10, 26)
_ICON = 52
_BESIDE = 26
"""How far a label may be from what it names."""
_FAINT = 0.5
"""Ink that is this much weaker than the strongest is that of something that cannot be used."""
_HINT = 0.8
_INKED = 60
_RIM = 0.28
"""How much of a box to tick may be edge, and the ring around what has the focus."""
_TINT = 60
"""A ground that is no further from the one around it is a tint."""


class SortedFrames(NamedTuple):
    """Frames as controls, those that only hold things, and the lines that belong to none."""

    controls: list[ElementDraft]
    holders: list[Frame]
    lines: list[InkedLine]


class Controls:
    """Works out what the frames of one picture are."""

    def __init__(self, pixels: Pixels, frames: Sequence[Frame], lines: Sequence[InkedLine]) -> None:
        self._pixels = pixels
        frames = [frame for frame in frames if not self._is_letter(frame, lines)]
        pills = [frame.box for frame in frames if _is_pill(frame.box)]
        frames = [frame for frame in frames if not _is_marked(frame, frames)]
        self._frames = [frame for frame in frames if not any(box.holds(frame.box) and box != frame.box for box in pills)]
        self._knobs = [frame.box for frame in frames if frame not in self._frames]
        self._left = [line for line in (self._cut(line) for line in lines) if line is not None]
        self._strongest = max((line.strength for line in lines), default=255.0)

    def sorted(self) -> SortedFrames:
        controls: list[ElementDraft] = []
        holders: list[Frame] = []
        taken: list[Box] = []
        for frame in sorted(self._frames, key=lambda frame: frame.box.area):
            made = None if any(frame.box.holds(box) for box in taken) else self._control(frame)
            if made is None:
                holders.append(frame)
                continue
            controls.append(made)
            taken.append(frame.box)
        for made in controls:
            self._name(made)
        # what can be ticked has a name, or is only a sign
        return SortedFrames([made for made in controls if made.text or made.role not in _TICKED], holders, self._left)

    def _control(self, frame: Frame) -> ElementDraft | None:
        own = [line for line in self._left if frame.box.holds(line.box)]
        box = frame.box
        if not own:
            return self._without_text(frame)
        if box.height > _TALL:
            # A field of several lines has its name at its top; anything else that is large holds things
            rows = _rows(own)
            name = rows[0]
            text = [line for row in rows[1:] for line in row]
            small = not text or name[0].box.height <= max(line.box.height for line in text)
            at_top = name[0].box.y1 - frame.box.y1 < 14 and name[0].box.x1 - frame.box.x1 < 20
            crowded = any(len(row) > 1 for row in rows) or any(line.coloured for line in text)
            if crowded or not at_top or not small or frame.border.far(frame.outside) < 60 or frame.filled:
                return None
            if text and text[0].box.y1 - name[0].box.y2 > 16:
                return None
            return self._field(frame, name, text)
        rows = _rows(own)
        if len(rows) > 1:
            return None if len(rows[0]) > 1 or len(rows) > 2 else self._field(frame, rows[0], rows[1])
        return self._one_row(frame, rows[0])

    def _one_row(self, frame: Frame, row: list[InkedLine]) -> ElementDraft | None:
        box, first, last = frame.box, row[0], row[-1]
        left, right = first.box.x1 - box.x1, box.x2 - last.box.x2
        chevron = self._sign_at_right(frame, last.box.x2)
        if any(after.box.x1 - before.box.x2 > 40 for before, after in pairwise(row)):
            return None  # several things side by side
        high = first.box.middle[1] - box.y1 < 0.42 * box.height
        if high and box.height >= 30 and not frame.filled and right > left:
            return self._field(frame, row, [])
        even = abs(left - right) <= 0.3 * (left + right) + 8
        text = " ".join(line.text for line in row)
        if frame.filled and frame.stands_out and not frame.inside.coloured and self._sign_at_left(frame):
            self._take(row)
            return ElementDraft("alert" if first.ink.warns else "status", box, text, confidence=_sure(row))
        if frame.filled and first.coloured and left < 20 and frame.inside.far(frame.outside) < _TINT:
            self._take(row)
            return ElementDraft("link", box, text, selected=True, confidence=_sure(row))
        if even or (chevron and right < 60 and left >= 0.5 * right - 12 and box.width < 140):
            self._take(row)
            text = _ELLIPSIS.sub("…", text)
            enabled = first.strength > _FAINT * self._strongest or frame.stands_out
            return ElementDraft("button", box, text, enabled=enabled, expanded=False if chevron else None, confidence=_sure(row))
        if first.ink.warns and frame.filled:
            self._take(row)
            return ElementDraft("alert", box, text, confidence=_sure(row))
        if box.width > 0.7 * self._pixels.shape[1] or frame.filled:
            return None
        return self._field(frame, [], row)

    def _field(self, frame: Frame, name: list[InkedLine], value: list[InkedLine]) -> ElementDraft:
        self._take([*name, *value])
        said = " ".join(line.text for line in name)
        text, required = marked_required(said)
        content = "\n".join(" ".join(line.text for line in row) for row in _rows(value))
        role = "combobox" if self._sign_at_right(frame, max([frame.box.x1, *(line.box.x2 for line in value)])) else "textbox"
        made = ElementDraft(role, frame.box, text, value="", required=required, source="label", confidence=_sure([*name, *value]))
        made.focused = frame.border.coloured and not frame.border.warns
        made.invalid = frame.border.warns
        if DOTS.fullmatch(content):
            made.value, made.private = "•" * 8, True
        elif value and max(line.strength for line in value) < _HINT * self._strongest:
            made.placeholder = content
        else:
            made.value = content
        return made

    def _without_text(self, frame: Frame) -> ElementDraft | None:
        box = frame.box
        low, high = _TICK
        if low <= box.width <= high and abs(box.width - box.height) <= 3:
            drawn = self._drawn_within(frame)
            if frame.round and not frame.stands_out and drawn is not None and not self._is_dot(drawn, frame):
                return None  # a sign in a circle
            ticked = frame.stands_out or drawn is not None
            return ElementDraft("radio" if frame.round and not frame.stands_out else "checkbox", box, value=str(ticked).lower())
        if _is_pill(box) and frame.stands_out:
            knobs = [knob for knob in self._knobs if box.holds(knob)]
            on = knobs[0].middle[0] > box.middle[0] if knobs else frame.inside.coloured
            return ElementDraft("switch", box, value=str(on).lower())
        if high < box.width <= _ICON and abs(box.width - box.height) <= 10 and self._drawn_within(frame) is not None:
            return ElementDraft("button", box, confidence=0.7)
        if 18 <= box.height <= _TALL and box.width >= 60 and not frame.filled:
            role = "combobox" if self._sign_at_right(frame, box.x1) else "textbox"
            return ElementDraft(role, box, value="", source="nearby", focused=frame.border.coloured)
        if box.height > _TALL and box.width >= 150 and not frame.filled and frame.border.far(frame.outside) > 60:
            return ElementDraft("textbox", box, value="", source="nearby", confidence=0.6)
        return None

    def _drawn_within(self, frame: Frame) -> Box | None:
        box = frame.box
        edge = max(3, round(_RIM * box.width)) if box.width <= _TICK[1] else 3
        return drawn_in(self._pixels, box.grown(-edge), frame.inside)

    def _is_dot(self, drawn: Box, frame: Frame) -> bool:
        """Whether what is drawn in a circle is its dot: in its middle, and full."""
        middle = part(self._pixels, Box(*(round(side) for side in (*drawn.middle, *drawn.middle))).grown(1))
        apart = max(abs(one - two) for one, two in zip(drawn.middle, frame.box.middle, strict=True))
        return apart <= 1.5 and abs(drawn.width - drawn.height) <= 2 and most_common(middle).far(frame.inside) > _INKED

    def _sign_at_right(self, frame: Frame, after: int) -> bool:
        """Whether a small sign stands at the right edge, such as the arrow of a list that opens."""
        box = frame.box
        place = Box(max(box.x2 - 30, after + 4), box.y1 + 5, box.x2 - 4, box.y2 - 5)
        if place.width < 8 or place.height < 8 or not part(self._pixels, place).size:
            return False
        sign = drawn_in(self._pixels, place, frame.inside)
        return sign is not None and 5 <= sign.width <= 18 and 3 <= sign.height <= 14

    def _sign_at_left(self, frame: Frame) -> bool:
        """Whether what is drawn in it begins with something as wide as high, apart from the rest: an icon."""
        box = frame.box
        place = Box(box.x1 + 4, box.y1 + 4, box.x2 - 4, box.y2 - 4)
        whole = drawn_in(self._pixels, place, frame.inside)
        if whole is None or whole.x1 - box.x1 > 14:
            return False
        for width in range(9, 22):
            gap = Box(whole.x1 + width, place.y1, whole.x1 + width + 5, place.y2)
            if drawn_in(self._pixels, gap, frame.inside) is None:
                sign = drawn_in(self._pixels, Box(whole.x1, place.y1, gap.x1, place.y2), frame.inside)
                return sign is not None and abs(sign.width - sign.height) <= 4
        return False

    def _is_letter(self, frame: Frame, lines: Sequence[InkedLine]) -> bool:
        """Whether a frame is a part of a text: letters have edges too, but are not apart from what follows."""
        box = frame.box
        for line in lines:
            if box.height >= 20 and box.width > 0.8 * line.box.width:
                continue  # the line was taken to be as large as what it stands in
            if box.height > line.box.height + 3 or line.box.grown(3).shared(box) <= 0.8 * box.area:
                continue
            tick = _TICK[0] < box.width <= _TICK[1] and abs(box.width - box.height) <= 3 and box.x1 <= line.box.x1 + 4
            apart = drawn_in(self._pixels, Box(box.x2 + 1, box.y1 + 2, box.x2 + 4, box.y2 - 2), frame.outside) is None
            if not (tick and apart) and not _is_pill(box):
                return True
        return False

    def _cut(self, line: InkedLine) -> InkedLine | None:
        """The line without what is drawn around it, beside it or in its place: a frame, a box to tick, an icon in a button."""
        box = line.box
        for frame in self._frames:
            other = frame.box
            small = max(other.width, other.height) <= _ICON
            # Whether OCR took an icon for a letter
            if small and other.holds(box) and (len(line.text) <= 1 or (len(line.text) == 2 and not line.text.isalnum())):
                return None
            at_end = other.height <= _TALL and other.width > 60 and other.holds(box) and other.x2 - box.x1 < _AT_END
            if at_end and box.width <= 18 and _ARROW.fullmatch(line.text):
                return None
            if max(other.width, 2 * other.height) <= 2 * _TICK[1] and other.grown(2).shared(box) and other.x1 <= box.x1 + 4:
                box = Box(max(box.x1, other.x2 + 2), box.y1, box.x2, box.y2)
            elif other.height <= _TALL and other.holds(box):
                box = box.within(other.grown(-3))
        if box == line.box:
            return line
        return inked(self._pixels, line, written_in(self._pixels, box, ground_of(self._pixels, box)))

    def _name(self, made: ElementDraft) -> None:
        """The label of what has none inside: beside a box to tick, and left of a field or above it."""
        if made.text or made.role in {"button", "link"}:
            return
        box = made.box
        if made.role in _TICKED:
            near = [line for line in self._left if _beside(line.box, box) and -2 <= line.box.x1 - box.x2 <= _BESIDE]
        else:
            near = [line for line in self._left if _beside(line.box, box) and 0 <= box.x1 - line.box.x2 <= 4 * _BESIDE]
            above = [line for line in self._left if 0 <= box.y1 - line.box.y2 <= _BESIDE]
            near = near or [line for line in above if abs(line.box.x1 - box.x1) <= 14]
        if not near:
            return
        label = min(near, key=lambda line: abs(line.box.middle[0] - box.middle[0]) + abs(line.box.middle[1] - box.middle[1]))
        self._take([label])
        made.text, made.required = marked_required(label.text)
        made.source, made.confidence = "nearby", min(made.confidence, label.confidence)
        if made.role in _TICKED:
            made.box = box.around(label.box)

    def _take(self, lines: Sequence[InkedLine]) -> None:
        self._left = [line for line in self._left if line not in lines]


def _rows(lines: Sequence[InkedLine]) -> list[list[InkedLine]]:
    def level(row: list[InkedLine], line: InkedLine) -> bool:
        last = row[0].box
        return abs(line.box.middle[1] - last.middle[1]) <= max(4, 0.4 * min(line.box.height, last.height))

    return in_rows(lines, lambda line: line.box.middle[1], level)


def _beside(label: Box, box: Box) -> bool:
    return abs(label.middle[1] - box.middle[1]) <= 0.5 * max(label.height, min(box.height, 40))


def _sure(lines: Sequence[InkedLine]) -> float:
    return min((line.confidence for line in lines), default=0.8)


def _is_marked(frame: Frame, frames: Sequence[Frame]) -> bool:
    """Whether it is the ground of text that is selected in a field, and nothing of its own."""
    box = frame.box
    fields = [f.box for f in frames if not f.filled and f.box.height <= _TALL and f.box.holds(box) and f.box.area > box.area]
    return frame.filled and box.height <= _TICK[1] and any(box.x1 - field.x1 < 20 and box.width > 12 for field in fields)


def _is_pill(box: Box) -> bool:
    return 12 <= box.height <= _TICK[1] and 1.4 * box.height <= box.width <= 2.6 * box.height
