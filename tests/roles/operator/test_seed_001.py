"""The page of seed 001, row by row: every input, output and state of its application worker, through the real graph of the crew.

Rows about knowledge (help documents, search, demonstrations) are not the Operator's; what they find is its input `retrieved`.
"""

from typing import Any

import pytest
from support import FINISH, OPEN_HOUSE, Handbook, Run, Watching, decide, desktop, done, planned, subtask, verdict

from environments.contract import Screenshots
from protocol import (
    Action,
    ActionTarget,
    AgentStatus,
    AskInAppAgent,
    CallApi,
    Click,
    Fill,
    LaunchApp,
    Memorize,
    OperatorDecision,
    PressKey,
    Screenshot,
    VisualState,
    Wait,
)
from protocol.dialects import Context as Reading
from protocol.dialects.desktop.ufo import decision_of
from roles.contracts import OperatorView
from roles.contracts.limits import Limits
from roles.contracts.signals import GateTrigger, Signal
from roles.safety import SafetyPolicy
from roles.safety.privacy.vault import reference

AMOUNT = ActionTarget(text="Amount")
VENDOR = ActionTarget(text="Vendor")


def run(*decisions: Any, plans: Any = None, **more: Any) -> tuple[Run, Watching]:
    policy = Watching(*decisions)
    whole = Run(plans or [planned(subtask("a", app="reimbursement"))], parts={"operator": policy}, **more).go()
    return whole, policy


# --- inputs -----------------------------------------------------------------------------------------------------------


def test_user_request_subtask_current_application_and_id_name_and_type_of_every_control() -> None:
    _, policy = run()
    view = policy.views[0]
    assert view.user_request == "do it"
    assert (view.subtask.id, view.subtask.instruction, view.app) == ("a", "do a", "reimbursement")
    controls = {(e.element_id != "", e.text, e.role) for e in view.seen.elements}
    assert {(True, "Amount", "textbox"), (True, "Submit", "button"), (True, "Category", "combobox")} <= controls
    assert "fill" in view.verbs


def test_the_three_screenshots_are_there_as_references() -> None:
    whole, policy = run(decide(Fill(target=AMOUNT, text="$5.00")), decide(LaunchApp(app="notes")))
    assert isinstance(whole.desk, Screenshots)
    first, second, elsewhere = policy.views
    assert [picture.kind for picture in first.screenshots] == ["clean", "annotated"]
    assert [picture.kind for picture in second.screenshots] == ["clean", "annotated", "last_target"]
    assert {picture.state_id for picture in second.screenshots} == {second.seen.state_id}
    amount = next(e for e in first.seen.elements if e.text == "Amount")
    assert second.screenshots[2].last == amount.bbox
    assert len({picture for view in (first, second) for picture in view.screenshots}) == 5
    assert [picture.kind for picture in elsewhere.screenshots] == ["clean", "annotated"], "no target on another application"


def test_an_environment_without_pictures_has_no_references() -> None:
    class Blind:
        def __init__(self) -> None:
            self._inner, self.name = desktop(), "blind"

        def observe(self) -> VisualState:
            return self._inner.observe()

        def perform(self, action: Action, *, key: str) -> Any:
            return self._inner.perform(action, key=key)

    policy = Watching()
    Run([planned(subtask("a"))], parts={"operator": policy, "environment": Blind()}).go()
    assert policy.views[0].screenshots == ()


def test_fail_goes_back_to_the_manager_and_previous_subtasks_come_with_their_completion_status() -> None:
    failing = OperatorDecision(status=AgentStatus.FAIL, comment="not here")
    plans = [planned(subtask("a"), subtask("b", "a")), planned(subtask("c"))]
    whole, policy = run(FINISH, failing, FINISH, plans=plans)
    assert (policy.views[1].previous_subtasks, policy.views[2].subtask.id) == (("do a: fulfilled",), "c")
    assert any(body["status"] == "rejected" for body in whole.bodies("subtask_status"))
    again = planned(subtask("a"), subtask("b", status="rejected"), subtask("c", "a"))
    _, policy = run(FINISH, failing, FINISH, plans=[plans[0], again])
    assert policy.views[2].previous_subtasks == ("do a: fulfilled", "do b: rejected")


