"""What a person does is a protocol log: every step on the disk at once, and nothing private in it."""

import signal
import subprocess
import textwrap
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner
from waiting import DEADLINE
from warm import Forked
from worked.demonstrated import by_hand

from deskcrew import Crew, Outcome, load_settings, load_task
from environments.contract import EnvironmentFault
from environments.served.demonstration import MASK, Demonstration
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.cli import app
from orchestrator.settings.settings import varied
from protocol import InteractionStep, read_log
from protocol.log.check import check_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def steps(path: Path) -> list[InteractionStep]:
    lines = list(read_log(path))
    assert [line.error for line in lines if line.error] == []
    assert list(check_log(iter(lines), path.parent)) == []
    return [line.step for line in lines if line.step]


def test_each_step_says_what_was_seen_done_and_changed(serve, path) -> None:
    place = serve(log=Demonstration(path, "try"), goal="Fill in the claim")
    place.http.post("/page", json={"action_type": "fill", "target": {"track_id": "reimbursement.vendor"}, "text": "Acme"})
    place.http.post("/page", json={"action_type": "click", "target": {"text": "nothing like it"}})
    first, second = steps(path)
    assert (first.subtask, first.role, first.step) == ("Fill in the claim", "person", 1)
    assert first.action.target.text == "Vendor", "a log of it can be replayed where ids are others"
    assert first.action.target.bbox is not None
    assert first.visible_change is True
    assert (first.state_id, first.after_state_id) == (first.visual_state.state_id, second.state_id)
    assert "no element" in second.result.error


def test_a_demonstration_replayed_gives_the_same_world(serve, path) -> None:
    place = serve(log=Demonstration(path, "try"))
    for action in (
        {"action_type": "fill", "target": {"track_id": "reimbursement.amount"}, "text": "12.50"},
        {"action_type": "select_option", "target": {"track_id": "reimbursement.category"}, "options": ["Travel"]},
        {"action_type": "launch_app", "app": "files"},
        {"action_type": "press_key", "keys": ["Alt", "F4"]},
    ):
        assert place.http.post("/page", json=action).status_code == 200
    replayed = SimulatedDesktop(place.session.desktop._spec)
    for step in steps(path):
        replayed.perform(step.action, key=str(step.step))
    assert replayed.hashes() == place.http.get("/hashes").json()


def test_what_is_private_is_masked(serve, path) -> None:
    place = serve("apps: {settings: {}}\nopen: [settings]\n", log=Demonstration(path, "try"))
    place.act(action_type="click", target={"text": "Account"})
    field = next(e for e in place.session.state().elements if e.private)
    place.act(action_type="fill", target={"track_id": field.track_id}, text="sesame-4711")
    place.act(action_type="wait", seconds=1)
    assert "sesame-4711" not in path.read_text(encoding="utf-8")
    filled, waited = steps(path)[-2:]
    assert filled.action.text == MASK
    assert next(e for e in waited.visual_state.elements if e.private).value == MASK
    assert place.session.desktop.observe().by_id[field.element_id].value == "sesame-4711", "only the log is masked"


def test_a_world_set_back_begins_a_run_of_its_own(serve, path) -> None:
    place = serve(log=Demonstration(path, "try"))
    place.act(action_type="wait", seconds=9)
    place.http.post("/reset", json={})
    place.act(action_type="wait", seconds=9)
    assert [(step.run_id, step.step) for step in steps(path)] == [("try", 1), ("try-2", 1)]


def test_a_file_that_is_there_is_not_touched(tmp_path, path) -> None:
    path.write_text("mine")
    with pytest.raises(EnvironmentFault, match="is there already"):
        Demonstration(path, "try")
    assert path.read_text() == "mine"
    with pytest.raises(EnvironmentFault, match="cannot be written"):
        Demonstration(tmp_path / "no" / "session.jsonl", "try")


@pytest.mark.slow("processes that are killed")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_that_was_done_is_lost_when_the_server_dies(how, path) -> None:
    command = ["-m", "deskcrew", "world", "serve", "office", "--port", "0", "--record", str(path)]
    with Forked(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = httpx.URL(next(line for line in server.stdout if line.startswith("open ")).removeprefix("open ").strip())
        bearer = {"Authorization": f"Bearer {url.params['token']}"}
        for app in ("notes", "mail", "files"):
            action = {"action_type": "launch_app", "app": app}
            httpx.post(
                url.copy_with(path="/actions", query=None), json=action, headers=bearer, trust_env=False
            ).raise_for_status()
        server.send_signal(how)
        assert server.wait(DEADLINE) in (130, -how)
        assert "Traceback" not in server.stderr.read()
    assert [step.action.app for step in steps(path)] == ["notes", "mail", "files"]


TASK = """
    about: Words that no rule reads; somebody has shown what they mean.
    goal: Chalk up {invoice.number} under "{title}"
    tier: 2
    kinds: [extract_and_enter]
    world: office
    limits: {steps: 60, plans: 6}
    slots:
      invoice: {from: apps.billing.invoices}
      title: {one_of: [Budget check, To be paid, Open questions]}
    success:
      - >-
        world.apps.notes.notes.exists(n, !(n in initial.apps.notes.notes) && world.apps.notes.notes[n].title == slots.title &&
        world.apps.notes.notes[n].body.contains(slots.invoice.due))
    changes: [apps.notes.notes.+]
"""


def test_what_was_shown_is_done_on_another_seed_in_another_look(tmp_path: Path) -> None:
    target = tmp_path / "task.yaml"
    target.write_text(textwrap.dedent(TASK), encoding="utf-8")

    def ran(*axes: str) -> Outcome:
        task, said = load_task(target), ["seed=11", f"runs_dir={tmp_path / 'runs'}", "safety=never-ask-in-simulation"]
        return Crew(load_settings(overrides=[*said, *varied(axes)], task_layer=task.layer())).run(task)

    assert "not understood" in ran().reason
    seen = SimulatedDesktop(load_world("office"), 3).observe().elements
    number, due = (
        seen[1 + next(n for n, e in enumerate(seen) if e.text == label)].name for label in ("Invoice number", "Due date")
    )
    filled = ('fill "Title" with "Remember me"', f'fill "Body" with "{due}"')
    shown = by_hand(
        f'Chalk up {number} under "Remember me"', ["open notes", 'click "New note"', *filled, 'click "Save"'],
        tmp_path / "shown.jsonl", seed=3,
    )  # fmt: skip
    learn = ["knowledge", "learn", str(shown.path), "--goal", shown.goal, "--runs-dir", str(tmp_path / "runs")]
    assert CliRunner().invoke(app, learn).exit_code == 0
    for axes in ((), ("layout=mirrored", "order=shuffled", "density=compact", "theme=dark", "labels=synonyms")):
        outcome = ran(*axes)
        verdict = outcome.report["judge"]
        assert verdict["passed"], (outcome.reason, verdict)
        assert verdict["clean"]
        assert [page["kind"] for page in outcome.report["knowledge"] if page["used"]] == ["demonstration"]
