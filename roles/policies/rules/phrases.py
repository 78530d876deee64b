"""Noun phrases: which facts, of which record, in which application."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roles.contracts import AppWords
from roles.policies.rules.segments import NAME
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import (
    APP_NOISE,
    FIELD_NOISE,
    FIELD_WORDS,
    FILTERS,
    FORM_NOISE,
    ID_NOUNS,
    NAMED_BY_NUMBER,
    NOUNS,
    PICKS,
    words_of,
)
from roles.screen.language.masks import ANY, Masks
from roles.screen.matching import rank_apps, tokens

_W = rf"(?:[\w&’'-]|{ANY})+"
_PLAIN = rf"(?!(?:in|on|of|from|to|at|for|with|by|the|my|our|as|and)\b){_W}"
_THE = r"(?:the|my|our|your|a|an|its|their|his|her|this|that|these|those|some|any|all|both|every)\s+"
_LOCATION = re.compile(
    rf"\b(?P<prep>in|on|onto|from|at|using|inside|within|via|through|with|into|to|of)\s+(?P<the>{_THE})?"
    rf"(?P<app>(?:{_PLAIN}\s+){{0,3}}?{_PLAIN})\s+(?P<noise>{APP_NOISE})s?\b(?!['’]s)",
    re.IGNORECASE,
)
_FORM = re.compile(
    rf"\b(?:in|on|onto|from|at|using|inside|within|via|into|to|of)\s+(?:{_THE})?(?P<app>(?:new\s+)?(?:{_PLAIN}\s+){{0,2}}?{_PLAIN}\s+(?:{FORM_NOISE}))s?\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    rf"\s*\b(?:in|on|from|at)\s+(?:(?:the|this|that|my)\s+|(?=screen\b))(?:current\s+)?(?:{APP_NOISE}|{FORM_NOISE})\b",
    re.IGNORECASE,
)
_BARE = re.compile(rf"\b(?P<prep>in|inside|within|on|from)\s+(?:{_THE})?(?P<app>{_W}(?:\s+{_W})?)$", re.IGNORECASE)
_PICK = re.compile(r"\b(" + "|".join(sorted(PICKS, key=len, reverse=True)) + r")\b", re.IGNORECASE)
_FILTER = re.compile(r"\b(" + "|".join(FILTERS) + r")\b", re.IGNORECASE)
_NOUN = re.compile(r"\b(" + "|".join(sorted(NOUNS, key=len, reverse=True)) + r")\b", re.IGNORECASE)
_PREPS = re.compile(
    r"\s+(?:of|for|on|from|in|about|dated|by|with|regarding|concerning|titled|called|named|at|that)\s+", re.IGNORECASE
)
_LIST = re.compile(
    r"\s*,\s*(?:and\s+|&\s*)?|\s+and\s+|\s+&\s+(?!(?-i:[A-Z]))|\s+plus\s+|\s+as well as\s+|\s+along with\s+", re.IGNORECASE
)
"""Between the items of a list; an ampersand in front of a capital stands in a name, as in Smith & Sons."""
_ARTICLE = re.compile(rf"^(?:{_THE})+", re.IGNORECASE)
_FACT_NOISE = re.compile(
    r"^(?:exact|correct|current|full|given|shown|stated|value of the|name of the)\s+|\s+(?:value|figure|shown|there|listed)$",
    re.I,
)
_MORE = re.compile(r"\s+(?:and|plus|as well as)\s+(?:the|its|their)\s+(?P<fact>[a-z]+(?:\s[a-z]+)?)$", re.IGNORECASE)
_STRAY = words_of("drop if into it me onto please so them then what whether who")
_STOP = r"(?=\s+(?:from|by|dated|in|on|with|for|about|and)\s|\s*,|$)"


@dataclass(frozen=True)
class Phrase:
    """What a noun phrase says."""

    facts: tuple[str, ...] = ()
    entity: c.Entity = c.NOTHING
    app: str = ""


def noun_phrase(text: str, masks: Masks, apps: Sequence[AppWords] = ()) -> Phrase:
    """`the tax and the total of invoice INV-7 in billing`."""
    text = re.sub(
        r"^(?:what|who|when|where|which)\s+(?:is\s+|are\s+)?|^how much\s+|\s+(?:is|are|was)$", "", text.strip(" ,.:"), flags=re.I
    )
    text = re.sub(r"\s+(?:is|are)\s+(?=(?:on|in|for|of)\s)", " ", text)
    text, app = take_place(text, masks, apps)
    head, tail = _split_head(text)
    owned = re.match(r"(?P<owner>.+?)(?:['’]s|s['’])\s+(?P<rest>.+)$", head)
    if owned and _NOUN.search(owned["owner"]):
        head, tail = owned["rest"], f"{owned['owner']} {tail}"
    elif owned:
        head, tail = owned["rest"], f"for {owned['owner']} {tail}"
    facts, entity = _facts_of(head, masks)
    more = _MORE.search(tail)
    if facts and more and more["fact"].casefold().split()[-1] in FIELD_WORDS:
        facts, tail = (*facts, more["fact"].casefold()), tail[: more.start()]
    entity = _merge(entity, parse_entity(tail, masks))
    if not entity.noun and (noun := next((NOUNS[w] for f in facts if (w := f.split()[0]) in NOUNS and len(f.split()) > 1), "")):
        entity = replace(entity, noun=noun)
    return Phrase(facts, entity, app)


class Misread(ValueError):
    """Half a sentence stands where a name or a fact should; nothing must be made of it."""


def _checked(words: str) -> str:
    """`words`, still masked, unless they hold a pronoun, a comma or too much for a name."""
    stray = _STRAY.intersection(words.casefold().split())
    if stray or re.search(r"[,:;]", words) or len(words.split()) > 8:
        raise Misread(words)
    return words


def take_place(text: str, masks: Masks, apps: Sequence[AppWords] = ()) -> tuple[str, str]:
    """Cut the words for an application out of `text`: what is left, and the words."""
    text = _HERE.sub("", text)
    for pattern in (_LOCATION, _FORM):
        for match in pattern.finditer(text):
            app = masks.show(_ARTICLE.sub("", match["app"]))
            if pattern is _LOCATION and (_is_record(app) or not _is_named(match, masks)):
                continue
            return _cut(text, match), re.sub(r"^new\s+", "", app, flags=re.IGNORECASE)
    bare = _BARE.search(text)
    if bare and _is_app(bare["app"], bare["prep"], masks, apps):
        return _cut(text, bare), masks.show(bare["app"])
    return text, ""


def _is_named(match: re.Match[str], masks: Masks) -> bool:
    """`in the CRM tool` names an application; `from Vertex Software` and `from a@b.org about software` name people and things."""
    if masks.of_kind(match["app"], "email", "money", "date", "id", "number"):
        return False
    return bool(match["the"]) or match["noise"].casefold() in {"app", "application", "page", "screen", "window"}


def _cut(text: str, match: re.Match[str]) -> str:
    return " ".join((text[: match.start()] + text[match.end() :]).split())


def _is_record(words: str) -> bool:
    return bool(re.search(r"['’]s\b|\d", words))


def _is_app(words: str, prep: str, masks: Masks, apps: Sequence[AppWords]) -> bool:
    """Whether bare words after a preposition name an application: `in billing`, `from Mail` when Mail is known."""
    if re.search(ANY, words) or _PICK.search(words):
        return False
    folded = words.casefold()
    if re.search(rf"\b(?:{FIELD_NOISE})$", folded) or folded in FIELD_WORDS:
        return False
    known = any(folded in _names(app) for app in apps)
    if known:
        return True
    unspecific = prep.casefold() in {"in", "inside", "within"}
    return unspecific and folded not in NOUNS and not _NOUN.match(words) and len(words) > 1 and not folded.startswith("total")


def _names(app: AppWords) -> set[str]:
    return {app.app.casefold(), app.title.casefold()} | ({w.casefold() for w in app.words} - set(NOUNS))


def parse_entity(text: str, masks: Masks) -> c.Entity:
    """`the latest unpaid invoice INV-7 from Acme dated 2026-03-02 about the offsite`."""
    text = f" {text.strip(' ,.:')} "
    found: dict[str, str] = {}
    text = _take_typed(text, masks, found)
    text = _take_named(text, masks, found)
    text, pick = _take(_PICK, text)
    filters: list[str] = []
    while match := _filter_in(text):
        filters.append(match.group().casefold())
        text = _cut(text, match)
    text, noun = _take(_NOUN, text)
    name = found.get("name") or _leftover(text, masks)
    about = {key: found.get(key, "") for key in ("id", "subject", "dated")}
    kind = NOUNS.get(noun, "") or _noun_of_id(about["id"]) or found.get("kind", "").casefold()
    return c.Entity(noun=kind, name=name, filters=tuple(filters), pick=PICKS.get(pick, ""), **about)


def _noun_of_id(record_id: str) -> str:
    """`INV-7` is an invoice."""
    return ID_NOUNS.get(re.split(r"[-\d]", record_id)[0].upper(), "")


def _filter_in(text: str) -> re.Match[str] | None:
    """An attribute before the noun, or after `that is`."""
    match = _FILTER.search(text)
    if match and (_NOUN.search(text, match.end()) or re.search(r"\b(?:that|which) (?:is|are)\b", text)):
        return match
    return None


def _take_typed(text: str, masks: Masks, found: dict[str, str]) -> str:
    """Ids, dates and file names are known by their shape."""
    mail = re.search(rf"\b(?:mails?|e-?mails?|messages?)\s+({ANY})", text, re.IGNORECASE)
    if mail and masks.held(mail.group(1)).kind == "quoted":
        found["subject"] = masks.show(mail.group(1))
        text = text[: mail.start(1)] + text[mail.end(1) :]
    for kind, key in (("id", "id"), ("file", "name"), ("date", "dated")):
        for char in masks.of_kind(text, kind)[:1]:
            found[key] = masks.show(char)
            text = re.sub(rf"(?:\b(?:dated|from|of|on|with|number|no\.?|id|the)\s+)*{char}", " ", text, flags=re.IGNORECASE)
    if number := re.search(rf"\b(?:number|no\.?|nr\.?|id)\s+({ANY})", text, re.IGNORECASE):
        found.setdefault("id", masks.show(number.group(1)))
        text = _cut(text, number)
    return f" {text} "


def _take_named(text: str, masks: Masks, found: dict[str, str]) -> str:
    """`about the offsite`, `called Taxes`, `from Ada Byron`."""
    shapes = (
        ("subject", r"\b(?:about|with (?:the )?subject|regarding|concerning|re:?|on the subject of)\s+(?P<what>.+?)" + _STOP),
        ("name", r"\b(?:titled|called|named|entitled|with (?:the )?(?:title|name))\s+(?P<what>.+?)" + _STOP),
        ("name", r"\b(?:from|by|for|of|to|with|at|on)\s+(?:the\s+)?(?:(?:vendor|supplier|(?P<kind>customer)|client|company"
        r"|sender|merchant|payee)\s+)?(?P<what>.+?)" + _STOP),
    )  # fmt: skip
    for key, pattern in shapes:
        matches = re.finditer(pattern, text, re.IGNORECASE)
        match = next((m for m in matches if not _NOUN.search(m["what"])), None)
        if match and key not in found:
            found["kind"] = match.groupdict().get("kind") or ""
            found[key] = _bare(masks.show(_checked(match["what"])))
            text = f" {_cut(text, match)} "
    return text


def _leftover(text: str, masks: Masks) -> str:
    words = re.sub(
        r"\b(?:the|a|an|my|our|your|its|of|for|on|from|in|by|with|that|which|is|are|was|at|to|and|vendor|supplier"
        r"|customer|and its)\b|['’]s\b",
        " ", text, flags=re.IGNORECASE,
    )  # fmt: skip
    return masks.show(_checked(" ".join(words.split()).strip(" ,.:;'’"))).strip(" ,.:;'’")


def _bare(words: str) -> str:
    return re.sub(r"['’]s$", "", _ARTICLE.sub("", words.strip())).strip()


def _take(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    match = pattern.search(text)
    return (_cut(text, match), match.group().casefold()) if match else (text, "")


def _split_head(text: str) -> tuple[str, str]:
    match = _PREPS.search(text)
    if match and re.fullmatch(r"(?:the\s+)?(?:name|number|amount|date|value)", text[: match.start()].strip(), re.IGNORECASE):
        return text[: match.start()], text[match.start() :]
    return (text[: match.start()], text[match.start() :]) if match else (text, "")


def _facts_of(head: str, masks: Masks) -> tuple[tuple[str, ...], c.Entity]:
    facts: list[str] = []
    entity = c.NOTHING
    for part in _LIST.split(head):
        fact, about = _fact_of(_ARTICLE.sub("", part.strip()), masks)
        entity = _merge(entity, about)
        if fact:
            facts.append(fact)
    return tuple(dict.fromkeys(facts)), entity


def _fact_of(words: str, masks: Masks) -> tuple[str, c.Entity]:
    """`latest invoice total`: total, of the latest invoice. A phrase that ends in a record's noun has no fact."""
    noun = _NOUN.search(_checked(words))
    held = masks.only(words)
    if held is not None and held.kind == "quoted":
        return held.raw, c.NOTHING
    if noun is None:
        if masks.of_kind(words, "id", "file"):
            return "", parse_entity(words, masks)
        return _FACT_NOISE.sub("", masks.show(words)).strip().casefold() if words else "", c.NOTHING
    rest = words[noun.end() :].strip()
    before = words[: noun.end()]
    if not rest or masks.of_kind(rest, "id", "file", "quoted") or rest[:1].isupper():
        return "", parse_entity(words, masks)
    if rest.casefold() in NAMED_BY_NUMBER:
        before = words[: noun.start()]
        return f"{noun.group()} {rest}".casefold(), parse_entity(before, masks)
    return _FACT_NOISE.sub("", masks.show(rest)).casefold(), parse_entity(before, masks)


