"""Whatever is done, the desktop stays sound: no exception, the same hash in any process, the same world from its store."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warm import Forked
from worlds.effort import at_most

from environments.simulated.apps import APPS as OURS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from orchestrator.settings.layers import shipped_names
from protocol import Action, parse_action

BUSY = """
apps:
  {billing: , reimbursement: {disabled_until_valid: true, submit_seconds: 2}, mail: , notes: , files: , settings: , spreadsheet: ,
   browser: , calendar: , contacts: , chat: , shop: , home: , terminal: , camera: , microphone: }
open: [reimbursement, files]
events:
  - {when: {after_actions: 3, once: false}, popup: {title: Hello, buttons: [Yes, No]}}
  - {when: {app_opened: mail, once: false}, loading: {app: mail, seconds: 2}}
  - {when: {after_actions: 2}, rename: {app: reimbursement, label: Submit, to: Send in}}
  - {when: {clicked: Amount, once: false}, swallow: {label: Employee, times: 3}}
  - {when: {after_actions: 5}, fail: {label: Vendor, after: true}}
  - {when: {at: 6}, mail: {from: a@x.org, subject: Hi}}
"""
KEYS = ("Enter", "Escape", "Tab", "Backspace", "Delete", "Home", "ArrowDown", "ArrowLeft", "PageDown", " ", "x", "F24",
        "Alt+F4", "Alt+Tab", "Control+a", "Control+c", "Control+v", "Control+x", "Control+s", "Meta+d", "Shift+Tab")  # fmt: skip
TEXTS = st.text(max_size=8) | st.sampled_from(["12.50", "a@x.org", "2026-03-01", "line\nbreak", "5\n", "=B2:B9", "=1/0",
                                               "A1", "Summary!B1", "=SUM(A:A)", "ls -l", "intranet/news"])  # fmt: skip
APPS = ("nothing", *OURS)

# A number that the driver below turns into an element of the screen at hand.
PICK = st.integers(0, 400)
MOVES = st.one_of(
    st.builds(lambda n, c: {"action_type": "click", "pick": n, "count": c}, PICK, st.sampled_from([1, 1, 1, 2, 3])),
    st.builds(lambda n, t: {"action_type": "fill", "pick": n, "text": t}, PICK, TEXTS),
    st.builds(lambda n, t, s: {"action_type": "type", "pick": n, "text": t, "submit": s}, PICK, TEXTS, st.booleans()),
    st.builds(lambda t: {"action_type": "type", "text": t}, TEXTS),
    st.builds(lambda k: {"action_type": "press_key", "keys": [k]}, st.sampled_from(KEYS)),
    st.builds(lambda n, k: {"action_type": "press_key", "pick": n, "keys": [k]}, PICK, st.sampled_from(KEYS)),
    st.builds(lambda n, t: {"action_type": "select_option", "pick": n, "option": t}, PICK, TEXTS),
    st.builds(lambda n, m: {"action_type": "drag", "pick": n, "onto": m}, PICK, PICK),
    st.builds(
        lambda d, u: {"action_type": "scroll", "dy": d, "unit": u}, st.integers(-9, 9), st.sampled_from(["notch", "page", "px"])
    ),
    st.builds(lambda a: {"action_type": "launch_app", "app": a}, st.sampled_from(APPS)),
    st.builds(lambda a: {"action_type": "switch_window", "window": a}, st.sampled_from(APPS)),
    st.builds(lambda s: {"action_type": "wait", "seconds": s}, st.sampled_from([0, 0.25, 3])),
    st.just({"action_type": "finish_goal"}),
)


def concrete(move: dict, desktop: SimulatedDesktop) -> Action:
    elements = desktop.observe().elements
    data = dict(move)
    for name, as_name in (("pick", "target"), ("onto", "to")):
        if name in data:
            element = elements[data.pop(name) % len(elements)]
            data[as_name] = {"element_id": element.element_id}
    return parse_action(data)


def run(desktop: SimulatedDesktop, moves: list[dict]) -> list[Action]:
    done = []
    for n, move in enumerate(moves):
        action = concrete(move, desktop)
        desktop.perform(action, key=str(n))
        done.append(action)
    return done


RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@RELAXED
@given(st.lists(MOVES, max_size=25), st.integers(0, 5))
def test_nothing_that_is_done_raises_or_leaves_an_unsound_screen(moves, seed):
    desktop = SimulatedDesktop(parse_world(BUSY, seed=seed))
    for n, move in enumerate(moves):
        action = concrete(move, desktop)
        result = desktop.perform(action, key=str(n))
        assert result.ok == (not result.error)
        state = desktop.observe()
        assert desktop.perform(action, key=str(n)) == result
        assert desktop.observe() == state
        ids = {e.element_id for e in state.elements}
        tracks = {e.track_id for e in state.elements}
        assert len(ids) == len(tracks) == len(state.elements)
        assert sum(e.focused for e in state.elements) <= 1
        assert all(e.parent is None or e.parent in ids for e in state.elements)
        width, height = state.screen_resolution
        assert all(
            0 <= e.bbox.x1 <= e.bbox.x2 <= width and 0 <= e.bbox.y1 <= e.bbox.y2 <= height for e in state.elements if e.visible
        )
    assert len(desktop.received()) == len(moves)
    json.dumps(desktop.world())


@pytest.mark.slow("a large sample")
@RELAXED
@given(moves=st.lists(MOVES, max_size=20))
def test_the_store_gives_back_the_world_as_it_was(moves, tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    spec = parse_world(BUSY, seed=1)
    half = len(moves) // 2
    first = SimulatedDesktop(spec, store=folder)
    done = run(first, moves[:half])
    first.close()
    second = SimulatedDesktop(spec, store=folder)
    for n, move in enumerate(moves[half:], start=half):
        action = concrete(move, second)
        second.perform(action, key=str(n))
        done.append(action)
    memory = SimulatedDesktop(spec)
    for n, action in enumerate(done):
        memory.perform(action, key=str(n))
    assert second.state_hash() == memory.state_hash()
    assert second.received() == memory.received()
    second.close()
    assert SimulatedDesktop(spec, store=folder).state_hash() == memory.state_hash()


REPLAY = """
import hashlib, json, sys
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import parse_action
for world, seed, actions in json.load(sys.stdin):
    spec = parse_world(world, seed=seed) if "\\n" in world else load_world(world, seed).model_copy(update={"events": ()})
    desktop = SimulatedDesktop(spec)
    for n, action in enumerate(actions):
        desktop.perform(parse_action(action), key=str(n))
    print(desktop.state_hash(), desktop.observe().state_id, hashlib.sha256(desktop.screenshot()).hexdigest())
