"""All of a screen, or what of it fits a budget: the lines that matter most are kept, the tail tells what was left out."""

import re
from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from protocol.model.elements import VisualState
from protocol.prompt_form.element_text import Style, quoted, word
from protocol.prompt_form.lines import KINDS, RANKS, ElementLine, lines_of, surrounded

Counter = Callable[[str], int]
"""Gives the tokens of a text. It is asked for one line at a time, with its line end."""

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+| (?=[0-9])|[^\x00-\x7f]+|[ \t]{2,}|\n|[^A-Za-z0-9\s]")
_FIRST, _LETTERS, _CAPITALS, _DIGITS, _BYTES = 6, 3, 3, 3, 2


def estimate_tokens(text: str) -> int:
    """Rather too many than too few for the vocabularies of today: 1.1 to 1.3 times what o200k counts for screens in English,
    up to twice as much in other scripts. Strings that mean nothing, as keys and hashes, may take more than this says.

    A word takes one token for its first six letters and one for each three after them. So do three capitals, three digits
    and two bytes of anything beyond ASCII; every sign is one, and a space where it stands beside another or before a digit.
    """
    return sum(_size(part[0]) for part in _PART.finditer(text))


def _size(part: str) -> int:
    first = part[0]
    if first > "\x7f":
        pictures = sum(char > "\uffff" for char in part)
        return pictures + -(-len(part.encode("utf-8", "surrogatepass")) // _BYTES)
    if first.isdigit():
        return -(-len(part) // _DIGITS)
    if part.isupper():
        return -(-len(part) // _CAPITALS)
    return 1 + max(0, -(-(len(part) - _FIRST) // _LETTERS)) if first.isalpha() else 1


REMOVED = "removed"
DIVIDER = "# behind the dialog"
_SCROLLED = frozenset(("below", "above", "left", "right"))


class Entry(NamedTuple):
    """A line that may be written, and the elements that it stands for as (id, kind)."""

    text: str
    rank: int
    stands_for: tuple[tuple[str, str], ...]
    behind: bool = False
    holds: bool = False
    """Other entries stand in it, and come after it."""


class Form(NamedTuple):
    """A screen in words, and what became of every element: each id is in one of the groups.

    For a diff, `others` are the unchanged.
    """

    text: str
    tokens: int
    """By the counter that was given: the sum over the lines."""
    written: tuple[str, ...]
    folded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Counted in the tail; for a diff with what is gone and was not written."""
    others: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Of a diff: what the previous state had and this one has not, as far as it is written."""
    whole: bool = True
    """False for a diff."""


def keep(head: Sequence[str], entries: Sequence[Entry], budget: int | None, count: Counter) -> Form:
    """`head` always, then the entries by rank and order until one does not fit; then a tail for the rest. What became of
    elements that have no entry is the caller's to say.

    Head and tail are written even where the budget is too small for them. Every line is counted once.
    """
    costs = [count(entry.text + "\n") for entry in entries]
    top = sum(count(line + "\n") for line in head)
    divider = count(DIVIDER + "\n") if any(entry.behind for entry in entries) else 0
    fits = [True] * len(entries)
    if budget is not None and top + divider + sum(costs) > budget:
        most = count(_tail([pair for entry in entries for pair in entry.stands_for]) + "\n")
        fits = _fitting(entries, costs, budget - top - divider - most)
    kept = [entry for entry, fit in zip(entries, fits, strict=True) if fit]
    left = tuple(pair for entry, fit in zip(entries, fits, strict=True) if not fit for pair in entry.stands_for)
    tail = [_tail(left)] if left else []
    spent = top + sum(cost for cost, fit in zip(costs, fits, strict=True) if fit) + sum(count(line + "\n") for line in tail)
    if any(entry.behind for entry in kept):
        spent += divider
    text = _joined(head, [(entry.text, entry.behind) for entry in kept], tail)
    pairs = [pair for entry in kept for pair in entry.stands_for]
    written, gone = (tuple(name for name, kind in pairs if (kind == REMOVED) is removed) for removed in (False, True))
    return Form(text, spent, written, left_out=tuple(name for name, _ in left), removed=gone)


def _joined(head: Sequence[str], lines: Sequence[tuple[str, bool]], tail: Sequence[str] = ()) -> str:
    """`lines` with whether they are behind the dialog that takes all input."""
    behind = [text for text, is_behind in lines if is_behind]
    front = [text for text, is_behind in lines if not is_behind] if behind else [text for text, _ in lines]
    return "\n".join([*head, *front, *([DIVIDER, *behind] if behind else []), *tail])


def _fitting(entries: Sequence[Entry], costs: Sequence[int], left: int) -> list[bool]:
    """The best until one does not fit: what is left out never matters more than what is kept."""
    kept: list[int] = []
    for i in (i for rank in RANKS for i, entry in enumerate(entries) if entry.rank == rank):
        left -= costs[i]
        if left < 0:
            break
        kept.append(i)
    while kept and entries[kept[-1]].holds:  # a container without anything in it would look empty
        kept.pop()
    chosen = set(kept)
    return [i in chosen for i in range(len(entries))]


def _tail(left: Sequence[tuple[str, str]]) -> str:
    """`… 37 more: 12 below, 25 text; scroll`."""
    tally = Tally(kind for _, kind in left)
    parts = ", ".join(f"{tally[kind]} {kind}" for kind in (*KINDS, REMOVED) if tally[kind])
    return f"… {len(left)} more: {parts}{'; scroll' if _SCROLLED & tally.keys() else ''}"


BUDGET = 4_000
"""Tokens, where none are named."""
WINDOWS = 12
_TITLE = 60
NO_SIGNS: Mapping[int, str] = {}


def whole_form(
    state: VisualState, *, budget: int | None = BUDGET, count: Counter = estimate_tokens, style: Style | None = None
) -> Form:
    """Every element of `state`: on a line, folded, or counted in the tail where the budget is spent. None is no budget."""
    style = style or Style()
    lines, folded, _ = lines_of(state, style)
    form = keep(_head(state, style, len(folded)), excerpt(state, lines, range(len(lines))), budget, count)
    return form._replace(folded=names(state, folded))


def _head(state: VisualState, style: Style, folded: int) -> list[str]:
    said = f"{len(state.elements)} elements" + (f" ({folded} folded)" if folded else "")
    width, height = state.screen_resolution
    first = f"# screen {width}x{height}, {about(state)}: {said}"
    if style.ids != "all":  # in brief: the application where no window says it
        told = not state.app or any(window.focused and window.app == state.app for window in state.windows)
        brief = ([] if told else [f"app {word(str(state.app))}"]) + ["loading"] * state.loading
        first = f"# {', '.join(brief)}" if brief else ""
    return [*filter(None, [first]), *windows(state), *above_all(state)]


_WRITTEN: dict[tuple[object, ...], tuple[VisualState, str]] = {}
"""The latest screens and what was said of them, because they come again: a window is left and entered, waiting shows nothing new.
A screen is known by its very elements: its JSON costs more than its text."""


def prompt_form(state: VisualState) -> str:
    """The text of the whole form, without a budget."""
    parts = (*map(id, state.elements), id(state.windows), state.app, state.modal, state.loading, state.screen_resolution)
    written = _WRITTEN.get(parts)
    if written is None:
        if len(_WRITTEN) >= 64:
            _WRITTEN.clear()
        lines, folded, texts = lines_of(state, Style())
        head = _head(state, Style(), len(folded))
        behind = [*zip(texts, (line.place.behind for line in lines), strict=True)] if state.modal is not None else []
        text = _joined(head, behind) if behind else "\n".join([*head, *texts])
        written = _WRITTEN[parts] = state, text
    return written[1]


def excerpt(
    state: VisualState, lines: Sequence[ElementLine], chosen: Sequence[int], signs: Mapping[int, str] = NO_SIGNS
) -> list[Entry]:
    """Some of the lines."""
    holders = {lines[i].parent for i in chosen}
    around = zip(chosen, surrounded(state, lines, chosen), strict=True)
    texts = [(i, f"{signs.get(i, '')}{lead}{lines[i].said.text}{where}") for i, (lead, where) in around]
    return [Entry(text, lines[i].rank, lines[i].said.stands_for, lines[i].place.behind, i in holders) for i, text in texts]


def names(state: VisualState, members: Sequence[int]) -> tuple[str, ...]:
    return tuple(state.elements[i].element_id for i in members)


def about(state: VisualState) -> str:
    app = f"app {word(state.app)}, " if state.app else ""
    return f"{app}state {state.state_id}" + (", loading" if state.loading else "")


def windows(state: VisualState) -> list[str]:
    """One line for all windows: by the app, which is what to switch to, and by its id where an app has several."""
    if not state.windows:
        return []
    apps = [window.app for window in state.windows]
    shown = []
    for window in state.windows[:WINDOWS]:
        name = word(window.window_id if apps.count(window.app) > 1 else window.app)
        title = "" if window.title.casefold() in (window.app.casefold(), "") else f" {quoted(window.title, _TITLE)}"
        shown.append(name + title + " [focused]" * window.focused + " [minimized]" * window.minimized)
    more = len(apps) - WINDOWS
    return [f"# windows: {', '.join(shown)}" + (f" …(+{more})" if more > 0 else "")]


def above_all(state: VisualState) -> list[str]:
    """The dialog that takes all input; what else there is stands behind it."""
    if state.modal is None:
        return []
    return [f"# dialog {word(state.modal)} takes all input" + ("" if state.modal in state.by_id else ", but is not listed")]
