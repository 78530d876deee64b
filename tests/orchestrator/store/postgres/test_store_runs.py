"""Runs in a PostgreSQL that is killed, restarted, shared and asked for by several processes: everything is done once."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from services.postgres import MISSING, Server, programs, running
from warm import python
from worked import runs as worked_runs
from worked.runs import approve, claims
from written.canaries import found_in

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.crew import Crew
from orchestrator.errors import StoreTaken, UsageProblem
from orchestrator.runs import runs
from orchestrator.settings.settings import LoadedSettings, load_settings
from orchestrator.store.postgres.connection import Link
from orchestrator.store.postgres.rows import PostgresRows
from orchestrator.store.postgres.runs import SharedRuns, shared_runs
from orchestrator.store.salvage import salvage
from protocol import ActionResult, ActionTarget, Click, ExecStatus
from roles.journal.journal import Journal

ROOT = Path(__file__).parents[4]
GOAL = 'In the reimbursement form, enter "$12.50" as the amount and submit the form'
PASSWORD = "canary-s3cret"
SAVE = Click(target=ActionTarget(text="Save"))
DONE = ActionResult(exec_status=ExecStatus.EXECUTED)
_DIES = """
import os, signal, sys
from orchestrator.runs import runs
from orchestrator.runs.folders import list_runs
from orchestrator.settings.settings import load_settings
left = int(sys.argv[3])
def heard(event):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
settings = load_settings(overrides=[f"runs_dir={sys.argv[1]}", f"store={sys.argv[2]}"])
approve = lambda request: {"decisions": [{"type": "approve"}]}
there = list_runs(settings.settings.runs_dir)
if there:
    runs.resume(there[0].run_id, runs_dir=settings.settings.runs_dir, listener=heard, approver=approve)
else:
    runs.start(settings, sys.argv[4], listener=heard, approver=approve)
"""


def with_password(server: Server) -> str:
    """The address with a password in it, which this server does not ask for."""
    return server.address.replace("postgresql:///", f"postgresql://deskcrew:{PASSWORD}@/").replace("&user=deskcrew", "")


def told(server: Server, runs_dir: Path) -> LoadedSettings:
    return load_settings(overrides=[f"runs_dir={json.dumps(str(runs_dir))}", f"store={with_password(server)}", "display=none"])


def deskcrew(*words: str | Path) -> tuple[int, str]:
    """The command, which never tells the password."""
    code, said = worked_runs.deskcrew(*words)
    assert PASSWORD not in said
    return code, said


def claimed(folder: Path) -> int:
    """How many claims of that amount there are."""
    return sum(claim["amount"] == "12.50" for claim in claims(folder))


def whole(folder: Path) -> None:
    """The journal has every event once, in order, and the world every effect."""
    events = salvage(folder / "journal.sqlite").events
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    steps = Counter(event.step for event in events if event.kind == "step")
    assert set(steps.values()) == {1}
    assert sorted(steps) == list(range(1, max(steps) + 1))
    assert claimed(folder) == 1


@pytest.fixture(scope="module")
def tables(postgres: Server) -> None:
    """Makes the tables, for a test that writes into them itself."""
    SharedRuns(postgres.address).close()


@pytest.fixture(scope="module")
def undisturbed(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run from beginning to end, and how many events it has."""
    heard: list[Any] = []
    outcome = runs.start(told(postgres, tmp_path_factory.mktemp("runs")), GOAL, listener=heard.append, approver=approve)
    assert outcome.exit_code == 0, outcome.reason
    return outcome.folder, len(heard)


# --- where things are


def test_a_run_is_worked_answered_and_finished_with_its_journal_in_the_store(postgres: Server, tmp_path: Path) -> None:
    place = ("--runs-dir", tmp_path)
    code, _ = deskcrew("run", GOAL, "-c", f"store={with_password(postgres)}", "--display", "none", *place)
    assert code == 3
    folder = next(tmp_path.iterdir())
    assert {"journal.sqlite", "checkpoints.sqlite"}.isdisjoint(file.name for file in folder.iterdir())
    code, said = deskcrew("resume", folder.name, "--approve", "--display", "none", *place)
    assert code == 0, said
    whole(folder)
    assert "fulfilled" in deskcrew("show", folder.name, *place)[1]
    assert PASSWORD.encode() not in b"".join(file.read_bytes() for file in folder.iterdir())


