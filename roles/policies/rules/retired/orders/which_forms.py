"""Questions that choose one of many: `Which invoice of Acme is the largest? Mail its number to ...`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roles.contracts import clauses as c
from roles.policies.rules.english.segments import NAME, Sentences
from roles.screen.language.lexicon import NOUNS, PICKS
from roles.screen.language.masks import quote

Parse = Callable[[str, Sequence[str]], list[c.Clause]]
_NOUNS = "|".join(sorted(NOUNS, key=len, reverse=True))
_PICKS = "|".join(sorted(PICKS, key=len, reverse=True))
_WHICH = re.compile(
    rf"^(?:which|what)(?:\s+one)?\s+(?:of the\s+)?(?P<noun>{_NOUNS})\s*(?:(?:of|from|by)\s+(?P<name>{NAME}))?\s+"
    rf"(?:is|was|are)\s+(?:the\s+)?(?P<pick>{_PICKS})(?:\s+(?:one|of them|of all))*$"
    rf"|^(?:which|what)\s+is\s+the\s+(?P<pick2>{_PICKS})\s+(?P<noun2>{_NOUNS})(?:\s+(?:of|from|by)\s+(?P<name2>{NAME}))?$",
    re.IGNORECASE,
)
_ITS = re.compile(r"\bits\s+(?P<fact>[a-z]+(?:\s(?:date|number))?)\b")
_THAT_ONE = re.compile(r"\b(?:that one|this one)\b", re.IGNORECASE)


def which(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """The record is read once; what follows speaks of its facts."""
    for at, part in enumerate(said.parts):
        match = _WHICH.match(part.rstrip(" ?.!"))
        rest = said.parts[at + 1 :]
        if match is None or not rest:
            continue
        noun, pick, name = (match[key] or match[f"{key}2"] or "" for key in ("noun", "pick", "name"))
        owner = f" of {said.plain(name)}" if name else ""
        thing = f"the {pick} {NOUNS[noun.casefold()]}{owner}"
        facts = tuple(dict.fromkeys(m["fact"] for sentence in rest for m in _ITS.finditer(sentence)))
        if not facts:
            continue
        reads = parse(f"find {' and '.join(f'the {fact}' for fact in facts)} of {thing}", ())
        names = dict(zip(facts, (n for x in reads if isinstance(x, c.Read) for n in x.fact_names()), strict=False))
        words = [_speaking_of(names, sentence) for sentence in rest]
        plain = together(" ".join(said.plain(_THAT_ONE.sub(thing, sentence)) for sentence in words))
        before = parse(said.plain(" ".join(said.parts[:at])), ()) if at else []
        return [*before, *reads, *parse(plain, tuple(names.values()))]
    return None


def _speaking_of(names: dict[str, str], sentence: str) -> str:
    """`its total` as the fact that was read."""
    return _ITS.sub(lambda m: f"the fact {quote(names.get(m['fact'], m['fact']))}", sentence)


_FACTS = re.compile(r'the facts? "[^"]*"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)the fact "[^"]*")+')


def together(words: str) -> str:
    """`the fact "a", the fact "b", and the fact "c"` in the words that the grammar reads."""
    return _FACTS.sub(lambda m: "the facts " + " and ".join(re.findall(r'"[^"]*"', m.group())), words)
