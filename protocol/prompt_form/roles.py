"""What a role is for: to be read, to hold others, to tell news, or to be acted on. ARIA's names, and those of AT-SPI, UIA
and HTML for the same things."""

from __future__ import annotations

from protocol.elements import GUIElement


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ROWS = _set("row tablerow tr")
CELLS = _set("cell gridcell tablecell td")
WRAPPERS = CELLS | _set("group generic none presentation div span section listitem li rowgroup tbody filler layeredpane")
"""Hold others and say nothing themselves; folded where they have no name and no state."""

CONTAINERS = (WRAPPERS - CELLS) | ROWS | _set(
    "window frame dialog alertdialog form list table grid treegrid tree tablist pagetablist tabpanel toolbar menu menubar "
    "radiogroup listbox region main navigation banner contentinfo complementary search article document documentweb "
    "documentframe application panel pane scrollpane splitpane rootpane iframe feed figure"
)  # fmt: skip
PLAIN = _set("text statictext label paragraph p caption legend")
ECHOES = PLAIN | {"heading"}
"""Texts that may only repeat what the thing around or beside them is called."""

TEXTS = CELLS | ECHOES | _set(
    "columnheader rowheader tablecolumnheader tablerowheader th image img separator tooltip note term definition time code "
    "emphasis strong blockquote mark"
)  # fmt: skip
NEWS = _set("alert alertdialog status progress progressbar log timer")
"""Say what has just happened; kept like a thing to act on."""

CHECKED = _set("checkbox radio radiobutton switch menuitemcheckbox menuitemradio togglebutton option treeitem")


_READ = TEXTS | CONTAINERS | NEWS


def role_of(element: GUIElement) -> str:
    return element.role or element.tag or "element"


def kind(element: GUIElement) -> str:
    """The role as the tables of this module spell it: `List Item` and `list-item` are `listitem`."""
    return "".join(filter(str.isalnum, role_of(element)[:40])).casefold()


def is_private(element: GUIElement) -> bool:
    return element.private or "password" in f"{element.role} {element.tag}".casefold()


def acts(element: GUIElement) -> bool:
    """Whether it is there to be acted on: anything that is not known to be a text or a container, and every field."""
    field = element.value is not None or bool(element.options)
    return field or kind(element) not in _READ
