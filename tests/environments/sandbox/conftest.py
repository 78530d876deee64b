"""The sandbox of this machine, for real. Where there is none, its tests are skipped and say why."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from environments.sandbox.bubblewrap import Bubblewrap
from environments.sandbox.contract import SandboxLimits, ScriptResult
from environments.sandbox.detect import installed

Run = Callable[..., ScriptResult]


@pytest.fixture(scope="session", autouse=True)
def places() -> Iterator[Path]:
    """A folder for all that a sandbox lays down, so that what is left of it can be told from what is others'."""
    folder, before = Path(tempfile.mkdtemp(prefix="deskcrew-tests-")), tempfile.tempdir
    folder.chmod(0o711)
    tempfile.tempdir = str(folder)
    yield folder
    tempfile.tempdir = before
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def sandbox(places: Path) -> Bubblewrap:
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
    if not limits:
        return sandbox
    return Bubblewrap(sandbox.tools, SandboxLimits(**limits))
