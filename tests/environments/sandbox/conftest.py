"""The sandbox of this machine, for real. Where there is none, its tests are skipped and say what it says."""

from collections.abc import Callable
from typing import Any

import pytest

from environments.sandbox.bubblewrap import Bubblewrap
from environments.sandbox.contract import Language, SandboxLimits, ScriptResult
from environments.sandbox.detect import installed

Run = Callable[..., ScriptResult]


@pytest.fixture(scope="session")
def sandbox() -> Bubblewrap:
    found = installed()
    if found.refusal:
        pytest.skip(found.refusal)
    assert isinstance(found, Bubblewrap)
    return found


def _running(language: Language) -> Any:
    @pytest.fixture
    def run(sandbox: Bubblewrap) -> Run:
        """`bash(script, timeout=…, **limits)` on no files unless some are given; `python` likewise."""

        def bounded(script: str, *, files: dict[str, bytes] | None = None, timeout: float = 20, **limits: Any) -> ScriptResult:
            here = Bubblewrap(sandbox.tools, SandboxLimits(**limits)) if limits else sandbox
            return here.run(script, language, files or {}, timeout)

        return bounded

    return run


bash, python = _running("bash"), _running("python")
