"""What a person answered in earlier runs, kept in a file of theirs: per application and question, with date and run.

It is a convenience and never a permission: an approval is not kept, and an answer from here is said to be from here. Private
answers are not kept at all. A memory that cannot be read or written is said to be so, and the person is asked.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import BeforeValidator, Field

from protocol import Frozen
from roles.knowledge.memory.blackboard import BoardSettings

AnswersMode = Literal["off", "ask", "on"]


def _word(value: Any) -> Any:
    """YAML reads `on` and `off` as yes and no."""
    return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value


class MemorySettings(Frozen):
    """The blackboard of a run, and the answers of its user."""

    blackboard: BoardSettings = BoardSettings()
    """How much of the blackboard a prompt is told; nothing of it is lost."""
    answers: Annotated[AnswersMode, BeforeValidator(_word)] = "off"
    """What a person answered in an earlier run: `off` keeps and uses nothing, `ask` offers it where the same or nearly the same
    is asked in the same application, `on` uses it without asking where exactly the same is asked."""
    answers_days: float = Field(default=180.0, gt=0)
    """How long an answer is good for; what is older is neither offered nor used."""
    answers_file: Path | None = None
    """Where answers are kept; `.deskcrew/answers.sqlite` beside `runs_dir` where nothing is said."""


FILE = "answers.sqlite"
FOLDER = ".deskcrew"
NEARLY = 0.82
"""How alike two questions must be, 0 to 1, for the answer to one to be offered for the other."""
DAY = 86_400.0
_WORDS_ALIKE = 0.6
_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    id INTEGER PRIMARY KEY, app TEXT NOT NULL, asked TEXT NOT NULL, question TEXT NOT NULL, name TEXT NOT NULL,
    value TEXT NOT NULL, run TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL, used INTEGER NOT NULL DEFAULT 0,
    UNIQUE (app, asked))"""
_COLUMNS = "id, app, question, name, value, run, who, at, used"


class RememberedAnswer(Frozen):
    """An answer of an earlier run."""

    id: int
    app: str
    question: str
    name: str
    value: str
    run: str
    who: str
    at: float
    used: int = 0
    """How often it was used since."""
    exact: bool = True
    """Whether exactly this was asked."""

    @property
    def told(self) -> str:
        """`run r1, 2026-01-02`."""
        return f"run {self.run}, {time.strftime('%Y-%m-%d', time.gmtime(self.at))}"


class Answered(NamedTuple):
    """What a person has just said, to be kept or not."""

    app: str
    question: str
    name: str
    value: str
    run: str
    who: str


class AnswerStats(NamedTuple):
    """What there is."""

    answers: int
    expired: int
    used: int
    apps: dict[str, int]
    bytes: int


class MemoryFault(Exception):
    """The memory cannot be read or written. The message is one sentence."""


class Answers(Protocol):
    """What a crew asks of a memory of answers."""

    mode: AnswersMode

    def find(self, question: str, app: str | None) -> RememberedAnswer | None: ...
    def keep(self, said: Answered) -> None: ...
    def note_use(self, remembered: RememberedAnswer) -> None: ...
    def withdraw(self, run: str, private: Callable[[str], bool]) -> int: ...


class NoAnswers:
    """Nothing is kept, and nothing known."""

    mode: AnswersMode = "off"

    def find(self, question: str, app: str | None) -> RememberedAnswer | None:
        return None

    def keep(self, said: Answered) -> None:
        return

    def note_use(self, remembered: RememberedAnswer) -> None:
        return

    def withdraw(self, run: str, private: Callable[[str], bool]) -> int:
        return 0


