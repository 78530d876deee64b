"""Completion in a shell: the words that fit, from names of files alone, and none that a shell would obey."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm import python
from worked.runs import deskcrew

from orchestrator.cli.common import ASKED, script

BEGUN = "20260302-090000-1f3a"
HOSTILE = ["$(touch owned)", "`touch owned`", "a;touch owned", "\\$(touch owned)", "-rf", "a b", "a'b", 'a"b']


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (BEGUN, "20260303-100000-77aa", *HOSTILE):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").write_text("{}")
    (tmp_path / "runs" / "no-run").mkdir()
    return tmp_path


def completed(words: list[str], folder: Path) -> list[str]:
    """What bash offers for the last of the words, asked through the script that it reads."""
    lines = [
        script("bash"),
        'COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))',
        "_deskcrew_completion deskcrew",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    ]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines), "bash", "deskcrew", *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["re"], ["read", "resume", "replay"]),
        (["show", ""], ["20260303-100000-77aa", BEGUN]),
        (["resume", "20260302"], [BEGUN]),
        (["show", "--runs-dir", "elsewhere", ""], [""]),
        (["run", "invoice-to-r"], ["invoice-to-reimbursement"]),
        (["run", "x", "--world", "office-i"], ["office-injected", "office-interrupted"]),
        (["view", "--w"], ["--with"]),
        (["policies", "s"], ["show"]),
        (["run", "--display", "j"], ["json"]),
    ],
)
def test_a_shell_is_offered_what_fits(words: list[str], expected: list[str], folder: Path) -> None:
    assert completed(words, folder) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_shell_that_evaluates_what_it_is_told_is_told_plain_words_only(shell: str, folder: Path) -> None:
    environment = {**os.environ, ASKED: f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "deskcrew show "}
    environment["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    done = python("-m", "deskcrew", cwd=folder, env=environment)
    assert BEGUN in done.stdout
    assert "touch" not in done.stdout
    assert not (folder / "owned").exists()
    assert python("-m", "deskcrew", "completion", shell).stdout.strip() == script(shell).strip()


def test_another_shell_is_refused_in_one_sentence() -> None:
    assert deskcrew("completion", "cmd") == (2, "deskcrew: There is no completion for 'cmd'; name one of bash, zsh, fish.\n")


def test_completing_imports_nothing_heavy(folder: Path) -> None:
    code = (
        "import sys\nfrom orchestrator.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'langgraph', 'langchain_core', 'protocol', 'yaml', 'rich', 'sqlite3'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    environment = {**os.environ, ASKED: "complete_bash", "COMP_WORDS": "deskcrew show ", "COMP_CWORD": "2"}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert BEGUN in done.stdout
