"""What all skills on pages share: pressing once, bringing into view, opening what may hide what is looked for."""

from __future__ import annotations

from protocol import ActionTarget, Click, ExecStatus, GUIElement, Scroll
from roles.rules.moves import Move, Situation, act
from roles.rules.pages.view import Page, likeness

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


def uncover(at: Situation, page: Page) -> Move | None:
    """Open the next section, tab, list or page that may hold what is not shown; None when all were tried."""
    tried: list[str] = at.notes.setdefault("uncovered", [])
    if len(tried) >= _MOST:
        return None
    for element in (*_closed(page), *_onward(page)):
        key = element.track_id or element.element_id
        onward = any(likeness(word, element.name) >= 0.9 for word in ("next", "more"))
        if not element.visible or not element.enabled or (key in tried and not onward):
            continue
        tried.append(key)
        return press(element, f'what is looked for may be behind "{element.name}"', at, what="opening")
    return None


def _closed(page: Page) -> list[GUIElement]:
    shut = [e for e in page.controls if e.expanded is False]
    return [*shut, *(e for e in page.controls if e.role == "tab" and not e.selected and e not in shut)]


def _onward(page: Page) -> list[GUIElement]:
    return [e for e in page.controls if any(likeness(word, e.name) >= 0.9 for word in ("next", "more", "show more", "load more"))]


def missing(words: str, page: Page) -> str:
    names = ", ".join(dict.fromkeys(e.name for e in page.controls if e.name))[:300]
    return f'there is no "{words}" on the page; there are: {names or "no controls"}'
