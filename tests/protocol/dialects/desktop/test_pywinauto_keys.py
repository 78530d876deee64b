"""Texts of keys as pywinauto reads them, in the forms of both versions of UFO."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.ufo_answers import UFO, UFO2, answer, answer2

from protocol import Action, KeyDown, KeyUp, PressKey, Type, Wait
from protocol.dialects import DialectError
from protocol.dialects.desktop.ufo import from_ufo
from protocol.dialects.desktop.ufo_functions import Keys


@pytest.mark.parametrize(
    ("keys", "actions"),
    [
        ("^a^c", [PressKey(keys=("Control", "a")), PressKey(keys=("Control", "c"))]),
        ("{TAB 2}^a", [PressKey(keys=("Tab",))] * 2 + [PressKey(keys=("Control", "a"))]),
        ("%{F4}", [PressKey(keys=("Alt", "F4"))]),
        ("+(ab)c", [PressKey(keys=("Shift", "a")), PressKey(keys=("Shift", "b")), Type(text="c")]),
        ("^+{INS}", [PressKey(keys=("Control", "Shift", "Insert"))]),
        ("{VK_CONTROL}c", [PressKey(keys=("Control", "c"))]),
        ("{VK_MENU}{F4}", [PressKey(keys=("Alt", "F4"))]),
        ("Hello World", [Type(text="Hello World")]),
        ("a~", [Type(text="a"), PressKey(keys=("Enter",))]),
        ("{^}a{%}{{}ENTER{}}", [Type(text="^a%{ENTER}")]),
        ("{h down}{h up}", [KeyDown(key="h"), KeyUp(key="h")]),
        ("{PAUSE 1.5}{a 3}", [Wait(seconds=1.5), Type(text="aaa")]),
        ("^{RIGHT 2}", [PressKey(keys=("Control", "ArrowRight"))] * 2),
        ("^", [PressKey(keys=("Control",))]),
        ("{a}{VK_NUMPAD7}{BKSP}", [PressKey(keys=("a",)), PressKey(keys=("7",)), PressKey(keys=("Backspace",))]),
    ],
)
def test_keys_are_read_as_pywinauto_reads_them(keys: str, actions: list[Action]) -> None:
    assert from_ufo(answer("keyboard_input", keys=keys), UFO).actions == actions


def test_newer_versions_take_signs_as_themselves_and_modifiers_by_name() -> None:
    """UFO² escapes `+ ^ % ( )` before pywinauto sees them."""
    read = from_ufo(answer2("keyboard_input", keys="{VK_CONTROL}a50% (C++)^"), UFO2)
    assert read.actions == [PressKey(keys=("Control", "a")), Type(text="50% (C++)^")]


@given(text=st.text(max_size=60) | st.text(alphabet="+^%~(){}VK_CONTROL downENTER 2\n", max_size=40))
def test_a_text_of_keys_is_typed_as_it_is(text: str) -> None:
    for ufo2 in (False, True):
        keys = Keys("ufo", "$", ufo2)
        assert "".join(stroke.value for stroke in keys.read(keys.text(text))) == text


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("{ENTER", 1),
        ("ab)", 3),
        ("a}", 2),
        ("+(a(b)c)", 2),
        ("{NOKEY}", 1),
        ("x{TAB x}", 2),
        ("{TAB 99999}", 1),
        ("{PAUSE nan}", 1),
        ("^{a down}", 2),
        ("{}", 1),
    ],
)
def test_keys_that_are_not_understood_are_an_error_with_their_place(keys: str, place: int) -> None:
    with pytest.raises(DialectError) as bad:
        from_ufo(answer("keyboard_input", keys=keys), UFO)
    assert bad.value.where == f"$.Args.keys, character {place}"


def test_a_few_keys_cannot_be_made_many() -> None:
    with pytest.raises(DialectError, match="more than"):
        from_ufo(answer("keyboard_input", keys="{TAB 1000}" * 1000), UFO)
    with pytest.raises(DialectError, match="more than"):
        from_ufo(answer("keyboard_input", keys="{a 1000}" * 1000), UFO)
