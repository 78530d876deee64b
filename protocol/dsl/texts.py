"""Texts and numbers as the DSL writes them: JSON's escapes, and `\\u{...}` for exactly one code point."""

from __future__ import annotations

import re

_FORMS = ('"{q}"', "'{q}'", "[“„]{q}[“”]", "[‘‚]{q}[‘’]")
_OUT = ('"', "'", "“”", "‘’")
QUOTED = "|".join(form.replace("{q}", rf"[^{out}\\\n]*+(?:\\.[^{out}\\\n]*+)*+") for form, out in zip(_FORMS, _OUT, strict=True))
"""A text in any of the quotes that are read, as a regular expression that never goes back."""
OPENING = "\"'“„‘‚"

_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "/": "/", "\\": "\\", **{mark: mark for mark in "\"'“”„‘’‚"}}
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\\": "\\\\", '"': '\\"'}
_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})|u\{(?P<point>[0-9a-fA-F]{1,6})\}"
    r"|u(?P<unit>[0-9a-fA-F]{4})|(?P<sign>.))"
)
_JOINERS = "\u200c\u200d"
"""Not printable by themselves, but scripts and emoji are wrong without them."""


class BadText(ValueError):
    """An escape that is none. `offset` counts from the opening quote."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def unquoted(literal: str) -> str:
    """What a text in quotes says. Raises BadText."""
    return _ESCAPE.sub(_unescaped, literal)[1:-1]


def _unescaped(match: re.Match[str]) -> str:
    if match["sign"] == "u":
        raise BadText('"\\u" needs four hexadecimal digits, or up to six of them in braces', match.start())
    if match["sign"]:
        if match["sign"] not in _PLAIN:
            raise BadText(f'there is no escape "\\{match["sign"]}"; a backslash itself is written "\\\\"', match.start())
        return _PLAIN[match["sign"]]
    try:
        if match["high"]:
            high, low = int(match["high"], 16), int(match["low"], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        return chr(int(match["point"] or match["unit"], 16))
    except ValueError:
        raise BadText(f"there is no character {match[0]}", match.start()) from None


def quoted(text: str) -> str:
    """`text` in double quotes, on one line; `unquoted` gives it back. What cannot be seen is written as an escape."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(sign: str) -> str:
    if sign in _SHORT:
        return _SHORT[sign]
    if sign.isprintable() or sign in _JOINERS:
        return sign
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\u{{{ord(sign):x}}}"


NUMBER = r"[-+]?(?:0x[0-9a-f]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?)"


def number(literal: str) -> int | float:
    """A whole number stays one. Raises ValueError for one that no number can hold."""
    if "x" in literal.lower():
        return int(literal, 16)
    if not any(sign in ".eE" for sign in literal):
        return int(literal)
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        raise ValueError("too large")
    return value


def numeral(value: int | float) -> str:
    """`value` so that `number` gives it back, an int or a float as it was."""
    try:
        return repr(value)
    except ValueError:  # Python writes thousands of digits in hexadecimal only
        return hex(value) if isinstance(value, int) else ""


def length(seconds: float) -> str:
    """A time in seconds, without the fraction where there is none."""
    return f"{numeral(seconds).removesuffix('.0') if seconds else numeral(seconds)} s"
