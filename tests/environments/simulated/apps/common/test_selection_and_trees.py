"""What is chosen after any clicks, what a tree shows after any folding, and what undoing a change of files gives back."""

from __future__ import annotations

import random
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.app import Answered, Expanded, Pressed, Setting, Shortcut
from environments.simulated.apps.common.record_list import Sheet, date_field, leafed, picked, stepped
from environments.simulated.apps.documents.files.app import Files
from environments.simulated.apps.documents.files.state import ROOT, parent
from environments.simulated.screen.screen import MOST, proposals, taken
from environments.simulated.screen.widgets import textbox
from environments.simulated.world.values import SharedPeople

ORDER = tuple("abcdefg")
CLICKS = st.lists(st.tuples(st.sampled_from(ORDER), st.sampled_from([(), ("Shift",), ("Control",), ("Meta",)])), max_size=12)
TREE = {"/a/b/c/x.txt": "1", "/a/d/y.txt": "2", "/e/z.txt": "3", "/w.txt": "4"}


def files(**content):
    cast = SharedPeople(user="Mara Lind", people=("Ada Weber",), vendors=("Northwind",), today=date(2026, 3, 10))
    return Files().initial({"files": TREE, **content}, Setting(random.Random(1), cast))


@given(CLICKS)
def test_what_is_chosen_is_there_once_and_holds_what_was_clicked(clicks):
    chosen = ()
    for key, held in clicks:
        before = chosen
        chosen = picked(ORDER, chosen, key, held)
        assert len(set(chosen)) == len(chosen)
        assert set(chosen) <= set(ORDER)
        if not held:
            assert chosen == (key,)
        elif "Shift" in held:
            places = sorted(ORDER.index(name) for name in chosen)
            assert places == list(range(places[0], places[-1] + 1))
            assert key in chosen
        else:
            assert (key in chosen) != (key in before)


@given(st.lists(st.sampled_from([1, -1]), max_size=20))
def test_stepping_stays_within_the_rows(steps):
    chosen = ()
    for way in steps:
        chosen = stepped(ORDER, chosen, way)
        assert len(chosen) == 1
        assert chosen[0] in ORDER
    assert stepped((), chosen, 1) == ()


@given(st.lists(st.tuples(st.sampled_from(["/", "/a", "/a/b", "/a/d", "/e"]), st.booleans()), max_size=12))
def test_a_tree_shows_a_folder_exactly_when_none_above_it_is_folded(folding):
    app, state = Files(), files()
    for path, expanded in folding:
        state = app.update(state, Expanded(f"folder:{path}", expanded)).state
    shown = state.branches()
    for path in state.folders():
        above = []
        here = path
        while here != ROOT:
            here = parent(here)
            above.append(here)
        assert (path in shown) == (not set(above) & set(state.folded))


CHANGES = st.sampled_from(["delete", "rename", "move", "copy", "new-folder"])


@given(st.lists(st.tuples(CHANGES, st.sampled_from(["/a", "/a/b", "/a/d/y.txt", "/e", "/w.txt"]), st.sampled_from(["/", "/e"])),
                max_size=6))  # fmt: skip
def test_undoing_everything_gives_the_first_tree_back(changes):
    app, state = Files(), files()
    first = dict(state.entries)
    for key, path, goal in changes:
        if path not in state.entries:
            continue
        state = app.update(state, Pressed(f"entry:{path}")).state.model_copy(update={"selected": (path,)})
        state = app.update(state, Answered(key, "OK", {"name": "other", "folder": goal})).state
    while state.undo:
        state = app.update(state, Shortcut("Control+z")).state
    assert state.entries == first


@given(st.text("anbo ,;@", max_size=12), st.lists(st.text("anbo@", min_size=1, max_size=6), max_size=9, unique=True))
def test_what_is_proposed_fits_what_was_written_last_and_takes_its_place(value, options):
    field = textbox("To", "to", value)._replace(options=tuple(options))
    found = proposals(field)
    assert len(found) <= MOST
    last = value.replace(";", ",").rpartition(",")[2].strip()
    for option in found:
        assert option in options
        assert last in option
        after = taken(value, option)
        assert after.endswith(option)
        assert after.startswith(value[: len(value) - len(value.replace(";", ",").rpartition(",")[2])])
        assert proposals(field._replace(value=after)) == ()


@given(st.lists(st.sampled_from(["earlier", "later", "pick"]), max_size=30), st.dates().map(str))
def test_a_sheet_can_be_leafed_through_from_any_day(steps, day):
    sheet: Sheet | None = None
    for step in ("pick", *steps):
        turned = leafed(sheet, Pressed(f"day.{step}"), {"day": day}, "2026-03-10")
        if turned is not None:
            assert turned.day == ""
            sheet = turned.sheet
        if sheet:
            cells = _cells(date_field("Day", "day", day, sheet))
            assert 28 <= sum(cell.enabled for cell in cells) <= 31
            assert len(cells) % 7 == 0


def _cells(widget):
    own = [widget] if widget.role == "gridcell" else []
    return own + [cell for child in widget.children for cell in _cells(child)]
