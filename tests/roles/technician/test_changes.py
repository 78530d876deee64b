"""What scripts do to files, however they say it: nothing goes without a yes that showed it."""

from pathlib import Path

import pytest
import yaml
from support import Run, planned, subtask

from environments.contract import FileChange, text_digest
from environments.effects import Effect
from environments.files.tree_changes import tree_changes
from orchestrator.settings.layers import Source
from orchestrator.settings.settings import read_safety
from roles.contracts import Script
from roles.policies.scripted import ScriptedTechnician
from roles.safety import Rule, SafetyPolicy
from roles.technician.graph import changes, changes_of

DOCS = Path(__file__).parents[3] / "docs/technician.md"
ONLY_READ = SafetyPolicy.model_validate(
    yaml.safe_load(next(b for b in DOCS.read_text().split("```") if "name: scripts-may-only-read" in b).removeprefix("yaml"))
)
"""As the docs have it."""

DELETING = (
    "mv names.txt /tmp/",
    "mv Documents/* /tmp/",
    "gzip -r Documents",
    "tar cf /tmp/all.tar --remove-files names.txt",
    "truncate -s 0 names.txt",
    ": > names.txt",
    "cp Documents/plan.txt names.txt",
    "mv Documents/plan.txt names.txt",
    "sort -o names.txt Documents/plan.txt",
    "sed -i '1,$d' names.txt",
    "split -b 4 names.txt part- && cp part-aa names.txt",
    "eval 'r''m names.txt'",
    "echo cm0gbmFtZXMudHh0 | base64 -d | bash",
    "perl -e 'unlink \"names.txt\"'",
)
"""None says by its text what it loses: what the files are afterwards tells it, in whatever way it was done."""
DELETING_IN_PYTHON = (
    "open('names.txt', 'w')",
    "from pathlib import Path\nPath('names.txt').rename('costs.csv')",
    "import io\nio.FileIO('names.txt', 'w').write(b'gone')",
    "import subprocess\nsubprocess.run(['rm', 'names.txt'], check=True)",
    "getattr(__import__('o' + 's'), 'unl' + 'ink')('names.txt')",
)
WRITING = (
    "uniq Documents/trips.txt out.txt",
    "printf -v x '%s' 1; xxd Documents/plan.txt out.hex",
    "a=(0); let 'a[$(echo 1 > out.txt; echo 0)]=1'",
    "a=(0); [ -v 'a[$(echo 1 > out.txt; echo 0)]' ]",
    "test -v 'a[$(echo 1 > out.txt)]'",
    "declare 'a[$(echo 1 > out.txt; echo 0)]=1'",
    "od -An -tx1 names.txt | xxd -r -p - out.bin && mv out.bin out.txt",
    "tree -o out.txt Documents",
    "sed -n 'wout.txt' names.txt",
    "less -o out.txt names.txt < names.txt",
    "shuf names.txt -o out.txt",
)
WRITING_IN_PYTHON = (
    "import io\nio.FileIO('out.txt', 'w').write(b'x')",
    "import csv, io\nw = io.TextIOWrapper(io.FileIO('out.txt', mode='w'))\nw.write('x')\nw.close()",
    "import io\nwith io.open_code('names.txt') as f:\n    io.FileIO('out.txt', 'x').write(f.read())",
    "import os\nos.mkdir('out')",
    "import json\njson.dump(1, open(file='out.txt', mode='w'))",
)


def bash(code: str) -> Script:
    return Script(code=code)


def files(desk) -> dict[str, str]:
    return dict(desk.files().files)


def run_of(desk, sandbox, script: Script, safety: SafetyPolicy) -> Run:
    parts = {"technician": ScriptedTechnician(scripts={"t": (script,)}), "sandbox": sandbox}
    return Run([planned(subtask("t", worker="technician")), planned()], desk=desk, safety=safety, parts=parts).go()


def preset(name: str) -> SafetyPolicy:
    return read_safety(name, lambda path: Source("test")).policy()


def scripts(codes: tuple[str, ...], python: tuple[str, ...]) -> list[Script]:
    return [*(bash(code) for code in codes), *(Script(language="python", code=code) for code in python)]


@pytest.mark.parametrize("script", scripts(DELETING, DELETING_IN_PYTHON), ids=lambda script: script.code)
def test_nothing_that_a_file_held_goes_without_a_yes(desk, sandbox, script):
    before = files(desk)
    run = run_of(desk, sandbox, script, preset("ask-sensitive"))
    assert files(desk) == before
    assert run.asked["effect"] == "delete"
    told = [change["told"] for change in run.asked["changes"] if change["effect"] == "delete"]
    assert told
    assert {f"it {one}" for one in told} <= set(run.asked["reasons"])
    run.go({"type": "reject"})
    assert files(desk) == before


@pytest.mark.parametrize("safety", ["read-only", "scripts-may-only-read"])
def test_where_nothing_may_be_changed_no_script_changes_anything(desk, sandbox, safety):
    policy = ONLY_READ if safety == "scripts-may-only-read" else preset(safety)
    before = desk.files()
    for script in scripts(WRITING + DELETING[:4], WRITING_IN_PYTHON + DELETING_IN_PYTHON[:2]):
        run = run_of(desk, sandbox, script, policy)
        assert desk.files() == before, script.code
        assert run.journal.all_steps(5) == () or not run.journal.all_steps(5)[0].visible_change, script.code


