"""Logs as programs of all kinds leave them: with a mark, in UTF-16, compressed, cut off; never more memory than a line."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import protocol.log.log as raw
from protocol import InteractionStep, VisualState, Wait, read_log, write_log
from protocol.exports import FormatError, format_named
from protocol.log.log import UnreadableLine, raw_lines, whole_document


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    seen = VisualState(app="Größe 大小 🎈")
    write_log(path, [InteractionStep(timestamp=n, step=n, visual_state=seen, action=Wait(seconds=1)) for n in (1, 2, 3)])
    return path


WRITTEN: dict[str, Callable[[str], bytes]] = {
    "mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "PowerShell": lambda text: b"\xff\xfe" + text.replace("\n", "\r\n").encode("utf-16-le"),
    "gzip with a mark": lambda text: gzip.compress(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()),
    "gzip in parts": lambda text: gzip.compress(text[:40].encode()) + gzip.compress(text[40:].encode()),
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_log_is_read_whatever_wrote_it(log: Path, written: Callable[[str], bytes]) -> None:
    expected = list(read_log(log))
    log.write_bytes(written(log.read_text(encoding="utf-8")))
    assert list(read_log(log)) == expected


@pytest.mark.parametrize("kept", [1, 2, 5, 12, 60, -1, -9])
def test_a_compressed_log_that_is_cut_off_says_so_after_what_could_be_had(log: Path, kept: int) -> None:
    packed = gzip.compress(log.read_bytes() * 200)
    log.write_bytes(packed[:kept])
    *good, last = read_log(log)
    assert last.step is None
    assert "damaged" in last.error or "JSON" in last.error or "UTF-8" in last.error
    assert all(line.step for line in good) or "damaged" in last.error


def test_a_short_compressed_log_without_its_end_is_read(log: Path) -> None:
    expected = [line.step for line in read_log(log)]
    log.write_bytes(gzip.compress(log.read_bytes())[:-8])
    assert [line.step for line in read_log(log) if line.step] == expected


def test_a_compressed_log_that_is_damaged_in_the_middle_is_one_sentence(log: Path) -> None:
    packed = bytearray(gzip.compress(b"".join(b'{"n": %d}\n' % n for n in range(40_000))))
    packed[len(packed) // 2] ^= 0xFF
    log.write_bytes(packed)
    assert "compressed file is cut off or damaged" in list(read_log(log))[-1].error


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["plain", "gzip"])
def test_a_line_that_is_too_long_is_passed_over_and_the_next_is_read(
    log: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(raw, "LONGEST_LINE", 1_000)
    first, *rest = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(pack(first + b"x" * 5_000 + b"\n" + b"".join(rest)))
    lines = list(read_log(log))
    assert [line.step is None for line in lines] == [False, True, False, False]
    assert "longer than" in lines[1].error


def test_utf_16_that_is_cut_in_the_middle_of_a_sign_keeps_the_lines_before(log: Path) -> None:
    log.write_bytes(log.read_text(encoding="utf-8").encode("utf-16")[:-7])
    *good, last = read_log(log)
    assert [line.step.step for line in good if line.step] == [1, 2]
    assert "cut off" in last.error


def test_a_document_that_is_too_large_is_refused_before_it_is_held(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "LARGEST_DOCUMENT", 2_000_000)
    log.write_bytes(gzip.compress(b" " * 3_000_000))
    assert isinstance(whole_document(log), UnreadableLine)
    read = format_named("atif").read
    assert read
    with pytest.raises(FormatError, match="larger than"):
        read(log)


@pytest.mark.parametrize("line", [b"x" * 1_000, b"{}\n" * 300])
def test_a_compressed_file_gives_no_more_than_its_bound(line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "LARGEST_UNPACKED", 1_000_000)
    monkeypatch.setattr(raw, "LONGEST_LINE", 50_000)
    path = tmp_path / "bomb.jsonl"
    path.write_bytes(gzip.compress(line * 5_000))
    found = list(raw_lines(path))
    assert isinstance(found[-1], UnreadableLine)
    assert "more than" in found[-1]
    assert sum(map(len, found)) < 1_200_000
    assert isinstance(whole_document(path), UnreadableLine)
    path.write_bytes(gzip.compress(line * 10))
    assert not isinstance(whole_document(path), UnreadableLine)
