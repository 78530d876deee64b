"""Subtasks that are worked side by side, one turn of each after the other: who works next, at which seat, with which locks.

A lane is a subtask that has begun. It holds the windows that it works in, and gives them back when it ends; another lane that
wants one of them waits. All of it is plain JSON in the controller's state, so that a killed run goes on with the same lanes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from environments.contract import AppCatalog, Environment, Files, Seats
from roles.contracts import Subtask
from roles.contracts.signals import SubtaskStatus

ANY = "*"
"""The lock of a worker of whom nobody knows in which windows it will work."""
MOST_CONFLICTS = 24
"""After so many the lanes that there are go on one after the other: independent subtasks do not meet this often."""


@dataclass
class Lane:
    """A subtask at work. `apps` are those whose windows it works in, locked as long as it `holds` them."""

    subtask: str
    work: str
    """Digest of what is to be done: another plan may say something else under the same id."""
    seat: str
    began: int
    """The number of the lane: of two lanes the one with the larger is the younger."""
    time: float
    apps: list[str]
    holds: bool = True
    waits_for: str = ""
    base: int | None = None
    """Steps of the run when its worker began without a break: what a stall is told by."""
    since_gate: int = 0
    carry: dict[str, Any] = field(default_factory=dict)
    beside: list[str] = field(default_factory=list)
    """Every subtask that was at work while it was."""

    @property
    def locks(self) -> frozenset[str]:
        return frozenset(self.apps if self.holds else ())

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset((*self.apps, *((self.waits_for,) if self.waits_for else ())))


def apps_of(subtask: Subtask, environment: Environment) -> frozenset[str]:
    """The apps in whose windows a subtask is worked, and those that share their things: an Analyst works in none."""
    if subtask.worker == "analyst":
        return frozenset()
    if subtask.worker == "operator":
        return with_shared([subtask.app], environment) if subtask.app else frozenset({ANY})
    tree = environment.files() if isinstance(environment, Files) else None
    return with_shared([tree.app], environment) if tree is not None and tree.app is not None else frozenset()


def with_shared(apps: Iterable[str], environment: Environment) -> frozenset[str]:
    """The apps, and every other that works on the same things."""
    given = frozenset(apps)
    infos = environment.apps() if isinstance(environment, AppCatalog) else ()
    holder = {info.app: info.shares or info.app for info in infos}
    holders = {holder.get(app, app) for app in given}
    return given | {app for app, held in holder.items() if held in holders}


def clash(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two lanes would work in one window."""
    return bool(some and others) and (ANY in some | others or bool(some & others))


