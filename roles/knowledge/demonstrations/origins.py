"""Where each value comes from that was written in a demonstration: the goal, a screen seen before, or the hand alone."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.contracts import clauses as c
from roles.knowledge.demonstrations.screens import Seen, Sighting, Slots, Texts, entity_of, noun_of
from roles.safety.privacy.vault import is_reference
from roles.safety.privacy.vault_shapes import names_private, shaped

_TELLING = re.compile(r"\S*\d[^\s,;]*|\S+@\S+")
"""What no plain word is: a number, a date, an id, an address."""
NOWHERE = "stands neither in the goal nor on a screen that was seen before"
_LONGEST_TAIL = 8
"""Words that a value at the end of a text may have."""


class Constant(NamedTuple):
    """A value that nothing explains: neither the goal nor an earlier screen has it."""

    value: str
    where: str


    @property
    def doubt(self) -> str:
        """Why it may be another one next time: it holds a number, a date, an id, an address."""
        found = _TELLING.search(re.sub(r"\{[^}]*\}", "", self.value))
        said = f'"{found.group()}" ("{self.where}")' if found else ""
        return f"{said} {NOWHERE}" if said else ""


class Reading(NamedTuple):
    """Facts that were read, and the step before which they stood on the screen."""

    at: int
    clause: c.Read


class Origins:
    """Tells slots from facts and constants, and collects what has to be read."""

    def __init__(self, seen: Seen, slots: Slots) -> None:
        self.slots = slots
        self.readings: list[Reading] = []
        self.constants: list[Constant] = []
        self.doubts: list[str] = []
        self.written: set[str] = set()
        """Fields that were filled in by hand: what they show tells nothing."""
        self._seen = seen
        self._known: dict[str, str] = {}
        """What each fact was, by its name."""

    def value(self, at: int, text: str, element: GUIElement) -> c.Value:
        """What was written, as a slot, as facts that were read, or as it is."""
        called = element.name
        if is_reference(text):
            return c.Value(text)
        if hides(element) or shaped(text):
            return c.Value(self._secret(called, text))
        if (slot := self.slots.named(text, called)) is not None:
            return c.Value(slot)
        if (fact := self.fact(at, text, called)) is not None:
            return c.Value(facts=(fact,))
        return self._composed(at, text, called) or c.Value(self.constant(text, called))

    def _composed(self, at: int, text: str, called: str) -> c.Value | None:
        """A text that lists values that were read, or that ends in one."""
        parts = [part.rpartition(": ")[2].strip(" .") for part in re.split(r"[,;]\s|\n", text) if part.strip()]
        if len(parts) > 1 and all(self.slots.mention(part) is None and self._sighted(at, part, called) for part in parts):
            return c.Value(facts=tuple(fact for part in parts if (fact := self.fact(at, part, called))))
        words = text.split(" ")
        for cut in range(max(1, len(words) - _LONGEST_TAIL), len(words)):
            tail = " ".join(words[cut:]).rstrip(".")
            if any(map(str.isdigit, tail)) and self.slots.mention(tail) is None and (fact := self.fact(at, tail, called)):
                return c.Value(self.constant(" ".join(words[:cut]) + " ", called), (fact,))
        return None

    def _sighted(self, at: int, text: str, called: str) -> Sighting | None:
        return self._seen.of(text, at, called, frozenset(self.written)) if len(text) > 1 else None

    def _secret(self, called: str, text: str) -> str:
        name = next((n for n, v in self.slots.values.items() if v == text or n == called.casefold()), "")
        plain = re.sub(r"[^a-z0-9]+", "_", called.casefold()).strip("_")[:40]
        return f"{{{name}}}" if name else f"<secret>{plain or 'value'}</secret>"

    def constant(self, text: str, called: str) -> str:
        slotted = self.slots.within(text, called)
        if slotted.strip():
            self.constants.append(Constant(slotted.strip(), called))
        return slotted

    def fact(self, at: int, text: str, called: str) -> str | None:
        """The name of the fact that the value was read as; its reading becomes a deed of its own."""
        sighting = self._sighted(at, text, called)
        if sighting is None:
            return None
        state = self._seen.states[sighting.at]
        entity = entity_of(sighting.texts, noun_of(state), self.slots)
        label = " ".join(sighting.label.casefold().split()).rstrip(":")
        if not entity.specific and self._chosen(sighting):
            entity = self.unnamed(sighting.texts, entity, state)
        read = c.Read(app=sighting.app, facts=(label,), entity=entity)
        name = read.fact_names()[0]
        rivals = [reading.clause for reading in self.readings if name in reading.clause.fact_names()]
        if any(rival.entity != entity for rival in rivals):
            name = f"{name} of {(entity.id or entity.name).strip('{}')}"
            read = replace(read, names=(name,))
        if self._known.setdefault(name, text) != text:
            was = self._known[name]
            self.doubts.append(f'several records are told in the same words: the {name} was "{was}" and then "{text}"')
        if read not in rivals:
            self.readings.append(Reading(sighting.at, read))
        return name

    def _chosen(self, sighting: Sighting) -> bool:
        """Whether there was more than one record that it might have been."""
        lists = (self._seen.screen(at) for at in range(sighting.at + 1) if self._seen.states[at].app == sighting.app)
        return sighting.row or any(len([i for i in s.items if i.press is not i.element]) > 1 for s in lists)

    def unnamed(self, texts: Texts, entity: c.Entity, state: VisualState) -> c.Entity:
        """A record that the goal does not tell from others: it stays what it was, and that is said."""
        name = next((text for _, text in texts if text), "")
        kind = entity.noun or "record"
        self.doubts.append(f'nothing in the goal says which {kind} of {state.app} is meant; it was "{name[:60]}"')
        return replace(entity, name=name)


def hides(element: GUIElement) -> bool:
    """Whether what a field holds is nobody's business."""
    return element.private or bool(names_private(element.name))
