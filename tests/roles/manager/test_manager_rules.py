"""Plans from goals, and other plans from what went wrong or from what the user says."""

from typing import Any

import pytest

from environments.cards import AppCard, FieldCard, KindCard, VerbCard
from roles.contracts import USER, AppWords, EffectSeen, FactKnown, FieldHas, PlanAnswer, PlanRequest, Subtask, Supplement
from roles.contracts.orders import CreateStep, GoalLedger, LedgerEntry
from roles.contracts.policies import Note
from roles.contracts.signals import SubtaskStatus
from roles.manager.rules import RulesManager

DONE, GONE, READY = SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED, SubtaskStatus.READY


def field(label: str, type: Any = "text", *, key: bool = False, written: bool = False, **more: Any) -> FieldCard:
    return FieldCard(label=label, type=type, listed=not written, key=key, written=written, **more)


SAVE = VerbCard(verb="save", control="Save", at="form")
INVOICE = KindCard(kind="invoice", fields=(field("Number", key=True), field("Vendor"), field("Total", "money")))
CLAIM = KindCard(
    kind="claim", create=VerbCard(verb="create", control="New claim", at="app"), verbs=(
        VerbCard(verb="submit", control="Submit", at="form", effect="submit"), SAVE,
    ), fields=(
        field("Amount", "money", written=True, required=True), field("Vendor", written=True),
        field("Category", "choice", written=True, options=("Travel", "Meals")),
    ),
)  # fmt: skip
NOTE = KindCard(
    kind="note", create=VerbCard(verb="create", control="New note", at="app"),
    verbs=(SAVE, VerbCard(verb="delete", control="Delete")),
    fields=(field("Title", key=True, written=True), field("Body", "long_text", written=True)),
)  # fmt: skip
CARDS = (
    AppCard(app="billing", title="Billing", words=("billing",), kinds=(INVOICE,)),
    AppCard(app="reimbursement", title="Reimbursement", words=("reimbursement",), kinds=(CLAIM,)),
    AppCard(app="notes", title="Notes", words=("notes",), kinds=(NOTE,)),
)
APPS = tuple(AppWords(app=card.app, title=card.title, words=card.words) for card in CARDS)
GOAL = "Find the total of invoice INV-7 in billing, enter it as the amount in the reimbursement form and submit the form"


def plan(goal: str = GOAL, **more: Any) -> PlanAnswer:
    return RulesManager().plan(PlanRequest(goal=goal, apps=APPS, cards=CARDS, **more))


def after(failed: str, *evidence: str, done: tuple[str, ...] = (), trigger: str = "cannot_execute", **more: Any) -> PlanAnswer:
    """The second plan, after the first one's subtask `failed` did not work."""
    goal = more.pop("goal", GOAL)
    first = more.pop("plan", None) or plan(goal).subtasks
    status = {**dict.fromkeys(done, DONE), failed: GONE}
    known = tuple(s.model_copy(update={"status": status.get(s.id, s.status)}) for s in first)
    return plan(goal, plan=known, failed=failed, evidence=evidence, trigger=trigger, attempts=2, **more)


def live(answer: PlanAnswer) -> list[Subtask]:
    return [s for s in answer.subtasks if s.status is READY]


def entries(subtask: Subtask) -> dict[str, str]:
    (step,) = (step for step in subtask.steps if isinstance(step, CreateStep))
    return {entry.label: entry.value for entry in step.entries}


def test_a_goal_over_two_applications_becomes_two_subtasks_that_flow() -> None:
    first, second = plan().subtasks
    assert (first.app, second.app) == ("billing", "reimbursement")
    assert second.depends_on == (first.id,)
    (known,) = first.expect
    assert isinstance(known, FactKnown)
    assert second.expect == (
        FieldHas(label="Amount", fact=known.name, app="reimbursement"),
        EffectSeen(verb="submit", app="reimbursement"),
    )


def test_words_that_are_not_understood_are_looked_up_once_and_then_said() -> None:
    goal = "Frobnicate the ledger"
    assert plan(goal).outcome == "supplement_needed"
    answer = plan(goal, trigger="nothing_found", looked_up=(plan(goal).query,), attempts=2)
    assert answer.outcome == "infeasible"
    assert f'"{goal}"' in answer.reason
    assert "crew.manager.policy: llm" in answer.reason


