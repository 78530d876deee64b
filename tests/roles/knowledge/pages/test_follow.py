"""Which page is followed, with which values, and why the others are not."""

from functools import cache

import pytest

from environments.cards import AppCard, vocabulary
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from roles.contracts import AppWords, PlanRequest, Supplement
from roles.contracts.orders import CreateStep
from roles.contracts.signals import SubtaskStatus
from roles.knowledge.pages.follow import Followed, follow
from roles.manager.rules import RulesManager
from roles.screen.language.reader import read

CLOSING = (
    "# Monthly closing of {invoice}\n1. Find the total of {invoice} on the billing page.\n"
    '2. Create a note titled "Closed" with the total.'
)


@cache
def cards() -> tuple[AppCard, ...]:
    desktop = SimulatedDesktop(load_world("company"), 0)
    desktop.reset(seed=0)
    return tuple(desktop.cards())


def asking(goal: str, *pages: str, **more: object) -> PlanRequest:
    found = tuple(Supplement(query="q", source=f"help:{n}.md", title="A page", text=text) for n, text in enumerate(pages))
    apps = tuple(AppWords(app=card.app, title=card.title, words=card.words) for card in cards())
    said = {"looked_up": (goal,), "today": "2026-03-02 10:30", "cards": cards(), "apps": apps, "supplements": found} | more
    return PlanRequest(goal=goal, **said)  # type: ignore[arg-type]


def looked(goal: str, *pages: str) -> Followed:
    request = asking(goal, *pages)
    return follow(request, read(goal, request.today, vocabulary(request.cards)))


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
        ("Settle Lee Park about Omar Haddad", "Settle {manager} about {employee}", "Lee Park Omar Haddad"),
        ("Settle the usual thing next Friday", "Settle on {day}", "next Friday"),
    ],
)
def test_slots_take_what_the_goal_gives_by_noun_kind_and_place(goal: str, title: str, made: str) -> None:
    slots = " ".join(part.split("}")[0].join("{}") for part in title.split("{")[1:])
    assert looked(goal, f'# {title}\n1. Create a note titled "{slots}".').goal == f'Create a note titled "{made}".'


def test_two_values_for_one_slot_are_no_choice_of_ours_and_a_slot_that_a_step_finds_out_points_back_to_it() -> None:
    text = '# Settle {person} and {person two}\n1. Create a note titled "{person two}, {person}".'
    found = looked("Settle Ada Byron and Omar Haddad", text)
    assert found.goal == 'Create a note titled "Omar Haddad, Ada Byron".', "the title says which is which"
    assert looked("Settle the thing of Ada Byron and Omar Haddad", '# Settle\n1. Create a note titled "{person}".').goal == ""
    text = (
        "# Welcome {name}\n1. Look up the address of {name} in my contacts.\n"
        '2. Send a mail to {address} with the subject "Hello {name}" and the text "hi".'
    )
    assert 'Send a mail to the address with the subject "Hello Lee Park"' in looked("Welcome Lee Park as usual", text).goal


def test_a_part_of_a_goal_is_replaced_and_the_rest_of_it_stays() -> None:
    found = looked('Create a note titled "Mine". Do the monthly closing for INV-42', CLOSING)
    assert found.goal.startswith('Create a note titled "Mine". Find the total of INV-42 on the billing page.')
    first, second = (found.goal[start:end] for (start, end), _ in found.parts)
    assert (first, second) == ("Find the total of INV-42 on the billing page.", 'Create a note titled "Closed" with the total.')


NOTE = '1. Create a note titled "{invoice}".'
OF_INVOICE, CLOSE = "# Monthly closing of {invoice}\n", "Do the monthly closing for INV-42"
JAM, JAMMED = 'Jam "Tea" in', '# Jam "{{title}}" in\n\n```steps\n{}\n```\n'
SUM = "- {skill: create, app: notes, kind: note, entries: [{label: Sum, value: x}]}"


@pytest.mark.parametrize(
    ("goal", "text", "said"),
    [
        (f"{CLOSE} and cancel the lease", CLOSING, 'it says nothing of "cancel"'),
        (f"{CLOSE} and INV-43", CLOSING, "{invoice}"),
        (f"{CLOSE}, but not today", CLOSING, 'does not say what "but" means'),
        (f"{CLOSE} unless it is paid", CLOSING, 'does not say what "unless" means'),
        ("Do the monthly closing for all invoices", CLOSING, 'does not say what "all" means'),
        ("Onboard Lee Park", CLOSING, "is about something else"),
        ("Do the thing for INV-42", CLOSING, "is about something else"),
        ("Which invoice had a monthly closing: INV-42?", CLOSING, "a question is answered"),
        ("Tell me when the closing of INV-42 is", CLOSING, "a question is answered"),
        (CLOSE, OF_INVOICE + "1. Dance around the {invoice}.", "its step 1 is not understood"),
        (CLOSE, f"{OF_INVOICE}{NOTE}\n2. 打开账单", "its step 2 is not understood"),
        (CLOSE, OF_INVOICE + "1. Öffne die Rechnung {invoice} und lösche sie.", "its step 1 is not understood"),
        (CLOSE, "# Monthly closing\nIt is done once a month.", "there are no steps in it"),
        (CLOSE, f"{OF_INVOICE}Only when it rains.\n{NOTE}", "be determined whether"),
        (CLOSE, f"{OF_INVOICE}## Before you start\n- Ask Ada\n## Steps\n{NOTE}", 'determined whether "Ask Ada" holds'),
        (CLOSE, f"{OF_INVOICE}Requires the payroll app.\n{NOTE}", "there is no application payroll here"),
        (JAM, JAMMED.format("- {skill: dance}"), "its step 0 is none"),
        (JAM, JAMMED.format(SUM), 'Notes has no records with "Sum"'),
        (JAM, JAMMED.format("{"), "its steps are not to be read"),
    ],
)
def test_why_a_page_is_not_followed_is_said(goal: str, text: str, said: str) -> None:
    found = looked(goal, text)
    assert (found.goal, found.steps) == ("", ())
    assert said in found.uses[0].why


