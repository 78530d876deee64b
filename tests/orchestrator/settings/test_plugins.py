"""A package of somebody else brings one part of each kind, and a task is worked with them; nothing of ours is edited."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.desk.routes.start import _refuse_places
from orchestrator.errors import UsageProblem
from orchestrator.settings.plugins import part
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task

ROOT = Path(__file__).resolve().parents[3]
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "neighbour"
version = "1.0"

[project.entry-points."deskcrew.environments"]
small = "neighbour:small"
[project.entry-points."deskcrew.policies"]
careful = "neighbour:Careful"
[project.entry-points."deskcrew.dialects"]
plain = "neighbour:PLAIN"
[project.entry-points."deskcrew.sources"]
shelf = "neighbour:Shelf"
[project.entry-points."deskcrew.checks"]
no-notes = "neighbour:NoNotes"

[tool.setuptools]
py-modules = ["neighbour"]
"""
MODULE = """
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol.dialects import Dialect
from protocol.dialects import dialect
from roles.evaluator.rules import RulesEvaluator


def small(store):
    return SimulatedDesktop(load_world("office"), 0, store)


class Careful(RulesEvaluator):
    def judge(self, request):
        open("judged.txt", "a").write("x")
        return super().judge(request)


class Shelf:
    name = "shelf"

    def search(self, query, app, limit):
        open("searched.txt", "a").write("x")
        return []


class NoNotes:
    name = "no_notes"

    def check(self, action, element, state):
        open("looked.txt", "a").write("x")
        return ("deny", "notes are closed today") if getattr(action, "app", "") == "notes" else None


class Broken:
    name = "broken"

    def check(self, action, element, state):
        raise RuntimeError("lost the book")


PLAIN = dialect("qwen")
"""


@pytest.fixture(scope="module")
def neighbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package was installed into, by pip and without a network."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "neighbour.py").write_text(MODULE)
    offline = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", target, source], check=True, timeout=120)
    return target


def python(neighbour: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PYTHONPATH": f"{neighbour}:{ROOT}", "PATH": "/usr/bin:/bin", "HOME": str(cwd)}
    return subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=120)


def deskcrew(neighbour: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return python(neighbour, cwd, "-m", "deskcrew", *words)


def test_a_task_is_worked_with_the_parts_of_another_package(neighbour: Path, tmp_path: Path) -> None:
    taken = ("environment=small", "plugins.policies.evaluator=careful", "plugins.sources=[shelf]", "plugins.checks=[no-notes]")
    words = [word for said in (*taken, "knowledge.look_up=ahead") for word in ("-c", said)]
    done = deskcrew(neighbour, tmp_path, "run", "In the reimbursement form, enter 5.00 as the amount", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("judged.txt", "searched.txt", "looked.txt"):
        assert (tmp_path / name).exists(), name


def test_a_safety_check_denies_and_one_that_fails_denies_too(neighbour: Path, tmp_path: Path) -> None:
    for check, why in (("no-notes", "notes are closed today"), ("neighbour:Broken", "it failed: RuntimeError: lost the book")):
        words = ("-c", f"plugins.checks=['{check}']", "-c", "limits.plans=1", "--display", "plain", "-c", "policies=rules")
        done = deskcrew(neighbour, tmp_path, "run", "Open the notes", *words)
        assert done.returncode == 4, done.stdout + done.stderr
        assert why in done.stdout + done.stderr


def test_what_is_installed_is_listed_and_checked(neighbour: Path, tmp_path: Path) -> None:
    done = deskcrew(neighbour, tmp_path, "plugins", "--json", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    found = {one["kind"]: one for one in json.loads(done.stdout)}
    assert {kind: one["name"] for kind, one in found.items()} == {
        "environments": "small", "policies": "careful", "dialects": "plain", "sources": "shelf", "checks": "no-notes",
    }  # fmt: skip
    assert {one["package"] for one in found.values()} == {"neighbour"}
    assert not any(one["problem"] for one in found.values())
    code = "from protocol.dialects import NAMES, dialect; print('plain' in NAMES, dialect('plain').name)"
    done = python(neighbour, tmp_path, "-c", code)
    assert done.stdout.strip() == "True qwen", done.stderr


@pytest.mark.parametrize(
    ("kind", "name", "why"),
    [
        ("policies", "json:JSONDecoder", "has no plan or decide or judge or answer or write, which such a part needs"),
        ("environments", "nowhere", "no installed package offers it under deskcrew.environments"),
        ("checks", "no.such.module:Check", "cannot be used: ModuleNotFoundError"),
        ("sources", "json:JSONDecoder", "json:JSONDecoder has no name, which such a part needs"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_is_wrong(kind: str, name: str, why: str) -> None:
    with pytest.raises(UsageProblem, match=why):
        part(kind, name)  # type: ignore[arg-type]


def test_neither_a_task_nor_a_policy_nor_a_run_over_http_names_a_class(tmp_path: Path) -> None:
    for said in ("environment: 'neighbour:small'", "plugins: {checks: ['neighbour:NoNotes']}"):
        path = tmp_path / "task.yaml"
        path.write_text(f"id: t\ngoal: Open the notes\nworld: office\nsettings: {{{said}}}\n")
        with pytest.raises(UsageProblem, match="a task may not"):
            load_settings((), (), load_task(path).layer())
    with pytest.raises(UsageProblem, match=r"a class of another package goes into plugins\.policies\.evaluator"):
        load_settings((), ["crew.evaluator.policy=stranger:Judge"])
    with pytest.raises(UsageProblem, match="is a class, and only installed names are accepted"):
        _refuse_places([("environment", "neighbour:small")], ())
    with pytest.raises(UsageProblem, match="reserved for the server"):
        _refuse_places([("plugins.checks", ["neighbour:NoNotes"])], ())
