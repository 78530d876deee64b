"""Where a value comes from: what the user said, what stood on a screen, what was looked up or worked out, or nowhere.

Nobody's word is taken for it. The value is looked for in what the crew was told and has seen; what is found nowhere is
the decision maker's own. A value is the user's only where the user said all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from protocol import VisualState
from roles.contracts import Fact, StepOrigin, Supplement

Source = Literal["user", "screen", "call", "supplement", "technician", "analyst", "model"]
ORDER: tuple[Source, ...] = get_args(Source)
"""A value that is found in several places comes from the first of these."""
_LONGEST = 4_000
"""Characters of a value that are looked for."""
_PART = 3
"""Characters that a fact must have to be noticed within a longer text."""
_CALLS = frozenset({"api", "agent", "tool"})
"""Sources of facts that are answers of functions, agents and tools."""
_BY_ROLE: dict[str, Source] = {"user": "user", "analyst": "analyst", "technician": "technician"}


@dataclass(frozen=True)
class Grounds:
    """What the crew was told and has seen."""

    said: Callable[[], Iterable[str]] = tuple
    """By the user: the goal, and what they said since. Like what follows, asked for only when a rule speaks of it."""
    facts: tuple[Fact, ...] = ()
    supplements: Callable[[], Iterable[Supplement]] = tuple
    screens: Callable[[], Iterable[VisualState]] = tuple
    """Earlier screens."""
    steps: tuple[StepOrigin, ...] = ()
    """Of pages: those that the subtask comes from, as code has found out."""


NOTHING = Grounds()


class Origin(NamedTuple):
    """Where one value comes from."""

    source: Source | Literal[""] = ""
    """Of the whole value; empty where there is none."""
    sources: tuple[Source, ...] = ()
    """Of the whole and of the facts that are parts of it."""
    facts: tuple[str, ...] = ()
    """Names of the facts that it is or has in it."""
    app: str = ""
    """Of the screen or the fact that it was found in first."""
    private: bool = False
    """One of those facts is private."""


def origin_of(text: str, grounds: Grounds, state: VisualState) -> Origin:
    """Where `text` comes from, as far as `grounds` and the screen can tell."""
    value = _plain(text)
    if not value:
        return Origin()
    whole: set[Source] = set()
    parts: set[Source] = set()
    known: list[Fact] = []
    apps: list[str] = []
    if any(_stands_in(value, said) for said in grounds.said()):
        whole.add("user")
    seen = _screen_of(value, grounds, state)
    if seen is not None:
        whole.add("screen")
        apps.append(seen.app or "")
    for fact in grounds.facts:
        inside = _stands_in(value, fact.value)
        if inside or (len(fact.value.strip()) >= _PART and _stands_in(_plain(fact.value), text)):
            (whole if inside else parts).add(_source_of(fact))
            known.append(fact)
            apps.append(fact.app or "")
    if any(_stands_in(value, supplement.text) for supplement in grounds.supplements()):
        whole.add("supplement")
    found = [source for source in ORDER if source in whole]
    every = whole | parts | ({"model"} if not whole else set())
    return Origin(
        source=found[0] if found else "model",
        sources=tuple(source for source in ORDER if source in every),
        facts=tuple(fact.name for fact in known),
        app=next(filter(None, apps), ""),
        private=any(fact.private for fact in known),
    )


def _source_of(fact: Fact) -> Source:
    """Of a fact: who put it there; what the Operator noted was on a screen only if code saw it there."""
    if fact.source in _CALLS and fact.role == "operator":
        return "call"
    return _BY_ROLE.get(fact.role) or ("screen" if fact.element_id else "model")


def _screen_of(value: str, grounds: Grounds, state: VisualState) -> VisualState | None:
    """The first screen with the value on it, the present one before earlier ones."""
    for screen in (state, *grounds.screens()):
        if any(_stands_in(value, text) for element in screen.elements for text in (element.text, element.value) if text):
            return screen
    return None


def _plain(text: str) -> str:
    return " ".join(text[:_LONGEST].casefold().split())


def _stands_in(value: str, text: str) -> bool:
    """Whether `value` stands in `text` as words of its own: "b@x.org" does not stand in "bob@x.org", nor in "b@x.org.evil"."""
    text = " ".join(text.casefold().split())
    if value == text:
        return True
    if value not in text:
        return False
    before = r"(?<![\w@])(?<![\w@][.+/:-])" if re.match(r"[\w@]", value) else ""
    after = r"(?![\w@])(?![.+/:-][\w@])" if re.search(r"[\w@]$", value) else ""
    return re.search(f"{before}{re.escape(value)}{after}", text) is not None
