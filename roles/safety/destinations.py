"""Where a press or an address leads, as its page says it; what of that its words hide, and what it carries away."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from protocol import GUIElement, VisualState
from roles.safety.vocabulary import words

_LOOKS = words("functions", "looks")
_TRASH = re.compile(r"trash|recycl|\bbin\b|papierkorb|回收站|废纸篓", re.IGNORECASE)
_LONGEST_NAME = 40
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://|^[\w.-]+\.\w{2,}(?:[/?#]|$)|^[\w-]+/", re.IGNORECASE)
_WEB = frozenset(("", "http", "https"))
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def looks(function: str) -> bool:
    """Whether a function is named as one that only tells something."""
    return first_word(function) in _LOOKS


def first_word(function: str) -> str:
    return re.split(r"[_\s]|(?<=[a-z])(?=[A-Z])", function.strip(), maxsplit=1)[0].casefold()


def into_trash(value: Any) -> bool:
    """Whether one of the texts names a bin; a longer one is no place to put something."""
    return any(len(text) < _LONGEST_NAME and _TRASH.search(text) for text in texts(value))


def addresses(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Every text among the arguments of a call that is an address."""
    return (text for text in texts(arguments) if _ADDRESS.match(text) and not re.search(r"\s", text))


def texts(value: Any) -> Iterator[str]:
    left = [value]
    while left:
        at = left.pop()
        if isinstance(at, str):
            yield at
        elif isinstance(at, Mapping):
            left += at.values()
        elif isinstance(at, list | tuple):
            left += at


def takes_data(address: str, state: VisualState) -> bool:
    """Whether opening an address tells another site something: what stands behind its `?` or `#`, or before its `@`.

    The site that is shown, in a field for addresses or in the title of a window, may be told what it asks for.
    """
    try:
        parts = urlsplit(address if re.match(r"[a-z][a-z0-9+.-]*:", address, re.IGNORECASE) else f"//{address}")
    except ValueError:
        return True
    host = (parts.hostname or "").casefold()
    if not (parts.query or "=" in parts.fragment or parts.username) or not host:
        return False
    shown = [element.value or "" for element in state.elements if element.role in {"textbox", "searchbox", "combobox"}]
    return not any(_host(text) == host for text in (*shown, *(window.title for window in state.windows)))


def is_program(address: str) -> bool:
    """An address that is no page: `javascript:`, `data:`, `file:` and the like."""
    found = re.match(r"\s*([a-z][a-z0-9+.-]*):(?!\d)", address, re.IGNORECASE)
    return found is not None and found[1].casefold() not in _WEB | {"about"}


def _host(text: str) -> str:
    try:
        return (urlsplit(text if "://" in text else f"//{text.strip()}").hostname or "").casefold()
    except ValueError:
        return ""


def disguised(name: str) -> bool:
    """Whether a word mixes letters of alphabets that look alike, which no language does."""
    return not name.isascii() and any(len(set(map(_script, word)) - {""}) > 1 for word in re.findall(r"[^\W\d_]+", name))


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")


_SENDS = frozenset({"get", "post"})
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
    way, beside = way_of(element), state.beside(element)
    said = [f'it stands beside "{beside}"'] if beside else []
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
    # A page writes forms into frames of its own, too
    sends = way is not None and way.how in _SENDS and not way.address.startswith("about:")
    return way is not None and sends and bool(home) and not same_site(way.host, home)


def page_host(state: VisualState) -> str:
    """The site that a browser's window in front shows; empty for any other window."""
    front = next((w for w in state.windows if w.focused), None)
    address = front.title.rpartition(" - ")[2] if front is not None else ""
    return host_of(address) if "://" in address else ""


def frame_host(element: GUIElement, state: VisualState) -> str:
    """The site of the frame that the element stands in; empty where it stands in none, or in one of the page's own."""
    shows = next((at.leads for at in state.above(element) if (at.leads or "").startswith("shows ")), None)
    return host_of(shows.partition(" ")[2]) if shows else ""


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
