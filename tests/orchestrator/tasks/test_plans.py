"""Plans of a person: read from a file, held against the world before anything runs, reviewed, killed, printed and read back."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from killed import dying_at, killed
from worked.runs import APPROVE, crew_in, deskcrew

from deskcrew import UsageProblem, show_run
from orchestrator.control.channel import myself
from orchestrator.runs import runs
from orchestrator.runs.folders import show_plan
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from orchestrator.tasks.plans import plan_goal, plan_text, read_plan, shown_plan
from orchestrator.tasks.tasks import resolve_target
from roles.contracts import FactKnown, FieldHas, Subtask
from roles.contracts.orders import (
    CollectStep,
    CreateStep,
    Entry,
    FillStep,
    FindStep,
    Pick,
    PressStep,
    ReadStep,
    Records,
    RowTest,
    Step,
)
from roles.contracts.wording import in_words
from roles.manager.plans import GivenPlan, as_given, edited

GOAL = 'In the reimbursement form, enter "$12.50" as the amount and save it'
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
COPY = "Find the total of the invoice on the billing page, enter it as the amount in the reimbursement form and save it"
PLAN = """\
pinned: true
subtasks:
- id: amount
  instruction: In the reimbursement form, enter "$7.00" as the amount and save it
  app: reimbursement
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    return path


# --- given ------------------------------------------------------------------------------------------------------------


def test_a_plan_from_a_file_is_worked_and_nobody_plans(tmp_path: Path) -> None:
    outcome = crew_in(tmp_path).run(GOAL, plan=written(tmp_path, PLAN))
    assert (outcome.status, outcome.report["counts"]["plans"]) == ("fulfilled", 0)
    assert [(s["id"], s["status"], s["pinned"]) for s in outcome.report["plan"]] == [("amount", "fulfilled", True)]
    assert any(step["action"].get("text") == "$7.00" for step in outcome.report["steps"])
    with pytest.raises(UsageProblem, match="no subtask"):
        crew_in(tmp_path).run(GOAL, plan=[])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("subtasks:\n- id: a\n  instruction: x\n  ap: mail\n", r"line 4: unknown key 'subtasks\[0\].ap'; did you mean 'app'"),
        ("subtasks:\n- id: a\n", r"line 2: subtask 'a' has neither an instruction nor steps"),
        ("subtasks:\n- id: a\n  instruction: x\n- id: a\n  instruction: y\n", "line 4: subtask id 'a' is used twice"),
        ("subtasks:\n- id: a\n  instruction: x\n- id: b\n  instruction: y\n  depends_on:\n  - a\n  - z\n",
         "line 8: subtask 'b' depends on 'z', which is not in the plan"),
        ("subtasks:\n- {id: a, instruction: x, depends_on: [b]}\n- {id: b, instruction: y, depends_on: [a]}\n",
         r"line [23]: subtasks wait for each other: \w -> \w -> \w"),
        ("subtasks:\n- id: a\n  instruction: x\n  app: crm\n", "line 4: subtask 'a' wants the application 'crm'; there are"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_plan_file_is_one_sentence_and_leaves_no_run(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageProblem, match=rf"plan\.yaml, {said}") as caught:
        crew_in(tmp_path / "runs").run(GOAL, plan=written(tmp_path, text))
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "runs").glob("*")) == []


def test_a_run_that_was_killed_before_its_first_step_still_has_its_plan(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, PLAN))
    done = crew_in(tmp_path / "runs").resume(killed_at("task_status", tmp_path / "runs", plan=plan))
    assert done.report["counts"]["plans"] == 0
    assert [s["id"] for s in done.report["plan"]] == ["amount"]


# --- reviewed ---------------------------------------------------------------------------------------------------------


def killed_at(kind: str, folder: Path, *overrides: str, **given: Any) -> str:
    """A run whose process is killed as soon as an event of this kind is heard."""
    loaded = load_settings((), [f"runs_dir={folder}", *overrides])
    killed(lambda: runs.start(loaded, GOAL, listener=dying_at(lambda event: event.kind == kind), **given))
    (made,) = folder.iterdir()
    return made.name


EDIT: dict[str, Any] = {
    "decisions": [{"type": "edit", "edited_action": {"name": "work_plan", "args": yaml.safe_load(PLAN)}, "who": "ada"}]
}


