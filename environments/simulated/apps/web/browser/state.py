"""What the browser knows, and the ways from page to page."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode

from pydantic import Field, model_validator

from environments.simulated import app as sim
from environments.simulated.apps.web.browser.intranet import Block, Collection, Entry, IntranetPlan, Link, Site, intranet
from environments.simulated.world.values import IdentityKey, Model, highest, matches, without

NEW_TAB, HISTORY, BOOKMARKS = "browser:new-tab", "browser:history", "browser:bookmarks"
LONGEST = 2000
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class AddressParts(NamedTuple):
    """What an address is made of. `path` begins with a slash."""

    host: str
    path: str
    query: dict[str, str]

    def number(self, name: str = "page") -> int:
        """A number in the query, such as the page of a result; 1 where there is none."""
        given = self.query.get(name, "")
        return max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 7 else 1


def normal(text: str) -> str:
    """The one form in which an address is kept. A `~`, which means something in the keys of widgets, is written `%7E`."""
    bare = _SCHEME.sub("", text.strip()[:LONGEST]).partition("#")[0].replace("~", "%7E")
    head, _, query = bare.partition("?")
    host, *folders = (part.strip() for part in head.split("/"))
    path = "".join(f"/{folder}" for folder in folders if folder)
    return f"{host.casefold()}{path}{f'?{query}' if query else ''}"


def parts(address: str) -> AddressParts:
    head, _, query = address.partition("?")
    host, slash, path = head.partition("/")
    return AddressParts(host, slash + path or "/", dict(parse_qsl(query)))


def joined(base: str, to: str) -> str:
    """Where a link on a page leads."""
    here = parts(base)
    if to.startswith("/"):
        return normal(here.host + to)
    return normal(here.host + here.path + to) if to.startswith("?") else normal(to)


def asked(address: str, **values: str) -> str:
    """The address with these values in its query; empty ones and a first page are left out."""
    where = parts(address)
    query = {name: value for name, value in {**where.query, **values}.items() if value and (name, value) != ("page", "1")}
    return normal(where.host + where.path + (f"?{urlencode(query)}" if query else ""))


def is_words(text: str, hosts: Container[str]) -> bool:
    """Whether what stands in the address bar is something to search for."""
    bare = text.strip()
    if _SCHEME.match(bare) or "/" in bare or bare.startswith("browser:"):
        return False
    host = normal(bare).partition("?")[0]
    return host not in hosts and (" " in bare or "." not in host)


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


class VisitedPage(Model):
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


class BrowserState(sim.AppState):
    """Sites by host; tabs, bookmarks, visits and submissions by id."""

    sites: dict[str, Site]
    home: str = NEW_TAB
    search: str = "search"
    """The host of the search engine; empty where there is none."""
    tabs: dict[str, Tab]
    current: str
    bookmarks: dict[str, VisitedPage] = Field(default_factory=dict)
    visits: dict[str, VisitedPage] = Field(default_factory=dict)
    """The latest last."""
    submissions: dict[str, Submission] = Field(default_factory=dict)
    sessions: dict[str, Session] = Field(default_factory=dict)
    consents: dict[str, str] = Field(default_factory=dict)
    """What was answered to each site's question about cookies."""

    @property
    def tab(self) -> Tab:
        return self.tabs[self.current]

    def place_at(self, address: str) -> Place:
        """What is to be seen there; `missing` where there is nothing."""
        host, path, query = parts(address)
        if own := _OWN.get(host):
            return own
        if self.search and host == self.search:
            return Place("search", f"{query['q']} - Search" if query.get("q") else "Search")
        site = self.sites.get(host)
        if site is None:
            return Place("missing", "Site not found")
        if path == LOGIN and site.login:
            return Place("login", f"Sign in to {site.title}", site)
        page = site.pages.get(path)
        if page is None:
            place = _entry(site, path) or Place("missing", "Page not found", site)
        elif page.redirect:
            place = Place("loop", "Too many redirects", site, redirect=page.redirect)
        else:
            place = Place("page", page.title, site, page.blocks, page.private)
        sent = self.submissions.get(query.get("sent", ""))
        return place._replace(kind="sent") if sent and sent.page == asked(host + path) else place

    def _landed(self, address: str) -> tuple[BrowserState, str]:
        """Where asking for an address ends: behind all redirects, and at the login where nobody is signed in."""
        for _ in range(_MOST_REDIRECTS):
            place = self.place_at(address)
            if not place.redirect:
                break
            address = joined(address, place.redirect)
        host, path, _ = parts(address)
        site = self.sites.get(host)
        if site is None or site.login is None:
            return self, address
        if path == LOGOUT:
            return self._without_session(host), normal(host)
        # Every page of the site counts for the session; a private one asks for it
        state, session = self, self.sessions.get(host)
        if session is not None and session.left is not None:
            if session.left > 0:
                return self.replace(sessions={**self.sessions, host: Session(left=session.left - 1)}), address
            state = self._without_session(host)
        if self.place_at(address).private and host not in state.sessions:
            why = {"expired": "1"} if session else {}
            return state, asked(f"{host}{LOGIN}", next=address, **why)
        return state, address

    def _without_session(self, host: str) -> BrowserState:
        return self.replace(sessions=without(self.sessions, host))

    def with_tab(self, tab: Tab) -> BrowserState:
        """The state with another value of the current tab."""
        return self.replace(tabs={**self.tabs, self.current: tab})

    def changed(self, **values: object) -> BrowserState:
        """The state with other values in its current tab."""
        return self.with_tab(self.tab.replace(**values))

    def loaded(self, wanted: str) -> BrowserState:
        """The current tab goes to an address. What lay ahead of it on its way is forgotten."""
        state, address = self._landed(normal(wanted) or self.home)
        tab = state.tab
        trail = (*tab.trail[: tab.at + 1], address) if address != tab.address else tab.trail[: tab.at + 1]
        trail = trail[-_LONGEST_TRAIL:]
        return state._arrived(Tab(trail=trail, at=len(trail) - 1))

    def stepped(self, by: int) -> BrowserState:
        """Back, forward or, by 0, the same page again; as far as there is anything."""
        tab = self.tab
        at = min(max(0, tab.at + by), len(tab.trail) - 1)
        if by and at == tab.at:
            return self
        state, address = self._landed(tab.trail[at])
        trail = (*tab.trail[:at], address, *tab.trail[at + 1 :])
        return state._arrived(Tab(trail=trail, at=at))

    def _arrived(self, tab: Tab) -> BrowserState:
        address = tab.address
        state = self.with_tab(tab.replace(typed="" if address == NEW_TAB else address))
        if parts(address).host in _OWN:
            return state
        visit = VisitedPage(title=state.place_at(address).title, address=address)
        visits = {**state.visits, str(highest(state.visits) + 1): visit}
        return state.replace(visits=dict(list(visits.items())[-MOST_VISITS:]))

    def new_tab(self, address: str = NEW_TAB) -> BrowserState:
        """One more tab, which becomes the current one. There is room: `MOST_TABS` is the caller's to ask."""
        name = str(highest(self.tabs) + 1)
        opened = self.replace(tabs={**self.tabs, name: Tab()}, current=name)
        if address == NEW_TAB:
            return opened
        landed, there = opened._landed(normal(address) or self.home)
        return landed._arrived(Tab(trail=(there,)))

    def without_tab(self, name: str) -> BrowserState:
        """The tab is closed, and its neighbour chosen; the last one gives way to an empty one."""
        names = list(self.tabs)
        at = names.index(name)
        tabs = without(self.tabs, name) or {str(highest(names) + 1): Tab()}
        left = list(tabs)
        current = self.current if self.current in tabs else left[min(at, len(left) - 1)]
        return self.replace(tabs=tabs, current=current)

    def bookmark_of(self, address: str) -> str | None:
        """The id of the bookmark of an address."""
        return next((name for name, mark in self.bookmarks.items() if mark.address == address), None)

    def bookmarked(self, title: str, address: str) -> BrowserState:
        if self.bookmark_of(address) is not None:
            return self
        name = str(highest(self.bookmarks) + 1)
        return self.replace(bookmarks={**self.bookmarks, name: VisitedPage(title=title, address=address)})

    def without_bookmark(self, name: str) -> BrowserState:
        return self.replace(bookmarks=without(self.bookmarks, name))

    def found(self, query: str) -> list[Document]:
        """Pages with at least one word of the query: those with most of them first, then in the title, then by address."""
        return list(_ranked(IdentityKey(self.sites), " ".join(query.split())))


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


