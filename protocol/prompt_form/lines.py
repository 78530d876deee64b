"""A screen as lines, each with what it says and how much it matters."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from protocol.model.elements import GUIElement, VisualState
from protocol.prompt_form import element_text as words

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


def fold(state: VisualState, tree: words.Tree) -> Folding:
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
        if tree.traits[i].silent and i != tree.modal and _says_nothing(i, state.elements, tree, above[i], after[i]):
            folded.add(i)
        elif above[i] >= 0:
            inside[above[i]].append(i)
    rows = [i for i, its in enumerate(tree.traits) if its.kind in words.ROWS and i not in folded]
    shares = {i: inside[i] for i in rows if 0 < len(inside[i]) <= ROWCELLS and not any(inside[cell] for cell in inside[i])}
    for i in folded:
        if above[i] not in shares and _is_pair(tree.children[i], state.elements, tree, folded, inside):
            head, *others = tree.children[i]
            shares[head] = others
    return Folding(folded, above, shares)


def _says_nothing(i: int, elements: tuple[GUIElement, ...], tree: words.Tree, above: int, after: int) -> bool:
    role, name, held = tree.traits[i].kind, tree.traits[i].words, tree.children[i]
    if role in words.WRAPPERS and not (role in words.CELLS and not held):
        only = tree.traits[held[0]] if len(held) == 1 else None
        return not name or (only is not None and only.kind not in words.PLAIN and only.words == name)
    if role not in words.ECHOES or held:
        return False
    if not name or len(elements[i].name) > ECHO:
        return not name
    labels = after >= 0 and tree.traits[after].acts and tree.traits[after].words == name
    return labels or (above >= 0 and name in (tree.traits[above].words, words.words_of(elements[above].value or "")))


def _is_pair(
    held: list[int], elements: tuple[GUIElement, ...], tree: words.Tree, folded: set[int], inside: list[list[int]]
) -> bool:
    if not 1 < len(held) <= PAIR:
        return False
    return all(
        its.kind in words.PLAIN and not its.acts and len(elements[i].name) <= PAIR_TEXT and i not in folded and not inside[i]
        for i, its in ((i, tree.traits[i]) for i in held)
    )


IN_FRONT, BEHIND, AWAY = 0, 2, 4
"""Ranks, least first kept; a text comes one after what can be acted on, in front and behind alike."""
RANKS = range(AWAY + 1)

KINDS = ("interactive", "text", "container", "behind the dialog", "below", "above", "left", "right", "hidden")
"""Of what is left out, in the order in which the tail tells them."""


class LinePlace(NamedTuple):
    """Where a line stands, as far as its words tell it; `modal` and `foreign` are of its first element."""

    ways: tuple[tuple[str, bool], ...]
    """Of each element, which way it is out of view, and whether it stands in a private field."""
    behind: bool
    """Outside of the dialog that takes all input."""
    modal: bool
    foreign: bool


class ElementLine(NamedTuple):
    """Elements that stand on one line; `members` are indices into the state's, the first is what the line is about."""

    members: tuple[int, ...]
    said: "LineText"
    parent: int
    """The line of the container, which stands before this one, or -1."""
    rank: int
    place: LinePlace


class ElementLines(NamedTuple):
    """Every element of a state is a member of one line, or folded."""

    lines: list[ElementLine]
    folded: list[int]
    texts: list[str]
    """The lines as they are written where all of them are."""


Say = Callable[[GUIElement, words.Place, words.Style], str]
"""Puts an element into words."""


class _WrittenLines(NamedTuple):
    """The lines of a state, the elements that they were made of, and what each of those holds."""

    elements: tuple[GUIElement, ...]
    children: list[list[int]]
    line_of: dict[int, int]
    around: list[tuple[str, str]]
    """What stands before and behind each line: no element by itself decides about that."""
    said: ElementLines


_LATEST: dict[tuple[object, ...], _WrittenLines] = {}
"""Of the latest screens: most actions change few elements, and nothing that decides which line an element is on."""
_KEPT = 64


