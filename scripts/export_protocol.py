#!/usr/bin/env python
"""Write protocol/v0_1 anew: the JSON Schemas, a log with every verb, and logs of real runs.

scripts/export_protocol.py            # everything
scripts/export_protocol.py --schema   # the schemas only
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol import (
    VERBS,
    ActionResult,
    BoundingBox,
    ExecStatus,
    GUIElement,
    InteractionStep,
    TargetError,
    VisualState,
    Window,
    parse_action,
    resolve,
    write_log,
)
from protocol.log.versions import write_schemas

HOME = Path(__file__).resolve().parents[1] / "protocol" / "v0_1"
RUNS = {"invoice-to-reimbursement": 1, "plan-again": 2, "mail-the-total": 3, "refused-by-policy": 1}
"""Task: seed."""


def _element(number: int, role: str, text: str, **more: Any) -> GUIElement:
    box = BoundingBox(x1=100, y1=60 * number, x2=400, y2=60 * number + 40)
    return GUIElement(
        element_id=f"e{number}", role=role, text=text, bbox=box, track_id=f"claim.{text.casefold()}", app="claim", **more
    )


SCREEN = VisualState(
    screen_resolution=(1280, 800),
    app="claim",
    windows=(Window(window_id="w1", app="claim", title="New claim", focused=True),),
    elements=(
        _element(1, "textbox", "Amount", value="", required=True),
        _element(2, "combobox", "Category", value="Meals", options=("Meals", "Travel")),
        _element(3, "button", "Submit"),
        _element(4, "listitem", "a.txt"),
        _element(5, "group", "Archive"),
        _element(6, "button", "Receipt"),
    ),
)
SUBMIT, AMOUNT = {"text": "Submit", "role": "button"}, {"track_id": "claim.amount", "text": "Amount"}
SYNTHETIC: tuple[dict[str, Any], ...] = (
    {"action_type": "click", "target": SUBMIT},
    {"action_type": "click", "target": {"element_id": "e4"}, "count": 2, "modifiers": ["Control"]},
    {
        "action_type": "click",
        "target": {"point": {"x": 512, "y": 140, "space": "image", "image_size": [1024, 640]}},
        "button": "right",
    },
    {"action_type": "click", "target": {"bbox": {"x1": 0.1, "y1": 0.2, "x2": 0.2, "y2": 0.3, "space": "norm1"}}, "hold": 1.5},
    {"action_type": "mouse_down", "target": {"point": [250, 80]}},
    {"action_type": "mouse_up"},
    {"action_type": "hover", "target": SUBMIT},
    {"action_type": "drag", "target": {"text": "a.txt"}, "to": {"text": "Archive"}, "path": [[200, 300]]},
    {"action_type": "type", "target": AMOUNT, "text": 'say "hi"\n{braces} Größe 大小 🎈', "submit": True},
    {"action_type": "fill", "target": AMOUNT, "text": "$248.90", "delay": 0.3},
    {"action_type": "press_key", "keys": ["Control", "s"]},
    {"action_type": "hold_key", "keys": ["Shift"], "seconds": 2},
    {"action_type": "key_down", "key": "Alt"},
    {"action_type": "key_up", "key": "Alt"},
    {"action_type": "scroll", "target": {"text": "Archive"}, "delta": {"y": 3}},
    {"action_type": "scroll", "delta": {"x": -120.5, "y": 240}, "unit": "px"},
    {"action_type": "select_option", "target": {"text": "Category"}, "options": ["Travel"]},
    {"action_type": "launch_app", "app": "claim"},
    {"action_type": "switch_window", "window": "w1"},
    {"action_type": "navigate", "url": "http://localhost:8000/claims"},
    {"action_type": "go_back"},
    {"action_type": "go_forward"},
    {"action_type": "tabs", "op": "new", "url": "http://localhost:8000/help"},
    {"action_type": "tabs", "op": "select", "index": 0},
    {"action_type": "wait", "seconds": 5, "text": "Saved"},
    {"action_type": "screenshot", "marks": ["e1", "e3"]},
    {"action_type": "screenshot", "region": [0, 0, 640, 400]},
    {"action_type": "upload", "target": {"text": "Receipt"}, "files": ["receipts/lunch.pdf"]},
    {"action_type": "call_api", "app": "claim", "function": "list_claims", "arguments": {"open": True, "limit": 5}},
    {"action_type": "ask_in_app_agent", "app": "mail", "request": "Which mail has the receipt?"},
    {"action_type": "run_script", "language": "python", "code": "print(1 + 1)\n"},
    {"action_type": "memorize", "target": AMOUNT, "name": "amount", "value": "$248.90"},
    {"action_type": "ask_user", "question": "Which category?", "name": "category"},
    {"action_type": "answer", "text": "The claim is submitted."},
    {"action_type": "fail_goal", "reason": "there is no such invoice"},
    {"action_type": "x-anthropic.cursor_position"},
    {"action_type": "finish_goal", "summary": "submitted"},
)


def synthetic() -> Iterator[InteractionStep]:
    """A step of every verb; those with a target say how it was found."""
    for number, written in enumerate(SYNTHETIC, start=1):
        action = parse_action(written)
        resolved = None
        if action.target is not None:
            try:
                resolved = resolve(action.target, SCREEN)
            except TargetError as no:
                raise SystemExit(f"step {number}: {no}") from None
        yield InteractionStep(
            timestamp=float(number), step=number, run_id="synthetic", role="operator", visual_state=SCREEN,
            state_id=SCREEN.state_id, action=action, reasoning=f"to show {action.verb}",
            result=ActionResult(exec_status=ExecStatus.EXECUTED, resolved=resolved),
        )  # fmt: skip


def real(examples: Path) -> None:
    """Work shipped tasks for real, with every approval given, and keep their logs."""
    for name, seed in RUNS.items():
        task = load_task(shipped("tasks", f"{name}.yaml"))
        with TemporaryDirectory() as folder:
            loaded = load_settings(overrides=[f"seed={seed}", f"runs_dir={folder}"], task_layer=task.layer())
            outcome = start(loaded, task, approver=lambda request: {"decisions": [{"type": "approve"}]})
            shutil.copyfile(outcome.folder / "log.jsonl", examples / f"{name}.jsonl")
        print(f"{name}: {outcome.status}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schema", action="store_true", help="write the schemas only")
    options = parser.parse_args()
    for path in write_schemas(HOME / "schema"):
        print(path.relative_to(HOME))
    if options.schema:
        return
    examples = HOME / "examples"
    examples.mkdir(parents=True, exist_ok=True)
    print(f"every-verb: {write_log(examples / 'every-verb.jsonl', synthetic())} steps")
    real(examples)


assert {written["action_type"] for written in SYNTHETIC} >= set(VERBS), "a verb has no example"
if __name__ == "__main__":
    main()
