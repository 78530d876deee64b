"""A connection to the PostgreSQL store: its tables made once, and the connection made anew, with patience, when it breaks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from orchestrator.errors import MissingDependency, StoreGone, UsageProblem
from orchestrator.store.address import shown_address, without_addresses
from protocol.retries import Retries

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as missing:  # `deskcrew[postgres]` brings it, or the client library of PostgreSQL is not there
    raise MissingDependency(
        f"store: a run in PostgreSQL needs the extra `postgres` ({missing}); install it with: pip install 'deskcrew[postgres]'"
    ) from None

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # a broken connection is told by us, not on the screen
SCHEMA = "deskcrew"
VERSION = 1
PATIENCE = 20.0
"""Seconds in which a server that went away may come back."""
_SILENCE = {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "25000"}
"""A network that breaks without a word is noticed within half a minute."""
_KNOCKING = Retries(tries=100, wait=0.05, longest=1.0)
"""How a server that went away is asked whether it is back, within the time for that."""
_GUARD = 0x6465736B63726577
"""The advisory lock under which the tables are made."""
_TABLES = """
CREATE TABLE store (version integer NOT NULL);
CREATE TABLE runs (
    run text COLLATE "C" PRIMARY KEY, host text NOT NULL, folder text NOT NULL, record text NOT NULL, report text);
