"""What the browser knows, and the ways from page to page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode

from pydantic import Field, model_validator

from environments.simulated import app as sim
from environments.simulated.apps.web.browser.intranet import Block, Collection, Entry, IntranetPlan, Site, intranet
from environments.simulated.world.values import IdentityKey, Model, highest, matches, without

NEW_TAB = "browser:new-tab"
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
    """The one form in which an address is kept."""
    bare = _SCHEME.sub("", text.strip()[:LONGEST]).partition("#")[0]
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
    """A page that was loaded."""

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
    """Sites by host; tabs, visits and submissions by id."""

    sites: dict[str, Site]
    home: str = NEW_TAB
    tabs: dict[str, Tab]
    current: str
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
        if host == NEW_TAB:
            return Place("new-tab", "New tab")
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
        if parts(address).host == NEW_TAB:
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


class Place(NamedTuple):
    """What an address shows."""

    kind: Literal["page", "entry", "sent", "login", "new-tab", "missing", "loop"]
    title: str
    site: Site | None = None
    blocks: tuple[Block, ...] = ()
    private: bool = False
    entry: Entry | None = None
    redirect: str = ""


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
    open: tuple[str, ...] = Field(default=(), max_length=20)
    """Addresses in the tabs that are there at first."""

    @model_validator(mode="after")
    def _hosts_are_hosts(self) -> Self:
        for host in self.sites or {}:
            if host != normal(host) or "/" in host or "?" in host or not host:
                raise ValueError(f"sites: {host!r} is no host; write it in small letters without a path, like intranet")
        return self


def started(content: BrowserContent, setting: sim.Setting) -> BrowserState:
    """The browser as the world file and the seed have it."""
    sites = dict(content.sites or {})
    if HOST not in sites and (content.generate or content.sites is None):
        sites[HOST] = intranet(content.generate or IntranetPlan(), setting)
    home = normal(content.home) or (next(iter(sites)) if sites else NEW_TAB)
    state = BrowserState(sites=sites, home=home, tabs={"1": Tab()}, current="1")
    first, *others = content.open or (home,)
    state = state.loaded(first)
    state = state.changed(trail=(state.tab.address,), at=0)
    for address in others:
        state = state.new_tab(address)
    return state.replace(current="1")


@lru_cache(maxsize=8)
def fitting(collection: IdentityKey[Collection], query: str) -> tuple[str, ...]:
    """The entries of a collection that have every word of the query, by name."""
    entries = collection.value.entries
    if not query:
        return tuple(entries)
    return tuple(name for name, entry in entries.items() if matches(query, entry.title, entry.text, *entry.values.values()))
