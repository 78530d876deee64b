"""Which page the rules follow, with which values, and why they do not follow the others."""

from __future__ import annotations

import pytest

from roles.contracts import USER, AppWords, PlanRequest, Supplement
from roles.contracts.signals import SubtaskStatus
from roles.manager.rules import RulesManager
from roles.policies.rules.planning.playbook import follow
from roles.screen.language import clauses as c

NAMES = ("billing", "notes", "mail", "contacts", "calendar", "reimbursement")
APPS = tuple(AppWords(app=name, title=name.title()) for name in NAMES)
CLOSING = (
    "# Monthly closing\n1. Find the total of the invoice on the billing page.\n"
    '2. Create a note titled "Closed" with the total.'
)


def page(text: str, source: str = "help:a.md", app: str | None = None) -> Supplement:
    return Supplement(query="q", source=source, title="A page", text=text, app=app)


def asking(goal: str, *pages: Supplement | str, **more: object) -> PlanRequest:
    found = tuple(p if isinstance(p, Supplement) else page(p, f"help:{n}.md") for n, p in enumerate(pages))
    return PlanRequest(goal=goal, apps=APPS, supplements=found, **more)  # type: ignore[arg-type]


def why_not(goal: str, text: str, **more: object) -> str:
    """Why the page is not followed."""
    looked = follow(goal, asking(goal, text, **more))
    assert looked.followed is None
    return looked.uses[0].why


def clauses(goal: str, *pages: Supplement | str, **more: object) -> list[c.Clause]:
    looked = follow(goal, asking(goal, *pages, **more))
    assert looked.followed is not None, looked.uses
    return looked.followed.clauses


def titles(goal: str, text: str) -> list[str]:
    return [clause.title.text for clause in clauses(goal, text) if isinstance(clause, c.Create)]


def test_the_invoice_of_a_page_is_the_invoice_of_the_goal() -> None:
    read = clauses("Do the monthly closing for INV-42", CLOSING)[0]
    assert isinstance(read, c.Read)
    assert read.entity.id == "INV-42"


@pytest.mark.parametrize(
    ("goal", "title", "made"),
    [
        ("Settle order PO-77 for Maria Rossi", "Settle {order} for {customer}", "PO-77 Maria Rossi"),
        ("Settle the thing for Maria Rossi, order PO-77", "Settle {order} for {customer}", "PO-77 Maria Rossi"),
        ('Settle it with the title "Big one" by 2026-04-01', "Settle {title} by {deadline}", "Big one 2026-04-01"),
        ("Settle $12.50 for ada@x.org", "Settle {amount} for {email}", "$12.50 ada@x.org"),
        ("Settle plan.txt at 09:30", "Settle {file} at {time}", "plan.txt 09:30"),
        ("Settle invoice INV-1 and order PO-2", "Settle {invoice} and {order}", "INV-1 PO-2"),
        ("Settle INV-9", "Settle {invoice.number}", "INV-9"),
        ("Remind Lee Park about Omar Haddad", "Remind {manager} about {employee}", "Lee Park Omar Haddad"),
    ],
)
def test_slots_take_what_the_goal_gives_by_noun_kind_and_place(goal: str, title: str, made: str) -> None:
    slots = " ".join(part.split("}")[0].join("{}") for part in title.split("{")[1:])
    assert titles(goal, f'# {title}\n1. Create a note titled "{slots}".') == [made]


