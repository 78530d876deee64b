"""docs/seeds.md: every requirement has a test that is there, or a reason why it is left out."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

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


def test_each_requirement_of_each_seed_has_a_test_that_is_there_or_a_reason() -> None:
    assert {row.seed for row in ROWS} == set(SEEDS)
    assert all(sum(row.seed == seed for row in ROWS) >= 20 for seed in SEEDS)
    assert len({(row.seed, row.requirement) for row in ROWS if row.requirement}) == len(ROWS), "none is empty or there twice"
    assert not {row.number: said for row in ROWS if (said := problem(row))}
    for shown in ("[test_gone](../tests/docs/test_seeds.py)", "[test_gone](../tests/docs/test_gone.py)", "left out: no", ""):
        assert problem(Line(1, "000", "something", shown)), "a link that leads nowhere is noticed"
