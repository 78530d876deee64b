"""A folder of a run that was copied or renamed: what is meant for it is done in no other run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner
from worked.desk_pages import worked

from orchestrator.cli import app


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


def test_a_run_of_an_earlier_version_goes_on_where_a_setting_that_is_gone_said_what_is_done_now(
    waiting: Path, tmp_path: Path
) -> None:
    there = tmp_path / waiting.name
    shutil.copytree(waiting, there)
    record = json.loads((there / "run.json").read_text(encoding="utf-8"))
    record["settings"] |= {"store": "sqlite", "sandbox": "bubblewrap"}
    record["settings"]["limits"]["parallel"] = 1
    record["settings"]["crew"]["operator"] |= {"voters": ["llm", "llm", "llm"], "when": []}
    (there / "run.json").write_text(json.dumps(record), encoding="utf-8")
    done = CliRunner().invoke(app, ["resume", there.name, "--approve", "--runs-dir", str(tmp_path)])
    assert done.exit_code == 0, done.output
