"""What the rules make of a person's words while the crew works."""

from __future__ import annotations

import pytest

from protocol import VisualState
from roles.contracts import AppWords, GateRequest, OperatorView, PlanRequest, Subtask
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.contracts.steering import Note
from roles.manager.plans import validate_plan
from roles.manager.rules import RulesManager
from roles.policies.rules.grammar import describe as words_of
from roles.policies.rules.grammar import parse
from roles.policies.rules.planning.planning import make_subtasks
from roles.policies.rules.planning.steering import not_wanted, steered, with_notes

APPS = (
    AppWords(app="reimbursement", title="Reimbursement", words=("form", "claim")),
    AppWords(app="mail", title="Mail", words=("mail", "message")),
    AppWords(app="notes", title="Notes", words=("note",)),
)
CLAIM = 'In the reimbursement form, enter "12" as the amount and submit the form'
NOTE = 'Then create a note titled "Done"'


def plan_of(goal: str, *statuses: SubtaskStatus) -> tuple[Subtask, ...]:
    made = make_subtasks(parse(goal, APPS), APPS)
    return tuple(s.model_copy(update={"status": status}) for s, status in zip(made, statuses, strict=True))


TWO = plan_of(f"{CLAIM}. {NOTE}", SubtaskStatus.PENDING, SubtaskStatus.READY)


def minded(
    *words: str, plan: tuple[Subtask, ...] = TWO, failed: str | None = "s1", goal: str = f"{CLAIM}. {NOTE}"
) -> tuple[str, list[Subtask], str]:
    request = PlanRequest(
        goal=goal, apps=APPS, plan=plan, trigger="steered", failed=failed, notes=tuple(Note(words=w) for w in words)
    )
    answer = RulesManager().plan(request)
    if answer.outcome == "planned":
        validate_plan(answer.subtasks, APPS)
    return answer.outcome, list(answer.subtasks), answer.reason


def told(plan: list[Subtask]) -> list[str]:
    return [s.instruction for s in plan if s.status is not SubtaskStatus.FULFILLED]


def test_what_is_not_wanted_goes_out_of_the_plan_and_what_waited_for_it_waits_for_what_is_left() -> None:
    outcome, plan, _ = minded("do not submit it")
    assert outcome == "planned"
    assert not any("ubmit" in words for words in told(plan))
    assert len(plan) == 2
    assert plan[1].depends_on == (plan[0].id,)
    assert plan[0].id not in {s.id for s in TWO}  # a new attempt at other work


def test_a_subtask_of_which_nothing_is_left_goes_and_frees_what_waited_for_it() -> None:
    two = plan_of(f"In the reimbursement form, submit the form. {NOTE}", SubtaskStatus.PENDING, SubtaskStatus.READY)
    _, plan, _ = minded("don't submit the form", plan=two)
    assert [s.id for s in plan] == ["s2"]
    assert plan[0].depends_on == ()


def test_where_nothing_is_left_the_work_is_at_its_end() -> None:
    one = plan_of("In the reimbursement form, submit the form", SubtaskStatus.PENDING)
    assert minded("do not submit it", plan=one)[0] == "infeasible"
    done = one[0].model_copy(update={"id": "s0", "status": SubtaskStatus.FULFILLED})
    assert minded("do not submit it", plan=(done, *one))[0] == "nothing_left"


def test_a_value_with_a_colon_is_not_taken_for_the_name_of_an_application() -> None:
    (whole,) = make_subtasks(parse('Enter "10:30" into the field "time" and submit the form'), ())
    notes = (Note(words="do not submit it"),)
    request = PlanRequest(goal="x", apps=(), plan=(whole,), trigger="steered", failed="s1", notes=notes)
    (left,) = RulesManager().plan(request).subtasks
    assert left.title == 'Enter "10:30" into the field "time"'


