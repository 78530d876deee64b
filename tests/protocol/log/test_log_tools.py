"""Checking, counting and comparing logs: as streams, whatever their size."""

from __future__ import annotations

import hashlib
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import protocol as p
from protocol import ActionResult, Answer, Click, ExecStatus, InteractionStep, Picture, Resolved, VisualState, Wait, write_log
from protocol.log.check import WINDOW, check_log, diff_logs, gather
from protocol.log.log import LogLine


def step(number: int, text: str = "", **more: object) -> InteractionStep:
    return InteractionStep.model_validate(
        {
            "timestamp": number,
            "step": number,
            "visual_state": VisualState(app="mail"),
            "action": Answer(text=text or f"n{number}"),
            **more,
        }
    )


def lines(*steps: InteractionStep | str) -> list[LogLine]:
    return [LogLine(n, None, s) if isinstance(s, str) else LogLine(n, s) for n, s in enumerate(steps, start=1)]


def endless(count: int) -> Iterator[LogLine]:
    return (LogLine(n, step(n)) for n in range(1, count + 1))


def test_pictures_that_are_gone_or_changed_and_disorder_are_warnings(tmp_path: Path):
    (tmp_path / "a.png").write_bytes(b"a picture")
    good = Picture(path="a.png", sha256=hashlib.sha256(b"a picture").hexdigest())
    other = Picture(path="a.png", sha256="0" * 64, moment="after")
    log = lines(
        step(1, pictures=(good,)),
        step(2, pictures=(good, other)),
        step(3, visual_state=VisualState(screenshot_path="gone.png")),
        step(3),
        step(2, timestamp=9.0),
    )
    found = [(f.number, f.level, f.problem.where) for f in check_log(log, tmp_path)]
    assert found == [
        (2, "warning", "$.pictures[1]"),
        (3, "warning", "$.visual_state.screenshot_path"),
        (4, "warning", "$.step"),
        (5, "warning", "$.step"),
    ]


def test_a_log_of_several_runs_may_start_again():
    assert not list(check_log(lines(step(5, run_id="a"), step(1, run_id="b")), Path()))


def test_the_calls_of_one_line_are_one_step():
    assert not list(check_log([LogLine(1, step(1)), LogLine(1, step(1)), LogLine(2, step(2))], Path()))


def test_an_unreadable_line_is_an_error_and_the_check_goes_on(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    write_log(path, [step(1), step(2)])
    path.write_bytes(path.read_bytes() + b'{"timestamp": "now", "visual_state": {}, "action": {}}\n{"half')
    found = [(f.number, f.level, str(f.problem)) for f in check_log(p.read_log(path), tmp_path)]
    assert [(number, level) for number, level, _ in found] == [(3, "error"), (3, "error"), (4, "error")]
    assert "cut off" in found[-1][2]


def test_the_figures_count_every_step():
    ok = ActionResult(exec_status=ExecStatus.EXECUTED, resolved=Resolved(tier="text", element_id="e1"))
    bad = ActionResult(exec_status=ExecStatus.ERROR, error="Save is disabled")
    click = Click(target={"text": "Save"})
    log = lines(
        step(1, action=click, result=ok, visible_change=True, role="operator", subtask="s1"),
        step(4, action=click, result=bad, visible_change=False, role="operator", subtask="s1"),
        "broken",
        step(9, action=Wait()),
    )
    stats = gather(log)
    assert (stats.steps, stats.bad_lines, stats.seconds) == (3, 1, 8.0)
    assert stats.verbs == {"click": 2, "wait": 1}
    assert stats.results == {"executed": 1, "error": 1, "none": 1}
    assert stats.tiers == {"text": 1, "none": 2}
    assert stats.changes == {"yes": 1, "no": 1, "unknown": 1}
    assert stats.errors == {"Save is disabled": 1}
    assert gather([]).elements_per_state == 0.0


def test_names_without_end_are_counted_together():
    stats = gather(LogLine(n, step(n, subtask=f"s{n}")) for n in range(1, 1_501))
    assert len(stats.subtasks) <= 1_001
    assert sum(stats.subtasks.values()) == 1_500


def told(left: list[LogLine], right: list[LogLine]) -> list[tuple[str, int | None, int | None, tuple[str, ...]]]:
    return [(d.kind, d.left and d.left.number, d.right and d.right.number, d.fields) for d in diff_logs(left, right)]


def test_a_log_does_not_differ_from_itself():
    assert not told(lines(step(1), "bad", step(2)), lines(step(1), "bad", step(2)))


def test_what_one_did_and_the_other_did_not_is_told_in_order():
    left, right = lines(step(1), step(2), step(3), step(4)), lines(step(1), step(3), step(4), step(5))
    assert told(left, right) == [("removed", 2, None, ()), ("added", None, 4, ())]


def test_the_same_step_with_another_end_is_a_change():
    done = {"result": ActionResult(exec_status=ExecStatus.EXECUTED)}
    failed = {"result": ActionResult(exec_status=ExecStatus.ERROR, error="no"), "visible_change": False}
    assert told(lines(step(1, **done)), lines(step(1, **failed))) == [("changed", 1, 1, ("result", "error", "visible_change"))]


def test_a_step_inserted_far_into_a_long_log_is_the_only_difference():
    long = [step(n) for n in range(1, 5 * WINDOW)]
    right = [*long[: 3 * WINDOW - 7], step(9_999), *long[3 * WINDOW - 7 :]]
    assert [d.kind for d in diff_logs(lines(*long), lines(*right))] == ["added"]


def test_logs_without_anything_in_common_are_told_whole():
    found = list(diff_logs(lines(*[step(n, f"a{n}") for n in range(1, 500)]), lines(*[step(n, f"b{n}") for n in range(1, 300)])))
    assert sum(d.kind == "removed" for d in found) == 499
    assert sum(d.kind == "added" for d in found) == 299
    assert not list(diff_logs([], []))


def test_memory_does_not_grow_with_the_log():
    peaks = []
    for count in (400, 1_600):
        tracemalloc.start()
        assert not sum(1 for _ in diff_logs(endless(count), endless(count)))
        assert gather(endless(count)).steps == count
        assert not list(check_log(endless(count), Path()))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]
