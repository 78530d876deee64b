"""The public face: what `import deskcrew` gives, what it loads, and what it says where another package has our names."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from worked.runs import deskcrew as command

import deskcrew
import orchestrator
from deskcrew.shadowing import LANDMARKS

ROOT = Path(__file__).resolve().parents[2]


def test_every_name_is_there_and_one_that_is_not_is_told_as_python_does() -> None:
    for name, home in deskcrew._HOMES.items():
        assert getattr(deskcrew, name) is getattr(import_module(home), name)
    assert (orchestrator.Crew, orchestrator.UsageProblem) == (deskcrew.Crew, deskcrew.UsageProblem)
    for module in (deskcrew, orchestrator):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Crews'"):
            module.Crews  # noqa: B018


def test_what_types_see_is_what_runs() -> None:
    text = (ROOT / "deskcrew/__init__.py").read_text("utf-8")
    typed = {(name, home) for home, name in re.findall(r"^    from (\S+) import \w+ as (\w+)$", text, re.MULTILINE)}
    assert typed == set(deskcrew._HOMES.items())
    assert all((ROOT / name / "py.typed").exists() for name in LANDMARKS)


def test_the_command_says_whose_package_has_a_name_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "✓ names     no other package shadows deskcrew" in command("doctor")[1]
    (tmp_path / "roles.py").write_text("")
    words = [sys.executable, "-m", "deskcrew", "doctor"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.startswith(f"deskcrew: the package 'roles' is {tmp_path}/roles.py here, not that of deskcrew; start ")
    assert len(done.stderr.splitlines()) == 1
    said = command("doctor")[1]
    assert f"– names     a package name of deskcrew is shadowed by {tmp_path}/roles.py\n" in said
    assert "fix: start Python in another folder" in said


# --- what `from deskcrew import Crew` loads: the core, and nothing of what a run may never need


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
