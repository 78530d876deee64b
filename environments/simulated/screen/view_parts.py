"""What a view is made of, for whoever asks what an app holds: lists, labelled values, fields, and what can be pressed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from environments.cards import FieldType
from environments.simulated.screen.widgets import FIELDS, SWITCHES, Widget

_LOOKING = re.compile(r"(?:search|filter|find|go to|sort|look for|show|command|address)\b|.*\b(?:filter|search)$", re.IGNORECASE)
_PATTERNS: tuple[tuple[FieldType, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\.? [A-Z][a-z]{2,8}\.? \d{4}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")),
    ("time", re.compile(r"^\d{1,2}:\d\d\b")),
    ("people", re.compile(r"^\S+@\S+\.\w+$")),
    ("money", re.compile(r"^(?:[$€£¥]\s?|[A-Z]{3} )-?\d[\d.,' ]*$|^-?\d[\d.,' ]*\s?(?:[$€£¥]|[A-Z]{3})$")),
    ("number", re.compile(r"^-?\d[\d.,]*(?: ?%)?$")),
)
_WORDS: dict[FieldType, frozenset[str]] = {
    "date": frozenset(("date", "day", "due", "until", "deadline")),
    "time": frozenset(("time", "start", "end", "starts", "ends")),
    "money": frozenset(("amount", "price", "total", "cost")),
    "people": frozenset(("to", "cc", "bcc", "from", "recipients", "attendees", "guests", "people", "participants")),
    "number": frozenset(("quantity", "count", "minutes", "hours")),
}
SAMPLE = "Quarter 7"
_SAMPLES = {"number": "3", "money": "12.50", "date": "2026-05-21", "time": "10:00", "people": "ada@example.com"}


class RecordRows(NamedTuple):
    """Records that stand below each other."""

    key: str
    columns: tuple[str, ...]
    rows: tuple[Widget, ...]

    def texts(self, at: int) -> list[str]:
        """What stands in a column."""
        return [row.children[at].text or "" for row in self.rows if len(row.children) > at]


class ViewParts(NamedTuple):
    """A view, taken apart."""

    headings: tuple[Widget, ...]
    lists: tuple[RecordRows, ...]
    pairs: tuple[tuple[str, str], ...]
    fields: tuple[tuple[Widget, Widget | None], ...]
    """Each with the form that it stands in."""
    presses: tuple[tuple[Widget, Widget | None], ...]
    choices: tuple[tuple[str, ...], ...]
    """Names of tabs or links that stand side by side, of which one is chosen."""
    chosen: tuple[str, ...]
    """Those that are chosen."""
    menus: tuple[tuple[Widget, tuple[str, ...]], ...]
    """What opened a menu that is open, and the menu's items."""

    @property
    def signature(self) -> frozenset[str]:
        """What it has in common with views of other records of the same kind."""
        said = [f"{w.role} {letters(w.key)}" for w, _ in (*self.fields, *self.presses) if w.role != "treeitem"]
        return frozenset((*said, *(label for label, _ in self.pairs), *(c for one in self.lists for c in one.columns)))

    @property
    def written(self) -> list[tuple[Widget, Widget | None]]:
        """Fields of a form, and not those by which a list is searched or filtered."""
        return [
            (w, form)
            for w, form in self.fields
            if not (_LOOKING.match(w.word or "") or (form is None and w.role in ("combobox", "slider") and self.lists))
        ]

    @property
    def there(self) -> frozenset[str]:
        """Keys of controls, each also with `!` where it can be used, and labels."""
        keys = [w.key for w, _ in (*self.presses, *self.fields)]
        return frozenset((*keys, *(f"{w.key}!" for w, _ in self.presses if w.enabled), *(label for label, _ in self.pairs)))


def parts_of(widgets: Iterable[Widget]) -> ViewParts:
    found: dict[str, list[Any]] = {name: [] for name in ViewParts._fields}

    def walk(widget: Widget, form: Widget | None) -> None:
        kids = widget.children
        if widget.role in ("table", "list"):
            found["lists"].append(_rows(widget))
        elif widget.across and len(kids) == 2 and all(kid.role == "text" for kid in kids):
            found["pairs"].append((kids[0].text or "", kids[1].text or ""))
        else:
            _control(widget, form, found)
            for kid in kids:
                walk(kid, widget if widget.role == "form" else form)

    for widget in widgets:
        walk(widget, None)
    return ViewParts(**{name: tuple(some) for name, some in found.items()})


def _control(widget: Widget, form: Widget | None, found: dict[str, list[Any]]) -> None:
    kids = widget.children
    if widget.role == "heading":
        found["headings"].append(widget)
    elif widget.role in FIELDS and widget.enabled:
        found["fields"].append((widget, form))
    elif widget.press and widget.text:
        found["presses"].append((widget, form))
    if any(kid.selected and kid.role in ("tab", "link") for kid in kids):
        names = [kid for kid in kids if kid.role in ("tab", "link")]
        found["choices"].append(tuple(kid.text or "" for kid in names))
        found["chosen"] += [kid.text or "" for kid in names if kid.selected]
    if len(kids) == 2 and kids[1].role == "menu":
        found["menus"].append((kids[0], tuple(w.text for w in below(kids[1]) if w.role == "menuitem" and w.text)))


def _rows(widget: Widget) -> RecordRows:
    heads = [kid for kid in widget.children if any(c.role == "columnheader" for c in kid.children)]
    single = (kid.children[0] if kid.role == "listitem" and len(kid.children) == 1 else kid for kid in widget.children)
    columns = tuple(c.text or "" for kid in heads[:1] for c in kid.children)
    return RecordRows(widget.key, columns, tuple(row for row in single if row not in heads))


def below(widget: Widget) -> Iterator[Widget]:
    """A widget and all that is in it."""
    yield widget
    for kid in widget.children:
        yield from below(kid)


def letters(key: str) -> str:
    """What keys of the same control have in common."""
    return re.sub(r"[^a-z]+", "", key)


def type_of_values(label: str, values: Sequence[str]) -> FieldType:
    """The type of a field by its values, and where there are none by its label."""
    known, words = [value for value in values if value], set(re.findall(r"[a-z]+", label.casefold()))
    for kind, pattern in _PATTERNS if known else ():
        if all(pattern.search(value) for value in known):
            return "money" if kind == "number" and words & _WORDS["money"] else kind
    return "text" if known else next((kind for kind, said in _WORDS.items() if words & said), "text")


def type_of_field(w: Widget, values: Sequence[Any]) -> FieldType:
    """The type of a field by how it is operated, and by the values that records have in it."""
    if w.role in SWITCHES or w.role == "combobox" or w.limits is not None:
        return "truth" if w.role in SWITCHES else "choice" if w.role == "combobox" else "number"
    if values and all(isinstance(value, tuple | list) for value in values):
        return "list"
    kind = type_of_values(w.word or "", [str(value) for value in values])
    return "long_text" if w.multiline and kind == "text" else kind


def sample(w: Widget, kind: FieldType) -> str:
    """Something that the field does not hold yet, to see what becomes of it."""
    if w.role in SWITCHES:
        return "false" if w.value == "true" else "true"
    if w.role == "combobox":
        return other(w.options, w.value or "") or (w.value or "")
    if w.limits is not None:
        low, _, step = w.limits
        return f"{low:g}" if w.value == f"{low + step:g}" else f"{low + step:g}"
    return _SAMPLES.get(kind, SAMPLE)


def other(options: Sequence[str], now: str = "") -> str:
    """The last option that is not chosen."""
    return next((option for option in reversed(options) if option and option != now), "")
