"""Quoted strings, money, dates, addresses and ids are opaque: each becomes one private-use character while grammar "
"looks at the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roles.screen.language.lexicon import MONTHS

FIRST, LAST = 0xE000, 0xF8FF
ANY = "[\ue000-\uf8ff]"
"""A held value, in a pattern."""

QUOTED = (
    r"(<secret>[a-z0-9_]{1,40}</secret>)|"
    r'"((?:\\.|[^"\\])*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|‘((?:[^’]|’(?=\w))*)’|`([^`]+)`|'
    r"(?<![^\W_])'((?:[^']|'(?=[^\W_])){1,500})'(?![^\W_])"
)
_QUOTED = re.compile(QUOTED, re.DOTALL)
_NUMBER = r"\d[\d,  ]*(?:\.\d+)?|\d[\d.]*,\d{2}"
_MONEY = (
    r"(?:[$€£¥]|(?:USD|EUR|GBP|CHF)\s?)\s?\d(?:[\d,.']*\d)?|\d(?:[\d,.']*\d)?\s?(?:USD|EUR|GBP|CHF|dollars?"
    r"|euros?|pounds?)\b|\d(?:[\d,.']*\d)?\s?[€£$]"
)
_TYPED: tuple[tuple[str, str], ...] = (
    ("url", r"\bhttps?://[^\s,;]+[^\s,;.]"),
    ("email", r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.\w+"),
    ("file", r"(?<![\w-])(?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:txt|pdf|csv|md|docx?|xlsx?|pptx?|png|jpe?g|json|log|zip|eml|ics"
    r"|html?|odt|ods|rtf)\b"),
    ("date", r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b|"
             rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTHS})\b\.?(?:,?\s+\d{{4}})?|"
             rf"\b(?:{MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?"),
    ("time", r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b"),
    ("money", _MONEY),
    ("id", r"\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d[\w-]*\b|\b[A-Z]{2,}\d{2,}\b|#\w*\d\w*\b"),
    ("number", r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w])|(?<![\w.])\d+(?:\.\d+)?%?(?![\w])"),
)  # fmt: skip
_TYPED_RE = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TYPED), re.IGNORECASE)
_COMMA_DATE = re.compile(rf"\b(?:{MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,\s+\d{{4}}\b", re.IGNORECASE)
_CASED_ID = re.compile(r"[A-Z#]")


@dataclass(frozen=True)
class MaskedText:
    """What stands behind a mask."""

    raw: str
    kind: str


class Masks:
    """The masks of one text. `hide` makes them, `show` takes them away, `only` reads a text that is one mask."""

    def __init__(self) -> None:
        self._held: list[MaskedText] = []

    def hide_quotes(self, text: str) -> str:
        """Hide quoted strings; stray private-use characters outside them become blanks."""
        parts: list[str] = []
        at = 0
        for match in _QUOTED.finditer(text):
            parts.append(_clean(text[at : match.start()]))
            parts.append(self._hold(_unquoted(match), "quoted"))
            at = match.end()
        return "".join([*parts, _clean(text[at:])])

    def hide_dates(self, text: str) -> str:
        """Hide the dates that have a comma in them, as `May 3, 2027`."""
        return _COMMA_DATE.sub(lambda match: self._hold(match.group(), "date"), text)

    def hide_typed(self, text: str) -> str:
        """Hide money, dates, addresses, ids, file names and numbers."""
        return _TYPED_RE.sub(self._hold_typed, text)

    def _hold_typed(self, match: re.Match[str]) -> str:
        kind, raw = match.lastgroup or "text", match.group()
        if kind == "id" and not _CASED_ID.match(raw):
            kind = "id" if "-" in raw and re.search(r"\d", raw) else "number"
        return self._hold(raw, kind)

    def _hold(self, raw: str, kind: str) -> str:
        if len(self._held) > LAST - FIRST:
            return _clean(raw)
        self._held.append(MaskedText(raw, kind))
        return chr(FIRST + len(self._held) - 1)

    def held(self, char: str) -> MaskedText:
        """What `char` hides."""
        return self._held[ord(char) - FIRST]

    def show(self, text: str) -> str:
        """`text` with every mask replaced by what it hides, quotes left out."""
        return re.sub(ANY, lambda m: self.held(m.group()).raw, text)

    def verbatim(self, text: str) -> str:
        """As `show`, with the quotation marks."""
        return re.sub(ANY, lambda m: _quote_again(self.held(m.group())), text)

    def only(self, text: str) -> MaskedText | None:
        """The held value when `text` is nothing but one mask."""
        return self.held(text) if len(text) == 1 and FIRST <= ord(text) <= LAST else None

    def of_kind(self, text: str, *kinds: str) -> list[str]:
        """The mask characters of these kinds in `text`."""
        return [c for c in re.findall(ANY, text) if self.held(c).kind in kinds]


def quote(text: str) -> str:
    """A string literal that `hide_quotes` reads back."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(match: re.Match[str]) -> str:
    raw = match.group()
    inner = next(group for group in match.groups() if group is not None)
    return re.sub(r'\\(["\\])', r"\1", inner) if raw.startswith('"') else inner


def _quote_again(held: MaskedText) -> str:
    return quote(held.raw) if held.kind == "quoted" else held.raw


def _clean(text: str) -> str:
    return re.sub(ANY, " ", text)
