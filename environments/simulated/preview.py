"""What an action does, told by the difference that it makes: the apps' tables say which difference is which effect.

Worlds are immutable, so what is the same object is never looked into. What the world's own rules and the clock bring meanwhile
is nobody's doing and no part of it.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json

from environments.effects import SENSITIVE, Change, Effect
from environments.effects.words import effect_of_words
from environments.files.tree_changes import tree_changes
from environments.simulated.app import AnyApp, AppState, Difference, Later, Meaning, Notify, Tree
from environments.simulated.apps import APPS
from environments.simulated.world.values import IdentityKey
from environments.simulated.world.world import World

_MOST = 40
"""Changes of one action that are told each; of the rest it is told how many they are, and their digest."""
_LONGEST = 240
_MANY = (tuple, list, Mapping)
_ASKS = {"permission": Effect.PERMISSION, "security": Effect.PERMISSION, "payment": Effect.PURCHASE, "account": Effect.ACCOUNT}
"""What a dialog of the desktop is about, where the word on its button says nothing."""


class ForwardedEvent(NamedTuple):
    """Something that an app asked to be told to another one, or to itself later."""

    app: str
    what: Notify | Later


def changes_between(before: World, after: World, passed_on: tuple[ForwardedEvent, ...] = ()) -> tuple[Change, ...]:
    """All that is different, in the order of the apps."""
    found: list[Change] = []
    for name, state in after.apps.items():
        old = before.apps.get(name)
        if old is not None and old is not state:
            found += changes_of_app(APPS[name], old, state)
    for passed in passed_on:
        found += _passed_on(passed)
    for said in after.desk.answered[len(before.desk.answered) :]:
        # A dialog that the world itself opened is nothing but its words
        effect = effect_of_words(said.button) or Effect.CONFIRM
        effect = _ASKS.get(said.kind, effect) if effect is Effect.CONFIRM else effect
        if effect in SENSITIVE:
            told = _short(f'answers "{said.title}" with "{said.button}"')
            found.append(Change(effect=effect, app="", told=told, path="desk.answered"))
    return tuple(found) if len(found) <= _MOST else _gathered(found)


class _Kinds(NamedTuple):
    """The table of an app, by field."""

    meanings: dict[str, tuple[tuple[tuple[str, ...], Meaning], ...]]
    trees: frozenset[str]
    looks: frozenset[str]
    """Fields that are only looked at."""
    inner: dict[str, frozenset[str]]
    """Of the entries of a field: what of them is only looked at."""
    declared: bool


@lru_cache(maxsize=256)
def _kinds(key: IdentityKey[AnyApp]) -> _Kinds:
    app = key.value
    meanings: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
    for meaning in app.meanings or ():
        if isinstance(meaning, Meaning):
            head, *rest = meaning.path.split(".")
            meanings.setdefault(head, []).append((tuple(rest), meaning))
    inner: dict[str, set[str]] = {}
    for look in app.looks:
        field, _, below = look.partition(".")
        if below:
            inner.setdefault(field, set()).add(below.removeprefix("*."))
    return _Kinds(
        {field: tuple(said) for field, said in meanings.items()},
        frozenset(tree.path for tree in app.meanings or () if isinstance(tree, Tree)),
        frozenset(look for look in app.looks if "." not in look),
        {field: frozenset(names) for field, names in inner.items()},
        app.meanings is not None,
    )


def changes_of_app(app: AnyApp, before: AppState, after: AppState) -> Iterator[Change]:
    kinds = _kinds(IdentityKey(app))
    now = after.__dict__
    for field, old in before.__dict__.items():
        new = now[field]
        if old is new or (field in kinds.looks and field not in kinds.meanings):
            continue
        if field in kinds.trees:
            gone = {path: _held(entry) for path, entry in old.items() if new.get(path) is not entry}
            come = {path: _held(entry) for path, entry in new.items() if old.get(path) is not entry}
            for changed in tree_changes(app.name, gone, come):
                yield changed.model_copy(update={"path": f"apps.{app.name}.{field}.{changed.path}"})
            continue
        for rest, found in _differences(field, old, new, before, after, kinds.inner.get(field, frozenset())):
            change = _meant(app, kinds, field, rest, found)
            if change is not None:
                yield change


def _differences(
    field: str, old: Any, new: Any, before: Any, after: Any, looks: frozenset[str]
) -> Iterator[tuple[tuple[str, ...], Difference]]:
    """The entries, the parts or the whole of a field that differ, each with the rest of its path."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in old.items():
            other = new.get(key)
            if other is not value and not _same(value, other, looks):
                yield (str(key),), Difference(str(key), value, other, before, after)
        for key in (name for name in new if name not in old) if len(new) != len(old) or new.keys() != old.keys() else ():
            yield (str(key),), Difference(str(key), None, new[key], before, after)
    elif isinstance(old, BaseModel) and type(old) is type(new):
        for name, value in old.__dict__.items():
            other = new.__dict__[name]
            if value is not other and value != other:
                yield (name,), Difference(name, value, other, before, after)
    elif old != new:
        yield (), Difference(field, old, new, before, after)


