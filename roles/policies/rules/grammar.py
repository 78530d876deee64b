"""Imperative English to clauses. What it cannot understand comes back as Unknown with its words, never dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from roles.contracts import AppWords
from roles.policies.rules.phrases import Misread, saved_once, with_kinds
from roles.policies.rules.reference import Context
from roles.policies.rules.retired.command_forms import COMMANDS, QUESTIONS
from roles.policies.rules.retired.condition_forms import awaiting, condition
from roles.policies.rules.retired.each_forms import each, folder
from roles.policies.rules.retired.entry_forms import ENTRIES, MAILS
from roles.policies.rules.retired.record_forms import FIRST, RECORDS
from roles.policies.rules.retired.sentence_forms import DEEDS, in_order, is_sentence, sentence
from roles.policies.rules.retired.sum_forms import sums, which
from roles.policies.rules.segments import Segment, cut, segment, sentences
from roles.screen.language import clauses as c
from roles.screen.language.masks import QUOTED
from roles.screen.language.wording import describe, parse_canonical
from roles.screen.matching import app_for

_LONGEST, _LONGEST_WORD, _MOST_PARTS = 10_000, 200, 150
_BLANKS = re.compile(rf"(?P<quoted>{QUOTED})|(?P<blanks>[^\S\n]{{9,}})|(?P<lines>\n\s{{2,}})", re.DOTALL)
_END = re.compile(r"[.!?;:,]\s|\n")


def readable(text: str) -> str | None:
    """The text with short blanks outside of quotation marks; None where it is too long, or a word of it is, or it has too many
    parts."""
    if len(text) > _LONGEST:
        return None
    told = _BLANKS.sub(lambda match: match[0] if match["quoted"] else " " * 8 if match["blanks"] else "\n", text)
    bare = _BLANKS.sub(" ", told)
    if len(_END.findall(bare)) >= _MOST_PARTS or any(len(word) > _LONGEST_WORD for word in bare.split()):
        return None
    return told


Parse = Callable[[str, Sequence[str]], list[c.Clause]]
"""Reads words, told which facts there are beside those that are known."""


def wholes(text: str, parse: Parse) -> list[c.Clause] | None:
    """The clauses of a goal of one of these forms; None when it is of none of them."""
    said = sentences(text)
    for form in (awaiting, condition, folder, each, which, sums):
        if (found := form(said, parse)) is not None:
            return found
    return None


__all__ = ["describe", "parse"]

_FORMS = (*DEEDS, *FIRST, *QUESTIONS, *MAILS, *COMMANDS, *ENTRIES, *RECORDS)


def parse(text: str, apps: Sequence[AppWords] = (), known: Iterable[str] = ()) -> list[c.Clause]:
    """The clauses of `text` in order. `apps` helps to tell applications from names; `known` are facts that exist."""
    told = readable(text)
    try:
        return [c.Unknown(text=text)] if told is None else _parsed(told, apps, known)
    except RecursionError:  # each thing for each thing for each thing
        return [c.Unknown(text=text)]


def _parsed(text: str, apps: Sequence[AppWords], known: Iterable[str]) -> list[c.Clause]:
    if (whole := wholes(text, lambda words, facts: _parsed(words, apps, [*known, *facts]))) is not None:
        return whole
    segments, masks = segment(text, lambda words: bool(apps) and app_for(words, apps) is not None, is_sentence)
    reader = _Reading(Context(masks, apps, list(known)))
    for part in segments:
        reader.read(part)
    return in_order(saved_once(reader.found))


class _Reading:
    """The clauses found so far, and what the next segment may refer to."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.found: list[c.Clause] = []
        self._place = ""

    def read(self, part: Segment) -> None:
        if part.whole:
            clauses = sentence(part.words, self.ctx)
            if clauses is None:
                for piece in cut(part.words, self.ctx.masks):
                    self.read(piece)
                return
            self._take(clauses, part, exact=True)
            return
        exact = parse_canonical(part.words, self.ctx.masks)
        self._take([exact] if exact is not None else _understand(part.words, part.verbatim, self.ctx), part, exact is not None)

    def _take(self, clauses: list[c.Clause], part: Segment, exact: bool) -> None:
        self._place = place = part.place or self._place
        for index, clause in enumerate(clauses):
            here = place if part.place or _inherits(clause) else ""
            placed = clause if exact or _read_for_entry(clauses, index, here) else _placed(clause, here)
            placed = placed if exact else with_kinds(placed, self.ctx.apps)
            if self.found and not exact and (sent := _sent(self.found[-1], placed)) is not None:
                self.found[-1] = sent
                continue
            self.ctx.learn(placed)
            self.found.append(placed)
            place = placed.app if isinstance(placed, c.Open) else place
        self.ctx.settle()
        if len(clauses) > 1 and all(isinstance(clause, c.Read) for clause in clauses):
            self.ctx.last = tuple(name for clause in clauses if isinstance(clause, c.Read) for name in clause.fact_names())
        self._place = "" if any(clause.app and clause.app != place for clause in clauses) else place


def _understand(words: str, verbatim: str, ctx: Context) -> list[c.Clause]:
    for form in _FORMS:
        try:
            clauses = form(words, ctx)
        except Misread:
            continue
        if clauses is not None:
            return clauses
    return [c.Unknown(text=verbatim)]


def _sent(before: c.Clause, clause: c.Clause) -> c.Clause | None:
    """`write a mail ..., and send it` is one clause."""
    if not isinstance(before, c.Compose | c.Reply) or not isinstance(clause, c.Commit) or clause.verb == "save":
        return None
    mail = clause.thing.casefold() in {"form", "mail", "e-mail", "email", "message", "reply", "answer", "draft", ""}
    return replace(before, send=True) if mail else None


def _inherits(clause: c.Clause) -> bool:
    return isinstance(
        clause, c.Read | c.OpenItem | c.Search | c.ClickOn | c.Scroll | c.Select | c.Check | c.Enter | c.Commit | c.Delete
    )


def _read_for_entry(clauses: Sequence[c.Clause], index: int, place: str) -> bool:
    """In `in the form, enter the total`, the place is where to enter, not where to read."""
    last = clauses[-1]
    writes = isinstance(last, c.Enter | c.Create | c.Compose) and last.app in {"", place}
    return writes and isinstance(clauses[index], c.Read)


def _placed(clause: c.Clause, place: str) -> c.Clause:
    if clause.app or not place or isinstance(clause, c.Open | c.Unknown | c.Tell | c.Avoid | c.Pause | c.Remember):
        return clause
    return replace(clause, app=place)
