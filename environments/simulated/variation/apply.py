"""Variations as functions over what is shown. Keys stay, so neither an app nor its state knows how it is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from environments.simulated.values import slug
from environments.simulated.variation.axes import Variation
from environments.simulated.variation.catalogue import language, own_words, synonyms, wordless
from environments.simulated.variation.order import Order, drawn, kind_of, ordered
from environments.simulated.widgets import FIELDS, Widget

UNNAMED = 0.4
"""The share of controls that have no name, where names are missing."""
SHORT = 14
"""A button whose word is no longer than this could as well be an icon."""


def varied(app: str, widgets: tuple[Widget, ...], variation: Variation) -> tuple[Widget, ...]:
    """A view as this variation shows it: the view of an app, or the tree of a dialog; `desktop` is the desktop itself."""
    seed = variation.seed or 0
    if variation.labels != "usual" or variation.language != "en" or variation.order != "usual":
        widgets = keyed(widgets)
    if variation.language != "en":
        widgets = tuple(_spoken(widget, _Voice(app, variation.language, None, frozenset())) for widget in widgets)
    if variation.labels == "synonyms":
        voice = _Voice(app, variation.language, seed, frozenset(_names(widgets)))
        widgets = tuple(_spoken(widget, voice) for widget in widgets)
    if variation.order != "usual":
        order = Order(variation.order, app, seed)
        widgets = tuple(ordered(widget, order) for widget in widgets)
    if variation.names != "usual":
        widgets = tuple(_named(widget, app, variation) for widget in widgets)
    return widgets


def varied_text(app: str, text: str, variation: Variation) -> str:
    """A toast, a notice or a window's title as this variation shows it."""
    if variation.language != "en":
        text = _said_by_any(app, variation.language, None, text)
    return _said_by_any(app, variation.language, variation.seed or 0, text) if variation.labels == "synonyms" else text


class _Voice:
    """In which words an app speaks. Of synonyms none is used that something else in the view goes by."""

    def __init__(self, app: str, name: str, seed: int | None, taken: frozenset[str]) -> None:
        self.app, self.name, self.seed, self.taken = app, name, seed, taken

    def of(self, part: str, key: str, text: str) -> str:
        own = own_words(self.app, part, key)
        if own is not None and text not in own:
            return text
        said = _said(self.app, self.name, self.seed, text)
        return text if said.casefold() in self.taken else said


@lru_cache(maxsize=16_384)
def _said(app: str, name: str, seed: int | None, text: str) -> str:
    """The text in a language, or by a synonym in that language where there is a seed to draw it."""
    if wordless(text):
        return text
    catalogue = language(name) if seed is None else synonyms(name, seed)
    said = catalogue.said(app, text)
    return text if said is None else said


@lru_cache(maxsize=4096)
def _said_by_any(app: str, name: str, seed: int | None, text: str) -> str:
    """The same for a text that may be another app's."""
    said = _said(app, name, seed, text)
    if said != text or wordless(text):
        return said
    catalogue = language(name) if seed is None else synonyms(name, seed)
    return catalogue.anywhere(text) or text


def keyed(widgets: tuple[Widget, ...]) -> tuple[Widget, ...]:
    """Every thing with a key. One without any is named after its words and its place, and must go on being named so."""
    taken: Counter[str] = Counter()

    def named(widget: Widget) -> Widget:
        key = widget.key
        if not key:
            key = f"{widget.role}-{slug(widget.text or '')[:24]}"
            taken[key] += 1
            key = key if taken[key] == 1 else f"{key}-{taken[key]}"
        if not widget.children:
            return widget if widget.key else widget._replace(key=key)
        return widget._replace(key=key, children=tuple([named(child) for child in widget.children]))

    return tuple([named(widget) for widget in widgets])


def _names(widgets: Iterable[Widget]) -> Iterator[str]:
    for widget in widgets:
        if widget.text:
            yield widget.text.casefold()
        yield from _names(widget.children)


def _spoken(widget: Widget, voice: _Voice) -> Widget:
    """The same tree in other words. What was changed knows its own words."""
    changes: dict[str, object] = {}
    key = widget.key
    if widget.text and (text := voice.of(widget.role, key, widget.text)) != widget.text:
        changes["text"] = text
    if widget.placeholder and (hint := voice.of("placeholder", key, widget.placeholder)) != widget.placeholder:
        changes["placeholder"] = hint
    if widget.role == "combobox" and widget.options:
        options = tuple(voice.of("option", key, option) for option in widget.options)
        if options != widget.options and len(set(options)) == len(set(widget.options)):
            changes["options"] = options
            if widget.value in widget.options:
                changes["value"] = options[widget.options.index(widget.value)]
    if changes:
        changes["own"] = widget.own or widget
    if widget.children:
        children = tuple([_spoken(child, voice) for child in widget.children])
        if any(new is not old for new, old in zip(children, widget.children, strict=True)):
            changes["children"] = children
    return widget._replace(**changes) if changes else widget  # type: ignore[arg-type]


def _named(widget: Widget, app: str, variation: Variation) -> Widget:
    """The same tree with labels that only stand near their fields, or with controls that have no name at all."""
    if widget.children:
        children = tuple([_named(child, app, variation) for child in widget.children])
        if any(new is not old for new, old in zip(children, widget.children, strict=True)):
            widget = widget._replace(children=children)
    if widget.label != "for" or not widget.text:
        return widget
    if variation.names == "near":
        return widget._replace(label="near") if widget.role in FIELDS else widget
    bare = widget.role in FIELDS or (widget.role == "button" and len(widget.word or "") <= SHORT)
    if bare and drawn(f"{variation.seed or 0}:name:{app}:{kind_of(widget.key)}") < UNNAMED:
        icon = widget.icon or _drawing(widget) if widget.role == "button" else ""
        return widget._replace(label="none", icon=icon)
    return widget


_DRAWINGS = {"search": "search", "filter": "search", "find": "search", "delete": "trash", "remove": "trash", "discard": "trash",
             "new": "plus", "add": "plus", "compose": "plus", "create": "plus", "edit": "pencil", "rename": "pencil",
             "back": "chevron-left", "previous": "chevron-left", "earlier": "chevron-left", "up": "chevron-up",
             "next": "chevron-right", "later": "chevron-right", "go": "chevron-right", "save": "check", "submit": "check",
             "apply": "check", "enter": "check"}  # fmt: skip
"""What is drawn on a button without words, by a part of its key."""


def _drawing(widget: Widget) -> str:
    return next((_DRAWINGS[part] for part in re.split(r"[-.]", widget.key) if part in _DRAWINGS), "dots")
