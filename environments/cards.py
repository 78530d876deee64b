"""App cards: what an application holds and can do, in data. From them a goal's words are grounded.

A card is derived and never written twice: from an app's own views and functions, from a schema, or from a screen.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml
from typing_extensions import Protocol, runtime_checkable

from protocol import Frozen, GUIElement, VisualState

FieldType: TypeAlias = Literal["text", "long_text", "number", "money", "date", "time", "choice", "truth", "people", "list"]


class FieldCard(Frozen):
    """A field of a record."""

    label: str
    """As lists and pages show it: `Due date`."""
    words: tuple[str, ...] = ()
    """Other words for it."""
    type: FieldType = "text"
    options: tuple[str, ...] = ()
    listed: bool = False
    """A list of these records has it as a column."""
    written: bool = False
    """A form takes it."""
    required: bool = False
    key: bool = False
    """It names the record: a number, a title, a name."""


class VerbCard(Frozen):
    """Something that can be done with a record, or with what is open."""

    verb: str
    """Of the lexicon where its words are there, else the control's own words in lower case."""
    control: str
    """The label of what is pressed; `{title}` where the record's name is part of it."""
    at: Literal["record", "row", "list", "form", "app"] = "record"
    """Where the control stands."""
    asks: tuple[FieldCard, ...] = ()
    """What is asked for when it is pressed: a folder, a new name."""
    effect: str = ""
    """Of the safety policy's words: send, delete, pay, ...; empty: it changes nothing that is not seen."""


class ColumnSays(Frozen):
    """What a column of a list says of some of its records, and of no others; `negated`: what it says of all others."""

    label: str
    value: str
    negated: bool = False
    part: bool = False
    """It is one of the words there: all of these have it in their names."""


class KindCard(Frozen):
    """A kind of record that an application holds."""

    kind: str
    """A noun, singular: `note`, `invoice`, `event`."""
    words: tuple[str, ...] = ()
    """Other nouns for it: `appointment`, `meeting`."""
    place: str = ""
    """The tab, folder or page of the application where they are listed; empty where it has no others."""
    within: str = ""
    """The kind of record on whose page they are listed, such as the messages of a conversation."""
    places: tuple[str, ...] = ()
    """Folders, sheets and tabs among which they are kept, as far as they are known without looking."""
    fields: tuple[FieldCard, ...] = ()
    verbs: tuple[VerbCard, ...] = ()
    create: VerbCard | None = None
    """How a new one is begun; its form's fields are those that are `written`."""
    some_of: str = ""
    """The kind of which these are some: the folders among the entries of a list."""
    told_by: ColumnSays | None = None
    """How a list tells them from the others; None where it does not."""
    single: bool = False
    """There is one only, such as a form that is filled in, or the settings."""

    @property
    def sends(self) -> bool:
        return self.create is not None and any(verb.at == "form" and verb.effect == "send" for verb in self.verbs)

    @property
    def holds_people(self) -> bool:
        """Whether its records are people: a name is their key, and an address stands beside it."""
        address = any(field.type == "people" and field.listed and not field.key for field in self.fields)
        return [field.type for field in self.fields if field.key] == ["text"] and address and not self.sends


class FunctionCard(Frozen):
    """A function of the application's own interface."""

    name: str
    summary: str
    arguments: tuple[FieldCard, ...] = ()
    writes: bool = False


class Widget(Frozen):
    """Something on a page that can be pressed, filled or chosen."""

    role: str
    name: str
    ticked: bool = False
    """Of a tab: it is the one that is shown."""
    filled: bool = False
    """It holds something; what, is not said."""
    hint: str = ""
    """What its empty state says: `hh:mm`."""
    options: tuple[str, ...] = ()
    folded: bool | None = None
    """Whether a press shows more; None where it is nothing that unfolds."""
    inside: tuple[str, str, str] = ("", "", "")
    """What it stands in, a dialog, a row or a group with a name, else the heading over it: its role, its name, which it is."""
    front: bool = True
    """No dialog stands before it."""


class PageCard(Frozen):
    """What a page shows, as far as words about it need it."""

    widgets: tuple[Widget, ...] = ()
    texts: tuple[str, ...] = ()
    """Short texts: headings, labels, cells."""
    heads: tuple[str, ...] = ()
    """Of columns."""
    folds: bool = False
    """Tabs, sections or further pages may show more."""

    def names(self) -> set[str]:
        """All names on it, in small letters, without the marks around them."""
        every = [name for w in self.widgets for name in (w.name, *w.options)] + [*self.texts]
        folded = (" ".join(name.split()).casefold().strip(" :.,;!?…*") for name in every)
        return {name for name in folded if name}


