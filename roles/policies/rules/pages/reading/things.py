"""What a noun phrase points at: kind, name, ordinal and place of a thing on a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from protocol import GUIElement
from roles.screen.language.lexicon import ARTICLE, EVERY, KIND, ORDINAL, kind_of, ordinal_of
from roles.screen.language.masks import ANY, Masks
from roles.screen.matching import similarity
from roles.screen.page import BOXES, LISTS, Page, Scopes, Thing

_lists_WHERE = re.compile(r"^(?P<name>.+?)\s+(?:for|of|in|from|on|at)\s+(?:the\s+)?(?P<place>.+)$", re.IGNORECASE)
_PARTS = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)


def narrowed(thing: Thing, page: Page) -> Page | None:
    """The page as far as `in the row X`, `from the list X` speaks of it; None where it has no such part."""
    name = thing.name if thing.kind in {"item", "section", "list", "dialog"} and not thing.nth else thing.place
    if not name:
        return page
    if thing.kind == "list":
        named = [e for e in page.elements if e.role in LISTS and similarity(name, e.name) >= 0.7]
        others = [e for e in page.elements if e.role not in LISTS or e in named]
        return page.part(others) if named else page
    found = Scopes(page.elements).of(name)
    return None if found is None else page.part(found)


def row_boxes(names: str, page: Page) -> list[GUIElement]:
    """The boxes of the rows in which each of the names stands; nothing where a name has no box, or several."""
    scopes, found = Scopes(page.elements), []
    whole = [names] if scopes.of(names) not in (None, page.elements) else []
    for name in whole or _PARTS.split(names):
        part = scopes.of(name)
        boxes = [e for e in part or [] if e.role in BOXES and e.enabled]
        if part is None or len(part) == len(page.elements) or len(boxes) != 1:
            return []
        found += boxes
    return found


def apart(thing: Thing, page: Page, among: Sequence[GUIElement] | None = None) -> Thing:
    """`Renew for G-77XY` is a name of its own, or else a control and the place where it stands."""
    match = None if thing.place or thing.nth or thing.every else _lists_WHERE.match(thing.name)
    if match is None or page.find(thing, among) is not None:
        return thing
    apart = replace(thing, name=match["name"], place=match["place"], words=match["name"])
    return apart if page.find(apart, among) is not None else thing


_CALLED = re.compile(
    rf"\s*\b(?:labell?ed|called|named|titled|marked|that (?:says|reads|is (?:labell?ed|called))|saying|reading"
    rf"|with (?:the |a )?(?:text|label|name|title|word|caption)(?: of)?)\s+(?:as\s+)?(?P<name>{ANY}|.+$)",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\s+(?:in|on|inside|within|of|from|under|for|next to|beside)\s+(?P<place>.+)$", re.IGNORECASE)
_BESIDE = re.compile(
    r"\s+(?:next to\s+|beside\s+|in\s+(?=(?:the\s+)?(?:row|line|card|entry)\s))(?:the\s+)?(?P<place>.+)$", re.IGNORECASE
)
_WHERE = re.compile(r"\s*\b(?:below|above|here|shown|on (?:the|this) (?:page|screen)|on screen|provided|given)$", re.IGNORECASE)


def thing_of(words: str, masks: Masks) -> Thing:
    """`the 2nd link in the menu`, `both text fields`, `the button labelled "OK"`, `Tab #2`."""
    left = _WHERE.sub("", words.strip(" ,.;:"))
    left = _bare(left)
    name = ""
    if called := _CALLED.search(left):
        name, left = masks.show(called["name"]), f"{left[: called.start()]} {left[called.end() :]}".strip()
    every = EVERY.match(left)
    left = left[every.end() :] if every else left
    place = ""
    if found := _place(left):
        place, left = masks.show(_bare(found["place"])), left[: found.start()]
    whole = masks.show(left).strip()
    nth = ORDINAL.search(left)
    if nth is not None and KIND.search(left[nth.end() :]) is None:
        nth = None
    if nth is not None:
        left = f"{left[: nth.start()]} {left[nth.end() :]}".strip()
    kind, rest = _kind(left)
    name = name or masks.show(_quoted(rest) or rest).strip()
    return Thing(
        name=_bare(name) if not re.search(ANY, rest) else name, kind=kind, nth=ordinal_of(nth) if nth else 0, every=bool(every),
        place=place, words=whole or masks.show(words),
    )  # fmt: skip


def _bare(words: str) -> str:
    while match := ARTICLE.match(words):
        words = words[match.end() :]
    return words.strip()


def _place(left: str) -> re.Match[str] | None:
    """Where it stands; a name may hold a preposition, so something that names the thing must stand before it."""
    found = _BESIDE.search(left)
    if found is not None and left[: found.start()].strip():
        return found
    found = _PLACE.search(left)
    if found is None:
        return None
    before = left[: found.start()]
    return found if KIND.search(before) or re.search(ANY, before) else None


def _kind(left: str) -> tuple[str, str]:
    """The noun at the end or the beginning of the phrase, and what is left."""
    found = [m for m in KIND.finditer(left) if _whole_word(m, left)]
    last = next((m for m in reversed(found) if not left[m.end() :].strip()), None)
    first = next((m for m in found if not left[: m.start()].strip()), None)
    match = last or first
    if match is None:
        return "", left
    return kind_of(match), f"{left[: match.start()]} {left[match.end() :]}".strip()


def _whole_word(match: re.Match[str], text: str) -> bool:
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    return bool(match.group().strip()) and not (before.isalnum() or after.isalnum())


def _quoted(rest: str) -> str:
    found = re.findall(ANY, rest)
    return found[0] if len(found) == 1 else ""
