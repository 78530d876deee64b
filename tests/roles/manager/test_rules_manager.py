"""Goals in plain words, from the words to what is so in a real simulated world; and what is refused before anything is done."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support import one_in
from worked.runs import approve
from worlds import packing

from deskcrew import Crew
from environments.cards import AppCard
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import WorldSpec, load_world, parse_world
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task
from protocol import ActionTarget, Click, OperatorDecision
from roles.contracts import Fact, OperatorView, PlanRequest
from roles.contracts.orders import CollectStep, ComputeStep, CreateStep, FillStep, PressStep, Reading, Step
from roles.contracts.wording import describe
from roles.manager.rules import RulesManager
from roles.operator.rules import RulesOperator
from roles.policies.orders.planner import steps_of
from roles.screen.language.reader import read

TODAY = "2026-05-07 09:00"


@cache
def cards() -> tuple[AppCard, ...]:
    return tuple(SimulatedDesktop(load_world("company"), 0).cards())


def steps(goal: str, *facts: Fact) -> list[Step] | str:
    return steps_of(read(goal, TODAY), cards(), facts)


def table(name: str, columns: str, *rows: str) -> Fact:
    cells = ",".join("[" + ",".join(f'"{cell}"' for cell in row.split("|")) + "]" for row in rows)
    heads = ",".join(f'"{column}"' for column in columns.split("|"))
    return Fact(name=name, kind="table", value=f'{{"columns":[{heads}],"rows":[{cells}]}}')


def worked(goal: str, world: str, tmp_path: Path) -> tuple[str, dict[str, Any], str]:
    """How it ended, the world after it, and what was answered."""
    task = Task.model_validate({"goal": goal, "world": world, "seed": 0, "success": ["true"], "changes": []})
    own = [f'runs_dir="{tmp_path}"', f'knowledge.store="{tmp_path}/knowledge.sqlite"', 'display="none"']
    crew = Crew.from_config(overrides=[*own, f"world={world}", "seed=0"])
    ended = crew.run(task, approver=approve)
    changed = {path: True for path in (ended.report.get("judge") or {}).get("side_effects", ())}
    answer = next((fact["value"] for fact in ended.report.get("facts", ()) if fact["name"] == "answer"), "")
    return ended.status, changed, str(answer)


@pytest.mark.parametrize(
    ("goal", "world", "changed"),
    [
        *one_in(4, [
            ('Delete every note about the budget except "Budget review 3"', "company", ["apps.notes.notes.11"]),
            ("Archive all mails from Iris", "company", [f"apps.mail.messages.{n}.folder" for n in (8, 9, 17)]),
            ('If INV-1200 is unpaid, make a note called "Open". Otherwise delete the note "Travel plan".', "company",
             ["apps.notes.notes.5"]),
            ('Write the due date of INV-1550 into the note "Travel plan"', "company", ["apps.notes.notes.5.body"]),
            ('Reply to all unread mails from Iris with "Noted"', "company", ["apps.mail.messages.25", "apps.mail.messages.26"]),
            ("Add Ada Weber and Zoe Moreau to the group Friends", "company",
             ["apps.contacts.contacts.2.groups", "apps.contacts.contacts.4.groups"]),
            ("Enable notifications and set the language to French", "company", ["apps.settings.account.language"]),
            ("Mute the sound and set the brightness to 30", "office",
             ["apps.settings.device.muted", "apps.settings.device.brightness"]),
            ("Claim the two cheapest unpaid invoices", "office",
             ["apps.reimbursement.claims.R-0001", "apps.reimbursement.claims.R-0002"]),
            ("Turn off all lights except the one in the kitchen", "smart-home", ["apps.home.devices.hall-light.on"]),
            ("Submit a claim for INV-1200 with category Travel", "company", ["apps.reimbursement.claims.R-0001"]),
            ("If I am free next Friday from 2 to 4 pm, put 'Tax' into it from 3 to 4.", "diary", ["apps.calendar.meetings.1"]),
            ("Postpone the team lunch by half an hour", "company",
             ["apps.calendar.meetings.5.start", "apps.calendar.meetings.5.end"]),
            ("Maria can't come to the supplier call. Remove her from it.", "diary",
             ["apps.calendar.meetings.supplier.attendees"]),
            ("Move the second meeting on June 1 to Room 2.", "company", ["apps.calendar.meetings.4.place"]),
            ("Remind me one hour before the interview.", "diary", ["apps.calendar.meetings.interview.reminder"]),
            ("Unmute everybody in chat.", "company", ["apps.chat.conversations.10.muted", "apps.chat.conversations.13.muted"]),
        ]),
        ('Change the title of the note "Travel plan" to "Old plan". Then create a note titled "Rain" with the text "tea"',
         "office", ["apps.notes.notes.5.title", "apps.notes.notes.7"]),
        ('Change the enable notifications to "no"', "company", ["apps.settings.account.notifications"]),
        ('Create a contact with the name "Nina Vogel" and the private number "no"', "company", ["apps.contacts.contacts.25"]),
        ('Create a contact with the name "Nina Vogel" and the private number "yes"', "company", ["apps.contacts.contacts.25"]),
        ('Create a file "/Reports/plan.txt" with the content "tea"', "office", ["apps.files.entries./Reports/plan.txt"]),
        ('Change the title of the note "Travel plan" to "Old plan" and the text to "tea"', "office",
         ["apps.notes.notes.5.body", "apps.notes.notes.5.title"]),
        ('Save a draft with the subject "Rain"', "phone", ["apps.mail.messages.19"]),
        ('Create a note titled "Rain" with the text "tea". Then, in Settings, set the language to "Deutsch"', "office",
         ["apps.notes.notes.7", "apps.settings.account.language"]),
        ('Set the language to "English"', "office", []),  # as it is already
        ('Delete the note "Training day" unless INV-1200 is paid', "company", []),
        *one_in(3, [
            ("Maria Novak sent me her new phone number in chat. Update it in my contacts.", "people",
             ["apps.contacts.contacts.marian.phone"]),
            ('Set the place of "Planning" to "Room 9". Lee Park wrote to me in chat which room "Team lunch" takes place in. '
             "Put that room into the meeting as its place.", "diary",
             ["apps.calendar.meetings.lunch.place", "apps.calendar.meetings.planning.place"]),
            ('Move "Audit" to 2026-03-12 at the same time, just as long as it was (until 16:00).', "diary",
             ["apps.calendar.meetings.audit.end", "apps.calendar.meetings.audit.start"]),
            ("I want everything in German.", "company", ["apps.settings.account.language"]),
        ]),
    ],
)  # fmt: skip
def test_exactly_what_is_asked_for_is_changed(goal: str, world: str, changed: list[str], tmp_path: Path) -> None:
    status, found, _ = worked(goal, world, tmp_path)
    assert (status, sorted(found)) == ("fulfilled", sorted(changed))


@pytest.mark.parametrize(
    ("goal", "world"),
    [
        ("Omar Brandt has a new email address and told me in chat. Change it in my contacts.", "people"),
        ("Dana Whitlock wrote to me in chat which date the review takes place in. Put that date into a note.", "diary"),
        ('Move "Audit" to 14:00, just as long as it was (until 16:00).', "diary"),
        ("Sort the Expenses sheet by colour.", "company"),
    ],
)
def test_what_no_text_says_for_certain_and_what_contradicts_itself_is_refused(goal: str, world: str, tmp_path: Path) -> None:
    status, found, _ = worked(goal, world, tmp_path)
    assert (status, found) == ("rejected", {})


def played(goal: str, world: WorldSpec, tmp_path: Path) -> tuple[Outcome, dict[str, Any]]:
    """How it ended in a world that is given, and the applications after it."""
    desktop = SimulatedDesktop(world, seed=0)
    crew = Crew.from_config(overrides=[f'runs_dir="{tmp_path}"', 'display="none"'], environment=desktop)
    ended = crew.run(goal, approver=approve)
    return ended, desktop.world()["apps"]


def test_what_is_excepted_is_called_exactly_so_and_nothing_is_worked_out_over_a_name_that_no_record_has(tmp_path: Path) -> None:
    notes = ", ".join(f"{{title: {title}}}" for title in ("Berth", "Berth old", "Berths", "Paint"))
    world = parse_world(f"name: near\nabout: Nearly the same.\napps: {{notes: {{notes: [{notes}]}}}}")
    ended, apps = played("Delete all notes except Berth", world, tmp_path)
    assert (ended.status, [note["title"] for note in apps["notes"]["notes"].values()]) == ("fulfilled", ["Berth"])
    goal = 'Put the sum of the totals of all Quillon Vantage invoices into a new note called "S"'
    ended, _ = played(goal, load_world("company"), tmp_path)
    assert (ended.status, "Quillon Vantage" in ended.reason) == ("rejected", True)


@pytest.mark.parametrize(
    ("goal", "items", "trips"),
    [
        ("Mark Tent as done", "Tent+ Rope+ Lamp", "Alps+ Coast"),
        ("Tick off Lamp", "Tent Rope+ Lamp+", "Alps+ Coast"),
        ("Untick Rope", "Tent Rope Lamp", "Alps+ Coast"),
        ("Tick all items", "Tent+ Rope+ Lamp+", "Alps+ Coast"),
        ("Tick all items except Lamp", "Tent+ Rope+ Lamp", "Alps+ Coast"),
        ("Mark all trips as booked", "Tent Rope+ Lamp", "Alps+ Coast+"),
        ("Mark Alps as booked", "Tent Rope+ Lamp", "Alps+ Coast"),
        ("Mark Alps as not booked", "Tent Rope+ Lamp", "Alps Coast"),
        ("Remove all items except Rope", "Rope+", "Alps+ Coast"),
        ("Add an item called Map", "Tent Rope+ Lamp Map", "Alps+ Coast"),
        ('Add an item "Map"', "Tent Rope+ Lamp Map", "Alps+ Coast"),
        ('Add "Map" to my packing list', "Tent Rope+ Lamp Map", "Alps+ Coast"),
        ('Add "Map" and "Pan" to my packing list', "Tent Rope+ Lamp Map Pan", "Alps+ Coast"),
        ('Create an item "Map" and tick it', "Tent Rope+ Lamp Map+", "Alps+ Coast"),
    ],
)
def test_boxes_of_records_are_ticked_and_a_field_beside_their_list_makes_new_ones(
    goal: str, items: str, trips: str, tmp_path: Path
) -> None:
    with packing.registered():
        outcome, apps = played(goal, parse_world(packing.WORLD), tmp_path)
    there = apps["packing"]
    shown = [" ".join(one["title"] + "+" * one["ticked"] for one in there[kept].values()) for kept in ("items", "trips")]
    assert (outcome.status, shown) == ("fulfilled", [items, trips]), outcome.reason


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("How many notes are there?", "14"),
        ("What is the email address of Zoe Moreau?", "zoe.moreau@example.com"),
        ("When is the team lunch?", "Thu 14 May 2026"),
        ("Search for invoices over 1000 and tell me how many there are", "21"),
    ],
)
def test_a_question_is_answered_and_nothing_is_changed(goal: str, said: str, tmp_path: Path) -> None:
    assert worked(goal, "company", tmp_path) == ("fulfilled", {}, said)


def test_who_has_no_address_is_not_left_out_in_silence() -> None:
    people = table(
        "everyone in the group Suppliers", "Name|Email|Groups", "Ada Weber|ada@example.com|Suppliers", "Pavel Varga||Suppliers"
    )
    said = steps("Email everyone in the group Suppliers that the office is closed", people)
    assert said == '"everyone in the group Suppliers": no Email is known of Pavel Varga'


@pytest.mark.parametrize(
    ("goal", "facts", "entries"),
    [
        ('Mail Zoe Moreau the total of invoice INV-1200 with the subject "Total"', (),
         {"To": "{email of Zoe Moreau}", "Subject": "Total", "Message": "{total of invoice INV-1200}"}),
        ('Send a mail to the attendees of the appointment "Team lunch" with the subject "Hi" saying "See you"',
         (Fact(name='attendees of appointment "Team lunch', value="Ada Weber, Zoe Moreau"),),
         {"To": "{email of contact Ada Weber}, {email of contact Zoe Moreau}"}),
        ('Create a meeting called "Review" with Ada Weber and Lee Park on May 15 at 10', (),
         {"Attendees": "Ada Weber, Lee Park"}),
        ("How many notes are there, and what are they called? Put both into a note called All.",
         (Fact(name="How many notes are there", value="14"), table("notes", "Title", "Plan", "Trip")),
         {"Body": "{How many notes are there}\nPlan, Trip"}),
        ("Copy the phone number of Zoe Moreau to the contact Ada Weber", (), {"Phone": "{phone of Zoe Moreau}"}),
        ('Move the appointment "Team lunch" to May 15 at 12:00',
         (Fact(name='time of appointment "Team lunch', value="10:00–11:45"),),
         {"Start date": "2026-05-15", "Start time": "12:00", "End time": "13:45"}),
    ],
)  # fmt: skip
def test_what_is_written_is_looked_up_where_it_is_kept(goal: str, facts: tuple[Fact, ...], entries: dict[str, str]) -> None:
    (form,) = [step for step in steps(goal, *facts) if isinstance(step, CreateStep | FillStep)]
    assert {entry.label: entry.value for entry in form.entries if entry.label in entries} == entries


@pytest.mark.parametrize(
    ("goal", "known"),
    [
        ('Create a note titled "Total" with the sum of all unpaid invoices',
         table("all unpaid invoices", "Number|Total", "A|$2")),
        ('Make a note for every invoice over 900 with the number as title. Then write the sum of their totals into the note "A"',
         table("every invoice over 900", "Number|Total", "INV-1|$950.00", "INV-2|$990.00")),
    ],
)  # fmt: skip
def test_a_sum_is_that_of_what_was_collected(goal: str, known: Fact) -> None:
    (formula,) = [step.formula for step in steps(goal, known) if isinstance(step, ComputeStep)]
    assert formula.startswith(f'fact "{known.name}')
    assert formula.endswith("sum [Total]")


def test_what_is_not_known_is_collected_first_and_then_each_one_is_done() -> None:
    first = steps("Delete all my notes")
    assert isinstance(first, list)
    assert [type(step) for step in first] == [CollectStep]
    known = table("all my notes", "Title", "Plans", "Old {braces}")
    then = steps("Delete all my notes", known)
    presses = [step for step in then if isinstance(step, PressStep)]
    assert [step.records.tests[0].value for step in presses if step.records] == ["Plans", "Old {{braces}}"]


@pytest.mark.parametrize(
    ("goal", "known", "part"),
    [
        ("Delete a note", (), "exactly=1"),
        ("Delete everyone in my contacts but Ada Weber", (), "but=((RowTest(label='Name', relation='is', value='Ada Weber'"),
        ("Remove everyone from the group Friends", (), "RowTest(label='Groups', relation='has', value='Friends'"),
        ("Create a contact Nina Vogel in the groups Friends and Family", (), "label='Groups', value='Friends, Family'"),
        ("Delete the oldest mail from Iris", ("A|iris@example.com", "B|iris@example.com"), "should be 1"),
        ("Delete both mails from Iris", ("A|iris@example.com",), "should be 2"),
    ],
)
def test_what_is_meant_is_in_the_steps_and_so_many_as_are_said_are_worked_on(
    goal: str, known: tuple[str, ...], part: str
) -> None:
    named = goal.removeprefix("Delete the ").removeprefix("Delete ")
    assert part in str(steps(goal, *([table(named, "Subject|From", *known)] if known else [])))


@pytest.mark.parametrize(
    ("goal", "commit"),
    [
        ('Create a note called "Plan" with the text "Buy tea", but do not save it', ""),
        ('Write a mail to zoe.moreau@example.com with the subject "Hi" saying "See you", but do not send it', "save"),
    ],
)
def test_what_must_not_be_done_ends_no_form(goal: str, commit: str) -> None:
    assert [step.commit for step in steps(goal) if isinstance(step, CreateStep)] == [commit]


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("Translate the note \"Plan\" into German", "no application can"),
        ("Open the payroll app", "there is no application called"),
        ("How many notes are left?", '"left" is not known'),
        ('Tell Zoe Moreau that the pump is fixed', "by which application"),
        ("Forget about the thing with the stuff", "not understood"),
        ("Delete everyone in the Chess group from my contacts", "several at once"),
        ('Delete the note "Plan", but do not open it', "opened"),
        ("Delete Zoe Moreau's phone number", "not with a contact"),
        ('Put the product "Lamp" into the cart', "cannot be done with a product"),
        ("Delete the song Travel plan", 'no application holds "song"'),
        ("Create a meeting called Plan on May 15 from 11:00 to 10:00", "not understood"),
        ('Delete the note "Travel plan" for Ada with the category "Old"', "for Ada"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_refused_in_one_sentence(goal: str, words: str) -> None:
    request = PlanRequest(goal=goal, cards=cards(), today=TODAY)
    answer = RulesManager().plan(request)
    if answer.outcome == "supplement_needed":
        answer = RulesManager().plan(request.model_copy(update={"looked_up": (answer.query,), "trigger": "nothing_found"}))
    assert answer.outcome == "infeasible"
    assert words in answer.reason
    assert "\n" not in answer.reason


def test_what_cannot_be_planned_gives_its_reason_in_plain_english() -> None:
    made = steps('Make a note called "Plan" that says "Buy tea"')
    assert isinstance(made, list)
    assert [describe(step) for step in made] == ['Make a new note: set Title to "Plan", set Body to "Buy tea"; then save']
    answer = RulesManager().plan(PlanRequest(goal='Do not delete the note "Plan"', cards=cards(), today=TODAY))
    assert answer.outcome == "infeasible"
    assert "nothing to do" in answer.reason
    assert steps_of(Reading(goal=""), cards(), ()) == "the goal names nothing to do"


def test_a_day_is_asked_for_where_it_may_be_several() -> None:
    assert isinstance(steps("Find invoice INV-1200. Create a meeting called Pay on that day from 09:00 to 09:30"), str)


def test_a_draft_is_kept_and_never_sent(tmp_path: Path) -> None:
    class Sends(RulesOperator):
        def decide(self, view: OperatorView) -> OperatorDecision:
            decision = super().decide(view)
            target = decision.action.target if decision.action is not None else None
            if target is None or target.text != "Save draft":
                return decision
            return decision.model_copy(update={"action": Click(target=ActionTarget(text="Send")), "then": ()})

    def ended(**parts: Any) -> Any:
        success = ['world.apps.mail.messages.exists(m, world.apps.mail.messages[m].folder == "Drafts")']
        goal = 'In Mail, save a draft to "emeka.castro@example.com" with the cc "pavel.sato@example.com"'
        task = Task.model_validate({"goal": goal, "world": "phone", "success": success, "changes": ["apps.mail.messages.+"]})
        loaded = load_settings(overrides=[f'runs_dir="{tmp_path}"', "world=phone", "limits.replans=0"])
        return start(loaded, task, approver=approve, parts=parts)

    kept = ended()
    assert (kept.status, kept.report["judge"]["passed"], kept.report["judge"]["clean"]) == ("fulfilled", True, True)
    assert ended(operator=Sends()).status == "rejected"
