"""The page of the architecture: short enough to be read, and every place that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[str]:
    return [line for line in section(title).splitlines() if line.startswith("| ")][1:]


def test_the_way_of_data_has_at_most_twelve_steps() -> None:
    steps = re.findall(r"(?m)^\d+\. ", section("From a goal to an action and back"))
    assert 6 <= len(steps) <= 12


def test_where_to_change_what_has_at_most_twenty_five_rows() -> None:
    assert 10 <= len(rows("To change X, look in Y")) <= 25


def test_a_word_is_explained_once_and_in_one_line() -> None:
    words = [row.split("|")[1].strip() for row in rows("Words")]
    assert words == sorted(set(words))


PLACES = re.findall(r"`((?:orchestrator|roles|environments|protocol|configs|scripts|tests)/[^`]*)`", TEXT)


@pytest.mark.parametrize("place", sorted(set(PLACES)))
def test_every_place_that_is_named_is_there(place: str) -> None:
    assert (ROOT / place).exists()