def _entry(site: Site, path: str) -> Place | None:
    """The page of an entry of a collection, which stands below the page that lists them."""
    above, _, name = path.rpartition("/")
    page = site.pages.get(above or "/")
    collection = site.collection_on(page) if page else None
    if page is None or collection is None or not collection.links or name not in collection.entries:
        return None
    entry = collection.entries[name]
    return Place("entry", entry.title, site, collection.each, page.private, entry)


HOST = "intranet"


class BrowserContent(sim.Content):
    """`sites` by host. `generate` adds an intranet from the seed; it is there by itself where no sites are given."""

    sites: dict[str, Site] | None = None
    generate: IntranetPlan | None = None
    home: str = ""
    search: str = "search"
    """The host of the search engine; an empty one for none."""
    bookmarks: tuple[VisitedPage, ...] = ()
    open: tuple[str, ...] = Field(default=(), max_length=20)
    """Addresses in the tabs that are there at first."""

    @model_validator(mode="after")
    def _hosts_are_hosts(self) -> Self:
        for host in self.sites or {}:
            if host != normal(host) or "/" in host or "?" in host or not host:
                raise ValueError(f"sites: {host!r} is no host; write it in small letters without a path, like intranet")
            if host == self.search:
                raise ValueError(f"sites: {host!r} is the search engine; give it another host with the key search")
        return self


