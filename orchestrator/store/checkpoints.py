"""Checkpoints on disk: a store that stays small and is written only where a resume needs it.

A GUI action passes ten nodes, and one of them has an effect. What must survive a kill is the cursor in front of that
node; everything between two effects can be worked again from the journal. So the cursors of the transient subgraphs are
held in memory and written in front of an effect, with all of the controller's own. Each replaces the one before it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from protocol.retries import Retries
from protocol.sqlite import fold, logged
from roles.journal.rows import deflated, inflated
from roles.operator.graph import DURABLE_BEFORE

DURABLE: Mapping[str, frozenset[str]] = {"operator": DURABLE_BEFORE, "evaluator": frozenset()}
"""The transient subgraphs, with their nodes that need a cursor on disk. A gate is checked again, by what was written of it."""


class Compact(JsonPlusSerializer):
    """LangGraph's serializer, deflated: a cursor is written in front of every action, and its keys repeat themselves."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        return f"z:{kind}", deflated(data)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, body = data
        return super().loads_typed((kind.removeprefix("z:"), inflated(body)) if kind.startswith("z:") else data)


def strict() -> Compact:
    """State is JSON: no type of ours or anyone's is ever imported to read a checkpoint."""
    return Compact(allowed_msgpack_modules=None)


class CursorSaver(SqliteSaver):
    """The checkpoints of one run in SQLite; `path=None` keeps them in memory.

    `durable_before` maps a subgraph's node to the inner nodes that need a cursor on disk.
    """

    def __init__(
        self, path: Path | None, durable_before: Mapping[str, frozenset[str]] = DURABLE, retries: Retries | None = None
    ) -> None:
        super().__init__(logged(path, retries), serde=strict())
        self._durable_before = durable_before
        self._held: dict[tuple[str, str], CheckpointTuple] = {}
        # A cursor and what it replaces are one transaction: LangGraph writes from several threads, and no other write may end it.
        self._alone = threading.RLock()
        self.setup()

    def close(self) -> None:
        """Fold the write-ahead log in and give the file back. Twice is fine."""
        fold(self.conn)

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        place = config["configurable"]
        slot = (str(place["thread_id"]), str(place.get("checkpoint_ns", "")))
        nodes = self._boundary(slot[1])
        if nodes is not None and not any(f"branch:to:{node}" in checkpoint["channel_values"] for node in nodes):
            saved: RunnableConfig = {
                "configurable": {"thread_id": slot[0], "checkpoint_ns": slot[1], "checkpoint_id": checkpoint["id"]}
            }
            self._held[slot] = CheckpointTuple(saved, checkpoint, metadata, None, [])
            return saved
        with self._alone:
            self._held.pop(slot, None)
            self._forget(slot)
            return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """Only interrupts and their answers: a node's own writes follow in the next cursor."""
        writes = [write for write in writes if write[0] in WRITES_IDX_MAP]
        if not writes:
            return
        namespace = str(config["configurable"].get("checkpoint_ns", ""))
        if self._boundary(namespace) is not None:
            self._keep((str(config["configurable"]["thread_id"]), namespace))
        with self._alone:
            super().put_writes(config, writes, task_id, task_path)

    def _keep(self, slot: tuple[str, str]) -> None:
        """What an answer is waited for at must survive this process, whatever node it is."""
        held = self._held.pop(slot, None)
        if held is not None:
            with self._alone:
                self._forget(slot)
                place: RunnableConfig = {"configurable": {"thread_id": slot[0], "checkpoint_ns": slot[1]}}
                super().put(place, held.checkpoint, held.metadata, {})

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        place = config["configurable"]
        held = self._held.get((str(place["thread_id"]), str(place.get("checkpoint_ns", ""))))
        wanted = place.get("checkpoint_id")
        if held is not None and wanted in (None, held.config["configurable"]["checkpoint_id"]):
            return held
        return super().get_tuple(config)

    def _boundary(self, namespace: str) -> frozenset[str] | None:
        """The inner nodes that need a cursor, if `namespace` is that of a transient subgraph."""
        innermost = namespace.rsplit("|", 1)[-1].split(":", 1)[0]
        return self._durable_before.get(innermost)

    def _forget(self, slot: tuple[str, str]) -> None:
        """Take out what the next cursor replaces, in the transaction that puts it in: a controller's also ends all subgraphs."""
        thread, namespace = slot
        if namespace == "":
            self._held.clear()
        self._remove(thread, namespace or None)

    def _remove(self, thread: str, namespace: str | None) -> None:
        with self.lock:
            for table in ("checkpoints", "writes"):
                if namespace is None:
                    self.conn.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))  # noqa: S608 - fixed names
                else:
                    where = "thread_id = ? AND checkpoint_ns = ?"
                    self.conn.execute(f"DELETE FROM {table} WHERE {where}", (thread, namespace))  # noqa: S608 - fixed names
