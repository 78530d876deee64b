"""Finding, reading, collecting, showing what is hidden and waiting: the Operator alone, with steps written by hand."""

import json
from typing import Any

import pytest
from support import OPEN_HOUSE, Run, planned, subtask
from worked.steps_loop import desk
from worlds import lockers

from environments.cards import card_of_screen
from protocol import ExecStatus, GUIElement, Scroll, VisualState
from roles.contracts import OperatorView, StepRecord, Subtask
from roles.contracts.orders import CollectStep, FindStep, Pick, PressStep, ReadStep, Records, RowTest, Step
from roles.operator.rules import RulesOperator
from roles.policies.orders.skills.pressing import press_verb
from roles.policies.orders.skills.revealing import Behind, further, revealed
from roles.policies.orders.skills.situation import Situation


class Worked:
    """What came of steps in a world."""

    def __init__(self, world: str, *steps: Step, seed: int = 0) -> None:
        with lockers.registered():
            self.desk = desk(world, seed)
            parts = {"operator": RulesOperator()}
            whole = Run([planned(subtask("a", steps=steps))], desk=self.desk, safety=OPEN_HOUSE, parts=parts)
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


def test_what_is_excepted_is_left_out_and_nothing_found_is_a_table_without_rows() -> None:
    but = UNPAID.model_copy(update={"but": ((is_("Vendor", "Acme"),),)})
    none = records("billing", "invoice", is_("Vendor", "Nobody & Co"), exactly=0)
    got = Worked("office", CollectStep(records=but, labels=("Number",), name="some"), CollectStep(records=none, name="none"))
    assert (got.table("some"), got.table("none")) == ([["INV-9528"]], [])
    assert "0 of 36" in got.said


WEEK = is_("Date", "2026-05-18 .. 2026-05-24", "between")
ANN = records("shop", "line", is_("Product", "Ann"), exactly=0)


@pytest.mark.parametrize(
    ("world", "meant", "labels", "rows"),
    [
        ("office", UNPAID, ("Number", "Tax"), [["INV-4033", "$129.26"], ["INV-9528", "$134.23"]]),  # a column of no list
        ("company", records("calendar", "meeting", WEEK, exactly=0), ("Date",),
         [["Mon 18 May 2026"], ["Wed 20 May 2026"], ["Wed 20 May 2026"]]),
        ("company", ANN, (), []),  # a cart that says that it is empty
        ("phone", records("mail", "message", is_("State", "Unread"), exactly=0), ("Subject",), 10),
        ("company", records("spreadsheet", "row", is_("Category", "Travel"), exactly=0), ("Vendor", "Amount"), 7),
        ("company", records("chat", "message", place="Zoe Moreau", exactly=0), (), 5),  # on the second page of chats
    ],
)  # fmt: skip
def test_all_that_are_meant_are_collected(world: str, meant: Records, labels: tuple[str, ...], rows: Any) -> None:
    got = Worked(world, CollectStep(records=meant, labels=labels, name="all"))
    assert got.done
    assert rows in (got.table("all"), len(got.table("all")))


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


def locker(owner: str) -> Records:
    return records("lockers", "locker", is_("Owner", owner))


@pytest.mark.parametrize(
    ("world", "meant", "label", "value"),
    [
        (MAIL, records("mail", "message", is_("Subject", "Offer")), "Message", "It stands until May."),  # not the one in the bin
        ("archive", records("files", "entry", is_("Name", "roof-costs.txt")), "Content", "Tiles 5100."),  # in some folder
        ("office", records("billing", "invoice"), "Invoice number", "INV-1200"),  # the one that is open
        ("office", records("mail", "message", is_("Subject", "Team lunch 37")), "From", "nils.haddad@example.com"),
        ("office", records("mail", "message", is_("Subject", "Team lunch 37")), "Message",
         "Hello Emeka,\nCould you confirm the numbers?"),
        ("smart-home", records("home", "device", is_("Device", "Oven")), "State", "Off"),
        (lockers.WORLD, locker("Ada Moss"), "Code", "4711"),
        (lockers.WORLD, locker("Tom Reyes"), "Code", "0815"),
        (lockers.WORLD, locker("Ada Moss"), "Visibility", "Private"),  # no mask, where it is asked who may see it
    ],
)  # fmt: skip
def test_a_field_is_read_from_a_row_or_a_page_wherever_the_record_stands(
    world: str, meant: Records, label: str, value: str
) -> None:
    got = Worked(world, ReadStep(app=meant.app, records=meant, labels=(label,), names=("it",)))
    assert got.facts["it"].startswith(value)
    assert ('click "Show code"' in got.lines) == (label == "Code")
    assert 'click "Help"' not in got.lines


def test_words_that_stand_in_no_row_are_looked_for_in_the_records() -> None:
    assert 'click "Garden"' in Worked(MAIL, FindStep(records=records("mail", "message", is_("", "beds", "about")))).lines


CODE: dict[str, Any] = {"labels": ("Code",), "names": ("code",)}


