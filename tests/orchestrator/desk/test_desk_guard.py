"""Who gets in, what their role lets them do, and how the token of a server is kept."""

import hashlib
import os
import stat

import httpx
import pytest

from orchestrator.desk.auth import Tokens, kept_token, person_of, read_people
from orchestrator.errors import UsageProblem


def test_a_browser_without_a_token_is_told_in_words_and_the_printed_address_becomes_a_cookie(shared) -> None:
    place, _ = shared
    answer = httpx.get(place.address.base, headers={"Accept": "text/html"}, trust_env=False)
    assert answer.status_code == 401
    assert answer.headers["content-type"].startswith("text/plain")
    assert "open the address that was printed" in answer.text
    with httpx.Client(trust_env=False) as visitor:
        first = visitor.get(f"{place.address.base}/runs/x?token={place.address.token}&q=1", headers={"Accept": "text/html"})
        assert (first.status_code, first.headers["location"]) == (303, "/runs/x?q=1")
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert visitor.get(f"{place.address.base}/api/me").json()["name"] == "otto"


def test_the_api_describes_itself_and_what_nobody_has_heard_of_is_answered_in_a_sentence(shared) -> None:
    place, _ = shared
    told = place.get("/api/openapi.json")
    assert {"/api/runs", "/api/runs/{run_id}", "/api/runs/{run_id}/stream", "/api/runs/{run_id}/answer"} <= told["paths"].keys()
    assert place.http.get("/docs").status_code == 404, "what would load scripts from elsewhere is not there"
    for path, status in (("/api/nothing", 404), ("/api/runs/none", 404), ("/api/runs?limit=0", 422), ("/api/runs?limit=x", 422)):
        answer = place.http.get(path)
        assert answer.status_code == status
        assert answer.json()["error"].endswith("."), path


def test_people_are_read_from_a_file_that_holds_no_token(tmp_path) -> None:
    path = tmp_path / "people.yaml"
    digest = hashlib.sha256(b"grace's own").hexdigest()
    path.write_text(f"- {{name: Grace, role: approve, sha256: {digest}}}\n", encoding="utf-8")
    tokens = Tokens(read_people(path))
    found = tokens.known("grace's own")
    assert (found.name, found.role, found.may("approve"), found.may("operate")) == ("Grace", "approve", True, False)
    assert tokens.known(digest) is None, "the digest opens nothing"
    assert tokens.known("") is None


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("- {name: G, role: boss, sha256: %s}", "role"),
        ("- {name: G, role: view, sha256: short}", "sha256"),
        ("- {name: G, role: view, sha256: %s, token: x}", "token"),
        ("name: G", "list"),
        ("- [", "YAML"),
    ],
)
def test_a_wrong_file_of_people_is_said_with_its_place(tmp_path, said, why) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(said.replace("%s", "ab" * 32), encoding="utf-8")
    with pytest.raises(UsageProblem, match=why) as problem:
        read_people(path)
    assert str(path) in str(problem.value)


@pytest.mark.parametrize(
    "said",
    [
        "- {name: G, role: view, sha256: hunter2",
        "- {name: G, role: hunter2, sha256: hunter2}",
        "- {name: G, role: view, hunter2: x}",
        "- hunter2",
        "hunter2",
        "hunter2:\n\thunter2: 1",
        "- *hunter2",
        "- !hunter2 x",
        "- {hunter2: 1, hunter2: 2}",
        "- 2026-99-99\n- hunter2",
        "[" * 5000 + "hunter2",
    ],
)
def test_no_word_of_a_wrong_file_of_people_is_repeated(tmp_path, said) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(said, encoding="utf-8")
    with pytest.raises(UsageProblem) as problem:
        read_people(path)
    assert "hunter2" not in str(problem.value)
    assert str(problem.value).startswith(str(path))


def test_one_name_is_one_persons() -> None:
    with pytest.raises(UsageProblem, match="Ada"):
        Tokens([person_of("Ada", "view", "one"), person_of("Ada", "operate", "two")])


def test_the_token_is_kept_for_its_owner_alone(tmp_path) -> None:
    path = tmp_path / "runs" / "desk.token"
    token = kept_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_token(path) == token, "a page that is open goes on after a restart"
    other = kept_token(path, new=True)
    assert other != token
    assert kept_token(path) == other
    assert os.listdir(path.parent) == ["desk.token"]


def test_a_kept_token_that_others_can_read_or_put_there_is_not_used(tmp_path) -> None:
    path = tmp_path / "desk.token"
    kept_token(path)
    path.chmod(0o644)
    with pytest.raises(UsageProblem, match="others"):
        kept_token(path)
    path.chmod(0o600)
    path.write_text("guess\n", encoding="ascii")
    with pytest.raises(UsageProblem, match="no token"):
        kept_token(path)
    link = tmp_path / "link.token"
    link.symlink_to(path)
    with pytest.raises(UsageProblem, match="cannot be used"):
        kept_token(link)
