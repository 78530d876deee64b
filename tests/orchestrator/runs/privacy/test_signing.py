"""A run that came from elsewhere starts nothing that its settings name, until its reader says so."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from worked.desk_pages import worked

from orchestrator.cli import app
from orchestrator.errors import UsageProblem
from orchestrator.runs.privacy.trust import reaching, signed, trust
from orchestrator.runs.replay.fork import fork
from orchestrator.runs.runs import resume, start
from orchestrator.settings.settings import load_settings

GOAL = 'Create a note titled "Lunch" with the text "at noon" and save it'
MODEL = 'crew.model={"name": "openai:local", "base_url": "http://127.0.0.1:9/v1"}'
ASKING = "safety=ask-all"
REJECT = {"decisions": [{"type": "reject", "message": "no"}]}


def begun(runs_dir: Path, *overrides: str) -> Path:
    """The folder of a run that waits for an approval."""
    outcome = start(load_settings(overrides=[f"runs_dir={json.dumps(str(runs_dir))}", ASKING, *overrides]), GOAL)
    assert outcome.exit_code == 3, outcome.reason
    return outcome.folder


def tool(mark: Path) -> dict[str, Any]:
    """An MCP server that leaves a mark when it is started."""
    code = f"import pathlib; pathlib.Path({str(mark)!r}).write_text('started')"
    return {"command": [sys.executable, "-c", code], "tool": "search"}


def changed(folder: Path, **settings: Any) -> None:
    path = folder / "run.json"
    record = json.loads(path.read_text())
    record["settings"] |= settings
    path.write_text(json.dumps(record))


@pytest.mark.parametrize(("begun_with", "limits"), [((), []), ((MODEL,), []), ((MODEL,), ["limits.steps=200"])])
def test_ones_own_run_goes_on_without_a_question(begun_with: tuple[str, ...], limits: list[str], tmp_path: Path) -> None:
    folder = begun(tmp_path / "runs", *begun_with)
    assert ("signature" in json.loads((folder / "run.json").read_text())) is bool(begun_with)
    assert resume(folder.name, runs_dir=folder.parent, answer=REJECT, overrides=limits).reason


def test_what_was_put_into_the_settings_later_is_named_and_not_started(tmp_path: Path) -> None:
    folder, mark = begun(tmp_path / "runs"), tmp_path / "mark"
    changed(folder, tools=[tool(mark)])
    with pytest.raises(UsageProblem, match=r"was not begun by you .*\(tools\.0\).*deskcrew trust"):
        resume(folder.name, runs_dir=folder.parent)
    with pytest.raises(UsageProblem, match="deskcrew trust"):
        fork(folder.name, 1, runs_dir=folder.parent)
    result = CliRunner().invoke(app, ["takeover", folder.name, "--runs-dir", str(folder.parent), "--do", 'click "Submit"'])
    assert result.exit_code == 2, result.output
    assert not mark.exists()


def test_the_signature_of_one_run_is_none_for_another(tmp_path: Path) -> None:
    folder = begun(tmp_path / "runs", MODEL)
    other = folder.with_name("20260101-000000-abcd")
    shutil.copytree(folder, other)
    record = json.loads((other / "run.json").read_text())
    (other / "run.json").write_text(json.dumps(record | {"run_id": other.name}))
    with pytest.raises(UsageProblem, match=r"crew\.model\.base_url"):
        resume(other.name, runs_dir=other.parent)


def test_somebody_else_is_told_and_may_trust_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begun(tmp_path / "runs", MODEL)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of-another"))
    with pytest.raises(UsageProblem, match="was not begun by you"):
        resume(folder.name, runs_dir=folder.parent)
    runner, asked = CliRunner(), ["trust", folder.name, "--runs-dir", str(folder.parent)]
    assert runner.invoke(app, asked, input="n\n").exit_code != 0
    with pytest.raises(UsageProblem, match="was not begun by you"):
        resume(folder.name, runs_dir=folder.parent)
    result = runner.invoke(app, asked, input="y\n")
    assert result.exit_code == 0
    assert "'http://127.0.0.1:9/v1' (crew.model.base_url)" in result.output
    assert resume(folder.name, runs_dir=folder.parent, answer=REJECT).reason
    assert (tmp_path / "of-another" / "deskcrew" / "run.key").stat().st_mode & 0o777 == 0o600


def test_a_key_that_cannot_be_kept_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begun(tmp_path / "runs")
    changed(folder, environment="browser")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageProblem, match="XDG_STATE_HOME"):
        trust(folder.name, runs_dir=folder.parent)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"environment": "simulated", "tools": [], "crew": {"model": {"base_url": None, "options": {}}}}, []),
        ({"environment": "browser"}, ["environment: browser"]),
        ({"tools": [{"url": "http://x/"}]}, ["'http://x/' (tools.0)"]),
        ({"crew": {"operator": {"model": {"base_url": "http://x"}}}}, ["crew.operator.model.base_url"]),
        ({"crew": {"model": {"options": {"base_url": "http://x"}}}}, ["crew.model.options"]),
        ({"tools": 5, "crew": ["x"]}, []),
    ],
)
def test_what_reaches_beyond_a_run(settings: dict[str, Any], named: list[str]) -> None:
    found = reaching(settings)
    assert len(found) == len(named)
    assert all(part in said for part, said in zip(named, found, strict=True))
    record = {"run_id": "r", "settings": settings}
    assert ("signature" in signed(record)) is bool(named)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("runs")
    return home / worked(home)


@pytest.mark.parametrize("words", [["resume", "--approve"], ["cancel"], ["takeover"]], ids=lambda words: words[0])
def test_nothing_that_is_meant_for_a_copy_is_done_in_the_run(waiting: Path, words: list[str]) -> None:
    copy = waiting.parent / "a-copy"
    shutil.copytree(waiting, copy, dirs_exist_ok=True)
    before = json.loads((waiting / "report.json").read_text(encoding="utf-8"))
    done = CliRunner().invoke(app, [words[0], copy.name, *words[1:], "--runs-dir", str(waiting.parent)])
    assert done.exit_code == 2, done.output
    assert f"a copy of run '{waiting.name}'" in done.output
    assert json.loads((waiting / "report.json").read_text(encoding="utf-8")) == before
