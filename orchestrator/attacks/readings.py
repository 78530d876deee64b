"""Every way in which somebody gullible could read a text: what is hidden, encoded, coloured or written backwards in it."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_DEPTH = 3
"""How often a reading is read anew: base64 in a comment in a percent-encoded text."""
_MOST = 60
_LONGEST = 20_000
_QUOTES = str.maketrans(dict.fromkeys("„“”‟«»「」『』＂❝❞", '"'))
_LOOKALIKES = str.maketrans(
    "асеіјорхуѕԁһԛԝмтнкбгАВЕЅІЈКМНОРСТУХ" + "αεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceijopxysdhqwmthkbrABESIJKMHOPCTYX" + "aeikvoptuxABEZHIKMNOPTYX",
)
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|(?:␛|\\x1b|\\033|\\e)\[[0-9;]*m")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,2000}>|\[/?[a-z#][a-z0-9 #_.,=-]{0,60}\]")
_INSIDE = re.compile(
    r"<!--(.*?)-->|\[//\]:\s*#\s*[(\"](.*?)[)\"]\s*$|(?:alt|title|aria-label|content)=\"([^\"]+)\"", re.DOTALL | re.MULTILINE
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){12,}")
_BITS = re.compile(r"(?:[01]{8}\s+){5,}[01]{8}")
_NUMBERS = re.compile(r"(?:\d{2,3}[ ,]+){10,}\d{2,3}")
_SPACED = re.compile(r"(?:(?<=\s)|^)(?:\S {1}){4,}\S(?=\s|$)")


def readings(text: str) -> tuple[str, ...]:
    """The text and all that can be made of it, without repetition."""
    found = {text[:_LONGEST]: None}
    newest = list(found)
    for _ in range(_DEPTH):
        newest = [new for old in newest for new in _read(old) if new not in found]
        found.update(dict.fromkeys(newest[: _MOST - len(found)]))
        if not newest or len(found) >= _MOST:
            break
    return tuple(reading for reading in found if not _is_json(reading)) or (text[:_LONGEST],)


def _is_json(text: str) -> bool:
    """What is said in it is read without its quotes and braces."""
    try:
        return text.lstrip()[:1] in {"{", "["} and bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _read(text: str) -> Iterator[str]:
    for way in _WAYS:
        for found in way(text):
            plain = found.strip()
            if plain and plain != text:
                yield plain


def _plain(text: str) -> Iterator[str]:
    normal = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    yield "".join(c for c in normal if unicodedata.category(c) not in {"Cf", "Cc", "Cn"} or c in "\n\t")


def _alike(text: str) -> Iterator[str]:
    if not text.isascii() and re.search(r"[A-Za-z]", text):
        bare = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Mn")
        yield bare.translate(_LOOKALIKES)


def _unseen(text: str) -> Iterator[str]:
    """Letters of the block of tags, which are drawn by nothing."""
    hidden = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
    if hidden:
        yield hidden


def _uncoloured(text: str) -> Iterator[str]:
    if "\x1b" in text or "␛" in text or "\\" in text:
        yield _ANSI.sub("", text)


def _unmarked(text: str) -> Iterator[str]:
    yield from (next(part for part in found if part) for found in _INSIDE.findall(text) if any(found))
    if "<" in text or "[" in text:
        yield _TAG.sub("", text)
    if "&" in text:
        yield html.unescape(text)
    if re.search(r"[*_~#]{1,3}\w", text):
        yield re.sub(r"(?:\*{1,3}|_{2,3}|~~|^#+ ?)", "", text, flags=re.MULTILINE)


def _backwards(text: str) -> Iterator[str]:
    if any(c in text for c in "\u202e\u202d\u2067") or re.search(r"backwards|reversed|rückwärts|倒着|倒序", text, re.IGNORECASE):
        yield from (line[::-1] for line in "".join(c for c in text if unicodedata.category(c) != "Cf").splitlines())


def _turned(text: str) -> Iterator[str]:
    if re.search(r"rot-?13|caesar", text, re.IGNORECASE):
        yield codecs.decode(text, "rot13")


def _encoded(text: str) -> Iterator[str]:
    for found in _BASE64.findall(text):
        yield from _text_of(
            base64.urlsafe_b64decode if set("-_") & set(found) else base64.b64decode, found + "=" * (-len(found) % 4)
        )
    for found in _HEX.findall(text):
        yield from _text_of(bytes.fromhex, re.sub(r"[ :]", "", found))
    for found in _BITS.findall(text):
        yield "".join(chr(int(bits, 2)) for bits in found.split())
    for found in _NUMBERS.findall(text):
        yield "".join(chr(int(number)) for number in re.split(r"[ ,]+", found) if 9 <= int(number) < 256)


def _escaped(text: str) -> Iterator[str]:
    if re.search(r"%[0-9a-fA-F]{2}", text):
        yield unquote(text)
    if re.search(r"=[0-9A-F]{2}", text):
        yield re.sub(r"=([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text.replace("=\n", ""))
    if re.search(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}", text):
        yield re.sub(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})", lambda m: chr(int(m[1] or m[2], 16)), text)


def _within(text: str) -> Iterator[str]:
    """Texts of a JSON value, such as the answer of a tool."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return
    left = [value]
    while left:
        at = left.pop()
        if isinstance(at, str):
            yield at
        elif isinstance(at, dict | list):
            left += at.values() if isinstance(at, dict) else at


def _pulled_together(text: str) -> Iterator[str]:
    """`d e l e t e`: letters apart, words further apart."""
    if _SPACED.search(text):
        yield re.sub(r"  +", "\0", text).replace(" ", "").replace("\0", " ")


def _text_of(decode: Callable[[str], bytes], said: str) -> Iterator[str]:
    try:
        found = decode(said).decode("utf-8")
    except (ValueError, binascii.Error):
        return
    if found.isprintable() or "\n" in found:
        yield found


_WAYS: tuple[Callable[[str], Iterator[str]], ...] = (
    _plain, _alike, _unseen, _uncoloured, _unmarked, _backwards, _turned, _encoded, _escaped, _within, _pulled_together,
)  # fmt: skip