def test_the_previous_plan_is_given_back_also_across_a_gate() -> None:
    steps = [decide(Fill(target=AMOUNT, text=f"${n}.00"), plan=[f"step {n + 1}", "submit"]) for n in range(1, 4)]
    _, policy = run(*steps, limits=Limits(check_every=2))
    assert [view.previous_plan for view in policy.views[:3]] == [(), ("step 2", "submit"), ("step 3", "submit")]
    assert policy.views[3].previous_plan == ("step 4", "submit")


def test_the_hosts_message_reaches_the_operator() -> None:
    hinted = planned(subtask("a", hints=("the form stands under Claims",)))
    _, policy = run(plans=[hinted])
    assert policy.views[0].subtask.hints == ("the form stands under Claims",)
    _, policy = run(
        decide(Fill(target=AMOUNT, text="$1.00")),
        FINISH,
        verdicts={GateTrigger.WORKER_SUCCESS: [verdict(Signal.GATE_CONTINUE, "the vendor is missing")]},
    )
    assert policy.views[2].host_message == "Your FINISH was not taken, because: the vendor is missing"


def test_retrieved_information_reaches_the_operator() -> None:
    asking = OperatorDecision(status=AgentStatus.FAIL, comment="how?", supplement="how to claim")
    _, policy = run(asking, plans=[planned(subtask("a")), planned(subtask("b"))], sources=[Handbook("Use the form.")])
    assert [found.text for found in policy.views[1].retrieved] == ["Use the form."]


def test_the_blackboard_is_shared_by_all_subtasks_and_never_reaches_the_surface() -> None:
    plan = planned(subtask("a"), subtask("b", "a"))
    whole, policy = run(decide(Memorize(name="total", value="$248.90")), FINISH, plans=[plan])
    assert [(fact.name, fact.value) for fact in policy.views[2].facts] == [("total", "$248.90")]
    assert policy.views[2].subtask.id == "b"
    assert whole.desk.received() == []


# --- outputs ----------------------------------------------------------------------------------------------------------


def test_the_answer_of_the_page_is_a_decision_and_is_done() -> None:
    """Observation, Thought, ControlLabel, ControlText, Function, Args, Status, Plan, Comment and SaveScreenshot."""

    def answer(view: OperatorView) -> OperatorDecision:
        label = next(e.element_id for e in view.seen.elements if e.text == "Amount")
        return decision_of(
            {
                "Observation": "an empty form", "Thought": "the amount comes first", "ControlLabel": label,
                "ControlText": "Amount", "Function": "set_edit_text", "Args": {"text": "$5.00"}, "Status": "CONTINUE",
                "Plan": ["then submit"], "Comment": "half way", "SaveScreenshot": True,
            },
            Reading(state=view.seen),
        )  # fmt: skip

    whole, policy = run(answer)
    assert done(whole.desk) == ["type"]
    decided = whole.bodies("decided")[0]
    assert decided["line"] == 'type "$5.00" into "Amount"'
    assert (decided["observation"], decided["comment"], decided["plan"]) == ("an empty form", "half way", ["then submit"])
    assert decided["reasoning"] == "the amount comes first"
    assert (policy.views[1].previous_plan, len(policy.views[1].saved)) == (("then submit",), 1)


def test_save_screenshot_keeps_the_screen_on_the_blackboard() -> None:
    keeping = decide(LaunchApp(app="notes"), save_screenshot=True, observation="the empty form")
    whole, policy = run(keeping, decide(Wait(seconds=1)))
    fact = whole.journal.facts()[0]
    assert (fact.kind, fact.value, fact.state_id) == ("screen", "the empty form", policy.views[0].seen.state_id)
    assert [screen.app for screen in policy.views[2].saved] == ["reimbursement"]
    assert policy.views[2].seen.app == "notes"


