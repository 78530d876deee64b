"""What is private becomes a reference: on screens, in what a person says, in actions, in all that is written, and at the border
between a crew and what it works on.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, overload

from pydantic_core import from_json

from environments.contract import DigestMismatch, Environment, EnvironmentFault, EnvironmentWrapper, TextLocator, Unavailable
from environments.effects import Change, ControlSeen, HeldRequest
from protocol import CARRIES, Action, ActionResult, BoundingBox, ExecStatus, GUIElement, VisualState, parse_action, target_element
from roles.safety import SafetyPolicy
from roles.safety.privacy.vault import UnknownSecret, Vault, disarmed, each, is_reference
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
        self._clean: tuple[VisualState, int] | None = None
        """The last screen on which nothing is private, by so many values that were known."""
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

    def screen(self, state: VisualState) -> VisualState:
        """`state` with references in place of what is private; itself where nothing is."""
        if self._clean is not None and self._clean[0] is state and self._clean[1] == len(self.vault):
            return state
        hidden = self.learn(state)
        if not hidden and not self._shows(state):
            self._clean = state, len(self.vault)
            return state
        elements = tuple(self._element(e, hidden=e.element_id in hidden) for e in state.elements)
        windows = tuple(w.model_copy(update={"title": self.text(w.title)}) for w in state.windows)
        shown = state.model_copy(update={"elements": elements, "windows": windows})
        if not self.vault.finds(shown.canonical.decode("utf-8", "surrogatepass")):
            return shown
        return VisualState.model_validate(self.body(shown.model_dump(mode="json")))  # in ids, which must stay alike

    def arriving(self, state: VisualState) -> VisualState:
        """A screen as the environment gives it: nothing that is written there is taken for a reference."""
        if b"<" in state.canonical and any("<" in (text or "") and disarmed(text or "") != text for text in _texts(state)):
            state = VisualState.model_validate(each(state.model_dump(mode="json"), disarmed))
        return self.screen(state)

    def _hidden(self, state: VisualState) -> set[str]:
        """The private fields, and all that is inside of one."""
        hidden = {e.element_id for e in state.elements if (e.value or e.text) and self.is_private(e)}
        around = {name for name in hidden if state.by_id[name].private or state.by_id[name].role in _LABELLED}
        while inside := {e.element_id for e in state.elements if e.parent in around} - around:  # however deep it stands
            around |= inside
        return hidden | around

    def learn(self, state: VisualState) -> set[str]:
        """Put into the vault what the private fields of `state` hold; the ids of those fields."""
        hidden = self._hidden(state)
        for element in state.elements if hidden else ():
            if element.element_id in hidden:
                for content in self._content(element):
                    self.keep(content, _label(element))
                if element.text and not self._is_content(element) and element.role not in _LABELLED:
                    self.said(element.text)  # a line such as `Password: tulip`
        return hidden

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
        written = result.model_dump_json(exclude_defaults=True)
        if "<" not in written and not self.vault.finds(written):
            return result
        dump = from_json(written)
        sealed = self.body(each(dump, disarmed))
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
    return target_element(action.target, seen)


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


_SCREENS = 256


class SecretBorder(EnvironmentWrapper):
    """An environment behind the vault. It can what the inner one can."""

    PASSED = ("apps", "world", "received", "functions", "agents", "environment_type", "files", "clock", "now", "cards",
              "latest_keys", "meant", "snapshot", "fork", "guard", "admit")  # fmt: skip
    """What holds no screen. `world` and `received` are for the harness's judge, and no role is given them."""
    TURNED = ("peek", "restore", "screenshot", "preview", "control", "held")

    def __init__(self, inner: Environment, redactor: Redactor) -> None:
        self.name = inner.name
        self.inner = inner
        self._redactor = redactor
        self._last: tuple[VisualState, VisualState, int] | None = None
        self._ids: OrderedDict[str, str] = OrderedDict()

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self._shown(self.inner.reset(seed=seed))

    def observe(self) -> VisualState:
        return self._shown(self.inner.observe())

    def perform(self, action: Action, *, key: str) -> ActionResult:
        """Here, and nowhere else, a reference becomes its value."""
        try:
            meant = self._meant(action)
        except UnknownSecret as unknown:
            return ActionResult(exec_status=ExecStatus.ERROR, error=str(unknown))
        try:
            return self._redactor.result(self.inner.perform(meant, key=key))
        except (DigestMismatch, Unavailable) as fault:
            raise type(fault)(self._redactor.text(str(fault))) from fault.__cause__
        except EnvironmentFault as fault:
            raise EnvironmentFault(self._redactor.text(str(fault))) from None

    def _shown(self, state: VisualState) -> VisualState:
        known = len(self._redactor.vault)
        if self._last is not None and self._last[0] is state and self._last[2] == known:
            return self._last[1]
        shown = self._redactor.arriving(state)
        if shown is not state:
            self._ids[shown.state_id] = state.state_id
            self._ids.move_to_end(shown.state_id)
            if len(self._ids) > _SCREENS:
                self._ids.popitem(last=False)
        self._last = state, shown, len(self._redactor.vault)
        return shown

    def _meant(self, action: Action) -> Action:
        """The action as the environment is to take it: with values, on its own states. Raises UnknownSecret."""
        if self._last is not None and not self._ids and b"<" not in action.short:
            return action  # every screen is shown as it is, and nothing is referred to
        dump = action.dump()
        aims = [dump[name] for name in ("target", "to") if isinstance(dump.get(name), dict) and dump[name].get("state_id")]
        if aims and self._last is None:
            self.observe()  # a process that took the run up has seen nothing yet
        for aim in aims:
            aim["state_id"] = self._ids.get(aim["state_id"], aim["state_id"])
        meant = self._redactor.vault.revealed(dump)
        return action if not aims and meant == dump else parse_action(meant)

    def _peek(self, app: str) -> VisualState | None:
        seen: VisualState | None = self.inner.peek(app)  # type: ignore[attr-defined]  # only there where the inner one can
        return None if seen is None else self._shown(seen)

    def _restore(self, snapshot: Any) -> VisualState:
        return self._shown(self.inner.restore(snapshot))  # type: ignore[attr-defined]  # as above

    def _preview(self, action: Action) -> Sequence[Change] | None:
        """What it would change, told without what nobody may read. A reference that is not known changes nothing."""
        try:
            found: Sequence[Change] | None = self.inner.preview(self._meant(action))  # type: ignore[attr-defined]  # as above
        except UnknownSecret:
            return ()
        masked = self._redactor.text
        return found and tuple(c if masked(c.told) == c.told else c.model_copy(update={"told": masked(c.told)}) for c in found)

    def _control(self, action: Action) -> ControlSeen | None:
        try:
            at: ControlSeen | None = self.inner.control(self._meant(action))  # type: ignore[attr-defined]  # as above
        except UnknownSecret:
            return None  # and it will not be performed either
        if at is None:
            return None
        masked = self._redactor.text
        return at.model_copy(update={"name": masked(at.name), "told": tuple(map(masked, at.told))})

    def _held(self) -> tuple[HeldRequest, ...]:
        waiting: Sequence[HeldRequest] = self.inner.held()  # type: ignore[attr-defined]  # as above
        masked = self._redactor.text
        return tuple(one.model_copy(update={"told": masked(one.told), "path": masked(one.path)}) for one in waiting)

    def _screenshot(self) -> bytes:
        """The picture with everything private painted over."""
        from environments.pictures.set_of_mark import painted_over

        before = self._learned()
        png: bytes = self.inner.screenshot()  # type: ignore[attr-defined]  # as above
        after = self._learned()
        screens = [before] if after.state_id == before.state_id else [before, after]  # a page may have changed meanwhile
        boxes = [box for state in screens for box in self._redactor.private_boxes(state)]
        if isinstance(self.inner, TextLocator):
            boxes += self.inner.written(list(self._redactor.vault.known.values()))
        loose = any(self._redactor.private_without_place(state) for state in screens)
        if not boxes and not loose:
            return png
        kept = [e.bbox for state in screens for e in state.elements if e.bbox and e.visible] if loose else None
        return painted_over(png, boxes, before.screen_resolution, kept)

    def _learned(self) -> VisualState:
        """The true screen, all that is private on it known to the vault."""
        state = self.inner.observe()
        self._shown(state)
        return state


def bare(environment: Environment) -> Environment:
    """The environment itself, behind a veil or not."""
    return environment.inner if isinstance(environment, SecretBorder) else environment
