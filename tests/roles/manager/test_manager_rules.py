"""Plans from goals, and other plans from what went wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roles.contracts import AppWords, EffectSeen, Fact, FactKnown, FieldHas, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.manager.plans import validate_plan
from roles.manager.rules import RulesManager
from roles.policies.rules.grammar import describe as c_words
from roles.policies.rules.grammar import parse
from roles.screen.language import clauses as c

APPS = (
    AppWords(app="billing", title="Billing", words=("billing", "invoice", "invoices")),
    AppWords(app="reimbursement", title="Reimbursement", words=("reimbursement", "expense", "claim")),
    AppWords(app="mail", title="Mail", words=("mail", "email")),
    AppWords(app="notes", title="Notes", words=("notes", "note")),
    AppWords(app="files", title="Files", words=("files", "file", "folder")),
)
GOAL = "Find the total of invoice INV-7 in billing, enter it as the amount in the reimbursement form and submit the form"


def plan(goal: str = GOAL, **more: Any) -> PlanAnswer:
    return RulesManager().plan(PlanRequest(goal=goal, apps=APPS, **more))


def after(failed: str, *evidence: str, done: tuple[str, ...] = (), trigger: str = "cannot_execute", **more: Any) -> PlanAnswer:
    """The second plan, after the first one's subtask `failed` did not work."""
    first = more.pop("plan", None) or plan().subtasks
    status = {**dict.fromkeys(done, SubtaskStatus.FULFILLED), failed: SubtaskStatus.REJECTED}
    known = tuple(s.model_copy(update={"status": status.get(s.id, s.status)}) for s in first)
    return plan(plan=known, failed=failed, evidence=evidence, trigger=trigger, attempts=2, **more)


def live(answer: PlanAnswer) -> list[Subtask]:
    return [s for s in answer.subtasks if s.status is SubtaskStatus.READY]


def test_a_title_tells_every_thing_that_the_instruction_asks_for() -> None:
    (first, second) = plan().subtasks
    assert second.title == "Reimbursement: " + "; ".join(map(c_words, parse(second.instruction)))
    assert "Submit" in second.title
    assert "(+" not in first.title + second.title
    (page,) = RulesManager().plan(PlanRequest(goal='Click "Yes". Click "No". Click "Send"', apps=())).subtasks
    assert [f'"{name}"' in page.title for name in ("Yes", "No", "Send")] == [True] * 3


def test_a_goal_over_two_applications_becomes_two_subtasks_that_flow() -> None:
    first, second = plan().subtasks
    assert (first.app, second.app) == ("billing", "reimbursement")
    assert second.depends_on == (first.id,)
    assert first.expect == (FactKnown(name="invoice total"),)
    assert second.expect == (
        FieldHas(label="amount", fact="invoice total", app="reimbursement"),
        EffectSeen(verb="submit", app="reimbursement"),
    )


def test_instructions_are_english_that_the_operator_reads_back() -> None:
    for subtask in plan().subtasks:
        assert not any(isinstance(x, c.Unknown) for x in parse(subtask.instruction))


def test_an_application_that_is_not_there_is_named_with_those_that_are() -> None:
    answer = plan("Look up invoice INV-3 in the CRM and copy the total to the expense form")
    assert answer.outcome == "infeasible"
    assert "CRM" in answer.reason
    assert "Billing" in answer.reason


def test_words_that_are_not_understood_are_asked_for_once_and_then_said() -> None:
    goal = "Frobnicate the ledger"
    assert plan(goal).outcome == "supplement_needed"
    answer = plan(goal, trigger="nothing_found", attempts=2)
    assert answer.outcome == "infeasible"
    assert f'"{goal}"' in answer.reason
    assert "crew.manager.policy: llm" in answer.reason


def test_what_is_done_stays_and_new_ids_are_new() -> None:
    first = plan().subtasks
    answer = after("s2", "something odd", done=("s1",))
    assert answer.outcome == "planned"
    assert answer.subtasks[0] == first[0].model_copy(update={"status": SubtaskStatus.FULFILLED})
    assert not {s.id for s in live(answer)} & {s.id for s in first}


def test_a_required_field_is_read_from_the_same_record() -> None:
    answer = after("s2", 'the required field "Vendor" is empty and no known fact fits it', done=("s1",))
    read, again = live(answer)
    assert read.app == "billing"
    assert 'Read the "vendor" of the invoice with id "INV-7"' in read.instruction
    assert read.id in again.depends_on
    assert again.app == "reimbursement"


@pytest.mark.parametrize("field", ["Category", "Purpose", "I confirm the receipt"])
def test_what_no_record_tells_is_left_to_the_user(field: str) -> None:
    (again,) = live(after("s2", f'the required field "{field}" is empty and no known fact fits it', done=("s1",)))
    assert any("ask the user" in hint for hint in again.hints)


