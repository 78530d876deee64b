"""Where a value comes from that a worker puts on the blackboard, as far as code can find it: on the screen, in what a tool
said, in what was looked up, in other facts, in the user's words. What is found nowhere is the decision maker's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from protocol import VisualState
from roles.contracts import Fact, Supplement
from roles.knowledge.memory.blackboard_fact import FactSource
from roles.safety.provenance import NOTHING, Grounds, origin_of

_TOLD: frozenset[FactSource] = frozenset({"api", "agent", "tool", "script", "file"})
"""Sources that say more than one value at a time."""
_SHOWN = frozenset({"demonstration", "experience"})
"""Kinds of supplements in which somebody shows how it is done."""
_NOWHERE = VisualState()
_USED = 8


class Origin(NamedTuple):
    """Who or what says a value."""

    source: FactSource
    name: str = ""
    used: tuple[str, ...] = ()

    def of(self, fact: Fact) -> Fact:
        """The fact, with this as its source."""
        return fact.model_copy(update={"source": self.source, "source_name": self.name, "used": self.used or fact.used})


def found(value: str, screen: VisualState | None, grounds: Grounds) -> Origin:
    """The first of all that has the whole value in it: the screen before tools, documents, facts and the user's words."""
    if screen is not None and origin_of(value, NOTHING, screen).source == "screen":
        return Origin("screen", screen.app or "")
    for fact in reversed(grounds.facts):
        if fact.source in _TOLD and fact.name in _holding(value, (fact,)):
            return Origin(fact.source, fact.source_name, (fact.name,))
    for supplement in reversed([*grounds.supplements()]):
        if _in_supplement(value, supplement):
            return Origin(*_document(supplement))
    if used := _holding(value, grounds.facts):
        return Origin("facts", used=used[-_USED:])
    if origin_of(value, Grounds(said=grounds.said), _NOWHERE).source == "user":
        return Origin("user")
    return Origin("model")


def _holding(value: str, facts: Sequence[Fact]) -> tuple[str, ...]:
    return origin_of(value, Grounds(facts=tuple(facts)), _NOWHERE).facts


def _in_supplement(value: str, supplement: Supplement) -> bool:
    def only() -> Iterable[Supplement]:
        return (supplement,)

    return origin_of(value, Grounds(supplements=only), _NOWHERE).source == "supplement"


def _document(supplement: Supplement) -> tuple[FactSource, str]:
    if supplement.source == "user":
        return "user", ""
    named = f"{supplement.title} ({supplement.source})"
    return ("demonstration" if supplement.kind in _SHOWN else "document"), named
