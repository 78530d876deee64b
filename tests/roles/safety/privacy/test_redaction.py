"""Private content is referred to wherever it would be written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import GUIElement, VisualState, Window
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import reference
from roles.safety.privacy.vault_shapes import REFERENCE

SECRET = "hunter2-é🎈"
HELD = reference("password")
FIELD = GUIElement(element_id="pw", role="textbox", text="Password", value=SECRET)


def knowing(*secrets: str) -> Redactor:
    redactor = Redactor(SafetyPolicy())
    for secret in secrets:
        redactor.keep(secret, "password")
    return redactor


def test_a_private_field_is_referred_to_by_its_name_or_by_the_application_s_word() -> None:
    shown = Redactor(SafetyPolicy()).screen(VisualState(elements=(FIELD,)))
    assert (shown.elements[0].text, shown.elements[0].value) == ("Password", HELD)
    field = GUIElement(element_id="x", text="Salary", value="81,000", private=True)
    assert Redactor(SafetyPolicy()).screen(VisualState(elements=(field,))).elements[0].value == reference("value")


def test_a_secret_is_referred_to_wherever_else_the_screen_shows_it() -> None:
    elsewhere = GUIElement(
        element_id="e", text=f"You typed {SECRET}", value=f"<{SECRET}>", placeholder=f"not {SECRET}", options=("a", SECRET)
    )
    title = Window(window_id="w", app="x", title=f"{SECRET} - Notes")
    shown = Redactor(SafetyPolicy()).screen(VisualState(elements=(elsewhere, FIELD), windows=(title,)))
    assert SECRET not in shown.model_dump_json()
    assert shown.elements[0].text == f"You typed {HELD}"
    assert shown.windows[0].title == f"{HELD} - Notes"


def test_a_secret_is_remembered_after_its_field_has_gone() -> None:
    redactor = Redactor(SafetyPolicy())
    redactor.learn(VisualState(elements=(FIELD,)))
    assert redactor.text(f"{SECRET}!") == f"{HELD}!"
    later = VisualState(elements=(GUIElement(element_id="e", text=SECRET),))
    assert redactor.screen(later).elements[0].text == HELD


def test_a_redacted_screen_hides_the_secret_and_nothing_else() -> None:
    state = VisualState(elements=(GUIElement(element_id="e", text="Amount", value="12"),))
    assert Redactor(SafetyPolicy()).screen(state) is state
    state = VisualState(elements=(FIELD, GUIElement(element_id="e", text="Amount", value="12")), app="x", modal="e", timestamp=4)
    shown = Redactor(SafetyPolicy()).screen(state)
    assert shown.elements[1] == state.elements[1]
    assert (shown.app, shown.modal, shown.timestamp) == ("x", "e", 4)
    assert shown.by_id["pw"].value == HELD
    state = VisualState(elements=(FIELD,))
    assert state.by_id["pw"].value == SECRET
    assert Redactor(SafetyPolicy()).screen(state).by_id["pw"].value == HELD


def test_the_content_of_a_short_field_is_referred_to_there_and_only_there() -> None:
    cvv = GUIElement(element_id="c", text="CVV", value="123")
    other = GUIElement(element_id="o", text="Total", value="1230")
    shown = Redactor(SafetyPolicy()).screen(VisualState(elements=(cvv, other)))
    assert [e.value for e in shown.elements] == [reference("cvv"), "1230"]


def test_a_secret_inside_a_longer_secret_leaves_no_rest_of_the_longer_one() -> None:
    for order in (("pass", "password1"), ("password1", "pass")):
        shown = knowing(*order).text("my password1 and pass")
        assert sorted(shown.removeprefix("my ").split(" and ")) == [reference("password"), reference("password_2")]


def test_blanks_around_a_typed_secret_do_not_protect_it_from_being_masked() -> None:
    assert knowing("  hunter2 ").text("hunter2.") == f"{HELD}."


@pytest.mark.parametrize("pattern", ["salary", "*salary*", "SALARY*"])
def test_a_task_can_name_more_private_fields(pattern: str) -> None:
    redactor = Redactor(SafetyPolicy().constrained({"private": [pattern]}))
    shown = redactor.screen(VisualState(elements=(GUIElement(element_id="e", text="Salary", value="81,000"),)))
    assert shown.elements[0].value == reference("salary")


leaves = st.sampled_from([SECRET, f"a {SECRET} b", f"{SECRET}{SECRET}", "free", 7, None, True, 1.5])
bodies = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3))


@given(bodies)
def test_no_secret_is_left_in_a_body_however_deep_and_its_shape_stays(body: Any) -> None:
    masked = knowing(SECRET).body(body)
    assert SECRET not in json.dumps(masked, ensure_ascii=False)
    assert json.loads(json.dumps(body, ensure_ascii=False).replace(SECRET, HELD)) == masked


_FIGURES = re.compile(r"[+\d().\s-]+")
kept = st.text(min_size=4, max_size=12).filter(
    lambda t: len(t.strip()) >= 4 and not set(t) & set("<>/ecrst") and not _FIGURES.fullmatch(t)
)


@given(st.lists(kept, max_size=4), st.text())
def test_what_was_kept_is_never_left_in_a_text(secrets: list[str], text: str) -> None:
    redactor = knowing(*secrets)
    shown = REFERENCE.sub("\0", redactor.text(text.join(secrets)))
    for secret in secrets:
        assert secret.strip() not in shown


def test_a_private_text_that_is_no_field_is_referred_to_by_what_it_shows() -> None:
    phone = GUIElement(element_id="p", role="text", text="+1 555 0177 2468", private=True)
    label = GUIElement(element_id="f", role="textbox", text="Recovery phone", value="+1 555 0188", private=True)
    copy = GUIElement(element_id="c", role="textbox", text="Body", value="call +1 555 0177 2468")
    redactor = Redactor(SafetyPolicy())
    shown = redactor.screen(VisualState(elements=(phone, label, copy)))
    phone_held = reference("value")
    assert [e.text for e in shown.elements] == [phone_held, "Recovery phone", "Body"]
    assert [e.value for e in shown.elements] == [None, reference("recovery_phone"), f"call {phone_held}"]
    assert redactor.body({"line": 'fill "Body" with "+1 555 0177 2468"'}) == {"line": f'fill "Body" with "{phone_held}"'}
