"""Field and value side by side: `vendor Acme, amount $12.50 and category Meals`."""

from __future__ import annotations

import re

from roles.policies.rules.english.reference import Context
from roles.screen.language.lexicon import FIELD_WORDS
from roles.screen.language.masks import ANY

_SPLIT = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*;\s*", re.IGNORECASE)
_SIGN = re.compile(
    r"^(?:the\s+)?(?P<field>[^:=]+?)\s*(?:=|:)\s*(?P<value>.+)$|^(?:the\s+)?(?P<field2>[\w\s-]+?)\s+(?:as|is|to"
    r"|set to|of)\s+(?P<value2>.+)$",
    re.I,
)


def pairs_of(text: str, ctx: Context) -> list[tuple[str, str]] | None:
    """The (field, value words) pairs of `text`; None when it is not such a list."""
    found: list[tuple[str, str]] = []
    for part in _SPLIT.split(text.strip(" ,.")):
        pair = _pair(part.strip(), ctx)
        if pair is None and not found:
            return None
        if pair is None:
            found[-1] = (found[-1][0], f"{found[-1][1]} and {part}")  # "vendor Smith and Sons" is one value
        else:
            found.append(pair)
    return found or None


def _pair(part: str, ctx: Context) -> tuple[str, str] | None:
    signed = _SIGN.match(part)
    if signed:
        field = (signed["field"] or signed["field2"] or "").strip()
        return (ctx.masks.show(field), signed["value"] or signed["value2"]) if len(field.split()) <= 4 else None
    words = re.sub(r"^(?:the|a|an)\s+", "", part, flags=re.IGNORECASE).split()
    for length in range(min(3, len(words) - 1), 0, -1):
        if all(word.casefold() in FIELD_WORDS for word in words[:length]):
            return ctx.masks.show(" ".join(words[:length])), " ".join(words[length:])
    if len(words) >= 2 and re.fullmatch(ANY, words[-1]) and not re.match(ANY, words[0]) and _all_words(words[:-1]):
        return " ".join(words[:-1]), words[-1]
    return None


def _all_words(words: list[str]) -> bool:
    return len(words) <= 3 and all(
        re.fullmatch(r"[^\W\d_][\w-]*", w) and w.casefold() not in {"of", "for", "from", "in", "on"} for w in words
    )
