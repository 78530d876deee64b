"""What can be looked at: the list, a run as the viewer has it, and what stands behind its lines."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worked.model_runs import ROLES, worked_by_model

from orchestrator.desk.live import PARTS, WatchedRun
from orchestrator.runs.handle import LocalRuns
from orchestrator.store.salvage import salvage
from orchestrator.views.page.data import Pool, chunks
from orchestrator.views.page.run_data import PARTS as SHOWN
from orchestrator.views.page.run_data import read_whole
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault


def as_viewed(folder: Path) -> tuple[dict[str, Any], list[Any]]:
    """A run as `deskcrew view` has it: data and details, as JSON."""
    run = read_whole(str(folder), folder.parent)
    lines = run.heard.lines
    for _ in chunks(Pool(lines.items, lines.targets), run.journal.screens()):
        pass
    data = {part: run.part(part) for part in SHOWN} | {"items": lines.items}
    told: tuple[dict[str, Any], list[Any]] = json.loads(json.dumps([data, lines.details]))
    return told[0], told[1]


def all_items(place: Any, run: str, limit: int) -> list[Any]:
    """The lines of a run, put together from pages as a viewer does it."""
    items: list[Any] = []
    cursor: float = 0
    while True:
        page = place.get(f"/api/runs/{run}/items?after={cursor}&limit={limit}")
        items[page["from"] :] = page["items"]
        cursor = page["cursor"]
        if not page["more"]:
            return items


@pytest.mark.parametrize("limit", [1, 7, 500])
def test_a_run_that_ended_is_told_as_the_viewer_tells_it(shared, limit) -> None:
    place, runs = shared
    data, details = as_viewed(place.desk.runs_dir / runs["done"])
    told = place.get(f"/api/runs/{runs['done']}")
    for part in SHOWN:
        assert told[part] == data[part], part
    assert all_items(place, runs["done"], limit) == data["items"]
    ids, page = [], {"cursor": 0, "more": True}
    while page["more"]:
        page = place.get(f"/api/runs/{runs['done']}/events?after={page['cursor']}&limit={limit * 9}")
        ids += [event["id"] for event in page["events"]]
    written = salvage(place.desk.runs_dir / runs["done"] / "journal.sqlite").events
    assert ids == [event.id for event in written], "every event once"
    assert place.get(f"/api/runs/{runs['done']}/details?from=0&limit=500")["details"] == details
    assert place.get(f"/api/runs/{runs['done']}/details/2") == details[2]


def test_a_run_that_waits_says_for_what_and_where_it_would_be_done(shared) -> None:
    place, runs = shared
    told = place.get(f"/api/runs/{runs['waiting']}")
    assert told["standing"] | {"reason": ""} == {"state": "on_hold", "reason": "", "ended": False, "who_works": ""}
    pending = told["pending"]
    assert pending["action_requests"][0]["description"] == 'click "Submit"'
    assert pending["options"] == pending["review_configs"][0]["allowed_decisions"]
    assert "approve" in pending["options"]
    screen = place.get(f"/api/runs/{runs['waiting']}/screens/{pending['state_id']}/elements")
    assert [*pending["target_box"]] in [element[:4] for element in screen["elements"] if element[5] == "Submit"]
    board = f"/api/runs/{runs['waiting']}/blackboard"
    assert (place.get(board)["facts"] != [], place.get(f"{board}?at=0")["facts"]) == (True, [])
    assert told["budgets"]["limits.steps"]["used"] > 0, "of a run that has not ended they are counted from its journal"


def test_the_list_is_newest_first_and_can_be_narrowed_and_paged(serve, working) -> None:
    place = serve()
    for number in range(5):
        run = working(f"20260101-00000{number}-aaaa", goal=f"Pay invoice {number} of <Ada>", started=1000.0 + number)
        run.step(number)
        if number == 3:
            run.end()
    working("20260101-000009-bbbb", goal="Write a note", started=900.0, task_id="note-task").ask()

    def ids(query: str) -> list[str]:
        return [run["id"] for run in place.get(f"/api/runs?{query}")["runs"]]

    newest = [f"20260101-00000{number}-aaaa" for number in (4, 3, 2, 1, 0)]
    assert ids("") == [*newest, "20260101-000009-bbbb"]
    assert ids("query=invoice+ada") == newest
    assert ids("query=NOTE-task") == ["20260101-000009-bbbb"]
    assert ids("status=fulfilled") == [newest[1]]
    assert ids("status=waiting") == ["20260101-000009-bbbb"]
    assert ids("status=stopped") == [newest[0], *newest[2:]]
    first = place.get("/api/runs?limit=4")
    assert first["next"] == first["runs"][-1]["id"]
    second = place.get(f"/api/runs?limit=4&before={first['next']}")
    assert [run["id"] for run in first["runs"] + second["runs"]] == ids("")
    assert second["next"] == ""
    assert [run["steps"] for run in first["runs"]] == [4, 3, 2, 1]


def test_what_a_run_at_work_uses_is_counted_on_and_what_becomes_private_is_sealed_where_it_was_told(serve, working) -> None:
    place, run = serve(), working()
    for calls in (1, 2, 3):
        run.journal.append("model_call", {"tokens_in": 100, "tokens_out": 10, "model": "m"}, role="operator")
        run.step(line="type hunter22 into the field")
        row = place.get("/api/runs")["runs"][0]
        assert (row["tokens"], row["steps"]) == (110 * calls, calls)
    assert place.get(f"/api/runs/{run.id}")["roles"]["operator"]["tokens_in"] == 300
    assert "hunter22" in place.http.get(f"/api/runs/{run.id}/items").text
    Vault(run.folder / VAULT).keep("hunter22", "password")
    for path in ("", "/items", "/details", "/events"):
        assert "hunter22" not in place.http.get(f"/api/runs/{run.id}{path}").text, path
    assert "<secret>password</secret>" in place.http.get(f"/api/runs/{run.id}/items").text


def test_pictures_and_screens_are_given_by_the_id_of_the_screen(shared) -> None:
    place, runs = shared
    run = runs["done"]
    with_screen = next(item for item in all_items(place, run, 500) if item[0] == "step")
    state = with_screen[11]
    answer = place.http.get(f"/api/runs/{run}/screens/{state}")
    folder = place.desk.runs_dir / run
    assert answer.headers["content-type"] == "image/png"
    assert answer.content == read_whole(str(folder), folder.parent).journal.pictures()[state].read_bytes()
    screen = place.get(f"/api/runs/{run}/screens/{state}/elements")
    assert screen["picture"] is True
    assert any(element[:4] == with_screen[13] for element in screen["elements"]), "its box is drawn"
    assert place.http.get(f"/api/runs/{run}/screens/none").status_code == 404
    assert place.http.get(f"/api/runs/{run}/screens/none/elements").status_code == 404
    assert place.get(f"/api/runs/{runs['waiting']}/screens/{state}/elements")["picture"] is False, "there none were kept"


def test_a_run_is_read_once_more_only_for_a_value_that_it_says_and_what_was_sealed_stays_so(working) -> None:
    run = working()
    run.step(3, line='fill "Card" with "4929 1123 5813"', reasoning='the "name" is Zoë\nO\'Neil')
    watched = WatchedRun(run.folder)
    watched.look()
    vault, first = Vault(run.folder / VAULT), watched.heard
    vault.keep("correct horse", "password")
    watched.look()
    assert watched.heard is first, "nothing that was read says it"
    for value, name in (("4929112358 13", "card"), ("Zoë\nO'Neil", "name")):  # written otherwise, and as JSON writes it
        before = watched.heard
        vault.keep(value, name)
        watched.look()
        assert watched.heard is not before, name
    told = json.dumps([watched.after(0).items, watched.details(0, 100)], ensure_ascii=False)
    assert "4929" not in told
    assert "O'Neil" not in told
    vault.empty()  # the run has ended
    run.step()
    watched.look()
    assert "4929" not in json.dumps([watched.after(0).items, list(watched.all_events())], ensure_ascii=False)
    watched.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 160), max_size=8), most=st.integers(1, 40))
def test_however_a_journal_comes_in_the_lines_are_the_same(shared, tmp_path_factory, cuts, most) -> None:
    """Written in pieces, and asked for in pages of any size: in the end everybody has the same."""
    place, runs = shared
    whole = place.desk.runs_dir / runs["done"]
    folder = tmp_path_factory.mktemp("cut") / runs["done"]
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("*.sqlite*", "screens"))
    last = _copy_upto(whole, folder, 0)
    run = WatchedRun(folder)
    items: list[Any] = []
    cursor: float = 0
    for cut in [*sorted(cuts), last]:
        _copy_upto(whole, folder, min(cut, last))
        run.look()
        while True:
            page = run.after(cursor, most)
            items[page.start :] = page.items
            cursor = page.cursor
            if not page.more:
                break
    assert items == place.desk.watch.run(whole).after(0, 10_000).items
    assert {name: run.part(name) for name in PARTS} | {"head": 0} == place.desk.watch.run(whole).whole() | {"head": 0}
    run.close()


def _copy_upto(whole: Path, folder: Path, number: int) -> int:
    """The journal as it was when that event was its last; gives the id of the very last event."""
    part = folder / "journal.sqlite"
    with sqlite3.connect(whole / "journal.sqlite") as source:
        last: int = source.execute("SELECT max(id) FROM events").fetchone()[0]
        if not part.exists():
            with sqlite3.connect(part) as empty:
                source.backup(empty)
                empty.execute("DELETE FROM events")
            empty.close()
        rows = source.execute("SELECT * FROM events WHERE id <= ?", (number,)).fetchall()
    source.close()
    with sqlite3.connect(part) as target:
        target.executemany("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    target.close()
    return last


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory):
    outcome = worked_by_model(tmp_path_factory.mktemp("runs"))
    assert outcome.status == "fulfilled", outcome.reason
    return outcome


def test_every_call_is_given_as_show_tells_it_and_a_part_or_a_name_that_there_is_not_is_refused(serve, good) -> None:
    place = serve(good.folder.parent)
    calls = place.get(f"/api/runs/{good.run_id}/prompts")["calls"]
    assert calls == json.loads(json.dumps(LocalRuns(good.folder.parent).run(good.run_id).prompts()))
    assert {call["role"] for call in calls} == set(ROLES)
    assert all(call["messages"][0]["parts"] and call["reply"] for call in calls)
    step = max(call["step"] for call in calls)
    own = place.get(f"/api/runs/{good.run_id}/prompts?step={step}")["calls"]
    assert own == [call for call in calls if call["step"] == step] != []
    assert place.get(f"/api/runs/{good.run_id}/prompts?step=9999")["calls"] == []
    missing = place.http.get(f"/api/runs/{good.run_id}/parts/{'0' * 32}")
    assert (missing.status_code, missing.json()["error"]) == (404, f"Run {good.run_id} has no part {'0' * 32}.")
    for name in ("run.json", "A" * 32, "0" * 31, "' OR 1=1 --"):
        assert place.http.get(f"/api/runs/{good.run_id}/parts/{name}").status_code == 422
    for step in ("-1", "x", str(2**53)):
        assert place.http.get(f"/api/runs/{good.run_id}/prompts?step={step}").status_code == 422
    for path in ("prompts", f"parts/{'0' * 32}"):
        assert place.http.get(f"/api/runs/20260101-000000-0000/{path}").status_code == 404


def test_what_became_private_later_and_what_is_damaged_are_given_to_nobody(serve, tmp_path) -> None:
    outcome = worked_by_model(tmp_path / "runs")
    place = serve(tmp_path / "runs")
    path = f"/api/runs/{outcome.run_id}/prompts"
    before = json.dumps(place.get(path))
    private = "Billing"
    assert private in before
    Vault(outcome.folder / VAULT).keep(private, "application")
    calls = place.get(path)["calls"]
    assert private not in json.dumps(calls)
    name = calls[0]["messages"][0]["parts"][0]["name"]
    assert private not in json.dumps(place.get(f"/api/runs/{outcome.run_id}/parts/{name}"))
    with closing(sqlite3.connect(outcome.folder / "journal.sqlite")) as db, db:
        db.execute("UPDATE parts SET body = ? WHERE name = ?", (b"no zlib", name))
    assert place.http.get(f"/api/runs/{outcome.run_id}/parts/{name}").status_code == 404
    assert place.get(path)["calls"][0]["messages"][0]["parts"][0]["text"] is None
