"""Tables: columns that stand below each other, in as much room as there is."""

from __future__ import annotations

import io
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from orchestrator.cli.common import LETTERS
from orchestrator.runs.folders import RunInfo
from orchestrator.store.printable import clean
from orchestrator.views.listing import cells, runs_table, table

WORDS = st.text(max_size=30).map(clean) | st.sampled_from(["文件管理器", "👩‍💻 done", "a" * 40])
RUN = RunInfo("20260302-090000-1f3a", "把金额复制到报销单里，然后提交 " * 4, "fulfilled", 1772442000.0, 12, False, "")


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=5), st.integers(60, 200))
def test_no_line_is_longer_than_the_terminal_unless_its_name_is(rows: list[tuple[str, str, str]], width: int) -> None:
    assert all(cell_len(line) <= width for line in table(rows, width).splitlines())


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_nothing_is_cut_where_nobody_says_how_wide_it_is(rows: list[tuple[str, str]]) -> None:
    lines = table(rows).split("\n")
    assert [line.split()[-1:] for line in lines] == [" ".join(row).split()[-1:] for row in rows]


def test_wide_characters_count_two_and_the_name_is_never_cut() -> None:
    lines = table([("20260302-090000-1f3a", "文件管理器"), ("b", "x")], 26).splitlines()
    assert lines[0].startswith("20260302-090000-1f3a  文")
    assert lines[0].endswith("…")
    assert cell_len(lines[0]) <= 28


def test_runs_fit_sixty_columns_without_the_time_that_their_ids_tell() -> None:
    narrow, wide = runs_table([RUN], 60), runs_table([RUN])
    assert all(cell_len(line) <= 60 for line in narrow.splitlines())
    assert "20260302-090000-1f3a" in narrow
    assert "STARTED" not in narrow
    assert "STARTED" in wide


def test_a_row_is_made_of_data_and_hostile_text_is_one_line() -> None:
    assert cells({"a": ["x", 1], "b": None, "c": "\x1b[2J\n"}, ("a", "b", "c")) == ("x, 1", "", "�[2J⏎")


def test_signs_stay_told_apart_where_letters_cannot_be_written() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors=LETTERS)
    stream.write("✓ done ✗ failed → 文")
    stream.flush()
    assert stream.buffer.getvalue() == b"+ done x failed -> ?"  # type: ignore[attr-defined]


def test_tables_are_written_without_the_protocol() -> None:
    code = "import sys, orchestrator.views.listing\nassert not {'protocol', 'pydantic', 'langgraph'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
