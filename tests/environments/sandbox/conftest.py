"""The sandbox of this machine, for real. Where there is none, its tests are skipped and say what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from environments.sandbox.bubblewrap import Bubblewrap
from environments.sandbox.contract import SandboxLimits, ScriptResult
from environments.sandbox.detect import installed

Run = Callable[..., ScriptResult]


@pytest.fixture(scope="session")
def sandbox() -> Bubblewrap:
    found = installed()
    if found.refusal:
        pytest.skip(found.refusal)
    assert isinstance(found, Bubblewrap)
    return found


@pytest.fixture
def bash(sandbox: Bubblewrap) -> Run:
    """`bash(script, timeout=…, **limits)` on no files unless some are given."""

    def run(script: str, *, files: dict[str, bytes] | None = None, timeout: float = 20, **limits: int) -> ScriptResult:
        return bounded(sandbox, **limits).run(script, "bash", files or {}, timeout)

    return run


@pytest.fixture
def python(sandbox: Bubblewrap) -> Run:
    def run(script: str, *, files: dict[str, bytes] | None = None, timeout: float = 20, **limits: int) -> ScriptResult:
        return bounded(sandbox, **limits).run(script, "python", files or {}, timeout)

    return run


def bounded(sandbox: Bubblewrap, **limits: int) -> Bubblewrap:
    return Bubblewrap(sandbox.tools, SandboxLimits(**limits)) if limits else sandbox
