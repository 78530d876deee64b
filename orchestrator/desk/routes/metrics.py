"""What a Prometheus server asks for: runs by state, who waits for a person, and what all runs used up so far."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, get_args

from fastapi import APIRouter, Header
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.responses import Response

from orchestrator.desk.auth import Viewer
from orchestrator.desk.desk import TheDesk
from orchestrator.desk.models import RunRow, WaitKind
from roles.contracts.signals import GATE_DECISIONS

router = APIRouter(include_in_schema=False)
STATES = ("running", "paused", "taken_over", "on_hold", "interrupted", "fulfilled", "rejected", "cancelled", "damaged")


class RunMetrics(Collector):
    """Counts go down only where a run is deleted, which a Prometheus server takes for a restart."""

    def __init__(self, rows: Sequence[RunRow]) -> None:
        self._rows = rows

    def collect(self) -> Iterator[Metric]:
        rows = self._rows
        runs = GaugeMetricFamily("deskcrew_runs", "Runs of the folder, by state.", labels=["state"])
        waiting = GaugeMetricFamily("deskcrew_runs_waiting", "Runs that wait for a person, by what for.", labels=["kind"])
        gates = CounterMetricFamily("deskcrew_gates", "Decisions of gates.", labels=["decision"])
        known: tuple[tuple[GaugeMetricFamily | CounterMetricFamily, Sequence[str], Counter[str]], ...] = (
            (runs, STATES, Counter(row.status for row in rows)),
            (waiting, get_args(WaitKind), Counter(row.waiting.kind for row in rows if row.waiting is not None)),
            (gates, GATE_DECISIONS, sum((Counter(row.gates) for row in rows), Counter())),
        )
        for family, labels, counts in known:
            for label in dict.fromkeys((*labels, *counts)):
                family.add_metric([label.removeprefix("gate_")], counts[label])
            yield family
        yield CounterMetricFamily("deskcrew_steps", "Actions.", value=sum(row.steps for row in rows))
        yield CounterMetricFamily("deskcrew_tokens", "Tokens of models, in and out.", value=sum(row.tokens for row in rows))
        yield CounterMetricFamily("deskcrew_run_seconds", "Start to last event.", value=sum(row.seconds for row in rows))


@router.get("/metrics")
def metrics(desk: TheDesk, visitor: Viewer, accept: Annotated[str, Header()] = "") -> Response:
    """In the format that is asked for: that of Prometheus, or OpenMetrics."""
    registry = CollectorRegistry()
    registry.register(RunMetrics(desk.watch.list.page("", "", sys.maxsize, "")[0]))
    encode, kind = choose_encoder(accept)
    return Response(encode(registry), headers={"Content-Type": kind})
