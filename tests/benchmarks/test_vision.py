"""The benchmark of what is recognised from pixels, on two of its screens: it sees no worse than this."""

from typing import Any

import pytest

pytestmark = pytest.mark.slow("a benchmark")

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")


def test_two_screens_are_recognised_at_least_so_well(measured: Any) -> None:
    found = measured("vision", "--json", "--screens", "2")
    assert (found["screens"], found["controls"]) == (2, 14)
    least = {"text recall": 0.9, "text precision": 0.9, "control recall, hit": 0.85, "control precision, hit": 0.85, "role": 0.85}
    assert {name: found[name] for name in least if found[name] < least[name]} == {}
    assert found["label"] >= 0.85
    assert all(screen["app"] and screen["modal"] for screen in found["each"].values())
