"""What `ls` and `show` print: the same facts as text for people and as JSON for programs.

A list is asked for often, so that what only a whole run is shown by is imported where it is used.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from orchestrator.errors import USER, UsageProblem
from orchestrator.store.printable import UNREADABLE, clean, number, shortened, visible

NARROW = 80
GAP = 2
_LEAST = 6
"""A column that has room for less says nothing."""


Cells = Callable[[Any], Sequence[object]]
"""What the columns of a table say of a row."""


def rows_table(rows: Sequence[Any], heads: Sequence[str], cells: Cells, *, numbers: bool = False) -> str:
    """What is listed, for people; lists are joined by commas. With `numbers` only the first column is aligned to the left, and
    nothing is cut."""
    said = [[*heads], *([*map(_cell, cells(row))] for row in rows)]
    if numbers:
        widths = [max(map(len, column)) for column in zip(*said, strict=True)]
        said = [[row[0], *map(str.rjust, row[1:], widths[1:])] for row in said]
    return table(said, None if numbers else width_of_terminal())


def _cell(value: object) -> str:
    return clean(", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else value, 300)


def table(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Columns as wide as their widest cell; wide characters count two. Where `width` is less than that, the widest columns
    give way, never the first one, by which a row is named."""
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    if width is not None:
        _give_way(widths, width)
    lines = []
    for row in rows:
        cells = [
            set_cell_size(cell, room) if cell_len(cell) <= room else set_cell_size(cell, max(room - 1, 0)) + "…"
            for cell, room in zip(row, widths, strict=True)
        ]
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join(lines)


