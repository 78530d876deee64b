"""Checks of an installation: each says what it found and, where something is wrong, the fix."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from environments.contract import EnvironmentFault
from orchestrator.cli.common import PACKAGES as OURS
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import shipped, shipped_names, shown
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from orchestrator.views.terminal import is_rich_terminal

_STARTS_WITHIN = 20.0
EXTRAS = {
    "serve": ("fastapi", "sse_starlette", "uvicorn"),
    "vision": ("rapidocr", "onnxruntime"),
    "mcp": ("mcp",),
    "docs": ("mkdocs",),
}
"""Extras that no check of their own looks at, and the packages that each brings."""


class Check(NamedTuple):
    """One line of the report. `ok` with a fix is something that is lacking and not needed."""

    name: str
    ok: bool
    found: str
    fix: str = ""


def sandbox() -> Check:
    """Without one everything else works; only scripts are refused."""
    from environments.sandbox.bubblewrap import Bubblewrap
    from environments.sandbox.detect import installed

    found = installed()
    if not isinstance(found, Bubblewrap):
        what, _, fix = str(found.refusal).rpartition("; ")
        return Check("sandbox", True, f"none, so scripts are refused: {what or fix}", fix)
    nested = "; namespaces within it cannot be forbidden here" if found.tools.nested else ""
    user = "as a user of its own" if found.tools.setpriv else "as your own user"
    return Check("sandbox", True, f"bubblewrap runs scripts {user}{nested}")


def browser() -> Check:
    """Playwright, and a Chromium that starts."""
    from environments.browser.session import VARIABLE, find_chromium, need_playwright

    try:
        need_playwright()
        path = find_chromium()
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_STARTS_WITHIN)  # noqa: S603
    except EnvironmentFault as bad:
        what, _, fix = str(bad).rpartition(": ")
        return Check("browser", True, f"none: {what}", fix)
    except (OSError, subprocess.TimeoutExpired) as bad:
        return Check("browser", True, f"none: {path} does not start ({type(bad).__name__})", f"name another one in {VARIABLE}")
    if done.returncode:
        return Check("browser", True, f"none: {path} --version ends with {done.returncode}", f"name another one in {VARIABLE}")
    return Check("browser", True, f"{done.stdout.strip() or path}, driven through Playwright")


def models() -> Check:
    """Which presets can be worked here; rules need nothing."""
    from orchestrator.settings.build import report_presets

    ready, lacking = [], []
    for preset in report_presets():
        if preset.wrong:
            return Check("model", False, f"{preset.name}: {preset.wrong[0]}", "mend the file, or install deskcrew again")
        ready += [] if preset.lacking else [preset.name]
        lacking += [(preset.name, said) for said in preset.lacking]
    if not lacking:
        return Check("model", True, f"every preset can be worked: {', '.join(ready)}")
    names = ", ".join(dict.fromkeys(name for name, _ in lacking))
    fixes = dict.fromkeys(said.rpartition(": ")[2].rstrip(".") for _, said in lacking)
    return Check("model", True, f"ready: {', '.join(ready)}; lacking something: {names}", "\n".join(fixes))


def pictures() -> Check:
    """Without them everything else works; Chinese is drawn as empty boxes."""
    try:
        from environments.simulated.render.text import chain, has

        chinese = any(has(source, "文") for source in chain())
    except EnvironmentFault as bad:
        what, _, fix = str(bad).rpartition("; type: ")
        return Check("pictures", True, f"none: {what}", fix)
    if chinese:
        return Check("pictures", True, "PNG, with a font that has Chinese")
    return Check("pictures", True, "PNG, and Chinese is drawn as boxes: no font has it", "apt-get install fonts-noto-cjk")


def extras() -> Check:
    """Extras that are installed, and those that are not."""
    there = [name for name, packages in EXTRAS.items() if all(find_spec(package) for package in packages)]
    lacking = [name for name in EXTRAS if name not in there]
    fix = f'pip install "deskcrew[{",".join(lacking)}]"' if lacking else ""
    return Check("extras", True, ", ".join(there) or "none", fix)


PACKAGES = (
    "langgraph", "langchain-core", "langgraph-checkpoint-sqlite", "pydantic", "common-expression-language", "typer", "rich",
)  # fmt: skip
_NEEDED = frozenset({"python", "packages", "sqlite", "runs", "configs", "world", "terminal"})
"""Checks whose fix is told only where something is wrong; the others tell how to get what is lacking."""


def examine(runs_dir: Path) -> list[Check]:
    """Every check, in the order in which problems should be mended; what runs can do without comes last."""
    python, sqlite = sys.version_info, sqlite3.sqlite_version_info
    newer = "install Python 3.11 or newer and make the environment with it"
    reads_json = "use a Python that was built with SQLite 3.38 or newer"  # the journal reads JSON inside SQLite
    found = [
        Check("python", python >= (3, 11), ".".join(map(str, python[:3])), newer),
        _packages(),
        _names(),
        Check("sqlite", sqlite >= (3, 38, 0), sqlite3.sqlite_version, reads_json),
        _folder(runs_dir),
        *(check() for check in (_configs, _environment, _terminal, sandbox, browser, models, pictures, extras)),
    ]
    return [check._replace(fix="") if check.ok and check.name in _NEEDED else check for check in found]


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
    home, owners = Path(__file__).resolve().parents[3], packages_distributions()
    folders = dict.fromkeys([os.getcwd(), *sys.path])
    found = [spec.origin for name in OURS for folder in folders if (spec := PathFinder.find_spec(name, [folder])) and spec.origin]
    others = [place for place in found if Path(place).resolve().parents[1] != home]
    brought = {owner for name in OURS for owner in owners.get(name, ())} - {"deskcrew"}
    others += [f"the package {owner}" for owner in sorted(brought)]
    if not others:
        return Check("names", True, "no other package shadows deskcrew")
    fix = "start Python in another folder, take that folder off PYTHONPATH, or install deskcrew in an environment of its own"
    return Check("names", True, f"a package name of deskcrew is shadowed by {', '.join(others)}", fix)


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
    try:
        load_settings()
        names = shipped_names("tasks")
        for name in names:
            load_task(shipped("tasks", f"{name}.yaml"))
    except UsageProblem as bad:
        return Check("configs", False, str(bad), "mend the file, or install deskcrew again")
    presets, safety = len(shipped_names("policies")), len(shipped_names("safety"))
    told = f"{len(names)} tasks, {presets} presets of policies, {safety} safety policies"
    return Check("configs", bool(names), told, "install deskcrew again")


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
