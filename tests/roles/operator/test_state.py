"""The fields of seed 000's state, each by what it holds while the real graph works and when it has ended."""

from typing import Any, get_type_hints

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support import Watching, alone, decide, desktop, done

from environments.simulated.desktop import SimulatedDesktop
from protocol import ActionTarget, Click, Fill, Memorize, OperatorDecision, VisualState
from roles.contracts.limits import Limits
from roles.operator.graph import build_operator
from roles.operator.perceive import OperatorState, told_by_screen

AMOUNT, SUBMIT = ActionTarget(text="Amount"), ActionTarget(text="Submit")
FILL = decide(Fill(target=AMOUNT, text="$5.00"), plan=["hand it in"])
PRESS = decide(Click(target=SUBMIT))
FIELDS = {
    "input", "task_goal", "environment_type", "constraints", "safety_policy", "initial_observation", "current_observation",
    "observations", "recognized_elements", "element_interpretations", "task_context", "action_plan", "pending_action",
    "action_result", "action_trace", "environment_events", "safety_findings", "needs_approval", "human_approval",
    "step_count", "max_steps", "recovery_attempts", "max_recovery_attempts", "interaction_status", "errors",
    "interaction_report",
}  # fmt: skip


def given(desk: SimulatedDesktop, policy: Watching, more: dict[str, Any], **kept: Any) -> tuple[Any, dict[str, Any]]:
    first = desk.observe().model_dump(mode="json")
    return build_operator(alone(desk, policy), **kept), {"task_goal": "hand the claim in", "initial_observation": first} | more


def steps(desk: SimulatedDesktop, *decisions: OperatorDecision, **more: Any) -> list[tuple[str, dict[str, Any]]]:
    """What each node wrote, in order."""
    graph, start = given(desk, Watching(*decisions), more)
    config: Any = {"recursion_limit": 500}
    return [(name, wrote or {}) for chunk in graph.stream(start, config, stream_mode="updates") for name, wrote in chunk.items()]


def wrote(told: list[tuple[str, dict[str, Any]]], node: str, field: str) -> list[Any]:
    return [update[field] for name, update in told if name == node and field in update]


def work(desk: SimulatedDesktop, *decisions: OperatorDecision, **more: Any) -> tuple[dict[str, Any], Watching]:
    policy = Watching(*decisions)
    graph, start = given(desk, policy, more)
    return graph.invoke(start, {"recursion_limit": 500}), policy


def test_every_field_of_the_seed_is_in_the_state_counters_and_lists_begin_empty_and_limits_have_their_defaults() -> None:
    assert set(get_type_hints(OperatorState)) >= FIELDS
    ((name, begun), *_) = steps(desktop(), FILL)
    assert name == "prepare_interaction_task"
    assert [begun[field] for field in ("step_count", "recovery_attempts")] == [0, 0]
    lists = ("observations", "action_plan", "action_trace", "environment_events", "safety_findings", "errors")
    assert all(begun[field] == [] for field in lists)
    limits = Limits()
    assert (begun["max_steps"], begun["max_recovery_attempts"]) == (limits.max_steps, limits.max_recovery_attempts)
    ((_, begun), *_) = steps(desktop(), FILL, max_steps=3, max_recovery_attempts=1)
    assert (begun["max_steps"], begun["max_recovery_attempts"]) == (3, 1)


def test_the_users_words_are_the_goal_where_no_other_is_given() -> None:
    out, policy = work(desktop(), FILL, task_goal="", input="enter five dollars")
    assert out["interaction_status"] == "completed"
    assert policy.views[0].subtask.instruction == "enter five dollars"
    assert out["input"] == "enter five dollars"


def test_a_policy_that_is_given_takes_the_place_of_the_crews() -> None:
    desk = desktop()
    out, _ = work(desk, PRESS, safety_policy={"rules": [{"name": "all", "verdict": "allow"}]})
    assert out["interaction_status"] == "completed"
    assert len(desk.world()["apps"]["reimbursement"]["claims"]) == 1
    out, _ = work(desktop(), FILL, safety_policy={"rules": [{"name": "none", "verdict": "deny"}]})
    assert (out["interaction_status"], out["safety_findings"][0]["policy"]) == ("blocked", "none")


