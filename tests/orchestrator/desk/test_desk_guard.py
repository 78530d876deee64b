"""Who gets in, and what their role lets them do."""

from __future__ import annotations


def test_everybody_is_told_who_they_are(serve) -> None:
    place = serve()
    assert place.by("view").get("/api/me").json() == {"name": "vera", "role": "view", "version": "0.1.0"}


def test_a_refusal_is_written_down_and_shown_to_whoever_operates(serve) -> None:
    place = serve()
    answer = place.by("view").get("/api/refusals")
    assert answer.status_code == 403
    assert "vera has the role view" in answer.json()["error"]
    first = place.http.get("/api/refusals").json()["refusals"][0]
    assert (first["who"], first["path"], first["status"]) == ("vera", "/api/refusals", 403)
