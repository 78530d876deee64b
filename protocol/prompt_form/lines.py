"""A screen as lines, each with what it says and how much it matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from protocol.elements import GUIElement, VisualState
from protocol.geometry import Point
from protocol.prompt_form.folding import Folding, fold
from protocol.prompt_form.pieces import Place, Style, piece
from protocol.prompt_form.roles import CELLS, CONTAINERS, NEWS, PLAIN, acts, kind
from protocol.prompt_form.tree import Tree, below, secrets, tree_of

IN_FRONT, BEHIND, AWAY = 0, 2, 4
"""Ranks, least first kept; a text comes one after what can be acted on, in front and behind alike."""
RANKS = range(AWAY + 1)

KINDS = ("interactive", "text", "container", "behind the dialog", "below", "above", "left", "right", "hidden")
"""Of what is left out, in the order in which the tail tells them."""


class Line(NamedTuple):
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
        return " | ".join(self.pieces)


class Lines(NamedTuple):
    """Every element of a state is a member of one line, or folded."""

    lines: list[Line]
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


def lines_of(state: VisualState, style: Style, say: Say = piece) -> Lines:
    """The lines of a state in the order in which they are written. Linear in its size."""
    tree = tree_of(state)
    folding = fold(state, tree)
    front = below(tree, {tree.modal}) | {tree.modal} if tree.modal >= 0 else set(tree.order)
    screen = _Screen(state, tree, folding, set(tree.order) - front, secrets(state, tree), _away(state, tree), style, say)
    shared = {other for others in folding.shares.values() for other in others}
    lines: list[Line] = []
    line_of: dict[int, int] = {}
    for i in tree.order:
        if i not in folding.folded and i not in shared:
            line_of[i] = len(lines)
            lines.append(_line(i, screen, line_of))
    return Lines(_ranked(lines), [i for i in tree.order if i in folding.folded])


def _line(i: int, screen: _Screen, line_of: dict[int, int]) -> Line:
    members = (i, *screen.folding.shares.get(i, ()))
    above = screen.folding.above[i]
    return Line(
        members,
        tuple(screen.say(screen.state.elements[m], _place(m, i, screen), screen.style) for m in members),
        tuple(_kind(m, screen) for m in members),
        line_of[above] if above >= 0 else -1,
        min(_rank(m, screen) for m in members),
        i in screen.behind,
    )


def _place(i: int, head: int, screen: _Screen) -> Place:
    element = screen.state.elements[i]
    bare = i != head and (kind(element) in CELLS or _alike(element, screen.state.elements[head]))
    foreign = screen.tree.parents[i] < 0 and element.app is not None and element.app != screen.state.app
    return Place(screen.away[i], i == screen.tree.modal, bare, i in screen.secret, foreign)


def _alike(element: GUIElement, head: GUIElement) -> bool:
    return kind(element) in PLAIN and kind(element) == kind(head)


def _rank(i: int, screen: _Screen) -> int:
    if screen.away[i]:
        return AWAY
    element = screen.state.elements[i]
    return (BEHIND if i in screen.behind else IN_FRONT) + (not (acts(element) or kind(element) in NEWS))


def _ranked(lines: list[Line]) -> list[Line]:
    """A container matters as much as the best that it holds, so that it is kept with it."""
    ranks = [line.rank for line in lines]
    for i in range(len(lines) - 1, -1, -1):
        parent = lines[i].parent
        if parent >= 0:
            ranks[parent] = min(ranks[parent], ranks[i])
    return [line._replace(rank=rank) for line, rank in zip(lines, ranks, strict=True)]


def _kind(i: int, screen: _Screen) -> str:
    element = screen.state.elements[i]
    if screen.away[i]:
        return screen.away[i]
    if i in screen.behind:
        return "behind the dialog"
    return "interactive" if acts(element) else "container" if kind(element) in CONTAINERS else "text"


def _away(state: VisualState, tree: Tree) -> list[str]:
    """Which way each element is out of view: beyond all that is in view, or hidden among it."""
    seen = [e.bbox.center for e, held in zip(state.elements, tree.children, strict=True) if e.visible and e.bbox and not held]
    width, height = state.screen_resolution
    xs, ys = [at.x for at in seen] or [0, width - 1], [at.y for at in seen] or [0, height - 1]
    edges = (min(xs), max(xs), min(ys), max(ys))
    return ["" if e.visible else _way(e.bbox.center if e.bbox else None, edges) for e in state.elements]


def _way(at: Point | None, edges: tuple[int, int, int, int]) -> str:
    left, right, top, bottom = edges
    if at is None:
        return "hidden"
    ways = {"below": at.y > bottom, "above": at.y < top, "right": at.x > right, "left": at.x < left}
    return next((way for way, is_so in ways.items() if is_so), "hidden")
