"""Gates: evidence decides, whatever the worker says of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from protocol import ExecStatus, GUIElement, VisualState
from roles.contracts import (
    AppShown,
    EffectSeen,
    Fact,
    FactKnown,
    FieldHas,
    GateRequest,
    GateVerdict,
    StepRecord,
    Subtask,
    Supplement,
    TextShown,
)
from roles.contracts.orders import CollectStep, Entry, FillStep, PressStep, ReadStep, Records, RowTest
from roles.contracts.signals import ALLOWED_DECISIONS, GateTrigger, SubtaskStatus
from roles.evaluator.rules import RulesEvaluator

TOTAL = Fact(name="invoice total", value="$1,248.90", kind="money")


def element(n: int, role: str, text: str | None = None, **more: Any) -> GUIElement:
    return GUIElement(element_id=f"e{n}", role=role, text=text, **more)


def form(amount: str, *others: GUIElement, invalid: bool = False) -> VisualState:
    field = element(1, "textbox", "Amount", value=amount, invalid=invalid)
    return VisualState(elements=(field, element(2, "button", "Submit"), *others), app="trips")


def step(n: int, verb: str = "click", changed: bool = True, target: str = "Next", **more: Any) -> StepRecord:
    action = {"action_type": "click", "target": {"text": target}}
    states = {"before": f"b{n}", "after": f"a{n}"}
    fields = {"step": n, "subtask": "s1", "action": action, "verb": verb, "target": target, "exec_status": ExecStatus.EXECUTED}
    return StepRecord(**{**fields, **states, "visible_change": changed, **more})


def subtask(
    *expect: Any, name: str = "s1", status: SubtaskStatus = SubtaskStatus.PENDING, instruction: str = "Scroll down."
) -> Subtask:
    return Subtask(id=name, title="t", instruction=instruction, app="trips", expect=expect, status=status)


def judge(trigger: GateTrigger, **more: Any) -> GateVerdict:
    asked = {"goal": "Scroll down", "continued": True, **more}
    verdict = RulesEvaluator().judge(GateRequest(trigger=trigger, **asked))
    assert verdict.decision in ALLOWED_DECISIONS[trigger]
    assert verdict.reason
    return verdict


def succeeded(*expect: Any, **more: Any) -> GateVerdict:
    return judge(GateTrigger.WORKER_SUCCESS, subtask=subtask(*expect), summary="it all went well", **more)


def test_a_fact_that_is_known_is_enough_and_is_the_evidence() -> None:
    verdict = succeeded(FactKnown(name="invoice total"), facts=(TOTAL,))
    assert (verdict.decision, verdict.evidence) == ("gate_done", ("fact:invoice total",))
    assert succeeded(FactKnown(name="invoice total")).decision == "gate_fail"


@pytest.mark.parametrize(
    ("shown", "decision"), [("$1,248.90", "gate_done"), ("1248.90", "gate_done"), ("1248.9", "gate_done"), ("1.00", "gate_fail")]
)
def test_a_field_holds_a_value_in_any_spelling(shown: str, decision: str) -> None:
    verdict = succeeded(FieldHas(label="amount", fact="invoice total", app="trips"), facts=(TOTAL,), screens=(form(shown),))
    assert verdict.decision == decision
    if decision == "gate_fail":
        assert "1.00" in verdict.reason


def test_what_has_left_the_screen_is_shown_by_older_observations() -> None:
    gone = VisualState(elements=(element(1, "heading", "Claim submitted"),), app="trips")
    older = form("1248.90")
    verdict = succeeded(
        FieldHas(label="amount", fact="invoice total", app="trips"), facts=(TOTAL,), screens=(gone,), earlier=(older,)
    )
    assert verdict.decision == "gate_done"
    assert verdict.evidence == (f"state:{older.state_id}",)


def test_an_effect_needs_a_step_that_showed_something() -> None:
    wanted = EffectSeen(verb="submit", app="trips")
    pressed = step(4, "submit", target="Submit", app="trips", events=("navigation: trips / done",))
    assert succeeded(wanted, steps=(pressed,)).decision == "gate_done"
    assert succeeded(wanted, steps=(pressed.model_copy(update={"visible_change": False}),)).decision == "gate_fail"
    assert (
        succeeded(wanted, steps=(step(4, "submit", target="Submit", app="trips", events=("validation: no",)),)).decision
        == "gate_fail"
    )
    assert succeeded(wanted, steps=(step(1),)).decision == "gate_fail"
    assert succeeded(wanted).decision == "gate_fail"


def test_a_button_that_merely_took_the_focus_shows_nothing() -> None:
    before = form("5.00")
    focused = before.model_copy(
        update={"elements": (before.elements[0], before.elements[1].model_copy(update={"focused": True}))}
    )
    focused = VisualState.model_validate(focused.model_dump())
    pressed = step(4, "submit", target="Submit", app="trips", before=before.state_id, after=focused.state_id)
    assert succeeded(EffectSeen(verb="submit"), steps=(pressed,), screens=(focused,), earlier=(before,)).decision == "gate_fail"


def test_a_worker_that_is_content_while_the_form_complains_is_not_believed() -> None:
    complaining = form("12,x", element(3, "alert", "Amount must be a number"), invalid=True)
    verdict = succeeded(screens=(complaining,))
    assert verdict.decision == "gate_fail"
    assert "Amount must be a number" in verdict.reason


def test_texts_and_applications_that_were_shown_count() -> None:
    screens = (VisualState(elements=(element(1, "heading", "Plan for May"),), app="trips"),)
    assert succeeded(TextShown(text="plan for may"), AppShown(app="trips"), screens=screens).decision == "gate_done"
    assert succeeded(TextShown(text="June"), screens=screens).decision == "gate_fail"
    assert succeeded(AppShown(app="mail"), screens=screens).decision == "gate_fail"


def test_progress_goes_on_and_standing_still_does_not() -> None:
    moving = tuple(step(n) for n in range(1, 7))
    still = tuple(step(n, changed=False) for n in range(1, 7))
    circling = tuple(step(n, before=f"x{n % 2}", after=f"x{(n + 1) % 2}") for n in range(1, 9))
    assert judge(GateTrigger.PERIODIC_CHECK, subtask=subtask(), steps=moving).decision == "gate_continue"
    assert judge(GateTrigger.PERIODIC_CHECK, subtask=subtask(), steps=still).decision == "gate_fail"
    assert judge(GateTrigger.PERIODIC_CHECK, subtask=subtask(), steps=circling).decision == "gate_fail"


@pytest.mark.parametrize("trigger", [GateTrigger.WORKER_STALE, GateTrigger.PERIODIC_CHECK])
def test_who_looks_for_a_way_gets_help_once_and_who_fights_a_dead_control_another_plan(trigger: GateTrigger) -> None:
    scrolls = tuple(step(n, "scroll", changed=False) for n in range(1, 6))
    dead = tuple(step(n, changed=False) for n in range(1, 6))
    told = (Supplement(query="q", source="s", title="t", text="x"),)
    still, unable = "3 actions without a visible change", "there is no button to submit"
    for steps, said, query in ((scrolls, still, "how to scroll down."), (dead, unable, unable)):
        helped = judge(trigger, subtask=subtask(), steps=steps, summary=said)
        assert (helped.decision, helped.query) == ("gate_supplement", query)
        assert judge(trigger, subtask=subtask(), steps=steps, summary=said, supplements=told).decision == "gate_fail"
    assert judge(trigger, subtask=subtask(), steps=dead, summary=still).decision == "gate_fail"


def test_a_worker_that_idles_behind_its_work_is_done() -> None:
    still = tuple(step(n, changed=False) for n in range(1, 7))
    wanted = FieldHas(label="amount", value="5.00", app="trips")
    idle = {"steps": still, "screens": (form("5.00"),)}
    assert judge(GateTrigger.PERIODIC_CHECK, subtask=subtask(wanted), **idle).decision == "gate_done"


def test_a_screen_that_still_loads_is_waited_for() -> None:
    loading = form("").model_copy(update={"loading": True})
    wanted = FieldHas(label="amount", value="5.00", app="trips")
    assert succeeded(wanted, screens=(loading,)).decision == "gate_continue"
    assert succeeded(wanted, screens=(form(""),)).decision == "gate_fail"


def test_saving_counts_only_after_something_was_written() -> None:
    idle = VisualState(elements=(element(1, "textbox", "Title"), element(2, "button", "Save", enabled=False)), app="trips")
    typed = step(1, "fill", action={"action_type": "fill", "text": "x", "target": {"text": "Title"}}, target="Title", app="trips")
    assert succeeded(EffectSeen(verb="save", app="trips"), screens=(idle,)).decision == "gate_fail"
    assert succeeded(EffectSeen(verb="save", app="trips"), screens=(idle,), steps=(typed,)).decision == "gate_done"


def test_opening_a_folder_called_archive_and_naming_one_move_nothing() -> None:
    folder = VisualState(elements=(element(1, "treeitem", "Archive"), element(2, "textbox", "Move to")), app="trips")
    pressed = {"action_type": "click", "target": {"element_id": "e1"}}
    opened = step(1, action=pressed, target="Archive", app="trips", before=folder.state_id)
    named = step(2, "fill", action={"action_type": "fill", "text": "x"}, target="Move to", app="trips")
    made = step(3, "call_api", action={"action_type": "call_api", "app": "trips", "function": "make_folder"}, app="trips")
    for done in (opened, named, made):
        assert succeeded(EffectSeen(verb="move"), steps=(done,), earlier=(folder,)).decision == "gate_fail", done
    button = folder.model_copy(update={"elements": (element(1, "button", "Archive"), *folder.elements[1:])})
    button = VisualState.model_validate(button.model_dump())
    by_button = opened.model_copy(update={"before": button.state_id})
    assert succeeded(EffectSeen(verb="move"), steps=(by_button,), earlier=(button,)).decision == "gate_done"


def test_a_call_that_changed_the_screen_of_its_application_is_seen() -> None:
    after = VisualState(elements=(element(1, "row", "Claim 5 Submitted"),), app="trips")
    call = {"action_type": "call_api", "app": "trips", "function": "submit_claim", "arguments": {"claim_id": "5"}}
    done = step(1, "call_api", action=call, app="trips", after=after.state_id)
    assert succeeded(EffectSeen(verb="submit"), steps=(done,), screens=(after,)).decision == "gate_done"
    unseen = done.model_copy(update={"visible_change": False, "after": ""})
    assert succeeded(EffectSeen(verb="submit"), steps=(unseen,)).decision == "gate_fail"


def test_what_was_pressed_and_ran_out_of_time_may_have_been_sent() -> None:
    late = step(1, "send", target="Send", app="trips", changed=False, exec_status=ExecStatus.TIMEOUT)
    verdict = succeeded(EffectSeen(verb="send"), steps=(late,))
    assert verdict.decision == "gate_fail"
    assert "it is not known what came of it" in verdict.reason


def test_one_subtasks_send_is_no_evidence_for_anothers() -> None:
    sent = step(1, "send", target="Send", app="trips", events=("status: Message sent",))
    first = subtask(EffectSeen(verb="send"), name="s1", status=SubtaskStatus.FULFILLED)
    second = subtask(EffectSeen(verb="send"), name="s2", status=SubtaskStatus.FULFILLED)
    assert judge(GateTrigger.FINAL_CHECK, plan=(first,), steps=(sent,)).decision == "gate_done"
    both = judge(GateTrigger.FINAL_CHECK, plan=(first, second), steps=(sent,))
    assert (both.decision, both.issues) == ("gate_fail", ("s2: nothing was done to send",))


def test_a_text_that_stood_there_before_the_work_brought_nothing_about() -> None:
    before = VisualState(elements=(element(1, "row", "Plan for May"),), app="trips")
    after = VisualState(elements=(element(1, "row", "Other"),), app="trips")
    moved = step(1, "move", before=before.state_id, after=after.state_id, app="trips")
    gone = {"steps": (moved,), "screens": (after,), "earlier": (before,)}
    assert succeeded(TextShown(text="Plan for May"), **gone).decision == "gate_fail"
    assert succeeded(TextShown(text="Other"), **gone).decision == "gate_done"


def test_turning_pages_is_progress_as_long_as_each_is_a_new_one() -> None:
    turned = tuple(step(n) for n in range(1, 5))
    said = "the same action 3 times in a row: click Next"
    assert judge(GateTrigger.WORKER_STALE, subtask=subtask(), steps=turned, summary=said).decision == "gate_continue"
    again = (*turned, step(5, before="a4", after="a1"))
    assert judge(GateTrigger.WORKER_STALE, subtask=subtask(), steps=again, summary=said).decision == "gate_fail"


FAILED = {"exec_status": ExecStatus.ERROR, "error": "the network is down"}


def test_who_ends_on_an_action_that_did_not_work_is_not_done() -> None:
    verdict = succeeded(steps=(step(1), step(2, changed=False, target="Update cart", **FAILED), step(3, "wait", recovery=True)))
    assert verdict.decision == "gate_fail"
    assert "click Update cart (the network is down)" in verdict.issues[0]
    assert succeeded(steps=(step(1, changed=False, **FAILED), step(2))).decision == "gate_done"


def test_who_was_to_press_something_and_did_nothing_is_not_done() -> None:
    task = subtask().model_copy(update={"steps": (PressStep(app="trips", verb="merge", control="Merge"),)})
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=task).decision == "gate_fail"
    other = {"subtask": task, "steps": (step(1),)}
    assert judge(GateTrigger.WORKER_SUCCESS, **other).issues == ('"Merge" was not pressed',)
    assert judge(GateTrigger.WORKER_SUCCESS, continued=False, **other).decision == "gate_continue"
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=task, steps=(step(1, target="Merge"),)).decision == "gate_done"


def test_who_wrote_something_has_not_pressed_what_was_to_be_pressed() -> None:
    press = PressStep(app="trips", records=Records(app="trips", kind="trip"), verb="cancel", control="Cancel trip")
    task = subtask().model_copy(update={"steps": (press,)})
    searched = step(1, "fill", target="Search", app="trips", action={"action_type": "fill", "text": "Berlin", "submit": True})
    pressed = step(2, target="Cancel trip", app="trips")
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=task, steps=(searched,)).issues == ('"Cancel trip" was not pressed',)
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=task, steps=(searched, pressed)).decision == "gate_done"
    own = task.model_copy(update={"steps": (press.model_copy(update={"verb": "Enrol", "control": ""}),)})
    enrolled = step(1, target="Enrol", app="trips")
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=own, steps=(enrolled,)).decision == "gate_done", "the page's own word"


def test_what_an_earlier_attempt_chose_from_a_list_and_nobody_saved_is_not_kept() -> None:
    fill = FillStep(app="trips", entries=(Entry(label="Class", value="First"),), commit="save")
    task = subtask().model_copy(update={"steps": (fill,)})
    action = {"action_type": "select_option", "options": ["First"], "target": {"text": "Class"}}
    chose = step(6, "select_option", target="Class", app="trips", action=action)
    seen = form("5.00", element(3, "combobox", "Class", value="First"), element(4, "button", "Save"))
    idle = judge(GateTrigger.WORKER_SUCCESS, subtask=task, run=(chose,), screens=(seen,))
    assert idle.issues == ('what was written in trips was not kept: "Save" was not pressed',)
    saved = step(7, "save", target="Save", app="trips")
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=task, run=(chose, saved), screens=(seen,)).decision == "gate_done"


def test_a_line_that_was_to_be_entered_and_was_not_is_missed() -> None:
    lines = tuple(FillStep(app="trips", entries=(Entry(label="Command", value=f"mv {n}"),), commit="enter") for n in "ab")
    task = subtask().model_copy(update={"steps": lines})
    typed = tuple(
        step(n, "fill", target="Command", action={"action_type": "fill", "text": f"mv {x}", "submit": True})
        for n, x in enumerate("ab", 1)
    )
    assert "Enter was pressed 1 of 2 times" in judge(GateTrigger.WORKER_SUCCESS, subtask=task, steps=typed[:1]).reason
    assert judge(GateTrigger.WORKER_SUCCESS, subtask=task, steps=typed).decision == "gate_done"


def test_an_effect_that_the_screen_announces_counts_whatever_was_pressed_for_it() -> None:
    pressed = step(4, target="Trash", app="trips", events=("status: Message moved to Trash",))
    assert succeeded(EffectSeen(verb="move", app="trips"), steps=(pressed,)).decision == "gate_done"
    assert succeeded(EffectSeen(verb="submit", app="trips"), steps=(pressed,)).decision == "gate_fail"


@pytest.mark.parametrize(
    ("event", "decision"),
    [
        ("navigation: trips / Claim 7 submitted", "gate_done"),
        ("status: Claim submitted", "gate_done"),
        ("navigation: trips / Sign in", "gate_fail"),
        ("popup: Rate us", "gate_fail"),
    ],
)
def test_what_the_screen_confirms_counts_although_it_was_reported_as_failed(event: str, decision: str) -> None:
    pressed = step(4, "submit", target="Submit", app="trips", events=(event,), **FAILED)
    assert succeeded(EffectSeen(verb="submit", app="trips"), steps=(pressed,)).decision == decision


def final(*screens: VisualState, plan: tuple[Subtask, ...], **more: Any) -> GateVerdict:
    return judge(GateTrigger.FINAL_CHECK, plan=plan, screens=screens, facts=(TOTAL,), **more)


FILLED = subtask(FieldHas(label="amount", fact="invoice total", app="trips"), status=SubtaskStatus.FULFILLED)


def test_the_final_check_passes_when_everything_still_holds() -> None:
    assert final(form("$1,248.90"), plan=(FILLED,)).decision == "gate_done"


def test_a_value_that_was_changed_afterwards_is_an_issue_of_its_subtask() -> None:
    verdict = final(form("1.00"), plan=(FILLED,))
    assert verdict.decision == "gate_fail"
    assert verdict.issues[0].startswith("s1: the value '$1,248.90'")


def test_a_subtask_that_is_not_fulfilled_is_an_issue_and_a_rejected_one_is_history() -> None:
    waiting = subtask(name="s2", status=SubtaskStatus.READY)
    rejected = subtask(name="s3", status=SubtaskStatus.REJECTED)
    assert "s2" in final(form("$1,248.90"), plan=(FILLED, waiting)).issues[0]
    assert final(form("$1,248.90"), plan=(FILLED, rejected)).decision == "gate_done"


@pytest.mark.parametrize(
    "left",
    [
        VisualState(
            elements=(element(1, "textbox", "Amount", value="x", invalid=True), element(2, "alert", "Not a number")), app="trips"
        ),
        VisualState(elements=(element(1, "dialog", "Save changes?"),), app="trips", modal="e1"),
    ],
)
def test_what_is_left_open_is_an_issue(left: VisualState) -> None:
    assert final(left, plan=(subtask(status=SubtaskStatus.FULFILLED),)).decision == "gate_fail"


def test_a_message_that_is_written_and_not_sent_is_an_issue() -> None:
    sends = subtask(EffectSeen(verb="send", app="trips"), status=SubtaskStatus.FULFILLED)
    draft = VisualState(elements=(element(1, "textbox", "To", value="a@b.org"), element(2, "button", "Send")), app="trips")
    verdict = final(draft, plan=(sends,))
    assert verdict.decision == "gate_fail"
    assert "not sent" in verdict.reason


def test_a_record_that_was_sent_back_is_an_issue() -> None:
    submits = subtask(EffectSeen(verb="submit", app="trips"), status=SubtaskStatus.FULFILLED)
    back = VisualState(elements=(element(1, "text", "Status: Returned, receipt is missing"),), app="trips")
    assert "Returned" in final(back, plan=(submits,)).reason


@pytest.mark.parametrize(("pressed", "decision"), [("Enter", "gate_done"), ("Clear", "gate_fail")])
def test_what_enter_takes_out_of_a_field_is_not_gone(pressed: str, decision: str) -> None:
    wrote = step(1, "fill", target="Amount", app="trips", action={"action_type": "fill", "text": "5.00"})
    after = step(2, "press_key", target="Amount", app="trips", action={"action_type": "press_key", "keys": [pressed]})
    plan = (subtask(FieldHas(label="Amount", value="5.00", app="trips"), status=SubtaskStatus.FULFILLED),)
    other = step(3, "fill", target="Amount", app="trips", action={"action_type": "fill", "text": "7.00"})
    known: dict[str, Any] = {"goal": "Enter 5.00 or 7.00", "plan": plan, "screens": (form("9.00"),)}
    assert judge(GateTrigger.FINAL_CHECK, steps=(wrote, after), **known).decision == decision
    assert judge(GateTrigger.FINAL_CHECK, steps=(wrote, other), **known).decision == "gate_fail"


def invoices(*rows: tuple[str, str]) -> VisualState:
    """A table of numbers and states."""
    made = [element(1, "table", "Invoices"), element(2, "row", parent="e1")]
    made += [element(3, "columnheader", "Number", parent="e2"), element(4, "columnheader", "Status", parent="e2")]
    for n, (number, state) in enumerate(rows):
        at = 10 + 3 * n
        made += [element(at, "row", parent="e1"), element(at + 1, "cell", number, parent=f"e{at}")]
        made += [element(at + 2, "cell", state, parent=f"e{at}")]
    return VisualState(elements=tuple(made), app="billing")


OVERDUE = (RowTest(label="Status", value="Overdue"),)


def test_what_was_read_off_another_record_is_told_once_and_then_another_plan_is_asked_for() -> None:
    state = invoices(("INV-1", "Overdue"), ("INV-2", "Paid"))
    records = Records(app="billing", kind="invoice", tests=(RowTest(label="Number", value="INV-2"),))
    read = ReadStep(app="billing", records=records, labels=("Status",), names=("state",))
    task = Subtask(id="s1", title="t", instruction="Read it.", app="billing", steps=(read,), expect=(FactKnown(name="state"),))

    def read_at(cell: str, value: str, **more: Any) -> GateVerdict:
        fact = Fact(name="state", value=value, subtask="s1", state_id=state.state_id, element_id=cell)
        return judge(GateTrigger.WORKER_SUCCESS, subtask=task, facts=(fact,), screens=(state,), **more)

    assert read_at("e15", "Paid").decision == "gate_done"
    other = read_at("e12", "Overdue", continued=False)
    assert other.decision == "gate_continue"
    assert 'read off "INV-1' in other.reason
    assert read_at("e12", "Overdue").decision == "gate_fail"
    assert read_at("e14", "INV-2").issues == ("\"state\" is 'INV-2', and \"Status\" shows 'Paid' there",)


def test_what_was_entered_and_stands_there_no_more_is_missed_at_once() -> None:
    wrote = step(1, "fill", target="Amount", app="trips", action={"action_type": "fill", "text": "5.00"}, after="was")
    task = subtask(FieldHas(label="Amount", value="5.00", app="trips"))
    was = form("5.00").model_copy(update={"state_id": "was"})
    known: dict[str, Any] = {"subtask": task, "plan": (task,), "steps": (wrote,), "earlier": (was,), "goal": "Enter 5.00"}
    assert judge(GateTrigger.WORKER_SUCCESS, screens=(form("5.00"),), **known).decision == "gate_done"
    gone = judge(GateTrigger.WORKER_SUCCESS, screens=(form("9.00"),), **known)
    assert gone.decision == "gate_fail"
    assert "is gone: it shows '9.00'" in gone.reason


@pytest.mark.parametrize(
    ("tests", "taken", "issue"),
    [
        (OVERDUE, [["INV-1"], ["INV-3"]], ""),
        (OVERDUE, "INV-2", '"INV-2 · Paid" is in "late", and the list shows that it does not belong there'),
        ((), [["INV-1"]], ""),  # what else is listed on the screen may be another list
        (OVERDUE, [], '"INV-1 · Overdue" is not in "late", and the list shows that it belongs there'),
        (OVERDUE, [["INV-1"]], '"INV-3 · Overdue" is not in "late", and the list shows that it belongs there'),
        (
            OVERDUE,
            [["INV-1"], ["INV-2"], ["INV-3"]],
            '"INV-2 · Paid" is in "late", and the list shows that it does not belong there',
        ),
    ],
)
def test_what_was_collected_is_held_to_the_tests_of_the_step(
    tests: tuple[RowTest, ...], taken: list[list[str]] | str, issue: str
) -> None:
    state = invoices(("INV-1", "Overdue"), ("INV-2", "Paid"), ("INV-3", "Overdue"))
    records = Records(app="billing", kind="invoice", tests=tests, exactly=0)
    look = CollectStep(records=records, labels=("Number",), name="late")
    task = Subtask(
        id="s1", title="t", instruction="Collect them.", app="billing", steps=(look,), expect=(FactKnown(name="late"),)
    )
    table = json.dumps({"columns": ["Number"], "rows": taken})
    fact = Fact(name="late", value=table, kind="table", subtask="s1", state_id=state.state_id)
    if isinstance(taken, str):
        fact = fact.model_copy(update={"value": taken, "kind": "text"})
    verdict = judge(GateTrigger.WORKER_SUCCESS, subtask=task, facts=(fact,), screens=(state,))
    assert (issue in verdict.issues) if issue else not verdict.issues
    assert verdict.decision == ("gate_fail" if issue else "gate_done")
