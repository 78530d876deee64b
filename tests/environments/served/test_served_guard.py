"""Who gets in: whoever has the token, from this very server, and nobody else."""

from __future__ import annotations

import re

import httpx


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


def test_a_page_runs_no_script_but_the_servers_files(serve) -> None:
    answer = serve().http.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.findall(r"<script[^>]*>(.*?)</script>", answer.text, re.DOTALL) == [""]
    assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text), "nothing comes from elsewhere"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_only_the_pages_own_files_are_given_and_to_this_machine_alone(serve) -> None:
    place = serve()
    for name in ("../session.py", "..%2Fsession.py", "%2e%2e/guard.py", "none.js"):
        assert place.http.get(f"/static/{name}").status_code == 404, name
    assert place.address.host == "127.0.0.1"
