#!/usr/bin/env python3
"""What is recognised on screens from their pixels alone, compared with the elements that are truly there.

    benchmarks/vision.py                 48 screens of nine apps, in three themes, densities and layouts
    benchmarks/vision.py --screens 6     a sample of them
    benchmarks/vision.py --url URL ...   pages in Chromium, compared with what the DOM says
    benchmarks/vision.py --tasks         a dozen tasks by the rules, with nothing but pictures
    benchmarks/vision.py --json          as JSON

`texts` are those that the elements say and show, `controls` what can be pressed or filled. A control is found where a box of
it shares half with the true one (`IoU 0.5`); `hit` counts those whose middle lies on the true one, which is what an action
needs: the box of a link is larger than its words, and nothing shows how much. `role` and `label` are of those that were hit.
Seconds are of the processor: of a screen that was never seen, and of one on which some lines are new.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rapidfuzz import fuzz

from environments.contract import AppCatalog
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from environments.vision.pixels import Box, pixels_of
from environments.vision.recognizer import PixelRecognizer
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol import ActionTarget, Click, GUIElement, LaunchApp, VisualState

CONTROLS = frozenset({"button", "link", "tab", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider"})
SAME_ROLE = {"searchbox": "textbox"}
ALIKE = 92.0
"""How alike two texts must be, of 100: a letter of a dozen may be wrong."""
APPS = (
    ("office", "billing", ""), ("office", "reimbursement", ""), ("office", "mail", ""), ("office", "settings", ""),
    ("office", "notes", "New note"), ("office", "files", ""), ("people", "contacts", ""), ("diary", "calendar", ""),
    ("office", "mail", "Compose"), ("office", "settings", "Delete account"), ("bookkeeping", "spreadsheet", ""),
    ("intranet", "browser", ""),
)  # fmt: skip
LOOKS: tuple[dict[str, str], ...] = (
    {}, {"theme": "dark"}, {"theme": "contrast"}, {"density": "roomy"}, {"layout": "mirrored"},
    {"theme": "dark", "density": "compact"}, {"layout": "wide"}, {"theme": "contrast", "density": "roomy"},
)  # fmt: skip
TASKS = (
    "total-into-a-note", "invoice-to-reimbursement", "mail-the-total", "reply-to-a-mail", "add-to-a-note", "change-the-language",
    "rename-a-report", "draft-not-sent", "archive-reports", "note-into-a-file", "throw-away-mails", "no-such-invoice",
)  # fmt: skip
"""As they come in the list of tasks of the office, one of each kind; not chosen by how they end."""


class Screen(NamedTuple):
    """A picture with what is truly on it."""

    name: str
    png: bytes
    truth: VisualState
    titles: dict[str, str]


def simulated(count: int) -> Iterator[Screen]:
    """Every app in changing looks and with changing seeds."""
    for number in range(count):
        world, app, click = APPS[number % len(APPS)]
        look: dict[str, Any] = LOOKS[(number + number // len(APPS)) % len(LOOKS)]
        spec = load_world(world)
        desk = SimulatedDesktop(spec.model_copy(update={"variation": spec.variation.with_changes(_variation(look))}), number)
        desk.perform(LaunchApp(app=app), key="open")
        if click:
            desk.perform(Click(target=ActionTarget(text=click)), key="click")
        name = " ".join([app, click, *map(str, look.values())])
        yield Screen(name, desk.screenshot(), desk.observe(), {info.app: info.title for info in desk.apps()})


def _variation(look: dict[str, Any]) -> Any:
    from environments.simulated.variation.metrics import Variation

    return Variation.model_validate(look)


def browsed(urls: Sequence[str]) -> Iterator[Screen]:
    """Pages in Chromium; their true elements come from the DOM."""
    from orchestrator.settings.settings import BrowserSettings, make_browser

    for url in urls:
        page = make_browser(BrowserSettings(url=url, allow_files=url.startswith("file:")), None)
        try:
            truth = page.reset()
            assert not isinstance(page, AppCatalog)
            yield Screen(url.rsplit("/", 1)[-1], page.screenshot(), truth, {})  # type: ignore[attr-defined]  # it has pictures
        finally:
            page.close()


# --- comparing ------------------------------------------------------------------------------------------------------


def said(element: GUIElement) -> list[str]:
    """The texts that an element shows."""
    own = [element.text, *([element.value or element.placeholder] if element.role not in TICKED and not element.private else [])]
    return [" ".join(text.split()) for text in own if text and text.strip()]


TICKED = frozenset({"checkbox", "radio", "switch", "slider", "dialog", "table", "list", "row", "group", "form"})


def texts_of(state: VisualState) -> list[tuple[str, Box]]:
    seen = _seen(state)
    inner = {element.parent for element in seen}
    plain = [e for e in seen if e.role not in {"dialog", "form", "group", "table", "list", "tablist", "generic"}]
    return [(text, _box(e)) for e in plain for text in said(e) if e.element_id not in inner or e.role in CONTROLS]


def _seen(state: VisualState) -> list[GUIElement]:
    return [e for e in state.elements if e.visible and e.bbox is not None and e.bbox.area > 0 and _front(e, state)]


def _front(element: GUIElement, state: VisualState) -> bool:
    """Whether it is not beneath a dialog."""
    here: GUIElement | None = element
    while state.modal is not None and here is not None and here.element_id != state.modal:
        here = state.by_id.get(here.parent) if here.parent else None
    return here is not None


def _box(element: GUIElement) -> Box:
    assert element.bbox is not None
    return Box(element.bbox.x1, element.bbox.y1, element.bbox.x2, element.bbox.y2)


def compared(found: VisualState, truth: VisualState) -> Counter[str]:
    """Counts of what was there, what was found, and what of both is the same."""
    counts: Counter[str] = Counter()
    true_texts, found_texts = texts_of(truth), texts_of(found)
    counts["texts"], counts["texts_found"] = len(true_texts), len(found_texts)
    counts["texts_right"] = sum(any(_alike(one, other) for other in found_texts) for one in true_texts)
    counts["texts_true"] = sum(any(_alike(one, other) for other in true_texts) for one in found_texts)
    ours = [e for e in _seen(found) if e.role in CONTROLS]
    theirs = [e for e in _seen(truth) if e.role in CONTROLS]
    counts["controls"], counts["controls_found"] = len(theirs), len(ours)
    for true in theirs:
        hits = [e for e in ours if _box(true).holds(_box(e))]
        best = max(ours, key=lambda e: _box(true).likeness(_box(e)), default=None)
        counts["controls_iou"] += best is not None and _box(true).likeness(_box(best)) >= 0.5
        if not hits:
            continue
        hit = max(hits, key=lambda e: _box(true).likeness(_box(e)))
        counts["hit"] += 1
        counts["role"] += SAME_ROLE.get(str(true.role), true.role) == hit.role
        counts["named"] += bool(true.text)
        counts["label"] += bool(true.text) and fuzz.ratio(str(true.text), hit.name) >= ALIKE
    counts["ours_iou"] = sum(any(_box(e).likeness(_box(true)) >= 0.5 for true in theirs) for e in ours)
    counts["ours_hit"] = sum(any(_box(true).holds(_box(e)) for true in theirs) for e in ours)
    return counts


def _alike(one: tuple[str, Box], other: tuple[str, Box]) -> bool:
    return one[1].grown(8).shared(other[1]) > 0 and fuzz.ratio(one[0], other[0]) >= ALIKE


def figures(counts: Counter[str]) -> dict[str, float]:
    """Shares, 0 to 1."""
    pairs = {
        "text recall": ("texts_right", "texts"), "text precision": ("texts_true", "texts_found"),
        "control recall, IoU 0.5": ("controls_iou", "controls"), "control precision, IoU 0.5": ("ours_iou", "controls_found"),
        "control recall, hit": ("hit", "controls"), "control precision, hit": ("ours_hit", "controls_found"),
        "role": ("role", "hit"), "label": ("label", "named"),
    }  # fmt: skip
    return {name: round(counts[part] / counts[whole], 3) if counts[whole] else 1.0 for name, (part, whole) in pairs.items()}


# --- measuring ------------------------------------------------------------------------------------------------------


def measured(screens: Iterator[Screen]) -> dict[str, Any]:
    """Figures of all screens, of each, and the seconds that one takes."""
    total: Counter[str] = Counter()
    each: dict[str, Any] = {}
    cold: list[float] = []
    for screen in screens:
        recognizer = PixelRecognizer(screen.titles)
        recognizer.state(pixels_of(_BLANK))  # the models are loaded once a process
        started = time.process_time()
        found = recognizer.state(pixels_of(screen.png))
        cold.append(time.process_time() - started)
        counts = compared(found, screen.truth)
        total += counts
        modal = bool(found.modal) == bool(screen.truth.modal)
        each[screen.name] = {**figures(counts), "app": found.app == screen.truth.app, "modal": modal}
    return {
        "screens": len(cold),
        "texts": total["texts"],
        "controls": total["controls"],
        **figures(total),
        "seconds": round(sum(cold) / max(1, len(cold)), 2),
        "each": each,
    }


def _blank() -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(out, "PNG")
    return out.getvalue()


_BLANK = _blank()


def worked(tasks: Sequence[str], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """How tasks end that the rules work from pixels alone, and what the judge says of the world as it truly is then."""
    with tempfile.TemporaryDirectory() as runs:
        told = [f"runs_dir={runs}", "display=none", "vision.on=true", "safety=never-ask-in-simulation"]
        for seed, name in itertools.product(seeds, tasks):
            started = time.process_time()
            task = load_task(shipped("tasks", f"{name}.yaml"))
            loaded = load_settings(overrides=[f"seed={seed}", *told], task_layer=task.layer())
            done = start(loaded, task)
            seconds = round(time.process_time() - started, 1)
            verdict = done.report.get("judge") or {}
            right = bool(verdict.get("passed") and verdict.get("clean"))
            row = {"task": name, "seed": seed, "right": right, "steps": done.report["counts"]["steps"], "seconds": seconds}
            yield {**row, "status": done.status, "reason": done.reason[:160]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screens", type=int, default=48)
    parser.add_argument("--url", nargs="+", default=[])
    parser.add_argument("--tasks", nargs="*", default=None)
    parser.add_argument("--seed", type=int, nargs="+", default=[0], help="of the worlds of the tasks")
    parser.add_argument("--each", action="store_true", help="also a line for every screen")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.tasks is not None:
        rows = worked(given.tasks or TASKS, given.seed)
        for line in [json.dumps(list(rows))] if given.json else _task_lines(rows):
            print(line, flush=True)
        return
    found = measured(browsed(given.url) if given.url else itertools.islice(simulated(given.screens), given.screens))
    each = found.pop("each")
    if given.json:
        print(json.dumps({**found, "each": each}))
        return
    print("| measure | value |\n|---|---|")
    print("\n".join(f"| {name} | {value} |" for name, value in found.items()))
    for name, figures_ in each.items() if given.each else ():
        print(name, {key: value for key, value in figures_.items() if value != 1.0})


def _task_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield "| task | seed | from pixels alone | steps | CPU seconds |\n|---|---|---|---|---|"
    right = []
    for row in rows:
        right.append(row["right"])
        said_ = "right" if row["right"] else f"not right; {row['status']}: {row['reason']}"
        yield f"| {row['task']} | {row['seed']} | {said_} | {row['steps']} | {row['seconds']} |"
    yield f"\n{sum(right)} of {len(right)}"


if __name__ == "__main__":
    main()