def test_what_the_user_answers_is_read_with_the_goal() -> None:
    told = Supplement(query="words", source=USER, title="words", text='Create a note titled "A"')
    answer = plan("Please", can_ask=True, supplements=(told,), looked_up=("words", "Please"), trigger="supplied")
    assert [s.app for s in live(answer)] == ["notes"]


def test_what_failed_is_tried_once_more_under_a_new_name_and_what_is_done_stays() -> None:
    first = plan().subtasks
    answer = after(first[0].id, "the list did not load")
    assert answer.outcome == "planned"
    (again, then) = live(answer)
    assert again.id not in {s.id for s in first}
    assert again.steps == first[0].steps
    assert any("the list did not load" in hint for hint in again.hints)
    assert then.depends_on == (again.id,)
    twice = after(again.id, "the list did not load", plan=(first[0].model_copy(update={"status": GONE}), again, then))
    assert twice.outcome == "infeasible"
    assert "did not load" in twice.reason


@pytest.mark.parametrize(
    ("evidence", "trigger", "outcome"),
    [
        ("no sign of it", "gate_fail", "infeasible"),
        ("submit was tried, and it is not known what came of it", "gate_fail", "infeasible"),
        ("nothing was done to submit", "gate_fail", "planned"),
        ('pressing "Submit" has no visible effect', "cannot_execute", "planned"),
    ],
)
def test_only_what_was_certainly_not_done_is_tried_once_more(evidence: str, trigger: str, outcome: str) -> None:
    first, second = plan().subtasks
    answer = after(second.id, evidence, done=(first.id,), trigger=trigger)
    assert answer.outcome == outcome
    hints = [hint for subtask in live(answer) for hint in subtask.hints]
    assert ("use the keyboard" in hints) is (trigger == "cannot_execute")


def test_fetched_help_reaches_the_worker_and_nothing_is_left_when_all_is_done() -> None:
    told = Supplement(query="how to submit", source="help:x.md", title="Submitting", text="Press Control+Enter.")
    first, second = plan().subtasks
    answer = after(second.id, "there is no button", done=(first.id,), trigger="supplied", supplements=(told,))
    assert any("Control+Enter" in hint for hint in live(answer)[0].hints)
    done = tuple(s.model_copy(update={"status": DONE}) for s in plan().subtasks)
    assert plan(plan=done, trigger="gate_done").outcome == "nothing_left"


# What the user says


@pytest.mark.parametrize("words", ["not today", "Do not submit the form"])
def test_a_refusal_ends_it_with_the_reason(words: str) -> None:
    first, second = plan().subtasks
    told = {"refused": ('click "Submit"',), "user_words": (words,)}
    refused = after(second.id, "the user rejected it", done=(first.id,), trigger="approval_rejected", **told)
    assert refused.outcome == "infeasible"
    assert "Submit" in refused.reason
    assert words in refused.reason


def test_a_correction_leads_back_to_the_refused_work() -> None:
    first, second = plan().subtasks
    told = {"refused": ('click "Submit"',), "user_words": ("Set the category to Travel first",)}
    answer = after(second.id, "the user rejected it", done=(first.id,), trigger="approval_rejected", **told)
    (again,) = live(answer)
    assert entries(again) == {**entries(second), "Category": "Travel"}
    assert again.steps[0].skill == "create"
    assert again.id != second.id


def test_what_the_user_says_instead_is_done_in_the_place_of_what_they_refused() -> None:
    goal = GOAL + '. Create a note titled "After"'
    first, second, last = plan(goal).subtasks
    told = {"refused": ('click "Submit"',), "user_words": ('Create a note titled "Claim later" instead',)}
    answer = after(second.id, "the user rejected it", goal=goal, done=(first.id,), trigger="approval_rejected", **told)
    assert [entries(s)["Title"] for s in live(answer)] == ["Claim later", "After"]
    assert [s.id for s in live(answer)][1] == last.id
    done = tuple(s.model_copy(update={"status": DONE if s.status is READY else s.status}) for s in answer.subtasks)
    words = told["user_words"]
    assert plan(goal, plan=done, trigger="gate_done", user_words=words).outcome == "nothing_left"


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ('Create a note titled "B" instead', ["B"]),
        ('Create a note titled "B"', ["A", "B"]),
        ('Create a note titled "B" first', ["B", "A"]),
    ],
)
def test_a_plan_that_was_rejected_is_made_anew_with_what_the_user_said(words: str, titles: list[str]) -> None:
    answer = plan('Create a note titled "A"', trigger="plan_rejected", user_words=(words,), attempts=2)
    assert [entries(s)["Title"] for s in answer.subtasks] == titles


