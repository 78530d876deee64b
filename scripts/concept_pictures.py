#!/usr/bin/env python
"""Draw docs/pictures/concepts/*.svg anew: rows of the machine, edges of the graph and names are taken from the code.

scripts/concept_pictures.py            # write the pictures and the table of the machine
scripts/concept_pictures.py --check    # say which of them are not what the code says, and exit 1
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from concept_sketches import SKETCHES
from drawing import Box, Drawing
from house_picture import house

from orchestrator.core.machine import ANYWHERE, ROWS, Situation, TransitionRow
from orchestrator.tasks.plans import read_plan
from roles.operator.graph import build_operator

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "docs" / "pictures" / "concepts"
PAGE = ROOT / "docs" / "concepts.md"
W = 720


PLACES = {
    "INIT": (24, 44), "PLAN": (285, 44), "SUPPLEMENT": (546, 44), "GET_ACTION": (24, 204), "QUALITY_CHECK": (546, 204),
    "EXECUTE_ACTION": (24, 364), "DONE": (285, 364), "FINAL_CHECK": (546, 364),
}  # fmt: skip
COLOURS = {
    "INIT": "controller", "PLAN": "manager", "SUPPLEMENT": "manager", "GET_ACTION": "operator", "EXECUTE_ACTION": "operator",
    "QUALITY_CHECK": "evaluator", "FINAL_CHECK": "evaluator", "DONE": "controller",
}  # fmt: skip
WAY = ("task_open", "planned", "generate_action", "executed", "worker_success", "gate_done", "passed")
"""Signals of a run in which all goes well; the others are drawn thin."""


LABELS = {("GET_ACTION", "EXECUTE_ACTION"): 0.32, ("EXECUTE_ACTION", "GET_ACTION"): 0.32}
"""Where on its arrow a label stands, when the middle is taken."""


def machine() -> Drawing:
    """The controller's situations; an arrow for each pair that the table has."""
    d = Drawing(W, 468, "The controller's situations", f"{len(ROWS)} rows between {len(list(Situation))} situations.")
    boxes = {str(s): d.box(*PLACES[s], 150, 46, (str(s), _who(COLOURS[s])), COLOURS[s], code=True) for s in map(str, Situation)}
    for (start, end), found in groupby(sorted(ROWS, key=lambda r: (r.situation, r.next)), lambda r: (r.situation, r.next)):
        rows = list(found)
        good = [row for row in rows if row.signal in WAY and _first_way(row)]
        role = "way" if good else "plain"
        if start == end:
            box = boxes[start]
            d.path([(box.x + 30, box.y), (box.x + 30, box.y - 22), (box.x + 62, box.y - 22), (box.x + 62, box.y - 5)], role, True)
        else:
            label = good[0].signal if good else ""
            d.arrow(boxes[start], boxes[end], label, role, aside=11, dashed=not good, at=LABELS.get((start, end), 0.5))
    d.words(W / 2, 446, f"from anywhere to DONE: {', '.join(ANYWHERE)}    ·    blue: when all goes well")
    return d


def _first_way(row: TransitionRow) -> bool:
    return row.signal != "gate_done" or row.next in (Situation.GET_ACTION, Situation.FINAL_CHECK)


def _who(role: str) -> str:
    return {"operator": "a worker", "controller": "the controller"}.get(role, f"the {role.capitalize()}")


def machine_table() -> str:
    """The rows as a table in Markdown: from where, on what, to where."""
    lines = ["| in | on | goes to |", "|---|---|---|"]
    for start, rows in groupby(ROWS, lambda r: r.situation):
        by_end: dict[str, list[str]] = {}
        for row in rows:
            when = f" ({row.guard.__name__.strip('_').replace('_', ' ')})" if row.guard else ""
            by_end.setdefault(str(row.next), []).append(f"`{row.signal}`{when}")
        lines += [f"| `{start}` | {', '.join(signals)} | `{end}` |" for end, signals in by_end.items()]
    lines.append(f"| any but `DONE` | {', '.join(f'`{signal}`' for signal in ANYWHERE)} | `DONE` |")
    return "\n".join(lines)


