"""What is chosen after any clicks, and what a tree shows after any folding."""

import random
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.app import Expanded, Setting
from environments.simulated.apps.common.record_list import picked, stepped
from environments.simulated.apps.documents.files.app import ROOT, Files, parent
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
