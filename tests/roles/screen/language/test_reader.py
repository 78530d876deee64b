"""The reader: what orders a goal's words make, and that no word is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from environments.cards import Vocabulary
from roles.contracts.orders import Amount, Back, Of, Order, Reading, Text, When, Worked
from roles.screen.language.reader import read
from roles.screen.language.words import Lexicon, tokens

TODAY = "2026-03-02 10:30"
LEXICON = Lexicon.english().data


def orders(goal: str) -> tuple[Order, ...]:
    reading = read(goal, TODAY)
    assert reading.understood, (goal, reading.unread, reading.asks)
    return reading.orders


def order(goal: str) -> Order:
    (only,) = orders(goal)
    return only


def meaning(reading: Reading) -> str:
    """The orders without the characters that they come from."""

    def plain(data: Any) -> Any:
        if isinstance(data, dict):
            return {key: plain(value) for key, value in data.items() if key not in {"spans", "said"}}
        return [plain(one) for one in data] if isinstance(data, list) else data

    return json.dumps([[plain(one.model_dump(mode="json")) for one in reading.orders], [one.text for one in reading.context]])


# The lexicon: each entry is read in a sentence.


@pytest.mark.parametrize("name", LEXICON["verbs"])
def test_a_verb_is_read_in_its_example(name: str) -> None:
    entry = LEXICON["verbs"][name]
    assert order(entry["example"]).verb == entry.get("verb", name)


@pytest.mark.parametrize("form", LEXICON["plain"])
def test_a_plain_verb_takes_a_thing(form: str) -> None:
    assert order(f'{form.capitalize()} the record "A"').object is not None


SENTENCES = {
    "states": 'Delete all {} notes',
    "superlatives": "Delete the {} row",
    "fields": "Tell me the {} of INV-1",
    "nouns": 'Delete the {} "A"',
    "requests": '{} delete the note "A"',
    "negations": '{} delete the note "A"',
    "exceptions": 'Delete all notes {} the note "A"',
    "nothing": 'Delete the note "A" {}',
    "all": "Delete {} notes",
    "positions": 'Write "x" {} the note "A"',
    "if_so": 'Is INV-1 paid? {}, claim it.',
    "if_not": 'If INV-1 is paid, delete the note "A". {}, claim it.',
}  # fmt: skip


def _forms(group: str) -> list[str]:
    data = LEXICON[group]
    if isinstance(data, dict):
        return [form for entry in data.values() for form in (entry["forms"] if isinstance(entry, dict) else entry)]
    return [form for entry in data for form in (entry if isinstance(entry, list) else [entry])]


@pytest.mark.parametrize(("group", "sentence"), SENTENCES.items())
def test_words_of_a_group_are_read_in_its_sentence(group: str, sentence: str) -> None:
    unread = []
    for form in _forms(group):
        words = form if group != "positions" or form.endswith("of") else f"{form} of"
        if "its" not in words and "past" not in words and not read(sentence.format(words), TODAY).understood:
            unread.append(form)
    assert not unread


# What orders say


def test_quantity_exception_and_negation() -> None:
    throw = order("Throw out all my notes except the ones about the team lunch and the budget review.")
    assert throw.object
    assert throw.object.quantity == "all"
    assert len(throw.object.but) == 2
    first, second = orders('Don\'t delete the note "A", but archive the mail from Ann.')
    assert first.negated
    assert not second.negated
    _move, opened = orders('Move the mail "A" to the trash without opening it')
    assert opened.verb == "open"
    assert opened.negated


def test_tests_and_picks() -> None:
    moved = order("Into the trash with every mail whose sender isn't from example.com.").object
    assert moved
    assert moved.tests[0].field == "sender"
    assert moved.tests[0].negated
    claimed = order("Claim the two largest Umbra Software invoices with vendor and amount").object
    assert claimed
    assert claimed.pick
    assert (claimed.pick.by, claimed.pick.order, claimed.pick.number) == ("amount", "most", 2)
    assert claimed.name
    assert claimed.name.text == "Umbra Software"
    unpaid = order("Pay all unpaid invoices over 100 euros").object
    assert unpaid
    assert unpaid.tests[0].negated
    assert unpaid.tests[1].relation == "over"
    lamps = order("Turn off all lamps except the one in the kitchen").object
    assert lamps
    assert lamps.but[0].place
    assert lamps.but[0].place.kind == "kitchen"
    plants = order("Water every plant in the kitchen that is dry").object
    assert plants
    assert plants.tests
    assert plants.place
    assert not plants.place.tests


def test_slots_and_values() -> None:
    mail = order('Send Ann Lee a mail with the subject "Lunch" saying "See you"')
    assert [(slot.role, slot.field) for slot in mail.slots] == [("to", ""), ("with", "subject"), ("saying", "")]
    changed = order("Set the due date of invoice INV-12 to March 5")
    value = changed.slots[0].value
    assert changed.slots[0].field == "due date"
    assert isinstance(value, When)
    assert value.first == "2026-03-05"
    phone = order("Change Ann Lee's phone number to 555-1234")
    assert phone.object
    assert phone.object.name
    assert phone.object.name.text == "Ann Lee"
    told = order("Tell Ann the total of all unpaid invoices")
    worked = next(slot.value for slot in told.slots if slot.role == "saying")
    assert isinstance(worked, Worked)
    assert worked.how == "sum"
    warm = order("Set the living room thermostat to 22.5 °C").slots[0].value
    assert isinstance(warm, Amount)
    assert warm.number == 22.5


def test_what_points_back() -> None:
    _found, sent = orders("Find the total of INV-12, then mail the total to Ann")
    value = next(slot.value for slot in sent.slots if slot.role == "saying")
    assert isinstance(value, Of)
    assert value.thing.back
    assert value.thing.back.to == 0
    _opened, deleted = orders('Open the note "A" and delete it')
    assert deleted.object
    assert deleted.object.back
    assert deleted.object.back.to == 0
    _declined, accepted = orders("Decline whatever comes from Omar, and accept all the others.")
    assert accepted.object
    assert accepted.object.but
    _asked, answered = orders("Zoe asks when INV-8647 is due. Answer her in chat, please.")
    said = next(slot.value for slot in answered.slots if slot.role == "saying")
    to = next(slot.value for slot in answered.slots if slot.role == "to")
    assert isinstance(said, Back)
    assert isinstance(to, Text)
    assert to.text == "Zoe"


def test_conditions() -> None:
    claim, note_it = orders('If INV-12 is unpaid, claim it. Otherwise, delete the note "X".')
    assert claim.condition
    assert not claim.condition.negated
    assert claim.object
    assert claim.object.name
    assert note_it.condition
    assert note_it.condition.negated
    paid, not_paid = orders(
        'Check whether INV-7 has been paid. If so, create a note titled "paid". If it has not, claim its total.'
    )
    assert paid.condition
    assert not paid.condition.negated
    assert not_paid.condition
    assert not_paid.condition.negated
    unless = order("Claim INV-1 unless it is paid")
    assert unless.condition
    assert unless.condition.negated


def test_questions() -> None:
    count = order("How many mails are unread?").slots[0].value
    assert isinstance(count, Worked)
    assert count.how == "count"
    due = order("When is INV-12 due?").slots[0].value
    assert isinstance(due, Of)
    assert due.fields == ("due date",)
    who = order("Who in my contacts works for Lumen Catering?").slots[0].value
    assert isinstance(who, Of)
    assert who.thing.tests[0].field == "company"


def test_a_question_of_yes_or_no_is_answered_with_one_of_them() -> None:
    for asked in ("Is INV-1 paid?", "Tell me whether INV-1 is paid", "Check if INV-1 is paid"):
        yes, no = orders(asked)
        assert [slot.value.text for one in (yes, no) for slot in one.slots] == ["yes", "no"]
        assert yes.condition
        assert no.condition
        assert (yes.condition.negated, no.condition.negated) == (False, True)
        assert yes.condition.tests == no.condition.tests
    assert orders("Do I have any meetings tomorrow?")[0].condition
    assert orders('Find the note "A" and tell me whether it is pinned')[1].condition


def test_what_is_waited_for_stands_before_what_follows() -> None:
    for said in ("When a mail from Ann arrives", "As soon as a mail from Ann comes in", "When Ann sends me a mail"):
        wait, archived = orders(f"{said}, archive it")
        assert wait.verb == "wait"
        assert wait.object
        assert wait.object.new
        assert wait.object.tests[-1].relation == "from"
        assert archived.after == (0,)
        assert archived.object
        assert archived.object.back
        assert archived.object.back.to == 0
    off, _on = orders("Wait until the oven is off, then turn it on")
    assert off.object
    assert off.object.tests
    assert not off.object.new
    assert read("When INV-1 is paid, delete the note", TODAY).asks


def test_what_something_says_and_who_has_part_in_it_are_fields_of_it() -> None:
    fields = {
        'What does the note "A" say?': "text", "Who wrote the latest mail?": "sender", "Who comes to the team lunch?": "attendee",
    }  # fmt: skip
    for asked, field in fields.items():
        value = order(asked).slots[0].value
        assert isinstance(value, Of)
        assert value.fields == (field,)
    copied = order('Copy what the note "A" says into a new file a.txt').slots[0].value
    assert isinstance(copied, Of)
    assert copied.fields == ("text",)
    told = order("Tell everybody who comes to the team lunch that it is off").slots[0]
    assert told.role == "to"
    assert isinstance(told.value, Of)
    _found, sent = orders('Find out who wrote the mail "A" and send that person a mail saying "Hi"')
    assert isinstance(sent.slots[0].value, Back)


def test_the_same_is_said_to_somebody_else() -> None:
    for more in ("Tell the same to Ben in chat", "Send the same to Ben"):
        first, second = orders(f"Send Ann the total of INV-1. {more}.")
        assert next(slot.value for slot in first.slots if slot.role == "saying") in [slot.value for slot in second.slots]
        to = next(slot.value for slot in second.slots if slot.role == "to")
        assert isinstance(to, Text)
        assert to.text == "Ben"
    assert not read("Tell the same to Ben", TODAY).understood
    assert not read('Delete the note "A" and the same to Ben', TODAY).understood


def test_what_a_reply_says_may_follow_it() -> None:
    reply = order("Reply to Ann's latest mail and tell her that I am coming")
    assert {slot.role for slot in reply.slots} == {"to", "saying"}
    assert len(read("Reply to Ann's latest mail and tell Ben that I am coming", TODAY).orders) == 2


@pytest.mark.parametrize("goal", ["Say thanks to Ann", "Tell Ann", "Let Ann know", "Reply to Ann's mail"])
def test_what_is_not_said_is_asked(goal: str) -> None:
    assert read(goal, TODAY).asks
    assert not read(f"Do not {goal[0].lower()}{goal[1:]}", TODAY).asks


def test_its_end_is_the_end_of_what_was_spoken_of() -> None:
    for goal in ('My note "A" lacks something. Put "x" at its end.', 'Open the note "A" and put "x" at its end'):
        assert [slot.role for slot in orders(goal)[-1].slots] == ["value", "at", "into"]
    assert not read('Put "x" at its end', TODAY).understood


def test_all_that_is_not_kept() -> None:
    kept, out = orders("Keep only the salad bowl in my cart and take everything else out")
    assert kept.verb == "keep"
    assert out.object
    assert out.object.but == (kept.object,)
    assert out.object.place
    first, removed = orders("There is too much in my cart. Keep only the lamp, exactly 4 of it, and take everything else out.")
    assert first.slots[0].field == "quantity"
    assert removed.object
    assert removed.object.place
    assert not read('Keep only the note "A"', TODAY).understood


def test_a_limit_of_time_is_no_test_of_the_thing() -> None:
    for goal in (
        "Claim INV-1 before the monthly closing at 08:50", "The books close in two minutes. Claim INV-1 before that.",
    ):  # fmt: skip
        slot = order(goal).slots[0]
        assert slot.role == "until"
        assert isinstance(slot.value, When)
        assert slot.value.start == "08:50" or slot.value.minutes == 2
    assert not read("Claim INV-1 before that", TODAY).understood


def test_a_reason_is_background_as_far_as_nothing_is_asked_for_in_it() -> None:
    assert read("Delete the mails from Ann because they are old", TODAY).context
    assert not read("Delete the mails from Ann because they are old, and frobnicate the note", TODAY).understood
    assert not read("Delete the mails from Ann because they are old unless they are unread", TODAY).understood


def test_what_a_new_thing_is_called_may_follow() -> None:
    for goal in ('Make a new note. It should be called "Plan".', 'Create an alarm for 7 am called "Plan"'):
        made = order(goal).object
        assert made
        assert made.name
        assert made.name.text == "Plan"
    named = order('Make a note. Its title should be "Plan" and its text "Buy tea".')
    assert [slot.field for slot in named.slots] == ["title", "text"]
    titled = order("For each of the unpaid invoices, make a note titled with its number")
    assert {(slot.role, slot.field) for slot in titled.slots} == {("per", ""), ("with", "title")}


def test_what_a_field_or_a_unit_says_is_of_that_field() -> None:
    lamp = order("Buy the cheapest lamp that has at least four stars").object
    assert lamp
    assert lamp.tests[0].field == "rating"
    first = order("Tell me the vendor of the row that comes first").slots[0].value
    assert isinstance(first, Of)
    assert first.thing.pick
    assert first.thing.pick.order == "first"
    taken = order("Take the company out of Bruno's contact")
    assert (taken.verb, taken.slots[0].role) == ("remove", "from")
    added = order("Add a row to the sheet Costs with today's date and the vendor Webshop")
    assert [slot.field for slot in added.slots] == ["", "date", "vendor"]


def test_a_reminder_to_do_something_says_what() -> None:
    assert {slot.role for slot in order("Remind me tomorrow at 9 to call Ann").slots} == {"on", "about"}
    assert read("Remind me to call Ann tomorrow", TODAY).asks


def test_what_stands_in_backquotes_is_taken_letter_for_letter() -> None:
    value = order("Run `wc -l < names.txt`").slots[0].value
    assert isinstance(value, Text)
    assert (value.text, value.quoted) == ("wc -l < names.txt", True)


def test_the_same_day_or_time_is_kept_where_the_other_is_said() -> None:
    moved = order("Move the team lunch to 14:00 on the same day").slots[0].value
    assert isinstance(moved, When)
    assert (moved.first, moved.start) == ("", "14:00")
    assert order("Move the team lunch to Friday at the same time")
    assert not read("Move the team lunch to Friday on the same day", TODAY).understood


def test_any_in_a_question_or_a_condition_is_one_at_least() -> None:
    assert orders("Are any of my invoices overdue?")[0].condition.thing.quantity == "any"  # type: ignore[union-attr]
    archived = order("If there are any mails from Ann, archive them")
    assert archived.condition
    assert archived.condition.thing.quantity == "any"
    assert archived.object
    assert archived.object.quantity == "all"
    deleted = order("Delete any mails from Ann").object
    assert deleted
    assert deleted.quantity == "all"


def test_making_sure_of_a_state_is_doing_what_makes_it_so() -> None:
    assert [one.verb for one in orders("Make sure that all lamps are off and lock the front door")] == ["turn_off", "lock"]
    assert not read("Make sure that Ann is happy", TODAY).understood


def test_the_day_of_a_meeting_is_not_the_day_of_a_person() -> None:
    assert {slot.role for slot in order("Schedule lunch with Ann on Friday at noon").slots} == {"with", "on"}


def test_nothing_to_do_is_no_order() -> None:
    turned = order("If the oven is on, turn it off. If not, there is nothing to do.")
    assert turned.condition
    assert not turned.condition.negated
    assert not read("Do nothing", TODAY).understood
    assert not read("Do nothing with the mail", TODAY).understood


def test_each_of_several_fields_goes_where_it_is_said() -> None:
    slots = order("File a claim for INV-1 with the vendor and the total as the amount").slots[1:]
    assert [(slot.field, slot.value.fields) for slot in slots if isinstance(slot.value, Of)] == [
        ("", ("vendor",)), ("amount", ("total",)),
    ]  # fmt: skip
    each = orders("I paid invoices INV-1 and INV-2. File a claim for each of them, with the total as the amount.")[0]
    assert each.slots[0].role == "per"


def test_values_behind_a_colon_are_what_a_new_thing_says() -> None:
    value = order("Make a file a.txt: the number of unpaid invoices, the vendor and the total of INV-1").slots[0].value
    assert isinstance(value, Worked)
    assert value.how == "joined"


def test_a_noun_that_is_a_verb_too_is_a_noun_before_its_name() -> None:
    moved = order("Move the files a.txt, file b.txt and c.txt to the folder Old").object
    assert moved
    assert len(moved.also) == 2
    assert [one.verb for one in orders('Delete the note "A" and file a claim for INV-1')] == ["delete", "submit"]


def test_who_should_get_something_is_who_it_is_sent_to() -> None:
    sent = order("Everybody who comes to the client visit next Friday should get a mail saying we are full")
    assert sent.verb == "send"
    assert isinstance(sent.slots[0].value, Of)


def test_what_is_announced_is_what_is_waited_for() -> None:
    wait, reply = orders('Within two minutes Ann sends a mail about the lunch; when it is there, reply to it saying "Yes"')
    assert wait.verb == "wait"
    assert reply.after == (0,)
    assert not read("Within two minutes Ann sends a mail. Delete the note.", TODAY).understood


def test_a_name_in_a_list_keeps_its_words_though_a_verb_or_a_noun_is_among_them() -> None:
    (delete,) = read("Delete the notes Travel plan, Release notes and Printer order").orders
    assert [(one.kind, one.name and one.name.text) for one in (delete.object, *delete.object.also)] == [
        ("note", "Travel plan"), ("note", "Release notes"), ("note", "Printer order"),
    ]  # fmt: skip
    (delete,) = read("Delete every note except Client visit and Archive plans").orders
    assert [but.name and but.name.text for but in delete.object.but] == ["Client visit", "Archive plans"]
    delete, archive = read("Delete the note Travel plan and archive the mail from Ann").orders
    assert (delete.verb, archive.verb) == ("delete", "archive")


def test_for_each_of_several() -> None:
    made = order("For every invoice of Acme, create a note with the invoice number as its title and the total in it.")
    assert {slot.role for slot in made.slots} == {"with", "per"}


def test_words_of_applications() -> None:
    words = Vocabulary(("loan",), ("reader",), ("lend",))
    told = read("Tell me the reader of the oldest loan", TODAY, words)
    assert told.understood
    assert read("Lend the loan X to Ann", TODAY, words).orders[0].verb == "lend"


def test_what_only_tells_how_things_are_is_background() -> None:
    told = read("Zoe sent me the file plan.txt. Move it to the folder Old.", TODAY)
    assert told.understood
    assert told.context[0].text == "Zoe sent me the file plan.txt"
    assert told.orders[0].object
    assert told.orders[0].object.kind == "file"
    assert read("I'm in a meeting: mute the sound", TODAY).context
    answered = orders("Aino Virtanen has sent us an offer. Answer her that we accept it.")[0].slots[0].value
    assert isinstance(answered, Text)
    assert answered.text == "Aino Virtanen"
    added = orders('Send Ann a mail saying "Hi". The subject is "Lunch".')[0]
    assert added.slots[-1].field == "subject"


def test_the_number_of_several_is_how_many_they_are() -> None:
    said = ("the number of unpaid invoices", "the number of notes", "the number of each open invoice", "the number of INV-12")
    values = [order(f"Send Ann a mail with {one}").slots[-1].value for one in said]
    counted = [isinstance(value, Worked) and value.how == "count" for value in values]
    assert counted == [True, True, False, False]
    assert all(isinstance(value, Of) and value.fields == ("number",) for value in values[2:])


def test_the_highest_of_a_field_is_a_value_and_the_highest_thing_a_record() -> None:
    for goal in ("Tell me the highest total of the unpaid invoices", "What is the highest invoice total?"):
        value = order(goal).slots[0].value
        assert isinstance(value, Worked)
        assert (value.how, isinstance(value.of[0], Of) and value.of[0].fields) == ("largest", ("total",))
    picked = order("Tell me the number of the highest invoice").slots[0].value
    assert isinstance(picked, Of)
    assert picked.thing.pick


def test_how_many_there_are_speaks_of_those_looked_for() -> None:
    value = orders("Find the unpaid invoices and tell me how many there are")[1].slots[0].value
    assert isinstance(value, Worked)
    assert isinstance(value.of[0], Of)
    assert (value.how, value.of[0].thing.back and value.of[0].thing.back.to) == ("count", 0)


def test_that_of_another_is_the_same_field() -> None:
    (slot,) = order("Set the phone number of Ann Lee to that of Bob Ray").slots
    assert isinstance(slot.value, Of)
    assert (slot.field, slot.value.fields) == ("phone number", ("phone number",))


def test_what_can_go_and_what_has_to_start_is_to_be_done() -> None:
    goals = ('The note "A" can go', "The tea towels can come out of my cart", "INV-1 goes to the trash")
    assert [order(goal).verb for goal in goals] == ["delete", "remove", "put"]
    later, at = order("The team lunch has to start half an hour later"), order("The team lunch must start tomorrow at 1 pm")
    assert (later.verb, later.slots[0].role, at.verb, at.slots[0].role) == ("move", "by", "move", "on")
    assert isinstance(later.slots[0].value, When)
    assert later.slots[0].value.minutes == 30
    assert not read("The file has to go to Ann", TODAY).understood


def test_a_field_is_dictated_behind_a_colon() -> None:
    told = order("Send Ann a mail. Subject: Keys. Text: they are ready at noon")
    fields = {slot.field: slot.value.text for slot in told.slots if slot.field and isinstance(slot.value, Text)}
    assert fields == {"subject": "Keys", "text": "they are ready at noon"}
    assert not read("Subject: Keys", TODAY).understood


def test_words_behind_an_order_may_tell_why_and_not_ask_for_more() -> None:
    assert read("Delete the file a.txt, I have it on paper", TODAY).context
    for goal in (
        "Delete the file a.txt, I have a copy in Old",
        "Delete the file a.txt, I have it to send to Ann",
    ):
        assert not read(goal, TODAY).understood


def test_the_time_it_starts_is_that_of_what_was_spoken_of() -> None:
    value = (
        orders("Accept the office move, then reply to the mail about the lunch with the day and the time it starts")[1]
        .slots[-1]
        .value
    )
    assert isinstance(value, Of)
    assert (value.fields, value.thing.back and value.thing.back.to) == (("day", "time"), 0)


@pytest.mark.parametrize(
    "told",
    [
        'The note "A" is important.', 'The note "A" must stay.', "The team lunch moves to 3 pm.", "All notes are old.",
        "Only the first row is old.", "Ann wants a mail.", "The notes are not old.", "Frobnicate the mail.",
        "You need the file.", "The notes stay.", "It is urgent.",
    ],
)  # fmt: skip
def test_what_could_be_an_order_is_no_background(told: str) -> None:
    reading = read(f'{told} Delete the note "B".', TODAY)
    assert not reading.understood


# What is refused, and what is asked


@pytest.mark.parametrize(
    "goal",
    [
        "Delete some notes", "Delete only the note", "Delete the note maybe", "Delete most of my notes",
        "Frobnicate the note", "The printer is broken.", "Delete nothing", "Archive the mail from nobody",
        'Delete the note "A" and frobnicate the mail', "Tell Ann that I am late and delete the note",
        "There is a mail from Ann. Delete the note.", "When it rains, delete the note", "Delete", "",
        "From now on archive all mails from Ann", "Delete the mails from me", "Archive the mails every week",
        "Delete all but two notes", "Delete at most three notes", "Archive or delete the mail", "Delete not all notes",
        'Delete the note "A", not the mail "B"', "Buy two or three lamps", "The file has to go to Ann. Delete the mail.",
        "How many all mails are unread?", "Delete all the my notes", "Delete the notes A, B and frobnicate",
        "Tell Ann, Ben and frobs that I am late", "Delete as many notes as possible", "Whenever a mail arrives, archive it",
        'Delete the note "A" when Ann writes', "Add a row in Old in New in Older",
        "Give INV-7029 the usual treatment", "Delete the notes instead of the mails",
    ],
)  # fmt: skip
def test_what_is_not_certain_is_refused(goal: str) -> None:
    assert not read(goal, TODAY).understood


@pytest.mark.parametrize(
    "goal",
    [
        "Do not delete all notes", "Delete the mails from Ann or Bob",
        'Delete the note "A" and archive the mail "B" if INV-1 is paid',
        'Do not delete the note "A" and archive the mail "B"', "Remind me of the team lunch tomorrow at 9",
        "Ann and Bob are here. Send her a mail.", "Delete every mail about the budget that came in last month",
    ],
)  # fmt: skip
def test_what_may_mean_two_things_is_asked(goal: str) -> None:
    reading = read(goal, TODAY)
    assert reading.asks
    assert not reading.understood


def test_unread_words_are_named_with_their_place() -> None:
    goal = 'Delete the note "A", then frobnicate the mail'
    (unread,) = read(goal, TODAY).unread
    assert goal[slice(*unread.span)] == unread.text
    assert "frobnicate" in unread.text


# The law: each word belongs to one part of one order

MEANING = [
    "not", "no", "except", "unless", "if", "only", "never", "both", "two", "without", "Ann", "tomorrow", "unpaid", "other",
    "some", "old", "blue", "most", "largest", "March", "nobody", "late", "delete", "archive", "second", "half", "before", "ten",
]  # fmt: skip
GLUE = {
    "the", "a", "an", "my", "our",
    "and", "then", "so", "that", "with", "of", "for", "is", "has", "do", "there", "it", "its", "please",
    "saying", "called", "titled", "named", "new", "yet", "still",
    "off", "also", "i", "any", "more", "one", "all", "been", "in", "total",
    "to", "again", "from", "now", "on", "are", "them", "which", "who",
}  # fmt: skip
READABLE = [entry["example"] for entry in LEXICON["verbs"].values()] + [
    "Throw out all my notes except the ones about the team lunch.",
    'If invoice INV-12 is unpaid, claim it with vendor and amount. Otherwise, delete the note "X".',
    "Into the trash with every mail whose sender isn't from example.com.",
    "Find the total of invoice INV-12 on the billing page, then send the total to lee.park@example.com",
    "Which of my shop orders hasn't been delivered yet? Put its number into a note called Waiting.",
    "Make a file pioneer.txt in Reports with a line for each Pioneer Media invoice that isn't paid yet, with number and total.",
    "Decline whatever comes from Omar Haddad, and accept all the others.",
    "Archive every mail from Ann and Bob that came in last month",
    "Postpone the meeting with Ann to next Monday at 3 pm",
    "Tell Ann and Bob in chat that the meeting is in Room 2 now",
    "Zoe asks when INV-8647 is due. Answer her in chat, please.",
    "Claim the cheaper of the two Brook Catering invoices under Meals, with the vendor.",
    "Mail the two largest Umbra invoices, number and total, to accounting@example.com with the subject Umbra",
    "Delete all mails older than 30 days",
    "Is invoice INV-12 paid?",
    "When a mail from Ann arrives, archive it",
    "Copy what the note Plan says into a new file plan.txt",
    "Tell everybody who comes to the team lunch that it is off",
    "Keep only the salad bowl in my cart and take everything else out",
    "Claim INV-12 before the monthly closing at 08:50",
    'Make a note. Its title should be "Plan" and its text "Buy tea".',
    "Turn off all lamps except the one in the kitchen",
]


@pytest.mark.parametrize("goal", READABLE)
def test_goals_of_the_law_are_readable(goal: str) -> None:
    assert orders(goal)


@given(st.sampled_from(READABLE), st.data())
def test_every_word_counts(goal: str, data: st.DataObject) -> None:
    """A word put in, left out or put in the place of another: other orders, or none."""
    there = [token for token in tokens(goal) if token.kind != "mark"]
    token = data.draw(st.sampled_from(there))
    word = data.draw(st.sampled_from(MEANING))
    how = data.draw(st.sampled_from(["insert", "delete", "replace"]))
    assume(how == "insert" or token.lower not in GLUE)
    if how == "insert":
        changed = f"{goal[: token.start]}{word} {goal[token.start :]}"
    else:
        changed = goal[: token.start] + (word if how == "replace" else "") + goal[token.end :]
    assume(changed.lower() != goal.lower())
    note(changed)
    after = read(changed, TODAY)
    assert not after.understood or meaning(after) != meaning(read(goal, TODAY))


@given(
    st.lists(
        st.sampled_from([*MEANING, *GLUE, "note", "mail", "INV-1", '"A"', ",", ".", "?", "send", "5", "Friday"]), max_size=14
    )
)
def test_any_words_are_read_or_named(words: list[str]) -> None:
    """Whatever is said, the reader ends; and what is in no order and means something is named."""
    goal = " ".join(words)
    reading = read(goal, TODAY)
    held = [span for one in reading.orders for span in one.spans] + list(reading.nothing) + [one.span for one in reading.unread]
    if reading.understood:
        for token in tokens(goal):
            assert any(first <= token.start and token.end <= end for first, end in held) or token.lower in GLUE | {",", "but"}, (
                token
            )


# Clauses and sentences about people


@pytest.mark.parametrize(
    ("goal", "kind", "person"),
    [
        ("Archive the mails that Petra has forwarded to me.", "mail", "Petra"),
        ("Delete all mails Petra has forwarded to us.", "mail", "Petra"),
        ("Print the letter which Omar Diaz has written to me.", "letter", "Omar Diaz"),
        ("Decline the meeting Milo Kern has invited me to.", "meeting", "Milo Kern"),
        ("Accept what Milo invited us to on Friday.", "invitation", "Milo"),
    ],
)
def test_a_clause_says_who_something_is_from(goal: str, kind: str, person: str) -> None:
    thing = order(goal).object
    assert thing
    (test, *_rest) = thing.tests
    assert (thing.kind, test.relation) == (kind, "from")
    assert isinstance(test.value, Text)
    assert test.value.text == person


def test_what_somebody_wrote_is_the_text_of_the_message() -> None:
    told = next(slot.value for slot in order("Tell Ann what Ben wrote me in chat.").slots if slot.role == "saying")
    assert isinstance(told, Of)
    assert told.fields == ("text",)
    assert told.thing.kind == "message"
    assert told.thing.place
    unclear = ("Forward what Ben told me to Ann.", "Delete the mails that Petra never sent me.", "Print what Ben meant in chat.")
    for goal in unclear:
        assert not read(goal, TODAY).understood


@pytest.mark.parametrize(
    "goal",
    [
        "Ben Ito is ill. Move his meeting to Friday.",
        "Ben Ito is ill, so move his meeting to Friday.",
        "Ben Ito is away this week, move his meeting to Friday.",
        "Ben Ito has sent me his plan in chat. Move his meeting to Friday.",
    ],
)
def test_a_pronoun_means_who_was_told_of(goal: str) -> None:
    moved = order(goal).object
    assert moved
    assert isinstance(moved.tests[0].value, Text)
    assert moved.tests[0].value.text == "Ben Ito"


@pytest.mark.parametrize(
    "goal",
    [
        'Suppose Ben is ill, delete the note "Plan".',
        'Whenever Ben is away, delete the note "Plan".',
        'Ben is not here, delete the note "Plan".',
        'Ann should be ill, delete the note "Plan".',
        "Lena and Ben are ill. Cancel his meeting.",
        "Ben Ito has a new number. He has sent it to me in chat. Put it into his contact.",
    ],
)
def test_what_is_supposed_or_points_at_nobody_is_not_understood(goal: str) -> None:
    assert not read(goal, TODAY).understood


def test_her_thing_is_no_person() -> None:
    declined = order("Lena Ott is on leave. Decline her invitation.").object
    assert declined
    assert declined.kind == "invitation"
    assert [slot.role for slot in order("Tell Lena Ott in chat that her order is ready.").slots] == ["to", "by", "saying"]


def test_what_one_has_got_is_background() -> None:
    reading = read("I've got a new phone, 555-0102. Turn the sound off.", TODAY)
    assert reading.understood
    assert [told.text for told in reading.context] == ["I've got a new phone, 555-0102"]
    assert order("I have a new mail from Ann, archive it.").object
    assert not read("I have three mails from Ann. Delete the note A.", TODAY).understood


# Fields of what is picked, and sums


def _value(goal: str) -> Any:
    return next(slot.value for slot in order(goal).slots if slot.role in {"value", "saying"})


@pytest.mark.parametrize(
    ("goal", "field"),
    [("Tell me which vendor has the highest invoice.", "vendor"), ("Which customer has the oldest order?", "customer")],
)
def test_which_has_the_highest_is_a_field_of_that_one(goal: str, field: str) -> None:
    value = _value(goal)
    assert isinstance(value, Of)
    assert value.fields == (field,)
    assert value.thing.pick
    lamp = _value("Which lamp has the highest price?")
    assert isinstance(lamp, Of)
    assert not lamp.fields


def test_prices_are_added_up_only_where_it_is_said() -> None:
    assert isinstance(_value("What do the lamps cost together?"), Worked)
    for goal in ("What do the lamps cost?", "How much does Brook Catering owe us?", "What do I owe Wanda?"):
        assert not read(goal, TODAY).understood


def test_who_of_them_and_all_but_one_of_a_group() -> None:
    works = _value("Who of my contacts works at Brook?")
    assert isinstance(works, Of)
    assert (works.thing.kind, works.thing.quantity) == ("contact", "all")
    assert not read("Who of them works at Brook?", TODAY).understood
    who = "everyone in the group Choir except Ben Ito"
    for goal in (f'Write a mail to {who} saying "See you"', f'Send {who} a mail saying "See you"'):
        sent = order(goal)
        to = next(slot.value for slot in sent.slots if slot.role == "to")
        assert isinstance(to, Of)
        assert to.thing.place
        assert to.thing.but
        assert "into" not in {slot.role for slot in sent.slots}


def test_the_single_highest_is_one() -> None:
    paid = order("Pay the single highest invoice.").object
    assert paid
    assert paid.pick


# What is stated, asked by others, and still to be done


def test_what_is_stated_of_somebody_is_entered_where_it_is_said() -> None:
    for goal in (
        "Ben Okoro has a new number: +1 555 0777. Change it in my contacts.",
        "Ben Okoro's phone number has changed to +1 555 0777. Update his contact.",
    ):
        entered = order(goal)
        assert (entered.verb, entered.slots[0].field) == ("set", "phone number")
        assert entered.object is not None
        assert entered.object.name is not None
        assert entered.object.name.text == "Ben Okoro"
    assert order("Ivy Castle works for Brook Print now. Put that into her contact.").slots[0].field == "company"


@pytest.mark.parametrize(
    "goal",
    [
        "Ben Okoro moved to Berlin. Put that into his contact.",
        "Ben Okoro has a new number: +1 555 0777.",
        "Ben Okoro has a new number: +1 555 0777. Delete it.",
    ],
)
def test_what_is_stated_and_not_to_be_entered_for_certain_is_no_order(goal: str) -> None:
    reading = read(goal, TODAY)
    assert not reading.understood or all(one.verb != "set" for one in reading.orders)


def test_somebody_who_cannot_come_is_who_she_is_and_no_number_is() -> None:
    assert order("Ivy can't make it to the review. Take her off it.").object.name.text == "Ivy"  # type: ignore[union-attr]
    (_, told) = orders("If INV-12 is late, tell Ivy Castle in chat that it is late; otherwise tell her that all is well.")
    assert isinstance(told.slots[0].value, Text)
    assert told.slots[0].value.text == "Ivy Castle"


@pytest.mark.parametrize(
    ("goal", "state"),
    [
        ("Delete the bills that we still have to pay", "paid"),
        ("Delete the bills that have to be paid", "paid"),
        ("Delete the mails I have not read", "read"),
        ("Delete the bills that are over 5 and not paid yet", "paid"),
    ],
)
def test_what_is_still_to_be_done_is_not_done(goal: str, state: str) -> None:
    thing = order(goal).object
    assert thing is not None
    assert isinstance(thing.tests[-1].value, Text)
    assert (thing.tests[-1].value.text, thing.tests[-1].negated) == (state, True)
    done = order("Delete the mails I have already read").object
    assert done is not None
    assert not done.tests[-1].negated


def test_a_title_ends_at_a_small_word() -> None:
    for goal, title in (
        ("Make a note called To pay with the total of INV-1", "To pay"),
        ("Make a note titled April bills tomorrow", None),
        ("Rename the note Travel plan to Trip", "Travel plan"),
    ):
        reading = read(goal, TODAY)
        names = [one.object.name.text for one in reading.orders if one.object is not None and one.object.name is not None]
        assert names == ([title] if title else ["April bills"] if reading.understood else names)


@pytest.mark.parametrize(
    ("goal", "least", "negated"),
    [
        ("If there are more than three unpaid bills, make a note called X", 4, False),
        ("If there are at least three unpaid bills, make a note called X", 3, False),
        ("If there are fewer than three unpaid bills, make a note called X", 3, True),
        ("Unless there are at most three unpaid bills, make a note called X", 4, False),
    ],
)
def test_a_condition_counts(goal: str, least: int, negated: bool) -> None:
    condition = order(goal).condition
    assert condition is not None
    assert (condition.at_least, condition.negated) == (least, negated)


def test_free_is_that_there_is_no_appointment() -> None:
    made, told = orders("If I'm free tomorrow at 9, book 'A' then. If I'm not, make a note called X.")
    assert made.condition is not None
    assert told.condition is not None
    assert (made.condition.negated, told.condition.negated) == (True, False)
    slot = made.slots[0].value
    assert isinstance(slot, When)
    assert (slot.first, slot.start) == ("2026-03-03", "09:00")


def test_what_is_asked_is_no_answer() -> None:
    asked = order("Ask Ivy Castle in chat when the review starts")
    (said,) = [slot.value for slot in asked.slots if slot.role == "saying"]
    assert isinstance(said, Text)
    told = order("Tell Ivy Castle in chat when the review starts")
    assert isinstance(next(slot.value for slot in told.slots if slot.role == "saying"), Of)


def test_whether_it_is_so_is_told() -> None:
    found, told = orders("Jonas would like to know whether INV-3 has been paid. Tell him in chat.")
    assert isinstance(found.slots[0].value, Worked)
    assert found.slots[0].value.how == "whether"
    assert any(isinstance(slot.value, Back) for slot in told.slots)


def test_what_is_left_out_is_the_verb_before() -> None:
    first, second = orders("Turn the volume down to 20 and the brightness up to 80")
    assert first.verb == second.verb == "set"
    assert second.slots[0].field == "brightness"


@pytest.mark.parametrize("goal", ['Set "Title" to "Old"', 'Change "Title" to "Old"', 'Fill "Title" with "Old"'])
def test_a_quoted_label_before_its_value_is_a_field(goal: str) -> None:
    [order] = orders(goal)
    assert order.verb == "set"
    assert order.object
    assert getattr(order.object.name, "text", "") == "Title"
    assert [getattr(slot.value, "text", "") for slot in order.slots if slot.role == "value"] == ["Old"]
