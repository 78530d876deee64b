"""The gate laboratory as a table and as a page: the matrix of each trigger, and each run as the tree of its decisions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from orchestrator.lab.gates.laboratory import GateRow, TriggerFigures, figures
from orchestrator.lab.suite.figures import viewed, write_html
from roles.contracts.signals import GATE_DECISIONS

NAMES = [decision.value for decision in GATE_DECISIONS]
_MOST = 200
"""Runs that are drawn; those with a wrong gate first."""


def lines(found: Sequence[TriggerFigures]) -> list[str]:
    """For a person."""
    shares = f"{'right':>7} {'done: precision':>16} {'recall':>7} {'cost':>5}"
    head = f"{'evaluator':<12} {'trigger':<15} {'gates':>5} {shares}   worth after"
    return [head, *(_line(one) for one in found)]


def _line(one: TriggerFigures) -> str:
    shares = [one.right / one.gates, one.precision, one.recall]
    right, precision, recall = map(_percent, shares)
    worth = "  ".join(f"{name.removeprefix('gate_')} {value:+.2f}" for name, value in one.worth.items())
    return (
        f"{one.evaluator:<12} {one.trigger:<15} {one.gates:>5} {right:>7} {precision:>16} {recall:>7} {one.cost:>5.2f}   {worth}"
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def write_report(folder: Path, rows: Sequence[GateRow], out: Path) -> None:
    """One page: the matrices, and the tree of each run beside the viewer's page of it."""
    found = figures(rows)
    runs = [list(gates) for _, gates in groupby(rows, key=lambda row: row.run)]
    runs.sort(key=lambda gates: not any(gate.regret for gate in gates))
    body = [_matrix(one) for one in found] + ["<h2>Runs</h2>"]
    body += [_tree(gates, viewed(folder / gates[0].run, out.parent)) for gates in runs[:_MOST]]
    wrong = sum(one.gates - one.right for one in found)
    write_html(out, f"{folder.name}: {len(rows)} gates, {wrong} of them wrong", "".join(body))


def _matrix(one: TriggerFigures) -> str:
    heads = "".join(f'<th scope="col">{name}</th>' for name in NAMES)
    rows = []
    for decided in (name for name in NAMES if name in one.confusion):
        counts = one.confusion[decided]
        cells = "".join(_cell(counts.get(best, 0), decided == best, sum(counts.values())) for best in NAMES)
        rows.append(f'<tr><th scope="row">decided {decided}</th>{cells}</tr>')
    worth = ", ".join(f"{name} {value:+.2f}" for name, value in one.worth.items())
    said = f"{one.gates} gates, {one.right} right; gate_done has the precision {_percent(one.precision)} and the recall "
    said += f"{_percent(one.recall)}; a wrong decision lost {one.cost:.2f}. Mean worth after {worth}."
    return (
        f"<h2>{escape(f'{one.evaluator}, {one.trigger}')}</h2><p>{escape(said)}</p><table><caption>Columns: what would have been "
        f'best</caption><thead><tr><th scope="col"></th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _cell(count: int, right: bool, of: int) -> str:
    colour = "46,125,50" if right else "198,40,40"
    shade = f' style="background:rgba({colour},{0.15 + 0.6 * count / of:.2f})"' if count else ""
    return f"<td{shade}>{count or ''}</td>"


def _tree(gates: Sequence[GateRow], page: str) -> str:
    first = gates[0]
    name = escape(f"{first.configuration} {first.task}, seed {first.seed}")
    shown = f'<a href="{escape(page)}">{name}</a>' if page else name
    opened = " open" if any(gate.regret for gate in gates) else ""
    return f"<details{opened}><summary>{shown}</summary><ol>{''.join(map(_gate, gates))}</ol></details>"


def _gate(gate: GateRow) -> str:
    where = escape(f"{gate.trigger} {gate.subtask}".strip())
    ways = []
    for name, end in sorted(gate.endings.items(), key=lambda item: item[0] != gate.decided):
        word = "right" if end.right else "falsely done" if end.false_done else end.status
        said = escape(f"{name}: {word}, {end.steps} steps")
        mark = "<b>decided</b> " if name == gate.decided else ""
        style = ' class="false"' if name == gate.decided and gate.regret else ""
        ways.append(f'<li{style} title="{escape(end.reason)}">{mark}{said}</li>')
    return f"<li>{where}<ul>{''.join(ways)}</ul></li>"
