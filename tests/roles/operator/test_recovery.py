"""What gets the Operator past trouble: waiting, looking again, scrolling, dismissing, trying again with care, asking."""

from __future__ import annotations

from typing import Any

import pytest
from support import FINISH, Run, decide, desktop, planned, subtask

from environments.faults.faults import Fault, FaultKind, FaultyEnvironment
from protocol import VERBS, ActionTarget, CallApi, Click, Fill, OperatorDecision, PressKey, Type, Wait
from roles.contracts import OperatorView
from roles.contracts.limits import Limits
from roles.operator.recovery import idempotence_of
from roles.safety import SafetyPolicy
from roles.safety.effects import Effect
from roles.skills.contract import REPEATS, Idempotence

AMOUNT = ActionTarget(text="Amount")
SAVE = ActionTarget(text="Save draft")
SUBMIT = ActionTarget(text="Submit")
OPEN_HOUSE = SafetyPolicy(name="open-house", rules=(), otherwise="allow")
FILLED = decide(Fill(target=AMOUNT, text="$5.00"))
PLANS = [planned(subtask("a")), planned(subtask("b"))]


def run(*decisions: OperatorDecision, events: str = "", faults: tuple[Fault, ...] = (), **more: Any) -> Run:
    whole = Run(PLANS, {"a": decisions}, desk=more.pop("desk", None) or desktop(events), safety=OPEN_HOUSE, **more)
    if faults:
        whole.context = whole.context.with_(environment=FaultyEnvironment(whole.desk, faults))
    whole.go()
    return whole


def done(whole: Run) -> list[str]:
    return [item["action"]["action_type"] for item in whole.desk.received()]


def how(whole: Run) -> list[tuple[str, str]]:
    return [(body["trouble"], body["how"]) for body in whole.bodies("recovered")]


# --- waiting, looking again, scrolling --------------------------------------------------------------------------------


def test_a_busy_application_is_waited_for_with_growing_patience() -> None:
    whole = run(
        FILLED,
        decide(Click(target=SAVE)),
        FILLED,
        events="[{when: {clicked: Save draft}, loading: {app: reimbursement, seconds: 6}}]",
    )
    assert whole.status == "fulfilled"
    waits = [item["action"].get("seconds", 1.0) for item in whole.desk.received() if item["action"]["action_type"] == "wait"]
    assert waits == [1.0, 2.0, 4.0][: len(waits)]
    assert len(waits) >= 2
    assert done(whole)[-1] == "fill"


def test_a_target_that_is_missing_is_waited_for_then_looked_for_by_scrolling() -> None:
    lost = decide(Click(target=ActionTarget(text="Nowhere")))
    whole = run(lost, lost, lost)
    assert how(whole)[:2] == [("missing", "wait 1 s"), ("missing", "scroll down 1 page")]
    assert done(whole)[:2] == ["wait", "scroll"]


def test_a_wait_that_an_environment_lacks_is_waited_without_it() -> None:
    lacking = (Fault(kind=FaultKind.NOT_SAVED, verbs=("wait",)),)
    whole = run(FILLED, decide(Click(target=SAVE)), decide(Wait(seconds=0.01)), faults=lacking, limits=Limits(retries=0))
    assert whole.status == "fulfilled"
    assert [body["exec_status"] for body in whole.bodies("outcome")] == ["executed"] * 3


def test_a_control_out_of_view_is_scrolled_to() -> None:
    covered = (Fault(kind=FaultKind.HIDE, targets=("Amount",), times=1),)
    whole = run(FILLED, FILLED, faults=covered)
    assert whole.status == "fulfilled"
    assert done(whole)[-1] == "fill"


def test_a_message_over_a_control_goes_and_the_action_is_done_once() -> None:
    covered = (Fault(kind=FaultKind.COVER, targets=("Save*",), times=1),)
    click = decide(Click(target=SAVE))
    whole = run(FILLED, click, click, faults=covered)
    assert whole.status == "fulfilled"
    assert done(whole).count("click") == 1
    assert how(whole)[0] == ("failed", "wait 1 s")


def test_an_element_that_went_stale_is_found_on_a_new_look() -> None:
    whole = run(FILLED, FILLED, faults=(Fault(kind=FaultKind.STALE, times=1),))
    assert whole.status == "fulfilled"
    assert done(whole) == ["wait", "fill"]


