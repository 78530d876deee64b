"""Whether the rules of a world file can be followed: names, order and conditions are looked at before anything starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from environments.files.conditions import problem_with
from environments.simulated.app import AppState
from environments.simulated.turn.events import Rule

_APP = re.compile(r"\bworld\s*\.\s*apps\s*(?:\.\s*(\w+)|\[\s*[\"'](\w+)[\"']\s*\])(?:\s*\.\s*(\w+)(?!\w*\s*\())?")
_WORLD = re.compile(r"\bworld\b(?!\s*\.\s*apps\s*[.\[])")


class RuleProblem(NamedTuple):
    """Something in the rules that cannot be: where, as keys below `events`, and what."""

    at: tuple[str | int, ...]
    said: str
    word: str = ""
    """What may be misspelt."""
    known: tuple[str, ...] = ()
    """What could have been meant."""


@lru_cache(maxsize=256)
def apps_in(condition: str) -> tuple[str, ...]:
    """The apps that a condition speaks of by name; those are all it looks at in `world.apps`."""
    return tuple(dict.fromkeys(found[0] or found[1] for found in _APP.findall(condition)))


@lru_cache(maxsize=256)
def looks_beyond(condition: str) -> bool:
    """Whether a condition speaks of more than the apps that it names, so that any action may change how it comes out."""
    return bool(_WORLD.search(condition)) or not apps_in(condition)


def wrongs(rules: Sequence[Rule], apps: Mapping[str, AppState]) -> Iterator[RuleProblem]:
    """Everything that is wrong, in the order of the file."""
    names = [rule.name for rule in rules if rule.name]
    for index, rule in enumerate(rules):
        if rule.name and names.count(rule.name) > 1:
            yield RuleProblem((index, "name"), f"two events are called {rule.name!r}; give each a name of its own")
        for number, after in enumerate(rule.when.after or ()):
            if after.event not in names:
                there = f"events with a name are: {', '.join(names) or 'none'}"
                yield RuleProblem(
                    (index, "when", "after", number), f"there is no event {after.event!r}; {there}", after.event, (*names,)
                )
        if rule.when.condition is not None:
            yield from _condition(index, rule.when.condition, apps)
    yield from _circle(rules)


def _condition(index: int, condition: str, apps: Mapping[str, AppState]) -> Iterator[RuleProblem]:
    at = (index, "when", "if")
    if problem := problem_with(condition, ("world",)):
        yield RuleProblem(at, f"this condition cannot be looked at: {problem}")
    for dotted, quoted, field in _APP.findall(condition):
        app = dotted or quoted
        if app not in apps:
            yield RuleProblem(at, f"{app!r} is not one of this world's apps, which are: {', '.join(apps)}", app, (*apps,))
        elif field and field not in type(apps[app]).model_fields:
            known = tuple(type(apps[app]).model_fields)
            yield RuleProblem(at, f"the state of {app} has no {field!r}; it has: {', '.join(known)}", field, known)


def _circle(rules: Sequence[Rule]) -> Iterator[RuleProblem]:
    """Rules that wait for each other would never fire."""
    waits = {rule.name: [after.event for after in rule.when.after or ()] for rule in rules if rule.name}
    done: set[str] = set()

    def way_back(name: str, path: tuple[str, ...]) -> tuple[str, ...]:
        if name in path:
            return (*path[path.index(name) :], name)
        if name in done:
            return ()
        found = next((way for other in waits.get(name, ()) if (way := way_back(other, (*path, name)))), ())
        done.add(name)
        return found

    for index, rule in enumerate(rules):
        if rule.name and (way := way_back(rule.name, ())):
            yield RuleProblem((index, "when", "after"), f"these events wait for each other in a circle: {' after '.join(way)}")
            return
