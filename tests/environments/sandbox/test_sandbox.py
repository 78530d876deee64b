"""What a sandbox does for a script that means well."""

import json
import os
import shutil
import zipfile

import pytest

from environments.sandbox.contract import NoSandbox, SandboxLimits, SandboxUnavailable, ScriptResult
from environments.sandbox.detect import PLACES, Detected, find
from environments.sandbox.job import PipeOutput
from environments.sandbox.job import ran as read

pytestmark = pytest.mark.slow("a sandbox")


def test_a_script_works_on_the_files_that_it_is_given_also_by_the_absolute_path_of_what_lies_at_the_top(bash):
    ran = bash("sort names.txt > sub/sorted.txt; rm old.txt; mkdir empty; wc -l < names.txt", files={
        "names.txt": b"Zoe\nAnn\n", "old.txt": b"x", "sub/kept.txt": b"k",
    })  # fmt: skip
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "2\n", "")
    assert ran.files == {"names.txt": b"Zoe\nAnn\n", "sub/kept.txt": b"k", "sub/sorted.txt": b"Ann\nZoe\n"}
    assert ran.folders == ("empty", "sub")
    ran = bash("cat '/My files/a.txt'; echo more > '/My files/b.txt'", files={"My files/a.txt": b"hello"})
    assert (ran.stdout, ran.files["My files/b.txt"]) == ("hello", b"more\n")


def test_python_has_its_standard_library_and_the_folder_as_its_own(python):
    ran = python(
        "import csv, json\nrows = list(csv.reader(open('t.csv')))\nprint(json.dumps(rows))", files={"t.csv": b"a,b\n1,2\n"}
    )
    assert (ran.exit_code, ran.stdout) == (0, '[["a", "b"], ["1", "2"]]\n')


def test_exit_code_and_stderr_come_back(bash, python):
    failed = bash("echo said; no-such-command; exit 7")
    assert (failed.exit_code, failed.stdout) == (7, "said\n")
    assert "no-such-command: command not found" in failed.stderr
    raised = python("raise SystemExit('not today')")
    assert (raised.exit_code, raised.stderr) == (1, "not today\n")
    assert bash("kill -TERM $$").exit_code == 143


def test_empty_folders_and_any_bytes_survive_the_way_in_and_out(sandbox):
    body = bytes(range(256))
    ran = sandbox.run("cp b.bin 'ü nd.bin'", "bash", {"b.bin": body}, 20, folders=("hollow", "a/b"))
    assert ran.files == {"b.bin": body, "ü nd.bin": body}
    assert ran.folders == ("a", "a/b", "hollow")


WHOLE = {"exit_code": 0, "files": {}, "folders": [], "left_out": [], "whole": True}


def taken(answer: bytes) -> ScriptResult:
    return read(0, PipeOutput(b"", False), PipeOutput(b"", False), PipeOutput(answer, False), {}, False)


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"not json", b"[" * 100_000, b'{"exit_code": 0}'),
        *(
            json.dumps(WHOLE | wrong).encode()
            for wrong in ({"exit_code": -1}, {"files": {"a": "!"}}, {"files": {"never given": None}}, {"whole": False})
        ),
    ],
)
def test_an_answer_that_is_not_what_it_should_be_gives_no_files(answer):
    """A script can kill what stands beside it and answer in its place: that must be worth nothing."""
    assert taken(answer).files is None


def test_a_forged_path_is_left_out():
    ran = taken(json.dumps(WHOLE | {"files": {"../../etc/x": "eA==", "/y": "eA==", "ok": "eA=="}, "folders": [".."]}).encode())
    assert ran.files == {"ok": b"x"}
    assert {left.path for left in ran.left_out} == {"../../etc/x", "/y", ".."}


def test_where_there_are_no_tools_the_sandbox_refuses_and_names_the_package(tmp_path):
    found = find(places=str(tmp_path))
    assert isinstance(found, NoSandbox)
    assert "bwrap" in found.refusal
    assert "apt-get install bubblewrap" in found.refusal
    with pytest.raises(SandboxUnavailable, match="apt-get install bubblewrap"):
        found.run("true", "bash", {}, 5)


def _tools_in(folder, *, but):
    """The programs of a sandbox in a folder of one's own, without some, for anybody to start."""
    for name in {"bwrap", "prlimit", "setpriv", "bash", "python3"} - set(but):
        if path := shutil.which(name, path=PLACES):
            (folder / name).symlink_to(path)
    for above in [folder, *folder.parents][:-2]:
        above.chmod(0o755)


def test_a_bubblewrap_that_does_not_work_is_found_out_by_trying_it(tmp_path):
    """As in a container that forbids namespaces: the reason is bubblewrap's own, and what to do stands beside it."""
    _tools_in(tmp_path, but=["bwrap"])
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    found = find(places=str(tmp_path))
    assert "No permissions to create new namespace" in found.refusal
    assert "unprivileged_userns_clone" in found.refusal


@pytest.fixture
def wheels(tmp_path):
    """A folder with one wheel, written by hand, that whoever a script runs as may read."""
    with zipfile.ZipFile(tmp_path / "tiny_sum-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_sum.py", "def double(x):\n    return 2 * x\n")
        wheel.writestr("tiny_sum-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-sum\nVersion: 1.0\n")
        wheel.writestr(
            "tiny_sum-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny_sum-1.0.dist-info/RECORD", "")
    for above in [tmp_path, *tmp_path.parents][:-2]:
        above.chmod(0o755)
    return tmp_path


def test_a_script_installs_from_a_folder_of_wheels_for_itself_and_from_nowhere_else(bash, wheels):
    use = "python3 -c 'import tiny_sum; print(tiny_sum.double(21))'"
    done = bash(f"python3 -m pip install --quiet tiny-sum && {use}", files={"a.txt": b"a"}, timeout=60, packages=wheels)
    assert (done.exit_code, done.stdout) == (0, "42\n"), done.stderr
    assert done.files == {"a.txt": b"a"}
    assert bash(use, packages=wheels).exit_code != 0
    elsewhere = bash("python3 -m pip install not-there", timeout=60, packages=wheels)
    assert "No matching distribution" in elsewhere.stderr
    assert bash("echo x > /etc/packages/mine.whl", packages=wheels).exit_code != 0
    assert bash("ls /etc/packages").exit_code != 0


def test_a_folder_of_wheels_is_tried_with_its_sandbox_and_said_where_it_is_not_there(sandbox, wheels, tmp_path):
    assert sandbox.refusal == Detected().refusal == Detected(wheels).refusal == ""
    assert Detected(tmp_path / "none").refusal.startswith(f"packages: there is no folder {tmp_path / 'none'}; make it")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's scripts run as another user")
def test_a_folder_of_wheels_that_scripts_cannot_read_is_said(sandbox, wheels):
    inner = wheels / "closed" / "wheels"
    inner.mkdir(parents=True)
    inner.parent.chmod(0o700)
    assert "folder of the setting packages" in find(SandboxLimits(packages=inner)).refusal
