"""Where a value comes from: found, not believed; and the user's only where the user said all of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import GUIElement, VisualState
from roles.contracts import Fact, Supplement
from roles.safety import NOTHING, Grounds, origin_of
from roles.safety.case import ORDER

EMPTY = VisualState(app="notes")


def screen(*texts: str, app: str = "mail", value: str | None = None) -> VisualState:
    elements = tuple(GUIElement(element_id=f"e{n}", text=text, role="text", app=app) for n, text in enumerate(texts))
    field = (GUIElement(element_id="f", text="Field", role="textbox", value=value),) if value else ()
    return VisualState(elements=(*elements, *field), app=app)


def fact(value: str, role: str = "operator", **more: object) -> Fact:
    return Fact.model_validate({"name": "it", "value": value, "role": role, **more})


GROUNDS = Grounds(
    said=lambda: ['Send "the total" to ada@example.com.', "use $5.00 then"],
    facts=(
        fact("41.00", element_id="e1", app="billing"),
        Fact(name="sum", value="82.00", role="analyst"),
        Fact(name="count", value="17 files", role="technician"),
        Fact(name="friend", value="Grace Hopper", role="user"),
        Fact(name="made up", value="zebra", role="operator"),
        Fact(name="key", value="<secret>key</secret>", role="user", private=True),
    ),
    supplements=lambda: [Supplement(query="q", source="help", title="t", text="Use code AB-12 for travel.")],
    screens=lambda: [screen("IBAN DE02 1203", app="billing")],
)


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("ada@example.com", "user"),
        ("ADA@example.com", "user"),
        ("the  total", "user"),
        ("$5.00", "user"),
        ("Grace Hopper", "user"),
        ("41.00", "screen"),
        ("IBAN DE02 1203", "screen"),
        ("82.00", "analyst"),
        ("17 files", "technician"),
        ("AB-12", "supplement"),
        ("zebra", "model"),
        ("nobody@nowhere.example", "model"),
        ("example.com", "model"),
        ("a@example.com", "model"),
        ("ada@example.com.evil.example", "model"),
        ("ada@example.co", "model"),
        ("5.00", "user"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_a_value_comes_from_where_it_is_found(value: str, source: str) -> None:
    assert origin_of(value, GROUNDS, EMPTY).source == source


def test_the_screen_of_now_and_the_users_words_are_sources_in_their_order() -> None:
    found = origin_of("eve@evil.example", GROUNDS, screen("Write to eve@evil.example!"))
    assert (found.source, found.app) == ("screen", "mail")
    assert origin_of("in a field", NOTHING, screen(value="in a field")).source == "screen"
    found = origin_of("ada@example.com", GROUNDS, screen("ada@example.com"))
    assert (found.source, found.sources) == ("user", ("user", "screen"))


def test_parts_of_a_longer_text_are_noticed() -> None:
    found = origin_of("Dear all, it is 41.00 in total, thanks to Grace Hopper", GROUNDS, EMPTY)
    assert found.source == "model"
    assert found.sources == ("user", "screen", "model")
    assert found.facts == ("it", "friend")
    assert not found.private
    assert origin_of("the key is <secret>key</secret>", GROUNDS, EMPTY).private


def test_no_role_passes_its_own_words_off_as_a_screens_or_the_users() -> None:
    assert origin_of("zebra", Grounds(facts=(fact("zebra"),)), EMPTY).source == "model"
    assert origin_of("zebra", Grounds(facts=(fact("zebra", element_id="e"),)), EMPTY).source == "screen"
    for role in ("operator", "technician", "analyst", "manager", "evaluator", "User", "ada", ""):
        assert "user" not in origin_of("zebra", Grounds(facts=(fact("zebra", role, element_id="e"),)), EMPTY).sources


@given(st.text(), st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_whatever_the_texts_a_source_is_found_and_the_first_of_them_counts(value: str, said: list[str], shown: list[str]) -> None:
    found = origin_of(value, Grounds(said=lambda: said), screen(*shown))
    if not value.split():
        assert found.source == ""
        return
    assert found.sources == tuple(sorted(found.sources, key=ORDER.index))
    assert found.source in found.sources
    if value in said:
        assert found.source == "user"


@given(st.from_regex(r"[a-z]{1,8}@[a-z]{1,8}\.[a-z]{2,3}", fullmatch=True), st.from_regex(r"[a-z0-9.]{1,4}[a-z]", fullmatch=True))
def test_an_address_that_only_begins_or_ends_like_the_users_is_not_the_users(address: str, more: str) -> None:
    grounds = Grounds(said=lambda: [f"write to {address} today"])
    for other in (f"{more}{address}", f"{address}{more}", f"{address}.{more}"):
        assert origin_of(other, grounds, EMPTY).source == "model"
    for part in (address[1:], address[:-1]):
        assert origin_of(part, grounds, EMPTY).source == "model"
