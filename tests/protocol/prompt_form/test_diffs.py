"""Queries find what their words say, and whoever reads the diffs knows the screen."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from written.screens import button, calm, counted, office

from protocol import GUIElement, VisualState
from protocol.prompt_form import Form, diff_form, query_form, whole_form


def test_a_query_finds_all_words_in_any_order_and_case() -> None:
    state = VisualState(elements=(button(1, "Delete account"), button(2, "delete note", enabled=False), button(3, "Keep")))
    assert query_form(state, "ACCOUNT delete").written == ("e1",)
    assert query_form(state, "delete").written == ("e1", "e2")
    assert query_form(state, "disabled button").written == ("e2",)
    assert query_form(state, "nothing like it").text.endswith("0 of 3 elements")
    assert query_form(state, " ").written == ()


def test_a_query_by_id_gives_the_element_and_what_it_holds() -> None:
    shown = (button(1, role="form"), button(2, "A", parent="e1"), button(3, "B", parent="e2"), button(4, "e1"))
    assert query_form(VisualState(elements=shown), "e1").written == ("e1", "e2", "e3")


def test_a_query_names_the_container_and_gives_long_texts_whole() -> None:
    long = "word " * 200
    shown = (button(1, role="form"), button(2, long + "needle", role="text", parent="e1"))
    form = query_form(VisualState(elements=shown), "needle")
    assert form.text.splitlines()[1] == f'e2 text "{long}needle" in e1'


def test_an_indented_line_always_stands_in_the_line_above_it() -> None:
    """The first and the last line found stand in e1; the one between them stands in e3, which is not found."""
    shown = (
        button(1, "find me", role="form"),
        button(2, "find me too", parent="e1"),
        button(3, "Box", role="form", parent="e1"),
        button(4, "find this", parent="e3"),
        button(5, "find that", parent="e1"),
    )
    lines = query_form(VisualState(elements=shown), "find").text.splitlines()[1:]
    assert [re.sub(r'".*?"( @\S+)?', "-", line) for line in lines] == [
        "e1 form -",
        " e2 button -",
        "e4 button - in e3",
        "e5 button - in e1",
    ]


def test_a_query_over_its_budget_counts_the_rest() -> None:
    state = VisualState(elements=tuple(button(n) for n in range(100)))
    form = query_form(state, "save", budget=100)
    assert form.left_out
    assert counted(form) == len(form.left_out)


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


def test_reading_the_office_by_diffs_ends_at_the_same_screen() -> None:
    seen = office()
    reader = Reader(whole_form(seen[0]))
    for old, new in pairwise(seen):
        reader.follow(diff_form(old, new))
        assert reader.said == Reader(whole_form(new)).said
