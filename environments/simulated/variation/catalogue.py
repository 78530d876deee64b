"""Words in other words: catalogues of a language or of synonyms, and the places of a view that hold content instead of words.

A key may have slots. `{n}`, one small letter, stands for a whole number; `{name}` for any text, which stays as it is; and
`{WORD}` for another word of the same app, which is put into other words too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate as glob
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

import yaml

from environments.contract import WorldError
from environments.simulated.yaml_text import load_yaml

EVERY = "every app"
"""The section whose words count in all apps."""
_SLOT = re.compile(r"\{(\w+)\}")
_LETTER = re.compile(r"[^\W\d_]")


class Pattern(NamedTuple):
    """A key with slots, and what stands for it."""

    matches: re.Pattern[str]
    said: str


class Section(NamedTuple):
    """The words of one app, or of all."""

    exact: Mapping[str, str]
    patterns: tuple[Pattern, ...]


class Catalogue:
    """What is said instead of an app's own words."""

    def __init__(self, sections: Mapping[str, Mapping[str, str]], where: str) -> None:
        self._sections = {name: _section(words, f"{where}: {name}") for name, words in sections.items()}

    def said(self, app: str, text: str) -> str | None:
        """The same in other words; None where the catalogue has none."""
        for section in self._asked(app):
            if (exact := section.exact.get(text)) is not None:
                return exact
        for section in self._asked(app):
            for pattern in section.patterns:
                if (found := pattern.matches.fullmatch(text)) and (said := self._filled(app, pattern.said, found)) is not None:
                    return said
        return None

    def anywhere(self, text: str) -> str | None:
        """The same in the other words of whichever app has them, for what an app says while another one is in front."""
        return next((said for app in self._sections if (said := self.said(app, text)) is not None), None)

    def _asked(self, app: str) -> Iterator[Section]:
        return (self._sections[name] for name in (app, EVERY) if name in self._sections)

    def _filled(self, app: str, said: str, found: re.Match[str]) -> str | None:
        values = found.groupdict()
        for slot, value in values.items():
            if slot.isupper():
                inner = self.said(app, value)
                if inner is None:
                    return None
                values[slot] = inner
        return _SLOT.sub(lambda slot: values[slot[1]], said)


def _section(words: Mapping[str, str], where: str) -> Section:
    exact, patterns = {}, []
    for key, said in words.items():
        slots = _SLOT.findall(key)
        if len(set(slots)) < len(slots) or set(slots) != set(_SLOT.findall(said)):
            raise WorldError(
                f"{where}: {key!r}: both sides need the same slots, each once at the left; write {slots} in {said!r}."
            )
        if slots:
            patterns.append((len(_SLOT.sub("", key)), Pattern(re.compile(_expression(key)), said)))
        else:
            exact[key] = said
    patterns.sort(key=lambda item: -item[0])
    return Section(exact, tuple(pattern for _, pattern in patterns))


def _expression(key: str) -> str:
    """The key as a regular expression: what has most letters of its own is tried first, so slots take what is left."""
    parts = _SLOT.split(key)
    return "".join(f"(?P<{p}>{_kind(p)})" if n % 2 else re.escape(p) for n, p in enumerate(parts))


def _kind(slot: str) -> str:
    return r"\d+" if len(slot) == 1 and slot.islower() else r"[^\n]+?"


@lru_cache(maxsize=8)
def language(name: str) -> Catalogue:
    """The catalogue of a language. Raises WorldError when its file is not one."""
    where = f"languages/{name}.yaml"
    return Catalogue(read(where), where)


@lru_cache(maxsize=64)
def synonyms(name: str, seed: int) -> Catalogue:
    """What words of a language are replaced by in a world of this seed: always the same there."""
    where = "synonyms.yaml"
    known: Mapping[str, Any] = read(where).get(name, {})
    rng = random.Random(f"{seed}:synonyms")  # noqa: S311 - variation, not secrecy
    return Catalogue({EVERY: {word: rng.choice(others) for word, others in known.items()}}, where)


def read(path: str) -> dict[str, Any]:
    try:
        data = load_yaml((resources.files("configs") / path).read_text(encoding="utf-8"))
    except (yaml.YAMLError, OSError) as bad:
        raise WorldError(f"configs/{path}: it cannot be read: {str(bad).splitlines()[0]}; mend the file.") from None
    if not isinstance(data, dict):
        raise WorldError(f"configs/{path}: it is no mapping; write one section for each app.")
    return data


class Places(NamedTuple):
    """Where an app shows content; and where it puts words of its own all the same, with these words."""

    content: re.Pattern[str]
    but: tuple[tuple[re.Pattern[str], frozenset[str]], ...]


@lru_cache(maxsize=1)
def _places() -> dict[str, Places]:
    """The places of each app that is described."""
    data = read("content.yaml")
    shared = data.pop(EVERY, [])
    return {app: _described([*shared, *places]) for app, places in data.items()}


def _described(places: Sequence[str | dict[str, list[str]]]) -> Places:
    pairs = [(place, []) if isinstance(place, str) else next(iter(place.items())) for place in places]
    content = re.compile("|".join(f"(?:{_expressed(place)})" for place, _ in pairs) or r"(?!)")
    return Places(content, tuple((re.compile(_expressed(place)), frozenset(words)) for place, words in pairs if words))


def _expressed(place: str) -> str:
    return rf"{place[1:]}\Z" if place.startswith("/") else glob(place)


def described(app: str) -> bool:
    """Whether it is known what of an app's views is content."""
    return app in _places()


@lru_cache(maxsize=16_384)
def own_words(app: str, part: str, key: str) -> frozenset[str] | None:
    """The words of its own that an app shows at a place among content; None where all that is shown is its own words.

    `part` is a role, `placeholder`, or `option`. An app that nobody has described shows nothing but content.
    """
    places, place = _places().get(app), f"{part} {key}"
    if places is None:
        return frozenset()
    if places.content.match(place) is None:
        return None
    return frozenset[str]().union(*(words for where, words in places.but if where.match(place)))


def wordless(text: str) -> bool:
    """Whether there is nothing in a text to say otherwise: no letter, as in an amount or a day."""
    return _LETTER.search(text) is None
