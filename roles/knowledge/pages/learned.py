"""From something that was done once to a playbook: typed steps with slots for what differs next time, and what became of it.

A value that the goal says becomes a slot, one that was read on a screen is read there again, and what is neither stays as it
is and is said to be a constant. Elements are called by name, never by place or id; detours, failures
and steps without an effect are left out.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import Field

from environments.cards import verb_of
from protocol import (
    Answer,
    Click,
    Fill,
    Frozen,
    GUIElement,
    InteractionStep,
    PressKey,
    SelectOption,
    TargetError,
    Type,
    VisualState,
    resolve,
)
from roles.contracts.orders import AnswerStep, CreateStep, Entry, FillStep, Of, Pick, PressStep, ReadStep, Records, RowTest, Step
from roles.knowledge.pages.documents import Document, DocumentKind
from roles.knowledge.pages.sightings import DemonstrationScreens, Sighting, Slots, Texts, escaped, records_of, row_texts
from roles.knowledge.pages.typed import block, in_words
from roles.knowledge.store import KnowledgeStore
from roles.safety.privacy.vault import is_reference
from roles.safety.privacy.vault_shapes import names_private, shaped
from roles.screen.language.reader import read
from roles.screen.matching import similarity
from roles.screen.screens import FIELD_ROLES, TEXT_ROLES, Screen, leads_back, plainly_called, turns

NOWHERE = "stands neither in the goal nor on a screen that was seen before"
_TELLING = re.compile(r"\S*\d[^\s,;]*|\S+@\S+")
"""What no plain word is: a number, a date, an id, an address."""
_COMMITS = frozenset({"submit", "send", "save"})
_LEAVING = re.compile(r"(?:cancel|close|discard|dismiss|back|not now|no,? thanks|never mind|later|skip|x|×)\b", re.IGNORECASE)
_DROPS = re.compile(r"(?:cancel|discard|never)\b", re.IGNORECASE)
_AGREES = frozenset({"ok", "done", "yes", "confirm", "apply", "continue"})
_SHOWING = TEXT_ROLES | {"group", "form", "table", "list", "window", "image", "img"}
"""Pressing these takes the focus away from a field, and does nothing else."""
_TICKED = frozenset({"checkbox", "switch", "radio"})
_SILENT = frozenset(
    {"wait", "screenshot", "scroll", "hover", "launch_app", "switch_window", "memorize", "go_back", "go_forward", "press_key"}
)  # fmt: skip
"""What moves about or looks; a playbook says what to reach, and the way there is the policy's own."""
_LOOKS = frozenset({"search", "find", "go", "filter", "refresh", "previous", "first", "last", "newer", "older", "clear", "open"})


class Constant(NamedTuple):
    """A value that nothing explains: neither the goal nor an earlier screen has it."""

    value: str
    where: str

    @property
    def doubt(self) -> str:
        """Why it may be another one next time: it holds a number, a date, an id, an address."""
        found = _TELLING.search(re.sub(r"\{[^}]*\}", "", self.value))
        return f'"{found.group()}" ("{self.where}") {NOWHERE}' if found else ""


class Done(NamedTuple):
    """A step of a playbook, and the step of the log at which it was over."""

    at: int
    step: Step


@dataclass
class _Form:
    """What is being filled in, in one application."""

    control: str = ""
    """What was pressed last and has come to nothing so far."""
    records: Records | None = None
    entries: dict[str, tuple[int, Entry]] = field(default_factory=dict)


