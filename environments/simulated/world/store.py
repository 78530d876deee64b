"""A world on disk: the change of state and the key of the action that made it, in one transaction."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from environments.contract import Unavailable, WorldError
from environments.simulated.app import AppState
from environments.simulated.apps import APPS
from environments.simulated.world.world import Desk, World
from protocol import Action, ActionResult
from protocol.sqlite import logged

FILE = "world.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS state (app TEXT, field TEXT, entry TEXT, body TEXT NOT NULL, UNIQUE (app, field, entry));
CREATE TABLE IF NOT EXISTS performed (n INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, digest TEXT, action TEXT, result TEXT);
"""
_NONE: Mapping[str, object] = {}
M = TypeVar("M", bound=BaseModel)


class PerformedAction(NamedTuple):
    """An action that was done, with its result; as JSON where they come from a file."""

    key: str
    digest: str
    action: Action | str
    result: ActionResult | str


def as_json(one: Action | ActionResult | str) -> str:
    if isinstance(one, Action):
        return one.short.decode()
    return one if isinstance(one, str) else one.model_dump_json(exclude_defaults=True)


class MemoryStore:
    """A record that goes with the process. The world itself is immutable, so nothing of it is copied."""

    def __init__(self, done: Mapping[str, PerformedAction] | None = None) -> None:
        self._done = dict(done or {})

    def known(self, key: str) -> PerformedAction | None:
        return self._done.get(key)

    def performed(self) -> Iterator[PerformedAction]:
        return iter(list(self._done.values()))

    def latest_keys(self, most: int) -> list[str]:
        return list(islice(reversed(self._done), most))

    def load(self, origin: str) -> World | None:
        return None

    def begin(self, world: World, origin: str) -> None:
        self._done.clear()

    def commit(self, before: World, after: World, done: PerformedAction | None) -> None:
        if done is not None:
            self._done[done.key] = done

    def rewind(self, before: World, after: World, count: int) -> None:
        self._done = dict(islice(self._done.items(), count))

    def close(self) -> None: ...


