"""Events as classes, and what makes an action happen once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from written.journals import DONE, LATE, SAVE, SEND, Open, ticking

from roles.journal.events import (
    EVENTS,
    ApprovalEvent,
    ConstraintsAddedEvent,
    ErrorEvent,
    EventBody,
    GateEvent,
    JournalEvent,
    ModelCallEvent,
    ObservedEvent,
    Unreadable,
    event_of,
)
from roles.journal.journal import Journal


def test_every_kind_has_one_class_named_after_it_that_says_what_it_means() -> None:
    assert set(EVENTS.values()) == set(get_args(JournalEvent)) == set(EventBody.__subclasses__())
    for kind, event in EVENTS.items():
        assert event.__name__ == "".join(map(str.capitalize, kind.split("_"))) + "Event"
        assert event.__doc__


def test_a_body_is_stored_in_the_order_in_which_it_was_given_and_without_what_was_not_said() -> None:
    journal = Journal(None, lambda: 0.0)
    journal.record(ApprovalEvent(decision="reject", message="", who="ann", digest="d", key="k"), role="user")
    (stored,) = journal.events(ApprovalEvent)
    assert json.dumps(stored.body) == '{"decision": "reject", "message": "", "who": "ann", "digest": "d", "key": "k"}'
    assert stored.content == ApprovalEvent(key="k", digest="d", decision="reject", message="", who="ann")
    journal.close()


def test_half_a_surrogate_pair_in_a_message_is_written_and_read() -> None:
    journal = Journal(None, lambda: 0.0)
    journal.record(ErrorEvent(message="lost \ud800"))
    assert [error.message for error in journal.contents(ErrorEvent)] == ["lost \ud800"]
    journal.close()


def test_what_an_earlier_version_did_not_write_is_empty_and_what_a_later_one_adds_is_passed_over() -> None:
    assert event_of("observed", {"state_id": "s", "of_tomorrow": 1}) == ObservedEvent(
        state_id="s", app=None, timestamp=0.0, step=0, elements=0
    )
    gate = event_of("gate", {"decision": "gate_done"})
    assert isinstance(gate, GateEvent)
    assert (gate.decision, gate.reason, [*gate.issues], gate.found) == ("gate_done", "", [], {})


@pytest.mark.parametrize("body", [None, [], 7, {"message": 7}, {"message": "no", "unusable": "perhaps"}])
def test_a_body_that_deskcrew_never_writes_is_told_as_such(body: Any) -> None:
    assert event_of("error", body) == Unreadable("error", known=True)


def test_a_body_that_is_not_known_is_told_as_such_and_one_that_is_recorded_is_counted(reopen: Open) -> None:
    assert event_of("unheard_of", {"message": "no"}) == Unreadable("unheard_of", known=False)
    journal = reopen()
    journal.record(ModelCallEvent(model="m", tokens_in=3, tokens_out=4, seconds=0.5), role="manager")
    assert journal.spending.by_role["manager"].tokens == 7
    assert reopen().spending == journal.spending, "what was spent counts after a restart"


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
