"""Other limits for a run that goes on: a budget that is spent is raised, and nothing else of the run is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.documents import Document, checked
from orchestrator.errors import UsageProblem
from orchestrator.layers import Layer, Merged, override_layer
from orchestrator.settings import Settings
from roles.limits import Limits


class Raised(NamedTuple):
    """`run.json` as it is from now on, and each limit that is otherwise: what it was, and what it is."""

    record: dict[str, Any]
    changed: dict[str, tuple[Any, Any]]


def raised(record: Mapping[str, Any], overrides: Sequence[str]) -> Raised:
    """The record with the limits that `overrides` (`limits.steps=240`) name. Raises UsageProblem for anything else."""
    merged = Merged()
    merged.add(Layer({"limits": dict(record["settings"].get("limits", {}))}, Document({}, {}, f"run {record['run_id']}"), Path()))
    for text in overrides:
        layer = override_layer(text)
        if set(layer.data) != {"limits"}:
            raise UsageProblem(
                f"command line: -c {text}: only limits can be changed when a run goes on; another run that changes more "
                f"starts from a step of this one with: deskcrew fork {record['run_id']} --at STEP -c {text}"
            )
        merged.add(layer)
    now = checked(Settings, merged.data, merged.where).limits.model_dump(mode="json")
    was = Limits.model_validate(record["settings"].get("limits", {})).model_dump(mode="json")
    changed = {key: (was[key], now[key]) for key in now if now[key] != was[key]}
    return Raised({**record, "settings": {**record["settings"], "limits": now}}, changed)


def finished(run_id: str, report: Mapping[str, Any]) -> UsageProblem:
    """What is said when a run that has ended is to go on: only one that spent a budget can, with more of it."""
    if report.get("ended_by") != "budget_spent":
        return UsageProblem(f"Run {run_id} is finished; see it with: deskcrew show {run_id}")
    more = (report.get("budget_spent") or {}).get("more", "limits.KEY=MORE")
    return UsageProblem(f"Run {run_id} is finished: {_short(report)}. Go on with more: deskcrew resume {run_id} -c {more}")


def _short(report: Mapping[str, Any]) -> str:
    return str(report.get("reason", "a budget is spent")).partition("; go on with")[0]
