"""Pictures of a run: which are kept and where, that each is there once and whole, and that the log names them."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from killed import dying_at, killed
from support import Planner, Watching, decide, desktop, planned, subtask

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.crew import Crew
from orchestrator.lab.logs import OpenLog, opened, validate
from orchestrator.runs import runs
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from protocol import ActionTarget, AgentStatus, Click, OperatorDecision, Screenshot, VisualState, read_log
from protocol.log.log import PARTIAL
from roles.journal.journal import Journal
from roles.journal.screenshots import FOLDER, Gallery, ScreenshotSettings
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor, SecretBorder

GOAL = "Open the settings and switch Mute on"


def overrides(folder: Path, save: str, *more: str) -> list[str]:
    return [f"runs_dir={folder / 'runs'}", "display=none", "safety=never-ask-in-simulation", f"screenshots.save={save}", *more]


def kept(outcome: Outcome) -> set[str]:
    return {path.name for path in (outcome.folder / FOLDER).glob("*")}


def told(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    return [event.body for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == kind]


def log_of(folder: Path) -> OpenLog:
    return opened(str(folder), "deskcrew", folder.parent)


@pytest.mark.parametrize(("save", "count"), [("never", 0), ("asked", 2), ("steps", 3), ("all", 3)])
def test_what_is_kept_is_what_the_setting_says(tmp_path: Path, save: str, count: int) -> None:
    asks = OperatorDecision(status=AgentStatus.SCREENSHOT, action=Screenshot(marks=("e46", "e47")))
    on = decide(Click(target=ActionTarget(text="Back to invoices")), save_screenshot=True)
    crew = {"manager": Planner(planned(subtask("s"))), "operator": Watching(asks, on)}
    done = runs.start(load_settings([], overrides(tmp_path, save)), "look", parts=crew)
    assert len(kept(done)) == count
    if save == "asked":
        marked, clean = told(done, "picture")
        assert (marked["kind"], marked["marks"], clean["kind"]) == ("annotated", ["e46", "e47"], "clean")
    assert (done.folder / FOLDER).exists() is (count > 0)
    for name in kept(done):
        assert hashlib.sha256((done.folder / FOLDER / name).read_bytes()).hexdigest() == name.removesuffix(".png")
    assert validate(log_of(done.folder), as_json=True) == 0


def test_the_log_names_the_picture_before_and_after_each_step(tmp_path: Path) -> None:
    done = Crew.from_config(overrides=overrides(tmp_path, "all")).run(GOAL)
    assert done.status == "fulfilled", done.reason
    steps = [line.step for line in read_log(done.folder / "log.jsonl")]
    assert steps
    for step in steps:
        assert [picture.moment for picture in step.pictures] == ["before", "after"]
        assert step.visual_state.screenshot_path == step.pictures[0].path
        assert (done.folder / step.pictures[0].path).is_file()
    assert validate(log_of(done.folder), as_json=True) == 0


@pytest.mark.slow("processes that are killed")
@pytest.mark.parametrize("at", ["picture", "outcome"])
def test_a_run_that_is_killed_and_resumed_has_the_pictures_of_one_that_was_not(tmp_path: Path, at: str) -> None:
    whole = Crew.from_config(overrides=overrides(tmp_path / "whole", "all")).run(GOAL)
    given = overrides(tmp_path / "killed", "all")
    killed(lambda: runs.start(load_settings([], given), GOAL, listener=dying_at(lambda event: event.kind == at)))
    (folder,) = (tmp_path / "killed" / "runs").iterdir()
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / FOLDER / f"{'0' * 64}.png{PARTIAL}").write_bytes(b"half a pic")
    done = Crew.from_config(overrides=given).resume(folder.name)
    assert done.status == "fulfilled", done.reason
    assert kept(done) == kept(whole)
    named = [(body["state_id"], body["path"]) for body in told(done, "picture")]
    assert len(named) == len(set(named)) == len(told(whole, "picture"))
    assert validate(log_of(folder), as_json=True) == 0


def test_when_the_megabytes_are_used_up_the_run_goes_on_and_says_so_once(tmp_path: Path) -> None:
    done = Crew.from_config(overrides=overrides(tmp_path, "all", "screenshots.megabytes=0.1")).run(GOAL)
    assert done.status == "fulfilled", done.reason
    sizes = [path.stat().st_size for path in (done.folder / FOLDER).iterdir()]
    assert 1 <= len(sizes) < 3
    assert sum(sizes) <= 100_000
    (said,) = told(done, "no_picture")
    assert said["why"] == "screenshots.megabytes: 0.1 MB of pictures are kept, and no more"


# --- without a run ----------------------------------------------------------------------------------------------------


class Restless:
    """An environment that shows something else at every look."""

    name = "restless"
    looks = 0

    def observe(self) -> VisualState:
        self.looks += 1
        return VisualState(app=f"at look {self.looks}")

    def screenshot(self) -> bytes:
        return b"png"


def test_there_is_no_picture_of_a_screen_that_has_gone_on(tmp_path: Path) -> None:
    journal, restless = Journal(None, lambda: 0.0), Restless()
    Gallery(ScreenshotSettings(save="all"), restless, journal, tmp_path).keep(restless.observe(), "steps")  # type: ignore[arg-type]
    assert restless.looks > 1
    assert list(journal.events("picture")) == []


def _desk() -> SimulatedDesktop:
    return desktop(world="name: w\napps: {notes: {notes: [{title: The word is orchard-55, body: ''}]}}\nopen: [notes]\n")


def test_a_link_in_the_place_of_the_folder_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FOLDER).symlink_to(tmp_path / "elsewhere")
    desk, journal = _desk(), Journal(None, lambda: 0.0)
    Gallery(ScreenshotSettings(save="all"), desk, journal, tmp_path / "run").keep(desk.observe(), "steps")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert "it is a link" in next(journal.events("no_picture")).body["why"]


def test_a_picture_of_what_is_known_to_be_private_by_now_is_removed(tmp_path: Path) -> None:
    redactor = Redactor(SafetyPolicy())
    desk, journal = _desk(), Journal(None, lambda: 0.0, redactor)
    gallery = Gallery(ScreenshotSettings(save="all"), SecretBorder(desk, redactor), journal, tmp_path)
    journal.screens.keep(desk.observe())
    gallery.keep(desk.observe(), "steps")
    (path,) = (tmp_path / FOLDER).iterdir()
    gallery.withdraw()
    assert path.exists()
    redactor.keep("orchard-55", "word")
    gallery.withdraw()
    assert not path.exists()
    (gone,) = journal.events("picture_withdrawn")
    assert gone.body["path"] == f"{FOLDER}/{path.name}"


@pytest.mark.parametrize(
    ("settings", "wanted", "shown"),
    [
        ({}, ("annotated",), ("annotated",)),
        ({"concatenate": True}, ("annotated",), ("side_by_side",)),
        ({"concatenate": True}, ("clean", "annotated", "last_target"), ("side_by_side", "last_target")),
        ({"include_last": True}, ("clean",), ("clean", "last_target")),
        ({"include_last": True, "concatenate": True}, ("last_target", "clean"), ("last_target", "side_by_side")),
    ],
)
def test_the_switches_change_which_pictures_a_model_is_shown(settings: Any, wanted: Any, shown: Any) -> None:
    assert ScreenshotSettings(**settings).shown(wanted) == shown
