"""What the browser knows, and the ways from page to page."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from environments.simulated.app import AppState
from environments.simulated.apps.browser_address import BOOKMARKS, HISTORY, NEW_TAB, asked, joined, normal, parts
from environments.simulated.apps.browser_content import Block, Entry, Page, Site
from environments.simulated.generate import highest
from environments.simulated.values import Model

MOST_TABS = 20
MOST_VISITS = 200
_LONGEST_TRAIL = 50
_MOST_REDIRECTS = 8
LOGIN, LOGOUT = "/login", "/logout"


class Tab(Model):
    """A tab: where it has been, where it is on that way, and what was written on its page and not sent yet."""

    trail: tuple[str, ...] = Field(default=(NEW_TAB,), min_length=1)
    at: int = 0
    typed: str = ""
    """What stands in the address bar."""
    fields: dict[str, str] = Field(default_factory=dict)
    errors: dict[str, str] = Field(default_factory=dict)

    @property
    def address(self) -> str:
        return self.trail[self.at]


class Remembered(Model):
    """A page that was bookmarked or visited."""

    title: str
    address: str


class Submission(Model):
    """A form as it was sent. `about` is the title of the page that it stood on."""

    page: str
    about: str
    values: dict[str, str]


class Session(Model):
    """Somebody is signed in to a site. `left` is how many pages it still lasts; None: for good."""

    left: int | None = None


class BrowserState(AppState):
    """Sites by host; tabs, bookmarks, visits and submissions by id."""

    sites: dict[str, Site]
    home: str = NEW_TAB
    search: str = "search"
    """The host of the search engine; empty where there is none."""
    tabs: dict[str, Tab]
    current: str
    bookmarks: dict[str, Remembered] = Field(default_factory=dict)
    visits: dict[str, Remembered] = Field(default_factory=dict)
    """The latest last."""
    submissions: dict[str, Submission] = Field(default_factory=dict)
    sessions: dict[str, Session] = Field(default_factory=dict)
    consents: dict[str, str] = Field(default_factory=dict)
    """What was answered to each site's question about cookies."""

    @property
    def tab(self) -> Tab:
        return self.tabs[self.current]


class Place(NamedTuple):
    """What an address shows."""

    kind: Literal["page", "entry", "sent", "login", "search", "new-tab", "history", "bookmarks", "missing", "loop"]
    title: str
    site: Site | None = None
    blocks: tuple[Block, ...] = ()
    private: bool = False
    entry: Entry | None = None
    redirect: str = ""


_OWN: dict[str, Place] = {
    NEW_TAB: Place("new-tab", "New tab"), HISTORY: Place("history", "History"), BOOKMARKS: Place("bookmarks", "Bookmarks"),
}  # fmt: skip


def place_at(state: BrowserState, address: str) -> Place:
    """What is to be seen there; `missing` where there is nothing."""
    host, path, query = parts(address)
    if own := _OWN.get(host):
        return own
    if state.search and host == state.search:
        return Place("search", f"{query['q']} - Search" if query.get("q") else "Search")
    site = state.sites.get(host)
    if site is None:
        return Place("missing", "Site not found")
    if path == LOGIN and site.login:
        return Place("login", f"Sign in to {site.title}", site)
    page = site.pages.get(path)
    place = (_entry(site, path) if page is None else _of_page(site, page)) or Place("missing", "Page not found", site)
    sent = state.submissions.get(query.get("sent", ""))
    return place._replace(kind="sent") if sent and sent.page == asked(host + path) else place


def _of_page(site: Site, page: Page) -> Place:
    if page.redirect:
        return Place("loop", "Too many redirects", site, redirect=page.redirect)
    return Place("page", page.title, site, page.blocks, page.private)


def _entry(site: Site, path: str) -> Place | None:
    """The page of an entry of a collection, which stands below the page that lists them."""
    above, _, name = path.rpartition("/")
    page = site.pages.get(above or "/")
    collection = site.collection_on(page) if page else None
    if page is None or collection is None or not collection.links or name not in collection.entries:
        return None
    entry = collection.entries[name]
    return Place("entry", entry.title, site, collection.each, page.private, entry)


def _landed(state: BrowserState, address: str) -> tuple[BrowserState, str]:
    """Where asking for an address ends: behind all redirects, and at the login where nobody is signed in."""
    for _ in range(_MOST_REDIRECTS):
        place = place_at(state, address)
        if not place.redirect:
            break
        address = joined(address, place.redirect)
    host, path, _ = parts(address)
    site = state.sites.get(host)
    if site is None or site.login is None:
        return state, address
    if path == LOGOUT:
        return _without_session(state, host), normal(host)
    return _checked(state, address, place_at(state, address).private)


