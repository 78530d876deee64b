"""Checkpoints in PostgreSQL, in the tables of langgraph-checkpoint-postgres beside those of the journal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres import PostgresSaver

from orchestrator.errors import StoreTaken
from orchestrator.store.checkpoints import Cursors, strict
from orchestrator.store.postgres.connection import Link, once, only

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
                    self._take_out(thread, namespace)
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

    def _take_out(self, thread: str, namespace: str | None) -> None:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            statement = f"DELETE FROM {table} WHERE thread_id = %s"  # noqa: S608 - fixed names
            if namespace is None:
                self._link.connection.execute(statement, (thread,))
            else:
                self._link.connection.execute(f"{statement} AND checkpoint_ns = %s", (thread, namespace))

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

    def __init__(self, link: Link, durable_before: Mapping[str, frozenset[str]], worker: str = "") -> None:
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
