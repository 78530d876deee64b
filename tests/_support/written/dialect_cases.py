"""What each dialect says: the tables in `tests/protocol/dialects/cases`, with our actions as lines of the DSL.

| section | a row |
|---|---|
| `both` | an action, and the payload that is read and written for it |
| `read` | another spelling, its action or actions, and what reading it loses, if anything |
| `written` | an action that cannot be said exactly, what it becomes, and what is lost |
| `refused` | a payload that is not understood, where it says the mistake is, and parts of the sentence |
| `unsayable` | an action of a verb that the dialect has, and cannot say all the same |

A row may end with an object: fields of its Context. `state` of a file is the screen of all rows without one (or `false`).
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from hypothesis.strategies import SearchStrategy
from written.actions import every_action

from protocol import AgentAction, VisualState
from protocol.dialects import Context, Dialect, DialectError
from protocol.dsl import parse_line

_FOLDER = Path(__file__).parents[2] / "protocol" / "dialects" / "cases"
_CELLS = {"both": 2, "read": 2, "written": 3, "refused": 2, "unsayable": 1}


class Case(NamedTuple):
    """A row of a table."""

    name: str
    context: Context
    actions: list[AgentAction]
    payload: Any
    told: list[str]
    """What is lost; of a refusal its place, and parts of the sentence."""


@cache
def cases(section: str, *names: str) -> list[Case]:
    """The rows of one kind, of these dialects or of all."""
    found = []
    for path in sorted(_FOLDER.glob("*.yaml")):
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        for row in table.get(section, []) if not names or path.stem in names else []:
            about = row.pop() if len(row) > _CELLS[section] and isinstance(row[-1], dict) else {}
            given = {name: tuple(value) if isinstance(value, list) else value for name, value in about.items()}
            screen = given.pop("state", table.get("state"))
            context = Context(state=VisualState.model_validate(screen) if screen else None, **given)
            if section == "refused":
                payload, lines, told = row[0], [], row[1:]
            elif section == "read":
                payload, lines, told = row[0], row[1], row[2] if len(row) > 2 else []
            else:
                lines, payload, told = row[0], row[1] if len(row) > 1 else None, row[2] if len(row) > 2 else []
            actions = [parse_line(line) for line in ([lines] if isinstance(lines, str) else lines)]
            found.append(Case(path.stem, context, actions, payload, told))
    return found


def pairs(name: str) -> list[tuple[Any, AgentAction]]:
    """Payload and action of what a dialect says in both directions, in its first variant."""
    return [(case.payload, case.actions[0]) for case in cases("both", name) if case.context == Context(state=case.context.state)]


def calls(spoken: Dialect, context: Context) -> SearchStrategy[list[Any]]:
    """What a dialect writes for any action, call by call; no call for what it cannot say."""

    def said(action: AgentAction) -> list[Any]:
        try:
            payload = spoken.write(action, context).payload
        except DialectError:
            return []
        return payload if isinstance(payload, list) else [payload]

    return every_action.map(said)