CREATE TABLE workers (run text COLLATE "C" PRIMARY KEY, worker text NOT NULL, commits bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE meta (run text COLLATE "C", key text COLLATE "C", value text NOT NULL, PRIMARY KEY (run, key));
CREATE TABLE events (
    run text COLLATE "C", id integer, at double precision NOT NULL, kind text NOT NULL, role text NOT NULL,
    subtask text NOT NULL, step integer NOT NULL, key text, body text NOT NULL, about text, PRIMARY KEY (run, id));
CREATE TABLE actions (
    run text COLLATE "C", key text COLLATE "C", digest text NOT NULL, action text NOT NULL,
    started integer NOT NULL DEFAULT 0, result text, PRIMARY KEY (run, key));
CREATE TABLE approvals (
    run text COLLATE "C", id integer, key text NOT NULL, digest text NOT NULL, decision text NOT NULL,
    message text NOT NULL, who text NOT NULL, at double precision NOT NULL, PRIMARY KEY (run, id));
CREATE TABLE facts (
    run text COLLATE "C", rowid integer, name text NOT NULL, body text NOT NULL, PRIMARY KEY (run, rowid), UNIQUE (run, name));
CREATE TABLE plans (run text COLLATE "C", version integer, body text NOT NULL, PRIMARY KEY (run, version));
CREATE TABLE observations (
    run text COLLATE "C", row integer, state_id text NOT NULL, app text NOT NULL, body bytea NOT NULL, PRIMARY KEY (run, row));
CREATE INDEX looks ON events (run, about, id) WHERE kind = 'observed';
CREATE INDEX kinds ON events (run, kind, id);
CREATE INDEX keys ON events (run, id) WHERE key IS NOT NULL;
"""
_PARTS = """CREATE TABLE parts (run text COLLATE "C", name text COLLATE "C", body bytea NOT NULL, PRIMARY KEY (run, name))"""
"""Of transcripts; a store that was made before there were any gets it, and those who do not know it can go on with the rest."""
_Came = TypeVar("_Came")
OF_A_RUN = ("events", "actions", "approvals", "facts", "plans", "meta", "observations", "parts", "workers", "runs")


class Link:
    """One connection in autocommit mode, to the tables of deskcrew; whoever uses it says BEGIN and COMMIT."""

    patience = PATIENCE
    """Seconds that a server that went away is waited for."""

    def __init__(self, address: str, retries: Retries | None = None) -> None:
        """Raises UsageProblem when the server cannot be reached, or does not let us in."""
        self.address = address
        self._retries = Retries(tries=(retries or Retries()).tries, wait=0.0)
        """How often a server may come back and go away again; it is waited for by `anew`."""
        self.shown = shown_address(address)
        try:
            defaults: dict[str, Any] = {"connect_timeout": "10", "application_name": "deskcrew"} | _SILENCE
            self._parameters = defaults | conninfo_to_dict(address)
            self.connection = self._connected()
        except psycopg.Error as bad:
            raise UsageProblem(f"The store {self.shown} cannot be used: {self.said(bad)}") from None
        try:
            _make_tables(self.connection)
        except psycopg.Error as bad:
            self.close()
            raise UsageProblem(f"The store {self.shown} cannot be used: {self.said(bad)}") from None
        except UsageProblem:
            self.close()
            raise

    def _connected(self) -> psycopg.Connection[Any]:
        made = psycopg.connect(**self._parameters, autocommit=True)
        made.execute(f"SET search_path TO {SCHEMA}")
        made.execute("SET synchronous_commit TO on")  # what is committed is done for good, whatever the server's default
        return made

    def anew(self, bad: psycopg.Error) -> None:
        """Connect again after `bad`. Raises StoreGone when there is no way, or when the connection is not what was wrong."""
        if not (self.connection.closed or _broke(bad)):
            raise self.gone(f"refused a statement: {self.said(bad)}") from None
        self.connection.close()
        until = time.monotonic() + self.patience
        try:
            self.connection = _KNOCKING.trying(_away, enough=lambda _: time.monotonic() > until)(self._connected)
        except psycopg.OperationalError as still:
            raise self.gone(f"did not come back within {self.patience:g} seconds: {self.said(still)}") from None

    def lasting(self, work: Callable[[], _Came], anew: Callable[[psycopg.Error], Any] | None = None) -> _Came:
        """What comes of `work`, which is begun again once the connection is there anew. Raises StoreGone."""

        def again(state: Any) -> None:
            (anew or self.anew)(state.outcome.exception())

        trying = self._retries.trying(lambda bad: isinstance(bad, psycopg.Error)).copy(before_sleep=again)
        try:
            return trying(work)
        except psycopg.Error as bad:
            raise self.gone(f"loses its connection repeatedly: {self.said(bad)}") from None

    def gone(self, why: str) -> StoreGone:
        return StoreGone(f"The store {self.shown} {why}")

    def said(self, bad: psycopg.Error) -> str:
        """The server's words in one line, without anything secret."""
        words = " ".join((bad.diag.message_primary or str(bad) or type(bad).__name__).split())
        return without_addresses(words, self.address)

    def close(self) -> None:
        """Twice is fine."""
        self.connection.close()


@contextmanager
def translated(link: Link) -> Iterator[None]:
    """What goes wrong with the server, as StoreGone."""
    try:
        yield
    except psycopg.Error as bad:
        raise link.gone(f"does not answer: {link.said(bad)}") from None


def _away(bad: BaseException) -> bool:
    return isinstance(bad, psycopg.OperationalError)


def _broke(bad: psycopg.Error) -> bool:
    """Whether it was the connection, or the server as a whole."""
    state = bad.sqlstate or ""
    return isinstance(bad, psycopg.OperationalError) and (not state or state.startswith(("08", "57P")))


def once(connection: psycopg.Connection[Any], made: Callable[[], bool], make: Callable[[], None]) -> None:
    """Make what is not there yet; of several processes one does it, the others wait for it."""
    if made():
        return
    # Tried, not waited for: who waits in a statement holds up the indexes that are made beside running transactions.
    while not only(connection, "SELECT pg_try_advisory_lock(%s)", _GUARD):
        time.sleep(0.05)
    try:
        if not made():
            make()
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (_GUARD,))


def only(connection: psycopg.Connection[Any], statement: str, *values: Any) -> Any:
    """The first value of the first row; None without a row."""
    row = connection.execute(statement, values).fetchone()
    return row[0] if row else None


def _make_tables(connection: psycopg.Connection[Any]) -> None:
    def make() -> None:
        with connection.transaction():
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            connection.execute(_TABLES)
            connection.execute("INSERT INTO store VALUES (%s)", (VERSION,))

    once(connection, lambda: only(connection, "SELECT to_regclass(%s)", f"{SCHEMA}.store") is not None, make)
    version = only(connection, "SELECT version FROM store")
    if version != VERSION:
        raise UsageProblem(
            f"The store has tables of version {version}, and this deskcrew reads {VERSION}; use the deskcrew that made them."
        )
    there = f"{SCHEMA}.parts"
    once(connection, lambda: only(connection, "SELECT to_regclass(%s)", there) is not None, lambda: _add_parts(connection))


def _add_parts(connection: psycopg.Connection[Any]) -> None:
    connection.execute(f"SET search_path TO {SCHEMA}")  # it was set before there was any such schema
    connection.execute(_PARTS)