def width_of_terminal() -> int | None:
    """How wide the terminal is that is printed to. None for pipes and files, in which nothing is cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _give_way(widths: list[int], width: int) -> None:
    too_much = sum(widths) + GAP * (len(widths) - 1) - width
    while too_much > 0:
        widest = max(range(1, len(widths)), key=widths.__getitem__, default=0)
        if widest == 0 or widths[widest] <= _LEAST:
            return
        widths[widest] -= 1
        too_much -= 1


if TYPE_CHECKING:
    from orchestrator.runs.folders import RunInfo, RunView
    from orchestrator.runs.report import Board, ScreenShown, SubtaskShown

GOAL_WIDTH = 60


def runs_table(runs: Sequence[RunInfo], width: int | None = None) -> str:
    """One line a run, cut where a terminal of this width ends; what is narrow has no room for the time, which the id tells."""
    if not runs:
        return 'There are no runs here yet; start one with: deskcrew run "..."'
    rows = [("RUN", "STATUS", "STEPS", "STARTED", "GOAL")]
    for run in runs:
        status = "waiting" if run.waiting else str(run.status).replace("_", " ")
        rows.append((clean(run.run_id), clean(status), str(run.steps), moment(run.started or "-"), clean(run.goal, GOAL_WIDTH)))
    if width is not None and width < NARROW:
        return table([(name, status, steps, goal) for name, status, steps, _, goal in rows], width)
    return table(rows, width)


def moment(value: Any) -> str:
    """A time as people write it, in local time."""
    if isinstance(value, int | float):
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value))
    return clean(value or "")


def run_page(view: RunView) -> str:
    """The whole run on one page; the verdict stands last, as it does after a run. Raises UsageProblem."""
    try:
        return "\n".join(f"{mark:>9}  {visible(text)}".rstrip() for mark, text in _page(view) if text)
    except UNREADABLE as bad:
        raise UsageProblem(
            f"The report contains entries that deskcrew does not write ({type(bad).__name__}); the run cannot be shown."
        ) from None


def _page(view: RunView) -> list[tuple[str, str]]:
    from orchestrator.views.terminal.approval import request_lines
    from orchestrator.views.terminal.event_lines import control_words, learned_words, ledger_line
    from roles.contracts.requests import request_in

    report = view.report
    lines = [("goal", clean(report.get("goal", ""))), ("run", clean(report.get("run_id", "")))]
    lines += _listed("plan", report.get("plan"), _subtask)
    lines += _listed("ledger", report.get("ledger"), ledger_line)
    lines += [("", f"independent of each other: {', '.join(level)}") for level in _beside(report.get("plan") or ())]
    lines += _listed("steps", report.get("steps"), _step)
    lines += _listed("decided", list(_deciders(report.get("decided_by") or ())), str)
    lines += _listed("errors", report.get("errors"), _error)
    lines += _listed("pages", list(_pages_said(report.get("knowledge") or ())), str)
    lines += _listed("gates", report.get("gates"), _gate)
    lines += _listed("approvals", report.get("approvals"), _approval)
    lines += _listed("control", report.get("control"), control_words)
    lines += _listed("facts", report.get("facts"), _fact)
    lines += _listed("network", learned_words(report), visible)
    lines += _listed("budget", list(_nearly_spent(report.get("budgets"))), str)
    lines += _listed("judge", (report.get("judge") or {}).get("checks"), _check)
    lines += [("note", clean(note)) for note in view.notes]
    if (request := request_in(report.get("pending"))) is not None:
        lines += [(line.mark, line.text) for line in request_lines(request)]
    lines += _listed("answer", str(report.get("answer") or "").splitlines(), lambda line: clean(line, 4_000))
    status = "waiting" if report.get("status") == "on_hold" else clean(report.get("status", "")).replace("_", " ")
    return [*lines, ("status", status), ("why", clean(report.get("reason", ""), 2_000))]


def _fact(fact: Mapping[str, Any]) -> str:
    by = f" ({clean(fact['said_by'], 80)})" if fact.get("said_by") else ""
    return f"{clean(fact.get('name'))} = {clean(fact.get('value'))}{by}"


def _listed(mark: str, items: Any, say: Any) -> list[tuple[str, str]]:
    return [(mark if number == 0 else "", say(item)) for number, item in enumerate(items or ())]


def _subtask(item: Mapping[str, Any]) -> str:
    sign = {"fulfilled": "✓", "rejected": "✗"}.get(item.get("status", ""), "·")
    result = f": {clean(item['result'])}" if item.get("result") else ""
    after = f" (after {clean(', '.join(item['depends_on']))})" if item.get("depends_on") else ""
    pinned = " (pinned)" if item.get("pinned") else ""
    return f"{sign} {clean(item.get('id', ''))} {shortened(item.get('title', ''))}{after}{pinned}{result}"


def _deciders(decisions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Who decided how often, where several could; then each time that somebody was passed over."""
    roles = dict.fromkeys(clean(item.get("role", "")) for item in decisions)
    for role in roles:
        made = Counter(clean(item.get("decided_by") or "nobody", 60) for item in decisions if clean(item.get("role", "")) == role)
        yield f"{role}: {', '.join(f'{name} {count}' for name, count in made.most_common())}"
    for item in decisions:
        at = f"{item.get('step', '')} {clean(item.get('role', ''))}".strip()
        if passed := clean("; ".join(map(str, item.get("passed") or ())), 300):
            yield f"{at}: {clean(item.get('decided_by') or 'nobody', 60)}, after {passed}"


def _error(item: Mapping[str, Any]) -> str:
    said = f" It said: {clean(item['reply'], 300)}" if item.get("reply") else ""
    return f"{clean(item.get('role', ''))}: {clean(item.get('message', ''), 400)}{said}"


