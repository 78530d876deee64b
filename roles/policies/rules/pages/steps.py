"""What all skills on pages share: pressing once, bringing into view, opening what may hide what is looked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from protocol import ActionTarget, Click, ExecStatus, GUIElement, Hover, Scroll
from roles.policies.rules.skills.moves import Move, Situation, act
from roles.screen.language.lexicon import plain
from roles.screen.page import PRESSED, Page, Thing, likeness, names_in
from roles.screen.synonyms import similarity_next

_REPEATED, _SCROLLS = 5, 80
_MOST = 12
"""Things that are opened to find one."""


def page_of(at: Situation) -> Page:
    return Page(at.view.seen, at.view.user_request)


def pressed(at: Situation, what: str = "pressed") -> bool:
    """Whether the press that was decided before was done; one that failed is decided again."""
    last = at.last
    return what in at.notes and last is not None and last.step > int(at.notes[what]) and last.exec_status is ExecStatus.EXECUTED


def note_press(at: Situation, what: str = "pressed") -> None:
    at.notes[what] = at.last.step if at.last else 0


def press(element: GUIElement, why: str, at: Situation, *, count: int = 1, what: str = "pressed") -> Move:
    """Press it once; what is out of view is brought into view first."""
    if scroll := into_view(element, at):
        return scroll
    note_press(at, what)
    name = element.name or element.role or "it"
    return act(Click(target=ActionTarget.of(element), count=count), why, f'what "{name}" does')


def into_view(element: GUIElement, at: Situation) -> Move | None:
    """A scroll that brings `element` into view; None when it is there, or when that was just tried."""
    last = at.last.action if at.last else {}
    tried = last.get("action_type") == "scroll" and (last.get("target") or {}).get("track_id") == element.track_id
    if element.visible or tried:
        return None
    why = f'"{element.name or element.role}" is out of view'
    return act(Scroll.toward("down", 1, "notch", target=ActionTarget.of(element)), why, "it is in view")


def uncover(at: Situation, page: Page, thing: Thing | None = None) -> Move | None:
    """Open the next section, tab, list or page that may hold what is not shown, then scroll; None when all were tried."""
    tried: list[str] = at.notes.setdefault("uncovered", [])
    if len(tried) >= _MOST:
        return _further(at, page)
    if thing is not None and (hint := _hover(thing, page, tried)) is not None:
        return hint
    for element in (*_closed(page), *_onward(page)):
        key = element.track_id or element.element_id
        onward = similarity_next(element.name)
        if not element.visible or not element.enabled or (key in tried and not onward):
            continue
        tried.append(key)
        return press(element, f'what is looked for may be behind "{element.name}"', at, what="opening")
    return _further(at, page)


def _hover(thing: Thing, page: Page, tried: list[str]) -> Move | None:
    """A menu may open while the pointer is on the place that the words name."""
    names = [re.sub(r"\s+menu$", "", name) for name in names_in(thing.place)] if thing.place else []
    found = next((e for e in page.controls if any(likeness(name, e.name) >= 0.9 for name in names)), None)
    if found is None or not found.visible or f"hover {found.element_id}" in tried:
        return None
    tried.append(f"hover {found.element_id}")
    return act(Hover(target=ActionTarget.of(found)), f'"{found.name}" may open a menu')


def _further(at: Situation, page: Page) -> Move | None:
    """A list that goes on when it is scrolled; None when the last scroll brought nothing new."""
    last = at.last
    scrolled = last is not None and last.action.get("action_type") == "scroll"
    if scrolled and last is not None and not last.visible_change and at.count("idle scrolls") >= 1:
        return None
    groups: dict[tuple[str, str], list[GUIElement]] = {}
    for e in page.elements:
        if e.visible and e.name and e.role != "heading":
            groups.setdefault((str(e.role), re.sub(r"\d+", "#", e.name)), []).append(e)
    many = max(groups.values(), key=len, default=[])
    if len(many) < _REPEATED or at.count("scrolls") > _SCROLLS:
        return None
    return act(Scroll.toward("down", 1, "page", target=ActionTarget.of(many[-1])), "the list may go on")


def unclear(words: str, rivals: Sequence[GUIElement]) -> str:
    """That a phrase means several things, and what would tell them apart."""
    called = f'{len(rivals)} things on the page are called "{rivals[0].name or words}"'
    return f'{called}; say which one, by what stands beside it or by its place ("the first")'


def _closed(page: Page) -> list[GUIElement]:
    shut = [e for e in page.controls if e.expanded is False]
    return [*shut, *(e for e in page.controls if e.role == "tab" and not e.selected and e not in shut)]


def _onward(page: Page) -> list[GUIElement]:
    return [e for e in page.controls if e.role in PRESSED and similarity_next(e.name)]


_PREVIOUS = ("previous", "previous page", "prev", "newer", "‹", "«", "←", "<")
_PAGED = re.compile(r"\bpage\s+\d+\b|\b\d+\s*(?:-|–)\s*\d+\s+of\s+\d+", re.IGNORECASE)


def turned(page: Page, *, back: bool = False) -> GUIElement | None:
    """What shows the next page of a list, or the one before. A `Next` that goes on with a form turns no page."""
    presses = [e for e in page.elements if e.role in {"button", "link"} and e.name and e.expanded is None]
    earlier = [e for e in presses if plain(e.name) in _PREVIOUS]
    later = [e for e in presses if similarity_next(e.name)]
    more = any(re.match(r"(?:load|show|view)\b", plain(e.name)) for e in later)
    paged = earlier or more or any(_PAGED.search(e.name) for e in page.texts)
    if not paged:
        return None
    return next((e for e in (earlier if back else later) if e.enabled), None)


def missing(words: str, page: Page) -> str:
    names = ", ".join(dict.fromkeys(e.name for e in page.controls if e.name))[:300]
    return f'there is no "{words}" on the page; there are: {names or "no controls"}'
