"""Work that alters a value, skips one of several things or stops early is not called fulfilled where the judge refuses it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow("a benchmark")

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "mutations.py"
RUNS, SEED = 24, 5


@pytest.fixture(scope="module")
def mutations() -> Any:
    spec = importlib.util.spec_from_file_location("mutations", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutations"] = module
    spec.loader.exec_module(module)
    return module


def test_no_mistake_of_a_manager_or_a_worker_gets_past_the_gates(mutations: Any) -> None:
    rows = [mutations.work(asked) for asked in mutations.sample(RUNS, SEED)]
    assert [row for row in rows if row.refused] == [], f"seed {SEED}"
    assert sum(bool(row.what) for row in rows) > RUNS // 2


@pytest.mark.parametrize(
    "run",
    [
        "sort-and-note/0/operator/skips",
        "same-mail-to-a-group/0/manager/skips",
        "only-this-in-the-cart/0/manager/alters",
        "onboard-as-usual/0/manager/stops",
        "request-the-cheapest/0/operator/skips",
    ],
)
def test_mistakes_that_once_got_past_do_not(mutations: Any, run: str) -> None:
    task, seed, role, mistake = run.split("/")
    row = mutations.work(mutations.Asked(task, int(seed), role, mistake))
    assert (row.status, bool(row.what)) == ("rejected", True)
