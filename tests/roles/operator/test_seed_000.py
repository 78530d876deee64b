"""The test ideas and failure cases of seed 000, one named test each, on the real desktop and the real graph."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import support
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support import FINISH, alone, decide, done

from environments.simulated.desktop import SimulatedDesktop
from protocol import ActionTarget, Click, Fill, FinishGoal, GUIElement, OperatorDecision, Scroll, VisualState, Wait
from roles.contracts import OperatorView
from roles.contracts.context import Context
from roles.contracts.limits import Limits
from roles.contracts.policies import Granularity
from roles.operator.graph import CHOICES, EDGES, STAGES, build_operator
from roles.policies.scripted import ScriptedOperator
from roles.safety import SafetyPolicy

WORLD = "name: claim\napps: {reimbursement: {}, notes: {}}\nopen: [reimbursement]\n"
"""An empty form."""
AMOUNT = ActionTarget(text="Amount")
SUBMIT = ActionTarget(text="Submit")


desktop = partial(support.desktop, world=WORLD)


@pytest.fixture
def desk() -> SimulatedDesktop:
    return desktop()


FILL = decide(Fill(target=AMOUNT, text="$5.00"))


def script(*decisions: OperatorDecision) -> ScriptedOperator:
    return ScriptedOperator(decisions={"any": (*decisions, FINISH)})


def work(
    desk: SimulatedDesktop, policy: Any, *, given: dict[str, Any] | None = None, granularity: Granularity = "fine", **changes: Any
) -> dict[str, Any]:
    graph = build_operator(alone(desk, policy, **changes), granularity=granularity)
    start = {"task_goal": "enter the amount and submit the form", "initial_observation": desk.observe().model_dump(mode="json")}
    return graph.invoke(start | (given or {}), {"recursion_limit": 2000})


def claims(desk: SimulatedDesktop) -> Any:
    return desk.world()["apps"]["reimbursement"]["claims"]


def value_of(desk: SimulatedDesktop, label: str) -> str | None:
    return next(e.value for e in desk.observe().elements if e.text == label)


# --- the graph ------------------------------------------------------------------------------------------------------


def test_the_graph_has_the_twelve_nodes_and_the_edges_of_the_seed() -> None:
    drawn = build_operator(alone(desktop(), script())).get_graph()
    assert set(drawn.nodes) - {"__start__", "__end__"} == set(STAGES)
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    wanted = set(EDGES) | {(start, end) for start, ends in CHOICES.items() for end in ends}
    assert edges == wanted | {("__start__", "prepare_interaction_task"), ("finalize_interaction_report", "__end__")}


# --- test ideas -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", ["fine", "coarse"])
def test_the_happy_path_recognises_a_field_types_observes_the_update_and_completes(
    desk: SimulatedDesktop, granularity: Granularity
) -> None:
    out = work(desk, script(decide(Fill(target=AMOUNT, text="$248.90"))), granularity=granularity)
    report = out["interaction_report"]
    assert report["status"] == "completed"
    assert report["completed_actions"] == [{"step": 1, "type": "fill", "target": "Amount", "verified": True, "text": "$248.90"}]
    shown = {e.get("text"): e.get("value") for e in report["final_observation"]["elements"]}
    assert shown["Amount"] == value_of(desk, "Amount") == "$248.90"


def test_a_rejected_approval_prevents_execution_and_ends_blocked(desk: SimulatedDesktop) -> None:
    given = {"human_approval": {"type": "reject", "message": "not today"}}
    out = work(desk, script(decide(Fill(target=AMOUNT, text="$1.00")), decide(Click(target=SUBMIT))), given=given)
    assert out["interaction_status"] == "blocked"
    assert "not today" in out["interaction_report"]["summary"]
    assert done(desk) == ["fill"]


def test_one_given_approval_does_not_cover_a_second_action(desk: SimulatedDesktop) -> None:
    policy = script(
        decide(Fill(target=AMOUNT, text="$1.00")),
        decide(Click(target=SUBMIT)),
        decide(Click(target=ActionTarget(text="New claim"))),
        decide(Fill(target=AMOUNT, text="$2.00")),
        decide(Click(target=SUBMIT)),
    )
    out = work(desk, policy, given={"human_approval": {"type": "approve"}})
    assert out["interaction_status"] == "needs_approval"
    assert len(claims(desk)) == 1


def test_a_missing_element_is_recovered_once_a_new_observation_shows_it() -> None:
    hidden = "{rename: {app: reimbursement, label: Amount, to: Sum}}"
    shown = "{when: {at: 1}, rename: {app: reimbursement, label: Amount, to: Amount}}"
    desk = desktop(f"[{hidden}, {shown}]")
    out = work(desk, script(FILL, FILL))
    assert out["interaction_status"] == "completed"
    assert value_of(desk, "Amount") == "$5.00"
    assert out["interaction_report"]["failed_actions"][0]["error"].startswith("target not found")
    assert "wait" in done(desk)


def test_a_loading_event_is_waited_out_without_counting_as_a_step() -> None:
    desk = desktop("[{when: {clicked: Save draft}, loading: {app: reimbursement, seconds: 4}}]")
    policy = script(FILL, decide(Click(target=ActionTarget(text="Save draft"))))
    out = work(desk, policy)
    assert out["interaction_status"] == "completed"
    assert done(desk)[:2] == ["fill", "click"]
    assert set(done(desk)[2:]) == {"wait"}
    assert out["step_count"] == 2
    assert any(event["kind"] == "loading" for event in out["interaction_report"]["environment_events"])


def test_max_steps_stops_an_unfinished_task_and_keeps_the_trace(desk: SimulatedDesktop) -> None:
    policy = script(*(decide(Fill(target=AMOUNT, text=f"${n}.00")) for n in range(9)))
    out = work(desk, policy, given={"max_steps": 3})
    assert (out["interaction_status"], len(out["action_trace"])) == ("failed", 3)
    assert any("max_steps" in error for error in out["interaction_report"]["errors"])


def test_recognition_and_planning_can_be_given_by_deterministic_fakes() -> None:
    class OnlyAmount:
        def recognize(self, state: VisualState) -> tuple[GUIElement, ...]:
            return tuple(e for e in state.elements if e.text == "Amount")

    seen: list[tuple[str, ...]] = []

    class Watching:
        def decide(self, view: OperatorView) -> OperatorDecision:
            seen.append(tuple(e.name for e in view.seen.elements))
            return FINISH

    out = work(desktop(), Watching(), recognizer=OnlyAmount())
    assert seen == [("Amount",)]
    assert [e["text"] for e in out["recognized_elements"]] == ["Amount"]


def test_the_environment_receives_only_approved_actions(desk: SimulatedDesktop) -> None:
    allowed = [decide(Fill(target=AMOUNT, text="$1.00")), decide(Fill(target=ActionTarget(text="Vendor"), text="Acme"))]
    out = work(desk, script(*allowed, decide(Click(target=SUBMIT)), decide(Fill(target=AMOUNT, text="$9.00"))))
    keys = {entry["key"] for entry in out["action_trace"] if "key" in entry}
    assert {item["key"] for item in desk.received()} == keys
    assert "click" not in done(desk)


def test_private_fields_are_redacted_in_the_report_when_constraints_say_so(desk: SimulatedDesktop) -> None:
    policy = script(decide(Fill(target=ActionTarget(text="Vendor"), text="Clinic Dr. Gray")))
    out = work(desk, policy, given={"constraints": {"private": ["vendor"]}})
    assert value_of(desk, "Vendor") == "Clinic Dr. Gray"
    assert "Clinic" not in str(out["interaction_report"])


# --- failure cases --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["task_goal", "initial_observation"])
def test_missing_input_fails_with_a_validation_error_and_no_action(desk: SimulatedDesktop, missing: str) -> None:
    out = work(desk, script(decide(Fill(target=AMOUNT, text="1"))), given={missing: "" if missing == "task_goal" else {}})
    assert out["interaction_status"] == "failed"
    assert any(missing in error for error in out["interaction_report"]["errors"])
    assert desk.received() == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"safety_policy": "ask"}, "safety_policy: Input should be a valid dictionary"),
        ({"safety_policy": {"rules": [{"name": "a", "verdict": "deny", "if": "((("}]}}, "cannot be evaluated"),
        ({"safety_policy": {"network": 5}}, "safety_policy.network"),
        ({"constraints": {"forbiden_actions": ["submit"]}}, "did you mean 'forbidden_actions'?"),
        ({"constraints": ["submit"]}, "constraints: Input should be"),
        ({"environment_type": "phone"}, "there is no 'phone'; it is one of desktop, browser, mobile"),
        ({"max_steps": 0}, "max_steps: 0 is not a whole number of at least 1"),
        ({"max_steps": "5"}, "max_steps: '5' is not a whole number"),
        ({"max_recovery_attempts": -1}, "max_recovery_attempts: -1"),
    ],
)
def test_unusable_input_ends_as_failed_with_one_sentence_and_no_action(given: dict[str, Any], said: str) -> None:
    desk = desktop()
    out = work(desk, script(decide(Fill(target=AMOUNT, text="$1.00"))), given=given)
    assert (out["interaction_status"], out["interaction_report"]["status"]) == ("failed", "failed")
    (error,) = out["errors"]
    assert said in error
    assert not desk.received()


@pytest.mark.parametrize("condition", ["facts.total.value == '1'", "value.matches('[')", "int(value) > 5"])
def test_a_rule_that_cannot_be_evaluated_while_it_works_denies_and_says_so(desk: SimulatedDesktop, condition: str) -> None:
    given = {"safety_policy": {"rules": [{"name": "broken", "verdict": "deny", "if": condition}]}}
    out = work(desk, script(decide(Fill(target=AMOUNT, text="$1.00"))), given=given)
    assert out["interaction_status"] == "blocked"
    assert "its condition cannot be evaluated" in out["interaction_report"]["summary"]
    assert not desk.received()


def test_output_that_is_not_as_required_is_not_completed() -> None:
    given = {"constraints": {"output_requirements": ["'total' in facts"]}}
    out = work(desktop(), script(decide(Fill(target=AMOUNT, text="$1.00"))), given=given)
    assert (out["interaction_status"], out["interaction_report"]["status"]) == ("failed", "failed")
    assert "the output has to fulfil 'total' in facts" in out["interaction_report"]["summary"]


@pytest.mark.parametrize("confidence", [None, 0.2])
def test_a_recognition_that_is_empty_or_unsure_looks_once_more_and_then_fails(confidence: float | None) -> None:
    class Blind:
        def recognize(self, state: VisualState) -> tuple[GUIElement, ...]:
            return tuple(e.model_copy(update={"confidence": confidence}) for e in state.elements if confidence)

    desk = desktop()
    out = work(desk, script(decide(Fill(target=AMOUNT, text="1"))), recognizer=Blind())
    assert out["interaction_status"] == "failed"
    assert done(desk) == ["screenshot"]


def test_a_target_that_never_appears_is_recovered_from_boundedly(desk: SimulatedDesktop) -> None:
    policy = script(*(decide(Click(target=ActionTarget(text="No such thing"))) for _ in range(12)))
    out = work(desk, policy, given={"max_recovery_attempts": 2}, limits=Limits(retries=50))
    assert (out["interaction_status"], out["recovery_attempts"]) == ("failed", 2)
    assert any("max_recovery_attempts" in error for error in out["interaction_report"]["errors"])
    assert len(out["action_trace"]) >= 3


def test_a_harmless_pop_up_is_classified_and_dismissed() -> None:
    popup = "{title: Tip of the day, text: You can drag files, buttons: [Got it, Close]}"
    desk = desktop(f"[{{when: {{after_actions: 1}}, popup: {popup}}}]")
    policy = script(FILL, decide(Fill(target=ActionTarget(text="Vendor"), text="Acme")))
    out = work(desk, policy)
    assert out["interaction_status"] == "completed"
    assert desk.world()["dialogs"] == []
    assert value_of(desk, "Vendor") == "Acme"
    assert any(event["kind"] == "popup" for event in out["interaction_report"]["environment_events"])


def test_validation_errors_become_events_and_the_planner_gets_another_try(desk: SimulatedDesktop) -> None:
    policy = script(decide(Fill(target=AMOUNT, text="lots")), decide(Click(target=SUBMIT)), FILL)
    out = work(desk, policy, safety=SafetyPolicy(rules=(), otherwise="allow"))
    kinds = {event["kind"] for event in out["interaction_report"]["environment_events"]}
    assert "validation" in kinds
    assert out["interaction_status"] == "completed"
    assert value_of(desk, "Amount") == "$5.00"
    assert claims(desk) == {}


def test_a_disallowed_action_is_blocked_before_execution_and_recorded(desk: SimulatedDesktop) -> None:
    given = {"constraints": {"forbidden_actions": ["submit"]}, "human_approval": {"type": "approve"}}
    out = work(desk, script(FILL, decide(Click(target=SUBMIT))), given=given)
    assert out["interaction_status"] == "blocked"
    assert [f["verdict"] for f in out["interaction_report"]["safety_findings"]] == ["deny"]
    assert done(desk) == ["fill"]


def test_an_adapter_exception_becomes_a_structured_error_and_loses_no_history() -> None:
    desk = desktop("[{when: {after_actions: 1}, crash: {message: the session was lost, times: 99}}]")
    policy = script(*(decide(Fill(target=AMOUNT, text=f"${n}.00")) for n in range(1, 9)))
    out = work(desk, policy)
    report = out["interaction_report"]
    assert report["status"] == "failed"
    assert any("adapter: EnvironmentFault: the session was lost" in error for error in report["errors"])
    assert report["completed_actions"][0]["text"] == "$1.00"
    assert len(report["observations"]) >= 2


def test_an_adapter_that_cannot_even_be_observed_ends_in_a_report(desk: SimulatedDesktop) -> None:

    class ClosesItself:
        def decide(self, view: OperatorView) -> OperatorDecision:
            desk.close()
            return FILL

    out = work(desk, ClosesItself())
    assert out["interaction_status"] == "failed"
    assert any("could not be observed" in error for error in out["interaction_report"]["errors"])


def test_a_decision_without_a_usable_status_is_asked_for_again_and_never_finishes() -> None:
    class Mute:
        asked = 0

        def decide(self, view: OperatorView) -> OperatorDecision:
            self.asked += 1
            return OperatorDecision.model_validate({"status": "done!"})

    policy = Mute()
    out = work(desktop(), policy, limits=Limits(reasks=2))
    assert out["interaction_status"] == "failed"
    assert policy.asked == 3


@pytest.mark.parametrize("doubt", [{"confidence": 0.3}, {"status": "CONFIRM"}], ids=str)
def test_what_the_policy_itself_is_not_sure_of_needs_approval(desk: SimulatedDesktop, doubt: dict[str, Any]) -> None:
    out = work(desk, script(decide(Fill(target=AMOUNT, text="$5.00"), **doubt)))
    assert out["interaction_status"] == "needs_approval"
    assert desk.received() == []


# --- approval as an interrupt ---------------------------------------------------------------------------------------


def _paused(desk: SimulatedDesktop, *decisions: OperatorDecision) -> tuple[Callable[..., dict[str, Any]], Any, Context]:
    """How to answer what is asked, what is asked, and the context."""
    given = alone(desk, script(*decisions))
    graph = build_operator(given, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 500}
    out = graph.invoke({"task_goal": "go", "initial_observation": desk.observe().model_dump(mode="json")}, config)
    asked = out["__interrupt__"][0]
    return lambda **said: graph.invoke(Command(resume={asked.id: {"decisions": [said]}}), config), asked.value, given


def _answered(desk: SimulatedDesktop, *more: OperatorDecision, **said: Any) -> dict[str, Any]:
    """What comes of an answer to whether the form is to be submitted."""
    answer, _, _ = _paused(desk, FILL, decide(Click(target=SUBMIT)), *more)
    return answer(**said)


def test_the_interrupt_carries_the_ecosystems_payload() -> None:
    _, asked, _ = _paused(desktop(), FILL, decide(Click(target=SUBMIT)))
    assert asked["action_requests"] == [
        {"name": "click", "args": {"target": {"text": "Submit"}}, "description": 'click "Submit"'}
    ]
    assert asked["review_configs"] == [{"action_name": "click", "allowed_decisions": ["approve", "edit", "reject", "respond"]}]
    assert asked["default"] == "reject"


def test_an_edited_action_is_done_instead_of_the_proposed_one(desk: SimulatedDesktop) -> None:
    out = _answered(desk, type="edit", edited_action={"name": "click", "args": {"target": {"text": "Save draft"}}})
    assert out["interaction_status"] == "completed"
    assert desk.received()[-1]["action"]["target"] == {"text": "Save draft"}
    assert claims(desk) == {}


def test_constraints_that_come_with_an_approval_hold_from_then_on(desk: SimulatedDesktop) -> None:
    again = (decide(Click(target=ActionTarget(text="New claim"))), decide(Fill(target=AMOUNT, text="$2.00")))
    out = _answered(desk, *again, type="approve", constraints={"forbidden_actions": ["fill"]})
    assert out["constraints"] == {"forbidden_actions": ["fill"]}
    assert out["interaction_status"] == "blocked"
    assert '"fill" with' not in out["interaction_report"]["summary"]
    assert "fill is forbidden" in out["interaction_report"]["summary"]
    assert done(desk) == ["fill", "click", "click"], "the approved action was done, and nothing that was forbidden with it"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"type": "approve", "constraints": {"allowed_apps": ["notes"]}}, "what was added forbids it"),
        ({"type": "approve", "digest": "0" * 24}, ""),
        ({"type": "approve", "digest": FILL.action.digest}, ""),
        ({"type": "approve", "who": "user", "approved": True}, ""),
        ({"type": "respond", "message": "approve"}, "approve"),
        ({"type": "approved"}, ""),
        ({}, ""),
        ({"type": "edit"}, ""),
        ({"type": "edit", "edited_action": {"name": "eval"}}, ""),
    ],
)
def test_an_answer_that_is_no_approval_of_this_action_never_opens_the_gate(answer: dict[str, Any], said: str) -> None:
    desk = desktop()
    out = _answered(desk, **answer)
    assert out["interaction_status"] == "blocked"
    assert said in out["interaction_report"]["summary"]
    assert done(desk) == ["fill"]


def test_an_approved_control_that_has_changed_meanwhile_is_not_pressed(desk: SimulatedDesktop) -> None:
    answer, _, _ = _paused(desk, FILL, decide(Click(target=SUBMIT)))
    desk.perform(Click(target=ActionTarget(text="My claims")), key="somebody-else")
    answer(type="approve")
    assert claims(desk) == {}


def test_a_question_is_answered_with_words_that_become_a_fact() -> None:
    question = {"action_type": "ask_user", "question": "Which amount?", "name": "amount"}
    answer, asked, given = _paused(desktop(), OperatorDecision.model_validate({"action": question, "status": "PENDING"}))
    assert asked["kind"] == "question"
    assert answer(type="respond", message="$7.50")["interaction_status"] == "completed"
    assert [(f.name, f.value, f.role) for f in given.journal.facts()] == [("amount", "$7.50", "user")]


def test_the_report_survives_scrolling_waiting_and_finishing_by_action(desk: SimulatedDesktop) -> None:
    out = work(desk, script(decide(Scroll.toward("down", 1, "page")), decide(Wait(seconds=1)), decide(FinishGoal())))
    assert out["interaction_status"] == "completed"
    assert [a["type"] for a in out["interaction_report"]["completed_actions"]] == ["scroll", "wait"]
