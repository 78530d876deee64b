"""What changed between two screens: `+` is new, `~` is said anew, `-` is gone; the rest is counted."""

from collections import Counter as Tally
from collections.abc import Mapping
from typing import NamedTuple

from protocol.model.elements import VisualState
from protocol.prompt_form import budget as forms
from protocol.prompt_form.element_text import Style, label, word
from protocol.prompt_form.lines import IN_FRONT, ElementLine, lines_of

_GONE = Style(name=40, text=40)

Key = tuple[str, str, int]
"""What an element is known by in both states: its track_id, or its element_id where it has none; and which one of several."""
_Said = tuple[Key | None, tuple[tuple[Key, str], ...]]
"""A line as it was said: its container, and every element on it in words."""


class _View(NamedTuple):
    """A state with its lines and the keys of its elements, in the state's order."""

    state: VisualState
    lines: list[ElementLine]
    folded: list[int]
    keys: list[Key]

    def head(self, line: ElementLine) -> Key:
        return self.keys[line.members[0]]

    def said(self, line: ElementLine) -> _Said:
        within = self.head(self.lines[line.parent]) if line.parent >= 0 else None
        return within, tuple(zip((self.keys[m] for m in line.members), line.said.pieces, strict=True))


def diff_form(
    previous: VisualState,
    state: VisualState,
    *,
    budget: int | None = forms.BUDGET,
    count: forms.Counter = forms.estimate_tokens,
    style: Style | None = None,
) -> forms.Form:
    """The lines of `state` that are not as `previous` had them, and what is gone; all of `state` instead where more than half
    of the elements are not as they were, or where they stand in another order.

    A line is unchanged when every element on it is said in the same words, in the same container. What was said and is folded
    now counts as removed. What a whole form left out for its budget stays left out.
    """
    old, new = _view(previous, style or Style()), _view(state, style or Style())
    # The lines that are not as they were, in order
    said = {old.head(line): old.said(line) for line in old.lines}
    known = {old.keys[m] for line in old.lines for m in line.members}
    signs = {
        i: "~ " if new.head(line) in known else "+ "
        for i, line in enumerate(new.lines)
        if said.get(new.head(line)) != new.said(line)
    }
    still = {new.keys[m] for line in new.lines for m in line.members}
    gone = {m for line in old.lines for m in line.members if old.keys[m] not in still}
    said_anew = sum(len(new.lines[i].members) for i in signs)
    if 2 * (said_anew + len(gone)) > max(len(old.keys), len(new.keys)) or _rearranged(old, new):
        return forms.whole_form(state, budget=budget, count=count, style=style)
    head = _head(old, new, signs, len(gone))[(style or Style()).ids != "all" :]
    form = forms.keep(head, [*_removed(old, gone), *_written(old, new, signs)], budget, count)
    unchanged = forms.names(state, [m for i, line in enumerate(new.lines) if i not in signs for m in line.members])
    return form._replace(folded=forms.names(state, new.folded), others=unchanged, whole=False)


def _view(state: VisualState, style: Style) -> _View:
    times: Tally[tuple[str, str]] = Tally()
    keys: list[Key] = []
    for element in state.elements:
        kind, name = ("element", element.element_id) if element.track_id is None else ("track", element.track_id)
        keys.append((kind, name, times[kind, name]))
        times[kind, name] += 1
    return _View(state, *lines_of(state, style)[:2], keys)


def _rearranged(old: _View, new: _View) -> bool:
    """Whether the screen has another size, lines that are in both stand in another order, or one is now a part of another."""
    place = {old.head(line): i for i, line in enumerate(old.lines)}
    places = [place[new.head(line)] for line in new.lines if new.head(line) in place]
    joined = any(new.keys[m] in place for line in new.lines for m in line.members[1:])
    return old.state.screen_resolution != new.state.screen_resolution or places != sorted(places) or joined


def _head(old: _View, new: _View, signs: Mapping[int, str], removed: int) -> list[str]:
    sizes = Tally({sign: 0 for sign in ("~ ", "+ ")})
    for i, sign in signs.items():
        sizes[sign] += len(new.lines[i].members)
    unchanged = len(new.keys) - len(new.folded) - sizes.total()
    counts = {"changed": sizes["~ "], "added": sizes["+ "], "removed": removed, "unchanged": unchanged, "folded": len(new.folded)}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    same = "" if signs or removed else "nothing changed, "
    said = [f"# {forms.about(new.state)}, after {old.state.state_id}: {same}{told}"]
    if new.state.windows != old.state.windows:
        said += forms.windows(new.state) or ["# windows: none"]
    if old.state.modal is not None and new.state.modal is None:
        said.append("# no dialog takes the input any more")
    return [*said, *forms.above_all(new.state)]


def _written(old: _View, new: _View, signs: Mapping[int, str]) -> list[forms.Entry]:
    """The lines that are said anew; one whose element had another id before tells which."""
    before = dict(zip(old.keys, (element.element_id for element in old.state.elements), strict=True))
    entries = []
    for i, entry in zip(signs, forms.excerpt(new.state, new.lines, list(signs), signs), strict=True):
        was, now = before.get(new.head(new.lines[i])), entry.stands_for[0][0]
        entries.append(entry if was in (None, now) else entry._replace(text=f"{entry.text} (was {word(was)})"))
    return entries


def _removed(old: _View, gone: set[int]) -> list[forms.Entry]:
    """One line for each thing that is gone, with what was in it."""
    called = lines_of(old.state, _GONE, label).lines if gone else []
    top: dict[int, int] = {}
    told: dict[int, list[int]] = {}
    for i, line in enumerate(old.lines):
        head = line.members[0]
        if head in gone:
            top[i] = top.get(line.parent, head)
        for m in line.members:
            if m in gone:
                told.setdefault(top.get(i, m), []).append(m)
    words = {m: text for line in called for m, text in zip(line.members, line.said.pieces, strict=True)}
    return [
        forms.Entry(
            f"- {words[first]}" + (f" and {len(members) - 1} in it" if len(members) > 1 else ""),
            IN_FRONT,
            tuple((name, forms.REMOVED) for name in forms.names(old.state, members)),
        )
        for first, members in told.items()
    ]
