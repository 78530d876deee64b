"""What `ls` and `show` print of runs."""

import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.cli.common import LETTERS
from orchestrator.runs.folders import RunInfo, RunView
from orchestrator.store.printable import shortened
from orchestrator.views.listing import rows_table, run_page, runs_table, table


def page(**report: object) -> str:
    return run_page(RunView(report={"goal": "Save it", "run_id": "r1", "status": "rejected", "reason": "no", **report}, notes=[]))


def test_the_newest_run_is_listed_first(tmp_path: Path) -> None:
    for name, started in (("a", 200.0), ("b", 300.0), ("c", 100.0)):
        folder = tmp_path / name
        folder.mkdir()
        record = {"run_id": name, "goal": "x", "started": started, "settings": {}}
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    done = CliRunner().invoke(app, ["ls", "--json", "--runs-dir", str(tmp_path)])
    assert [run["run_id"] for run in json.loads(done.output)] == ["b", "a", "c"]


def test_a_line_has_what_the_run_was_and_came_to_and_null_where_nobody_knows(tmp_path: Path) -> None:
    settings = {"seed": 3, "world": "office", "policies": "configs/policies/llm-small.yaml", "environment": "simulated"}
    use = {"tokens_in": 900, "tokens_out": 100, "money": 0.25}
    report = {"status": "fulfilled", "counts": {"steps": 7}, "models": {"manager": use, "operator": use}, "wall_seconds": 2.5}
    runs: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "new": ({"settings": settings, "task_id": "claim"}, report | {"judge": {"passed": True, "clean": True}}),
        "dirty": ({"settings": settings}, report | {"judge": {"passed": True, "clean": False}}),
        "wrong": ({"settings": settings}, report | {"judge": {"passed": False, "clean": True}, "models": {}}),
        "page": ({"settings": settings | {"environment": "browser"}}, report),
        "old": ({"settings": {}}, {}),
        "strange": (
            {"settings": {"seed": [], "world": 1, "policies": True}, "task_id": 3},
            {"status": "x", "judge": [], "models": 5},
        ),
    }
    for name, (record, told) in runs.items():
        (tmp_path / name).mkdir()
        whole = {"run_id": name, "goal": "x", "started": 1.0, **record}
        (tmp_path / name / "run.json").write_text(json.dumps(whole), encoding="utf-8")
        (tmp_path / name / "report.json").write_text(json.dumps(told), encoding="utf-8")
    done = CliRunner().invoke(app, ["ls", "--json", "--runs-dir", str(tmp_path)])
    lines = {run["run_id"]: run for run in json.loads(done.output)}
    keys = ("task", "seed", "world", "preset", "judge", "tokens", "cost", "duration")
    assert [lines["new"][key] for key in keys] == ["claim", 3, "office", "llm-small", "passed", 2000, 0.5, 2.5]
    assert [lines[name]["judge"] for name in ("dirty", "wrong", "page")] == ["unclean", "failed", None]
    assert (lines["wrong"]["tokens"], lines["wrong"]["cost"], lines["page"]["world"]) == (0, 0.0, None)
    for name in ("old", "strange"):
        assert [lines[name][key] for key in keys] == [None] * len(keys)


def test_what_is_said_of_a_report_who_decided_which_pages_were_followed_and_the_answer_whole() -> None:
    first = {"role": "operator", "step": 1, "decided_by": "rules", "passed": ["llm: no usable answer: unknown element 7"]}
    second = {"role": "operator", "step": 2, "decided_by": "llm", "passed": []}
    told = page(decided_by=[first, second])
    assert "operator: rules 1, llm 1" in told
    assert "1 operator: rules, after llm: no usable answer: unknown element 7" in told
    assert "2 operator" not in told
    unused = [{"title": f"Page {n}", "source": f"help:{n}", "why": "it speaks of another application"} for n in range(9)]
    used = {"title": "Claims", "source": "help:claims", "used": True}
    told = page(knowledge=[*unused, used])
    assert "· Claims (help:claims) is followed" in told
    assert sum("Page " in line for line in told.splitlines()) == 1
    answer = "\n".join("word " * 60 + str(n) for n in range(3))
    told = page(answer=answer)
    assert all(line in told for line in answer.splitlines())


@pytest.mark.parametrize("text", ["x" * 160, "x" * 161, "w " * 80, "word " * 90, "e\u0301" * 200, "a" + "\u0301" * 300])
def test_what_is_shortened_is_no_longer_than_asked_and_says_where_it_was_cut(text: str) -> None:
    told = shortened(text)
    assert len(told) <= 160
    assert told.endswith("…") is (len(text) > 160)


RUN = RunInfo("20260302-090000-1f3a", "把金额复制到报销单里，然后提交 " * 4, "fulfilled", 1772442000.0, 12, False, "")


def test_wide_characters_count_two_the_name_is_never_cut_and_runs_fit_sixty_columns() -> None:
    lines = table([("20260302-090000-1f3a", "文件管理器"), ("b", "x")], 26).splitlines()
    assert lines[0].startswith("20260302-090000-1f3a  文")
    assert lines[0].endswith("…")
    assert cell_len(lines[0]) <= 28
    narrow, wide = runs_table([RUN], 60), runs_table([RUN])
    assert all(cell_len(line) <= 60 for line in narrow.splitlines())
    assert "20260302-090000-1f3a" in narrow
    assert "STARTED" not in narrow
    assert "STARTED" in wide


def test_a_row_is_made_of_data_and_hostile_text_is_one_line() -> None:
    row = {"a": ["x", 1], "b": None, "c": "\x1b[2J\n"}
    assert rows_table([row], "ABC", lambda one: [*one.values()]).splitlines() == ["A     B  C", "x, 1     �[2J⏎"]


def test_signs_stay_told_apart_where_letters_cannot_be_written() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors=LETTERS)
    stream.write("✓ done ✗ failed → 文")
    stream.flush()
    assert stream.buffer.getvalue() == b"+ done x failed -> ?"  # type: ignore[attr-defined]
