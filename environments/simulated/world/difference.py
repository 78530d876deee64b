"""Two worlds apart: a hash for each app, and every value that differs. What is the same object is never looked into."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json

from environments.simulated.app import AppState
from environments.simulated.world.values import IdentityKey, Model
from environments.simulated.world.world import Desk, World


class Change(NamedTuple):
    """One value that differs. `before` or `after` is None where the entry was not there."""

    path: str
    """`apps.mail.messages.m3.unread`, `desk.clipboard`."""
    before: Any
    after: Any


@lru_cache(maxsize=50_000)
def _digest_of(key: IdentityKey[Any]) -> int:
    """Hash of one entry; entries are immutable, so each is hashed once in its life."""
    return _number(to_json(key.value))


def _number(body: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(body, digest_size=16).digest(), "big")


def app_hash(state: AppState | Desk) -> str:
    """Equal states have equal hashes, in any process. Costs what changed since the last time, and a sum over the entries."""
    total = 0
    for name in type(state).model_fields:
        value = getattr(state, name)
        if isinstance(value, dict):
            for place, (entry, item) in enumerate(value.items()):
                item_digest = _digest_of(IdentityKey(item)) if isinstance(item, Model) else _number(to_json(item))
                total += item_digest ^ _number_of_name(f"{name}.{entry}.{place}")
            total += _number_of_name(f"{name}:{len(value)}")
        else:
            total += _number(to_json({name: value}))
    return f"{total % (1 << 128):032x}"


@lru_cache(maxsize=50_000)
def _number_of_name(name: str) -> int:
    return _number(name.encode("utf-8", "surrogatepass"))


def world_hashes(world: World) -> dict[str, str]:
    """A hash for the desk and for each app."""
    return {"desk": app_hash(world.desk), **{name: app_hash(state) for name, state in world.apps.items()}}


def differences(before: World, after: World) -> list[Change]:
    """Every value that differs, desk first, then the apps in their order."""
    found = list(_models("desk", before.desk, after.desk))
    for name in {**before.apps, **after.apps}:
        found += _values(f"apps.{name}", before.apps.get(name), after.apps.get(name))
    return found


def _values(path: str, before: Any, after: Any) -> Iterator[Change]:
    if before is after:
        return
    if isinstance(before, BaseModel) and type(before) is type(after):
        yield from _models(path, before, after)
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in before.keys() | after.keys() if len(before) != len(after) else before:
            yield from _values(f"{path}.{key}", before.get(key), after.get(key))
        for key in after.keys() - before.keys() if len(before) == len(after) else ():
            yield Change(f"{path}.{key}", None, _plain(after[key]))
    elif before != after:
        yield Change(path, _plain(before), _plain(after))


def _models(path: str, before: BaseModel, after: BaseModel) -> Iterator[Change]:
    for name in type(before).model_fields:
        yield from _values(f"{path}.{name}", getattr(before, name), getattr(after, name))


def _plain(value: Any) -> Any:
    """JSON of a value, so that a change can be written down."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
