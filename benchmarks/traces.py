#!/usr/bin/env python3
"""What a trace costs: of the CPU of whole runs, the share that is spent on OpenTelemetry's spans and on sending them.

    benchmarks/traces.py             each tenth shipped task, sent by OTLP over HTTP to a collector in another process
    benchmarks/traces.py --every 5   more of them

Both are CPU seconds of the same threads in the same runs (`time.thread_time` around what hears the events and around the export,
`time.process_time` around the run), so that neither another user of the machine nor its speed is in the ratio. Importing
OpenTelemetry happens once in a process and is told apart.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from orchestrator.lab.suite.suite import EpisodeSpec, outcome_of
from orchestrator.settings.layers import shipped_names


class Collector(BaseHTTPRequestHandler):
    """Takes what it is sent."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def collecting(told: Connection) -> None:
    server = HTTPServer(("127.0.0.1", 0), Collector)
    told.send(server.server_port)
    server.serve_forever()


def timed(spent: Counter[str], owner: Any, name: str, word: str) -> None:
    """Add the CPU of the thread that calls a method to `spent[word]`, and count what it is given."""
    inner: Callable[..., Any] = getattr(owner, name)

    @functools.wraps(inner)
    def outer(self: Any, *given: Any, **more: Any) -> Any:
        began = time.thread_time()
        try:
            return inner(self, *given, **more)
        finally:
            spent[word] += time.thread_time() - began  # type: ignore[assignment]
            spent[f"{word} spans"] += len(given[0]) if word == "sent" else 0

    setattr(owner, name, outer)


def measured(every: int) -> dict[str, float]:
    """Seconds of CPU, and how many spans there were."""
    began = time.process_time()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    from orchestrator.runs.traces import RunTrace

    importing = time.process_time() - began
    spent: Counter[str] = Counter()
    tasks = shipped_names("tasks")[::every]
    with tempfile.TemporaryDirectory() as scratch:

        def run(name: str) -> None:
            spec = EpisodeSpec(configuration="one", task=name, seed=3, settings=("traces=otel",))
            outcome_of(spec, Path(scratch) / name)

        run(tasks[0])  # what is imported and compiled at first use is no cost of a run
        for name in ("__init__", "_take", "close"):
            timed(spent, RunTrace, name, "heard")
        timed(spent, OTLPSpanExporter, "export", "sent")
        began = time.process_time()
        for name in tasks[1:]:
            run(name)
        whole = time.process_time() - began
    share = (spent["heard"] + spent["sent"]) / whole
    return {"runs": len(tasks) - 1, "spans": spent["sent spans"], "cpu_s": whole, "heard_s": spent["heard"],
            "sent_s": spent["sent"], "share": share, "importing_s": importing}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=10, metavar="N", help="only each Nth task")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=collecting, args=(theirs,), daemon=True)
    process.start()
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = f"http://127.0.0.1:{ours.recv()}"
    found = measured(asked.every)
    process.terminate()
    if asked.json:
        print(json.dumps(found))
        return
    text = (
        "{runs} runs, {spans} spans, {cpu_s:.2f} s of CPU; hearing took {heard_s:.3f} s and sending {sent_s:.3f} s: {share:.2%}"
    )
    print(text.format(**found))
    print("importing, once in a process: {importing_s:.2f} s".format(**found))


if __name__ == "__main__":
    main()
