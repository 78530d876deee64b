"""From widgets to pixels."""

from __future__ import annotations

from environments.simulated.layout import Area, element_of, place
from environments.simulated.widgets import (
    Widget,
    bar,
    button,
    cell,
    form,
    heading,
    link,
    listing,
    pair,
    renamed,
    row,
    table,
    tabs,
    text,
    textbox,
)

AREA = Area(0, 0, 400, (0, 200))


def nodes(*widgets: Widget):
    return place(widgets, "app", AREA)[0]


def test_things_stand_below_each_other_in_reading_order():
    placed = nodes(heading("One"), text("two"), form("f", textbox("Three", "three"), submit=""))
    tops = [node.box[1] for node in placed if not node.widget.children]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3


def test_leaves_do_not_overlap():
    rows = [row(f"r{n}", cell("a" * n), cell("b")) for n in range(5)]
    wide = bar(*(button(f"Button number {n}") for n in range(9)))
    leaves = [n.box for n in nodes(heading("H"), wide, table("t", ("A", "B"), rows), pair("L", "V")) if not n.widget.children]
    for i, a in enumerate(leaves):
        assert a[2] <= 400
        for b in leaves[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_containers_enclose_their_children():
    placed = nodes(form("f", bar(button("A"), button("B"), key="x"), textbox("C", "c", multiline=True), submit="a"))
    for node in placed:
        if node.above is not None:
            outer = placed[node.above].box
            assert outer[0] <= node.box[0]
            assert outer[1] <= node.box[1]
            assert outer[2] >= node.box[2]
            assert outer[3] >= node.box[3]


def test_track_ids_are_unique_and_readable():
    tracks = [node.track_id for node in nodes(text("Same"), text("Same"), listing("l", [link("Same", "k"), link("Same", "k")]))]
    assert tracks[:2] == ["app.text-same", "app.text-same-2"]
    assert len(set(tracks)) == len(tracks)


def test_a_chosen_tab_is_selected():
    chosen = [n.widget.text for n in nodes(tabs("t", ("General", "More"), "More")) if n.widget.selected]
    assert chosen == ["More"]


def test_long_text_wraps_and_pushes_what_follows_down():
    short, long = nodes(text("x"), button("B")), nodes(text("x" * 400), button("B"))
    assert long[1].box[1] > short[1].box[1]


def test_what_lies_outside_the_clip_is_not_visible():
    placed = nodes(*(text(f"line {n}") for n in range(20)))
    elements = [element_of(node, n, None, (0, 200), "", "app") for n, node in enumerate(placed)]
    shown = [e.visible for e in elements]
    assert shown == sorted(shown, reverse=True)
    assert 0 < sum(shown) < 20
    assert all(e.bbox.y2 <= 200 for e in elements if e.visible)


def test_renaming_reaches_every_depth():
    tree = renamed(form("f", bar(button("Save")), submit="save"), {"Save": "Keep"})
    assert tree.children[0].children[0].text == "Keep"
    assert tree.children[0].children[0].key == "save"
