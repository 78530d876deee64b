"""Sentences that say which value goes where: `first name Ada, city Graz`, `Austria as the country`, `the size to L and ...`."""

from __future__ import annotations

import re
from dataclasses import replace

from roles.contracts.clauses import PageClause
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.sources import Found, Reading, source_of
from roles.policies.rules.pages.reading.things import thing_of
from roles.screen.language.lexicon import EXTREME
from roles.screen.language.masks import ANY
from roles.screen.page import Thing

_THE = r"(?:(?:the|a|an|your|my|our|its|their|his|her)\s+)?"
_AND = re.compile(r"\s*[,;]\s+(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_SETS = re.compile(r"^(?:set|change|adjust|switch)\s+(?P<rest>.+)$", re.IGNORECASE)
_FILLS = re.compile(
    r"^(?:(?:fill(?: in| out| up)?|complete)\s+"
    r"(?P<form>(?:the|a|this|your)\s+(?:[\w-]+\s+){0,4}?(?:(?:form|fields|details|page|data)(?=\s*:|\s)|[\w-]+(?=:)))"
    r"\s*(?::|with|using|as follows:?)|(?:enter|type(?: in)?|write|input|insert|key in|fill in|provide|give))\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_CHOOSES = re.compile(r"^(?:select|choose|pick)\s+(?P<rest>.+)$", re.IGNORECASE)
_TO = re.compile(rf"^{_THE}(?P<name>.+?)\s+(?:to|=)\s+(?P<value>.+)$", re.IGNORECASE)
_AS = re.compile(rf"^(?P<value>.+?)\s+(?:as|for|into|in|to)\s+{_THE}(?P<name>.+)$", re.IGNORECASE)
_ONLY_AS = re.compile(rf"^(?P<value>.+?)\s+as\s+{_THE}(?P<name>[^\W\d_][\w /'-]*)$", re.IGNORECASE)
_INTO_FIELD = re.compile(
    rf"^(?P<value>.+?)\s+(?:into|in|to|under)\s+{_THE}(?P<name>[\w /'-]+?)\s+(?:field|box|input)$", re.IGNORECASE
)
_COUNTED = re.compile(r"^(?P<value>\d+)\s+(?P<name>[a-z]{3,})$")
_FOR = re.compile(rf"^(?P<value>.+?)\s+(?:as|for)\s+{_THE}(?P<name>{ANY}|[^\W\d_][\w /'-]*)$", re.IGNORECASE)
_STARTS = re.compile(rf"(?:{ANY}|[^\W\d_a-zß-ÿ]|[\d@#+$€£-]|\S+@\S+\.\w)")
"""How a value begins that is not quoted: with a capital, a letter of a script without capitals, a digit, a sign."""
_BARE = re.compile(ANY)
_FIELDS = re.compile(r"\s+(?:in|into)\s+the\s+(?:[\w-]+\s+){0,2}(?:fields|boxes|inputs|form)$", re.IGNORECASE)
_DAY = re.compile(r"^(?:the\s+)?(?P<value>.+?)\s+(?:in|on|from|with|using)\s+the\s+(?:calendar|date ?picker)$", re.IGNORECASE)
_LINKS = frozenset({"is", "as", "to", "of", "="})
_PLAIN = frozenset({"word", "text", "value", "phrase", "string", "it", "that", "this", "option", "options", "item", "items"})
"""What stands before a value and names no field."""


def fields(words: str, reading: Reading) -> Found:
    """Every part of the list is a value with its field; None where one is not."""
    if match := _SETS.match(words):
        return _all(match["rest"], reading, _set_to)
    if match := _FILLS.match(words):
        parts = _AND.split(match["rest"].strip())
        if match["form"] is None and len(parts) < 2 and not _ONLY_AS.match(match["rest"]):
            return None  # one value is the business of the plainer forms
        return _all(_FIELDS.sub("", match["rest"]), reading, _filled)
    match = _CHOOSES.match(words)
    if match is None or EXTREME.search(match["rest"]):
        return None
    return _chosen(match["rest"], reading)


def _all(rest: str, reading: Reading, read: object) -> Found:
    found: list[PageClause] = []
    for part in _AND.split(rest.strip(" .,")):
        clause = read(part.strip(), reading, bool(found))  # type: ignore[operator]
        if clause is None:
            return None
        found += clause
    return found or None


def _put(value: str, name: str, reading: Reading) -> list[PageClause]:
    thing = thing_of(name, reading.masks)
    thing = replace(thing, name=thing.name or thing.words)
    source = source_of(value, reading)
    if source.given or source.fact:
        return [p.Put(source=source, thing=thing)]
    fact = reading.masks.show(value).strip()
    return [p.Learn(source=source, name=fact), p.Put(source=p.Source(fact=fact), thing=thing)]


def _set_to(part: str, reading: Reading, later: bool) -> Found:
    match = _TO.match(part)
    if match is None or len(match["name"].split()) > 5 or _BARE.search(match["name"]):
        return None
    return list(_put(match["value"], match["name"], reading))


def _filled(part: str, reading: Reading, later: bool) -> Found:
    """`city Graz`, `Graz as the city`, `"Graz" into the City field`; a lone quoted text is something to choose."""
    if asked := _ONLY_AS.match(part):
        if _STARTS.match(asked["value"]) or (" of " in asked["value"] and not source_of(asked["value"], reading).given):
            return list(_put(asked["value"], asked["name"], reading))
        return None
    if into := _INTO_FIELD.match(part):
        return list(_put(into["value"], into["name"], reading))
    if counted := _COUNTED.match(part):
        return list(_put(counted["value"], counted["name"], reading))
    if re.fullmatch(ANY, part):
        return [p.Choose(names=reading.masks.show(part))] if later else None
    pair = _pair(part)
    if pair is not None and (len(pair[1]) == 1 or not _BARE.search(pair[1])):
        return list(_put(pair[1], pair[0], reading))
    into = _AS.match(part)
    if into is not None and _STARTS.match(into["value"]) and len(into["value"].split()) <= 4:
        return list(_put(into["value"], into["name"], reading))
    return None


def _pair(part: str) -> tuple[str, str] | None:
    """The name and the value of `date of birth 2 June 1990`: the value begins where a value can begin."""
    bare = re.sub(rf"^(?:with|using)\s+|^{_THE}", "", part, flags=re.IGNORECASE)
    words = bare.split()
    if words and (_STARTS.match(words[0]) and not words[0].replace("-", "").isalpha()):
        return None
    for n in range(1, min(len(words), 6)):
        if not _STARTS.match(words[n]):
            continue
        name = " ".join(words[: n - 1] if n > 1 and words[n - 1] in _LINKS else words[:n]).rstrip(" :=")
        if not name or name.casefold() in _PLAIN or re.search(rf"[,;]|{ANY}", name):
            return None
        return name, " ".join(words[n:])
    return None


def _chosen(rest: str, reading: Reading) -> Found:
    """`Austria as the country`, `the languages German and Hungarian`, `the colour Green`, `A for X and B for Y`."""
    if reading.holder is not None:
        thing, reading.holder = reading.holder, None
        return [p.Put(source=p.Source(text=_bare(rest, reading)), thing=thing)]
    if day := _DAY.match(rest):
        return [p.Put(source=p.Source(text=_bare(day["value"], reading)), thing=Thing(kind="field", words="calendar"))]
    each = [_FOR.match(part) for part in _AND.split(rest)]
    if all(each) and not (len(each) == 1 and EXTREME.search(rest)):
        return [p.Put(source=p.Source(text=_bare(m["value"], reading)), thing=_field(m["name"], reading)) for m in each if m]
    if asked := _ONLY_AS.match(rest):
        value = ", ".join(_bare(value, reading) for value in _AND.split(asked["value"]))
        return [p.Put(source=p.Source(text=value), thing=_field(asked["name"], reading))]
    if (pair := _pair(rest)) is not None and not _AND.search(pair[0]):
        kind = thing_of(pair[0], reading.masks)
        if kind.kind and not kind.name:
            return None  # `the option Green`, `the tab "Two"`: words for a kind name no field
        values = [_bare(v, reading) for v in _AND.split(pair[1])]
        return [p.Put(source=p.Source(text=", ".join(values)), thing=_field(pair[0], reading))]
    return None


def _bare(value: str, reading: Reading) -> str:
    """The text of a value; of `the airport "VIE"` what is quoted."""
    quoted = re.findall(ANY, value)
    if len(quoted) == 1 and re.fullmatch(rf"{_THE}(?:[\w-]+\s+){{0,3}}{ANY}", value, re.IGNORECASE):
        return reading.masks.show(quoted[0])
    return re.sub(rf"^{_THE}", "", reading.masks.show(value).strip(), flags=re.IGNORECASE)


def _field(name: str, reading: Reading) -> Thing:
    thing = thing_of(name, reading.masks)
    return replace(thing, name=thing.name or thing.words)
