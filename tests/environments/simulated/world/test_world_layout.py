"""From widgets to pixels."""

from environments.simulated.screen.elements import Area, Pane, place, show
from environments.simulated.screen.widgets import Widget, bar, button, form, heading, pair, text, textbox
from environments.simulated.variation.metrics import Variation, metrics_for

AREA = Area(0, 0, 400, (0, 200))


def nodes(*widgets: Widget):
    return place(widgets, "app", AREA)[0]


def test_what_floats_takes_no_room_and_covers_what_lies_below():
    menu = Widget("menu", None, "menu", children=(button("Open"), button("Delete")), floats=True)
    placed = nodes(button("File"), menu, textbox("Name", "name"))
    without = nodes(button("File"), textbox("Name", "name"))
    assert placed[-1].box == without[-1].box
    shown = {s.name: s for s in show(placed, Pane("app", (0, 0, 400, 200)), 1)}
    assert shown["Open"].element.visible
    assert shown["Open"].lift == 1
    assert not shown["Name"].covered, "the field is wider than the menu: a pointer finds a free place on it"
    wide = Widget("menu", None, "menu", children=(text("x" * 60),) * 2, floats=True)
    hidden = {s.name: s for s in show(nodes(button("File"), wide, textbox("Name", "name")), Pane("app", (0, 0, 400, 200)), 1)}
    assert hidden["Name"].covered
    assert not hidden["Name"].element.visible


def test_a_wide_layout_puts_fields_side_by_side():
    fields = form("f", textbox("A", "a"), textbox("B", "b"), text("between"), textbox("C", "c"), submit="")
    placed = place((fields,), "app", Area(0, 0, 800, (0, 400)), metrics_for(Variation(layout="wide")))[0]
    boxes = {node.widget.text: node.box for node in placed}
    assert boxes["A"][1] == boxes["B"][1]
    assert boxes["A"][2] <= boxes["B"][0]
    assert boxes["between"][1] >= boxes["A"][3]
    assert boxes["C"][1] >= boxes["between"][3]
    assert placed[0].box[3] == max(box[3] for box in boxes.values())


def test_a_mirrored_layout_is_the_usual_one_seen_in_a_mirror():
    things = (heading("H"), bar(button("A"), button("B")), pair("L", "V"))
    usual = place(things, "app", AREA)[0]
    mirrored = place(things, "app", AREA, metrics_for(Variation(layout="mirrored")))[0]
    assert [(400 - n.box[2], n.box[1], 400 - n.box[0], n.box[3]) for n in usual] == [n.box for n in mirrored]


def test_a_name_says_where_it_comes_from():
    fields = (textbox("For", "a"), textbox("Near", "b")._replace(label="near"), textbox("None", "c")._replace(label="none"))
    icon = button("Delete", "row-3.delete")._replace(label="none")
    seen = [s.element for s in show(nodes(*fields, icon), Pane("app", (0, 0, 400, 400)), 1)]
    assert [(e.text, e.name_source) for e in seen] == [
        ("For", "label"), ("Near", "nearby"), (None, None), ("delete", "class"),
    ]  # fmt: skip
