"""Who holds whom on a screen, whatever the elements say of their parents."""

from __future__ import annotations

from typing import NamedTuple

from protocol.model.elements import GUIElement, VisualState


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


class Tree(NamedTuple):
    """Elements as indices into the state's. A parent that is missing, or that is inside of its child, is none: -1."""

    parents: list[int]
    children: list[list[int]]
    roots: list[int]
    order: list[int]
    """Every element after its container, in reading order; the modal dialog and what it holds come first."""
    modal: int
    """The dialog that takes all input, or -1."""


def tree_of(state: VisualState) -> Tree:
    """Linear in the number of elements."""
    first: dict[str, int] = {}
    for i, element in enumerate(state.elements):
        first.setdefault(element.element_id, i)
    modal = first.get(state.modal, -1) if state.modal is not None else -1
    parents = [first.get(element.parent, -1) if element.parent is not None else -1 for element in state.elements]
    if modal >= 0:
        parents[modal] = -1
    _break_circles(parents)
    children: list[list[int]] = [[] for _ in parents]
    roots: list[int] = [modal] if modal >= 0 else []
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
        elif i != modal:
            roots.append(i)
    return Tree(parents, children, roots, _in_order(roots, children), modal)


def below(tree: Tree, roots: set[int]) -> set[int]:
    """Everything that stands in one of `roots`, without them."""
    found: set[int] = set()
    for i in tree.order:
        if tree.parents[i] in found or tree.parents[i] in roots:
            found.add(i)
    return found


def secrets(state: VisualState, tree: Tree) -> set[int]:
    """Everything inside of a private field: what it says is the field's content."""
    return below(tree, {i for i, element in enumerate(state.elements) if is_private(element)})


def _break_circles(parents: list[int]) -> None:
    """Cut every circle at the one of its elements that is met first."""
    seen: list[int] = [-1] * len(parents)
    for start in range(len(parents)):
        i = start
        while i >= 0 and seen[i] < 0:
            seen[i] = start
            i = parents[i]
        if i >= 0 and seen[i] == start:
            parents[i] = -1


def _in_order(roots: list[int], children: list[list[int]]) -> list[int]:
    order: list[int] = []
    left = roots[::-1]
    while left:
        i = left.pop()
        order.append(i)
        left.extend(reversed(children[i]))
    return order