def test_a_script_that_only_reads_is_run_where_nothing_may_be_changed(desk, sandbox):
    for policy in (ONLY_READ, preset("read-only")):
        run = run_of(desk, sandbox, bash("cut -d' ' -f1 names.txt | sort | uniq -c > /dev/null; wc -l < names.txt"), policy)
        assert run.status == "fulfilled"
        assert [fact.value for fact in run.journal.facts()] == ["4"]


@pytest.mark.parametrize(
    "code",
    [
        "mv names.txt people.txt",
        "mkdir Old && mv Documents/plan.txt Old/",
        "mv Documents Papers",
        "sed -i s/ann/Ann/ names.txt",
        "sort -o names.txt names.txt",
        "echo Tim 4 >> names.txt",
        "cat names.txt > kept.txt && rm names.txt",
    ],
)
def test_what_loses_nothing_is_done_unasked(desk, sandbox, code):
    assert run_of(desk, sandbox, bash(code), preset("ask-sensitive")).status == "fulfilled"


def test_a_rule_on_the_files_holds_for_scripts_too(desk, sandbox):
    archive = Rule(name="archive_stays", verdict="deny", apps=("files",), effects=(Effect.DELETE,), why="this is an archive")
    policy = SafetyPolicy(rules=(archive, *SafetyPolicy().rules))
    run = run_of(desk, sandbox, bash("mv names.txt /tmp/"), policy)
    assert "this is an archive" in " ".join(run.bodies("reviewed")[-1]["reasons"])
    assert "/names.txt" in files(desk)


def test_scripts_are_allowed_by_the_name_of_the_terminal(desk, sandbox):
    policy = SafetyPolicy().constrained({"allowed_apps": ["terminal"]})
    assert run_of(desk, sandbox, bash("echo 1 > new.txt"), policy).status == "fulfilled"


def test_a_yes_is_for_the_change_that_was_shown(desk, sandbox):
    run = run_of(desk, sandbox, bash("mv names.txt /tmp/"), preset("ask-sensitive"))
    was = {"/names.txt": text_digest(files(desk)["/names.txt"])}
    desk.perform(FileChange(written={"/names.txt": "theirs"}, was=was).action(), key="theirs")
    run.go({"type": "approve"})
    assert files(desk)["/names.txt"] == "theirs"
    assert "no longer what was reviewed" in run.journal.all_steps(5)[0].error


def test_without_a_preview_the_files_themselves_tell(desk, sandbox):
    class Plain:
        """An environment with files that can preview nothing."""

        def __init__(self, inner):
            self.name, self.files, self.perform, self.observe = inner.name, inner.files, inner.perform, inner.observe

    run = run_of(desk, sandbox, bash("true"), SafetyPolicy())
    was = {"/names.txt": text_digest(files(desk)["/names.txt"])}
    change = FileChange(removed=("/names.txt",), written={"/new.txt": "x"}, was=was)
    seen = [changes_of(run.context.with_(environment=env), change.action()) for env in (desk, Plain(desk))]
    assert [[(c.effect, c.app, c.told) for c in some] for some in seen] == [
        [(Effect.DELETE, "files", "deletes /names.txt"), (Effect.EDIT, "files", "makes /new.txt")]
    ] * 2


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"/a": "x y"}, {"/b": "x y"}, ["moves /a to /b"]),
        ({"/a": "x", "/b": "x"}, {"/c": "x"}, ["moves /a to /c", "deletes /b"]),
        ({"/d": None, "/d/a": "x"}, {"/e": None, "/e/a": "x"}, ["moves /d/a to /e/a", "makes the folder /e"]),
        ({"/d": None}, {}, ["deletes the folder /d"]),
        ({"/d": None}, {"/e": None}, ["moves /d to /e"]),
        ({"/a": "one two"}, {"/a": "one three"}, ["changes /a"]),
        ({"/a": "one two"}, {"/a": "three four"}, ["overwrites /a"]),
        ({"/a": "one two"}, {"/a": " "}, ["empties /a"]),
        ({"/a": "one two"}, {"/a": None}, ["puts a folder in the place of /a"]),
        ({"/a": ""}, {"/a": "text"}, ["changes /a"]),
        ({"/a": "old text", "/b": "new"}, {"/b": "old text"}, ["moves /a to /b", "overwrites /b"]),
        ({"/a": "日程表 甲"}, {"/a": "日程表 乙"}, ["changes /a"]),
    ],
)
def test_files_are_told_by_what_becomes_of_what_they_held(before, after, told):
    assert [change.told for change in tree_changes("files", before, after)] == told


def test_what_is_no_text_or_left_out_stays_and_a_file_that_a_folder_takes_the_place_of_is_removed(desk):
    tree = desk.files()
    there = {path.lstrip("/"): text.encode() for path, text in tree.files.items()}
    folders = tuple(path.lstrip("/") for path in tree.folders)
    change, left = changes(tree, there | {"new.bin": b"\xff", "names.txt": b"\xfe"}, folders, {})
    assert (bool(change), left) == (False, {"/new.bin": "not a text", "/names.txt": "not a text"})
    del there["names.txt"]
    assert changes(tree, there, folders, {"names.txt": "a symbolic link"})[0].removed == ()
    turned = changes(tree, there, (*folders, "names.txt"), {})[0]
    assert (turned.removed, turned.folders) == (("/names.txt",), ("/names.txt",))
