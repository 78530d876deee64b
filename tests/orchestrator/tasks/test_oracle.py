"""The oracle player: lines filled in as values, performed by the environment alone, and judged."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import sampled

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.errors import UsageProblem
from orchestrator.tasks.check import task_named
from orchestrator.tasks.judge import OracleRun, play, task_environment
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, answer_of, load_task
from protocol import ActionTarget, Click, Fill

WORLD = """
apps: {notes: {notes: [{title: One, body: first}, {title: Two, body: second}]}, billing: {generate: 3}}
open: [notes]
"""


def task(**keys: Any) -> Task:
    return Task.model_validate({"id": "t", "goal": "x", "changes": ["apps.notes.notes.*"], **keys})


def played(given: Task, world: str = WORLD) -> OracleRun:
    return play(given, 0, SimulatedDesktop(parse_world(world), seed=0))


def note(**fields: str) -> list[str]:
    return ['click "New note"', *(f'fill "{name.title()}" with "{value}"' for name, value in fields.items()), 'click "Save"']


def test_the_oracle_acts_by_itself_and_is_judged() -> None:
    made = played(
        task(oracle=note(title="Done"), success=['world.apps.notes.notes.exists(n, world.apps.notes.notes[n].title == "Done")'])
    )
    assert made.passed
    assert made.verdict.steps == made.verdict.oracle_steps == 3
    assert [step.status for step in made.steps] == ["executed"] * 3
    undone = played(task(oracle=['click "New note"'], success=["size(world.apps.notes.notes) == 3"]))
    assert (undone.problem, undone.passed) == ("", False)
    with pytest.raises(UsageProblem, match="no oracle"):
        played(task())


def test_a_line_that_fails_is_named_with_its_action_and_the_reason() -> None:
    made = played(task(oracle=['click "New note"', 'click "{word}"', "open billing"], slots={"word": {"one_of": ["Nowhere"]}}))
    assert made.problem.startswith('oracle line 2: click "Nowhere": ')
    assert len(made.steps) == 2
    assert not made.passed


@given(value=st.text(min_size=1, max_size=30))
def test_a_slot_is_filled_in_as_a_value_whatever_it_holds(value: str) -> None:
    oracle = ('fill "Body" with "<{it}>"', 'click button "{it}"')
    fill, click = (step.action for step in steps_of(oracle, {"it": value}))
    assert isinstance(fill, Fill)
    assert fill.text == f"<{value}>"
    assert click.target.text == value


def test_what_is_to_be_repeated_is_done_for_each_item() -> None:
    slots = {"all": {"from": "apps.notes.notes", "pick": "all"}}
    lines = ['click "{it.title}"', 'fill "Body" with "seen {it.body}"', 'click "Save"', 'click "Back to notes"']
    made = played(
        task(slots=slots, oracle=['click "New note"', 'click "Back to notes"', {"for": "it", "in": "all", "do": lines}])
    )
    assert not made.problem
    assert [n["body"] for n in made.world["apps"]["notes"]["notes"].values()] == ["seen first", "seen second"]
    assert made.verdict.oracle_steps == 2 + 2 * 4
    assert {step.line for step in made.steps} == {1, 2, 3}
    with pytest.raises(UsageProblem, match="slot 'all' is not a list; give it pick: all"):
        played(task(slots={"all": {"from": "apps.notes.notes"}}, oracle=[{"for": "it", "in": "all", "do": lines}]))


def test_a_question_is_answered_by_the_tasks_user_and_counts_as_no_step() -> None:
    keys = {"user": {"which": "the one of {who}"}, "slots": {"who": {"one_of": ["Ada"]}}, "success": ["run.questions == 1"]}
    made = played(task(oracle=['ask the user "Which one is meant?"'], **keys))
    assert made.passed
    assert (made.steps[0].status, made.steps[0].told) == ("answered", "the one of Ada")
    assert made.verdict.steps == made.verdict.oracle_steps == 0
    assert answer_of({"Day": "Monday", "which": "this"}, "Which day is it?") == "Monday"
    unanswered = played(task(oracle=['ask the user "How much?"'], user={"which": "this"}))
    assert "has no answer to 'How much?', but only on 'which'" in unanswered.problem


FAULTY = WORLD + "events:\n  - {when: {after_actions: 0}, fail: {app: notes, label: New note, error: no answer, times: 1}}\n"


@pytest.mark.parametrize(
    ("world", "first", "problem"),
    [
        (FAULTY, {"fails": 'click "New note"'}, ""),
        (FAULTY, 'click "New note"', 'oracle line 1: click "New note": no answer'),
        (WORLD, {"fails": 'click "New note"'}, 'oracle line 1: click "New note": was expected to fail, but was executed'),
    ],
)
def test_a_line_may_be_known_to_fail(world: str, first: Any, problem: str) -> None:
    made = played(task(oracle=[first, *note(title="x")]), world)
    assert made.problem == problem


def test_the_same_seed_plays_the_same_run(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        "goal: '{invoice.number}'\nworld: office\nslots: {invoice: {from: apps.billing.invoices}}\n"
        'oracle: [open notes, \'click "New note"\', \'fill "Title" with "{invoice.number}"\', \'click "Save"\']\n',
        encoding="utf-8",
    )
    loaded = load_task(tmp_path / "t.yaml")
    assert play(loaded, 3) == play(loaded, 3)
    assert len({play(loaded, seed).trial.goal for seed in range(5)}) > 1


SAMPLE = ("reply-to-a-mail", "move-the-clash", "cancel-the-order", "sort-and-note", "invoice-to-reimbursement", "plan-again")
VARIANTS = ("language=de", "language=zh", "labels=synonyms", "order=shuffled", "names=missing", "density=compact", "layout=wide",
            "layout=mirrored", "theme=dark")  # fmt: skip


@pytest.mark.slow("every shipped task")
@pytest.mark.parametrize(("name", "variant"), sampled([*product(SAMPLE, VARIANTS)], 4))
def test_the_oracle_of_a_task_passes_clean_in_a_world_that_looks_or_speaks_otherwise(name: str, variant: str) -> None:
    """The player knows things by the apps' own words."""
    task = task_named(name)
    surface = task_environment(task, 1, [variant])
    made = play(task, 1, surface)
    surface.close()
    assert made.passed
    assert made.verdict.clean


def test_a_word_of_the_app_means_the_control_that_shows_another_one() -> None:
    desktop = SimulatedDesktop(parse_world("apps: {notes: {generate: 2}}\nopen: [notes]\nvariation: {language: de}"))
    action, nothing = (Click(target=ActionTarget(text=text)) for text in ("New note", "No such button"))
    assert not desktop.perform(action, key="as it is written").ok
    assert desktop.perform(desktop.meant(action), key="as it is meant").ok
    assert "Speichern" in {element.text for element in desktop.observe().elements}
    assert desktop.meant(nothing) == nothing
