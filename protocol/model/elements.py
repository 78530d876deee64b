"""What was seen: one screen as a list of elements. Source: seed 004."""

import hashlib
from functools import cached_property
from itertools import compress
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from protocol.model.geometry import Box, Frozen, Size

ElementId = Annotated[
    str,
    BeforeValidator(
        lambda given: str(given) if isinstance(given, int) and not isinstance(given, bool) else given,
        json_schema_input_type=str | int,
    ),
]
"""Seed 003 numbers elements, seed 004 names them: the canonical id is a string."""


class GUIElement(Frozen):
    """One thing on the screen. `element_id` holds for one state, `track_id` for as long as the thing lives."""

    element_id: ElementId
    tag: str | None = None
    text: str | None = None
    """The accessible name: what a person would call it."""
    role: str | None = None
    """ARIA role: button, link, textbox, checkbox, combobox, option, row, heading, dialog, alert, status, text, ..."""
    bbox: Box | None = None
    visible: bool = True
    """False when it is scrolled out of view or covered: it can be read, not clicked."""
    track_id: str | None = None
    name_source: str | None = None
    """Where `text` came from: label, content, placeholder, nearby, title, class."""
    value: str | None = None
    """Current content of a field, or `true` / `false` of a checkbox."""
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    required: bool = False
    invalid: bool = False
    private: bool = False
    """The value must not appear in reports, logs or prompts."""
    actuator: bool = False
    """Operating it moves, heats or unlocks something in the physical world."""
    parent: ElementId | None = None
    """The container: a row for its cells, a dialog for its buttons, a form for its fields."""
    app: str | None = None
    window: str | None = None
    placeholder: str | None = None
    options: tuple[str, ...] = ()
    """The choices of a combobox, or what a textbox proposes."""
    leads: str | None = None
    """Where a press of it leads, as its page says: `open`, `download`, `get` or `post` and an address, of whose query the names
    and words stay; then `by` and name and value of a button that sends a form. Of a frame `shows` and its address."""
    shown: str | None = None
    """The words that it shows, where they are not in its name: a page may call a thing otherwise than it looks."""
    limits: tuple[float, float, float] | None = None
    """Lowest, highest and step of a slider or a spinbutton."""
    expanded: bool | None = None
    """Of a treeitem, a menu button or a disclosure; None where there is nothing to expand."""
    level: int | None = Field(default=None, ge=1)
    """How deep a treeitem stands."""
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    """How sure the recogniser is that this element is what it says."""

    @property
    def name(self) -> str:
        return self.text or ""

    @cached_property
    def canonical(self) -> bytes:
        """Its part of what a state says of itself as JSON. An element stays on many screens, and is written once."""
        return self.model_dump_json(exclude_none=True).encode()

    def __hash__(self) -> int:
        return hash(self.canonical)  # of bytes it is worked out once

    @property
    def choices(self) -> tuple[str, ...]:
        """The only values that it takes; what a textbox proposes binds nobody."""
        return () if self.role in {"textbox", "searchbox"} else self.options


class Window(Frozen):
    """A window of the desktop, as the task bar lists it."""

    window_id: str
    app: str
    title: str
    focused: bool = False
    minimized: bool = False


_NEAR, _LONGEST = 4, 120
"""Elements before one that stands in nothing, and letters, by which it is told from others of its name."""
_DEEPEST = 100


_UNSAID: Any = {"timestamp": True, "screenshot_path": True, "elements": {"__all__"}}
"""What `canonical` leaves out, or has put in."""


class VisualState(Frozen):
    """One observation of the whole screen.

    `elements` come in reading order. `modal` is the element_id of the dialog that takes all input, if one is open.
    """

    screenshot_path: str = ""
    screen_resolution: Size = (1280, 800)
    elements: tuple[GUIElement, ...] = ()
    timestamp: float = 0.0
    """Seconds on the environment's own clock."""
    app: str | None = None
    """The focused application."""
    windows: tuple[Window, ...] = ()
    modal: ElementId | None = None
    loading: bool = False
    """True while the focused application shows that it is busy."""

    @cached_property
    def state_id(self) -> str:
        """Hash of what is shown; the time and the picture do not count, so equal screens have equal ids."""
        return hashlib.blake2b(self.canonical, digest_size=8).hexdigest()

    @cached_property
    def canonical(self) -> bytes:
        """What is shown as JSON, without the time and the picture; equal screens give equal bytes."""
        said = self.model_dump_json(exclude=_UNSAID, exclude_none=True).encode()
        return said.replace(b'"elements":[]', b'"elements":[%b]' % b",".join([e.canonical for e in self.elements]), 1)

    @cached_property
    def resolved(self) -> dict[Any, Any]:
        """What `resolve` has found here so far, by target."""
        return {}

    @cached_property
    def by_id(self) -> dict[str, GUIElement]:
        return {element.element_id: element for element in self.elements}

    @cached_property
    def _held(self) -> dict[str | None, list[tuple[int, GUIElement]]]:
        """The elements with their places, by what they stand in."""
        held: dict[str | None, list[tuple[int, GUIElement]]] = {}
        for at, element in enumerate(self.elements):
            held.setdefault(element.parent, []).append((at, element))
        return held

    def children(self, element_id: str) -> tuple[GUIElement, ...]:
        return tuple([element for _, element in self._held.get(element_id, ())])

    def above(self, element: GUIElement) -> tuple[GUIElement, ...]:
        """Its containers, from the inside out. A screen that claims very many, or a circle of them, is cut off."""
        chain: dict[str, GUIElement] = {}
        at = self.by_id.get(element.parent or "")
        while at is not None and at.element_id not in chain and len(chain) < _DEEPEST:
            chain[at.element_id] = at
            at = self.by_id.get(at.parent or "")
        return tuple(chain.values())

    def within(self, holder: GUIElement) -> tuple[GUIElement, ...]:
        """All that stands inside of it, in reading order."""
        found: dict[int, GUIElement] = {}
        level, depth = {holder.element_id}, 0
        while level and depth < _DEEPEST:
            fresh = {at: e for name in level for at, e in self._held.get(name, ()) if at not in found}
            found, level, depth = found | fresh, {e.element_id for e in fresh.values()}, depth + 1
        return tuple([found[at] for at in sorted(found)])

    def beside(self, element: GUIElement) -> str:
        """What tells it from others of its role and name: the words of the largest container that holds none of them, else those
        before it. Empty where there are no others."""
        same = [(e.role, e.name) == (element.role, element.name) for e in self.elements]
        alike = [*compress(self.elements, same)]
        if len(alike) < 2 or not element.name:
            return ""
        others = {holder.element_id for e in alike if e.element_id != element.element_id for holder in self.above(e)}
        holders = [e for e in self.above(element) if e.element_id not in others]
        if holders:
            near = (holders[-1], *self.within(holders[-1]))
        else:
            at = next(n for n, e in enumerate(self.elements) if e.element_id == element.element_id)
            begin = max((n + 1 for n in range(at) if same[n]), default=0)
            near = self.elements[max(begin, at - _NEAR) : at]
        return " ".join(dict.fromkeys(e.name for e in near if e.name and e.name != element.name))[:_LONGEST]
