"""A screen as lines, each with what it says and how much it matters."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, pairwise
from typing import NamedTuple

from protocol.model.elements import GUIElement, VisualState
from protocol.model.geometry import Point
from protocol.prompt_form.element_text import (
    CELLS,
    CONTAINERS,
    ECHOES,
    NEWS,
    PLAIN,
    ROWS,
    TEXTS,
    UNSURE,
    WRAPPERS,
    Place,
    Style,
    Tree,
    below,
    piece,
    secrets,
    tree_of,
)

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
    after = [-1] * len(tree.parents)  # the next element in the same container
    for one, following in chain.from_iterable(map(pairwise, (tree.roots, *tree.children))):
        after[one] = following
    for i in tree.order:
        parent = tree.parents[i]
        above[i] = above[parent] if parent in folded else parent
        if i != tree.modal and _says_nothing(i, state.elements, tree, above[i], after[i]):
            folded.add(i)
        elif above[i] >= 0:
            inside[above[i]].append(i)
    shares = {i: inside[i] for i in tree.order if i not in folded and _is_row(i, tree, inside)}
    for i in tree.order:
        if i in folded and above[i] not in shares and _is_pair(tree.children[i], state.elements, tree, folded, inside):
            head, *others = tree.children[i]
            shares[head] = others
    return Folding(folded, above, shares)


def _says_nothing(i: int, elements: tuple[GUIElement, ...], tree: Tree, above: int, after: int) -> bool:
    element, role, held = elements[i], tree.kinds[i], tree.children[i]
    marked = element.focused or element.selected or element.required or element.invalid or element.private
    said = element.value is not None or element.options or element.placeholder or element.confidence < UNSURE
    opens = element.expanded is not None or element.level is not None or element.limits is not None
    if not (element.enabled and not (marked or said or opens)):
        return False
    name = _words(element.name)
    if role in WRAPPERS and not (role in CELLS and not held):
        only = held[0] if len(held) == 1 else -1
        return not name or (only >= 0 and tree.kinds[only] not in PLAIN and _words(elements[only].name) == name)
    if role not in ECHOES or held:
        return False
    if not name or len(element.name) > ECHO:
        return not name
    labels = after >= 0 and tree.acts[after] and _words(elements[after].name) == name
    return labels or (above >= 0 and name in (_words(elements[above].name), _words(elements[above].value or "")))


def _words(text: str) -> str:
    """Spacing and the colon of a label do not count."""
    return " ".join(text.split()).rstrip(" :")


def _is_row(i: int, tree: Tree, inside: list[list[int]]) -> bool:
    if tree.kinds[i] not in ROWS or not 0 < len(inside[i]) <= ROWCELLS:
        return False
    return not any(inside[cell] for cell in inside[i])


def _is_pair(held: list[int], elements: tuple[GUIElement, ...], tree: Tree, folded: set[int], inside: list[list[int]]) -> bool:
    if not 1 < len(held) <= PAIR:
        return False
    return all(
        tree.kinds[i] in PLAIN and not tree.acts[i] and len(elements[i].name) <= PAIR_TEXT and i not in folded and not inside[i]
        for i in held
    )


IN_FRONT, BEHIND, AWAY = 0, 2, 4
"""Ranks, least first kept; a text comes one after what can be acted on, in front and behind alike."""
RANKS = range(AWAY + 1)

KINDS = ("interactive", "text", "container", "behind the dialog", "below", "above", "left", "right", "hidden")
"""Of what is left out, in the order in which the tail tells them."""


_EMPTY = re.compile(r'(?<=\| )e\d+ ""(?: \| e\d+ "")+(?= \||$)')
"""Empty cells beside each other."""


def _as_one(cells: list[str]) -> str:
    """Empty cells whose ids follow on each other are told as one: `e53-e56 ""`."""
    ids = [int(cell[1:-3]) for cell in cells]
    return f'e{ids[0]}-e{ids[-1]} ""' if ids == list(range(ids[0], ids[0] + len(ids))) else " | ".join(cells)


class ElementLine(NamedTuple):
    """Elements that stand on one line; `members` are indices into the state's, the first is what the line is about."""

    members: tuple[int, ...]
    pieces: tuple[str, ...]
    kinds: tuple[str, ...]
    parent: int
    """The line of the container, which stands before this one, or -1."""
    rank: int
    behind: bool
    """Outside of the dialog that takes all input."""

    @property
    def text(self) -> str:
        if len(self.pieces) == 1:
            return self.pieces[0]
        return _EMPTY.sub(lambda run: _as_one(run[0].split(" | ")), " | ".join(filter(None, self.pieces)))


class ElementLines(NamedTuple):
    """Every element of a state is a member of one line, or folded."""

    lines: list[ElementLine]
    folded: list[int]


Say = Callable[[GUIElement, Place, Style], str]
"""Puts an element into words."""


