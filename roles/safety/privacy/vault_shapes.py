"""Private values in running text: by their shape (cards, tokens, keys), or by the word beside them (`the password is ...`)."""

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from roles.safety.vocabulary import VOCABULARY, words

WHOLE = 4
"""A value with fewer characters is hidden in its field, fact and action only: it would be a part of half of all words."""
_ENCODED = 6
"""A value from this length on is found in other writings too."""
_PIN = re.compile(r"\d{4,6}")
_DIGITS = re.compile(r"\+?\d(?:[ ().-]{0,2}\d){6,18}")
_NO_FIGURE = re.compile(r"\D+")
_SPELT = 8
"""A value with so many letters and figures is found with something else between each two of them."""
_BETWEEN = r"[\W_]{1,3}"
_NO_LETTER = re.compile(r"[\W_]+")
_OTHER_SIGNS = {code: None for code in range(128) if not chr(code).isalnum()}
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
"""Signs that take no room."""
REFERENCE = re.compile(r"<secret>([a-z0-9_]{1,40})</secret>")


class Form(NamedTuple):
    """How one value may be written."""

    pattern: str
    texts: frozenset[str] = frozenset()
    """One of these stands in every text that the pattern finds something in, or else"""
    figures: str = ""
    """these figures do, whatever stands between them, or"""
    letters: str = ""
    """these letters and figures do, with something else between each two."""
    likeness: str = ""
    """These do where case, width, accents and what stands between them are left aside."""


class Finder:
    """One pattern for all values; a reference is passed over as a whole."""

    def __init__(self, forms: Mapping[str, Form]) -> None:
        ways = "|".join(f"(?P<_{name}>{form.pattern})" for name, form in forms.items())
        self._pattern = re.compile(f"{REFERENCE.pattern}|{ways}")
        self._texts = tuple({text for form in forms.values() for text in form.texts})
        self._figures = tuple(form.figures for form in forms.values() if form.figures)
        self._letters = tuple(form.letters for form in forms.values() if form.letters)
        self._alike = tuple(dict.fromkeys(form.likeness for form in forms.values() if form.likeness))
        first = {form.likeness: name for name, form in sorted(forms.items(), key=lambda each: -len(each[0])) if form.likeness}
        like = "|".join(f"(?P<_{first[letters]}>{_apart(letters)})" for letters in self._alike)
        self._like = re.compile(f"{REFERENCE.pattern}|{like}" if like else "(?!)")

    def replaced(self, text: str, write: Callable[[str], str], write_like: Callable[[str, str], str]) -> str:
        """`write_like` gets the name of a value and the text that is like it."""
        if self._may(text):
            text = self._pattern.sub(lambda match: write(match.lastgroup[1:]) if match.lastgroup else match[0], text)
        parts, at = [], 0
        for name, start, end in self._likenesses(text):
            parts += [text[at:start], write_like(name, text[start:end])]
            at = end
        return "".join([*parts, text[at:]]) if parts else text

    def finds(self, text: str) -> bool:
        plainly = self._may(text) and any(match.lastgroup for match in self._pattern.finditer(text))
        return plainly or bool(self._likenesses(text))

    def _likenesses(self, text: str) -> list[tuple[str, int, int]]:
        """What is like a value, and where: looked for without case, width and accents."""
        plain = _letters(alike(text)) if self._alike else ""
        if not any(wanted in plain for wanted in self._alike):
            return []
        signs = [alike(sign) for sign in text]
        places = [place for place, sign in enumerate(signs) for _ in sign]
        found = self._like.finditer("".join(signs))
        return [(m.lastgroup[1:], places[m.start()], places[m.end() - 1] + 1) for m in found if m.lastgroup]

    def _may(self, text: str) -> bool:
        """A quick look: the pattern of many values is slow on a whole screen, and almost none has one."""
        if any(wanted in text for wanted in self._texts):
            return True
        figures = _NO_FIGURE.sub("", text) if self._figures else ""
        if any(wanted in figures for wanted in self._figures):
            return True
        spelt = [letters for letters in self._letters if len(text) >= 2 * len(letters) - 1]
        plain = _letters(text) if spelt else ""
        return any(wanted in plain for wanted in spelt)


def finder_of(values: Mapping[str, str]) -> Finder | None:
    """The finder for these values by name; None where none is long enough to be looked for."""
    long = {name: value.strip() for name, value in values.items() if len(value.strip()) >= WHOLE}
    if not long:
        return None
    first = sorted(long, key=lambda name: -len(long[name]))  # one value may be a part of another
    return Finder({name: _form(long[name]) for name in first})


