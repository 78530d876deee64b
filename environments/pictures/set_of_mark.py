"""Set-of-Mark: a screenshot with a small label on every element, whose text is the element's own id.

Works for any environment that has pictures; nothing here knows how they are made. Marks hold for one state only.

UnknownMark                 an id that is not on that screen, or was not marked
Raises EnvironmentFault on import where Pillow is not installed.
"""

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, floor
from operator import itemgetter
from typing import NamedTuple

from environments.contract import EnvironmentFault
from protocol import ActionTarget, BoundingBox, GUIElement, VisualState

try:
    from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, features
except ModuleNotFoundError:
    raise EnvironmentFault("pictures need Pillow, which is not installed; type: pip install 'deskcrew[pictures]'") from None

__all__ = ["Image", "ImageChops", "ImageDraw", "ImageFilter", "ImageFont", "features"]


Pixels = Image.Image
Box = tuple[int, int, int, int]
Size = tuple[int, int]
_MISTAKEN = 60.0
"""What it costs to lie on another thing, where a label might be taken for that one's; ink costs up to 255."""
_RINGS = 10
"""How far from its box a label may go when all around is taken."""


def places(wanted: Iterable[tuple[Box, Size]], things: Iterable[Box], picture: Pixels) -> Iterator[Box | None]:
    """Where the label for each box stands, in order, or None where all is taken. `things` are what one may be mistaken for."""
    # What can be read: edges. The outermost pixels have none, which the filter leaves as they were.
    ink = Image.new("L", picture.size)
    if min(picture.size) > 2:
        inner = (1, 1, picture.width - 1, picture.height - 1)
        ink.paste(picture.convert("L").filter(ImageFilter.FIND_EDGES).crop(inner), inner)
    labels, others = _Tiles(), _Tiles()
    for thing in things:
        others.add(thing)

    def cost(box: Box, spot: Box, own: float) -> float:
        mistaken = any(not _holds(other, box) for other in others.under(spot) if other != box)
        return own + _MISTAKEN * mistaken + mean(ink, spot)

    for box, room in wanted:
        free = [
            (cost(box, spot, own), spot)
            for spot, own in _around_box(box, room)
            if _inside(spot, ink.size) and not labels.any_under(spot)
        ]
        further = (spot for spot in _anywhere(box, room, ink.size) if not labels.any_under(spot))
        best = min(free, key=itemgetter(0))[1] if free else next(further, None)
        if best is not None:
            labels.add(best)
        yield best


