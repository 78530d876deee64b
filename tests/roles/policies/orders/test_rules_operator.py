"""The Operator of typed steps: its place among them, slots, words alone, what the user says, controls that do nothing."""

from typing import Any

from protocol import AgentStatus, Click, ExecStatus, GUIElement, OperatorDecision, PressKey, VisualState
from roles.contracts import Fact, FieldHas, OperatorView, StepRecord, Subtask
from roles.contracts.orders import Entry as FieldEntry
from roles.contracts.orders import FillStep, FindStep, PressStep, ReadStep, Records, RowTest, Step
from roles.contracts.policies import Note
from roles.operator.rules import RulesOperator
from roles.policies.orders.stages import expected


def element(n: int, role: str, text: str | None = None, **more: Any) -> GUIElement:
    return GUIElement(element_id=f"e{n}", track_id=f"t{n}", role=role, text=text, **more)


LIST = VisualState(
    app="ledger",
    elements=(
        element(1, "heading", "Bills"), element(2, "table"), element(3, "row", parent="e2"),
        element(4, "columnheader", "No", parent="e3"), element(5, "columnheader", "Firm", parent="e3"),
        element(6, "row", parent="e2"), element(7, "link", "A-1", parent="e6"), element(8, "cell", "Oak", parent="e6"),
        element(9, "row", parent="e2"), element(10, "link", "A-2", parent="e9"), element(11, "cell", "Elm", parent="e9"),
    ),
)  # fmt: skip
FORM = VisualState(
    app="ledger",
    elements=(element(1, "heading", "New bill"), element(2, "textbox", "Firm", value="Oak"), element(3, "button", "Save")),
)
ELM = Records(app="ledger", kind="bill", tests=(RowTest(label="Firm", value="Elm"),))


def view(seen: VisualState, *steps: Step, instruction: str = "do it", **more: Any) -> OperatorView:
    task = Subtask(id="s1", title="t", instruction=instruction, app="ledger", steps=steps)
    return OperatorView(user_request=instruction, subtask=task, app="ledger", seen=seen, **more)


def decide(seen: VisualState, *steps: Step, **more: Any) -> OperatorDecision:
    return RulesOperator().decide(view(seen, *steps, **more))


def record(n: int, decision: OperatorDecision, status: ExecStatus = ExecStatus.EXECUTED, **more: Any) -> StepRecord:
    assert decision.action is not None
    return StepRecord(step=n, subtask="s1", action=decision.action.dump(), verb=decision.action.verb, exec_status=status, **more)


def pressed(decision: OperatorDecision) -> str | None:
    return decision.action.target.text if decision.action is not None and decision.action.target is not None else None


def test_slots_are_filled_from_facts_and_one_that_is_not_known_is_named() -> None:
    named = FindStep(records=ELM.model_copy(update={"tests": (RowTest(label="Firm", value="{the firm}"),)}))
    assert pressed(decide(LIST, named, facts=(Fact(name="the firm", value="Oak"),))) == "A-1"
    lacking = decide(LIST, named)
    assert lacking.status is AgentStatus.FAIL
    assert '"the firm" is not known' in lacking.comment


def test_an_action_that_an_outage_swallowed_is_decided_again() -> None:
    step = FindStep(records=ELM)
    first = decide(LIST, step)
    lost = record(1, first, ExecStatus.ERROR, error="the network connection was lost")
    again = decide(LIST, step, memory=first.memory, history=(lost,))
    assert (again.action, pressed(again)) == (first.action, "A-2")


def test_a_click_that_does_nothing_is_made_by_key_and_then_given_up() -> None:
    decisions, history = [decide(LIST, FindStep(records=ELM))], list[StepRecord]()
    while decisions[-1].action is not None and len(decisions) < 8:
        history.append(record(len(decisions), decisions[-1]))
        decisions.append(decide(LIST, FindStep(records=ELM), memory=decisions[-1].memory, history=tuple(history)))
    assert "does not" in decisions[-1].comment
    assert {Click, PressKey} <= {type(decision.action) for decision in decisions}


def test_the_place_among_the_steps_is_kept() -> None:
    steps = (ReadStep(app="ledger", records=ELM, labels=("No",), names=("number",)), FindStep(records=ELM))
    first = decide(LIST, *steps)
    assert first.action is not None
    assert first.action.verb == "memorize"
    second = decide(LIST, *steps, memory=first.memory, history=(record(1, first, visible_change=True),))
    assert pressed(second) == "A-2"
    assert second.plan == ('Open the bill where Firm is "Elm"',)


def test_words_that_are_not_understood_are_named_and_nothing_is_done() -> None:
    decision = decide(LIST, instruction="Frobnicate the bill of Elm")
    assert (decision.status, decision.action) == (AgentStatus.FAIL, None)
    assert "Frobnicate" in decision.comment


def test_what_the_user_does_not_want_any_more_is_left_out() -> None:
    steps = (FillStep(app="ledger", entries=(FieldEntry(label="Firm", value="Oak"),)), PressStep(app="ledger", verb="save"))
    assert pressed(decide(FORM, *steps)) == "Save"
    minded = decide(FORM, *steps, notes=(Note(words="Do not save it."),))
    assert minded.status is AgentStatus.FINISH
    assert "the user does not want it" in minded.comment


def test_each_of_several_renamings_has_to_be_seen_with_its_own_name() -> None:
    names = ("a-1.txt", "a-2.txt")
    steps = [PressStep(app="files", verb="rename", entries=(FieldEntry(label="New name", value=name),)) for name in names]
    wanted = [(one.label, one.value) for one in expected(steps) if isinstance(one, FieldHas)]
    assert wanted == [("New name", name) for name in names]


def test_a_field_that_bears_the_name_of_its_record_is_looked_for_by_that_name():
    records = Records(app="home", kind="light", tests=(RowTest(label="Device", relation="is", value="Hall light"),))
    step = FillStep(app="home", records=records, entries=(FieldEntry(label="Brightness of {title}", value="40"),))
    assert expected([step]) == (FieldHas(label="Brightness of Hall light", value="40", app="home"),)
