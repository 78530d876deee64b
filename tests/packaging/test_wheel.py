"""What a user installs: the wheel, in an environment that has no checkout, holds all that the packages read."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.slow("a wheel that is built and installed")

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("deskcrew", "orchestrator", "roles", "environments", "protocol", "configs")
PROMPTS = """
import sys
from pathlib import Path
import roles
from orchestrator.settings.settings import load_settings
from roles.policies.llm.prompts import load_prompt
assert Path(roles.__file__).is_relative_to(sys.prefix), roles.__file__
for preset in sys.argv[1:]:
    load_settings((), [f"policies={preset}"])
for role in ("manager", "operator", "evaluator", "technician", "analyst", "grounding"):
    assert load_prompt(role)
assert load_prompt("operator", form="narrow")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what git tracks, so that nothing that lies about is taken for a part of it."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if name.split("/")[0] in PACKAGES or "/" not in name:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(out), str(tree)]
    subprocess.run(command, check=True, timeout=120)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel. What it depends on is taken from the one that runs the tests; deskcrew itself is not."""
    place = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True, timeout=60)
    site = next(place.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return place


def run(installed: Path, cwd: Path, *words: str, code: str = "from deskcrew.__main__ import main; main()") -> tuple[int, str]:
    command = [installed / "bin/python", "-c", code, *words]
    done = subprocess.run(command, cwd=cwd, env=bare(), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def bare() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DESKCREW"))}


def test_every_file_that_the_packages_read_is_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    with zipfile.ZipFile(wheel) as packed:
        assert not set(listed) - set(packed.namelist())


def test_a_task_is_worked_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    code, said = run(installed, tmp_path, "run", "invoice-to-reimbursement", "--display", "plain")
    assert code == 3, said
    run_id = next((tmp_path / "runs").iterdir()).name
    code, said = run(installed, tmp_path, "resume", run_id, "--approve", "--display", "plain")
    assert code == 0, said
    code, said = run(installed, tmp_path, "doctor")
    assert code == 0, said
    presets = [path.stem for path in (ROOT / "configs/policies").glob("*.yaml")]
    code, said = run(installed, tmp_path, *presets, code=PROMPTS)
    assert code == 0, said


def test_the_desk_gives_its_pages_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    command = [installed / "bin/python", "-u", "-c", "from deskcrew.__main__ import main; main()", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=bare(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as desk:
        try:
            assert desk.stdout is not None
            told = ""
            while not (found := re.search(r"http://[\w.:]+/\S*", told)):
                line = desk.stdout.readline()
                assert line, told
                told += line
            assert b"<title>" in urlopen(found[0], timeout=20).read()
        finally:
            desk.terminate()