def _around_box(box: Box, room: Size) -> Iterator[tuple[Box, float]]:
    """Places with what each costs compared with the best: on the upper corners, beside the box, above it, inside of it; below it
    only if need be: there the next line begins."""
    (x1, y1, x2, y2), (w, h) = box, room
    left, right, middle = x1 - 4, x2 - w + 4, (y1 + y2 - h) // 2
    for x, y, cost in (
        (left, y1 - h // 2, 0), (x1 - w - 1, middle, 6), (right, y1 - h // 2, 6), (x2 + 1, middle, 8), (x1, y1 - h, 12),
        (x2 - w, y1 - h, 14), (x2 - w - 1, middle, 16), (x2 - w - 1, y1 + 1, 18), (x1 + 1, y1 + 1, 20),
        (max(0, x1), max(0, y1), 22), (right, y2 - h // 2, 70), (left, y2 - h // 2, 72), (x1, y2, 80), (x2 - w, y2, 82),
    ):  # fmt: skip
        yield (x, y, x + w, y + h), cost


def _anywhere(box: Box, room: Size, size: Size) -> Iterator[Box]:
    """Further and further away, where every corner is taken."""
    w, h = room
    for ring in range(1, _RINGS):
        for dy in range(-ring, ring + 1):
            for dx in (-ring, ring) if abs(dy) < ring else range(-ring, ring + 1):
                x, y = box[0] + dx * (w + 2) // 2, box[1] + dy * (h + 2) // 2
                spot = (x, y, x + w, y + h)
                if _inside(spot, size):
                    yield spot


def _inside(spot: Box, size: Size) -> bool:
    return spot[0] >= 0 and spot[1] >= 0 and spot[2] <= size[0] and spot[3] <= size[1]


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def mean(grey: Pixels, box: Box) -> float:
    """How bright a part of a grey picture is; of its edges: how much of what can be read lies there."""
    mean = grey.resize((1, 1), Image.Resampling.BOX, box=box).getpixel((0, 0))
    return float(mean) if isinstance(mean, int | float) else 0.0


class _Tiles:
    """Boxes that can be looked up by where they are."""

    SIDE = 64

    def __init__(self) -> None:
        self.tiles: dict[tuple[int, int], list[Box]] = {}

    def add(self, box: Box) -> None:
        for tile in self._over(box):
            self.tiles.setdefault(tile, []).append(box)

    def under(self, box: Box) -> Iterator[Box]:
        """The boxes that share a pixel with this one."""
        x1, y1, x2, y2 = box
        for tile in self._over(box):
            for other in self.tiles.get(tile, ()):
                if x1 < other[2] and other[0] < x2 and y1 < other[3] and other[1] < y2:
                    yield other

    def any_under(self, box: Box) -> bool:
        return next(self.under(box), None) is not None

    def _over(self, box: Box) -> Iterator[tuple[int, int]]:
        for across in range(box[0] // self.SIDE, box[2] // self.SIDE + 1):
            for down in range(box[1] // self.SIDE, box[3] // self.SIDE + 1):
                yield across, down


KINDS: dict[str, frozenset[str]] = {
    "button": frozenset({"button", "menuitem", "splitbutton"}),
    "field": frozenset({"textbox", "searchbox", "spinbutton", "combobox", "slider"}),
    "link": frozenset({"link"}),
    "choice": frozenset({"checkbox", "radio", "switch", "tab", "option", "menuitemcheckbox", "menuitemradio"}),
    "row": frozenset({"row", "listitem", "treeitem", "gridcell"}),
}
"""Kinds of elements by their roles. What is of no kind is `other`."""
COLOURS = {"button": "#1d4ed8", "field": "#15803d", "link": "#7e22ce", "choice": "#b45309", "row": "#0f766e", "other": "#475569"}
BRIGHT = {"button": "#7aa2ff", "field": "#4ade80", "link": "#c79bff", "choice": "#fbbf5a", "row": "#4fd1c5", "other": "#a3afc0"}
"""The same for the outlines on a dark picture."""
LAST = "#db2777"
"""Of the rectangle around the last target."""
_DARK = 110
_SAME = 8
"""A difference in brightness below this, of 255, is none to an eye."""
_FORMATS = ("PNG", "JPEG", "WEBP")
_TEXT = "#ffffff"
_SIZE = 12
_GAP = 12
_ZOOM = 4
_LONGEST = 40


class UnknownMark(LookupError):
    """There is no such mark on this picture."""


class Mark(NamedTuple):
    """A label on the picture. `label` is where it stands and `box` what it marks, both in pixels of the picture."""

    element_id: str
    kind: str
    colour: str
    label: Box
    box: Box


@dataclass(frozen=True)
class MarkedPicture:
    """A picture without and with marks, and what each mark means on the state that it was made of."""

    state_id: str
    clean: bytes
    picture: bytes
    marks: Mapping[str, Mark] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """Ids that should have a mark and found no free place for it."""

    def target(self, mark: str) -> ActionTarget:
        """What an action on that mark is aimed at: stale as soon as the screen is another one. Raises UnknownMark."""
        if mark not in self.marks:
            listed = ", ".join(list(self.marks)[:12]) or "none"
            raise UnknownMark(f"there is no mark {mark!r} on the picture of state {self.state_id}; marks are: {listed}")
        return ActionTarget(element_id=mark, state_id=self.state_id)

    def side_by_side(self) -> bytes:
        """The clean and the marked picture in one, the clean one on the left."""
        left, right = opened(self.clean), opened(self.picture)
        both = Image.new("RGB", (left.width + _GAP + right.width, max(left.height, right.height)), "#808080")
        both.paste(left, (0, 0))
        both.paste(right, (left.width + _GAP, 0))
        return _png(both)


def mark(
    png: bytes, state: VisualState, only: Collection[str] | None = None, last: str | BoundingBox | None = None
) -> MarkedPicture:
    """The picture with a mark on every visible element that can be used, or on those of `only` that can be seen.

    `last` is the element or the box that was acted on before; it gets a rectangle. A picture of another size than the
    screen is marked in its own pixels. Raises UnknownMark for an id that is not on the screen, EnvironmentFault for bytes
    that are no picture.
    """
    clean = opened(png)
    width, height = state.screen_resolution
    scale = clean.width / max(1, width), clean.height / max(1, height)
    if missing := sorted({*(only or ())} - state.by_id.keys()):
        raise UnknownMark(f"there is no element {missing[0]!r} on the screen of state {state.state_id}")
    chosen = _usable(state) if only is None else [e for e in state.elements if e.element_id in only and e.visible]
    boxes = [(element, box) for element in chosen if (box := _seen(element.bbox, scale, clean.size))]
    things = [box for e in state.elements if e.visible and kind_of(e) != "other" and (box := _seen(e.bbox, scale, clean.size))]
    spots = places(((box, _room(element.element_id)) for element, box in boxes), things, clean)
    marks = {
        element.element_id: Mark(element.element_id, kind_of(element), COLOURS[kind_of(element)], spot, box)
        for (element, box), spot in zip(boxes, spots, strict=True)
        if spot is not None
    }
    drawn = clean.copy()
    pen = ImageDraw.Draw(drawn)
    lines = BRIGHT if mean(clean.convert("L"), (0, 0, *clean.size)) < _DARK else COLOURS
    for element, box in boxes:
        _outline(pen, box, lines[kind_of(element)], 1)
    if isinstance(last, str):  # it may be gone by now: then there is nothing to show
        target = state.by_id.get(last)
        last = target.bbox if target is not None and target.visible else None
    if box := _seen(last, scale, clean.size):
        _outline(pen, box, LAST, 3)
    for made in marks.values():
        # White on the colour of its kind, with a white edge that keeps it apart from any ground
        x1, y1, x2, y2 = made.label
        pen.rounded_rectangle((x1, y1, x2 - 1, y2 - 1), 3, fill=made.colour, outline=_TEXT)
        inner = _writing(made.element_id).crop((2, 1, x2 - x1 - 2, y2 - y1 - 1))
        drawn.paste(_TEXT, (x1 + 2, y1 + 1), inner)
    left_out = tuple(element.element_id for element, _ in boxes if element.element_id not in marks)
    return MarkedPicture(state.state_id, png, _png(drawn), marks, left_out)


def kind_of(element: GUIElement) -> str:
    """What an element is for whoever uses it: a key of COLOURS."""
    return next((kind for kind, roles in KINDS.items() if element.role in roles), "other")


def opened(png: bytes) -> Pixels:
    """The picture. Raises EnvironmentFault when the bytes are none."""
    try:
        return Image.open(io.BytesIO(png), formats=_FORMATS).convert("RGB")
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError, Image.DecompressionBombWarning) as bad:
        raise EnvironmentFault(f"the screenshot cannot be read as a picture: {bad}") from None


def fitted(png: bytes, share: Callable[[int, int], float]) -> bytes:
    """The picture, made smaller where its share of the size is less than 1. Raises EnvironmentFault for what is none."""
    image = opened(png)
    by = share(*image.size)
    if by >= 1:
        return png
    return _png(image.resize((max(1, round(image.width * by)), max(1, round(image.height * by))), Image.Resampling.LANCZOS))


def share_changed(before: bytes, after: bytes) -> float:
    """Which part of a picture looks otherwise than another, from 0 to 1. Raises EnvironmentFault for what is none."""
    one, other = opened(before), opened(after)
    if one.size != other.size:
        return 1.0
    counts = ImageChops.difference(one, other).convert("L").histogram()
    return sum(counts[_SAME:]) / (one.width * one.height)


def _png(image: Pixels) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _usable(state: VisualState) -> list[GUIElement]:
    """What can be seen, is enabled and reacts; beneath a dialog nothing does, and of a row that holds a link only the link."""
    able = [e for e in state.elements if e.visible and e.enabled and kind_of(e) != "other"]
    above = [(e, {part.parent for part in (e, *state.above(e))}) for e in able]  # by id: a dialog need not be listed itself
    use = [(e, ids) for e, ids in above if state.modal is None or state.modal in ids]
    holding = {name for _, ids in use for name in ids}
    titles = {e.parent for e in state.elements if e.role == "columnheader"}
    return [e for e, _ in use if kind_of(e) != "row" or (e.element_id not in holding and e.element_id not in titles)]


def _seen(box: BoundingBox | None, scale: tuple[float, float], size: tuple[int, int]) -> Box | None:
    """The box in pixels of the picture, as far as it lies on it."""
    if box is None:
        return None
    x1, y1 = max(0, round(box.x1 * scale[0])), max(0, round(box.y1 * scale[1]))
    x2, y2 = min(size[0], round(box.x2 * scale[0])), min(size[1], round(box.y2 * scale[1]))
    return (x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None


@lru_cache(maxsize=1)
def _font() -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(_SIZE * _ZOOM)


@lru_cache(maxsize=4096)
def _room(text: str) -> tuple[int, int]:
    return round(_font().getlength(_shown(text)) / _ZOOM) + 9, _SIZE + 3


def _shown(text: str) -> str:
    """The id as it can be drawn; an id that is as long as a sentence loses its end."""
    return "".join(char if char.isprintable() else "?" for char in text[:_LONGEST])


@lru_cache(maxsize=4096)
def _writing(text: str) -> Pixels:
    """The text of a label as a mask; drawn large and made smaller, which is easier to read."""
    wide, high = _room(text)
    mask = Image.new("L", (wide * _ZOOM, high * _ZOOM))
    pen = ImageDraw.Draw(mask)
    pen.text((4 * _ZOOM, (_SIZE - 1) * _ZOOM), _shown(text), font=_font(), fill=255, anchor="ls", stroke_width=_ZOOM * 0.2)
    return mask.reduce(_ZOOM)


def _outline(pen: ImageDraw.ImageDraw, box: Box, colour: str, width: int) -> None:
    x1, y1, x2, y2 = box
    pen.rectangle((x1, y1, x2 - 1, y2 - 1), outline=colour, width=width)
    if width > 1 and x2 - x1 > 2 * width + 2 and y2 - y1 > 2 * width + 2:
        pen.rectangle((x1 + width, y1 + width, x2 - 1 - width, y2 - 1 - width), outline=_TEXT)


COLOUR = "#3f3f46"
_AROUND = 1
"""Pixels beside a box in which the edges of its letters may show."""


def painted_over(
    png: bytes, boxes: Iterable[BoundingBox], screen: tuple[int, int], kept: Iterable[BoundingBox] | None = None
) -> bytes:
    """The picture with every box of the screen filled, and where `kept` is given also all that is in none of these.

    Raises EnvironmentFault for bytes that are no picture.
    """
    image = opened(png)
    across, down = image.width / max(1, screen[0]), image.height / max(1, screen[1])

    def placed(box: BoundingBox, more: int) -> tuple[int, int, int, int]:
        """In pixels of the picture, which a box may share with its neighbour."""
        left, top = floor(box.x1 * across) - more, floor(box.y1 * down) - more
        return left, top, ceil(box.x2 * across) + more, ceil(box.y2 * down) + more

    if kept is not None:
        whole, image = image, Image.new("RGB", image.size, COLOUR)
        for box in kept:
            place = placed(box, 0)
            image.paste(whole.crop(place), place)
    pen = ImageDraw.Draw(image)
    for box in boxes:
        pen.rectangle(placed(box, _AROUND), fill=COLOUR)
    return _png(image)
