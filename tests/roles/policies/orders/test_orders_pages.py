"""Orders about a page, grounded by what the page shows: what is planned, and what is refused."""

from typing import Any

import pytest

from environments.cards import AppCard, card_of_screen, vocabulary
from protocol import GUIElement, VisualState
from roles.contracts import PlanRequest
from roles.contracts.orders import FillStep, PressStep, ReadStep, Step
from roles.contracts.signals import SubtaskStatus
from roles.manager.rules import RulesManager
from roles.policies.orders.grounding import Refusal
from roles.policies.orders.planner import Planner
from roles.screen.language.reader import read


def element(role: str, name: str, at: int, **more: Any) -> GUIElement:
    return GUIElement(element_id=f"d1e{at}", role=role, text=name, **more)


def card(*shown: GUIElement) -> AppCard:
    return card_of_screen(VisualState(app="browser", elements=shown))


FORM = (
    element("textbox", "Name", 1, value=""), element("textbox", "Starts", 2, value="", placeholder="hh:mm"),
    element("combobox", "Pier", 3, value="North", options=("North", "West", "Old/Quay", "Old/Yard")),
    element("checkbox", "Cox", 4, value="false"),
    element("checkbox", "Rower", 5, value="true"), element("button", "Join", 6), element("textbox", "area", 7, value="A towel."),
    element("textbox", "Add a note…", 8, value="", placeholder="Add a note…"),
)  # fmt: skip
ROWS = tuple(element("button", "Hire", n) for n in (1, 2))


def steps(goal: str, *shown: GUIElement, known: tuple[Step, ...] = ()) -> list[Step]:
    page = card(*shown)
    planner = Planner(read(goal, "2026-03-02 10:30", vocabulary([page])), [page], planned=known)
    return [step for group in planner.groups() for step in group.steps]


def entries(goal: str) -> list[tuple[str, str]]:
    return [(e.label, e.value) for step in steps(goal, *FORM) if isinstance(step, FillStep) for e in step.entries]


@pytest.mark.parametrize(
    ("goal", "filled"),
    [
        ('Enter "Ada" into the Name field.', [("Name", "Ada")]),
        ("Enter 6:15 PM as the time.", [("Starts", "6:15 PM")]),
        ("Select West from the list.", [("Pier", "West")]),
        ("Set the pier to Quay.", [("Pier", "Old/Quay")]),
        ("Set the pier to Old.", [("Pier", "Old")]),  # two say so
        ("Tick Cox.", [("Cox", "true")]),
        ("Uncheck Rower.", [("Rower", "false")]),
        ('Enter "Hi" as the note.', [("Add a note…", "Hi")]),
        ('Enter "Hi,\nall of you" as the note.', [("Add a note…", "Hi,\nall of you")]),
        ('Enter "Hi" into the note box.', [("Add a note…", "Hi")]),
        ("Select nothing.", [("Rower", "false")]),
        ("Select everything except Rower.", [("Cox", "true")]),
    ],
)
def test_a_value_goes_into_the_control_that_takes_it(goal: str, filled: list[tuple[str, str]]) -> None:
    assert entries(goal) == filled


@pytest.mark.parametrize("find", ["Find", "On the page, find"])
def test_what_is_read_becomes_a_fact_that_is_written(find: str) -> None:
    read_, fill, press = steps(f"{find} the last word in the text area, enter it into the Name field and press Join.", *FORM)
    assert isinstance(read_, ReadStep)
    assert (read_.labels, read_.part) == (("area",), "word -1")
    assert isinstance(fill, FillStep)
    assert fill.entries[0].value == "{" + read_.names[0] + "}"
    assert isinstance(press, PressStep)
    assert press.control == "Join"


TABLE = (
    element("heading", "Boats", 10), element("row", "", 13), element("columnheader", "Boat", 11),
    element("columnheader", "Price", 12), *ROWS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "tests"),
    [
        ("Hire boat A-1.", [("", "A-1")]),
        ("Hire the boat that costs 12.", [("Price", "12")]),
        ("Hire the boat under 20.", [("", "20")]),
        ("Hire the cheapest small green boat.", [("", "small"), ("", "green")]),
        ("On the Boats page, hire the boat A-1.", [("", "A-1")]),
    ],
)
def test_a_row_is_told_by_all_that_the_goal_says_of_it(goal: str, tests: list[tuple[str, str]]) -> None:
    (press,) = steps(goal, *TABLE)
    assert isinstance(press, PressStep)
    assert press.records is not None
    assert [(test.label, test.value) for test in press.records.tests] == tests


