"""What a world file may say of the browser, and how the browser begins."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from environments.simulated.app import Content, Setting
from environments.simulated.apps.browser_address import NEW_TAB, normal
from environments.simulated.apps.browser_content import Site
from environments.simulated.apps.browser_intranet import Made, intranet
from environments.simulated.apps.browser_state import BrowserState, Remembered, Tab, changed, loaded, new_tab

HOST = "intranet"


class BrowserContent(Content):
    """`sites` by host. `generate` adds an intranet from the seed; it is there by itself where no sites are given."""

    sites: dict[str, Site] | None = None
    generate: Made | None = None
    home: str = ""
    search: str = "search"
    """The host of the search engine; an empty one for none."""
    bookmarks: tuple[Remembered, ...] = ()
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


def started(content: BrowserContent, setting: Setting) -> BrowserState:
    """The browser as the world file and the seed have it."""
    sites = dict(content.sites or {})
    if HOST not in sites and (content.generate or content.sites is None):
        sites[HOST] = intranet(content.generate or Made(), setting)
    home = normal(content.home) or (next(iter(sites)) if sites else NEW_TAB)
    marks = {
        str(n): mark.model_copy(update={"address": normal(mark.address)}) for n, mark in enumerate(content.bookmarks, start=1)
    }
    state = BrowserState(sites=sites, home=home, search=content.search, tabs={"1": Tab()}, current="1", bookmarks=marks)
    first, *others = content.open or (home,)
    state = loaded(state, first)
    state = changed(state, trail=(state.tab.address,), at=0)
    for address in others:
        state = new_tab(state, address)
    return state.model_copy(update={"current": "1"})
