"""The axes along which a world may vary. Each is independent of the others; the first word of each is how it is by default."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field

from environments.simulated.values import Model

_SIZE = re.compile(r"^\s*(\d{2,5})\s*[x×,]\s*(\d{2,5})\s*$")


def _size(value: Any) -> Any:
    """`1024x768` as the two numbers it means."""
    found = _SIZE.match(value) if isinstance(value, str) else None
    return (int(found.group(1)), int(found.group(2))) if found else value


def _large_enough(size: tuple[int, int]) -> tuple[int, int]:
    if size[0] < SMALLEST[0] or size[1] < SMALLEST[1]:
        raise ValueError(f"{size[0]}x{size[1]} is too small; use at least {SMALLEST[0]}x{SMALLEST[1]}")
    return size


SMALLEST = (320, 240)
Size = Annotated[tuple[int, int], BeforeValidator(_size), AfterValidator(_large_enough)]


class Variation(Model):
    """What of a world's looks and words may be otherwise. The tasks and the state of the apps stay the same."""

    theme: Literal["light", "dark", "contrast"] = "light"
    density: Literal["usual", "compact", "roomy"] = "usual"
    layout: Literal["column", "wide", "mirrored"] = "column"
    """One column; fields side by side; or everything at the other side, as where people read from the right."""
    order: Literal["usual", "reversed", "shuffled"] = "usual"
    """In which order a form has its fields, a bar its buttons and a table its columns."""
    labels: Literal["usual", "synonyms"] = "usual"
    language: Literal["en", "de", "zh"] = "en"
    names: Literal["usual", "near", "missing"] = "usual"
    """Whether a control has its name, only a label that stands near it, or none, as an icon has none."""
    content: int = Field(default=1, ge=1, le=1000)
    """How many times as much is generated as the world says."""
    screen: Size | None = None
    """Width and height instead of the world's own; `1024x768` in words."""
    seed: int | None = None
    """Draws the shuffled order, the synonyms and the missing names; the world's own seed where it is left out."""

    def drawn_from(self, seed: int) -> Self:
        """The same with its seed filled in."""
        return self if self.seed is not None else self.model_copy(update={"seed": seed})

    def with_changes(self, other: Variation) -> Self:
        """The same with every axis that the other one names."""
        return self.model_copy(update={name: getattr(other, name) for name in other.model_fields_set})
