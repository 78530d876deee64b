"""The journal on real SQLite: committed where it matters, the same after reopening, and what makes an action happen once."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.journals import DONE, LATE, SAVE, SECRET, SEND, Open, step, ticking

from protocol import ActionResult, ActionTarget, ExecStatus, Fill, GUIElement, VisualState
from roles.contracts import EffectSeen, Fact, FactKnown, FieldHas, Subtask, Supplement, TextShown
from roles.contracts.signals import SubtaskStatus
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
from roles.journal.journal import Event, Journal
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import reference

# --- events


def test_a_keyed_event_is_recorded_once_also_after_reopening(reopen: Open) -> None:
    journal = reopen()
    for n in (1, 2):
        journal.append("a", {"n": n}, key="one")
    journal.append("a", {"n": 3}, key="two")
    journal = reopen()
    journal.append("a", {"n": 4}, key="one")
    journal.append("a", {"n": 5}, key="two")
    journal.append("a", {"n": 6})
    journal.append("a", {"n": 7})
    assert [e.body["n"] for e in journal.events()] == [1, 3, 6, 7]


def test_the_keys_of_the_last_two_hundred_events_are_recognised(reopen: Open) -> None:
    journal = reopen()
    for n in range(400):
        journal.append("a", {"n": n}, key=f"key/{n}")
    journal = reopen()
    for n in range(200, 400):
        journal.append("a", {"n": n}, key=f"key/{n}")
    assert len(list(journal.events())) == 400


def test_a_listener_hears_each_event_once_and_as_it_is_written(tmp_path: Path) -> None:
    heard: list[Event] = []
    redactor = Redactor(SafetyPolicy())
    journal = Journal(tmp_path / "j.sqlite", ticking(), redactor, heard.append)
    journal.secret(SECRET)
    for _ in range(2):
        journal.append("a", {"text": SECRET}, key="k")
    assert heard == list(journal.events())
    assert heard[0].body == {"text": reference("value")}
    journal.close()


# --- private content


def everything_on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def test_a_secret_is_on_disk_nowhere_among_events_screens_steps_outcomes_and_keys(reopen: Open, tmp_path: Path) -> None:
    journal = reopen()
    field = GUIElement(element_id="pw", text="Password", value=SECRET)
    echo = GUIElement(element_id="e", text=f"Your password is {SECRET}")
    state_id = journal.screens.keep(VisualState(elements=(echo, field), app="web"))
    journal.append("decided", {"reasoning": f"I type {SECRET}", "deep": [{"a": (SECRET,)}]})
    done = step(1).model_copy(update={"action": Fill(target=ActionTarget(text="Password"), text=SECRET).dump()})
    journal.step(done, 0, key="s1")
    journal.intend("k", SAVE)
    journal.settle("k", ActionResult(exec_status=ExecStatus.ERROR, error=f"bad {SECRET}", output=SECRET))
    journal.close()
    assert SECRET.encode() not in everything_on_disk(tmp_path)
    journal = reopen()
    shown = journal.screens.get(state_id)
    assert SECRET not in shown.model_dump_json()
    assert "hunter2" not in str([e.body for e in journal.events()])
    held = reference("password")
    assert journal.outcome("k") == ActionResult(exec_status=ExecStatus.ERROR, error=f"bad {held}", output=held)


@pytest.mark.parametrize("opened_anew", [False, True])
def test_a_private_fact_is_referred_to_on_the_blackboard_in_the_history_and_in_every_row_of_it(
    opened_anew: bool, reopen: Open, tmp_path: Path
) -> None:
    journal = reopen()
    journal.remember(Fact(name="pin", value=SECRET, private=True))
    journal = reopen() if opened_anew else journal
    journal.append("decided", {"reasoning": f"I use {SECRET}"})
    assert journal.facts()[0].value == reference("pin")
    assert journal.revealed(journal.facts()[0].value) == SECRET
    assert "hunter2" not in str([e.body for e in journal.events()])
    journal.close()
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as rows:
        assert "hunter2" not in "\n".join(rows.iterdump())


# --- reading caches


@pytest.mark.parametrize("attempt", [0, 1])
def test_a_step_that_is_worked_again_is_one_step_and_those_of_another_attempt_or_subtask_are_not_mixed_in(
    reopen: Open, attempt: int
) -> None:
    journal = reopen()
    for _ in range(2):
        journal.step(step(1), 0, key="1")
    journal.step(step(2, "b"), attempt, key="2")
    journal.step(step(3), 1, key="3")
    for opened in range(2):
        again = reopen() if opened else journal
        again.step(step(1), 0, key="1")
        assert [s.step for s in again.steps("a", 0)] == [1]
        assert [s.step for s in again.steps("a", 1)] == [3]
        assert [s.step for s in again.steps("b", attempt)] == [2]
        assert [s.step for s in again.all_steps(9)] == [1, 2, 3]
        assert [s.step for s in again.all_steps(2)] == [2, 3]


def test_the_newest_value_of_a_fact_counts_and_every_change_stands_in_the_history(reopen: Open) -> None:
    journal = reopen()
    for value in ("1", "1", "2", "1"):
        journal.remember(Fact(name="total", value=value))
    assert [f.value for f in journal.facts()] == ["1"]
    assert [e.body["value"] for e in reopen().events("fact")] == ["1", "2", "1"]


def test_a_plan_with_its_expectations_is_read_back_as_it_was(reopen: Open) -> None:
    seen = (FactKnown(name="total"), TextShown(text="Sent", app="mail"))
    done = (FieldHas(label="Amount", fact="total"), EffectSeen(verb="submit"))
    first = Subtask(id="a", title="A", instruction="do a", expect=seen)
    rejected = SubtaskStatus.REJECTED
    plan = (first, Subtask(id="b", title="B", instruction="do b", depends_on=("a",), status=rejected, expect=done))
    version = reopen().save_plan(plan)
    journal = reopen()
    assert (journal.plan(version), journal.plan(version + 1)) == (plan, ())
    assert journal.save_plan(plan[:1]) == version + 1
    assert journal.plan(version) == plan


def test_a_screen_is_stored_once_and_read_back_whole(reopen: Open, tmp_path: Path) -> None:
    screen = VisualState(elements=(GUIElement(element_id="e", text="Größe 🎈", value=""),), app="mail", timestamp=5.0)
    journal = reopen()
    ids = {journal.screens.keep(screen), journal.screens.keep(screen.model_copy(update={"timestamp": 9.0}))}
    assert ids == {screen.state_id}
    journal = reopen()
    again = journal.screens.get(screen.state_id)
    assert (again.elements, again.app, again.state_id) == (screen.elements, "mail", screen.state_id)
    assert journal.screens.get("nowhere") is None
    journal.close()
    with sqlite3.connect(tmp_path / "journal.sqlite") as rows:
        assert rows.execute("SELECT count(*) FROM observations").fetchone() == (1,)
    rows.close()


def test_an_old_screen_is_still_there_when_the_cache_has_moved_on(reopen: Open) -> None:
    journal = reopen()
    screens = [VisualState(app=f"app{n}") for n in range(400)]
    ids = [journal.screens.keep(screen) for screen in screens]
    assert [journal.screens.get(i) for i in ids] == screens


edits_of_screens = st.lists(
    st.tuples(st.sampled_from(["mail", "web"]), st.integers(0, 39), st.text(max_size=30), st.booleans()), max_size=40
)


@given(edits_of_screens)
def test_screens_that_are_alike_are_stored_as_what_differs_and_read_back_whole(edits: list[tuple[str, int, str, bool]]) -> None:
    fields = {app: [GUIElement(element_id=f"e{n}", text=f"Field {n}", value="") for n in range(40)] for app in ("mail", "web")}
    shown: dict[str, VisualState] = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        journal = Journal(path, ticking)
        for app, n, text, again in edits:
            fields[app][n] = fields[app][n].model_copy(update={"value": text})
            state = VisualState(elements=tuple(fields[app]), app=app)
            shown[journal.screens.keep(state)] = state
            if again:
                journal.close()
                journal = Journal(path, ticking)
        assert {name: journal.screens.written(name) for name in shown} == shown
        journal.close()


commands = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.sampled_from("abcdefghijk"), st.integers(0, 2)),
        st.tuples(st.just("fact"), st.sampled_from("xyz"), st.sampled_from("12")),
        st.tuples(st.just("screen"), st.sampled_from(["mail", "web", "notes"]), st.integers(0, 3)),
        st.tuples(st.just("found"), st.sampled_from("qr"), st.integers(0, 2)),
        st.tuples(st.just("look"), st.sampled_from("abc"), st.integers(0, 2)),
    ),
    max_size=60,
)


@given(commands)
def test_what_a_journal_says_it_also_says_when_it_is_opened_anew(script: list[tuple[str, str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite"
        journal = Journal(path, ticking())
        for number, (what, name, value) in enumerate(script, start=1):
            if what == "step":
                journal.step(step(number, name), value, key=f"step/{number}")
            elif what == "fact":
                journal.remember(Fact(name=name, value=value))
            elif what == "screen":
                state = VisualState(app=name, loading=bool(value % 2), timestamp=number)
                journal.append("observed", {"state_id": journal.screens.keep(state), "app": name}, key=f"seen/{number}")
            elif what == "found":
                item = Supplement(query=name, source="s", title="t", text="x")
                journal.supplied(name, [item] * value, subtask="a", key=f"found/{number}")
            else:
                journal.steps(name, value)
        said = _all_it_says(journal)
        journal.close()
        again = Journal(path, ticking())
        assert _all_it_says(again) == said
        again.close()


def _all_it_says(journal: Journal) -> dict[str, Any]:
    return {
        "steps": {(s, a): journal.steps(s, a) for s in "abcdefghijk" for a in range(3)},
        "few": {s: journal.steps(s, 0, limit=2) for s in "abc"},
        "run": journal.all_steps(30),
        "facts": journal.facts(),
        "supplements": journal.supplements(),
        "latest": list(journal.screens.latest().items()),
        "events": list(journal.events()),
    }


# --- a journal in memory


def test_a_new_run_in_memory_forgets_the_run_before_and_has_keys_of_its_own() -> None:
    journal = Journal(None, ticking())
    journal.begin()
    first = journal.run_key
    journal.append("a", {}, key="k")
    journal.intend("i", SAVE)
    journal.remember(Fact(name="total", value="1"))
    journal.step(step(1), 0, key="s")
    journal.screens.keep(VisualState(app="mail"))
    journal.begin()
    assert journal.run_key != first
    left = [*journal.events(), *journal.facts(), *journal.steps("a", 0), *journal.screens.latest()]
    assert (left, journal.intent("i")) == ([], None)
    journal.append("a", {}, key="k")
    assert len(list(journal.events())) == 1
    journal.close()


def test_a_run_on_disk_is_never_forgotten(reopen: Open) -> None:
    journal = reopen()
    journal.append("a", {})
    before = journal.run_key
    journal.begin()
    assert (len(list(journal.events())), journal.run_key) == (1, before)


# --- events as classes, and what makes an action happen once


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
    assert (journal.settle("k", DONE), journal.settle("k", LATE)) == (DONE, DONE)
    journal = reopen()
    assert (journal.settle("k", LATE), journal.outcome("k")) == (DONE, DONE)


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
def test_only_the_word_approve_approves_and_for_exactly_this_action_under_exactly_this_key(reopen: Open, decision: str) -> None:
    journal = reopen()
    journal.approve("k", SAVE.digest, decision, "", "ada")
    assert not journal.approved("k", SAVE.digest)
    journal.approve("k", SAVE.digest, "approve", "", "ada")
    assert journal.approved("k", SAVE.digest)
    journal.approve("k", SAVE.digest, decision, "", "ada")
    assert not journal.approved("k", SAVE.digest)
    journal = reopen()
    journal.approve("k", SAVE.digest, "approve", "", "ada")
    journal = reopen()
    assert journal.approved("k", SAVE.digest)
    assert not journal.approved("k", SEND.digest)
    assert not journal.approved("k2", SAVE.digest)
    assert not journal.approved("K", SAVE.digest)
