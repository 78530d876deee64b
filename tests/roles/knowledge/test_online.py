"""Online search, asked over real HTTP on this machine: well, busy, slow, huge, hostile; and what never leaves with a query."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from services.search import SearchServer, search_server

from protocol.retries import Retries
from roles.knowledge.retrievers import OnlineSearch
from roles.knowledge.settings import OnlineSettings
from roles.knowledge.store import SourceFault


@pytest.fixture(scope="module")
def _running() -> Iterator[SearchServer]:
    with search_server() as server:
        yield server


@pytest.fixture
def server(_running: SearchServer) -> SearchServer:
    _running.asked.clear()
    return _running


def search(server: SearchServer, path: str, /, query: str = "feed the otters", **said: Any) -> list[Any]:
    retries = Retries(wait=0.0, tries=said.pop("tries", 3))
    given = OnlineSettings(use=True, url=f"{server.url}/{path}?q={{query}}", **said)
    return OnlineSearch(given, {"KEY": "s3cret"}, retries=retries).search(query, "mail", said.get("top_k", 3))


def test_results_come_with_address_and_score_from_where_the_settings_say(server: SearchServer) -> None:
    first = search(server, "search")[0]
    assert (first.title, first.source, first.kind, first.score) == (
        "How to feed the otters", "https://zoo.example/otters", "online", 1.0,
    )  # fmt: skip
    assert server.asked[0].query == {"q": ["feed the otters"]}
    assert [hit.title for hit in search(server, "nested", results="more.0.results", title="name")] == ["Kinds", "News"]
    with pytest.raises(SourceFault, match="no list at 'web'"):
        search(server, "nested", results="web")


def test_the_query_cannot_leave_its_place_in_the_address(server: SearchServer) -> None:
    search(server, "search", "a&limit=9#/../{app}")
    assert server.asked[0].path == "/search"
    assert server.asked[0].query == {"q": ["a&limit=9#/../{app}"]}


def test_a_private_value_is_not_even_referred_to(server: SearchServer) -> None:
    search(server, "search", "reset <secret>password</secret> for otters")
    assert server.asked[0].query == {"q": ["reset for otters"]}
    assert search(server, "search", "<secret>password</secret>") == []
    assert len(server.asked) == 1


def test_only_named_hosts_and_those_below_them_are_shown(server: SearchServer) -> None:
    sources = [hit.source for hit in search(server, "search", domains=("Zoo.example",))]
    assert sources == ["https://zoo.example/otters", "https://my.zoo.example/kinds"]
    others = ("https://zoo.example.evil.example/", "https://evilzoo.example", "http://[", "")
    server.given = [{"title": "T", "text": "t", "url": url} for url in others]
    assert search(server, "given", domains=("zoo.example",)) == []


def test_the_key_goes_into_its_header_and_nowhere_else(server: SearchServer) -> None:
    search(server, "search", key_env="KEY", key_header="X-Token", key_form="{key}")
    assert server.asked[0].headers["x-token"] == "s3cret"
    with pytest.raises(SourceFault) as refused:
        search(server, "always/403", key_env="KEY")
    assert "s3cret" not in str(refused.value)
    with pytest.raises(SourceFault, match="environment variable NONE"):
        search(server, "search", key_env="NONE")


def test_what_is_busy_is_asked_again_and_what_refuses_is_not(server: SearchServer) -> None:
    assert len(search(server, "status/503")) == 3
    assert len(server.asked) == 2
    server.asked.clear()
    with pytest.raises(SourceFault, match="it answers 429; asked 3 times"):
        search(server, "always/429")
    assert len(server.asked) == 3
    server.asked.clear()
    with pytest.raises(SourceFault, match="it answers 404"):
        search(server, "always/404")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("path", "said", "why"),
    [
        ("slow/2", {"seconds": 0.2, "tries": 1}, "longer than 0.2 seconds"),
        ("drip", {"seconds": 0.3, "tries": 1}, "longer than 0.3 seconds"),
        ("huge/200000", {"max_bytes": 10_000}, r"larger than 10000 bytes \(max_bytes\)"),
        ("deep", {}, "not readable JSON"),
        ("html", {}, "not readable JSON"),
        ("cut", {"tries": 1}, "cannot be reached"),
        ("redirect", {}, "it answers 302"),
    ],
)
def test_a_server_that_misbehaves_is_told_of_in_one_sentence(
    server: SearchServer, path: str, said: dict[str, Any], why: str
) -> None:
    with pytest.raises(SourceFault, match=why) as refused:
        search(server, path, **said)
    assert "\n" not in str(refused.value)


KEYS = st.sampled_from(["title", "text", "url", "x"])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(ANY)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_json_comes_is_results_or_one_sentence(server: SearchServer, answer: Any) -> None:
    server.given = answer
    if not isinstance(answer, list):
        with pytest.raises(SourceFault, match="no list"):
            search(server, "given")
        return
    for hit in search(server, "given"):
        assert hit.title
        assert hit.source


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "needs its address"),
        ("http://search.example/?q={query}", "https"),
        ("ftp://search.example/?q={query}", "https"),
        ("https://search.example/", "must hold"),
        ("https://{query}.example/", "must hold"),
    ],
)
def test_an_address_that_will_not_do_is_refused_with_the_settings(url: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        OnlineSettings(use=True, url=url)
