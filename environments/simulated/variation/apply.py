"""Variations as functions over what is shown. Keys stay, so neither an app nor its state knows how it is shown."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate as glob
from functools import lru_cache
from importlib import resources
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import yaml

from environments.contract import WorldError
from environments.files.yaml_lines import load_yaml
from environments.simulated.screen.widgets import FIELDS, Widget, each_inside
from environments.simulated.variation.metrics import Variation
from environments.simulated.world.values import slug

SCREENS = (None, (1024, 768), (1920, 1080), (800, 600))
CONTENT = (1, 1, 2, 5, 20)


def variations(n: int, seed: int, fixed: Mapping[str, Any] | None = None) -> list[Variation]:
    """So many points, each different from the others and from the world as it usually is; `fixed` keeps some axes as given."""
    rng = random.Random(f"{seed}:variations")  # noqa: S311 - variation, not secrecy
    axes: dict[str, tuple[Any, ...]] = {
        name: get_args(field.annotation)
        for name, field in Variation.model_fields.items()
        if name not in ("content", "screen", "seed")
    }
    axes |= {"screen": SCREENS, "content": CONTENT}
    made: dict[Variation, None] = {}
    while len(made) < n:
        drawn = {name: rng.choice(values) for name, values in axes.items()}
        made[Variation.model_validate({**drawn, "seed": rng.randrange(2**31), **(fixed or {})})] = None
    return list(made)


T = TypeVar("T")
_NUMBER = re.compile(r"\d+")


class Order(NamedTuple):
    """How things are put; `seed` draws a shuffled order."""

    kind: Literal["reversed", "shuffled"]
    app: str
    seed: int

    def of(self, things: Sequence[T], key: Callable[[T], str]) -> list[T]:
        """The things in their new order, which one that joins or leaves does not change for the others."""
        if self.kind == "reversed":
            return list(reversed(things))
        return sorted(things, key=lambda thing: drawn(f"{self.seed}:order:{self.app}:{kind_of(key(thing))}"))


def kind_of(key: str) -> str:
    """A key without its numbers: the same button in every row is one kind."""
    return _NUMBER.sub("#", key)


@lru_cache(maxsize=4096)
def drawn(name: str) -> float:
    """A number from 0 to 1 that belongs to this name."""
    return random.Random(name).random()  # noqa: S311 - variation, not secrecy


def ordered(widget: Widget, order: Order) -> Widget:
    """The same tree with its things in another order; keys stay."""
    if not widget.children:
        return widget
    children = tuple(ordered(child, order) for child in widget.children)
    if widget.role == "table":
        children = _columns(children, order)
    elif widget.role == "tablist":
        children = tuple(order.of(children, attrgetter("key")))
    elif widget.role in {"form", "dialog"} or widget.across:
        # Buttons and links change places among themselves, as fields do
        children = _fields(children, order)
        moved = iter(order.of([child for child in children if child.role in ("button", "link")], attrgetter("key")))
        children = tuple(next(moved) if child.role in ("button", "link") else child for child in children)
    same = all(new is old for new, old in zip(children, widget.children, strict=True))
    return widget if same else widget._replace(children=children)


def _fields(children: tuple[Widget, ...], order: Order) -> tuple[Widget, ...]:
    """Fields change places, each with the message below it; everything else stays where it is."""
    units: list[tuple[str, tuple[Widget, ...]]] = []
    for child in children:
        if units and (before := units[-1][0]) and child.key.startswith(f"{before}."):
            units[-1] = (before, (*units[-1][1], child))
        else:
            units.append((_field(child), (child,)))
    moved = iter(order.of([unit for unit in units if unit[0]], lambda unit: unit[0]))
    return tuple(widget for name, unit in units for widget in (next(moved)[1] if name else unit))


def _field(widget: Widget) -> str:
    """The key of a field, or of the only one in a group that belongs to it; empty for anything else."""
    if widget.role in FIELDS:
        return widget.key
    found = [name for child in widget.children if (name := _field(child))] if widget.role == "group" else []
    return found[0] if len(found) == 1 and widget.key.startswith(f"{found[0]}.") else ""


def _columns(rows: tuple[Widget, ...], order: Order) -> tuple[Widget, ...]:
    """The columns of a table, each header with its cells. A grid whose rows or cells are things themselves stays as it is."""
    head, cells = rows[0].children, [cell for row in rows for cell in row.children]
    plain = all(len(row.children) == len(head) and row.role == "row" for row in rows)
    if not plain or any(cell.role == "rowheader" or (cell.role == "cell" and cell.children) for cell in cells):
        return rows
    places = order.of(range(len(head)), lambda place: head[place].key)
    return tuple(row._replace(children=tuple(row.children[place] for place in places)) for row in rows)


EVERY = "every app"
"""The section whose words count in all apps."""
_SLOT = re.compile(r"\{(\w+)\}")
_LETTER = re.compile(r"[^\W\d_]")


class Pattern(NamedTuple):
    """A key with slots, and what stands for it."""

    matches: re.Pattern[str]
    said: str


class Section(NamedTuple):
    """The words of one app, or of all."""

    exact: Mapping[str, str]
    patterns: tuple[Pattern, ...]


class Catalogue:
    """What is said instead of an app's own words."""

    def __init__(self, sections: Mapping[str, Mapping[str, str]], where: str) -> None:
        self._sections = {name: _section(words, f"{where}: {name}") for name, words in sections.items()}

    def said(self, app: str, text: str) -> str | None:
        """The same in other words; None where the catalogue has none."""
        for section in self._asked(app):
            if (exact := section.exact.get(text)) is not None:
                return exact
        for section in self._asked(app):
            for pattern in section.patterns:
                if (found := pattern.matches.fullmatch(text)) and (said := self._filled(app, pattern.said, found)) is not None:
                    return said
        return None

    def anywhere(self, text: str) -> str | None:
        """The same in the other words of whichever app has them, for what an app says while another one is in front."""
        return next((said for app in self._sections if (said := self.said(app, text)) is not None), None)

    def _asked(self, app: str) -> Iterator[Section]:
        return (self._sections[name] for name in (app, EVERY) if name in self._sections)

    def _filled(self, app: str, said: str, found: re.Match[str]) -> str | None:
        values = found.groupdict()
        for slot, value in values.items():
            if slot.isupper():
                inner = self.said(app, value)
                if inner is None:
                    return None
                values[slot] = inner
        return _SLOT.sub(lambda slot: values[slot[1]], said)


