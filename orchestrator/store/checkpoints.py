"""Checkpoints on disk: a store that stays small and is written only where a resume needs it.

A GUI action passes ten nodes, and one of them has an effect. What must survive a kill is the cursor in front of that
node, which the journal has; everything between two effects can be worked again. So a checkpoint is written where a role ends
or is stopped, and replaces the one before it.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import WRITES_IDX_MAP, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from protocol.retries import Retries
from protocol.sqlite import fold, logged
from roles.journal.rows import deflated, inflated


class Compact(JsonPlusSerializer):
    """LangGraph's serializer, deflated: its keys repeat themselves."""

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
    """The checkpoints of one run in SQLite, each in the place of the one before it; `path=None` keeps them in memory."""

    def __init__(self, path: Path | None, retries: Retries | None = None) -> None:
        super().__init__(logged(path, retries), serde=strict())
        # A checkpoint and what it replaces are one transaction: LangGraph writes from several threads, and none may end it.
        self._alone = threading.RLock()
        self.setup()

    def close(self) -> None:
        """Fold the write-ahead log in and give the file back. Twice is fine."""
        fold(self.conn)

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        place = config["configurable"]
        with self._alone:
            self._remove(str(place["thread_id"]), str(place.get("checkpoint_ns", "")) or None)
            return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        """Only interrupts and their answers: a node's own writes follow in the next checkpoint."""
        writes = [write for write in writes if write[0] in WRITES_IDX_MAP]
        if writes:
            with self._alone:
                super().put_writes(config, writes, task_id, task_path)

    def _remove(self, thread: str, namespace: str | None) -> None:
        """Take out what the next checkpoint replaces, in its transaction; one of the controller also ends all subgraphs."""
        with self.lock:
            for table in ("checkpoints", "writes"):
                if namespace is None:
                    self.conn.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))  # noqa: S608 - fixed names
                else:
                    where = "thread_id = ? AND checkpoint_ns = ?"
                    self.conn.execute(f"DELETE FROM {table} WHERE {where}", (thread, namespace))  # noqa: S608 - fixed names
