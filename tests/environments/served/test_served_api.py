"""The world as JSON: actions, states, hashes, and the events that pages are drawn from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from environments.served.server import served
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import ActionTarget, Fill, VisualState


def events(place, *, count: int = 1) -> list[dict[str, Any]]:
    """The first events of a stream."""
    return list(_events(place, count))


def _events(place, count: int) -> Iterator[dict[str, Any]]:
    with place.http.stream("GET", "/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line[6:])
                count -= 1
                if not count:
                    return


def test_an_action_of_a_program_changes_the_very_world_that_is_served(place) -> None:
    alone = SimulatedDesktop(place.session.desktop._spec)
    before = place.http.get("/hashes").json()
    result = place.act(action_type="fill", target={"text": "Amount"}, text="12.50")
    assert result["exec_status"] == "executed"
    after = place.http.get("/hashes").json()
    assert {app for app in after if after[app] != before[app]} == {"desk", "reimbursement"}
    alone.perform(Fill(target=ActionTarget(text="Amount"), text="12.50"), key="1")
    assert alone.hashes() == after
    assert VisualState.model_validate(place.http.get("/state").json()) == alone.observe()


def test_a_refusal_is_a_result_and_not_an_error_of_the_server(serve) -> None:
    result = serve().act(action_type="click", target={"text": "No such button"})
    assert result["exec_status"] == "error"
    assert "no element" in result["error"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[1]", "dictionary"),
        (b'{"action_type": "fly"}', "fly"),
        (b'{"action_type": "click"}', "click needs a target"),
        (b'{"action_type": "wait", "seconds": -1}', "seconds"),
        (b'{"action_type": "wait", "secondss": 1}', "secondss"),
    ],
)
def test_what_is_no_action_is_refused_in_one_sentence(serve, body, said) -> None:
    answer = serve().http.post("/actions", content=body)
    assert answer.status_code == 422
    assert said in answer.text
    assert answer.text.count("\n") == 1


def test_an_endless_request_is_cut_off(serve) -> None:
    answer = serve().http.post("/actions", content=b" " * 1_100_000)
    assert answer.status_code == 413


def test_a_key_is_done_once_and_means_one_action(place) -> None:
    action = {"action_type": "launch_app", "app": "notes"}
    for _ in range(2):
        assert place.http.post("/actions", json=action, headers={"Idempotency-Key": "a"}).status_code == 200
    assert place.session.desktop.world()["actions"] == 1
    other = place.http.post("/actions", json={"action_type": "wait"}, headers={"Idempotency-Key": "a"})
    assert other.status_code == 409


def test_reset_is_the_world_as_it_began_and_may_take_another_seed(place) -> None:
    first = place.http.get("/hashes").json()
    place.act(action_type="launch_app", app="notes")
    place.http.post("/reset", json={})
    assert place.http.get("/hashes").json() == first
    place.http.post("/reset", json={"seed": 5})
    assert place.http.get("/hashes").json() != first
    assert place.http.post("/reset", json={"sed": 5}).status_code == 422


def test_an_app_has_an_address_that_opens_it(place) -> None:
    answer = place.http.get("/apps/notes")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert place.http.get("/state").json()["app"] == "notes"
    missing = place.http.get("/apps/chess")
    assert missing.status_code == 404
    assert "chess" in missing.text


def test_there_is_a_picture_of_the_screen(serve) -> None:
    answer = serve().http.get("/picture")
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")


def test_finishing_needs_a_task(serve) -> None:
    answer = serve().http.post("/finish", json={"status": "fulfilled"})
    assert answer.status_code == 404
    assert "--task" in answer.text


def test_a_world_that_breaks_says_so_and_goes_on(serve) -> None:
    place = serve("""
        apps: {notes: {}}
        open: [notes]
        events:
          - {when: {after_actions: 1}, crash: {message: the machine stopped}}
    """)
    place.act(action_type="wait")
    answer = place.http.post("/actions", json={"action_type": "wait"})
    assert answer.status_code == 503
    assert "the machine stopped" in answer.text
    place.act(action_type="wait")


def test_a_page_that_comes_back_gets_the_whole_screen(place) -> None:
    place.act(action_type="wait")
    (event,) = events(place)
    assert event["whole"]
    assert event["number"] == 1


def test_the_server_ends_although_a_page_listens() -> None:
    with served(Session(SimulatedDesktop(load_world("office")))) as address:
        url = f"{address.base}/events?token={address.token}"
        client = httpx.Client(trust_env=False)
        stream = client.send(client.build_request("GET", url), stream=True)
        lines = stream.iter_lines()
        assert next(lines).startswith("data: ")
    assert not "".join(lines).strip(), "what had been sent arrives, and then the stream ends"
    client.close()


def test_actions_that_come_at_once_are_done_one_after_the_other(place) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: place.act(action_type="wait", seconds=1), range(24)))
    assert place.session.desktop.world()["actions"] == 24
    assert place.session.desktop.world()["clock"] == 24.0


def test_a_server_that_is_gone_refuses_connections(serve) -> None:
    with served(Session(SimulatedDesktop(load_world("office")))) as address:
        base = address.base
    with pytest.raises(httpx.ConnectError):
        httpx.get(base, trust_env=False)
