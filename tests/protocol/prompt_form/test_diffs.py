"""Whoever reads the diffs knows the screen."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from written.screens import button, calm

from protocol import GUIElement, VisualState
from protocol.prompt_form import Form, diff_form, whole_form


def test_a_screen_that_is_the_same_says_so() -> None:
    state = VisualState(elements=(button(1), button(2)))
    assert diff_form(state, state).text == f"# state {state.state_id}, after {state.state_id}: nothing changed, 2 unchanged"


def test_a_diff_tells_only_what_changed() -> None:
    table = [button(n, f"Name {n}", track_id=f"t{n}") for n in range(10)]
    old = VisualState(elements=(*table, button(90, "Old", role="list"), button(91, "Item", parent="e90")), app="mail")
    new = VisualState(
        elements=(*table[:4], table[4].model_copy(update={"enabled": False}), *table[5:], button(80, "New", role="alert")),
        app="mail",
        loading=True,
    )
    assert diff_form(old, new).text.splitlines() == [
        f"# app mail, state {new.state_id}, loading, after {old.state_id}: 1 changed, 1 added, 2 removed, 9 unchanged",
        '- e90 list "Old" and 1 in it',
        '~ e4 button "Name 4" [disabled]',
        '+ e80 alert "New"',
    ]


def test_an_element_that_got_another_id_is_told_with_the_old_one() -> None:
    old = VisualState(elements=tuple(button(n, f"Name {n}", track_id=f"t{n}") for n in range(10)))
    new = old.model_copy(update={"elements": (*old.elements[:9], old.elements[9].model_copy(update={"element_id": "x"}))})
    assert diff_form(old, new).text.splitlines()[1:] == ['~ x button "Name 9" @50,110 (was e9)']


def test_most_of_a_screen_changed_or_moved_gives_the_whole_form() -> None:
    old = VisualState(elements=tuple(button(n, f"Name {n}") for n in range(10)))
    renamed = tuple(e.model_copy(update={"text": "x"}) if n < 6 else e for n, e in enumerate(old.elements))
    for new in (
        VisualState(elements=renamed),
        VisualState(elements=old.elements[::-1]),
        old.model_copy(update={"screen_resolution": (9, 9)}),
    ):
        assert diff_form(old, new) == whole_form(new)


def test_a_dialog_that_opens_and_closes() -> None:
    desk = tuple(button(n, f"Name {n}") for n in range(10))
    dialog = (button(20, "Sure?", role="dialog"), button(21, "Yes", parent="e20"))
    shut, opened = VisualState(elements=desk), VisualState(elements=(*desk, *dialog), modal="e20")
    assert diff_form(shut, opened).text.splitlines()[1:] == [
        "# dialog e20 takes all input",
        '+ e20 dialog "Sure?" [modal]',
        '+  e21 button "Yes" @50,110',
    ]
    assert diff_form(opened, shut).text.splitlines()[1:] == [
        "# no dialog takes the input any more",
        '- e20 dialog "Sure?" and 1 in it',
    ]


class Reader:
    """Knows a screen from its whole form, and follows it by diffs: id to line, and id to container."""

    def __init__(self, form: Form) -> None:
        self.said: dict[str, str] = {}
        self.within: dict[str, str] = {}
        self._read([line for line in form.text.splitlines() if not line.startswith("#")])

    def _read(self, told: list[str]) -> None:
        path: list[str] = []
        for line in told:
            text = line.lstrip(" ")
            name = text.split(" ")[0]
            path = [*path[: len(line) - len(text)], name]
            text, _, alone = text.partition(" in ") if re.search(r" in e\d+$", text) else (text, "", "")
            self.said[name] = text
            self.within.pop(name, None)
            if alone or len(path) > 1:
                self.within[name] = alone or path[-2]

    def forget(self, name: str, *, deep: bool) -> None:
        self.said.pop(name, None)
        inner = [inside for inside, around in self.within.items() if around == name]
        self.within.pop(name, None)
        if deep:
            for inside in inner:
                self.forget(inside, deep=True)

    def follow(self, form: Form) -> None:
        if form.whole:
            self.__init__(form)  # type: ignore[misc]
            return
        told = [line for line in form.text.splitlines() if not line.startswith("#")]
        renamed: dict[str, str] = {}
        fresh = []
        for line in told:
            name = line[2:].split()[0]
            if line.startswith("- "):
                self.forget(name, deep=True)
                continue
            match = re.search(r" \(was (\S+)\)$", line)
            fresh.append(line[2 : match.start() if match else None])
            before = match[1] if match else name
            if line.startswith("~ "):
                self.forget(before, deep=False)
                renamed[before] = name
        self.within = {name: renamed.get(around, around) for name, around in self.within.items()}
        self._read(fresh)


plain_states = st.lists(
    st.tuples(
        st.integers(0, 11),
        st.sampled_from(["button", "text", "row", "cell", "group", "list", "textbox"]),
        st.sampled_from(["Save", "Name", "Total", ""]),
        st.one_of(st.none(), st.integers(0, 11)),
        st.booleans(),
    ),
    max_size=12,
    unique_by=lambda part: part[0],
)


def numbered(parts: list[tuple[int, str, str, int | None, bool]]) -> VisualState:
    """Ids by position, so that they shift; tracks by what the thing is."""
    parts = sorted(parts)
    ids = {track: f"e{n}" for n, (track, *_) in enumerate(parts)}
    return VisualState(
        elements=tuple(
            GUIElement(
                element_id=ids[track],
                track_id=f"t{track}",
                role=role,
                text=text,
                enabled=enabled,
                parent=ids.get(parent) if parent is not None and parent < track else None,
            )
            for track, role, text, parent, enabled in parts
        )
    )


@settings(calm)
@given(plain_states, st.lists(plain_states, max_size=2), st.integers(0, 11), st.sampled_from(["Save", "Other"]))
def test_whoever_reads_the_diffs_knows_the_screen(first: Any, others: list[Any], touched: int, text: str) -> None:
    """Starting from one whole form, each diff leads to what the whole form of that state says."""
    small = [(track, role, text if track == touched else name, parent, on) for track, role, name, parent, on in first]
    less = [part for part in small if part[0] != (touched + 5) % 12]
    old = numbered(first)
    reader = Reader(whole_form(old))
    for parts in (small, less, *others, first):
        new = numbered(parts)
        reader.follow(diff_form(old, new))
        straight = Reader(whole_form(new))
        assert reader.said == straight.said
        assert reader.within == straight.within
        old = new
