"""Small files that unpack to very much are refused in a sentence, after a bounded time and in bounded memory."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from protocol.exports import FormatError
from protocol.exports.recorders import playwright_trace
from protocol.log import log as module
from protocol.log.log import UnreadableLine, raw_lines, whole_document


@pytest.mark.parametrize("line", [b"x" * 1_000, b"{}\n" * 300])
def test_a_compressed_file_gives_no_more_than_its_bound(line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_UNPACKED", 1_000_000)
    monkeypatch.setattr(module, "LONGEST_LINE", 50_000)
    path = tmp_path / "bomb.jsonl"
    path.write_bytes(gzip.compress(line * 5_000))
    found = list(raw_lines(path))
    assert isinstance(found[-1], UnreadableLine)
    assert "more than" in found[-1]
    assert sum(map(len, found)) < 1_200_000
    assert isinstance(whole_document(path), UnreadableLine)
    path.write_bytes(gzip.compress(line * 10))
    assert not isinstance(whole_document(path), UnreadableLine)


def test_traces_in_a_zip_file_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playwright_trace, "_LARGEST", 100_000)
    path = tmp_path / "trace.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}-trace.trace", b"\n" * 30_000)
    with pytest.raises(FormatError, match="its traces are larger than"):
        playwright_trace.read(path)
