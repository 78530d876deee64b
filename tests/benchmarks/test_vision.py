"""The benchmark of what is recognised from pixels, on two of its screens: it sees no worse than this."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("a benchmark")

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "vision.py"


def test_two_screens_are_recognised_at_least_so_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("vision_benchmark", SCRIPT)
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "vision_benchmark", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["vision.py", "--json", "--screens", "2"])
    module.main()
    found = json.loads(capsys.readouterr().out)
    assert (found["screens"], found["controls"]) == (2, 14)
    least = {"text recall": 0.9, "text precision": 0.9, "control recall, hit": 0.85, "control precision, hit": 0.85, "role": 0.85}
    assert {name: found[name] for name in least if found[name] < least[name]} == {}
    assert found["label"] >= 0.85
    assert all(screen["app"] and screen["modal"] for screen in found["each"].values())
