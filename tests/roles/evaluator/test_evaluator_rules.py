"""Gates: evidence decides, whatever the worker says of itself."""

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


AMOUNT, KNOWN = FieldHas(label="amount", fact="invoice total", app="trips"), {"facts": (TOTAL,)}
SUBMIT, MOVE, SEND = (EffectSeen(verb=verb) for verb in ("submit", "move", "send"))
PLAN, OTHER = (VisualState(elements=(element(1, "row", text),), app="trips") for text in ("Plan for May", "Other"))
PRESSED = step(4, "submit", target="Submit", app="trips", events=("navigation: trips / done",))
TRASHED = step(4, target="Trash", app="trips", events=("status: Message moved to Trash",))
FAILED = {"exec_status": ExecStatus.ERROR, "error": "the network is down"}


def pressed(**more: Any) -> dict[str, Any]:
    return {"steps": (PRESSED.model_copy(update=more),)}


def focused() -> dict[str, Any]:
    """A press that merely took the focus."""
    before = form("5.00")
    button = before.elements[1].model_copy(update={"focused": True})
    after = VisualState(elements=(before.elements[0], button), app="trips")
    return pressed(events=(), before=before.state_id, after=after.state_id) | {"screens": (after,), "earlier": (before,)}


def called(*, seen: bool) -> dict[str, Any]:
    """A call after which the screen of its application is another."""
    action = {"action_type": "call_api", "app": "trips", "function": "submit_claim", "arguments": {"claim_id": "5"}}
    after = VisualState(elements=(element(1, "row", "Claim 5 Submitted"),), app="trips")
    done = step(1, "call_api", seen, action=action, app="trips", after=after.state_id if seen else "")
    return {"steps": (done,), "screens": (after,) * seen}


MOVED = {"steps": (step(1, "move", before=PLAN.state_id, after=OTHER.state_id, app="trips"),), "screens": (OTHER,)}


@pytest.mark.parametrize(
    ("expected", "seen", "holds"),
    [
        (FactKnown(name="invoice total"), KNOWN, True),
        (FactKnown(name="invoice total"), {}, False),
        (FactKnown(name="invoice total"), {"facts": (TOTAL.model_copy(update={"source": "model", "subtask": "s1"}),)}, True),
        (FactKnown(name="invoice total"), {"facts": (TOTAL.model_copy(update={"source": "model", "subtask": "s0"}),)}, False),
        (AMOUNT, KNOWN | {"screens": (form("1248.9"),)}, True),
        (AMOUNT, KNOWN | {"screens": (form("1.00"),)}, False),
        (AMOUNT, KNOWN | {"screens": (PLAN,), "earlier": (form("1248.90"),)}, True),  # it has left the screen
        (AMOUNT, KNOWN | {"screens": (form("1248.90", element(3, "alert", "Say what for"), invalid=True),)}, False),
        (SUBMIT, pressed(), True),
        (SUBMIT, pressed(visible_change=False), False),
        (SUBMIT, pressed(events=("validation: no",)), False),
        (SUBMIT, pressed(events=("status: Claim submitted",), **FAILED), True),  # the screen says more than the report
        (SUBMIT, pressed(events=("navigation: trips / Sign in",), **FAILED), False),
        (SUBMIT, pressed(events=("popup: Rate us",), **FAILED), False),
        (SUBMIT, {"steps": (step(1),)}, False),
        (SUBMIT, {}, False),
        (SUBMIT, focused(), False),
        (SUBMIT, called(seen=True), True),
        (SUBMIT, called(seen=False), False),
        (MOVE, {"steps": (TRASHED,)}, True),  # it is announced, whatever was pressed for it
        (SUBMIT, {"steps": (TRASHED,)}, False),
        (TextShown(text="plan for may"), {"screens": (PLAN,)}, True),
        (TextShown(text="June"), {"screens": (PLAN,)}, False),
        (TextShown(text="Plan for May"), MOVED | {"earlier": (PLAN,)}, False),  # it stood there before the work
        (TextShown(text="Other"), MOVED | {"earlier": (PLAN,)}, True),
        (AppShown(app="trips"), {"screens": (PLAN,)}, True),
        (AppShown(app="mail"), {"screens": (PLAN,)}, False),
    ],
)
def test_what_is_expected_holds_where_something_shows_it(expected: Any, seen: dict[str, Any], holds: bool) -> None:
    verdict = succeeded(expected, **seen)
    assert verdict.decision == ("gate_done" if holds else "gate_fail")
    assert verdict.evidence or not holds


