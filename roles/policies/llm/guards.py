"""What a small model is kept from: what has been done for nothing, what comes too early, and what nobody asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from environments.effects.words import Effect, effect_of_words
from protocol import GUIElement
from protocol.prompt_form.element_text import CHECKED, kind
from roles.contracts import FieldHas, OperatorView
from roles.policies.llm.subtask_words import ALIKE, COMMITS, TICKS, Job
from roles.screen.dialogs import agree_choice, dismiss_choice, expected
from roles.screen.evidence import is_search, names_effect
from roles.screen.matching import similarity, tokens
from roles.screen.values import same_value

WRITTEN_IN = frozenset({"textbox", "searchbox", "spinbutton", "entry", "textarea", "input", "slider"})
CHOSEN_FROM = frozenset({"combobox", "listbox", "select"})
_HARMLESS = frozenset({Effect.OBSERVE, Effect.NAVIGATE, Effect.ACTIVATE})
MAKES = frozenset({"new", "add", "create", "compose", "write", "email", "share", "reply", "forward"})
_MADE = frozenset({"new", "add", "create", "compose", "send", "post", "write", "make", "book", "schedule", "register", "upload"})
"""Words of a button that makes something new, and words of a job that may need one."""
_SENT = frozenset({"send", "post", "write"})
"""Of them those that somebody who is there already can be sent."""
_DONE_TO = frozenset(
    {"rename", "move", "leave", "archive", "merge", "mute", "block", "pin", "star", "flag", "duplicate", "snooze", "split"}
)
"""Words of a button that does something to what is open, which takes a job that says so."""
_FINDS = frozenset({"filter", "sort", "show", "view"})
"""Words of a list that only chooses what is shown."""
_SHORT = 3
"""Characters of words that say nothing of what a field is about."""
_PRESSES = frozenset({"click", "press_key"})


class Guards:
    """Of one screen and one job. `elements` are those that take input."""

    def __init__(self, view: OperatorView, job: Job, elements: Sequence[GUIElement]) -> None:
        self._view = view
        self._job = job
        self._screen = job.screen
        self._elements = elements
        self._right = job.right()
        self._last = view.history[-1] if view.history else None
        committed = any(names_effect(s.target, verb) for s in view.history for verb in job.deeds())
        self._refused = bool(committed or self._screen.complaints)
        """Whether the screen has had a reason to ask for more than the job says."""
        self.agreeing = self._agreement()
        """In the question that the deed of the job brought up: the button that goes on with it."""

    def holds(self, wanted: FieldHas) -> bool:
        """Whether a field on the screen holds it already."""
        value = self._job.value_of(wanted)
        return any(fits(field, wanted) and same_value(field.value or "", value) for field in self._elements)

    def commits(self, element: GUIElement) -> bool:
        """Whether it hands in what stands in the fields of this screen, which is done before the screen is left."""
        filled = any(self._job.wrote_in(field.name) for field in self._screen.inputs if field.value)
        return self._job.planned and filled and any(names_effect(element.name, verb) for verb in self._job.deeds())

    def _agreement(self) -> GUIElement | None:
        """In a dialog that the job's own deed brought up: the button that goes on with it. It often has the words of the one
        that was pressed before, so it looks as if it had been done; and what the job speaks of need not be named again."""
        dialog = self._screen.dialog
        pressed = next((s for s in reversed(self._view.history) if s.action.get("action_type") in _PRESSES), None)
        if dialog is None or pressed is None or not self._job.planned:
            return None
        inside = self._screen.elements
        yes = [e for e in inside if e.role == "button" and effect_of_words(e.name) is Effect.CONFIRM]
        for verb in (verb for verb in self._job.deeds() if names_effect(pressed.target, verb)):
            agreed = agree_choice(verb, self._screen)
            if agreed is dismiss_choice(dialog, inside):  # "Cancel" beside "Yes" does not cancel an order
                agreed = yes[0] if yes and expected(dialog, inside, verb, "") else None
            if agreed is not None:
                return agreed
        return None

    def idle(self, verb: str) -> frozenset[str]:
        """The elements of this very screen to which it was done already for nothing, and the field just written in."""
        here = self._view.seen.state_id
        same = [s for s in self._view.history if s.action.get("action_type") == verb and s.after == here]
        again = [s for s in same if s.before == here or (s is self._last and verb != "click")]
        targets = (s.action.get("target") or {} for s in again)
        return frozenset(str(target["element_id"]) for target in targets if target.get("element_id"))

    def in_vain(self, fields: Mapping[str, Any]) -> bool:
        """Whether this very screen was scrolled that way, or gone back from, and stayed as it is."""
        here = self._view.seen.state_id
        same = [s.action for s in self._view.history if s.before == s.after == here]
        if fields["action"] == "scroll":
            down = [a["delta"].get("y", 0) > 0 for a in same if a.get("action_type") == "scroll" and a.get("delta")]
            return (fields["direction"] == "down") in down
        return fields["action"] == "go_back" and any(a.get("action_type") == "go_back" for a in same)

    def left_alone(self, element: GUIElement) -> bool:
        """A field that is right already, or of which the job says nothing."""
        field = kind(element) in WRITTEN_IN | CHOSEN_FROM | CHECKED
        named = any(similarity(label, element.name) >= ALIKE for label in self._right)
        return (field and (named or any(fits(element, w) and self.holds(w) for w in self._job.wants()))) or self._unasked(element)

    def _unasked(self, element: GUIElement) -> bool:
        """A box or a list of a form of which the job says nothing: it keeps what it holds, until the form is found wanting."""
        form = kind(element) in CHECKED or (kind(element) in CHOSEN_FROM and not _FINDS.intersection(tokens(element.name)[:1]))
        if not (form and self._job.planned and self._job.fills()) or element.invalid or self._refused:
            return False
        said = {word for name in (element.name, *element.choices) for word in tokens(name) if len(word) > _SHORT}
        return not said.intersection(self._job.words)

    def too_early(self, element: GUIElement) -> bool:
        """Whether it commits too early, deletes or makes what nobody named, or does anything at all where one only reads."""
        if not self._job.planned or kind(element) in CHECKED or element is self.agreeing:
            return False
        wanted, words = self._job.effects, self._job.words
        if _DONE_TO.intersection(tokens(element.name)[:1]).difference(words):
            return True
        if first := MAKES.intersection(tokens(element.name)[:1]):
            asked = (_MADE | first).intersection(words)
            there = asked <= _SENT and any(item.press.name in self._job.sought for item in self._screen.items)
            return self._job.reading or not asked or there or not self._of_kind(element)
        does = {verb for verb in COMMITS if names_effect(element.name, verb)}
        if does and not does.intersection(wanted):
            return not does.intersection(self._job.deeds())
        early = kind(element) == "button" and (self._job.reading or not self._job.there())
        if early and not _harmless(element.name) and not self._job.sets(element.name):
            return True
        commits = any(names_effect(element.name, verb) for verb in wanted)
        return commits and self._job.outstanding()

    def makes(self) -> bool:
        """Whether it is to make something, and a button that does stands on the screen: then nothing else is to be opened."""
        created = self._job.planned and not self._job.reading and (_MADE - _SENT).intersection(self._job.words)
        return bool(created) and any(
            MAKES.intersection(tokens(e.name)[:1]) and kind(e) == "button" and not self.too_early(e) for e in self._elements
        )

    def _of_kind(self, element: GUIElement) -> bool:
        """Whether a button makes such a thing as the job names, where one of the buttons says so."""
        makers = [e for e in self._elements if MAKES.intersection(tokens(e.name)[:1])]
        fitting = [e for e in makers if set(tokens(e.name)[1:]).intersection(self._job.words)]
        return not fitting or element in fitting


def fits(field: GUIElement, wanted: FieldHas) -> bool:
    """Whether it is the field that is meant."""
    fillable = kind(field) in WRITTEN_IN | CHOSEN_FROM | CHECKED
    if wanted.value is not None and (kind(field) in CHECKED) != (wanted.value in TICKS):
        return False
    return fillable and not is_search(field) and similarity(wanted.label, field.name) >= ALIKE


def _harmless(name: str) -> bool:
    return effect_of_words(name) in {None, *_HARMLESS}