def test_without_a_terminal_the_run_waits_and_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = deskcrew("run", GOAL, "--review-plan", "--display", "plain")
    assert code == 3
    for way in ("--plan > plan.yaml", "--approve", "--edit FILE", "--reject", "--respond", 'set Amount to "$12.50"'):
        assert way in said
    run_id = next((tmp_path / "runs").iterdir()).name
    written(tmp_path, deskcrew("show", run_id, "--plan")[1].replace("$12.50", "$8.00"))
    code, said = deskcrew("resume", run_id, "--edit", "plan.yaml", "--display", "plain")
    assert code == 0, said
    assert 'fill "Amount" with "$8.00"' in said
    (said,) = show_run(run_id, tmp_path / "runs").report["approvals"]
    assert (said["decision"], said["who"], said["plan_version"], said["worked"]) == ("edit", myself(), 1, 2)


def test_an_unusable_edit_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    crew = crew_in(tmp_path, "crew.manager.review=true")
    waiting = crew.run(GOAL)
    wrong: dict[str, Any] = {"subtasks": [{"id": "a", "instruction": "x", "app": "crm"}]}
    for action, said in (
        ({"name": "work_plan", "args": wrong}, "wants the application 'crm'"),
        ({"name": "click", "args": {"target": {"text": "Save"}}}, "the run waits for a plan"),
    ):
        with pytest.raises(UsageProblem, match=said):
            crew.resume(waiting.run_id, {"decisions": [{"type": "edit", "edited_action": action}]})
    assert crew.resume(waiting.run_id).pending == waiting.pending
    assert crew.resume(waiting.run_id, APPROVE).status == "fulfilled"
    asked: list[str] = []

    def approve(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request["kind"])
        return APPROVE

    assert crew.run(SUBMIT, approver=approve).status == "fulfilled"
    assert asked == ["plan", "approval"], "an approver reviews plans and actions alike"
    waiting = crew_in(tmp_path).run(SUBMIT)
    with pytest.raises(UsageProblem, match="the run waits for an action"):
        crew.resume(waiting.run_id, EDIT)


def test_the_rules_plan_anew_in_the_words_of_the_rejection(tmp_path: Path) -> None:
    crew = crew_in(tmp_path, "crew.manager.review=true")
    waiting = crew.run(SUBMIT)
    again = crew.resume(waiting.run_id, {"decisions": [{"type": "reject", "message": "set the category to Travel first"}]})
    (subtask,) = again.pending["action_requests"][0]["args"]["subtasks"]
    assert 'set Category to "Travel"' in subtask["instruction"]
    done = crew.resume(waiting.run_id, {"decisions": [{"type": "reject", "message": "hm"}]})
    assert (done.exit_code, done.report["steps"]) == (1, [])
    assert 'the user rejected the plan: "hm"' in done.reason


@pytest.mark.parametrize("kind", ["approval_requested", "task_status"])
def test_a_kill_while_the_plan_is_made_asks_once(tmp_path: Path, kind: str) -> None:
    crew = crew_in(tmp_path)
    run_id = killed_at(kind, tmp_path, "crew.manager.review=true")
    waiting = crew.resume(run_id)
    assert waiting.exit_code == 3
    assert crew.resume(run_id, APPROVE).status == "fulfilled"
    events = salvage(tmp_path / run_id / "journal.sqlite").events
    assert len([e for e in events if e.kind == "approval_requested"]) == 1


@pytest.mark.parametrize("kind", ["plan", "subtask_status", "outcome", "step"])
def test_a_kill_after_the_answer_neither_asks_again_nor_loses_it(tmp_path: Path, kind: str) -> None:
    crew = crew_in(tmp_path / "runs", "crew.manager.review=true")
    run_id = crew.run(GOAL).run_id
    listener = dying_at(lambda event: event.kind == kind)
    killed(lambda: runs.resume(run_id, runs_dir=tmp_path / "runs", answer=EDIT, listener=listener))
    done = crew.resume(run_id)
    assert done.status == "fulfilled"
    assert [s["id"] for s in done.report["plan"]] == ["amount"]
    assert [(a["decision"], a["who"]) for a in done.report["approvals"]] == [("edit", "ada")]
    assert sum(step["action"].get("text") == "$7.00" for step in done.report["steps"]) == 1