def _section(words: Mapping[str, str], where: str) -> Section:
    exact, patterns = {}, []
    for key, said in words.items():
        slots = _SLOT.findall(key)
        if len(set(slots)) < len(slots) or set(slots) != set(_SLOT.findall(said)):
            raise WorldError(
                f"{where}: {key!r}: both sides need the same slots, each once at the left; write {slots} in {said!r}."
            )
        if slots:
            patterns.append((len(_SLOT.sub("", key)), Pattern(re.compile(_expression(key)), said)))
        else:
            exact[key] = said
    patterns.sort(key=lambda item: -item[0])
    return Section(exact, tuple(pattern for _, pattern in patterns))


def _expression(key: str) -> str:
    """The key as a regular expression: what has most letters of its own is tried first, so slots take what is left."""
    parts = _SLOT.split(key)
    kinds = {slot: r"\d+" if len(slot) == 1 and slot.islower() else r"[^\n]+?" for slot in parts[1::2]}
    return "".join(f"(?P<{p}>{kinds[p]})" if n % 2 else re.escape(p) for n, p in enumerate(parts))


@lru_cache(maxsize=8)
def language(name: str) -> Catalogue:
    """The catalogue of a language. Raises WorldError when its file is not one."""
    where = f"languages/{name}.yaml"
    return Catalogue(read(where), where)


@lru_cache(maxsize=64)
def synonyms(name: str, seed: int) -> Catalogue:
    """What words of a language are replaced by in a world of this seed: always the same there."""
    where = "synonyms.yaml"
    known: Mapping[str, Any] = read(where).get(name, {})
    rng = random.Random(f"{seed}:synonyms")  # noqa: S311 - variation, not secrecy
    return Catalogue({EVERY: {word: rng.choice(others) for word, others in known.items()}}, where)