class AppCard(Frozen):
    """An application: what it is called, what it holds, what it can do."""

    app: str
    title: str
    words: tuple[str, ...] = ()
    kinds: tuple[KindCard, ...] = ()
    verbs: tuple[VerbCard, ...] = ()
    """Of the application as a whole."""
    functions: tuple[FunctionCard, ...] = ()
    shares: str = ""
    """Another app on whose things this one works."""
    page: PageCard | None = None
    """What its page shows, where no more than that is known of it."""


@runtime_checkable
class Cards(Protocol):
    """Knows its applications' cards."""

    def cards(self) -> Sequence[AppCard]: ...


_JSON_TYPES: dict[str, FieldType] = {
    "integer": "number", "number": "number", "boolean": "truth", "array": "list",
    "date": "date", "date-time": "date", "time": "time", "email": "people",
}  # fmt: skip


def arguments_of(schema: Mapping[str, Any]) -> tuple[FieldCard, ...]:
    """The arguments of a function as fields, from the JSON Schema of what it takes, whoever wrote it."""
    properties, required = schema.get("properties"), schema.get("required")
    named = properties.items() if isinstance(properties, Mapping) else ()
    found = []
    for name, part in named:
        parts = [part, *(part.get("anyOf") or ())] if isinstance(part, Mapping) else []
        told = next((one for one in reversed(parts) if isinstance(one, Mapping) and one.get("type") != "null"), {})
        said = told.get("type")
        words = [told.get("format"), *(said if isinstance(said, list) else [said])]
        options = tuple(str(one) for one in told.get("enum") or ())
        known = [_JSON_TYPES[str(word)] for word in words if str(word) in _JSON_TYPES]
        kind: FieldType = "choice" if options else known[0] if known else "text"
        needed = isinstance(required, list) and name in required
        label = name.replace("_", " ").capitalize()
        found.append(FieldCard(label=label, words=(name,), type=kind, options=options, written=True, required=needed))
    return tuple(found)


class Vocabulary(NamedTuple):
    """What the things of some applications are called, for whoever reads words about them."""

    nouns: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    shown: tuple[str, ...] | None = None
    """Names on the page, the longest first; None where it is not about a page."""


def vocabulary(cards: Sequence[AppCard], before: Iterable[str] = ()) -> Vocabulary:
    """The words of these cards, in small letters; of a page also names that it had `before`."""
    pages = [card.page for card in cards if card.page is not None]
    names = {name for page in (*pages, PageCard(texts=tuple(before))) for name in page.names()} if pages else set()
    kinds = [kind for card in cards for kind in card.kinds]
    fields = [field for kind in kinds for field in kind.fields]
    verbs = [verb for kind in kinds for verb in kind.verbs] + [verb for card in cards for verb in card.verbs]
    return Vocabulary(
        nouns=_plain(word for kind in kinds for word in (kind.kind, *kind.words)),
        fields=_plain(word for field in fields for word in (field.label, *field.words)),
        verbs=_plain(word for verb in verbs for word in _verb_said(verb) if not _MANY & set(word.split())),
        shown=tuple(sorted(names, key=lambda name: (-len(name), name))) if pages else None,
    )


def _verb_said(verb: VerbCard) -> tuple[str, ...]:
    """The verb, and a control of two words that is one: `Check out` is another verb than "check"."""
    words = verb.control.casefold()
    return (verb.verb.replace("_", " "), *([words] if words.split()[1:] in [[one] for one in _PARTICLES] else ()))


_PARTICLES = ("out", "in", "off", "up", "down", "back", "away", "over", "on")
_MANY = {"all", "every", "each", "both", "selected", "everything"}
"""Words that say how many, which no verb has: "Water all" is a control, and no other verb than "water"."""


def _plain(words: Iterable[str]) -> tuple[str, ...]:
    """Each once; not those that are more than a name, such as a sentence to be ticked."""
    folded = (" ".join(word.replace("{title}", " ").casefold().split()) for word in words)
    return tuple(dict.fromkeys(word for word in folded if word and word.count(" ") < 3))


@cache
def verb_words() -> dict[str, str]:
    """The words by which verbs of the lexicon are said."""
    text = (resources.files("configs") / "lexicon" / "en.yaml").read_text(encoding="utf-8")
    verbs: Mapping[str, Mapping[str, Any]] = yaml.load(text, Loader=yaml.CSafeLoader)["verbs"]
    # A control that is called Pause does something, and the verb does nothing but wait
    deeds = {name: verb for name, verb in verbs.items() if not {"keeps", "verb"} & verb.keys() and verb.get("object") != "none"}
    forms = [(str(word), name) for name, verb in deeds.items() for word in verb["forms"]]
    return {word.casefold(): name for word, name in reversed(forms)}


