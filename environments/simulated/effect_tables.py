"""How an app says what a change of its state does: a table, beside the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from environments.effects import Effect


class Difference(NamedTuple):
    """One value of an app's state that is another one than before; None where there was none, or is none any more."""

    key: str
    """Of an entry of a dict, or the name of a part."""
    old: Any
    new: Any
    before: Any
    """The app's whole state."""
    after: Any


class Meaning(NamedTuple):
    """What one kind of difference does. Of several that fit, the first counts."""

    path: str
    """A field (`deleted`), a part of one (`account.email`), the entries of one (`messages.*`); `later.<topic>` for what the app
    will be told when time has passed, `notify.<app>.<topic>` for what another app is told."""
    effect: Effect | None
    """None: nothing that was done by whoever acts."""
    told: str | Callable[[Difference], str] = ""
    """A phrase such as `sends a mail to {new.to}`, of the parts of a Difference, or what makes one."""
    when: Callable[[Difference], bool] | None = None


class Tree(NamedTuple):
    """A field that holds files by path: what goes, moves or is overwritten is told by the difference of the whole."""

    path: str


Table: TypeAlias = tuple[Meaning | Tree, ...]


def is_new(found: Difference) -> bool:
    return found.old is None


def is_gone(found: Difference) -> bool:
    return found.new is None


def becomes(**values: Any) -> Callable[[Difference], bool]:
    """Whether an entry, new or changed, has these values now and had not all of them before."""

    def fits(found: Difference) -> bool:
        return _has(found.new, values) and not _has(found.old, values)

    return fits


def _has(entry: Any, values: dict[str, Any]) -> bool:
    return entry is not None and all(getattr(entry, name, None) == value for name, value in values.items())
