"""Imperative English about a page, as clauses. What it does not understand it leaves to the other grammar by giving None."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from roles.policies.rules.grammar import readable
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.deed_forms import (
    DEEDS,
    attach,
    deed,
    drag,
    fields,
    in_english,
    place,
    placed,
    seek,
    sign_in,
)
from roles.policies.rules.pages.reading.things import thing_of
from roles.policies.rules.pages.reading.values import IT, Found, Reading, source_of
from roles.screen.language.clauses import PageClause
from roles.screen.language.lexicon import ALL, COUNT, EXTREME, EXTREMES, FILLERS, NOTHING, ORDINAL, count_of
from roles.screen.language.masks import ANY, Masks
from roles.screen.page import Thing

_TURNED = re.compile(r"^(?:turn|switch|toggle)\s+(?P<what>.+?)\s+(?P<how>on|off)$", re.IGNORECASE)
_TURN = re.compile(r"^(?:turn|switch|toggle)\s+(?:on|off)\b", re.IGNORECASE)
_RIGHT = re.compile(r"^(?:right[- ]click(?:\s+on)?|open\s+the\s+context\s+menu\s+(?:of|for|on))\s+(?P<what>.+)$", re.IGNORECASE)
_TIMES = re.compile(
    rf"^(?P<what>(?:press|click|tap|hit|push)\b.+?)\s+(?:(?P<twice>twice)|(?P<n>{COUNT})\s+times)$", re.IGNORECASE
)
_MOST_TIMES = 20
_BACK = re.compile(
    r"^(?:(?:go|navigate|return)\s+back|return)(?:\s+to\s+(?:the\s+)?(?:\w+\s+){0,3}(?:page|list|results|screen))?$",
    re.IGNORECASE,
)
_CART = r"(?:shopping\s+)?(?:cart|basket|bag|trolley)"
_INTO_CART = re.compile(rf"^(?:add|put|place)\s+(?P<what>.+?)\s+(?:to|in|into)\s+(?:the|my|your)\s+{_CART}$", re.IGNORECASE)
_AMOUNT = re.compile(
    rf"^(?P<n>{COUNT})\s+(?:(?:pieces?|units?|packs?|times|x)\s+(?:of\s+)?|of\s+)?(?:the\s+)?(?P<name>{ANY}|.+)$", re.IGNORECASE
)
_everyday_forms_AND = re.compile(rf"\s*,\s*(?:and\s+)?(?=(?:{COUNT})\s)|\s+and\s+(?=(?:{COUNT})\s)", re.IGNORECASE)
_TRASH = re.compile(
    r"^(?:move|put|throw|send)\s+(?P<what>.+?)\s+(?:to|into|in)\s+(?:the\s+)?(?:trash|bin|recycle bin)$", re.IGNORECASE
)
_MARKED = re.compile(r"^mark\s+(?P<what>.+?)\s+as\s+(?P<how>[a-z ]{3,20})$", re.IGNORECASE)
_DONE = frozenset({"done", "complete", "completed", "finished", "checked"})


def switched(words: str, reading: Reading) -> Found:
    """`turn push notifications off`."""
    match = None if _TURN.match(words) else _TURNED.match(words)
    if match is None:
        return None
    name = re.sub(r"^(?:the|my|your)\s+", "", reading.masks.show(match["what"]), flags=re.IGNORECASE)
    return [p.Choose(names=name, on=match["how"].casefold() == "on")]


def right_click(words: str, reading: Reading) -> Found:
    match = _RIGHT.match(words)
    return [p.Push(thing=thing_of(match["what"], reading.masks), right=True)] if match else None


def back(words: str, reading: Reading) -> Found:
    return [p.Back()] if _BACK.match(words) else None


def times(words: str) -> tuple[str, int]:
    """What is to be pressed, and how often: once unless the words say so."""
    match = _TIMES.match(words)
    if match is None:
        return words, 1
    count = 2 if match["twice"] else count_of(match["n"])
    return (match["what"], count) if 0 < count <= _MOST_TIMES else (words, 1)


def into_cart(words: str, reading: Reading) -> Found:
    """`add 2 Sencha to the cart`, `put two Earl Grey and one Rooibos in the basket`."""
    match = _INTO_CART.match(words)
    if match is None:
        return None
    taken = [_AMOUNT.match(part) for part in _everyday_forms_AND.split(match["what"])]
    if any(one is None or count_of(one["n"]) < 1 for one in taken):
        return None
    return [p.Take(name=reading.masks.show(one["name"]).strip(), count=count_of(one["n"])) for one in taken if one is not None]


def marked(words: str, reading: Reading) -> Found:
    """`mark X as done` ticks it, `mark X as read` is done by the control of that name; `move X to the trash` deletes it."""
    if trashed := _TRASH.match(words):
        thing = thing_of(trashed["what"], reading.masks)
        return [p.Deed(verb="move to trash", words=reading.masks.show(trashed["what"]), name=thing.name)]
    match = _MARKED.match(words)
    if match is None:
        return None
    thing = thing_of(match["what"], reading.masks)
    how = match["how"].casefold().strip()
    if how in _DONE:
        return [p.Choose(names=thing.name or thing.words)]
    named = thing.name if re.search(ANY, match["what"]) else ""
    return [p.Deed(verb=f"mark as {how}", words=reading.masks.show(match["what"]), name=named)]


def pushed(clauses: list[PageClause] | None, count: int) -> Found:
    """The same press so many times."""
    return clauses if clauses is None or count == 1 else [replace(clause) for _ in range(count) for clause in clauses]


_PUSH = r"double[- ]click(?: on)?|click(?: on)?|press(?: on)?|hit|push|tap(?: on)?|activate|follow"
_PICK = r"select|choose|pick|check(?!\s+out\b)|tick|mark|switch on|turn on|enable"
_UNPICK = r"deselect|unselect|uncheck|untick|unmark|switch off|turn off|disable"
_WRITE = r"enter|type(?: in)?|write|input|put|insert|key in|fill in|paste|copy"
_SET = r"set|change|adjust|move|drag|slide"
_LEARN = r"find|get|read|copy|look up|note(?=\s(?:the|down|it|that|a)\b)|take|remember|determine|locate"
_OPEN = r"expand|unfold|open(?: up)?|show"
_FOLD = r"collapse|fold|hide"
_CLOSE = r"close|dismiss|cancel"
_FOCUS = r"focus(?: in)?(?:to| on)?|(?:put|place) the (?:cursor|caret|focus) in(?:to)?|click in(?:to)?"
_ORDER = r"order|buy|book|purchase|reserve|get|add"
_VERBS = "|".join(
    (_PUSH, _PICK, _UNPICK, _WRITE, _SET, _LEARN, _OPEN, _FOLD, _CLOSE, _FOCUS, _ORDER, "submit", "fill", "log ?in", "search")
)
_OBJECT = rf"(?:(?:the|a|an|it|them|that|this|your|my|our|all|to|for)\b|{ANY}|\d|[^\W\d_a-z])"
_BEGINS = rf"(?:(?:{_VERBS}|go back|right[- ]click)\b|(?:{DEEDS})\s+(?={_OBJECT})|(?-i:(?:{DEEDS})\s+(?=[^\W\d_a-zß-ÿ])))"
_CUT = re.compile(
    rf"(?:\s*[,;:]\s*(?:and\s+|then\s+|and then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+|\.\s+(?:then,?\s+)?)(?={_BEGINS})"
    rf"|(?:\s*,)?\s+(?:and\s+(?:then\s+)?|then\s+)(?=(?:{DEEDS})\W*(?:$|[.,;]\s))|\.\s+(?=(?:for|on|in|under|at)\s+[^.,]{{1,40}},)",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"^(?:(?:{FILLERS})\b[\s,:]*)+(?=\S)", re.IGNORECASE)
_SUBMITS = re.compile(r"^(?:submit|log ?in|sign in|search|continue|confirm|save|send)$", re.IGNORECASE)
_INTO = r"(?:into|in|to|inside|on|within|under)"
_VALUE = 3
"""Words beyond which nothing unquoted is a value."""
_LONG = 6
"""Words beyond which nothing is a name."""


@lru_cache(maxsize=64)
def understand(goal: str) -> tuple[PageClause, ...] | None:
    """The clauses of a goal that speaks of the page that is shown; None when a part of it is not understood."""
    if readable(goal) is None:
        return None
    masks = Masks()
    hidden = masks.hide_dates(masks.hide_quotes(" ".join(goal.split())))
    reading = Reading(masks)
    found: list[PageClause] = []
    english = [(part.strip(" .!,"), (part.strip(" .!,"),)) for part in _CUT.split(_LEAD.sub("", hidden.strip(" .!")))]
    for part, orders in in_english(hidden.strip(" .!")) or english:
        clauses: list[PageClause] = []
        for order in orders:
            if (read := _clauses(order, reading)) is None:
                return None
            clauses += read
        said = masks.verbatim(part)
        found += [replace(clause, said=said) for clause in clauses]
        _remember(clauses, reading)
    return tuple(found) or None


def _remember(clauses: list[PageClause], reading: Reading) -> None:
    for clause in clauses:
        if isinstance(clause, p.Learn):
            reading.fact = clause.name
            reading.facts.append(clause.name)
            reading.unused = clause.name
        if isinstance(clause, p.Put) and clause.source.fact:
            reading.unused = ""
        if isinstance(clause, p.Look):
            reading.thing = clause.thing


def _clauses(words: str, reading: Reading) -> Found:
    words = _LEAD.sub("", words)
    if (opened := placed(words, reading)) is not None and (rest := _clauses(opened[1], reading)) is not None:
        return [*opened[0], *rest]
    for form in _FORMS:
        found = form(words, reading)
        if found is not None:
            return found
    return None


def _form(verbs: str, rest: str = r"(?P<rest>.+)") -> re.Pattern[str]:
    return re.compile(rf"^(?P<verb>{verbs})\s+{rest}$", re.IGNORECASE)


_EXTREME = _form(rf"{_ORDER}|{_PICK}|{_PUSH}|(?!(?:{_LEARN}|{_WRITE}|{_SET}|{_FOLD}|{_CLOSE})\b)[a-z]+")
_COLLECT_NAMES = _form(
    _ORDER,
    rf"(?P<n>{COUNT})\s+(?:of\s+)?(?:each|every)(?:\s+(?:of\s+(?:the|these)\s+)?(?:following\s+)?\w+)?\s*:?\s+(?P<names>.+)",
)
_COLLECT_TRAIT = _form(_ORDER, rf"(?P<n>{COUNT})\s+\w+\s+(?:that|which)\s+(?:are|is|have|has|contain|contains)\s+(?P<trait>.+)")
_BY = re.compile(r"\s+by\s+(?:clicking|pressing|hitting|tapping)(?:\s+on)?\s+(?P<what>.+)$", re.IGNORECASE)


def _extreme(words: str, reading: Reading) -> Found:
    """`Buy the ticket with the lowest cost`, `select the cheapest flight`."""
    match = _EXTREME.match(words)
    found = EXTREME.search(match["rest"]) if match else None
    if match is None or found is None or re.search(ANY, match["rest"]) or ORDINAL.search(match["rest"]):
        return None
    most, usual = EXTREMES[found["x"].casefold()]
    after = match["rest"][found.end() :].strip()
    before = match["rest"][: found.start()]
    named = after if re.search(r"\b(?:with|has|having|of)\b", before) else ""
    is_deed = re.fullmatch(rf"(?:{DEEDS})", match["verb"], re.IGNORECASE)
    if re.search(r"\b(?:that|which)\b", match["rest"]) or (is_deed and len(after.split()) > 1):
        return [p.Deed(verb=match["verb"].casefold(), words=re.sub(r"^the\s+", "", match["rest"]))]
    return [p.Extreme(verb=match["verb"].casefold(), most=most, by=named or usual or after)]


def _collect(words: str, reading: Reading) -> Found:
    """`Order one of each: A, B`, `get 3 items that are blue`."""
    if match := _COLLECT_NAMES.match(words):
        return [p.Collect(verb=match["verb"].casefold(), each=count_of(match["n"]), names=reading.masks.show(match["names"]))]
    if match := _COLLECT_TRAIT.match(words):
        trait = reading.masks.show(match["trait"])
        return [p.Collect(verb=match["verb"].casefold(), each=count_of(match["n"]), trait=trait)]
    return None


def _dismiss(words: str, reading: Reading) -> Found:
    match = _form(_CLOSE).match(words)
    if not match:
        return None
    if by := _BY.search(match["rest"]):
        place = thing_of(match["rest"][: by.start()], reading.masks)
        return [p.Push(thing=replace(thing_of(by["what"], reading.masks), place=place.words))]
    thing = thing_of(match["rest"], reading.masks)
    if not thing.kind and thing.name:
        return deed(words, reading)  # `close the oldest ticket` closes no dialog
    if thing.kind in {"dialog", ""}:
        return [p.Dismiss(thing=thing)]
    return [p.Unfold(thing=thing, open=False)]


def _unfold(words: str, reading: Reading) -> Found:
    match = _form(f"{_OPEN}|{_FOLD}").match(words)
    if not match:
        return None
    parts = [part for part in _THEN.split(match["rest"]) if part]
    path = [part for part in re.split(r"\s+(?:>|›|→)\s+", match["rest"]) if part]  # `Support > Warranty`
    if len(path) > 1:
        parts = path
    elif len(parts) < 2 or not all(re.search(ANY, part) for part in parts):
        parts = [match["rest"]]
    opens = bool(re.fullmatch(_OPEN, match["verb"], re.I))
    return [p.Unfold(thing=thing_of(part, reading.masks), open=opens) for part in parts]


def _focus(words: str, reading: Reading) -> Found:
    match = _form(_FOCUS).match(words)
    thing = thing_of(match["rest"], reading.masks) if match else Thing()
    if match is None or (thing.kind != "field" and match["verb"].casefold().startswith("click")):
        return None
    return [p.Focus(thing=thing)]


_PAIR = re.compile(
    rf"(?:the\s+)?(?P<name>[A-Za-z][\w -]{{1,28}}?)\s+(?:as\s+|is\s+)?(?P<value>{ANY})"
    rf"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+(?={_INTO}\b)|$)"
)


def _write(words: str, reading: Reading) -> Found:
    """`enter V into F`, `enter V as the F`, `fill F with V`, `enter the name V and the code W`."""
    if filled := _form(r"fill(?: in| out| up)?", r"(?P<rest>.+?)\s+(?:with|using)\s+(?P<value>.+)").match(words):
        if re.search(r"\bform$", filled["rest"], re.IGNORECASE):
            return None  # its fields are, by values that were not understood
        return [p.Put(source=source_of(filled["value"], reading), thing=thing_of(filled["rest"], reading.masks))]
    match = _form(_WRITE).match(words)
    if not match:
        return None
    rest = match["rest"]
    if match["verb"].casefold() == "fill in" and re.match(r"(?:the|this|that|a|an|your)\b.*\bform\b", rest, re.IGNORECASE):
        return None  # without what goes where
    if found := _series(rest, reading) or _pairs(rest, reading):
        return found
    cut = re.search(r"\s+as\s+(?:the\s+)?(?P<to>.+)$", rest, re.I) or _last(rf"\s+{_INTO}\s+(?P<to>.+)$", rest)
    if cut is None and (match["verb"].casefold() in {"copy", "put", "fill in"} or not _is_value(rest)):
        return None
    value, target = (rest[: cut.start()], thing_of(cut["to"], reading.masks)) if cut else (rest, Thing())
    if match["verb"].casefold() == "copy" and target.kind not in {"field", "list"} and not _is_copied(value, rest):
        return None
    if len(target.name.split()) > _LONG or " as " in target.name:
        return None  # a piece of a sentence is no name
    return _put(value, target, reading)


def _is_copied(value: str, rest: str) -> bool:
    """`copy the total into the amount` writes; `copy the text in the area` only looks."""
    return value.casefold().startswith("the ") and re.match(r"\s+(?:into|to)\s", rest[len(value) :], re.IGNORECASE) is not None


def _is_value(words: str) -> bool:
    """Whether words without a field can be what is to be written: quoted, referred to, or a word or three."""
    return (re.search(ANY, words) is not None and ":" not in words) or IT.match(words) is not None or len(words.split()) <= _VALUE


_EACH = re.compile(rf"^(?P<value>.+?)\s+(?:{_INTO}|as|for)\s+(?P<to>.+)$", re.IGNORECASE)
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)


def _series(rest: str, reading: Reading) -> Found:
    """`"A" into the X field and "B" into the Y field`, `V as the date and W as the time`."""
    parts = [_EACH.match(part) for part in _AND.split(rest)]
    found = [m for m in parts if m is not None]
    if len(found) < 2 or len(found) != len(parts):
        return None
    return [p.Put(source=source_of(m["value"], reading), thing=thing_of(m["to"], reading.masks)) for m in found]


def _pairs(rest: str, reading: Reading) -> Found:
    """Values that are each named before them: every name is a field's, unless the target says otherwise."""
    found, at = [], 0
    while match := _PAIR.match(rest, at):
        found.append(match)
        at = match.end()
    tail = re.match(rf"^{_INTO}\s+(?P<to>.+)$", rest[at:], re.IGNORECASE)
    if not found or (rest[at:].strip() and tail is None):
        return None
    if len(found) == 1 and tail is not None:
        target = thing_of(tail["to"], reading.masks)
        if target.name or target.every or target.nth:
            return _put(found[0]["value"], target, reading)
    fields = [Thing(name=m["name"].strip(), kind="field", words=m["name"].strip()) for m in found]
    return [p.Put(source=source_of(m["value"], reading), thing=f) for m, f in zip(found, fields, strict=True)]


