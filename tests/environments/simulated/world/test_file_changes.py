"""Changes of many files at once: read through the contract, performed under a key, seen by the apps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import desktop

from environments.contract import DigestMismatch, FileChange, Files, FileTree, text_digest
from environments.faults.faults import FaultyEnvironment
from protocol import ActionTarget, Click, ExecStatus, Extension, LaunchApp, Type
from roles.technician.graph import changes

WORLD = """
name: bureau
apps: {files: {files: {/Documents/a.txt: one, /b.txt: two}}, notes: {}, terminal: {}}
open: [files]
"""


@pytest.fixture
def desk():
    made = desktop(world=WORLD)
    yield made
    made.close()


def test_the_files_are_read_by_absolute_path(desk):
    assert isinstance(desk, Files)
    assert desk.files() == FileTree({"/Documents/a.txt": "one", "/b.txt": "two"}, ("/Documents",), "files")
    assert desktop().files() is None
    assert FaultyEnvironment(desk, ()).files() == desk.files()


def change(**fields):
    return FileChange(**fields).action()


def test_a_change_is_made_once_under_its_key_and_shown_by_the_files_app_and_the_terminal(desk):
    made = change(written={"/New/c.txt": "three", "/b.txt": "2"}, folders=("/New",), removed=("/Documents/a.txt",),
                  was={"/b.txt": text_digest("two"), "/Documents/a.txt": text_digest("one")})  # fmt: skip
    first = desk.perform(made, key="k")
    assert first.exec_status is ExecStatus.EXECUTED
    assert desk.perform(made, key="k") == first
    with pytest.raises(DigestMismatch):
        desk.perform(change(written={"/b.txt": "3"}), key="k")
    assert len(desk.received()) == 1
    assert desk.files() == FileTree({"/b.txt": "2", "/New/c.txt": "three"}, ("/Documents", "/New"), "files")
    assert "New" in [e.name for e in desk.observe().elements]
    desk.perform(LaunchApp(app="terminal"), key="t1")
    desk.perform(Click(target=ActionTarget(text="Command")), key="t2")
    desk.perform(Type(text="cat /New/c.txt", submit=True), key="t3")
    assert "three" in [e.name for e in desk.observe().elements]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"written": {"/b.txt": "mine", "/c.txt": "x"}, "was": {"/b.txt": text_digest("older")}}, "no longer as it was"),
        ({"written": {"/b.txt": "mine", "/c.txt": "x"}}, "no longer as it was"),  # it has not been read
        ({"written": {"/c.txt": "x"}, "removed": ("/gone",)}, "no such file"),
        ({"written": {"/c.txt": "x", "/none/d.txt": "x"}}, "No such file or directory"),
        ({"written": {"/c.txt": "x", "/d/../e": "x"}}, "not an absolute path"),
        ({"written": {"/c.txt": "x" * 300_000}}, "No space left"),
        ({"written": {"/c.txt": "x"}, "removed": ("/Documents",)}, "without its folder"),
        ({"written": {"/c.txt": "x"}, "removed": ("/",)}, "cannot be removed"),
    ],
)
def test_all_of_a_change_or_nothing(desk, fields, why):
    before = desk.files()
    result = desk.perform(change(**fields), key="k")
    assert result.exec_status is ExecStatus.ERROR
    assert why in result.error
    assert desk.files() == before


def test_other_verbs_of_others_are_refused_as_ever(desk):
    result = desk.perform(Extension(action_type="x-other.thing"), key="k")
    assert "cannot x-other.thing" in result.error
    bad = desk.perform(Extension(action_type="x-deskcrew.change_files", arguments={"written": 3}), key="k2")
    assert bad.exec_status is ExecStatus.ERROR


PATHS = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "e"])
TREES = st.dictionaries(PATHS, st.sampled_from(["", "x", "y\n"]), max_size=5)


def folders_of(files):
    return {"/".join(path.split("/")[:n]) for path in files for n in range(1, path.count("/") + 1)}


@given(TREES, TREES)
def test_what_a_script_left_is_what_the_world_then_holds(before, after):
    """Whatever was there and whatever is there afterwards, files turned into folders among it."""
    clash = [t for t in (before, after) if set(t) & folders_of(t)]
    if clash:
        return
    desk = desktop(world="name: w\napps: {files: {files: {}}}\n")
    first = FileTree({}, ())
    empty, _ = changes(first, {p: t.encode() for p, t in before.items()}, tuple(sorted(folders_of(before))), {})
    if empty:
        there = desk.files()
        gone = FileChange(removed=(*there.files, *there.folders), was={p: text_digest(t) for p, t in there.files.items()})
        desk.perform(gone.action(), key="0")
        assert desk.perform(empty.action(), key="1").ok
    made, left = changes(desk.files(), {p: t.encode() for p, t in after.items()}, tuple(sorted(folders_of(after))), {})
    assert not left
    if made:
        assert desk.perform(made.action(), key="2").ok
    assert desk.files().files == {f"/{p}": t for p, t in after.items()}
    assert set(desk.files().folders) == {f"/{f}" for f in folders_of(after)}
    desk.close()
