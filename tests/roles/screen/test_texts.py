"""Words, phrases and labels of a text."""

from __future__ import annotations

import pytest

from roles.screen.texts import has_phrase, labelled


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


def test_a_line_has_a_label_where_a_value_stands_behind_it() -> None:
    assert labelled("Total due: $12") == ("Total due", "$12")
    assert labelled("12:30") == ("", "12:30")
    assert labelled("https://x.org") == ("", "https://x.org")
    assert labelled("Note:") == ("", "Note:")