def _merge(first: c.Entity, second: c.Entity) -> c.Entity:
    """What `first` leaves open is taken from `second`."""
    return replace(
        second,
        noun=first.noun or second.noun, id=first.id or second.id, name=first.name or second.name,
        subject=first.subject or second.subject, dated=first.dated or second.dated,
        filters=tuple(dict.fromkeys((*first.filters, *second.filters))), pick=first.pick or second.pick,
    )  # fmt: skip


LIST = _LIST


CHANGE = "change"
"""What is saved after a value of a record was set, though nobody said so; an application may keep it without a button."""
_SEVERAL = re.compile(r"^(?:all\b|any\b|both\b|each\b|every\b|(?:the\s+)?others?\b)", re.IGNORECASE)
_own_words_ARTICLE = re.compile(r"^(?:the|my|our|your|a|an|this|that)\s+", re.IGNORECASE)
_CALLED = re.compile(rf"(?:{NAME}|(?-i:[A-Z])[\w’'-]*(?:\s+[\w&’'-]+){{1,4}})")
_PLACE = re.compile(rf"\b(?:{APP_NOISE}|{FORM_NOISE})$", re.IGNORECASE)


def kind_of(word: str, apps: Sequence[AppWords]) -> str:
    """The singular of a word by which some application calls what it holds; empty for any other word."""
    wanted = tokens(word)
    if len(wanted) != 1:
        return ""
    return wanted[0] if any(wanted == tokens(own) for app in apps for own in app.words) else ""


