"""From something that was done once to a playbook: numbered steps in plain English, with slots for what differs next time.

A value that the goal says becomes a slot, one that was read on a screen is read there again, and what is neither stays as it
is and is said to be a constant. Elements are called by name; detours, failures and steps without an effect are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from protocol import Frozen, InteractionStep
from roles.knowledge.demonstrations_deeds import Deed, Deeds
from roles.knowledge.demonstrations_said import in_sentences, joined
from roles.knowledge.demonstrations_values import Mention, Slots
from roles.knowledge.documents import Document, DocumentKind
from roles.rules.masks import quote
from roles.rules.wording import describe

_BRANCHES = re.compile(r"\b(?:if|unless|whether|otherwise|each|every|all|when|once|until)\b", re.IGNORECASE)
"""What one run cannot show: it goes one way, and so many rounds."""


class SlotFound(Frozen):
    """A value that another goal will give."""

    name: str
    value: str
    """In this demonstration; it is shown, and not kept."""


class ReadFound(Frozen):
    """A value that is read on a screen each time."""

    name: str
    app: str
    of: str = ""


class ConstantFound(Frozen):
    """A value that is always the same, because nothing explains it."""

    value: str
    where: str


class Distilled(Frozen):
    """What was understood of a demonstration."""

    goal: str
    title: str
    app: str | None
    """The one in which something is done; None where there are several."""
    apps: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    slots: tuple[SlotFound, ...] = ()
    reads: tuple[ReadFound, ...] = ()
    constants: tuple[ConstantFound, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why it may not hold for other values, a sentence each; empty where nothing speaks against it."""
    world: str = ""
    left_out: int = 0
    """Steps that led nowhere, failed or only looked for the way."""

    @property
    def text(self) -> str:
        """As a page of a handbook, which every policy can follow."""
        lines = [f"# {self.title}", ""]
        if self.apps:
            lines += [*(f"Requires the {app} app." for app in self.apps), ""]
        return "\n".join([*lines, *(f"{n}. {step}" for n, step in enumerate(self.steps, start=1)), ""])

    def document(self, kind: DocumentKind, source: str) -> Document:
        """As it is kept: without the values of this one time."""
        data = {
            "apps": list(self.apps),
            "world": self.world,
            "slots": [slot.name for slot in self.slots],
            "constants": [constant.model_dump() for constant in self.constants],
            "doubts": list(self.doubts),
        }
        return Document(kind=kind, app=self.app, title=self.title[:300], text=self.text, source=source, data=data)


def distil(steps: Iterable[InteractionStep], goal: str, *, world: str = "", more: Sequence[Mention] = ()) -> Distilled:
    """One run of steps, done for `goal`. `more` are values of the goal that cannot be told by their shape."""
    taken = list(steps)
    slots = Slots(goal.strip(), more)
    deeds = Deeds(taken, slots)
    told = joined(deeds.all())
    clauses = [deed.clause for deed in told]
    apps = tuple(dict.fromkeys(clause.app for clause in clauses if clause.app))
    used = " ".join(sentences := in_sentences(clauses))
    fixed = [x for x in dict.fromkeys(deeds.origins.constants) if quote(x.value)[1:-1] in used]
    doubts = [*deeds.origins.doubts, *(x.doubt for x in fixed if x.doubt), *_left(slots)]
    if branch := _BRANCHES.search(slots.title):
        doubts.append(f'the goal says "{branch.group()}", and one run shows one way through')
    if not any(step.visual_state.elements for step in taken):
        doubts.append("the log does not say what was on the screen, so that nothing is known of what was read there")
    if not clauses:
        doubts.append("nothing that was done came to anything")
    return Distilled(
        goal=goal,
        title=" ".join(slots.title.split()),
        app=apps[0] if len(apps) == 1 else None,
        apps=apps,
        steps=tuple(sentences),
        slots=tuple(SlotFound(name=name, value=value) for name, value in slots.values.items() if f"{{{name}}}" in used),
        reads=_reads(told),
        constants=tuple(ConstantFound(value=x.value, where=x.where) for x in fixed if "{" not in x.value),
        doubts=tuple(dict.fromkeys(doubts)),
        world=world,
        left_out=max(0, len(taken) - len({deed.at for deed in told if deed.part})),
    )


def _left(slots: Slots) -> list[str]:
    return [f'the goal says "{text}", and nothing that was done uses it' for text in slots.unused]


def _reads(told: Sequence[Deed]) -> tuple[ReadFound, ...]:
    found = []
    for deed in told:
        if hasattr(deed.clause, "fact_names") and hasattr(deed.clause, "entity"):
            of = describe(deed.clause).partition(" of ")[2].partition(" in the ")[0]
            found += [ReadFound(name=name, app=deed.clause.app, of=of) for name in deed.clause.fact_names()]
    return tuple(found)