def test_what_is_not_in_one_application_is_looked_for_in_the_next() -> None:
    answer = after("s1", 'the invoice with id "INV-7" was not found in billing')
    assert live(answer)[0].app == "mail"
    assert live(answer)[0].id in live(answer)[1].depends_on
    later = after(
        live(answer)[0].id,
        'the invoice with id "INV-7" was not found in mail',
        plan=(plan().subtasks[0].model_copy(update={"status": SubtaskStatus.REJECTED}), *live(answer)),
    )
    assert live(later)[0].app == "notes"


def test_clicks_that_do_nothing_are_done_by_key_once() -> None:
    (again,) = live(after("s2", 'pressing "Submit" has no visible effect', done=("s1",)))
    assert "use the keyboard" in again.hints
    twice = after(
        again.id,
        'pressing "Submit" has no visible effect',
        done=("s1",),
        plan=(*(s.model_copy(update={"status": SubtaskStatus.REJECTED}) if s.id == "s2" else s for s in plan().subtasks), again),
    )
    assert twice.outcome == "infeasible"
    assert "Submit" in twice.reason


def test_a_refusal_ends_it_with_the_reason_unless_the_user_says_what_to_do() -> None:
    refused = after(
        "s2",
        "the user rejected it",
        done=("s1",),
        trigger="approval_rejected",
        refused=('click "Submit"',),
        user_words=("not today",),
    )
    assert refused.outcome == "infeasible"
    assert "Submit" in refused.reason
    assert "not today" in refused.reason
    instead = after(
        "s2",
        "the user rejected it",
        done=("s1",),
        trigger="approval_rejected",
        refused=('click "Submit"',),
        user_words=('Create a note titled "Claim later"',),
    )
    assert [s.app for s in live(instead)] == ["notes"]


def test_a_value_that_was_lost_is_entered_anew() -> None:
    goal = "Find the total of invoice INV-7, enter it as the amount in the reimbursement form and save the draft"
    done = tuple(s.model_copy(update={"status": SubtaskStatus.FULFILLED}) for s in plan(goal).subtasks)
    issue = "s2: the value '$5.00' of \"Amount\" is gone: the field shows '1.00'"
    answer = plan(goal, plan=done, trigger="issues_found", evidence=(issue,), attempts=2)
    (again,) = live(answer)
    assert again.app == "reimbursement"
    assert "Enter" in again.instruction
    assert "Save" in again.instruction


def test_nothing_is_left_when_all_is_done() -> None:
    done = tuple(s.model_copy(update={"status": SubtaskStatus.FULFILLED}) for s in plan().subtasks)
    assert plan(plan=done, trigger="gate_done").outcome == "nothing_left"


def test_help_that_was_fetched_reaches_the_worker() -> None:
    from roles.contracts import Supplement

    told = Supplement(query="how to submit", source="help:x.md", title="Submitting", text="Press Control+Enter.")
    (again,) = live(after("s2", "there is no button to submit", done=("s1",), trigger="supplied", supplements=(told,)))
    assert any("Control+Enter" in hint for hint in again.hints)


EVIDENCE = st.one_of(
    st.sampled_from(
        [
            'the required field "Vendor" is empty and no known fact fits it',
            'the invoice with id "INV-7" was not found in billing',
            'pressing "Submit" has no visible effect',
            'the fact "invoice tax" is not known',
            "the same action 3 times in a row",
            "the server is busy",
        ]
    ),
    st.text(max_size=60),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(EVIDENCE, min_size=1, max_size=9))
def test_every_plan_is_a_dag_and_failing_again_and_again_ends(evidence: list[str]) -> None:
    current = plan().subtasks
    facts = (Fact(name="invoice total", value="$5.00", kind="money"),)
    for said in (*evidence, *["the server is busy"] * 12):
        ready = next((s for s in current if s.status is SubtaskStatus.READY), None)
        assert ready is not None
        known = tuple(s.model_copy(update={"status": SubtaskStatus.REJECTED}) if s is ready else s for s in current)
        answer = plan(plan=known, failed=ready.id, evidence=(said,), trigger="cannot_execute", facts=facts, attempts=3)
        if answer.outcome != "planned":
            assert answer.outcome == "infeasible"
            assert answer.reason
            return
        rejected = [s for s in known if s.status is SubtaskStatus.REJECTED]
        current = (*(s for s in rejected if s.id not in {x.id for x in answer.subtasks}), *answer.subtasks)
        validate_plan(current, APPS)
        lost = {s.id for s in rejected}
        assert not any(lost & set(s.depends_on) for s in current if s.status is SubtaskStatus.READY)
    pytest.fail("replanning never ended")
