"""The DSL: one action a line, as people write and read it. `parse_line(emit(action)) == action`, whatever the action.

`click "Save"`, `fill "Amount" with "$248.90"`, `press Control+s`, `wait 5 s for "Saved"`; `docs/dsl.md` has all of it.
"""

from typing import NamedTuple

from protocol.dsl.mistakes import DSLError
from protocol.dsl.writer import emit
from protocol.model.actions import AgentAction

__all__ = ["DSLError", "ScriptLine", "emit", "parse_line", "parse_script"]


class ScriptLine(NamedTuple):
    """An action of a script, and the number of its line from 1."""

    number: int
    action: AgentAction


def parse_line(line: str) -> AgentAction:
    """The action that one line says. Raises DSLError with the place and what was expected there."""
    from protocol.dsl.reader import read_line  # here and below, since its grammar's library is not needed to write a line

    return read_line(line)


def parse_script(text: str) -> list[ScriptLine]:
    """Every action of `text`, one a line; blank lines and comments say nothing. Raises DSLError at the first mistake."""
    from protocol.dsl.reader import is_blank, read_line

    lines = enumerate(text.split("\n"), start=1)
    return [ScriptLine(number, read_line(line, number)) for number, line in lines if not is_blank(line)]
