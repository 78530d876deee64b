"""Texts from the screen, made so that they stay on their line and inside their quotes."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}")
_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,23}")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_JOINERS = "\u200c\u200d"
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]")
"""Letters and marks of Unicode that show nothing, by which a text can be hidden in another."""


def quoted(text: str, limit: int) -> str:
    """`"text"`, and where it is longer than `limit` characters `"te"…(+2)`. One line, whatever the text holds."""
    if len(text) > limit:
        return f'"{escaped(text[:limit])}"…(+{len(text) - limit})'
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """Line ends, quotes, backslashes and all that is not seen (control, bidi and hidden characters) spelt out."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(_shown(text, at) for at in range(len(text)))


def word(text: str) -> str:
    """An id or the name of an app: bare if it is a plain word, and in quotes, whole, if it is not."""
    return text if _WORD.fullmatch(text) else f'"{escaped(text)}"'


def role_word(role: str) -> str:
    """A role; one that is no plain word stands in quotes, so that it is no more than a word of its line."""
    return role if _ROLE.fullmatch(role) else f"role={quoted(role, 24)}"


def _shown(text: str, at: int) -> str:
    char = text[at]
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable() or (char.isspace() and char > "\x9f" and char not in "\u2028\u2029"):
        return _code(char) if _UNSEEN.match(char) else char
    if char in _JOINERS and _joins(text, at):
        return char
    return _code(char)


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands alone between two letters or pictures that need it, as in Persian and in emoji."""
    around = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(around) == 2 and all(char > "\u02ff" and char.isprintable() for char in around)


def _code(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"
