"""Answers through a real server: heard once, by whom is known, and taken on by a process of their own."""

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worked.desk_runs import rests, waiting_run
from worked.runs import claims

from orchestrator.control.channel import Channel
from orchestrator.control.requests import asked_of
from orchestrator.desk import workers
from orchestrator.desk.workers import GoOn
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import show_run
from orchestrator.runs.runs import resume
from orchestrator.views.listing import run_page

pytestmark = pytest.mark.slow("processes of their own")


def pending(http: Any) -> dict[str, Any]:
    (found,) = http.get("/api/approvals").json()["approvals"]
    return dict(found)


def test_an_approved_run_goes_on_in_a_process_of_its_own_within_what_was_said_with_it_and_says_by_whom(
    serve: Any, runs_dir: Path
) -> None:
    run = waiting_run(runs_dir)
    place = serve()
    http, path = place.by("approve"), f"/api/runs/{run.run_id}/answer"
    body = {"pending": run.pending["digest"], "decision": "approve", "constraints": "forbiden_actions: delete"}
    wrong = http.post(path, json=body)
    assert (wrong.status_code, "did you mean 'forbidden_actions'?" in wrong.text) == (422, True), wrong.text
    said = http.post(path, json=body | {"constraints": {"private": "memo"}})
    assert (said.status_code, said.json()["who"]) == (200, "anna"), said.text
    report = rests(runs_dir / run.run_id)
    assert (report["status"], len(claims(runs_dir / run.run_id))) == ("fulfilled", 1)
    assert [(a["decision"], a["who"]) for a in report["approvals"]] == [("approve", "anna")]
    assert [(one["constraints"], one["who"]) for one in report["constraints"]["added"]] == [({"private": ["memo"]}, "anna")]
    assert "(by anna at a desk)" in run_page(show_run(run.run_id, runs_dir))
    assert place.http.get("/api/approvals").json() == {"approvals": []}


