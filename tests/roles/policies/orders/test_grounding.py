"""What orders name is found in the cards of applications: kinds, fields, verbs, places, and tests in their labels."""

import json
from functools import cache

import pytest
from worlds import loans

from environments.cards import AppCard, FieldCard, KindCard, vocabulary
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from roles.contracts import Fact
from roles.contracts.orders import Amount, Pick, RowTest, Text, Thing, Value, When
from roles.contracts.orders import Test as RecordTest
from roles.policies.orders.grounding import Ungrounded, ground_field, ground_kind, ground_place, ground_verb, to_records
from roles.policies.orders.planner import steps_of
from roles.screen.language.reader import read

ADA = Text(text="Ada Moss")
MAY = When(text="in May", first="2026-05-01", last="2026-05-31")


@cache
def cards(world: str = "company") -> tuple[AppCard, ...]:
    with loans.registered():
        spec = parse_world(loans.WORLD) if world == "library" else load_world(world)
        return tuple(SimulatedDesktop(spec, 0).cards())


def words(value: Value) -> str:
    if isinstance(value, When):
        return value.first if value.first == value.last else f"{value.first} .. {value.last}"
    return value.text if isinstance(value, Text | Amount) else ""


def kind_of(noun: str, world: str = "company") -> tuple[AppCard, KindCard]:
    ((card, kind),) = ground_kind(noun, cards(world))
    return card, kind


@pytest.mark.parametrize(
    ("noun", "kinds"),
    [
        ("mail", ["mail.message"]), ("e-mails", ["mail.message"]), ("appointment", ["calendar.meeting"]),
        ("message", ["mail.message", "chat.message"]), ("chat message", ["chat.message"]), ("bill", ["billing.invoice"]),
        ("document", ["files.file"]), ("shop order", ["shop.order"]), ("draft", ["mail.message"]),
        ("invitation", ["calendar.meeting"]),
    ],
)  # fmt: skip
def test_a_noun_is_the_kinds_that_are_called_so_and_several_only_where_they_are_equally_good(noun: str, kinds: list[str]) -> None:
    assert [f"{card.app}.{kind.kind}" for card, kind in ground_kind(noun, cards())] == kinds


def test_what_no_application_holds_is_said_with_what_there_is_instead() -> None:
    with pytest.raises(Ungrounded, match=r'no application holds "penguin"; there are .*Notes: note'):
        ground_kind("penguin", cards("office"))


LOAN_THINGS = [
    (Thing(kind="loan", name=Text(text="A Short War", quoted=True)), (RowTest(label="Title", value="A Short War"),), 1),
    (Thing(kind="book", tests=(RecordTest(value=Text(text="overdue")),), quantity="all"),
     (RowTest(label="Status", value="overdue"),), 0),
    (Thing(kind="loan", tests=(RecordTest(field="reader", value=ADA),), quantity="number", number=2),
     (RowTest(label="Reader", value="Ada Moss"),), 2),
    (Thing(kind="books", tests=(RecordTest(field="deadline", relation="before", value=MAY),), quantity="all"),
     (RowTest(label="Due date", relation="before", value="2026-05-01 .. 2026-05-31"),), 0),
    (Thing(kind="loan", tests=(RecordTest(relation="on", value=MAY),), quantity="any"),
     (RowTest(label="Due date", relation="between", value="2026-05-01 .. 2026-05-31"),), 0),
    (Thing(name=Text(text="books"), tests=(RecordTest(value=Text(text="returned"), negated=True),), quantity="all"),
     (RowTest(label="Status", value="returned", negated=True),), 0),
]  # fmt: skip


@pytest.mark.parametrize(("thing", "tests", "exactly"), LOAN_THINGS)
def test_things_of_an_app_that_no_rule_knows(thing: Thing, tests: tuple[RowTest, ...], exactly: int) -> None:
    (found,) = to_records(thing, cards("library"), words)
    assert (found.app, found.kind, found.tests, found.exactly) == ("library", "loan", tests, exactly)


@pytest.mark.parametrize(
    ("verb", "said", "control"),
    [("renew", "renew", "Renew"), ("remind", "remind reader", "Remind reader"), ("delete", "throw out", "Delete"),
     ("remove", "remove", "Delete"), ("create", "enter", "New loan"), ("save", "lend it", "Lend it")],
)  # fmt: skip
def test_verbs_of_an_app_that_no_rule_knows(verb: str, said: str, control: str) -> None:
    found = ground_verb(verb, said, *kind_of("loan", "library"))
    assert found is not None
    assert found.control == control


