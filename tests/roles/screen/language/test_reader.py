"""The reader: what orders a goal's words make, and that no word is passed over."""

import json
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

ROWS = """
* When Ann sends me a mail, archive it
    wait new mail from 'Ann'
    archive <0>
* The books close in two minutes. Claim the total of INV-1 before that
    claim 'INV-1' amount=total of (<0>) before=2 min
* Archive all mails from Ann by Friday
    archive all mail from 'Ann' before=2026-03-06 ..  23:59
* Claim the invoices due by Friday
    claim all invoice due date 2026-03-06
* What do we owe Umbra Ltd?
    answer value=sum[amount of (all invoice from 'Umbra Ltd' not is 'paid')]
* What do we owe Umbra Ltd for invoices that are overdue by now?
    answer value=sum[amount of (all invoice is 'overdue' from 'Umbra Ltd' not is 'paid')]
* What have we spent with Umbra Ltd, going by the Costs sheet?
    answer value=sum[amount of (all row from 'Umbra Ltd' at (sheet 'Costs'))]
* I bought the Cable box. Claim what that whole order came to, shipping included
    claim order has (box 'Cable box') amount=total of (<0>)
* Claim INV-1. The vendor belongs on the claim, too.
    claim 'INV-1' with=vendor of (<0>)
* Claim INV-1. Put the vendor and "x" as the description on the claim.
    claim 'INV-1' with=vendor of (<0>) description='x'
* Create a note titled "A" and send no mail
    create new any note 'A'
    no send any mail
Open the mail from Ann and reply saying "Yes"
    open mail from 'Ann'
    reply <0> saying='Yes'
Set the volume to 30 and the brightness to 40
    set volume value=30
    set <0> brightness=40
Move the note A to Archive and the note B to Trash
    move note 'A' into='Archive'
    move note 'B' into='Trash'
Move the mail "A" to the folder "Old" and the mails "B" and "C" to the folder "New"
    move mail 'A' into=(folder 'Old')
    move all mail 'B' & mail 'C' into=(folder 'New')
Create a note called A with the text x and one called B with the text y
    create new any note 'A' text='x'
    create new note 'B' text='y'
In the reimbursement form enter 35 as the amount and Meals as the category
    write amount=35 at=(form 'reimbursement form')
    write category='Meals' at=(form 'reimbursement form')
Reply to Ann's latest mail and tell her that I am coming
    reply to=(mail {most date x1} is 'Ann') saying='I am coming'
* Make a file pioneer.txt in Reports with a line for each Pioneer Media invoice that isn't paid yet, with number and total.
    create new any file 'pioneer.txt' into='Reports' saying=number+total of (all invoice 'Pioneer Media' not is 'paid')
What is the most expensive unpaid invoice?
    answer value=(invoice {most price x1} not is 'paid')
Which vendor has the highest overdue invoice?
    answer value=vendor of (invoice {most amount x1} is 'overdue')
What is the first appointment on March 10?
    answer value=(appointment {first  x1} on 2026-03-10)
Mark all mails as read except those from Iris
    mark all mail but (all mail from 'Iris') as='read'
Set the volume to 80 but leave the brightness alone
    set volume value=80
    keep brightness
Copy plan.txt into the Reports folder
    copy file 'plan.txt' into=(folder 'Reports')
Tell Ann I am late
    send to='Ann' saying='I am late'
Enter 5 into the Amount field
    write Amount=5
Mark Ann as not paid
    mark 'Ann' as='not paid'
I want to know what all the unpaid invoices from Delta Supplies come to altogether
    answer value=sum[total of (all invoice not is 'paid' from 'Delta Supplies')]
Submit a claim of $64.90 for the vendor City Taxi, category Other
    submit any claim is $64.90 vendor='City Taxi' category='Other'
Write the names of all lamps in the shop that cost less than 30 dollars into a note called Lamps
    write value=name of (all lamp price 30 dollars at (shop)) into=(any note 'Lamps')
Put Kettle in the cart, but do not order yet
    put 'Kettle' into=(cart)
    no buy
Write a mail to Ann saying "I come." Do not send it
    send any mail to='Ann' saying='I come.'
    no send <0>
Unless INV-1 is paid, claim it. If it has been, delete the note A.
    claim 'INV-1' if not 'INV-1': is 'paid'
    delete note 'A' if 'INV-1': is 'paid'
* Throw out all my notes except the ones about the team lunch and the budget review.
    delete all note but (all note about (lunch 'team lunch')) but (all note about (review 'budget review'))
Don't delete the note "A", but archive the mail from Ann.
    no delete note 'A'
    archive mail from 'Ann'
Move the mail "A" to the trash without opening it
    move mail 'A' into=(trash)
    no open <0>
Delete all my notes but keep New laptop. Leave Quarterly report alone.
    delete all note but ('New laptop') but (report 'Quarterly')
    keep 'New laptop'
    keep report 'Quarterly'
Add up the totals of INV-1 and INV-2 and make a note X with the sum of INV-1 and INV-2
    answer value=sum[total of ('INV-1' & 'INV-2')]
    create new any note 'X' with=sum[sum of ('INV-1' & 'INV-2')]
Create a note titled Shopping with the text milk and eggs, then delete the note Plan
    create new any note 'Shopping' text='milk and eggs'
    delete note 'Plan'
Send Ann a mail with the subject Lunch and the text See you at noon
    send any mail to='Ann' subject='Lunch' text='See you at noon'
Send Ann a chat message saying hello Bob and Cleo
    send any message to='Ann' saying='hello Bob and Cleo' by=(chat)
Clear my cart but keep the mug set
    remove all but (set 'mug set') from=(cart)
    keep set 'mug set'
Archive the mail from Ann, but don't touch the note Plan
    archive mail from 'Ann'
    keep note 'Plan'
Submit an expense claim for 23.50, category Meals
    submit any expense claim value=23.50 category='Meals'
Rename the Interview to Second interview
    rename 'Interview' to='Second interview'
Delete all mails that came before February
    delete all mail date 2026-02-01 .. 2026-02-28
Delete every note that mentions the shared folder
    delete all note has 'shared folder'
* Turn off all lamps except the one in the kitchen
    turn_off all lamp but (lamp at (kitchen 'kitchen'))
Delete the note "A". All other notes must stay as they are. Do not change anything else.
    delete note 'A'
    keep all note but (note 'A')
    keep all note but (note 'A')
I want that all mails from Ann are in the archive, and make sure the note "A" is deleted
    put all mail from 'Ann' into=(archive)
    delete note 'A'
Set the title of the note "A" to "B". Verify that it was saved.
    set note 'A' title='B'
    save <0>
Archive the mails from Ann and from Bob
    archive all mail from 'Ann' & all mail from 'Bob'
Delete the mails from Ann and Bob and the note "A"
    delete all mail from 'Ann' & all mail from 'Bob' & note 'A'
Delete the notes whose titles begin with "Old" and the files that do not end with "report"
    delete all note title 'Old' & all file not ends 'report'
Turn off every light except in the kitchen and the hall
    turn_off all light but (all light at (kitchen 'kitchen')) but (all light at (hall 'hall'))
Delete all mails except from Ann and Bob
    delete all mail but (all mail from 'Ann') but (all mail from 'Bob')
Archive all mails from Ann but leave the ones about "tea"
    archive all mail from 'Ann' but (all mail about 'tea')
    keep all mail about 'tea'
Turn off the lights in kitchen and hall
    turn_off all light at ('kitchen') & all light at ('hall')
Put 2 kettle calm in cart
    put 'kettle calm' into=(cart) quantity=2
Change Ann Lee's phone number to 555-1234
    set 'Ann Lee' phone number='555-1234'
Set the living room thermostat to 22.5 °C
    set thermostat 'living room thermostat' value=22.5 °C
* Find the total of INV-12, then mail the total to Ann
    find value=total of ('INV-12')
    send saying=total of (<0>) to='Ann'
* Decline whatever comes from Omar, and accept all the others.
    decline all from 'Omar'
    accept all but (all from 'Omar')
* Zoe asks when INV-8647 is due. Answer her in chat, please.
    find value=due date of ('INV-8647')
    reply to='Zoe' by=(chat) saying=<0>
* If INV-12 is unpaid, claim it. Otherwise, delete the note "X".
    claim 'INV-12' if 'INV-12': not is 'paid'
    delete note 'X' if not 'INV-12': not is 'paid'
Check whether INV-7 has been paid. If so, create a note titled "paid". If it has not, claim its total.
    create new any note 'paid' if 'INV-7': is 'paid'
    claim 'INV-7' amount=total of (<1>) if not 'INV-7': is 'paid'
Claim INV-1 unless it is paid
    claim 'INV-1' if not <0>: is 'paid'
How many mails are unread?
    answer value=count[(all mail not is 'read')]
When is INV-12 due?
    answer value=due date of ('INV-12')
Who in my contacts works for Lumen Catering?
    answer value=(all person company 'Lumen Catering' at (all contact))
* Is INV-1 paid?
    answer value='yes' if 'INV-1': is 'paid'
    answer value='no' if not 'INV-1': is 'paid'
Do I have any meetings tomorrow?
    answer value='yes' if any meeting on 2026-03-03
    answer value='no' if not any meeting on 2026-03-03
Find the note "A" and tell me whether it is pinned
    find note 'A'
    answer value='yes' if <0>: is 'pinned'
    answer value='no' if not <0>: is 'pinned'
* As soon as a mail from Ann comes in, archive it
    wait new any mail from 'Ann'
    archive <0>
Wait until the oven is off, then turn it on
    wait oven 'oven' is 'off'
    turn_on <0>
* Copy what the note "A" says into a new file a.txt
    copy value=text of (note 'A') into=(new any file 'a.txt')
* Tell everybody who comes to the team lunch that it is off
    send to=attendee of (lunch 'team lunch') saying='it is off'
Find out who wrote the mail "A" and send that person a mail saying "Hi"
    answer value=sender of (mail 'A')
    send any mail to=<0> saying='Hi'
My note "A" lacks something. Put "x" at its end.
    put value='x' at='end' into=(note 'A')
Create an alarm for 7 am called "Plan"
    create new any alarm 'Plan' at=07:00
* Make a note. Its title should be "Plan" and its text "Buy tea".
    create new any note title='Plan' text='Buy tea'
Buy the cheapest lamp that has at least four stars
    buy lamp {least price x1} rating four stars
Tell me the vendor of the row that comes first
    answer value=vendor of (row {first  x1})
Take the company out of Bruno's contact
    remove company from=(contact is 'Bruno')
Make a meeting with Ann in Room 3 tomorrow at 10
    create new any meeting with='Ann' into='Room 3' on=2026-03-03 10:00
Run `wc -l < names.txt`
    run value='wc -l < names.txt'
If there are any mails from Ann, archive them
    archive all mail from 'Ann' if any mail from 'Ann'
Schedule lunch with Ann on Friday at noon
    book new 'lunch' with='Ann' on=2026-03-06 12:00
If the oven is on, turn it off. If not, there is nothing to do.
    turn_off oven 'oven' if oven 'oven': is 'on'
File a claim for INV-1 with the vendor and the total as the amount
    submit any claim for='INV-1' with=vendor of ('INV-1') amount=total of ('INV-1')
I paid invoices INV-1 and INV-2. File a claim for each of them, with the total as the amount.
    submit any claim per=(invoice 'INV-1' & invoice 'INV-2') amount=total of (<0>)
Move the files a.txt, file b.txt and c.txt to the folder Old
    move file 'a.txt' & file 'b.txt' & file 'c.txt' into=(folder 'Old')
Everybody who comes to the client visit next Friday should get a mail saying we are full
    send any mail to=attendee of (visit 'client visit' on 2026-03-13) saying='we are full'
Delete the notes Travel plan, Release notes and Printer order
    delete note 'Travel plan' & note 'Release notes' & note 'Printer order'
Delete every note except Client visit and Archive plans
    delete all note but ('Client visit') but ('Archive plans')
Zoe sent me the file plan.txt. Move it to the folder Old.
    move file 'plan.txt' into=(folder 'Old')
Aino Virtanen has sent us an offer. Answer her that we accept it.
    reply to='Aino Virtanen' saying='we accept it'
Send Ann a mail saying "Hi". The subject is "Lunch".
    send any mail to='Ann' saying='Hi' subject='Lunch'
Send Ann a mail with the number of each open invoice
    send any mail to='Ann' with=number of (all invoice is 'open')
Send Ann a mail with the number of unpaid invoices
    send any mail to='Ann' with=count[(all invoice not is 'paid')]
Find the unpaid invoices and tell me how many there are
    find all invoice not is 'paid'
    answer value=count[(all <0>)]
INV-1 goes to the trash
    put 'INV-1' into=(trash)
Send Ann a mail. Subject: Keys. Text: they are ready at noon
    send any mail to='Ann' subject='Keys' text='they are ready at noon'
Archive the mails that Petra has forwarded to me.
    archive all mail from 'Petra'
Lena Ott is on leave. Decline her invitation.
    decline invitation is 'Lena Ott'
Which lamp has the highest price?
    answer value=(lamp {most price x1})
What do the lamps cost together?
    answer value=sum[price of (all lamp)]
Write a mail to everyone in the group Choir except Ben Ito saying "See you"
    send any mail to=(all person at (group 'Choir') but ('Ben Ito')) saying='See you'
Ivy can't make it to the review. Take her off it.
    remove 'Ivy' from=(review 'review')
Delete the bills that are over 5 and not paid yet
    delete all bill over 5 not is 'paid'
Make a note called To pay with the total of INV-1
    create new any note 'To pay' with=total of ('INV-1')
If I'm free tomorrow at 9, book 'A' then. If I'm not, make a note called X.
    book new 'A' on=2026-03-03 09:00 if not any appointment on 2026-03-03 09:00
    create new any note 'X' if any appointment on 2026-03-03 09:00
Ask Ivy Castle in chat when the review starts
    send to='Ivy Castle' by=(chat) saying='when the review starts'
* Which of my shop orders hasn't been delivered yet? Put its number into a note called Waiting.
    answer value=(shop order not is 'delivered')
    put value=number of (<0>) into=(any note 'Waiting')
* Archive every mail from Ann and Bob that came in last month
    archive all mail from 'Ann' date 2026-02-01 .. 2026-02-28 & all mail from 'Bob' date 2026-02-01 .. 2026-02-28
* Postpone the meeting with Ann to next Monday at 3 pm
    postpone meeting with 'Ann' to=2026-03-09 15:00
* Mail the two largest Umbra invoices, number and total, to accounting@example.com with the subject Umbra
    send 2 invoice 'Umbra' {most amount x2} with=number+total of (<0>) to='accounting@example.com' subject='Umbra'
* Delete all mails older than 30 days
    delete all mail before 2026-01-31
* Tell Ann and Bob in chat that the meeting is in Room 2 now
    send to=('Ann' & 'Bob') by=(chat) saying='the meeting is in Room 2 now'
If Thursday afternoon is free, put "Tax" into it from 3 to 4
    put value='Tax' on=2026-03-05 at=15:00 16:00 if not any appointment on 2026-03-05 12:00 18:00
Delete the mails from Ann and mark Ben's as unread
    delete all mail from 'Ann'
    mark all mail is 'Ben' as='unread'
Turn the kitchen light on and the hall light off
    turn_on light 'kitchen light'
    turn_off light 'hall light'
Write a note called Open listing the unpaid invoices
    create new any note 'Open' saying=(all invoice not is 'paid')
Book a meeting called Visit tomorrow at 10 and invite Ann Lee
    book new any meeting 'Visit' on=2026-03-03 10:00
    invite 'Ann Lee' to=<0>
File a claim of 40 dollars for Travel, dated yesterday
    submit any claim is 40 dollars for='Travel' date=2026-03-01
Add a task, due on Friday
    add any task due date=2026-03-06
If nothing is in my calendar on Friday, add "Focus day" from 9 to 12, otherwise leave it as it is
    add value='Focus day' on=2026-03-06 09:00 12:00 if not any appointment on 2026-03-06
* Claim the cheaper of the two Brook Catering invoices under Meals, with the vendor.
    claim invoice 'Brook Catering' {least price x1} as='Meals' with=vendor of (<0>)
"""
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
        "Find the mails from Ann. Delete the newest one.",
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
    "to", "again", "from", "now", "on", "are", "them", "which", "who",
}  # fmt: skip
READABLE = [entry["example"] for entry in LEXICON["verbs"].values()] + [goal for goal in READ if f"* {goal}\n" in ROWS]


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
