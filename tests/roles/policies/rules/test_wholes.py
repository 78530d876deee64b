"""Goals that compute, compare, decide and repeat: which clauses they become, and which plan, stage by stage."""

from __future__ import annotations

from typing import Any

import pytest

from roles.analyst.values import table_text
from roles.contracts import AppWords, Fact, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.manager.plans import validate_plan
from roles.manager.rules import RulesManager
from roles.policies.rules.grammar import describe, parse
from roles.screen.language import clauses as c

APPS = (
    AppWords(app="billing", title="Billing", words=("billing", "invoice", "invoices")),
    AppWords(app="reimbursement", title="Reimbursement", words=("reimbursement", "expense", "claim")),
    AppWords(app="mail", title="Mail", words=("mail", "email")),
    AppWords(app="notes", title="Notes", words=("notes", "note")),
    AppWords(app="files", title="Files", words=("files", "file", "folder")),
    AppWords(app="contacts", title="Contacts", words=("contacts", "contact", "address book")),
)
UNPAID = 'table "invoice table" | where not [status] is "paid"'


def clauses(goal: str) -> list[c.Clause]:
    return parse(goal, APPS)


def only(goal: str, kind: type[Any]) -> Any:
    found = [x for x in clauses(goal) if isinstance(x, kind)]
    assert len(found) == 1, found
    return found[0]


def plan(goal: str, **more: Any) -> PlanAnswer:
    answer = RulesManager().plan(PlanRequest(goal=goal, apps=APPS, **more))
    validate_plan(answer.subtasks, APPS)
    return answer


def next_plan(goal: str, before: PlanAnswer, *facts: Fact) -> PlanAnswer:
    """The plan that follows when all of the plan before is fulfilled and the facts are known."""
    done = tuple(s.model_copy(update={"status": SubtaskStatus.FULFILLED}) for s in before.subtasks)
    return plan(goal, plan=done, facts=facts, trigger="gate_done", attempts=2)


def new(answer: PlanAnswer) -> list[Subtask]:
    return [s for s in answer.subtasks if s.status is SubtaskStatus.READY]


@pytest.mark.parametrize(
    ("goal", "formula"),
    [
        ("What do we owe Acme for invoices that are overdue? Add them up and write the sum into a note called X.",
         'table "invoice table" | where [status] is "overdue" | sum [amount]'),
        ("Add up the totals of all unpaid invoices of Acme and create a note titled X with the sum",
         'table "invoice table" | where [status] is "unpaid" | sum [amount]'),
        ("What have we spent with Acme in all, going by the Costs sheet? Send the sum to a@b.org",
         'table "costs table" | where any contains "Acme" | sum [amount]'),
    ],
)  # fmt: skip
def test_a_sum_over_records_is_collected_computed_and_used(goal: str, formula: str) -> None:
    assert only(goal, c.Compute).formula == formula
    collected = only(goal, c.Collect)
    assert (collected.entity.name or collected.entity.subject) in {"Acme", "Costs"}
    last = clauses(goal)[-1]
    assert isinstance(last, c.Create | c.Compose)
    assert last.body.facts == ("sum",)


def test_figures_may_be_listed_for_a_file() -> None:
    asked = "how many invoices we have of them, the sum of all their totals, and the numbers of these invoices"
    goal = f"Make me a file r.txt about Acme: {asked}."
    computed = [x.formula.split(" | ", 1)[1] for x in clauses(goal) if isinstance(x, c.Compute)]
    assert computed == ["count", "sum [total]", 'column [number] | join ", "']
    assert only(goal, c.Enter).value.facts == ("number of records", "sum", "numbers")


def test_one_of_many_is_read_by_its_superlative() -> None:
    goal = "Which invoice of Acme is the cheapest? Mail its number and its total to a@b.org"
    read = only(goal, c.Read)
    assert (read.facts, read.entity.pick, read.entity.name) == (("number", "total"), "smallest", "Acme")
    assert only(goal, c.Compose).body.facts == read.fact_names()


def test_the_analyst_computes_between_reading_and_writing() -> None:
    goal = "What do we owe Acme for overdue invoices? Add them up and write the sum into a note called X."
    read, compute, write = plan(goal).subtasks
    assert [(s.worker, s.app) for s in (read, compute, write)] == [
        ("operator", "billing"), ("analyst", None), ("operator", "notes")]  # fmt: skip
    assert compute.depends_on == (read.id,)
    assert write.depends_on == (compute.id,)
    assert plan(goal).more is False


CONDITIONS = (
    'Check whether invoice INV-7 has been paid. If so, create a note titled "Done". If it has not, create a note titled "Open".',
    'If invoice INV-7 is paid, create a note titled "Done", otherwise create a note titled "Open"',
    'Have a look at invoice INV-7. If it is paid, create a note titled "Done". Otherwise, create a note titled "Open".',
    'Unless invoice INV-7 is paid, create a note titled "Open"; otherwise create a note titled "Done"',
)


@pytest.mark.parametrize("goal", CONDITIONS)
@pytest.mark.parametrize(("answer", "title"), [("yes", "Done"), ("no", "Open")])
def test_a_condition_is_planned_on_when_it_is_known(goal: str, answer: str, title: str) -> None:
    first = plan(goal)
    assert first.more
    assert [s.worker for s in first.subtasks] == ["operator", "analyst"]
    when = only(goal, c.When)
    assert when.formula == 'fact "status of invoice INV-7" is "paid"'
    second = next_plan(goal, first, Fact(name=when.name, value=answer, role="analyst"))
    (write,) = new(second)
    assert title in write.instruction
    assert write.depends_on == (first.subtasks[-1].id,)
    assert not second.more
    assert next_plan(goal, second, Fact(name=when.name, value=answer)).outcome == "nothing_left"


