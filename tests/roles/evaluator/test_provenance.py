"""Values that were written are held to where they come from, whoever planned."""

from typing import Any

import pytest

from protocol import ExecStatus, GUIElement, VisualState
from roles.contracts import Fact, GateRequest, StepRecord
from roles.contracts.signals import GateTrigger
from roles.evaluator.provenance import unfounded

GOAL = "Find the total of invoice INV-1042 and enter it as the amount in the form, with the description Lunch with Ada"
TOTAL = Fact(name="invoice total", value="$1,059.73", kind="money", source="screen", state_id="invoice")


def wrote(text: str, n: int = 1, target: str = "Amount", **more: Any) -> StepRecord:
    action = {"action_type": "fill", "text": text, "target": {"text": target}}
    fields = {"step": n, "subtask": "s1", "action": action, "verb": "fill", "target": target, "exec_status": ExecStatus.EXECUTED}
    return StepRecord(**{**fields, "before": "form", "after": f"a{n}", "visible_change": True, "app": "form", **more})


def screen(*texts: str) -> VisualState:
    elements = tuple(GUIElement(element_id=f"e{n}", role="text", text=text) for n, text in enumerate(texts))
    return VisualState(elements=elements, app="billing")


def found(*steps: StepRecord, facts: tuple[Fact, ...] = (TOTAL,), goal: str = GOAL, **screens: VisualState) -> tuple[str, ...]:
    return unfounded(GateRequest(trigger=GateTrigger.FINAL_CHECK, goal=goal, steps=steps, facts=facts), screens.get)


@pytest.mark.parametrize(
    ("texts", "issues"),
    [
        (("$1,059.73", "1059.73", "1,059.73", "Lunch with Ada", "Total: $1,059.73", "INV-1042"), 0),
        (("$1.00", "1,059.78", "hello", "INV-1043", "ada@example.com", "Total: $1,059.78"), 1),
    ],
)
def test_what_goal_or_facts_say_is_founded_in_any_spelling_and_what_nobody_said_is_not(texts: Any, issues: int) -> None:
    assert {text: len(found(wrote(text))) for text in texts} == dict.fromkeys(texts, issues)


@pytest.mark.parametrize(("text", "issues"), [("••••", 1), ("Phone: Private", 1), ("Private rooms", 0), ("555 0100", 0)])
def test_what_stands_in_place_of_a_value_is_not_the_value(text: str, issues: int) -> None:
    phone = Fact(name="phone", value=text, source="screen", state_id="contact")
    assert len(found(wrote(text, target="Body"), facts=(phone,))) == issues
    assert found(wrote(text, target="Body"), facts=(phone,), goal=f'Write "{text}" or "Private" into the body') == ()


def test_a_fact_that_rests_on_a_models_word_founds_nothing() -> None:
    (said,) = found(wrote("$1,059.73"), facts=(TOTAL.model_copy(update={"source": "model"}),))
    assert said.endswith('but the worker\'s own fact "invoice total" nothing says it')
    worked_out = Fact(name="sum", value="$99.00", source="facts", used=("invoice total",))
    assert found(wrote("$99.00"), facts=(TOTAL, worked_out)) == ()


def test_a_line_of_a_text_in_json_is_a_line() -> None:
    answer = Fact(name="contact", value='{"note": "8 Seegasse\\nGraz\\n8010"}', kind="result", source="api")
    assert found(wrote("Graz", target="City"), facts=(answer,)) == ()
    assert found(wrote("Linz", target="City"), facts=(answer,))


def test_what_stands_on_the_screen_may_be_written_there_again() -> None:
    assert found(wrote("old words 77"), form=screen("old words 77")) == ()
    assert found(wrote("old words 77"), form=screen("other words"))


def test_a_value_that_was_put_right_before_anything_was_done_is_no_issue() -> None:
    pressed = wrote("", 2, "Submit", action={"action_type": "click"}, verb="submit")
    assert found(wrote("1.00"), wrote("1059.73", 2)) == ()
    assert found(wrote("1.00"), pressed, wrote("1059.73", 3))


def test_what_a_person_wrote_by_hand_comes_from_a_person() -> None:
    assert found(wrote("Berlin Rail", role="user")) == ()
    assert found(wrote("Berlin Rail", role="user"), wrote("Berlin Rail", 2, "Vendor")) == ()
    assert found(wrote("Berlin Rail"))


def test_what_was_worked_for_an_earlier_goal_comes_from_that() -> None:
    request = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="Save the draft", steps=(wrote("$12.50"),))
    assert unfounded(request, {}.get)
    assert unfounded(request.model_copy(update={"earlier_goals": ("Enter $12.50 as the amount",)}), {}.get) == ()


SPOKEN = "Add Choir to my calendar on {day} at {time} for 90 minutes"


