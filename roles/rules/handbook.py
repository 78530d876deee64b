"""Steps from help documents that the Manager asked for: numbered English with slots filled from the goal."""

from __future__ import annotations

import re
from dataclasses import replace

from rapidfuzz import fuzz

from roles.contracts import USER, PlanRequest, Supplement
from roles.rules import clauses as c
from roles.rules.grammar import parse
from roles.rules.masks import Masks
from roles.rules.phrases import Misread, parse_entity

_STEP = re.compile(r"^\s*\d{1,2}[.)]\s+(.+)$", re.MULTILINE)
_SLOT = re.compile(r"\{([\w. ]+)\}")
_ALIKE = 60


def steps_for(text: str, request: PlanRequest) -> list[c.Clause] | None:
    """The clauses of the document whose title `text` names; None when there is none that is understood as a whole."""
    ranked = sorted(request.supplements, key=lambda s: -_likeness(text, s))
    for document in ranked:
        if _likeness(text, document) < _ALIKE:
            continue
        told = [document.text] if document.source == USER else []  # in their own words, without numbers
        steps = "\n".join(f"{n}. {step}" for n, step in enumerate(_STEP.findall(document.text) or told, start=1))
        filled = _filled(steps, text)
        clauses = parse(filled, request.apps, [f.name for f in request.facts]) if filled else []
        if clauses and not any(isinstance(x, c.Unknown) for x in clauses):
            return [_about(x, _entity_in(text)) for x in clauses]
    return None


def _likeness(text: str, document: Supplement) -> float:
    return float(fuzz.token_set_ratio(text.casefold(), document.title.casefold()))


def _entity_in(text: str) -> c.Entity:
    masks = Masks()
    hidden = masks.hide_typed(masks.hide_quotes(text))
    match = re.search(r"\b(?:for|of|on|with|from)\s+(.+)$", hidden) or re.match(r"\w+\s+(.+)$", hidden)
    try:
        return parse_entity(match.group(1), masks) if match else c.NOTHING
    except Misread:
        return c.NOTHING


def _filled(steps: str, text: str) -> str | None:
    """Slots such as {invoice} take the id or name that the goal gives; a slot that nothing fills makes the document unusable."""
    entity = _entity_in(text)
    values = {
        entity.noun: entity.id or entity.name,
        "id": entity.id,
        "number": entity.id,
        "name": entity.name,
        "vendor": entity.name,
    }
    missing = [slot for slot in _SLOT.findall(steps) if not _slot(slot, values)]
    return None if missing else _SLOT.sub(lambda m: _slot(m.group(1), values), steps)


def _slot(name: str, values: dict[str, str]) -> str:
    word = name.split(".")[0].split()[-1].casefold()
    return values.get(word, "") or (values.get(name.split(".")[-1].casefold(), "") if "." in name else "")


def _about(clause: c.Clause, entity: c.Entity) -> c.Clause:
    """`the invoice` of a document is the invoice of the goal."""
    if not isinstance(clause, c.Read | c.OpenItem | c.Delete) or clause.entity.specific or not entity.specific:
        return clause
    if clause.entity.noun and entity.noun and clause.entity.noun != entity.noun:
        return clause
    return replace(clause, entity=replace(entity, noun=clause.entity.noun or entity.noun))