TURNED, STILL = (tuple(step(n, changed=changed) for n in range(1, 7)) for changed in (True, False))
CIRCLING = tuple(step(n, before=f"x{n % 2}", after=f"x{(n + 1) % 2}") for n in range(1, 9))


@pytest.mark.parametrize(
    ("trigger", "steps", "decision"),
    [
        (GateTrigger.PERIODIC_CHECK, TURNED, "gate_continue"),
        (GateTrigger.PERIODIC_CHECK, STILL, "gate_fail"),
        (GateTrigger.PERIODIC_CHECK, CIRCLING, "gate_fail"),
        (GateTrigger.WORKER_STALE, TURNED[:4], "gate_continue"),  # each is a new page
        (GateTrigger.WORKER_STALE, (*TURNED[:4], step(5, before="a4", after="a1")), "gate_fail"),
    ],
)
def test_progress_goes_on_and_standing_still_does_not(trigger: GateTrigger, steps: Any, decision: str) -> None:
    said = "the same action 3 times in a row: click Next"
    assert judge(trigger, subtask=subtask(), steps=steps, summary=said).decision == decision


@pytest.mark.parametrize("trigger", [GateTrigger.WORKER_STALE, GateTrigger.PERIODIC_CHECK])
def test_who_looks_for_a_way_gets_help_once_and_who_fights_a_dead_control_another_plan(trigger: GateTrigger) -> None:
    scrolls, dead = tuple(step(n, "scroll", changed=False) for n in range(1, 6)), STILL[:5]
    told = (Supplement(query="q", source="s", title="t", text="x"),)
    still, unable = "3 actions without a visible change", "there is no button to submit"
    for steps, said, query in ((scrolls, still, "how to scroll down."), (dead, unable, unable)):
        helped = judge(trigger, subtask=subtask(), steps=steps, summary=said)
        assert (helped.decision, helped.query) == ("gate_supplement", query)
        assert judge(trigger, subtask=subtask(), steps=steps, summary=said, supplements=told).decision == "gate_fail"
    assert judge(trigger, subtask=subtask(), steps=dead, summary=still).decision == "gate_fail"


def test_a_worker_that_idles_behind_its_work_is_done() -> None:
    wanted = FieldHas(label="amount", value="5.00", app="trips")
    idle = {"steps": STILL, "screens": (form("5.00"),)}
    assert judge(GateTrigger.PERIODIC_CHECK, subtask=subtask(wanted), **idle).decision == "gate_done"


def test_a_screen_that_still_loads_is_waited_for() -> None:
    loading = form("").model_copy(update={"loading": True})
    wanted = FieldHas(label="amount", value="5.00", app="trips")
    assert succeeded(wanted, screens=(loading,)).decision == "gate_continue"
    assert succeeded(wanted, screens=(form(""),)).decision == "gate_fail"


def test_opening_a_folder_called_archive_and_naming_one_move_nothing() -> None:
    folder = VisualState(elements=(element(1, "treeitem", "Archive"), element(2, "textbox", "Move to")), app="trips")
    pressed = {"action_type": "click", "target": {"element_id": "e1"}}
    opened = step(1, action=pressed, target="Archive", app="trips", before=folder.state_id)
    named = step(2, "fill", action={"action_type": "fill", "text": "x"}, target="Move to", app="trips")
    made = step(3, "call_api", action={"action_type": "call_api", "app": "trips", "function": "make_folder"}, app="trips")
    for done in (opened, named, made):
        assert succeeded(MOVE, steps=(done,), earlier=(folder,)).decision == "gate_fail", done
    button = folder.model_copy(update={"elements": (element(1, "button", "Archive"), *folder.elements[1:])})
    button = VisualState.model_validate(button.model_dump())
    by_button = opened.model_copy(update={"before": button.state_id})
    assert succeeded(MOVE, steps=(by_button,), earlier=(button,)).decision == "gate_done"