HIRE = (
    element("heading", "Hire a car", 1), element("textbox", "Name", 2, value=""), element("textbox", "E-mail", 3, value=""),
    element("textbox", "Pick-up date", 4, value="", placeholder="yyyy-mm-dd"), element("spinbutton", "Days", 5, value="1"),
    element("radio", "Small car", 6, value="true"), element("radio", "Large car", 7, value="false"),
    element("combobox", "Insurance", 8, value="Basic", options=("Basic", "Full")),
    element("checkbox", "Child seat", 9, value="false"), element("button", "Hire now", 10), element("button", "Cancel", 11),
)  # fmt: skip
WAYS = (
    element("heading", "Hire a boat", 4),
    element("combobox", "From", 1, value="Bergen", options=("Bergen", "Oslo")),
    element("combobox", "To", 2, value="Paris", options=("Paris", "Rome")), element("button", "Hire", 3),
)  # fmt: skip
LISTS = (
    element("heading", "Packing", 1), element("textbox", "New item", 2, value=""), element("button", "Add", 3),
    element("heading", "Shopping", 4), element("textbox", "New item", 5, value=""), element("button", "Add", 6),
)  # fmt: skip
MAIL = (
    element("heading", "Write to us", 1), element("textbox", "Subject", 2, value=""), element("textbox", "Message", 3, value=""),
    element("button", "Send", 4),
)  # fmt: skip
STAY = (
    element("heading", "Book the pier", 1), element("textbox", "Arrival", 2, value="", placeholder="yyyy-mm-dd"),
    element("textbox", "Departure", 3, value="", placeholder="yyyy-mm-dd"), element("button", "Book", 4),
)  # fmt: skip
GROUPS = (
    element("group", "Notifications", 1), element("checkbox", "Mentions", 2, value="false", parent="d1e1"),
    element("checkbox", "News", 3, value="false", parent="d1e1"), element("group", "Privacy", 4),
    element("checkbox", "Public profile", 5, value="false", parent="d1e4"),
)  # fmt: skip
POLL = (
    element("checkbox", "Otter", 1, value="false"), element("checkbox", "Swan", 2, value="false"),
    element("checkbox", "I accept the terms", 3, value="false"), element("button", "Vote", 4), element("button", "Continue", 5),
)  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "shown", "filled", "pressed"),
    [
        (
            "Hire a large car for Mia Dahl (mia@dahl.no), picking up on 5 June 2027 for 3 days, with full insurance and a "
            "child seat.",
            HIRE,
            "Large car=true Name=Mia Dahl E-mail=mia@dahl.no Pick-up date=2027-06-05 Days=3 Insurance=Full Child seat=true",
            "Hire now",
        ),
        ('Add "rope" to the Shopping list.', LISTS, "New item=rope", "Add"),
        ('Send a message with the subject "Ropes" saying "Two of them".', MAIL, "Subject=Ropes Message=Two of them", "Send"),
        ("Book the pier from 3 May 2027 to 7 May 2027.", STAY, "Arrival=2027-05-03 Departure=2027-05-07", "Book"),
        ("Vote for otter and swan.", POLL, "Otter=true Swan=true", "Vote"),
        ("Add rope to the list.", LISTS[:3], "New item=rope", "Add"),
        ("Accept the terms and continue.", POLL, "I accept the terms=true", "Continue"),
    ],
)
def test_a_form_takes_the_words_of_an_order_that_its_fields_tell(goal: str, shown: Any, filled: str, pressed: str) -> None:
    fill, press = steps(goal, *shown)
    assert isinstance(fill, FillStep)
    assert isinstance(press, PressStep)
    assert (" ".join(f"{e.label}={e.value}" for e in fill.entries), press.control) == (filled, pressed)
    assert shown is not LISTS or (fill.entries[0].nth, press.nth) == (2, 2)


def test_what_a_press_brings_up_of_a_form_is_filled_once_it_is_there() -> None:
    goal, opener = 'Create a boat called "Ada" with high speed.', element("button", "New boat", 1)
    (leads,) = steps(goal, opener)
    assert isinstance(leads, PressStep)
    assert (leads.control, leads.leads) == ("New boat", 1)
    inside = {"parent": "d1e2"}
    form = (
        element("dialog", "New boat", 2), element("textbox", "Name", 3, value="", **inside),
        element("combobox", "Speed", 4, value="Low", options=("Low", "High"), **inside),
        element("button", "Create", 5, **inside), element("button", "Cancel", 6, **inside),
    )  # fmt: skip
    _, fill, press = steps(goal, opener, *form, known=(leads,))
    assert isinstance(fill, FillStep)
    assert isinstance(press, PressStep)
    assert ([(e.label, e.value) for e in fill.entries], press.control) == ([("Name", "Ada"), ("Speed", "High")], "Create")


