"""For every key of `knowledge` that says where things are looked up: two values, and what is found with each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from flips import views as see
from services.search import search_server

from orchestrator.runs.runs import start
from orchestrator.settings.build import build_sources
from orchestrator.settings.settings import load_settings
from roles.knowledge.library import stored_at
from roles.knowledge.pages.documents import KINDS, Document
from roles.knowledge.retrievers import OnlineSearch
from roles.knowledge.store import KnowledgeStore, SourceFault

QUERY = "feed the brown otters"
NOTE = 'Create a note titled "Milk" with the text "two bottles"'
TITLES = ("Feed the brown otters", "Feed otters", "Otters that sleep", "Feed the cat")


def looked(overrides: Sequence[str], folder: Path) -> Any:
    """What each source finds for one query, what a search interface was asked, and how long was waited for it."""
    with search_server() as server:
        told = [text.replace("http://127.0.0.1:PORT", server.url) for text in overrides]
        settings = see.settings_of([f"runs_dir={folder}/runs", *told])
        _fill(folder / ".deskcrew" / "knowledge.sqlite")
        slept: list[float] = []
        keys = {"KEY_ONE": "one", "KEY_TWO": "two"}
        with patch.dict(os.environ, keys):
            found = []
            for source in build_sources(settings):
                if isinstance(source, OnlineSearch):
                    source = OnlineSearch(settings.knowledge.online, sleep=slept.append, retries=settings.retries)
                try:
                    given_back = source.search(QUERY, None, source.top_k)
                    hits: Any = [(hit.title, hit.text, hit.source, hit.score, hit.hint) for hit in given_back]
                except SourceFault as fault:
                    hits = str(fault)
                found.append((source.name, hits))
        heard = [(one.path, one.query, one.headers.get("authorization"), one.headers.get("x-key")) for one in server.asked]
        return found, heard, [pause > 1.5 for pause in slept[:1]]


def unasked(overrides: Sequence[str], folder: Path) -> Any:
    """What a run looked up for a goal whose words are understood anyway."""
    loaded = load_settings((), ["world=errands", f"runs_dir={folder}/runs", "safety=never-ask-in-simulation", *overrides])
    return [one["query"] for one in start(loaded, NOTE).report["supplements"]]


def _fill(path: Path) -> None:
    with KnowledgeStore(path) as store:
        for kind in KINDS:
            for number, title in enumerate(TITLES):
                store.add(Document(kind=kind, title=title, text=f"{kind} {number}", source=f"{kind}/{number}"))


def kept(overrides: Sequence[str], folder: Path) -> Any:
    """What stands in the store after a run that reached its goal."""
    loaded = load_settings((), ["world=errands", f"runs_dir={folder}/runs", "safety=never-ask-in-simulation", *overrides])
    outcome = start(loaded, NOTE)
    assert outcome.exit_code == 0, outcome.reason
    path = stored_at(loaded.settings.knowledge, loaded.settings.runs_dir)
    if not path.is_file():
        return []
    with KnowledgeStore(path) as store:
        return [(one.kind, one.title, one.text) for one in store.list()]


def _flip(key: str, one: Any, other: Any, *always: str) -> Any:
    from flips.settings import Flip  # here, since that file takes these flips

    return Flip(looked, f"knowledge.{key}={one}", f"knowledge.{key}={other}", always)


def _kept(key: str, one: Any, other: Any) -> Any:
    from flips.settings import Flip

    return Flip(kept, f"knowledge.{key}={one}", f"knowledge.{key}={other}")


def _unasked(key: str, one: Any, other: Any) -> Any:
    from flips.settings import Flip

    return Flip(unasked, f"knowledge.{key}={one}", f"knowledge.{key}={other}")


def _online(key: str, one: Any, other: Any, path: str = "search", **more: Any) -> Any:
    said = {"use": "true", "url": f"http://127.0.0.1:PORT/{path}?q={{query}}", "wait": "0.0", **more}
    always = "{" + ", ".join(f"{name}: {value!r}" if name == "url" else f"{name}: {value}" for name, value in said.items()) + "}"
    return _flip(f"online.{key}", one, other, f"knowledge.online={always}")


def knowledge_flips() -> dict[str, Any]:
    """By key, beginning with `knowledge.`"""
    url = "http://127.0.0.1:PORT/{}?q={{query}}"
    found = {
        "look_up": _unasked("look_up", "asked", "ahead"),
        "store": _flip("store", ".deskcrew/knowledge.sqlite", "elsewhere/other.sqlite"),
        "experience.save": _kept("experience.save", "always", "never"),
        "experience.reuse": _flip("experience.reuse", "plan", "hint"),
        "online.use": _flip("online.use", "true", "false", f"knowledge.online.url={url.format('search')}"),
        "online.url": _flip("online.url", url.format("search"), url.format("nested"), "knowledge.online.use=true"),
        "online.top_k": _online("top_k", 1, 3),
        "online.threshold": _online("threshold", 0.0, 0.6),
        "online.results": _online("results", "web.results", "more.0.results", "nested"),
        "online.title": _online("title", "title", "name"),
        "online.text": _online("text", "text", "nowhere", threshold=0.6),
        "online.link": _online("link", "url", "nowhere"),
        "online.key_env": _online("key_env", "KEY_ONE", "KEY_TWO"),
        "online.key_header": _online("key_header", "Authorization", "X-Key", key_env="KEY_ONE"),
        "online.key_form": _online("key_form", "'Bearer {key}'", "'{key}'", key_env="KEY_ONE"),
        "online.domains": _online("domains", "[]", "[zoo.example]"),
        "online.seconds": _online("seconds", 0.2, 20.0, "slow/0.6", tries=1),
        "online.tries": _online("tries", 1, 4, "always/503"),
        "online.wait": _flip(
            "online.wait", 0.5, 2.0, f"knowledge.online.url={url.format('always/503')}", "knowledge.online.use=true"
        ),
        "online.max_bytes": _online("max_bytes", 1_000, 100_000, "huge/50000"),
    }
    for kind in ("help", "experience", "demonstrations"):
        found[f"{kind}.use"] = _flip(f"{kind}.use", "true", "false")
        found[f"{kind}.top_k"] = _flip(f"{kind}.top_k", 1, 3, f"knowledge.{kind}.threshold=0.1")
        found[f"{kind}.threshold"] = _flip(f"{kind}.threshold", 0.2, 0.9)
    return {f"knowledge.{key}": flip for key, flip in found.items()}