def test_of_two_who_answer_at_once_one_is_heard_and_the_other_is_told_who_it_was(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    place = serve()
    shown = pending(place.http)["id"]
    both = {"approve": {"decision": "approve"}, "operate": {"decision": "reject", "message": "not today"}}
    got: dict[str, Any] = {}
    line = threading.Barrier(2)

    def answer(role: str) -> None:
        http = place.by(role)
        line.wait()
        got[role] = http.post(f"/api/runs/{run.run_id}/answer", json={"pending": shown, **both[role]})

    threads = [threading.Thread(target=answer, args=(role,)) for role in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in got.values()) == [200, 409]
    winner = next(answer.json() for answer in got.values() if answer.status_code == 200)
    loser = next(answer.json() for answer in got.values() if answer.status_code == 409)
    assert {key: loser[key] for key in ("who", "decision", "message")} == {
        key: winner[key] for key in ("who", "decision", "message")
    }
    assert winner["who"] in loser["error"]
    report = rests(runs_dir / run.run_id)
    assert (report["approvals"][0]["decision"], report["approvals"][0]["who"]) == (winner["decision"], winner["who"])
    assert len(claims(runs_dir / run.run_id)) == (1 if winner["decision"] == "approve" else 0)


def test_an_answer_that_is_sent_twice_by_the_same_person_counts_once_and_is_no_conflict(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    http = serve().by("approve")
    body = {"pending": run.pending["digest"], "decision": "approve"}
    assert [http.post(f"/api/runs/{run.run_id}/answer", json=body).status_code for _ in range(2)] == [200, 200]
    rests(runs_dir / run.run_id)
    assert http.post(f"/api/runs/{run.run_id}/answer", json=body).status_code == 409  # finished by now
    assert len(claims(runs_dir / run.run_id)) == 1


def test_an_answer_in_a_terminal_after_one_on_the_desk_is_told_who_was_first(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    (asked,) = asked_of(runs_dir / run.run_id)
    channel = Channel(runs_dir / run.run_id)
    channel.answer(asked.id, {"decisions": [{"type": "reject", "message": "no", "who": "anna"}]}, "anna")
    channel.close()
    with pytest.raises(UsageProblem, match=r"anna rejected it \(no\)"):
        resume(run.run_id, runs_dir=runs_dir, answer={"decisions": [{"type": "approve"}]})
    assert claims(runs_dir / run.run_id) == []


def test_what_cannot_be_an_answer_is_refused_in_a_sentence_and_the_run_still_waits(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    http, path = serve().http, f"/api/runs/{run.run_id}/answer"
    digest = run.pending["digest"]
    for body, status, words in [
        ({"pending": "another", "decision": "approve"}, 409, "has no such request"),
        ({"pending": digest, "decision": "edit"}, 422, "An edit needs"),
        ({"pending": digest, "decision": "edit", "action": "clack"}, 422, "not usable"),
        ({"pending": digest, "decision": "edit", "action": {"subtasks": []}}, 422, "waits for an action"),
        ({"pending": digest, "decision": "perhaps"}, 422, "decision"),
    ]:
        said = http.post(path, json=body)
        assert (said.status_code, words in said.json()["error"]) == (status, True), said.text
    assert pending(http)["run_id"] == run.run_id


def test_what_was_answered_just_before_the_server_was_killed_is_gone_on_with_by_the_next_one(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    (asked,) = asked_of(runs_dir / run.run_id)
    channel = Channel(runs_dir / run.run_id)
    channel.answer(asked.id, {"decisions": [{"type": "approve", "who": "anna"}]}, "anna")
    channel.close()
    serve()
    report = rests(runs_dir / run.run_id)
    assert (report["status"], report["approvals"][0]["who"]) == ("fulfilled", "anna")


@pytest.mark.parametrize(
    ("ended", "answered", "begun"),
    [(-signal.SIGKILL, "it", 3), (-signal.SIGTERM, "it", 1), (0, "it", 1), (1, "it", 1), (-signal.SIGKILL, "", 1)],
)
def test_an_answer_whose_process_is_killed_before_it_hears_it_is_gone_on_with_by_another(
    runs_dir: Path, monkeypatch: pytest.MonkeyPatch, ended: int, answered: str, begun: int
) -> None:
    """So many and no more; that an answer was heard after all, the next process sees itself."""
    started: list[GoOn] = []

    def start(order: GoOn, out: Any, err: Any, then: Callable[[int], None]) -> None:
        started.append(order)
        then(ended)

    (runs_dir / "one").mkdir()
    monkeypatch.setattr(workers, "_started", start)
    order = GoOn(runs_dir=runs_dir, run_id="one", answered=answered)
    workers.go_on(order)
    assert started == [order] * begun


def test_a_run_whose_answer_nobody_goes_on_with_can_be_told_to(serve: Any, working: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = working()
    key = run.ask()
    told: list[GoOn] = []
    monkeypatch.setattr(workers, "go_on", lambda order, **more: told.append(order))
    http = serve().http
    said = http.post(f"/api/runs/{run.id}/resume")
    assert (said.status_code, told) == (409, []), said.text
    run.answer(key)
    said = http.post(f"/api/runs/{run.id}/resume")
    assert said.status_code == 200, said.text
    assert [order.run_id for order in told] == [run.id]


def test_what_a_run_cannot_do_now_is_refused_in_a_sentence(serve: Any, runs_dir: Path) -> None:
    run = waiting_run(runs_dir)
    http, path = serve().http, f"/api/runs/{run.run_id}"
    http.timeout = 330

    def refused(status: int, words: str, verb: str, **body: Any) -> None:
        said = http.post(f"{path}/{verb}", json=body)
        assert (said.status_code, words in said.json()["error"]) == (status, True), said.text

    refused(422, "was not taken over", "act", action='click "Amount"')
    refused(409, "was not taken over", "handback")
    refused(409, "waits for an answer", "resume")
    assert http.post(f"{path}/takeover").json()["state"] == "taken_over"
    refused(409, "otto", "answer", pending=run.pending["digest"], decision="approve")
    refused(422, "not usable", "act", action="perhaps")
    assert http.post(f"{path}/cancel", json={"why": "the wrong month"}).json()["state"] == "cancelled"
    assert claims(runs_dir / run.run_id) == []
    for verb in ("cancel", "takeover", "pause"):
        refused(422, "finished", verb)