def test_amounts_and_days_are_conditions_too() -> None:
    assert only("If the total of invoice INV-7 is more than $500, create a note titled A", c.When).formula.endswith("> $500")
    late = only('Create a note titled "Late" if the due date of invoice INV-7 is before 2026-03-01', c.When)
    assert late.formula.endswith('before date "2026-03-01"')


def test_a_branch_that_asks_for_nothing_ends_the_goal() -> None:
    goal = 'If invoice INV-7 is overdue, create a note titled "Late".'
    first = plan(goal)
    name = only(goal, c.When).name
    assert next_plan(goal, first, Fact(name=name, value="no")).outcome == "nothing_left"


def test_a_branch_that_nobody_understands_is_said_before_anything_is_done() -> None:
    answer = plan("If invoice INV-7 is paid, frobnicate the gadget thoroughly.", trigger="nothing_found")
    assert answer.outcome == "infeasible"
    assert "frobnicate the gadget" in answer.reason


ROWS = Fact(
    name="invoices to work on",
    kind="table",
    role="analyst",
    value=table_text(("Number", "Status", "Total"), (("INV-1", "Overdue", "$5.00"), ("INV-2", "Unpaid", "$6.00"))),
)


@pytest.mark.parametrize(
    "goal",
    [
        "Acme still gets money from us. Go through their invoices and submit a claim for every one that is not paid yet."
        " Each claim needs the invoice number and the amount.",
        "For every invoice of Acme that is not paid submit a claim with the invoice number and the amount",
    ],
)
def test_a_repetition_is_one_subtask_for_each_row_with_its_facts(goal: str) -> None:
    assert only(goal, c.Compute).formula == UNPAID
    first = plan(goal)
    assert first.more
    second = next_plan(goal, first, ROWS)
    one, two = new(second)
    assert '"INV-1" into the field "invoice number"' in one.instruction
    assert '"$6.00" into the field "amount"' in two.instruction
    assert two.depends_on == (one.id,)
    assert not second.more


def test_no_rows_mean_nothing_to_do() -> None:
    goal = "For every invoice of Acme that is not paid submit a claim"
    empty = ROWS.model_copy(update={"value": table_text(("Number",), ())})
    assert next_plan(goal, plan(goal), empty).outcome == "nothing_left"


def test_things_that_are_named_are_worked_one_after_the_other() -> None:
    goal = "I paid invoices INV-1 and INV-2 myself. File a claim for each of them, with the vendor and the total as the amount."
    reads = [x for x in clauses(goal) if isinstance(x, c.Read)]
    assert [x.entity.id for x in reads] == ["INV-1", "INV-2"]
    assert not set(reads[0].fact_names()) & set(reads[1].fact_names())
    assert sum(isinstance(x, c.Commit) for x in clauses(goal)) == 2


def test_a_list_is_divided_between_two_deeds_in_two_stages() -> None:
    goal = "Go through my invitations. Decline whatever comes from Ada Byron, and accept all the others."
    each = [x for x in clauses(goal) if isinstance(x, c.ForEach)]
    assert [x.table for x in each] == ["invitations to decline", "invitations to accept"]
    assert [x.body[0].verb for x in each if isinstance(x.body[0], c.Act)] == ["decline", "accept"]


def test_files_are_moved_by_what_they_are_about_and_renamed_in_order() -> None:
    moved = clauses("Everything in the Inbox folder that is about the roof belongs into /Projects/Roof. Move these files there.")
    assert [type(x) for x in moved] == [c.Collect, c.Compute, c.ForEach]
    renamed = clauses("The pictures in /Pics have no names. Rename them to a-1.txt and a-2.txt, in the order that they have now.")
    assert [x.to for x in renamed if isinstance(x, c.Rename)] == ["a-1.txt", "a-2.txt"]


def test_an_address_is_looked_up_where_there_is_an_address_book() -> None:
    look, write = plan('Write Ada a mail with the subject "Hi" saying "Hello"').subtasks
    assert (look.app, write.app) == ("contacts", "mail")
    assert "e-mail of Ada" in look.instruction
    assert "{e-mail of Ada}" in write.instruction
    assert len(plan('Write to a@b.org a mail with the subject "Hi" saying "Hello"').subtasks) == 1


@pytest.mark.parametrize(
    "clause",
    [
        c.Collect(entity=c.Entity(noun="invoice", name="Acme"), name="invoice table"),
        c.Compute(formula='table "a \\ b" | where [x] = "y" | sum [z]', name="the sum"),
    ],
)
def test_canonical_words_are_read_back(clause: c.Clause) -> None:
    assert parse(describe(clause) + ".") == [clause]


@pytest.mark.parametrize(
    "goal",
    [
        "Find the total of invoice INV-7 in billing and create a note titled X with the total",
        'Send a mail to a@b.org saying "If it is paid, add them up for every invoice of Acme"',
        "Reply to the newest mail from Ada saying \"Thanks\". Ask me if anything is unclear.",
    ],
)  # fmt: skip
def test_plain_goals_and_quoted_words_stay_plain(goal: str) -> None:
    assert not any(isinstance(x, c.When | c.ForEach | c.Compute | c.Collect) for x in clauses(goal))