def test_a_validation_error_is_looked_at_and_mended() -> None:
    wrong, send = decide(Fill(target=AMOUNT, text="lots")), decide(Click(target=SUBMIT))
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
GRAVE = [
    ("security", "Security warning", "The certificate is not trusted.", "[Proceed anyway, Go back]", "Go back"),
    ("security", "Sicherheitswarnung", "Das Zertifikat ist ungültig.", "[Trotzdem weiter, Zurück]", "Zurück"),
    ("security", "安全警告", "证书不受信任。", "[仍然继续, 返回]", "返回"),
    ("permission", "Allow access?", "Notes wants to use your location.", "[Allow, Not now]", "Not now"),
    ("permission", "Zugriff", "Notizen möchte Ihren Standort verwenden.", "[Erlauben, Nicht jetzt]", "Nicht jetzt"),
    ("permission", "允许访问？", "便笺想要使用您的位置。", "[允许, 以后再说]", "以后再说"),
    ("payment", "Payment required", "Pay $49 to continue.", "[Pay now, Cancel]", "Cancel"),
    ("payment", "Zahlung nötig", "Bezahlen Sie 49 €.", "[Jetzt bezahlen, Abbrechen]", "Abbrechen"),
    ("payment", "需要付款", "支付 49 元以继续。", "[立即支付, 取消]", "取消"),
    ("consent", "We value your privacy", "We use cookies.", "[Accept all, Reject all]", "Reject all"),
    ("consent", "Ihre Privatsphäre", "Wir verwenden Cookies.", "[Alle akzeptieren, Alle ablehnen]", "Alle ablehnen"),
    ("consent", "隐私", "我们使用 Cookie。", "[全部接受, 全部拒绝]", "全部拒绝"),
    ("account", "Session expired", "Sign in to go on.", "[Sign in, Cancel]", "Cancel"),
    ("account", "Sitzung abgelaufen", "Bitte anmelden.", "[Anmelden, Abbrechen]", "Abbrechen"),
    ("account", "会话已过期", "请重新登录。", "[登录, 取消]", "取消"),
]
AMOUNTS = {"en": "Amount", "de": "Betrag", "zh": "金额"}


def popup(title: str, text: str, buttons: str) -> str:
    return f"[{{when: {{after_actions: 1}}, popup: {{title: '{title}', text: '{text}', buttons: {buttons}}}}}]"


@pytest.mark.parametrize(("language", "dialog"), list(zip(AMOUNTS, HARMLESS, strict=True)))
def test_a_harmless_pop_up_is_dismissed_and_the_work_goes_on(language: str, dialog: tuple[str, str, str]) -> None:
    world = (
        f"name: claim\napps: {{reimbursement: {{}}, notes: {{}}}}\nopen: [reimbursement]\nvariation: {{language: {language}}}\n"
    )
    fill = decide(Fill(target=ActionTarget(text=AMOUNTS[language]), text="$5.00"))
    whole = run(fill, fill, desk=desktop(popup(*dialog), world=world))
    assert whole.status == "fulfilled"
    assert done(whole) == ["fill", "click", "fill"]
    assert whole.desk.world()["dialogs"] == []


@pytest.mark.parametrize(("kind", "title", "text", "buttons", "safest"), GRAVE)
def test_a_grave_dialog_goes_to_a_person_even_where_the_policy_allows_all(
    kind: str, title: str, text: str, buttons: str, safest: str
) -> None:
    whole = run(FILLED, FILLED, events=popup(title, text, buttons))
    assert f"an unexpected {kind} dialog is open" in whole.asked["reasons"][0]
    assert whole.asked["action_requests"][0]["args"]["target"]["text"] == safest
    assert done(whole) == ["fill"]
    whole.go({"type": "approve"})
    assert whole.status == "fulfilled"
    assert whole.desk.world()["dialogs"] == []


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


# --- trying again -----------------------------------------------------------------------------------------------------


def test_every_verb_has_a_class_of_repetition() -> None:
    assert set(REPEATS) == set(VERBS)
    assert idempotence_of(Click(target=SAVE), Effect.OBSERVE) is Idempotence.READING
    assert idempotence_of(Click(target=SAVE), Effect.SAVE) is Idempotence.ONCE
    assert idempotence_of(Fill(target=AMOUNT, text="1"), Effect.EDIT) is Idempotence.REPEATABLE
    assert idempotence_of(Fill(target=AMOUNT, text="1", submit=True), Effect.SUBMIT) is Idempotence.ONCE


