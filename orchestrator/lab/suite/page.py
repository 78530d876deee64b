"""A suite as one HTML page: the table, each group, and the runs that did not come out right with the viewer's page of each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

from orchestrator.lab.suite.figures import Figures, figures
from orchestrator.lab.suite.suite import EpisodeRow, rows_in
from orchestrator.views.page.page import write_page
from orchestrator.views.page.source import read_source
from protocol.log.log import whole_file

VIEWER = "view.html"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1c2330;background:#fff}"
    "table{border-collapse:collapse;width:100%;margin:0 0 2rem}th,td{padding:.3rem .6rem;border-bottom:1px solid #d5dae2;"
    "text-align:right;font-variant-numeric:tabular-nums}th:first-child,td:first-child,td.said{text-align:left}"
    "meter{width:8rem}.false{color:#a3201b;font-weight:600}"
    "@media(prefers-color-scheme:dark){body{color:#e4e7ec;background:#171b22}th,td{border-color:#39414f}a{color:#8ab4ff}"
    ".false{color:#ff9a94}}"
)
_HEADS = ("", "runs", "right", "", "95 %", "false done", "steps", "over oracle", "gates", "plans", "approvals", "tokens", "money")


def write_report(folder: Path, out: Path, failures: int = 200) -> int:
    """Write the page, and the viewer's page of so many runs that are not right, beside each run. How many those are."""
    rows = rows_in(folder)
    failed = [row for row in rows if not row.right]
    links = {row.run: link for row in failed[:failures] if row.run and (link := _viewed(folder / row.run, out.parent))}
    parts = [_figures("By configuration", figures(rows))]
    parts += [_figures(f"By {by}", figures(rows, by)) for by in ("tier", "kind")]
    body = "".join([*parts, _failed(failed, links)])
    title = f"{escape(folder.name)}: {sum(row.right for row in rows)} of {len(rows)} right"
    with whole_file(out) as file:
        file.write(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            f"<title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>{body}</html>\n"
        )
    return len(links)


def _viewed(run: Path, beside: Path) -> str:
    """The address of a run's page, from where the report stands; empty where the run's folder is gone."""
    if not run.is_dir():
        return ""
    page = run / VIEWER
    if not page.exists():
        write_page(page, [read_source(run.name, run.parent, None)])
    return Path(os.path.relpath(page, beside)).as_posix()


def _figures(title: str, lines: Sequence[Figures]) -> str:
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    return f"<h2>{title}</h2><table><thead><tr>{heads}</tr></thead><tbody>{''.join(map(_line, lines))}</tbody></table>"


def _line(one: Figures) -> str:
    over = "-" if one.over_oracle is None else f"{one.over_oracle:.1f}"
    cells = (
        str(one.runs), f"{one.share:.1%}", f'<meter min="0" max="1" value="{one.share:.4f}">{one.share:.1%}</meter>',
        f"{one.low:.1%} to {one.high:.1%}", f'<span class="{"false" if one.false_done else ""}">{one.false_done}</span>',
        f"{one.steps:.1f}", over, f"{one.gates:.1f}", f"{one.plans:.1f}", f"{one.approvals:.1f}", f"{one.tokens:.0f}",
        f"{one.money:.4f}",
    )  # fmt: skip
    return f"<tr><td>{escape(one.group)}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _failed(rows: Sequence[EpisodeRow], links: dict[str, str]) -> str:
    if not rows:
        return "<h2>Nothing went wrong</h2>"
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("run", "seed", "ended", "steps", "why"))
    lines = []
    for row in sorted(rows, key=lambda row: not row.false_done):
        name = escape(f"{row.configuration} {row.task}")
        shown = f'<a href="{escape(links[row.run])}">{name}</a>' if row.run in links else name
        ended = '<span class="false">said done</span>' if row.false_done else escape(row.status)
        why = escape(row.reason[:400])
        lines.append(
            f'<tr><td>{shown}</td><td>{row.seed}</td><td>{ended}</td><td>{row.steps}</td><td class="said">{why}</td></tr>'
        )
    return f"<h2>Not right</h2><table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
