"""Two logs side by side: what one did and the other did not, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, Literal, NamedTuple

from protocol.log.log import LogLine
from protocol.model.describe import describe
from protocol.model.steps import InteractionStep

WINDOW = 200
"""Steps of each log that are looked at together; an insertion longer than that is reported as a change of everything."""


class Difference(NamedTuple):
    """Steps that differ; `left` or `right` is None where only the other log has the step."""

    left: LogLine | None
    right: LogLine | None
    fields: tuple[str, ...] = ()
    """Where both have it: what differs besides the action itself."""

    @property
    def kind(self) -> Literal["removed", "added", "changed"]:
        return "added" if self.left is None else "removed" if self.right is None else "changed"


def diff_logs(left: Iterable[LogLine], right: Iterable[LogLine]) -> Iterator[Difference]:
    """Every difference in order. Steps are matched by what was done to what, then compared by what came of it."""
    ours, theirs = iter(left), iter(right)
    a, b = list(islice(ours, WINDOW)), list(islice(theirs, WINDOW))
    while a or b:
        more = len(a) == WINDOW or len(b) == WINDOW
        used_a, used_b = yield from _compare(a, b, whole=not more)
        a = a[used_a:] + list(islice(ours, used_a))
        b = b[used_b:] + list(islice(theirs, used_b))


def _compare(a: list[LogLine], b: list[LogLine], *, whole: bool) -> Any:
    """Compare two windows; the last stretch is left for the next round unless these are the ends of both logs."""
    blocks = SequenceMatcher(None, [_key(x) for x in a], [_key(y) for y in b], autojunk=False).get_opcodes()
    if not whole and len(blocks) > 1 and blocks[-1][0] != "equal":
        blocks = blocks[:-1]
    for tag, i, j, k, m in blocks:
        if tag == "equal":
            yield from _inside(a[i:j], b[k:m])
        else:
            yield from (Difference(x, None) for x in a[i:j])
            yield from (Difference(None, y) for y in b[k:m])
    return (blocks[-1][2], blocks[-1][4]) if blocks else (0, 0)


def _inside(a: list[LogLine], b: list[LogLine]) -> Iterator[Difference]:
    for x, y in zip(a, b, strict=True):
        if x.step and y.step and (fields := _changed(x.step, y.step)):
            yield Difference(x, y, fields)


def _key(line: LogLine) -> str:
    """What was done to what; ids and places differ from run to run and do not count where there is a name."""
    if line.step is None:
        return f"bad line {line.error}"
    return f"{describe(line.step.action)} {line.step.action.parameters}"


def _changed(x: InteractionStep, y: InteractionStep) -> tuple[str, ...]:
    pairs = {
        "result": (x.result and x.result.exec_status, y.result and y.result.exec_status),
        "error": (x.result and x.result.error, y.result and y.result.error),
        "app": (x.visual_state.app, y.visual_state.app),
        "subtask": (x.subtask, y.subtask),
        "role": (x.role, y.role),
        "visible_change": (x.visible_change, y.visible_change),
    }
    return tuple(name for name, (one, other) in pairs.items() if one != other)
