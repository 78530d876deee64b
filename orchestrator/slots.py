"""Slots: values taken from the initial world by the seed, picked from it or computed over it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from orchestrator.errors import did_you_mean
from orchestrator.judging.changes import slot_value
from orchestrator.judging.conditions import evaluate, evaluate_each, problem_with
from protocol import Frozen

COMPUTED = ("sum", "count", "min", "max", "join", "value")


class BadSlot(ValueError):
    """One clause: why a slot has no value in this world."""


class Slot(Frozen):
    """One value: picked from the world or from a list written here, or computed over a part of the world.

    Every origin but `one_of` and `value` is a dotted path into the world, or into a slot above as `slots.name`: a list, or a
    mapping whose values are meant.
    """

    source: str | None = Field(default=None, alias="from")
    one_of: tuple[Any, ...] = ()
    sum: str | None = None
    """Their `of` added up, exactly, as text with as many decimal places as they have."""
    count: str | None = None
    min: str | None = None
    """The one item whose `of` is least: a number where all are numbers, else by the alphabet, as dates are."""
    max: str | None = None
    join: str | None = None
    """Their `of` as one text, with `between` between them."""
    value: str | None = None
    """CEL over `world` and the `slots` above this one, for whatever the others cannot say."""
    where: str = ""
    """CEL over `item`, `world` and the `slots` above this one."""
    pick: Literal["seed", "first", "last", "all"] = "seed"
    """Which of them; `all` gives the list, which may be empty."""
    of: str = ""
    """The field that is computed with, dotted where it lies deeper. Without it the items themselves."""
    between: str = ", "

    @model_validator(mode="after")
    def _has_one_origin(self) -> Self:
        given = [name for name in COMPUTED if getattr(self, name) is not None]
        if (self.source is not None) + bool(self.one_of) + len(given) != 1:
            raise ValueError(
                "a slot takes its value from one place: from the world (from: apps...), from a list (one_of: [...]) or computed "
                f"({', '.join(COMPUTED)})"
            )
        if self.of and given not in (["sum"], ["min"], ["max"], ["join"]):
            raise ValueError("of: says what sum, min, max and join compute with, and this slot does none of it")
        if self.between != ", " and given != ["join"]:
            raise ValueError("between: stands between what join joins, and this slot joins nothing")
        if self.pick != "seed" and given:
            raise ValueError(f"pick: chooses among items, and {given[0]} takes them all")
        if self.where and self.value is not None:
            raise ValueError("where: chooses among items, and value has none")
        for key, names in (("where", ("item", "world", "slots")), ("value", ("world", "slots"))):
            if (expression := getattr(self, key)) and (problem := problem_with(expression, names)):
                raise ValueError(f"{key}: {expression!r} cannot be evaluated: {problem}")
        return self

    @property
    def computed(self) -> str:
        """The name of what is computed, or nothing."""
        return next((name for name in COMPUTED if getattr(self, name) is not None), "")

    @property
    def path(self) -> str:
        return str(getattr(self, self.computed) if self.computed else self.source)


def value_of(slot: Slot, world: Mapping[str, Any], filled: Mapping[str, Any], rng: random.Random) -> Any:
    """The slot's value. Raises BadSlot."""
    if slot.value is not None:
        with _told("value", slot.value):
            return evaluate(slot.value, {"world": world, "slots": filled})
    items = list(slot.one_of) or _items(slot.path, {**world, "slots": filled})
    if slot.where:
        with _told("where", slot.where):
            fits = evaluate_each(slot.where, "item", items, {"world": world, "slots": filled})
        items = [item for item, fit in zip(items, fits, strict=True) if fit is True]
    if slot.computed == "count":
        return len(items)
    if slot.pick == "all" and not slot.computed:
        return list(items)
    if not items:
        raise BadSlot("finds nothing in this world; change its origin or its 'where'")
    if slot.computed:
        return _COMPUTE[slot.computed](slot, items)
    chosen = rng.choice(items)
    return {"seed": chosen, "first": items[0], "last": items[-1]}[slot.pick]


def _items(path: str, world: Mapping[str, Any]) -> Sequence[Any]:
    value: Any = world
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            known = did_you_mean(part, map(str, value)) if isinstance(value, Mapping) else ""
            raise BadSlot(f"the world has no {path!r} (at {part!r}){known}")
        value = value[part]
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else [value]


@contextmanager
def _told(key: str, expression: str) -> Iterator[None]:
    """What goes wrong in an expression, as a clause about its key."""
    try:
        yield
    except (ValueError, KeyError, TypeError, RuntimeError, IndexError, ArithmeticError) as bad:
        raise BadSlot(f"{key} {expression!r} cannot be evaluated ({bad})") from None


def _fields(slot: Slot, items: Sequence[Any]) -> list[Any]:
    if not slot.of:
        return list(items)
    try:
        return [slot_value(slot.of, item) for item in items]
    except KeyError as bad:
        raise BadSlot(f"of: {slot.of!r}: an item of {slot.path!r} has no {bad.args[0]!r}") from None


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _sum(slot: Slot, items: Sequence[Any]) -> str:
    total = Decimal(0)
    for value in _fields(slot, items):
        number = _number(value)
        if number is None:
            raise BadSlot(f"sum: {value!r} is no number; name a field of numbers with 'of'")
        total += number
    return format(total, "f")


def _extreme(slot: Slot, items: Sequence[Any]) -> Any:
    values = _fields(slot, items)
    numbers = [_number(value) for value in values]
    keys: list[Any] = list(map(str, values)) if None in numbers else numbers
    most = (max if slot.computed == "max" else min)(keys)
    if keys.count(most) > 1:
        raise BadSlot(f"{slot.computed}: {keys.count(most)} items have {most} alike; narrow 'where' until there is one")
    return items[keys.index(most)]


def _join(slot: Slot, items: Sequence[Any]) -> str:
    return slot.between.join(map(str, _fields(slot, items)))


_COMPUTE: dict[str, Callable[[Slot, Sequence[Any]], Any]] = {"sum": _sum, "min": _extreme, "max": _extreme, "join": _join}
