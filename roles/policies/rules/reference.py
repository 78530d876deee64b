"""What pronouns, places and value words refer to while a text is read from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import NamedTuple, TypeVar

from roles.contracts import AppWords, Fact
from roles.policies.rules.phrases import noun_phrase, own_record, parse_entity, take_place
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import APP_NOISE, FIELD_NOISE, FIELD_WORDS, FORM_NOISE, KINDRED, NOUNS, PRONOUNS
from roles.screen.language.masks import ANY, Masks

T = TypeVar("T")
_SLOT = re.compile(r"\{([^{}]+)\}")


def slot(fact: str) -> str:
    """The words that stand for the value of `fact`."""
    return "{" + fact + "}"


def slots_of(clause: c.Clause | c.Entity | c.Value) -> tuple[str, ...]:
    """Names of the facts that some words of `clause` stand for."""
    found: list[str] = []
    for part in fields(clause):
        value = getattr(clause, part.name)
        if isinstance(value, c.Entity | c.Value):
            found += slots_of(value)
            continue
        for text in value if isinstance(value, tuple) else (value,):
            found += _SLOT.findall(text) if isinstance(text, str) else []
    return tuple(dict.fromkeys(found))


def resolved(clause: T, facts: Iterable[Fact]) -> T:
    """`clause` with what is known put in; a slot that no fact of exactly that name fills stays as it is."""
    known = {fact.name: fact.value for fact in facts}
    return _filled(clause, known) if known and is_dataclass(clause) else clause


def _filled(part: T, known: dict[str, str]) -> T:
    changes = {field.name: _value(getattr(part, field.name), known) for field in fields(part)}  # type: ignore[arg-type]
    return replace(part, **changes)  # type: ignore[type-var]


def _value(value: object, known: dict[str, str]) -> object:
    if isinstance(value, str):
        return _SLOT.sub(lambda m: known.get(m.group(1), m.group()), value)
    if isinstance(value, tuple):
        return tuple(_value(item, known) for item in value)
    return _filled(value, known) if isinstance(value, c.Entity | c.Value) else value


_ARTICLE = re.compile(r"^(?:the|my|our|your|a|an|its|their|this|that|his|her)\s+", re.IGNORECASE)
_FIELD = re.compile(
    rf"^(?P<field>.+?)\s+(?:{FIELD_NOISE})s?(?:\s+(?:of|in|on|from|for)\s+(?P<rest>.+))?$|^(?:field|box|column)\s+(?P<named>.+?)(?:\s+(?:of|in|on)\s+(?P<rest2>.+))?$",
    re.IGNORECASE,
)
_FIELD_OF = re.compile(r"^(?P<field>.+?)\s+(?:of|in|on)\s+(?P<rest>.+)$", re.IGNORECASE)
_OWNED = re.compile(rf"^(?P<app>.+?\s(?:{FORM_NOISE}|{APP_NOISE}))['’]s\s+(?P<field>.+)$", re.IGNORECASE)
_WHICHEVER = re.compile(
    r"(?:the\s+)?(?:corresponding|right|matching|appropriate|respective|proper|correct|relevant)(?:\s+(?:field|place|box)s?)?",
    re.I,
)
_DOCUMENT = re.compile(
    rf"^(?:(?P<article>a|the|my|an|our)\s+)?(?P<new>(?:new|fresh|blank|separate)\s+)?(?P<noun>note|(?:text )?file"
    rf"|document|memo|draft|list|task|event|sticky note|reminder)"
    rf"(?:\s+(?:(?:titled|called|named|entitled|with (?:the )?title)\s+)?(?P<title>{ANY}|[^,]+?))?$",
    re.IGNORECASE,
)


_FILLING = (c.Enter, c.Complete, c.Select, c.Check)
_MAKING = (c.Create, c.Compose, c.Reply)


@dataclass
class Context:
    """Grows as clauses are understood."""

    masks: Masks
    apps: Sequence[AppWords] = ()
    known: list[str] = field(default_factory=list)
    """Names of facts, oldest first."""
    last: tuple[str, ...] = ()
    """What `it` and `them` mean."""
    entity: c.Entity = c.NOTHING
    """What was opened or read last."""
    form: str = ""
    """The last application that something was entered in."""
    person: str = ""
    """Whom the text spoke of last."""
    meant: c.Entity = c.NOTHING
    """What the clauses of this moment are about, whatever they read or open on the way."""

    def mean(self, entity: c.Entity) -> None:
        """From here on `it` is `entity`."""
        self.entity = self.meant = entity

    def settle(self) -> None:
        """After the clauses of one sentence are learnt: what was meant goes before what they touched."""
        self.entity, self.meant = self.meant or self.entity, c.NOTHING

    def learn(self, clause: c.Clause) -> None:
        """Take note of what `clause` reads, opens or writes into."""
        if isinstance(clause, c.Read):
            self.last = clause.fact_names()
            self.known.extend(name for name in self.last if name not in self.known)
            self.entity = clause.entity or self.entity
        elif isinstance(clause, c.OpenItem):
            self.entity = clause.entity
        elif isinstance(clause, c.Remember):
            self.last = (clause.name,)
            self.known.append(clause.name)
        elif isinstance(clause, _MAKING) or (isinstance(clause, _FILLING) and clause.app):
            self.form = clause.app

    def fact_for(self, fact: str) -> str | None:
        """The known fact that the words `fact` mean."""
        folded = fact.casefold()
        latest_first = list(reversed(self.known))
        tests = (
            lambda name: name == folded,
            lambda name: name.endswith(" " + folded),
            lambda name: folded.endswith(" " + name),
            lambda name: _kin(name, folded),
            lambda name: set(folded.split()) <= set(name.split()) and len(folded.split()) > 1,
        )
        return next((name for test in tests for name in latest_first if test(name.casefold())), None)


def _kin(name: str, fact: str) -> bool:
    """`amount` may mean the fact `invoice total`: both belong to one group of names."""
    return any(fact in group and any(name == other or name.endswith(" " + other) for other in group) for group in KINDRED)


@dataclass(frozen=True)
class Destination:
    """Where a value goes."""

    field: str = ""
    app: str = ""
    entity: c.Entity = c.NOTHING
    create: str = ""
    """Noun of the thing to make, when the words ask for a new one."""
    title: str = ""
    kept: bool = False
    """It is a field of a record, in which a value has to be saved."""


def value_of(words: str, ctx: Context, *, is_fact: bool) -> tuple[c.Value, list[c.Clause]]:
    """The value that `words` mean, and the reads that it first needs. An empty value when nothing is meant."""
    words = re.sub(
        r"^(?:the\s+)?(?:value|content|contents|text)\s+(?:of\s+)?(?=the\s)", "", words.strip(" ,"), flags=re.IGNORECASE
    )
    held = ctx.masks.only(words)
    if held is not None:
        return c.Value(held.raw), []
    if facts := re.fullmatch(rf"(?:the\s+)?facts?\s+((?:{ANY}|,|and|\s)+)", words):
        return c.Value(facts=tuple(ctx.masks.held(x).raw for x in re.findall(ANY, facts.group(1)))), []
    if words.casefold() in PRONOUNS:
        return _pronoun(words, ctx)
    definite = bool(re.match(r"(?:the|its|their|his|her|both|all|that|this)\s", words, re.IGNORECASE))
    if definite or is_fact or ctx.fact_for(words):
        value, reads = _facts(words, ctx)
        if value and (is_fact or not reads or _looks_like_fact(reads)):
            return value, reads
    return c.Value(ctx.masks.show(_ARTICLE.sub("", words) if is_fact else words)), []


def _pronoun(words: str, ctx: Context) -> tuple[c.Value, list[c.Clause]]:
    bare = re.sub(r"^(?:the|this|that)\s+", "", words.casefold())
    if bare in FIELD_WORDS and bare != words.casefold() and (name := ctx.fact_for(bare)):
        return c.Value(facts=(name,)), []
    if not ctx.last and bare in {"amount", "text", "amounts", "date"}:
        return _facts(words, ctx)
    return c.Value(facts=ctx.last or ("it",)), []


def _facts(words: str, ctx: Context) -> tuple[c.Value, list[c.Clause]]:
    phrase = noun_phrase(words, ctx.masks, ctx.apps)
    names = [
        ctx.fact_for(_full(fact, phrase.entity)) or (None if phrase.entity.specific else ctx.fact_for(fact))
        for fact in phrase.facts
    ]
    if phrase.facts and all(names):
        return c.Value(facts=tuple(name for name in names if name)), []
    if not phrase.facts:
        return c.Value(), []
    entity = phrase.entity if phrase.entity.specific or not _fits(ctx.entity, phrase.entity) else ctx.entity
    read = c.Read(phrase.app, phrase.facts, entity)
    return c.Value(facts=read.fact_names()), [read]


def _full(fact: str, entity: c.Entity) -> str:
    return c.fact_name(fact, entity)


def _fits(known: c.Entity, said: c.Entity) -> bool:
    return bool(known) and (not said.noun or said.noun == known.noun)


def _looks_like_fact(reads: Sequence[c.Clause]) -> bool:
    read = reads[0]
    if not isinstance(read, c.Read):
        return False
    return bool(read.entity.specific or read.app or all(fact.split()[-1] in FIELD_WORDS for fact in read.facts if fact))


def destination(words: str, ctx: Context) -> Destination:
    """`the amount field of the expense form`, `a new note titled Taxes`, `the reimbursement form`."""
    words = words.strip(" ,.")
    if words.casefold() in {"it", "this", "that", "them"} and ctx.entity:
        return Destination(entity=ctx.entity)
    found = _document(words, ctx)
    if found:
        return found
    bare = _ARTICLE.sub("", words)
    if owned := _OWNED.match(bare):
        bare = f"{owned['field']} of the {owned['app']}"
    match = _FIELD.match(bare)
    if match:
        return _field_of(match["field"] or match["named"] or "", match["rest"] or match["rest2"] or "", ctx)
    if app := as_app(bare, ctx):
        return Destination(app=app)
    of = _FIELD_OF.match(bare)
    if of:
        inner = _document(of["rest"], ctx)
        if inner:
            return replace(inner, field=_field_name(of["field"], ctx))
        return _field_of(of["field"], of["rest"], ctx)
    return Destination(_field_name(bare, ctx))


def _field_of(field: str, rest: str, ctx: Context) -> Destination:
    """A field of a record, or one of an application."""
    name = _field_name(field, ctx)
    record = own_record(rest, ctx.masks, ctx.apps) if rest and not as_app(_ARTICLE.sub("", rest), ctx) else c.NOTHING
    return Destination(name, entity=record, kept=True) if record else Destination(name, _place(rest, ctx))


def _field_name(words: str, ctx: Context) -> str:
    bare = ctx.masks.show(_ARTICLE.sub("", words.strip()))
    return "" if _WHICHEVER.fullmatch(bare) else bare


def _place(words: str, ctx: Context) -> str:
    if not words:
        return ""
    _, app = take_place(f"x in {words}", ctx.masks, ctx.apps)
    return app or ctx.masks.show(re.sub(rf"\s+(?:{APP_NOISE})$", "", _ARTICLE.sub("", words), flags=re.IGNORECASE))


def as_app(bare: str, ctx: Context) -> str:
    """The words when they name an application or a form."""
    if match := re.fullmatch(rf"(?P<app>.+?)\s+(?:{APP_NOISE})", bare, re.IGNORECASE):
        return _place(match["app"], ctx)
    if re.search(rf"\b(?:{FORM_NOISE}|report|claim|editor)$", bare, re.IGNORECASE):
        return "" if bare.casefold() in {"form", "sheet"} else ctx.masks.show(re.sub(r"^new\s+", "", bare))
    folded = bare.casefold()
    for app in ctx.apps:
        if folded in {app.app.casefold(), app.title.casefold()} or folded in {w.casefold() for w in app.words} - FIELD_WORDS:
            return ctx.masks.show(bare)
    return ""


def _document(words: str, ctx: Context) -> Destination | None:
    match = _DOCUMENT.match(words)
    if not match:
        return None
    title = ctx.masks.show((match["title"] or "").strip())
    noun = "file" if match["noun"].casefold().endswith("file") else NOUNS.get(match["noun"].casefold(), match["noun"].casefold())
    definite = (match["article"] or "").casefold() in {"the", "my", "our"}
    if match["title"] and not match["article"] and not match["new"] and ctx.masks.only(match["title"]) is None:
        return None
    if definite and not match["new"]:
        return Destination(entity=c.Entity(noun, name=title))
    return Destination(create=noun, title=title)


_IT = r"(?:it|this|that|he|she|they|the one)"
_OF = r"(?P<of>.+?)"
_QUESTIONS: tuple[tuple[str, str], ...] = (
    (rf"when {_OF} is (?:due|payable)", "due date"),
    (rf"(?:what|how much) {_OF} (?:comes? to|came to|costs?|is(?: in (?:all|total))?|amounts to)", "total"),
    (r"what (?:is|was) (?:billed|charged|due|to be paid)(?: in (?:all|total))?", "total"),
    (rf"who (?:{_IT} (?:was|is)|(?:wrote|sent) (?:{_IT}|to me)|it (?:is|was) from)", "sender"),
    (r"(?:on )?(?:which|what) day(?: it (?:was|came))?|when it (?:came|was sent)", "date"),
    (rf"where {_OF} takes? place|where {_OF} is held", "place"),
    (rf"(?:which|what) room {_OF} (?:takes? place|is) in", "room"),
    (rf"(?:which|what) (?P<fact>[a-z]+(?: [a-z]+)?) {_OF} has", ""),
)
_PATTERNS = tuple(
    (re.compile(pattern.replace("(?P<of>", "(?P<of2>").replace("(?P<of2>", "(?P<of>", 1), re.IGNORECASE), fact)
    for pattern, fact in _QUESTIONS
)
_ASIDE = re.compile(r"\s*\([^)]*\)")
_BETWEEN = re.compile(
    r"\s*,?\s+and\s+(?=(?:when|what|how much|who|on which|on what|which|where)\b)|\s*,\s*(?=(?:when"
    r"|what|how much|who|which|where)\b)",
    re.IGNORECASE,
)


class Asked(NamedTuple):
    """One fact, and the words for what it is a fact of; empty when they are a pronoun."""

    fact: str
    of: str


def asked_in(words: str) -> list[Asked] | None:
    """What every part of `words` asks for; None when one of them is no question that is known."""
    found = [_one(part) for part in _BETWEEN.split(_ASIDE.sub("", words).strip(" ,.?"))]
    return [asked for asked in found if asked] if all(found) else None


def _one(part: str) -> Asked | None:
    for pattern, fact in _PATTERNS:
        if match := pattern.fullmatch(part.strip()):
            groups = match.groupdict()
            of = groups.get("of") or groups.get("of2") or ""
            return Asked(fact or groups["fact"].casefold(), "" if re.fullmatch(_IT, of, re.IGNORECASE) else of)
    return None


def reads_for(asked: list[Asked], ctx: Context, app: str = "") -> list[c.Clause]:
    """One read for each thing that is asked about; what is only pointed at is what was spoken of last."""
    entity, found = ctx.entity, dict[c.Entity, list[str]]()
    for one in asked:
        entity = parse_entity(one.of, ctx.masks) if one.of else entity
        found.setdefault(entity, []).append(one.fact)
    return [c.Read(app, tuple(facts), about) for about, facts in found.items()]


_SPLIT = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*;\s*", re.IGNORECASE)
_SIGN = re.compile(
    r"^(?:the\s+)?(?P<field>[^:=]+?)\s*(?:=|:)\s*(?P<value>.+)$|^(?:the\s+)?(?P<field2>[\w\s-]+?)\s+(?:as|is|to"
    r"|set to|of)\s+(?P<value2>.+)$",
    re.I,
)


def pairs_of(text: str, ctx: Context) -> list[tuple[str, str]] | None:
    """The (field, value words) pairs of `text`; None when it is not such a list."""
    found: list[tuple[str, str]] = []
    for part in _SPLIT.split(text.strip(" ,.")):
        pair = _pair(part.strip(), ctx)
        if pair is None and not found:
            return None
        if pair is None:
            found[-1] = (found[-1][0], f"{found[-1][1]} and {part}")  # "vendor Smith and Sons" is one value
        else:
            found.append(pair)
    return found or None


def _pair(part: str, ctx: Context) -> tuple[str, str] | None:
    signed = _SIGN.match(part)
    if signed:
        field = (signed["field"] or signed["field2"] or "").strip()
        return (ctx.masks.show(field), signed["value"] or signed["value2"]) if len(field.split()) <= 4 else None
    words = re.sub(r"^(?:the|a|an)\s+", "", part, flags=re.IGNORECASE).split()
    for length in range(min(3, len(words) - 1), 0, -1):
        if all(word.casefold() in FIELD_WORDS for word in words[:length]):
            return ctx.masks.show(" ".join(words[:length])), " ".join(words[length:])
    if len(words) >= 2 and re.fullmatch(ANY, words[-1]) and not re.match(ANY, words[0]) and _all_words(words[:-1]):
        return " ".join(words[:-1]), words[-1]
    return None


def _all_words(words: list[str]) -> bool:
    return len(words) <= 3 and all(
        re.fullmatch(r"[^\W\d_][\w-]*", w) and w.casefold() not in {"of", "for", "from", "in", "on"} for w in words
    )
