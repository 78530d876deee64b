"""The command as it is typed: exit codes, one sentence for each mistake, nothing loaded that is not needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm import python

TASK = "invoice-to-reimbursement"


def deskcrew(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The real command, in its own process, without a terminal."""
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "100"}
    return python("-m", "deskcrew", *words, cwd=cwd, env=environment)


BAD_INPUT: list[tuple[list[str], list[str]]] = [
    (["run", ""], ["goal is empty"]),
    (["run"], ["No goal is given"]),
    (["run", "missing.yaml"], ["no task file missing.yaml"]),
    (["run", "invoice-to-reimbursment.yaml"], ["did you mean invoice-to-reimbursement"]),
    (["run", "unknown-key.yaml"], ["unknown-key.yaml, line 2", "unknown key 'wrold'", "did you mean 'world'"]),
    (["run", "not-yaml.yaml"], ["not-yaml.yaml, line 2", "not valid YAML"]),
    (["run", "binary.yaml"], ["binary.yaml", "not UTF-8"]),
    (["run", "unknown-app.yaml"], ["world.yaml", "spredsheet"]),
    (["run", "bad-world.yaml"], ["broken.yaml"]),
    (["run", "Open mail", "--world", "no-such-world"], ["no-such-world"]),
    (["run", "Open mail", "-c", "limits.setps=4"], ["command line", "did you mean 'steps'"]),
    (["run", "Open mail", "--config", "nowhere.yaml"], ["no config file nowhere.yaml"]),
    (["run", "Open mail", "-c", "environment=real"], ["environment", "'real'"]),
    (["run", "Open mail", "--seed", "x"], ["--seed"]),
    (["run", "Open mail", "--runs-dir", "not-yaml.yaml/runs"], ["runs"]),
    (["run", "Open mail", "--nonsense"], ["--nonsense"]),
    (["resume", "abcd"], ["no run 'abcd'", "deskcrew ls"]),
    (["resume", "abcd", "--approve", "--reject", "no"], ["one answer"]),
    (["resume", "abcd", "--edit", "nowhere.json"], ["nowhere.json", "cannot be read"]),
    (["resume", "abcd", "--edit", "not-yaml.yaml"], ["not-yaml.yaml", "neither JSON nor YAML"]),
    (["show", "abcd"], ["no run 'abcd'"]),
]


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file for each kind of mistake."""
    folder = tmp_path_factory.mktemp("mistakes")
    files = {
        "unknown-key.yaml": "goal: open mail\nwrold: office\n",
        "not-yaml.yaml": "goal: [a\nb: c\n",
        "world.yaml": "apps:\n  spredsheet: {}\n",
        "unknown-app.yaml": "goal: open mail\nworld: ./world.yaml\n",
        "broken.yaml": "windows: [\n",
        "bad-world.yaml": "goal: open mail\nworld: ./broken.yaml\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "binary.yaml").write_bytes(b"goal: \xff\xfe\n")
    return folder


@pytest.mark.parametrize(("words", "parts"), BAD_INPUT, ids=[" ".join(words) or "nothing" for words, _ in BAD_INPUT])
def test_bad_input_is_one_clear_sentence_and_exit_code_2(words: list[str], parts: list[str], mistakes: Path) -> None:
    done = deskcrew(*words, cwd=mistakes)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for part in parts:
        assert part in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (mistakes / "runs").exists() or not list((mistakes / "runs").iterdir())


def test_debug_shows_the_traceback_and_keeps_the_exit_code(tmp_path: Path) -> None:
    done = deskcrew("run", "", "--debug", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert "goal is empty" in done.stderr.splitlines()[-1]


def test_show_config_prints_every_value_and_its_source(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("limits: {steps: 30}\n", encoding="utf-8")
    words = ["run", TASK, "--config", "mine.yaml", "-c", "limits.gates=5", "--seed", "4", "--show-config"]
    done = deskcrew(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    line = {text.split()[0]: text for text in done.stdout.splitlines()}
    assert line["limits.gates"].endswith("command line")
    assert line["seed"].split()[1] == "4"
    assert not (tmp_path / "runs").exists()
    listed = json.loads(deskcrew(*words, "--json", cwd=tmp_path).stdout)
    assert {"key": "limits.gates", "value": 5, "source": "command line"} in listed


def test_a_run_without_a_terminal_waits_with_exit_code_3_tells_its_outcome_last_is_listed_shown_and_answered(
    tmp_path: Path,
) -> None:
    done = deskcrew("run", TASK, "--json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["kind"], last["exit_code"]) == ("run_outcome", 3)
    assert last["pending"]["action_requests"]
    listed = json.loads(deskcrew("ls", "--json", cwd=tmp_path).stdout)
    assert [(run["run_id"], run["waiting"]) for run in listed] == [(last["run_id"], True)]
    assert "waiting" in deskcrew("ls", cwd=tmp_path).stdout
    shown = deskcrew("show", str(last["run_id"]), cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for part in ("goal", "plan", "steps", "status  waiting"):
        assert part in shown.stdout
    as_data = json.loads(deskcrew("show", str(last["run_id"]), "--json", cwd=tmp_path).stdout)
    assert as_data["report"]["status"] == "on_hold"
    again = deskcrew("resume", str(last["run_id"]), cwd=tmp_path)
    assert (again.returncode, "\x1b" in again.stdout) == (3, False)
    assert f"deskcrew resume {last['run_id']} --approve" in again.stdout
    done = deskcrew("resume", str(last["run_id"]), "--approve", cwd=tmp_path)
    assert (done.returncode, "✓  fulfilled" in done.stdout) == (0, True), done.stdout + done.stderr


def test_doctor_says_how_to_mend_what_is_wrong_and_finds_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("in the way", encoding="utf-8")
    done = deskcrew("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert {"sandbox", "browser", "model", "runs", "world", "pictures", "extras"} <= {check["name"] for check in found}
    bad = [check for check in found if not check["ok"]]
    assert [check["name"] for check in bad] == ["runs"]
    assert bad[0]["fix"]


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    command = f"{sys.executable} -m deskcrew run --show-config | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    assert "fault" not in done.stderr