def test_a_correction_comes_before_the_work_at_hand_which_begins_anew() -> None:
    _, plan, _ = minded("set the category to Travel")
    assert [s.app for s in plan] == ["reimbursement", "reimbursement", "notes"]
    first, again, rest = plan
    assert "Travel" in first.instruction
    assert again.instruction == TWO[0].instruction
    assert again.depends_on == (first.id,)
    assert rest.depends_on == (again.id,)


def test_something_more_comes_after_it_and_before_the_rest() -> None:
    _, plan, _ = minded('write a mail to bob@example.org with the subject "Hello"')
    assert plan[0].id == "s1"
    assert plan[1].app == "mail"
    assert "s1" in plan[1].depends_on
    assert plan[1].id in plan[2].depends_on


def test_instead_takes_its_place() -> None:
    _, plan, _ = minded('create a note titled "Later" instead')
    assert "s1" not in {s.id for s in plan}
    assert 'title "Later"' in plan[0].instruction
    assert plan[1].depends_on == (plan[0].id,)


def test_words_that_are_not_understood_leave_the_plan_and_are_named() -> None:
    outcome, plan, reason = minded("chop chop")
    assert (outcome, told(plan)) == ("planned", [s.instruction for s in TWO])
    assert '"chop chop" are not understood' in reason


def test_the_same_words_again_change_nothing_more() -> None:
    _, once, _ = minded("set the category to Travel")
    _, twice, _ = minded("set the category to Travel", plan=tuple(once), failed=once[1].id)
    assert told(twice) == told(once)


def test_a_pinned_subtask_is_not_touched() -> None:
    pinned = (TWO[0].model_copy(update={"pinned": True}), TWO[1])
    _, plan, _ = minded("do not submit it", plan=pinned)
    assert plan[0] == pinned[0]


def test_notes_to_other_roles_are_not_the_managers() -> None:
    request = PlanRequest(
        goal=CLAIM, apps=APPS, plan=TWO, trigger="steered", failed="s1", notes=(Note(words="do not submit it", to="operator"),)
    )
    assert told(list(RulesManager().plan(request).subtasks)) == [s.instruction for s in TWO]


def test_what_was_said_before_the_first_plan_is_a_part_of_the_goal() -> None:
    request = PlanRequest(goal=CLAIM, apps=APPS, notes=(Note(words="do not submit it"), Note(words="chop chop")))
    assert with_notes(request).goal == f"{CLAIM}. do not submit it"
    assert not any("ubmit" in s.instruction for s in RulesManager().plan(request).subtasks)


def view(*notes: Note, places: dict[str, int] | None = None) -> OperatorView:
    return OperatorView(
        user_request=CLAIM, subtask=TWO[0], app="reimbursement", seen=VisualState(), apps=APPS, notes=notes,
        memory={"places": places} if places else {},
    )  # fmt: skip


def test_the_operator_fits_a_correction_in_before_the_form_is_sent_and_keeps_its_place() -> None:
    clauses = parse(TWO[0].instruction)
    note = Note(words="set the category to Travel", to="operator")
    worked, kept = steered(clauses, view(note), 0)
    assert [words_of(x) for x in worked][1].startswith('Enter "Travel"')
    again, _ = steered(clauses, view(note, places=kept["places"]), 2)
    assert again == worked
    late, _ = steered(clauses, view(note), len(clauses))
    assert late[: len(clauses)] == clauses  # what was done is done


@pytest.mark.parametrize("to", ["crew", "operator"])
def test_the_operator_leaves_out_what_is_not_wanted_from_where_it_stands(to: str) -> None:
    clauses = parse(TWO[0].instruction)
    note = Note.model_validate({"words": "do not submit it", "to": to})
    assert steered(clauses, view(note), 0)[0] == clauses[:1]
    assert steered(clauses, view(note), len(clauses))[0] == clauses


def test_the_final_check_does_not_miss_what_the_user_did_not_want() -> None:
    notes = (Note(words="do not submit it"), Note(words="set the category to Travel"), Note(words="chop chop"))
    request = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal=CLAIM, notes=notes)
    assert not_wanted(request.notes) == "do not submit it"
