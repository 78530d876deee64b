"""How an element, a container and a screen are written, and what is folded."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.screens import anything, button, calm, elements, states, written

from protocol import BoundingBox, GUIElement, VisualState, Window
from protocol.prompt_form import Style, diff_form, lines, prompt_form, whole_form


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, 'e1 button "Save" @50,110'),
        ({"enabled": False, "focused": True}, 'e1 button "Save" [disabled] [focused]'),
        ({"role": "textbox", "value": "a"}, 'e1 textbox "Save" = "a" @50,110'),
        ({"role": "textbox", "value": "", "placeholder": "dd.mm."}, 'e1 textbox "Save" = "" hint "dd.mm." @50,110'),
        ({"role": "textbox", "value": "", "placeholder": "Save"}, 'e1 textbox "Save" = "" @50,110'),
        ({"role": "textbox", "value": "s3cret", "private": True}, 'e1 textbox "Save" = (hidden) [private] @50,110'),
        ({"role": "textbox", "value": "", "private": True}, 'e1 textbox "Save" = "" [private] @50,110'),
        ({"role": "password text", "value": "s3cret"}, 'e1 role="password text" "Save" = (hidden) [private] @50,110'),
        ({"role": "checkbox", "value": "true"}, 'e1 checkbox "Save" [checked] @50,110'),
        ({"role": "checkbox", "value": "false"}, 'e1 checkbox "Save" [unchecked] @50,110'),
        ({"role": "treeitem", "expanded": False, "level": 2}, 'e1 treeitem "Save" [collapsed] [level 2] @50,110'),
        ({"role": "slider", "value": "3", "limits": (0, 10, 0.5)}, 'e1 slider "Save" = "3" from 0 to 10 by 0.5 @50,110'),
        ({"role": "tab", "selected": True, "invalid": True}, 'e1 tab "Save" [selected] [invalid] @50,110'),
        ({"role": "tab", "required": True}, 'e1 tab "Save" [required] @50,110'),
        ({"role": "combobox", "value": "A", "options": ("A", "B")}, 'e1 combobox "Save" = "A" options "A", "B" @50,110'),
        ({"role": "text"}, 'e1 text "Save"'),
        ({"visible": False}, 'e1 button "Save" [hidden]'),
        ({"confidence": 0.3}, 'e1 button "Save" [unsure] @50,110'),
        ({"role": None, "tag": "icon"}, 'e1 icon "Save" @50,110'),
        ({"role": None, "bbox": None, "text": None}, "e1 element"),
        ({"text": "x" * 100}, f'e1 button "{"x" * 80}"…(+20) @50,110'),
        ({"element_id": "a b"}, '"a b" button "Save" @50,110'),
        ({"role": "combobox", "options": ("n",) * 20}, 'e1 combobox "Save" options ' + '"n", ' * 11 + '"n" …(+8) @50,110'),
    ],
)  # fmt: skip
def test_an_element_in_one_line(more: dict[str, Any], line: str) -> None:
    assert written(button(1, **more)) == [line]


def test_style_changes_lengths_and_points() -> None:
    state = VisualState(elements=(button(1, "Save all"), button(2, "Read me", role="text")))
    assert '"Save"…(+4)\n' in whole_form(state, style=Style(name=4, points="none")).text
    assert 'e2 text "Read me" @50,110' in whole_form(state, style=Style(points="all")).text


def test_style_leaves_out_the_ids_of_what_nobody_acts_on_and_then_the_head() -> None:
    state = VisualState(
        app="mail",
        elements=(
            button(1, "Inbox", role="heading"),
            GUIElement(element_id="r", role="row"),
            GUIElement(element_id="c1", role="cell", text="Ann", parent="r"),
            button(5, "Lunch", role="link", parent="r"),
            GUIElement(element_id="s", role="row"),
            GUIElement(element_id="c2", role="cell", text="12", parent="s"),
            button(6, "Send"),
        ),
    )
    acted_on = whole_form(state, style=Style(points="none", ids="acted on"))
    assert acted_on.text == '# app mail\nheading "Inbox"\n"Ann" | e5 link "Lunch"\ns row | c2 "12"\ne6 button "Send"'
    assert acted_on.written == whole_form(state).written
    assert whole_form(state, style=Style(points="none", ids="none")).text.endswith('\n"12"\nbutton "Send"')
    changed = state.model_copy(update={"elements": (*state.elements[:-1], button(6, "Sent")), "state_id": ""})
    assert diff_form(state, changed, style=Style(ids="acted on", points="none")).text == '~ e6 button "Sent"'


def plain(element_id: str, role: str, text: str | None = None, parent: str | None = None, **more: Any) -> GUIElement:
    return GUIElement(element_id=element_id, role=role, text=text, parent=parent, **more)


def row(*ids: str) -> list[GUIElement]:
    """A row of cells, those of the ids empty, between two that are not."""
    empty = [plain(name, "cell", "", "e1") for name in ids]
    return [plain("e1", "row"), plain("e9", "cell", "x", "e1"), *empty, plain("e8", "cell", "y", "e1")]


AWAY: dict[str, Any] = {"bbox": BoundingBox(x1=0, y1=900, x2=100, y2=920), "visible": False}
SURE = button(2, "Sure?", role="dialog")
SCREENS: dict[str, tuple[list[GUIElement], str | None, list[str]]] = {
    "containers indent what they hold, and a row is one line": (
        [plain("t", "table"), plain("r", "row", None, "t", selected=True), plain("c1", "cell", "Paper", "r"),
         button(5, "Edit", role="link", parent="r"), plain("c2", "cell", "", "r"), plain("x", "row", "alone", "t")], None,
        ["t table", ' r row [selected] | c1 "Paper" | e5 link "Edit" @50,110 | c2 ""', ' x row "alone"'],
    ),
    "what lies very deep names its container": (
        [plain(f"e{n}", "list", None, f"e{n - 1}" if n else None) for n in range(15)], None,
        [*(f"{' ' * n}e{n} list" for n in range(13)), f"{' ' * 12}e13 list in e12", f"{' ' * 12}e14 list in e13"],
    ),
    "a long row has a line for each cell": (
        [plain("r", "row"), *(plain(f"c{n}", "cell", str(n), "r") for n in range(20))], None,
        ["r row", *(f' c{n} cell "{n}"' for n in range(20))],
    ),
    "a label and its value share a line": (
        [plain("p0", "text", "Total", "g"), plain("p1", "text", "$5", "g"), plain("g", "group")], None,
        ['p0 text "Total" | p1 "$5"'],
    ),
    "the modal dialog is marked and first, and the rest is behind it": (
        [button(1), SURE, button(3, "Yes", parent="e2")], "e2",
        ["# dialog e2 takes all input", 'e2 dialog "Sure?" [modal]', ' e3 button "Yes" @50,110', "# behind the dialog",
         'e1 button "Save" @50,110'],
    ),
    "what a page hides behind a dialog has no way to scroll": (
        [button(1, visible=False), SURE, button(3, "Yes", parent="e2", bbox=BoundingBox(x1=0, y1=400, x2=90, y2=440))], "e2",
        ["# dialog e2 takes all input", 'e2 dialog "Sure?" [modal]', ' e3 button "Yes" @45,420', "# behind the dialog",
         'e1 button "Save"'],
    ),
    "a dialog in another container comes first all the same": (
        [button(1, role="window"), button(2, role="dialog", parent="e1"), button(3, parent="e1")], "e2",
        ["# dialog e2 takes all input", 'e2 dialog "Save" [modal]', "# behind the dialog", 'e1 window "Save"',
         ' e3 button "Save" @50,110'],
    ),
    "a dialog that is not listed is told": ([], "e9", ["# dialog e9 takes all input, but is not listed"]),
    "a row out of view says so once, and its empty cells are told as one": (
        [button(1), button(2, "", role="row", **AWAY), button(3, "12", role="link", parent="e2", **AWAY),
         *(button(n, "", role="cell", parent="e2", **AWAY) for n in (4, 5, 6))], None,
        ['e1 button "Save" @50,110', 'e2 row [below] | e3 link "12" | e4-e6 ""'],
    ),
    "empty cells in a series": (row("e2", "e3", "e4"), None, ['e1 row | e9 "x" | e2-e4 "" | e8 "y"']),
    "empty cells in none": (row("e2", "e3", "e5"), None, ['e1 row | e9 "x" | e2 "" | e3 "" | e5 "" | e8 "y"']),
    "one empty cell": (row("e2"), None, ['e1 row | e9 "x" | e2 "" | e8 "y"']),
    "parents that are missing or in a circle are none": (
        [button(1, parent="e2"), button(2, parent="e1"), button(3, parent="e3"), button(4, parent="gone")], None,
        [f'{" " * (n == 2)}e{n} button "Save" @50,110' for n in (1, 2, 3, 4)],
    ),
    **{f"what is out of view {way}": (
        [button(1), button(2, "Far", bbox=BoundingBox(x1=x, y1=y, x2=x + 100, y2=y + 20), visible=False)], None,
        ['e1 button "Save" @50,110', f'e2 button "Far" [{way}]'],
    ) for x, y, way in ((0, 900, "below"), (0, -90, "above"), (900, 100, "right"), (-99, 100, "left"), (0, 100, "hidden"))},
}  # fmt: skip


@pytest.mark.parametrize(("shown", "modal", "told"), SCREENS.values(), ids=SCREENS)
def test_a_screen_in_lines(shown: list[GUIElement], modal: str | None, told: list[str]) -> None:
    assert written(*shown, modal=modal) == told


def test_the_head_tells_the_screen() -> None:
    windows = (
        Window(window_id="w1", app="mail", title="Mail", focused=True),
        Window(window_id="w2", app="web", title="News – \u202eweb", minimized=True),
        Window(window_id="w3", app="web", title="Other"),
    )
    state = VisualState(app="mail", windows=windows, loading=True, screen_resolution=(800, 600))
    assert prompt_form(state).splitlines() == [
        f"# screen 800x600, app mail, state {state.state_id}, loading: 0 elements",
        '# windows: mail [focused], w2 "News – \\u{202e}web" [minimized], w3 "Other"',
    ]


@calm
@given(states())
def test_what_is_folded_has_no_state_and_its_words_stand_elsewhere(state: VisualState) -> None:
    form = whole_form(state, budget=None)
    words = {element.element_id: " ".join(element.name.split()).rstrip(" :") for element in state.elements}
    values = {" ".join((e.value or "").split()).rstrip(" :") for e in state.elements if e.element_id in form.written}
    said = {words[name] for name in form.written} | values
    for name in form.folded:
        element = state.by_id[name]
        marks = (element.focused, element.selected, element.required, element.invalid, element.private, not element.enabled)
        assert not any(marks), "it has a state"
        assert (element.value, element.options, element.confidence) == (None, (), 1.0)
        assert not words[name] or words[name] in said
        assert state.by_id[name].role in ("text", "heading", "group", "listitem", "cell")


@pytest.mark.parametrize(
    ("shown", "folded"),
    [
        ([("g", "group", None, None), ("b", "button", "Save", "g")], ["g"]),
        ([("g", "group", "Tools", None), ("b", "button", "Save", "g")], []),
        ([("g", "listitem", "Save", None), ("b", "link", "Save", "g")], ["g"]),
        ([("b", "button", "Save", None), ("t", "text", "Save", "b")], ["t"]),
        ([("d", "dialog", "Sure?", None), ("t", "heading", "Sure?", "d")], ["t"]),
        ([("b", "button", "Save", None), ("t", "text", "as draft", "b")], []),
        ([("t", "label", "Amount:", None), ("f", "textbox", "Amount", None)], ["t"]),
        ([("t", "label", "Read", None), ("u", "label", "Read", None)], []),
        ([("r", "row", None, None), ("c", "cell", "", "r")], []),
        ([("r", "row", None, None), ("c", "cell", None, "r"), ("b", "link", "Edit", "c")], ["c"]),
        ([("t", "text", " ", None)], ["t"]),
        ([("g", "group", "Save", None), ("h", "group", "Save", "g"), ("b", "button", "Save", "h")], ["g", "h"]),
    ],
)
def test_only_what_says_nothing_is_folded(shown: list[tuple[str, str, str | None, str | None]], folded: list[str]) -> None:
    made = tuple(GUIElement(element_id=i, role=role, text=text, parent=parent) for i, role, text, parent in shown)
    assert list(whole_form(VisualState(elements=made)).folded) == folded


CHANGING = ["element_id", "role", "text", "value", "bbox", "visible", "focused", "private", "parent", "app", "options"]


@calm
@given(st.one_of(states(), anything), st.data())
def test_a_screen_of_which_some_elements_change_is_written_as_if_it_were_the_first(state: VisualState, data: Any) -> None:
    for _ in range(3):
        whole_form(state)
        shown = list(state.elements)
        for at in data.draw(st.sets(st.integers(0, max(0, len(shown) - 1)), max_size=2)) if shown else ():
            other, name = data.draw(elements(at)), data.draw(st.sampled_from(CHANGING))
            shown[at] = shown[at].model_copy(update={name: getattr(other, name)})
        state = state.model_copy(update={"elements": tuple(shown)})
        form, text = whole_form(state, budget=None), prompt_form(state)
        lines._LATEST.clear()
        assert (whole_form(state, budget=None), form.text) == (form, text)


@pytest.mark.parametrize(
    ("at", "change"),
    [(1, {"text": "Send"}), (2, {"value": "Bo"}), (4, {"visible": False}), (4, {"app": "mail"}), (1, {"text": "Save " * 30})],
)
def test_lines_that_depend_on_a_changed_element_are_written_as_if_it_were_new(at: int, change: dict[str, Any]) -> None:
    name, ada = button(2, role="textbox", text="Name", value="Ada"), button(3, role="text", text="Ada", parent="e2")
    shown = [button(0, role="text"), button(1, value="Save"), name, ada, button(4, y=500), button(5, y=400, visible=False)]
    before = VisualState(elements=tuple(shown))
    shown[at] = shown[at].model_copy(update=change)
    after = before.model_copy(update={"elements": tuple(shown)})
    whole_form(before)
    form = whole_form(after)
    lines._LATEST.clear()
    assert whole_form(after) == form != whole_form(before)