"""


def test_the_hash_is_the_same_in_another_process_in_every_shipped_world():
    jobs, here, worlds = [], [], iter(shipped_names("worlds"))

    @settings(max_examples=50, deadline=None, database=None, derandomize=True)
    @given(st.lists(MOVES, max_size=12), st.integers(0, 9))
    def collect(moves, seed):
        world = next(worlds, BUSY)
        spec = parse_world(BUSY, seed=seed) if world == BUSY else load_world(world, seed).model_copy(update={"events": ()})
        desktop = SimulatedDesktop(spec)
        jobs.append((world, seed, [action.dump() for action in run(desktop, moves)]))
        seen = hashlib.sha256(desktop.screenshot()).hexdigest()
        here.append(f"{desktop.state_hash()} {desktop.observe().state_id} {seen}")

    collect()
    there = subprocess.run(
        [sys.executable, "-c", REPLAY], input=json.dumps(jobs), capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
    )  # fmt: skip
    assert there.stdout.splitlines() == here


WORK = """
import sys
from contextlib import closing
from pathlib import Path
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import ActionTarget, LaunchApp, Type
desktop = SimulatedDesktop(load_world("office", 5), store=Path(sys.argv[1]))
desktop.perform(LaunchApp(app="reimbursement"), key="open")
for n in range(int(sys.argv[2]), 100_000):
    desktop.perform(Type(target=ActionTarget(text="Vendor"), text="x"), key=str(n))
    print(n, flush=True)
"""


def test_a_killed_process_leaves_every_action_whole(tmp_path):
    worker = Forked(["-c", WORK, str(tmp_path), "0"], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    said = [worker.stdout.readline() for _ in range(5)]  # it goes on, and is killed in the middle of what comes next
    os.kill(worker.pid, signal.SIGKILL)
    said += worker.stdout.read().split()
    worker.wait()
    worker.stdout.close()
    desktop = SimulatedDesktop(load_world("office", 5), store=Path(tmp_path))
    typed = len(desktop.world()["apps"]["reimbursement"]["draft"]["vendor"])
    received = desktop.received()
    assert typed == len(received) - 1
    assert typed >= len(said)
    again = desktop.perform(parse_action(received[-1]["action"]), key=received[-1]["key"])
    assert again.ok
    assert len(desktop.world()["apps"]["reimbursement"]["draft"]["vendor"]) == typed
    desktop.close()


def test_a_world_that_an_earlier_version_stored_is_read_without_what_it_no_longer_has(tmp_path):
    desktop = SimulatedDesktop(load_world("office"), store=tmp_path)
    first = desktop.state_hash()
    desktop.close()
    with closing(sqlite3.connect(tmp_path / "world.sqlite")) as db, db:
        db.execute("INSERT INTO state VALUES ('notes', 'past', '', '[]')")
        db.execute("UPDATE meta SET body = json_set(body, '$.seats', json('{}')) WHERE name = 'desk'")
    again = SimulatedDesktop(load_world("office"), store=tmp_path)
    assert again.state_hash() == first
    again.close()


def test_an_action_and_a_look_take_about_a_millisecond(tmp_path):
    desktop = SimulatedDesktop(load_world("office"), store=tmp_path)
    with at_most(4):  # else something is done anew that was cached
        for n in range(200):
            desktop.perform(parse_action({"action_type": "wait"}), key=str(n))
            desktop.observe()
    desktop.close()