def verb_of(label: str) -> str:
    """The verb of a control: by the longest words of the lexicon that it begins with, else its own words."""
    words = re.sub(r"\{title\}|[^\w\s-]", " ", label).casefold().split()
    known = (verb_words().get(" ".join(words[:size])) for size in range(len(words), 0, -1))
    begun = "create" if words[:1] in (["new"], ["compose"]) else " ".join(words)  # as no goal says it, but many a control
    return next(filter(None, known), begun)


def singular(noun: str) -> str:
    word = noun.replace("_", " ").casefold()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


_ROLES: dict[str, FieldType] = {
    "textbox": "text", "searchbox": "text", "spinbutton": "number", "slider": "number", "combobox": "choice", "listbox": "choice",
    "checkbox": "truth", "radio": "truth", "switch": "truth",
}  # fmt: skip


def card_of_screen(state: VisualState) -> AppCard:
    """What a page holds and can do, as far as its screen shows: its fields as a form, its lists, and what can be pressed."""
    shown = [element for element in state.elements if element.name]
    fields = tuple(
        FieldCard(label=e.name, type=_ROLES[e.role], options=e.choices, written=True, required=e.required)
        for e in shown
        if e.role in _ROLES and e.enabled
    )
    controls = dict.fromkeys(e.name for e in shown if e.role in ("button", "link", "tab", "menuitem"))
    at: Literal["form", "app"] = "form" if fields else "app"
    verbs = tuple(VerbCard(verb=verb_of(name), control=name, at=at) for name in controls)
    columns = tuple(dict.fromkeys(column_names(shown)))
    rows = any(e.role in ("row", "listitem") for e in state.elements)
    kinds = [KindCard(kind="form", words=("page",), fields=fields, verbs=verbs, single=True)] if fields else []
    if rows:
        listed = tuple(FieldCard(label=name, listed=True, key=at == 0) for at, name in enumerate(columns))
        kinds.append(KindCard(kind="row", words=("item", "entry", "record", "result", "line"), fields=listed))
    title = next((window.title for window in state.windows if window.focused), state.app or "")
    return AppCard(app=state.app or "screen", title=title, kinds=tuple(kinds), verbs=() if fields else verbs, page=page_of(state))


_WORKED = frozenset({*_ROLES, "button", "link", "tab", "menuitem", "option", "treeitem", "menuitemcheckbox", "menuitemradio"})
_TOLD = frozenset({"text", "cell", "gridcell", "heading", "label", "rowheader", "columnheader", "listitem"})
_LONGEST_NAME = 80


def page_of(state: VisualState) -> PageCard:
    """What a screen shows."""
    able = {e.name for e in state.elements if e.enabled}
    opened = [e.element_id for e in state.elements if e.role in {"dialog", "alertdialog"}]
    dialog = state.modal or next(reversed(opened), None)

    under, head = dict[str, tuple[str, str, str]](), ("", "", "")
    for e in state.elements:
        head = ("heading", e.name, e.element_id) if e.role == "heading" and e.name else head
        under[e.element_id] = head

    def inside(one: GUIElement) -> tuple[str, str, str]:
        holders = (up for up in state.above(one) if up.role in _HOLDERS and (up.name or up.role in _ROWS))
        return next(((up.role or "", up.name, up.element_id) for up in holders), under[one.element_id])

    widgets = tuple(
        Widget(
            role=e.role,
            name=e.name,
            ticked=e.value == "true" or (e.role == "tab" and e.selected),
            filled=bool(e.value),
            hint=e.placeholder or "",
            options=e.choices,
            inside=inside(e),
            folded=None if e.expanded is None else not e.expanded,
            front=not dialog or any(up.element_id == dialog for up in state.above(e)),
        )
        for e in state.elements
        # A button may come to life once a form is filled in.
        if e.role in _WORKED and (e.enabled or (e.role == "button" and e.name not in able))
    )
    texts = dict.fromkeys(e.name for e in state.elements if e.role in _TOLD and 0 < len(e.name) <= _LONGEST_NAME)
    heads = tuple(dict.fromkeys(name for name in column_names(state.elements) if name))
    folds = any(e.expanded is False or (e.role == "tab" and not e.selected) or not e.visible for e in state.elements if e.enabled)
    return PageCard(widgets=widgets, texts=tuple(texts), heads=heads, folds=folds)


def column_names(elements: Sequence[GUIElement]) -> list[str]:
    """The names of a table's columns, in their order; a heading that only holds a control to sort by is called as that is."""
    inside = {e.parent: e.name for e in reversed(elements) if e.name}
    heads = (e.name or inside.get(e.element_id, "") for e in elements if e.role == "columnheader")
    return [name.rstrip(" ↕↑↓▲▼⇅") for name in heads]


_ROWS = frozenset({"dialog", "alertdialog", "row", "listitem"})
_HOLDERS = _ROWS | {"group", "radiogroup", "form", "region"}
