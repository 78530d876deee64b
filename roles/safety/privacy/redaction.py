"""What is private becomes a reference: on screens, in what a person says, in actions, in all that is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, overload

from protocol import CARRIES, Action, ActionResult, BoundingBox, GUIElement, TargetError, VisualState, parse_action, resolve
from roles.safety import SafetyPolicy
from roles.safety.privacy.vault import Vault, disarmed, is_reference
from roles.safety.privacy.vault_shapes import names_private, shaped, spotted

MASK = "•••"
"""Stands where there is something private that nobody needs to refer to."""
_LABELLED = frozenset(
    {"textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider", "spinbutton", "button"}
)
"""Roles whose text says what they are; of any other role the text is what it shows."""
_TICKED = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_DOTS = re.compile(r"[•●∙·*⬤\s]+")
"""What an application shows in a private field, if it does not show its content."""
_CACHED = 4_096


class Redactor:
    """Learns what is private as it is seen, said or filled in, and puts references from the vault in its place."""

    def __init__(self, policy: SafetyPolicy, vault: Vault | None = None) -> None:
        self.vault = vault if vault is not None else Vault()
        self.keep_to(policy)

    def keep_to(self, policy: SafetyPolicy) -> None:
        """From here on, what this policy calls private is."""
        self._policy = policy
        self._hides: dict[str, bool] = {}
        self._labels = tuple(label for glob in policy.private if len(label := re.sub(r"[*?\[\]]+", " ", glob).strip()) >= 3)

    def keep(self, secret: str, label: str = "value") -> str:
        """Put one value into the vault; its reference. What is empty, or shown as dots anyway, is no value."""
        if not secret.strip() or _DOTS.fullmatch(secret):
            return secret
        return self.vault.keep(secret, label)

    def is_private(self, element: GUIElement) -> bool:
        return element.private or self.hides(element.name)

    def hides(self, name: str) -> bool:
        """As the policy says, remembered: the same names are seen on every screen."""
        if name not in self._hides:
            if len(self._hides) >= _CACHED:
                self._hides.clear()
            self._hides[name] = self._policy.hides(name)
        return self._hides[name]

    # --- texts --------------------------------------------------------------------------------------------------

    @overload
    def text(self, text: str) -> str: ...

    @overload
    def text(self, text: str | None) -> str | None: ...

    def text(self, text: str | None) -> str | None:
        return text if text is None else self.vault.seal(text)

    def body(self, value: Any) -> Any:
        """`value` (JSON) with a reference in place of every private value that is known."""
        return self.vault.sealed(value)

    def said(self, text: str, *labels: str) -> str:
        """What a person says, with references for what is private in it: what is known, what has the shape of a card or a
        token, and what stands beside the name of something private. `labels` are such names beside the policy's."""
        at, parts = 0, []
        for spot in spotted(text, (*self._labels, *labels)):
            parts += [text[at : spot.start], self.keep(text[spot.start : spot.end], spot.label)]
            at = spot.end
        return self.vault.seal("".join([*parts, text[at:]]))

    def told(self, value: Any) -> Any:
        """`value` (JSON) with every text taken as said by a person."""
        if isinstance(value, str):
            return self.said(value)
        if isinstance(value, dict):
            return {key: self.told(item) for key, item in value.items()}
        return [self.told(item) for item in value] if isinstance(value, list | tuple) else value

    def answer(self, question: str, text: str, name: str = "") -> str:
        """What a person answers to a question: a reference as a whole where something private was asked for."""
        label = names_private(f"{question} {name}", self._labels)
        if not label and not self.hides(question) and not self.hides(name):
            return self.said(text)
        return self.keep(text, name if name and self.hides(name) else label or "answer")

    # --- screens ------------------------------------------------------------------------------------------------

    def screen(self, state: VisualState) -> VisualState:
        """`state` with references in place of what is private; itself where nothing is."""
        hidden = self.learn(state)
        if not hidden and not self._shows(state):
            return state
        elements = tuple(self._element(e, hidden=e.element_id in hidden) for e in state.elements)
        windows = tuple(w.model_copy(update={"title": self.text(w.title)}) for w in state.windows)
        shown = state.model_copy(update={"elements": elements, "windows": windows})
        if not self.vault.finds(shown.canonical.decode("utf-8", "surrogatepass")):
            return shown
        return VisualState.model_validate(self.body(shown.model_dump(mode="json")))  # in ids, which must stay alike

    def arriving(self, state: VisualState) -> VisualState:
        """A screen as the environment gives it: nothing that is written there is taken for a reference."""
        if any("<" in (text or "") and disarmed(text or "") != text for text in _texts(state)):
            state = VisualState.model_validate(_disarmed(state.model_dump(mode="json")))
        return self.screen(state)

    def _hidden(self, state: VisualState) -> set[str]:
        """The private fields, and all that is inside of one."""
        hidden = {e.element_id for e in state.elements if (e.value or e.text) and self.is_private(e)}
        around = {i for i in hidden if state.by_id[i].private or state.by_id[i].role in _LABELLED}
        for element in state.elements if around else ():  # in reading order: what is inside comes after
            if element.parent in around:
                around.add(element.element_id)
        return hidden | around

    def learn(self, state: VisualState) -> set[str]:
        """Put into the vault what the private fields of `state` hold; the ids of those fields."""
        hidden = self._hidden(state)
        for element in state.elements if hidden else ():
            if element.element_id in hidden:
                self._learn(element)
        return hidden

    def _learn(self, element: GUIElement) -> None:
        for content in self._content(element):
            self.keep(content, _label(element))
        if element.text and not self._is_content(element) and element.role not in _LABELLED:
            self.said(element.text)  # a line such as `Password: tulip`

    def _content(self, element: GUIElement) -> Iterator[str]:
        """What of an element is private: the value of a field, and the text of what is private and no field."""
        if element.value and element.role not in _TICKED:
            yield element.value
        if element.text and self._is_content(element):
            yield element.text

    def _is_content(self, element: GUIElement) -> bool:
        return element.role not in _LABELLED and (element.private or not self.hides(element.name))

    def _shows(self, state: VisualState) -> bool:
        """Whether anything private stands anywhere, a known value or one with the shape of a card or a token."""
        for text in _texts(state):
            if text and len(text) > 12:
                for spot in shaped(text):
                    self.keep(text[spot.start : spot.end], spot.label)
        return self.vault.finds(state.canonical.decode("utf-8", "surrogatepass"))

    def _element(self, element: GUIElement, *, hidden: bool) -> GUIElement:
        value, text = element.value, element.text
        if hidden and value and element.role not in _TICKED:
            held = self.keep(value, _label(element))
            text = (text or "").replace(value, held) if len(value) > 2 or (text or "").strip() == value.strip() else text
            value = held
        if hidden and text and self._is_content(element) and not is_reference(text):
            text = self.keep(text, _label(element))
        options = tuple(value or "" if hidden and option == element.value else self.text(option) for option in element.options)
        shown = {"value": self.text(value), "text": self.text(text), "placeholder": self.text(element.placeholder)}
        shown |= {"leads": self.text(element.leads), "shown": self.text(element.shown)}
        return element.model_copy(update=shown | {"options": options})

    def private_boxes(self, state: VisualState) -> list[BoundingBox]:
        """Where on the picture of `state` something private can be read; what cannot be reached may still shine through."""
        hidden = {i for i in self._hidden(state) if any(True for _ in self._content(state.by_id[i]))}
        return [e.bbox for e in state.elements if e.bbox and (e.element_id in hidden or self._told_by(e))]

    def private_without_place(self, state: VisualState) -> bool:
        """Whether something private stands on the screen at a place that nobody tells, such as the title of a window."""
        return any(self.vault.finds(window.title) for window in state.windows) or any(
            e.visible and e.bbox is None and self._told_by(e) for e in state.elements
        )

    def _told_by(self, element: GUIElement) -> bool:
        told = (element.text, element.value, element.placeholder, *element.options)
        return any(self.vault.finds(text) for text in told if text)

    # --- actions ------------------------------------------------------------------------------------------------

    def action(self, action: Action, seen: VisualState) -> Action:
        """The action with references: in place of all that goes into a private field, and of every value that is known."""
        element = _aimed_at(action, seen)
        dump = action.dump()
        if element is not None and self.is_private(element):
            carried = {name: _changed(dump[name], element, self.keep) for name in CARRIES & dump.keys()}
        else:
            carried = {name: self._shaped(dump[name]) for name in CARRIES & dump.keys()}
        sealed = self.body(dump | carried)
        return action if sealed == dump else parse_action(sealed)

    def result(self, result: ActionResult) -> ActionResult:
        """What came of an action, with references."""
        dump = result.model_dump(mode="json", exclude_defaults=True)
        sealed = self.body(_disarmed(dump))
        return result if sealed == dump else ActionResult.model_validate(sealed)

    def _shaped(self, value: Any) -> Any:
        for text in [value] if isinstance(value, str) else value if isinstance(value, list) else ():
            for spot in shaped(text) if isinstance(text, str) else ():
                self.keep(text[spot.start : spot.end], spot.label)
        return value


