"""What is not worth a line: wrappers that say nothing, and texts that repeat the name of what they stand in or before.

And what shares one: the cells of a row, and a label with its value.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from protocol.elements import GUIElement, VisualState
from protocol.prompt_form.pieces import UNSURE
from protocol.prompt_form.roles import CELLS, ECHOES, PLAIN, ROWS, WRAPPERS, acts, kind
from protocol.prompt_form.tree import Tree

ECHO = 80
"""A longer text is written even where it only repeats a name."""
ROWCELLS = 16
"""A row of more cells has a line for each of them."""
PAIR, PAIR_TEXT = 4, 60
"""So many texts, each as long as this, share a line where a folded wrapper holds nothing else: a label and its value."""


class Folding(NamedTuple):
    """`above` is the container that is written, or -1; `shares` gives the elements that stand on the line of another."""

    folded: set[int]
    above: list[int]
    shares: dict[int, list[int]]


def fold(state: VisualState, tree: Tree) -> Folding:
    """Which elements are folded, and which share a line.

    Folded is an element without any state, value or choices of its own that is
    - a wrapper (group, list item, cell with something in it, ...) without a name, or with the name of its only child, or
    - a plain text or a heading that holds nothing and has no words, or those of its container or of the field or button after it.
    """
    folded: set[int] = set()
    above = [-1] * len(state.elements)
    inside: list[list[int]] = [[] for _ in state.elements]
    after = _following(tree)
    for i in tree.order:
        parent = tree.parents[i]
        above[i] = above[parent] if parent in folded else parent
        if i != tree.modal and _says_nothing(i, state.elements, tree, above[i], after[i]):
            folded.add(i)
        elif above[i] >= 0:
            inside[above[i]].append(i)
    shares = {i: inside[i] for i in tree.order if i not in folded and _is_row(i, state.elements, inside)}
    for i in tree.order:
        if i in folded and above[i] not in shares and _is_pair(tree.children[i], state.elements, folded, inside):
            head, *others = tree.children[i]
            shares[head] = others
    return Folding(folded, above, shares)


def _following(tree: Tree) -> list[int]:
    """The next element in the same container, or -1."""
    after = [-1] * len(tree.parents)
    for held in (tree.roots, *tree.children):
        for one, following in pairwise(held):
            after[one] = following
    return after


def _says_nothing(i: int, elements: tuple[GUIElement, ...], tree: Tree, above: int, after: int) -> bool:
    element, role, held = elements[i], kind(elements[i]), tree.children[i]
    if not _stateless(element):
        return False
    name = _words(element.name)
    if role in WRAPPERS and not (role in CELLS and not held):
        only = elements[held[0]] if len(held) == 1 else None
        return not name or (only is not None and kind(only) not in PLAIN and _words(only.name) == name)
    if role not in ECHOES or held:
        return False
    container, following = elements[above] if above >= 0 else None, elements[after] if after >= 0 else None
    return not name or (len(element.name) <= ECHO and (_repeats(name, container) or _labels(name, following)))


def _repeats(name: str, container: GUIElement | None) -> bool:
    return container is not None and name in (_words(container.name), _words(container.value or ""))


def _labels(name: str, following: GUIElement | None) -> bool:
    return following is not None and acts(following) and _words(following.name) == name


def _stateless(element: GUIElement) -> bool:
    marked = element.focused or element.selected or element.required or element.invalid or element.private
    said = element.value is not None or element.options or element.placeholder or element.confidence < UNSURE
    opens = element.expanded is not None or element.level is not None or element.limits is not None
    return element.enabled and not (marked or said or opens)


def _words(text: str) -> str:
    """Spacing and the colon of a label do not count."""
    return " ".join(text.split()).rstrip(" :")


def _is_row(i: int, elements: tuple[GUIElement, ...], inside: list[list[int]]) -> bool:
    if kind(elements[i]) not in ROWS or not 0 < len(inside[i]) <= ROWCELLS:
        return False
    return not any(inside[cell] for cell in inside[i])


def _is_pair(held: list[int], elements: tuple[GUIElement, ...], folded: set[int], inside: list[list[int]]) -> bool:
    if not 1 < len(held) <= PAIR:
        return False
    return all(
        kind(elements[i]) in PLAIN
        and not acts(elements[i])
        and len(elements[i].name) <= PAIR_TEXT
        and i not in folded
        and not inside[i]
        for i in held
    )
