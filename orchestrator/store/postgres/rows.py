"""A journal's rows in PostgreSQL, beside those of other runs; one process at a time may write those of a run.

Rows are numbered here and sent together when something is read or committed, so that a step costs few round trips. What was
sent and not committed is kept until it is, and sent again when the server was away: a commit counts itself, so that one whose
answer was lost is known. A process that lost its run to another one finds out at its next commit, before its next effect.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import sql

from orchestrator.errors import StoreTaken, UsageProblem
from orchestrator.store.checkpoints import DURABLE, Cursors, strict
from orchestrator.store.postgres.connection import Link, once, only
from roles.journal.events import Event
from roles.journal.rows import NUMBERED, Result, Rows, dumps

_ALL = "__all__"
"""The one channel that is stored. What LangGraph's saver would write of each is one blob here: cursors that are held in memory
never write the channels that they changed, and a text with a zero byte is no JSON to PostgreSQL."""
_Came = TypeVar("_Came")


class _CursorSaver(PostgresSaver):
    """A PostgresSaver that replaces whole cursors, and does again what a server that went away did not do."""

    def __init__(self, link: Link, worker: str) -> None:
        super().__init__(link.connection, serde=strict())
        self._link = link
        self._worker = worker
        self._whole = threading.RLock()
        self._removing: list[tuple[str, str | None]] = []
        """What the next cursor replaces."""

    def setup(self) -> None:
        connection = self._link.connection

        def made() -> bool:
            there = only(connection, "SELECT to_regclass('checkpoint_migrations')") is not None
            return there and only(connection, "SELECT max(v) FROM checkpoint_migrations") == len(self.MIGRATIONS) - 1

        once(connection, made, super().setup)

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        removing, self._removing = self._removing, []
        packed = checkpoint.copy()
        packed["channel_values"] = {_ALL: checkpoint["channel_values"]}
        packed["channel_versions"] = {**checkpoint["channel_versions"], _ALL: checkpoint["id"]}

        def work() -> RunnableConfig:
            with self._link.connection.pipeline(), self._link.connection.transaction():
                ours = self._ours(str(config["configurable"]["thread_id"]))
                for thread, namespace in removing:
                    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                        statement = f"DELETE FROM {table} WHERE thread_id = %s"  # noqa: S608 - fixed names
                        if namespace is None:
                            self._link.connection.execute(statement, (thread,))
                        else:
                            self._link.connection.execute(f"{statement} AND checkpoint_ns = %s", (thread, namespace))
                done = PostgresSaver.put(self, config, packed, metadata, {_ALL: checkpoint["id"]})
                if ours is not None and ours.fetchone() is None:
                    raise StoreTaken(
                        f"Run {config['configurable']['thread_id']} was taken over by another process; this one stops."
                    )
            return done

        return self._lasting(work)

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        self._lasting(lambda: PostgresSaver.put_writes(self, config, writes, task_id, task_path))

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        found = self._lasting(lambda: PostgresSaver.get_tuple(self, config))
        return None if found is None else _unpacked(found)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        yield from map(_unpacked, super().list(config, filter=filter, before=before, limit=limit))

    def _ours(self, run: str) -> psycopg.Cursor[Any] | None:
        """Asks whether the run is still this process's, and keeps it so until the transaction ends."""
        if not self._worker:
            return None
        return self._link.connection.execute(
            "SELECT 1 FROM workers WHERE run = %s AND worker = %s FOR SHARE", (run, self._worker)
        )

    def _lasting(self, work: Callable[[], _Came]) -> _Came:
        with self._whole:
            return self._link.lasting(work, self._renew)

    def _renew(self, bad: psycopg.Error) -> None:
        self._link.anew(bad)
        self.conn = self._link.connection


class PostgresCursors(Cursors, _CursorSaver):
    """The checkpoints of one run in PostgreSQL. `worker` is who has the run, as its rows say."""

    def __init__(self, link: Link, durable_before: Mapping[str, frozenset[str]] = DURABLE, worker: str = "") -> None:
        _CursorSaver.__init__(self, link, worker)
        self._begin(durable_before)
        self.setup()

    def close(self) -> None:
        """Twice is fine."""
        self._link.close()

    def give_up(self, thread: str) -> None:
        self.delete_thread(thread)

    def _remove(self, thread: str, namespace: str | None) -> None:
        self._removing.append((thread, namespace))


