"""Faces on packages that are not here: what is missing is named, and nothing of them is loaded by `deskcrew` itself."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "extra"),
    [("deskcrew.openenv", "openenv"), ("deskcrew.inspect_tasks", "inspect"), ("deskcrew_episodes", "verifiers")],
)
def test_a_missing_package_is_named_with_its_extra(module: str, extra: str) -> None:
    hide = "import sys; sys.modules.update(dict.fromkeys(('openenv', 'inspect_ai', 'verifiers')))"
    done = subprocess.run([sys.executable, "-c", f"{hide}; import {module}"], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"pip install 'deskcrew[{extra}]'" in done.stderr.splitlines()[-1]


def test_an_episode_loads_no_face() -> None:
    code = "import sys; from deskcrew import Episode; print([n for n in sys.modules if n.split('.')[0] in %r])"
    faces = ("gymnasium", "openenv", "inspect_ai", "verifiers", "mcp", "datasets")
    done = subprocess.run([sys.executable, "-c", code % (faces,)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