def test_dialogs_warnings_and_controls_that_are_disabled_are_recognised_too() -> None:
    popup = "{when: {clicked: Submit}, popup: {title: Heads up, text: Read this., buttons: [Got it]}}"
    desk = desktop(f"[{popup}]")
    told = steps(desk, decide(Fill(target=AMOUNT, text="lots")), PRESS, safety_policy={"otherwise": "allow", "rules": []})
    found = [element for screen in wrote(told, "recognize_elements", "recognized_elements") for element in screen]
    assert {"dialog", "alert", "heading", "textbox", "button", "combobox", "checkbox"} <= {element["role"] for element in found}
    assert all(0.0 <= element["confidence"] <= 1.0 for element in found)
    assert any(element.get("invalid") for element in found)
    sheet = desktop(world="name: n\napps: {files: {}}\nopen: [files]\n")
    disabled = {e.text for e in sheet.observe().elements if not e.enabled}
    _, policy = work(sheet, initial_observation=sheet.observe().model_dump(mode="json"))
    assert disabled
    assert {e.text for e in policy.views[0].seen.elements if not e.enabled} == disabled


def test_an_action_is_pending_from_its_planning_to_its_end() -> None:
    told = steps(desktop(), FILL)
    (planned, *_) = wrote(told, "plan_next_action", "pending_action")
    assert (planned["action"]["action_type"], planned["step"], planned["reason"]) == ("fill", 1, "as written")
    (result, *_) = wrote(told, "execute_action", "action_result")
    assert (result["exec_status"], result["resolved"]["tier"]) == ("executed", "text")
    assert wrote(told, "decide_next_step", "pending_action")[0] is None
    acted_on, then = wrote(told, "observe_environment", "current_observation")[:2]
    (feedback,) = wrote(told, "observe_feedback", "feedback_observation")
    assert acted_on["state_id"] != feedback["state_id"] == then["state_id"]
    assert wrote(steps(desktop(), FILL, PRESS), "review_action_safety", "needs_approval") == [False, True]


def test_the_trace_tells_what_was_done_what_failed_and_what_was_approved() -> None:
    lost = decide(Click(target=ActionTarget(text="No such thing")))
    out, _ = work(desktop(), FILL, lost, PRESS, human_approval={"type": "approve"})
    told = [(note["line"], note["status"], note.get("approved", False)) for note in out["action_trace"]]
    assert told[:2] == [('fill "Amount" with "$5.00"', "executed", False), ('click "No such thing"', "error", False)]
    assert told[-1] == ('click "Submit"', "executed", True)
    out, _ = work(desktop(), PRESS, human_approval={"type": "reject"})
    assert [(note["line"], note["status"]) for note in out["action_trace"]] == [('click "Submit"', "rejected")]
    out, _ = work(desktop(), PRESS, constraints={"forbidden_actions": ["submit"]})
    assert [(note["line"], note["status"]) for note in out["action_trace"]] == [('click "Submit"', "blocked")]


def test_what_a_person_said_stands_in_the_state_until_it_is_used() -> None:
    policy = Watching(PRESS)
    graph, start = given(desktop(), policy, {}, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 500}
    asked = graph.invoke(start, config)["__interrupt__"][0]
    said = {"type": "approve", "message": "go on", "who": "ada"}
    out = graph.invoke(Command(resume={asked.id: {"decisions": [said]}}), config)
    assert out["interaction_status"] == "completed"
    assert {key: out["human_approval"][key] for key in said} == said


PARTS = {
    "status", "summary", "completed_actions", "failed_actions", "blocked_actions", "pending_action", "pending_approval",
    "observations", "final_observation", "environment_events", "safety_findings", "recovery_attempts", "errors", "trace",
}  # fmt: skip


def test_the_status_goes_from_running_to_how_it_ended() -> None:
    assert wrote(steps(desktop(), FILL), "prepare_interaction_task", "interaction_status") == ["running"]
    ends = {
        "completed": work(desktop(), FILL)[0],
        "needs_approval": work(desktop(), PRESS)[0],
        "blocked": work(desktop(), PRESS, human_approval={"type": "reject"})[0],
        "failed": work(desktop(), FILL, task_goal="")[0],
    }
    assert {name: out["interaction_status"] for name, out in ends.items()} == {name: name for name in ends}
    for name, out in ends.items():
        report = out["interaction_report"]
        assert set(report) >= PARTS
        assert (report["status"], report["trace"], report["step_count"]) == (name, out["action_trace"], out["step_count"])
        assert report["summary"]


