"""Every word of the shipped apps is there in German and in Chinese; content is left as it is."""

import os

import pytest
from worlds.words import words

from environments.contract import WorldError
from environments.simulated.apps import APPS
from environments.simulated.screen.widgets import bar, button, cell, combobox, row, table, text
from environments.simulated.variation.apply import Catalogue, described, language, own_words, read, varied, wordless
from environments.simulated.variation.metrics import Variation

EFFECTS = {"toast", "notice", "title"}


@pytest.mark.slow("a large sample")
@pytest.mark.parametrize("app", APPS)
def test_all_that_an_app_shows_as_its_own_words_is_in_every_catalogue(app):
    """What fails here: give the word in configs/languages/*.yaml, or its place in configs/content.yaml if it is content."""
    assert described(app), f"configs/content.yaml does not say where {app} shows content; add a section for it"
    lacking = set()
    for word in words(APPS[app], 1500 if os.environ.get("DESKCREW_EVERY_CASE") else 600):
        own = None if word.place in EFFECTS else own_words(app, word.place, word.key)
        if wordless(word.text) or (own is not None and word.text not in own):
            continue
        section = "desktop" if word.place == "title" else app
        lacking |= {(name, *word) for name in ("de", "zh") if language(name).said(section, word.text) is None}
    assert not lacking


def test_slots_are_matched_strictly():
    german = language("de")
    assert german.said("billing", "Page 2 of 7") == "Seite 2 von 7"
    assert german.said("billing", "Page two of 7") is None
    assert german.said("reimbursement", "Amount is required") == "Betrag muss angegeben werden"
    assert german.said("reimbursement", "Nonsense is required") is None
    assert german.said("billing", "Invoice INV-1042") == "Rechnung INV-1042"
    assert german.said("billing", "Invoice {m} of {n}") == "Rechnung {m} of {n}", "what fills a slot is never read as a slot"
    assert german.said("billing", "Shred this invoice") is None


@pytest.mark.parametrize("said", ["Seite {m}", "Seite", "Seite {n} {m}"])
def test_a_translation_with_other_slots_is_refused(said):
    with pytest.raises(WorldError, match=r"de.yaml: mail: 'Page .n.': both sides need the same slots"):
        Catalogue({"mail": {"Page {n}": said}}, "de.yaml")


def test_content_that_reads_like_a_word_of_the_app_stays():
    rows = (bar(text("Search", "message-1.line-1"), button("Search", "search")),)
    (shown,) = varied("mail", rows, Variation(language="de"))
    assert [child.text for child in shown.children] == ["Search", "Suchen"]
    assert varied("an app that nobody described", rows, Variation(language="de"))[0].children[1].text == "Search"


def test_an_option_comes_back_in_the_words_of_the_app():
    chooser = combobox("Category", "category", "Meals", ("Travel", "Meals"))
    (shown,) = varied("reimbursement", (chooser,), Variation(language="de"))
    assert (shown.text, shown.value, shown.options) == ("Kategorie", "Verpflegung", ("Reise", "Verpflegung"))
    assert [shown.meant(option) for option in ("Reise", " reise ", "Travel", "Flug")] == ["Travel", "Travel", "Travel", None]
    assert shown.word == "Category"


def test_a_synonym_stands_for_one_word_and_is_not_itself_replaced():
    for name, known in read("synonyms.yaml").items():
        others = [other.casefold() for word, some in known.items() if "{" not in word for other in some]
        assert len(others) == len(set(others)), name
        assert not set(others) & {word.casefold() for word in known}, name


def test_no_synonym_is_used_that_something_else_in_the_view_goes_by():
    rows = (bar(button("Search", "a"), button("Find", "b"), button("Look up", "c")),)
    for seed in range(5):
        (shown,) = varied("mail", rows, Variation(labels="synonyms", seed=seed))
        assert len({child.text for child in shown.children}) == 3


def test_columns_take_their_cells_along():
    cells = (cell("a", "r.a"), cell("b", "r.b"), cell("c", "r.c"))
    for order in ("reversed", "shuffled"):
        (shown,) = varied("mail", (table("t", ("A", "B", "C"), [row("r", *cells)]),), Variation(order=order, seed=1))
        head, line = ([thing.text for thing in each.children] for each in shown.children)
        assert [str(name).lower() for name in head] == line
        assert order == "shuffled" or line == ["c", "b", "a"]