def alike(text: str) -> str:
    """A text without case and width, its accents as signs of their own."""
    return text.casefold() if text.isascii() else _HIDDEN.sub("", unicodedata.normalize("NFKD", text).casefold())


def _letters(text: str) -> str:
    return text.translate(_OTHER_SIGNS) if text.isascii() else _NO_LETTER.sub("", text)


def _apart(likeness: str) -> str:
    if likeness.isdecimal():
        return r"(?<!\d)" + r"[ ().-]{0,2}".join(likeness) + r"(?!\d)"
    return r"[\W_]{0,3}".join(map(re.escape, likeness))


def _form(value: str) -> Form:
    """The likeness of a few letters would be found in other words."""
    found, letters = _exact_form(value), _NO_LETTER.sub("", alike(value))
    return found._replace(likeness=letters) if len(letters) >= _ENCODED else found


def _exact_form(value: str) -> Form:
    if _PIN.fullmatch(value):  # standing alone: not a piece of an amount, a date or an id
        return Form(rf"(?<![\w.,/:-]){value}(?![\w/:-]|[.,]\d)", frozenset({value}))
    if _DIGITS.fullmatch(value) and value.isascii():
        figures = _NO_FIGURE.sub("", value)
        return Form(r"(?<!\d)\+?" + r"[ ().-]{0,2}".join(figures) + r"(?!\d)", figures=figures)
    texts = {value} | (_encoded(value) if len(value) >= _ENCODED else set())
    texts |= {value[::-1]} if len(value) >= _SPELT else set()
    longest_first = sorted(texts, key=len, reverse=True)  # where one begins another
    ways, letters = "|".join(map(re.escape, longest_first)), _NO_LETTER.sub("", value)
    if len(letters) < _SPELT:
        return Form(ways, frozenset(texts))
    return Form(f"{ways}|{_BETWEEN.join(map(re.escape, letters))}", frozenset(texts), letters=letters)


def _encoded(value: str) -> set[str]:
    body = value.encode("utf-8", "surrogatepass")
    quoted = quote(body, safe="")
    found = {quoted, quote(body), quote_plus(body), re.sub(r"%[0-9A-F]{2}", lambda m: m[0].lower(), quoted)}
    found |= {html.escape(value), html.escape(value, quote=False)}
    found |= {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    found |= {base64.b64encode(body).decode(), base64.b64encode(body).decode().rstrip("=")}
    return found | {base64.urlsafe_b64encode(body).decode(), body.hex()}


class PrivateSpan(NamedTuple):
    """A private value from `start` to `end` of a text, and what it is called."""

    start: int
    end: int
    label: str


_CARD = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)")
_PRIVATE = VOCABULARY["private"]
_NAMES = _PRIVATE["names"]
_ISSUED = re.compile("|".join(_PRIVATE["cards"]))
_TOKEN = re.compile("|".join(_PRIVATE["tokens"]))
_MAY_HAVE_SHAPE = re.compile(r"\d[\d -]{11}|[A-Za-z]{2,}[-_]|eyJ|AKIA|ASIA|AIza|Bearer|PRIVATE KEY")

_QUOTED = r"\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|‘[^’\n]+’|`[^`\n]+`|(?<!\w)'[^'\n]+'(?!\w)"
_BARE = r"\+?\d[\d ().-]{3,}\d(?![\w])|[^\s\"“”„«»`]+[^\s\"“”„«»`.,;:!?)]|[^\s\"“”„«»`.,;:!?)]"
_NO_VALUES = words("private", "no_values")
_LONGEST = 200
"""Characters of a value that stands before its name."""
_SIGN_IN = re.compile(
    rf"\b(?:log|sign)(?:ging|ing)?[ -]?(?:in|on|into)\b[^.\n]{{0,200}}?\b(?:with|using)\s+(?P<value>{_QUOTED}|{_BARE})",
    re.IGNORECASE,
)


def names_private(text: str, labels: Iterable[str] = ()) -> str:
    """The word in `text` that private values go by, or nothing."""
    folded = text.casefold()
    return next((word for word in (*labels, *_NAMES) if re.search(rf"(?<![^\W_]){re.escape(word.casefold())}", folded)), "")


