"""Settings as merged, and what is shipped, through a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.desk.auth import Tokens, person_of
from orchestrator.desk.desk import Desk
from orchestrator.desk.routes.start import settings


def rows(http: Any, **said: str) -> dict[str, tuple[Any, str]]:
    found = http.get("/api/settings", params=said)
    assert found.status_code == 200, found.text
    return {row["key"]: (row["value"], row["source"]) for row in found.json()["settings"]}


def test_each_setting_is_shown_with_where_it_was_set(serve: Any) -> None:
    http = serve().by("view")
    plain = rows(http)
    assert plain["policies"] == ("rules", plain["policies"][1])
    assert plain["policies"][1].partition(", line")[0].endswith("default.yaml")
    assert plain["limits.steps"][1] == "built in"
    with_task = rows(http, task="invoice-to-reimbursement")
    assert any("invoice-to-reimbursement" in source for _, source in with_task.values())
    assert rows(http, preset="rules")["policies"][0] == "rules"


def test_what_is_for_the_server_alone_is_not_shown(tmp_path: Path) -> None:
    config = tmp_path / "own.yaml"
    config.write_text("tools:\n- command: [notes-server]\n  env: {NOTES_KEY: sesame-opens}\n")
    desk = Desk(tmp_path / "runs", Tokens([person_of("vera", "view", "t")]), [config])
    try:
        shown = settings(desk, desk.tokens.known("t")).model_dump_json()  # type: ignore[arg-type]
    finally:
        desk.close()
    assert "notes-server" in shown
    assert "sesame-opens" not in shown


def test_tasks_worlds_and_presets_are_listed_and_an_unknown_one_is_a_sentence(serve: Any) -> None:
    http = serve().by("view")
    assert "invoice-to-reimbursement" in [one["name"] for one in http.get("/api/tasks").json()["tasks"]]
    presets = {one["name"]: one for one in http.get("/api/presets").json()["presets"]}
    assert presets["rules"]["policies"]["operator"] == "rules"
    for query in ({"preset": "../x"}, {"task": "/etc/passwd"}):
        assert http.get("/api/settings", params=query).status_code == 404