def _pages_said(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What was looked up and what became of it; what was not followed on one line."""
    followed = [item for item in items if item.get("used") or item.get("failed")]
    for item in followed:
        page = f"{clean(item.get('title', ''))} ({clean(item.get('source', ''))})"
        why = f": {clean(item['why'])}" if item.get("why") else ""
        by = f" ({clean(', '.join(item['subtasks']))})" if item.get("subtasks") else ""
        yield f"· {page} is followed{by}{why}"
    titles = dict.fromkeys(clean(item.get("title", ""), 60) for item in items if item not in followed and item.get("why"))
    if titles:
        yield f"· not followed: {', '.join(titles)}"


def _beside(plan: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Groups of subtasks, of those that were not replaced, that do not wait for each other."""
    from graphlib import CycleError

    from roles.manager.plans import levels

    kept = [item for item in plan if item.get("status") != "rejected"]
    try:
        found = levels({item["id"]: item.get("depends_on") or () for item in kept})
    except CycleError:  # no plan of ours, which are checked
        return []
    return [level for level in found if len(level) > 1]


def _step(item: Mapping[str, Any]) -> str:
    from orchestrator.views.terminal.event_lines import action_words

    action = dict(item.get("action") or {})
    said = item.get("line") or action_words({"name": action.pop("action_type", "?"), "args": action})
    good = item.get("exec_status") == "executed"
    why = f" → {clean(item['error'])}" if item.get("error") else ""
    hand = " (by hand)" if item.get("role") == "user" else ""
    return f"{item.get('step', '')} {'✓' if good else '✗'} {clean(said)}{hand}{why}"


def _gate(item: Mapping[str, Any]) -> str:
    return f"◆ {clean(item.get('trigger', ''))} → {clean(item.get('decision', ''))}: {clean(item.get('reason', ''))}"


def _nearly_spent(budgets: Any) -> Iterator[str]:
    from roles.journal.budgets import WARN_AT

    for key, body in budgets.items() if isinstance(budgets, dict) else ():
        if isinstance(body, dict) and number(body.get("share")) >= WARN_AT:
            yield f"{clean(key, 60)}: {body.get('used', '')} of {body.get('limit', '')} used"


def _check(item: Mapping[str, Any]) -> str:
    error = f" ({clean(item['error'])})" if item.get("error") else ""
    return f"{'✓' if item.get('passed') else '✗'} {clean(item.get('expression', ''))}{error}"


def _approval(item: Mapping[str, Any]) -> str:
    message = f": {clean(item['message'])}" if item.get("message") else ""
    way = {"terminal": " in a terminal", "desk": " at a desk", "command": " by a command"}.get(str(item.get("way")), "")
    by = f" (by {clean(item['who'], 60)}{way})" if item.get("who") not in (None, "", USER) else ""
    return f"{clean(item.get('decision', ''))} {clean(item.get('line', ''))}{message}{by}"


def board_page(board: Board) -> str:
    """All of it as text for people."""
    lines: list[str] = []
    if board["facts"]:
        rows: list[tuple[str, ...]] = [("FACT", "VALUE", "KIND", "SAID BY", "STEP", "SUBTASK", "USED BY")]
        rows += [_fact_row(fact) for fact in board["facts"]]
        lines.append(table(rows))
        lines += [f"  {clean(f['name'], 60)}: {_dispute(said)}" for f in board["facts"] for said in f.get("instead", ())]
    else:
        lines.append("There are no facts." if board["at"] is None else f"There are no facts by step {board['at']}.")
    answers = [f"{clean(q['question'])} → {clean(q['answer'])} ({clean(q['said_by'])})" for q in board["questions"]]
    screens, subtasks = map(_screen_line, board["screens"]), map(_found_line, board["subtasks"])
    for mark, items in (("questions", answers), ("screens", [*screens]), ("subtasks", [*subtasks])):
        lines += ["", mark, *(f"  {item}" for item in items)] if items else []
    return "\n".join(lines)


def _fact_row(fact: Mapping[str, Any]) -> tuple[str, ...]:
    one = f"{fact['kind']} {fact['normal']}" if fact["normal"] and fact["normal"] != fact["value"] else fact["kind"]
    kind = "" if fact["kind"] == "text" else clean(one, 30)
    used = clean(", ".join(fact["used_by"]), 40)
    where = clean(fact["said_by"] or fact["role"], 40)
    at = (str(fact.get("step", "")), clean(fact.get("subtask", ""), 12))
    return (clean(fact["name"], 30), clean(fact["value"], 40), kind, where, *at, used)


def _dispute(said: Mapping[str, Any]) -> str:
    from roles.contracts import Fact
    from roles.contracts.facts import source_told
    from roles.knowledge.blackboard import value_told

    other = Fact.model_validate({"name": "-", **said})
    return f"{clean(source_told(other) or other.role, 60)} says {clean(value_told(other), 80)} (step {other.step})"


def _screen_line(screen: ScreenShown) -> str:
    why = f": {clean(screen['why'], 120)}" if screen["why"] else ""
    return f"step {screen['step']} · {clean(screen['app'] or 'the desktop', 30)} · {clean(screen['shows'], 120)}{why}"


def _found_line(subtask: SubtaskShown) -> str:
    found = f", found {clean(', '.join(subtask['found']), 120)}" if subtask["found"] else ""
    return f"{clean(subtask['id'], 20)} {shortened(subtask['title'])}: {clean(subtask['status'], 20)}{found}"