def test_what_was_pressed_and_ran_out_of_time_may_have_been_sent() -> None:
    late = step(1, "send", target="Send", app="trips", changed=False, exec_status=ExecStatus.TIMEOUT)
    verdict = succeeded(SEND, steps=(late,))
    assert verdict.decision == "gate_fail"
    assert "it is not known what came of it" in verdict.reason


def test_one_subtasks_send_is_no_evidence_for_anothers() -> None:
    sent = step(1, "send", target="Send", app="trips", events=("status: Message sent",))
    first = subtask(SEND, name="s1", status=SubtaskStatus.FULFILLED)
    second = subtask(SEND, name="s2", status=SubtaskStatus.FULFILLED)
    assert judge(GateTrigger.FINAL_CHECK, plan=(first,), steps=(sent,)).decision == "gate_done"
    both = judge(GateTrigger.FINAL_CHECK, plan=(first, second), steps=(sent,))
    assert (both.decision, both.issues) == ("gate_fail", ("s2: nothing was done to send",))


def test_who_ends_on_an_action_that_did_not_work_is_not_done() -> None:
    verdict = succeeded(steps=(step(1), step(2, changed=False, target="Update cart", **FAILED), step(3, "wait", recovery=True)))
    assert verdict.decision == "gate_fail"
    assert "click Update cart (the network is down)" in verdict.issues[0]
    assert succeeded(steps=(step(1, changed=False, **FAILED), step(2))).decision == "gate_done"


MERGE = PressStep(app="trips", verb="merge", control="Merge")
CANCEL = PressStep(app="trips", records=Records(app="trips", kind="trip"), verb="cancel", control="Cancel trip")
ENROL = CANCEL.model_copy(update={"verb": "Enrol", "control": ""})
SEARCHED = step(1, "fill", target="Search", app="trips", action={"action_type": "fill", "text": "Berlin", "submit": True})


@pytest.mark.parametrize(
    ("press", "done", "issue"),
    [
        (MERGE, (), "nothing was done, and something was to be pressed"),
        (MERGE, (step(1),), '"Merge" was not pressed'),
        (MERGE, (step(1, target="Merge"),), ""),
        (CANCEL, (SEARCHED,), '"Cancel trip" was not pressed'),
        (CANCEL, (SEARCHED, step(2, target="Cancel trip", app="trips")), ""),
        (ENROL, (step(1, target="Enrol", app="trips"),), ""),  # the page's own word
    ],
)
def test_what_was_to_be_pressed_and_was_not_is_told_once_and_then_missed(press: Any, done: Any, issue: str) -> None:
    asked = {"subtask": subtask().model_copy(update={"steps": (press,)}), "steps": done}
    assert judge(GateTrigger.WORKER_SUCCESS, **asked).issues == ((issue,) if issue else ())
    first = judge(GateTrigger.WORKER_SUCCESS, continued=False, **asked)
    assert first.decision == ("gate_continue" if issue else "gate_done")


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


DONE = SubtaskStatus.FULFILLED
FILLED, SENDS, SUBMITS = (
    subtask(expected, status=DONE) for expected in (AMOUNT, EffectSeen(verb="send", app="trips"), EffectSeen(verb="submit"))
)
COMPLAINS = form("x", element(3, "alert", "Not a number"), invalid=True)
ASKS = VisualState(elements=(element(1, "dialog", "Save changes?"),), app="trips", modal="e1")
DRAFT = VisualState(elements=(element(1, "textbox", "To", value="a@b.org"), element(2, "button", "Send")), app="trips")
RETURNED = VisualState(elements=(element(1, "text", "Status: Returned, receipt is missing"),), app="trips")


