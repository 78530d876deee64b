"""Where a press leads, as its page says it, and what of that is not what its words let one think."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from protocol import GUIElement, VisualState
from roles.safety.outgoing_data import disguised, is_program

_SENDS = frozenset({"get", "post"})
_DEEPEST = 64
_TOLD = 80
_SHOWN = re.compile(r"(?:https?://|\bwww\.)([\w.-]+\.\w+(?::\d+)?)|^((?:[\w-]+\.)+([a-z]{2,}))(?:/\S*)?$", re.IGNORECASE)
_TOP = re.compile(r"com|org|net|edu|gov|mil|int|info|biz|io|app|dev|shop|bank|online|site|example|[a-z]{2}", re.IGNORECASE)
_FILES = frozenset(("js", "ts", "py", "md", "sh", "rb", "rs", "pl", "go", "cs", "ps", "db", "gz", "so", "ai"))
"""Endings of two letters that are files more often than countries."""


class Way(NamedTuple):
    """`how` is open, download, get or post; `host` has the port, where one is named."""

    how: str
    address: str
    by: str = ""
    """Name and value of the button that sends it."""

    @property
    def host(self) -> str:
        return host_of(self.address)

    @property
    def said(self) -> str:
        """All of it that may name what it does."""
        return f"{self.address}{'&' if '?' in self.address else '?'}{self.by}" if self.by else self.address


def way_of(element: GUIElement) -> Way | None:
    """Where a press of it leads; None where its page says nothing of that."""
    how, _, rest = (element.leads or "").partition(" ")
    address, _, by = rest.partition(" by ")
    return Way(how, address, by) if address and how != "shows" else None


def told(element: GUIElement, state: VisualState) -> tuple[str, ...]:
    """What a person who is asked about a press should know: where it leads, and what is odd about it."""
    way = way_of(element)
    said = []
    if way is not None and way.how in _SENDS:
        by = f" with {way.by}" if way.by else ""
        said.append(f"it sends the form to {way.host or way.address} ({way.how.upper()} {way.address}{by})")
    elif way is not None:
        said.append(f"it leads to {way.address}")
    if element.shown:
        said.append(f'it shows "{element.shown[:_TOLD]}", and its page calls it "{element.name[:_TOLD]}"')
    return (*said, *warnings(element, state))


def warnings(element: GUIElement, state: VisualState) -> tuple[str, ...]:
    """What about a press is not as it looks; nothing where all is."""
    way, here, frame = way_of(element), page_host(state), frame_host(element, state)
    found = []
    if frame and here and not same_site(frame, here):
        found.append(f"it stands in a frame of {frame}, and the page is on {here}")
    if way is None:
        return tuple(found)
    if sends_elsewhere(element, state):
        found.append(f"{way.host} is another site than {frame or here}")
    if (shown := _shown_host(element.name)) and way.host and not same_site(shown, way.host):
        found.append(f"its words show {shown}, and it leads to {way.host}")
    if _disguised_host(way.host):
        found.append(f"the address {way.host} is written in letters that look like others")
    return tuple(found)


def sends_elsewhere(element: GUIElement, state: VisualState) -> bool:
    """Whether it sends a form to another site than the one that it stands on."""
    way, home = way_of(element), frame_host(element, state) or page_host(state)
    return way is not None and way.how in _SENDS and bool(home) and not same_site(way.host, home)


def is_odd(element: GUIElement, state: VisualState) -> bool:
    """Whether its words say too little of what a press does."""
    way = way_of(element)
    return bool(warnings(element, state)) or (way is not None and is_program(way.address))


def page_host(state: VisualState) -> str:
    """The site that a browser's window in front shows; empty for any other window."""
    front = next((w for w in state.windows if w.focused), None)
    address = front.title.rpartition(" - ")[2] if front is not None else ""
    return host_of(address) if "://" in address else ""


def frame_host(element: GUIElement, state: VisualState) -> str:
    """The site of the frame that the element stands in; empty where it stands in none, or in one of the page's own."""
    at = state.by_id.get(element.parent or "")
    for _ in range(_DEEPEST):
        if at is None:
            return ""
        if (at.leads or "").startswith("shows "):
            return host_of((at.leads or "").partition(" ")[2])
        at = state.by_id.get(at.parent or "")
    return ""


def host_of(address: str) -> str:
    """Host and port of an address; empty where it has none."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2].casefold()
    except ValueError:
        return ""


def same_site(one: str, other: str) -> bool:
    """Whether two hosts are one site: alike, or the one below the other."""
    first, second = (host.removeprefix("www.").removesuffix(":80").removesuffix(":443") for host in (one, other))
    return first == second or first.endswith(f".{second}") or second.endswith(f".{first}")


def _shown_host(name: str) -> str:
    """The host that the words of a link let one think it leads to."""
    found = _SHOWN.search(name.strip())
    if found is None:
        return ""
    if found[1]:
        return found[1].casefold()
    known = _TOP.fullmatch(found[3]) is not None and found[3].casefold() not in _FILES
    return found[2].casefold() if known else ""


def _disguised_host(host: str) -> bool:
    """Whether a host's letters, of another alphabet than its ending, look like those of another host."""
    if "xn--" not in host:
        return False
    name = host.rpartition(":")[0] if ":" in host else host
    try:
        read = name.encode("ascii").decode("idna")
    except UnicodeError:
        return True
    return disguised(read) or disguised(read.replace(".", ""))