class Deeds:
    """Reads the steps of one run and tells what they came to."""

    def __init__(self, steps: Sequence[InteractionStep], slots: Slots) -> None:
        self.slots = slots
        self.steps = [step.model_copy(update={"visual_state": plainly_called(step.visual_state)}) for step in steps]
        self.constants: list[Constant] = []
        self.doubts: list[str] = []
        self._seen = DemonstrationScreens([step.visual_state for step in self.steps])
        self._done: list[Done] = []
        self._forms: dict[str, _Form] = {}
        self._written: set[str] = set()
        """Fields that were filled in by hand: what they show tells nothing."""
        self._facts: dict[str, tuple[str, int, ReadStep]] = {}
        """What each fact was, by its name, and where it was read."""

    def all(self) -> list[Done]:
        """What was done, in order, each fact read before it is used."""
        for at, step in enumerate(self.steps):
            before = self.steps[at - 1].visual_state.app or "" if at else ""
            if before != (step.visual_state.app or "") and before in self._forms and not self._forms[before].entries:
                del self._forms[before]  # what was opened there counts no more, what was filled in may still be kept
            tells = isinstance(step.action, Fill | Type | SelectOption | Answer)  # what is written may look as before
            if (step.result is None or step.result.ok) and (step.visible_change is not False or tells):
                self._tell(at, step)
        for app in list(self._forms):
            self._keep(len(self.steps), app, "")
        reads: dict[tuple[int, str, Records | None], ReadStep] = {}
        for _, at, reading in self._facts.values():  # fields of one record that are read on one screen are read at once
            known = reads.get((at, reading.app, reading.records))
            both = {"labels": (*known.labels, *reading.labels), "names": (*known.names, *reading.names)} if known else {}
            reads[at, reading.app, reading.records] = reading.model_copy(update=both)
        found = [Done(at, reading) for (at, *_), reading in reads.items()]
        return sorted([*found, *self._done], key=lambda done: done.at)

    def _form(self, app: str) -> _Form:
        return self._forms.setdefault(app, _Form())

    def _tell(self, at: int, step: InteractionStep) -> None:
        state, element, app = step.visual_state, _meant(step), step.visual_state.app or ""
        focused = element or next((e for e in state.elements if e.focused), None)
        match step.action:
            case Fill(text=text, submit=submit) | Type(text=text, submit=submit):
                self._fill(at, focused, text, isinstance(step.action, Type))
                if submit and focused is not None and not _searches(focused, state):
                    self._keep(at, app, self._entered(at))
            case SelectOption(options=options) if options:
                self._enter(at, app, element.name if element else "", self._value(at, options[0], element, plain=True))
            case Click(button="left") if element is not None:
                self._click(at, element)
            case PressKey(keys=("Control", "s")):
                self._keep(at, app, "save")
            case PressKey(keys=("Enter",)) if focused is not None and not _searches(focused, state):
                self._keep(at, app, self._entered(at)) if focused.role in FIELD_ROLES else self._click(at, focused)
            case Answer(text=text):
                words = dict.fromkeys([text, *re.split(r"[,;\s]+(?=\S)", text)])
                facts = [fact for word in words if (fact := self._fact(at, word.strip(" ."), "")) is not None]
                told = ", ".join(f"{{{fact}}}" for fact in dict.fromkeys(facts)) or self._constant(text, "answer")
                self._done.append(Done(at, AnswerStep(value=told)))
            case action if action.verb not in _SILENT and not isinstance(action, Click):
                self.doubts.append(f"step {at + 1}: what {action.verb.replace('_', ' ')} does has no words here")

    def _entered(self, at: int) -> str:
        """What Enter does in a field: what the form's own button says."""
        names = [verb_of(e.name) for e in self.steps[at].visual_state.elements if e.role == "button" and e.name]
        return next((verb for verb in names if verb in _COMMITS), "submit")

    def _fill(self, at: int, element: GUIElement | None, text: str, typed: bool) -> None:
        if element is None or not element.name:
            self.doubts.append(f"step {at + 1}: it is not known into what {text[:40]!r} was written")
            return
        state = self.steps[at].visual_state
        if _searches(element, state):
            return
        held = (element.value or "") if not _hides(element) else ""
        add = bool(held) and (typed or (text.startswith(held) and len(text) > len(held)))
        text = text.removeprefix(held).lstrip("\n") if add and not typed else text
        value = self._value(at, text, element)
        self._written.add(element.track_id or element.name)
        self._enter(at, state.app or "", element.name, value, add=add)

    def _enter(self, at: int, app: str, label: str, value: str, *, add: bool = False) -> None:
        form, name = self._form(app), self._own(label)
        if form.records is None and not form.entries and not form.control:
            state = self.steps[at].visual_state
            heads = [("", e.name) for e in state.elements if e.role == "heading"] if state.modal is None else []
            found = records_of(state.app or "", heads, self.slots)
            form.records = found if found.tests else None
        form.entries.pop(name, None)
        form.entries[name] = (at, Entry(label=name, value=value, mode="append" if add else "set"))

    def _own(self, label: str) -> str:
        """A label as a card has it: with `{title}` where it says what a record is called."""
        return re.sub(r"\{[^{}]+\}", "{title}", self.slots.within(label))

    def _value(self, at: int, text: str, element: GUIElement | None, *, plain: bool = False) -> str:
        """What was written, as a slot, as facts that were read, or as it is. What is chosen is `plain`, numbers aside."""
        called = element.name if element else ""
        if is_reference(text):
            return text
        if element is not None and (_hides(element) or shaped(text)):
            name = next((n for n, v in self.slots.values.items() if v == text or n == called.casefold()), "")
            bare = re.sub(r"[^a-z0-9]+", "_", called.casefold()).strip("_")[:40] or "value"
            return f"{{{name}}}" if name else f"<secret>{bare}</secret>"
        if (slot := self.slots.named(text, called)) is not None:
            return slot
        if (not plain or any(map(str.isdigit, text))) and (fact := self._fact(at, text, called)) is not None:
            return f"{{{fact}}}"
        return self._constant(text, called)

    def _constant(self, text: str, called: str) -> str:
        slotted = self.slots.within(text, called)
        if re.sub(r"[\W_]", "", slotted):
            self.constants.append(Constant(slotted.strip(), called))
        return slotted

    def _fact(self, at: int, text: str, called: str) -> str | None:
        """The name of the fact that the value was read as."""
        found = self._seen.of(text, at, called, frozenset(self._written)) if len(text) > 1 else None
        if found is None:
            return None
        label = " ".join(found.label.split()).rstrip(":")
        records: Records | None = records_of(found.app, found.texts, self.slots)
        if records is None or not records.tests:  # one that the goal does not tell from others stays what it was
            records = _as_it_was(found.app, found.texts) if self._chosen(found) else None
            self._doubted(records)
        name = base = label.casefold() if records is None else f"{found.app} {label.casefold()}"
        number = 2
        while name in self._facts and self._facts[name][0] != text:
            name, number = f"{base} {number}", number + 1
        step = ReadStep(app=found.app, records=records, labels=(label,), names=(name,))
        self._facts.setdefault(name, (text, found.at, step))
        return name

    def _chosen(self, sighting: Sighting) -> bool:
        """Whether there was more than one record that it might have been."""
        lists = (self._seen.screen(at) for at in range(sighting.at + 1) if self._seen.states[at].app == sighting.app)
        return sighting.row or any(len([i for i in s.items if i.press is not i.element]) > 1 for s in lists)

    def _doubted(self, records: Records | None) -> None:
        told_apart = records is None or records.pick or any("{" in test.value.replace("{{", "") for test in records.tests)
        if records is not None and records.tests and not told_apart:
            told = " ".join(test.value for test in records.tests)[:60]
            self.doubts.append(f'nothing in the goal says which record of {records.app} is meant; it was "{told}"')

    def _click(self, at: int, element: GUIElement) -> None:
        state = self.steps[at].visual_state
        screen, app, name = Screen(state), state.app or "", element.name
        row = row_texts(screen, element)
        if element.role in _TICKED:
            on = "false" if self._after(at, element) == "false" else "true"
            self._enter(at, app, name, on)
        elif element.role == "option" and not row:
            holder = next((a for a in screen.above(element) if a.role in {"combobox", "listbox"} and a.name), None)
            self._enter(at, app, holder.name if holder else "", self._value(at, name, holder, plain=True))
        elif element.role in FIELD_ROLES:
            pass  # it takes the focus
        elif row and element.role not in {"button", "menuitem"}:
            self._keep(at, app, "")
            self._forms[app] = _Form(records=self._record(at, app, row))
        elif leads_back(name) or _LEAVING.match(name):
            self._left(app, name)
        elif not name or element.role in _SHOWING or turns(name, "onward"):
            pass
        elif state.modal and screen.dialog is not None and not screen.inputs and not self._form(app).control:
            pass  # what was done asked back, or something stood in the way
        elif at + 1 == len(self.steps) or self.steps[at + 1].visual_state.app in {state.app, None}:
            self._press(at, element, row)  # what opens another application, a step names itself

    def _after(self, at: int, element: GUIElement) -> str | None:
        if at + 1 == len(self.steps):
            return "false" if element.value == "true" else "true"
        after = self.steps[at + 1].visual_state.elements
        same = (e for e in after if e.track_id == element.track_id or (e.role, e.name) == (element.role, element.name))
        return next((e.value for e in same), None)

    def _left(self, app: str, name: str) -> None:
        """A way back is none to keep; what was filled in and not kept is gone with Cancel."""
        if _DROPS.match(name) or not self._form(app).entries:
            self._forms.pop(app, None)

    def _record(self, at: int, app: str, texts: Texts) -> Records:
        """The record of a row; one that the goal does not tell from others stays what it was, and is doubted when it is used."""
        found = records_of(app, texts, self.slots)
        wanted = {self.slots.values[test.value[1:-1]] for test in found.tests}
        rows = [[p.value for p in item.cells] or [item.text] for item in self._seen.screen(at).items]
        same = [row for row in rows if all(any(want in text for text in row) for want in wanted)]
        if (pick := self._picked([label for label, _ in texts])) is not None:
            return found.model_copy(update={"pick": pick})
        return found if found.tests and len(same) <= 1 else _as_it_was(app, texts)

    def _picked(self, labels: Sequence[str]) -> Pick | None:
        """ "the newest mail": the goal tells it from others without a value."""
        orders = read(self.slots.goal).orders
        things = [order.object for order in orders if order.object is not None]
        things += [slot.value.thing for order in orders for slot in order.slots if isinstance(slot.value, Of)]
        picks = [thing.pick for thing in things if thing.pick is not None]
        by = max(labels, key=lambda label: similarity(picks[0].by, label), default="") if picks and picks[0].by else ""
        return picks[0].model_copy(update={"by": by, "spans": ()}) if len(picks) == 1 and (by or not picks[0].by) else None

    def _press(self, at: int, element: GUIElement, row: Texts) -> None:
        app, form = self.steps[at].visual_state.app or "", self._form(self.steps[at].visual_state.app or "")
        name = element.name
        about = next((text for _, text in row if text and name.endswith(text)), "")
        name = name.removesuffix(about).strip() or name
        verb, first = verb_of(name), name.casefold().split()[0]
        agrees = form.control and form.entries and (first in _AGREES or verb_of(form.control) == verb or verb == "create")
        if verb in _COMMITS or first in _COMMITS:
            after = self._seen.screen(at + 1).complaints if at + 1 < len(self.steps) else []
            if not set(after) - set(self._seen.screen(at).complaints):  # else what was mended is handed in by a later press
                self._keep(at, app, verb if verb in _COMMITS else first)
        elif agrees:
            self._keep(at, app, "")
        elif form.control and element.role in {"menuitem", "option"} and not form.entries:
            self._enter(at, app, form.control, self.slots.within(name))
            self._keep(at, app, "")
        elif first not in _LOOKS:
            self._keep(at, app, "")
            if row:
                self._forms[app] = _Form(records=self._record(at, app, row))
            self._form(app).control = name
            if element.role not in {"tab", "link"} and not self._asks(at):
                self._keep(at, app, "")

    def _asks(self, at: int) -> bool:
        """Whether the press led to fields or to choices, so that it is over only later."""
        if at + 1 == len(self.steps):
            return False
        roles = FIELD_ROLES | {"menuitem"}
        before, after = ({(e.role, e.name) for e in self._seen.screen(n).elements if e.role in roles} for n in (at, at + 1))
        return bool(after - before)

    def _keep(self, at: int, app: str, commit: str) -> None:
        """What was filled in and pressed so far is a step. Only opening something, or looking at a place, is none."""
        form = self._forms.pop(app, None) or _Form()
        entries = tuple(entry for _, entry in form.entries.values())
        step: Step | None = None
        verb = verb_of(form.control) if form.control else ""
        if entries and (not form.control or commit or verb in {"create", "reply", "set", "forward"}):
            made = verb == "create"
            step = FillStep(app=app, records=None if made else form.records, form=form.control, entries=entries, commit=commit)
            if made:
                noun = form.control.casefold().split()[-1]
                step = CreateStep(app=app, kind=noun, entries=entries, commit=commit or "save")
        elif form.control and not (verb == "create" and not entries):
            step = PressStep(app=app, records=form.records, verb=verb, control=self._own(form.control), entries=entries)
        elif commit and not self._again(app, commit):
            step = PressStep(app=app, records=form.records, verb=commit)
        if step is not None:
            self._doubted(getattr(step, "records", None))
            self._done.append(Done(at, step))
        if form.records is not None:
            self._forms[app] = _Form(records=form.records)  # it is still open

    def _again(self, app: str, commit: str) -> bool:
        """Nothing came of it the first time."""
        last = self._done[-1].step if self._done else None
        return isinstance(last, FillStep | CreateStep | PressStep) and last.app == app and commit in {
            getattr(last, "commit", ""), getattr(last, "verb", "")}  # fmt: skip


