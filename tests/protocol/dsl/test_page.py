"""Every example of the page is read, and those that it calls canonical are how they are written."""

import re
from pathlib import Path

import pytest

from protocol.dsl import emit, parse_line, parse_script
from protocol.model.actions import VERBS

PAGE = (Path(__file__).parents[3] / "docs/dsl.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"(<!-- canonical -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(bool(canonical), text) for canonical, language, text in _BLOCK.findall(PAGE) if not language]
LINES = [line for _, text in BLOCKS for line in text.splitlines() if not line.startswith("# ")]


def test_an_example_is_an_action_and_comes_back() -> None:
    for line in LINES:
        action = parse_line(line)
        assert parse_line(emit(action)) == action


@pytest.mark.parametrize("text", [text for canonical, text in BLOCKS if canonical])
def test_a_canonical_example_is_how_its_action_is_written(text: str) -> None:
    assert [emit(line.action) for line in parse_script(text)] == text.splitlines()


def test_every_verb_has_an_example() -> None:
    verbs = {parse_line(line).verb for line in LINES}
    assert {*VERBS} <= verbs
    assert len(LINES) > 100


@pytest.mark.parametrize("cell", re.findall(r"^\| (.*) \| `", PAGE, re.MULTILINE))
def test_every_locator_of_the_table_is_read(cell: str) -> None:
    locators = re.findall(r"`([^`]+)`", cell)
    assert locators
    for locator in locators:
        parse_line(f"click {'#1 ' if locator.startswith(('described', 'state')) else ''}{locator}")
