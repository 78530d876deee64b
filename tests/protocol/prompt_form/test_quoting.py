"""Texts of a screen stay inside their quotes and on their line, and what is private is not written."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written.screens import HOSTILE, QUOTED, anything, assert_well_formed, calm, states, written

from protocol import GUIElement, VisualState
from protocol.prompt_form import diff_form, estimate_tokens, whole_form
from protocol.prompt_form.element_text import quoted


@settings(calm)
@given(anything, anything)
def test_no_text_of_a_screen_can_leave_its_line_or_its_quotes(state: VisualState, other: VisualState) -> None:
    for form in (whole_form(state), whole_form(state, budget=90), diff_form(other, state)):
        assert_well_formed(form)


@calm
@given(states())
def test_the_ids_on_the_lines_are_those_that_are_said_to_be_written(state: VisualState) -> None:
    form = whole_form(state, budget=None)
    said = [QUOTED.sub("§", line) for line in form.text.splitlines() if not line.startswith("#")]
    assert [piece.split()[0] for line in said for piece in line.split(" | ")] == list(form.written)


def unescaped(text: str) -> str:
    named = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
    return re.sub(r"\\(?:u\{([0-9a-f]+)\}|(.))", lambda m: chr(int(m[1], 16)) if m[1] else named[m[2]], text)


def test_half_a_character_is_spelt_out() -> None:
    assert quoted("a\ud800b", 9) == '"a\\u{d800}b"'
    assert estimate_tokens("a\ud800b") > 1


@calm
@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=80)))
def test_an_escaped_text_can_be_read_back(text: str) -> None:
    [line] = written(GUIElement(element_id="e1", role="button", text=text))
    assert unescaped(QUOTED.search(line)[0][1:-1]) == text if text else line == "e1 button"


@pytest.mark.parametrize("text", ["می‌خواهم", "👩‍👩‍👧", "Größe 1 000 €", "中文", "עברית", "❤️"])
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert written(GUIElement(element_id="e1", role="button", text=text)) == [f'e1 button "{text}"']


@calm
@given(states(), st.sampled_from(["hunter2-Zq", "0000-1111-2222"]))
def test_what_is_private_is_never_written(state: VisualState, secret: str) -> None:
    field = GUIElement(element_id="pw", role="textbox", text=f"Password {secret}", value=secret, private=True, options=(secret,))
    inside = GUIElement(element_id="in", role="text", text=secret, parent="pw", placeholder=secret)
    more = state.model_copy(update={"elements": (*state.elements, field, inside)})
    forms = (whole_form(more), diff_form(state, more), diff_form(more, state))
    for form in forms:
        assert secret not in form.text