def _as_it_was(app: str, texts: Texts) -> Records:
    tests = [RowTest(label=label, relation="is" if label else "has", value=escaped(text)) for label, text in texts if text]
    return Records(app=app, kind="", tests=tuple(tests[:3]))


def _hides(element: GUIElement) -> bool:
    """Whether what a field holds is nobody's business."""
    return element.private or bool(names_private(element.name))


def _meant(step: InteractionStep) -> GUIElement | None:
    state = step.visual_state
    found = step.result.resolved if step.result is not None else None
    if found is not None and found.element_id in state.by_id:
        return state.by_id[found.element_id]
    if step.action.target is None:
        return None
    try:
        return state.by_id.get(resolve(step.action.target, state).element_id)
    except TargetError:
        target = step.action.target
        return GUIElement(element_id="gone", text=target.text, role=target.role) if target.text else None


def _searches(element: GUIElement, state: VisualState) -> bool:
    known = any(element.element_id == field.element_id for field in Screen(state).searches)
    looks = re.match(r"(?:search|find|filter|look up)\b", element.name, re.IGNORECASE)
    return known or (not state.elements and looks is not None)


_BRANCHES = re.compile(r"\b(?:if|unless|whether|otherwise|each|every|all|when|once|until)\b", re.IGNORECASE)
"""What one run cannot show: it goes one way, and so many rounds."""