def test_a_slot_that_a_step_finds_out_becomes_its_value_when_it_is_known() -> None:
    text = (
        "# Welcome {name}\n1. Look up the address of {name} in my contacts.\n"
        '2. Send a mail to {address} with the subject "Hello {name}" and the text "hi".'
    )
    mail = clauses("Welcome Lee Park as usual", text)[-1]
    assert isinstance(mail, c.Compose)
    assert mail.to == ("{contact email address}",)
    assert mail.subject.text == "Hello Lee Park"


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("Do the monthly closing for INV-42 and cancel the lease", 'it says nothing of "cancel"'),
        ("Do the monthly closing for INV-42 and INV-43", "it has no place for"),
        ("Do the monthly closing for INV-42, but not today", 'does not say what "but" means'),
        ("Onboard Lee Park", "speaks of something else"),
        ("Do the thing for INV-42", "speaks of something else"),
    ],
)
def test_a_page_that_would_leave_out_a_part_of_the_goal_is_not_followed(goal: str, said: str) -> None:
    assert said in why_not(goal, CLOSING)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Monthly closing of {invoice}\n1. Dance around the {invoice}.", "step 1 is not understood"),
        ("# Monthly closing of {invoice}\n1. Create a note titled \"{invoice}\".\n2. 打开账单", "step 2 is not understood"),
        ("# Monthly closing of {invoice}\n1. Öffne die Rechnung {invoice} und lösche sie.", "step 1 is not understood"),
        ("# Monthly closing\nIt is done once a month.", "there are no steps in it"),
        ("# Monthly closing of {invoice}\nOnly for orders.\n1. Create a note titled \"{invoice}\".", "the goal is about invoice"),
        ("# Monthly closing of {invoice}\nNot for invoices.\n1. Create a note titled \"{invoice}\".", 'it is "Not for invoices"'),
        ("# Monthly closing of {invoice}\nYou are on holiday.\nOnly when it rains.\n1. Create a note titled \"{invoice}\".",
         "it cannot be told whether"),
        ("# Monthly closing of {invoice}\nRequires the payroll app.\n1. Create a note titled \"{invoice}\".",
         "there is no application payroll here"),
    ],
)  # fmt: skip
def test_why_a_page_is_not_followed_is_said(text: str, said: str) -> None:
    asked = ('Does this hold for "Do the monthly closing of INV-42": "Only when it rains"? ("Monthly closing of {invoice}" of'
             " help:0.md wants to know)",)  # fmt: skip
    assert said in why_not("Do the monthly closing of INV-42", text, looked_up=asked)


def test_a_page_about_an_application_that_is_not_there_is_not_followed() -> None:
    found = page(CLOSING, app="payroll")
    looked = follow("Do the monthly closing for INV-42", asking("Do the monthly closing for INV-42", found))
    assert looked.followed is None
    assert looked.uses[0].why == "there is no application payroll here"


def test_a_record_has_to_be_as_the_page_wants_it() -> None:
    text = CLOSING.replace("\n1.", "\nOnly for unpaid invoices.\n1.")
    read = clauses("Do the monthly closing for INV-42", text)[0]
    assert isinstance(read, c.Read)
    assert read.entity.filters == ("unpaid",)


def test_what_can_be_left_out_is_and_what_stands_in_the_way_is_not_the_pages_business() -> None:
    text = (
        '# Settle {invoice}\n1. (Optional) Whistle.\n2. If a dialog opens, press "Delete all".\n'
        '3. If a {date} is given, create a note titled "by {date}".\n4. Create a note titled "{invoice}".'
    )
    assert titles("Settle INV-1", text) == ["INV-1"]
    assert titles("Settle INV-1 by 2026-04-01", text) == ["by 2026-04-01", "INV-1"]


def test_a_branch_of_a_page_is_a_branch_of_the_plan() -> None:
    text = '# Settle {invoice}\n1. If {invoice} is paid, create a note titled "paid". Otherwise create a note titled "open".'
    when = clauses("Settle INV-1", text)[-1]
    assert isinstance(when, c.When)
    assert len(when.then) == len(when.otherwise) == 1


def test_of_pages_that_sound_alike_the_one_that_takes_the_goals_value_is_followed() -> None:
    alike = [
        '# Month end of a vendor\n1. Create a note titled "{vendor}".',
        '# Month end of an invoice\n1. Create a note titled "end {invoice}".',
        '# Mid-month check of an invoice\n1. Create a note titled "check {invoice}".',
    ]
    made = clauses("Do the month-end thing for INV-42", *alike)
    assert isinstance(made[0], c.Create)
    assert made[0].title.text == "end INV-42"


