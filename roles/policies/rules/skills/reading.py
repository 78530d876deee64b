"""Skill: learn facts of a record from labels, table cells and running text, with what stands beside them."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import ActionTarget, Answer, GUIElement, Memorize
from roles.policies.rules.skills.deeds import NOUNS, SIGNED, shape_of, signed, spot, waited
from roles.policies.rules.skills.finding import chosen_entity, go_to, is_open
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import KINDRED
from roles.screen.matching import GOOD, best, similarity
from roles.screen.records import entry_of, matching_entries
from roles.screen.screens import Pair, fold, shown
from roles.screen.values import find_dates, find_money

_SIBLINGS = ("vendor", "date", "invoice number", "description", "category", "total")
_FORMAL = re.compile(r"\b(?:forms?|claims?|expenses?|reimburse\w*|submit)\b", re.IGNORECASE)


class Found(NamedTuple):
    """A value with the element that shows it."""

    value: str
    element: GUIElement
    score: float


def read(clause: c.Read, at: Situation) -> Move:
    """Memorize each fact of the record, then its neighbours that a form may want."""
    wanted = list(zip(clause.facts, clause.fact_names(), strict=False))
    missing = [(fact, name) for fact, name in wanted if not _known(name, at)]
    if not missing and not at.notes.get("reading"):
        return done(f"{_list_of(clause)} already known")
    if missing and clause.entity.noun in NOUNS:
        return _on_the_spot(clause, missing[0], at)
    if missing:
        if not is_open(clause.entity, at):
            if (cell := _from_row(clause, missing[0][0], at)) is not None:
                return _memorize(missing[0][1], cell, at)
            return go_to(clause.entity, at)
        found = find_fact(missing[0][0], at)
        if found is None:
            return _not_here(clause, missing[0][0], at)
        return _memorize(missing[0][1], found, at)
    sibling = _sibling(clause, at)
    return sibling or done(f"{_list_of(clause)} known")


def _on_the_spot(clause: c.Read, missing: tuple[str, str], at: Situation) -> Move:
    found = spot(missing[0], clause.entity, at)
    if found is not None:
        return _memorize(missing[1], Found(found.value, found.element, 1.0), at)
    return waited(clause.entity, at) or _not_here(clause, missing[0], at)


def _known(name: str, at: Situation) -> bool:
    return any(f.name.casefold() == name.casefold() for f in at.view.facts)


def _list_of(clause: c.Read) -> str:
    names = clause.fact_names()
    return " and ".join(names) + (" is" if len(names) == 1 else " are")


def _memorize(name: str, found: Found, at: Situation) -> Move:
    at.notes["reading"] = True
    confidence = 1.0 if found.score >= 0.85 else 0.7
    action = Memorize(target=ActionTarget.of(found.element), name=name, value=found.value)
    return act(action, f'the screen shows {name}: "{found.value}"', f"{name} on the blackboard", confidence)


def find_fact(fact: str, at: Situation) -> Found | None:
    """A labelled value, else a value in running text."""
    if fact.startswith(SIGNED):
        spotted = signed(fact, at)
        return Found(spotted.value, spotted.element, 0.9) if spotted else None
    pairs = [p for p in at.screen.pairs if p.value]
    match = best(fact, pairs, lambda p: p.label, least=GOOD)
    if match is not None and match.score >= 0.8:
        return Found(match.item.value, match.item.element, match.score)
    text = _in_prose(fact, at) or in_messages(fact, at) or _in_heading(fact, at)
    if text is not None or match is None:
        return text
    return Found(match.item.value, match.item.element, match.score)


def _in_prose(fact: str, at: Situation) -> Found | None:
    """`Total: $98.20`, `the total is $98.20`, or the only date or amount of a text."""
    prose = [*at.screen.prose, *(t for t in at.screen.detail_texts if t not in at.screen.prose and t.role == "text")]
    words = [fact, *_kin(fact)]
    for word in words:
        pattern = re.compile(
            rf"\b{re.escape(word)}\b\s*(?:\([^)]*\)\s*)?(?:is|was|are|will be|comes to|of|on|at|=|:|-"
            rf"|–)+\s*(?:the\s+)?(?P<v>[^\n]+)",
            re.I,
        )
        for element in prose:
            if match := pattern.search(shown(element)):
                return Found(_value_in(match["v"], fact), element, 0.9)
    return _only_one(fact, prose)


def in_messages(fact: str, at: Situation) -> Found | None:
    """The newest value of that kind in the lines of a conversation or a log, those of its own people before all."""
    kind, _, day = fact.partition(" on ")
    shape = shape_of(kind)
    if shape is None:
        return None
    heads = {fold(e.name) for e in at.screen.elements if e.role == "heading"}
    lines = [(row, e) for row in at.screen.rows for e in at.screen.within(row) if e.role == "text" and day in shown(e)]
    own = [(row, e) for row, e in lines if any(fold(shown(k)) in heads for k in at.screen.kids(row))]
    for _, element in reversed(own or lines):
        if match := shape.search(shown(element)):
            return Found(match.group(), element, 0.9)
    hits = {match.group(): e for e in at.screen.detail_texts if e.role == "text" for match in shape.finditer(shown(e))}
    return Found(*next(iter(hits.items())), 0.8) if len(hits) == 1 and not lines else None


def _in_heading(fact: str, at: Situation) -> Found | None:
    """`Order 2104` tells the order number."""
    noun = fact.casefold().removesuffix(" number")
    if noun == fact.casefold():
        return None
    for element in at.screen.detail_texts:
        if match := re.fullmatch(rf"{re.escape(noun)}\s+(?:no\.?\s*|#)?(\S*\d\S*)", shown(element), re.IGNORECASE):
            return Found(match.group(1), element, 0.9)
    return None


def _kin(fact: str) -> list[str]:
    return [
        name for group in KINDRED if fact.casefold() in group for name in group if len(name) > 2 and name not in {"when", "where"}
    ]


def _value_in(text: str, fact: str) -> str:
    """The money or date at the start of `text`, else its first phrase."""
    head = text.strip()
    for values in (find_money(head), find_dates(head)):
        if values and head.find(values[0]) < 12:
            return values[0]
    return re.split(r"(?<=\w)[.;!?](?:\s|$)|,\s", head)[0].strip(" .,;") or head


def _only_one(fact: str, prose: list[GUIElement]) -> Found | None:
    kinds = {"money": find_money, "date": find_dates}
    kind = "money" if similarity("total", fact) > 0.8 else "date" if fact.split()[-1] in {"date", "day", "deadline"} else ""
    if not kind:
        return None
    hits = [(value, element) for element in prose for value in kinds[kind](shown(element))]
    distinct = {value for value, _ in hits}
    return Found(hits[0][0], hits[0][1], 0.8) if len(distinct) == 1 else None


def _from_row(clause: c.Read, fact: str, at: Situation) -> Found | None:
    """The cell of a row that is surely the one: by id, or the only row that fits on a list without more pages."""
    entity = chosen_entity(clause.entity, at)
    if entity.pick or not entity.specific:
        return None
    rows = [i for i in at.screen.items if i.cells and matching_entries(entity, [entry_of(i)])]
    if len(rows) != 1 or not (entity.id or at.notes.get("searched")):
        return None
    match = best(fact, rows[0].cells, lambda p: p.label, least=0.93)
    return (
        Found(match.item.value, match.item.element, match.score) if match and match.item.value and not _wants_more(at) else None
    )


def _wants_more(at: Situation) -> bool:
    """Opening the record tells its other facts too, which a form may ask for."""
    return bool(_FORMAL.search(at.view.user_request))


def _not_here(clause: c.Read, fact: str, at: Situation) -> Move:
    labels = ", ".join(dict.fromkeys(p.label for p in at.screen.pairs if p.label)) or "none"
    app = at.view.subtask.app or at.view.app or "this application"
    if not at.notes.get("chosen") and at.screen.items and not clause.entity.specific:
        return go_to(clause.entity, at)
    return fail(f'no "{fact}" is shown in {app}; labels there are: {labels}', f"where {app} shows the {fact}")


def _sibling(clause: c.Read, at: Situation) -> Move | None:
    """Another labelled fact of the same record, when the goal speaks of a form."""
    if not _wants_more(at) or not clause.entity.noun:
        return None
    for pair in at.screen.pairs:
        kind = next((k for k in _SIBLINGS if similarity(k, pair.label) >= 0.9), None)
        if kind is None or any(similarity(fact, pair.label) >= 0.9 for fact in clause.facts):
            continue
        name = c.fact_name(_plain(pair), clause.entity)
        if not _known(name, at) and name not in at.notes.setdefault("siblings", []):
            at.notes["siblings"].append(name)
            return _memorize(name, Found(pair.value, pair.element, 1.0), at)
    return None


def _plain(pair: Pair) -> str:
    return " ".join(pair.label.casefold().split())[:40]


def tell(clause: c.Tell, at: Situation) -> Move:
    """Say it to the user, once."""
    if at.notes.get("told"):
        return done("the user was told")
    text = at.text(clause.value)
    if text is None:
        return fail(f"{', '.join(at.missing(clause.value))} is not known")
    at.notes["told"] = True
    return act(Answer(text=text), "the goal asks for it")
