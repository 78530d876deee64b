"""The benchmark of gates and replanning, on a small sample: it shows what they buy, and goes on where it was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.slow("a benchmark")


def test_gates_stop_what_is_not_so_and_replanning_puts_it_right(
    tmp_path: Path, measured: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        measured("ablation", "--json", "--arms", "wishes")
    assert "there is no 'wishes'; there are gates and replanning" in capsys.readouterr().err
    rows, picture = tmp_path / "rows.jsonl", tmp_path / "bars.svg"
    sample = ["--tasks", "mail-the-total,invoice-to-reimbursement", "--troubles", "worker:0.1"]
    told = measured("ablation", "--json", *sample, "--rows", str(rows), "--picture", str(picture))
    whole, gates, _, neither = told["cells"]
    assert [cell["crew"] for cell in told["cells"]] == ["gates and replanning", "gates only", "replanning only", "neither"]
    assert whole["right"] > max(gates["right"], neither["right"])
    assert neither["false_complete"] > 0 == whole["false_complete"] == gates["false_complete"]
    assert gates["plans"] == 1.0 < whole["plans"]
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")

    lines = rows.read_text(encoding="utf-8").splitlines()
    rows.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20] + "\n", encoding="utf-8")
    again = measured("ablation", "--json", *sample, "--rows", str(rows))
    assert again["cells"][:3] == told["cells"][:3]
    assert len(rows.read_text(encoding="utf-8").splitlines()) == len(lines) + 1, "only the row that was cut short is worked again"


def test_things_go_wrong_at_the_same_places_in_every_measurement(measured: Any) -> None:
    sample = ["--tasks", "note-into-a-file", "--troubles", "surface:0.5", "--arms", "gates and replanning"]
    first, second = measured("ablation", "--json", *sample), measured("ablation", "--json", *sample)
    assert first["cells"][0]["struck"] > 0
    compared = [{**told["rows"][0], "seconds": 0} for told in (first, second)]
    assert compared[0] == compared[1]
