"""Boxes and points, origin top left. Pixels of the screen unless a space is named. Sources: seeds 003 and 004."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from typing_extensions import TypedDict

JsonObject = dict[str, Any]
"""A mapping in somebody else's format, as JSON has it: nothing is known of it until it is read field by field."""


class Frozen(BaseModel):
    """A value: immutable, closed to unknown keys, and always fit to be written down. Base of every model of the protocol."""

    # A limit on texts has each of them looked at, and half a surrogate pair, which no log could hold, refused.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_max_length=10_000_000, defer_build=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, without what was worked out from the original: it says something else."""
        copy = super().model_copy(update=update, deep=deep)
        for name in copy.__dict__.keys() - type(self).__pydantic_fields__.keys():
            del copy.__dict__[name]
        return copy


class TaggedModel(Frozen):
    """A member of a union: its tag is written even where defaults are left out, so that it can be read back."""

    tag: ClassVar[str]

    @model_serializer(mode="wrap")
    def _with_tag(self, write: SerializerFunctionWrapHandler) -> JsonObject:
        return {self.tag: getattr(self, self.tag), **write(self)}


class Point(NamedTuple):
    """One pixel of the screen."""

    x: int
    y: int


Size = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
"""Width and height in pixels."""

Number = Annotated[
    Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
    | Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)],
    AfterValidator(lambda number: number or 0),
]
"""A whole number stays one, so that what was written is what is read; 0.0 is 0, the default, which is not written."""

Space = Literal["px", "image", "norm1", "norm999", "norm1000"]
"""What a number counts: pixels of the screen, pixels of the picture the model saw, or a share of the screen as 0..1,
0..999 (divided by 999) or 0..1000 (divided by 1000)."""

_WHOLE: dict[Space, int] = {"norm1": 1, "norm999": 999, "norm1000": 1000}


class _ScaledModel(Frozen):
    """Numbers in a space of their own. Nothing here guesses a space from the size of a number."""

    space: Space = "px"
    image_size: Size | None = None
    """Of the picture the model saw; needed where the space is `image`, a record of it elsewhere."""

    @model_validator(mode="after")
    def _fits_its_space(self) -> _ScaledModel:
        if self.space == "image" and self.image_size is None:
            raise ValueError("numbers in space 'image' need image_size, the size of the picture the model saw")
        whole = _WHOLE.get(self.space)
        numbers = [getattr(self, name) for name in type(self).model_fields if name not in _ScaledModel.model_fields]
        if whole is not None and not all(0 <= number <= whole for number in numbers):
            raise ValueError(f"numbers in space {self.space!r} lie between 0 and {whole}, not {numbers}")
        return self

    def _unit(self, screen: Size) -> tuple[float, float]:
        """How many pixels of the screen one unit is, across and down."""
        if self.space == "px":
            return 1.0, 1.0
        if self.space == "image" and self.image_size:
            return screen[0] / self.image_size[0], screen[1] / self.image_size[1]
        return screen[0] / _WHOLE[self.space], screen[1] / _WHOLE[self.space]


class Coordinate(_ScaledModel):
    """A point as somebody gave it, in the space they gave it in."""

    x: Number
    y: Number

    def to_px(self, screen: Size) -> Point:
        """The pixel of a screen of that size that is meant, kept on the screen unless it was given in pixels."""
        across, down = self._unit(screen)
        x, y = floor(self.x * across + 0.5), floor(self.y * down + 0.5)
        if self.space == "px":
            return Point(x, y)
        return Point(min(max(x, 0), screen[0] - 1), min(max(y, 0), screen[1] - 1))

    def to_space(self, space: Space, screen: Size, image_size: Size | None = None) -> Coordinate:
        """The same point in another space: whole numbers, but for `norm1`. Equal to this one where nothing changes.

        Raises pydantic.ValidationError where the other space cannot say it.
        """
        if space == self.space and (space != "image" or image_size == self.image_size):
            return self
        across, down = self._unit(screen)
        target = Coordinate(x=0, y=0, space=space, image_size=image_size)
        wide, high = target._unit(screen)
        x, y = self.x * across / wide, self.y * down / high
        whole = _WHOLE.get(space)
        if whole:
            x, y = min(max(x, 0.0), float(whole)), min(max(y, 0.0), float(whole))
        if space == "norm1":
            return Coordinate(x=round(x, 6), y=round(y, 6), space=space, image_size=image_size)
        return Coordinate(x=floor(x + 0.5), y=floor(y + 0.5), space=space, image_size=image_size)