def test_a_kept_screen_shows_no_private_field() -> None:
    hidden = SafetyPolicy(rules=(), otherwise="allow", private=("vendor",))
    whole, policy = run(
        decide(Fill(target=VENDOR, text="Clinic Dr. Gray")), decide(Wait(seconds=1), save_screenshot=True), safety=hidden
    )
    assert "Clinic" not in str(policy.views[2].saved)
    assert next(e.value for e in whole.desk.observe().elements if e.text == "Vendor") == "Clinic Dr. Gray"


# --- states -----------------------------------------------------------------------------------------------------------


def test_continue_acts_and_goes_on_and_finish_is_believed_by_nobody_but_the_gate() -> None:
    whole, _ = run(decide(Fill(target=AMOUNT, text="$5.00")), decide(Fill(target=VENDOR, text="Acme")))
    assert whole.status == "fulfilled"
    assert done(whole.desk) == ["fill", "fill"]
    assert "GET_ACTION --worker_success--> QUALITY_CHECK" in whole.rows


def test_error_is_asked_again_boundedly_and_then_fails() -> None:
    broken = OperatorDecision(status=AgentStatus.ERROR, comment="I lost the thread")
    plans = [planned(subtask("a")), planned(subtask("b"))]
    whole, policy = run(decide(Fill(target=AMOUNT, text="$5.00")), *[broken] * 3, plans=plans, limits=Limits(reasks=2))
    again = "Your last answer was not usable: I lost the thread"
    assert [view.host_message for view in policy.views[2:4]] == [again, f"{again}; that is the same mistake again"]
    assert [body["message"] for body in whole.bodies("error")] == ["I lost the thread"] * 3
    assert policy.views[4].subtask.id == "b"
    assert whole.status == "fulfilled"


def test_who_has_never_decided_anything_is_not_given_another_plan() -> None:
    broken = OperatorDecision(status=AgentStatus.ERROR, comment="I lost the thread")
    whole, policy = run(*[broken] * 3, plans=[planned(subtask("a")), planned(subtask("b"))], limits=Limits(reasks=2))
    assert (whole.status, whole.result["ended_by"], whole.result["plans"]) == ("rejected", "no_answer", 1)
    assert len(policy.views) == 3


def test_confirm_stops_before_an_action_that_the_policy_allows() -> None:
    whole, policy = run(decide(Fill(target=AMOUNT, text="$5.00"), status="CONFIRM"), safety=OPEN_HOUSE)
    assert done(whole.desk) == []
    assert whole.asked["rule"] == "asked_to_confirm"
    assert whole.status == "on_hold" or "__interrupt__" in whole.result
    whole.go({"type": "approve"})
    assert done(whole.desk) == ["fill"]
    assert len(policy.views) == 2


def test_screenshot_marks_only_what_was_asked_for_and_the_next_decision_is_made_on_it() -> None:
    def look(view: OperatorView) -> OperatorDecision:
        wanted = tuple(e.element_id for e in view.seen.elements if e.text in {"Amount", "Submit"})
        return OperatorDecision(status=AgentStatus.SCREENSHOT, action=Screenshot(marks=wanted), reasoning="crowded")

    _, policy = run(look, decide(Fill(target=AMOUNT, text="$5.00")))
    first, second, third = policy.views
    names = [second.seen.by_id[mark].text for mark in second.marks]
    assert sorted(map(str, names)) == ["Amount", "Submit"]
    assert {p.kind: p.marks for p in second.screenshots} == {"clean": (), "annotated": second.marks}
    assert first.marks == third.marks == ()


def test_looking_again_is_bounded() -> None:
    look = OperatorDecision(status=AgentStatus.SCREENSHOT, reasoning="crowded")
    whole, policy = run(*[look] * 9, plans=[planned(subtask("a")), planned(subtask("b"))], limits=Limits(looks=2, reasks=1))
    assert "looked at 2 times in a row" in policy.views[3].host_message
    assert done(whole.desk)[:2] == ["screenshot", "screenshot"]
    assert policy.views[4].subtask.id == "b"