def test_a_report_before_a_submission_has_the_shape_of_the_seeds_example() -> None:
    desk = desktop()
    out, _ = work(desk, FILL, PRESS)
    report = out["interaction_report"]
    assert (out["interaction_status"], report["status"], report["errors"]) == ("needs_approval", "needs_approval", [])
    assert done(desk) == ["fill"]
    (filled,) = report["completed_actions"]
    assert (filled["type"], filled["target"], filled["text"], filled["verified"]) == ("fill", "Amount", "$5.00", True)
    assert {name: report["pending_action"][name] for name in ("type", "target")} == {"type": "click", "target": "Submit"}
    assert "submit" in report["pending_action"]["reason"]
    (finding,) = report["safety_findings"]
    assert (finding["policy"], finding["severity"]) == ("approval_required_for_sensitive_actions", "medium")


def test_decisions_are_made_on_the_given_observation_first_and_observations_are_kept_in_order() -> None:
    desk = desktop()
    first = desk.observe()
    shown = first.model_copy(update={"elements": tuple(e for e in first.elements if e.text in {"Amount", "Submit"})})
    given_first = VisualState.model_validate(shown.model_dump()).model_dump(mode="json")
    out, policy = work(desk, FILL, decide(Memorize(name="total", value="$5.00")), initial_observation=given_first)
    assert {e.text for e in policy.views[0].seen.elements} == {"Amount", "Submit"}
    assert policy.views[1].seen.state_id == desk.observe().state_id == out["current_observation"]["state_id"]
    kept = out["observations"]
    assert [(ref["step"], ref["state_id"]) for ref in kept] == [(n, v.seen.state_id) for n, v in enumerate(policy.views, 1)]
    assert [ref["timestamp"] for ref in kept] == sorted(ref["timestamp"] for ref in kept)
    assert policy.views[2].context["values"] == out["task_context"]["values"] == {"total": "$5.00"}


def test_the_task_context_says_what_is_needed_to_act_and_the_policy_is_given_it() -> None:
    desk = desktop()
    policy = Watching(FILL)
    graph, start = given(desk, policy, {"task_goal": "enter the amount"})
    out = graph.invoke(start)
    first = policy.views[0]
    assert first.context["page"] == {"app": "reimbursement", "dialog": "", "loading": False}
    assert "Amount" in {field["text"] for field in first.context["fields"]}
    assert first.context["assumptions"] == []
    assumed = told_by_screen({"recognized_elements": [], "task_goal": "enter the amount"}, desk.observe(), ())["assumptions"]
    assert "were not recognised, or not surely, do not matter" in assumed[0]
    assert {"textbox Amount"} <= {meaning["meaning"] for meaning in first.meanings}
    assert len(first.meanings) < len(desk.observe().elements), "only what has to do with the task"
    amount = next(m for m in first.meanings if m["meaning"] == "textbox Amount")
    assert (amount["affordances"], amount["confidence"]) == (["fill", "type"], 1.0)
    after = {field["text"]: field.get("value") for field in out["task_context"]["fields"]}
    assert after["Amount"] == "$5.00"


def test_the_plan_says_of_each_action_its_target_value_reason_expected_effect_and_risk() -> None:
    first = decide(Fill(target=AMOUNT, text="$5.00"), reasoning="it is asked for", expected="$5.00", plan=["hand it in"])
    told = steps(desktop(), first, PRESS)
    (planned, *_), (reviewed, *_) = (wrote(told, node, "action_plan") for node in ("plan_next_action", "review_action_safety"))
    entry = {"type": "fill", "target": "Amount", "value": "$5.00", "rationale": "it is asked for", "expected": "$5.00"}
    assert planned == [entry | {"risk": None}, {"title": "hand it in"}]
    assert reviewed == [entry | {"risk": "low"}, {"title": "hand it in"}]
    assert wrote(told, "review_action_safety", "action_plan")[1][0]["risk"] == "medium"
    assert told[-1][1]["interaction_report"]["action_plan"][0]["target"] == "Submit"
