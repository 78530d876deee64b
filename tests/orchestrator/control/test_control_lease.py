"""A run is worked by one process at a time, and a dead one keeps nobody out."""

import multiprocessing
import multiprocessing.synchronize
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from controlled import FORM, events, working
from waiting import until

from orchestrator.control.channel import Channel, Holder
from orchestrator.control.lease import CREW, LeaseHeld, LeaseLost, LeaseTerms, held, is_dead, machine, take_lease, works
from orchestrator.control.lease import started as began

QUICK = LeaseTerms(beat=0.05, stale=0.5)
HOLDS = """
import sys, time
from pathlib import Path
from orchestrator.control.lease import held
with held(Path(sys.argv[1]), "r1"):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Channel]:
    with closing(Channel(tmp_path)) as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the run."""
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def holder(**changes: object) -> Holder:
    now = time.time()
    mine = Holder("t", CREW, "here", machine(), os.getpid(), began(os.getpid()) or "", now, 0, now)
    return mine._replace(**changes)  # type: ignore[arg-type]


def put(channel: Channel, there: Holder) -> None:
    assert channel.hold(there, lambda _: False) is None


def test_a_run_that_another_process_works_is_refused_with_its_name(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    with pytest.raises(LeaseHeld) as refused, held(tmp_path, "r1"):
        pass
    said = str(refused.value)
    assert f"process {other.pid} on " in said
    assert "the crew" in said
    assert "deskcrew pause r1" in said
    assert other.poll() is None


@pytest.mark.parametrize("reaped", [True, False])
def test_the_lease_of_a_killed_process_is_taken_over_at_once(tmp_path: Path, other: subprocess.Popen[str], reaped: bool) -> None:
    other.send_signal(signal.SIGKILL)
    if reaped:
        other.wait()
    else:  # dead, and still in the table of processes
        until(lambda: " Z " in Path(f"/proc/{other.pid}/stat").read_text(), "the process to be dead")
    with held(tmp_path, "r1"):
        pass


def test_a_silent_holder_of_another_machine_is_followed(channel: Channel) -> None:
    put(channel, holder(machine="elsewhere", beat=time.time() - 60))
    lease = take_lease(channel, "r1", CREW, lambda: Channel(channel.path.parent), QUICK)
    found = channel.holder()
    assert (found.token, found.machine) == (lease.token, machine())
    lease.release()
    assert channel.holder() is None


@pytest.mark.parametrize("wrong", [-3600.0, 3600.0])
def test_a_machine_whose_clock_is_wrong_keeps_its_run_as_long_as_it_lives(tmp_path: Path, wrong: float) -> None:
    with closing(Channel(tmp_path)) as channel, closing(Channel(tmp_path)) as far:
        put(channel, holder(machine="elsewhere", beat=time.time() + wrong))
        seen: list[int] = []

        def beating() -> Channel:
            return Channel(tmp_path)

        real = channel.hold

        def hold(wanted: Holder, refuse: object) -> Holder | None:
            there = real(wanted, refuse)  # type: ignore[arg-type]
            far.beat("t")  # the other one lives, and its clock is as wrong as before
            seen.append(1)
            return there

        channel.hold = hold  # type: ignore[method-assign]
        with pytest.raises(LeaseHeld):
            take_lease(channel, "r1", CREW, beating, QUICK)
        assert len(seen) == 2


def test_a_holder_gives_signs_of_life_whatever_it_is_busy_with(tmp_path: Path) -> None:
    with closing(Channel(tmp_path)) as channel:
        lease = take_lease(channel, "r1", CREW, lambda: Channel(tmp_path), QUICK)

        def beats() -> int:
            found = channel.holder()
            return found.beats if found else 0

        until(lambda: beats() >= 3, "three beats")
        lease.release()
        assert channel.holder() is None


def test_who_is_dead_and_who_works() -> None:
    assert works(holder())
    assert works(holder(machine="elsewhere")), "another machine's is believed while it beats"
    assert not works(holder(started="1"))
    assert is_dead(holder(pid=2**22 + 1))
    assert not is_dead(holder(machine="elsewhere", pid=2**22 + 1))
    assert not works(holder(machine="elsewhere", beat=time.time() - 31))
    assert not works(None)


def _race(folder: str, start: multiprocessing.synchronize.Event, won: "multiprocessing.Queue[int]") -> None:
    start.wait()
    try:
        with held(Path(folder), "r1"):
            won.put(os.getpid())
            time.sleep(600)
    except LeaseHeld:
        won.put(0)


@pytest.mark.slow("processes of their own")
def test_of_many_who_want_it_at_once_one_gets_it(tmp_path: Path) -> None:
    forked = multiprocessing.get_context("spawn")
    start, won = forked.Event(), forked.Queue()
    racers = [forked.Process(target=_race, args=(str(tmp_path), start, won), daemon=True) for _ in range(4)]
    for racer in racers:
        racer.start()
    start.set()
    found = [won.get(timeout=90) for _ in racers]
    for racer in racers:
        racer.kill()
        racer.join()
    assert sorted(bool(pid) for pid in found) == [False, False, False, True]


def test_a_crew_whose_run_was_taken_over_stops_before_its_next_action(tmp_path: Path) -> None:
    run = working(tmp_path)
    with closing(Channel(run.folder)) as channel:
        put(channel, holder(token="another", pid=1, machine="elsewhere", host="elsewhere"))
        with pytest.raises(LeaseLost, match="now worked by the crew in process 1 on elsewhere"):
            run.end()
        found = channel.holder()
    assert found.token == "another"
    assert max(event.step for event in events(run.folder, "outcome")) == FORM - 2
