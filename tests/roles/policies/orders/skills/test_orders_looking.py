"""Finding, reading, collecting and waiting in real simulated worlds: the Operator alone, with steps written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import OPEN_HOUSE, Run, planned, subtask
from worlds import lockers

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from roles.contracts.orders import CollectStep, FindStep, Pick, ReadStep, Records, RowTest, Step
from roles.operator.rules import RulesOperator

WORLDS = Path(__file__).parents[5] / "configs" / "worlds"


class Worked:
    """What came of steps in a world."""

    def __init__(self, world: str, *steps: Step, seed: int = 0) -> None:
        text = world if "\n" in world else (WORLDS / f"{world}.yaml").read_text()
        self.desk = SimulatedDesktop(parse_world(text), seed)
        whole = Run([planned(subtask("a", steps=steps))], desk=self.desk, safety=OPEN_HOUSE, parts={"operator": RulesOperator()})
        whole.go()
        decided = list(whole.bodies("decided"))
        self.lines = [body["line"] for body in decided if body.get("line")]
        last = next(body for body in decided if body["status"] in {"FINISH", "FAIL"})
        self.said, self.done = last["reasoning"], last["status"] == "FINISH"
        self.facts = {fact.name: fact.value for fact in whole.journal.facts()}

    def table(self, name: str) -> list[list[str]]:
        rows: list[list[str]] = json.loads(self.facts[name])["rows"]
        return rows


def records(app: str, kind: str, *tests: RowTest, **more: Any) -> Records:
    return Records(app=app, kind=kind, tests=tests, **more)


def is_(label: str, value: str, relation: Any = "is", **more: Any) -> RowTest:
    return RowTest(label=label, value=value, relation=relation, **more)


UNPAID = records("billing", "invoice", is_("Status", "Unpaid"), is_("Total", "1500", "over"), exactly=0)


@pytest.mark.parametrize("world", ["office", "office-interrupted", "office-network", "office-shifting"])
def test_all_invoices_over_all_pages_are_collected_whatever_comes_between(world: str) -> None:
    got = Worked(world, CollectStep(records=records("billing", "invoice", exactly=0), name="all"))
    assert len(got.table("all")) == 36
    assert "36 of 36" in got.said


def test_a_column_that_the_list_lacks_is_read_from_each_record() -> None:
    got = Worked("office", CollectStep(records=UNPAID, labels=("Number", "Tax"), name="taxes"))
    assert got.table("taxes") == [["INV-4033", "$129.26"], ["INV-9528", "$134.23"]]


def test_what_is_excepted_is_left_out_and_nothing_found_is_a_table_without_rows() -> None:
    but = UNPAID.model_copy(update={"but": ((is_("Vendor", "Acme"),),)})
    none = records("billing", "invoice", is_("Vendor", "Nobody & Co"), exactly=0)
    got = Worked("office", CollectStep(records=but, labels=("Number",), name="some"), CollectStep(records=none, name="none"))
    assert got.table("some") == [["INV-9528"]]
    assert got.table("none") == []
    assert "0 of 36" in got.said


MAIL = """
name: post
apps:
  mail:
    messages:
      - {id: a, from: ada@example.com, subject: Garden, date: 2026-02-27, body: The beds are dug.}
      - {id: b, from: bo@example.com, subject: Offer, date: 2026-02-26, body: It stands until May., folder: Archive}
      - {id: c, from: bo@example.com, subject: Offer, date: 2026-02-25, body: Withdrawn., folder: Trash}