class AnswerFile:
    """A file of answers, its user's alone; made when something is kept."""

    def __init__(self, path: Path, mode: AnswersMode = "on", days: float = 180.0, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.mode = mode
        self._seconds = days * DAY
        self._clock = clock

    def find(self, question: str, app: str | None) -> RememberedAnswer | None:
        """The answer to this question in this application, or in mode `ask` to one that is nearly the same."""
        wanted, since = plain(question), self._clock() - self._seconds
        query = f"SELECT {_COLUMNS} FROM answers WHERE app = ? AND at > ?"  # noqa: S608 - fixed names
        found = [_remembered(row) for row in self._read(query, app or "", since)]
        exact = next((known for known in found if plain(known.question) == wanted), None)
        if exact is not None or self.mode != "ask":
            return exact
        close = [(alike(wanted, plain(known.question)), known.at, known) for known in found]
        score, _, best = max(close, key=lambda item: item[:2], default=(0.0, 0.0, None))
        return best.model_copy(update={"exact": False}) if best is not None and score >= NEARLY else None

    def keep(self, said: Answered) -> None:
        """In the place of what was answered to it before; what has expired goes."""
        row = (said.app, plain(said.question), said.question, said.name, said.value, said.run, said.who, self._clock())
        with self._open(make=True) as db, db:
            db.execute("DELETE FROM answers WHERE at <= ?", (self._clock() - self._seconds,))
            db.execute(
                "INSERT INTO answers (app, asked, question, name, value, run, who, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (app, asked) DO UPDATE SET question = excluded.question, name = excluded.name, "
                "value = excluded.value, run = excluded.run, who = excluded.who, at = excluded.at, used = 0",
                row,
            )

    def note_use(self, remembered: RememberedAnswer) -> None:
        """Count that it was used once more."""
        if self.path.exists():
            with self._open() as db, db:
                db.execute("UPDATE answers SET used = used + 1 WHERE id = ?", (remembered.id,))

    def withdraw(self, run: str, private: Callable[[str], bool]) -> int:
        """Forget what this run has kept and what is private, as it knows by now; returns how many."""
        mine = [known for known, _ in self.all() if known.run == run and (private(known.value) or private(known.question))]
        return sum(self.remove(known.id) for known in mine)

    def all(self, app: str | None = None) -> list[tuple[RememberedAnswer, bool]]:
        """Every answer, newest first, with whether it is still good."""
        since = self._clock() - self._seconds
        query = f"SELECT {_COLUMNS} FROM answers WHERE (? IS NULL OR app = ?) ORDER BY at DESC, id DESC"  # noqa: S608 - fixed names
        return [(known, known.at > since) for known in map(_remembered, self._read(query, app, app))]

    def remove(self, number: int) -> bool:
        """Forget one; False where there is none of that number."""
        return self._delete("id = ?", number) > 0

    def remove_expired(self) -> int:
        return self._delete("at <= ?", self._clock() - self._seconds)

    def remove_all(self) -> int:
        return self._delete("1 = ?", 1)

    def stats(self) -> AnswerStats:
        found = self.all()
        apps: dict[str, int] = {}
        for known, _ in found:
            apps[known.app] = apps.get(known.app, 0) + 1
        size = self.path.stat().st_size if self.path.exists() else 0
        return AnswerStats(len(found), sum(not good for _, good in found), sum(known.used for known, _ in found), apps, size)

    # --- the file -----------------------------------------------------------------------------------------------

    def _delete(self, where: str, value: Any) -> int:
        if not self.path.exists():
            return 0
        with self._open() as db, db:
            gone = db.execute(f"DELETE FROM answers WHERE {where}", (value,)).rowcount  # noqa: S608 - fixed words
        return gone

    def _read(self, query: str, *values: Any) -> list[Any]:
        if not self.path.exists():
            return []
        with self._open() as db:
            return db.execute(query, values).fetchall()

    def _open(self, *, make: bool = False) -> _OpenFile:
        return _OpenFile(self.path, make)


class _OpenFile:
    """A connection for a moment: several runs may use the file at once."""

    def __init__(self, path: Path, make: bool) -> None:
        self._path = path
        self._make = make

    def __enter__(self) -> sqlite3.Connection:
        try:
            if self._make:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600))
            self._db = sqlite3.connect(self._path, timeout=10.0)
            self._db.execute("PRAGMA secure_delete = ON")
            self._db.execute(_TABLE)
        except (sqlite3.Error, OSError) as bad:
            raise self._fault(bad) from None
        return self._db

    def __exit__(self, kind: object, bad: object, trace: object) -> None:
        with closing(self._db):
            if isinstance(bad, sqlite3.Error):
                raise self._fault(bad) from None

    def _fault(self, bad: Exception) -> MemoryFault:
        return MemoryFault(f"the memory of answers, {self._path}, cannot be used ({bad}); mend or remove that file")


def plain(question: str) -> str:
    """A question without what makes no difference: case, spaces, marks at its end, polite words at its beginning."""
    flat = " ".join(question.casefold().split()).rstrip(" ?.!？。！:")
    return re.sub(r"^(?:please[, ]+|(?:can|could|would) you (?:please )?tell me[, ]+|tell me[, ]+)", "", flat)


def alike(one: str, other: str) -> float:
    """How alike two plain questions are, 0 to 1; none at all where a number, an address or a name in quotes is another."""
    if _particulars(one) != _particulars(other):
        return 0.0
    words, others = set(re.findall(r"\w+", one)), set(re.findall(r"\w+", other))
    shared = len(words & others) / max(len(words | others), 1)
    return SequenceMatcher(None, one, other).ratio() if shared >= _WORDS_ALIKE else 0.0


def _particulars(text: str) -> set[Any]:
    return set(re.findall(r"[\"“']([^\"”']+)[\"”']|(\S*[\d@]\S*)", text))


def _remembered(row: Any) -> RememberedAnswer:
    return RememberedAnswer(**dict(zip(_COLUMNS.split(", "), row, strict=True)))


def answers_path(file: Path | None, runs_dir: Path) -> Path:
    """Where answers are kept: beside the runs, where the settings do not say."""
    return file if file is not None else runs_dir.parent / FOLDER / FILE