def _put(value: str, target: Thing, reading: Reading) -> list[PageClause]:
    source = source_of(value, reading)
    if source.given or source.fact:
        return [p.Put(source=source, thing=target)]
    name = reading.masks.show(value).strip()
    return [p.Learn(source=source, name=name), p.Put(source=p.Source(fact=name), thing=target)]


def _set(words: str, reading: Reading) -> Found:
    """`set F to V`, `move the slider to V`."""
    match = _form(_SET, r"(?P<rest>.+?)\s+(?:to|at|=)\s+(?P<value>.+)").match(words)
    if not match:
        return None
    return [p.Put(source=source_of(match["value"], reading), thing=thing_of(match["rest"], reading.masks))]


def _learn(words: str, reading: Reading) -> Found:
    """`find the last word in the text area`, `copy the text in the area`; `find the link X` is only looking."""
    match = _form(_LEARN).match(words)
    if not match:
        return None
    source = source_of(match["rest"], reading)
    if match["verb"].casefold() in {"take", "get"} and source.label and re.search(ANY, match["rest"]):
        return None  # `take the offer "Gold"` is a deed
    if source.given:
        return None if match["verb"].casefold() == "copy" else [p.Look(thing=thing_of(match["rest"], reading.masks))]
    return [p.Learn(source=source, name=re.sub(r"^the\s+", "", reading.masks.show(match["rest"])))]