def test_what_an_app_cannot_do_has_no_verb() -> None:
    assert ground_verb("archive", "archive", *kind_of("loan", "library")) is None
    assert ground_verb("mark", "mark", *kind_of("mail")) is None  # as read or as unread: it is not said
    read = ground_verb("mark", "mark as read", *kind_of("mail"))
    assert read is not None
    assert (read.control, read.at) == ("Mark as read", "record")


def test_fields_by_their_words_and_none_where_several_are_as_good() -> None:
    invoice, meeting = kind_of("invoice")[1], kind_of("event")[1]
    found = {said: ground_field(said, invoice) for said in ("supplier", "invoice total", "deadline", "number", "colour")}
    assert {said: field and field.label for said, field in found.items()} == {
        "supplier": "Vendor", "invoice total": "Total", "deadline": "Due date", "number": "Number", "colour": None,
    }  # fmt: skip
    place = ground_field("venue", meeting, written=True)
    assert place is not None
    assert place.label == "Place"
    asks = KindCard(kind="task", fields=(FieldCard(label="What needs to be done?"),))
    assert ground_field("done", asks) is None, "a question is called by no single word of it"


ACME = Text(text="Acme")
HALL = Thing(kind="hall", name=Text(text="hall"))
INV_2 = Thing(name=Text(text="INV-2", quoted=True))
NAMED = [
    ("company", Thing(kind="mail", tests=(RecordTest(relation="from", value=ACME),)), {"tests": [("From", "from", "Acme")]}),
    ("company", Thing(kind="invoice", tests=(RecordTest(relation="from", value=ACME), RecordTest(relation="from", value=MAY))),
     {"tests": [("Vendor", "from", "Acme"), ("Date", "between", "2026-05-01 .. 2026-05-31")]}),
    ("company", Thing(kind="invoice", pick=Pick(by="amount", order="most", number=2), but=(INV_2,)),
     {"by": "Total", "exactly": 2, "but": [("Number", "is", "INV-2")]}),
    ("company", Thing(kind="mail", place=Thing(kind="bin"), quantity="all"), {"place": "Trash"}),
    ("company", Thing(kind="draft", quantity="all"), {"place": "Drafts"}),
    ("company", Thing(kind="contact", place=Thing(kind="group", name=Text(text="Suppliers")), quantity="all"),
     {"place": "", "tests": [("Groups", "has", "Suppliers")]}),
    ("company", Thing(kind="message", place=Thing(kind="chat"), quantity="any"), {"app": "chat", "kind": "message"}),
    ("company", Thing(kind="document", quantity="all"), {"kind": "file", "tests": [("Type", "is", "Text file")]}),
    ("smart-home", Thing(kind="light", place=Thing(kind="kitchen", name=Text(text="kitchen")), quantity="all"),
     {"place": "", "last": ("Room", "has", "Kitchen")}),
    ("smart-home", Thing(kind="lamp", quantity="all"), {"kind": "light", "tests": [("Device", "has", "light")]}),
    ("smart-home", Thing(kind="light", name=Text(text="hall")), {"kind": "light", "last": ("Device", "has", "hall light")}),
    ("smart-home", Thing(kind="light", quantity="all", but=(Thing(kind="light", place=HALL),)),
     {"but": [("Room", "has", "Hall")]}),
]  # fmt: skip


@pytest.mark.parametrize(("world", "thing", "meant"), NAMED)
def test_what_is_meant_is_said_in_the_labels_and_places_of_the_card(world: str, thing: Thing, meant: dict[str, object]) -> None:
    (found,) = to_records(thing, cards(world), words)
    tests, but = ([(t.label, t.relation, t.value) for t in some] for some in (found.tests, sum(found.but, ())))
    own = {"tests": tests, "but": but, "last": tests[-1:] and tests[-1], "by": found.pick and found.pick.by}
    assert {name: own[name] if name in own else getattr(found, name) for name in meant} == meant


def test_a_place_is_one_of_the_card_or_the_application_itself() -> None:
    assert ground_place(Thing(kind="folder", name=Text(text="Old")), *kind_of("file")) == "Old"
    assert ground_place(Thing(kind="chat"), *kind_of("chat message")) == ""