def test_what_is_said_while_the_crew_works_comes_to_the_plan_and_changes_what_is_open() -> None:
    first, second = plan().subtasks
    known = (first.model_copy(update={"status": DONE}), second)
    notes = (Note(words="Set the category to Travel"), Note(words='Create a note titled "B"'))
    answer = plan(plan=known, failed=second.id, trigger="steered", notes=notes, attempts=2)
    claimed, noted = live(answer)
    assert entries(claimed)["Category"] == "Travel"
    assert entries(noted)["Title"] == "B"
    assert answer.subtasks[0] == known[0]
    again = plan(plan=answer.subtasks, failed=claimed.id, trigger="steered", notes=notes, attempts=3)
    assert again.subtasks == answer.subtasks


def test_what_is_said_not_to_be_done_is_left_out() -> None:
    goal = 'Create a note titled "A" and create a note titled "B"'
    first, second = plan(goal).subtasks
    known = (first.model_copy(update={"status": DONE}), second)
    notes = (Note(words='Do not create the note "B"'),)
    answer = plan(goal, plan=known, failed=second.id, trigger="steered", notes=notes, attempts=2)
    assert answer.outcome == "nothing_left"


def test_words_that_are_not_understood_change_nothing() -> None:
    known = plan().subtasks
    answer = plan(plan=known, failed=known[0].id, trigger="steered", notes=(Note(words="Mind the gap, old chap"),), attempts=2)
    assert (answer.outcome, answer.subtasks) == ("planned", known)
    assert "Mind the gap" in answer.reason


def test_a_plan_of_somebody_else_is_never_planned_over() -> None:
    given = (Subtask(id="s1", title="A", instruction="A", app="notes"), Subtask(id="s2", title="B", instruction="B", app="notes"))
    status = (given[0].model_copy(update={"status": GONE}), given[1])
    answer = plan("Frobnicate", plan=status, failed="s1", trigger="cannot_execute", evidence=("no",), attempts=2)
    assert [s.instruction for s in live(answer)] == ["A", "B"]


# What the final check misses


def test_a_value_that_was_lost_is_entered_anew_and_what_was_sent_is_not() -> None:
    saved = GOAL.replace("submit the form", "save the draft")
    done = tuple(s.model_copy(update={"status": DONE}) for s in plan(saved).subtasks)
    issue = f"{done[1].id}: the value '$5.00' of \"Amount\" is gone: the field shows '1.00'"
    (again,) = live(plan(saved, plan=done, trigger="issues_found", evidence=(issue,), attempts=2))
    assert again.steps == done[1].steps
    sent = tuple(s.model_copy(update={"status": DONE}) for s in plan().subtasks)
    assert plan(plan=sent, trigger="issues_found", evidence=(issue,), attempts=2).outcome == "infeasible"


def test_an_order_that_the_ledger_misses_is_done_once_more() -> None:
    goal = 'Create a note titled "A"'
    done = tuple(s.model_copy(update={"status": DONE}) for s in plan(goal).subtasks)
    ledger = GoalLedger(goal=goal, entries=(LedgerEntry(order=0, text=goal, state="missing"),))
    answer = plan(goal, plan=done, trigger="issues_found", evidence=("missing",), ledger=ledger, attempts=2)
    (again,) = live(answer)
    fixed = tuple(s.model_copy(update={"status": DONE}) for s in answer.subtasks)
    assert again.steps == done[0].steps
    assert plan(goal, plan=fixed, trigger="issues_found", evidence=("missing",), ledger=ledger).outcome == "infeasible"