class FileStore:
    """A world and its record in SQLite, in a folder that is made."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = logged(folder / FILE, isolation_level=None)
            self._db.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as bad:
            raise WorldError(f"{folder}: the stored world cannot be opened: {bad}.") from bad

    def known(self, key: str) -> PerformedAction | None:
        found = self._all("SELECT key, digest, action, result FROM performed WHERE key = ?", key)
        return PerformedAction(*found[0]) if found else None

    def performed(self) -> Iterator[PerformedAction]:
        return (PerformedAction(*row) for row in self._all("SELECT key, digest, action, result FROM performed ORDER BY n"))

    def latest_keys(self, most: int) -> list[str]:
        """The keys that were recorded last, the newest first."""
        return [key for (key,) in self._all("SELECT key FROM performed ORDER BY n DESC LIMIT ?", most)]

    def load(self, origin: str) -> World | None:
        """The stored world, or None when there is none. Raises WorldError when it came from another world file."""
        meta = dict(self._all("SELECT name, body FROM meta"))
        if "desk" not in meta:
            return None
        if meta.get("origin") != origin:
            raise WorldError(f"The store holds another world ({json.loads(meta['desk'])['name']}); use another folder.")
        try:
            fields: dict[str, dict[str, Any]] = {}
            for app, field, entry, body in self._all("SELECT app, field, entry, body FROM state ORDER BY rowid"):
                if entry == "":
                    fields.setdefault(app, {})[field] = json.loads(body)
                else:
                    fields[app][field][entry[1:]] = json.loads(body)
            order = json.loads(meta["apps"])
            apps: dict[str, AppState] = {app: _read(APPS[app].state, fields[app]) for app in order}
            return World(_read(Desk, json.loads(meta["desk"])), apps)
        except (ValueError, KeyError, TypeError) as bad:
            raise WorldError(f"The stored world is damaged ({str(bad).splitlines()[0]}); use another folder.") from bad

    def begin(self, world: World, origin: str) -> None:
        """Forget everything and start with this world."""
        with _transaction(self._db):
            for table in ("meta", "state", "performed"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - names from the line above
            self._db.execute("INSERT INTO meta VALUES ('origin', ?), ('apps', ?)", (origin, json.dumps(list(world.apps))))
            self._write(None, world)

    def commit(self, before: World, after: World, done: PerformedAction | None) -> None:
        """The change and its key, both or neither."""
        with _transaction(self._db):
            self._write(before, after)
            if done is not None:
                row = done.key, done.digest, as_json(done.action), as_json(done.result)
                self._db.execute("INSERT INTO performed (key, digest, action, result) VALUES (?, ?, ?, ?)", row)

    def rewind(self, before: World, after: World, count: int) -> None:
        """Go to another world, with only the first `count` of what was done."""
        with _transaction(self._db):
            self._db.execute("DELETE FROM performed WHERE n NOT IN (SELECT n FROM performed ORDER BY n LIMIT ?)", (count,))
            self._write(before, after)

    def close(self) -> None:
        self._db.close()

    def _all(self, sql: str, *values: str | int) -> list[Any]:
        return self._db.execute(sql, values).fetchall()

    def _write(self, before: World | None, after: World) -> None:
        desk = after.desk.model_dump_json(exclude_defaults=True)
        self._db.execute("INSERT INTO meta VALUES ('desk', ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body", (desk,))
        for app, state in after.apps.items():
            old = before.apps.get(app) if before else None
            if old is not state:
                # Only fields, and entries of dicts, that are other objects than before and differ from them
                for field in type(state).model_fields:
                    value, was = getattr(state, field), getattr(old, field) if old is not None else None
                    if old is not None and (value is was or (value == was and not isinstance(value, dict))):
                        continue
                    if not isinstance(value, dict):
                        self._put(app, field, "", value)
                        continue
                    known: Mapping[str, object] | None = was if isinstance(was, dict) else None
                    # Rows keep the order in which they came, so only new entries can be appended
                    kept = [key for key in known or () if key in value]
                    if known is None or list(value)[: len(kept)] != kept:
                        self._db.execute("DELETE FROM state WHERE app = ? AND field = ?", (app, field))
                        self._put(app, field, "", _NONE)
                        known = _NONE
                    for entry in known.keys() - value.keys():
                        self._db.execute("DELETE FROM state WHERE app = ? AND field = ? AND entry = ?", (app, field, f"={entry}"))
                    for entry, item in value.items():
                        if entry not in known or (known[entry] is not item and known[entry] != item):
                            self._put(app, field, f"={entry}", item)

    def _put(self, app: str, field: str, entry: str, value: Any) -> None:
        body = json.dumps(to_jsonable_python(value), separators=(",", ":"))
        self._db.execute(
            "INSERT INTO state VALUES (?, ?, ?, ?) ON CONFLICT (app, field, entry) DO UPDATE SET body = excluded.body",
            (app, field, entry, body),
        )


def _read(kind: type[M], stored: Mapping[str, Any]) -> M:
    """What was stored, but for what only an earlier version had."""
    return kind.model_validate({name: value for name, value in stored.items() if name in kind.model_fields})


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE to COMMIT; any exception takes everything back."""
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except BaseException as bad:
        if db.in_transaction:  # a full disk ends a transaction by itself
            db.execute("ROLLBACK")
        if isinstance(bad, sqlite3.Error):
            raise Unavailable(f"the world could not be stored: {bad}") from bad
        raise


Store: TypeAlias = MemoryStore | FileStore
"""Holds one world and the record of what was done to it."""


def open_store(folder: Path | None) -> Store:
    """A store in that folder; without one it is kept in memory."""
    return MemoryStore() if folder is None else FileStore(folder)
