"""Addresses: `intranet/handbook?page=2`, kept without a scheme and without what stands behind a `#`."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

NEW_TAB, HISTORY, BOOKMARKS = "browser:new-tab", "browser:history", "browser:bookmarks"
LONGEST = 2000
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Parts(NamedTuple):
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


def parts(address: str) -> Parts:
    head, _, query = address.partition("?")
    host, slash, path = head.partition("/")
    return Parts(host, slash + path or "/", dict(parse_qsl(query)))


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
