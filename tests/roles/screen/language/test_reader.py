"""The reader: what orders a goal's words make, and that no word is passed over."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from environments.cards import Vocabulary
from roles.contracts.orders import Amount, Back, Condition, Of, Order, Pick, Reading, Slot, Text, Thing, When, Worked
from roles.contracts.orders import Test as Holds
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

ROWS = Path(__file__).with_name("goals.txt").read_text(encoding="utf-8")
"""Goals, and below each its orders as `brief` says them; words are put in and taken out of those with a star."""


def brief(value: Any) -> str:
    """What was read, in one line: verb, object, slots by role or field, and the condition."""
    match value:
        case Text(text=text):
            return repr(text)
        case Amount(text=text):
            return text
        case When():
            at = [value.first + (f" .. {value.last}" if value.last != value.first else ""), value.start, value.end]
            return " ".join(filter(None, [*at, f"{value.minutes} min" if value.minutes else ""])) or value.text
        case Back(to=to, field=field):
            return f"<{to}>{field and '.' + field}"
        case Of(fields=fields, thing=thing):
            return f"{'+'.join(fields)} of ({brief(thing)})" if fields else f"({brief(thing)})"
        case Worked(how=how, of=of):
            return f"{how}[{', '.join(map(brief, of))}]"
        case _:
            return brief_thing(value)


def brief_thing(value: Any) -> str:
    match value:
        case Holds():
            return f"{'not ' * value.negated}{value.field or value.relation} {brief(value.value)}"
        case Pick():
            return " ".join([value.order, value.by, *([f"#{value.at}"] if value.at > 1 else []), f"x{value.number}"])
        case Thing():
            parts = [
                "new" * value.new, {"one": "", "number": str(value.number)}.get(value.quantity, value.quantity), value.kind,
                brief(value.name) if value.name else "", brief(value.back) if value.back else "",
                f"{{{brief(value.pick)}}}" if value.pick else "", *map(brief, value.tests),
                f"at ({brief(value.place)})" if value.place else "", *(f"but ({brief(one)})" for one in value.but),
                *(f"& {brief(one)}" for one in value.also),
            ]  # fmt: skip
            return " ".join(filter(None, parts))
        case Condition():
            return f"if {'not ' * value.negated}{brief(value.thing)}{''.join(': ' + brief(one) for one in value.tests)}"
        case Slot(role=role, field=field):
            return f"{field or role}={brief(value.value)}"
        case Order():
            parts = ["no " * value.negated + value.verb, brief(value.object) if value.object else "", *map(brief, value.slots)]
            return " ".join(filter(None, [*parts, brief(value.condition) if value.condition else ""]))
    return ""


_LINES = [(line.removeprefix("* "), not line.startswith(" ")) for line in ROWS.strip().splitlines()]
_GOALS = [n for n, (_, begins) in enumerate(_LINES) if begins]
_ENDS = [*_GOALS[1:], None]
READ = {_LINES[n][0]: [line.strip() for line, _ in _LINES[n + 1 : end]] for n, end in zip(_GOALS, _ENDS, strict=True)}


@pytest.mark.parametrize("goal", READ)
def test_a_goal_is_read_as_these_orders(goal: str) -> None:
    assert [brief(one) for one in orders(goal)] == READ[goal]


def test_words_of_applications() -> None:
    words = Vocabulary(("loan",), ("reader",), ("lend",))
    assert read("Tell me the reader of the oldest loan", TODAY, words).understood
    assert read("Lend the loan X to Ann", TODAY, words).orders[0].verb == "lend"


def test_a_slip_of_the_pen_is_read_as_the_word_that_is_meant_and_another_word_is_not() -> None:
    assert brief(orders("Delete all invocies")[0]) != brief(orders("Delete all invoices")[0])
    assert brief(orders("Delete all invoicess")[0]) == brief(orders("Delete all invoices")[0])
    assert "light" not in brief(orders("Turn off the flights")[0]).split()


def test_what_only_tells_how_things_are_is_background_and_what_waits_comes_after() -> None:
    assert read("Zoe sent me the file plan.txt. Move it.", TODAY).context[0].text == "Zoe sent me the file plan.txt"
    assert read("I'm in a meeting: mute the sound", TODAY).context
    assert orders("As soon as a mail from Ann comes in, archive it")[1].after == (0,)


# What is refused, and what is asked

TOLD = [
    'The note "A" is important.', 'The note "A" must stay.', "The team lunch moves to 3 pm.", "All notes are old.",
    "Only the first row is old.", "Ann wants a mail.", "The notes are not old.", "Frobnicate the mail.",
    "You need the file.", "The notes stay.", "It is urgent.", "Suppose Ben is ill,", "Whenever Ben is away,",
    "Ben is not here,", "Ann should be ill,",
]  # fmt: skip
"""What could be an order, or is only supposed, and so is no background."""


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
        "Give INV-7029 the usual treatment", "Delete the notes instead of the mails", 'Put "x" at its end', "Subject: Keys",
        'Keep only the note "A"', "Claim INV-1 before that",
        "Claim the total of INV-1 and INV-2", "Claim INV-1 before the closing", "Do not claim INV-1 before 08:50",
        "Do nothing with the mail", "Make sure that Ann is happy",
        'Delete the note "A", wait, keep it and delete "B"', "Do nothing", "Check that the front door is locked",
        "I want all mails from Ann in the trash",
        "Move the team lunch to Friday on the same day", "The file has to go to Ann",
        "Who has the oldest mail?", "What do the lamps cost?", "How much does Brook Catering owe us?",
        "Who of them works at Brook?", "Delete the mails that Petra never sent me.",
        "Delete the mails from Ann because they are old, and frobnicate the note", "Print what Ben meant in chat.",
        "Delete the mails from Ann because they are old unless they are unread", "Lena and Ben are ill. Cancel his meeting.",
        "Within two minutes Ann sends a mail. Delete the note.",
        "Remind me to call Ann",
        "Ann will send me a mail. Archive it", "Ann sends a mail. Delete INV-1",
        "Delete the file a.txt, I have it to send to Ann",
        "Tell Ann saying hello and Ben one saying bye", "Add a contact Ann Lee and one called Ben Ray with the phone number 5",
        "Book A tomorrow at 10. Move the lunch to Friday at the same time", "Move the note A to Archive and B as read",
        "Ben Okoro moved to Berlin. Put that into his contact.", "Ben Okoro has a new number: +1 555 0777. Delete it.",
        "If there are more than three unpaid bills, delete them", "Tell Ann the sum and the date of all unpaid invoices",
        "The design review has to start half an hour later",
        "Delete the bills that we still have to pay", 'Set "T" to "A" in the note "P"', "volume to 20, notifications off",
        "Delete the mails from Ann because they are old", "Add everybody in the group Garden to the group Chess, but not Uma",
        *(f'{told} Delete the note "B".' for told in TOLD),
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
        "When INV-1 is paid, delete the note",
        "Delete the two mails from Ann and Bob", 'Delete all mails from Ann, except the note "A", the file "B" and the mail "C"',
        'Delete the note "A" and keep it', "Archive all mails but keep them", "Delete the note Plan and keep the note Plan",
        "Say thanks to Ann", "Tell Ann", "Let Ann know", "Reply to Ann's mail",
        "Decline every mail from Ann Lee and accept those of Ben Ray",
        "Add Ann to the meeting A and remove Bob from it", "Accept every invitation but the ones from Omar, and decline those",
        "Delete the first meeting", "Delete the last meeting", "Find my meetings on Friday. Cancel the first meeting.",
        "Find the mails from Ann. Delete the newest one.", "Delete every second note", "Mark every 2nd mail as read",
        "Archive all mails from Ann and do not leave the rest where it is",
        "Ann and Bob are here. Send her a mail.", "Delete every mail about the budget that came in last month",
    ],
)  # fmt: skip
def test_what_may_mean_two_things_is_asked(goal: str) -> None:
    reading = read(goal, TODAY)
    assert reading.asks
    assert not reading.understood


# The law: each word belongs to one part of one order

MEANING = [
    "not", "no", "except", "unless", "if", "only", "never", "both", "two", "without", "Ann", "tomorrow", "unpaid", "other",
    "some", "old", "blue", "most", "largest", "March", "nobody", "late", "delete", "archive", "second", "half", "before", "ten",
]  # fmt: skip
GLUE = {
    "the", "whole", "a", "an", "my", "our",
    "and", "then", "so", "that", "with", "of", "for", "is", "has", "do", "there", "it", "its", "please",
    "saying", "called", "titled", "named", "new", "yet", "still",
    "off", "also", "i", "any", "more", "one", "all", "been", "in", "total",
    "to", "again", "from", "now", "on", "are", "them", "which", "who", "too",
}  # fmt: skip
READABLE = [entry["example"] for entry in LEXICON["verbs"].values()] + [goal for goal in READ if f"* {goal}\n" in ROWS]


SAME = {"When Ann sends  a mail, archive it", "Buy both tea towels by invoice"}
"""What says as much as before: whose mail comes is the user's own, and both are two."""


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
    assume(changed.lower() != goal.lower() and changed not in SAME)
    assume(how != "delete" or token.start or goal.split()[-1] not in LEXICON["made_so"])  # "the lamp off" says as much
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


def test_a_second_field_has_a_thing_of_its_own() -> None:
    (order,) = read("Create a contact Tim Rau with the company of Kai Lund and the phone number of Jon Keel").orders
    assert [getattr(slot.value, "fields", ()) for slot in order.slots] == [("company",), ("phone number",)]