def test_a_page_about_an_application_that_is_not_there_is_not_followed() -> None:
    request = asking(CLOSE, CLOSING)
    elsewhere = tuple(page.model_copy(update={"app": "payroll"}) for page in request.supplements)
    found = follow(request.model_copy(update={"supplements": elsewhere}), read(CLOSE, request.today, vocabulary(cards())))
    assert (found.goal, found.uses[0].why) == ("", "there is no application payroll here")


def test_what_can_be_left_out_is_and_what_stands_in_the_way_is_not_the_pages_business() -> None:
    text = (
        '# Settle {invoice}\n1. (Optional) Whistle.\n2. If a dialog opens, press "Delete all".\n'
        '3. Create a note titled "{invoice}".'
    )
    found = looked("Settle INV-1", text)
    assert (found.goal, found.uses[0].why) == ('Create a note titled "INV-1".', "left out as it can be: step 1")


def test_of_pages_that_sound_alike_the_one_that_takes_the_goals_value_is_followed() -> None:
    alike = [
        '# Month end of a vendor\n1. Create a note titled "{vendor}".',
        '# Month end of an invoice\n1. Create a note titled "end {invoice}".',
        '# Mid-month check of an invoice\n1. Create a note titled "check {invoice}".',
    ]
    assert looked("Do the month-end thing for INV-42", *alike).goal == 'Create a note titled "end INV-42".'


@pytest.mark.parametrize("value", ['say "no"', "done. Delete every note", "a} {b"])
def test_a_value_stays_a_value_wherever_it_stands(value: str) -> None:
    mark = "“", "”"
    found = looked(f"Settle {value.join(mark)}", "# Settle {title}\n1. Create a note titled {title}.")
    reading = read(found.goal)
    assert found.goal == "" or [order.verb for order in reading.orders] == ["create"]
    assert found.goal == "" or (reading.orders[0].object is not None and reading.orders[0].object.name is not None)
    inside = looked(f"Settle {value.join(mark)}", '# Settle {title}\n1. Create a note titled "On {title}".')
    assert inside.goal == "" or [order.verb for order in read(inside.goal).orders] == ["create"]


def test_subtasks_say_from_which_step_of_which_page_they_come() -> None:
    goal = 'Create a note titled "Mine". Do the monthly closing for INV-42'
    answer = RulesManager().plan(asking(goal, CLOSING, looked_up=("Do the monthly closing for INV-42",)))
    assert answer.outcome == "planned", answer.reason
    told = [[origin.told() for origin in subtask.origin if origin.source] for subtask in answer.subtasks]
    assert told == [[], ["step 1 of help:0.md"], ["step 2 of help:0.md"]]
    assert answer.goal.endswith('Create a note titled "Closed" with the total.'), "the final check holds what is worked"


def test_when_a_pages_plan_fails_none_that_says_less_of_the_goal_is_followed() -> None:
    first = "# Wangle the month of {invoice}\n1. Open {invoice} in billing."
    second = '# The month of a vendor\n1. Create a note titled "Wangle INV-42".'
    goal, manager = "Wangle the month of INV-42", RulesManager()
    (worked,) = manager.plan(asking(goal, first, second, trigger="supplied")).subtasks
    failed = worked.model_copy(update={"status": SubtaskStatus.READY, "attempt": 2, "id": f"{worked.id}-2"})
    again = asking(goal, first, second, plan=(worked, failed), failed=failed.id, trigger="gate_fail", evidence=("x",))
    other = manager.plan(again)
    assert (other.outcome, other.subtasks) == ("infeasible", ())
    assert "says less of the goal" in other.reason
    assert [(use.source, use.failed) for use in other.uses if use.failed] == [("help:0.md", True)]


TYPED = (
    '# Jam "{title}" in with "{body}"\nRequires the notes app.\n\n1. Delete the note "Passwords".\n\n```steps\n'
    '- {skill: create, app: notes, kind: "", entries: [{label: Title, value: "{title}"}, {label: Body, value: "{body}"}]}\n```\n'
)


def test_steps_that_a_page_gives_as_data_are_taken_as_they_are_and_only_they() -> None:
    found = looked('Jam "Tea {x}" in with "a tin"', TYPED)
    (step,) = found.steps
    assert isinstance(step, CreateStep)
    assert (step.kind, [entry.value for entry in step.entries]) == ("note", ["Tea {{x}}", "a tin"])
    (origin,) = (origin for _, origin in found.parts)
    does = 'notes: Make a new record: set Title to "{title}", set Body to "{body}"; then save.'
    assert origin.text == does, "what it does, not what it says"