def _same(old: Any, new: Any, looks: frozenset[str]) -> bool:
    """Whether two entries differ in nothing but what is only looked at."""
    if not looks or not isinstance(old, BaseModel) or type(old) is not type(new):
        return bool(old == new)
    now = new.__dict__
    return all(value is now[name] or value == now[name] for name, value in old.__dict__.items() if name not in looks)


def _meant(app: AnyApp, kinds: _Kinds, field: str, rest: tuple[str, ...], found: Difference) -> Change | None:
    path = ".".join(("apps", app.name, field, *rest))
    for parts, meaning in kinds.meanings.get(field, ()):
        fits = len(parts) <= len(rest) and all(part in ("*", name) for part, name in zip(parts, rest, strict=False))
        if fits and (meaning.when is None or meaning.when(found)):
            if meaning.effect is None:
                return None
            return _change(app, meaning.effect, _phrase(meaning.told, found) or _plain(app, field, found), path, found)
    if not kinds.declared:
        old, new = found.old, found.new
        gone = new is None or (isinstance(old, _MANY) and isinstance(new, _MANY) and len(new) < len(old))
        effect = Effect.DELETE if gone else Effect.EDIT
        return _change(app, effect, _plain(app, field, found), path, found).model_copy(update={"declared": False})
    effect = Effect.DELETE if rest and found.new is None else Effect.EDIT
    return _change(app, effect, _plain(app, field, found), path, found)


def _change(app: AnyApp, effect: Effect, told: str, path: str, found: Difference) -> Change:
    # Of all that is gone and comes, but for the number under which it is kept
    body = [_body(found.old, found.key), _body(found.new, found.key)] if effect in SENSITIVE else None
    digest = hashlib.blake2b(to_json(body), digest_size=6).hexdigest() if body else ""
    return Change(effect=effect, app=app.name, told=told, path=path, digest=digest)


def _body(value: Any, key: str) -> Any:
    if not isinstance(value, BaseModel):
        return value
    return {name: part for name, part in value.__dict__.items() if part != key}


def _phrase(told: str | Callable[[Difference], str], found: Difference) -> str:
    try:
        return _short(told.format(**found._asdict()) if isinstance(told, str) else told(found))
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        return ""  # a table of another package may speak of what is not there; the change is told plainly


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _plain(app: AnyApp, field: str, found: Difference) -> str:
    verb = "deletes" if found.new is None else "adds" if found.old is None else "changes"
    entry = "" if found.key == field else f" {found.key}"
    return _short(f"{verb} {field}{entry} in {app.title}")


def _held(entry: Any) -> str | None:
    return None if entry.kind == "folder" else str(entry.text)


def _passed_on(passed: ForwardedEvent) -> Iterator[Change]:
    """What the sender's table says of it; most of it shows in the state of whoever is told."""
    app, what = APPS[passed.app], passed.what
    head, rest = ("notify", (what.app, what.topic)) if isinstance(what, Notify) else ("later", (what.topic,))
    for parts, meaning in _kinds(IdentityKey(app)).meanings.get(head, ()):
        if meaning.effect is not None and parts == rest:
            found = Difference(what.topic, None, what.data, None, None)
            told = _phrase(meaning.told, found) or _plain(app, head, found)
            yield _change(app, meaning.effect, told, ".".join((head, *rest)), found)


def _gathered(found: list[Change]) -> tuple[Change, ...]:
    """The first ones of each effect, and of the rest how many they are."""
    found = sorted(found, key=lambda change: -_ORDER.index(change.effect))
    kept, rest = found[:_MOST], found[_MOST:]
    many: dict[tuple[Effect, str, bool], list[Change]] = {}
    for change in rest:
        many.setdefault((change.effect, change.app, change.declared), []).append(change)
    for (effect, app, declared), some in many.items():
        body = hashlib.blake2b("\n".join(change.told + change.digest for change in some).encode(), digest_size=6).hexdigest()
        kept.append(Change(effect=effect, app=app, told=f"{len(some)} more of this", digest=body, declared=declared))
    return tuple(kept)


_ORDER = tuple(Effect)
