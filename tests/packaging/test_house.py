"""The laws of the structure: few children in a folder, no circles, a core that can be read at one sitting."""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("deskcrew", "orchestrator", "roles", "environments", "protocol")
MOST = 12
"""Children of a folder: modules, and folders that hold modules."""
CORE_LINES = 1_500
INTERFACES = ("orchestrator.cli", "orchestrator.desk", "orchestrator.lab", "orchestrator.views")


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """What each module imports of these packages, also where it does so late or only for the types."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


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


def test_no_modules_import_each_other_in_a_circle(imports: dict[str, set[str]]) -> None:
    found = (ROOT / "orchestrator").rglob("static/*.js")  # a page finds them all in one place
    pages = {path.name: set(re.findall(r"(?:from |import\()'\./([^']+)'", path.read_text(encoding="utf-8"))) for path in found}
    assert len(pages) > 20
    assert set().union(*pages.values()) <= set(pages)
    try:
        TopologicalSorter(imports | pages).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_the_core_is_short_and_knows_no_interface(imports: dict[str, set[str]]) -> None:
    core = sorted((ROOT / "orchestrator" / "core").glob("*.py"))
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in core) < CORE_LINES
    taken = set().union(*(imports[f"orchestrator.core.{path.stem}"] for path in core if path.stem != "__init__"))
    assert [name for name in taken if name.startswith(INTERFACES)] == []
