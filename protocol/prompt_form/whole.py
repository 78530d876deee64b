"""All of a screen, and what of it some words find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol.model.elements import VisualState, Window
from protocol.prompt_form.budget import Counter, Entry, Form, estimate_tokens, ids, keep
from protocol.prompt_form.element_text import FULL, Style, escaped, quoted, word
from protocol.prompt_form.lines import ElementLine, lines_of

BUDGET = 4_000
"""Tokens, where none are named."""
WINDOWS = 12
DEEPEST = 12
"""What lies deeper is not indented further, so that a line stays short; it names its container."""
_TITLE = 60
NO_SIGNS: Mapping[int, str] = {}


def whole_form(
    state: VisualState, *, budget: int | None = BUDGET, count: Counter = estimate_tokens, style: Style | None = None
) -> Form:
    """Every element of `state`: on a line, folded, or counted in the tail where the budget is spent. None is no budget."""
    lines, folded = lines_of(state, style or Style())
    said = f"{len(state.elements)} elements" + (f" ({len(folded)} folded)" if folded else "")
    head = [f"# screen {size(state)}, {about(state)}: {said}", *windows(state), *above_all(state)]
    kept = keep(head, excerpt(state, lines, range(len(lines))), budget, count)
    return Form(kept.text, kept.tokens, ids(kept.written), names(state, folded), ids(kept.left_out))


def prompt_form(state: VisualState) -> str:
    """The text of the whole form, without a budget."""
    return whole_form(state, budget=None).text


def query_form(
    state: VisualState,
    words: str,
    *,
    budget: int | None = BUDGET,
    count: Counter = estimate_tokens,
    style: Style = FULL,
) -> Form:
    """The lines that hold all of `words`, in any order and any case, with texts nearly whole. An element's id finds it alone
    and all that stands in it; so do the marks and roles that a line holds: `disabled button`, `below`.
    """
    lines, folded = lines_of(state, style)
    chosen = _found(state, lines, words)
    about_all = [i for i in range(len(lines)) if i not in chosen]
    found = sum(len(lines[i].members) for i in chosen)
    head = [f"# query {quoted(words, _TITLE)}, state {state.state_id}: {found} of {len(state.elements)} elements"]
    kept = keep(head, excerpt(state, lines, sorted(chosen)), budget, count)
    others = tuple(name for i in about_all for name in names(state, lines[i].members))
    return Form(kept.text, kept.tokens, ids(kept.written), names(state, folded), ids(kept.left_out), others, whole=False)


def _found(state: VisualState, lines: Sequence[ElementLine], words: str) -> set[int]:
    wanted = [escaped(part).casefold() for part in words.split()]
    by_id = {i for i, line in enumerate(lines) if words.strip() in names(state, line.members)}
    if by_id:
        for i, line in enumerate(lines):
            if line.parent in by_id:
                by_id.add(i)
        return by_id
    return {i for i, line in enumerate(lines) if wanted and all(part in line.text.casefold() for part in wanted)}


def excerpt(
    state: VisualState, lines: Sequence[ElementLine], chosen: Sequence[int], signs: Mapping[int, str] = NO_SIGNS
) -> list[Entry]:
    """Some of the lines, indented below their container where it is written right above them, and else naming it."""
    path: list[int] = []
    entries: list[Entry] = []
    holders = {lines[i].parent for i in chosen}
    for i in chosen:
        line = lines[i]
        while path and path[-1] != line.parent:
            path.pop()
        alone = line.parent >= 0 and not 0 < len(path) <= DEEPEST
        where = f" in {word(state.elements[lines[line.parent].members[0]].element_id)}" if alone else ""
        text = f"{signs.get(i, '')}{' ' * min(len(path), DEEPEST)}{line.text}{where}"
        entries.append(Entry(text, line.rank, stands_for(state, line), line.behind, i in holders))
        path.append(i)
    return entries


def stands_for(state: VisualState, line: ElementLine) -> tuple[tuple[str, str], ...]:
    return tuple(zip(names(state, line.members), line.kinds, strict=True))


def names(state: VisualState, members: Sequence[int]) -> tuple[str, ...]:
    return tuple(state.elements[i].element_id for i in members)


def size(state: VisualState) -> str:
    return f"{state.screen_resolution[0]}x{state.screen_resolution[1]}"


def about(state: VisualState) -> str:
    app = f"app {word(state.app)}, " if state.app else ""
    return f"{app}state {state.state_id}" + (", loading" if state.loading else "")


def windows(state: VisualState) -> list[str]:
    """One line for all windows: by the app, which is what to switch to, and by its id where an app has several."""
    if not state.windows:
        return []
    apps = [window.app for window in state.windows]
    shown = [_window(window, apps.count(window.app) > 1) for window in state.windows[:WINDOWS]]
    more = len(apps) - WINDOWS
    return [f"# windows: {', '.join(shown)}" + (f" …(+{more})" if more > 0 else "")]


def _window(window: Window, by_id: bool) -> str:
    name = word(window.window_id if by_id else window.app)
    title = "" if window.title.casefold() in (window.app.casefold(), "") else f" {quoted(window.title, _TITLE)}"
    return name + title + " [focused]" * window.focused + " [minimized]" * window.minimized


def above_all(state: VisualState) -> list[str]:
    """The dialog that takes all input; what else there is stands behind it."""
    if state.modal is None:
        return []
    return [f"# dialog {word(state.modal)} takes all input" + ("" if state.modal in state.by_id else ", but is not listed")]