def test_the_answer_to_the_managers_question_is_a_plan_for_the_rules(tmp_path: Path) -> None:
    crew = crew_in(tmp_path, "crew.manager.ask_user=true")
    waiting = crew.run("frobnicate the ledger")
    assert waiting.exit_code == 3
    assert "frobnicate the ledger" in waiting.pending["action_requests"][0]["args"]["question"]
    done = crew.resume(waiting.run_id, {"decisions": [{"type": "respond", "message": GOAL}]})
    assert (done.status, done.report["supplements"][0]["found"][0]["source"]) == ("fulfilled", "user")


# --- printed ----------------------------------------------------------------------------------------------------------


names = st.text("abcdefghij.-_0123456789", min_size=1, max_size=4)
tricky = ["- a: b", "# no comment", "yes", "null", "1.5", 'it\'s "so"', "two\nlines", "{a: [b", "金额 für 3 €", " in the middle "]
words = st.sampled_from(tricky) | st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=12)


row_tests = st.builds(
    RowTest, label=words, relation=st.sampled_from(["is", "has", "before", "at_most"]), value=words, negated=st.booleans()
)
records = st.builds(
    Records,
    app=st.sampled_from(["mail", "notes"]),
    kind=words,
    place=st.just("") | words,
    tests=st.lists(row_tests, max_size=2).map(tuple),
    pick=st.none() | st.builds(Pick, by=words, order=st.sampled_from(["most", "first"]), number=st.integers(1, 3)),
    but=st.lists(st.lists(row_tests, max_size=1).map(tuple), max_size=2).map(tuple),
    exactly=st.integers(0, 2),
)
modes = st.sampled_from(["set", "add", "clear"])
entries = st.lists(st.builds(Entry, label=words, value=words, mode=modes), max_size=2).map(tuple)
apps = st.sampled_from(["mail", "notes"])
steps: st.SearchStrategy[Step] = (
    st.builds(FindStep, records=records, order=st.integers(-1, 3))
    | st.builds(ReadStep, app=apps, records=st.none() | records, labels=st.just(("a",)), names=st.just(("b",)))
    | st.builds(FillStep, app=apps, records=st.none() | records, form=words, entries=entries, commit=st.just("save"))
    | st.builds(PressStep, app=apps, records=st.none() | records, verb=words, entries=entries)
    | st.builds(CreateStep, app=apps, kind=words, place=st.just("") | words, entries=entries)
    | st.builds(CollectStep, records=records, name=words)
)


@st.composite
def plans(draw: st.DrawFn) -> list[Subtask]:
    ids = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    return [
        Subtask(
            id=name,
            title=draw(words),
            instruction=in_words(done) or draw(words),
            steps=done,
            app=draw(st.none() | st.sampled_from(["mail", "notes"])),
            worker=draw(st.sampled_from(["operator", "technician", "analyst"])),
            depends_on=tuple(draw(st.lists(st.sampled_from(ids[:number]), unique=True)) if number else ()),
            expect=draw(st.lists(st.builds(FactKnown, name=words) | st.builds(FieldHas, label=words, value=words), max_size=2)),
            hints=tuple(draw(st.lists(words, max_size=2))),
            pinned=draw(st.booleans()),
        )
        for number, name in enumerate(ids)
        for done in [draw(st.lists(steps, max_size=2).map(tuple))]
    ]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_any_plan_is_written_and_read_back_the_same(tmp_path_factory: pytest.TempPathFactory, plan: list[Subtask]) -> None:
    shown = shown_plan(plan, "about it")
    path = written(tmp_path_factory.mktemp("plan"), plan_text(shown.data, *shown.about))
    assert read_plan(path).subtasks == tuple(plan)


STEPS = """\
subtasks:
- id: look
  app: billing
  steps:
  - find: {app: billing, kind: invoice, where: {Number: INV-1, Status: {not: Paid}}}
- id: form
  app: reimbursement
  steps:
  - create: {app: reimbursement, kind: claim, fields: {Amount: "$7.00", Vendor: {append: Acme}}}
"""


