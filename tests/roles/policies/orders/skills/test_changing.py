"""Filling, pressing and creating, by typed steps in real simulated worlds: what is changed, and what is refused."""

from typing import Any

import pytest
from worked.steps_loop import Hands, entries, hands, which
from worlds.loans import WORLD, registered

from protocol import AgentStatus
from roles.contracts.orders import AnswerStep, CreateStep, Entry, FillStep, FindStep, PressStep, Records, RowTest, Step

DONE, FAIL = AgentStatus.FINISH, AgentStatus.FAIL


def worked(world: str, *steps: Step, attempt: int = 1, **answers: str) -> tuple[Hands, dict[str, Any]]:
    """The hands, and the apps of the world, after the steps were done."""
    crew = hands(world, **answers)
    status, why = crew.work(*steps, attempt=attempt)
    assert status is DONE, (why, crew.done)
    return crew, crew.environment.world()["apps"]  # type: ignore[attr-defined]


def refused(world: str, *steps: Step) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Why they were not done, and the apps before and after."""
    crew = hands(world)
    before = crew.environment.world()["apps"]  # type: ignore[attr-defined]
    status, why = crew.work(*steps)
    assert status in {FAIL, AgentStatus.PENDING}, crew.done
    return why, before, crew.environment.world()["apps"]  # type: ignore[attr-defined]


def note(title: str, body: str) -> CreateStep:
    return CreateStep(app="notes", kind="note", entries=entries("Title", title, "Body", body))


def notes(apps: dict[str, Any]) -> dict[str, str]:
    return {n["title"]: n["body"] for n in apps["notes"]["notes"].values()}


def mails(apps: dict[str, Any], folder: str) -> list[tuple[str, str, str]]:
    return [(m["to"], m["subject"], m["body"]) for m in apps["mail"]["messages"].values() if m["folder"] == folder]


# --- notes and files --------------------------------------------------------------------------------------------------


def test_what_a_control_takes_from_the_field_beside_it_is_set_before_the_only_press_of_it():
    kettle = which("shop", "product", Product="Kettle Calm")
    press = PressStep(app="shop", records=kettle, verb="add", control="Add to cart", entries=entries("Quantity", "3"))
    _, apps = worked("errands", press)
    assert [line["quantity"] for line in apps["shop"]["lines"].values() if line["product"] == "k2"] == [3]


def changed(mode: str) -> FillStep:
    body = entries("Body", "X", mode=mode)
    return FillStep(app="notes", records=which("notes", "note", Title="A"), entries=body, commit="save")


@pytest.mark.parametrize(("mode", "body"), [("append", "Milk\nX"), ("prepend", "X\nMilk"), ("set", "X"), ("clear", "")])
def test_what_stands_in_a_field_is_kept_or_not_as_is_asked(mode, body):
    _, apps = worked("office", note("A", "Milk"), changed(mode))
    assert notes(apps)["A"] == body


def test_what_an_earlier_attempt_made_or_added_is_not_made_or_added_again():
    crew, _ = worked("office", note("A", "Milk"))
    for step in (note("A", "Milk"), note("As", "Milk"), changed("append"), changed("append")):
        assert crew.work(step, attempt=2)[0] is DONE
    made = {title: body for title, body in notes(crew.environment.world()["apps"]).items() if title.startswith("A")}
    assert made == {"A": "Milk\nX", "As": "Milk"}


def test_files_are_made_renamed_written_moved_and_deleted():
    def file(name: str) -> Any:
        return which("files", "entry", Name=name)

    old = "printer-order-9947.txt"
    _, apps = worked(
        "office",
        CreateStep(app="files", kind="entry", entries=entries("File name", "todo.txt", "Content", "Call Bob")),
        CreateStep(app="files", kind="entry", entries=entries("Folder name", "Taxes")),
        FillStep(app="files", records=file(old), entries=entries("Content", "Bye", mode="append"), commit="save"),
        PressStep(app="files", records=file(old), verb="rename", entries=entries("New name", "order.txt")),
        PressStep(app="files", records=file("order.txt"), verb="move", entries=entries("Destination folder", "Reports")),
    )
    there = apps["files"]["entries"]
    assert there["/todo.txt"] == {"kind": "file", "text": "Call Bob"}
    assert there["/Taxes"]["kind"] == "folder"
    assert there["/Reports/order.txt"]["text"].endswith(".\nBye")
    assert "/order.txt" not in there


# --- mail and chat ----------------------------------------------------------------------------------------------------


def test_a_mail_is_written_as_it_was_said_answered_moved_and_deleted():
    lunch, visit = which("mail", "message", Subject="Team lunch 44"), which("mail", "message", Subject="Client visit 36")
    mail = entries("To", "ada.sato@example.com", "Subject", "Hi", "Message", "Hello Ada")
    _, apps = worked(
        "office",
        CreateStep(app="mail", kind="message", entries=mail, commit="send"),
        FillStep(app="mail", records=lunch, form="Reply", entries=entries("Message", "See you"), commit="send"),
        PressStep(app="mail", records=visit, verb="move", entries=entries("Move to", "Archive")),
        PressStep(app="mail", records=which("mail", "message", Subject="Client visit 11"), verb="delete"),
    )
    assert ("ada.sato@example.com", "Hi", "Hello Ada") in mails(apps, "Sent")
    assert ("jonas.petrov@example.com", "Re: Team lunch 44", "See you") in mails(apps, "Sent")
    assert not mails(apps, "Drafts")
    assert [subject for _, subject, _ in mails(apps, "Archive")] == ["Client visit 36"]
    assert "Client visit 11" not in [subject for _, subject, _ in mails(apps, "Inbox")]


def test_a_chat_message_goes_to_its_conversation_once():
    message = CreateStep(
        app="chat", kind="message", place="Dana Whitlock", entries=entries("Write a message", "See you"), commit="send"
    )
    _, apps = worked("diary", message)
    assert [m["conversation"] for m in apps["chat"]["messages"].values() if m["text"] == "See you"] == ["dana"]


# --- calendar, contacts, claims ---------------------------------------------------------------------------------------


def test_events_are_made_shifted_and_their_guests_changed():
    sync = entries(
        "Title", "Team sync", "Start date", "2026-03-06", "Start time", "13:00", "End date", "2026-03-06", "End time", "14:00",
        "Attendees", "Lee Park, Maria Rossi",
    )  # fmt: skip
    call, review = which("calendar", "meeting", Title="Supplier call"), which("calendar", "meeting", Title="Design review")
    shift = (*entries("Start time", "15:00"), Entry(label="End time", value="60", mode="later"))
    _, apps = worked(
        "diary",
        CreateStep(app="calendar", kind="meeting", entries=sync),
        FillStep(app="calendar", records=call, entries=shift, commit="save"),
        FillStep(app="calendar", records=review, entries=entries("Attendees", "Dana Whitlock", mode="add"), commit="save"),
        FillStep(app="calendar", records=review, entries=entries("Attendees", "Lee Park", mode="remove"), commit="save"),
    )
    held = {m["title"]: (m["start"], m["end"], [*m["attendees"]]) for m in apps["calendar"]["meetings"].values()}
    assert held["Team sync"] == ("2026-03-06 13:00", "2026-03-06 14:00", ["Lee Park", "Maria Rossi"])
    assert held["Supplier call"][:2] == ("2026-03-04 15:00", "2026-03-04 16:00")
    assert held["Design review"][2] == ["Omar Haddad", "Dana Whitlock"]


def test_each_of_several_events_of_a_day_is_deleted():
    def on_the_day(title: str) -> Records:
        tests = (RowTest(label="Title", relation="is", value=title), RowTest(label="Date", relation="on", value="2026-03-11"))
        return Records(app="calendar", kind="meeting", tests=tests)

    steps = (PressStep(app="calendar", records=on_the_day(title), verb="delete") for title in ("Interview", "Audit"))
    _, apps = worked("diary", *steps)
    assert not {"Interview", "Audit"} & {one["title"] for one in apps["calendar"]["meetings"].values()}


def test_a_contact_is_changed_on_its_own_page_which_a_step_before_may_have_opened():
    record = which("contacts", "contact", Name="Lee Park")
    change = FillStep(app="contacts", records=record, entries=entries("Company", "Acme Ltd"), commit="save")
    crew, apps = worked("diary", FindStep(records=record), change)
    assert {c["name"]: c["company"] for c in apps["contacts"]["contacts"].values() if c["company"]} == {"Lee Park": "Acme Ltd"}
    assert sum("Lee Park" in line for line in crew.done) == 1


def test_a_claim_is_made_with_a_choice_and_the_value_in_another_way_of_writing():
    claim = entries("Vendor", "Acme", "Category", "travel", "Amount", "€48.20", "Date", "5 March 2026")
    _, apps = worked("office", CreateStep(app="reimbursement", kind="claim", entries=claim, commit="submit"))
    (made,) = apps["reimbursement"]["claims"].values()
    assert (made["vendor"], made["category"], made["amount"], made["date"]) == ("Acme", "Travel", "48.20", "2026-03-05")


# --- settings, house, shop, sheet -------------------------------------------------------------------------------------


def test_switches_and_sliders_are_set_and_a_form_is_saved():
    _, apps = worked(
        "office",
        FillStep(app="settings", entries=entries("Mute", "on", "Brightness", "40")),
        FillStep(app="settings", entries=entries("Language", "Deutsch", "Enable notifications", "off"), commit="save"),
    )
    assert (apps["settings"]["account"]["language"], apps["settings"]["account"]["notifications"]) == ("Deutsch", False)
    assert apps["settings"]["device"] == {"volume": 50, "brightness": 40, "muted": True}


def test_devices_are_set_by_fields_that_bear_their_names():
    warm = FillStep(
        app="home", records=which("home", "device", Device="Living room thermostat"),
        entries=entries("Target of {title} in °C", "21"),
        commit="set",
    )  # fmt: skip
    off = FillStep(app="home", records=which("home", "device", Device="Bedroom light"), entries=entries("Switch {title}", "off"))
    crew, _ = worked("smart-home", warm, off)
    assert [line for line in crew.done if line.startswith(("fill", 'click "S'))] == [
        'fill "Target of living room thermostat in °C" with "21"',
        'click "Set living room thermostat"',
        'click "Switch bedroom light"',
    ]


def test_what_is_so_already_is_not_done_again():
    crew, _ = worked("smart-home", PressStep(app="home", records=which("home", "device", Device="Front door"), verb="lock"))
    assert not any("ock front door" in line for line in crew.done)


def test_an_app_that_no_rule_knows_is_worked_by_its_card():
    def book(title: str) -> Records:
        return which("library", "loan", Title=title)

    dune = entries("Title", "Dune", "Reader", "Bob", "Shelf", "Travel")
    steps = [
        CreateStep(app="library", kind="loan", entries=dune, commit="save"),
        PressStep(app="library", records=book("Dune"), verb="renew"),
        PressStep(app="library", records=book("The Old Harbour"), verb="remind reader"),
        PressStep(app="library", records=book("A Short War"), verb="delete"),
    ]
    with registered():
        _, apps = worked(WORLD, *steps)
    loans = {loan["title"]: (loan["due"], loan["status"]) for loan in apps["library"]["loans"].values()}
    assert loans == {
        "The Old Harbour": ("2026-03-12", "overdue"), "Wind over Elba": ("2026-03-04", "overdue"), "Dune": ("2026-04-20", "out")
    }  # fmt: skip


def test_a_form_that_is_only_to_be_filled_in_is_handed_in_by_no_key():
    crew, apps = worked("office", CreateStep(app="reimbursement", kind="claim", entries=entries("Amount", "12.50"), commit=""))
    before = hands("office").environment.world()["apps"]  # type: ignore[attr-defined]
    assert apps["reimbursement"]["claims"] == before["reimbursement"]["claims"]
    assert not any("Enter" in line or "ubmit" in line for line in crew.done)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (FillStep(app="settings", entries=entries("Brightness", "45")), "steps of 10"),
        (FillStep(app="settings", entries=entries("Brightness", "400")), "goes from 10 to 100"),
        (FillStep(app="settings", entries=entries("Mute", "loud")), "on or off"),
        (FillStep(app="settings", entries=entries("Language", "Klingon"), commit="save"), "not one of the choices"),
        (FillStep(app="settings", entries=entries("Shoe size", "44")), 'no field "Shoe size"'),
        (PressStep(app="notes", records=which("notes", "note", Title="Printer order"), verb="frob"), "no way to frob"),
        (PressStep(app="notes", records=which("notes", "note", Title="Nowhere"), verb="delete"), "Nowhere"),
        (CreateStep(app="reimbursement", kind="claim", entries=entries("Amount", "lots"), commit="submit"), "amount"),
        (CreateStep(app="mail", kind="message", entries=entries("To", "nobody", "Message", "x"), commit="send"), "mail address"),
        (CreateStep(app="mail", kind="message", entries=entries("Subject", "x", "Message", "y"), commit="send"), '"To"'),
        (PressStep(app="mail", records=which("mail", "message", Subject="Team lunch 44"), verb="reply"), "more than was said"),
        (PressStep(app="mail", records=which("mail", "message", Subject="Team lunch 44"), verb="move"), "more than was said"),
        (PressStep(app="files", records=which("files", "entry", Name="printer-order-9947.txt"), verb="move"), "nothing says"),
        (AnswerStep(value=" "), "nothing to tell"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_and_nothing_is_changed(step, why):
    said, before, after = refused("office", step)
    assert why in said
    kept = [("notes", "notes"), ("files", "entries"), ("reimbursement", "claims")]
    assert [before[app][part] for app, part in kept] == [after[app][part] for app, part in kept]
    assert [mails(before, folder) for folder in ("Inbox", "Sent")] == [mails(after, folder) for folder in ("Inbox", "Sent")]


def test_what_a_form_wants_and_nobody_said_is_asked_for():
    mail = CreateStep(app="mail", kind="message", entries=entries("Subject", "Hi", "Message", "y"), commit="send")
    crew, apps = worked("office", mail, to="ada.sato@example.com")
    assert len(crew.asked) == 1
    assert ("ada.sato@example.com", "Hi", "y") in mails(apps, "Sent")


# --- a bad day --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", ["stuck-button", "unsteady-form", "office-network", "office-busy-day"])
def test_whatever_goes_wrong_a_thing_is_made_once(world):
    claim = entries("Vendor", "Acme", "Category", "Travel", "Amount", "48.20")
    made = CreateStep(app="reimbursement", kind="claim", entries=claim, commit="submit")
    _, apps = worked(world, note("Shop", "Milk"), made)
    assert [c["vendor"] for c in apps["reimbursement"]["claims"].values()] == ["Acme"]
    assert list(notes(apps)).count("Shop") == 1


def test_the_user_is_told_once():
    crew, _ = worked("office", AnswerStep(value="42"))
    assert crew.said == ["42"]
