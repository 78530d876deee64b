"""The orders of a goal are held against what the steps of a run did: nothing of it rests on the plan or on what a worker says."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from worked.runs import approve
from worlds import lockers
from worlds.loans import registered

from environments.cards import vocabulary
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task
from orchestrator.views.terminal.event_lines import ledger_line
from protocol import ExecStatus, GUIElement, VisualState
from roles.contracts import Fact, GateRequest, GateVerdict, StepRecord
from roles.contracts.orders import GoalLedger, LedgerEntry, Of, Order, Pick, Reading, Slot, Text, Thing
from roles.contracts.orders import Test as Holds
from roles.contracts.signals import GateTrigger
from roles.evaluator.effects import effects_of
from roles.evaluator.fitting import fits, says, tells
from roles.evaluator.ledger import ledger
from roles.evaluator.rules import RulesEvaluator
from roles.journal.journal import Journal
from roles.policies.llm.subtask_words import ledger_told
from roles.screen.language.reader import read
from roles.screen.rows import Row


class Run(NamedTuple):
    """A run of the crew with rules, as its final check saw it."""

    request: GateRequest
    screens: Mapping[str, VisualState]
    status: str
    ledger: tuple[Mapping[str, Any], ...]

    def held(self, goal: str = "", without: Callable[[Any], bool] = lambda step: False) -> GoalLedger:
        """The ledger of a goal over the steps of this run, some of which are taken out."""
        steps = tuple(step for step in self.request.steps if not without(step))
        return ledger(read(goal or self.request.goal), self.request.model_copy(update={"steps": steps}), self.screens.get)


class Watching(RulesEvaluator):
    """Keeps what it is asked last, which is the final check."""

    asked: GateRequest

    def judge(self, request: GateRequest) -> GateVerdict:
        self.asked = request
        return super().judge(request)


def started(goal: str, world: str, success: str, changes: str, folder: Path, **parts: Any) -> Outcome:
    """A run of rules, every approval given."""
    task = Task.model_validate({"goal": goal, "world": world, "success": [success], "changes": [f"apps.{changes}"]})
    settings = load_settings(overrides=["seed=0", f"runs_dir={folder}"], task_layer=task.layer())
    return start(settings, task, approver=approve, parts=parts)


def worked(goal: str, folder: Path, world: str = "office") -> Run:
    watching = Watching()
    outcome = started(goal, world, "true", "*", folder, evaluator=watching)
    request, journal = watching.asked, Journal(outcome.folder / "journal.sqlite", time.time)
    known = {state.state_id: state for state in (*request.screens, *request.earlier)}
    older = {i for step in request.steps for i in (step.before, step.after) if i} - known.keys()
    known |= {i: state for i in older if (state := journal.screens.get(i)) is not None}
    journal.close()
    return Run(request, known, outcome.status, tuple(outcome.report["ledger"]))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return worked('Delete all notes except "Printer order"', tmp_path_factory.mktemp("notes"))


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Run:
    goal = 'Send lee.park@example.com a mail with the subject "Lunch" saying "See you at noon"'
    return worked(goal, tmp_path_factory.mktemp("mail"))


def states(held: GoalLedger) -> list[str]:
    return [entry.state for entry in held.entries]


def told(held: GoalLedger) -> list[str]:
    """How each part of a goal stands; of what nobody asked for why it may not be."""
    return [entry.why if entry.kind == "besides" else entry.state for entry in held.entries]


def test_a_run_that_did_all_of_it_shows_every_order_with_its_evidence(notes: Run, mail: Run) -> None:
    for run in (notes, mail):
        assert run.status == "fulfilled"
        assert {entry["state"] for entry in run.ledger} == {"shown"}
        assert any(name.startswith("step:") for name in run.ledger[0]["evidence"])


def test_where_the_list_was_not_seen_whole_only_the_table_of_a_look_over_it_says_what_all_are(notes: Run) -> None:
    """Where the list itself does not tell, each record was opened for it."""
    pages = {i for i, state in notes.screens.items() if any(e.name in {"Next", "Previous"} for e in state.elements)}
    unseen = notes.request.model_copy(update={"screens": (), "earlier": ()})
    deletes = [step for step in unseen.steps if step.verb == "delete"]
    one_less = tuple(step for step in unseen.steps if step != deletes[-1])
    for changes, state in (({}, "shown"), ({"steps": one_less}, "missing"), ({"facts": ()}, "missing")):
        request = unseen.model_copy(update=changes)
        held = ledger(read(unseen.goal), request, lambda name: None if name in pages else notes.screens.get(name))
        assert states(held)[0] == state
    whole = notes.held(without=lambda step: step.step == deletes[-1].step)
    assert (states(whole)[0], "not done to" in whole.entries[0].why) == ("missing", True), "where the list was seen whole"


def test_what_is_excepted_may_not_be_touched(notes: Run) -> None:
    gone = next(e for e in effects_of(notes.request.steps, notes.screens.get, {}) if "delete" in e.words)
    title = next(value.value for value in gone.values if value.label == "Title")
    held = notes.held(f'Delete all notes except "{title}"')
    assert "forbidden" in states(held)
    kept = notes.held(f'Delete all notes. Leave "{title}" alone.')
    assert states(kept).count("forbidden") == 2  # it is excepted, and it was to be kept


MAIL = 'lee.park@example.com a mail with the subject "Lunch" saying "See you at noon"'
SPEECH = 'Send lee.park@example.com a mail, subject "Lunch", that'


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        (f"Send {MAIL.replace('Lunch', 'Dinner')}", ["missing"]),
        (f"Send {MAIL.replace('noon', 'one')}", ["missing"]),
        (f"Send {MAIL.replace('lee.park', 'dana.whitlock')}", ["missing"]),
        (f"Write {MAIL} but do not send it", ["shown", "forbidden"]),
        (f"Send {MAIL} and flumox the quibbles", ["unread"]),
        (f"{SPEECH} they see me at noon", ["shown"]),  # in another person
        (f"{SPEECH} they never see me at noon", ["missing"]),
        (f"{SPEECH} I am late", ["missing"]),
    ],
)
def test_a_mail_that_was_sent_is_held_to_another_goal(mail: Run, goal: str, parts: list[str]) -> None:
    held = mail.held(goal)
    assert told(held) == parts
    assert bool(held.unproven) is ("unread" in parts)


def test_what_a_run_has_made_itself_is_not_what_a_condition_asks_about(tmp_path: Path) -> None:
    run = worked('Create a note titled "Milk" with the text "two bottles"', tmp_path)
    held = run.held('If there is no note called "Milk", create a note titled "Milk" with the text "two bottles"')
    assert held.entries[0].state != "forbidden"
    assert held.entries[0].state == "shown" or not held.entries[0].sure, "a model may say so, and code says nothing for certain"


def test_records_are_held_by_what_they_show() -> None:
    cells = (("Number", "INV-7"), ("Vendor", "Acme"), ("Status", "Overdue"))
    row = Row("INV-7 · Acme · Overdue · $20.00", "", cells, track="row-7")
    paid = Holds(value=Text(text="paid"))
    assert fits(Thing(kind="invoice", tests=(paid,)), row) is False
    assert fits(Thing(kind="invoice", tests=(paid.model_copy(update={"negated": True}),)), row) is True
    about = Holds(relation="about", value=Text(text="chairs"))
    assert fits(Thing(kind="invoice", tests=(about,)), row) is None


@pytest.mark.parametrize(
    ("known_by", "text", "wanted", "holds"),
    [
        (says, "Total: $1,059.73", "1059.73", True), (says, "on 5 March 2026", "2026-03-05", True),
        (says, "lee.park@example.com", "Lee Park", True),
        (says, "Track 83", "Track 8", False), (says, "INV-70291", "INV-7029", False), (says, "unpaid", "paid", False),
        (tells, "Text: It comes to 2053.7", "2053.70", False), (tells, "Text: It comes to 2,053.70.", "2053.70", True),
        (tells, "Amount: 2053.7", "2053.70", True), (tells, "Text: 53.00 in all", "53", True),
        (tells, "Text: 2.053,70 €", "2,053.70 €", True),
    ],
)  # fmt: skip
def test_values_are_known_in_any_spelling_an_amount_among_words_by_all_its_decimals(
    known_by: Callable[[str, str], bool], text: str, wanted: str, holds: bool
) -> None:
    assert known_by(text, wanted) is holds


def test_what_is_made_by_a_button_of_any_name_is_made_and_a_second_one_is_seen_to_be_one(tmp_path: Path) -> None:
    with registered():
        path = tmp_path / "library.yaml"
        path.write_text("name: shelves\napps: {library: {loans: [{title: Emma, reader: Bo Lind}]}}\nopen: [library]\n", "utf-8")
        goal = 'Create a loan called "Fog" with the reader Ann Lee'
        run = worked(f"{goal}. {goal}.", tmp_path / "runs", str(path))
        once = run.held(f"{goal}. Let nobody be any the wiser about it.")
        assert [entry.why for entry in once.entries if entry.state == "forbidden"] == ["it was made already"]
        assert states(run.held(goal, without=lambda step: step.target == "Lend it")) == ["missing"]


FILLED = 'Enter "$12.50" as the amount in the reimbursement form'
PLACED = 'Set the place of the event Planning to "Room 4"'
LATER = "Move the event Planning one hour later"
RENAMED = 'Rename the event Planning to "Planning Q2" and set its place to Room'
SYNC = 'Create a meeting called "Sync" on 2026-03-04 at 15:00 for 45 minutes'
BOTH, REVIEW = "Lee Park and Dana Whitlock", "Move the design review"
OFF = "that practice is cancelled"
PHONE = "Change the phone number of Uma Weber to +1 555 000"
UNLESS = "Delete the contact Uma Weber, unless she belongs to the group"
TITLE = 'Change the title of the note "Travel plan'
TEA, CART = 'Add "tea" to the note "Printer order".', "Put 2 Kettle Calm into my cart"
MILK, BREAD = 'Create a note titled "Milk" with the text "two bottles".', 'Create a note titled "Bread" with the text "a loaf".'
BINNED = 'Delete the note "Printer order"'
AB, BA = 'Create a note titled "A" with the text "B".', 'Create a note titled "B" with the text "A".'
MARIA, LEE = 'Send "On my way" to Maria Novak in chat.', 'Send "On my way" to Lee Park in chat.'
BESIDES, AGAIN = "no order asks for it", "it was made already"


@pytest.mark.parametrize(
    ("world", "goal", "others"),
    [
        ("office", "Set the brightness to 30 and set the volume to 60", {"": ["shown", "shown"]}),
        ("office", "Set the brightness to 30", {"Set the volume to 30": ["missing"], "Raise the brightness to 30": ["missing"]}),
        ("office", 'Delete the notes whose titles begin with "P", archive every mail whose subject does not start with "T"',
         {"": ["shown", "shown"]}),
        ("office", f"{BINNED}, move the newest mail to Trash", {"": ["shown", "shown"]}),
        ("diary", PLACED, {"": ["shown"],  # that something was saved does not tell what for
            "Archive the event Planning": ["missing"], "Remove the event Planning": ["missing"],
            "Postpone the event Planning": ["missing"], "Share the event Planning with Bo Lind": ["missing"],
            "Move the event Planning to the folder Old": ["missing"], LATER: ["missing"],
        }),
        ("diary", LATER, {"": ["shown"], LATER.replace("one hour", "two hours"): ["missing"]}),
        ("diary", f"{RENAMED} 4", {"": ["shown", "shown"], f"{RENAMED} 5": ["shown", "missing"]}),
        ("diary", SYNC, {"": ["shown"], SYNC.replace("45", "30"): ["missing"], SYNC.replace("15:00", "15:45"): ["missing"]}),
        ("diary", f"{SYNC} with {BOTH}", {
            f"{SYNC} with Lee Park": ["missing"], SYNC: ["missing"], f"{SYNC} with Lee Park and Maria Rossi": ["missing"],
        }),
        ("diary", f"{REVIEW} to 2026-03-12 at 14:00", {
            f"{REVIEW} to 2026-03-12": ["missing"], f"{REVIEW} to 14:00": ["missing"],
        }),
        ("people", f"{PHONE}1 and the phone number of Tala Ivanov to +1 555 0002",
         {f"{PHONE.replace('Weber', 'Weber and Tala Ivanov')}1": ["missing"]}),
        ("archive", "Move garden-plan.txt to the folder Archive and move roof-plan.txt to the folder Reports",
         {"Move garden-plan.txt and roof-plan.txt to the folder Archive": ["missing"]}),
        ("office", "Create a note called Due with the totals of INV-1200 and INV-1550",
         {"Create a note called Due with the totals of INV-1200 and INV-2220": ["missing"]}),
        ("people", f"Mail everyone in the Choir {OFF}",
         {f"Mail everyone in the Chess {OFF}": ["missing"], f"Mail Maria Rossi {OFF}": ["missing"]}),
        ("letters", "Set the name of my account to Nora Quist",
         {"Set the email address of my account to Nora Quist": ["missing"]}),
        ("people", f"{UNLESS} Chess", {f"{UNLESS} Garden": ["forbidden"]}),
        ("people", 'Delete the contact "Lee Sanders"',
         {"Remove Lee Sanders from the group Choir": ["missing"], "Remove Lee Sanders from my contacts": ["shown"]}),
        ("office", f'{TITLE}" to "Travel plan old"', {f'{TITLE} old" to "Travel plan"': ["missing"]}),
        ("office", f'{TITLE}" to "Travel"', {"": ["shown"]}),
        ("office", f"{FILLED} and submit it", {FILLED: ["shown", BESIDES]}),
        ("office", f"{TEA} {TEA}", {"": ["shown", "shown"], TEA: ["shown", AGAIN]}),
        ("office", f"{MILK} {BREAD} {BINNED}", {f"{MILK} {BINNED}": ["shown", "shown", BESIDES]}),
        ("office", f"{AB} {BA}", {AB: ["shown", BESIDES]}),
        ("phone", "Mute everybody in chat except Ada", {"Mute Viktor and Zoe in chat": ["shown", BESIDES, BESIDES]}),
        ("people", "Rename the contact Lee Park to Lee Parker", {"Rename the contact Lee Park to Lee Parkinson": ["missing"]}),
        ("diary", "Accept Dana's invitations and turn down Maria's", {"": ["shown", "shown"]}),
        ("people", "Mute Lee Park in chat. Mute Omar Brandt in chat.", {"Mute Lee Park in chat": ["shown", BESIDES]}),
        ("errands", f"{CART}. Add the Lamp Arc to my cart.", {CART: ["shown", BESIDES]}),
        ("people", f"{MARIA} {MARIA} {LEE}", {
            "": ["shown"] * 3, 'Send "On my way" to Maria Novak and Lee Park in chat': ["shown", AGAIN],
        }),
    ],
)  # fmt: skip
def test_what_a_run_did_is_shown_for_its_own_goal_and_held_to_another(
    world: str, goal: str, others: dict[str, list[str]], tmp_path: Path
) -> None:
    run, unsure = worked(goal, tmp_path, world), {"unchecked"} if goal.startswith(FILLED) else set()
    assert run.status == "fulfilled"
    assert {*told(run.held())} - unsure <= {"shown"}
    assert {other: told(run.held(other))[: len(parts)] for other, parts in others.items()} == others


def test_what_was_made_twice_is_said_also_where_another_order_has_a_use_for_the_second(tmp_path: Path) -> None:
    """Of "create … and save it" one press of Save would be the first order's, and the other one the second's."""
    twice = worked(f"{MILK} {MILK}", tmp_path)
    assert told(twice.held(f"{MILK} Save the note.")) == ["shown", "shown", AGAIN]


def test_what_is_sent_off_besides_from_the_same_record_is_an_issue(tmp_path: Path) -> None:
    run = worked("Change the phone number of Lee Park to 555-1234", tmp_path, "people")
    last = run.request.steps[-1]
    pressed = {"step": last.step + 1, "verb": "click", "target": "Send message", "action": {}}
    chat = run.screens[last.after].model_copy(update={"app": "chat"})
    away = last.model_copy(update={**pressed, "before": last.after, "after": chat.state_id})
    request = run.request.model_copy(update={"steps": (*run.request.steps, away)})
    held = ledger(read(run.request.goal), request, (run.screens | {chat.state_id: chat}).get)
    assert [(entry.kind, entry.state) for entry in held.entries] == [("order", "shown"), ("besides", "forbidden")]


def test_a_value_that_is_to_be_passed_on_is_the_one_of_the_record_that_is_named(tmp_path: Path) -> None:
    run = worked('Mail the total of invoice INV-7029 to lee.park@example.com with the subject "Total"', tmp_path)
    assert states(run.held()) == ["shown"]
    value = Of(fields=("total",), thing=Thing(kind="invoice", name=Text(text="INV-7738")))
    other = Order(verb="send", slots=(Slot(role="saying", value=value),))
    assert states(ledger(Reading(goal=run.request.goal, orders=(other,)), run.request, run.screens.get))[0] != "shown"


def test_prompts_hold_a_line_for_each_part_ticked_with_its_evidence_and_nothing_that_a_screen_says(notes: Run) -> None:
    held = notes.held(without=lambda step: step.verb == "delete")
    besides = LedgerEntry(kind="besides", text="words of a screen", state="forbidden")
    told = ledger_told(notes.held().model_copy(update={"entries": (*notes.held().entries, besides)}))
    assert [line[:3] for line in told.splitlines()[1:]] == ["[x]", "[x]"]
    assert "step:" in told
    assert "words of a screen" not in told
    assert "[!] Delete all notes" in ledger_told(held)
    assert ledger_told(None) == ""


def test_a_run_is_shown_with_the_ledger_of_its_goal(notes: Run) -> None:
    lines = [ledger_line(entry) for entry in notes.ledger]
    assert lines[0].startswith('✓ Delete all notes except "Printer order"')
    assert ledger_line({"kind": "exclusion", "text": "send it", "state": "forbidden", "why": "it was done"}) == (
        "✗ exclusion: send it (forbidden; it was done)"
    )


@pytest.mark.parametrize(("mask", "state"), [("4711", "shown"), ("••••", "missing")])
def test_a_mask_is_not_taken_for_the_value(mask: str, state: str, tmp_path: Path) -> None:
    """A worker that writes what stood there before the value was shown."""
    goal = 'Write the code of the locker of Ada Moss into a new note titled "Code"'
    (tmp_path / "lockers.yaml").write_text(lockers.WORLD)
    with lockers.registered():
        run = worked(goal, tmp_path, str(tmp_path / "lockers.yaml"))
    request = GateRequest.model_validate_json(run.request.model_dump_json().replace("4711", mask))
    told = {name: seen.model_dump_json().replace("4711", mask) for name, seen in run.screens.items()}
    screens = {name: VisualState.model_validate_json(seen) for name, seen in told.items()}
    held = ledger(read(goal, request.today, vocabulary(request.cards)), request, screens.get)
    assert [entry.state for entry in held.entries if entry.kind == "order"] == [state]


# --- goals whose meaning is easily missed: done as they say, or not called done ---------------------------------------

PEOPLE, WRITTEN = "world.apps.contacts.contacts", "world.apps.notes.notes"
DESIGN = "world.apps.calendar.meetings.design"
ALL_BUT_THE_HALL = " && ".join(
    f'world.apps.home.devices["{room}-light"].on == {str(room == "hall").lower()}'
    for room in ("hall", "kitchen", "living-room", "bedroom")
)


@pytest.mark.parametrize(
    ("goal", "world", "success", "changes"),
    [
        ("Turn off all the lights. Do not turn off the light in the hall.", "smart-home", ALL_BUT_THE_HALL, "home.devices.*.on"),
        ("Turn off all the lights, but leave the hall light on", "smart-home", ALL_BUT_THE_HALL, "home.devices.*.on"),
        ("Keep the hall light on and turn off all lights", "smart-home", ALL_BUT_THE_HALL, "home.devices.*.on"),
        (
            "Take Maria Novak out of the group Garden",
            "people",
            f'{PEOPLE}["marian"].groups == []',
            "contacts.contacts.marian.groups",
        ),
        ("Delete all contacts without an email address", "people", f'!("kim1" in {PEOPLE})', "contacts.contacts.kim1"),
        (
            'Put the number of contacts without a company into a note called "Alone"',
            "people",
            f'{WRITTEN}.exists(n, {WRITTEN}[n].title == "Alone" && {WRITTEN}[n].body == "14")',
            "notes.notes.+",
        ),
        ("Dim the hall light to 20", "smart-home", 'world.apps.home.devices["hall-light"].brightness == 20.0', "home.devices.*"),
        (
            "Add Dana and Maria Rossi to the design review",
            "diary",
            f'{DESIGN}.attendees == ["Omar Haddad", "Lee Park", "Dana Whitlock", "Maria Rossi"] && {DESIGN}.description == ""',
            "calendar.meetings.design",
        ),
        (
            "Cancel all my meetings in Room 4 next week",
            "company",
            '!("5" in world.apps.calendar.meetings)',
            "calendar.meetings.5",
        ),
        (
            "Write the title of the note Team lunch into the note Travel plan",
            "office",
            f'{WRITTEN}["5"].title == "Travel plan" && {WRITTEN}["5"].body.endsWith("Team lunch")',
            "notes.notes.5.body",
        ),
        (
            'The note "Travel plan" expires in two minutes. Delete it before that',
            "office",
            f'!("5" in {WRITTEN})',
            "notes.notes.5",
        ),
        ('Delete the note "Travel plan" by tomorrow', "office", f'!("5" in {WRITTEN})', "notes.notes.5"),
        (
            "Claim the total of the Headset order, with the order number in the description",
            "errands",
            'world.apps.reimbursement.claims.exists(c, world.apps.reimbursement.claims[c].description == "2103")',
            "reimbursement.claims.+",
        ),
    ],
)
def test_what_is_spared_and_what_is_a_field_or_a_group_is_understood(
    goal: str, world: str, success: str, changes: str, tmp_path: Path
) -> None:
    outcome = started(goal, world, success, changes, tmp_path)
    assert (outcome.status, outcome.report["judge"]["passed"]) == ("fulfilled", True)


@pytest.mark.parametrize(
    ("goal", "world"),
    [
        ("Delete all files", "office"),
        ("Delete the files in Documents except the parking ones", "office"),
        ("Delete all notes except Wedding", "office"),  # there is none
        ('Make a note called "Both" with the number of contacts in the groups Choir and Garden', "people"),
        ("Raise the volume to 5", "office"),
        ("Turn the brightness down to 90", "office"),
        ("Dim the hall light to 80", "smart-home"),
        ("Postpone the dentist to 9:00", "diary"),
        ("Postpone the dentist to March 2", "diary"),
        ("Set up a meeting with Mina tomorrow at 10 called Numbers", "company"),  # three are called so
        ("Add Ada to the budget review on May 5", "company"),
        ('Wait for 5 minutes. Then delete the note "Travel plan" before 9:03', "office"),  # it is too late by then
        ('Delete the note "Travel plan" by yesterday', "office"),
        ("What do we owe Brimstone Ferry?", "office"),
        ("Which order has the Quillon Vantage?", "errands"),
        ("Remove one tea towel from my cart", "errands"),  # of a line of two
        ("Find out who sent the mail about the office move and write the name into the note Travel plan", "office"),
    ],
)
def test_what_is_not_certain_or_speaks_against_what_is_there_is_refused(goal: str, world: str, tmp_path: Path) -> None:
    assert started(goal, world, "true", "*", tmp_path).status == "rejected"


def test_what_is_moved_to_another_time_has_to_last_as_long_as_it_did(tmp_path: Path) -> None:
    moved = worked('Move my "Supplier call" on 2026-03-04 to 12:00', tmp_path, "diary")
    assert (moved.status, moved.held().entries[0].state) == ("fulfilled", "shown")
    step = next(s for s in moved.request.steps if s.verb == "save")
    before, after = (moved.screens[name] for name in (step.before, step.after))
    late = tuple(e.model_copy(update={"value": "15:00"}) if e.name == "End time" else e for e in before.elements)
    screens = dict(moved.screens) | {step.before: before.model_copy(update={"elements": late}), step.after: after}
    steps = tuple(s for s in moved.request.steps if s.target != "End time")
    held = ledger(read(moved.request.goal), moved.request.model_copy(update={"steps": steps}), screens.get).entries[0]
    assert (held.state, held.why) == ("missing", "it was 60 minutes long and is 180 now")


@pytest.mark.parametrize(
    ("pick", "body", "state"),
    [
        (Pick(by="total", order="most"), "It is $70.00", "shown"),
        (Pick(by="total", order="most"), "It is $90.00", "missing"),
        (Pick(by="due date", order="least"), "It is $70.00", "shown"),
        (Pick(by="due date", order="least"), "It is $20.00", "missing"),
    ],
)
def test_the_value_of_a_superlative_is_that_of_the_list_that_was_seen(pick: Pick, body: str, state: str) -> None:
    owed = [("1", "Acme", "$20.00", "2026-05-09"), ("2", "Acme", "$70.00", "2026-05-02"), ("3", "Oak", "$90.00", "2026-05-01")]
    items = [{"id": n, "vendor": vendor, "total": total, "due date": due} for n, vendor, total, due in owed]
    invoice = Thing(kind="invoice", tests=(Holds(field="vendor", value=Text(text="Acme")),), pick=pick)
    order = Order(verb="send", slots=(Slot(role="saying", value=Of(fields=("total",), thing=invoice)),))
    steps = (called(1, "list_invoices"), called(2, "send_message", body=body))
    facts = (answered(1, {"count": 3, "offset": 0, "items": items}),)
    request = GateRequest(goal="g", trigger=GateTrigger.FINAL_CHECK, steps=steps, facts=facts)
    assert states(ledger(Reading(goal="g", orders=(order,)), request, {}.get))[0] == state


LISTED = [{"id": "5", "folder": "Inbox", "sender": "ann@example.com", "subject": "Lunch"},
          {"id": "7", "folder": "Inbox", "sender": "bob@example.com", "subject": "Lunch"},
          {"id": "9", "folder": "Inbox", "sender": "ann@example.com", "subject": "Rent"}]  # fmt: skip


def test_of_several_each_has_to_hold_what_goes_with_the_verb() -> None:
    goal = "Move all mails from ann@example.com to the trash"
    moves = [called(n, "move_message", id=i, folder=folder) for n, i, folder in ((2, "5", "Trash"), (3, "9", "Archive"))]
    facts = (answered(1, {"count": 3, "offset": 0, "items": LISTED}),)
    steps = (called(1, "list_messages"), *moves)
    request = GateRequest(goal=goal, trigger=GateTrigger.FINAL_CHECK, steps=steps, facts=facts)
    first = ledger(read(goal), request, {}.get).entries[0]
    assert (first.state, first.why) == ("missing", "not seen in what was done to Rent: to the trash")


@pytest.mark.parametrize(
    ("events", "state"),
    [(("navigation: trips / Claims",), "shown"), (("navigation: trips / Sign in",), "missing"), ((), "missing")],
)
def test_a_press_of_which_nobody_knows_whether_it_was_done_is_one_where_the_screen_went_on(events: Any, state: str) -> None:
    action = {"action_type": "click", "target": {"text": "Claims"}}
    seen = VisualState(app="trips", elements=(GUIElement(element_id="e1", role="heading", text="Claims"),))
    pressed = StepRecord(
        step=1, subtask="s1", app="trips", action=action, verb="click", target="Claims", exec_status=ExecStatus.PENDING,
        visible_change=True, events=events,
    )  # fmt: skip
    goal = 'Click "Claims".'
    request = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal=goal, steps=(pressed,), screens=(seen,))
    assert states(ledger(read(goal), request, {}.get)) == [state]


def called(number: int, function: str, **arguments: str) -> StepRecord:
    action = {"action_type": "call_api", "app": "mail", "function": function, "arguments": arguments}
    verb = "delete" if arguments.get("folder") == "Trash" else "call_api"
    return StepRecord(step=number, subtask="s1", app="mail", action=action, verb=verb, exec_status=ExecStatus.EXECUTED)


def answered(number: int, value: object) -> Fact:
    return Fact(name=f"answer at step {number}", value=json.dumps(value), kind="result", app="mail", step=number, subtask="s1")


@pytest.mark.parametrize(
    ("count", "moved", "state", "why"),
    [
        (3, "59", "shown", ""),
        (3, "5", "missing", "not done to Rent"),
        (3, "579", "forbidden", "no order asks for it"),
        (8, "59", "missing", "no list of them was seen whole"),
    ],
)
def test_what_functions_list_and_change_is_known_by_its_id(count: int, moved: str, state: str, why: str) -> None:
    goal = "Move all mails from ann@example.com to the trash"
    steps = [called(1, "list_messages"), *(called(n, "move_message", id=i, folder="Trash") for n, i in enumerate(moved, 2))]
    facts = [answered(1, {"count": count, "offset": 0, "items": LISTED})]
    request = GateRequest(goal=goal, trigger=GateTrigger.FINAL_CHECK, steps=tuple(steps), facts=tuple(facts))
    last = ledger(read(goal), request, {}.get).entries[-1]
    assert (last.state, why in last.why) == (state, True), last