@pytest.mark.parametrize(
    ("world", "step", "why"),
    [
        (MAIL, FindStep(records=records("mail", "message", is_("Subject", "Roof"))),
         ['no message with Subject is "Roof" was found in Inbox and Sent and Drafts and Archive and Trash']),
        ("people", FindStep(records=records("contacts", "contact", is_("Name", "Maria"))), ["Maria Rossi", "Maria Novak"]),
        ("people", FindStep(records=records("contacts", "contact", is_("Name", "Ivy Castle"), pick=Pick(order="first", at=3))),
         ["there are only 2"]),
        ("company", FindStep(records=records("billing", "invoice")), ["40 fit invoice"]),
        (lockers.WORLD, ReadStep(app="lockers", records=locker("Ines Falk"), **CODE), ['the "Code" is hidden']),
        (lockers.WORLD, ReadStep(app="lockers", records=locker("Olga Berg"), **CODE), ['the "Code" is hidden']),
        (lockers.WORLD, CollectStep(records=records("lockers", "locker", exactly=0), labels=("Owner", "Code"), name="code"),
         ["is hidden"]),
    ],
)  # fmt: skip
def test_what_is_not_there_or_hidden_or_may_be_several_is_refused(world: str, step: Step, why: list[str]) -> None:
    got = Worked(world, step)
    assert not got.done
    assert all(words in got.said for words in why)
    assert "code" not in got.facts
    assert 'click "Maria Rossi"' not in got.lines


def test_the_largest_is_found_over_all_pages() -> None:
    most = records("billing", "invoice", pick=Pick(by="Total", order="most"))
    every = CollectStep(records=records("billing", "invoice", exactly=0), labels=("Total",), name="all")
    got = Worked(
        "office", FindStep(records=most), ReadStep(app="billing", records=most, labels=("Total",), names=("total",)), every
    )
    largest, *totals = [got.facts["total"], *(total for (total,) in got.table("all"))]
    assert float(largest.strip("$").replace(",", "")) == max(float(total.strip("$").replace(",", "")) for total in totals)


@pytest.mark.parametrize("group", ["Family", "Suppliers", "Friends"])
def test_all_of_a_group_are_those_who_are_in_others_as_well(group: str) -> None:
    """`Family` and `Family, Friends` alike, where one cell holds all groups of a contact."""
    every = CollectStep(records=records("contacts", "contact", is_("Groups", group), exactly=0), labels=("Name",), name="all")
    got = Worked("company", every, seed=3)
    contacts = got.desk.world()["apps"]["contacts"]["contacts"].values()
    assert sorted(name for (name,) in got.table("all")) == sorted(c["name"] for c in contacts if group in c["groups"])


# --- what is pressed to find what a screen hides: likely names first, each once, and nothing that does more than show


SHOWN: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("tab", "Profile", {"selected": True}), ("tab", "Billing", {}), ("button", "Address", {"expanded": False}),
    ("button", "Delete all", {"expanded": False}), ("button", "More actions", {}), ("button", "Reveal phone", {}),
    ("button", "Reveal salary", {}), ("button", "Save", {}),
)  # fmt: skip
ELEMENTS = tuple(GUIElement(element_id=f"e{n}", role=role, text=name, **more) for n, (role, name, more) in enumerate(SHOWN))
TASK, SEEN = Subtask(id="s1", title="t", instruction="i", app="a"), VisualState(app="a", elements=ELEMENTS)
VIEW = OperatorView(user_request="g", subtask=TASK, app="a", seen=SEEN)


@pytest.mark.parametrize(
    ("wanted", "behind", "pressed"),
    [
        ("phone", ("mask",), ["Reveal phone"]),
        ("billing", ("section", "tab"), ["Billing", "Address"]),
        ("address", ("section", "tab"), ["Address", "Billing"]),
        ("rename", ("menu",), ["More actions"] * 4),
    ],
)
def test_what_may_show_it_is_pressed_once_the_likeliest_first_and_a_menu_again(
    wanted: str, behind: tuple[Behind, ...], pressed: list[str]
) -> None:
    at, names = Situation(VIEW), list[str | None]()
    while (move := revealed(wanted, at, *behind)) is not None:
        assert move.action is not None
        assert move.action.target is not None
        names.append(move.action.target.text)
    assert names == pressed


def test_what_a_page_hides_is_shown_once_a_name_says_it_in_a_part() -> None:
    """As a plan would take it then: a box "Send me paper invoices" for the paper invoices."""
    card = card_of_screen(SEEN.model_copy(update={"app": "browser"}))
    step = PressStep(app="browser", verb="reveal", control="paper invoices", place="there is no such thing")
    at = Situation(VIEW.model_copy(update={"cards": (card,), "app": "browser"}))
    assert press_verb(step, at).kind == "act"
    box = GUIElement(element_id="b", role="checkbox", text="Send me paper invoices", value="false")
    shown = SEEN.model_copy(update={"elements": (*ELEMENTS, box)})
    assert press_verb(step, Situation(VIEW.model_copy(update={"seen": shown, "cards": (card,)}), at.notes)).kind == "done"


def test_a_page_that_did_not_move_is_at_its_end() -> None:
    action, status = Scroll.toward("down", 1, "page").dump(), ExecStatus.EXECUTED
    scrolled = StepRecord(step=1, subtask="s1", action=action, verb="scroll", exec_status=status, visible_change=False)
    assert further(Situation(VIEW)) is not None
    assert further(Situation(VIEW.model_copy(update={"history": (scrolled,)}))) is None
