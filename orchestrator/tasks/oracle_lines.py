"""The lines of an oracle: the protocol's DSL with `{slot}`s in its texts, said once, for each item of a list, or to fail.

A line is read first and filled afterwards, so that a value with quotes or line breaks stays a value.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from environments.files.wrong_data import did_you_mean
from orchestrator.tasks.changes import SLOT, filled_text
from protocol import AgentAction, AskUser, Frozen, parse_action
from protocol.dsl import DSLError, emit, parse_line


class ForEach(Frozen):
    """Lines that are done once for each item of a slot that is a list."""

    item: str = Field(alias="for", pattern=r"^[A-Za-z_]\w*$")
    """What the lines call the item."""
    source: str = Field(alias="in", pattern=r"^[A-Za-z_]\w*$")
    """The slot."""
    do: tuple[str, ...] = Field(min_length=1)


class Failing(Frozen):
    """A line to which the environment answers with an error, after which the oracle goes on."""

    fails: str


Oracle = tuple[str | ForEach | Failing, ...]


class OracleStep(NamedTuple):
    """One action of an oracle, with the slots filled in."""

    line: int
    """Which entry of the oracle it comes from, from 1."""
    action: AgentAction
    fails: bool = False

    @property
    def said(self) -> str:
        return emit(self.action)

    @property
    def asks(self) -> bool:
        """A question to the user, which never reaches the environment."""
        return isinstance(self.action, AskUser)


def problem_with_oracle(oracle: Oracle, slots: Collection[str]) -> tuple[tuple[str | int, ...], str] | None:
    """Where a line can never be performed, and why."""
    for index, entry in enumerate(oracle):
        if isinstance(entry, ForEach) and entry.source not in slots:
            return (index, "in"), f"{entry.source!r} is not a slot{did_you_mean(entry.source, slots)}"
        known = {*slots, entry.item} if isinstance(entry, ForEach) else slots
        for line in _lines(entry):
            if problem := _problem_with_line(line, known):
                return (index,), f"{line!r}: {problem}"
    return None


def _lines(entry: str | ForEach | Failing) -> tuple[str, ...]:
    if isinstance(entry, ForEach):
        return entry.do
    return (entry.fails if isinstance(entry, Failing) else entry,)


def _problem_with_line(line: str, slots: Collection[str]) -> str:
    try:
        action = parse_line(line)
    except DSLError as bad:
        return f"column {bad.column}: {bad.message}"
    if action.inner and not isinstance(action, AskUser):
        return f"{action.verb} is only for a crew; an oracle acts, waits or asks the user, and ends after its last line"
    for text in _texts(action.dump()):
        for name in SLOT.findall(text):
            if name.split(".")[0] not in slots:
                return f"it names {{{name}}}, which is not a slot{did_you_mean(name, slots)}"
    return ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts(part)


def steps_of(oracle: Oracle, slots: Mapping[str, Any]) -> Iterator[OracleStep]:
    """Every action in order. Raises ValueError in one sentence where a slot does not fit its line."""
    for number, entry in enumerate(oracle, start=1):
        rounds: Sequence[Mapping[str, Any]] = [slots]
        if isinstance(entry, ForEach):
            if not isinstance(items := slots[entry.source], list | tuple):
                raise ValueError(f"oracle line {number}: slot {entry.source!r} is not a list; give it pick: all")
            rounds = [{**slots, entry.item: item} for item in items]
        for names in rounds:
            for line in _lines(entry):
                yield OracleStep(number, _filled(line, names, number), isinstance(entry, Failing))


def fewest_steps(oracle: Oracle, slots: Mapping[str, Any]) -> int:
    """How many actions of the oracle reach the environment."""
    return sum(not step.asks for step in steps_of(oracle, slots))


def _filled(line: str, slots: Mapping[str, Any], number: int) -> AgentAction:
    try:
        return parse_action(_with_values(parse_line(line).dump(), slots))
    except KeyError as bad:
        raise ValueError(f"oracle line {number}: {line!r}: the slot has no {bad.args[0]!r}") from None
    except ValidationError as bad:
        raise ValueError(f"oracle line {number}: {line!r} is not an action with these values: {bad.errors()[0]['msg']}") from None


def _with_values(value: Any, slots: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return filled_text(value, slots)
    if isinstance(value, Mapping):
        return {key: _with_values(part, slots) for key, part in value.items()}
    return [_with_values(part, slots) for part in value] if isinstance(value, list) else value
