"""The laws of the structure: few children in a folder, no circles, a core that can be read at one sitting."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("deskcrew", "orchestrator", "roles", "environments", "protocol")
MOST = 12
"""Children of a folder: modules, and folders that hold modules."""
CORE_LINES = 1_500
INTERFACES = ("orchestrator.cli", "orchestrator.desk", "orchestrator.lab", "orchestrator.views")


def modules() -> dict[str, Path]:
    found = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in found}


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """What a module imports of these packages, also where it does so late or only for the types."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in known else node.module


def children(folder: Path) -> list[str]:
    """A package's own file and the fixtures of tests are no children."""
    return [
        path.name
        for path in folder.iterdir()
        if (path.suffix == ".py" and path.name not in {"__init__.py", "conftest.py"})
        or (path.is_dir() and any(path.rglob("*.py")))
    ]


@pytest.mark.parametrize("top", [*PACKAGES, "tests"])
def test_no_folder_has_more_than_twelve_children(top: str) -> None:
    folders = [ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())]
    crowded = {str(folder.relative_to(ROOT)): len(children(folder)) for folder in folders}
    assert {name: count for name, count in crowded.items() if count > MOST} == {}


def scripts() -> dict[str, set[str]]:
    """The scripts of the pages, each with those that it imports, late ones too; a page finds them all in one place."""
    found = (ROOT / "orchestrator").rglob("static/*.js")
    return {path.name: set(re.findall(r"(?:from |import\()'\./([^']+)'", path.read_text(encoding="utf-8"))) for path in found}


def test_no_modules_import_each_other_in_a_circle() -> None:
    known, graph = modules(), defaultdict[str, set[str]](set)
    for name, path in known.items():
        graph[name] = {other for other in imports(path, known) if other in known and other != name}
    pages = scripts()
    assert len(pages) > 20
    assert set().union(*pages.values()) <= set(pages)
    try:
        TopologicalSorter(graph | pages).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_the_core_is_short_and_knows_no_interface() -> None:
    core = sorted((ROOT / "orchestrator" / "core").glob("*.py"))
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in core) < CORE_LINES
    taken = {name for path in core for name in imports(path, modules())}
    assert [name for name in taken if name.startswith(INTERFACES)] == []


def test_a_circle_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def late():\n    from orchestrator.crew import Crew\n    return Crew\n")
    assert list(imports(tmp_path / "a.py", modules())) == ["orchestrator.crew"]
