"""Every code block of the documents is run or read; the diagram is the table's."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from pydantic import TypeAdapter
from warm import line, python

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.core.machine import mermaid
from orchestrator.lab.suite.suite import episodes_of, load_suite
from orchestrator.settings.layers import Document, parse_document
from orchestrator.settings.settings import Settings, load_safety, load_settings
from orchestrator.tasks.plans import read_plan
from orchestrator.tasks.tasks import Task, load_task
from protocol import Wait
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
    kind = block.text.splitlines()[0].removeprefix("# ")
    path = tmp_path / "example.yaml"
    path.write_text(block.text, encoding="utf-8")
    if kind == "settings":
        load_settings([path])
    elif kind == "safety policy":
        load_safety(str(path))
    elif kind == "preset of policies":
        load_settings(overrides=[f"policies={path}"])
    elif kind == "plan":
        assert read_plan(path).subtasks
    elif kind == "steps":
        assert STEPS.validate_python(yaml.safe_load(block.text))
    elif kind == "part of a task":
        slots = {"invoice": {"from": "apps.billing.invoices"}}
        whole = {"goal": "about {invoice.number}", "world": "office", "success": ["true"], "slots": slots}
        assert Task.model_validate({**whole, **yaml.safe_load(block.text)}).plan
    elif kind == "suite":
        suite = load_suite(str(path))
        assert episodes_of(suite)
        for configuration in suite.configurations.values():
            load_settings(overrides=[f"{key}={json.dumps(value)}" for key, value in configuration.items()])
    elif kind == "world":
        assert SimulatedDesktop(load_world(path)).perform(Wait(seconds=600), key="wait").ok
    else:
        assert kind == "task"
        load_settings(task_layer=load_task(path).layer())


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {block.language for block in BLOCKS} <= {"python", "bash", "sh", "console", "yaml", "toml", "mermaid", ""}


def test_the_diagram_is_printed_from_the_table() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{mermaid()}\n```" in readme


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_and_paths_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in _LINK.findall(text):
        assert (document.parent / target).exists(), target
    for path in re.findall(r"`((?:orchestrator|roles|environments|protocol|configs|docs|scripts|tests)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


def test_the_shipped_defaults_name_only_known_keys() -> None:
    document: Document = parse_document(
        (ROOT / "configs/default.yaml").read_text(encoding="utf-8"), "default.yaml", "config file"
    )
    assert set(document.data) <= set(Settings.model_fields)


def test_the_constraints_pin_every_dependency_to_one_version() -> None:
    pins = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    names = {re.sub(r"[-_.]+", "-", pin.split("==")[0]).casefold() for pin in pins}
    for needed in re.findall(r'^    "([\w-]+)[><=]', text, re.MULTILINE):
        assert re.sub(r"[-_.]+", "-", needed).casefold() in names, needed


def test_no_pin_wants_a_newer_python_than_the_project() -> None:
    """A pin that the oldest Python cannot have makes `scripts/demo` fail there, whatever is installed here."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^requires-python = ">=([\d.]+)"', text, re.MULTILINE)
    assert found is not None
    wrong = []
    for name in re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE):
        try:
            needed = metadata(name)["Requires-Python"] or ""
        except PackageNotFoundError:  # of an extra that is not installed here
            continue
        if not SpecifierSet(needed).contains(f"{found[1]}.0"):
            wrong.append(f"{name} {needed}")
    assert not wrong


def test_every_shipped_yaml_file_can_be_read() -> None:
    assert not [path for path in (ROOT / "configs").rglob("*.yaml") if not yaml.safe_load(path.read_text(encoding="utf-8"))]