class BoundingBox(Frozen):
    """A rectangle in screen pixels; `x1,y1` inclusive, `x2,y2` exclusive."""

    x1: int
    y1: int
    x2: int
    y2: int

    @model_validator(mode="after")
    def _ordered(self) -> BoundingBox:
        if self.x2 < self.x1 or self.y2 < self.y1:
            raise ValueError(f"box corners are out of order: ({self.x1},{self.y1}) to ({self.x2},{self.y2})")
        return self

    @property
    def center(self) -> Point:
        return Point((self.x1 + self.x2) // 2, (self.y1 + self.y2) // 2)

    @property
    def area(self) -> int:
        return (self.x2 - self.x1) * (self.y2 - self.y1)

    def contains(self, point: Point) -> bool:
        return self.x1 <= point.x < self.x2 and self.y1 <= point.y < self.y2

    def overlaps(self, other: BoundingBox) -> bool:
        return self.x1 < other.x2 and other.x1 < self.x2 and self.y1 < other.y2 and other.y1 < self.y2

    def to_px(self, screen: Size) -> BoundingBox:
        return self


class Region(_ScaledModel):
    """A rectangle in a space that is not the screen's pixels."""

    space: Literal["image", "norm1", "norm999", "norm1000"]
    x1: Number
    y1: Number
    x2: Number
    y2: Number

    @model_validator(mode="after")
    def _ordered(self) -> Region:
        if self.x2 < self.x1 or self.y2 < self.y1:
            raise ValueError(f"region corners are out of order: ({self.x1},{self.y1}) to ({self.x2},{self.y2})")
        return self

    def to_px(self, screen: Size) -> BoundingBox:
        """The pixels of a screen of that size that the region covers."""
        across, down = self._unit(screen)
        x1, y1, x2, y2 = (floor(n + 0.5) for n in (self.x1 * across, self.y1 * down, self.x2 * across, self.y2 * down))
        return BoundingBox(x1=x1, y1=y1, x2=x2, y2=y2)


def _corners(value: Any) -> Any:
    """`[x1, y1, x2, y2]` as in seed 004's own example, or an object with `x, y, width, height`."""
    if isinstance(value, list | tuple):
        if len(value) != 4:
            raise ValueError("a box written as a list has four numbers: [x1, y1, x2, y2]")
        return dict(zip(("x1", "y1", "x2", "y2"), value, strict=True))
    if isinstance(value, dict) and "x1" not in value:
        return _from_sides(value)
    return value


def _from_sides(value: JsonObject) -> JsonObject:
    sides = {"w": "width", "h": "height"}
    named = {sides.get(name, name): number for name, number in value.items()}
    if not {"x", "y", "width", "height"} <= named.keys():
        return value
    x, y, width, height = (named.pop(name) for name in ("x", "y", "width", "height"))
    if not all(isinstance(number, int | float) and abs(number) < 1e300 for number in (x, y, width, height)):
        raise ValueError("x, y, width and height of a box are numbers")
    x2, y2 = x + width, y + height
    tidy = {"x2": round(x2, 9), "y2": round(y2, 9)}  # 0.1 + 0.2 is a little more than 0.3
    return {"x1": x, "y1": y, **tidy, **named}


def _any_box(value: Any) -> Any:
    """Seed 003 writes a box as normalised floats `[x, y, width, height]`, seed 004 as whole pixels `[x1, y1, x2, y2]`.

    The type of the numbers tells them apart, never their size: a list with a float in it is seed 003's.
    """
    if isinstance(value, list | tuple) and len(value) == 4 and any(isinstance(number, float) for number in value):
        return {**_from_sides(dict(zip(("x", "y", "width", "height"), value, strict=True))), "space": "norm1"}
    value = _corners(value)
    if isinstance(value, dict) and value.get("space") == "px":
        return {name: number for name, number in value.items() if name != "space"}
    return value


def _pair(value: Any) -> Any:
    """`[x, y]` in whole pixels; floats do not say what they count."""
    if isinstance(value, list | tuple) and len(value) == 2:
        if not all(isinstance(number, int) and not isinstance(number, bool) for number in value):
            raise ValueError("a point written as a list has two whole pixels; write {x, y, space} for anything else")
        return {"x": value[0], "y": value[1]}
    return value


class Sides(TypedDict):
    """A box by its corner and its size."""

    x: float
    y: float
    width: float
    height: float


Box = Annotated[BoundingBox, BeforeValidator(_corners, json_schema_input_type=BoundingBox | Sides | tuple[int, int, int, int])]
"""A BoundingBox that may also be written `[x1, y1, x2, y2]` or `{x, y, width, height}`."""

AnyBox = Annotated[
    BoundingBox | Region,
    BeforeValidator(_any_box, json_schema_input_type=BoundingBox | Region | Sides | tuple[float, float, float, float]),
]
"""A box in pixels, or a Region that names its space."""

At = Annotated[Coordinate, BeforeValidator(_pair, json_schema_input_type=Coordinate | tuple[int, int])]
"""A Coordinate that may also be written `[x, y]` in whole pixels."""
