"""Runs that a desk starts: each in a process that outlives the server, refused in a sentence where it cannot begin."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from waiting import until
from worked.desk_runs import GOAL, rests, serving
from worked.runs import claims

from orchestrator.desk import workers
from orchestrator.desk.routes.start import loaded, target_of
from orchestrator.desk.workers import HOME, SAID, Begin
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.runs.folders import list_runs, read_run, stored_report

pytestmark = pytest.mark.slow("processes of their own")

DRAFT = 'In the reimbursement form, enter "$5.00" as the amount and save the draft'


@contextmanager
def server_process(runs_dir: Path, *more: str, token: str = "") -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """`deskcrew serve` as a process, that can be killed, and a program with this token, or the one that it prints."""
    with serving(runs_dir, "0", *more) as (process, address):
        base, _, own = address.partition("/?token=")
        headers = {"Authorization": f"Bearer {token or own}"}
        with httpx.Client(base_url=base, headers=headers, trust_env=False, timeout=330) as http:
            yield http, process


def test_a_run_is_started_in_a_process_of_its_own_and_worked_to_its_end(serve: Any, runs_dir: Path) -> None:
    http = serve().http
    http.timeout = 330
    said = http.post("/api/runs", json={"goal": DRAFT, "seed": 3, "overrides": {"limits.steps": 50}})
    assert said.status_code == 201, said.text
    folder = runs_dir / said.json()["id"]
    assert rests(folder, 0)["status"] == "fulfilled"
    settings = read_run(folder)["settings"]
    assert (settings["seed"], settings["limits"]["steps"]) == (3, 50)
    assert (folder / SAID).read_text() == ""
    assert list((runs_dir / HOME).iterdir()) == []


def test_a_run_outlives_a_server_that_is_killed_and_is_answered_through_the_next_one(runs_dir: Path) -> None:
    with server_process(runs_dir) as (http, process):
        run_id = http.post("/api/runs", json={"goal": GOAL}).json()["id"]
        process.kill()
        process.wait()
    until(lambda: stored_report(runs_dir / run_id).get("status") == "on_hold", "the run to wait without a server")
    people = runs_dir.parent / "people.yaml"
    digest = hashlib.sha256(b"token-of-nadia").hexdigest()
    people.write_text(f"- {{name: nadia, role: approve, sha256: {digest}}}\n", encoding="utf-8")
    with server_process(runs_dir, "--tokens", str(people), token="token-of-nadia") as (http, _):
        assert http.post("/api/runs", json={"goal": GOAL}).status_code == 403, "her role answers, and starts nothing"
        (waiting,) = http.get("/api/approvals").json()["approvals"]
        assert waiting["run_id"] == run_id
        body = {"pending": waiting["id"], "decision": "approve"}
        assert http.post(f"/api/runs/{run_id}/answer", json=body).status_code == 200
        report = rests(runs_dir / run_id)
    assert (report["status"], report["approvals"][0]["who"]) == ("fulfilled", "nadia")
    assert len(claims(runs_dir / run_id)) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "Give either a goal in words or a task"),
        ({"goal": DRAFT, "task": "invoice-to-reimbursement"}, "Give either a goal in words or a task"),
        ({"task": "invoice-to-reimbursment"}, "did you mean 'invoice-to-reimbursement'?"),
        ({"task": "/etc/passwd"}, "There is no task"),
        ({"goal": DRAFT, "overrides": ["limits.stepps=3"]}, "unknown key 'limits.stepps'"),
        ({"goal": DRAFT, "overrides": ["limits.steps"]}, "is not KEY=VALUE"),
        ({"goal": DRAFT, "world": "../../secret.yaml"}, "only shipped names"),
        ({"task": {"goal": "x", "settings": ["store"]}}, "settings is"),
        ({"goal": DRAFT, "plan": {"subtasks": []}}, "plan"),
        ({"goal": DRAFT, "anything": 1}, "anything"),
        ({"goal": DRAFT, "overrides": {"crew.operator.policy": "scripted"}}, "crew.operator"),
    ],
)
def test_what_cannot_be_started_is_refused_in_a_sentence_and_leaves_nothing(
    body: dict[str, Any], words: str, serve: Any, runs_dir: Path
) -> None:
    http = serve().http
    http.timeout = 330
    said = http.post("/api/runs", json=body)
    assert said.status_code == 422
    assert words in said.json()["error"], said.text
    assert list_runs(runs_dir) == []


SERVERS_OWN: dict[str, Any] = {
    "runs_dir": "/tmp", "display": "json", "packages": "/etc", "help_dirs": ["/etc"],
    "tools": [{"command": ["sh"]}], "skills.mcp": [{"command": ["sh"]}], "skills.installed": ["x"],
    "browser.url": "file:///etc/passwd", "browser.allow_files": True, "browser.allowed_hosts": ["127.0.0.1"],
    "browser.executable": "/bin/sh", "browser.headless": False, "knowledge.store": "/etc/x",
    "knowledge.online.url": "https://h/{query}",
    "knowledge.online.key_env": "HOME",
    "crew.operator.script": "/etc/passwd", "crew.manager.prompt": "/etc/passwd",
    "crew.model.base_url": "http://127.0.0.1:1", "crew.operator.model.script": "/etc/passwd",
    "crew.model.options": {"base_url": "http://127.0.0.1:1"}, "crew.evaluator.model.options.model": "x",
    "nobody.has.thought": "of this",
}  # fmt: skip


@pytest.mark.parametrize("way", ["overrides", "a nested override", "a line of overrides", "a task"])
def test_a_run_at_the_desk_carries_no_setting_that_reaches_the_servers_files_programs_or_network(
    way: str, serve: Any, runs_dir: Path
) -> None:
    http = serve().http
    for key, value in SERVERS_OWN.items():
        nested: Any = value
        for part in reversed(key.split(".")):
            nested = {part: nested}
        body = {
            "overrides": {"goal": DRAFT, "overrides": {key: value}},
            "a nested override": {"goal": DRAFT, "overrides": nested},
            "a line of overrides": {"goal": DRAFT, "overrides": [f"{key}={json.dumps(value)}"]},
            "a task": {"task": {"goal": DRAFT, "settings": nested}},
        }[way]
        for path in ("/api/runs", "/api/plan"):
            said = http.post(path, json=body)
            assert said.status_code == 422, said.text
            assert said.json()["error"].startswith(key), said.text
    assert list_runs(runs_dir) == []


ADDRESSES = (
    "file:///etc/passwd", "FILE:/etc/passwd", "http://127.0.0.1:8770/", "http://localhost/", "http://[::1]/", "http://0/",
    "http://2130706433/", "http://127.1/", "http://169.254.169.254/latest", "http://localtest.me/", "http://[::1",
    "data:text/html,x", "[::1]",
    "view-source:file:///etc/passwd", "javascript:1", "chrome://version", "https://example.com@127.0.0.1/", "http://[::ffff:7f00:1]",
)  # fmt: skip


@pytest.mark.parametrize("hosts", [[], ["example.com"]])
def test_a_run_at_the_desk_opens_pages_only_of_hosts_that_the_server_was_started_with(hosts: list[str], tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump({"browser": {"allowed_hosts": hosts}}))

    def asked(url: str) -> None:
        told = (f"browser.url={json.dumps(url)}", "environment=browser")
        order = Begin(runs_dir=tmp_path, goal=GOAL, config=(config,), overrides=told)
        loaded(order, target_of(order))

    for url in (*ADDRESSES, *(() if hosts else ("https://example.com/",))):
        with pytest.raises(UsageProblem, match=r"browser\.url: "):
            asked(url)
    if hosts:
        asked("https://example.com/page")
        asked("example.com")


@pytest.mark.parametrize("of", ["chain", "final.chain"])
@pytest.mark.parametrize(
    "own",
    [{"prompt": "/etc/passwd"}, {"model": {"base_url": "http://127.0.0.1:1"}}, {"model": {"options": {"base_url": "http://h"}}}],
)
def test_a_member_of_a_chain_reaches_nothing_of_the_server_either(of: str, own: Any, tmp_path: Path) -> None:
    def asked(member: Any) -> None:
        order = Begin(runs_dir=tmp_path, goal=GOAL, overrides=(f"crew.evaluator.{of}={json.dumps(['rules', member])}",))
        loaded(order, target_of(order))

    asked({"policy": "llm", "model": {"name": "openai:gpt-5-mini", "temperature": 0.7}})
    reserved = rf"^crew\.evaluator\.{of}\.(prompt|model\.[\w.]+) is unknown or reserved for the server"
    with pytest.raises(UsageProblem, match=reserved):
        asked(own)


def test_what_a_run_may_say_it_may_say_at_the_desk(tmp_path: Path) -> None:
    said = {
        "limits.role_tokens.operator": 5, "crew.model.name": "openai:gpt-5-mini", "crew.operator.policy": "scripted", "seed": 4,
        "crew.manager.review": True, "safety.preset": "ask-all", "variation.language": "de", "skills.forbid": ["mail.*"],
        "knowledge.look_up": "ahead", "vision.on": False, "screenshots.save": "all",
    }  # fmt: skip
    order = Begin(runs_dir=tmp_path, goal=GOAL, overrides=tuple(f"{key}={json.dumps(value)}" for key, value in said.items()))
    assert loaded(order, target_of(order)).settings.limits.role_tokens == {"operator": 5}


def test_tasks_worlds_and_presets_are_listed(serve: Any) -> None:
    http = serve().by("view")
    assert "invoice-to-reimbursement" in [one["name"] for one in http.get("/api/tasks").json()["tasks"]]
    assert http.get("/api/worlds").json()["worlds"]
    presets = {one["name"]: one for one in http.get("/api/presets").json()["presets"]}
    assert presets["rules"]["policies"]["operator"] == "rules"


def test_what_a_killed_server_left_of_a_start_goes_with_a_later_one(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = runs_dir / HOME
    home.mkdir()
    left, fresh = home / "left.out", home / "fresh.out"
    for path in (left, fresh):
        path.touch()
    os.utime(left, (1.0, 1.0))

    def start(*told: Any) -> None:
        assert {path for path in home.iterdir() if path.suffix == ".out"} > {fresh}
        assert not left.exists()
        raise MachineStopped("far enough")

    monkeypatch.setattr(workers, "_started", start)
    with pytest.raises(MachineStopped):
        workers.begin(Begin(runs_dir=runs_dir, goal=GOAL))
    assert fresh.exists()
