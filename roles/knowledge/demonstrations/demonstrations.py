"""From something that was done once to a playbook: typed steps with slots for what differs next time, and what became of it.

A value that the goal says becomes a slot, one that was read on a screen is read there again, and what is neither stays as it
is and is said to be a constant. Elements are called by name; detours, failures and steps without an effect are left out.
A playbook that fails twice in a row, or less than every second time of four and more, is retired: kept, listed, never found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from protocol import Frozen, InteractionStep
from roles.contracts.orders import ReadStep, Step
from roles.knowledge.demonstrations.actions import Deeds
from roles.knowledge.demonstrations.screens import Slots
from roles.knowledge.pages.documents import RETIRED, Document, DocumentKind
from roles.knowledge.pages.typed import block, in_words
from roles.knowledge.store import KnowledgeStore

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


class LearnedPlaybook(Frozen):
    """What was understood of a demonstration."""

    goal: str
    title: str
    app: str | None
    """The one in which something is done; None where there are several."""
    apps: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    """In words."""
    typed: tuple[Step, ...] = ()
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
        """As a page of a handbook: what it is for, what it does in words, and the steps as data, which are what is followed."""
        lines = [f"# {self.title}", "", *(f"Requires the {app} app." for app in self.apps), ""]
        return "\n".join([*lines, *(f"{n}. {step}" for n, step in enumerate(self.steps, start=1)), "", block(self.typed)])

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


def distil(steps: Iterable[InteractionStep], goal: str, *, world: str = "") -> LearnedPlaybook:
    """One run of steps, done for `goal`."""
    taken = list(steps)
    slots = Slots(goal.strip())
    deeds = Deeds(taken, slots)
    told = deeds.all()
    typed = tuple(done.step for done in told)
    apps = tuple(dict.fromkeys(app for step in typed if (app := getattr(step, "app", ""))))
    used = block(typed)
    fixed = [x for x in dict.fromkeys(deeds.constants) if json.dumps(x.value, ensure_ascii=False)[1:-1] in used]
    doubts = [*deeds.doubts, *(x.doubt for x in fixed if x.doubt), *_left(slots)]
    if branch := _BRANCHES.search(slots.title):
        doubts.append(f'the goal says "{branch.group()}", and one run shows one way through')
    if not any(step.visual_state.elements for step in taken):
        doubts.append("the log does not say what was on the screen, so that nothing is known of what was read there")
    if not typed:
        doubts.append("nothing that was done came to anything")
    return LearnedPlaybook(
        goal=goal,
        title=slots.title,
        app=apps[0] if len(apps) == 1 else None,
        apps=apps,
        steps=tuple(map(in_words, typed)),
        typed=typed,
        slots=tuple(SlotFound(name=name, value=value) for name, value in slots.values.items() if f"{{{name}}}" in used),
        reads=tuple(_reads(typed)),
        constants=tuple(ConstantFound(value=x.value, where=x.where) for x in fixed if "{" not in x.value),
        doubts=tuple(dict.fromkeys(doubts)),
        world=world,
        left_out=max(0, len(taken) - len({done.at for done in told if not isinstance(done.step, ReadStep)})),
    )


def _left(slots: Slots) -> list[str]:
    return [f'the goal says "{text}", and nothing that was done uses it' for text in slots.unused]


def _reads(steps: Sequence[Step]) -> Iterator[ReadFound]:
    for step in steps:
        if isinstance(step, ReadStep):
            of = in_words(step).partition(" of ")[2].rstrip(".")
            yield from (ReadFound(name=name, app=step.app, of=of) for name in step.names)


RETIRING: tuple[DocumentKind, ...] = ("experience", "demonstration")
"""Kinds of documents that come from something that was done; what people wrote stays until somebody takes it away."""
IN_A_ROW = 2
ENOUGH = 4
_IN_A_ROW = "failed_in_a_row"


class PlaybookRecord(Frozen):
    """What became of a playbook so far."""

    used: int = 0
    """Runs that followed it."""
    helped: int = 0
    """Those of them that reached their goal by it."""
    failed_in_a_row: int = 0

    @property
    def retired(self) -> str:
        """Why it is followed no more; empty while it is."""
        if self.failed_in_a_row >= IN_A_ROW:
            return f"it failed {self.failed_in_a_row} times in a row"
        if self.used >= ENOUGH and self.helped * 2 < self.used:
            return f"it helped {self.helped} of {self.used} times"
        return ""


def standing(store: KnowledgeStore, document: Document) -> PlaybookRecord:
    """What is known of a document; nothing of one that was never followed."""
    used, helped = store.uses(document.id)
    return PlaybookRecord(used=used, helped=helped, failed_in_a_row=int(document.data.get(_IN_A_ROW, 0)))


def count(store: KnowledgeStore, document_id: str, *, helped: bool) -> None:
    """A run has followed it. What was done once and does not work is retired; what people wrote is counted only."""
    with store.writing():
        store.note_use(document_id, helped)
        document = store.get(document_id)
        if document is None or document.kind not in RETIRING:
            return
        failed = 0 if helped else int(document.data.get(_IN_A_ROW, 0)) + 1
        now = standing(store, document).model_copy(update={"failed_in_a_row": failed})
        store.add(document.model_copy(update={"data": {**document.data, _IN_A_ROW: failed, RETIRED: now.retired}}))


def keep(store: KnowledgeStore, found: LearnedPlaybook, kind: DocumentKind, source: str) -> tuple[Document, bool]:
    """The document of what was learned, and whether it is new. What is known already keeps what is known of it."""
    made = found.document(kind, source)
    with store.writing():
        known = store.get(made.id)
        if known is not None:
            return known, False
        store.add(made)
        return made, True
