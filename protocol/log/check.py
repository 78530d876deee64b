"""What a log should keep besides its schema: its order, and pictures that are there and unchanged. And two logs side by side.

What one did and the other did not is found in constant memory.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from protocol.log.log import LogLine
from protocol.log.versions import Problem
from protocol.model.describe import describe
from protocol.model.steps import InteractionStep, Picture, picture_file

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


_MOST_NAMES = 1_000
"""Different names that are counted one by one; the rest is counted together."""


@dataclass
class LogStats:
    """What happened how often. Times are seconds on the environment's clock."""

    steps: int = 0
    bad_lines: int = 0
    first: float | None = None
    last: float | None = None
    elements: int = 0
    verbs: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    apps: Counter[str] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)
    subtasks: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    """Whether the next observation differed: yes, no, or unknown."""
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def seconds(self) -> float:
        return 0.0 if self.first is None or self.last is None else self.last - self.first

    @property
    def elements_per_state(self) -> float:
        return self.elements / self.steps if self.steps else 0.0


def gather(lines: Iterable[LogLine]) -> LogStats:
    """The figures of all lines; a line that cannot be read is counted as that."""
    stats = LogStats()
    for line in lines:
        if line.step is None:
            stats.bad_lines += 1
        else:
            stats.steps += 1
            stats.first = line.step.timestamp if stats.first is None else min(stats.first, line.step.timestamp)
            stats.last = line.step.timestamp if stats.last is None else max(stats.last, line.step.timestamp)
            stats.elements += len(line.step.visual_state.elements)
            result = line.step.result
            _add(stats.verbs, line.step.action.verb)
            _add(stats.results, result.exec_status.value if result else "none")
            _add(stats.tiers, result.resolved.tier if result and result.resolved else "none")
            _add(stats.apps, line.step.visual_state.app or "none")
            _add(stats.roles, line.step.role or "none")
            _add(stats.subtasks, line.step.subtask or "none")
            _add(stats.changes, "unknown" if line.step.visible_change is None else "yes" if line.step.visible_change else "no")
            if result and result.error:
                _add(stats.errors, result.error[:200])
    return stats


def _add(counter: Counter[str], name: str) -> None:
    counter[name if name in counter or len(counter) < _MOST_NAMES else "others"] += 1


class Finding(NamedTuple):
    """Something about a line: an error makes the line unusable, a warning does not."""

    number: int
    level: Literal["error", "warning"]
    problem: Problem


def check_log(lines: Iterable[LogLine], folder: Path) -> Iterator[Finding]:
    """Every finding in order, as the lines are read. `folder` is where the paths of pictures start."""
    before, number = None, 0
    pictures: dict[str, str | None] = {}
    for line in lines:
        for problem in line.problems:
            yield Finding(line.number, "error", problem)
        if line.step is None:
            continue
        order = () if line.number == number else _order(before, line.step)  # the calls of one line are one step
        for problem in (*order, *_pictures(line.step, folder, pictures)):
            yield Finding(line.number, "warning", problem)
        before, number = line.step, line.number


def _order(before: InteractionStep | None, step: InteractionStep) -> Iterator[Problem]:
    if before is None or before.run_id != step.run_id:
        return
    if step.step and step.step <= before.step:
        yield Problem("$.step", f"step {step.step} comes after step {before.step}")
    if step.timestamp < before.timestamp:
        yield Problem("$.timestamp", f"{step.timestamp:g} is earlier than {before.timestamp:g} of the step before")


_MOST = 10_000
"""Pictures remembered; beyond it they are looked at again."""


def _pictures(step: InteractionStep, folder: Path, known: dict[str, str | None]) -> Iterator[Problem]:
    named = [(f"$.pictures[{n}]", picture) for n, picture in enumerate(step.pictures)]
    path = step.visual_state.screenshot_path
    if path and all(picture.path != path for picture in step.pictures):
        named.append(("$.visual_state.screenshot_path", Picture.model_construct(path=path, sha256="")))
    for where, picture in named:
        if picture.path not in known:
            if len(known) >= _MOST:
                known.clear()
            known[picture.path] = _digest(folder, picture.path)
        if known[picture.path] is None:
            yield Problem(where, f"the picture {picture.path} is not there")
        elif picture.sha256 and known[picture.path] != picture.sha256:
            yield Problem(where, f"the picture {picture.path} is not the one that was logged: its sha256 differs")


def _digest(folder: Path, path: str) -> str | None:
    found = picture_file(folder, path)
    if found is None:
        return None
    try:
        with found.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
