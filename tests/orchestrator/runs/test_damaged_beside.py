"""What is damaged beside a run's journal costs that run something, and no other one anything."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from worked.desk_runs import waiting_run

from orchestrator.control.channel import FILE, Channel, given_to, holder_of
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.runs.folders import list_runs, show_run

DEEP = "[" * 100_000


def rows(*statements: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        with sqlite3.connect(folder / FILE) as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    return damage


def asked(kind: str, body: str) -> Callable[[Path], None]:
    return rows(f"INSERT INTO requests (at, kind, body, who) VALUES (1, '{kind}', '{body}', 'x')")


def instead(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return damage


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a request that is no JSON": asked("pause", "{nojson"), "one that is no mapping": asked("steer", "[1]"),
    "one that is deep": asked("steer", DEEP), "other tables": rows("DROP TABLE lease", "CREATE TABLE lease (a)"),
    "a pipe": instead(FILE, os.mkfifo), "a folder": instead(FILE, Path.mkdir),
    "cut off": lambda folder: os.truncate(folder / FILE, 5_000),
    "noise": instead(FILE, lambda path: path.write_bytes(os.urandom(9_000))),
    "a pipe for a journal": instead("journal.sqlite", os.mkfifo),
    "a pipe for a vault": instead("vault.jsonl", os.mkfifo), "a pipe for the beginning": instead("world.initial.json", os.mkfifo),
}  # fmt: skip


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two")
    for _ in range(2):
        waiting_run(folder)
    return folder


@pytest.mark.timeout(90)
@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_run_hinders_no_other_and_says_a_sentence(how: str, two: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "runs"
    shutil.copytree(two, folder)
    mine, other = sorted(path.name for path in folder.iterdir())
    DAMAGES[how](folder / mine)
    assert {run.run_id for run in list_runs(folder)} == {mine, other}
    assert show_run(other, runs_dir=folder).report["status"] == "on_hold"
    said = ""
    try:
        runs.resume(mine, runs_dir=folder)
    except UsageProblem as bad:
        said = str(bad)
    assert "\n" not in said
    assert bool(said) == (how == "a pipe for a journal")
    assert holder_of(folder / mine) is None
    assert runs.resume(other, runs_dir=folder).status == "on_hold"


def test_an_answer_that_cannot_be_read_is_none_and_another_takes_its_place(tmp_path: Path) -> None:
    channel = Channel(tmp_path)
    for body in ("{nojson", "[1]", DEEP):
        channel.withdraw("a")
        rows(f"INSERT INTO answers (asking, at, who, body) VALUES ('a', 1, 'x', '{body}')")(tmp_path)
        assert channel.given("a") is None
        assert given_to(tmp_path, "a") is None
        assert channel.answer("a", {"yes": 1}, "ada").answer == {"yes": 1}
    assert channel.answer("a", {"yes": 2}, "bob").answer == {"yes": 1}
    channel.close()