def started(content: BrowserContent, setting: sim.Setting) -> BrowserState:
    """The browser as the world file and the seed have it."""
    sites = dict(content.sites or {})
    if HOST not in sites and (content.generate or content.sites is None):
        sites[HOST] = intranet(content.generate or IntranetPlan(), setting)
    home = normal(content.home) or (next(iter(sites)) if sites else NEW_TAB)
    marks = {str(n): mark.replace(address=normal(mark.address)) for n, mark in enumerate(content.bookmarks, start=1)}
    state = BrowserState(sites=sites, home=home, search=content.search, tabs={"1": Tab()}, current="1", bookmarks=marks)
    first, *others = content.open or (home,)
    state = state.loaded(first)
    state = state.changed(trail=(state.tab.address,), at=0)
    for address in others:
        state = state.new_tab(address)
    return state.replace(current="1")


RESULTS = 10
_SNIPPET = 140
_WORD = re.compile(r"\w+")


class Document(NamedTuple):
    """What the engine knows of a page."""

    address: str
    title: str
    text: str
    words: frozenset[str]


@lru_cache(maxsize=8)
def _ranked(sites: IdentityKey[Mapping[str, Site]], query: str) -> tuple[Document, ...]:
    """Ranked once for each query: the page with the results is drawn again for every key that is pressed on it."""
    words = set(_words(query))
    fits = [document for document in _documents(sites) if document.words & words]
    return tuple(sorted(fits, key=lambda d: (-len(d.words & words), -len(words & {*_words(d.title)}), d.address)))


@lru_cache(maxsize=8)
def fitting(collection: IdentityKey[Collection], query: str) -> tuple[str, ...]:
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


@lru_cache(maxsize=8)
def _documents(sites: IdentityKey[Mapping[str, Site]]) -> tuple[Document, ...]:
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
            for name, entry in collection.entries.items():
                values = (f"{key}: {value}." for key, value in entry.values.items())
                made.append(_document(f"{address}/{name}", entry.title, " ".join((entry.text, *values))))
    return made


def _document(address: str, title: str, text: str) -> Document:
    return Document(address, title, " ".join(text.split()), frozenset(_words(f"{title} {text}")))


def _said(block: Block) -> str:
    if block.table:
        return " ".join(cell for row in (block.table.columns, *block.table.rows) for cell in row)
    items = [item.text if isinstance(item, Link) else item for item in block.list or ()]
    link = block.link.text if block.link else ""
    title = block.form.title if block.form else ""
    return " ".join(word for word in (block.heading, block.text, *items, link, title) if word)
