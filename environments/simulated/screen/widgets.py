"""What an app's view is made of: a tree of plain values that knows nothing of pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from environments.simulated.world.values import slug


class Widget(NamedTuple):
    """One thing in a view. `key` names it within its app and lasts as long as the thing does.

    A tuple, because a screen makes hundreds of them for each action, and a frozen dataclass takes four times as long.
    """

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
    actuator: bool = False
    """Operating it moves, heats or unlocks something in the physical world: always with a person's word."""
    placeholder: str | None = None
    options: tuple[str, ...] = ()
    """The choices of a combobox."""
    hovers: bool = False
    """The pointer over it sends `Hovered`: a menu that opens by itself."""
    context: bool = False
    """A right click or a long press sends `Context`."""
    limits: tuple[float, float, float] | None = None
    """Lowest, highest and step of a slider or a spinbutton."""
    expanded: bool | None = None
    """Of a treeitem, a menu button or a disclosure; None where there is nothing to expand."""
    level: int = 0
    """How deep a treeitem stands, counted from 1."""
    swipes: bool = False
    """A finger that goes over it sends `Swiped`."""
    floats: bool = False
    """Stands over what follows instead of pushing it down: an open menu, a cover."""
    label: Literal["for", "near", "none"] = "for"
    """How the name is bound: to the control, only by standing near it, or not at all (an icon without words)."""
    icon: str = ""
    """Shown in place of its words, which only a reader of names gets."""
    scrolls: tuple[int, int, int] | None = None
    """Of a list that holds only the rows in view: how many there are, how many stand before the first, and how many it shows."""

    own: Widget | None = None
    """The same thing in the app's own words, where a variation shows it in others."""

    @property
    def word(self) -> str | None:
        """Its text in the app's own words."""
        return (self.own or self).text

    def meant(self, option: str) -> str | None:
        """The app's own word for one of its options as a person names it: as it is shown, or as the app calls it."""
        own = (self.own or self).options
        for options in (self.options, own):
            folded = [_folded(each) for each in options]
            for names, wanted in ((options, option), (folded, _folded(option))):
                if wanted in names:
                    return own[names.index(wanted)]
        return None

    @property
    def interactive(self) -> bool:
        return self.press or self.opens or self.context or self.role in FIELDS


def each_inside(widget: Widget, change: Callable[[Widget], Widget]) -> Widget:
    """The widget with its children changed; the same one where none of them is another."""
    if not widget.children:
        return widget
    children = tuple([change(child) for child in widget.children])
    same = all(new is old for new, old in zip(children, widget.children, strict=True))
    return widget if same else widget._replace(children=children)


TEXTS = frozenset({"textbox", "spinbutton"})
"""Roles that take text from the keyboard."""
SWITCHES = frozenset({"checkbox", "switch"})
INDENT = 18
"""Pixels by which a treeitem of the next level begins further to the right; its triangle stands in the last of these."""
FIELDS = TEXTS | SWITCHES | {"combobox", "slider"}
"""Roles that hold a value."""


@lru_cache(maxsize=4096)
def heading(text: str, key: str = "") -> Widget:
    return Widget("heading", text, key or f"heading-{slug(text)}")


@lru_cache(maxsize=4096)
def text(content: str, key: str = "") -> Widget:
    return Widget("text", content, key)


def lines(content: str, key: str) -> list[Widget]:
    """A text of several lines, each as one; empty ones are left out."""
    return [text(line, f"{key}.line-{n}") for n, line in enumerate(content.split("\n"), start=1) if line.strip()]


def alert(content: str, key: str) -> Widget:
    return Widget("alert", content, key)


def checked(field: Widget, error: str | None) -> tuple[Widget, ...]:
    """A field, and below it what is wrong with it."""
    return (field._replace(invalid=True), alert(error, f"{field.key}.error")) if error else (field,)


def status(content: str, key: str = "status") -> Widget:
    return Widget("status", content, key)


def progress(content: str) -> Widget:
    return Widget("progress", content, "progress")


@lru_cache(maxsize=4096)
def button(name: str, key: str = "", *, enabled: bool = True) -> Widget:
    return Widget("button", name, key or slug(name), press=True, enabled=enabled)


@lru_cache(maxsize=4096)
def link(name: str, key: str, *, selected: bool = False) -> Widget:
    return Widget("link", name, key, press=True, selected=selected)


