"""Boxes and points in screen pixels, origin top left. Sources: seeds 003 and 004."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, SerializerFunctionWrapHandler, model_serializer, model_validator


class Frozen(BaseModel):
    """A value: immutable, closed to unknown keys. Base of every model of the protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Tagged(Frozen):
    """A member of a union: its tag is written even where defaults are left out, so that it can be read back."""

    tag: ClassVar[str]

    @model_serializer(mode="wrap")
    def _with_tag(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {self.tag: getattr(self, self.tag), **write(self)}


class Point(NamedTuple):
    """One pixel of the screen."""

    x: int
    y: int


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


def _box_from_list(value: Any) -> Any:
    """Seed 004's own example writes a box as the list `[x1, y1, x2, y2]`."""
    if isinstance(value, list | tuple):
        if len(value) != 4:
            raise ValueError("a box written as a list has four numbers: [x1, y1, x2, y2]")
        return dict(zip(("x1", "y1", "x2", "y2"), value, strict=True))
    return value


Box = Annotated[BoundingBox, BeforeValidator(_box_from_list)]
"""A BoundingBox that may also be written `[x1, y1, x2, y2]`."""
