"""What kinds of values look like in running text."""

from __future__ import annotations

import pytest

from roles.policies.rules.skills.deeds import shape_of


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("Sent 2026-04-19 by Bilal Rossi", None),
        ("on 19/04/2026", None),
        ("call +44 7700 900 123 please", "+44 7700 900 123"),
        ("555-0134-22, since 2026-04-19", "555-0134-22"),
    ],
)
def test_a_date_is_no_phone_number(words: str, found: str | None) -> None:
    shape = shape_of("phone number")
    assert shape is not None
    hit = shape.search(words)
    assert (hit and hit.group()) == found
