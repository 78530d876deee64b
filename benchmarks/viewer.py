#!/usr/bin/env python3
"""How long a page of `deskcrew view` takes to open: runs of 100 and 10,000 steps, and one of 500 steps with their pictures.

    benchmarks/viewer.py                    5 openings of each page
    benchmarks/viewer.py --openings 15      more of them
    benchmarks/viewer.py --steps 1000       the long run only so long
    benchmarks/viewer.py --json             figures only

The runs are written into journals as a run writes them: for each step what was observed, decided, reviewed, done and what came of
it, on screens of the shipped world `office` of which no two are the same, a gate every fifteen steps, a failure near the end. The
pages are opened from the disk in headless Chromium, the short and the long one in turn, each in a fresh context. What is measured
is the clock from the beginning of the navigation until the list of the steps is shown and the first failure is chosen in it, and
until that step's screen is drawn. The ratio is the median of the pairs'.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from environments.browser.session import find_chromium
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.views.page.page import write_page
from orchestrator.views.page.run_data import read_whole
from protocol import ActionResult, Click, ExecStatus, LaunchApp, VisualState
from protocol.model.targets import ActionTarget, Resolved
from roles.contracts import StepRecord, Subtask
from roles.journal.actions import action_key
from roles.journal.journal import Journal

SHORT, LONG, PICTURED = 100, 10_000, 500
DRAWN = "performance.getEntriesByName('drawn')[0]?.startTime ?? 0"


class Opening(NamedTuple):
    """Milliseconds."""

    listed: float
    drawn: float


def made_run(folder: Path, steps: int, *, pictures: bool = False) -> Path:
    """The folder of a run of that length."""
    folder.mkdir(parents=True)
    settings = {"world": "office", "seed": 0}
    record = {"run_id": folder.name, "started": 1_700_000_000.0, "goal": f"Work {steps} steps", "settings": settings}
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    clock = iter(range(10**9))
    journal = Journal(folder / "journal.sqlite", lambda: 1_700_000_000.0 + next(clock) * 0.02, run_id=folder.name)
    journal.append("run_started", {"goal": record["goal"], "run_id": folder.name, "world": "office", "seed": 0})
    plan = tuple(Subtask(id=f"s{n}", title=f"Part {n}", instruction=f"Do part {n}", app="billing") for n in range(1, 11))
    journal.save_plan(plan)
    shown = [subtask.model_dump(mode="json", exclude_defaults=True) for subtask in plan]
    journal.append("plan", {"subtasks": shown, "reason": "as written", "version": 1}, role="manager")
    before = _screens()
    for step in range(1, steps + 1):
        _step(journal, before, step, f"s{min(10, 1 + step * 10 // (steps + 1))}", failed=step == steps - steps // 10)
        if step % 15 == 0:
            _gate(journal, step)
    if pictures:
        _pictures(journal, folder, before, steps)
    journal.close()
    ended = {"status": "rejected", "reason": "the end of the benchmark", "counts": {"steps": steps}, "budgets": {}}
    (folder / "report.json").write_text(json.dumps(ended), encoding="utf-8")
    return folder


class _screens:
    """Screens of the shipped world, each with another value somewhere."""

    def __init__(self) -> None:
        desk = SimulatedDesktop(load_world("office"))
        desk.perform(LaunchApp(app="billing"), key="1")
        self._seen = desk.observe()
        self._last: tuple[int, VisualState] = (0, self._seen)
        desk.close()

    def at(self, step: int) -> VisualState:
        if self._last[0] == step:
            return self._last[1]
        elements = list(self._seen.elements)
        for place in (step % len(elements), 7):
            elements[place] = elements[place].model_copy(update={"text": f"{elements[place].text or 'now'} {step}"})
        self._last = step, self._seen.model_copy(update={"elements": tuple(elements), "timestamp": float(step)})
        return self._last[1]

    def target(self) -> Any:
        return next(element for element in self._seen.elements if element.role in ("link", "button") and element.bbox)


def _step(journal: Journal, screens: _screens, step: int, subtask: str, *, failed: bool) -> None:
    place: dict[str, Any] = {"role": "operator", "subtask": subtask, "step": step}
    seen, after = screens.at(step), screens.at(step + 1)
    before_id, after_id = journal.screens.keep(seen), journal.screens.keep(after)
    element = screens.target()
    action = Click(target=ActionTarget.of(element))
    key = action_key(journal.run_key, subtask, 1, step)
    line = f'click "{element.text}" for the {step}th time'
    journal.append("observed", {"state_id": before_id, "app": "billing", "step": step, "elements": len(seen.elements)}, **place)
    why = f"it is number {step}"
    answer = {"observation": "billing; Invoices", "reasoning": why, "action": action.dump(), "expected": "a page"}
    journal.append("answered", {"answer": answer}, role="operator", subtask=subtask)
    journal.append("decided", {"status": "CONTINUE", "reasoning": why, "line": line, "plan": []}, **place)
    review = {"policy": "work_is_allowed", "severity": "low", "verdict": "allow", "effect": "navigate", "reasons": ["as it is"]}
    journal.append("reviewed", {**review, "action": line}, **place)
    journal.intend(key, action)
    status = ExecStatus.ERROR if failed else ExecStatus.EXECUTED
    error = "it was not there" if failed else ""
    found = Resolved(element_id=element.element_id, tier="track_id", point=element.bbox.center)
    journal.settle(key, ActionResult(exec_status=status, error=error, resolved=found))
    journal.append("outcome", {"line": line, "exec_status": status.value, "error": error, "key": key}, **place)
    done = StepRecord(
        step=step, subtask=subtask, app="billing", action=action.dump(), verb="click", exec_status=status, error=error,
        before=before_id, after=after_id, visible_change=True,
    )  # fmt: skip
    journal.step(done, 1, key=f"step/{key}")
    body = {"situation": "GET_ACTION", "signal": "generate_action", "next": "EXECUTE_ACTION"}
    journal.append("situation", body, role="controller", step=step)


def _gate(journal: Journal, step: int) -> None:
    body = {"decision": "gate_continue", "reason": "it goes on", "evidence": [f"step:{step}"], "issues": []}
    journal.append("gate", {**body, "trigger": "PERIODIC"}, role="evaluator")


def _pictures(journal: Journal, folder: Path, screens: _screens, steps: int) -> None:
    """A picture of every screen, drawn as a run draws it but for the speed: one drawing, and each its own line of it."""
    from PIL import Image, ImageDraw

    desk = SimulatedDesktop(load_world("office"))
    desk.perform(LaunchApp(app="billing"), key="1")
    drawn = Image.open(io.BytesIO(desk.screenshot())).convert("RGB")
    desk.close()
    (folder / "screens").mkdir()
    for step in range(1, steps + 2):
        picture = drawn.copy()
        ImageDraw.Draw(picture).text((500, 20), f"screen {step}", fill=(20, 20, 20))
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        digest = hashlib.sha256(buffer.getvalue()).hexdigest()
        (folder / "screens" / f"{digest}.png").write_bytes(buffer.getvalue())
        state_id = screens.at(step).state_id
        body = {"state_id": state_id, "path": f"screens/{digest}.png", "sha256": digest, "bytes": buffer.tell()}
        journal.append("picture", {**body, "kind": "clean"})


@contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def opened(browser: Any, path: Path) -> Opening:
    """One opening, in a context of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("html[data-ready=yes]")
    listed = page.evaluate("performance.getEntriesByName('listed')[0].startTime")
    while not (drawn := page.evaluate(DRAWN)):  # the page's policy lets nothing be evaluated in it that polls
        time.sleep(0.01)
    assert page.locator(".tree .current.is-failed").count() == 1, "it opens at the failure"
    context.close()
    return Opening(listed, drawn)


