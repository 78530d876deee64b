"""What a goal gives: ids, amounts, dates, quoted texts, addresses, names; and what the slots of a page want."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roles.screen.language.lexicon import ALL_VERBS, ID_NOUNS, NOUNS, WORD, words_of
from roles.screen.language.masks import ANY, Masks, quote

_NAME_PART = r"(?:[^\W\d_a-z][\w’'&.-]*|[\u3400-\u9fff\uac00-\ud7af]{2,})"
_NAMES = re.compile(rf"(?<![\w’'&.-]){_NAME_PART}(?:[ \u00a0](?:(?:of|de|van|von|der|da|la|&)[ ])?{_NAME_PART})*")
_LINKS = words_of("of|is|to be|be|are|at|on|in|by|as|for|with|from|to|the|a|an|titled|called|named|saying|number|no|nr|:|=")
_TITLES = {
    "titled": "title", "called": "name", "named": "name", "saying": "text", "about": "subject", "by": "date", "until": "date",
}  # fmt: skip
_MONTH_OR_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|i|english|german|chinese|french|spanish", re.IGNORECASE,
)  # fmt: skip
_KINDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("email",), "email e-mail mail recipient to cc addressee"),
    (("date",), "date day due deadline start begin end until birthday from"),
    (("time",), "time hour clock"),
    (("money", "number"), "amount total sum price cost budget fee value limit salary balance subtotal tax"),
    (("number",), "count quantity qty copies minutes hours percent pieces seats people"),
    (("file", "quoted"), "file path document attachment folder"),
    (("url",), "link url site website"),
    (("quoted", "name"), "title subject topic text message body comment note purpose reason description label words wording"),
    (("name", "quoted"),
     "name person employee colleague customer client vendor supplier sender company contact user manager owner team department"
     " project city place room deputy buddy mentor assignee guest attendee lead office product item author country street"),
    (("id", "number", "quoted"), "id number no nr reference ref code key"),
)  # fmt: skip
_GENERAL = words_of("id number no nr reference ref code key name text value person it one")
"""Words of slots that say no more than what kind of thing is wanted: several of them may mean the same value."""


@dataclass(frozen=True)
class Given:
    """One value of the goal."""

    raw: str
    kind: str
    """id, email, date, time, money, number, file, url, quoted or name."""
    called: tuple[str, ...] = ()
    """The words by which the goal calls it, the nearest first."""
    at: int = 0


@dataclass(frozen=True)
class Words:
    """A goal taken apart: its values, and the words that are none."""

    given: tuple[Given, ...]
    rest: str


def taken_apart(text: str, apps: frozenset[str] = frozenset(), plain: frozenset[str] = frozenset()) -> Words:
    """The values of `text`. A capital begins no name in an app's name, nor, at the start, in a word of the page (`plain`)."""
    masks = Masks()
    hidden = masks.hide_typed(masks.hide_quotes(text))
    found: list[Given] = []
    rest = list(hidden)
    for match in re.finditer(ANY, hidden):
        held = masks.held(match.group())
        found.append(Given(held.raw, held.kind, _called(hidden[: match.start()], held.kind), match.start()))
        rest[match.start()] = " "
    for match in _NAMES.finditer(hidden):
        start, name = match.start(), match.group().rstrip(".,:;!?’'")
        while name and _no_name(name.split()[0], apps, plain, first=_begins(hidden[:start])):
            cut = len(name) - len(name[len(name.split()[0]) :].lstrip())
            start, name = start + cut, name[cut:]
        alone = " " not in name and _begins(hidden[:start]) and re.match(r"\s+[^\W\d_A-Z]", hidden[start + len(name) :])
        if not name or alone:  # a sentence that tells somebody to do something begins with the verb
            continue
        found.append(Given(name, "name", _called(hidden[:start], "name"), start))
        rest[start : start + len(name)] = " " * len(name)
    return Words(tuple(sorted(found, key=lambda one: one.at)), " ".join("".join(rest).split()))


def _begins(before: str) -> bool:
    """Whether a sentence begins after these words."""
    return not before.strip() or before.rstrip()[-1] in ".!?"


def _no_name(word: str, apps: frozenset[str], plain: frozenset[str], *, first: bool) -> bool:
    folded = word.casefold().rstrip(".,:;!?’'")
    if folded in apps or _MONTH_OR_DAY.fullmatch(folded) or not folded or word[0].islower():
        return True
    return first and (folded in plain or bool(re.fullmatch(ALL_VERBS, folded, re.IGNORECASE)) or folded in _OPENING)


_OPENING = words_of(
    "please do run follow handle process perform start finish complete take give get go make use work deal carry could can"
    " would i we the a an this that these now then next first finally as for with on in when once if let help hello hi"
    " onboard offboard"
)


def _called(before: str, kind: str) -> tuple[str, ...]:
    """The words right before a value that say what it is: `invoice`, `due date`, `title`."""
    words = [word.casefold() for word in re.findall(r"[^\W_]+(?:[-’'][^\W_]+)*|[:=]", before)][-5:]
    found: list[str] = []
    for word in reversed(words):
        if word in _TITLES and kind in {"quoted", "name", "date", "time"}:
            found.append(_TITLES[word])
        if word in _LINKS:
            if not found and word in {"number", "no", "nr", "to"}:
                found.append(word)
            continue
        found.append(word)
        break
    return tuple(found)


def without_values(text: str) -> str:
    """The words of `text` that say what is to be done, and not with what."""
    return taken_apart(text).rest


class Wanted:
    """A slot, by its words."""

    def __init__(self, slot: str) -> None:
        self.slot = slot
        self.words = tuple(word.casefold() for word in WORD.findall(slot.replace("_", " ").replace(".", " ")))
        last = self.words[-1] if self.words else ""
        self.owner = next((word for word in self.words if word not in _GENERAL), last)
        self.kinds = _kinds_of(last, self.words)
        self.general = all(word in _GENERAL for word in self.words)

    def takes(self, one: Given) -> bool:
        """Whether a value of this kind can stand here at all."""
        if one.kind == "id" and (noun := ID_NOUNS.get(re.split(r"[-\d]", one.raw)[0].upper())) is not None:
            asked = {NOUNS.get(word, "") for word in self.words} - {""}
            if asked and noun not in asked:
                return False
        return one.kind in self.kinds or not self.kinds

    def is_called(self, one: Given) -> bool:
        """Whether the goal calls the value what the slot is called."""
        mine = {NOUNS.get(word, word) for word in self.words} - ({"the"} | (_GENERAL if not self.general else frozenset()))
        return bool(mine & {NOUNS.get(word, word) for word in one.called})

    def same_thing(self, other: Wanted) -> bool:
        """`{invoice}` and `{invoice number}` are one; so are `{id}` and whatever else is wanted of its kind."""
        return self.owner == other.owner or self.general or other.general


def _kinds_of(last: str, words: tuple[str, ...]) -> tuple[str, ...]:
    if last in {"address", "addresses"}:
        said = " ".join(words)
        return ("email",) if "mail" in said else ("url",) if "web" in said or "site" in said else ("email", "url", "quoted")
    for kinds, names in _KINDS:
        if last in names.split():
            return kinds
    if last in NOUNS or NOUNS.get(last.rstrip("s")):
        return ("id", "quoted", "name", "number", "file", "email")
    return ()


def written(value: str, kind: str, *, quoted: bool) -> str:
    """A value as it stands in a step: as it is where its shape or its quotes keep it together, else in quotes."""
    if quoted:
        return value.replace("\\", "\\\\").replace('"', '\\"')
    return quote(value) if kind == "quoted" else value
