"""What holds for every format that is written line by line: little memory, and a whole file or none."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from written.runs import STATE

from protocol import ActionResult, ActionTarget, Click, Coordinate, ExecStatus, InteractionStep
from protocol.exports import Run, format_named

LINES = ["osworld", "llamafactory", "ms_swift", "adp", "agentnet_traj", "playwright_script"]


def steps(count: int, *, fail: bool = False) -> Iterator[InteractionStep]:
    for n in range(count):
        yield InteractionStep(
            timestamp=n,
            step=n,
            visual_state=STATE,
            action=Click(target=ActionTarget(point=Coordinate(x=n % 1000, y=5))),
            reasoning="because " * 40,
            result=ActionResult(exec_status=ExecStatus.EXECUTED),
        )
    if fail:
        raise RuntimeError("the log cannot be read on")


def peak(name: str, count: int, path: Path) -> int:
    form = format_named(name)
    assert form.write
    tracemalloc.start()
    try:
        exported = form.write(Run(steps=steps(count)), path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        assert exported.steps == count


@pytest.mark.parametrize("name", LINES)
def test_ten_times_the_steps_take_no_more_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    peak(name, 10, path)  # what is loaded and compiled once does not count
    few = peak(name, 40, path)
    # What other threads of the process take meanwhile is counted, too, but not each time.
    assert min(peak(name, 400, path) for _ in range(3)) < few + 200_000


@pytest.mark.parametrize("name", [*LINES, "atif"])
def test_a_log_that_breaks_off_leaves_the_old_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("old")
    form = format_named(name)
    assert form.write
    with pytest.raises(RuntimeError):
        form.write(Run(steps=steps(3, fail=True)), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["run"]