def measure(folder: Path, steps: int, openings: int) -> dict[str, Any]:
    """Every figure."""
    pages: dict[str, Path] = {}
    figures: dict[str, Any] = {"openings": openings, "pages": {}}
    for name, length, pictures in (("short", SHORT, False), ("long", steps, False), ("pictures", PICTURED, True)):
        run = made_run(folder / f"{name}-{length}", length, pictures=pictures)
        for bundle in (False, True) if pictures else (False,):
            label = f"{name} bundled" if bundle else name
            began, path = time.perf_counter(), run / f"{'bundled' if bundle else 'view'}.html"
            pages[label] = write_page(path, [read_whole(str(run), folder)], bundle=bundle).path
            size = pages[label].stat().st_size
            figures["pages"][label] = {
                "steps": length, "written_seconds": round(time.perf_counter() - began, 2), "megabytes": round(size / 1e6, 2),
            }  # fmt: skip
    with _chromium() as browser:
        opened(browser, pages["short"])  # the first one also starts the browser's own processes
        times: dict[str, list[Opening]] = {label: [] for label in pages}
        for turn in range(openings):
            for label in sorted(pages, reverse=bool(turn % 2)):
                times[label].append(opened(browser, pages[label]))
    for label, found in times.items():
        figures["pages"][label] |= {
            "listed_ms": round(statistics.median(one.listed for one in found), 1),
            "listed_best_ms": round(min(one.listed for one in found), 1),
            "listed_worst_ms": round(max(one.listed for one in found), 1),
            "drawn_ms": round(statistics.median(one.drawn for one in found), 1),
        }
    pairs = zip(times["long"], times["short"], strict=True)
    figures["ratio"] = round(statistics.median(long.listed / short.listed for long, short in pairs), 2)
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--openings", type=int, default=5)
    parser.add_argument("--steps", type=int, default=LONG)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), given.steps, given.openings)
    if given.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"{'page':<18}{'steps':>8}{'MB':>8}{'written s':>11}{'listed ms':>11}{'best ms':>10}{'worst ms':>10}{'drawn ms':>10}")
    for label, page in figures["pages"].items():
        print(
            f"{label:<18}{page['steps']:>8}{page['megabytes']:>8}{page['written_seconds']:>11}{page['listed_ms']:>11}"
            f"{page['listed_best_ms']:>10}{page['listed_worst_ms']:>10}{page['drawn_ms']:>10}"
        )
    print(f"until the list is shown, the long run to the short one: {figures['ratio']}")


if __name__ == "__main__":
    main()