def lines_of(state: VisualState, style: words.Style, say: Say = words.piece) -> ElementLines:
    """The lines of a state in the order in which they are written. Linear in its size."""
    around = (len(state.elements), state.app, state.modal, state.screen_resolution, style, say)
    known = _LATEST.get(around)
    if known is None or (changed := _changed(known, state.elements)) is None:
        known = _written_lines(state, style, say)
    elif changed:
        lines, texts = [*known.said.lines], [*known.said.texts]
        for at in {known.line_of.get(i, -1) for i in changed} - {-1}:
            members, place = lines[at].members, lines[at].place
            lines[at] = lines[at]._replace(said=_said(tuple([state.elements[m] for m in members]), place, style, say))
            texts[at] = lines[at].said.text.join(known.around[at])
        known = known._replace(elements=state.elements, said=known.said._replace(lines=lines, texts=texts))
    if len(_LATEST) >= _KEPT:
        _LATEST.clear()
    _LATEST[around] = known
    return known.said


def _changed(known: _WrittenLines, elements: tuple[GUIElement, ...]) -> set[int] | None:
    """The elements that are other objects than before. None where that may move a line or fold an element."""
    changed = {i for i, (old, new) in enumerate(zip(known.elements, elements, strict=True)) if old is not new}
    alike = all(_shape(known.elements[i], known.children[i]) == _shape(elements[i], known.children[i]) for i in changed)
    return changed if alike else None


def _shape(element: GUIElement, held: list[int]) -> tuple[object, ...]:
    """All of an element that decides about other lines than its own, where its traits do not."""
    value, long = element.value if held else None, len(element.name)
    where = (element.element_id, element.parent, element.app, element.visible, element.bbox)
    return (*where, value, long > ECHO, long > PAIR_TEXT, words.traits(element))


def _written_lines(state: VisualState, style: words.Style, say: Say) -> _WrittenLines:
    elements, tree = state.elements, words.tree_of(state)
    folded, above, shares = fold(state, tree)
    behind = set(tree.order) - words.below(tree, {tree.modal}) - {tree.modal} if tree.modal >= 0 else set()
    secret = words.secrets(tree)
    ways = [(way, i in secret) for i, way in enumerate(_away(state, tree, behind))]
    shared = set(chain.from_iterable(shares.values()))
    lines: list[ElementLine] = []
    line_of: dict[int, int] = {-1: -1}
    for i in tree.order:
        if i not in folded and i not in shared:
            members = (i, *shares.get(i, ()))
            foreign = tree.parents[i] < 0 and elements[i].app not in (None, state.app)
            place = LinePlace(tuple([ways[m] for m in members]), i in behind, i == tree.modal, foreign)
            said = _said(tuple([elements[m] for m in members]), place, style, say)
            line_of |= dict.fromkeys(members, len(lines))
            lines.append(ElementLine(members, said, line_of[above[i]], said.rank, place))
    around = list(surrounded(state, lines, range(len(lines))))
    texts = [line.said.text.join(pair) for line, pair in zip(lines, around, strict=True)]
    said_all = ElementLines(_ranked(lines), [i for i in tree.order if i in folded], texts)
    return _WrittenLines(elements, tree.children, line_of, around, said_all)


DEEPEST = 12
"""What lies deeper is not indented further, so that a line stays short; it names its container."""


def surrounded(state: VisualState, lines: Sequence[ElementLine], chosen: Sequence[int]) -> Iterator[tuple[str, str]]:
    """What stands before and behind some of the lines: they are indented below their container where it is written right above
    them, and else name it."""
    path: list[int] = []
    for i in chosen:
        parent = lines[i].parent
        while path and path[-1] != parent:
            path.pop()
        alone = parent >= 0 and not 0 < len(path) <= DEEPEST
        where = f" in {words.word(state.elements[lines[parent].members[0]].element_id)}" if alone else ""
        yield " " * min(len(path), DEEPEST), where
        path.append(i)


