"""What `from deskcrew import Crew` loads: the core, and nothing of what a run may never need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from deskcrew.shadowing import LANDMARKS

MOST = 250
"""Modules of ours."""
UNASKED = (
    "orchestrator.desk", "orchestrator.lab", "orchestrator.cli", "fastapi", "starlette", "uvicorn", "mcp",
    "environments.browser", "environments.served", "environments.vision", "environments.simulated.apps", "playwright",
    "rapidocr", "onnxruntime", "cv2", "numpy", "PIL", "protocol.dialects", "protocol.exports",
    "roles.policies.orders.planner", "roles.policies.orders.skills", "roles.policies.scripted",
    "roles.policies.llm.asking", "roles.policies.llm.models",
    "langchain_openai", "langchain_anthropic", "langchain_ollama", "openai", "anthropic",
)  # fmt: skip


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    code = "import sys, json\nfrom deskcrew import Crew\nprint(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


def test_the_crew_takes_fewer_modules_of_ours_than_this(loaded: set[str]) -> None:
    assert sum(name.split(".")[0] in LANDMARKS for name in loaded) < MOST


@pytest.mark.parametrize("name", UNASKED)
def test_the_crew_comes_without(loaded: set[str], name: str) -> None:
    assert not {one for one in loaded if one == name or one.startswith(f"{name}.")}
