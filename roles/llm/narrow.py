"""The narrow form of an Operator's answer, for small models: one of the moves that this screen allows, in its words.

Every move is written out for the model, with its element and what it takes, so that nothing else can be answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from protocol import OperatorDecision
from roles.contracts import OperatorView
from roles.llm.answers import Unusable
from roles.llm.reading import read_decision
from roles.llm.schemas import Schema, object_of_form


class Move(NamedTuple):
    """One thing that can be done."""

    told: str
    """In words."""
    fields: dict[str, Any]
    """As fields of a flat answer."""
    open: str = ""
    """The field that the model writes itself."""
    about: str = ""
    """The words of the screen that it is about: by these it is held against the job."""


class Moves:
    """The moves of one decision, each with words of its own."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves: dict[str, Move] = {}
        for move in moves:
            alike = sum(told == move.told or told.startswith(f"{move.told} (no. ") for told in self._moves)
            self._moves[f"{move.told} (no. {alike + 1})" if alike else move.told] = move

    @property
    def told(self) -> str:
        return "\n".join(f"- {told}" for told in self._moves)

    @property
    def schema(self) -> Schema:
        """The words are spelt out again by the model, letter for letter: a small one is better at that than at numbers."""
        shut = [told for told, move in self._moves.items() if not move.open]
        forms = [_worded(shut)] if shut else []
        forms += [_worded([told], **{move.open: {"type": "string"}}) for told, move in self._moves.items() if move.open]
        return object_of_form("operator_decision", {"do": {"anyOf": forms}}, ("do",))

    def read(self, data: Mapping[str, Any], view: OperatorView) -> OperatorDecision:
        """The decision in an answer of this form, or of any other that is known. Raises Unusable or ValidationError."""
        said = data.get("do")
        if not isinstance(said, Mapping):
            return read_decision(data, view)
        move = self._moves.get(str(said.get("move", "")))
        if move is None:
            raise Unusable(
                f"there is no move {str(said.get('move', ''))[:60]!r}; give one of the {len(self._moves)} word for word"
            )
        if move.open and not str(said.get(move.open, "")).strip():
            raise Unusable(f'the move {move.told[:60]!r} needs "{move.open}", which is yours to write')
        given = {move.open: str(said[move.open])} if move.open else {}
        flat: dict[str, Any] = {"reasoning": move.told, "status": "CONTINUE", **move.fields, **given}
        return read_decision(flat, view)


def _worded(told: Sequence[str], **fields: Schema) -> Schema:
    return object_of_form("", {"move": {"type": "string", "enum": list(told)}, **fields}, ("move", *fields))
