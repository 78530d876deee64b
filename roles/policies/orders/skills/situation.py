"""What a skill answers, and what it is told: the situation at one decision."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from environments.cards import AppCard, KindCard
from environments.effects.words import is_way_out
from protocol import Action, ActionTarget, Click, GUIElement, LaunchApp, Scroll, SwitchWindow, Wait
from roles.contracts import Fact, OperatorView, StepRecord
from roles.contracts.orders import StepFailure
from roles.contracts.values import table_of
from roles.screen.screens import Screen, plainly_called
from roles.screen.texts import fold
from roles.skills.contract import RESULT

_SLOT = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")


@dataclass(frozen=True)
class Move:
    """The next action, or that the step is done, or why it cannot be, or a question with its action."""

    kind: Literal["act", "done", "fail", "ask"]
    why: str
    action: Action | None = None
    expected: str = ""
    query: str = ""
    """What may be looked up to get further, where it fails."""


def act(action: Action, why: str, expected: str = "") -> Move:
    return Move("act", why, action, expected)


def done(why: str) -> Move:
    return Move("done", why)


def fail(why: str, query: str = "") -> Move:
    return Move("fail", why, query=query)


def press(element: GUIElement, why: str = "", *, count: int = 1, at: Situation | None = None) -> Move:
    """Press `element`, after scrolling to it if it is out of view."""
    if at is not None and (scroll := at.reach(element)):
        return scroll
    name = element.name or element.role or "it"
    click = Click(target=ActionTarget.of(element), count=count)
    return act(click, why or f'"{name}" leads on', f'what "{name}" opens')


class Needed(Exception):
    """What has to be done first. Raised on the way to a place, a record or a value, it is the step's next move."""

    def __init__(self, move: Move) -> None:
        super().__init__(move.why)
        self.move = move


def first(move: Move | None) -> None:
    """Raises Needed, where there is something to be done first."""
    if move is not None:
        raise Needed(move)


@dataclass
class Situation:
    """One decision's view with what skills ask of it. `notes` are the step's own, plain JSON, kept between decisions."""

    view: OperatorView
    notes: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    """Words of the step: controls that it names keep their names on `screen`."""
    lists: dict[tuple[str, str], Any] = field(default_factory=dict)
    """What the screen lists, by application and kind, once it was looked at."""

    @cached_property
    def screen(self) -> Screen:
        """The part that takes input, with controls under their usual names."""
        return Screen(plainly_called(self.view.seen, self.said))

    @property
    def history(self) -> tuple[StepRecord, ...]:
        return self.view.history

    @property
    def last(self) -> StepRecord | None:
        """The last step. A recovery's wait in which nothing changed tells nothing: what came before it still stands."""
        told = (s for s in reversed(self.history) if not (s.recovery and s.verb == "wait" and not s.visible_change))
        return next(told, None)

    @property
    def keyboard(self) -> bool:
        """Whether an earlier attempt taught that pressing does nothing here."""
        return any("use the keyboard" in hint.casefold() for hint in self.view.subtask.hints)

    def card(self, app: str) -> AppCard | None:
        return next((card for card in self.view.cards if card.app == app), None)

    def kinds(self, app: str) -> tuple[KindCard, ...]:
        card = self.card(app)
        return card.kinds if card is not None else ()

    def kind(self, app: str, kind: str) -> KindCard | None:
        return next((k for k in self.kinds(app) if k.kind == kind), None)

    def keys(self, app: str, kind: str) -> list[str]:
        """Labels of the fields by which a record of this kind is called."""
        card = self.kind(app, kind)
        return [field.label for field in card.fields if field.key] if card is not None else []

    def mark(self, **notes: Any) -> None:
        """Notes with the step at which they are made: what comes of it is looked for behind it."""
        self.notes.update(notes, at=self.history[-1].step if self.history else 0)

    def shows_all(self, app: str) -> bool:
        """Whether no more is known of it than the page that it shows: a row that does not tell is not opened to see more."""
        card = self.card(app)
        return card is not None and card.page is not None

    def title(self, app: str) -> str:
        card = self.card(app)
        return card.title if card else app

    def fact(self, name: str) -> Fact | None:
        """The newest fact of this name."""
        named = (f for f in reversed(self.view.facts) if f.kind != RESULT and fold(f.name) == fold(name))
        return next(named, None)

    def filled(self, text: str) -> str:
        """`text` with its `{fact}` slots filled; a table as a line for each row."""

        def value(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0][0]
            fact = self.fact(match[1])
            if fact is None:
                raise StepFailure(f'the fact "{match[1]}" is not known yet')
            table = table_of(fact.value) if fact.kind == "table" else None
            if table is None:
                return fact.value
            return (", " if len(table.columns) == 1 else "\n").join(", ".join(row) for row in table.rows)

        return _SLOT.sub(value, text)

    def apart(self, what: str) -> Situation:
        """The same decision with notes of their own, for what is done on the way."""
        return Situation(self.view, self.notes.setdefault(what, {}), self.said)

    def count(self, what: str) -> int:
        """How often this was asked before in the step."""
        times = int(self.notes.get(what, 0))
        self.notes[what] = times + 1
        return times

    def to_app(self, app: str) -> Move | None:
        """The next move that brings `app` to the front; None when it is there."""
        seen = self.view.seen
        if seen.app == app:
            return None
        if self.count("to app") > 4:
            return fail(f"{self.title(app)} does not come to the front")
        window = next((w for w in seen.windows if w.app == app), None)
        if window is not None:
            return act(SwitchWindow(window=window.window_id), f"{app} is open behind this window", f"{app} on the screen")
        return act(LaunchApp(app=app), f"{app} is not open yet", f"{app} on the screen")

    def reach(self, element: GUIElement) -> Move | None:
        """What brings `element` into view: a scroll, or getting rid of what covers it. None when it can be pressed."""
        if element.visible or element.bbox is None or self.count("reach") > 8:
            return None
        height = self.view.seen.screen_resolution[1]
        if 0 <= element.bbox.center.y < height:
            notices = [e for e in self.view.seen.elements if e.role in {"status", "alert"} and e.visible]
            inside = (e for notice in notices for e in self.screen.within(notice) if e.role in {"button", "link"} and e.visible)
            out = next((e for e in inside if is_way_out(e.name)), None)
            if out is not None:
                return press(out, f'a notice covers "{element.name}"')
            return act(Wait(seconds=2), f'something covers "{element.name}"')
        far = abs(element.bbox.center.y - height // 2)
        unit: Literal["page", "notch"] = "page" if far > height else "notch"
        size = 1 if unit == "page" else max(1, min(5, far // 100))
        way: Literal["down", "up"] = "down" if element.bbox.center.y >= height // 2 else "up"
        return act(Scroll.toward(way, size, unit), f'"{element.name}" is out of view', f'"{element.name}" in view')

    def failed_times(self, action: Action) -> int:
        """How often this very action was done lately with nothing to see for it."""
        wanted = _signature(action.dump())
        return sum(1 for r in self.history[-8:] if _signature(r.action) == wanted and not r.visible_change)


def _signature(action: dict[str, Any]) -> tuple[Any, ...]:
    target = action.get("target") or {}
    where = target.get("track_id") or target.get("text") or target.get("element_id")
    rest = (action.get(key) for key in ("text", "option"))
    return (action.get("action_type"), where, *rest, str(action.get("keys")), action.get("count", 1))