def spotted(text: str, labels: Iterable[str] = ()) -> list[PrivateSpan]:
    """Every private value in `text`, in order; no two overlap. `labels` are more words for such values."""
    found = [*_shaped(text), *_labelled(text, tuple(labels)), *_signing_in(text)]
    taken = [match.span() for match in REFERENCE.finditer(text)]
    kept: list[PrivateSpan] = []
    for spot in sorted(found, key=lambda spot: (spot.start, -spot.end)):
        if all(spot.end <= start or spot.start >= end for start, end in taken):
            taken.append((spot.start, spot.end))
            kept.append(spot)
    return kept


@lru_cache(maxsize=4_096)
def shaped(text: str) -> tuple[PrivateSpan, ...]:
    """Cards, tokens and keys in `text`."""
    if len(text) < 13 or _MAY_HAVE_SHAPE.search(text) is None:
        return ()
    return tuple(spot for spot in _shaped(text) if not REFERENCE.search(text[spot.start : spot.end]))


def _shaped(text: str) -> Iterator[PrivateSpan]:
    for match in _CARD.finditer(text):
        if is_card(match[0]):
            yield PrivateSpan(match.start(), match.end(), "card number")
    for match in _TOKEN.finditer(text):
        yield PrivateSpan(match.start(), match.end(), "token")


def is_card(text: str) -> bool:
    """Whether a number is one that a card may have: issued so, and with the right last figure (Luhn)."""
    figures = [int(sign) for sign in text if sign.isdigit()]
    if _ISSUED.fullmatch("".join(map(str, figures))) is None:
        return False
    doubled = [sum(divmod(2 * figure, 10)) for figure in figures[-2::-2]]
    return (sum(doubled) + sum(figures[-1::-2])) % 10 == 0


def _labelled(text: str, labels: tuple[str, ...]) -> Iterator[PrivateSpan]:
    before, into, after = _patterns(labels)
    for match in before.finditer(text):
        if (spot := _value_at(match, match["label"], bare=_says_so(match))) is not None:
            yield spot
    for named in into.finditer(text):
        found = after.search(text, max(0, named.start() - _LONGEST), named.end())
        if found is not None and (spot := _value_at(found, found["label"], bare=False)) is not None:
            yield spot


def _says_so(match: re.Match[str]) -> bool:
    """Whether the words around it make any word a value: `the password is tulip`, but not `send the password to Anna`."""
    link, lead = (match["link"] or "").strip().casefold(), (match["lead"] or "").strip().casefold()
    return lead in {"set", "change"} if link == "to" else bool(link or lead)


@lru_cache(maxsize=32)
def _patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """`the password is VALUE`; `as the password`, and the same with a value before it."""
    names = sorted({*_NAMES, *(label.casefold() for label in labels if label.strip())}, key=len, reverse=True)
    word = "|".join(re.escape(label).replace(r"\ ", r"[ _-]?") for label in names)
    label = rf"(?P<label>(?<![^\W_])(?:{word})(?![^\W_]))(?:\s+(?:field|box))?"
    lead = r"(?P<lead>\b(?:with|using|by|enter|type|set|change|and)\s+)?(?:(?:the|my|a|its|new)\s+){0,4}"
    link = r"(?P<link>\s*[:=]\s*|\s+(?:is|to|with|as|reads)\s+(?:now\s+)?)?"
    value = rf"(?P<value>{_QUOTED}|{_BARE})"
    before = re.compile(rf"{lead}[\"'“‘]?{label}[\"'”’]?(?:{link}|\s+)\s*{value}", re.IGNORECASE)
    into = r"(?<!\s)\s+(?:as|for|in|into)\s+(?:the|my|a|its)?\s*(?:(?:field|box)\s+)?[\"'“‘]?"
    after = re.compile(rf"{value}{into}{label}", re.IGNORECASE)
    return before, re.compile(rf"{into}{label}", re.IGNORECASE), after


def _value_at(match: re.Match[str], label: str, *, bare: bool) -> PrivateSpan | None:
    """The value of a match: any text in quotes, else one word that looks like none of the language, or any with `bare`."""
    value, (start, end) = match["value"], match.span("value")
    if value[0] in "\"“„«‘`'":
        return PrivateSpan(start + 1, end - 1, label)
    plain = value.casefold()
    if plain in _NO_VALUES or value.startswith(("{", "<", "(")) or not any(sign.isalnum() for sign in value):
        return None
    odd = not value.isalpha() or (value != value.capitalize() and value != value.casefold() and value != value.upper())
    return PrivateSpan(start, end, label) if odd or bare else None


def _signing_in(text: str) -> Iterator[PrivateSpan]:
    for match in _SIGN_IN.finditer(text):
        if (spot := _value_at(match, "password", bare=False)) is not None:
            yield spot