def work_of(subtask: Subtask) -> str:
    body = repr((subtask.instruction, subtask.app, subtask.worker))
    return hashlib.blake2b(body.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def ready(subtasks: Sequence[Subtask]) -> list[Subtask]:
    """Those whose dependencies are all fulfilled, in the order of the plan."""
    fulfilled = {s.id for s in subtasks if s.status is SubtaskStatus.FULFILLED}
    waiting = [s for s in subtasks if s.status in {SubtaskStatus.PENDING, SubtaskStatus.READY}]
    return [s for s in waiting if fulfilled.issuperset(s.depends_on)]


class Lanes:
    """The lanes of a run, at most `most` at once; with one there is nothing to decide, and nothing is kept."""

    def __init__(self, kept: Mapping[str, Any], environment: Environment, most: int) -> None:
        self._environment = environment
        self._seats = environment if most > 1 and isinstance(environment, Seats) else None
        self.most = most if self._seats is not None else 1
        self.open = [Lane(**lane) for lane in kept.get("open", ())]
        self._last: dict[str, str] = dict(kept.get("last", {}))
        """Which subtask was worked last at each seat."""
        self._began = int(kept.get("began", 0))
        self._now = float(kept.get("now", 0.0))
        """How far the time had come for the lane that reported last: nothing new begins before."""
        self.conflicts = int(kept.get("conflicts", 0))

    def dump(self) -> dict[str, Any]:
        if self._seats is None:
            return {}
        lanes = [asdict(lane) for lane in self.open]
        return {"open": lanes, "last": self._last, "began": self._began, "now": self._now, "conflicts": self.conflicts}

    @property
    def several(self) -> bool:
        """Whether subtasks may be worked side by side here."""
        return self._seats is not None

    @property
    def in_series(self) -> bool:
        return self.conflicts >= MOST_CONFLICTS

    def of(self, subtask: str | None) -> Lane | None:
        return next((lane for lane in self.open if lane.subtask == subtask), None)

    def start(self) -> None:
        """Make the seats, all at the same time."""
        if self._seats is not None:
            for seat in (*self._names(), "1"):
                self._seats.seat(seat)
            self._now = max(self._seats.seats().values())

    def finish(self) -> None:
        self.open = []
        if self._seats is not None:
            self._seats.seat("")

    def reported(self, subtask: str | None, carry: Mapping[str, Any], *, yielded: bool) -> Lane | None:
        """A worker's turn is over: how late it is for its lane, where it worked, and whether it waits for another's window.

        Gives the lane that has what it waits for.
        """
        lane = self.of(subtask)
        if lane is None or self._seats is None:
            return None
        lane.time = self._now = self._seats.seats()[lane.seat]
        lane.apps = sorted({*lane.apps, *with_shared(carry.get("touched", ()), self._environment)})
        lane.base = lane.base if yielded else None
        lane.waits_for = str(carry.get("waits_for", ""))
        if not lane.waits_for:
            return None
        self.conflicts += 1
        return self._blocker(lane)

    def park(self, subtask: str | None, since_gate: int, carry: dict[str, Any]) -> None:
        if (lane := self.of(subtask)) is not None:
            lane.since_gate, lane.carry = since_gate, carry

    def end(self, subtask: str) -> None:
        """The subtask is fulfilled or rejected: its windows are free."""
        if (lane := self.of(subtask)) is not None:
            self._last[lane.seat] = lane.subtask
            self.open.remove(lane)

    def keep(self, plan: Sequence[Subtask]) -> list[str]:
        """What another plan leaves as it was goes on. Gives the subtasks that are still in the plan, but have to begin anew."""
        able = {s.id: work_of(s) for s in ready(plan)}
        planned = {s.id for s in plan if s.status is SubtaskStatus.PENDING}
        lost = [lane.subtask for lane in self.open if able.get(lane.subtask) != lane.work]
        for name in lost:
            self.end(name)
        return [name for name in lost if name in planned]

    def settle(self) -> list[tuple[Lane, Lane]]:
        """Give windows that are free to who waits for them. Of lanes that wait for each other the youngest gives its own up.

        Gives each that did, with the one that it waits for then.
        """
        gave: list[tuple[Lane, Lane]] = []
        while True:
            for lane in self.open:
                if (lane.waits_for or not lane.holds) and self._blocker(lane) is None:
                    lane.apps, lane.holds, lane.waits_for = sorted(lane.wanted), True, ""
            ring = self._ring()
            if not ring:
                return gave
            youngest = max(ring, key=lambda lane: lane.began)
            youngest.holds = False
            blocker = self._blocker(youngest)
            assert blocker is not None, "it waits, and what it waits for is held"  # noqa: S101 - an invariant
            gave.append((youngest, blocker))

    def admit(self, plan: Sequence[Subtask]) -> list[Subtask]:
        """Begin what can be begun beside the lanes that there are."""
        begun = []
        for subtask in ready(plan):
            if len(self.open) >= (1 if self.in_series else self.most):
                break
            apps = apps_of(subtask, self._environment)
            if self.of(subtask.id) is None and not any(clash(apps, lane.wanted) for lane in self.open):
                self._begin(subtask, apps)
                begun.append(subtask)
        return begun

    def take(self, plan: Sequence[Subtask], going_on: str | None) -> Lane:
        """Take the seat of the lane whose time is least, in doubt the first of the plan; or go on with that of `going_on`."""
        assert self._seats is not None, "there are no lanes without seats"  # noqa: S101 - an invariant
        order = {subtask.id: place for place, subtask in enumerate(plan)}
        able = [lane for lane in self.open if not lane.waits_for and lane.holds]
        chosen = self.of(going_on) or min(able, key=lambda lane: (lane.time, order[lane.subtask]))
        if self.in_series:
            chosen = self.of(going_on) or min(able, key=lambda lane: lane.began)
        self._seats.seat(chosen.seat, since=chosen.time)
        return chosen

    def task(self, lane: Lane, steps: int) -> dict[str, Any]:
        """What its worker is told beside the subtask."""
        lane.base = steps if lane.base is None else lane.base
        told: dict[str, Any] = {"base": lane.base, "beside": lane.beside}
        others = [other for other in self.open if other is not lane]
        if not others or self.in_series:
            return told
        return told | {"slice": 1, "locks": {app: other.subtask for other in others for app in sorted(other.locks)}}

    def _begin(self, subtask: Subtask, apps: frozenset[str]) -> None:
        assert self._seats is not None, "there are no lanes without seats"  # noqa: S101 - an invariant
        times, used = self._seats.seats(), {lane.seat for lane in self.open}
        free = [name for name in self._names() if name not in used]
        # Where a dependency was worked, its clipboard lies.
        seat = min(free, key=lambda n: (max(times[n], self._now), self._last.get(n) not in subtask.depends_on, int(n)))
        self._began += 1
        lane = Lane(subtask.id, work_of(subtask), seat, self._began, max(times[seat], self._now), sorted(apps))
        for other in self.open:
            other.beside = [*other.beside, subtask.id]
        lane.beside = [other.subtask for other in self.open]
        self.open.append(lane)

    def _names(self) -> list[str]:
        return [str(number) for number in range(1, self.most + 1)]

    def _blocker(self, lane: Lane) -> Lane | None:
        return next((o for o in self.open if o is not lane and clash(lane.wanted, o.locks)), None)

    def _ring(self) -> list[Lane]:
        """Lanes that wait for each other in a circle; none if there is no circle."""
        for start in self.open:
            path = [start]
            while path[-1].waits_for or not path[-1].holds:
                blocker = self._blocker(path[-1])
                if blocker is None:
                    break
                if blocker in path:
                    return path[path.index(blocker) :]
                path.append(blocker)
        return []
