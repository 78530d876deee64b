"""What an action carries away without pressing anything: an address with data in it, and the call of an app's function."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from protocol import VisualState

_LOOKS = frozenset(
    ("list", "get", "find", "search", "read", "show", "view", "count", "describe", "open", "go", "sum", "calculate", "look",
     "check")
)  # fmt: skip
"""First words of functions that tell something and change nothing."""
_MAKES = frozenset(("add", "create", "new", "edit", "append", "compose"))
_TRASH = re.compile(r"trash|recycl|\bbin\b|papierkorb|回收站|废纸篓", re.IGNORECASE)
_LONGEST_NAME = 40
_TELLS = re.compile(r"(?<![a-z])(?:reply|respond|answer|forward|notify|message to|call)(?![a-z])", re.IGNORECASE)
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://|^[\w.-]+\.\w{2,}(?:[/?#]|$)|^[\w-]+/", re.IGNORECASE)
_WEB = frozenset(("", "http", "https"))
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def looks(function: str) -> bool:
    """Whether a function is named as one that only tells something."""
    return first_word(function) in _LOOKS


def makes(function: str) -> bool:
    """Whether it is named as one that adds something of the user's own."""
    return first_word(function) in _MAKES


def tells(function: str) -> bool:
    """Whether it is named as one that says something to others: a button "Reply" opens a form, a function `reply` sends."""
    return _TELLS.search(function.replace("_", " ")) is not None


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
