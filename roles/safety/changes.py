"""What a preview says of an action: which effects are reviewed for it, and how it is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from environments.effects import Change
from roles.effects import Effect

_ORDER = tuple(Effect)
_UNCHANGED = frozenset({Effect.OBSERVE, Effect.NAVIGATE, Effect.EDIT})
"""What an action may be called that changes nothing outside of its window: looking, going, writing what is not kept yet."""
_TOLD = 8

Done = tuple[Effect, str]
"""An effect, and the app that it is in; empty for the one in which the action is performed."""


def done_by(changes: Sequence[Change], worded: Sequence[Effect]) -> tuple[Done, ...]:
    """What is reviewed of an action whose changes are known, the worst first.

    `worded` is what its words say. That counts where it operates something in the physical world, and where an app does not say
    what its changes do; where nothing is changed it can only say something harmless.
    """
    found: list[Done] = [(change.effect, change.app) for change in changes]
    found += [(effect, "") for effect in worded if effect is Effect.ACTUATE or not all(change.declared for change in changes)]
    if not found:
        found = [(next((effect for effect in worded if effect in _UNCHANGED), Effect.NAVIGATE), "")]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: -_ORDER.index(one[0])))


def reasons_of(changes: Iterable[Change]) -> tuple[str, ...]:
    """What it would do, a sentence each."""
    told = [f"it {change.told}" for change in changes]
    return tuple(told if len(told) <= _TOLD else [*told[:_TOLD], f"and {len(told) - _TOLD} more changes"])


def shown(changes: Iterable[Change] | None) -> list[dict[str, Any]] | None:
    """The changes as plain data, for a state, a request and a log; None where they are not known."""
    return None if changes is None else [change.model_dump(mode="json", exclude_defaults=True) for change in changes]


def alike(known: Sequence[Mapping[str, Any]], now: Sequence[Change]) -> bool:
    """Whether it is still what was reviewed. Under which number something will be kept does not count."""
    then = [(one["effect"], one["app"], one["told"], one.get("digest", "")) for one in known]
    return then == [(change.effect.value, change.app, change.told, change.digest) for change in now]
