"""A served world over HTTP: who gets in, actions, states and hashes as JSON, and the events that pages are drawn from."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from environments.served.server import served
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import ActionTarget, Fill, VisualState


def test_an_action_of_a_program_changes_the_very_world_that_is_served_and_a_refusal_is_its_result(place) -> None:
    alone = SimulatedDesktop(place.session.desktop._spec)
    before = place.http.get("/hashes").json()
    assert place.act(action_type="fill", target={"text": "Amount"}, text="12.50")["exec_status"] == "executed"
    after = place.http.get("/hashes").json()
    assert {app for app in after if after[app] != before[app]} == {"desk", "reimbursement"}
    alone.perform(Fill(target=ActionTarget(text="Amount"), text="12.50"), key="1")
    assert alone.hashes() == after
    assert VisualState.model_validate(place.http.get("/state").json()) == alone.observe()
    picture = place.http.get("/picture")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    refused = place.act(action_type="click", target={"text": "No such button"})
    assert refused["exec_status"] == "error"
    assert "no element" in refused["error"]


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/actions", b"{", 422, "not JSON"),
        ("/actions", b"\xff\xfe", 422, "not JSON"),
        ("/actions", b"[1]", 422, "dictionary"),
        ("/actions", b'{"action_type": "fly"}', 422, "fly"),
        ("/actions", b'{"action_type": "click"}', 422, "click needs a target"),
        ("/actions", b'{"action_type": "wait", "seconds": -1}', 422, "seconds"),
        ("/actions", b'{"action_type": "wait", "secondss": 1}', 422, "secondss"),
        ("/actions", b" " * 1_100_000, 413, "longer than"),
        ("/reset", b'{"sed": 5}', 422, "sed"),
        ("/finish", b'{"status": "fulfilled"}', 404, "--task"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(serve, path, body, status, said) -> None:
    answer = serve().http.post(path, content=body)
    assert answer.status_code == status
    assert said in answer.text
    assert answer.text.count("\n") == 1


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


def test_an_app_has_an_address_that_opens_it(place) -> None:
    answer = place.http.get("/apps/notes")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert place.http.get("/state").json()["app"] == "notes"
    missing = place.http.get("/apps/chess")
    assert missing.status_code == 404
    assert "chess" in missing.text


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


def test_a_page_that_comes_back_gets_the_whole_screen_and_the_server_ends_although_it_listens() -> None:
    with served(Session(SimulatedDesktop(load_world("office")))) as address:
        client = httpx.Client(trust_env=False, params={"token": address.token})
        client.post(f"{address.base}/actions", json={"action_type": "wait"})
        stream = client.send(client.build_request("GET", f"{address.base}/events"), stream=True)
        lines = stream.iter_lines()
        event = json.loads(next(lines).removeprefix("data: "))
        assert (event["whole"], event["number"]) == (True, 1)
    assert not "".join(lines).strip(), "what had been sent arrives, and then the stream ends"
    with pytest.raises(httpx.ConnectError):
        client.get(address.base)
    client.close()


def test_actions_that_come_at_once_are_done_one_after_the_other(place) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: place.act(action_type="wait", seconds=1), range(24)))
    assert (place.session.desktop.world()["actions"], place.session.desktop.world()["clock"]) == (24, 24.0)


# --- who gets in: whoever has the token, from this very server, and nobody else


def test_without_the_token_nothing_is_told_but_how_to_get_in(place) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"deskcrew-{place.address.port}=wrong"}):
        for verb, path in (("GET", "/"), ("GET", "/state"), ("GET", "/static/main.js"), ("GET", "/events"), ("POST", "/actions")):
            answer = httpx.request(verb, place.address.base + path, headers=headers, trust_env=False)
            assert answer.status_code == 401, path
            assert "address with the token" in answer.text
            assert "reimbursement" not in answer.text


def test_the_printed_address_becomes_a_cookie_that_no_other_site_can_use(place) -> None:
    with httpx.Client(trust_env=False) as visitor:
        first = visitor.get(place.address.url, headers={"Accept": "text/html"})
        assert first.status_code == 303
        assert first.headers["location"] == "/", "the token does not stay in the address"
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert visitor.get(place.address.base + "/").status_code == 200
        assert visitor.get(place.address.base + "/state").json()["app"] == "reimbursement"


def test_another_site_is_refused_even_with_the_token_and_the_servers_own_pages_may_ask(place) -> None:
    def asked(**headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return place.http.post("/actions", json={"action_type": "launch_app", "app": "notes"}, headers=named).status_code

    before = place.session.desktop.state_hash()
    assert asked(Host="evil.example") == asked(Host="evil.example:8765") == 403
    assert asked(Origin="http://evil.example") == asked(Origin="null") == 403
    assert asked(Sec_Fetch_Site="cross-site") == asked(Sec_Fetch_Site="same-site") == 403
    assert place.session.desktop.state_hash() == before
    assert asked(Origin=place.address.base, Sec_Fetch_Site="same-origin") == 200


def test_a_page_runs_no_script_but_the_servers_files_which_alone_are_given_and_to_this_machine_alone(serve) -> None:
    place = serve()
    answer = place.http.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"<script[^>]*>(.*?)</script>", answer.text, re.DOTALL) == [""]
    assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text), "nothing comes from elsewhere"
    assert answer.headers["x-content-type-options"] == "nosniff"
    for name in ("../session.py", "..%2Fsession.py", "%2e%2e/guard.py", "none.js"):
        assert place.http.get(f"/static/{name}").status_code == 404, name
    assert place.address.host == "127.0.0.1"