def _unpacked(found: CheckpointTuple) -> CheckpointTuple:
    """What was put in, as it was."""
    checkpoint = found.checkpoint.copy()
    versions = dict(checkpoint["channel_versions"])
    if versions.pop(_ALL, None) is None:
        return found
    checkpoint["channel_versions"] = versions
    checkpoint["channel_values"] = checkpoint["channel_values"][_ALL]
    return found._replace(checkpoint=checkpoint)


_PAGE = 2_000
"""Rows that are read at a time."""
_TOGETHER = 200
"""Rows that are sent together at most."""
_LINGERS = 5.0
"""Seconds in which the server notices that a process is no more."""
_ABOUT = {"observed": "app", "step": "attempt", "approval_requested": "key", "approval": "key"}
"""The field of a body that events are looked up by, by kind: a column of its own, because a body may hold what is no JSON to
PostgreSQL (a zero byte, half of a surrogate pair)."""

Statement = tuple[str, tuple[Any, ...]]


class PostgresRows(Rows):
    """Owns a link. With `writing`, the run is this process's until it closes the rows or dies."""

    def __init__(self, link: Link, run: str, *, writing: bool = True) -> None:
        """Raises UsageProblem when another process works this run."""
        literal = sql.Literal(run).as_string(None).replace("%", "%%")
        mine = f"run = {literal}"
        super().__init__(
            {
                **{"own": f"{mine} AND ", "only": f" WHERE {mine}", "run": "run, ", "this": f"{literal}, "},
                **{"app": "about", "key": "about", "of_attempt": "about = CAST(%s AS text)"},
            },
            mark="%s",
        )
        self._link = link
        self._run = run
        self._pending: list[Statement] = []
        """Written, and not sent yet."""
        self._sent: list[Statement] = []
        """Sent in the transaction that is open."""
        self._inserts = {table: self._insert(table, (number, *columns)) for table, (number, columns) in NUMBERED.items()}
        self._inserts["events"] = self._insert("events", ("id", *NUMBERED["events"][1], "about"))
        self.worker = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}" if writing else ""
        """Who has the run, as it stands in the table of workers."""
        self._commits = 0
        self._numbers: dict[str, int] = {}
        if writing:
            try:
                self._take()
            except UsageProblem:
                link.close()
                raise
            self._numbers = {table: self._last(table, number) for table, (number, _) in NUMBERED.items()}

    @staticmethod
    def _insert(table: str, columns: Sequence[str]) -> str:
        return f"INSERT INTO {table} ({{run}}{', '.join(columns)}) VALUES ({{this}}{', '.join('?' * len(columns))})"  # noqa: S608

    def _last(self, table: str, number: str) -> int:
        return int(self.read(f"SELECT coalesce(max({number}), 0) FROM {table}{{only}}").fetchone()[0])  # noqa: S608 - fixed names

    def _take(self) -> None:
        """The run is ours from here on. Raises UsageProblem when another process has it."""
        if not self._hold():
            host, _, process = (self._worker() or "?:?").rpartition(":")[0].rpartition(":")
            raise UsageProblem(f"Run {self._run} is worked by process {process} on {host}; stop it there first, or wait for it.")
        ours = "ON CONFLICT (run) DO UPDATE SET worker = excluded.worker, commits = 0"
        self._link.connection.execute(f"INSERT INTO workers VALUES (%s, %s, 0) {ours}", (self._run, self.worker))  # noqa: S608

    def _hold(self) -> bool:
        """Hold the run's lock, which the server lets go when this process is gone; False when another one has it."""
        lock = int.from_bytes(hashlib.sha256(f"deskcrew {self._run}".encode()).digest()[:8], signed=True)
        until = time.monotonic() + _LINGERS
        while not only(self._link.connection, "SELECT pg_try_advisory_lock(%s)", lock):
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def _worker(self) -> str | None:
        found = only(self._link.connection, "SELECT worker FROM workers WHERE run = %s", self._run)
        return None if found is None else str(found)

    def _again(self, bad: psycopg.Error) -> bool:
        """Connect again and take up what was not committed. True when it turns out that it was."""
        commits = self._reconnected(bad)
        self._pending[:0] = self._sent
        self._sent.clear()
        return bool(commits >= self._commits)

    def _reconnected(self, bad: psycopg.Error) -> int:
        """Connect again; returns how many commits there are. Raises StoreTaken when the run is ours no more."""
        self._link.anew(bad)
        return self._link.lasting(self._counted)

    def _counted(self) -> int:
        if not self.worker:
            return 0
        held = self._hold()
        statement = "SELECT worker, commits FROM workers WHERE run = %s"
        worker, commits = self._link.connection.execute(statement, (self._run,)).fetchone() or ("", 0)
        if worker != self.worker:
            raise self._taken()
        if not held:
            raise self._link.gone("still holds the run for the connection that broke")
        return int(commits)

    def _taken(self) -> StoreTaken:
        self._pending.clear()
        self._sent.clear()
        return StoreTaken(f"Run {self._run} was taken over by another process; this one stops.")

    def read(self, statement: str, *values: Any) -> Result:
        return self._said(self._texts[statement], values)

    def write(self, statement: str, *values: Any) -> None:
        self._pending.append((self._texts[statement], _storable(values)))

    def changed(self, statement: str, *values: Any) -> int:
        return self._said(self._texts[statement], values, writes=True).rowcount

    def append(self, table: str, *values: Any) -> int:
        number = self._numbers[table] = self._numbers[table] + 1
        self.write(self._inserts[table], number, *values)
        if len(self._pending) >= _TOGETHER:
            self._said("SELECT 1")
        return number

    def _said(self, text: str, values: tuple[Any, ...] = (), *, writes: bool = False) -> psycopg.Cursor[Any]:
        """Send what was written and one statement more, and return what that came to."""
        values = _storable(values)
        found = self._link.lasting(lambda: self._sent_with(text, values, begin=writes), self._again)
        if writes:
            self._sent.append((text, values))
        return found

    def _sent_with(self, text: str, values: tuple[Any, ...], *, begin: bool) -> psycopg.Cursor[Any]:
        """Everything that was written, in a transaction, and the statement behind it, in one round trip."""
        connection = self._link.connection
        if not self._pending and (self._sent or not begin):
            return connection.execute(text, values)
        with connection.pipeline():
            if not self._sent:
                connection.execute("BEGIN")
            for written in self._pending:
                connection.execute(*written)
            found = connection.execute(text, values)
        self._sent += self._pending
        self._pending.clear()
        return found

    def commit(self) -> None:
        """Make everything so far survive a kill, here and on the server. Raises StoreTaken when the run is ours no more."""
        if not self._pending and not self._sent:
            return
        self._commits += 1
        counted = "UPDATE workers SET commits = %s WHERE run = %s AND worker = %s"
        known = False

        def again(bad: psycopg.Error) -> None:
            nonlocal known
            known = self._again(bad)

        def send() -> None:
            if known:
                return
            if not self._sent_with(counted, (self._commits, self._run, self.worker), begin=True).rowcount:
                self._link.connection.execute("ROLLBACK")
                raise self._taken()
            self._link.connection.execute("COMMIT")

        self._link.lasting(send, again)
        self._sent.clear()
        self._pending.clear()

    def hurry(self) -> None:
        self._link.patience = 0.0

    def close(self) -> None:
        """Commit and give the run back. Twice is fine."""
        try:
            if not self._link.connection.closed:
                self.commit()
        finally:
            self._link.close()

    def add_event(
        self, at: float, kind: str, role: str, subtask: str, step: int, key: str | None, body: Mapping[str, Any]
    ) -> int:
        field = body.get(_ABOUT.get(kind, ""))
        about = None if field is None else str(field)
        return self.append("events", at, kind, role, subtask, step, key, dumps(body), about)

    def events(self, kinds: Sequence[str], after: int) -> Iterator[Event]:
        where = f" AND kind IN ({','.join('?' * len(kinds))})" if kinds else ""
        select = "SELECT id, at, kind, role, subtask, step, body FROM events WHERE {own}id > ?"
        statement = f"{select}{where} ORDER BY id LIMIT {_PAGE}"
        while page := self.read(statement, after, *kinds).fetchall():
            yield from map(Event.of, page)
            after = page[-1][0]


def _storable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """A text of PostgreSQL has no zero byte."""
    return tuple(value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value for value in values)
