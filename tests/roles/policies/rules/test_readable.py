"""Goals of any shape are read in a time that grows with their length, or are not understood; quoted text stays as it is."""

from __future__ import annotations

import time

import pytest

from roles.policies.rules.grammar import parse, readable
from roles.policies.rules.pages.reading.forms import understand
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.screen.language import clauses as c

SHAPES = {
    "one word": "a", "dots": "a.", "dashes": "a-", "brackets": "(", "lines": "a\n", "blanks": " ", "figures": "1",
    "numbers": "1 ", "sentences": 'Enter "5" as the amount. ', "places": "Open the notes, ", "quotes": '"x ', "opened": "“",
    "single": " 'x", "names": "Ada ", "articles": "the ", "each": "for each invoice ", "sign in": "log in ",
    "conditions": "if the total is more than 5 ", "passwords": "the password ", "references": "<secret>a</secret>",
    "long words": "a" * 190 + " ", "addresses": "http://a.b/c/ ", "mails": "a@b.", "as": "x as the password ",
    "totals": "total of the ", "tabs": "x" + "\t" * 12,
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_goal_of_eight_thousand_characters_is_read_in_seconds(shape: str) -> None:
    goal = "x " + (SHAPES[shape] * 8_000)[:7_996] + " y"
    redactor = Redactor(SafetyPolicy())
    began = time.process_time()
    parse(goal)
    understand(goal)
    redactor.said(goal)
    assert time.process_time() - began < 12  # most take a tenth of a second; at the time without bounds, minutes


def test_what_is_too_much_is_unknown_as_a_whole() -> None:
    for goal in ("a" * 300, "Open the notes. " * 200, "x" * 20_000, "for each invoice " * 400):
        assert parse(goal) == [c.Unknown(text=goal)]


def test_blanks_count_only_outside_of_quotation_marks() -> None:
    quoted = f'Enter "a{" " * 400}b" as the title'
    assert readable(quoted) == quoted
    assert readable(f"Open{' ' * 400}the notes") == f"Open{' ' * 8}the notes"
    assert readable(f'Enter "{"k" * 900}" as the title') is not None
    assert parse(f"Open{' ' * 4_000}the notes app") == parse("Open the notes app")
