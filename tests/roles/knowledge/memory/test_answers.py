"""The memory of answers as a file: what is found in it, for how long, and who may read it."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from roles.contracts.context import Answered, MemoryFault
from roles.knowledge.answers import DAY, AnswerFile, answers_path


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def said(question: str, value: str, app: str = "billing", run: str = "r1") -> Answered:
    return Answered(app, question, "answer", value, run, "ada")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(tmp_path: Path, clock: Clock) -> AnswerFile:
    return AnswerFile(tmp_path / ".deskcrew" / "answers.sqlite", "ask", 10.0, clock)


def test_nothing_is_made_until_something_is_kept_and_then_it_is_its_users_alone(kept: AnswerFile) -> None:
    assert kept.find("Which amount?", "billing") is None
    assert (kept.all(), kept.path.parent.exists()) == ([], False)
    kept.keep(said("Which amount?", "$7.50"))
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_the_same_question_is_found_in_the_same_application_only(kept: AnswerFile) -> None:
    kept.keep(said("Which amount is it?", "$7.50"))
    found = kept.find("  which AMOUNT is it ", "billing")
    assert (found.value, found.exact, found.run, found.who, found.told) == ("$7.50", True, "r1", "ada", "run r1, 1970-01-12")
    assert kept.find("Which amount is it?", "mail") is None
    assert kept.find("Which amount is it?", None) is None


def test_a_question_that_is_nearly_the_same_is_offered_only_and_never_where_a_particular_differs(kept: AnswerFile) -> None:
    kept.keep(said("Which account should the invoice be paid from?", "checking"))
    near = "Which account should this invoice be paid from?"
    found = kept.find(near, "billing")
    assert not found.exact
    assert AnswerFile(kept.path, "on", 10.0, lambda: 1_000_000.0).find(near, "billing") is None
    assert kept.find("What colour should the page be?", "billing") is None
    kept.keep(said("Which account should invoice 17 be paid from?", "savings"))
    assert kept.find("Which account should invoice 18 be paid from?", "billing") is None


def test_a_newer_answer_takes_the_place_of_the_older(kept: AnswerFile) -> None:
    kept.keep(said("Which amount?", "$7.50"))
    kept.keep(said("which amount", "$8.00", run="r2"))
    ((only, good),) = kept.all()
    assert (only.value, only.run, good) == ("$8.00", "r2", True)


def test_an_answer_that_is_too_old_is_not_used_and_goes_when_another_comes(kept: AnswerFile, clock: Clock) -> None:
    kept.keep(said("Which amount?", "$7.50"))
    clock.now += 10 * DAY + 1
    assert kept.find("Which amount?", "billing") is None
    assert [good for _, good in kept.all()] == [False]
    kept.keep(said("Which day?", "Monday"))
    assert [known.value for known, _ in kept.all()] == ["Monday"]


def test_answers_are_forgotten_one_by_one_the_old_ones_or_all(kept: AnswerFile, clock: Clock) -> None:
    for n in range(4):
        kept.keep(said(f"Which {'abcd'[n]}?", f"value-{n}"))
        clock.now += 4 * DAY if n == 0 else 1
    first = kept.all()[-1][0]
    assert kept.remove(first.id)
    assert not kept.remove(first.id)
    clock.now += 20 * DAY
    assert kept.remove_expired() == 3
    assert kept.remove_all() == 0
    assert b"value-" not in kept.path.read_bytes(), "what is forgotten is not left in the file"


def test_uses_are_counted(kept: AnswerFile) -> None:
    kept.keep(said("Which amount?", "$7.50"))
    kept.keep(said("Which day?", "Monday", app="calendar"))
    found = kept.find("Which day?", "calendar")
    assert found is not None
    kept.note_use(found)
    assert {known.question: known.used for known, _ in kept.all()} == {"Which amount?": 0, "Which day?": 1}


def test_what_a_run_learns_to_be_private_is_taken_back_of_that_run_alone(kept: AnswerFile) -> None:
    kept.keep(said("Which word?", "hunter2", run="r1"))
    kept.keep(said("Which word?", "hunter2", app="mail", run="r2"))
    assert kept.withdraw("r1", lambda text: "hunter2" in text) == 1
    assert [known.run for known, _ in kept.all()] == ["r2"]


def test_what_is_no_memory_is_one_sentence_and_where_it_stands_is_known(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_text("this is no database, and long enough to be looked at as one" * 20)
    with pytest.raises(MemoryFault, match=r"answers\.sqlite, cannot be used .*correct or remove that file"):
        AnswerFile(path).find("Which?", "billing")
    with pytest.raises(MemoryFault):
        AnswerFile(path).keep(said("Which?", "this"))
    path = tmp_path / "others.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE answers (a)")
    db.close()
    with pytest.raises(MemoryFault):
        AnswerFile(path).find("Which?", "billing")
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MemoryFault):
        AnswerFile(tmp_path / "link.sqlite").keep(said("Which?", "this"))
    assert not (tmp_path / "elsewhere").exists()
    assert answers_path(None, tmp_path / "runs") == tmp_path / ".deskcrew" / "answers.sqlite"
    assert answers_path(tmp_path / "mine", tmp_path / "runs") == tmp_path / "mine"
