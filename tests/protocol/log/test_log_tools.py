"""Checking logs: as streams, whatever their size."""

import hashlib
import tracemalloc
from pathlib import Path

import protocol as p
from protocol import Answer, InteractionStep, Picture, VisualState, write_log
from protocol.log.check import check_log
from protocol.log.log import LogLine


def step(number: int, **more: object) -> InteractionStep:
    seen = VisualState(app="mail")
    about = {"timestamp": number, "step": number, "visual_state": seen, "action": Answer(text=f"n{number}")}
    return InteractionStep.model_validate({**about, **more})


def lines(*steps: InteractionStep | str) -> list[LogLine]:
    return [LogLine(n, None, s) if isinstance(s, str) else LogLine(n, s) for n, s in enumerate(steps, start=1)]


def test_pictures_that_are_gone_or_changed_and_disorder_are_warnings(tmp_path: Path):
    (tmp_path / "a.png").write_bytes(b"a picture")
    good = Picture(path="a.png", sha256=hashlib.sha256(b"a picture").hexdigest())
    other = Picture(path="a.png", sha256="0" * 64, moment="after")
    log = lines(
        step(1, pictures=(good,)),
        step(2, pictures=(good, other)),
        step(3, visual_state=VisualState(screenshot_path="gone.png")),
        step(3),
        step(2, timestamp=1.0),
    )
    found = [(f.number, f.level, f.problem.where) for f in check_log(log, tmp_path)]
    assert found == [
        (2, "warning", "$.pictures[1]"),
        (3, "warning", "$.visual_state.screenshot_path"),
        (4, "warning", "$.step"),
        (5, "warning", "$.step"),
        (5, "warning", "$.timestamp"),
    ]


def test_a_log_of_several_runs_may_start_again_and_the_calls_of_one_line_are_one_step():
    for log in (lines(step(5, run_id="a"), step(1, run_id="b")), [LogLine(1, step(1)), LogLine(1, step(1)), LogLine(2, step(2))]):
        assert not list(check_log(log, Path()))


def test_an_unreadable_line_is_an_error_and_the_check_goes_on(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    write_log(path, [step(1), step(2)])
    path.write_bytes(path.read_bytes() + b'{"timestamp": "now", "visual_state": {}, "action": {}}\n{"half')
    found = [(f.number, f.level, str(f.problem)) for f in check_log(p.read_log(path), tmp_path)]
    assert [(number, level) for number, level, _ in found] == [(3, "error"), (3, "error"), (4, "error")]
    assert "cut off" in found[-1][2]


def test_memory_does_not_grow_with_the_log():
    peaks = []
    for count in (400, 1_600):
        tracemalloc.start()
        assert not list(check_log((LogLine(n, step(n)) for n in range(1, count + 1)), Path()))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
