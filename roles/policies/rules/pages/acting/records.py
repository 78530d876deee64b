"""Skills on things that a page shows over and over: the one with the most of something, so many of each."""

from __future__ import annotations

import re
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.values import measure, named_by
from roles.policies.rules.pages.reading.words import plain
from roles.policies.rules.pages.steps import missing, page_of, press, pressed
from roles.policies.rules.pages.view import PRESSED, Page, likeness, listed
from roles.policies.rules.skills.moves import Move, Situation, done, fail

_SAID = frozenset(
    {"alert", "status", "heading", "text", "paragraph", "log", "tooltip", "listitem", "cell", "dialog", "alertdialog"}
)
_NO = re.compile(
    r"\b(?:(?:was|were|is|are|has|have|could|can|did|does|do)\s?(?:not|n[’']t)\s+(?:be\s+|been\s+)?(?:saved|sent|stored|submitted|changed|"
    r"updated|completed|processed|accepted|found|valid|available|allowed|permitted|authori[sz]ed|match|recogni[sz]ed?|load(?:ed)?|possible|"
    r"save|send|update|submit|complete|process|sign|log)|cannot\s+be\s+\w+|could\s?n[o’']t\s+\w+|(?:was|were)\s+unable to|"
    r"^unable to\b|"
    r"\w+ failed\b|(?:an?|internal|server|unexpected|unknown|fatal)\s+error\b|^error\b|went wrong|has expired|session expired|"
    r"(?:wrong|incorrect|invalid)\s+(?:user|password|e-?mail|login|name|code|credentials|input|value|date|number|address|pin|format)|"
    r"(?:access|permission|request) (?:was )?denied|^forbidden\b|page not found|service unavailable|(?:has |was )?timed out|"
    r"already (?:taken|exists|in use|registered)|\bis sold out)|"
    r"\b(?:konnten? nicht|(?:nicht|kein\w*) (?:gespeichert|gesendet|möglich|gefunden)|fehlgeschlagen|ist ein fehler|"
    r"ungültige?[srn]?\b|"
    r"falsches? (?:passwort|kennwort)|ist abgelaufen)|\b(?:une erreur|a échoué|mot de passe incorrect|a expiré)\b|"
    r"\b(?:no se pudo|contraseña incorrecta|ha caducado)\b|エラーが|失敗しました|できませんでした|错误|失败|无法|خطأ|فشل",
    re.IGNORECASE,
)
"""Words of any text that is new."""
_ASKS = re.compile(
    r"\b(?:is|are)\s+(?:required|invalid|incorrect|wrong|missing)|please\b|must\b|try again|"
    r"too (?:short|long|many|large)|not enough|"
    r"\b(?:erforderlich|bitte)\b|\b(?:obligatoire|veuillez|obligatorio|por favor)\b|ください|请",
    re.IGNORECASE,
)
"""Words that say no where the page gives an alarm; elsewhere they may say what comes next."""
PAGE_SAYS_NO = "the page says after the last press"
"""How a finding begins that tells such words."""
_LONGEST = 240
"""A longer text tells a story, and says little about the last press."""


def refusal(before: VisualState | None, after: VisualState) -> str:
    """The words by which the page says that it did not do it; empty where it says nothing of the kind."""
    known = {(e.element_id, _words(e)) for e in before.elements} if before is not None else set()
    for element in after.elements:
        words = _words(element)
        if element.role not in _SAID or not words or len(words) > _LONGEST or (element.element_id, words) in known:
            continue
        if _NO.search(words) or (element.role == "alert" and _ASKS.search(words)):
            return words
    return ""


def _words(element: GUIElement) -> str:
    return " ".join(element.name.split())


_TAKES = ("buy", "book", "order", "purchase", "reserve", "select", "choose", "get", "pick", "add", "open", "view")
_MORE = frozenset({"load more", "show more", "more results", "view more", "mehr laden", "mehr anzeigen", "voir plus", "ver más"})
_MOST_LOADS = 20
_HANDS_IN = ("order", "buy", "book", "check out", "checkout", "place order", "submit", "confirm", "done")


class Record(NamedTuple):
    """A control that is there for each of several things, and what stands with it."""

    press: GUIElement
    parts: tuple[GUIElement, ...]

    @property
    def title(self) -> str:
        return next((e.name for e in self.parts if e.role != "heading" and e.name), self.press.name)

    @property
    def quantity(self) -> int:
        """How many are taken already: the number that stands alone before the control."""
        numbers = [e.value or e.name for e in self.parts if re.fullmatch(r"\d{1,3}", (e.value or e.name).strip())]
        return int(numbers[-1]) if numbers else 0

    @property
    def texts(self) -> list[str]:
        return [e.name for e in (*self.parts, self.press) if e.name]


def records(page: Page, controls: list[GUIElement]) -> list[Record]:
    """The parts between two such controls belong to one of them: to the one that follows, where words stand before the first."""
    if not controls:
        return []
    order = {e.element_id: n for n, e in enumerate(page.elements)}
    places = [order[c.element_id] for c in controls]
    said = [n for n, e in enumerate(page.elements) if e.name and e.role in {"text", "cell", "label", "heading"}]
    leads = any(n < places[0] for n in said)
    spans = (
        list(zip([-1, *places[:-1]], places, strict=True)) if leads else list(zip(places, [*places[1:], len(order)], strict=True))
    )
    return [Record(c, tuple(page.elements[a + 1 : b])) for c, (a, b) in zip(controls, spans, strict=True)]


