"""What the clock brings next: what apps wait for, and rules whose time comes."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from environments.conditions import check
from environments.simulated.events import Rule
from environments.simulated.rulecheck import apps_in
from environments.simulated.world import Due, World


class Coming(NamedTuple):
    """Something that is due. At the same time, what an app waits for comes first, then the rules in the order of the file."""

    at: float
    order: int
    what: Due | int
    """Or the index of a rule."""


def earliest(world: World, rules: Sequence[Rule], put_off: Container[int] = ()) -> Coming | None:
    """What comes next, however long that takes, but for the rules that are put off."""
    desk = world.desk
    if not rules and not desk.queue:
        return None
    coming = [Coming(due.at, -1, due) for due in desk.queue]
    fired = {rule.name: desk.fired_at[index] for index, rule in enumerate(rules) if rule.name and index in desk.fired_at}
    for index, rule in enumerate(rules):
        at = rule.when.due(desk.tried.get(index, 0), fired, desk.starts)
        if at is not None and index not in put_off:
            coming.append(Coming(at, index, index))
    return min(coming, key=lambda one: (one.at, one.order), default=None)


def truth(world: World, apps: Sequence[str] | None = None) -> dict[str, Any]:
    """The true state as JSON: apps by name, and the desk's own parts. `apps` are those that are wanted, else all."""
    desk = world.desk.model_dump(mode="json", include=set(_DESK))
    wanted: Mapping[str, Any] = world.apps if apps is None else {app: world.apps[app] for app in apps if app in world.apps}
    return {
        "apps": {name: state.model_dump(mode="json") for name, state in wanted.items()},
        **{name: desk[name] for name in _DESK if name not in ("dialogs", "notices")},
        "front": world.desk.front,
        "dialogs": [dialog.title for dialog in world.desk.dialogs],
        "notices": [one.title for one in world.desk.notices],
        "now": world.desk.now,
    }


_DESK = ("clock", "clipboard", "focus", "actions", "windows", "answered", "seed", "passed", "dialogs", "notices")


def holds(world: World, condition: str) -> bool:
    """Whether a condition of a rule holds; one that speaks of what is not there does not."""
    return check(condition, {"world": truth(world, apps_in(condition))}).passed
