"""Every key of the settings is read by something, and a key that a role has no use for is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from support import desktop

from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_sources
from orchestrator.settings.policies import _READ_BY, ROLES, Deciders
from orchestrator.settings.settings import Settings, load_settings
from roles.journal.journal import Journal
from roles.knowledge.retrievers import McpSource
from roles.safety import SafetyPolicy

ROOT = Path(__file__).parents[3]
OTHER = {
    "vision": "true", "pictures": "[clean]", "screen_tokens": 100, "recent": 1, "batch": 3, "form": "narrow", "verbs": "[click]",
}  # fmt: skip


def models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def leaves(model: type[BaseModel], at: str = "") -> Iterator[str]:
    """Every key that holds a value: `limits.steps`, `faults.kind`."""
    for name, field in model.model_fields.items():
        key = f"{at}.{name}".lstrip(".")
        inner = models_in(field.annotation)
        if not inner and not field.exclude:  # read of old runs only
            yield key
        for part in inner:
            yield from leaves(part, key)


@pytest.fixture(scope="module")
def read() -> set[str]:
    """Every attribute that the packages read, and every name that they may look one up by."""
    found: set[str] = set()
    for path in (path for name in ("orchestrator", "roles", "environments", "protocol") for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


@pytest.mark.parametrize("model", [Settings, SafetyPolicy])
def test_every_key_is_read_by_something(model: type[BaseModel], read: set[str]) -> None:
    keys = set(leaves(model))
    assert len(keys) > 20
    assert [key for key in sorted(keys) if key.rpartition(".")[2] not in read] == []


@pytest.mark.parametrize(("role", "key"), [(role, key) for key, roles in _READ_BY.items() for role in ROLES if role not in roles])
def test_a_key_that_a_role_has_no_use_for_is_refused(role: str, key: str) -> None:
    told = [f"crew.{role}.policy=llm", f"crew.{role}.model.name=given", f"crew.{role}.{key}={OTHER[key]}"]
    settings, journal = load_settings((), told).settings, Journal(None, lambda: 0.0)
    with pytest.raises(UsageProblem, match=rf"crew\.{role}\.{key}: only the .* can have it"):
        Deciders(settings.crew, journal=journal, limits=settings.limits, environment=desktop()).of(role)


def test_the_tools_of_the_settings_are_asked_as_they_say() -> None:
    found = build_sources(load_settings((), ["tools=[{command: [a], tool: b, argument: words, seconds: 2.0}]"]).settings)
    (tool,) = (source._settings for source in found if isinstance(source, McpSource))
    assert (tool.command, tool.tool, tool.argument, tool.seconds) == (("a",), "b", "words", 2.0)
