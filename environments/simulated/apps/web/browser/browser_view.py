"""The browser's own parts: tabs, the bar with the address, and the pages that no site has."""

from __future__ import annotations

from environments.simulated.apps.web.browser.content import Link
from environments.simulated.apps.web.browser.page import Body, Paper, site_body
from environments.simulated.apps.web.browser.state import (
    BOOKMARKS,
    HISTORY,
    NEW_TAB,
    RESULTS,
    BrowserState,
    Document,
    asked,
    bookmark_of,
    found,
    parts,
    place_at,
    snippet,
)
from environments.simulated.screen.widgets import Widget, bar, button, cell, form, group, listing, row, table, text, textbox
from environments.simulated.world.values import page_of

VISITS = 15
_PROPOSALS = 6
_SHORTCUTS = 8


def window(state: BrowserState) -> tuple[Widget, ...]:
    return (_tabs(state), _tools(state), *body(state).widgets)


def body(state: BrowserState) -> Body:
    """The page of the current tab."""
    match place_at(state, state.tab.address).kind:
        case "new-tab":
            return _start(state)
        case "search":
            return _results(state)
        case "history":
            return _history(state)
        case "bookmarks":
            return _bookmarks(state)
    return site_body(state)


def _tabs(state: BrowserState) -> Widget:
    items: list[Widget] = []
    for name, tab in state.tabs.items():
        title = place_at(state, tab.address).title
        items.append(Widget("tab", title, f"tab-{name}", press=True, selected=name == state.current))
        items.append(button(f"Close {title}", f"close-{name}"))
    return Widget("tablist", None, "tabs", children=(*items, button("New tab", "new-tab")), across=True)


def _tools(state: BrowserState) -> Widget:
    tab = state.tab
    address = textbox("Address", "address", tab.typed, placeholder="Search or enter an address")
    address = address._replace(options=_proposals(state, tab.typed))
    kept = bookmark_of(state, tab.address) is not None
    own = parts(tab.address).host in (NEW_TAB, HISTORY, BOOKMARKS)
    return bar(
        button("Back", "back", enabled=tab.at > 0),
        button("Forward", "forward", enabled=tab.at + 1 < len(tab.trail)),
        button("Reload", "reload"),
        form("address-form", address, button("Go", "go"), submit="go", across=True),
        button("Remove bookmark" if kept else "Add bookmark", "bookmark", enabled=not own),
        button("Bookmarks", "bookmarks"),
        button("History", "history"),
        key="tools",
    )


def _proposals(state: BrowserState, typed: str) -> tuple[str, ...]:
    """Addresses that begin as what is being written, or have it in their title."""
    words = typed.strip().casefold()
    if not words or typed == state.tab.address:
        return ()
    known = {kept.address: kept.title for kept in (*state.bookmarks.values(), *reversed(state.visits.values()))}
    fits = [address for address, title in known.items() if address.startswith(words) or words in title.casefold()]
    return tuple(fits[:_PROPOSALS])


def _start(state: BrowserState) -> Body:
    paper = Paper(state)
    search = (paper.search("Search the web", "", ""),) if state.search else ()
    marks = list(state.bookmarks.items())[:_SHORTCUTS]
    links = [paper.link(f"mark.{name}", Link(text=mark.title, to=mark.address)) for name, mark in marks]
    shortcuts = (listing(paper.key("marks"), links),) if links else ()
    return Body((paper.title("New tab"), *search, *shortcuts), paper.links)


def _results(state: BrowserState) -> Body:
    paper, where = Paper(state), parts(state.tab.address)
    query = where.query.get("q", "")
    field = paper.search("Search the web", "", query)
    if not query:
        return Body((paper.title("Search"), field), paper.links)
    hits = found(state, query)
    some, number, pages = page_of(hits, where.number(), RESULTS)
    count = text(f"{len(hits)} results" if len(hits) != 1 else "1 result", paper.key("count"))
    items = [_hit(paper, n, hit, query) for n, hit in enumerate(some)]
    shown = listing(paper.key("results"), items) if items else text(f"Nothing was found for {query}", paper.key("none"))
    return Body((paper.title(f"Results for {query}"), field, count, shown, *paper.pager("", number, pages)), paper.links)


def _hit(paper: Paper, n: int, hit: Document, query: str) -> Widget:
    name = f"r.{n}"
    return group(
        paper.link(name, Link(text=hit.title, to=hit.address)),
        text(hit.address, paper.key(f"{name}.address")),
        text(snippet(hit, query), paper.key(f"{name}.text")),
        key=paper.key(f"{name}.hit"),
    )


def _history(state: BrowserState) -> Body:
    paper = Paper(state)
    visits, number, pages = page_of(list(reversed(state.visits.items())), parts(paper.address).number(), VISITS)
    rows = [
        row(paper.key(f"visit.{name}.row"), paper.link(f"visit.{name}", Link(text=visit.title, to=visit.address)),
            cell(visit.address, paper.key(f"visit.{name}.address")), press=False)
        for name, visit in visits
    ]  # fmt: skip
    shown = table(paper.key("visits"), ("Page", "Address"), rows) if rows else text("No pages visited yet", paper.key("none"))
    clear = bar(button("Clear history", paper.key("clear"), enabled=bool(rows)), key=paper.key("tools"))
    return Body((paper.title("History"), clear, shown, *paper.pager("", number, pages)), paper.links)


def _bookmarks(state: BrowserState) -> Body:
    paper = Paper(state)
    marks, number, pages = page_of(list(state.bookmarks.items()), parts(paper.address).number(), VISITS)
    rows = [
        row(paper.key(f"mark.{name}.row"), paper.link(f"mark.{name}", Link(text=mark.title, to=mark.address)),
            cell(mark.address, paper.key(f"mark.{name}.address")),
            button(f"Remove {mark.title}", paper.key(f"remove.{name}")), press=False)
        for name, mark in marks
    ]  # fmt: skip
    shown = (
        table(paper.key("marks"), ("Page", "Address", "Remove"), rows) if rows else text("No bookmarks yet", paper.key("none"))
    )
    return Body((paper.title("Bookmarks"), shown, *paper.pager("", number, pages)), paper.links)


def search_address(state: BrowserState, query: str) -> str:
    """Where the engine answers a query; empty where there is none."""
    return asked(state.search, q=" ".join(query.split())) if state.search else ""
