"""The function of the terminal: a command line, as if it were typed."""

from __future__ import annotations

from pydantic import Field, JsonValue

from environments.simulated.apps.terminal_state import TerminalState, executed
from environments.simulated.skills import Done, Function
from environments.simulated.values import Model

_SHOWN_MAX = 20_000


class Line(Model):
    """A command line, such as `grep -i total report.txt | wc -l`."""

    command: str = Field(min_length=1)


def run_command(state: TerminalState, line: Line) -> Done[TerminalState]:
    """A command that fails is carried out too: its status and its errors say so. What is in the field stays there."""
    after, ran, effects = executed(state, line.command)
    result: dict[str, JsonValue] = {
        "status": ran.status,
        "output": ran.out[:_SHOWN_MAX],
        "errors": "\n".join(ran.errors)[:_SHOWN_MAX],
        "cut": len(ran.out) > _SHOWN_MAX,
        "folder": after.cwd,
    }
    return Done(after.model_copy(update={"command": state.command}), result, effects)


FUNCTIONS = (Function("run_command", "Run a command line; gives its status, output and errors", Line, run_command, writes=True),)