@pytest.mark.parametrize("day", ["5 March 2027", "2027-03-05", "the 5th of March", "March 5, 2027", "03/05/2027"])
@pytest.mark.parametrize("time", ["3 pm", "three in the afternoon", "15:00", "three o'clock"])
def test_days_times_and_lengths_are_compared_by_value(day: str, time: str) -> None:
    goal = SPOKEN.format(day=day, time=time)
    for right in ("2027-03-05", "5 March 2027", "15:00", "3:00 PM", "16:30", "2027-03-05T15:00"):
        assert found(wrote(right), goal=goal) == (), right
    for wrong in ("2027-03-06", "6 April 2027", "15:30", "4:00 PM", "17:30", "2027-03-06T15:00"):
        assert found(wrote(wrong), goal=goal), wrong


@pytest.mark.parametrize(("goal", "right", "wrong"), [
    ("Meet from half past nine in the morning until noon on 2027-03-05", "09:30", "10:30"),
    ("Meet from half past nine in the morning until noon on 2027-03-05", "12:00", "13:00"),
    ("Meet at quarter to five in the afternoon on 2027-03-05", "16:45", "17:15"),
    ("Meet tomorrow at 15:00", "2027-03-05", "15:30"),
    ("Move the audit to 21 February.", "2026-02-21", "2026-02-22"),
    ("Enter 2026-02-30, 9999999 years from now", "2026-02-30", "2026-03-02"),  # a day that there is not
])  # fmt: skip
def test_hours_and_days_are_understood_as_people_say_them(goal: str, right: str, wrong: str) -> None:
    assert found(wrote(right), goal=goal) == ()
    assert found(wrote(wrong), goal=goal)


@pytest.mark.parametrize(("today", "issues"), [("2027-03-04", 0), ("2027-03-05", 1), ("", 0)])
def test_tomorrow_is_one_day_where_there_is_a_calendar(today: str, issues: int) -> None:
    asked = {"trigger": GateTrigger.FINAL_CHECK, "goal": "Meet tomorrow at 15:00", "today": today}
    assert len(unfounded(GateRequest(steps=(wrote("2027-03-05"),), **asked), {}.get)) == issues


def test_looking_for_something_writes_nothing() -> None:
    assert found(wrote("hello", target="Search invoices")) == ()
    assert found(wrote("hello", exec_status=ExecStatus.ERROR)) == ()


def test_a_value_of_another_record_than_the_goal_names_is_an_issue() -> None:
    assert found(wrote("1059.73"), invoice=screen("Invoice INV-1042", "$1,059.73")) == ()
    (said,) = found(wrote("1059.73"), invoice=screen("Invoice INV-1043", "$1,059.73"))
    assert "INV-1043" in said
    assert "INV-1042" in said


ENTRY = "entry Answer Viktor tomorrow from 9 to half past 9"


@pytest.mark.parametrize(
    ("goal", "answer", "source", "issues"),
    [
        ("Archive the mail and give me an entry 'Answer Viktor' tomorrow from 9 to half past 9", ENTRY, "model", 1),
        ("Archive the mail and give me an entry 'Answer Viktor' tomorrow from 9 to half past 9", ENTRY, "screen", 0),
        ('Archive the mail and say "it is in the archive now"', "it is in the archive now", "model", 0),
        ("Tell me whether Ada works in sales", "Ada works in sales", "model", 0),
        ("Archive the mail and tell me how many are left", "seven mails are left", "model", 0),
    ],
)
def test_an_answer_that_only_says_an_order_again_is_none(goal: str, answer: str, source: Any, issues: int) -> None:
    said = found(facts=(Fact(name="answer", value=answer, source=source),), goal=goal)
    assert len(said) == issues, said
    assert all("only repeats what the goal says" in one for one in said)


def test_the_ends_of_a_slider_and_the_options_of_a_list_are_sources_for_that_control_alone() -> None:
    slider = GUIElement(element_id="e1", role="slider", text="Brightness", limits=(10, 100, 10))
    form = VisualState(elements=(slider, GUIElement(element_id="e2", role="textbox", text="Amount")), app="settings")
    for target, issues in (("e1", 0), ("e2", 1)):
        action = {"action_type": "fill", "text": "100", "target": {"element_id": target}}
        assert len(found(wrote("100", action=action, target="x"), form=form)) == issues


def test_a_value_that_stood_on_a_screen_where_nobody_noted_it_is_told_with_that_screen() -> None:
    inbox = screen("hana.young@example.com wrote")
    (issue,) = found(wrote("x", before="inbox"), wrote("hana.young@example.com", 2), inbox=inbox)[-1:]
    assert issue.endswith(f"no goal, fact, person or page says it; it stood on state:{inbox.state_id} of billing")