def test_a_name_alone_may_be_in_any_application_that_can_do_what_is_asked() -> None:
    somebody = Thing(name=Text(text="Ada Weber"))
    every, phoned = to_records(somebody, cards(), words), to_records(somebody, cards(), words, fields=("phone number",))
    assert len(every) > 5
    assert [(one.app, one.kind, one.tests) for one in phoned] == [
        ("contacts", "contact", (RowTest(label="Name", value="Ada Weber"),))
    ]


RED = RecordTest(field="colour", value=Text(text="red"))
UNTOLD = "Home lists them among its devices and does not tell which they are"


@pytest.mark.parametrize(
    ("world", "thing", "why"),
    [
        ("company", Thing(kind="note", tests=(RED,)), 'a note in Notes has no "colour"; there are Title, Body'),
        ("smart-home", Thing(kind="sensor", quantity="all"), f'"sensor": {UNTOLD}'),
        ("smart-home", Thing(kind="door", quantity="all"), f'"door": {UNTOLD}'),
        ("office", Thing(kind="note", quantity="all", but=(Thing(kind="note", place=HALL),)), "does not say where it is"),
    ],
)
def test_what_a_list_does_not_tell_is_refused_with_what_there_is(world: str, thing: Thing, why: str) -> None:
    with pytest.raises(Ungrounded, match=why):
        to_records(thing, cards(world), words)


def test_a_field_whose_label_names_its_record_and_a_unit() -> None:
    oven, thermostat = kind_of("oven", "smart-home")[1], kind_of("thermostat", "smart-home")[1]
    found = [ground_field("degrees", thermostat, True), ground_field("timer", oven), ground_field("brightness", oven)]
    assert [field and field.label for field in found] == ["Target of {title} in °C", "Timer of {title} in minutes", None]


@pytest.mark.parametrize(
    ("goal", "field", "value"),
    [
        ("Change the recovery phone of my account to +1 555 0142", "Recovery phone", "+1 555 0142"),
        ("Set my account to Deutsch", "Language", "Deutsch"),
        ("Set the brightness to 40", "Brightness", "40"),
        ("Mute the device", "Mute", "true"),
        ("Set the volume to 30 but leave the brightness alone", "Volume", "30"),
    ],
)
def test_of_what_there_is_only_one_the_field_is_written_that_is_named_or_fits(goal: str, field: str, value: str) -> None:
    steps = steps_of(read(goal, "", vocabulary(cards("letters"))), cards("letters"), ())
    assert [(entry.label, entry.value) for step in steps for entry in getattr(step, "entries", ())] == [(field, value)]


def test_without_a_field_of_its_own_nothing_is_written_to_what_there_is_only_one_of() -> None:
    steps = [
        steps_of(read(goal, "", vocabulary(cards("letters"))), cards("letters"), ())
        for goal in ("Set the email address of the team to bea@x.org", "Set the device to 30", "Mute Bea Lind")
    ]
    assert steps[0]
    assert not any(getattr(step, "app", "") == "settings" for step in steps[0])
    assert "has no field for it" in str(steps[1])
    assert not any(getattr(step, "entries", ()) for step in steps[2]), "somebody is muted, and not the device"


def test_a_value_goes_into_the_field_of_its_unit() -> None:
    (step,) = steps_of(read("Set the oven to 200 degrees", "", vocabulary(cards("smart-home"))), cards("smart-home"), ())
    assert [entry.label for entry in getattr(step, "entries", ())] == ["Temperature of {title} in °C"]
    light = steps_of(read("Set the hall light to 80 degrees", "", vocabulary(cards("smart-home"))), cards("smart-home"), ())
    assert "has no field for it" in str(light)


@pytest.mark.parametrize(("there", "asked"), [("Press visit", True), ("Dentist", False)])
def test_what_an_order_is_about_does_not_settle_by_itself_whether_anything_is_on(there: str, asked: bool) -> None:
    goal = "Accept the invitation to the press visit unless I have something on March 19"
    reading = read(goal, "2026-03-02 09:00", vocabulary(cards("diary")))
    (look,) = steps_of(reading, cards("diary"), ())
    table = {"columns": ["Title", "Date"], "rows": [[there, "Thu 19 March 2026"]]}
    steps = steps_of(reading, cards("diary"), [Fact(name=getattr(look, "name", ""), value=json.dumps(table), kind="table")])
    assert ("does that count" in str(steps)) is asked