def _aimed_at(action: Action, seen: VisualState) -> GUIElement | None:
    """The element that an action's content goes into."""
    if action.target is None:
        return next((e for e in seen.elements if e.focused), None) if action.verb == "type" else None
    try:
        return seen.by_id.get(resolve(action.target, seen).element_id)
    except TargetError:
        return None


def _changed(value: Any, element: GUIElement, keep: Any) -> Any:
    if isinstance(value, str):
        return keep(value, _label(element))
    return [_changed(item, element, keep) for item in value] if isinstance(value, list) else value


def _label(element: GUIElement) -> str:
    """What an element's content may be called: its name, unless that is the content."""
    says_what = element.role in _LABELLED or (element.value and not element.private)
    if says_what and element.name and not is_reference(element.name) and element.name != element.value:
        return element.name
    return element.placeholder or (f"{element.app} value" if element.app else "value")


def _texts(state: VisualState) -> Iterator[str | None]:
    for element in state.elements:
        yield element.text
        yield element.value
        yield element.placeholder
        yield element.leads
        yield element.shown
        yield from element.options
    for window in state.windows:
        yield window.title


def _disarmed(value: Any) -> Any:
    if isinstance(value, str):
        return disarmed(value)
    if isinstance(value, dict):
        return {key: _disarmed(item) for key, item in value.items()}
    return [_disarmed(item) for item in value] if isinstance(value, list) else value
