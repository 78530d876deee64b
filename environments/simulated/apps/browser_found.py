"""The search engine of the simulated web: every public page, ranked by the words that it has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from environments.simulated.apps.browser_content import Block, Collection, Entry, Link, Site
from environments.simulated.apps.browser_state import BrowserState
from environments.simulated.values import Same, matches

RESULTS = 10
_SNIPPET = 140
_TITLE = 5
_MOST = 3
_WORD = re.compile(r"\w+")


class Document(NamedTuple):
    """What the engine knows of a page."""

    address: str
    title: str
    text: str
    in_title: Mapping[str, int]
    in_text: Mapping[str, int]


def found(state: BrowserState, query: str) -> list[Document]:
    """Pages with at least one word of the query: most different words first, then most often, then by address."""
    return list(_ranked(Same(state.sites), " ".join(query.split())))


@lru_cache(maxsize=8)
def _ranked(sites: Same[Mapping[str, Site]], query: str) -> tuple[Document, ...]:
    """Ranked once for each query: the page with the results is drawn again for every key that is pressed on it."""
    words = set(_words(query))
    ranked = [(score, document) for document in _documents(sites) if (score := _score(document, words))[0]]
    return tuple(document for _, document in sorted(ranked, key=lambda hit: (-hit[0][0], -hit[0][1], hit[1].address)))


@lru_cache(maxsize=8)
def fitting(collection: Same[Collection], query: str) -> tuple[str, ...]:
    """The entries of a collection that have every word of the query, by name."""
    entries = collection.value.entries
    if not query:
        return tuple(entries)
    return tuple(name for name, entry in entries.items() if matches(query, entry.title, entry.text, *entry.values.values()))


def snippet(document: Document, query: str) -> str:
    """The text around the first word of the query that stands in it."""
    places = [match.start() for word in _words(query) if (match := re.search(rf"\b{word}", document.text, re.IGNORECASE))]
    start = max(0, min(places, default=0) - 40)
    part = document.text[start : start + _SNIPPET].strip()
    return f"{'…' if start else ''}{part}{'…' if start + _SNIPPET < len(document.text) else ''}"


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.casefold())]


def _stem(word: str) -> str:
    """`Limits` is found by `limit`."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _score(document: Document, words: set[str]) -> tuple[int, int]:
    """How many of the words it has, and how much they weigh: the title more than the text, and repeating little."""
    weights = [_TITLE * (word in document.in_title) + min(_MOST, document.in_text.get(word, 0)) for word in words]
    return sum(1 for weight in weights if weight), sum(weights)


@lru_cache(maxsize=8)
def _documents(sites: Same[Mapping[str, Site]]) -> tuple[Document, ...]:
    """Read once for as long as no site changes."""
    return tuple(document for host, site in sites.value.items() for document in _of_site(host, site))


def _of_site(host: str, site: Site) -> list[Document]:
    made = []
    for path, page in site.pages.items():
        if page.redirect or page.private:
            continue
        address = host + (path if path != "/" else "")
        made.append(_document(address, page.title, " ".join(_said(block) for block in page.blocks)))
        collection = site.collection_on(page)
        if collection and collection.links:
            entries = collection.entries.items()
            made += [_document(f"{address}/{name}", entry.title, _of_entry(entry)) for name, entry in entries]
    return made


def _document(address: str, title: str, text: str) -> Document:
    return Document(address, title, " ".join(text.split()), Counter(_words(title)), Counter(_words(text)))


def _of_entry(entry: Entry) -> str:
    return " ".join((entry.text, *(f"{name}: {value}." for name, value in entry.values.items())))


def _said(block: Block) -> str:
    """The words of a block."""
    if block.table:
        return " ".join(cell for row in (block.table.columns, *block.table.rows) for cell in row)
    items = [item.text if isinstance(item, Link) else item for item in block.list or ()]
    link = block.link.text if block.link else ""
    title = block.form.title if block.form else ""
    return " ".join(word for word in (block.heading, block.text, *items, link, title) if word)
