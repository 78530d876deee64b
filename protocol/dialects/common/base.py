"""What a dialect is written with, in one place, also for those of other packages."""

from typing import NoReturn

from protocol.dialects.common.conversion import Row, Writing, given, row
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
from protocol.dialects.common.losses import measured
from protocol.model.verbs import Action

__all__ = [
    "LONGEST", "Context", "Dialect", "DialectError", "Fields", "Loss", "NothingDone", "ParsedPayload", "Piece", "Row", "Writing",
    "WrittenPayload", "at", "build", "cannot", "checked_number", "each_of", "given", "json_in", "measured", "row",
]  # fmt: skip


def cannot(dialect: str, action: Action) -> NoReturn:
    """The other side has no such verb, and nothing that comes near."""
    raise DialectError(dialect, action.verb, f"{dialect} has no {action.verb.replace('_', ' ')}")
