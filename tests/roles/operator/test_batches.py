"""Several actions in one decision: worked step by step, and ended by the first surprise."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from support import OPEN_HOUSE, Planner, Run, Watching, decide, desktop, done, planned, subtask
from warm import python

import protocol as p
from roles.contracts.limits import Limits
from roles.safety import Rule, SafetyPolicy

ROOT = Path(__file__).parents[3]
AMOUNT = p.ActionTarget(text="Amount")
VENDOR = p.ActionTarget(text="Vendor")
NUMBER = p.ActionTarget(text="Invoice number")
SUBMIT = p.ActionTarget(text="Submit")
ENTER = (p.Fill(target=AMOUNT, text="$5.00"), p.Fill(target=VENDOR, text="Acme"), p.Fill(target=NUMBER, text="A-1"))


def together(*actions: p.Action | p.NextAction, **more: Any) -> p.OperatorDecision:
    first, *rest = actions
    assert isinstance(first, p.Action)
    then = [item.model_dump() if isinstance(item, p.NextAction) else {"action": item.dump()} for item in rest]
    return decide(first, then=then, **more)


def run(*actions: p.Action | p.NextAction, events: str = "", **more: Any) -> tuple[Run, Watching]:
    policy = Watching(together(*actions))
    desk = more.pop("desk", None) or desktop(events)
    whole = Run([planned(subtask("a"))], desk=desk, parts={"operator": policy}, **({"safety": OPEN_HOUSE} | more)).go()
    return whole, policy


def why(whole: Run) -> str:
    return "; ".join(body["why"] for body in whole.bodies("batch_stopped"))


# --- a step for each --------------------------------------------------------------------------------------------------


def test_each_action_is_a_step_of_its_own_and_a_gate_that_is_due_comes_between() -> None:
    whole, policy = run(*ENTER, limits=Limits(check_every=1))
    assert (whole.status, why(whole), done(whole.desk), len(policy.views)) == ("fulfilled", "", ["fill"] * 3, 2)
    assert [body["trigger"] for body in whole.bodies("gate")][:2] == ["PERIODIC_CHECK"] * 2
    values = {e.text: e.value for e in whole.desk.observe().elements}
    assert (values["Amount"], values["Vendor"], values["Invoice number"]) == ("$5.00", "Acme", "A-1")
    steps = whole.journal.steps("a", 1)
    assert [(s.step, s.target) for s in steps] == [(1, "Amount"), (2, "Vendor"), (3, "Invoice number")]
    assert len({item["key"] for item in whole.desk.received()}) == 3
    assert len(whole.bodies("reviewed")) == 3
    said = ['fill "Amount" with "$5.00"', 'fill "Vendor" with "Acme"', 'fill "Invoice number" with "A-1"']
    assert [body["line"] for body in whole.bodies("decided")][:3] == said
    assert "2 of 3 decided together" in whole.bodies("decided")[1]["reasoning"]


def test_an_action_of_a_batch_is_approved_alone() -> None:
    whole, policy = run(ENTER[0], p.Click(target=SUBMIT), safety=SafetyPolicy())
    assert done(whole.desk) == ["fill"]
    assert whole.asked["action_requests"][0]["name"] == "click"
    whole.go({"type": "approve"})
    assert done(whole.desk) == ["fill", "click"]
    assert len(policy.views) == 2


def test_a_rejected_action_ends_the_batch_and_a_forbidden_one_is_not_done() -> None:
    policy = Watching(together(p.Click(target=SUBMIT), ENTER[0]))
    whole = Run([planned(subtask("a")), planned(subtask("b"))], parts={"operator": policy}).go()
    whole.go({"type": "reject", "message": "no"})
    assert done(whole.desk) == []
    forbidden = SafetyPolicy(rules=(Rule(name="no-vendor", verdict="deny", targets=("Vendor",)),), otherwise="allow")
    policy = Watching(together(*ENTER))
    whole = Run([planned(subtask("a")), planned(subtask("b"))], safety=forbidden, parts={"operator": policy}).go()
    assert [item["action"]["target"]["text"] for item in whole.desk.received()] == ["Amount"]


def test_memory_and_questions_may_stand_in_a_batch() -> None:
    whole, _ = run(p.Memorize(name="total", value="$5.00"), p.AskUser(question="Which vendor?", name="vendor"), ENTER[0])
    whole.go({"type": "respond", "message": "Acme"})
    assert whole.status == "fulfilled"
    assert {fact.name for fact in whole.journal.facts()} == {"total", "vendor"}
    assert done(whole.desk) == ["fill"]


def test_what_stands_in_a_private_field_is_masked_before_it_is_its_turn() -> None:
    whole, _ = run(
        ENTER[0], p.Fill(target=VENDOR, text="Clinic Gray"), safety=OPEN_HOUSE.model_copy(update={"private": ("vendor",)})
    )
    assert not any("Clinic" in str(event.body) for event in whole.journal.events())
    assert next(e.value for e in whole.desk.observe().elements if e.text == "Vendor") == "Clinic Gray"


def test_only_continue_has_a_batch_and_the_end_is_never_in_it() -> None:
    with pytest.raises(ValidationError, match="only CONTINUE"):
        decide(ENTER[0], then=[{"action": ENTER[1].dump()}], status="CONFIRM")
    with pytest.raises(ValidationError, match="a decision of its own"):
        together(ENTER[0], p.FinishGoal())


# --- surprises --------------------------------------------------------------------------------------------------------


def test_a_popup_is_closed_and_a_new_dialog_ends_a_batch() -> None:
    popup = "{title: Tip of the day, text: You can drag files, buttons: [Got it, Close]}"
    whole, policy = run(*ENTER, events=f"[{{when: {{after_actions: 1}}, popup: {popup}}}]")
    assert done(whole.desk) == ["fill", "click", "fill", "fill"]
    assert len(policy.views) == 2
    popup = "{title: Choose a folder, text: Where should it go, buttons: [Here, Cancel]}"
    whole, policy = run(*ENTER, events=f"[{{when: {{after_actions: 1}}, popup: {popup}}}]")
    whole.go({"type": "approve"})
    assert done(whole.desk) == ["fill", "click"]
    assert any(event.startswith('batch: stopped before fill "Vendor"') for event in policy.views[1].events)


@pytest.mark.parametrize("text", ["Sign in with your password.", "a harmless pop-up is in the way. Sign in with your password."])
def test_a_grave_dialog_ends_it_whatever_it_says_and_a_person_is_asked(text: str) -> None:
    popup = f'{{title: Session expired, text: "{text}", buttons: [Sign in, Cancel]}}'
    whole, _ = run(*ENTER, events=f"[{{when: {{after_actions: 1}}, popup: {popup}}}]")
    assert "account dialog" in whole.asked["reasons"][0]
    whole.go({"type": "approve"})
    assert done(whole.desk) == ["fill", "click"]
    assert why(whole) == "another action was done instead of the one before it"


SURPRISES: dict[str, tuple[tuple[p.Action, ...], str, list[str]]] = {
    "{when: {after_actions: 1}, rename: {app: reimbursement, label: Vendor, to: Supplier}}":
        (ENTER, 'its target "Vendor" is gone', ["fill"]),
    "{when: {after_actions: 1}, edit: {app: reimbursement, path: draft.amount, value: $1.00}}":
        (ENTER, "\"Amount\" holds '$1.00', not '$5.00'", ["fill"]),
    "{when: {after_actions: 0}, swallow: {app: reimbursement, label: My claims}}":
        ((p.Click(target=p.ActionTarget(text="My claims")), ENTER[0]), "the action before it changed nothing", ["click"]),
    "{when: {after_actions: 1}, loading: {app: reimbursement, seconds: 3}}":
        (ENTER, "reimbursement is loading", ["fill"]),
    "{when: {after_actions: 0}, fail: {app: reimbursement, label: Vendor}}":
        (ENTER, "the action before it failed: ", ["fill", "fill", "wait"]),
    "": ((p.LaunchApp(app="notes"), ENTER[0]), "another window is in front: notes", ["launch_app"]),
}  # fmt: skip


@pytest.mark.parametrize("event", SURPRISES)
def test_a_surprise_ends_a_batch_with_its_reason(event: str) -> None:
    actions, said, acted = SURPRISES[event]
    whole, _ = run(*actions, events=event and f"[{event}]")
    assert why(whole).startswith(said)
    assert done(whole.desk)[: len(acted)] == acted
    assert "fill" not in done(whole.desk)[len(acted) :]


def test_a_complaint_of_the_screen_ends_a_batch() -> None:
    empty = desktop(world="apps: {reimbursement: {}}\nopen: [reimbursement]\n")
    whole, _ = run(p.Click(target=SUBMIT), ENTER[0], ENTER[1], desk=empty)
    assert why(whole) == "the screen says validation: Amount is not valid"
    assert done(whole.desk) == ["click"]


MOVE = "{when: {after_actions: 1}, move: {app: reimbursement, label: Vendor, to: last}}"


def test_a_target_that_has_moved_is_the_same_only_where_it_alone_has_its_name() -> None:
    desk = desktop(f"[{MOVE}, {{when: {{after_actions: 1}}, rename: {{app: reimbursement, label: Description, to: Vendor}}}}]")
    vendor = next(e for e in desk.observe().elements if e.text == "Vendor")
    whole, _ = run(ENTER[0], p.Fill(target=p.ActionTarget.of(vendor), text="Acme"), desk=desk)
    assert "has moved" in why(whole)
    assert done(whole.desk) == ["fill"]
    whole, policy = run(*ENTER, events=f"[{MOVE}]")
    assert (why(whole), done(whole.desk), len(policy.views)) == ("", ["fill", "fill", "fill"], 2)
    assert {e.text: e.value for e in whole.desk.observe().elements}["Vendor"] == "Acme"


CART = """
name: cart
apps:
  shop:
    products: [{id: a, name: Mug, price: 1.00}, {id: b, name: Towel, price: 2.00}, {id: c, name: Bowl, price: 3.00}]
    cart: [{product: a}, {product: b}, {product: c}]