def _repeated(page: Page, verb: str) -> list[GUIElement]:
    """The controls that are there for each record: the same but for numbers; those that speak of the verb first."""
    groups: dict[tuple[str, str], list[GUIElement]] = {}
    for element in page.elements:
        if element.role in PRESSED and element.enabled and element.name:
            groups.setdefault((str(element.role), re.sub(r"\d[\d.,]*", "#", plain(element.name))), []).append(element)
    many = [(name, found) for (_, name), found in groups.items() if len(found) > 1]
    speaking = [found for name, found in many if any(name == w or name.startswith(f"{w} ") for w in (verb, *_TAKES))]
    return max(speaking or [found for _, found in many], key=len, default=[])


def extreme(clause: p.Extreme, at: Situation) -> Move:
    """Press the control of the record that has the most, or the least, of what is named."""
    if pressed(at):
        return done(f"the {'most' if clause.most else 'least'} by {clause.by} was taken")
    page = page_of(at)
    onward = next((e for e in page.controls if e.role in PRESSED and plain(e.name) in _MORE and e.enabled), None)
    if onward is not None and at.count("more") < _MOST_LOADS:
        return press(onward, "what is not loaded yet may be more so", at, what="loading")
    found = [_in_row(page, r) for r in records(page, _repeated(page, clause.verb))]
    sized = [(size, r) for r in found if (size := _size(r, clause.by, _column(page, clause.by))) is not None]
    if not sized:
        return fail(f'nothing on the page can be compared by "{clause.by}"')
    size, best = (max if clause.most else min)(sized, key=lambda pair: pair[0])
    return press(best.press, f"its {clause.by} is {size:g}, of {len(sized)} compared", at)


def _in_row(page: Page, record: Record) -> Record:
    """A control in a row of a table goes with the cells of that row."""
    known = {e.element_id: e for e in page.elements}
    at = known.get(record.press.parent or "")
    while at is not None and at.role != "row":
        at = known.get(at.parent or "")
    return record if at is None else Record(record.press, tuple(e for e in page.inside(at) if e.parent == at.element_id))


def _column(page: Page, by: str) -> int | None:
    """The place of the column that is headed by the attribute."""
    for row in (e for e in page.elements if e.role == "row"):
        heads = [e for e in page.inside(row) if e.role == "columnheader"]
        if (place := next((n for n, e in enumerate(heads) if named_by(e.name, by)), None)) is not None:
            return place
    return None


def _size(record: Record, by: str, column: int | None) -> float | None:
    texts = record.texts
    if column is not None and len(record.parts) > column and record.parts[column].role == "cell":
        return measure(record.parts[column].name, by)
    for n, text in enumerate(texts):
        head, colon, tail = text.partition(":")
        if colon and tail.strip() and named_by(head, by) and (size := measure(tail, by)) is not None:
            return size
        if named_by(text, by) and n + 1 < len(texts) and (size := measure(texts[n + 1], by)) is not None:
            return size
    return next((size for text in texts if (size := measure(text, by, bare=False)) is not None), None)


def collect(clause: p.Collect, at: Situation) -> Move:
    """Take each item as often as asked, one after the other, and hand the order in."""
    page = page_of(at)
    if pressed(at):
        return done("the order was handed in")
    found = adding(page)
    taken: list[str] = at.notes.setdefault("taken", [])
    if "added" in at.notes and pressed(at, "added"):
        taken.append(str(at.notes["going"]))
        del at.notes["added"]
    wanted, left = _wanted(clause, found)
    if not wanted or left:
        return fail(missing(left or clause.names or clause.trait, page))
    keys = [record.press.track_id or record.press.element_id for record in wanted]
    for n, (key, record) in enumerate(zip(keys, wanted, strict=True)):
        if taken.count(key) < keys[: n + 1].count(key):
            count = clause.each if clause.names else 1
            at.notes["going"] = key
            if count > 3:
                return fail(f"{count} of one item are more than one press can take")
            return press(record.press, f'"{record.title}" is to be taken, {count} of it', at, count=count, what="added")
    words = (clause.verb, *_HANDS_IN)
    commit = next((e for word in words for e in page.controls if e.role in PRESSED and likeness(word, e.name) >= 0.9), None)
    return press(commit, "everything is taken", at) if commit else done("everything is taken")


def adding(page: Page) -> list[Record]:
    """What the page offers with a control to take one more of it."""
    return records(page, [e for e in page.elements if e.role in PRESSED and e.enabled and likeness("+", e.name) >= 0.9])


def _wanted(clause: p.Collect, found: list[Record]) -> tuple[list[Record], str]:
    if clause.trait:
        fitting = [r for r in found if has_trait(r, clause.trait)]
        return [fitting[n % len(fitting)] for n in range(clause.each)] if fitting else [], "" if fitting else clause.trait
    names, left = listed(clause.names, [r.title for r in found])
    return [next(r for r in found if r.title == name) for name in names], left


def has_trait(record: Record, trait: str) -> bool:
    return any(likeness(trait, text) >= 0.9 for text in record.texts)
