"""What the functions of all apps share: pages of results, names that are nearly right, and driving an app by its own events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn, TypeAlias, TypeVar

from pydantic import Field, JsonValue
from rapidfuzz import fuzz, process

from environments.simulated.app import AppState, Effect, Event, Update
from environments.simulated.skills import FunctionDeclined
from environments.simulated.world.values import Model

S = TypeVar("S", bound=AppState)
T = TypeVar("T")
Drive: TypeAlias = Callable[[S, Event], Update[S]]
"""An app's `update`: functions that write go through it, so that they do what the window does."""


class NoArguments(Model):
    """No arguments."""


class Page(Model):
    """Which part of a long result is wanted."""

    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


class RecordId(Model):
    id: str


class SearchWords(Model):
    query: str
    limit: int = Field(default=50, ge=1, le=200)


def driven(update: Drive[S], state: S, events: Iterable[Event]) -> Update[S]:
    """The state after these events, and all effects of them."""
    effects: list[Effect] = []
    for event in events:
        state, more = update(state, event)
        effects.extend(more)
    return Update(state, tuple(effects))


def part_of(items: Sequence[T], page: Page, shown: Callable[[T], JsonValue]) -> dict[str, JsonValue]:
    """The wanted part of the items, and how many there are."""
    some = items[page.offset : page.offset + page.limit]
    return {"count": len(items), "offset": page.offset, "items": [shown(item) for item in some]}


def told(noun: str, items: Sequence[T], shown: Callable[[T], JsonValue], limit: int, offset: int = 0) -> dict[str, JsonValue]:
    """The wanted part of the items under their name, and how many there are."""
    return {noun: [shown(item) for item in items[offset : offset + limit]], "total": len(items)}


def by_id(records: Mapping[str, T], noun: str, name: str, giving: str) -> T:
    """The record of this id. Raises FunctionDeclined, which says what gives the ids."""
    if name not in records:
        raise FunctionDeclined(f"there is no {noun} with the id {name!r}; {giving} the ids")
    return records[name]


def unknown(noun: str, wanted: str, known: Iterable[str]) -> NoReturn:
    """Raise FunctionDeclined for a name that does not exist, with the nearest one that does."""
    names = list(known)
    hit = process.extractOne(wanted, names, scorer=fuzz.WRatio, score_cutoff=60)
    hint = f"did you mean {hit[0]}?" if hit else f"there are: {', '.join(names[:8]) or 'none'}"
    raise FunctionDeclined(f"there is no {noun} {wanted!r}; {hint}")


def chosen(label: str, wanted: str, options: Sequence[str]) -> str:
    """The option that is meant, as a combobox takes it: case and spacing do not matter. Raises FunctionDeclined."""
    folded = " ".join(wanted.split()).casefold()
    for option in options:
        if " ".join(option.split()).casefold() == folded:
            return option
    raise FunctionDeclined(f'"{label}" has no option {wanted!r}; options are: {", ".join(options)}')


def one_line(text: str) -> str:
    """What a field of one line makes of a text."""
    return " ".join(text.split("\n"))
