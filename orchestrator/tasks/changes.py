"""Where two worlds differ, and what of it a task allows.

A pattern is a dotted path such as `apps.reimbursement.claims.*`. It means the place and everything below it; `*`, `?` and
`[...]` stand for characters within one part, and `{slot.key}` for a slot's value, taken as it is. A last part `+` means an
entry that was not there before. Whatever an app declares in `looks` is only looked at and is no change.
"""

import glob
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any

from pydantic import AfterValidator

from environments.files.conditions import check, problem_with
from environments.files.wrong_data import did_you_mean
from protocol import Frozen

NAMES = ("world", "initial", "slots", "received", "run")


def _condition(expression: str) -> str:
    if problem := problem_with(expression, NAMES):
        raise ValueError(f"{expression!r} cannot be evaluated: {problem}")
    return expression


Condition = Annotated[str, AfterValidator(_condition)]
"""CEL over world, initial, slots, received and run."""


class Checkpoint(Frozen):
    """A condition, and the checkpoints without which it does not count."""

    when: Condition
    after: tuple[str, ...] = ()


class CheckpointResult(Frozen):
    """A checkpoint and how it came out: reached when it holds and all before it were."""

    name: str
    reached: bool
    holds: bool
    error: str = ""


def problem_with_order(checkpoints: Mapping[str, Checkpoint]) -> tuple[tuple[str | int, ...], str] | None:
    """Where the order is wrong, and why: an unknown name, or a circle."""
    for name, checkpoint in checkpoints.items():
        for index, before in enumerate(checkpoint.after):
            if before not in checkpoints:
                return (name, "after", index), f"{before!r} is not a checkpoint{did_you_mean(before, checkpoints)}"
    try:
        _in_order(checkpoints)
    except CycleError as bad:
        circle = bad.args[1][::-1]
        return (circle[0], "after"), f"it depends on itself: {' after '.join(circle)}"
    return None


def _in_order(checkpoints: Mapping[str, Checkpoint]) -> list[str]:
    return list(TopologicalSorter({name: checkpoint.after for name, checkpoint in checkpoints.items()}).static_order())


def reached(checkpoints: Mapping[str, Checkpoint], names: Mapping[str, Any]) -> tuple[CheckpointResult, ...]:
    """How each came out, in the order of the file."""
    found: dict[str, CheckpointResult] = {}
    for name in _in_order(checkpoints):
        result = check(checkpoints[name].when, names)
        counts = result.passed and all(found[before].reached for before in checkpoints[name].after)
        found[name] = CheckpointResult(name=name, reached=counts, holds=result.passed, error=result.error)
    return tuple(found[name] for name in checkpoints)


SLOT = re.compile(r"\{([A-Za-z_]\w*(?:\.\w+)*)\}")
_PART = re.compile(r"(?:\{[^{}]*\}|[^.{}])+")
_STAMPS = frozenset({"at"})
"""Fields that say when an entry was made, and so differ between two that are otherwise the same."""
_OF_AN_ENTRY = 4
"""Parts of the place of an entry: `apps`, the app, the field, its key."""
_NEW = "\0"
"""What `+` becomes, so that no key and no slot is taken for it."""

Path = tuple[str, ...]


def problem_with_pattern(pattern: str, slots: Collection[str]) -> str:
    """Why a pattern can never fit, or nothing."""
    parts = _PART.findall(pattern)
    if ".".join(parts) != pattern or len(parts) < 2 or parts[0] != "apps":
        return f"{pattern!r} is not a dotted path that begins with apps and an app's name, such as apps.notes.notes.*"
    if "+" in parts[:-1]:
        return f"{pattern!r} has + before its end; it means a new entry, and everything in a new entry is new"
    for braces in re.findall(r"\{[^{}]*\}", pattern):
        named = SLOT.fullmatch(braces)
        if named is None or named[1].split(".")[0] not in slots:
            return f"{pattern!r} names {braces}, which is not a slot"
    return ""


def slot_value(name: str, slots: Mapping[str, Any]) -> Any:
    """The value of `slot.key`. Raises KeyError with the part that is not there."""
    value: Any = slots
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise KeyError(part)
        value = value[part]
    return value


def filled_text(text: str, slots: Mapping[str, Any]) -> str:
    """`text` with every `{slot.key}` replaced by its value. Raises KeyError with the part that is not there."""
    return SLOT.sub(lambda match: str(slot_value(match[1], slots)), text)


def parts_of(pattern: str, slots: Mapping[str, Any]) -> Path:
    """The parts of a pattern with the slots filled in. Raises KeyError for a slot's part that is not there."""

    def value(match: re.Match[str]) -> str:
        return glob.escape(str(slot_value(match[1], slots)))

    return tuple(_NEW if part == "+" else SLOT.sub(value, part) for part in _PART.findall(pattern))


def side_effects(
    initial: Mapping[str, Any], world: Mapping[str, Any], allowed: Sequence[str], slots: Mapping[str, Any]
) -> list[str]:
    """The places in the apps' state that differ, are not only looked at, and that no pattern allows."""
    patterns = [parts_of(pattern, slots) for pattern in allowed]
    return [
        ".".join(path)
        for path, before, _ in changed(initial, world)
        if not any(_covers(p, path, before is ABSENT) for p in patterns)
    ]


ABSENT = object()
"""What stands where there is nothing."""


def changed(initial: Mapping[str, Any], world: Mapping[str, Any]) -> Iterator[tuple[Path, Any, Any]]:
    """The places in the apps' state that differ and are not only looked at, each with what was there and what is there now."""
    from environments.simulated.apps import APPS

    before, after = initial.get("apps", {}), world.get("apps", {})
    looks = [("apps", glob.escape(app), *parts_of(look, {})) for app in after if app in APPS for look in APPS[app].looks]
    found = _differing(before, after, ("apps",))
    yield from (one for one in found if not any(_covers(look, one[0], one[1] is ABSENT) for look in looks))


def _covers(pattern: Path, path: Path, new: bool) -> bool:
    if pattern[-1] == _NEW:
        return new and len(pattern) == len(path) and _covers(pattern[:-1], path, new)
    return len(pattern) <= len(path) and all(fnmatchcase(part, wanted) for part, wanted in zip(path, pattern, strict=False))


def _differing(before: Any, after: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    if before == after:  # of most apps, and found out much faster than key by key
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            yield from _differing(before.get(key, ABSENT), after.get(key, ABSENT), (*path, str(key)))
    else:
        yield path, before, after


def duplicate_writes(initial: Mapping[str, Any], world: Mapping[str, Any]) -> list[str]:
    """New entries that say the same as another new entry beside them, apart from their own id and time."""
    found, seen = list[str](), set[tuple[str, ...]]()
    new = (one for one in changed(initial, world) if one[1] is ABSENT and len(one[0]) == _OF_AN_ENTRY)
    for path, _, entry in new:
        key = path[-1]
        if not isinstance(entry, Mapping) or key not in entry.values():  # it is a name that somebody chose
            continue
        said = {k: v for k, v in entry.items() if v != key and k not in _STAMPS}
        content = (*path[:-1], json.dumps(said, sort_keys=True, default=str))
        found += [".".join(path)] if content in seen else []
        seen.add(content)
    return found
