"""The crew's side of control: at each safe point it looks once, writes down what was asked of it, and holds still if it must."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Any

from langgraph.types import interrupt

from orchestrator.control.channel import Channel, GivenAnswer, Request
from orchestrator.control.lease import CREW, CREW_PAUSED, CREW_WAITS, Lease, LeaseLost, told
from roles.contracts.policies import Note, SteeringInput
from roles.contracts.requests import Request as Asking
from roles.journal import events as journal
from roles.journal.journal import Journal

CTRL_C, SIGTERM = "Ctrl-C", "SIGTERM"


class Stop:
    """A wish to stop that the crew hears at its next safe point. Set from signal handlers, so it is one assignment."""

    def __init__(self) -> None:
        self.who = ""
        """What asked for it; empty while nothing has."""
        self.at_rest = False
        """Nothing is under way, a person is asked something: there is no safe point to wait for."""
        self.told: Callable[[], None] = lambda: None
        """Says that Ctrl-C was pressed once."""


@contextmanager
def heeding(stop: Stop, told: Callable[[], None]) -> Iterator[None]:
    """Turn signals into the wish to stop; `told` is called when Ctrl-C was pressed once. Only the main thread can do this."""
    stop.told = told

    def interrupted(number: int, frame: FrameType | None) -> None:
        first = not stop.who
        stop.who = stop.who or CTRL_C
        if stop.at_rest or not first:
            raise KeyboardInterrupt
        told()

    def ended(number: int, frame: FrameType | None) -> None:
        stop.who = SIGTERM
        if stop.at_rest:
            raise KeyboardInterrupt

    before = {signal.SIGINT: signal.signal(signal.SIGINT, interrupted), signal.SIGTERM: signal.signal(signal.SIGTERM, ended)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


PAUSED, BY_HAND = "paused", "taken_over"
CONTROL = "control"
"""The kind of the interrupt by which a graph holds still; nobody has to answer it."""
_META = "control"
_KEPT = 12
"""Notes that the crew is told of: the last ones."""
_LOOK_AGAIN = 0.1
"""Seconds between two looks while holding still in a process that must stay."""


class Controls(SteeringInput):
    """What people beside the run have said and done, kept in the journal. Is the `Say` of the run's roles."""

    def __init__(
        self,
        journal: Journal,
        channel: Channel,
        lease: Lease,
        run_id: str,
        *,
        stop: Stop | None = None,
        stays: bool = False,
        resting: Callable[[], AbstractContextManager[None]] | None = None,
    ) -> None:
        """`stays` where the environment would be gone with this process: then it holds still without ending."""
        self._journal = journal
        self._channel = channel
        self._lease = lease
        self._run_id = run_id
        self.stop = stop or Stop()
        self._stays = stays
        self._resting = resting
        kept = journal.meta(_META) or {}
        self._taken = int(kept.get("taken", 0))
        self._turns = int(kept.get("turns", 0))
        self._heard = int(kept.get("heard", 0))
        self._planned = int(kept.get("planned", 0))
        self._last_step = int(kept.get("by_hand", 0))
        self._notes = [Note.model_validate(note) for note in kept.get("notes", ())]
        self.standing: dict[str, str] = dict(kept.get("standing", {}))
        """`{"state": "paused" or "taken_over", "who": ...}`; empty while the crew may work."""

        self.handed_back = ""
        """Who has handed the run back since it was opened."""

    def safe_point(self) -> None:
        self.look()
        if self.stop.who and not self.standing:
            self._stand(PAUSED, self.stop.who)
        if not self.standing:
            return
        if self._stays and self.stop.who != SIGTERM:
            # Hold still here until somebody lets the crew go on: what the environment shows goes with this process
            with self._resting() if self._resting is not None else nullcontext():
                while self.standing:
                    self._channel.now_doing(self._lease.token, CREW_PAUSED if self.standing["state"] == PAUSED else CREW_WAITS)
                    time.sleep(_LOOK_AGAIN)
                    self.look()
                    if self.stop.who == SIGTERM:
                        interrupt({"kind": CONTROL, **self.standing})
            self._channel.now_doing(self._lease.token, CREW)
            self.stop.who = ""
        else:
            interrupt({"kind": CONTROL, **self.standing})

    def mark(self) -> dict[str, int]:
        found = {"turns": self._turns, "heard": self._heard}
        return {name: number for name, number in found.items() if number}

    def by_hand(self) -> int:
        return self._last_step

    def notes(self, role: str) -> tuple[Note, ...]:
        return tuple(note for note in self._notes if note.to in {"crew", role})

    def unplanned(self) -> str:
        if self._planned == self._heard:
            return ""
        fresh = [note for note in self._notes[-(self._heard - self._planned) :] if note.for_plans]
        return f'the user said: "{"; ".join(note.words for note in fresh)}"' if fresh else ""

    def planned(self) -> None:
        if self._planned != self._heard:
            self._planned = self._heard
            self._keep()

    def given(self, request: Asking) -> GivenAnswer | None:
        """What somebody has answered from outside of this process."""
        return self._channel.given(request.asking)

    def answered(self, request: Asking, answer: dict[str, Any], who: str) -> GivenAnswer:
        """The answer that counts: this one, or the one that somebody gave before."""
        return self._channel.answer(request.asking, answer, who)

    def withdraw(self, request: Asking) -> None:
        """The same may be asked again later, and wants an answer of its own then."""
        self._channel.withdraw(request.asking)

    def asked_to_stop(self) -> str:
        """Who wants the run to stop, in words, and to what end. Takes nothing in; empty where nobody does."""
        for request in self._channel.look(self._taken).requests:
            if request.kind in _STOPS:
                return f"{request.who} {_STOPS[request.kind]}"
        return ""

    def look(self) -> None:
        """Take in what is new. Raises LeaseLost."""
        seen = self._channel.look(self._taken)
        if seen.token != self._lease.token:
            other = self._channel.holder()
            whom = told(other) if other else "nobody"
            raise LeaseLost(f"Run {self._run_id} is now worked by {whom}; this process stops before its next action.")
        for request in seen.requests:
            self._take(request)
        if seen.requests:
            self._channel.mark_taken(self._taken)

    def begin(self) -> None:
        """The run is taken up: what was asked of it while nobody worked it, and of whoever did before, is heard first.

        To go on is the newer wish than an earlier pause; hands in the run, and a cancel, are heeded.
        """
        if self._channel.lost:
            self._journal.record(journal.ErrorEvent(message=self._channel.lost), role="controller")
        seen = self._channel.look(self._taken)
        for request in seen.requests:
            if request.kind != "pause":
                self._take(request)
        self._taken = max([self._taken, *(request.id for request in seen.requests)])
        if self.standing.get("state") == PAUSED:
            self.standing = {}
        self._keep()
        self._channel.mark_taken(self._taken)

    def _take(self, request: Request) -> None:
        handle = _KINDS.get(request.kind)
        if handle is not None:
            handle(self, request)
        self._taken = request.id
        self._keep()

    def _pause(self, request: Request) -> None:
        if not self.standing:
            self._stand(PAUSED, request.who, request.id)

    def _resume(self, request: Request) -> None:
        if self.standing.get("state") == PAUSED:
            self.standing = {}
            self._record(journal.RunResumedEvent(who=request.who), request.id)

    def _cancel(self, request: Request) -> None:
        if not self.cancelled():
            why = str(request.body.get("why", ""))
            self._record(journal.CancelledEvent(who=request.who, why=why), request.id)
            said = f"the run was cancelled by {request.who}" + (f": {why}" if why else "")
            self._journal.set_meta("cancelled", self._journal.masked({"said": said})["said"])
        self.standing = {}

    def _steer(self, request: Request) -> None:
        self._hear(Note(words=str(request.body["words"]), to=request.body.get("to", "crew"), who=request.who), request.id)

    def _hear(self, note: Note, number: int) -> None:
        said = journal.SteeredEvent(words=note.words, to=note.to, who=note.who)
        self._record(said, number)
        self._notes = [*self._notes, Note.model_validate(self._journal.masked(said.body()))][-_KEPT:]
        self._heard += 1

    def _take_over(self, request: Request) -> None:
        if self.standing.get("state") != BY_HAND:
            self._turns += 1
            self._stand(BY_HAND, request.who, request.id)

    def _hand_back(self, request: Request) -> None:
        if self.standing.get("state") != BY_HAND:
            return
        self.standing = {}
        self._turns += 1
        self.handed_back = request.who
        if words := str(request.body.get("say", "")):
            self._hear(Note(words=words, who=request.who), request.id)
        steps = int(self._journal.meta("by_hand_steps") or 0)
        self._record(journal.HandedBackEvent(who=request.who, steps=steps), request.id)
        self._journal.set_meta("by_hand_steps", 0)

    def _stand(self, state: str, who: str, number: int = 0) -> None:
        self.standing = {"state": state, "who": who}
        self._record(journal.PausedEvent(who=who) if state == PAUSED else journal.TakenOverEvent(who=who), number)
        self._keep()

    def did(self, step: int) -> None:
        """A person has done this step by hand."""
        self._last_step = step
        self._journal.set_meta("by_hand_steps", int(self._journal.meta("by_hand_steps") or 0) + 1)
        self._keep()

    def cancelled(self) -> str:
        """By whom and why the run was called off; empty where it was not."""
        return str(self._journal.meta("cancelled") or "")

    def _record(self, event: journal.JournalEvent, number: int) -> None:
        self._journal.record(event, role="user", key=f"control/{number}/{event.KIND}" if number else "")

    def _keep(self) -> None:
        kept = {
            **{"taken": self._taken, "turns": self._turns, "heard": self._heard, "planned": self._planned},
            **{"by_hand": self._last_step, "standing": self.standing},
            "notes": [note.model_dump(mode="json") for note in self._notes],
        }
        self._journal.set_meta(_META, kept)


_KINDS: dict[str, Callable[[Controls, Request], None]] = {
    "pause": Controls._pause,
    "resume": Controls._resume,
    "cancel": Controls._cancel,
    "steer": Controls._steer,
    "takeover": Controls._take_over,
    "handback": Controls._hand_back,
}
_STOPS = {"pause": "lets the run pause", "cancel": "ends the run", "takeover": "takes the run over"}
