"""Files of strangers, whatever is in them, end in one sentence and the exit code for it: nothing hangs, swells or is run."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app

pytestmark = pytest.mark.slow("a large sample")

ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
MERGES = "a0: &a0 {k0: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 40)}]\n  k{n}: 1\n" for n in range(1, 6))
TRAPS: dict[str, bytes] = {
    "brackets": b"goal: " + b"[" * 30_000 + b"]" * 30_000,
    "braces": b'{"goal":' * 30_000 + b"1" + b"}" * 30_000,
    "indents": "\n".join(f"{' ' * depth}a:" for depth in range(1_500)).encode(),
    "aliases": ALIASES.encode(),
    "merges": MERGES.encode(),
    "digits": b"goal: " + b"9" * 100_000,
    "python": b'goal: !!python/object/apply:os.system ["touch owned"]',
    "itself": b"goal: &a [*a]",
    "no text": b"\xff\xfe\x00goal",
    "null bytes": b"goal: a\0b",
    "half a character": b'goal: "\\ud800"',
    "escapes": b'"\\e]0;owned\\a": 1',
    "too long": b"a: " + b"x" * 3_000_000,
    "nothing": b"",
    "a list": b"[1, 2]",
    "keys that are lists": b"? [a, b]\n: 1",
    "twice": b"goal: a\ngoal: b",
}
READS: dict[str, Sequence[str]] = {
    "a task to run": ("run", "FILE"),
    "settings": ("run", "x", "--config", "FILE"),
    "a plan": ("run", "x", "--plan", "FILE"),
    "a world": ("run", "x", "--world", "FILE"),
    "a preset": ("run", "x", "--policies", "FILE"),
    "a safety policy": ("run", "x", "-c", "safety=FILE"),
    "a script": ("run", "x", "-c", "crew.operator.policy=scripted", "-c", "crew.operator.script=FILE"),
    "a model's script": ("run", "x", "-c", "crew.operator.policy=llm", "-c", "crew.model={name: scripted, script: FILE}"),
    "a task to check": ("task", "check", "FILE"),
    "a world to check": ("world", "check", "FILE"),
    "presets to check": ("policies", "check", "FILE"),
    "attacks": ("attack", "list", "--corpus", "FILE"),
    "a recording": ("replay", "FILE"),
    "a log": ("log", "validate", "FILE"),
}
SOUND = {
    ("nothing", "settings"),
    ("nothing", "a log"),
    ("nothing", "a preset"),
    ("nothing", "presets to check"),
    ("nothing", "a safety policy"),
}
"""A file of nothing sets nothing, and a log of nothing has no mistake."""
NEVER = ("fault of deskcrew", "Traceback", "\x1b", "\x07")


def invoked(reads: Sequence[str], file: Path, folder: Path) -> tuple[int, str]:
    words = [word.replace("FILE", str(file)) for word in reads]
    if words[0] == "run":
        words += ["--runs-dir", str(folder / "runs"), "--display", "none", "-c", "limits.steps=1"]
    done = CliRunner().invoke(app, words)
    return done.exit_code, done.output


@pytest.mark.parametrize("trap", TRAPS)
def test_a_file_that_is_a_trap_is_refused_in_a_sentence(trap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "trap.yaml"
    file.write_bytes(TRAPS[trap])
    for what, reads in READS.items():
        if (trap, what) in SOUND:
            continue
        code, said = invoked(reads, file, tmp_path)
        assert code in ((1, 2) if "check" in reads or "validate" in reads else (2,)), (what, said[-300:])
        assert not [word for word in NEVER if word in said], (what, said[-300:])
        assert "trap.yaml" in said, (what, said[-300:])
        assert len(said) < 400_000 if reads[0] == "log" else len(said.splitlines()) <= 3, (what, said[-300:])
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder", "a circle of links", "nothing there"])
def test_what_is_no_file_is_not_read(kind: str, tmp_path: Path) -> None:
    """A pipe waits for somebody, and /dev/zero never ends."""
    file = tmp_path / "trap.yaml"
    match kind:
        case "a pipe":
            os.mkfifo(file)
        case "a device":
            file.symlink_to("/dev/zero")
        case "a folder":
            file.mkdir()
        case "a circle of links":
            file.symlink_to(file)
    for what, reads in READS.items():
        if what in {"a log", "a task to run"}:
            continue
        code, said = invoked(reads, file, tmp_path)
        assert code in (1, 2), (what, said[-300:])
        assert not [word for word in NEVER if word in said], (what, said[-300:])


def test_a_pipe_by_name_is_no_log_and_nobody_is_waited_for(tmp_path: Path) -> None:
    from orchestrator.errors import UsageProblem
    from orchestrator.lab.logs import locate

    os.mkfifo(tmp_path / "log.jsonl")
    for name in (tmp_path, tmp_path / "log.jsonl"):
        with pytest.raises(UsageProblem, match="is a pipe"):
            locate(str(name), tmp_path)
    here, there = os.pipe()
    assert locate(f"/dev/fd/{here}", tmp_path)
    os.close(here)
    os.close(there)
