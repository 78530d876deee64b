"""What a skill answers, and what it is told: the situation at one decision."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from protocol import Action, ActionTarget, Click, Fill, GUIElement, Scroll, SelectOption
from roles.contracts import Fact, OperatorView, StepRecord
from roles.screen.language import clauses as c
from roles.screen.matching import best
from roles.screen.screens import Screen
from roles.screen.synonyms import plainly_called
from roles.skills.contract import RESULT


@dataclass(frozen=True)
class Move:
    """The next action, or that the clause is done, or why it cannot be."""

    kind: Literal["act", "done", "fail", "ask"]
    why: str
    action: Action | None = None
    expected: str = ""
    confidence: float = 1.0
    query: str = ""


def act(action: Action, why: str, expected: str = "", confidence: float = 1.0) -> Move:
    return Move("act", why, action, expected, confidence)


def done(why: str) -> Move:
    return Move("done", why)


def fail(why: str, query: str = "") -> Move:
    return Move("fail", why, query=query)


def press(element: GUIElement, why: str = "", *, count: int = 1, confidence: float = 1.0, at: Situation | None = None) -> Move:
    """Press `element`, after scrolling to it if it is out of view."""
    if at is not None and (scroll := at.reach(element)):
        return scroll
    name = element.name or element.role or "it"
    return act(
        Click(target=ActionTarget.of(element), count=count), why or f'"{name}" leads on', f'what "{name}" opens', confidence
    )


@dataclass
class Situation:
    """One decision's view with what skills ask of it. `notes` are the clause's own and are kept between decisions."""

    view: OperatorView
    notes: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def screen(self) -> Screen:
        return Screen(plainly_called(self.view.seen, self.view.subtask.instruction))

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

    def fact(self, name: str) -> Fact | None:
        """The newest fact called `name`, else one whose name means the same."""
        folded = name.casefold()
        facts = [f for f in self.view.facts if f.kind != RESULT]
        exact = next((f for f in reversed(facts) if f.name.casefold() == folded), None)
        if exact or folded in {"it", "that", "this", "value"}:
            return exact or (facts[-1] if facts else None)
        match = best(name, list(reversed(facts)), lambda f: f.name, least=0.9)
        return match.item if match else None

    def text(self, value: c.Value) -> str | None:
        """What to write for `value`; None when a fact is missing."""
        facts = [self.fact(name) for name in value.facts]
        if any(fact is None for fact in facts):
            return None
        known = [fact for fact in facts if fact is not None]
        if len(known) == 1:
            return f"{value.text}{known[0].value}"
        lines = [f"{_heading(fact.name)}: {fact.value}" for fact in known]
        return "\n".join([*([value.text] if value.text else []), *lines])

    def missing(self, value: c.Value) -> list[str]:
        return [name for name in value.facts if self.fact(name) is None]

    def reach(self, element: GUIElement) -> Move | None:
        """A scroll towards `element` when it is out of view; None when it can be pressed."""
        if element.visible or element.bbox is None:
            return None
        tries = self.count("reach")
        if tries > 8:
            return None
        middle = self.view.seen.screen_resolution[1] // 2
        down = element.bbox.center.y >= middle
        far = abs(element.bbox.center.y - middle)
        unit: Literal["page", "notch"] = "page" if far > middle * 2 else "notch"
        size = 1 if unit == "page" else max(1, min(5, far // 100))
        return act(
            Scroll.toward("down" if down else "up", size, unit), f'"{element.name}" is out of view', f'"{element.name}" in view'
        )

    def count(self, what: str) -> int:
        """How often this was asked before in the clause."""
        times = int(self.notes.get(what, 0))
        self.notes[what] = times + 1
        return times

    def failed_times(self, action: Action) -> int:
        """How often this very action was done lately with nothing to see for it."""
        wanted = _signature(action.dump())
        return sum(1 for r in self.history[-8:] if _signature(r.action) == wanted and not r.visible_change)


def _signature(action: dict[str, Any]) -> tuple[Any, ...]:
    target = action.get("target") or {}
    where = target.get("track_id") or target.get("text") or target.get("element_id")
    return (
        action.get("action_type"),
        where,
        action.get("text"),
        action.get("option"),
        str(action.get("keys")),
        action.get("count", 1),
    )


def _heading(name: str) -> str:
    words = name.split()
    return (words[-1] if len(words) == 2 else name).capitalize()


def set_value(element: GUIElement, text: str, why: str, at: Situation) -> Move:
    """Fill a text field, choose in a list, tick a box."""
    if scroll := at.reach(element):
        return scroll
    target = ActionTarget.of(element)
    if element.role in {"combobox", "listbox"} and element.options:
        return act(SelectOption(target=target, options=(text,)), why, f'"{element.name}" shows {text!r}')
    if element.role in {"checkbox", "radio", "switch"}:
        return act(Click(target=target), why, f'"{element.name}" is ticked')
    return act(Fill(target=target, text=text), why, f'"{element.name}" shows {text!r}')
