"""docs/seeds.md: every requirement has a test that is there, or a reason why it is left out."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "seeds.md"
SEEDS = ("000", "001", "002", "003 and 004")
_LINK = re.compile(r"\[(?P<test>test_\w+)(?:\[[^\]]+\])?\]\((?P<file>\.\./tests/[\w/.]+\.py)\)")
_REASON = re.compile(r"left out: .{20,}")


class Line(NamedTuple):
    """A row of a table: what a seed asks for, and what stands beside it."""

    number: int
    seed: str
    requirement: str
    shown: str


def rows(text: str) -> list[Line]:
    """Every row of every table, the heads left out."""
    found, seed = [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("## "):
            seed = line.removeprefix("## ").split(":")[0]
        if line.startswith("|") and not line.startswith(("| Requirement |", "| --- |")):
            _, requirement, shown, *rest = (cell.strip() for cell in line.split("|"))
            assert rest == [""], f"line {number} has another number of cells"
            found.append(Line(number, seed, requirement, shown))
    return found


ROWS = rows(PAGE.read_text(encoding="utf-8"))


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names of all tests of a file, whether they stand alone or in a class."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def problem(row: Line) -> str:
    """What is wrong with a row, or nothing."""
    if _REASON.fullmatch(row.shown):
        return ""
    links = list(_LINK.finditer(row.shown))
    if not links or _LINK.sub("", row.shown).strip(" ,"):
        return "neither a test nor a reason"
    for link in links:
        path = (PAGE.parent / link["file"]).resolve()
        if not path.is_file():
            return f"there is no file {link['file']}"
        if link["test"] not in names_in(path):
            return f"there is no test {link['test']} in {link['file']}"
    return ""


def test_each_requirement_has_a_test_that_is_there_or_a_reason() -> None:
    assert all(row.requirement for row in ROWS)
    assert not {row.number: said for row in ROWS if (said := problem(row))}


def test_no_requirement_stands_there_twice() -> None:
    told = [(row.seed, row.requirement) for row in ROWS]
    assert len(told) == len(set(told))


def test_each_seed_has_its_part() -> None:
    assert {row.seed for row in ROWS} == set(SEEDS)
    assert all(sum(row.seed == seed for row in ROWS) >= 20 for seed in SEEDS)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("[test_gone](../tests/docs/test_seeds.py)", "no test test_gone"),
        ("[test_gone](../tests/docs/test_gone.py)", "no file"),
        ("[test_each_seed_has_its_part](../docs/seeds.md)", "neither"),
        ("[test_each_seed_has_its_part](../tests/docs/test_seeds.py) and more", "neither"),
        ("left out: no", "neither"),
        ("", "neither"),
        ("[test_each_seed_has_its_part](../tests/docs/test_seeds.py)", ""),
        ("[test_each_seed_has_its_part[an id]](../tests/docs/test_seeds.py)", ""),
    ],
)
def test_a_link_that_leads_nowhere_is_noticed(shown: str, said: str) -> None:
    found = problem(Line(1, "000", "something", shown))
    assert said in found
    assert bool(said) is bool(found)