def test_an_action_that_left_no_trace_is_tried_again() -> None:
    click = decide(Click(target=SAVE))
    whole = run(FILLED, click, click, faults=(Fault(kind=FaultKind.TIMEOUT, verbs=("click",), times=1),))
    assert whole.status == "fulfilled"
    assert done(whole) == ["fill", "wait", "click"]
    assert whole.desk.world()["apps"]["reimbursement"]["saved"]["amount"] == "$5.00"


def test_an_action_that_may_have_been_done_is_not_tried_again_without_a_person() -> None:
    """The network fails after the claim was submitted; the screen, read back, is another one."""
    click = decide(Click(target=SUBMIT))
    ready = [decide(Fill(target=ActionTarget(text=name), text=text)) for name, text in FORM.items()]
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Submit",), times=1),)
    again = decide(Click(target=ActionTarget(text="New claim")))
    whole = run(*ready, click, again, *ready, click, faults=lost)
    assert whole.asked["rule"] == "unknown_outcome_before"
    assert "it may have been done already" in whole.asked["reasons"][0]
    assert len(whole.desk.world()["apps"]["reimbursement"]["claims"]) == 1
    whole.go({"type": "reject", "message": "it is there"})
    assert len(whole.desk.world()["apps"]["reimbursement"]["claims"]) == 1


FORM = {"Vendor": "Acme", "Amount": "$5.00"}


def test_a_press_by_key_is_the_same_press() -> None:
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Submit",), times=1),)
    ready = [decide(Fill(target=ActionTarget(text=name), text=text)) for name, text in FORM.items()]
    again = decide(Click(target=ActionTarget(text="New claim")))
    enter = decide(PressKey(target=SUBMIT, keys=("Enter",)))
    whole = run(*ready, decide(Click(target=SUBMIT)), again, *ready, enter, faults=lost)
    assert whole.asked["rule"] == "unknown_outcome_before"
    assert len(whole.desk.world()["apps"]["reimbursement"]["claims"]) == 1


def test_what_was_saved_before_the_failure_changes_nothing_when_it_is_saved_again() -> None:
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Save*",), times=1),)
    whole = run(FILLED, decide(Click(target=SAVE)), decide(PressKey(target=SAVE, keys=("Enter",))), faults=lost)
    assert whole.status == "fulfilled"
    assert done(whole) == ["fill", "click", "wait", "press_key"]


def test_what_arrived_before_the_failure_is_not_done_twice_and_the_rest_needs_no_question() -> None:
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("type",), times=1),)
    typed = decide(Type(target=AMOUNT, text="$5.00"))
    whole = run(typed, typed, faults=lost)
    assert whole.asked["rule"] == "unknown_outcome_before"
    assert next(e.value for e in whole.desk.observe().elements if e.text == "Amount") == "$1.00$5.00"
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("fill",), times=1),)
    whole = run(FILLED, FILLED, faults=lost)
    assert whole.status == "fulfilled"
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("click",), targets=("Save*",), times=1),)
    whole = run(FILLED, decide(Click(target=SAVE)), decide(Type(target=AMOUNT, text="1")), faults=lost)
    assert whole.status == "fulfilled"


def test_a_function_whose_outcome_is_unknown_is_asked_about_when_the_screen_is_another_one() -> None:
    class Noting:
        """Calls the same function twice, and the notes are open."""

        def decide(self, view: OperatorView) -> OperatorDecision:
            if len([s for s in view.history if s.verb == "call_api"]) > 1:
                return FINISH
            return decide(CallApi(app="notes", function="create_note", arguments={"title": "Trip", "body": "x"}))

    desk = desktop(world="name: n\napps: {notes: {}}\nopen: [notes]\n")
    lost = (Fault(kind=FaultKind.SAVED_ANYWAY, verbs=("call_api",), times=1),)
    whole = run(desk=desk, faults=lost, parts={"operator": Noting()})
    assert whole.asked["rule"] == "unknown_outcome_before"
    notes = whole.desk.world()["apps"]["notes"]["notes"].values()
    assert [note["title"] for note in notes].count("Trip") == 1
