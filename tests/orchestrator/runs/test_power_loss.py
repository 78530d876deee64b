"""Failing power takes the end of a file, or leaves rubbish in it: the run goes on from what is whole, or says what is lost."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import sampled
from warm import python
from worked.runs import claims, deskcrew

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
