"""What is ready in a plan; what a person has pinned is tried again and added to, never changed, or the run says why it ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support import Run, decide, planned, subtask

from protocol import ActionTarget, AgentStatus, Fill, OperatorDecision
from roles.contracts import PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.manager.llm import read_plan
from roles.manager.plans import broken_pin, keep_pins, levels, next_ready

FILL = decide(Fill(target=ActionTarget(text="Amount"), text="$5.00"))
OTHER = decide(Fill(target=ActionTarget(text="Vendor"), text="Acme"))
GIVE_UP = OperatorDecision(status=AgentStatus.FAIL, comment="no way through")
DONE, FAILED = SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED


def pinned(name: str, *after: str, **more: object) -> Subtask:
    return subtask(name, *after, pinned=True, **more)


def again(of: Subtask, name: str, **changes: object) -> Subtask:
    """A retry as a policy writes one."""
    return of.model_copy(update={"id": name, "status": SubtaskStatus.READY, "attempt": 0, "pinned": False, **changes})


A, B = pinned("a"), pinned("b", "a")
FELL = A.model_copy(update={"status": FAILED})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ([A, B], [A, B], ""),
        ([A, B], [A, B, subtask("c")], ""),
        ([FELL, B], [FELL, again(A, "a2"), B.model_copy(update={"depends_on": ("a2",)})], ""),
        ([FELL, B], [FELL, again(A, "a2", hints=("use the keyboard",)), B.model_copy(update={"depends_on": ("a2",)})], ""),
        ([A.model_copy(update={"status": DONE}), B], [A.model_copy(update={"status": DONE}), B], ""),
        ([A, B], [A], "'b' (do b) would not be worked"),
        ([FELL, B], [FELL, subtask("x"), B.model_copy(update={"depends_on": ("x",)})], "'a' (do a) would not be worked"),
        ([A, B], [A, B.model_copy(update={"instruction": "do it otherwise"})], "'b' (do b) would be changed"),
        ([A, B], [A.model_copy(update={"app": "notes"}), B], "'a' (do a) would be changed"),
        ([A, B], [subtask("first"), A.model_copy(update={"depends_on": ("first",)}), B],
         "'a' (do a) would wait for something else"),
        ([A, B], [A, B.model_copy(update={"depends_on": ()})], "'b' (do b) would wait for something else"),
        ([FELL], [FELL, subtask("x"), again(A, "a2", depends_on=("x",))], "'a' (do a) would wait for something else"),
        ([subtask("a"), B.model_copy(update={"depends_on": ()})], [B.model_copy(update={"depends_on": ()})], ""),
    ],
)  # fmt: skip
def test_what_breaks_a_pin_is_said_in_words(old: list[Subtask], new: list[Subtask], said: str) -> None:
    found = broken_pin(old, new)
    assert bool(found) == bool(said)
    assert said in found


def given_plan(plans: list[PlanAnswer], lines: dict[str, list[OperatorDecision]], *plan: Subtask, **parts: object) -> Run:
    run = Run(plans, lines, parts=dict(parts))
    version = run.journal.save_plan(plan)
    run.result = run.graph.invoke({"goal": "do it", "plan_version": version}, run.config, context=run.context, durability="sync")
    return run


RETRY = planned(again(A, "a2"), B.model_copy(update={"depends_on": ("a2",)}), subtask("c", "b"))
ANOTHER = planned(subtask("x"))


@pytest.mark.parametrize(
    ("plan", "plans", "lines", "done"),
    [
        ((A, B), [RETRY], {"a": [GIVE_UP], "a2": [FILL], "b": [OTHER], "c": []}, ["$5.00", "Acme"]),
        ((subtask("a"),), [ANOTHER], {"a": [GIVE_UP], "x": [FILL]}, ["$5.00"]),  # it is not pinned
        ((A,), [ANOTHER], {"a": [GIVE_UP], "x": [FILL]}, None),
        ((A,), [PlanAnswer(outcome="nothing_left")], {"a": [GIVE_UP]}, None),
        (
            (A,),
            [planned(again(A, "a2")), planned(again(A, "a3", instruction="something else"))],
            {"a": [GIVE_UP], "a2": [GIVE_UP], "a3": [FILL]},
            None,
        ),
    ],
)
def test_what_is_pinned_is_tried_again_or_the_run_ends_and_says_why(
    plan: tuple[Subtask, ...], plans: list[PlanAnswer], lines: dict[str, list[OperatorDecision]], done: list[str] | None
) -> None:
    run = given_plan(plans, lines, *plan)
    assert [item["action"]["text"] for item in run.desk.received()] == (done or [])
    assert run.status == ("rejected" if done is None else "fulfilled")
    if done is None:
        assert run.result["ended_by"] == "infeasible"
        assert "the plan is pinned and cannot be kept: the pinned subtask 'a" in run.result["reason"]
        assert "no way through" in run.result["reason"]


def test_with_review_the_person_is_asked_instead_and_may_give_up_the_pin() -> None:
    run = given_plan([planned(subtask("x"))], {"a": [GIVE_UP], "x": [FILL]}, A, review_plans=True)
    assert any("'a' (do a) would not be worked" in reason for reason in run.asked["reasons"])
    run.go({"type": "approve"})
    assert run.status == "fulfilled"


def test_a_model_may_word_a_pinned_subtask_otherwise_or_leave_it_out_and_it_stays_as_it_was() -> None:
    request = PlanRequest(goal="g", plan=(FELL, B), failed="a", trigger="cannot_execute", attempts=2)
    told = {"outcome": "planned", "subtasks": [{"id": "a", "instruction": "do a, but well"}, {"id": "b", "instruction": "hm"}]}
    answer = read_plan(told, request, ("operator",))
    assert [(s.id, s.instruction, s.pinned, s.depends_on) for s in answer.subtasks] == [
        ("a-2", "do a", True, ()),
        ("b", "do b", True, ("a-2",)),
    ]
    assert not broken_pin(request.plan, (FELL, *answer.subtasks))
    assert [s.pinned for s in keep_pins(request.plan, (FELL, *answer.subtasks))] == [False, True, True], "what fell needs none"
    left_out = {"outcome": "planned", "subtasks": [{"id": "a", "instruction": "again"}]}
    assert [s.id for s in read_plan(left_out, request, ("operator",)).subtasks] == ["a-2", "b"]


@pytest.mark.parametrize("name", ["", "a b", "ä", "a/b", "a\n"])
def test_an_id_that_could_not_stand_in_a_key_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        subtask(name)


def test_a_subtask_is_ready_when_all_it_waits_for_is_fulfilled_and_one_that_was_begun_comes_first() -> None:
    done, open_, failed = SubtaskStatus.FULFILLED, SubtaskStatus.READY, SubtaskStatus.REJECTED
    a = subtask("a", status=done)
    for plan, ready in (
        ([a, subtask("b", "a", "c", status=open_), subtask("c", "a", status=open_)], "c"),
        ([subtask("a", status=SubtaskStatus.PENDING), subtask("b")], "a"),
        ([subtask("a", status=failed), subtask("b", "a")], ""),
        ([a], ""),
    ):
        found = next_ready(plan)
        assert (found.id if found else "") == ready


edges = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


@given(edges)
def test_subtasks_of_a_level_are_independent_and_wait_for_earlier_levels_only(pairs: list[tuple[int, int]]) -> None:
    waits = {f"s{n}": sorted({f"s{b}" for a, b in pairs if a == n and b < n}) for n in range(7)}
    found = levels(waits)
    place = {name: number for number, level in enumerate(found) for name in level}
    assert sorted(place) == sorted(waits)
    for name, others in waits.items():
        assert place[name] == max((place[other] + 1 for other in others), default=0)
