"""When a rule of a world fires: after actions, at a time, after other rules, on what happens, or when a condition holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from environments.simulated.world.values import Model

Label = str
TRIGGERS = ("after_actions", "app_opened", "clicked", "at", "submitted", "after")
_TIMED = ("at", "after", "every")
_TIME = re.compile(r"^(?:(\d{4}-\d{2}-\d{2})[ T])?(\d{1,2}):(\d{2})$")


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        found = _TIME.match(value.strip())
        if not found:
            raise ValueError(f'{value!r} is no time; write seconds, "10:30" or "2026-03-02 10:30"')
        text = f"{found[1] or '2000-01-01'} {int(found[2]):02d}:{found[3]}"
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{value!r} is no time: there is no such day or hour") from None
        return text if found[1] else text[11:]
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < 0:
            raise ValueError(f"{value} is before the start; seconds count from 0")
        return float(value)
    return value


Moment = Annotated[float | str, BeforeValidator(_moment)]
"""Seconds on the world's clock, `10:30`, or `2026-03-02 10:30`."""


class After(Model):
    """So many seconds after another rule fired for the first time."""

    event: str = Field(min_length=1)
    seconds: float = Field(default=0.0, ge=0)


def _afters(value: Any) -> Any:
    items = value if isinstance(value, list | tuple) else [value]
    return [{"event": item} if isinstance(item, str) else item for item in items]


class Trigger(Model):
    """One trigger; without any, the rule fires at the start."""

    after_actions: int | None = Field(default=None, ge=0)
    app_opened: str | None = None
    """The app comes to the front, or stands there at the start."""
    clicked: Label | None = None
    at: Moment | None = None
    after: Annotated[tuple[After, ...], BeforeValidator(_afters), Field(min_length=1)] | None = None
    """After another rule, or after all of several: the name of one, or `{event: NAME, seconds: N}`."""
    submitted: Literal[True] | None = None
    """An app accepted a form."""
    condition: str | None = Field(default=None, alias="if")
    """In CEL over `world`. By itself it is the trigger; beside another trigger it must hold at that moment."""
    every: float | None = Field(default=None, ge=1)
    """Again and again, with so many seconds in between; the first time when `at` or `after` say, else after one such time."""
    times: int | None = Field(default=None, ge=1)
    """How often at most, for `every`."""
    chance: float = Field(default=1.0, gt=0, le=1)
    """How likely it is each time, drawn from the seed of the world."""
    app: str | None = None
    """Only while this app is in front; for `clicked` and `submitted`: only in this app."""
    once: bool = True

    @model_validator(mode="after")
    def _one_trigger(self) -> Self:
        given = [name for name in TRIGGERS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"one trigger is allowed, and {' and '.join(given)} are given")
        if self.every is not None and given not in ([], ["at"], ["after"]):
            raise ValueError(f"every goes with at or after only, and {given[0]} is given")
        if self.times is not None and self.every is None:
            raise ValueError("times needs every, which says how many seconds are in between")
        comes_again = given and self.at is None and self.after is None and self.after_actions != 0
        if not self.once and (self.every is not None or not (comes_again or (self.condition and not given))):
            raise ValueError(
                "once: false needs a trigger that can come again: after_actions, app_opened, clicked, submitted or if; "
                "for a time, say every"
            )
        return self

    @property
    def timed(self) -> bool:
        """Whether the clock alone brings it."""
        return any(getattr(self, name) is not None for name in _TIMED)

    @property
    def happens(self) -> bool:
        """Whether it waits for something that an action makes happen."""
        return self.clicked is not None or self.submitted is not None or self.app_opened is not None

    @property
    def conditional(self) -> bool:
        """Whether its condition is its trigger."""
        return self.condition is not None and not self.timed and not self.happens and self.after_actions is None

    def due(self, tried: int, fired_at: Mapping[str, float], starts: str) -> float | None:
        """When the clock brings it next; None when nothing says so, or no longer. `tried` is how often its time came before."""
        if not self.timed or tried >= (self.times or (1 if self.every is None else tried + 1)):
            return None
        first = self._first(fired_at, starts)
        return None if first is None else round(first + tried * (self.every or 0.0), 3)

    def _first(self, fired_at: Mapping[str, float], starts: str) -> float | None:
        if self.at is not None:
            return seconds_until(self.at, starts)
        if self.after is None:
            return self.every
        if any(after.event not in fired_at for after in self.after):
            return None
        return max(fired_at[after.event] + after.seconds for after in self.after)

    def counted(self, tried: int, actions: int) -> bool:
        """Whether the number of actions brings it; a rule without any trigger comes with the start."""
        if self.timed or self.happens or self.conditional:
            return False
        count = self.after_actions or 0
        return actions >= count and not tried if self.once else actions // count > tried


class TriggerEvent(NamedTuple):
    """Something that a trigger may wait for."""

    kind: Literal["app_opened", "clicked", "submitted"]
    app: str
    label: str = ""


def brought(when: Trigger, happened: Iterable[TriggerEvent]) -> bool:
    """Whether one of the things that happened brings it."""
    return when.happens and any(_fits(when, happening) for happening in happened)


def _fits(when: Trigger, happening: TriggerEvent) -> bool:
    if when.app not in (None, happening.app):
        return False
    if happening.kind == "clicked":
        return when.clicked is not None and same_label(when.clicked, happening.label)
    if happening.kind == "app_opened":
        return when.app_opened == happening.app
    return bool(when.submitted)


def same_label(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


@lru_cache(maxsize=1024)
def seconds_until(moment: float | str, starts: str) -> float:
    """A moment on the clock of a world that starts at `starts`; a time of day is the next one from then on."""
    if not isinstance(moment, str):
        return float(moment)
    start = datetime.fromisoformat(starts)
    if len(moment) > 5:
        return (datetime.fromisoformat(moment) - start).total_seconds()
    then = datetime.fromisoformat(f"{starts[:10]} {moment}")
    return (then - start + timedelta(days=then < start)).total_seconds()


def moment_of(starts: str, clock: float) -> str:
    """Day and time, `2026-03-02 10:30`, at so many seconds after the start."""
    return (datetime.fromisoformat(starts) + timedelta(seconds=clock)).isoformat(" ", "minutes")
