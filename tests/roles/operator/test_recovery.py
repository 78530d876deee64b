"""Recovery: what stands in the way, which dialogs are the crew's own, and what may be tried again."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import FINISH, OPEN_HOUSE, Run, Watching, decide, desktop, done, planned, subtask

import protocol as p
from deskcrew import Crew
from environments.faults.faults import Fault, FaultKind, FaultyEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from roles.contracts import OperatorView, StepRecord
from roles.contracts.limits import Limits
from roles.operator.recovery import idempotence_of, interruption
from roles.safety import SafetyPolicy
from roles.safety.effects import Effect
from roles.skills.contract import REPEATS, Idempotence

AMOUNT = p.ActionTarget(text="Amount")
SAVE = p.ActionTarget(text="Save draft")
SUBMIT = p.ActionTarget(text="Submit")
FILLED = decide(p.Fill(target=AMOUNT, text="$5.00"))
PLANS = [planned(subtask("a")), planned(subtask("b"))]


def run(*decisions: p.OperatorDecision, events: str = "", faults: tuple[Fault, ...] = (), **more: Any) -> Run:
    whole = Run(PLANS, {"a": decisions}, desk=more.pop("desk", None) or desktop(events), safety=OPEN_HOUSE, **more)
    if faults:
        whole.context = whole.context.with_(environment=FaultyEnvironment(whole.desk, faults))
    whole.go()
    return whole


def how(whole: Run) -> list[tuple[str, str]]:
    return [(body["trouble"], body["how"]) for body in whole.bodies("recovered")]


def test_a_busy_application_is_waited_for_with_growing_patience() -> None:
    busy = "[{when: {clicked: Save draft}, loading: {app: reimbursement, seconds: 6}}]"
    whole = run(FILLED, decide(p.Click(target=SAVE)), FILLED, events=busy)
    assert whole.status == "fulfilled"
    waits = [item["action"].get("seconds", 1.0) for item in whole.desk.received() if item["action"]["action_type"] == "wait"]
    assert waits == [1.0, 2.0, 4.0][: len(waits)]
    assert len(waits) >= 2
    assert done(whole.desk)[-1] == "fill"


def test_a_target_that_is_missing_is_waited_for_and_scrolled_to_and_a_wait_that_is_lacking_waited_without_it() -> None:
    lost = decide(p.Click(target=p.ActionTarget(text="Nowhere")))
    whole = run(lost, lost, lost)
    assert how(whole)[:2] == [("missing", "wait 1 s"), ("missing", "scroll down 1 page")]
    assert done(whole.desk)[:2] == ["wait", "scroll"]
    lacking = (Fault(kind=FaultKind.NOT_SAVED, verbs=("wait",)),)
    whole = run(FILLED, decide(p.Click(target=SAVE)), decide(p.Wait(seconds=0.01)), faults=lacking, limits=Limits(retries=0))
    assert whole.status == "fulfilled"
    assert [body["exec_status"] for body in whole.bodies("outcome")] == ["executed"] * 3
    low = SimulatedDesktop(parse_world("screen: [900, 300]\napps: {reimbursement: }\nopen: [reimbursement]"))
    assert not next(e for e in low.observe().elements if e.name == "Amount").visible
    whole = run(FILLED, FILLED, desk=low)
    assert whole.status == "fulfilled"
    assert done(whole.desk)[-1] == "fill"


@pytest.mark.parametrize(
    "fault",
    [
        Fault(kind=FaultKind.NOT_SAVED, targets=("Amount",), times=1, text="it lies under something else"),
        Fault(kind=FaultKind.STALE, times=1),
    ],
)
def test_what_lies_under_a_message_or_went_stale_is_waited_for_and_acted_on_once(fault: Fault) -> None:
    whole = run(FILLED, FILLED, faults=(fault,))
    assert whole.status == "fulfilled"
    assert done(whole.desk) == ["wait", "fill"]


def test_a_validation_error_is_looked_at_and_mended() -> None:
    wrong, send = decide(p.Fill(target=AMOUNT, text="lots")), decide(p.Click(target=SUBMIT))
    whole = run(wrong, send, FILLED, send)
    assert whole.status == "fulfilled"
    assert how(whole) == [("validation", "observe again")]
    assert [claim["amount"] for claim in whole.desk.world()["apps"]["reimbursement"]["claims"].values()] == ["5.00"]


# --- pop-ups, in three languages --------------------------------------------------------------------------------------

HARMLESS = [
    ("Tip of the day", "You can drag files.", "[Got it, Close]"),
    ("Tipp des Tages", "Sie können Dateien ziehen.", "[Verstanden, Schließen]"),
    ("今日提示", "您可以拖动文件。", "[知道了, 关闭]"),
]
GRAVE = [  # each kind in one language; how they are told in the others is shown of `classify_dialog`
    ("security", "安全警告", "证书不受信任。", "[仍然继续, 返回]", "返回"),
    ("permission", "Zugriff", "Notizen möchte Ihren Standort verwenden.", "[Erlauben, Nicht jetzt]", "Nicht jetzt"),
    ("payment", "Payment required", "Pay $49 to continue.", "[Pay now, Cancel]", "Cancel"),
    ("consent", "Ihre Privatsphäre", "Wir verwenden Cookies.", "[Alle akzeptieren, Alle ablehnen]", "Alle ablehnen"),
    ("account", "Session expired", "Sign in to go on.", "[Sign in, Cancel]", "Cancel"),
]
AMOUNTS = {"en": "Amount", "de": "Betrag", "zh": "金额"}


def popup(title: str, text: str, buttons: str) -> str:
    return f"[{{when: {{after_actions: 1}}, popup: {{title: '{title}', text: '{text}', buttons: {buttons}}}}}]"


@pytest.mark.parametrize(("language", "dialog"), list(zip(AMOUNTS, HARMLESS, strict=True)))
def test_a_harmless_pop_up_is_dismissed_and_the_work_goes_on(language: str, dialog: tuple[str, str, str]) -> None:
    world = (
        f"name: claim\napps: {{reimbursement: {{}}, notes: {{}}}}\nopen: [reimbursement]\nvariation: {{language: {language}}}\n"
    )
    fill = decide(p.Fill(target=p.ActionTarget(text=AMOUNTS[language]), text="$5.00"))
    whole = run(fill, fill, desk=desktop(popup(*dialog), world=world))
    assert whole.status == "fulfilled"
    assert done(whole.desk) == ["fill", "click", "fill"]
    assert whole.desk.world()["dialogs"] == []


@pytest.mark.parametrize(("kind", "title", "text", "buttons", "safest"), GRAVE)
def test_a_grave_dialog_goes_to_a_person_even_where_the_policy_allows_all(
    kind: str, title: str, text: str, buttons: str, safest: str
) -> None:
    whole = run(FILLED, FILLED, events=popup(title, text, buttons))
    assert f"an unexpected {kind} dialog is open" in whole.asked["reasons"][0]
    assert whole.asked["action_requests"][0]["args"]["target"]["text"] == safest
    assert done(whole.desk) == ["fill"]
    whole.go({"type": "approve"})
    assert (whole.status, whole.desk.world()["dialogs"]) == ("fulfilled", [])


@pytest.mark.parametrize(("title", "button", "again"), [("Keep this layout?", "Cancel", 1), ("Security warning", "Go back", 2)])
def test_a_person_is_asked_once_whether_to_leave_a_dialog_unless_it_is_grave(title: str, button: str, again: int) -> None:
    shown = popup(title, "It has changed.", f"[Change everything, {button}]")
    whole = Run(PLANS, {"a": [FILLED, FILLED], "b": [FINISH]}, desk=desktop(shown), safety=OPEN_HOUSE).go()
    whole.go({"type": "reject"})
    asked = [body["action_requests"][0]["args"]["target"]["text"] for body in whole.bodies("approval_requested")]
    assert asked == [button] * again


def test_a_dialog_without_a_safe_answer_is_a_question() -> None:
    whole = run(FILLED, FILLED, events=popup("Security warning", "A virus was found.", "[Clean now]"))
    assert whole.asked["kind"] == "question"
    assert "Clean now" in whole.asked["action_requests"][0]["args"]["question"]


def test_every_verb_has_a_class_of_repetition() -> None:
    assert set(REPEATS) == set(p.VERBS)
    assert idempotence_of(p.Click(target=SAVE), Effect.OBSERVE) is Idempotence.READING
    assert idempotence_of(p.Click(target=SAVE), Effect.SAVE) is Idempotence.ONCE
    assert idempotence_of(p.Fill(target=AMOUNT, text="1"), Effect.EDIT) is Idempotence.REPEATABLE
    assert idempotence_of(p.Fill(target=AMOUNT, text="1", submit=True), Effect.SUBMIT) is Idempotence.ONCE


def test_an_action_that_left_no_trace_is_tried_again() -> None:
    click = decide(p.Click(target=SAVE))
    whole = run(FILLED, click, click, faults=(Fault(kind=FaultKind.TIMEOUT, verbs=("click",), times=1),))
    assert whole.status == "fulfilled"
    assert done(whole.desk) == ["fill", "wait", "click"]
    assert whole.desk.world()["apps"]["reimbursement"]["saved"]["amount"] == "$5.00"


@pytest.mark.parametrize("once_more", [p.Click(target=SUBMIT), p.PressKey(target=SUBMIT, keys=("Enter",))], ids=["click", "key"])
def test_a_press_that_may_have_been_done_is_not_tried_again_in_any_way_without_a_person(once_more: p.Action) -> None:
    """The network fails after the claim was submitted; the screen, read back, is another one."""
    ready = [decide(p.Fill(target=p.ActionTarget(text=name), text=text)) for name, text in FORM.items()]
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Submit",), times=1),)
    again = decide(p.Click(target=p.ActionTarget(text="New claim")))
    whole = run(*ready, decide(p.Click(target=SUBMIT)), again, *ready, decide(once_more), faults=lost)
    assert whole.asked["rule"] == "unknown_outcome_before"
    assert "it may have been done already" in whole.asked["reasons"][0]
    assert len(whole.desk.world()["apps"]["reimbursement"]["claims"]) == 1
    whole.go({"type": "reject", "message": "it is there"})
    assert len(whole.desk.world()["apps"]["reimbursement"]["claims"]) == 1


FORM = {"Vendor": "Acme", "Amount": "$5.00"}


def test_what_was_saved_before_the_failure_changes_nothing_when_it_is_saved_again() -> None:
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Save*",), times=1),)
    whole = run(FILLED, decide(p.Click(target=SAVE)), decide(p.PressKey(target=SAVE, keys=("Enter",))), faults=lost)
    assert whole.status == "fulfilled"
    assert done(whole.desk) == ["fill", "click", "wait", "press_key"]


def test_what_arrived_before_the_failure_is_not_done_twice_and_the_rest_needs_no_question() -> None:
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("type",), times=1),)
    typed = decide(p.Type(target=AMOUNT, text="$5.00"))
    whole = run(typed, typed, faults=lost)
    assert whole.asked["rule"] == "unknown_outcome_before"
    assert next(e.value for e in whole.desk.observe().elements if e.text == "Amount") == "$1.00$5.00"
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("fill",), times=1),)
    whole = run(FILLED, FILLED, faults=lost)
    assert whole.status == "fulfilled"
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Save*",), times=1),)
    whole = run(FILLED, decide(p.Click(target=SAVE)), decide(p.Type(target=AMOUNT, text="1")), faults=lost)
    assert whole.status == "fulfilled"


def test_a_function_whose_outcome_is_unknown_is_asked_about_when_the_screen_is_another_one() -> None:
    class Noting:
        """Calls the same function twice, and the notes are open."""

        def decide(self, view: OperatorView) -> p.OperatorDecision:
            if len([s for s in view.history if s.verb == "call_api"]) > 1:
                return FINISH
            return decide(p.CallApi(app="notes", function="create_note", arguments={"title": "Trip", "body": "x"}))

    desk = desktop(world="name: n\napps: {notes: {}}\nopen: [notes]\n")
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("call_api",), times=1),)
    whole = run(desk=desk, faults=lost, parts={"operator": Noting()})
    assert whole.asked["rule"] == "unknown_outcome_before"
    notes = whole.desk.world()["apps"]["notes"]["notes"].values()
    assert [note["title"] for note in notes].count("Trip") == 1


SHOP = """
name: shop
apps:
  shop:
    products: [{id: k2, name: Kettle Calm, category: Kitchen, price: 24.50}]
    cart: [{product: k2}]
    address: {name: Uma Weber, street: 8 Seegasse, city: Graz, postcode: "8010", country: Austria}
