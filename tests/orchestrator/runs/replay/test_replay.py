"""A run that is worked again comes to the same; where it does not, the first difference is named; a fork goes on from a step."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner
from warm import python
from worked.runs import APPROVE, crew_in

from deskcrew import UsageProblem
from orchestrator.cli import app
from orchestrator.runs.outcome import Outcome
from orchestrator.runs.replay.courses import applied, delta
from orchestrator.runs.replay.fork import fork
from orchestrator.runs.replay.recording import Recording, find_recording, read_recording, recording_of
from orchestrator.runs.replay.replay import replay
from orchestrator.runs.runs import resume

ROOT = Path(__file__).parents[4]
KEPT = sorted((ROOT / "tests" / "replay").glob("*.jsonl"))
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
SAVE = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    crew = crew_in(tmp_path_factory.mktemp("whole"))
    done = crew.resume(crew.run(SUBMIT).run_id, APPROVE)
    assert done.status == "fulfilled"
    return done


@pytest.fixture
def kept() -> Recording:
    return read_recording(ROOT / "tests" / "replay" / "approval-edited.jsonl")


def with_settings(recording: Recording, **settings: Any) -> Recording:
    return recording._replace(record=recording.record | {"settings": recording.record["settings"] | settings})


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_was_recorded_comes_to_the_same_now(path: Path) -> None:
    """Where this fails and the difference is meant, record again: scripts/record_replays.py."""
    found = replay(read_recording(path))
    assert found.difference is None, found.sentence()


@pytest.mark.slow("processes of their own")
def test_every_kind_of_run_that_the_script_makes_is_kept() -> None:
    code = "import runpy; print(*sorted(runpy.run_path('scripts/record_replays.py')['COURSES']))"
    names = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert names == [path.stem for path in KEPT]
    kinds = {event.kind for path in KEPT for event in read_recording(path).events}
    assert {"supplement", "approval", "gate", "plan", "outcome"} <= kinds


def changed(kind: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Recording], Recording]:
    """The recording with the last event of that kind changed: as if the code had done otherwise then."""

    def make(recording: Recording) -> Recording:
        last = max(n for n, event in enumerate(recording.events) if event.kind == kind)
        events = list(recording.events)
        events[last] = events[last]._replace(body=events[last].body | change(events[last].body))
        return recording._replace(events=tuple(events))

    return make


def pressed_elsewhere(recording: Recording) -> Recording:
    """Another element under the same words."""
    elsewhere = {"resolved": {"element_id": "other"}}
    actions = {key: done._replace(result={**(done.result or {}), **elsewhere}) for key, done in recording.actions.items()}
    return recording._replace(actions=actions)


def in_german(recording: Recording) -> Recording:
    return with_settings(recording, variation={**recording.record["settings"]["variation"], "language": "de"})


@pytest.mark.parametrize(
    ("make", "what", "field"),
    [
        (changed("feedback", lambda body: {"state_id": "0" * 16}), "feedback", "state_id"),
        (changed("outcome", lambda body: {"exec_status": "error"}), "outcome", "exec_status"),
        (changed("situation", lambda body: {"row": "other"}), "situation", "row"),
        (changed("gate", lambda body: {"decision": "gate_fail"}), "gate", "decision"),
        (changed("run_finished", lambda body: {"status": "rejected"}), "run_finished", "status"),
        (lambda recording: recording._replace(apps={**(recording.apps or {}), "reimbursement": "x"}), "apps", "reimbursement"),
        (pressed_elsewhere, "outcome", "resolved"),
        (lambda recording: with_settings(recording, safety="never-ask-in-simulation"), "reviewed", "policy"),
        (in_german, "observed", "state_id"),
    ],
)
def test_the_first_difference_is_named(kept: Recording, make: Callable[[Recording], Recording], what: str, field: str) -> None:
    found = replay(make(kept)).difference
    assert (found.what, found.field) == (what, field)


def test_a_crew_that_goes_on_where_the_recorded_one_was_done_is_a_difference(kept: Recording) -> None:
    cut = max(n for n, event in enumerate(kept.events) if event.kind == "answered" and event.role == "evaluator")
    found = replay(kept._replace(events=(*kept.events[:cut], *kept.events[cut + 1 :]))).difference
    assert "the evaluator is asked" in found.sentence()


def test_a_run_that_waits_or_was_stopped_is_replayed_as_far_as_it_went(tmp_path: Path) -> None:
    waiting = crew_in(tmp_path).run(SUBMIT)
    found = replay(recording_of(waiting.folder))
    assert (found.difference, found.note) == (None, "it was not finished then")


@pytest.mark.slow("processes that are killed")
@pytest.mark.parametrize("points", [(30,), (55, 25), (70, 12, 20)])
def test_a_run_that_was_killed_and_taken_up_is_replayed_as_one(tmp_path: Path, points: tuple[int, ...]) -> None:
    command = [str(ROOT / "scripts" / "kill_sweep.py"), "--child", "--task", SUBMIT, "--runs-dir", str(tmp_path)]
    for point in (*points, 0):
        python(*command, "--fatal", str(point))
    folder = next(path for path in tmp_path.iterdir() if path.is_dir())
    assert json.loads((folder / "report.json").read_text())["status"] == "fulfilled"
    assert replay(recording_of(folder)).difference is None


def test_a_private_value_is_typed_again_once_it_is_given_again(tmp_path: Path) -> None:
    secret = "Hummingbird-7741"
    policy = {"private": ["description"], "rules": [{"name": "all", "verdict": "allow"}]}
    crew = crew_in(tmp_path, f"safety={json.dumps(policy)}")
    said = f'In the reimbursement form, enter "{secret}" as the description, enter "$12.50" as the amount and save the draft'
    done = crew.run(said)
    recording = recording_of(done.folder)
    answers = [event.body["answer"] for event in recording.events if event.kind == "answered" and event.role == "operator"]
    typed = [answer["action"]["text"] for answer in answers if "text" in answer.get("action", {})]
    assert sorted(typed) == ["$12.50", "<secret>description</secret>"]
    with pytest.raises(UsageProblem, match=r"give them again: --secret description$"):
        replay(recording)
    assert replay(recording, {"description": secret}).difference is None
    other = replay(recording, {"description": "something else"}).difference
    assert other.what == "apps", "another value shows in the world, and nowhere before"


def test_a_recording_is_read_as_it_was_written(whole: Outcome, tmp_path: Path) -> None:
    recording = recording_of(whole.folder)
    recording.write(tmp_path / "one.jsonl")
    again = read_recording(tmp_path / "one.jsonl")
    assert [event[2:] for event in again.events] == [event[2:] for event in recording.events]
    assert replay(again).difference is None


@pytest.mark.parametrize("text", ["", "no json", '{"recording": 99}', '{"recording": 1}', "[1]"])
def test_what_is_no_recording_is_refused_with_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(text)
    with pytest.raises(UsageProblem, match=r"broken\.jsonl is not a readable recording"):
        find_recording(str(path), tmp_path)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"world": "/nowhere/lost.yaml"}, r"cannot be replayed: .*lost\.yaml"),
        ({"environment": "browser"}, "a browser does not begin in the same state twice"),
        ({"no_such_setting": 1}, r"its settings\.no_such_setting is not a setting of this version"),
    ],
)
def test_a_run_that_cannot_be_replayed_is_refused_with_one_sentence(
    kept: Recording, tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageProblem, match=said):
        replay(with_settings(kept, **settings))
    old = kept._replace(events=tuple(event for event in kept.events if event.kind != "answered"))
    old.write(tmp_path / "old.jsonl")
    with pytest.raises(UsageProblem, match="from an earlier version"):
        find_recording(str(tmp_path / "old.jsonl"), tmp_path)


def test_the_command_ends_with_0_1_or_2(tmp_path: Path) -> None:
    same, other = tmp_path / "same.jsonl", tmp_path / "other.jsonl"
    same.write_text(KEPT[0].read_text())
    with_settings(read_recording(same), safety="ask-all").write(other)
    done = CliRunner().invoke(app, ["replay", str(same)])
    assert (done.exit_code, done.stdout) == (0, "Run recorded: 5 steps repeated, nothing differs.\n")
    done = CliRunner().invoke(app, ["replay", str(other), "--json"])
    told = json.loads(done.stdout)
    assert (done.exit_code, told["same"], told["needs_approval"]["verdict"]) == (1, False, "ask")
    done = CliRunner().invoke(app, ["replay", "nope", "--runs-dir", str(tmp_path)])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if "sqlite-" not in path.name}


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_a_fork_goes_on_from_the_step_with_other_settings_where_it_is_told_and_leaves_the_run_as_it_was(
    whole: Outcome, tmp_path: Path, at: int
) -> None:
    shutil.copytree(whole.folder, tmp_path / whole.run_id)
    before = digests(tmp_path / whole.run_id)
    made = fork(whole.run_id, at, runs_dir=tmp_path)
    record = json.loads((tmp_path / made / "run.json").read_text())
    assert record["forked_from"] == {"run_id": whole.run_id, "step": at, "goal": SUBMIT, "changed": []}
    assert recording_of(tmp_path / made).steps == at
    on = resume(made, runs_dir=tmp_path, approver=lambda request: APPROVE)
    assert on.status == "fulfilled"
    assert [step["action"] for step in on.report["steps"]] == [step["action"] for step in whole.report["steps"]]
    assert recording_of(on.folder).apps == recording_of(whole.folder).apps
    assert replay(recording_of(on.folder)).difference is None
    other = resume(fork(whole.run_id, at, runs_dir=tmp_path, overrides=["safety=never-ask-in-simulation"]), runs_dir=tmp_path)
    assert (other.status, other.report["approvals"]) == ("fulfilled", [])
    assert digests(tmp_path / whole.run_id) == before


def test_a_fork_has_another_goal_with_what_is_known(tmp_path: Path) -> None:
    first = crew_in(tmp_path).run("Find the total of invoice INV-7029 on the billing page and remember it")
    steps = first.report["counts"]["steps"]
    made = fork(first.run_id, steps, runs_dir=tmp_path, goal=SAVE)
    on = resume(made, runs_dir=tmp_path)
    assert (on.status, on.report["goal"]) == ("fulfilled", SAVE)
    assert {fact["name"] for fact in on.report["facts"]} >= {fact["name"] for fact in first.report["facts"]}
    assert [step["step"] for step in on.report["steps"]] == list(range(1, len(on.report["steps"]) + 1))
    with pytest.raises(UsageProblem, match=r"forked from .* with another goal"):
        replay(recording_of(on.folder))


@pytest.mark.parametrize(
    ("at", "overrides", "said"),
    [
        (9, [], r"--at 9: run .* has \d+ steps; name one of 0 to \d+"),
        (-1, [], r"name one of 0 to \d+"),
        (1, ["seed=5"], "seed cannot be changed in a fork"),
        (1, ["limits.stps=5"], "stps"),
    ],
)
def test_a_fork_that_cannot_be_made_leaves_nothing_behind(
    whole: Outcome, tmp_path: Path, at: int, overrides: list[str], said: str
) -> None:
    shutil.copytree(whole.folder, tmp_path / whole.run_id)
    with pytest.raises(UsageProblem, match=said):
        fork(whole.run_id, at, runs_dir=tmp_path, overrides=overrides)
    assert [path.name for path in tmp_path.iterdir()] == [whole.run_id]


_LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]) | st.floats(0, 1)
VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner), max_leaves=12
)


@given(VALUES, VALUES)
def test_what_was_and_the_difference_give_what_is(old: object, new: object) -> None:
    change = json.loads(json.dumps(delta(old, new)))
    assert json.dumps(applied(old, change)) == json.dumps(new)


def test_what_is_added_to_a_long_list_is_written_alone() -> None:
    old = {"rows": [["x" * 50, n] for n in range(100)], "page": 1}
    new = {"rows": [*old["rows"], ["y", 100]], "page": 2}  # type: ignore[misc]  # a list of rows
    assert len(json.dumps(delta(old, new))) < 120