open: [mail]
"""


def test_a_mail_is_found_in_another_folder_and_one_in_the_inbox_comes_first() -> None:
    offer = records("mail", "message", is_("Subject", "Offer"))
    got = Worked(MAIL, ReadStep(app="mail", records=offer, labels=("Message",), names=("text",)))
    assert got.facts["text"] == "It stands until May."
    nowhere = Worked(MAIL, FindStep(records=records("mail", "message", is_("Subject", "Roof"))))
    assert 'no message with Subject is "Roof" was found in Inbox and Sent and Drafts and Archive and Trash' in nowhere.said


def test_words_that_stand_in_no_row_are_looked_for_in_the_records() -> None:
    dug = records("mail", "message", is_("", "beds", "about"))
    assert 'click "Garden"' in Worked(MAIL, FindStep(records=dug)).lines


def test_a_file_is_found_in_a_folder_that_nobody_named_and_its_text_is_read() -> None:
    costs = records("files", "entry", is_("Name", "roof-costs.txt"))
    got = Worked("archive", FindStep(records=costs), ReadStep(app="files", records=costs, labels=("Content",), names=("costs",)))
    assert got.facts["costs"] == "Tiles 5100."


def test_several_that_fit_are_named_and_none_is_opened() -> None:
    got = Worked("people", FindStep(records=records("contacts", "contact", is_("Name", "Maria"))))
    assert not got.done
    assert "Maria Rossi" in got.said
    assert "Maria Novak" in got.said
    assert 'click "Maria Rossi"' not in got.lines


def test_the_third_of_equals_is_refused() -> None:
    third = records("contacts", "contact", is_("Name", "Ivy Castle"), pick=Pick(order="first", at=3))
    got = Worked("people", FindStep(records=third))
    assert not got.done
    assert "there are only 2" in got.said


def test_the_invoice_is_the_one_that_is_open_and_of_several_in_a_list_none_is_taken() -> None:
    invoice = ReadStep(app="billing", records=records("billing", "invoice"), labels=("Invoice number",), names=("number",))
    assert Worked("office", invoice).facts["number"] == "INV-1200"
    listed = Worked("company", FindStep(records=records("billing", "invoice")))
    assert not listed.done
    assert "40 fit invoice" in listed.said


def test_the_largest_is_found_over_all_pages() -> None:
    most = records("billing", "invoice", pick=Pick(by="Total", order="most"))
    got = Worked("office", FindStep(records=most), ReadStep(app="billing", records=most, labels=("Total",), names=("total",)))
    every = Worked("office", CollectStep(records=records("billing", "invoice", exactly=0), labels=("Total",), name="all"))
    totals = [float(total.strip("$").replace(",", "")) for (total,) in every.table("all")]
    assert float(got.facts["total"].strip("$").replace(",", "")) == max(totals)


def test_the_fields_of_a_record_are_read_from_its_row_or_its_page() -> None:
    lunch = records("mail", "message", is_("Subject", "Team lunch 37"))
    got = Worked("office", ReadStep(app="mail", records=lunch, labels=("From", "Message"), names=("from", "text")))
    assert got.facts["from"] == "nils.haddad@example.com"
    assert got.facts["text"].startswith("Hello Emeka,\nCould you confirm the numbers?")
    oven = records("home", "device", is_("Device", "Oven"))
    assert (
        Worked("smart-home", ReadStep(app="home", records=oven, labels=("State",), names=("oven",)))
        .facts["oven"]
        .startswith("Off")
    )


def test_messages_are_collected_in_a_conversation_on_the_second_page_of_chats() -> None:
    got = Worked("company", CollectStep(records=records("chat", "message", place="Zoe Moreau", exactly=0), name="said"))
    assert len(got.table("said")) == 5
    assert 'click "Zoe Moreau"' in got.lines


def test_a_list_of_days_is_taken_to_the_days_that_are_meant() -> None:
    week = records("calendar", "meeting", is_("Date", "2026-05-18 .. 2026-05-24", "between"), exactly=0)
    got = Worked("company", CollectStep(records=week, labels=("Date",), name="week"))
    assert got.table("week") == [["Mon 18 May 2026"], ["Wed 20 May 2026"], ["Wed 20 May 2026"]]


def test_a_phone_is_worked_as_a_desktop_is() -> None:
    unread = records("mail", "message", is_("State", "Unread"), exactly=0)
    assert len(Worked("phone", CollectStep(records=unread, labels=("Subject",), name="unread")).table("unread")) == 10


def test_rows_of_a_sheet_are_records_by_the_names_in_its_first_row() -> None:
    travel = records("spreadsheet", "row", is_("Category", "Travel"), exactly=0)
    rows = Worked("company", CollectStep(records=travel, labels=("Vendor", "Amount"), name="travel")).table("travel")
    assert len(rows) == 7


def test_a_cart_that_says_that_it_is_empty_holds_none() -> None:
    got = Worked("company", CollectStep(records=records("shop", "line", is_("Product", "Ann"), exactly=0), name="lines"))
    assert got.done
    assert got.table("lines") == []


def _code_of(owner: str) -> Worked:
    step = ReadStep(app="lockers", records=records("lockers", "locker", is_("Owner", owner)), labels=("Code",), names=("code",))
    with lockers.registered():
        return Worked(lockers.WORLD, step)


@pytest.mark.parametrize(("owner", "code"), [("Ada Moss", "4711"), ("Tom Reyes", "0815")])
def test_a_mask_is_opened_by_its_own_control(owner: str, code: str) -> None:
    got = _code_of(owner)
    assert got.facts["code"] == code
    assert 'click "Show code"' in got.lines
    assert 'click "Help"' not in got.lines


@pytest.mark.parametrize("owner", ["Ines Falk", "Olga Berg"])
def test_a_mask_that_nothing_opens_is_no_value(owner: str) -> None:
    got = _code_of(owner)
    assert not got.done
    assert 'the "Code" is hidden' in got.said
    assert "code" not in got.facts


def test_private_is_a_value_where_the_label_asks_who_may_see_it() -> None:
    step = ReadStep(
        app="lockers", records=records("lockers", "locker", is_("Owner", "Ada Moss")), labels=("Visibility",), names=("who",)
    )
    with lockers.registered():
        assert Worked(lockers.WORLD, step).facts["who"] == "Private"


def test_no_mask_gets_into_a_table() -> None:
    every = CollectStep(records=records("lockers", "locker", exactly=0), labels=("Owner", "Code"), name="all")
    with lockers.registered():
        got = Worked(lockers.WORLD, every)
    assert not got.done
    assert "is hidden" in got.said
    assert "all" not in got.facts


@pytest.mark.parametrize("group", ["Family", "Suppliers", "Friends"])
def test_all_of_a_group_are_those_who_are_in_others_as_well(group: str) -> None:
    """`Family` and `Family, Friends` alike, where one cell holds all groups of a contact."""
    every = CollectStep(records=records("contacts", "contact", is_("Groups", group), exactly=0), labels=("Name",), name="all")
    got = Worked("company", every, seed=3)
    contacts = got.desk.world()["apps"]["contacts"]["contacts"].values()
    assert sorted(name for (name,) in got.table("all")) == sorted(c["name"] for c in contacts if group in c["groups"])
