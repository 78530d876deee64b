"""What a dialect is written with, in one place, also for those of other packages."""

from protocol.dialects.common.conversion import (
    AIMED,
    NOTCH,
    Conversion,
    cannot,
    dropped,
    element_of,
    pixels_in,
    place,
    whole,
    without_delay,
)
from protocol.dialects.common.dialect import (
    LONGEST,
    Context,
    Dialect,
    DialectError,
    Loss,
    NothingDone,
    ParsedPayload,
    Piece,
    WrittenPayload,
)
from protocol.dialects.common.fields import Fields, at, build, checked_number, each_of, json_in

__all__ = [
    "AIMED", "LONGEST", "NOTCH", "Context", "Conversion", "Dialect", "DialectError", "Fields", "Loss", "NothingDone",
    "ParsedPayload", "Piece", "WrittenPayload", "at", "build", "cannot", "checked_number", "dropped", "each_of", "element_of",
    "json_in", "pixels_in", "place", "whole", "without_delay",
]  # fmt: skip
