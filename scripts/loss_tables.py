#!/usr/bin/env python
"""Write the table of losses into each page of docs/dialects: what becomes of every example action in that dialect.

scripts/loss_tables.py           # write
scripts/loss_tables.py --check   # exit 1 if a page is not up to date
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from protocol import Action, VisualState, describe, read_log
from protocol.dialects import NAMES, Context, DialectError, dialect

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "protocol" / "v0_1" / "examples" / "every-verb.jsonl"
_BETWEEN = re.compile(r"(<!-- losses -->\n).*?(<!-- /losses -->)", re.DOTALL)


def table(name: str) -> str:
    """A row for each example: exact, or what is lost, or that it cannot be said; by variant where they differ."""
    rows = [("action", "result"), ("---", "---")]
    for step in (line.step for line in read_log(EXAMPLES) if line.step):
        said: dict[str, list[str]] = {}
        for variant in dialect(name).variants:
            said.setdefault(_said(name, step.action, step.visual_state, variant), []).append(variant)
        apart = (f"**{', '.join(variants)}:** {what}" for what, variants in said.items())
        rows.append((f"`{_cell(describe(step.action))}`", next(iter(said)) if len(said) == 1 else "<br>".join(apart)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _said(name: str, action: Action, state: VisualState, variant: str) -> str:
    try:
        losses = dialect(name).write(action, Context(state=state, variant=variant)).losses
    except DialectError:
        return "cannot be said"
    return "; ".join(dict.fromkeys(_cell(f"{loss.what}: {loss.why}") for loss in losses)) or "exact"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def page(path: Path) -> str:
    """The page with its table as the code has it now."""
    text = path.read_text(encoding="utf-8")
    return _BETWEEN.sub(lambda between: between[1] + "\n" + table(path.stem) + "\n\n" + between[2], text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    old = []
    for name in NAMES:
        path = ROOT / "docs" / "dialects" / f"{name}.md"
        wanted = page(path)
        if wanted != path.read_text(encoding="utf-8"):
            old.append(name)
            if not check:
                path.write_text(wanted, encoding="utf-8")
    print(f"{'not up to date' if check else 'written'}: {', '.join(old)}" if old else "all tables are up to date")
    return int(check and bool(old))


if __name__ == "__main__":
    raise SystemExit(main())