@pytest.mark.parametrize("thing", ["the Crew tab", "the crew", "the list of boats"])
def test_what_opens_something_is_pressed_by_the_name_that_the_goal_gives_it(thing: str) -> None:
    (press,) = steps(f"Open {thing} by clicking the Join button.", *FORM)
    assert isinstance(press, PressStep)
    assert (press.control, press.leads) == ("Join", 0)


@pytest.mark.parametrize("goal", ["In the Crew tab, set the name to Ada.", "Set the name to Ada in the Crew tab."])
def test_a_tab_that_the_goal_names_is_opened_before_anything_is_done_in_it(goal: str) -> None:
    name, tab = element("textbox", "Name", 2, value=""), element("tab", "Crew", 1)
    (opened,) = steps(goal, tab, name)
    assert isinstance(opened, PressStep)
    assert opened.control == "Crew"
    *_, fill = steps(goal, tab.model_copy(update={"selected": True}), name, known=(opened,))
    assert isinstance(fill, FillStep)
    assert [(e.label, e.value) for e in fill.entries] == [("Name", "Ada")]


@pytest.mark.parametrize(
    "goal",
    [
        "In the Guest section, set the name to Ada.",
        "Set the name of the guest to Ada.",
        'Enter "Ada" as the name in the Guest section.',
    ],
)
def test_of_fields_that_are_called_alike_the_one_in_the_section_of_the_goal_is_meant(goal: str) -> None:
    parts = [
        (element("heading", head, n), element("textbox", "Name", n + 1, value="")) for n, head in ((1, "Sender"), (3, "Guest"))
    ]
    (fill,) = steps(goal, *parts[0], *parts[1])
    assert isinstance(fill, FillStep)
    assert fill.entries[0].nth == 2


ASKS = "What needs to be done?"
TODO = (element("textbox", ASKS, 1, value="", placeholder=ASKS), element("checkbox", "Buy milk", 2, value="false"))


@pytest.mark.parametrize(
    ("goal", "shown", "why"),
    [
        ('Click on the button "Launch".', FORM, 'there is no "button Launch" on the page'),
        ('Enter "Ada" into the Nickname field and press Join.', FORM, 'there is no "Nickname field" on the page'),
        ('Enter "Ada" into the field.', FORM, "things on the page may be meant"),
        ("Press every button.", FORM, "is not understood of a page"),
        ("Find Rower movies from year 1995.", FORM, "is not understood of a page"),
        ('Tell me "hello".', FORM, "is not understood of a page"),
        ("Select -3 with the dial.", FORM, "does not say what goes where"),
        ('Mark "Cox" as done.', FORM, "is not understood of a page"),
        ('Move "Cox" to "Join".', FORM, "is not understood of a page"),
        ("If there is a Join button, press it.", FORM, "not known beforehand"),
        ("On the Payments page, hire the boat A-1.", TABLE, "is not understood of a page"),
        ("Press the Hire button.", ROWS, "say which one"),
        ("Hire the boat.", ROWS, "say which one"),
        ('Click "Room 1".', (element("button", "Room 12", 1),), 'there is no "Room 1"'),
        ('Click "Nowak".', (element("button", "Novak", 1),), 'there is no "Nowak"'),
        ("Hire a large car for Mia Dahl with winter tyres.", HIRE, "winter tyre"),
        ("Hire a large car, small car.", HIRE, "two values"),
        ("Hire a large car with a seat.", HIRE, '"seat" is for nothing'),
        ("Hire a large car in Oslo.", HIRE, "Oslo"),
        ("Hire a large car for Berlin.", HIRE, "Berlin"),
        ("Hire a large car for Mia Dahl and Olaf Berg.", HIRE, "Olaf Berg"),
        ("Hire a large car in 3 days.", HIRE, '"in" is for nothing'),
        ("Hire a large car until 5 June 2027.", HIRE, '"until" is for nothing'),
        ("Book the pier from 3 May 2027.", (*STAY, element("textbox", "Date", 5, value="")), "several fields"),
        ("Accept the terms.", (element("checkbox", "I do not accept the terms", 1, value="false"),), "no control to"),
        ("Hire a large car for 3 days, 4 days.", HIRE, "two values"),
        ("Hire a large car, pick-up date 3/4/2027.", HIRE, "may be one of two days"),
        ("Hire a boat from Rome to Oslo.", WAYS, "is not understood of a page"),
        ("Hire two cars or one for Mia Dahl.", (element("heading", "Hire one or two cars", 12), *HIRE[1:]), '"two or one"'),
        ("Join for the holidays.", FORM, "is not understood of a page"),
        ("Add 3 ropes to the Shopping list.", LISTS, "is not understood of a page"),
        ('In the Payments tab, enter "Ada" as the name.', FORM, 'there is no "Payments"'),
        ("Press Join in the Payments section.", FORM, 'there is no "Payments"'),
        ("Hire the boat A-1 in the Winter tab.", TABLE, 'there is no "Winter"'),
        ("In the Lists section, press Add.", (*LISTS, element("text", "Lists", 7)), "say which one"),
        ("Press Register and tick Winter tyres.", (element("button", "Register", 1),), 'there is no "Winter tyres"'),
        ("Join for the course, without lunch.", (element("button", "Join", 1),), "is not understood of a page"),
        ('Select "Buy milk" as done.', TODO, 'there is no "done field"'),
        ("Select all notifications except Mentions.", GROUPS, "not understood of a page"),
        ("Check every box in the Notifications section.", GROUPS, "not understood of a page"),
    ],
)
def test_what_is_not_there_or_only_like_it_or_may_be_several_is_refused(goal: str, shown: Any, why: str) -> None:
    with pytest.raises(Refusal, match=why):
        steps(goal, *shown)