def _choose(words: str, reading: Reading) -> Found:
    """`select A, B and C`, `choose A from the list`, `pick V with the slider`."""
    match = _form(f"{_PICK}|{_UNPICK}").match(words)
    if not match:
        return None
    on = not re.fullmatch(_UNPICK, match["verb"], re.IGNORECASE)
    place = _last(r"\s+(?:from|in|on|with|using|of)\s+(?P<to>(?:the|a|this|that)\s+.+)$", match["rest"])
    target = thing_of(place["to"], reading.masks) if place else Thing()
    names = match["rest"][: place.start()] if place and target.kind else match["rest"]
    if target.kind in {"slider", "field"}:
        return [p.Put(source=source_of(names, reading), thing=target)]
    shown = reading.masks.show(names).strip()
    exact = bool(NOTHING.match(shown))
    exact = exact or bool(re.match(r"^(?:only|just)\b", shown, re.I))
    shown = re.sub(r"^(?:only|just)\s+", "", shown, flags=re.I)
    one = thing_of(names, reading.masks)
    if one.kind and not one.every and not ALL.match(shown) and not exact and (one.name or one.nth):
        return [p.Choose(names=one.name, thing=replace(one, place=target.words or one.place), on=on)]
    return [p.Choose(names=shown, thing=target if target.kind else Thing(), on=on, exact=exact)]


