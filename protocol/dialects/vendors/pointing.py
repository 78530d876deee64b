"""What the dialects of models that look at a picture share: places as numbers, and keys as names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic import ValidationError

from protocol import ActionTarget, AgentAction, BoundingBox, Coordinate, JsonObject, Region, Size, Space
from protocol.dialects import LONGEST, Part, Reading, Row, Writing, at, refusing
from protocol.dialects.common.conversion import Conversion
from protocol.model import verbs
from protocol.model.keys import Keyboard, KeyNameError, read_key, split_chord

MOST_CALLS = 200
"""Calls into which one action may be split."""
_MOST_KEYS = 20


class Canvas(Conversion):
    """Where the numbers of one payload count, and what is lost in it."""

    spaces: ClassVar[Mapping[str, Space]] = {}
    """Of the variants that do not count pixels of the picture."""
    signed: ClassVar[bool] = True
    """Whether a coordinate may be negative: left of the screen, or above it."""

    @property
    def canvas(self) -> tuple[Space, Size | None]:
        """The space of the numbers, and the size of the picture whose pixels they count."""
        space = self.spaces.get(self.variant)
        return (space, None) if space else self.context.picture

    def check(self, where: str, *numbers: float) -> None:
        """Raises DialectError for coordinates that are said nowhere."""
        if not self.signed and min(numbers) < 0:
            self.refuse(where, f"coordinates are not negative: {list(numbers)}")
        if max(map(abs, numbers)) > LONGEST:
            self.refuse(where, f"{list(numbers)} is nowhere near the screen")

    def box(self, numbers: Iterable[float]) -> JsonObject:
        """`[x1, y1, x2, y2]` as a box of the canvas, to be read."""
        corners: JsonObject = dict(zip(("x1", "y1", "x2", "y2"), numbers, strict=True))
        space, image = self.canvas
        return corners if space == "px" else {"space": space, "image_size": image, **corners}


class PayloadReading(Canvas, Reading):
    """A payload that is read."""

    def spot(self, x: float, y: float, where: str) -> ActionTarget:
        self.check(where, x, y)
        return at(x, y, *self.canvas, self.dialect, where)

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

    def drag(self) -> AgentAction:
        """A drag, from the pointer where it has no start: it is carried as theirs where nobody knows the place."""
        start = self.pair("start_coordinate") if "start_coordinate" in self.fields else None
        end, held = self.pair(), self.meanwhile()
        modifiers = self.held(held)
        start = start or self.here()
        if start is None:
            return self.theirs("left_click_drag", target=end, text=held)
        return self.build("drag", "text", target=start, to=end, modifiers=modifiers)

    def held(self, held: str | None) -> tuple[str, ...] | None:
        """The modifiers in a text such as `ctrl+shift`."""
        return None if held is None else self.keys("text", [held], "xdotool")

    def meanwhile(self) -> Any:
        """The keys that are held meanwhile, where the dialect says them."""
        return None

    def maybe(self) -> ActionTarget | None:
        """The place of a click, where it says one."""
        return self.pair() if "coordinate" in self.fields else None

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


@dataclass(frozen=True)
class ClickRow(Row):
    """A click at its place or where the pointer is. It is carried as theirs where nobody knows: a click of ours has a target."""

    name: str = ""

    def __call__(self, r: PayloadReading) -> AgentAction:
        target, held = r.maybe(), r.meanwhile()
        modifiers = r.held(held)
        target = target or r.here()
        if target is None:
            return r.theirs(self.name, text=held)
        click = {name: self.values[name] for name in ("button", "count")}
        return r.build("click", "text", target=target, modifiers=modifiers, **click)


def click_rows(**more: Part) -> dict[str, Callable[[Any], Any]]:
    """The clicks that have a verb each; `more` is how their place, and the keys that are held, are written."""
    clicks = {
        "left_click": ("left", 1), "right_click": ("right", 1), "middle_click": ("middle", 1),
        "double_click": ("left", 2), "triple_click": ("left", 3),
    }  # fmt: skip
    return {name: ClickRow("click", "text", {**more, "button": b, "count": n}, name=name) for name, (b, n) in clicks.items()}


class PayloadWriting(Canvas, Writing):
    """An action that is written."""

    most: ClassVar[int | None] = None
    """The largest number of the grid, where it ends before its space does."""

    def spot(self, target: ActionTarget | None, what: str = "target") -> list[int]:
        """The whole numbers of the place of `target`. Raises DialectError when nobody knows it."""
        said = self.place(target, what, *self.canvas)
        numbers = [self._whole(said.x), self._whole(said.y)]
        self.check(what, *numbers)
        return numbers

    def _whole(self, number: float) -> int:
        whole = floor(number + 0.5)
        return whole if self.most is None else min(max(whole, 0), self.most)

    def xy(self, target: ActionTarget | None, what: str = "target", prefix: str = "") -> dict[str, int]:
        return dict(zip((f"{prefix}x", f"{prefix}y"), self.spot(target, what), strict=True))

    def spot_or_middle(self, action: verbs.Scroll) -> list[int]:
        """Where a scroll is, for a verb that needs a place: the middle of the picture where it says none."""
        width, height = self.context.size
        return self.spot(action.target or ActionTarget(point=Coordinate(x=width // 2, y=height // 2)))

    def area(self, region: BoundingBox | Region) -> list[int]:
        """`[x1, y1, x2, y2]` in the numbers of the picture."""
        own = {} if isinstance(region, BoundingBox) else {"space": region.space, "image_size": region.image_size}
        numbers: list[int] = []
        for x, y in ((region.x1, region.y1), (region.x2, region.y2)):
            try:
                corner = Coordinate.model_validate({"x": x, "y": y, **own})
                space, image = self.canvas
                said = corner.to_space(space, self.context.size, image)
            except ValidationError:
                self.refuse("region", f"{x:g}, {y:g} is nowhere near the screen")
            numbers += [self._whole(said.x), self._whole(said.y)]
        self.check("region", *numbers)
        return numbers

    def shares(self, action: verbs.Action, total: float, most: int) -> list[float]:
        """`total` in shares of at most `most`. Raises DialectError where they are too many."""
        count = max(1, ceil(total / most))
        if count > MOST_CALLS:
            self.cannot(action, f"{total:g} is more than {MOST_CALLS} calls of {most:g}")
        return [most] * (count - 1) + [total - most * (count - 1)]

    def only_left(self, action: verbs.Drag | verbs.MouseDown | verbs.MouseUp) -> None:
        """Raises DialectError for another button."""
        if action.button != "left":
            does = "drags" if isinstance(action, verbs.Drag) else "is pressed and released by itself"
            self.cannot(action, f"only the left button {does}, not {action.button}")


XY = Part(PayloadReading.xy, PayloadWriting.xy)
"""A place in the fields `x` and `y`."""


def aim_coordinate(writing: PayloadWriting, target: ActionTarget | None, what: str = "target") -> JsonObject:
    """The place in the field `coordinate`."""
    return {"coordinate": writing.spot(target, what)}


COORDINATE = Part(PayloadReading.pair, aim_coordinate)
"""A place in the field `coordinate`."""