open: [shop]
"""
WAY = (
    *(p.Click(target=p.ActionTarget(text=name)) for name in ("Cart", "Proceed to checkout", "Continue", "Continue")),
    p.SelectOption(target=p.ActionTarget(text="Payment method"), options=("Invoice",)),
    p.Click(target=p.ActionTarget(text="Continue")),
)
POPUP = "{title: Payment required, text: Pay $49 to continue., buttons: [Pay now, Cancel]}"


def pressing(view: OperatorView, name: str) -> p.OperatorDecision:
    """A press on this, in the dialog that is open where there is one."""
    inside = view.seen.within(view.seen.by_id[view.seen.modal]) if view.seen.modal else view.seen.elements
    return decide(p.Click(target=p.ActionTarget.of(next(e for e in inside if e.name == name and e.role == "button"))))


def buying(*names: str, safety: SafetyPolicy = SafetyPolicy(), events: str = "") -> tuple[Run, Watching]:  # noqa: B008
    policy = Watching(*WAY, *(partial(pressing, name=name) for name in names))
    whole = Run([planned(subtask("a"))], desk=desktop(events, world=SHOP), parts={"operator": policy}, safety=safety).go()
    return whole, policy


def orders(whole: Run) -> int:
    return len(whole.desk.world()["apps"]["shop"]["orders"])


@pytest.mark.parametrize("safety", [SafetyPolicy(), OPEN_HOUSE])
def test_the_question_of_a_purchase_is_the_worker_s_and_its_yes_is_asked_about_whatever_the_policy_allows(safety) -> None:
    whole, policy = buying("Place order", "Place order", safety=safety)
    assert policy.views[-1].seen.modal
    assert (whole.asked["action_requests"][0]["description"], whole.asked["effect"]) == ('click "Place order"', "purchase")
    assert orders(whole) == 0
    whole.go({"type": "approve", "message": "yes, buy it"})
    assert (whole.status, orders(whole)) == ("fulfilled", 1)
    assert [s.target for s in whole.journal.steps("a", 1)][-2:] == ["Place order", "Place order"]
    assert policy.views[-1].history[-1].remark.endswith("; the user approved it: yes, buy it")


def test_the_worker_says_no_without_asking_and_no_purchase_is_made_against_the_person() -> None:
    whole, _ = buying("Place order", "Place order", safety=OPEN_HOUSE)
    whole.go({"type": "reject"})
    assert orders(whole) == 0
    whole, policy = buying("Place order", "Cancel")
    assert (whole.status, orders(whole), policy.views[-1].seen.modal) == ("fulfilled", 0, None)


def test_a_question_that_the_press_was_not_for_gets_the_safest_answer_and_the_worker_hears_why() -> None:
    whole, policy = buying(safety=OPEN_HOUSE, events=f"[{{when: {{after_actions: 3}}, popup: {POPUP}}}]")
    assert whole.asked["action_requests"][0]["description"] == 'click "Cancel"'
    whole.go({"type": "approve"})
    closed = next(s for s in policy.views[-1].history if s.target == "Cancel")
    assert closed.remark.startswith("the crew did this by itself: an unexpected payment dialog is open: Payment required")
    assert closed.remark.endswith("; the user approved it")


def test_a_dialog_that_offers_no_way_out_is_asked_about_once(tmp_path: Path) -> None:
    """Who answers a question without deciding it is not asked again, and the run ends by its limits."""
    popup = {"title": "Allow notifications?", "text": "It wants to read your contacts.", "buttons": ["Allow", "Whatever"]}
    world = {
        "name": "asking",
        "apps": {"billing": {"generate": 6, "open": "any"}, "notes": {"generate": 3}},
        "open": ["billing"],
        "events": [{"when": {"after_actions": 2}, "popup": popup | {"kind": "permission"}}],
    }
    file = tmp_path / "asking.yaml"
    file.write_text(f"# world\n{yaml.safe_dump(world, sort_keys=False)}", encoding="utf-8")
    asked: list[str] = []

    def person(request: Mapping[str, Any]) -> dict[str, Any]:
        assert len(asked) < 20, "asked without an end"
        asked.append(request["kind"])
        said = {"type": "respond", "message": "do what the goal says"} if request["kind"] == "question" else {"type": "approve"}
        return {"decisions": [said]}

    settings = [f"world={file}", f"runs_dir={tmp_path}", "limits.steps=30"]
    outcome = Crew.from_config(overrides=settings).run('Create a note titled "Milk" with the text "two bottles"', approver=person)
    assert outcome.status == "rejected"
    assert asked.count("question") == 1


GOAL = "Give ticket 105 to Dana Wolf and add the comment 'customer called back'"


def dialog(title: str, *parts: p.GUIElement, close: str = "Close") -> p.VisualState:
    def element(name: str, role: str, text: str) -> p.GUIElement:
        return p.GUIElement(element_id=name, role=role, text=text, bbox=p.BoundingBox(x1=0, y1=0, x2=90, y2=20), parent="d")

    holder = element("d", "dialog", "").model_copy(update={"parent": None})
    buttons = [element(name, "button", name) for name in ("Save", close)]
    elements = (holder, element("h", "heading", title), *parts, *buttons)
    return p.VisualState(app="browser", screen_resolution=(800, 600), elements=elements, modal="d", timestamp=1.0)


def field(label: str, role: str = "textbox", options: tuple[str, ...] = ()) -> p.GUIElement:
    box = p.BoundingBox(x1=0, y1=0, x2=90, y2=20)
    return p.GUIElement(element_id=label, role=role, text=label, bbox=box, parent="d", options=options)


def did(number: int, action: p.Click | p.Fill, *events: str) -> StepRecord:
    name = str(action.target.text if action.target else "")
    given = {"action": action.dump(), "verb": action.verb, "target": name, "exec_status": "executed", "visible_change": True}
    return StepRecord.model_validate({"step": number, "subtask": "a", "events": events, **given})


EDIT = p.Click(target=p.ActionTarget(text="Edit"))
TICKET = dialog("#105 Wrong size", field("Assignee", "combobox", ("nobody", "Dana Wolf")), field("Comment"))


def test_a_form_that_a_press_opened_is_the_crew_s_own_however_much_was_filled_in_since() -> None:
    """It has no word of the control: the record, its fields and their choices are what the goal is about."""
    opened = did(1, EDIT, "popup: #105 Wrong size - Assignee - Comment")
    assert interruption(TICKET, [opened], GOAL) is None
    entries = [did(step, p.Fill(target=p.ActionTarget(text="Comment"), text="x")) for step in range(2, 14)]
    assert interruption(TICKET, [opened, *entries], GOAL) is None


def test_what_a_press_opened_to_be_read_is_not_closed_before_it_was_read() -> None:
    """It has only ways out, as a harmless pop-up has, and words of one: `note`."""
    text = field("Size 44. Note: sent back twice.", "text")
    whole = dialog("#105 Wrong size", text)
    shown = whole.model_copy(update={"elements": tuple(e for e in whole.elements if e.name != "Save")})
    details = p.Click(target=p.ActionTarget(text="Details"))
    assert interruption(shown, [did(1, details, "popup: #105 Wrong size - Size 44. Note: sent back twice.")], GOAL) is None
    by_itself = interruption(shown, [did(1, details)], GOAL)
    assert by_itself.harmless


def test_a_dialog_that_came_by_itself_or_is_about_something_else_is_in_the_way() -> None:
    popup = "popup: #105 Wrong size - Assignee - Comment"
    typed = did(1, p.Fill(target=p.ActionTarget(text="Search"), text="x"), popup)
    assert interruption(TICKET, [typed], GOAL) is not None
    survey = dialog("How do you like the new design?", field("Your opinion"))
    assert interruption(survey, [did(1, EDIT, "popup: How do you like the new design? - Your opinion")], GOAL) is not None
    news = dialog("Ticket tips", close="Got it")
    blocked = interruption(news, [did(1, EDIT, "popup: Ticket tips")], GOAL)
    assert blocked is not None
    grave = dialog("Sign in to open ticket 105", field("Password"))
    blocked = interruption(grave, [did(1, EDIT, "popup: Sign in to open ticket 105 - Password")], GOAL)
    assert not blocked.harmless


def asking(title: str, text: str, target: str, *between: StepRecord) -> bool:
    """Whether the question that a press on this brought up, the last step, is given to the worker."""
    question = dialog(title, field(text, "text"), close="Cancel")
    question = question.model_copy(update={"elements": tuple(e for e in question.elements if e.role != "heading")})
    holder = question.elements[0].model_copy(update={"text": title})
    question = question.model_copy(update={"elements": (holder, *question.elements[1:])})
    pressed = did(9, p.Click(target=p.ActionTarget(text=target)), f"popup: {title} - {text}")
    return interruption(question, [*between, pressed], GOAL) is None


def test_the_question_of_a_press_is_the_worker_s_by_its_text_by_its_kind_or_because_it_comes_back() -> None:
    """Its title is as plain as titles are, and so are its buttons."""
    assert asking("Please confirm", "Deactivate 4 users?", "Deactivate selected")
    assert asking("Please confirm", "Are you sure? It moves to the vault.", "Archive")
    assert not asking("Please choose", "Blue or green?", "Archive")
    before = did(7, p.Click(target=p.ActionTarget(text="Archive")), "popup: Please choose - Blue or green?")
    closed = did(8, p.Click(target=p.ActionTarget(text="Cancel"))).model_copy(update={"recovery": True})
    assert asking("Please choose", "Blue or green?", "Archive", before, closed)
    assert not asking("Please choose", "Blue or green?", "Open", before, closed)