def test_steps_stand_in_a_plan_in_readable_form(tmp_path: Path) -> None:
    look, form = read_plan(written(tmp_path, STEPS)).subtasks
    assert look.steps == (
        FindStep(
            records=Records(
                app="billing",
                kind="invoice",
                tests=(RowTest(label="Number", value="INV-1"), RowTest(label="Status", value="Paid", negated=True)),
            )
        ),
    )
    assert look.instruction == 'Open the invoice where Number is "INV-1" and Status is not "Paid".'
    assert [e.kind for e in form.expect] == ["field_has", "field_has"]
    shown = plan_text(shown_plan([look, form]).data)
    assert "- find: {app: billing, kind: invoice, where: {Number: INV-1, Status: {not: Paid}}}" in shown


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("kind: invoice, where", "kind: invoice, wher"), r"line 5: unknown key 'subtasks\[0\].steps\[0\].find.wher'"),
        (("- find:", "- fnd:"), r"line 5: subtasks\[0\].steps\[0\]: a step is one of open, find"),
        (("INV-1", "17"), r"line 5: subtasks\[0\].steps\[0\]: where: 'Number' needs one text \(put it in quotes\)"),
        (("append", "apend"), r"line 9: subtasks\[1\].steps\[0\].create.entries\[1\].mode is \"apend\""),
        (("- id: look", "- id: look\n  instruction: Open it"), "line 3: subtask 'look' says in words something else"),
    ],
)
def test_a_mistake_in_a_step_says_where_it_is(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(UsageProblem, match=rf"plan\.yaml, {said}"):
        read_plan(written(tmp_path, STEPS.replace(*change)))


def test_an_edited_plan_keeps_the_steps_of_words_that_did_not_change(tmp_path: Path) -> None:
    shown = as_given(read_plan(written(tmp_path, STEPS)).subtasks)
    look, form = shown.subtasks
    bare = look.model_copy(update={"steps": ()})
    reworded = form.model_copy(update={"instruction": "Make a claim"})
    same, said = edited(shown, GivenPlan(subtasks=(bare, reworded))).whole()
    assert same.steps == look.steps
    assert (said.instruction, said.steps, said.expect) == ("Make a claim", (), ())
    eight = CreateStep(app="reimbursement", kind="claim", entries=(Entry(label="Amount", value="$8.00"),))
    other = form.model_copy(update={"steps": (eight,)})
    (changed,) = edited(shown, GivenPlan(subtasks=(other,))).whole()
    assert changed.instruction == 'Make a new claim: set Amount to "$8.00"; then save.'


def test_what_is_printed_of_a_plan_cannot_command_a_terminal_and_is_what_is_left_to_do(tmp_path: Path) -> None:
    hostile = "open \u202egnp.exe"
    text = plan_text(shown_plan([Subtask(id="a", title=hostile, instruction=hostile)]).data, hostile)
    assert "\u202e" not in text
    assert read_plan(written(tmp_path, text)).subtasks[0].instruction == hostile
    ways = {"a": ((), "rejected"), "b": (("a",), "ready"), "c": ((), "ready"), "d": (("b", "c"), "ready")}
    shown = shown_plan([Subtask(id=n, title=n, instruction=n, depends_on=on, status=said) for n, (on, said) in ways.items()])
    assert [(s["id"], s.get("depends_on", [])) for s in shown.data["subtasks"]] == [("b", []), ("c", []), ("d", ["b", "c"])]
    assert shown.about == ("independent of each other: b, c",)


def test_plan_prints_a_plan_that_run_reads_and_works_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = deskcrew("plan", COPY)
    assert (code, list(tmp_path.iterdir())) == (0, [])
    assert read_plan(written(tmp_path, said)).subtasks[1].depends_on == ("o0",)
    of_a_task = plan_goal(load_settings(), resolve_target("invoice-to-reimbursement"))
    assert not isinstance(of_a_task, str)
    assert "{invoice" not in plan_text(of_a_task.data, *of_a_task.about)
    code, said = deskcrew("plan", "frobnicate the ledger")
    assert (code, "these words are not understood" in said) == (1, True)
    outcome = crew_in(tmp_path).run("frobnicate the ledger")
    with pytest.raises(UsageProblem, match="has no plan"):
        show_plan(outcome.run_id, tmp_path)
