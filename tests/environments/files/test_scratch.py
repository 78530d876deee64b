"""Folders of one process: gone when it ends, and taken away by the next one where it was killed."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from environments.files.scratch import Scratch

OTHER = """
import sys
from environments.files.scratch import Scratch
made = Scratch("here-")
(made.path / "a file").write_text("of somebody else")
print(made.path, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process with a folder of its own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_what_is_in_use_stays_and_what_a_kill_left_is_swept_up(other: tuple[subprocess.Popen[str], Path]) -> None:
    process, theirs = other
    with Scratch("here-") as mine:
        assert (theirs / "a file").exists()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert theirs.exists()
        with Scratch("here-") as second:
            assert not theirs.exists()
            assert mine.path.exists()
        assert not second.path.exists()
        mine.close()
    assert not mine.path.exists(), "closing twice is fine"


def test_a_process_that_ends_without_closing_leaves_nothing(other: tuple[subprocess.Popen[str], Path]) -> None:
    process, theirs = other
    process.communicate("\n")
    assert process.returncode == 0
    assert not theirs.exists()


def test_nothing_but_folders_of_the_prefix_is_swept_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = tmp_path / "mine"
    elsewhere.mkdir()
    (tmp_path / "here-link").symlink_to(elsewhere)
    (tmp_path / "here-file").write_text("no folder")
    (tmp_path / "there-1").mkdir()
    with Scratch("here-"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "here-link", "here-file", "there-1"}