STAGES = {
    "prepare_interaction_task": (44, 40), "observe_environment": (44, 116), "recognize_elements": (44, 186),
    "interpret_context": (44, 256), "plan_next_action": (44, 326), "review_action_safety": (44, 396),
    "execute_action": (424, 396), "observe_feedback": (424, 306), "decide_next_step": (424, 216),
    "recover_from_failure": (424, 116), "request_human_approval": (234, 486), "finalize_interaction_report": (234, 566),
}  # fmt: skip
ROUND = {
    ("prepare_interaction_task", "review_action_safety"): [(44, 59), (22, 59), (22, 415), (38, 415)],
    ("prepare_interaction_task", "finalize_interaction_report"): [(160, 40), (160, 18), (706, 18), (706, 592), (480, 592)],
    ("review_action_safety", "finalize_interaction_report"): [(100, 434), (100, 585), (228, 585)],
    ("decide_next_step", "request_human_approval"): [(664, 241), (680, 241), (680, 505), (480, 505)],
    ("decide_next_step", "finalize_interaction_report"): [(664, 228), (693, 228), (693, 579), (480, 579)],
    ("decide_next_step", "observe_environment"): [(424, 235), (350, 235), (350, 144), (290, 144)],
}
"""Ways that go around the boxes; all others are straight."""


def operator() -> Drawing:
    """The compiled graph: its nodes and its edges."""
    d = Drawing(W, 640, "The Operator", "Twelve stages from a subtask to a report, with review, approval, recovery and feedback.")
    graph = build_operator().get_graph()
    names = [name for name in graph.nodes if not name.startswith("__")]
    colour = {
        "review_action_safety": "bad", "request_human_approval": "user", "recover_from_failure": "analyst",
        "execute_action": "way",
    }  # fmt: skip
    boxes = {name: d.box(*STAGES[name], 240, 38, (name,), colour.get(name, "operator"), code=True) for name in names}
    for edge in sorted(graph.edges, key=lambda e: (e.source, e.target)):
        if edge.source.startswith("__") or edge.target.startswith("__"):
            continue
        if edge.source == edge.target:
            box = boxes[edge.source]
            x, y = box.x + 185, box.y + box.h
            d.path([(x, y), (x, y + 18), (x + 30, y + 18), (x + 30, y + 6)], "plain", True)
        elif way := ROUND.get((edge.source, edge.target)):
            d.path(way, "plain", bool(edge.conditional))
        else:
            d.arrow(boxes[edge.source], boxes[edge.target], dashed=bool(edge.conditional))
    d.words(24, 626, "dashed: one of several ways", anchor="start")
    return d


def plan() -> Drawing:
    """The plan that the page shows, as the graph that it is."""
    blocks = re.findall(r"```yaml\n(# plan\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plan.yaml"
        path.write_text(blocks[0], encoding="utf-8")
        subtasks = read_plan(path).subtasks
    depth: dict[str, int] = {}
    for one in subtasks:
        depth[one.id] = 1 + max((depth[before] for before in one.depends_on), default=-1)
    d = Drawing(W, 250, "A plan", "Subtasks that wait for each other, a gate after each, and the final check.")
    boxes: dict[str, Box] = {}
    columns = max(depth.values()) + 1
    wide = (W - 160) / columns
    for column in range(columns):
        here = [one for one in subtasks if depth[one.id] == column]
        for row, one in enumerate(here):
            y = 108 + (row - (len(here) - 1) / 2) * 92
            boxes[one.id] = d.box(20 + column * wide, y - 37, wide - 62, 74, (one.id, one.worker, one.app or ""), one.worker)
    last = d.box(W - 150, 78, 130, 60, ("final check", "the whole goal"), "evaluator")
    gates = {}
    for name, box in boxes.items():
        gates[name] = d.diamond((box.x + box.w + 24, box.middle[1]), "evaluator")
    for one in subtasks:
        d.arrow(boxes[one.id], gates[one.id], role="evaluator")
        for before in one.depends_on:
            d.arrow(gates[before], boxes[one.id])
    for name in boxes:
        if not any(name in one.depends_on for one in subtasks):
            d.arrow(gates[name], last, role="evaluator")
    d.words(24, 230, "diamond: a gate. What waits for nothing open may be worked side by side.", anchor="start")
    return d


PICTURES = (machine, operator, plan, house, *SKETCHES)
MARKS = ("<!-- rows of the machine -->\n", "<!-- /rows -->")


def files() -> dict[Path, str]:
    """What each file should hold."""
    made: dict[Path, str] = {HOME / f"{draw.__name__}.svg": draw().svg() for draw in PICTURES}
    before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    made[PAGE] = f"{before}{MARKS[0]}\n{machine_table()}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}"
    return made


def main(words: list[Any]) -> int:
    """0 where the pictures are what the code says."""
    HOME.mkdir(exist_ok=True)
    wrong = 0
    for path, text in files().items():
        if "--check" not in words:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)} is not what the code says; run scripts/reference.py")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