def read(path: str) -> dict[str, Any]:
    try:
        data = load_yaml((resources.files("configs") / path).read_text(encoding="utf-8"))
    except (yaml.YAMLError, OSError) as bad:
        raise WorldError(f"configs/{path}: it cannot be read: {str(bad).splitlines()[0]}; correct the file.") from None
    if not isinstance(data, dict):
        raise WorldError(f"configs/{path}: it is not a mapping; write one section for each app.")
    return data


class Places(NamedTuple):
    """Where an app shows content; and where it puts words of its own all the same, with these words."""

    content: re.Pattern[str]
    but: tuple[tuple[re.Pattern[str], frozenset[str]], ...]


@lru_cache(maxsize=1)
def _places() -> dict[str, Places]:
    made: dict[str, Places] = {}
    for app, places in read("content.yaml").items():
        pairs = [(place, []) if isinstance(place, str) else next(iter(place.items())) for place in places]
        shapes = [rf"{place[1:]}\Z" if place.startswith("/") else glob(place) for place, _ in pairs]
        content = re.compile("|".join(f"(?:{shape})" for shape in shapes) or r"(?!)")
        but = [(re.compile(shape), frozenset(words)) for shape, (_, words) in zip(shapes, pairs, strict=True) if words]
        made[app] = Places(content, tuple(but))
    return made


def described(app: str) -> bool:
    """Whether it is known what of an app's views is content."""
    return app in _places()


@lru_cache(maxsize=16_384)
def own_words(app: str, part: str, key: str) -> frozenset[str] | None:
    """The words of its own that an app shows at a place among content; None where all that is shown is its own words.

    `part` is a role, `placeholder`, or `option`. An app that nobody has described shows nothing but content.
    """
    places, place = _places().get(app), f"{part} {key}"
    if places is None:
        return frozenset()
    if places.content.match(place) is None:
        return None
    return frozenset[str]().union(*(words for where, words in places.but if where.match(place)))


def wordless(text: str) -> bool:
    """Whether there is nothing in a text to say otherwise: no letter, as in an amount or a day."""
    return _LETTER.search(text) is None


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
        return each_inside(widget if widget.key else widget._replace(key=key), named)

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
    told = widget._replace(**changes) if changes else widget  # type: ignore[arg-type]
    return each_inside(told, lambda child: _spoken(child, voice))


def _named(widget: Widget, app: str, variation: Variation) -> Widget:
    """The same tree with labels that only stand near their fields, or with controls that have no name at all."""
    widget = each_inside(widget, lambda child: _named(child, app, variation))
    if widget.label != "for" or not widget.text:
        return widget
    if variation.names == "near":
        return widget._replace(label="near") if widget.role in FIELDS else widget
    bare = widget.role in FIELDS or (widget.role == "button" and len(widget.word or "") <= SHORT)
    if bare and drawn(f"{variation.seed or 0}:name:{app}:{kind_of(widget.key)}") < UNNAMED:
        drawings = (_DRAWINGS[part] for part in re.split(r"[-.]", widget.key) if part in _DRAWINGS)
        icon = widget.icon or next(drawings, "dots") if widget.role == "button" else ""
        return widget._replace(label="none", icon=icon)
    return widget


_DRAWINGS = {"search": "search", "filter": "search", "find": "search", "delete": "trash", "remove": "trash", "discard": "trash",
             "new": "plus", "add": "plus", "compose": "plus", "create": "plus", "edit": "pencil", "rename": "pencil",
             "back": "chevron-left", "previous": "chevron-left", "earlier": "chevron-left", "up": "chevron-up",
             "next": "chevron-right", "later": "chevron-right", "go": "chevron-right", "save": "check", "submit": "check",
             "apply": "check", "enter": "check"}  # fmt: skip
"""What is drawn on a button without words, by a part of its key."""