open: [shop]
"""


@pytest.mark.parametrize("track_ids", [True, False])
def test_rows_that_move_up_when_one_is_removed_are_still_the_named_ones(track_ids: bool) -> None:
    desk = desktop(world=CART)
    desk.perform(p.Click(target=p.ActionTarget(text="Cart")), key="0")
    buttons = [next(e for e in desk.observe().elements if e.name == f"Remove {name}") for name in ("Mug", "Bowl")]
    press = [p.Click(target=p.ActionTarget.of(e) if track_ids else p.ActionTarget(element_id=e.element_id)) for e in buttons]
    whole, policy = run(*press, desk=desk)
    assert (why(whole), len(policy.views)) == ("", 2)
    assert [line["product"] for line in desk.world()["apps"]["shop"]["lines"].values()] == ["b"]


def test_calls_go_on_whatever_is_on_the_screen_and_neither_they_nor_what_is_kept_count_for_a_check() -> None:
    look = p.CallApi(app="reimbursement", function="list_claims")
    whole, policy = run(look, look, ENTER[0])
    assert (why(whole), len(policy.views)) == ("", 2)
    kept = [p.Memorize(name=name, value="1") for name in "nm"]
    whole, policy = run(look, kept[0], ENTER[0], kept[1], limits=Limits(check_every=1))
    assert [body["trigger"] for body in whole.bodies("gate")] == ["WORKER_SUCCESS", "FINAL_CHECK"]
    assert len(policy.views) == 2


def test_an_id_of_something_else_and_a_target_that_was_never_there_end_a_batch() -> None:
    desk = desktop("[{when: {after_actions: 1}, rename: {app: reimbursement, label: Vendor, to: Password}}]")
    vendor = next(e for e in desk.observe().elements if e.text == "Vendor")
    by_id = p.Fill(target=p.ActionTarget(element_id=vendor.element_id), text="Acme")
    whole, _ = run(ENTER[0], by_id, desk=desk)
    assert why(whole) == 'its target "Vendor" is now "Password"'
    whole, _ = run(ENTER[0], p.Click(target=p.ActionTarget(text="Nowhere")), ENTER[1])
    assert why(whole) == "its target was not on the screen when it was decided"
    assert done(whole.desk) == ["fill"]


def test_words_that_should_be_seen_and_are_not_end_it() -> None:
    said = p.NextAction(action=p.Click(target=p.ActionTarget(text="Save draft")), expected="Saved for good")
    whole, _ = run(ENTER[0], said, ENTER[1])
    assert why(whole) == '"Saved for good" is not to be seen'
    assert done(whole.desk) == ["fill", "click"]
    seen = said.model_copy(update={"expected": "draft SAVED"})
    whole, _ = run(ENTER[0], seen, ENTER[1])
    assert why(whole) == ""
    assert done(whole.desk) == ["fill", "click", "fill"]


def test_an_action_that_a_person_changed_ends_it() -> None:
    whole, policy = run(p.Click(target=SUBMIT), ENTER[0], safety=SafetyPolicy())
    whole.go({"type": "edit", "edited_action": {"name": "click", "args": {"target": {"text": "Save draft"}}}})
    assert why(whole) == "another action was done instead of the one before it"
    assert len(policy.views) == 2


def test_what_a_spent_budget_leaves_undone_is_told_to_who_plans_anew() -> None:
    planner = Planner(planned(subtask("a")))
    parts = {"operator": Watching(together(*ENTER)), "manager": planner}
    whole = Run([planned(subtask("a"))], safety=OPEN_HOUSE, limits=Limits(max_steps=1), parts=parts).go()
    assert "max_steps (1) is reached" in why(whole)
    assert whole.bodies("batch_stopped")[0]["left"] == ['fill "Vendor" with "Acme"', 'fill "Invoice number" with "A-1"']
    assert any("(not done either: fill" in line for line in planner.requests[1].evidence)


def test_the_steps_of_a_batch_count_as_steps() -> None:
    policy = Watching(together(*ENTER))
    whole = Run([planned(subtask("a"))], safety=OPEN_HOUSE, limits=Limits(steps=2), parts={"operator": policy}).go()
    assert done(whole.desk) == ["fill", "fill"]
    assert whole.status == "rejected"


# --- killed and resumed -----------------------------------------------------------------------------------------------

TASK = """
goal: claim the invoice
world: office
seed: 3
user: {amount: "$7.50"}
settings:
  crew:
    manager: {policy: scripted, script: manager.yaml}
    operator: {policy: scripted, script: operator.yaml}
    evaluator: {policy: rules}
