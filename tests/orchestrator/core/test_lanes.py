"""Lanes by themselves: nobody waits for ever, many conflicts lead to series, and a kill changes nothing."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Run, decide, desktop, planned, subtask

from orchestrator.core.controller import build_controller
from orchestrator.core.hub_line import HubLine
from orchestrator.core.lanes import ANY, MOST_CONFLICTS, Lane, Lanes, clash
from orchestrator.store.checkpoints import CursorSaver
from protocol import ActionTarget, Fill, LaunchApp, Wait
from roles.contracts.limits import Limits
from roles.journal.journal import Journal
from roles.operator.graph import DURABLE_BEFORE

WORLD = "name: three\napps: {reimbursement: {}, notes: {}, contacts: {}}\nopen: [reimbursement]\n"
APPS = ["reimbursement", "notes", "contacts", "mail"]


def lanes_of(*open_: Lane, conflicts: int = 0) -> Lanes:
    return Lanes({"open": [asdict(lane) for lane in open_], "conflicts": conflicts}, desktop(world=WORLD), 4)


def lane(number: int, *apps: str, **more: Any) -> Lane:
    return Lane(f"s{number}", "", str(number), number, float(number), list(apps), **more)


def test_any_window_clashes_with_every_window_and_with_none_where_there_is_none() -> None:
    assert clash(frozenset({ANY}), frozenset({"notes"}))
    assert not clash(frozenset({ANY}), frozenset())
    assert not clash(frozenset({"mail"}), frozenset({"notes"}))


@given(st.data())
def test_somebody_can_always_work_and_no_window_is_held_twice(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    wants = [data.draw(st.sampled_from(["", *APPS])) for _ in range(count)]
    lanes = lanes_of(*(lane(n, APPS[n], waits_for=want if want != APPS[n] else "") for n, want in enumerate(wants)))
    for _ in range(20):
        gave = lanes.settle()
        able = [one for one in lanes.open if not one.waits_for and one.holds]
        assert able or not lanes.open
        assert len(gave) <= count
        held = [app for one in lanes.open for app in one.locks]
        assert len(held) == len(set(held))
        if not lanes.open:
            break
        lanes.end(able[0].subtask)
    assert not lanes.open


def test_of_three_that_wait_in_a_circle_only_the_youngest_gives_way() -> None:
    lanes = lanes_of(
        lane(1, "notes", waits_for="contacts"), lane(2, "contacts", waits_for="mail"), lane(3, "mail", waits_for="notes")
    )
    assert [(one.subtask, other.subtask) for one, other in lanes.settle()] == [("s3", "s1")]
    assert [one.subtask for one in lanes.open if not one.waits_for] == ["s2"]


def test_after_many_conflicts_the_oldest_lane_goes_on_alone() -> None:
    lanes = lanes_of(lane(2, "notes"), lane(1, "contacts"), conflicts=MOST_CONFLICTS)
    plan = [subtask("s2", app="notes"), subtask("s1", app="contacts"), subtask("s3", app="reimbursement")]
    lanes.start()
    assert lanes.admit(plan) == []
    taken = lanes.take(plan, None)
    assert taken.subtask == "s1"
    assert {"slice", "locks"}.isdisjoint(lanes.task(taken, 0))


# --- kills ------------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it."""


ONE = [decide(LaunchApp(app="reimbursement")), decide(LaunchApp(app="notes")), decide(LaunchApp(app="contacts"))]
OTHER = [decide(LaunchApp(app="notes")), decide(LaunchApp(app="reimbursement"))]
THIRD = [decide(LaunchApp(app="contacts")), decide(Wait(seconds=2))]
LAST = [decide(LaunchApp(app="reimbursement")), decide(Fill(target=ActionTarget(text="Amount"), text="$5.00"))]
LINES = {"a": ONE, "b": OTHER, "c": THIRD, "d": LAST}
PLAN = planned(
    subtask("a", app="reimbursement"),
    subtask("b", app="notes"),
    subtask("c", app="contacts"),
    subtask("d", "a", "b", "c", app="reimbursement"),
)


class Stored(Run):
    """A run whose world, journal and checkpoints are files; opened anew it goes on."""

    def __init__(self, folder: Path, fatal: int = 0) -> None:
        self.folder, self.fatal, self.heard = folder, fatal, 0
        super().__init__([PLAN], LINES, desk=desktop(world=WORLD, store=folder), limits=Limits(parallel=3), listener=self.hear)
        self.journal = Journal(folder / "journal.sqlite", time.time, None, self.hear)
        line = HubLine(self.journal, self.limits)
        self.context = self.context.with_(journal=self.journal, line=line)
        self.saver = CursorSaver(folder / "checkpoints.sqlite", {"operator": DURABLE_BEFORE})
        self.graph = build_controller(checkpointer=self.saver)

    def hear(self, event: Any) -> None:
        self.heard += 1
        if self.heard == self.fatal:
            raise Killed

    def work(self) -> None:
        known = self.graph.get_state(self.config)
        begin = None if known.values or known.next else {"goal": "do it"}
        self.result = self.graph.invoke(begin, self.config, context=self.context, durability="sync")

    def die(self) -> None:
        """What was not committed is lost."""
        for connection in (self.journal.rows.connection, self.saver.conn):
            connection.rollback()
            connection.close()
        self.desk.close()

    def told(self) -> Any:
        received = [(item["key"].partition("/")[2], item["action"]) for item in self.desk.received()]
        conflicts = [(body["subtasks"], body["resolution"]) for body in self.bodies("conflict")]
        return self.desk.state_hash(), received, conflicts, self.status


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, int]:
    run = Stored(tmp_path_factory.mktemp("whole"))
    run.work()
    told, heard = run.told(), run.heard
    run.die()
    assert told[3] == "fulfilled"
    assert {resolution for _, resolution in told[2]} == {"it waits", "both wait: the younger gives its windows up"}
    return told, heard


@pytest.mark.parametrize("part", range(6))
def test_killed_among_lanes_that_wait_for_each_other_a_run_ends_in_the_same_world(
    part: int, whole: tuple[Any, int], tmp_path: Path
) -> None:
    expected, events = whole
    run = Stored(tmp_path, fatal=1 + (part * (events - 1)) // 5)
    with pytest.raises(Killed):
        run.work()
    run.die()
    again = Stored(tmp_path)
    again.work()
    assert again.told() == expected
    again.die()
