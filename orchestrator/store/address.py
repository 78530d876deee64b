"""The address of a store that several machines share: read, and shown without what is secret in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

LOCAL = "sqlite"
"""The store of a run that no other machine works: files in its folder."""
MASK = "***"
"""Stands for a password that is not shown; read back, it means that none was given."""
_SCHEMES = ("postgresql", "postgres")
_SECRET = frozenset({"password", "sslpassword"})
_ADDRESS = re.compile(r"postgres(?:ql)?://\S*")
_HOW = "write sqlite, or postgresql://USER@HOST:PORT/DATABASE"


_given: dict[str, str] = {}
"""Addresses that this process was given, by what is shown of them: a run's files and messages have no passwords."""


def checked_address(text: Any) -> str:
    """`text`, if it is an address of a store; one with a masked password is the address that was given with it before, or has
    none. Raises ValueError, with nothing of the address in its words."""
    if not isinstance(text, str):
        raise ValueError(f"this is not an address of a store; {_HOW}")
    if text == LOCAL or text in _given:
        return _given.get(text, text)
    if any(sign.isspace() or not sign.isprintable() for sign in text):
        raise ValueError(f"there is a space or a control character in this address; {_HOW}")
    parts = _split(text)
    if parts is None:
        raise ValueError(f"this is not an address of a store; {_HOW}")
    if parts.fragment:
        raise ValueError("there is a # in this address; in a password write it as %23")
    address = _joined(parts, _user(parts, ""), [pair for pair in _pairs(parts) if not (_is_secret(pair) and pair[1] == MASK)])
    _given[shown_address(address)] = address
    return address


def stand_for(shown: str, address: str) -> None:
    """From now on a run's record that says `shown` means this address."""
    if _split(shown) is not None:
        _given[shown] = address


def shown_address(text: str) -> str:
    """The address with every password in it masked; what cannot be read is masked as a whole."""
    if text == LOCAL:
        return text
    parts = _split(text)
    if parts is None:
        return MASK
    return _joined(
        parts, _user(parts, MASK), [(key, MASK if _is_secret((key, value)) else value) for key, value in _pairs(parts)]
    )


def without_addresses(words: str, address: str = "") -> str:
    """What a library said, with neither the address nor a password of it."""
    for secret in sorted({address, *_secrets(address)} - {"", LOCAL}, key=len, reverse=True):
        words = words.replace(secret, MASK)
    return _ADDRESS.sub(lambda found: shown_address(found[0]), words)


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return parts if parts.scheme in _SCHEMES and text.startswith(f"{parts.scheme}://") else None


def _user(parts: SplitResult, mask: str) -> str:
    """The part in front of the host; its password replaced by `mask`, or with no mask only a masked one left out."""
    user, at, host = parts.netloc.rpartition("@")
    name, colon, password = user.partition(":")
    if mask:
        return f"{name}{colon}{mask if colon else ''}{at}{host}"
    return f"{name}{at}{host}" if password == MASK else parts.netloc


def _pairs(parts: SplitResult) -> Iterator[tuple[str, str]]:
    """The parameters as they are written."""
    for pair in filter(None, parts.query.split("&")):
        key, _, value = pair.partition("=")
        yield key, value


def _is_secret(pair: tuple[str, str]) -> bool:
    return unquote(pair[0]) in _SECRET


def _joined(parts: SplitResult, netloc: str, pairs: list[tuple[str, str]]) -> str:
    query = "&".join(f"{key}={value}" for key, value in pairs)
    return f"{parts.scheme}://{netloc}{parts.path}{'?' if query else ''}{query}"


def _secrets(address: str) -> set[str]:
    parts = _split(address)
    if parts is None:
        return set()
    user = parts.netloc.rpartition("@")[0]
    said = {user.partition(":")[2], *(value for key, value in _pairs(parts) if _is_secret((key, value)))}
    return said | set(map(unquote, said))