@pytest.mark.parametrize(
    ("left", "plan", "issue"),
    [
        (form("$1,248.90"), (FILLED,), ""),
        (form("1.00"), (FILLED,), "s1: the value '$1,248.90'"),
        (form("$1,248.90"), (FILLED, subtask(name="s2", status=SubtaskStatus.READY)), "s2: t is not fulfilled"),
        (form("$1,248.90"), (FILLED, subtask(name="s3", status=SubtaskStatus.REJECTED)), ""),
        (COMPLAINS, (subtask(status=DONE),), "trips reports: Not a number"),
        (ASKS, (subtask(status=DONE),), 'a dialog is still open in trips: "Save changes?"'),
        (DRAFT, (SENDS,), "a message to a@b.org is written and not sent"),
        (RETURNED, (SUBMITS,), "has the status 'Returned, receipt is missing'"),
    ],
)
def test_the_final_check_names_what_is_undone_changed_since_or_left_open(left: Any, plan: Any, issue: str) -> None:
    verdict = judge(GateTrigger.FINAL_CHECK, plan=plan, screens=(left,), facts=(TOTAL,))
    assert verdict.decision == ("gate_fail" if issue else "gate_done")
    assert issue in verdict.reason


@pytest.mark.parametrize(("pressed", "decision"), [("Enter", "gate_done"), ("Clear", "gate_fail")])
def test_what_enter_takes_out_of_a_field_is_not_gone(pressed: str, decision: str) -> None:
    wrote = step(1, "fill", target="Amount", app="trips", action={"action_type": "fill", "text": "5.00"})
    after = step(2, "press_key", target="Amount", app="trips", action={"action_type": "press_key", "keys": [pressed]})
    plan = (subtask(FieldHas(label="Amount", value="5.00", app="trips"), status=SubtaskStatus.FULFILLED),)
    other = step(3, "fill", target="Amount", app="trips", action={"action_type": "fill", "text": "7.00"})
    known: dict[str, Any] = {"goal": "Enter 5.00 or 7.00", "plan": plan, "screens": (form("9.00"),)}
    assert judge(GateTrigger.FINAL_CHECK, steps=(wrote, after), **known).decision == decision
    assert judge(GateTrigger.FINAL_CHECK, steps=(wrote, other), **known).decision == "gate_fail"


@pytest.mark.parametrize(
    ("pressed", "says", "decision"),
    [
        ("Sign up", "Thank you, you are subscribed.", "gate_done"),
        ("Sign up", "", "gate_fail"),
        ("Sign up", "This address is not valid.", "gate_fail"),
        ("Clear form", "The form was cleared.", "gate_fail"),
    ],
)
def test_a_form_that_a_press_emptied_is_handed_in_where_the_page_newly_says_so(pressed: str, says: str, decision: str) -> None:
    def page(held: str, said: str) -> VisualState:
        shown = (element(1, "textbox", "Email", value=held), element(2, "button", pressed), element(3, "status", said))
        return VisualState(elements=shown, app="trips")

    pages = (page("kim@mail.example", ""), page("", says))
    ids = {"before": pages[0].state_id, "after": pages[1].state_id}
    press = step(2, "click", target=pressed, app="trips", action={"action_type": "click"}, **ids)
    asked = (PressStep(app="trips", verb="click", control="Sign up"),)
    wanted = FieldHas(label="Email", value="kim@mail.example", app="trips")
    plan = (subtask(wanted, status=SubtaskStatus.FULFILLED).model_copy(update={"steps": asked}),)
    known: dict[str, Any] = {"goal": "Enter kim@mail.example as the email.", "plan": plan, "earlier": pages}
    assert judge(GateTrigger.FINAL_CHECK, steps=(press,), run=(press,), screens=pages[1:], **known).decision == decision


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
