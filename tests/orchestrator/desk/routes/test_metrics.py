"""Metrics of a desk, read by Prometheus' own parser."""

from __future__ import annotations

import httpx
import pytest

pytest.importorskip("prometheus_client", reason='prometheus-client is not installed; pip install "deskcrew[serve]"')

from prometheus_client.parser import text_string_to_metric_families


def read(place) -> dict[tuple[str, str], float]:
    """By name and the value of the one label."""
    answer = place.by("view").get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {(s.name, next(iter(s.labels.values()), "")): s.value for family in families for s in family.samples}


def test_what_runs_come_to_is_counted_by_state_gate_and_use(serve, working) -> None:
    place = serve(metrics=True)
    assert read(place)["deskcrew_runs", "running"] == 0
    done, asks = working(), working("20260101-000000-0002")
    done.step(3)
    call = {"model": "m", "tokens_in": 700, "tokens_out": 50}
    done.journal.append("model_call", call, role="operator")
    for decision in ("gate_done", "gate_fail", "gate_done", "gate_of_a_stranger"):
        done.journal.append("gate", {"decision": decision, "reason": "", "evidence": [], "issues": []}, role="evaluator")
    done.journal.commit()
    done.end()
    asks.step()
    asks.ask()
    seen = read(place)
    assert (
        seen["deskcrew_runs", "fulfilled"] == seen["deskcrew_runs", "on_hold"] == seen["deskcrew_runs_waiting", "approval"] == 1
    )
    assert sum(value for (name, _), value in seen.items() if name == "deskcrew_runs") == 2
    assert (seen["deskcrew_steps_total", ""], seen["deskcrew_tokens_total", ""]) == (4, 750)
    gates = {label: value for (name, label), value in seen.items() if name == "deskcrew_gates_total"}
    assert gates == {"done": 2, "fail": 1, "continue": 0, "supplement": 0}
    rows = place.get("/api/runs")["runs"]
    assert seen["deskcrew_run_seconds_total", ""] == pytest.approx(sum(row["seconds"] for row in rows))


def test_nobody_reads_them_without_a_token_or_where_they_are_not_served(serve) -> None:
    place = serve(metrics=True)
    assert httpx.get(f"{place.address.base}/metrics", trust_env=False).status_code == 401
    asked = place.http.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert asked.headers["content-type"].startswith("application/openmetrics-text")
    assert asked.text.endswith("# EOF\n")
    assert serve().http.get("/metrics").status_code == 404