class LineText(NamedTuple):
    """What a line says of its elements."""

    pieces: tuple[str, ...]
    """In words, one for each."""
    text: str
    stands_for: tuple[tuple[str, str], ...]
    """By id and kind."""
    rank: int


@lru_cache(4096)  # most lines of a screen are those of the screen before
def _said(members: tuple[GUIElement, ...], place: LinePlace, style: words.Style, say: Say) -> LineText:
    head, *others = members
    (out, _), *_ = place.ways
    acted_on = any(words.traits(other).acts for other in others)
    pieces, stands_for, ranks = [], [], []
    for at, (element, (way, secret)) in enumerate(zip(members, place.ways, strict=True)):
        its, beside = words.traits(element), at > 0
        bare = beside and (its.kind in words.CELLS or (its.kind in words.PLAIN and its.kind == words.traits(head).kind))
        nameless = style.ids == "none" or (style.ids == "acted on" and _is_read(element, acted_on))
        modal, foreign = place.modal and not beside, place.foreign and not beside
        around = words.Place(way, modal, bare, secret, foreign, beside and way == out, nameless)
        pieces.append(say(element, around, style))
        kind = "interactive" if its.acts else "container" if its.kind in words.CONTAINERS else "text"
        stands_for.append((element.element_id, way or ("behind the dialog" if place.behind else kind)))
        ranks.append(AWAY if way else (BEHIND if place.behind else IN_FRONT) + (not (its.acts or its.kind in words.NEWS)))
    text = " | ".join(filter(None, pieces))
    text = _EMPTY.sub(_as_one, text) if others else text
    return LineText(tuple(pieces), text, tuple(stands_for), min(ranks))


def _is_read(element: GUIElement, acted_on: bool) -> bool:
    """Whether it is a text that nobody acts on; a row and its cells are acted on where nothing else on the line is there for
    that."""
    its = words.traits(element)
    return not its.acts and (acted_on if its.kind in words.ROWS | words.CELLS else its.kind in words.TEXTS and bool(element.text))


_EMPTY = re.compile(r'(?<=\| )e\d+ ""(?: \| e\d+ "")+(?= \||$)')
"""Empty cells beside each other."""


def _as_one(run: re.Match[str]) -> str:
    """Empty cells whose ids follow on each other are told as one: `e53-e56 ""`."""
    ids = [int(cell[1:-3]) for cell in run[0].split(" | ")]
    return f'e{ids[0]}-e{ids[-1]} ""' if ids == list(range(ids[0], ids[0] + len(ids))) else run[0]


def _ranked(lines: list[ElementLine]) -> list[ElementLine]:
    """A container matters as much as the best that it holds, so that it is kept with it."""
    ranks = [line.rank for line in lines]
    for i in range(len(lines) - 1, -1, -1):
        parent = lines[i].parent
        if parent >= 0:
            ranks[parent] = min(ranks[parent], ranks[i])
    return [line if line.rank == rank else line._replace(rank=rank) for line, rank in zip(lines, ranks, strict=True)]


def _away(state: VisualState, tree: words.Tree, behind: set[int]) -> list[str]:
    """Which way each element is out of view: beyond all that is in view, or hidden among it. Of what lies behind a dialog that
    takes all input no more is told: a page hides it, wherever it stands."""
    hidden = [i for i, element in enumerate(state.elements) if not element.visible and i not in behind]
    ways = [""] * len(state.elements)
    if not hidden:
        return ways
    seen = [e.bbox.center for e, held in zip(state.elements, tree.children, strict=True) if e.visible and e.bbox and not held]
    width, height = state.screen_resolution
    xs, ys = [at.x for at in seen] or [0, width - 1], [at.y for at in seen] or [0, height - 1]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    for i in hidden:
        box = state.elements[i].bbox
        at = box.center if box else None
        ways[i] = "hidden"
        if at is not None:
            sides = {"below": at.y > bottom, "above": at.y < top, "right": at.x > right, "left": at.x < left}
            ways[i] = next((way for way, is_so in sides.items() if is_so), "hidden")
    return ways
