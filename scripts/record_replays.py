#!/usr/bin/env python3
"""Make the recorded runs of tests/replay/ anew: each is a short run of one kind, with what was decided and what came of it.

    scripts/record_replays.py             all of them
    scripts/record_replays.py replan      one

Nobody is asked: each run has its answers beside it. Where a replay differs from what is committed, and the difference is meant,
the run is recorded again; see CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.runs import runs
from orchestrator.runs.replay.recording import Recording, recording_of
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task, resolve_target

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "replay"
Answers = Callable[[dict[str, Any]], dict[str, Any]]
SUBMIT = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'


def approve(request: dict[str, Any]) -> dict[str, Any]:
    return {"decisions": [{"type": "approve"}]}


def save_instead(request: dict[str, Any]) -> dict[str, Any]:
    edited = {"name": "click", "args": {"target": {"text": "Save draft"}}}
    return {"decisions": [{"type": "edit", "edited_action": edited}]}


class Course(NamedTuple):
    """A run to be recorded."""

    target: str
    answers: Answers = approve
    overrides: tuple[str, ...] = ()


COURSES: dict[str, Course] = {
    "approval-edited": Course(SUBMIT, save_instead),
    "replan": Course("plan-again"),
    "gate-fail": Course("stuck-button"),
    "technician": Course("Run `sort /Logs/door.log > /Logs/sorted.log`", approve, ("world=workshop",)),
    "supplement": Course("ask-the-handbook"),
    "faults": Course(
        SUBMIT, approve, ("faults=[{kind: stale, rate: 1.0, times: 1}, {kind: swallow, rate: 0.6, times: 1}]", "seed=3")
    ),
}


def record(course: Course) -> Recording:
    """Run it once, and read what it left."""
    target = resolve_target(course.target)
    layer = target.layer() if isinstance(target, Task) else None
    with tempfile.TemporaryDirectory(prefix="deskcrew-record-") as place:
        loaded = load_settings(overrides=[*course.overrides, f"runs_dir={json.dumps(place)}"], task_layer=layer)
        outcome = runs.start(loaded, target, approver=course.answers)
        return anonymous(recording_of(outcome.folder))


def anonymous(recording: Recording) -> Recording:
    """Without what is of the machine and of the hour: the same run gives the same file."""
    record = recording.record
    settings = {**record["settings"], "runs_dir": "runs"}
    kept: dict[str, Any] = {key: record[key] for key in ("goal", "task_id", "harness", "plan_version") if key in record}
    events = tuple(
        event._replace(body=json.loads(json.dumps(event.body).replace(recording.run_id, "recorded")))
        for event in recording.events
    )
    said = tuple(item._replace(key=item.key.replace(recording.run_id, "recorded")) for item in recording.said)
    return recording._replace(record={"run_id": "recorded", "settings": settings, **kept}, events=events, said=said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COURSES))
    for name in parser.parse_args().names or COURSES:
        path = FOLDER / f"{name}.jsonl"
        made = record(COURSES[name])
        made.write(path)
        print(f"{path.name}: {made.steps} steps, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
