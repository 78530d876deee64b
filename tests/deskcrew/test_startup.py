"""What `from deskcrew import Crew` loads: the core, and nothing of what a run may never need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deskcrew.shadowing import LANDMARKS

UNASKED = (
    "orchestrator.desk", "orchestrator.lab", "orchestrator.cli", "fastapi", "starlette", "uvicorn", "mcp",
    "environments.browser", "environments.served", "environments.vision", "environments.simulated.apps", "playwright",
    "rapidocr", "onnxruntime", "cv2", "numpy", "PIL", "protocol.dialects", "protocol.exports",
    "roles.policies.orders.planner", "roles.policies.orders.skills", "roles.policies.scripted",
    "roles.policies.llm.asking", "roles.policies.llm.models",
    "langchain_openai", "langchain_anthropic", "langchain_ollama", "openai", "anthropic",
)  # fmt: skip


def imported(code: str) -> set[str]:
    """The modules that are there once this was done, in a Python that has done nothing else."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_the_crew_comes_without_what_a_run_may_never_need_and_takes_few_modules_of_ours() -> None:
    loaded = imported("from deskcrew import Crew")
    assert sum(name.split(".")[0] in LANDMARKS for name in loaded) < 250
    assert not {one for one in loaded for name in UNASKED if one == name or one.startswith(f"{name}.")}


def test_the_face_and_the_plugin_load_nothing_of_ours_and_an_episode_no_interface() -> None:
    bare = {name.split(".")[0] for name in imported("import deskcrew, deskcrew.pytest_plugin")}
    assert not bare & {"orchestrator", "roles", "environments", "protocol", "langgraph", "pydantic", "yaml"}
    episode = {name.split(".")[0] for name in imported("from deskcrew import Episode")}
    assert not episode & {"gymnasium", "openenv", "inspect_ai", "verifiers", "mcp", "datasets"}


@pytest.mark.parametrize(
    ("module", "extra"),
    [("deskcrew.openenv", "openenv"), ("deskcrew.inspect_tasks", "inspect"), ("deskcrew_episodes", "verifiers")],
)
def test_a_missing_package_is_named_with_its_extra(module: str, extra: str) -> None:
    hide = "import sys; sys.modules.update(dict.fromkeys(('openenv', 'inspect_ai', 'verifiers')))"
    done = subprocess.run([sys.executable, "-c", f"{hide}; import {module}"], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"pip install 'deskcrew[{extra}]'" in done.stderr.splitlines()[-1]
