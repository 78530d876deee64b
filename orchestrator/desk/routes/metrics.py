"""What a Prometheus server asks for: runs by state, who waits for a person, and what all runs used up so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, get_args

from fastapi import APIRouter, Header
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.responses import Response

from orchestrator.desk.auth import Viewer
from orchestrator.desk.desk import TheDesk
from orchestrator.desk.live.list import Totals
from orchestrator.desk.models import WaitKind
from roles.contracts.signals import GATE_DECISIONS

router = APIRouter(include_in_schema=False)
STATES = ("running", "paused", "taken_over", "on_hold", "interrupted", "fulfilled", "rejected", "cancelled", "damaged")


class RunMetrics(Collector):
    """Counts go down only where a run is deleted, which a Prometheus server takes for a restart."""

    def __init__(self, totals: Totals) -> None:
        self._totals = totals

    def collect(self) -> Iterator[Metric]:
        runs = GaugeMetricFamily("deskcrew_runs", "Runs of the folder, by state.", labels=["state"])
        for state in dict.fromkeys((*STATES, *self._totals.states)):
            runs.add_metric([state], self._totals.states[state])
        waiting = GaugeMetricFamily("deskcrew_runs_waiting", "Runs that wait for a person, by what for.", labels=["kind"])
        for kind in get_args(WaitKind):
            waiting.add_metric([kind], self._totals.waiting[kind])
        gates = CounterMetricFamily("deskcrew_gates", "Decisions of gates.", labels=["decision"])
        for decision in GATE_DECISIONS:
            gates.add_metric([decision.removeprefix("gate_")], self._totals.gates[decision])
        yield from (runs, waiting, gates)
        yield CounterMetricFamily("deskcrew_steps", "Actions.", value=self._totals.steps)
        yield CounterMetricFamily("deskcrew_tokens", "Tokens of models, in and out.", value=self._totals.tokens)
        yield CounterMetricFamily(
            "deskcrew_run_seconds", "Start of each run to its last event.", value=self._totals.seconds
        )


@router.get("/metrics")
def metrics(desk: TheDesk, visitor: Viewer, accept: Annotated[str, Header()] = "") -> Response:
    """In the format that is asked for: that of Prometheus, or OpenMetrics."""
    registry = CollectorRegistry()
    registry.register(RunMetrics(desk.watch.list.totals()))
    encode, kind = choose_encoder(accept)
    return Response(encode(registry), headers={"Content-Type": kind})