def test_a_question_in_the_place_of_a_label_is_called_as_a_whole() -> None:
    assert isinstance(steps(f'Enter "Buy milk" into the "{ASKS}" field.', *TODO)[0], FillStep)


def test_what_comes_up_after_a_press_is_planned_once_it_is_there() -> None:
    first, then = element("button", "ONE", 1), element("button", "TWO", 2)
    goal = "Click button ONE, then click button TWO."
    planned = steps(goal, first)
    assert [step.control for step in planned if isinstance(step, PressStep)] == ["ONE"]
    later = steps(goal, then, known=tuple(planned))
    assert [step.control for step in later if isinstance(step, PressStep)] == ["ONE", "TWO"]


def test_what_a_failed_press_led_to_all_the_same_is_planned_behind_its_second_attempt() -> None:
    goal, join = 'Click "Join" and enter "Ada" into the Name field.', element("button", "Join", 1)
    first = RulesManager().plan(PlanRequest(goal=goal, cards=(card(join),), trigger="task_open"))
    lost = tuple(subtask.model_copy(update={"status": SubtaskStatus.REJECTED}) for subtask in first.subtasks)
    again = {"trigger": "cannot_execute", "failed": lost[0].id, "plan": lost, "attempts": 2}
    second = RulesManager().plan(PlanRequest(goal=goal, cards=(card(join, element("textbox", "Name", 2)),), **again))
    assert (first.more, [s.id for s in first.subtasks]) == (True, ["o0"])
    assert (second.more, [s.id for s in second.subtasks]) == (True, ["o0-2"])


def test_the_second_of_several_that_are_called_alike_is_told_by_its_place() -> None:
    boxes = [element("checkbox", "checkbox", n, value="false") for n in (1, 2, 3)]
    fields = [element("textbox", "entry", n, value="") for n in (4, 5)]
    tick, write = steps('Click the 3rd checkbox and enter the number "7" into the 2nd text field.', *boxes, *fields)
    assert isinstance(tick, PressStep)
    assert isinstance(write, FillStep)
    assert (tick.nth, write.entries[0].nth, write.entries[0].value) == (3, 2, "7")


def test_what_the_goal_forbids_is_not_planned() -> None:
    assert [type(step) for step in steps('Enter "Ada" into the Name field, but do not press Join.', *FORM)] == [FillStep]


@pytest.mark.parametrize(
    ("goal", "control", "pressed"),
    [
        ("Change the name to Ada.", "Update name", ("click", "Update name")),
        ("Enter Ada as the name.", "Update name", None),
        ("Set the name to Ada and publish it.", "Publish", ("publish", "")),
        ("Deactivate the user Ann Lee.", "Deactivate", ("Deactivate", "")),
    ],
)
def test_what_was_changed_is_kept_and_a_control_is_found_by_the_goal_s_own_word(
    goal: str, control: str, pressed: tuple[str, str] | None
) -> None:
    page = (element("textbox", "Name", 1, value="Bob"), element("button", control, 2), element("text", "Ann Lee", 3))
    presses = [(step.verb, step.control) for step in steps(goal, *page) if isinstance(step, PressStep)]
    assert presses == ([pressed] if pressed else [])
