"""Screens: what their id depends on, and the two spellings of element ids."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import BoundingBox, GUIElement, VisualState, Window

BUTTON = GUIElement(element_id="e1", text="Save", role="button", bbox=BoundingBox(x1=0, y1=0, x2=50, y2=20))
SCREEN = VisualState(elements=(BUTTON,), app="mail", windows=(Window(window_id="w1", app="mail", title="Mail – Ä 中 🎈"),))

CHANGES: list[dict[str, Any]] = [
    {"text": "Send"}, {"role": "link"}, {"bbox": BoundingBox(x1=0, y1=0, x2=51, y2=20)}, {"visible": False}, {"value": "x"},
    {"value": ""}, {"enabled": False}, {"focused": True}, {"selected": True}, {"invalid": True}, {"required": True},
    {"parent": "d1"}, {"options": ("a", "b")}, {"track_id": "save"},
]  # fmt: skip
AROUND: list[dict[str, Any]] = [
    {"app": "web"}, {"modal": "e1"}, {"loading": True}, {"screen_resolution": (800, 600)}, {"windows": ()}, {"elements": ()},
    {"elements": (BUTTON, BUTTON.model_copy(update={"element_id": "e2"}))},
    *({"elements": (BUTTON.model_copy(update=change),)} for change in CHANGES),
]  # fmt: skip


def test_the_id_of_a_state_ignores_the_time_and_the_picture() -> None:
    later = SCREEN.model_copy(update={"timestamp": 99.5, "screenshot_path": "screens/0007.png"})
    assert later.state_id == SCREEN.state_id


@pytest.mark.parametrize("change", AROUND, ids=str)
def test_the_id_of_a_state_depends_on_everything_else(change: dict[str, Any]) -> None:
    assert SCREEN.model_copy(update=change).state_id != SCREEN.state_id


def test_the_id_of_a_state_is_the_same_in_another_process() -> None:
    code = "import sys; from protocol import VisualState; print(VisualState.model_validate_json(sys.stdin.read()).state_id)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=SCREEN.model_dump_json().encode(),
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "4242"},
        cwd=Path(__file__).parents[3],
    )
    assert done.stdout.decode().strip() == SCREEN.state_id


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_state_that_is_written_and_read_back_keeps_its_id(text: str, value: str) -> None:
    state = VisualState(elements=(BUTTON.model_copy(update={"text": text, "value": value}),), app=text, timestamp=3.0)
    for brief in (False, True):
        assert VisualState.model_validate_json(state.model_dump_json(exclude_defaults=brief)).state_id == state.state_id


def test_element_ids_given_as_numbers_become_text() -> None:
    element = GUIElement.model_validate({"element_id": 7, "parent": 0})
    assert (element.element_id, element.parent) == ("7", "0")
    assert VisualState.model_validate({"modal": 3}).modal == "3"


def test_containers_are_told_from_the_inside_out_and_a_circle_or_an_endless_chain_is_cut_off() -> None:
    def inside(element_id: str, parent: str | None) -> GUIElement:
        return GUIElement(element_id=element_id, text=element_id, parent=parent)

    form, row, cell = inside("form", None), inside("row", "form"), inside("cell", "row")
    state = VisualState(elements=(form, row, cell, inside("beside", None)))
    assert state.above(cell) == (row, form)
    assert state.within(form) == (row, cell)
    circle = VisualState(elements=(inside("a", "b"), inside("b", "a")))
    assert [e.element_id for e in circle.above(circle.by_id["a"])] == ["b", "a"]
    deep = VisualState(elements=tuple(inside(str(n), str(n - 1) if n else None) for n in range(5_000)))
    assert len(deep.above(deep.elements[-1])) == 100


@pytest.mark.parametrize("text", ["", '"elements":[]', "é\u2028\\", None])
def test_a_state_says_the_same_of_itself_as_if_it_were_written_at_once(text: str | None) -> None:
    box = BUTTON.model_copy(update={"element_id": "e2", "text": text, "limits": (0.0, 9.5, 0.5)})
    for elements in ((), (BUTTON,), (BUTTON, box, BUTTON)):
        state = SCREEN.model_copy(update={"elements": elements, "app": text})
        at_once = state.model_dump_json(exclude={"timestamp", "screenshot_path"}, exclude_none=True)
        assert state.canonical == at_once.encode()
        assert state.model_copy(update={"app": "other"}).canonical != state.canonical
    assert BUTTON.model_copy(update={"text": "Other"}).canonical != BUTTON.canonical


def test_one_of_several_of_a_name_is_told_by_what_stands_with_it_or_before_it() -> None:
    def part(name: str, role: str, text: str, parent: str | None = None) -> GUIElement:
        return GUIElement(element_id=name, role=role, text=text, bbox=BoundingBox(x1=0, y1=0, x2=9, y2=9), parent=parent)

    rows = [
        part("r1", "row", ""), part("c1", "cell", "Ada Byron", "r1"), part("b1", "button", "Edit", "r1"),
        part("r2", "row", ""), part("c2", "cell", "Ben Okoro", "r2"), part("d2", "cell", "", "r2"),
        part("b2", "button", "Edit", "d2"),
    ]  # fmt: skip
    flat = [part(name, "text" if name[0] == "t" else "button", text)
            for name, text in (("t1", "07:12"), ("s1", "Select"), ("t2", "13:30"), ("s2", "Select"))]  # fmt: skip
    screen = VisualState(app="a", screen_resolution=(90, 90), elements=(*rows, *flat, part("x", "button", "Done")), timestamp=1.0)
    told = {name: screen.beside(screen.by_id[name]) for name in ("b1", "b2", "s1", "s2", "x")}
    assert told == {"b1": "Ada Byron", "b2": "Ben Okoro", "s1": "Ben Okoro Edit 07:12", "s2": "13:30", "x": ""}
