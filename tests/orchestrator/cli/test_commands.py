"""The table of commands: it says what is there, help needs none of it, and what is shipped is listed by name."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from warm import python
from worked.runs import deskcrew

from orchestrator.cli.commands import PARTS, SECTIONS, built
from orchestrator.cli.common import connected, guarded
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import shipped_names

BEGUN = "20260302-090000-1f3a"
MODULES = """
import os, sys
from orchestrator.cli import main
for words in {commands!r}:
    if not os.fork():
        sys.argv = ["deskcrew", *words]
        try:
            main()
        except SystemExit:
            pass
        print("\\n--", "+".join(words), *sys.modules, flush=True)
        os._exit(0)
    os.wait()
"""
HELPS = [[*name.split(), "--help"] for name in (*PARTS, "knowledge ls", "log convert", "policies show", "skills try")]


def modules_after(commands: list[list[str]], folder: Path) -> dict[str, set[str]]:
    """By command what Python has imported once it has been worked, each in a fork of a Python that has done nothing else."""
    code = [sys.executable, "-c", MODULES.format(commands=commands)]
    done = subprocess.run(code, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("-- ")]
    assert len(told) == len(commands), done.stderr
    return {words: set(modules) for words, *modules in told}


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    return modules_after([["--help"], *HELPS], tmp_path_factory.mktemp("nothing"))


def test_help_names_every_command_under_its_heading() -> None:
    said = deskcrew("--help")[1]
    assert all(built(name).name == name and built(name).help for name in PARTS)
    for title, parts in SECTIONS.items():
        assert f"{title}:" in said
        assert all(part.about in said for part in parts.values())


def test_help_imports_no_command_and_no_library_but_the_one_for_commands(helped: dict[str, set[str]]) -> None:
    found = helped["--help"]
    ours = {name for name in found if name.startswith(("orchestrator", "roles", "environments", "protocol"))}
    assert ours == {"orchestrator", "orchestrator.cli", "orchestrator.cli.commands", "orchestrator.cli.common"}
    assert not found & {"rich", "pydantic", "yaml", "langgraph", "langchain_core", "starlette", "fastapi", "sqlite3", "json"}


@pytest.mark.parametrize("words", HELPS, ids=" ".join)
def test_help_of_a_command_imports_nothing_that_only_its_work_needs(words: list[str], helped: dict[str, set[str]]) -> None:
    found = helped["+".join(words)]
    assert not found & {"rich", "pydantic", "yaml", "sqlite3", "asyncio", "importlib.metadata", "langgraph", "starlette", "httpx"}
    assert not {name for name in found if name.startswith(("roles", "environments", "protocol"))}


@pytest.mark.parametrize(
    ("words", "none_of"),
    [
        (["ls"], {"cel", "prompt_toolkit", "roles", "protocol", "rapidfuzz", "yaml", "asyncio", "rich.console", "langgraph"}),
        (["ls", "--json"], {"cel", "prompt_toolkit", "roles", "protocol", "rapidfuzz", "yaml", "asyncio", "langgraph"}),
        (["run", "--show-config"], {"langgraph", "langchain_core", "langsmith"}),
        (["tasks"], {"cel", "prompt_toolkit", "roles", "rapidfuzz", "asyncio", "rich.console", "sqlite3", "langgraph"}),
        (["worlds"], {"cel", "prompt_toolkit", "roles", "rapidfuzz", "asyncio", "rich.console", "sqlite3", "langgraph"}),
        (["show", BEGUN], {"cel", "prompt_toolkit", "asyncio", "rich.console", "langgraph", "langchain_core", "lark"}),
        (["view", BEGUN], {"cel", "prompt_toolkit", "asyncio", "rich.console", "langgraph", "langchain_core", "PIL"}),
    ],
)
def test_a_run_is_listed_and_shown_without_what_works_one(words: list[str], none_of: set[str], tmp_path: Path) -> None:
    folder = tmp_path / "runs" / BEGUN
    folder.mkdir(parents=True)
    record = {"run_id": BEGUN, "goal": "g", "settings": {"world": "office", "seed": 0}, "started": 1.0}
    (folder / "run.json").write_text(json.dumps(record))
    (found,) = modules_after([words], tmp_path).values()
    assert "orchestrator.errors" in found or "orchestrator.tasks.shipped" in found, "it came as far as its work"
    assert not found & none_of


@pytest.mark.parametrize(("typed", "meant"), [("taks", "tasks"), ("resum", "resume"), ("polices", "policies")])
def test_a_command_that_is_mistyped_is_told_in_one_sentence_with_the_one_meant(typed: str, meant: str, tmp_path: Path) -> None:
    done = python("-m", "deskcrew", typed, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"deskcrew: there is no command '{typed}' (did you mean '{meant}'?); see: deskcrew --help\n"


@pytest.mark.parametrize("kind", ["tasks", "worlds", "policies"])
def test_what_is_shipped_is_listed_as_a_table_and_as_data_and_found_by_any_word_of_it(kind: str) -> None:
    names = list(shipped_names(kind))
    assert [one["name"] for one in json.loads(deskcrew(kind, "--json")[1])] == names
    lines = deskcrew(kind)[1].splitlines()
    assert lines[0].startswith("NAME")
    assert [line.split()[0] for line in lines[1:]] == names
    if kind == "policies":  # a group: alone it lists
        return
    found = json.loads(deskcrew(kind, "PHONE", "--json")[1])
    assert 0 < len(found) < len(names)
    assert all("phone" in json.dumps(one).casefold() for one in found)
    assert "Nothing" in deskcrew(kind, "no such thing")[1]


def test_a_file_where_the_folder_of_runs_is_expected_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    told = f"deskcrew: {tmp_path / 'runs'} is not a folder; name the one with the runs: --runs-dir FOLDER.\n"
    assert deskcrew("ls", "--runs-dir", tmp_path / "runs") == (2, told)
    assert deskcrew("ls", "--runs-dir", tmp_path / "none")[0] == 0


def unreadable(folder: Path) -> None:
    raise PermissionError(13, "Permission denied", "/data/\x1b[2Jruns")


def of_the_users(folder: Path) -> None:
    exec(compile("def decide(view):\n    raise KeyError('x')\ndecide(None)", str(folder / "mine.py"), "exec"))


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (unreadable, 2, "cannot be used (Permission denied)"),
        (lambda folder: sqlite3.connect(f"file:{folder}/nowhere/control.sqlite?mode=rw", uri=True), 1,
         "A file of the run cannot be used (unable to open database file); see that its folder can be written"),
        (of_the_users, 1, "mine.py, line 2, raised an error: KeyError: 'x'"),
    ],
)  # fmt: skip
def test_what_is_no_fault_of_ours_is_a_sentence_about_whose_it_is(
    fault: Callable[[Path], None], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended, guarded(debug=False):
        fault(tmp_path)
    told = capsys.readouterr().err
    assert ended.value.exit_code == code
    assert said in told
    assert told.count("\n") == 1
    assert "\x1b" not in told


@pytest.mark.parametrize("named", ["", " --runs-dir elsewhere", " --server https://desk.example"])
def test_a_command_in_an_error_names_the_folder_of_runs_once(
    named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), guarded(debug=False), connected(tmp_path):
        raise UsageProblem(f"see it with: deskcrew show {BEGUN}{named}")
    place = named or f" --runs-dir {tmp_path}"
    assert capsys.readouterr().err == f"deskcrew: see it with: deskcrew show {BEGUN}{place}\n"