class LearnedPlaybook(Frozen):
    """What was understood of a demonstration."""

    title: str
    """The goal, with slots."""
    app: str | None = None
    """The application in which everything is done; None where there are several."""
    steps: tuple[str, ...] = ()
    """In words."""
    typed: tuple[Step, ...] = ()
    slots: dict[str, str] = Field(default_factory=dict)
    """Values that another goal will give, by name: as they were this time, which is shown and not kept."""
    constants: dict[str, str] = Field(default_factory=dict)
    """Values that are always the same, because nothing explains them, with where they were written."""
    doubts: tuple[str, ...] = ()
    """Why it may not hold for other values, a sentence each; empty where nothing speaks against it."""
    left_out: int = 0
    """Steps that led nowhere, failed or only looked for the way."""

    def document(self, kind: DocumentKind, source: str) -> Document:
        """A page of a handbook: what it does in words, and the steps as data, which are what is followed."""
        words = "\n".join(f"{n}. {step}" for n, step in enumerate(self.steps, start=1))
        text = f"# {self.title}\n\n{words}\n\n{block(self.typed)}"
        return Document(kind=kind, app=self.app, title=self.title[:300], text=text, source=source)


def distil(steps: Iterable[InteractionStep], goal: str) -> LearnedPlaybook:
    """One run of steps, done for `goal`."""
    taken = list(steps)
    slots = Slots(goal.strip())
    deeds = Deeds(taken, slots)
    told = deeds.all()
    typed = tuple(done.step for done in told)
    apps = list(dict.fromkeys(app for step in typed if (app := getattr(step, "app", ""))))
    used = block(typed)
    fixed = [x for x in dict.fromkeys(deeds.constants) if json.dumps(x.value, ensure_ascii=False)[1:-1] in used]
    doubts = [*deeds.doubts, *(x.doubt for x in fixed if x.doubt)]
    doubts += [f'the goal says "{text}", and nothing that was done uses it' for text in slots.unused]
    if branch := _BRANCHES.search(slots.title):
        doubts.append(f'the goal says "{branch.group()}", and one run shows one way through')
    if not any(step.visual_state.elements for step in taken):
        doubts.append("the log does not say what was on the screen, so that nothing is known of what was read there")
    if not typed:
        doubts.append("nothing that was done came to anything")
    return LearnedPlaybook(
        title=slots.title,
        app=apps[0] if len(apps) == 1 else None,
        steps=tuple(map(in_words, typed)),
        typed=typed,
        slots={name: value for name, value in slots.values.items() if f"{{{name}}}" in used},
        constants={x.value: x.where for x in fixed if "{" not in x.value},
        doubts=tuple(dict.fromkeys(doubts)),
        left_out=max(0, len(taken) - len({done.at for done in told if not isinstance(done.step, ReadStep)})),
    )


def keep(store: KnowledgeStore, made: Document) -> tuple[Document, bool]:
    """What was learned, and whether it is new. What is known already keeps what is known of it."""
    with store.writing():
        known = store.get(made.id)
        return (known, False) if known is not None else (store.add(made), True)
