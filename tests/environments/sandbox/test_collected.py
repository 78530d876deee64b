"""What a script leaves in its folder comes back as data, is left out by name, or is not taken: never more, and never a crash."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from environments.sandbox.contract import LeftOut, SandboxLimits, ScriptResult
from environments.sandbox.job import PipeOutput, job_of, ran

EMPTY = PipeOutput(b"", False)


def whys(found: ScriptResult) -> dict[str, str]:
    return {left.path: left.why for left in found.left_out}


def test_what_is_no_file_is_left_out_by_name_and_is_never_waited_for(python):
    found = python("""
import os, socket
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
os.symlink("/dev/zero", "zero")
os.symlink("/", "rootlink")
open(b"\\xff.txt", "w").close()
os.symlink("round", "round")
os.symlink("/proc/self/fd/0", "stdin")
for name, kind in (("disk", 0o060666), ("null", 0o020666)):
    try:
        os.mknod(name, kind, os.makedev(8, 0))
        open(name, "rb")
        print("OPENED", name)
    except OSError as no:
        print("refused", no.strerror)
open("kept", "w").write("k")
""")
    assert found.stdout.count("refused") == 2
    assert found.files == {"kept": b"k"}
    left = whys(found)
    assert left.pop(ascii("\udcff.txt")) == "a name that is not text"
    assert set(left) - {"disk", "null"} == {"pipe", "socket", "zero", "rootlink", "round", "stdin"}
    assert (left["rootlink"], left["pipe"]) == ("a symbolic link", "not a regular file")


def test_hard_links_are_files_each_of_its_own(bash):
    found = bash("echo one > a; ln a b; mkdir d; ln a d/c; ln /etc/passwd e; ln /usr/bin/id f; true")
    assert found.files == {"a": b"one\n", "b": b"one\n", "d/c": b"one\n"}


def test_a_file_with_holes_is_as_large_as_it_says(bash):
    refused = bash("truncate -s 1T holes", file_bytes=2**20)
    assert refused.exit_code != 0
    many = bash("for i in 1 2 3 4 5 6 7 8 9; do truncate -s 1M h$i; done", file_bytes=2**20, work_bytes=4 * 2**20)
    assert many.files is None, "nine files of a megabyte are more than four, holes or not"


def test_names_as_long_as_they_can_be_come_back_and_longer_ones_are_refused(python):
    found = python("""
import os
open("n" * 255, "w").close()
try:
    open("n" * 256, "w")
except OSError as no:
    print("refused", no.strerror)
for _ in range(40):
    os.mkdir("d" * 255)
    os.chdir("d" * 255)
open("deep", "w").write("x")
""")
    assert found.exit_code == 0
    assert "refused" in found.stdout
    assert found.files is not None
    assert "n" * 255 in found.files
    assert not any(path.endswith("deep") for path in found.files), "no path reaches it"
    assert any("long" in why for why in whys(found).values())


def test_more_files_or_folders_in_folders_than_the_bound_are_not_taken(bash, python):
    for found in (
        bash("for i in $(seq 300); do : > f$i; done", entries=100),
        python("import os\nfor _ in range(900):\n    os.mkdir('d')\n    os.chdir('d')", entries=300),
    ):
        assert found.exit_code == 0
        assert found.files is None


def test_strange_names_are_names(python):
    strange = ["a\nb", "\x1b]0;owned\x07", "\u202egnp.exe", "-rf", "$(touch x)", "a\\b", "C:\\x", "..x", "a'\"b", "…"]
    found = python(f"for name in {strange!r}:\n    open(name, 'w').write('x')")
    assert found.files == dict.fromkeys(strange, b"x")


ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
PATHS = st.text(st.sampled_from("a./\0\n\\\ud800"), max_size=12)
FORGED = st.fixed_dictionaries(
    {
        "exit_code": st.integers(-2, 300),
        "files": st.dictionaries(PATHS, st.none() | st.sampled_from(["", "eA==", "!", "eA", "ö"]), max_size=4),
        "folders": st.lists(PATHS, max_size=4),
        "left_out": st.lists(st.tuples(PATHS, st.text(max_size=9)), max_size=3),
        "whole": st.booleans(),
    }
)


@given(answer=ANSWERS | FORGED, late=st.booleans(), more=st.booleans(), code=st.integers(-64, 255))
@settings(max_examples=3 * settings.default.max_examples, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_answered_is_a_result_and_no_path_leads_out(answer, late, more, code):
    said = PipeOutput(json.dumps(answer).encode(), more)
    found = ran(code, PipeOutput(b"\xff\x00", False), EMPTY, said, {"given": b"g"}, late)
    assert isinstance(found, ScriptResult)
    for path in (*(found.files or {}), *found.folders):
        assert not path.startswith("/")
        assert not {"", ".", ".."} & set(path.split("/"))
        assert "\0" not in path
        path.encode("utf-8")
    assert all(isinstance(left, LeftOut) for left in found.left_out)


@given(said=st.binary(max_size=200))
@settings(max_examples=3 * settings.default.max_examples)
def test_whatever_bytes_are_answered_are_a_result(said):
    assert ran(0, EMPTY, EMPTY, PipeOutput(said, False), {}, False).files is None


@given(path=st.text(max_size=30))
@settings(max_examples=3 * settings.default.max_examples)
def test_a_path_goes_in_as_it_is_or_is_refused(path):
    def made() -> bytes:
        return job_of("", ["bash"], {path: b""}, (), SandboxLimits(), 3)

    if path.startswith("/") or "\0" in path or {"", ".", ".."} & set(path.split("/")):
        with pytest.raises(ValueError, match="is not a path within the work folder"):
            made()
    else:
        assert made().count(b"\n") == 1
