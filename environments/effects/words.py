"""What the words of a control, a field or an address announce: configs/effect_words.yaml, read once when it is first needed."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

from environments.effects import SENSITIVE as SENSITIVE
from environments.effects import Effect as Effect

_LONG = 200
"""Characters of a name that is worth remembering."""
_SHORT = 3
_CLOSED = 6
_CJK = re.compile(r"[\u3400-\u9fff]")
_CLAUSE = re.compile(r"(?<!\d)[^\w\s'’-]+|[^\w\s'’-]+(?!\d)|\b(?:and|then|und|or|oder)\b", re.IGNORECASE)
_JOINED = re.compile(r"[$€£¥₹₩₿%]|[:;,|/\\+&=<>→»·•–—]\s*\S|\b(?:and|then|und|or|oder)\b", re.IGNORECASE)
_FILLERS = re.compile(
    r"\A(?:(?:yes|no|ok|okay|sure|please|now|just|i|we|you|click|tap|press|here|to|next|go|ahead|continue|confirm|finish|done|also|"
    r"ja|bitte|jetzt|hier|step|\d+) )+"
)
_SEARCHED = frozenset(("q", "query", "search", "s", "keyword", "keywords", "term", "text", "title", "name"))
"""Names of a query whose values are what somebody looks for."""
_CROSS = frozenset("×✕✖")


class _Table:
    """The words as patterns over the text that `bare` gives, each by what it stands for, the gravest first."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.commands, self.things = _patterns(told["commands"]), _patterns(told["things"])
        self.addresses = _patterns(told["addresses"])
        self.held = _patterns({part: told[part] for part in ("fields", "changed", "credentials", "places")})
        self.harmless = {word: Effect(effect) for effect, lines in told["harmless"].items() for word in _words(lines)}
        self.closed = {*self.harmless, *_words(told["objects"])}
        longest = sorted(filter(_CJK.search, self.closed), key=len, reverse=True)
        self.parts = re.compile("|".join([*longest, r"[^\s\u3400-\u9fff]+", r"\S"]))
        self.looking, self.adding = (
            re.compile(rf"(?:{'|'.join(map(bare, told[part]))})(?: \S+){{1,4}}") for part in ("looking", "adding")
        )
        self.ways_out = frozenset(map(bare, told["way_out"]))


def _patterns(table: Mapping[str, Iterable[str]]) -> dict[str, re.Pattern[str]]:
    return {key: re.compile(_pattern([line.casefold() for line in lines])) for key, lines in table.items()}


def _pattern(lines: list[str]) -> str:
    """Of phrases: words stand alone, but for those in Chinese, and `..` is up to four others."""
    free = [word for line in lines for word in line.split("|") if _CJK.search(word)]
    bound = (r"(?: \S+){0,4} ".join(re.sub(r"[^ ]+", r"(?:\g<0>)", part) for part in line.split(" .. ")) for line in lines)
    return "|".join([rf"(?<!\S)(?:{'|'.join(bound)})(?!\S)", *free])


def _words(lines: Iterable[str]) -> list[str]:
    return [word.casefold() for line in lines for word in line.split("|")]


@cache
def _table() -> _Table:
    return _Table(yaml.load((resources.files("configs") / "effect_words.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader))


def plain(words: str) -> str:
    """A name without what cannot be seen and would hide a word: invisible characters, wide letters, loose accents."""
    if words.isascii():
        return words
    return "".join(c for c in unicodedata.normalize("NFKC", words) if unicodedata.category(c) not in {"Cf", "Mn", "Me"})


def bare(text: str) -> str:
    """Its words alone, with one space between them: no case, no punctuation, no signs."""
    folded = plain(text).casefold()
    return " ".join(re.findall(r"[^\W_]+", folded.replace("e-mail", "email") if "e-mail" in folded else folded))


def effect_of_words(name: str) -> Effect | None:
    """The effect that a control of this name announces, or None when its words are not known.

    A sensitive word counts wherever it stands, a harmless one only with nothing but harmless ones beside it.
    """
    return _remembered(name) if len(name) <= _LONG else _effect(name)


def _effect(name: str) -> Effect | None:
    table, text = _table(), bare(name)
    for key, pattern in table.commands.items():
        if pattern.search(text) or (key in table.things and table.things[key].search(text)):
            return Effect(key)
    return _harmless(plain(name).strip(), text)


_remembered = lru_cache(maxsize=4096)(_effect)


def _harmless(name: str, text: str) -> Effect | None:
    """What a name of nothing but harmless words does; after a verb that only looks up to four others may stand."""
    table, text = _table(), re.sub(r"(?: \d{1,9}){1,3}$", "", text)
    if name in _CROSS or text in table.ways_out:
        return Effect.NAVIGATE
    parts = table.parts.findall(text[:_LONG])
    short = 0 < len(parts) <= _CLOSED and len(text) <= _LONG and not re.search(r"[$€£¥]", name)
    if short and table.closed.issuperset(parts):
        verbs = {table.harmless.get(part) for part in parts}
        return next((effect for effect in (Effect.CONFIRM, Effect.SAVE, Effect.EDIT) if effect in verbs), Effect.NAVIGATE)
    if _JOINED.search(name):
        return None
    if table.adding.fullmatch(text) and not _held(name):
        return Effect.EDIT
    return Effect.NAVIGATE if table.looking.fullmatch(text) else None


def command_in(name: str) -> Effect | None:
    """The sensitive effect that an entry of a list commands: a subject may have such a word in it and only be read."""
    clauses = [bare(clause) for clause in _CLAUSE.split(plain(name))]
    return _commanded(_table().commands, [*clauses, *(_FILLERS.sub("", f"{clause} ").strip() for clause in clauses)], _SHORT)


def _commanded(patterns: Mapping[str, re.Pattern[str]], texts: list[str], short: int) -> Effect | None:
    """The gravest with which a text begins; in a short one, and in Chinese, it may stand anywhere."""
    for key, pattern in patterns.items():
        for text in texts:
            anywhere = text.count(" ") < short or (not text.isascii() and _CJK.search(text))
            if pattern.search(text) if anywhere else pattern.match(text):
                return Effect(key)
    return None


def effects_in(words: str) -> frozenset[Effect]:
    """Every effect that is named in these words, such as a sentence that says what to do."""
    table, text = _table(), bare(words)
    named = (key for part in (table.commands, table.things) for key, pattern in part.items() if pattern.search(text))
    harmless = (table.harmless[word] for word in table.parts.findall(text) if word in table.harmless)
    return frozenset((*map(Effect, named), *harmless))


def is_way_out(name: str) -> bool:
    """Whether it leaves a dialog and things as they are."""
    return bare(name) in _table().ways_out or name.strip() in _CROSS


@lru_cache(maxsize=4096)
def _held(name: str) -> frozenset[str]:
    text = bare(name)
    return frozenset(part for part, pattern in _table().held.items() if pattern.search(text))


def holds(name: str) -> frozenset[str]:
    """Which parts of the table a field's name, or that of a place, stands in: fields, changed, credentials, places."""
    return _held(name[:_LONG])


def effect_of_address(address: str) -> Effect | None:
    """The sensitive effect that the path or the query of an address names, as `/account/delete?confirm=1` does."""
    try:
        return _commanded(_table().addresses, [bare(part) for part in _parts(address)], 2)
    except ValueError:
        return None


def _parts(address: str) -> Iterator[str]:
    parts = urlsplit(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", address))
    yield from unquote(parts.path).split("/")
    for name, value in parse_qsl(parts.query.replace(";", "&"), keep_blank_values=True):
        yield name
        yield "" if name.casefold() in _SEARCHED else value