class _Screen(NamedTuple):
    """What a line takes from around its elements."""

    state: VisualState
    tree: Tree
    folding: Folding
    behind: set[int]
    secret: set[int]
    away: list[str]
    style: Style
    say: Say


def lines_of(state: VisualState, style: Style, say: Say = piece) -> ElementLines:
    """The lines of a state in the order in which they are written. Linear in its size."""
    tree = tree_of(state)
    folding = fold(state, tree)
    front = below(tree, {tree.modal}) | {tree.modal} if tree.modal >= 0 else set(tree.order)
    behind = set(tree.order) - front
    screen = _Screen(state, tree, folding, behind, secrets(state, tree), _away(state, tree, behind), style, say)
    shared = {other for others in folding.shares.values() for other in others}
    lines: list[ElementLine] = []
    line_of: dict[int, int] = {}
    for i in tree.order:
        if i not in folding.folded and i not in shared:
            line_of[i] = len(lines)
            lines.append(_line(i, screen, line_of))
    return ElementLines(_ranked(lines), [i for i in tree.order if i in folding.folded])


def _line(i: int, screen: _Screen, line_of: dict[int, int]) -> ElementLine:
    members = (i, *screen.folding.shares.get(i, ()))
    above = screen.folding.above[i]
    return ElementLine(
        members,
        tuple([screen.say(screen.state.elements[m], _place(m, i, screen), screen.style) for m in members]),
        tuple([_kind(m, screen) for m in members]),
        line_of[above] if above >= 0 else -1,
        min([_rank(m, screen) for m in members]),
        i in screen.behind,
    )


def _place(i: int, head: int, screen: _Screen) -> Place:
    element, kinds = screen.state.elements[i], screen.tree.kinds
    bare = i != head and (kinds[i] in CELLS or (kinds[i] in PLAIN and kinds[i] == kinds[head]))
    foreign = screen.tree.parents[i] < 0 and element.app is not None and element.app != screen.state.app
    with_row = i != head and screen.away[i] == screen.away[head]
    nameless = screen.style.ids == "none" or (screen.style.ids == "acted on" and _is_read(i, head, screen))
    return Place(screen.away[i], i == screen.tree.modal, bare, i in screen.secret, foreign, with_row, nameless)


def _is_read(i: int, head: int, screen: _Screen) -> bool:
    """Whether it is a text that nobody acts on; a row and its cells are acted on where nothing else in it is there for that."""
    tree = screen.tree
    if tree.kinds[i] in ROWS | CELLS:
        return not tree.acts[i] and any(tree.acts[other] for other in screen.folding.shares.get(head, ()))
    return tree.kinds[i] in TEXTS and not tree.acts[i] and bool(screen.state.elements[i].text)


def _rank(i: int, screen: _Screen) -> int:
    if screen.away[i]:
        return AWAY
    return (BEHIND if i in screen.behind else IN_FRONT) + (not (screen.tree.acts[i] or screen.tree.kinds[i] in NEWS))


def _ranked(lines: list[ElementLine]) -> list[ElementLine]:
    """A container matters as much as the best that it holds, so that it is kept with it."""
    ranks = [line.rank for line in lines]
    for i in range(len(lines) - 1, -1, -1):
        parent = lines[i].parent
        if parent >= 0:
            ranks[parent] = min(ranks[parent], ranks[i])
    return [line if line.rank == rank else line._replace(rank=rank) for line, rank in zip(lines, ranks, strict=True)]


def _kind(i: int, screen: _Screen) -> str:
    if screen.away[i]:
        return screen.away[i]
    if i in screen.behind:
        return "behind the dialog"
    return "interactive" if screen.tree.acts[i] else "container" if screen.tree.kinds[i] in CONTAINERS else "text"


def _away(state: VisualState, tree: Tree, behind: set[int]) -> list[str]:
    """Which way each element is out of view: beyond all that is in view, or hidden among it. Of what lies behind a dialog that
    takes all input no more is told: a page hides it, wherever it stands."""
    seen = [e.bbox.center for e, held in zip(state.elements, tree.children, strict=True) if e.visible and e.bbox and not held]
    width, height = state.screen_resolution
    xs, ys = [at.x for at in seen] or [0, width - 1], [at.y for at in seen] or [0, height - 1]
    edges = (min(xs), max(xs), min(ys), max(ys))
    told = (e.visible or i in behind for i, e in enumerate(state.elements))
    return ["" if no else _way(e.bbox.center if e.bbox else None, edges) for no, e in zip(told, state.elements, strict=True)]


def _way(at: Point | None, edges: tuple[int, int, int, int]) -> str:
    left, right, top, bottom = edges
    if at is None:
        return "hidden"
    ways = {"below": at.y > bottom, "above": at.y < top, "right": at.x > right, "left": at.x < left}
    return next((way for way, is_so in ways.items() if is_so), "hidden")