_THEN = re.compile(rf"\s*,\s*(?:and\s+|then\s+)*|\s+(?:and\s+)?then\s+|\s+and\s+(?=(?:the\s+)?(?:\w+\s+)?{ANY})", re.IGNORECASE)


_KEY = re.compile(r"^(?:press|hit|push)\s+(?:the\s+)?(?P<key>enter|return|esc|escape|tab)(?:\s+key)?$", re.IGNORECASE)
_KEYS = {"return": "Enter", "esc": "Escape"}


def _key(words: str, reading: Reading) -> Found:
    """`press the Enter key`."""
    match = _KEY.match(words)
    name = match["key"].casefold() if match else ""
    return [p.Key(name=_KEYS.get(name, name.capitalize()))] if match else None


def _push(words: str, reading: Reading) -> Found:
    if _SUBMITS.match(words):
        return [p.Push(thing=Thing(name=words, words=words))]
    if submitted := re.match(r"^submit\s+(?:the\s+)?(?:form|answer|result|page|it)$", words, re.IGNORECASE):
        return [p.Push(thing=Thing(name=submitted.group().split()[0], words="submit"))]
    words, count = times(words)
    if count > 1:
        return pushed(_push(words, reading), count)
    match = _form(_PUSH).match(words)
    if not match:
        return None
    if IT.match(match["rest"]) and reading.thing is not None:
        return [p.Push(thing=reading.thing)]
    if match["verb"].casefold() == "follow" and not thing_of(match["rest"], reading.masks).kind:
        return deed(words, reading)
    double = match["verb"].casefold().startswith("double")
    parts = [part for part in _THEN.split(match["rest"]) if part]
    if len(parts) > 1 and all(re.search(ANY, part) or thing_of(part, reading.masks).kind for part in parts):
        return [p.Push(thing=thing_of(part, reading.masks), double=double) for part in parts]
    return [p.Push(thing=thing_of(match["rest"], reading.masks), double=double)]


def _last(pattern: str, text: str) -> re.Match[str] | None:
    """The match that begins last."""
    starts = [m.start() for m in re.finditer(pattern[: pattern.index("(?P<to>")], text, re.IGNORECASE)]
    return re.compile(pattern, re.IGNORECASE).match(text, starts[-1]) if starts else None


_FORMS: tuple[Callable[[str, Reading], Found], ...] = (
    _key, right_click, back, switched, into_cart, marked, drag, attach, seek, sign_in, place, _collect, _extreme, _focus,
    _dismiss, fields, _set, _write, _learn, _unfold, _choose, _push, deed,
)  # fmt: skip
