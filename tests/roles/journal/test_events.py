"""Events as classes: stored exactly as they were given, and read whatever a journal holds."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from roles.journal.events import (
    EVENTS,
    ApprovalEvent,
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


def test_a_body_that_is_not_known_is_told_as_such_and_one_that_is_recorded_is_counted() -> None:
    assert event_of("unheard_of", {"message": "no"}) == Unreadable("unheard_of", known=False)
    journal = Journal(None, lambda: 0.0)
    journal.record(ModelCallEvent(model="m", tokens_in=3, tokens_out=4, seconds=0.5), role="manager")
    assert journal.spending.by_role["manager"].tokens == 7
    journal.close()
