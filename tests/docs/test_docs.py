"""Every code block of the documents is run or read; the diagram is the table's."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from pydantic import TypeAdapter
from warm import line, python

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.core.machine import mermaid
from orchestrator.lab.suite.suite import episodes_of, load_suite
from orchestrator.settings.settings import load_safety, load_settings
from orchestrator.tasks.plans import read_plan
from orchestrator.tasks.tasks import Task, load_task
from protocol import Wait
from protocol.dialects import NAMES as DIALECTS
from protocol.exports import NAMES as FORMATS
from roles.manager.plans import WrittenStep

pytestmark = pytest.mark.slow("documents that are worked to their end")

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLLOWED = ROOT / "docs" / "how-to"
"""Pages whose blocks belong together: test_walkthroughs.py follows them."""
_FENCE = re.compile(r"^```(\w*)[^\n`]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
WAITS = 3
STEPS: TypeAdapter[list[WrittenStep]] = TypeAdapter(list[WrittenStep])


class Block(NamedTuple):
    """A fenced block of a document."""

    document: str
    number: int
    language: str
    text: str


_FOUND = [
    Block(document.name, number, match[1], match[2])
    for document in DOCUMENTS
    if document.parent != FOLLOWED
    for number, match in enumerate(_FENCE.finditer(document.read_text(encoding="utf-8")), start=1)
]
BLOCKS = list({(block.language, block.text): block for block in _FOUND}.values())
"""What stands in two documents is worked once."""


def blocks(*languages: str) -> list[object]:
    return [pytest.param(b, id=f"{b.document}-{b.number}") for b in BLOCKS if b.language in languages]


@pytest.mark.parametrize("block", blocks("python"))
def test_python_in_the_documents_runs(block: Block, tmp_path: Path) -> None:
    done = python("-W", "error", "-c", block.text, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", blocks("bash", "sh"))
def test_commands_in_the_documents_run(block: Block, tmp_path: Path) -> None:
    """One after the other; a run that waits for a person is as good as one that is done."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "TERM": "dumb"}
    for command in block.text.splitlines():
        code, printed = line(command, tmp_path, environment)
        assert code in (0, WAITS), f"{command}: {printed}"


@pytest.mark.parametrize("block", blocks("console"))
def test_scripts_that_the_documents_name_are_there(block: Block) -> None:
    for text in block.text.splitlines():
        if text.startswith("$ "):
            assert os.access(ROOT / text.split()[1], os.X_OK), text


@pytest.mark.parametrize("block", blocks("yaml"))
def test_yaml_in_the_documents_is_what_its_first_line_says(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(block.text, encoding="utf-8")
    match block.text.splitlines()[0].removeprefix("# "):
        case "settings":
            load_settings([path])
        case "safety policy":
            load_safety(str(path))
        case "preset of policies":
            load_settings(overrides=[f"policies={path}"])
        case "plan":
            assert read_plan(path).subtasks
        case "steps":
            assert STEPS.validate_python(yaml.safe_load(block.text))
        case "part of a task":
            slots = {"invoice": {"from": "apps.billing.invoices"}}
            whole = {"goal": "about {invoice.number}", "world": "office", "success": ["true"], "slots": slots}
            assert Task.model_validate({**whole, **yaml.safe_load(block.text)}).plan
        case "suite":
            assert episodes_of(load_suite(str(path)))
        case "world":
            assert SimulatedDesktop(load_world(path)).perform(Wait(seconds=600), key="wait").ok
        case kind:
            assert kind == "task"
            load_settings(task_layer=load_task(path).layer())


def test_the_diagram_is_printed_from_the_table() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{mermaid()}\n```" in readme
    assert {block.language for block in BLOCKS} <= {"python", "bash", "sh", "console", "yaml", "toml", "mermaid", ""}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_paths_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in _LINK.findall(text):
        assert (document.parent / target).exists(), target
    for path in re.findall(r"`((?:orchestrator|roles|environments|protocol|configs|docs|scripts|tests)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


def test_the_constraints_pin_every_dependency_to_one_version_that_the_oldest_python_can_have() -> None:
    """`scripts/demo` would fail there, whatever is installed here."""
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = {canonicalize_name(name) for name in pins}
    assert not {name for name in re.findall(r'^    "([\w-]+)[><=]', text, re.MULTILINE) if canonicalize_name(name) not in names}
    found = re.search(r'^requires-python = ">=([\d.]+)"', text, re.MULTILINE)
    assert found is not None
    wrong = []
    for name in pins:
        with suppress(PackageNotFoundError):  # of an extra that is not installed here
            needed = metadata(name)["Requires-Python"] or ""
            wrong += [] if SpecifierSet(needed).contains(f"{found[1]}.0") else [f"{name} {needed}"]
    assert not wrong


def test_the_tables_of_losses_are_what_the_code_does_and_every_dialect_and_format_is_named_in_the_overview() -> None:
    words = [sys.executable, ROOT / "scripts" / "loss_tables.py", "--check"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    overview = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert not [name for name in (*DIALECTS, *FORMATS) if f"`{name}`" not in overview]
