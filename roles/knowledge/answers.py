"""What a person answered in earlier runs, kept in a file of theirs: per application and question, with date and run.

It is a convenience and never a permission: an approval is not kept, and an answer from here is said to be from here. Private
answers are not kept at all. A memory that cannot be read or written is said to be so, and the person is asked.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from protocol import AskUser, Frozen, JsonObject
from roles.contracts.context import Answered, Answers, AnswersMode, Context, MemoryFault, RememberedAnswer
from roles.contracts.facts import BoardSettings
from roles.journal.events import AnswerKeptEvent, AnswerRecalledEvent, ErrorEvent
from roles.safety.privacy.vault import references_in

PRIVATE = "private answers are not kept"
ASKED_PRIVATE = "it asks for something private"


def recall(ctx: Context, ask: AskUser, app: str | None, *, secret: bool) -> JsonObject | None:
    """What is known of this question from an earlier run, as JSON with where it is `from`; None where nothing is."""
    if ctx.answers.mode == "off" or secret or references_in(ask.question):
        return None
    try:
        known = ctx.answers.find(ask.question, app)
    except MemoryFault as fault:
        ctx.journal.record(ErrorEvent(message=str(fault)), role="operator", key=f"memory/{fault}")
        return None
    if known is None or ctx.journal.masked(known.value) != known.value:
        return None
    return known.model_dump(mode="json", exclude={"used"}) | {"from": known.told}


def note_recall(ctx: Context, ask: AskUser, known: JsonObject, *, subtask: str, step: int) -> None:
    """Say that nobody was asked, and why; count the use."""
    said = AnswerRecalledEvent(**{"asked": ask.question, "name": ask.name, **known})
    ctx.journal.record(said, role="memory", subtask=subtask, step=step, key=f"recalled/{subtask}/{step}")
    try:
        ctx.answers.note_use(RememberedAnswer.model_validate({k: v for k, v in known.items() if k != "from"}))
    except MemoryFault as fault:
        ctx.journal.record(ErrorEvent(message=str(fault)), role="operator", key=f"memory/{fault}")


def keep(ctx: Context, ask: AskUser, value: str, who: str, app: str | None, *, secret: bool, place: JsonObject) -> None:
    """Keep what a person has just answered for later runs, or say why it is not kept."""
    if ctx.answers.mode == "off" or not value.strip():
        return
    why = ASKED_PRIVATE if secret else PRIVATE if references_in(value) or references_in(ask.question) else ""
    if not why:
        try:
            ctx.answers.keep(Answered(app or "", ask.question, ask.name, value, ctx.journal.run_key, who))
        except MemoryFault as fault:
            why = str(fault)
    said = AnswerKeptEvent(question=ask.question, app=app or "", kept=not why, why=why)
    ctx.journal.record(said, role="memory", **place, key=f"kept/{place['subtask']}/{place['step']}")


def withdraw_private(ctx: Context) -> int:
    """Forget answers of this run that turned out to be private since; returns how many."""
    if ctx.answers.mode == "off":
        return 0
    try:
        return ctx.answers.withdraw(ctx.journal.run_key, lambda text: ctx.journal.masked(text) != text)
    except MemoryFault as fault:
        ctx.journal.record(ErrorEvent(message=str(fault)), role="operator", key=f"memory/{fault}")
        return 0


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


class AnswerFile(Answers):
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

    @contextmanager
    def _open(self, *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection for a moment: several runs may use the file at once. Raises MemoryFault."""
        try:
            if make:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600))
            with closing(sqlite3.connect(self.path, timeout=10.0)) as db:
                db.execute("PRAGMA secure_delete = ON")
                db.execute(_TABLE)
                yield db
        except (sqlite3.Error, OSError) as bad:
            said = f"the memory of answers, {self.path}, cannot be used ({bad}); correct or remove that file"
            raise MemoryFault(said) from None


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
