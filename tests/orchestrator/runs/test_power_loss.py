"""Failing power and other damage: a run goes on from what is whole, or says what is lost, and no other one is concerned."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import sampled
from warm import python
from worked.desk_runs import waiting_run
from worked.runs import claims, deskcrew

from orchestrator.control.channel import FILE, Channel, given_to, holder_of
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.runs.folders import list_runs, show_run
from orchestrator.store.salvage import salvage

pytestmark = pytest.mark.slow("processes that are killed")

ROOT = Path(__file__).parents[3]
GOAL = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
LAST = 1024
"""The last page of a database, the end of a text."""


def end_of(body: bytes) -> int:
    return min(LAST, len(body))


DAMAGES: dict[str, Callable[[bytes], bytes] | None] = {
    "cut_off": lambda body: body[: -min(LAST, len(body) // 2)],
    "half_a_page": lambda body: body[:-7],
    "rubbish": lambda body: body[: -end_of(body)] + random.Random(1).randbytes(end_of(body)),
    "zeros": lambda body: body[: -end_of(body)] + bytes(end_of(body)),
    "no_beginning": lambda body: random.Random(2).randbytes(min(64, len(body))) + body[64:],
    "emptied": lambda body: b"",
    "missing": None,
}
NAMES = ["run.json", "report.json", "log.jsonl", "journal.sqlite", "checkpoints.sqlite", "world.sqlite"]
LOGS = ["journal.sqlite-wal", "checkpoints.sqlite-wal", "world.sqlite-wal"]


def cases(names: list[str]) -> list[Any]:
    """A third of what can become of each file; every damage comes up."""
    every = [pytest.param(name, how, id=f"{name}-{said}") for name in names for said, how in DAMAGES.items()]
    return [*sampled(every, 3)]


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that waits for approval, its files closed."""
    runs = tmp_path_factory.mktemp("waiting")
    assert deskcrew("run", GOAL, "--display", "none", "--runs-dir", runs)[0] == 3
    return next(runs.iterdir())


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was killed at work, with SQLite's logs beside its databases."""
    runs = tmp_path_factory.mktemp("killed")
    python(ROOT / "scripts" / "kill_sweep.py", "--child", "--task", GOAL, "--runs-dir", runs, "--fatal", "55")
    folder = next(runs.iterdir())
    assert not (folder / "report.json").exists()
    assert all((folder / name).stat().st_size for name in LOGS)
    return folder


def damaged(folder: Path, name: str, how: Callable[[bytes], bytes] | None, to: Path) -> Path:
    """A copy of the run with one file as failing power could leave it."""
    copy = to / folder.name
    shutil.copytree(folder, copy)
    if how is None:
        (copy / name).unlink()
    else:
        (copy / name).write_bytes(how((copy / name).read_bytes()))
    return copy


def worked_on(copy: Path, name: str, *, answer: bool) -> int:
    """Take the run up until it ends or cannot be taken up; whatever happens, nothing is done twice and everything is said."""
    code, said = deskcrew("resume", copy.name, *(["--approve"] if answer else []), "--display", "none", "--runs-dir", copy.parent)
    if "continue from its journal" in said or "is not waiting for an answer" in said:
        code, said = deskcrew("resume", copy.name, "--display", "none", "--runs-dir", copy.parent)
    if code == 3:
        code, said = deskcrew("resume", copy.name, "--approve", "--display", "none", "--runs-dir", copy.parent)
    if code == 2:
        assert name.removesuffix("-wal") in said or not (copy / "run.json").exists(), said
    else:
        assert code == 0, said
        assert [claim["amount"] for claim in claims(copy)][-1:] == ["12.50"]
        assert len([claim for claim in claims(copy) if claim["amount"] == "12.50"]) == 1
    if (copy / "run.json").exists():
        shown, said = deskcrew("show", copy.name, "--runs-dir", copy.parent)
        assert shown in (0, 2), said
    return code


@pytest.mark.parametrize(("name", "how"), cases(NAMES))
def test_a_run_that_waits_survives_damage_or_says_what_is_missing(
    waiting: Path, tmp_path: Path, name: str, how: Callable[[bytes], bytes] | None
) -> None:
    code = worked_on(damaged(waiting, name, how, tmp_path), name, answer=True)
    if name in {"report.json", "log.jsonl", "checkpoints.sqlite"}:
        assert code == 0
    if name in {"run.json", "journal.sqlite"}:
        assert code == 2


@pytest.mark.parametrize(("name", "how"), cases(["checkpoints.sqlite", "journal.sqlite", "world.sqlite", *LOGS]))
def test_a_run_that_was_at_work_survives_damage_or_says_what_is_missing(
    killed: Path, tmp_path: Path, name: str, how: Callable[[bytes], bytes] | None
) -> None:
    code = worked_on(damaged(killed, name, how, tmp_path), name, answer=False)
    if name.startswith("checkpoints"):
        assert code == 0


@pytest.mark.parametrize("lost", ["missing", "rubbish"])
def test_a_run_whose_position_is_lost_goes_on_as_it_was_decided_and_not_by_a_later_screen(tmp_path: Path, lost: str) -> None:
    runs = tmp_path / "runs"
    assert deskcrew("run", "invoice-to-reimbursement", "--display", "none", "--runs-dir", runs)[0] == 3
    whole = next(runs.iterdir())
    copy = damaged(whole, "checkpoints.sqlite", DAMAGES[lost], tmp_path / "copy")
    answered = []
    for folder in (whole, copy):
        if folder is copy:  # it asks once more
            assert deskcrew("resume", copy.name, "--display", "none", "--runs-dir", copy.parent)[0] == 3
        assert deskcrew("resume", folder.name, "--approve", "--display", "none", "--runs-dir", folder.parent)[0] == 0
        steps = [event for event in salvage(folder / "journal.sqlite").events if event.kind == "step"]
        answered.append([(event.step, event.body["action"], event.body["after"]) for event in steps])
    assert answered[0] == answered[1]
    assert deskcrew("replay", copy.name, "--runs-dir", copy.parent)[0] == 0


def test_a_lost_world_is_made_anew_by_the_fork_that_the_message_names(waiting: Path, tmp_path: Path) -> None:
    copy = damaged(waiting, "world.sqlite", DAMAGES["emptied"], tmp_path)
    code, said = deskcrew("resume", copy.name, "--approve", "--runs-dir", tmp_path)
    assert code == 2
    words = said.partition("deskcrew fork ")[2].split()  # with the folder that the command was given
    code, said = deskcrew("fork", *words, "--display", "none")
    assert code == 3, said
    made = next(path for path in tmp_path.iterdir() if path.name != copy.name)
    assert deskcrew("resume", made.name, "--approve", "--display", "none", "--runs-dir", tmp_path)[0] == 0
    assert [claim["amount"] for claim in claims(made)][-1:] == ["12.50"]


# --- what is damaged beside a run's journal costs that run something, and no other one anything


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


BESIDE: dict[str, Callable[[Path], None]] = {
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
@pytest.mark.parametrize("how", BESIDE)
def test_a_damaged_run_hinders_no_other_and_says_a_sentence(how: str, two: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "runs"
    shutil.copytree(two, folder)
    mine, other = sorted(path.name for path in folder.iterdir())
    BESIDE[how](folder / mine)
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
