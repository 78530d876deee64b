"""The threads of a graph: each has a world, a journal and policies of its own, which no state and no schema holds."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from orchestrator.errors import UsageProblem
from roles.contracts.context import Context, State, Update
from roles.contracts.nodes import Stage

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}")


class Threads:
    """Gives the context of a thread, made when the thread is first worked.

    With a `store` each thread has a folder there, from which another process goes on; without one its world lives as long as this
    process. `single` says that all contexts would be about one environment, which only one thread can have.
    """

    def __init__(self, make: Callable[[Path | None], Context], store: Path | None = None, *, single: bool = False) -> None:
        self._make, self._store, self._single = make, store, single
        self._contexts: dict[str, Context] = {}
        self._turns: dict[str, int] = {}
        """The last turn of the hub in each thread."""
        self._lock = threading.Lock()

    def __call__(self, thread: str) -> Context:
        with self._lock:
            if thread not in self._contexts:
                if self._single and self._contexts:
                    raise UsageProblem(
                        f"Thread {thread!r} has no world: this crew was given one environment, and thread "
                        f"{next(iter(self._contexts))!r} works it; make a crew for each thread."
                    )
                self._contexts[thread] = self._make(self._folder(thread))
            return self._contexts[thread]

    def __contains__(self, thread: str) -> bool:
        return thread in self._contexts

    def guarding(self, hub: Stage) -> Callable[[str], Stage]:
        """The hub's stage in a thread, which refuses a state that its world has left behind. Raises UsageProblem."""

        def of(thread: str) -> Stage:
            def turn(state: State, ctx: Context) -> Update:
                at = int(state.get("turn", 0))
                self._refuse_unknown(thread, at, ctx)
                self._refuse_past(thread, at, ctx, another=state.get("goal") != state.get("worked_goal"))
                update = hub(state, ctx)
                self._turns[thread] = at + 1
                return update

            return turn

        return of

    def _refuse_unknown(self, thread: str, at: int, ctx: Context) -> None:
        if at and thread not in self._turns and not ctx.journal.recorded(f"hub/{at}/1"):
            where = f"the folder {self._store} has nothing of it" if self._store else "its world was in that process's memory"
            raise UsageProblem(
                f"Thread {thread!r} was worked by another process, and {where}; give both the same crew.graph(store=FOLDER)."
            )

    def _refuse_past(self, thread: str, at: int, ctx: Context, *, another: bool) -> None:
        if self._turns.get(thread, at) > at or ctx.journal.recorded(f"hub/{at + 2}/1"):
            raise UsageProblem(
                f"Thread {thread!r} was taken back to an earlier checkpoint, and its world cannot follow; "
                "start from an earlier step of a run with: deskcrew fork ID --at STEP."
            )
        if another and at and self._store:
            raise UsageProblem(f"Thread {thread!r} is kept in a folder and has its goal; give another goal a thread of its own.")

    def _folder(self, thread: str) -> Path | None:
        if self._store is None:
            return None
        name = thread if _NAME.fullmatch(thread) else blake2b(thread.encode(), digest_size=12).hexdigest()
        folder = self._store / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder
