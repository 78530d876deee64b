"""Words, phrases and labels of a text."""

from __future__ import annotations

import pytest

from roles.screen.texts import begins, has_phrase, labelled, listed_in, named_words, plain, says_any, uncut, words


@pytest.mark.parametrize(
    ("text", "phrase", "stands"),
    [
        ("remove take five", "take five", True),
        ("invoice 435", "435", True),
        ("invoice 4359", "435", False),
        ("12.50 eur", "50", False),
        ("1,250", "1", False),
        ("inv-435", "435", False),
        ("report.pdf", "report", False),
        ("a report.", "report", True),
        ("takes five, take five", "take five", True),
        ("anything", "", False),
    ],
)
def test_a_phrase_stands_in_a_text_only_as_a_whole(text: str, phrase: str, stands: bool) -> None:
    assert has_phrase(text, phrase) is stands


def test_a_text_is_known_by_its_words() -> None:
    assert words("Don't touch the follow-up, Ann's") == ["Don't", "touch", "the", "follow-up", "Ann's"]
    assert named_words("moveFile") == named_words("move_file") == ["move", "file"]
    assert plain("  Save  it! ") == "save it"
    assert uncut("Living room therm…") == uncut("Living room therm...") == "Living room therm"
    assert listed_in("Friends, Suppliers;Others") == ["Friends", "Suppliers", "Others"]
    assert begins("Go to: date", ["go to"])
    assert not begins("Good", ["go"])
    assert says_any("Session  Expired", {"expired"})
    assert not says_any("unexpired", {"expired"})


def test_a_line_has_a_label_where_a_value_stands_behind_it() -> None:
    assert labelled("Total due: $12") == ("Total due", "$12")
    assert labelled("12:30") == ("", "12:30")
    assert labelled("https://x.org") == ("", "https://x.org")
    assert labelled("Note:") == ("", "Note:")
