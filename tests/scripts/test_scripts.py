"""The scripts: they can be parsed, run from anywhere, and say what is missing; and what keeps every test on this machine."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL = [ROOT / path for path in ("scripts/demo", "scripts/test", "scripts/venv.sh", "scripts/pytest.sh", ".ci/run")]


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.name)
def test_a_script_can_be_parsed_and_stops_at_the_first_failure(path: Path) -> None:
    assert subprocess.run(["bash", "-n", str(path)], capture_output=True).returncode == 0
    if path.suffix != ".sh":
        assert "set -euo pipefail" in path.read_text(encoding="utf-8")


def test_a_machine_without_a_new_enough_python_is_told_in_one_sentence(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    command = f"set -euo pipefail; source {ROOT}/scripts/venv.sh; PATH={tmp_path}; found=$(find_python); echo $found"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Python 3.11 or newer is needed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_installed_environment_is_not_installed_again(tmp_path: Path) -> None:
    """Only the stamp is looked at: nothing here could install anything."""
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "constraints.txt").write_text("", encoding="utf-8")
    command = tmp_path / ".venv/bin/deskcrew"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n", encoding="utf-8")
    command.chmod(0o755)
    stamp = 'echo "$(cat pyproject.toml constraints.txt | cksum) $PWD .[dev]" >.venv/.installed'
    script = f"set -euo pipefail; source {ROOT}/scripts/venv.sh; {stamp}; make_venv .venv .; make_venv .venv '.[dev]'"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


ONE = "from pathlib import Path\n\ndef test_busy():\n    failed = {}\n    Path('first').touch()\n    assert not failed\n"
SIX = "".join(f"def test_{number}():\n    assert False\n\n" for number in range(6))


@pytest.mark.slow("processes of their own")
@pytest.mark.parametrize(
    ("tests", "code", "said"),
    [
        (ONE.format("not Path('first').exists()"), 0, "failed beside others, passed alone: test_some.py::test_busy"),
        (ONE.format("True"), 1, "failed beside others and alone: test_some.py::test_busy"),
        (SIX, 1, "6 failed"),
    ],
)
def test_what_failed_beside_others_is_run_once_more_alone_but_no_six(tmp_path: Path, tests: str, code: int, said: str) -> None:
    (tmp_path / "test_some.py").write_text(tests, encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = f"set -euo pipefail; source {ROOT}/scripts/pytest.sh; pytest_twice -q --rootdir=."
    bare = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist.plugin"}
    environment = {**os.environ, "PATH": path, **bare}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout
    assert ("alone" in done.stdout) == (tests is not SIX)


# --- what keeps every test on this machine


def test_nothing_leaves_this_machine_nor_does_what_a_test_starts_and_the_machine_itself_can_be_reached() -> None:
    with pytest.raises(OSError, match="tests stay on this machine"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(OSError, match="tests stay on this machine"):
        socket.getaddrinfo("example.com", 443)
    code = "import urllib.request as r; r.urlopen('http://192.0.2.1/', timeout=1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "tests stay on this machine" in done.stderr
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