@lru_cache(maxsize=4096)
def textbox(
    label: str, key: str, value: str = "", *, multiline: bool = False, required: bool = False, invalid: bool = False,
    private: bool = False, placeholder: str | None = None,
) -> Widget:  # fmt: skip
    return Widget("textbox", label, key, value, multiline=multiline, required=required, invalid=invalid, private=private,
                  placeholder=placeholder)  # fmt: skip


def checkbox(label: str, key: str, checked: bool, *, required: bool = False, invalid: bool = False) -> Widget:
    return Widget("checkbox", label, key, "true" if checked else "false", required=required, invalid=invalid)


def combobox(
    label: str, key: str, value: str, options: Sequence[str], *, required: bool = False, invalid: bool = False,
    placeholder: str | None = None,
) -> Widget:  # fmt: skip
    return Widget(
        "combobox", label, key, value, options=tuple(options), required=required, invalid=invalid, placeholder=placeholder
    )


def spinbutton(
    label: str, key: str, value: str, limits: tuple[float, float, float], *, required: bool = False, invalid: bool = False
) -> Widget:
    """A number to write, or to change by its step."""
    return Widget("spinbutton", label, key, value, limits=limits, required=required, invalid=invalid)


def slider(label: str, key: str, value: str, limits: tuple[float, float, float]) -> Widget:
    return Widget("slider", label, key, value, limits=limits)


def switch(label: str, key: str, on: bool) -> Widget:
    return Widget("switch", label, key, "true" if on else "false")


def generic(name: str, key: str) -> Widget:
    """A text that reacts to a click although nothing says that it is a button."""
    return Widget("generic", name, key, press=True)


def near(widget: Widget) -> Widget:
    """The same control, with a label that only stands near it."""
    return widget._replace(label="near")


def treeitem(
    name: str, key: str, level: int, *, expanded: bool | None = None, selected: bool = False, drop: bool = False
) -> Widget:
    return Widget("treeitem", name, key, press=True, level=level, expanded=expanded, selected=selected, drop=drop)


def tree(key: str, items: Iterable[Widget]) -> Widget:
    """The items that are in sight, in order; those below one that is not expanded are left out."""
    return Widget("tree", None, key, children=tuple(items))


def menu(key: str, *items: Widget) -> Widget:
    """An open menu; it floats."""
    return Widget("menu", None, key, children=items, floats=True)


def menuitem(name: str, key: str, *, enabled: bool = True) -> Widget:
    """It hovers as well: another menu that is open beside it closes by that."""
    return Widget("menuitem", name, key, press=True, enabled=enabled, hovers=True)


def submenu(name: str, key: str, opened: bool, *items: Widget) -> Widget:
    """An item of a menu that shows another menu while the pointer is over it, or when it is pressed."""
    item = Widget("menuitem", name, key, press=True, hovers=True, expanded=opened)
    return group(item, *((menu(f"{key}.menu", *items),) if opened else ()), key=f"{key}.group", across=True)


def menubutton(name: str, key: str, opened: bool, *items: Widget, enabled: bool = True) -> Widget:
    """A button and, once it is pressed, the menu below it."""
    head = Widget("button", name, key, press=True, expanded=opened, enabled=enabled)
    return group(head, *((menu(f"{key}.menu", *items),) if opened else ()), key=f"{key}.group")


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


@lru_cache(maxsize=4096)
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
    context: bool = False,
) -> Widget:
    return Widget("row", None, key, children=cells, across=True, press=press, opens=opens, selected=selected, drag=drag,
                  drop=drop, context=context)  # fmt: skip


def linked_row(key: str, cells: Mapping[str, str]) -> Widget:
    """A record in a list: its first cell is a link to it. Each cell goes by the key and its name."""
    (first, title), *rest = cells.items()
    return row(key, link(title, f"{key}.{first}"), *(cell(value, f"{key}.{name}") for name, value in rest))


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


def _as_named(name: str) -> str:
    return name


def search_bar(noun: str, query: str, key: Callable[[str], str] = _as_named) -> Widget:
    """The field `Search <noun>` and its button; keys `query` and `search`."""
    label, send = f"Search {noun}", key("search")
    field = textbox(label, key("query"), query, placeholder=label)
    return form(key("search-form"), field, button("Search", send), submit=send, across=True)


def pager(page: int, pages: int, key: Callable[[str], str] = _as_named) -> Widget:
    """Keys `previous` and `next`."""
    return bar(
        button("Previous", key("previous"), enabled=page > 1),
        text(f"Page {page} of {pages}", key("page")),
        button("Next", key("next"), enabled=page < pages),
        key=key("pager"),
    )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
