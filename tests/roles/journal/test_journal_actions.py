"""What makes an action happen once, on real SQLite and PostgreSQL: intents, outcomes and approvals, also after a reopening."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from written.journals import DONE, LATE, SAVE, SEND, Open, ticking

from roles.journal.events import ConstraintsAddedEvent
from roles.journal.journal import Journal
from roles.journal.rows import SqliteRows


def test_the_first_writer_of_an_intent_wins_also_after_reopening(reopen: Open) -> None:
    assert reopen().intend("k", SAVE).action == SAVE
    journal = reopen()
    adopted = journal.intend("k", SEND)
    assert (adopted.action, adopted.digest) == (SAVE, SAVE.digest)
    assert journal.intend("other", SEND).action == SEND


def test_the_first_outcome_stays_also_after_reopening(reopen: Open) -> None:
    journal = reopen()
    journal.intend("k", SAVE)
    assert journal.outcome("k") is None
    assert journal.settle("k", DONE) == DONE
    assert journal.settle("k", LATE) == DONE
    journal = reopen()
    assert journal.settle("k", LATE) == DONE
    assert journal.outcome("k") == DONE


SELDOM: dict[str, Callable[[Journal], object]] = {
    "a request": lambda journal: journal.request("k"),
    "an answer": lambda journal: journal.decided("k"),
    "what was added to the constraints": lambda journal: [*journal.events(ConstraintsAddedEvent)],
    "what a budget counts": lambda journal: [*journal.rows.counted()],
}


@pytest.mark.parametrize("ask", SELDOM.values(), ids=SELDOM)
def test_what_comes_seldom_is_found_without_reading_the_whole_run(tmp_path: Path, ask: Callable[[Journal], object]) -> None:
    """Each action asks for it: without an index each would read all events of its run."""
    journal, statements = Journal(tmp_path / "journal.sqlite", ticking()), list[str]()
    assert isinstance(journal.rows, SqliteRows)
    journal.rows.connection.set_trace_callback(statements.append)
    assert not ask(journal)
    (*_, plan), *_ = journal.rows.connection.execute(f"EXPLAIN QUERY PLAN {statements[0]}").fetchall()
    assert str(plan).startswith("SEARCH events USING INDEX")


def test_an_intent_survives_a_kill_before_its_outcome_is_known(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\nfrom pathlib import Path\n"
        "from protocol import *\nfrom roles.journal.journal import Journal\n"
        "j = Journal(Path(sys.argv[1]), time.time)\n"
        "j.append('before', {'n': 1})\n"
        "j.intend('k', Click(target=ActionTarget(text='Save')))\n"
        "j.start('k')\n"
        "j.settle('k', ActionResult(exec_status=ExecStatus.EXECUTED))\n"
        "j.append('after', {'n': 2})\n"
        "os._exit(9)\n"
    )
    path = tmp_path / "journal.sqlite"
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=Path(__file__).parents[3], timeout=60)
    assert done.returncode == 9
    journal = Journal(path, ticking())
    assert journal.intent("k") is not None
    assert journal.outcome("k") is None, "an outcome that was not committed must not be half there"
    assert [e.kind for e in journal.events()] == ["before"]
    journal.close()


def test_an_edit_replaces_the_intent_only_until_it_was_done(reopen: Open) -> None:
    journal = reopen()
    journal.intend("k", SAVE)
    assert journal.replace_intent("k", SEND).digest == SEND.digest
    journal = reopen()
    assert journal.intend("k", SAVE).action == SEND
    journal.settle("k", DONE)
    with pytest.raises(ValueError, match="k was already done"):
        journal.replace_intent("k", SAVE)


def test_an_approval_holds_for_exactly_this_action_under_exactly_this_key(reopen: Open) -> None:
    journal = reopen()
    journal.approve("k", SAVE.digest, "approve", "", "ada")
    journal = reopen()
    assert journal.approved("k", SAVE.digest)
    assert not journal.approved("k", SEND.digest)
    assert not journal.approved("k2", SAVE.digest)
    assert not journal.approved("K", SAVE.digest)


def test_the_last_decision_under_a_key_and_all_that_people_said_can_be_read_back(reopen: Open) -> None:
    journal = reopen()
    assert journal.last_approval("k") is None
    journal.approve("k", SAVE.digest, "edit", "as I say", "ada")
    journal.approve("k", SEND.digest, "approve", "", "ada")
    journal.approve("other", SAVE.digest, "reject", "not now", "grace")
    journal.commit()
    journal = reopen()
    assert journal.last_approval("k") == (SEND.digest, "approve", "", "ada")
    assert journal.words() == ["as I say", "not now"]


def test_an_event_of_an_answer_counts_only_with_its_row_among_the_approvals(reopen: Open) -> None:
    journal = reopen()
    journal.append("approval", {"key": "k", "digest": SAVE.digest, "decision": "approve"}, key="a")
    assert journal.decided("k") == {}
    journal.approve("k", SEND.digest, "approve", "", "ada")
    journal.approve("other", SAVE.digest, "approve", "", "ada")
    assert journal.decided("k") == {}
    journal.approve("k", SAVE.digest, "approve", "", "ada")
    journal.commit()
    assert reopen().decided("k")["decision"] == "approve"


@pytest.mark.parametrize("decision", ["reject", "edit", "respond", "", "approved", "Approve"])
def test_only_the_word_approve_approves_and_the_latest_word_counts(reopen: Open, decision: str) -> None:
    journal = reopen()
    journal.approve("k", SAVE.digest, decision, "", "ada")
    assert not journal.approved("k", SAVE.digest)
    journal.approve("k", SAVE.digest, "approve", "", "ada")
    assert journal.approved("k", SAVE.digest)
    journal.approve("k", SAVE.digest, decision, "", "ada")
    assert not journal.approved("k", SAVE.digest)
