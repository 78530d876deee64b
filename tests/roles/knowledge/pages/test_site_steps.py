"""Help pages of sites in their own words: what they ask for in plain sentences, and nothing where they only tell."""

from __future__ import annotations

import pytest

from roles.knowledge.pages.filling import site_step


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('In the top menu, click "Office".', 'click "Office"'),
        ('In the "Boat name" field, enter the name of the boat.', 'enter "{boat name}" into the "Boat name" field'),
        ('In "Boat name", enter "Ada".', 'enter "Ada" into the "Boat name" field'),
        ('From the "Pier" list, select the pier.', 'select "{pier}" from the "Pier" list'),
        ('Go to "Berths" > "Assign a berth". The form opens.', 'click "Berths". click "Assign a berth"'),
        ('Click "Save" to keep all changes.', 'click "Save"'),
        ("Enter the title.", 'Enter "{title}" into the "title" field'),
        ("The page reloads. You will see a message.", ""),
        ("You must now delete the note.", "You must now delete the note"),
        ('Click "Save".', 'Click "Save"'),
    ],
)
def test_a_step_is_said_in_sentences_about_the_page(text: str, said: str) -> None:
    assert site_step(text).casefold() == said.casefold()