CENTRE = '# Settle {invoice}\n1. Create a note titled "{invoice} {cost centre}".'


def test_a_value_that_only_the_user_knows_is_asked_for_and_then_used() -> None:
    manager, goal = RulesManager(), "Settle INV-1"
    answer = manager.plan(asking(goal, CENTRE, looked_up=(goal,), trigger="supplied"))
    assert (answer.outcome, answer.ask) == ("supplement_needed", True)
    assert "What is the cost centre" in answer.query
    told = Supplement(query=answer.query, source=USER, title=answer.query, text="4711")
    planned = manager.plan(asking(goal, page(CENTRE, "help:0.md"), told, looked_up=(goal, answer.query), trigger="supplied"))
    assert planned.outcome == "planned"
    assert '"INV-1 4711"' in planned.subtasks[0].instruction


def test_without_an_answer_the_page_is_not_followed_and_the_reason_says_so() -> None:
    goal = "Settle INV-1"
    question = RulesManager().plan(asking(goal, CENTRE, looked_up=(goal,))).query
    answer = RulesManager().plan(asking(goal, CENTRE, looked_up=(goal, question), trigger="nothing_found"))
    assert answer.outcome == "infeasible"
    assert "nothing fills its slot {cost centre}" in answer.reason
    assert [(use.used, use.source) for use in answer.uses] == [(False, "help:0.md")]


def test_subtasks_say_from_which_step_of_which_page_they_come() -> None:
    answer = RulesManager().plan(asking("Do the monthly closing for INV-42. Create a note titled \"Mine\"", CLOSING))
    assert answer.outcome == "planned"
    told = [[origin.told() for origin in subtask.origin if origin.source] for subtask in answer.subtasks]
    assert told == [["step 1 of help:0.md"], ["step 2 of help:0.md"]]
    assert RulesManager().plan(asking("Create a note titled \"Mine\"")).subtasks[0].origin == ()


def test_when_a_pages_plan_fails_the_next_page_is_followed_and_the_first_one_never_again() -> None:
    first = '# Settle the month of {invoice}\n1. Open {invoice} in billing.\n2. Click "Settle".'
    second = '# Settle the month of a single {invoice}\n1. Create a note titled "{invoice}".'
    goal = "Settle the month of INV-1"
    plan = RulesManager().plan(asking(goal, first, second)).subtasks
    assert plan[0].app == "billing"
    tries = [plan[0].model_copy(update={"status": SubtaskStatus.REJECTED}), plan[0].model_copy(update={"id": "s2"})]
    failed = asking(goal, first, second, plan=tuple(tries), trigger="gate_fail", failed="s2", evidence=('there is no "Settle"',))
    answer = RulesManager().plan(failed)
    assert answer.outcome == "planned"
    assert [s.app for s in answer.subtasks if s.status is SubtaskStatus.READY] == ["notes"]
    assert [(use.source, use.failed) for use in answer.uses if use.failed] == [("help:0.md", True)]
    gone = follow(goal, asking(goal, first, second), without=[("help:0.md", "Settle the month of {invoice}")])
    assert [use.used for use in gone.uses] == [False, True]


def test_what_a_person_refused_is_not_tried_by_another_page() -> None:
    pages = [
        '# Settle {invoice}\n1. Open {invoice} in billing.\n2. Click "Settle".',
        '# Settle one {invoice}\n1. Create a note titled "{invoice}".',
    ]
    plan = RulesManager().plan(asking("Settle INV-1", *pages)).subtasks
    refused = asking("Settle INV-1", *pages, plan=plan, trigger="approval_rejected", failed="s1", refused=('click "Settle"',))
    assert RulesManager().plan(refused).outcome == "infeasible"