"""
MANAGER = """
plans:
  - outcome: planned
    subtasks: [{id: a, title: enter, instruction: enter it}, {id: b, title: submit, instruction: submit it, depends_on: [a]}]
"""
OPERATOR = """
decisions:
  a:
    - status: CONTINUE
      action: {action_type: launch_app, app: reimbursement}
    - {status: PENDING, comment: "Which amount is it?"}
    - status: CONTINUE
      action: {action_type: fill, target: {text: Amount}, text: "$7.50"}
      then:
        - action: {action_type: fill, target: {text: Vendor}, text: Acme}
        - action: {action_type: fill, target: {text: Description}, text: Train}
  b:
    - {status: PENDING, comment: which amount is it}
    - status: CONTINUE
      action: {action_type: fill, target: {text: Invoice number}, text: A-1}
      then:
        - action: {action_type: click, target: {text: Submit}}
"""


@pytest.mark.slow("processes that are killed")
@pytest.mark.parametrize("points", [("--sample", "2", "--seed", "5"), ("--only", "perform", "--last", "2")])
def test_killed_anywhere_in_a_batch_or_after_a_question_nothing_is_done_or_asked_twice(
    tmp_path: Path, points: tuple[str, ...]
) -> None:
    """The sweep compares the world, what it received and the steps with a run that nobody killed."""
    for name, text in (("task.yaml", TASK), ("manager.yaml", MANAGER), ("operator.yaml", OPERATOR)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    swept = python(ROOT / "scripts" / "kill_sweep.py", "--task", tmp_path / "task.yaml", *points)
    assert swept.returncode == 0, swept.stdout + swept.stderr
    assert ", 0 went wrong" in swept.stdout
