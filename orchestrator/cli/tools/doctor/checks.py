"""Checks of an installation: each says what it found and, where something is wrong, the fix."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from orchestrator.cli.tools.doctor import optional
from orchestrator.cli.tools.doctor.optional import Check
from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings, shipped_names
from orchestrator.settings.yaml_documents import shown
from orchestrator.tasks.tasks import load_task
from orchestrator.views.terminal import is_rich_terminal

PACKAGES = (
    "langgraph",
    "langchain-core",
    "langgraph-checkpoint-sqlite",
    "pydantic",
    "common-expression-language",
    "typer",
    "rich",
)
_NEEDED = frozenset({"python", "packages", "sqlite", "runs", "configs", "world", "terminal"})
"""Checks whose fix is told only where something is wrong; the others tell how to get what is lacking."""
_OLDEST_SQLITE = (3, 38, 0)
"""The journal reads JSON inside SQLite."""


def examine(runs_dir: Path, store: str | None = None) -> list[Check]:
    """Every check, in the order in which problems should be mended; what runs can do without comes last."""
    checks: list[Callable[[], Check]] = [
        _python,
        _packages,
        _names,
        _sqlite,
        lambda: _folder(runs_dir),
        _configs,
        _environment,
        _terminal,
        lambda: optional.store(store),
        optional.sandbox,
        optional.browser,
        optional.models,
        optional.pictures,
        optional.extras,
    ]
    found = [check() for check in checks]
    return [check._replace(fix="") if check.ok and check.name in _NEEDED else check for check in found]


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check("python", sys.version_info >= (3, 11), found, "install Python 3.11 or newer and make the environment with it")


def _packages() -> Check:
    versions, missing = [], []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check("packages", False, f"missing: {', '.join(missing)}", "pip install -c constraints.txt .")
    return Check("packages", True, ", ".join(versions))


def _names() -> Check:
    """Others that a script, a test or `python -m` started in this folder would import instead of our packages."""
    # By name, because nothing here may depend on what stands above.
    others = import_module("deskcrew.shadowing").others([os.getcwd(), *sys.path])
    if not others:
        return Check("names", True, "no other package has a name of ours")
    fix = "start Python in another folder, take that folder off PYTHONPATH, or install deskcrew in an environment of its own"
    return Check("names", True, f"a name of ours is taken by {', '.join(others)}", fix)


def _sqlite() -> Check:
    good = sqlite3.sqlite_version_info >= _OLDEST_SQLITE
    return Check("sqlite", good, sqlite3.sqlite_version, "use a Python that was built with SQLite 3.38 or newer")


def _folder(runs_dir: Path) -> Check:
    try:
        near = runs_dir if runs_dir.exists() else next(p for p in runs_dir.absolute().parents if p.exists())
        if not near.is_dir():
            raise NotADirectoryError(20, "it is not a folder")
        with tempfile.TemporaryFile(dir=near):
            pass
    except OSError as bad:
        return Check("runs", False, f"{shown(runs_dir)}: {bad.strerror}", "give a folder that can be written: --runs-dir FOLDER")
    return Check("runs", True, f"{shown(runs_dir)} can be written")


def _configs() -> Check:
    from orchestrator.settings.settings import shipped

    try:
        load_settings()
        names = shipped_names("tasks")
        for name in names:
            load_task(shipped("tasks", f"{name}.yaml"))
    except UsageProblem as bad:
        return Check("configs", False, str(bad), "mend the file, or install deskcrew again")
    presets, safety = len(shipped_names("policies")), len(shipped_names("safety"))
    return Check(
        "configs",
        bool(names),
        f"{len(names)} tasks, {presets} presets of policies, {safety} safety policies",
        "install deskcrew again",
    )


def _environment() -> Check:
    try:
        from orchestrator.settings.build import make_environment

        environment = make_environment(load_settings().settings)
        try:
            elements = len(environment.reset(seed=0).elements)
        finally:
            environment.close()
    except Exception as bad:  # noqa: BLE001 - whatever is wrong is the finding
        return Check("world", False, f"{type(bad).__name__}: {bad}", "install deskcrew again, or run the tests: scripts/test")
    return Check("world", elements > 0, f"the simulated desktop shows {elements} elements", "run the tests: scripts/test")


def _terminal() -> Check:
    if is_rich_terminal(sys.stdout):
        return Check("terminal", True, "can show the live view")
    why = "NO_COLOR is set" if os.environ.get("NO_COLOR") else "not a terminal" if not sys.stdout.isatty() else "TERM is dumb"
    return Check("terminal", True, f"plain lines ({why})")


def as_text(checks: list[Check]) -> str:
    """A line a check; ✗ has to be mended, and – is what runs can do without."""
    lines = []
    for check in checks:
        lines.append(f"{'✗' if not check.ok else '–' if check.fix else '✓'} {check.name:<9} {check.found}")
        lines += [f"  {'':<9} fix: {fix}" for fix in check.fix.splitlines()]
    return "\n".join(lines)


def as_json(checks: list[Check]) -> str:
    return json.dumps([check._asdict() for check in checks], indent=2)
