"""What it costs in CPU to start: `from deskcrew import Crew` and the demo's run, each against LangGraph and our core alone.

    python benchmarks/startup.py

Ratios within one run, so that a slow machine changes nothing: the least of several starts of each, in turns. Modules are compiled
by then, as an installation compiles them, even where the environment forbids Python to write them beside the sources.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CORE = "import langgraph.graph, orchestrator.core.controller"
CREW = "from deskcrew import Crew"
DEMO = ("-m", "deskcrew", "run", "invoice-to-reimbursement", "--display", "none")
TIMES = 5
ALLOWED = 1.2
"""The crew's import, in those of the core."""


def seconds(compiled: str, *words: str) -> float:
    """The CPU seconds of one process, its children's with it."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, env=_here(compiled))
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _here(compiled: str) -> dict[str, str]:
    own = {"PYTHONPATH": str(Path(__file__).resolve().parents[1]), "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
    return {**os.environ, **own}


def main() -> int:
    costs: dict[str, list[float]] = {"langgraph.graph": [], "and our core": [], "the crew": [], "the demo's run": []}
    starts = (("-c", "import langgraph.graph"), ("-c", CORE), ("-c", CREW), DEMO)
    with tempfile.TemporaryDirectory() as compiled:
        for _ in range(TIMES):
            for kept, words in zip(costs.values(), starts, strict=True):
                kept.append(seconds(compiled, *words))
    core = min(costs["and our core"])
    for name, kept in costs.items():
        print(f"{name:<16} {min(kept):5.2f} s of CPU  {min(kept) / core:5.2f} of the core")
    return int(min(costs["the crew"]) > ALLOWED * core)


if __name__ == "__main__":
    sys.exit(main())