def _checked(state: BrowserState, address: str, private: bool) -> tuple[BrowserState, str]:
    """Every page of the site counts for the session; a private one asks for it."""
    host = parts(address).host
    session = state.sessions.get(host)
    if session is not None and session.left is not None:
        if session.left > 0:
            sessions = {**state.sessions, host: Session(left=session.left - 1)}
            return state.model_copy(update={"sessions": sessions}), address
        state = _without_session(state, host)
    if private and host not in state.sessions:
        why = {"expired": "1"} if session else {}
        return state, asked(f"{host}{LOGIN}", next=address, **why)
    return state, address


def _without_session(state: BrowserState, host: str) -> BrowserState:
    return state.model_copy(update={"sessions": {name: kept for name, kept in state.sessions.items() if name != host}})


def signed_in(state: BrowserState, host: str) -> BrowserState:
    login = state.sites[host].login
    session = Session(left=login.pages if login and login.pages else None)
    return state.model_copy(update={"sessions": {**state.sessions, host: session}})


def with_tab(state: BrowserState, tab: Tab) -> BrowserState:
    """The state with another value of the current tab."""
    return state.model_copy(update={"tabs": {**state.tabs, state.current: tab}})


def changed(state: BrowserState, **values: object) -> BrowserState:
    """The state with other values in its current tab."""
    return with_tab(state, state.tab.model_copy(update=values))


def loaded(state: BrowserState, wanted: str) -> BrowserState:
    """The current tab goes to an address. What lay ahead of it on its way is forgotten."""
    state, address = _landed(state, normal(wanted) or state.home)
    tab = state.tab
    trail = (*tab.trail[: tab.at + 1], address) if address != tab.address else tab.trail[: tab.at + 1]
    trail = trail[-_LONGEST_TRAIL:]
    return _arrived(state, Tab(trail=trail, at=len(trail) - 1))


def stepped(state: BrowserState, by: int) -> BrowserState:
    """Back, forward or, by 0, the same page again; as far as there is anything."""
    tab = state.tab
    at = min(max(0, tab.at + by), len(tab.trail) - 1)
    if by and at == tab.at:
        return state
    state, address = _landed(state, tab.trail[at])
    trail = (*tab.trail[:at], address, *tab.trail[at + 1 :])
    return _arrived(state, Tab(trail=trail, at=at))


def _arrived(state: BrowserState, tab: Tab) -> BrowserState:
    address = tab.address
    typed = "" if address == NEW_TAB else address
    state = with_tab(state, tab.model_copy(update={"typed": typed}))
    if parts(address).host in _OWN:
        return state
    name = str(highest(state.visits) + 1)
    visits = {**state.visits, name: Remembered(title=place_at(state, address).title, address=address)}
    kept = list(visits.items())[-MOST_VISITS:]
    return state.model_copy(update={"visits": dict(kept)})


def new_tab(state: BrowserState, address: str = NEW_TAB) -> BrowserState:
    """One more tab, which becomes the current one. There is room: `MOST_TABS` is the caller's to ask."""
    name = str(highest(state.tabs) + 1)
    opened = state.model_copy(update={"tabs": {**state.tabs, name: Tab()}, "current": name})
    if address == NEW_TAB:
        return opened
    landed, there = _landed(opened, normal(address) or state.home)
    return _arrived(landed, Tab(trail=(there,)))


def without_tab(state: BrowserState, name: str) -> BrowserState:
    """The tab is closed, and its neighbour chosen; the last one gives way to an empty one."""
    names = list(state.tabs)
    at = names.index(name)
    tabs = {key: tab for key, tab in state.tabs.items() if key != name} or {str(highest(names) + 1): Tab()}
    left = list(tabs)
    current = state.current if state.current in tabs else left[min(at, len(left) - 1)]
    return state.model_copy(update={"tabs": tabs, "current": current})


def bookmark_of(state: BrowserState, address: str) -> str | None:
    """The id of the bookmark of an address."""
    return next((name for name, mark in state.bookmarks.items() if mark.address == address), None)


def bookmarked(state: BrowserState, title: str, address: str) -> BrowserState:
    if bookmark_of(state, address) is not None:
        return state
    name = str(highest(state.bookmarks) + 1)
    return state.model_copy(update={"bookmarks": {**state.bookmarks, name: Remembered(title=title, address=address)}})


def without_bookmark(state: BrowserState, name: str) -> BrowserState:
    return state.model_copy(update={"bookmarks": {key: mark for key, mark in state.bookmarks.items() if key != name}})