def with_kind(entity: c.Entity, apps: Sequence[AppWords]) -> c.Entity:
    """`shipment S-16` and `the book The Glass Orchard` say of which kind they are, where an application has that word."""
    words = entity.name.split()
    if entity.noun or not words or (len(words) == 1 and not (entity.id or entity.pick)):
        return entity
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        if word.islower() and (kind := kind_of(word, apps)):
            return replace(entity, noun=kind, name=" ".join(rest))
    return entity


def with_kinds(clause: c.Clause, apps: Sequence[AppWords]) -> c.Clause:
    """The clause, with the kind of what it is about."""
    entity: Any = getattr(clause, "entity", None)
    if not apps or not isinstance(entity, c.Entity) or (kinded := with_kind(entity, apps)) == entity:
        return clause
    return replace(clause, entity=kinded)  # type: ignore[call-arg]


def own_record(words: str, masks: Masks, apps: Sequence[AppWords] = ()) -> c.Entity:
    """The record that stands after `the status of`; NOTHING where the words are those of a place. Many records are misread."""
    if _SEVERAL.match(words.strip()):
        raise Misread(words)
    bare = _own_words_ARTICLE.sub("", words.strip())
    if _PLACE.search(bare):
        return c.NOTHING
    entity = with_kind(parse_entity(words, masks), apps)
    if entity.id or (entity.noun and (entity.name or entity.subject or entity.pick)):
        return entity
    return entity if entity.name and _CALLED.fullmatch(bare) and not rank_apps(entity.name, apps) else c.NOTHING


def saved(entity: c.Entity) -> list[c.Clause]:
    """What has to follow when a value of a record was set."""
    return [c.Commit("", "save", CHANGE)] if entity.specific else []


def saved_once(clauses: Iterable[c.Clause]) -> list[c.Clause]:
    """A record of which several values are set is saved after the last one, and not twice in a row."""
    found: list[c.Clause] = []
    for clause in clauses:
        last = found[-1] if found else None
        if isinstance(last, c.Commit) and last.verb == "save" and last.thing == CHANGE:
            if isinstance(clause, c.Check | c.Select) and not clause.app:
                found.insert(-1, clause)
                continue
            again = isinstance(clause, c.Commit) and clause.verb == "save"
            if again or (isinstance(clause, c.Enter) and _of_the_same(clause, found)):
                found.pop()
        found.append(clause)
    return found


def _of_the_same(clause: c.Enter, before: Sequence[c.Clause]) -> bool:
    earlier = next((x for x in reversed(before) if isinstance(x, c.Enter)), None)
    return earlier is not None and clause.entity.specific and clause.entity == earlier.entity
