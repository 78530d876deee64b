"""What the dialects of models that look at a picture share: places as numbers, keys as names, and verbs in simpler ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from protocol.dialects.common.base import LONGEST
from protocol.dialects.common.conversion import NOTCH, Conversion, Reading, Writing, place
from protocol.dialects.common.fields import at, build, refusing
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import BoundingBox, Coordinate, JsonObject, Region, Size, Space
from protocol.model.keys import Keyboard, KeyNameError, read_key, split_chord
from protocol.model.targets import ActionTarget

MOST_CALLS = 200
"""Calls into which one action may be split."""

_MOST_KEYS = 20
_PLURAL = {"px": "pixels", "notch": "notches", "page": "pages"}

CLICKS: dict[str, tuple[str, int]] = {
    "left_click": ("left", 1), "right_click": ("right", 1), "middle_click": ("middle", 1),
    "double_click": ("left", 2), "triple_click": ("left", 3),
}  # fmt: skip
"""Button and count of the clicks that have a verb each."""
NO_KEY = {
    verb: {"modifiers": f"no key is held during a {noun}"}
    for verb, noun in (("click", "click"), ("hover", "move"), ("drag", "drag"), ("scroll", "scroll"))
}
ENDS = {"path": "only the two ends are said"}
ONLY_SCREEN = {"marks": "nothing is marked", "region": "only the whole screen is shown"}


@dataclass
class _Canvas(Conversion):
    """Where the numbers of one payload count, and what is lost in it."""

    variant: str
    space: Space
    image: Size | None = None
    signed: bool = True
    """Whether a coordinate may be negative: left of the screen, or above it."""

    def check(self, where: str, *numbers: float) -> None:
        """Raises DialectError for coordinates that are said nowhere."""
        if not self.signed and min(numbers) < 0:
            self.refuse(where, f"coordinates are not negative: {list(numbers)}")
        if max(map(abs, numbers)) > LONGEST:
            self.refuse(where, f"{list(numbers)} is nowhere near the screen")

    def box(self, numbers: Iterable[float]) -> JsonObject:
        """`[x1, y1, x2, y2]` as a box of the canvas, to be read."""
        corners: JsonObject = dict(zip(("x1", "y1", "x2", "y2"), numbers, strict=True))
        return corners if self.space == "px" else {"space": self.space, "image_size": self.image, **corners}


@dataclass
class PayloadReading(_Canvas, Reading):
    """A payload that is read, and the actions so far."""

    actions: list[AgentAction] = field(default_factory=list)

    def spot(self, x: float, y: float, where: str) -> ActionTarget:
        self.check(where, x, y)
        return at(x, y, self.space, self.image, self.dialect, where)

    def pair(self, name: str = "coordinate", *, whole: bool = True) -> ActionTarget:
        """The place in the field `[x, y]`."""
        x, y = self.fields.pair(name, whole=whole)
        return self.spot(x, y, f"{self.fields.where}.{name}")

    def xy(self, x: str = "x", y: str = "y") -> ActionTarget:
        """The place in two fields of whole numbers."""
        numbers = self.fields.number(x, whole=True), self.fields.number(y, whole=True)
        return self.spot(*numbers, f"{self.fields.where}.{x}")

    def here(self) -> ActionTarget | None:
        """Where the pointer is, if this payload says so; a move that only brought it there is then part of what follows."""
        last = self.actions[-1] if self.actions else None
        if isinstance(last, verbs.Hover) and not last.modifiers:
            return self.actions.pop().target
        return last.to if isinstance(last, verbs.Drag) else last.target if isinstance(last, verbs.Click) else None

    def click(self, verb: str, target: ActionTarget | None, held: str | None = None) -> AgentAction:
        """A click of CLICKS. At a pointer that is nobody knows where it is carried as theirs: a click of ours has a target."""
        modifiers = self.held(held)
        target = target or self.here()
        if target is None:
            return self.theirs(verb, text=held)
        button, count = CLICKS[verb]
        return self.build("click", "text", target=target, button=button, count=count, modifiers=modifiers)

    def drag(self, start: ActionTarget | None, end: ActionTarget, held: str | None = None) -> AgentAction:
        """A drag, from the pointer where it has no start: it is carried as theirs where nobody knows the place."""
        modifiers = self.held(held)
        start = start or self.here()
        if start is None:
            return self.theirs("left_click_drag", target=end, text=held)
        return self.build("drag", "text", target=start, to=end, modifiers=modifiers)

    def held(self, held: str | None) -> tuple[str, ...] | None:
        """The modifiers in a text such as `ctrl+shift`."""
        return None if held is None else self.keys("text", [held], "xdotool")

    def theirs(self, verb: str, where: str = "", target: ActionTarget | None = None, **arguments: Any) -> AgentAction:
        """A verb that we lack."""
        said = {name: value for name, value in arguments.items() if value is not None}
        kind = f"x-{self.dialect}.{verb}"
        return build(self.dialect, where or self.fields.where, action_type=kind, target=target, arguments=said)

    def keys(
        self, name: str, names: Iterable[str], keyboard: Keyboard, signs: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[str, ...]:
        """Canonical names of the chords in the field `name`; `signs` are names that only this dialect has."""
        keys: list[str] = []
        with refusing(self.dialect, f"{self.fields.where}.{name}"):
            for chord in names:
                keys += [read_key(signs.get(part.casefold(), part), keyboard) for part in split_chord(chord)]
                if len(keys) > _MOST_KEYS:
                    raise KeyNameError(f"nobody holds more than {_MOST_KEYS} keys at once")
        return tuple(keys)


@dataclass
class PayloadWriting(_Canvas, Writing):
    """An action that is written."""

    most: int | None = None
    """The largest number of the grid, where it ends before its space does."""

    def spot(self, target: ActionTarget | None, what: str = "target") -> list[int]:
        """The whole numbers of the place of `target`. Raises DialectError when nobody knows it."""
        if target is None:
            self.refuse(what, "the place of the pointer is not known")
        try:
            said, lost = place(target, self.context, self.space, self.image, self.dialect, what)
        except ValidationError:  # a box that lies further off than a point may
            self.refuse(what, f"{target.describe()!r} is nowhere near the screen")
        x, y = (self._whole(n) for n in (said.x, said.y))
        self.check(what, x, y)
        if at(x, y, self.space, self.image, self.dialect, what) != target and not lost:
            self.lose(f"{what}.point", "only whole numbers of the grid are said")
        self.take(lost)
        return [x, y]

    def _whole(self, number: float) -> int:
        whole = floor(number + 0.5)
        return whole if self.most is None else min(max(whole, 0), self.most)

    def spot_or_middle(self, action: verbs.Scroll) -> tuple[int, int]:
        """Where a scroll is, for a verb that needs a place: the middle of the picture where it says none."""
        if action.target is not None:
            x, y = self.spot(action.target)
            return x, y
        self.lose("scroll.target", "the pointer's place is not known: said in the middle of the screen")
        width, height = self.context.size
        said = Coordinate(x=width // 2, y=height // 2).to_space(self.space, self.context.size, self.image)
        return self._whole(said.x), self._whole(said.y)

    def area(self, region: BoundingBox | Region) -> list[int]:
        """`[x1, y1, x2, y2]` in the numbers of the picture."""
        own = {} if isinstance(region, BoundingBox) else {"space": region.space, "image_size": region.image_size}
        numbers: list[int] = []
        for x, y in ((region.x1, region.y1), (region.x2, region.y2)):
            try:
                corner = Coordinate.model_validate({"x": x, "y": y, **own})
                said = corner.to_space(self.space, self.context.size, self.image)
            except ValidationError:
                self.refuse("region", f"{x:g}, {y:g} is nowhere near the screen")
            numbers += [self._whole(said.x), self._whole(said.y)]
        self.check("region", *numbers)
        if self.box(numbers) != region.model_dump(exclude_none=True):
            self.lose("screenshot.region", "said in whole pixels of the picture that the model saw")
        return numbers

    def amounts(self, action: verbs.Scroll, unit: str, parts: int = 1) -> tuple[int, int]:
        """How far to the right and down, in whole parts of `unit`; at least one where it moves at all."""
        if action.unit != unit:
            said = f"said in {_PLURAL[unit]} instead of {_PLURAL[action.unit]}"
            self.lose("scroll.unit", f"{said}: {NOTCH} pixels a notch, the size of the screen a page")
        x, y = self.moved(action, unit, parts)
        if max(abs(x), abs(y)) > LONGEST:
            self.cannot(action, "the way is too long")
        if action.unit == unit and (x / parts, y / parts) != (action.delta.x, action.delta.y):
            self.lose("scroll.delta", f"said in whole multiples of {1 / parts:g} {_PLURAL[unit]}")
        return x, y

    def shares(self, action: verbs.Action, total: float, most: int, what: str) -> list[float]:
        """`total` in shares of at most `most`. Raises DialectError where they are too many."""
        count = max(1, ceil(total / most))
        if count > MOST_CALLS:
            self.cannot(action, f"{total:g} is more than {MOST_CALLS} calls of {most:g}")
        if count > 1:
            self.lose(what, f"said as several calls of at most {most:g}")
        return [most] * (count - 1) + [total - most * (count - 1)]

    def whole_seconds(self, action: verbs.Action, seconds: float, name: str = "seconds") -> int:
        if seconds != int(seconds):
            self.lose(f"{action.verb}.{name}", "said in whole seconds, rounded up")
        return ceil(seconds)

    def only_left(self, action: verbs.Drag | verbs.MouseDown | verbs.MouseUp) -> None:
        """Raises DialectError for another button."""
        if action.button != "left":
            does = "drags" if isinstance(action, verbs.Drag) else "is pressed and released by itself"
            self.cannot(action, f"only the left button {does}, not {action.button}")
