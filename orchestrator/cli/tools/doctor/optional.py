"""Checks of what runs can do without: the sandbox, a browser, models, a shared store, pictures and extras; each with its fix."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from typing import NamedTuple

from environments.contract import EnvironmentFault
from orchestrator.errors import UsageProblem

_STARTS_WITHIN = 20.0
EXTRAS = {
    "serve": ("fastapi", "sse_starlette", "uvicorn"),
    "vision": ("rapidocr", "onnxruntime"),
    "embeddings": ("numpy",),
    "mcp": ("mcp",),
    "postgres": ("psycopg",),
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

    found, other = installed(), installed("gvisor")
    gvisor = "" if other.refusal else "; gVisor is there too (sandbox=gvisor)"
    if not isinstance(found, Bubblewrap):
        what, _, fix = str(found.refusal).rpartition("; ")
        return Check("sandbox", True, f"none, so scripts are refused: {what or fix}{gvisor}", fix)
    nested = "; namespaces within it cannot be forbidden here" if found.tools.nested else ""
    user = "as a user of its own" if found.tools.setpriv else "as your own user"
    return Check("sandbox", True, f"bubblewrap runs scripts {user}{nested}{gvisor}")


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
    from orchestrator.settings.policy_check import report_presets

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


def store(address: str | None) -> Check:
    """A shared store, where one is named."""
    if not address:
        return Check("store", True, "each run in its folder (SQLite); none is shared")
    from orchestrator.store.address import shown_address
    from orchestrator.store.stores import given_address

    try:
        from orchestrator.store.postgres.runs import shared_runs

        with shared_runs(given_address(address)) as runs:
            count = sum(1 for _ in runs.all())
    except UsageProblem as bad:
        fix = "start it, and check host, user and password in --store or DESKCREW_STORE"
        return Check("store", False, f"{shown_address(address)}: {bad}", fix)
    return Check("store", True, f"{shown_address(address)} answers, {count} runs")


def pictures() -> Check:
    """Without them everything else works; Chinese is drawn as empty boxes."""
    try:
        from environments.simulated.render import fonts

        chinese = any(fonts.has(source, "文") for source in fonts.chain())
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
