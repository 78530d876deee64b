"""What an app's view is made of: a tree of plain values that knows nothing of pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from environments.simulated.values import slug


@dataclass(frozen=True, slots=True)
class Widget:
    """One thing in a view. `key` names it within its app and lasts as long as the thing does."""

    role: str
    text: str | None = None
    key: str = ""
    value: str | None = None
    children: tuple[Widget, ...] = ()
    across: bool = False
    """Children stand side by side."""
    press: bool = False
    """A click sends `Pressed`."""
    opens: bool = False
    """A double click sends `Opened`."""
    drag: bool = False
    drop: bool = False
    submit: str = ""
    """Key of the button that Enter presses in this form."""
    multiline: bool = False
    enabled: bool = True
    selected: bool = False
    required: bool = False
    invalid: bool = False
    private: bool = False
    placeholder: str | None = None
    options: tuple[str, ...] = ()

    @property
    def interactive(self) -> bool:
        return self.press or self.opens or self.role in FIELDS


FIELDS = frozenset({"textbox", "checkbox", "combobox"})


def heading(text: str, key: str = "") -> Widget:
    return Widget("heading", text, key or f"heading-{slug(text)}")


def text(content: str, key: str = "") -> Widget:
    return Widget("text", content, key)


def alert(content: str, key: str = "") -> Widget:
    return Widget("alert", content, key)


def status(content: str, key: str = "status") -> Widget:
    return Widget("status", content, key)


def progress(content: str, key: str = "progress") -> Widget:
    return Widget("progress", content, key)


def button(name: str, key: str = "", *, enabled: bool = True) -> Widget:
    return Widget("button", name, key or slug(name), press=True, enabled=enabled)


def link(name: str, key: str, *, selected: bool = False) -> Widget:
    return Widget("link", name, key, press=True, selected=selected)


def textbox(
    label: str, key: str, value: str = "", *, multiline: bool = False, required: bool = False, invalid: bool = False,
    private: bool = False, enabled: bool = True, placeholder: str | None = None,
) -> Widget:  # fmt: skip
    return Widget("textbox", label, key, value, multiline=multiline, required=required, invalid=invalid, private=private,
                  enabled=enabled, placeholder=placeholder)  # fmt: skip


def checkbox(label: str, key: str, checked: bool, *, required: bool = False, invalid: bool = False) -> Widget:
    return Widget("checkbox", label, key, "true" if checked else "false", required=required, invalid=invalid)


def combobox(
    label: str, key: str, value: str, options: Sequence[str], *, required: bool = False, invalid: bool = False,
    placeholder: str | None = None,
) -> Widget:  # fmt: skip
    return Widget(
        "combobox", label, key, value, options=tuple(options), required=required, invalid=invalid, placeholder=placeholder
    )


def group(*children: Widget, key: str = "", across: bool = False) -> Widget:
    return Widget("group", None, key, children=children, across=across)


def bar(*children: Widget, key: str = "bar") -> Widget:
    """Things that stand side by side."""
    return group(*children, key=key, across=True)


def form(key: str, *children: Widget, submit: str, across: bool = False) -> Widget:
    """Fields that belong together; Enter in one of them presses the button `submit`."""
    return Widget("form", None, key, children=children, submit=submit, across=across)


def pair(label: str, value: str, key: str = "") -> Widget:
    """A label and its value, as a detail page shows them: two texts in one group."""
    key = key or slug(label)
    return group(text(label, f"{key}.label"), text(value, key), key=f"{key}.group", across=True)


def cell(content: str, key: str = "") -> Widget:
    return Widget("cell", content, key)


def row(
    key: str,
    *cells: Widget,
    press: bool = True,
    opens: bool = False,
    selected: bool = False,
    drag: bool = False,
    drop: bool = False,
) -> Widget:
    return Widget(
        "row", None, key, children=cells, across=True, press=press, opens=opens, selected=selected, drag=drag, drop=drop
    )


def table(key: str, columns: Sequence[str], rows: Iterable[Widget]) -> Widget:
    """A header row and the rows."""
    head = tuple(Widget("columnheader", name, f"{key}.{slug(name)}") for name in columns)
    header = Widget("row", None, f"{key}.header", children=head, across=True)
    return Widget("table", None, key, children=(header, *rows))


def listing(key: str, items: Iterable[Widget]) -> Widget:
    return Widget(
        "list", None, key, children=tuple(Widget("listitem", None, f"{item.key}.item", children=(item,)) for item in items)
    )


def tabs(key: str, names: Sequence[str], chosen: str) -> Widget:
    items = tuple(Widget("tab", name, slug(name), press=True, selected=name == chosen) for name in names)
    return Widget("tablist", None, key, children=items, across=True)


def search_bar(noun: str, query: str) -> Widget:
    """The field `Search <noun>` and its button; keys `query` and `search`."""
    field = textbox(f"Search {noun}", "query", query, placeholder=f"Search {noun}")
    return form("search-form", field, button("Search", "search"), submit="search", across=True)


def pager(page: int, pages: int) -> Widget:
    """Keys `previous` and `next`."""
    return bar(
        button("Previous", "previous", enabled=page > 1),
        text(f"Page {page} of {pages}", "page"),
        button("Next", "next", enabled=page < pages),
        key="pager",
    )


def renamed(widget: Widget, names: dict[str, str]) -> Widget:
    """The same tree with other names on its things, as a redesign of the app would give them."""
    children = tuple(renamed(child, names) for child in widget.children)
    return replace(widget, text=names.get(widget.text or "", widget.text), children=children)
