"""What was done on the screens of a demonstration, as clauses that the rules know: by name and role, never by place or id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from environments.effects.words import Effect, effect_of_words
from protocol import (
    Answer,
    Click,
    Fill,
    GUIElement,
    InteractionStep,
    PressKey,
    SelectOption,
    TargetError,
    Type,
    VisualState,
    resolve,
)
from roles.knowledge.demonstrations.screens import (
    DemonstrationScreens,
    Sighting,
    Slots,
    Texts,
    entity_of,
    names_on,
    noun_of,
    row_texts,
)
from roles.safety.privacy.vault import is_reference
from roles.safety.privacy.vault_shapes import names_private, shaped
from roles.screen.language import clauses as c
from roles.screen.screens import FIELD_ROLES, TEXT_ROLES, Screen
from roles.screen.synonyms import leads_back, plainly_called, similarity_next

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


class ReadFacts(NamedTuple):
    """Facts that were read, and the step before which they stood on the screen."""

    at: int
    clause: c.Read


class Origins:
    """Tells slots from facts and constants, and collects what has to be read."""

    def __init__(self, seen: DemonstrationScreens, slots: Slots) -> None:
        self.slots = slots
        self.readings: list[ReadFacts] = []
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
            self.readings.append(ReadFacts(sighting.at, read))
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


_COMMITS = ("submit", "send", "save")
_LEAVING = re.compile(r"^(?:cancel|close|discard|dismiss|back|not now|no,? thanks|never mind|later|skip|x|×)\b", re.IGNORECASE)
_SHOWING = TEXT_ROLES | {"group", "form", "table", "list", "window", "image", "img"}
"""Pressing these takes the focus away from a field, and does nothing else."""
_TICKED = {"checkbox", "switch", "radio"}
_SILENT = {"wait", "screenshot", "scroll", "hover", "launch_app", "switch_window", "memorize", "go_back", "go_forward"}
"""What moves about or looks; a playbook says what to reach, and the way there is the policy's own."""
_IDLE_KEYS = {("Tab",), ("Shift", "Tab"), ("Escape",), ("Control", "c"), ("Control", "a"), ("Delete",), ("Backspace",)}
_SEARCH = re.compile(r"(?:search|find|filter|look up)\b", re.IGNORECASE)
_PREVIOUS = {"previous", "previous page", "first", "last", "newer", "older"}


class DemonstratedClause(NamedTuple):
    """A clause and the step it comes from. Reads count as of the screen on which the value stood."""

    at: int
    clause: c.Clause
    part: int = 1
    """Orders what belongs to one step: reading before writing."""