def test_the_runs_of_a_store_are_listed_and_shown_from_another_machine(
    postgres: Server, undisturbed: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = undisturbed
    code, said = deskcrew("ls", "--json", "--store", with_password(postgres))
    assert code == 0
    assert [(run["status"], run["goal"]) for run in json.loads(said) if run["run_id"] == folder.name] == [("fulfilled", GOAL)]
    monkeypatch.setenv("DESKCREW_STORE", with_password(postgres))
    code, said = deskcrew("show", folder.name[-8:], "--runs-dir", tmp_path)
    assert code == 0
    assert f"in {folder}" in said
    assert "status  fulfilled" in said
    assert deskcrew("show", "nowhere")[0] == 2


def test_a_run_goes_on_elsewhere_only_with_its_environment(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = told(postgres, tmp_path / "here")
    waiting = runs.start(settings, GOAL)
    assert waiting.exit_code == 3
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    address, name = with_password(postgres), waiting.run_id
    code, said = deskcrew("resume", name, "--approve", "--display", "none", "--store", address, "--runs-dir", tmp_path / "there")
    assert code == 2
    assert f"in {waiting.folder}" in said.replace("\n", "")
    assert not (tmp_path / "there").exists()
    moved = tmp_path / "reachable"
    (tmp_path / "here").rename(moved)
    code, said = deskcrew("resume", name, "--approve", "--display", "none", "--store", address, "--runs-dir", moved)
    assert code == 0, said
    whole(moved / name)


def test_a_run_whose_environment_is_given_goes_on_anywhere(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = SimulatedDesktop(load_world("office"), 0, tmp_path)
    waiting = Crew(told(postgres, tmp_path / "here"), environment=desktop).run(GOAL)
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    outcome = Crew(told(postgres, tmp_path / "there"), environment=desktop).resume(waiting.run_id, approver=approve)
    assert outcome.exit_code == 0, outcome.reason
    assert outcome.folder == tmp_path / "there" / waiting.run_id
    claims = desktop.world()["apps"]["reimbursement"]["claims"].values()
    assert sum(claim["amount"] == "12.50" for claim in claims) == 1
    desktop.close()


@pytest.mark.usefixtures("tables")
def test_a_run_that_cannot_start_leaves_nothing_in_the_store(postgres: Server, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem):
        runs.start(load_settings(overrides=[f"runs_dir={tmp_path}", f"store={postgres.address}", "environment=browser"]), GOAL)
    assert not list(tmp_path.iterdir())
    with psycopg.connect(postgres.address) as link:
        begun = {name for (name,) in link.execute("SELECT run FROM deskcrew.workers WHERE run LIKE '20%'").fetchall()}
        assert begun <= {name for (name,) in link.execute("SELECT run FROM deskcrew.runs").fetchall()}


def test_a_run_of_the_store_is_replayed_and_forked(postgres: Server, undisturbed: tuple[Path, int]) -> None:
    folder, _ = undisturbed
    code, said = deskcrew("replay", folder.name, "--runs-dir", folder.parent)
    assert (code, "nothing differs" in said) == (0, True), said
    code, said = deskcrew("fork", folder.name, "--at", "1", "--display", "none", "--runs-dir", folder.parent)
    assert code == 3, said
    made = next(path for path in folder.parent.iterdir() if path != folder)
    assert (made / "journal.sqlite").exists()


@pytest.mark.parametrize("early", [True, False])
def test_no_private_value_is_in_the_store_once_a_run_has_ended(early: bool, postgres: Server, tmp_path: Path) -> None:
    """Known from the beginning, or recognised only when it is typed."""
    page = {"title": "Safe", "blocks": [{"form": {"fields": [{"label": "Word", "kind": "password"}], "button": "Go"}}]}
    sites = {"safe": {"title": "Safe", "pages": {"/": page}}}
    world = tmp_path / "safe.yaml"
    world.write_text(
        json.dumps({"name": "safe", "apps": {"browser": {"home": "safe/", "sites": sites}, "notes": {}}, "open": ["notes"]})
    )
    word = f"Quagmire Nine {early}"
    settings = told(postgres, tmp_path / "runs").settings.model_copy(update={"world": str(world)})
    goal = 'In the browser, type "{word}" into the field "Word" and save'
    outcome = runs.start(
        LoadedSettings(settings, {}),
        goal if early else goal.replace("{word}", word),
        approver=approve,
        parts={"secrets": {"word": word}} if early else None,
    )
    assert outcome.status == "fulfilled", outcome.reason
    with psycopg.connect(postgres.address) as link, closing(sqlite3.connect(tmp_path / "dump.sqlite")) as dump:
        tables = [name for (name,) in link.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'deskcrew'").fetchall()]
        for table in tables:
            rows = link.execute(f"SELECT * FROM deskcrew.{table}").fetchall()
            width = len(link.execute(f"SELECT * FROM deskcrew.{table} LIMIT 0").description or ())
            dump.execute(f"CREATE TABLE {table} ({', '.join(f'c{n}' for n in range(width))})")
            plain = [[cell if isinstance(cell, bytes) else str(cell) for cell in row] for row in rows]
            dump.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", plain)
        dump.commit()
    assert found_in(tmp_path, [word]) == []


HOSTILE: dict[str, dict[str, Any]] = {
    "no record": {"record": "null"},
    "no JSON": {"record": "{"},
    "deep": {"record": "[" * 100_000},
    "another kind": {"record": json.dumps({"run_id": 5, "goal": [], "settings": 1})},
    "a report that is none": {"report": json.dumps({"status": [], "counts": 7})},
    "signs of a terminal": {"host": "\x1b[2Jhost", "folder": "/\x1b]0;x\x07"},
}


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("what", HOSTILE)
def test_what_a_stranger_wrote_into_the_store_is_shown_as_data_or_refused(what: str, postgres: Server, tmp_path: Path) -> None:
    name = f"20200101-000000-{what.replace(' ', '_')}"
    good = {"run_id": name, "goal": "g", "settings": {"store": postgres.address}, "started": 1.0}
    row = {"run": name, "host": "h", "folder": "/f", "record": json.dumps(good), "report": None} | HOSTILE[what]
    with psycopg.connect(postgres.address) as link:
        link.execute("INSERT INTO deskcrew.runs VALUES (%(run)s, %(host)s, %(folder)s, %(record)s, %(report)s)", row)
    try:
        code, said = deskcrew("ls", "--store", postgres.address)
        assert code == 0
        assert name in said
        for command in ("show", "resume"):
            code, said = deskcrew(command, name, "--store", postgres.address, "--runs-dir", tmp_path)
            assert code in (0, 2)
            assert "\x1b" not in said
        assert not list(tmp_path.iterdir())
    finally:
        with psycopg.connect(postgres.address) as link:
            link.execute("DELETE FROM deskcrew.runs WHERE run = %s", (name,))


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("name", ["../elsewhere", "..", "/etc", "a/b", "a\nb"])
def test_a_name_out_of_the_store_leads_into_no_other_folder(name: str, postgres: Server, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "run.json").write_text(json.dumps({"run_id": name, "goal": "g", "settings": {}}))
    record = json.dumps({"run_id": name, "goal": "g", "settings": {}})
    row = (name, socket.gethostname(), str(tmp_path / "elsewhere"), record)
    with psycopg.connect(postgres.address) as link:
        link.execute("INSERT INTO deskcrew.runs VALUES (%s, %s, %s, %s)", row)
    try:
        with pytest.raises(UsageProblem, match="is not the name of a run"):
            runs.resume(name, runs_dir=tmp_path / "runs", store=postgres.address, parts={"environment": object()})
        assert not (tmp_path / "runs").exists()
    finally:
        with psycopg.connect(postgres.address) as link:
            link.execute("DELETE FROM deskcrew.runs WHERE run = %s", (name,))


@pytest.mark.usefixtures("tables")
def test_a_folder_that_the_store_names_is_gone_into_only_if_it_is_the_runs_own(postgres: Server, tmp_path: Path) -> None:
    name = "20200101-000000-dead"
    other = tmp_path / name
    other.mkdir()
    (other / "run.json").write_text(json.dumps({"run_id": "another", "goal": "g", "settings": {}}))
    record = json.dumps({"run_id": name, "goal": "g", "settings": {}})
    with psycopg.connect(postgres.address) as link:
        link.execute("INSERT INTO deskcrew.runs VALUES (%s, %s, %s, %s)", (name, socket.gethostname(), str(other), record))
    with pytest.raises(UsageProblem, match="what its environment is made of is on"):
        runs.resume(name, runs_dir=tmp_path / "runs", store=postgres.address)


# --- killed, and a server that goes away


def test_killed_at_work_and_again_on_its_way_back_a_run_goes_on(
    postgres: Server, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    _, events = undisturbed
    for fatal in (events // 2, 6):
        killed = python("-c", _DIES, tmp_path, postgres.address, str(fatal), GOAL)
        assert killed.returncode == -signal.SIGKILL
    folder = next(tmp_path.iterdir())
    outcome = runs.resume(folder.name, runs_dir=tmp_path, approver=approve)
    assert outcome.exit_code == 0, outcome.reason
    whole(folder)


@pytest.fixture(scope="module")
def shaky() -> Any:
    """A server of its own, to be stopped."""
    if not programs():
        pytest.skip(MISSING)
    with running() as server:
        yield server


@pytest.mark.parametrize(("part", "how"), [(1, "immediate"), (4, "fast"), (6, "immediate")])
def test_a_run_goes_on_when_the_server_comes_back(
    part: int, how: str, shaky: Server, undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
    _, events = undisturbed
    left = part * events // 8
    back = threading.Timer(0.3, shaky.start)

    def heard(event: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            shaky.stop(how)
            back.start()

    outcome = runs.start(told(shaky, tmp_path), GOAL, listener=heard, approver=approve)
    back.join()
    assert outcome.exit_code == 0, outcome.reason
    whole(outcome.folder)


def test_a_run_stops_in_one_sentence_when_the_server_stays_away_and_goes_on_later(
    shaky: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Link, "patience", 0.2)

    def heard(event: Any) -> None:
        if event.kind == "reviewed" and event.step == 2:
            shaky.stop()

    try:
        outcome = runs.start(told(shaky, tmp_path), GOAL, listener=heard, approver=approve)
        folder = outcome.folder
        assert (outcome.exit_code, outcome.status) == (1, "interrupted")
        assert re.search(r"did not come back within 0\.2 seconds: .*; then continue with: deskcrew resume 2", outcome.reason)
        assert PASSWORD not in outcome.reason
        code, said = deskcrew("resume", folder.name, "--display", "none", "--runs-dir", tmp_path)
        assert code == 2, said
        assert "cannot be used" in said
    finally:
        shaky.start()
    outcome = runs.resume(folder.name, runs_dir=tmp_path, approver=approve)
    assert outcome.exit_code == 0, outcome.reason
    whole(folder)


class Lossy:
    """A connection that breaks around a COMMIT: before it is said, or before its answer is heard."""

    def __init__(self, link: Link, *, said: bool) -> None:
        self._link, self._real, self._said = link, link.connection, said

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def execute(self, statement: Any, *values: Any) -> Any:
        if statement == "COMMIT":
            if self._said:
                self._real.execute("COMMIT")
            self._real.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return self._real.execute(statement, *values)


@pytest.mark.parametrize("said", [True, False])
def test_what_is_committed_is_there_once_whether_or_not_the_answer_was_heard(postgres: Server, said: bool) -> None:
    run = f"lossy-{said}"
    rows = PostgresRows(Link(postgres.address), run)
    journal = Journal(None, lambda: 0.0, rows=rows)
    journal.append("before", {}, key="k")
    rows._link.connection = Lossy(rows._link, said=said)  # type: ignore[assignment]
    journal.append("a", {"n": 1})
    journal.intend("action", SAVE)
    assert journal.start("action") is False
    journal.settle("action", DONE)
    journal.save_plan(())
    journal.close()
    again = Journal(None, lambda: 0.0, rows=PostgresRows(Link(postgres.address), run))
    assert [(event.id, event.kind) for event in again.events()] == [(1, "before"), (2, "a")]
    assert again.start("action") is True
    assert again.outcome("action") == DONE
    assert again.save_plan(()) == 2
    again.close()


@pytest.mark.parametrize("how", ["bomb", "rubbish", "gone"])
def test_a_run_with_damaged_checkpoints_goes_on_from_its_journal(how: str, postgres: Server, tmp_path: Path) -> None:
    waiting = runs.start(told(postgres, tmp_path), GOAL)
    assert waiting.exit_code == 3
    bodies = {"bomb": zlib.compress(bytes(80 * 2**20), 6), "rubbish": b"rubbish"}
    with psycopg.connect(postgres.address) as link:
        if how == "gone":
            link.execute("DELETE FROM deskcrew.checkpoints WHERE thread_id = %s", (waiting.run_id,))
        else:
            link.execute("UPDATE deskcrew.checkpoint_blobs SET blob = %s WHERE thread_id = %s", (bodies[how], waiting.run_id))
    place = ("--display", "none", "--runs-dir", tmp_path)
    code, said = deskcrew("resume", waiting.run_id, "--approve", *place)
    assert code == 2
    assert "The stored position of the run is damaged" in said if how != "gone" else "is not waiting for an answer" in said
    assert deskcrew("resume", waiting.run_id, *place)[0] == 3
    code, said = deskcrew("resume", waiting.run_id, "--approve", *place)
    assert code == 0, said
    whole(waiting.folder)


# --- one at a time


def test_a_run_that_is_worked_is_refused_to_another_process(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.store.postgres.rows._LINGERS", 0.1)
    first = PostgresRows(Link(postgres.address), "held")
    with pytest.raises(UsageProblem, match=f"Run held is worked by process {os.getpid()} on .*; stop it there first"):
        PostgresRows(Link(postgres.address), "held")
    reading = PostgresRows(Link(postgres.address), "held", writing=False)
    assert list(reading.events((), 0)) == []
    reading.close()
    first.close()
    PostgresRows(Link(postgres.address), "held").close()


def test_a_process_that_lost_its_run_stops_before_its_next_effect(postgres: Server) -> None:
    first = Journal(None, lambda: 0.0, rows=PostgresRows(Link(postgres.address), "lost"))
    first.intend("one", SAVE)
    first.start("one")
    with psycopg.connect(postgres.address, autocommit=True) as cutting:  # what a broken network does to the one, not the other
        cutting.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted")
    second = Journal(None, lambda: 0.0, rows=PostgresRows(Link(postgres.address), "lost"))
    second.append("mine", {})
    second.close()
    with pytest.raises(StoreTaken, match="was taken over by another process"):
        first.intend("two", SAVE)
    first.close()
    third = Journal(None, lambda: 0.0, rows=PostgresRows(Link(postgres.address), "lost"))
    assert third.intent("two") is None
    assert [event.kind for event in third.events()] == ["mine"]
    third.close()


def test_many_processes_find_the_tables_made_once(postgres: Server) -> None:
    with psycopg.connect(postgres.address, autocommit=True) as link:
        link.execute("CREATE DATABASE fresh")
    address = postgres.address.replace("/postgres?", "/fresh?")
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            rows = PostgresRows(Link(address), f"r{number}")
            for _ in range(20):
                rows.add_event(0.0, "a", "", "", 0, None, {"n": number})
                rows.commit()
            rows.close()
        except BaseException as bad:  # noqa: BLE001 - told by the test
            problems.append(bad)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert problems == []
    with shared_runs(address) as found:
        for number in range(8):
            assert [row.body["n"] for row in found.events(f"r{number}")] == [number] * 20


def test_a_store_of_another_version_is_refused(postgres: Server) -> None:
    with psycopg.connect(postgres.address, autocommit=True) as link:
        link.execute("CREATE DATABASE later")
    address = postgres.address.replace("/postgres?", "/later?")
    SharedRuns(address).close()
    with psycopg.connect(address, autocommit=True) as link:
        link.execute("UPDATE deskcrew.store SET version = 99")
    with pytest.raises(UsageProblem, match="tables of version 99, and this deskcrew reads 1"):
        Link(address)


def test_without_the_extra_its_name_is_said(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\nfrom orchestrator.cli import main\n"
        "sys.argv = ['deskcrew', 'run', 'Open notes', '-c', 'store=postgresql://h/db', '--runs-dir', sys.argv[1]]\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "pip install 'deskcrew[postgres]'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_store_that_cannot_be_reached_is_said_before_anything_is_made(tmp_path: Path) -> None:
    address = f"postgresql://ada:{PASSWORD}@/db?host={tmp_path / 'nowhere'}"
    code, said = deskcrew("run", GOAL, "-c", f"store={address}", "--runs-dir", tmp_path / "runs")
    assert code == 2
    assert "postgresql://ada:***@/db" in said
    assert not list((tmp_path / "runs").iterdir())
    assert deskcrew("ls", "--store", address)[0] == 2


def test_no_setting_shows_the_password(tmp_path: Path) -> None:
    for flag in ((), ("--json",)):
        code, said = deskcrew("run", GOAL, "-c", f"store=postgresql://ada:{PASSWORD}@h/db", "--show-config", *flag)
        assert code == 0
        assert "postgresql://ada:***@h/db" in said
