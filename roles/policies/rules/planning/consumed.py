"""Whether the words that change a goal's extent were read: what can be taken out or replaced without a difference was not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from roles.contracts import clauses as c

Reading = Callable[[str], Sequence[c.Clause]]

_QUOTED = r"\"[^\"]*\"|“[^”]*”"
_BEGINS = r"(?:^|[.,;:!?]\s+|[-–—]\s+|\b(?:and|but|then|please|so)\s+)"
_MARK = re.compile(
    rf"{_QUOTED}"
    r"|\b(?P<several>(?:all|every|each|both|several|any)(?:\s+one\b)?(?:\s+of)?(?:\s+(?:the|my|our|these|those))?)(?=\s+\w)"
    rf"|{_BEGINS}(?P<not>(?:do\s+not|don['’]t|never)\b)"
    r"|\b(?P<without>without(?=\s+\w+ing\b)|(?:must|should|may|shall)(?:\s+not|n['’]t))"
    r"|(?P<but>\b(?:except|apart\s+from|other\s+than|unless)\b)"
    r"|(?<!ask me )(?<!ask us )(?<!tell me )\b(?P<if>if|provided(?:\s+that)?|in\s+case)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(rf"(?P<quoted>{_QUOTED})|\b[A-Z]{{2,}}-\d+\b|[$€£]\s?\d[\d.,]*\d")
_SAVING = (c.Create, c.Rename, c.Reschedule)
_HOLDS = re.compile(r"^(?:all|every|each|both|any|none)\b|\b(?:except|unless|but\s+not|apart\s+from)\b", re.IGNORECASE)
_AROUND = 24
"""Characters behind it that are told, too."""
_OVER_MANY = (c.ForEach, c.Collect, c.Compute)
"""What speaks of several records: a repetition needs no second word for it."""


def unconsumed(goal: str, read: Reading) -> str:
    """The first quantifier, negation, condition or value of the goal that makes no difference to what is read; empty if all do.

    A phrase that holds such a word, or several quoted texts, has swallowed what it should have been read for.
    """
    read_so = list(read(goal))
    if any(isinstance(clause, c.Obey) for clause in read_so):
        return ""
    many = any(isinstance(clause, _OVER_MANY) for clause in read_so)
    for at, end, other in (*_without_marks(goal, many), *_with_other_values(goal)):
        if list(read(goal[:at] + other + goal[end:])) == read_so:
            return " ".join(goal[at : end + _AROUND].split())
    return _kept_all_the_same(read_so) or _swallowed(goal, read_so)


def _kept_all_the_same(clauses: Sequence[c.Clause]) -> str:
    """A thing that is not to be saved, where making it saves it."""
    if not any(isinstance(clause, _SAVING) for clause in clauses):
        return ""
    return next((f"do not {x.what}" for x in clauses if isinstance(x, c.Avoid) and re.match(r"sav(?:e|ing)\b", x.what)), "")


def _swallowed(goal: str, clauses: Sequence[c.Clause]) -> str:
    quoted = [found.group()[1:-1] for found in re.finditer(_QUOTED, goal) if len(found.group()) > 2]
    plain = re.sub(_QUOTED, " ", goal).casefold()
    for text in (text for clause in clauses for text in _texts(clause)):
        if _HOLDS.search(text) and text.casefold() in plain:
            return text
        if text not in quoted and sum(bool(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text)) for one in set(quoted)) > 1:
            return text
    return ""


def _texts(part: Any) -> Iterator[str]:
    """Every text in a clause by which something is told from something else."""
    if isinstance(part, c.Entity):
        yield from (text for text in (part.name, part.subject, part.id) if text)
    elif isinstance(part, tuple):
        for inner in part:
            yield from _texts(inner)
    elif is_dataclass(part) and not isinstance(part, c.Avoid | c.Obey | c.Unknown | type):
        for field in fields(part):
            yield from _texts(getattr(part, field.name))


def _without_marks(goal: str, many: bool) -> Iterator[tuple[int, int, str]]:
    for found in _MARK.finditer(goal):
        kind = found.lastgroup
        if kind is not None and not (many and kind == "several"):
            yield found.start(kind), found.end(kind) + (goal[found.end(kind) : found.end(kind) + 1] == " "), ""


def _with_other_values(goal: str) -> Iterator[tuple[int, int, str]]:
    for found in _VALUE.finditer(goal):
        text = found.group()
        other = f"{text[0]}Zq{text[1:]}" if found["quoted"] else re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), text)
        yield found.start(), found.end(), other