class Deeds:
    """Reads the steps of one run and tells what they came to."""

    def __init__(self, steps: Sequence[InteractionStep], slots: Slots) -> None:
        self.slots = slots
        self.steps = [step.model_copy(update={"visual_state": plainly_called(step.visual_state)}) for step in steps]
        self._seen = DemonstrationScreens([step.visual_state for step in self.steps])
        slots.learn(names_on(self._seen.states))
        self.origins = Origins(self._seen, slots)
        self.told: list[DemonstratedClause] = []
        self._waiting: list[DemonstratedClause] = []
        """Ways to a place that count only when something is done there."""

    def all(self) -> list[DemonstratedClause]:
        """The deeds in their order, each fact read before it is used."""
        for at, step in enumerate(self.steps):
            if at and step.visual_state.app != self.steps[at - 1].visual_state.app:
                self._waiting.clear()
            if _worked(step):
                self._tell(at, step)
        reads = [DemonstratedClause(reading.at, reading.clause, 0) for reading in self.origins.readings]
        return sorted([*reads, *self.told], key=lambda deed: (deed.at, deed.part))

    def _tell(self, at: int, step: InteractionStep) -> None:
        state, action = step.visual_state, step.action
        element = _meant(step)
        match action:
            case Fill(text=text, submit=submit) | Type(text=text, submit=submit):
                element = element or next((e for e in state.elements if e.focused), None)
                self._fill(at, element, text, isinstance(action, Type))
                if submit and element is not None and not _searches(element, state):
                    self._done(at, c.Press(app=state.app or "", keys=("Enter",)))
            case SelectOption(options=options):
                for option in options:
                    self._choose(at, element.name if element else "", option)
            case Click(count=count, button="left") if element is not None:
                self._click(at, element, count)
            case PressKey(keys=keys):
                self._keys(at, keys, element)
            case Answer(text=text):
                self._answer(at, text)
            case _ if action.verb not in _SILENT:
                self.origins.doubts.append(f"step {at + 1}: what {action.verb.replace('_', ' ')} does has no words here")

    def _fill(self, at: int, element: GUIElement | None, text: str, typed: bool) -> None:
        if element is None:
            self.origins.doubts.append(f"step {at + 1}: it is not known into what {text[:40]!r} was typed")
            return
        state = self.steps[at].visual_state
        if _searches(element, state):
            return
        held = (element.value or "") if not hides(element) else ""
        add = bool(held) and (typed or (text.startswith(held) and len(text) > len(held)))
        text = text.removeprefix(held).lstrip("\n") if add and not typed else text
        value = self.origins.value(at, text, element)
        self.origins.written.add(element.track_id or element.name)
        self.told = [deed for deed in self.told if not self._rewrites(deed, element, state.app or "", add)]
        self._done(at, c.Enter(app=state.app or "", value=value, field=self.slots.within(element.name), add=add))
        if not element.name:
            self.origins.doubts.append(f"step {at + 1}: the field into which {text[:40]!r} was written has no name")

    def _rewrites(self, deed: DemonstratedClause, element: GUIElement, app: str, add: bool) -> bool:
        """An earlier text of the same field that was not kept by any press since."""
        field = self.slots.within(element.name)
        same = isinstance(deed.clause, c.Enter) and (deed.clause.app, deed.clause.field) == (app, field)
        return same and not add and not any(d.at > deed.at and isinstance(d.clause, _KEEPING) for d in self.told)

    def _choose(self, at: int, field: str, option: str) -> None:
        slot = self.slots.named(option, field)
        fact = None if slot else self.origins.fact(at, option, field) if any(map(str.isdigit, option)) else None
        value = c.Value(facts=(fact,)) if fact else c.Value(slot or self.origins.constant(option, field))
        app = self.steps[at].visual_state.app or ""
        self.told = [deed for deed in self.told if not _same_choice(deed.clause, app, field)]
        self._done(at, c.Select(app=app, option=value, field=field))

    def _click(self, at: int, element: GUIElement, count: int) -> None:
        state = self.steps[at].visual_state
        screen, app, name = Screen(state), state.app or "", element.name
        row = row_texts(screen, element)
        if element.role in _TICKED:
            on = (self._after(at, element) or "") != "false"
            self._done(at, c.Check(app=app, box=self.slots.within(name), on=on))
        elif element.role == "option" and not row:
            holder = next((a for a in screen.above(element) if a.role in {"combobox", "listbox"} and a.name), None)
            self._choose(at, holder.name if holder else "", name)
        elif element.role in FIELD_ROLES:
            pass  # it takes the focus
        elif row and element.role not in {"button", "menuitem"}:
            self._waiting = [d for d in self._waiting if not isinstance(d.clause, c.OpenItem)]
            self._waiting.append(DemonstratedClause(at, c.OpenItem(app=app, entity=self._record(row, state))))
        elif state.modal and screen.dialog is not None and not screen.inputs and self._answers(at, name):
            pass  # what was done asked back, or something stood in the way
        elif leads_back(name) or _LEAVING.match(name):
            self._left(app, name)
        elif similarity_next(name) or name.casefold() in _PREVIOUS or not name or element.role in _SHOWING:
            pass
        else:
            self._press(at, element, row)

    def _after(self, at: int, element: GUIElement) -> str | None:
        if at + 1 == len(self.steps):
            return "false" if element.value == "true" else "true"
        after = self.steps[at + 1].visual_state.elements
        same = (e for e in after if e.track_id == element.track_id or (e.role, e.name) == (element.role, element.name))
        return next((e.value for e in same), None)

    def _answers(self, at: int, name: str) -> bool:
        last = self.told[-1].clause if self.told else None
        return bool(_LEAVING.match(name)) or last is None or isinstance(last, _KEEPING)

    def _left(self, app: str, name: str) -> None:
        """A way back is none to keep; what was filled in and not kept is gone with Cancel."""
        if self._waiting:
            self._waiting.pop()
        if re.match(r"cancel|discard|never", name, re.IGNORECASE):
            kept = max((d.at for d in self.told if isinstance(d.clause, _KEEPING)), default=-1)
            self.told = [d for d in self.told if d.clause.app != app or d.at <= kept]

    def _record(self, texts: Texts, state: VisualState) -> c.Entity:
        entity = entity_of(texts, noun_of(state), self.slots)
        return entity if entity.specific else replace(entity, name=next((text for _, text in texts if text), ""))

    def _press(self, at: int, element: GUIElement, row: Texts) -> None:
        name, app = element.name, self.steps[at].visual_state.app or ""
        if not app or self._goes_over(at):
            return  # it opens another application, which a clause names itself
        effect = effect_of_words(name)
        verb, _, thing = name.casefold().partition(" ")
        if verb in _COMMITS and len(thing.split()) < 2:
            if self._refused(at):
                return
            self._done(at, c.Commit(app=app, verb=verb, thing=thing or "form"))
        elif element.role in {"tab", "link"} or (effect is Effect.NAVIGATE and verb not in {"archive", "add"}):
            if verb not in {"search", "find", "go", "filter", "refresh"}:
                self._waiting.append(DemonstratedClause(at, c.ClickOn(app=app, control=self.slots.within(name))))
        else:
            self._deed(at, name, row, effect)

    def _refused(self, at: int) -> bool:
        """The form complained; what was mended is handed in by a later press."""
        after = self._seen.screen(at + 1).complaints if at + 1 < len(self.steps) else []
        return bool(set(after) - set(self._seen.screen(at).complaints))

    def _goes_over(self, at: int) -> bool:
        return at + 1 < len(self.steps) and self.steps[at + 1].visual_state.app not in {self.steps[at].visual_state.app, None}

    def _deed(self, at: int, name: str, row: Texts, effect: Effect | None) -> None:
        """A press that does something to the record that is open, or whose row it stands in."""
        state = self.steps[at].visual_state
        opened = next((d.clause.entity for d in reversed(self._waiting) if isinstance(d.clause, c.OpenItem)), c.NOTHING)
        entity = self._record(row, state) if row else opened
        said = self.slots.within(name)
        if not entity.specific and (about := re.fullmatch(r"([^{]+) (\{[^{}]+\})", said)):
            name, entity = about[1], c.Entity(noun=noun_of(state), name=about[2])
        elif entity.name and name.endswith(f" {next((t for _, t in row if t and name.endswith(t)), entity.name)}"):
            name = name[: -len(next((t for _, t in row if t and name.endswith(t)), entity.name))].strip()
        verb = name.casefold().split()[0]
        if entity.specific and effect is Effect.DELETE and verb in {"delete", "remove"}:
            self._waiting.clear()
            self._done(at, c.Delete(app=state.app or "", entity=entity))
        elif entity.specific and len(name.split()) <= 2:
            self._waiting = [d for d in self._waiting if not isinstance(d.clause, c.OpenItem)]
            self._done(at, c.Act(app=state.app or "", verb=name.casefold(), entity=entity))
        else:
            self._done(at, c.ClickOn(app=state.app or "", control=self.slots.within(name)))

    def _keys(self, at: int, keys: tuple[str, ...], element: GUIElement | None) -> None:
        state = self.steps[at].visual_state
        app = state.app or ""
        focused = element or next((e for e in state.elements if e.focused), None)
        if keys == ("Control", "s"):
            self._done(at, c.Commit(app=app, verb="save", thing="form"))
        elif keys == ("Enter",) and focused is not None and focused.role not in FIELD_ROLES:
            self._click(at, focused, 1)
        elif keys in _IDLE_KEYS or keys[-1].startswith(("Arrow", "Page", "Go", "App")):
            pass
        elif not (keys == ("Enter",) and (focused is None or _searches(focused, state))):
            self._done(at, c.Press(app=app, keys=keys))

    def _answer(self, at: int, text: str) -> None:
        words = dict.fromkeys([text, *re.split(r"[,;\s]+(?=\S)", text)])
        facts = [fact for word in words if (fact := self.origins.fact(at, word.strip(" ."), "")) is not None]
        value = c.Value(facts=tuple(dict.fromkeys(facts))) if facts else c.Value(self.origins.constant(text, "answer"))
        self._done(at, c.Tell(value=value))

    def _done(self, at: int, clause: c.Clause) -> None:
        """Something was done: the way to where it was done belongs to it."""
        if not any(isinstance(d.clause, c.OpenItem) for d in (*self._waiting, DemonstratedClause(at, clause))):
            self._waiting = [*self._open_already(at, clause), *self._waiting]
        for deed in self._waiting:
            self._say_unnamed(deed)
            self.told.append(deed)
        self._waiting.clear()
        again = isinstance(clause, c.Commit) and bool(self.told) and self.told[-1].clause == clause
        if not again:  # nothing came of it the first time
            self.told.append(DemonstratedClause(at, clause))
        if isinstance(clause, c.Act | c.Delete):
            self._say_unnamed(DemonstratedClause(at, clause))

    def _open_already(self, at: int, clause: c.Clause) -> list[DemonstratedClause]:
        """The record whose page this is, where the goal speaks of it and nobody opened it in a list."""
        state = self.steps[at].visual_state
        begun = any(d.clause.app == state.app for d in self.told)
        if begun or not isinstance(clause, c.Enter | c.ClickOn | c.Select | c.Check):
            return []
        heads = [("", e.name) for e in state.elements if e.role == "heading"]
        entity = entity_of(heads, noun_of(state), self.slots) if state.modal is None else c.NOTHING
        return [DemonstratedClause(at, c.OpenItem(app=state.app or "", entity=entity))] if entity.id or entity.name else []

    def _say_unnamed(self, deed: DemonstratedClause) -> None:
        if isinstance(deed.clause, c.OpenItem | c.Act | c.Delete):
            entity = deed.clause.entity
            said = (entity.id, entity.name, entity.subject, entity.dated, entity.pick, *entity.filters)
            if not any("{" in part for part in said) and not entity.pick and not entity.filters:
                self.origins.unnamed([("", entity.name)], entity, self.steps[deed.at].visual_state)


_KEEPING = (c.Commit, c.Act, c.Delete, c.ClickOn, c.Press)
"""Clauses after which what was filled in may be kept."""


def _same_choice(clause: c.Clause, app: str, field: str) -> bool:
    return isinstance(clause, c.Select) and clause.app == app and clause.field == field


def _worked(step: InteractionStep) -> bool:
    if step.result is not None and not step.result.ok:
        return False
    return step.visible_change is not False or isinstance(step.action, Fill | Type | SelectOption | Answer)


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
    return known or (not state.elements and _SEARCH.match(element.name) is not None)
