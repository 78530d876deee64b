"""What is asked of a run reaches its journal once, in order, whoever is killed."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.errors import GraphInterrupt
from waiting import DEADLINE, until

from orchestrator.control.channel import Channel, Holder, holder_of
from orchestrator.control.controls import Controls, Stop
from orchestrator.control.lease import CREW, CREW_PAUSED, CREW_WAITS, held
from roles.journal.journal import Journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def send(folder: Path, kind: str, body: dict[str, object] | None = None, who: str = "anna") -> int:
    with closing(Channel(folder)) as channel:
        return channel.send(kind, body or {}, who)


def journal_in(folder: Path) -> Journal:
    return Journal(folder / "journal.sqlite", lambda: 0.0, run_id="r1")


def stands(controls: Controls) -> str:
    return controls.standing.get("state", "")


def test_a_request_is_there_for_whoever_looks_later(folder: Path) -> None:
    first = send(folder, "steer", {"words": "hello"})
    second = send(folder, "pause", who="bob")
    with closing(Channel(folder)) as channel:
        found = channel.look(0).requests
        assert [(r.id, r.kind, r.body, r.who) for r in found] == [
            (first, "steer", {"words": "hello"}, "anna"),
            (second, "pause", {}, "bob"),
        ]
        assert [r.id for r in channel.look(first).requests] == [second]
        assert not channel.is_taken(first)
        channel.mark_taken(first)
        assert channel.is_taken(first)
        assert not channel.is_taken(second)


def test_many_may_ask_at_once(folder: Path) -> None:
    threads = [threading.Thread(target=lambda n=n: send(folder, "steer", {"words": str(n)})) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(Channel(folder)) as channel:
        assert sorted(r.body["words"] for r in channel.look(0).requests) == [str(n) for n in range(8)]


def test_a_channel_that_nobody_has_open_is_not_read_unless_it_keeps_no_log(folder: Path) -> None:
    mine = Holder("t", CREW, "host", "machine", 1, "2", 3.0, 4, 5.0)
    with closing(Channel(folder)) as channel:
        channel.hold(mine, lambda there: False)
        assert holder_of(folder) == mine
    assert holder_of(folder) is None
    with closing(sqlite3.connect(folder / "control.sqlite")) as db:
        db.execute("PRAGMA journal_mode=DELETE")
    assert holder_of(folder) == mine


def test_a_wish_to_stop_is_heard_without_a_request(folder: Path) -> None:
    stop = Stop()
    with closing(journal_in(folder)) as journal, held(folder, "r1") as hold:
        controls = Controls(journal, hold.channel, hold.lease, "r1", stop=stop)
        stop.who = "SIGTERM"
        with pytest.raises((GraphInterrupt, RuntimeError)):
            controls.safe_point()
        assert controls.standing == {"state": "paused", "who": "SIGTERM"}


def test_going_on_outweighs_a_pause_of_before_and_no_cancel_and_no_hands(folder: Path) -> None:
    with closing(journal_in(folder)) as journal, held(folder, "r1") as hold:
        send(folder, "pause")
        send(folder, "steer", {"words": "mind the date"})
        controls = Controls(journal, hold.channel, hold.lease, "r1")
        controls.begin()
        assert stands(controls) == ""
        assert [note.words for note in controls.notes("operator")] == ["mind the date"]
        send(folder, "takeover")
        again = Controls(journal, hold.channel, hold.lease, "r1")
        again.begin()
        assert stands(again) == "taken_over"
        send(folder, "cancel", {"why": "no"})
        last = Controls(journal, hold.channel, hold.lease, "r1")
        last.begin()
        assert stands(last) == ""
        assert last.cancelled() == "the run was cancelled by anna: no"


def test_notes_reach_their_role_and_are_planned_once(folder: Path) -> None:
    with closing(journal_in(folder)) as journal, held(folder, "r1") as hold:
        controls = Controls(journal, hold.channel, hold.lease, "r1")
        for words, to in (("to all", "crew"), ("to one", "operator"), ("to the other", "evaluator")):
            send(folder, "steer", {"words": words, "to": to})
        controls.look()
        assert [n.words for n in controls.notes("operator")] == ["to all", "to one"]
        assert [n.words for n in controls.notes("evaluator")] == ["to all", "to the other"]
        assert [n.words for n in controls.notes("manager")] == ["to all"]
        assert controls.unplanned() == 'the user said: "to all"'
        controls.planned()
        assert controls.unplanned() == ""
        send(folder, "steer", {"words": "to one again", "to": "operator"})
        controls.look()
        assert controls.unplanned() == ""


REQUESTS = st.lists(
    st.sampled_from(["pause", "resume", "cancel", "steer", "takeover", "handback", "nonsense"]) | st.just("crash"), max_size=9
)


@given(REQUESTS)
def test_however_often_the_crew_is_killed_each_request_is_written_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[str]
) -> None:
    """A crash between any two requests, and between the journal and the mark, changes nothing of what is known."""
    folder = tmp_path_factory.mktemp("channel")
    journal = journal_in(folder)
    with held(folder, "r1") as hold:
        controls = Controls(journal, hold.channel, hold.lease, "r1")
        for kind in wanted:
            if kind != "crash":
                send(folder, kind, {"words": "w", "to": "crew"})
                controls.look()
                continue
            known = controls.__dict__ | {"_journal": None}
            hold.channel._db.execute("UPDATE requests SET taken = NULL")  # type: ignore[attr-defined]  # the mark is lost
            journal.close()
            journal = journal_in(folder)
            controls = Controls(journal, hold.channel, hold.lease, "r1", stop=controls.stop)
            controls.look()
            assert controls.__dict__ | {"_journal": None, "handed_back": known["handed_back"]} == known
        sent = [kind for kind in wanted if kind != "crash"]
        assert sum(e.kind == "steered" for e in journal.events()) == sent.count("steer")
        assert bool(controls.cancelled()) == ("cancel" in sent)
        turns = [e.kind for e in journal.events("taken_over", "handed_back")]
        assert turns == ["taken_over", "handed_back"] * (len(turns) // 2) + ["taken_over"] * (len(turns) % 2) or "cancel" in sent
        ids = [int(n) for n in (controls._taken,)]
        assert ids == [len(sent)]
    journal.close()


@pytest.mark.parametrize("harm", ["cut", "overwritten", "empty", "a page"])
def test_a_damaged_channel_is_set_aside_and_said(folder: Path, harm: str) -> None:
    for number in range(12):
        send(folder, "steer", {"words": f"note {number} " * 200})
    path = folder / "control.sqlite"
    whole = path.read_bytes()
    harmed = {
        "cut": whole[: len(whole) // 2],
        "overwritten": b"x" * len(whole),
        "empty": b"",
        "a page": whole[:8192] + b"\xff" * 4096 + whole[12288:],
    }
    path.write_bytes(harmed[harm])
    with closing(journal_in(folder)) as journal, held(folder, "r1") as hold:
        controls = Controls(journal, hold.channel, hold.lease, "r1")
        controls.begin()
        said = [event.body["message"] for event in journal.events("error")]
        assert harm == "empty" or ("control.sqlite.damaged" in said[0] and (folder / "control.sqlite.damaged").exists())
        number = send(folder, "steer", {"words": "again"})
        controls._taken = number - 1
        controls.look()
        assert controls.notes("crew")[-1].words == "again"


def test_a_crew_that_has_to_stay_goes_on_when_it_is_told_to(folder: Path) -> None:
    """A browser's page would be gone with its process: the crew holds still in it."""
    with closing(journal_in(folder)) as journal, held(folder, "r1") as hold:
        controls = Controls(journal, hold.channel, hold.lease, "r1", stays=True)
        send(folder, "pause")
        passed = threading.Event()

        def come_by() -> None:
            controls.safe_point()
            passed.set()

        crew = threading.Thread(target=come_by, daemon=True)
        crew.start()
        until(lambda: (found := holder_of(folder)) is not None and found.doing == CREW_PAUSED, "the crew to hold still")
        assert not passed.is_set()
        send(folder, "takeover")
        until(lambda: (found := holder_of(folder)) is not None and found.doing == CREW_WAITS, "the crew to wait")
        send(folder, "handback", {"say": "all done"})
        assert passed.wait(DEADLINE)
        crew.join()
        assert (found := holder_of(folder)) is not None
        assert found.doing == CREW
        assert [note.words for note in controls.notes("operator")] == ["all done"]
        assert controls.mark() == {"turns": 2, "heard": 1}
