"""What each dialect says: the tables in `tests/protocol/dialects/cases`, with our actions as lines of the DSL.

`both` has an action and the payload that is read and written for it, `read` other spellings of actions, and `written` what an
action becomes that cannot be said exactly, with what is lost. The last cell of a row may name a variant. `state` is the screen
on which all of a file is said.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from protocol import AgentAction, VisualState
from protocol.dialects import Context
from protocol.dsl import parse_line

_FOLDER = Path(__file__).parents[2] / "protocol" / "dialects" / "cases"
_CELLS = {"both": 2, "read": 2, "written": 3}


class Case(NamedTuple):
    """A row of a table."""

    name: str
    context: Context
    actions: list[AgentAction]
    payload: Any
    lost: list[str]


@cache
def cases(section: str) -> list[Case]:
    """The rows of one kind, of all dialects."""
    found = []
    for path in sorted(_FOLDER.glob("*.yaml")):
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        state = VisualState.model_validate(table["state"]) if "state" in table else None
        for row in table.get(section, []):
            context = Context(state=state, variant=row[_CELLS[section]] if len(row) > _CELLS[section] else None)
            said, payload = (row[1], row[0]) if section == "read" else (row[0], row[1])
            actions = [parse_line(line) for line in ([said] if isinstance(said, str) else said)]
            found.append(Case(path.stem, context, actions, payload, row[2] if section == "written" else []))
    return found


def pairs(name: str) -> list[tuple[Any, AgentAction]]:
    """Payload and action of what a dialect says in both directions, in its first variant."""
    return [(case.payload, case.actions[0]) for case in cases("both") if case.name == name and case.context.variant is None]