def test_a_mark_that_is_not_on_the_screen_is_said_and_asked_again() -> None:
    look = OperatorDecision(status=AgentStatus.SCREENSHOT, action=Screenshot(marks=("nowhere",)), reasoning="crowded")
    whole, policy = run(look)
    assert "no element 'nowhere' on the screen to mark" in policy.views[1].host_message
    assert done(whole.desk) == []


QUESTION = OperatorDecision(status=AgentStatus.PENDING, comment="Which amount?")


def test_the_same_question_is_not_asked_twice_in_a_run() -> None:
    again = OperatorDecision(status=AgentStatus.PENDING, comment="which  amount")
    plan = planned(subtask("a"), subtask("b", "a"))
    whole, policy = run(QUESTION, FINISH, again, plans=[plan])
    whole.go({"type": "respond", "message": "$7.50"})
    assert (whole.status, len(whole.bodies("approval_requested"))) == ("fulfilled", 1)
    assert policy.views[-1].history[-1].action["question"] == "which  amount"
    assert [f.value for f in policy.views[-1].facts] == ["$7.50"]


def test_pending_asks_the_user_and_each_answer_is_on_the_blackboard() -> None:
    other = OperatorDecision(status=AgentStatus.PENDING, comment="Which vendor?")
    whole, policy = run(QUESTION, other, QUESTION)
    assert whole.asked["kind"] == "question"
    assert whole.asked["action_requests"][0]["args"] == {"question": "Which amount?"}
    whole.go({"type": "respond", "message": "$7.50"})
    fact = policy.views[1].facts[0]
    assert (fact.name, fact.value, fact.role, fact.question) == ("answer", "$7.50", "user", "Which amount?")
    whole.go({"type": "respond", "message": "Acme"})
    assert (whole.status, done(whole.desk)) == ("fulfilled", [])
    assert len(whole.bodies("approval_requested")) == 2
    assert {f.question: f.value for f in whole.journal.facts()} == {"Which amount?": "$7.50", "Which vendor?": "Acme"}


def test_an_empty_answer_is_none_and_a_refusal_answers_nothing() -> None:
    whole, _ = run(QUESTION, QUESTION)
    whole.go({"type": "respond", "message": "  "})
    assert "__interrupt__" in whole.result
    whole.go({"type": "reject", "message": "find out yourself"})
    assert not any(f.value.strip() for f in whole.journal.facts())


def test_the_answer_to_a_question_for_a_password_is_hidden_wherever_it_is_written() -> None:
    secret = OperatorDecision(status=AgentStatus.PENDING, comment="What is the password of the portal?")
    whole, policy = run(secret)
    whole.go({"type": "respond", "message": "tulip-4711"})
    assert policy.views[1].facts[0].value == reference("password")
    assert whole.journal.revealed(reference("password")) == "tulip-4711"
    assert policy.views[1].facts[0].private
    assert not any("tulip" in str(event.body) for event in whole.journal.events())


# --- skills -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "received"),
    [
        ((Click(target=AMOUNT), PressKey(keys=("Tab",))), ["click", "press_key"]),
        ((CallApi(app="notes", function="list_notes"),), ["call_api"]),
        ((AskInAppAgent(app="calendar", request="what do I have on 5 March?"),), ["ask_in_app_agent"]),
    ],
)
def test_mouse_keyboard_native_functions_and_in_app_agents(actions: tuple[Any, ...], received: list[str]) -> None:
    desk = desktop(world="name: claim\napps: {reimbursement: {}, notes: {}, calendar: {}}\nopen: [reimbursement]\n")
    whole, _ = run(*map(decide, actions), desk=desk, safety=OPEN_HOUSE)
    assert done(whole.desk) == received
    assert [step.exec_status for step in whole.journal.all_steps(9)] == ["executed"] * len(actions)
