"""A goal about a form in words of its own is said in the words of the form, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.cards import AppCard, PageCard, Widget, vocabulary
from roles.policies.orders.page_words import in_page_words
from roles.policies.orders.planner import why_not
from roles.screen.language.reader import read
from roles.screen.language.words import table

FORM = PageCard(
    widgets=(
        Widget(role="textbox", name="Collection date", hint="yyyy-mm-dd"),
        Widget(role="textbox", name="Recipient"),
        Widget(role="textbox", name="Email address"),
        Widget(role="combobox", name="Size", options=("Small", "Medium box", "Large box"), filled=True),
        Widget(role="spinbutton", name="Weight (kg)"),
        Widget(role="spinbutton", name="Parcels", filled=True),
        Widget(role="checkbox", name="I accept the terms"),
        Widget(role="checkbox", name="Insured"),
        Widget(role="button", name="Send parcel"),
        Widget(role="link", name="Prices"),
    ),
    texts=("Send a parcel", "Collection date", "Recipient"),
)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (
            "Send 2 parcels to Ada Moor, insured.",
            'Type "Ada Moor" into the "Recipient" field, type "2" into the "Parcels" field, select "Insured", '
            'click "Send parcel".',
        ),
        (
            "Please send a medium box of 3.5 kg, recipient: Jon of Berg, collection date 3 May 2027",
            'Type "3 May 2027" into the "Collection date" field, type "Jon of Berg" into the "Recipient" field, select '
            '"Medium box" from the "Size" list, type "3.5" into the "Weight (kg)" field, click "Send parcel".',
        ),
        (
            'Send a parcel for "Ann" with the email ann@post.example and accept the terms',
            'Type "Ann" into the "Recipient" field, type "ann@post.example" into the "Email address" field, '
            'select "I accept the terms", click "Send parcel".',
        ),
    ],
)  # fmt: skip
def test_each_value_goes_where_its_label_type_or_option_says(goal: str, said: str) -> None:
    found = in_page_words(goal, FORM)
    assert found == said
    assert not why_not(read(found, words=vocabulary([AppCard(app="page", title="Parcels", page=FORM)])))


@pytest.mark.parametrize(
    "goal",
    [
        "Send 2 parcels to Ada Moor by bicycle.",  # bicycle is nowhere on the page
        "Send a box to Ada Moor.",  # which box?
        "Do not send 2 parcels to Ada Moor.",
        "Send 2 parcels to Ada Moor unless she is away.",
        "Return 2 parcels to Ada Moor.",  # nothing is called so
        "Send a parcel.",  # nothing is said of what it holds
        "Send 2 parcels to Ada Moor and Jon Berg.",  # one recipient
    ],
)
def test_what_leaves_a_word_over_is_not_understood(goal: str) -> None:
    assert in_page_words(goal, FORM) == ""


def test_of_two_buttons_that_may_be_meant_none_is_pressed() -> None:
    twice = FORM.model_copy(update={"widgets": (*FORM.widgets, Widget(role="button", name="Send later"))})
    assert in_page_words("Send 2 parcels to Ada Moor.", twice) == ""


def minor() -> list[str]:
    return [*table("forms")["minor"], *table("forms")["polite"]]


def test_what_unfolds_a_part_and_what_stands_before_the_fields_ends_no_form() -> None:
    send = next(w for w in FORM.widgets if w.name == "Send parcel")
    rest = tuple(w for w in FORM.widgets if w is not send)
    for form in ((send, *rest), (*rest, send.model_copy(update={"folded": False}))):
        assert in_page_words("Send 2 parcels to Ada Moor.", FORM.model_copy(update={"widgets": form})) == ""
    assert in_page_words("Send 2 parcels to Ada Moor.", FORM)


@given(st.from_regex(r"[a-z]{3,9}", fullmatch=True), st.integers(1, 4))
def test_a_word_that_the_page_does_not_know_is_never_passed_over(word: str, at: int) -> None:
    words = ["Send", "2", "parcels", "to", "Ada", "Moor"]
    known = {"send", "parcel", "parcels", "insured", "small", "size", "recipient", "email", "weight", "collection", *minor()}
    if word in known or word.rstrip("s") in known:
        return
    goal = " ".join([*words[:at], word, *words[at:]])
    said = in_page_words(goal, FORM)
    assert said == "" or f'"{word}' in said or f'{word}"' in said or f" {word} " in said
