"""A goal as tokens, and the lexicon that says what they can be. The lexicon is data: `configs/lexicon/en.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml
from rapidfuzz import fuzz, process

from environments.cards import Vocabulary, singular
from roles.screen import texts

TOKEN = re.compile(
    r"""(?P<quote><secret>[^<>\s]+</secret>|\n?```(?:[a-z]+\n)?[^`]*```|`[^`\n]+`|"[^"\n]*"|(?<!\w)"(?=\S)[^"]*(?<=\S)"(?!\w)|“[^”]*”|„[^“”\n]*[“”]|«[^»\n]*»|(?<![\w’'])['‘](?=\S)(?:[^'’\n]|(?<=\w)['’](?=\w))*(?<=\S)['’](?!\w))
    |(?P<url>(?:https?://|www\.)[^\s,;]*[^\s,;.!?)])
    |(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<phone>\+\d[\d -]{5,}\d|\b\d{3,}(?:-\d{3,})+\b(?!-)|\b\d{3}\ \d{4}\b(?![-.,:\d]))
    |(?P<date>\d{4}-\d\d-\d\d(?:[ T]\d\d?:\d\d)?)
    |(?P<time>\d{1,2}:\d\d(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?(?:[ap]\.m\.|[ap]m\b|o[’']clock))
    |(?P<file>(?:/|(?:\b[\w-]+/)+)[\w./-]*[\w/]|\b[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{1,4}\b)
    |(?P<id>\#\w+|\b[A-Za-z]+[-_]?\d[\w-]*|\b\d+[A-Za-z_-]+\d[\w-]*)
    |(?P<nth>\b\d{1,2}(?:st|nd|rd|th)\b)
    |(?P<number>[-+]?[€$£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[€$£]?\d+(?:\.\d+)?)
    |(?P<unit>°\s?[CF]?\b|°)
    |(?P<word>[^\W\d_]+(?:[-’'][^\W\d_]+)*[’']?)
    |(?P<mark>->|=>|→|\n+|\S)""",
    re.VERBOSE,
)
PARTED = re.compile(r"(?i)(?P<stem>[^\W\d_].*?)(?P<end>n[’']t|[’'](?:s|m|ll|ve|re|d)|(?<=s)[’'])")
ENDINGS = {"n't": "not", "'m": "am", "'ll": "will", "'ve": "have", "'re": "are", "'d": "would", "'": "'s"}
BREAKS = frozenset(".!?;:\n")


@cache
def table(name: str) -> dict[str, Any]:
    """A table of the lexicon, which holds texts alone: `configs/lexicon/NAME.yaml`."""
    text = files("configs").joinpath(f"lexicon/{name}.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, Loader=yaml.CBaseLoader))  # noqa: S506 - it makes texts alone


def deeds() -> dict[str, Any]:
    """By which words of controls and fields verbs are done, and known to have been done."""
    return table("deeds")


@cache
def phrases(name: str) -> frozenset[str]:
    """Words and phrases of the lexicon that say something."""
    return frozenset(table("phrases")[name])


@cache
def _trends() -> dict[str, str]:
    lexicon, trends = Lexicon.english(), deeds()["trends"].items()
    forms = ((way, every) for way, verbs in trends for verb in verbs for every in lexicon.inflected(verb).values())
    return {form: way for way, every in forms for form in every}


def trend_of(said: str) -> str:
    """Which way a verb changes a value: `raise`, `lower`, or empty."""
    return next((way for word in said.casefold().split() if (way := _trends().get(word))), "")


def tells_done(text: str, verb: str) -> bool:
    """Whether a text tells of a verb in its past: saved, submitted, sent."""
    stem, told = verb.removesuffix("e"), texts.words(text.casefold())
    rests = (word[len(stem) :] for word in told if word.startswith(stem) and word.endswith("ed"))
    return "sent" in told if verb == "send" else any(len(rest) in {2, 3} for rest in rests)  # submit-t-ed


class Doubt(Exception):
    """Words that can be read in two ways, of which one would do something else."""


class Token(NamedTuple):
    """A word, a quotation, a number or a mark."""

    text: str
    lower: str
    start: int
    end: int
    kind: str

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


class Entry(NamedTuple):
    """What a form of words can be: a class of the lexicon, the name there, and what is said of it."""

    group: str
    name: str
    words: tuple[str, ...]
    data: Mapping[str, Any]
    shape: str = ""
    """Of verbs: base, past, ing, s; of nouns: one, many."""


class Match(NamedTuple):
    """An entry that stands at a place."""

    entry: Entry
    end: int

    @property
    def start(self) -> int:
        """Where it begins; for no verb that is parted by what it is done with."""
        return self.end - len(self.entry.words)


def tokens(goal: str) -> list[Token]:
    """All tokens of a goal, in order; contractions are taken apart."""
    lexicon, result = Lexicon.english(), []
    for found in TOKEN.finditer(goal):
        kind, text, start = found.lastgroup or "mark", found.group(), found.start()
        if kind != "word":
            result.append(Token(text, text.lower(), start, found.end(), kind))
            continue
        result += _parted(lexicon, text, start)
    return result


def quotes(text: str) -> list[str]:
    """What is quoted in a text."""
    return [token.text[1:-1] for token in tokens(text) if token.kind == "quote"]


def _parted(lexicon: Lexicon, text: str, start: int) -> Iterator[Token]:
    plain = text.lower().replace("’", "'")
    if plain in lexicon.spelling:
        words = lexicon.spelling[plain].split()
        cut = len(text) - (1 if len(words) > 1 else 0)
        yield Token(text[:cut], words[0], start, start + cut, "word")
        for word in words[1:]:
            yield Token(text[cut:], word, start + cut, start + len(text), "word")
        return
    if parts := PARTED.fullmatch(text):
        stem, end = parts["stem"], parts["end"].lower().replace("’", "'")
        middle = start + len(stem)
        yield Token(stem, stem.lower(), start, middle, "word")
        ending = "is" if end == "'s" and stem.lower() in phrases("is") else ENDINGS.get(end, end)
        yield Token(parts["end"], ending, middle, start + len(text), "word")
        return
    word = text.rstrip("’'")
    yield Token(word, plain.rstrip("'"), start, start + len(word), "word")
    if word != text:
        yield Token(text[len(word) :], "'", start + len(word), start + len(text), "mark")


def _with_s(word: str, hissing: tuple[str, ...]) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(hissing) else "s")


class Lexicon:
    """The words of a language, by the first word of each form."""

    @staticmethod
    @lru_cache(maxsize=16)
    def english(vocabulary: Vocabulary | None = None) -> Lexicon:
        return Lexicon(table("en"), vocabulary or Vocabulary())

    def __init__(self, data: dict[str, Any], vocabulary: Vocabulary) -> None:
        self.data = data
        self.spelling: dict[str, str] = data["spelling"]
        self.irregular = {word: forms.split() for word, forms in data["irregular"].items()}
        self.first: dict[str, list[Entry]] = {}
        self.in_order, self.wanting = frozenset(data["in_order"]), tuple(data["wanting"])
        for group in ("verbs", "predicates"):
            for name, verb in data[group].items():
                for form in verb["forms"]:
                    self._verb("verb" if group == "verbs" else group, name, form, verb)
        for form in data["plain"]:
            self._plain_verb(form)
        for group in ("nouns", "fields"):
            self._nouns(group[:-1], data[group])
        for group, value in data.items():
            if group not in SPECIAL:
                self._plain(group, value)
        self._extend(vocabulary)
        for entries in self.first.values():
            entries.sort(key=lambda entry: -len(entry.words))
        self.single = sorted({e.words[0] for es in self.first.values() for e in es if len(e.words) == 1 and len(e.words[0]) >= 6})
        self._slips: dict[str, str] = {}

    def _plain_verb(self, form: str) -> None:
        known = (e for e in self.first.get(form.split()[0], ()) if e.group == "verb" and e.data.get("object") != "none")
        if not any(entry.words == tuple(form.split()) for entry in known):
            slots = {word: word for word in ("to", "for", "with", "by", "as", "into")}
            self._verb("verb", form.replace(" ", "_"), form, {"slots": slots})

    def _extend(self, vocabulary: Vocabulary) -> None:
        """Words of the applications that are there, where they are none of the grammar's."""
        for group, words in (("noun", vocabulary.nouns), ("field", vocabulary.fields)):
            for word in words:
                if self._free(word, group):
                    self._noun(group, word)
        for word in vocabulary.verbs:
            if self._free(word, "verb"):
                self._plain_verb(word)

    def _free(self, word: str, group: str) -> bool:
        entries = self.first.get(word.split()[0], ()) if word.replace(" ", "").replace("-", "").isalpha() else None
        return entries is not None and not any(
            (len(e.words) == 1 and e.group not in OPEN)
            or (e.group == group and e.words == tuple(word.split()) and e.data.get("object") != "none")  # "Pause" is a control
            for e in entries
        )

    def _plain(self, group: str, value: Any) -> None:
        """A group that is a list of forms, or of forms by name, or of values by form."""
        for name, forms in value.items() if isinstance(value, dict) else ((str(form), [form]) for form in value):
            data = forms if isinstance(forms, dict) else {"value": forms}
            for form in data["forms"] if "forms" in data else forms if isinstance(forms, list) else [name]:
                self._add(group, str(name), str(form), data)
            if group == "lengths":
                self._add(group, str(name), self.plural(str(name)), data)

    def _nouns(self, group: str, groups: list[list[str]]) -> None:
        for same in groups:
            for noun in same:
                self._noun(group, noun, same[0] if "it" in noun.split() else noun)

    def _noun(self, group: str, noun: str, name: str = "") -> None:
        self._add(group, name or noun, noun, {}, "one")
        self._add(group, name or noun, self.plural(noun), {}, "many")

    def _add(self, group: str, name: str, form: str, data: Mapping[str, Any], shape: str = "") -> None:
        words = tuple(form.lower().split())
        self.first.setdefault(words[0], []).append(Entry(group, name, words, data, shape))

    def _verb(self, group: str, name: str, form: str, data: Mapping[str, Any]) -> None:
        head, *rest = form.split()
        for shape, words in self.inflected(head).items():
            for word in words:
                self._add(group, name, " ".join((word, *rest)), data, shape)

    def inflected(self, word: str) -> dict[str, set[str]]:
        """A verb's forms."""
        odd = self.irregular.get(word, [])
        stem = word[:-1] if word.endswith("e") and not word.endswith("ee") else word
        third = _with_s(word, ("s", "x", "ch", "sh", "o"))
        past = {w for w in odd if not w.endswith("ing")} or {word[:-1] + "ied" if third.endswith("ies") else stem + "ed"}
        return {"base": {word}, "s": {third}, "past": past, "ing": {w for w in odd if w.endswith("ing")} or {stem + "ing"}}

    def known(self, words: str, group: str) -> bool:
        """Whether these words are an entry of a group."""
        return any((one.group, " ".join(one.words)) == (group, words) for one in self.first.get(words.partition(" ")[0], ()))

    def plural(self, noun: str) -> str:
        *before, word = noun.split()
        odd = self.irregular.get(word) if word in {"person", "child"} else None
        return " ".join((*before, odd[0] if odd else _with_s(word, ("s", "x", "ch", "sh"))))

    def corrected(self, word: str) -> str:
        """The word of the lexicon that a slip of the pen stands for, where there is only one; else the word itself. With another
        first letter it is another word: `flights` are no `lights`."""
        if len(word) < 6 or word in self.first:
            return word
        if word not in self._slips:
            near = process.extract(word, self.single, scorer=fuzz.ratio, score_cutoff=90, limit=3)
            lone = len(near) == 1 and near[0][0][0] == word[0] and singular(word) not in self.first
            self._slips[word] = near[0][0] if lone else word
        return self._slips[word]


class Seen(dict[str, Match]):
    """What stands in the slots of a pattern, by its group, and the place behind all of it."""

    end: int

    def __bool__(self) -> bool:
        return True


@cache
def _pattern(text: str) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """The parts of a pattern: the group, or the words, and whether they may be missing."""
    parts = [(part.removesuffix("?"), part.endswith("?")) for part in text.split()]
    return tuple((part[1:-1], (), may) if part[0] == "<" else ("", tuple(part.split("|")), may) for part, may in parts)


SPECIAL = frozenset(
    {"verbs", "nouns", "fields", "predicates", "plain", "irregular", "spelling", "in_order", "in_time", "gatherings", "wanting"}
    | {"unit_fields", "made_so", "procedures", "shapes", "repeats"}
)
OPEN = frozenset({"tells", "noun", "field", "verb", "verb_nouns", "places", "letters", "units", "lengths", "predicates"})
"""Groups whose words an application may use for its own things."""
NAMING = OPEN | {"states", "nothing", "lasting", "past_words", "money"}
"""Groups whose words can be in a name."""
SOFT = frozenset(
    {
        "wants_to_know",
        "questions",
        "joins",
        "particles",
        "got",
        "other",
        "superlatives",
        "ordinals",
        "predicates",
        "lapses",
        "sends",
    }
)
"""Groups whose words can be in a name if they begin with a capital."""


def _closes(every: list[Token], at: int) -> bool:
    """Whether the quotation before this place ends the sentence, too: with a full stop within, and a capital behind."""
    said = every[at - 1].text[-2:-1] if 0 < at < len(every) and every[at - 1].kind == "quote" else ""
    return said in {".", "!", "?"} and every[at].capital and every[at].kind == "word"


class Words:
    """The tokens of a goal that mean something, with what each can be."""

    def __init__(self, goal: str, vocabulary: Vocabulary | None = None) -> None:
        self.goal, self.shown = goal, vocabulary.shown if vocabulary else None
        self.lexicon = Lexicon.english(vocabulary._replace(shown=None) if vocabulary else None)
        every = tokens(goal)
        self.nothing: list[Token] = []
        self.list: list[Token] = []
        at = 0
        while at < len(every):
            long = self._nothing(every, at)
            (self.nothing if long else self.list).extend(every[at : at + max(long, 1)])
            at += max(long, 1)
            if _closes(every, at):  # the text 'I come.' Do not send it
                self.list.append(Token(".", ".", every[at - 1].end, every[at - 1].end, "mark"))
        self._found: list[tuple[Match, ...]] = [self._at(at) for at in range(len(self.list))]

    def _nothing(self, every: list[Token], at: int) -> int:
        for entry in self.lexicon.first.get(every[at].lower, ()):
            named = every[at].capital and at and every[at - 1].kind != "mark"
            if (
                entry.group == "nothing"
                and not named
                and [t.lower for t in every[at : at + len(entry.words)]] == list(entry.words)
            ):
                return len(entry.words)
        return 0

    def _at(self, at: int) -> tuple[Match, ...]:
        if self.list[at].kind not in {"word", "mark", "unit"} or (
            self.list[at].text == "A" and at and self.list[at - 1].lower not in BREAKS
        ):
            return ()
        word = self.list[at].lower
        entries = self.lexicon.first.get(word, [])
        if not entries and not (self.list[at].capital and at):
            entries = self.lexicon.first.get(self.lexicon.corrected(word), [])
        return tuple(match for entry in entries if (match := self._match(entry, at)))

    def _match(self, entry: Entry, at: int) -> Match | None:
        words = entry.words
        if "~" in words:
            return Match(entry, at + words.index("~"))
        end = at + len(words)
        if len(words) > 1 and tuple(t.lower for t in self.list[at + 1 : end]) != words[1:]:
            return None
        return Match(entry, end)

    def low(self, at: int) -> str:
        return self.list[at].lower if at < len(self.list) else ""

    def kind(self, at: int) -> str:
        return self.list[at].kind if at < len(self.list) else ""

    def capital(self, at: int) -> bool:
        return at < len(self.list) and self.list[at].capital

    def has(self, at: int, *said: str) -> bool:
        return all(self.low(at + n) == word for n, word in enumerate(said))

    def matches(self, at: int, *groups: str) -> Iterator[Match]:
        """What stands here, of these groups; the longest first."""
        if at < len(self.list):
            for match in self._found[at]:
                if match.entry.group in groups:
                    yield match

    def see(self, at: int, pattern: str) -> Seen | None:
        """What fits a pattern from here on: `word|word`, `<group of the lexicon>`, with "?" behind what may be missing."""
        seen = Seen()
        for group, said, may_be_missing in _pattern(pattern):
            match = self.take(at, group) if group else None
            if match:
                seen[group] = match
            if match or self.low(at) in said:
                at = match.end if match else at + 1
            elif not may_be_missing:
                return None
        seen.end = at
        return seen

    def skip(self, at: int, pattern: str) -> int:
        """The place behind a pattern, or here, where it does not fit."""
        seen = self.see(at, pattern)
        return seen.end if seen else at

    def closed(self, at: int) -> bool:
        """A word of the grammar's own, which is in no name."""
        return any(match.entry.group not in (NAMING | SOFT if self.is_named(at) else NAMING) for match in self._found[at])

    def is_named(self, at: int) -> bool:
        """Whether a capital that begins no sentence says that the word is of a name."""
        return self.list[at].capital and at > 0 and self.list[at - 1].lower not in BREAKS

    def verbal(self, at: int) -> bool:
        """A verb's first word in the form of an order, whatever follows it."""
        return any(e.group == "verb" and e.shape == "base" for e in self.lexicon.first.get(self.low(at), ()))

    def take(self, at: int, *groups: str) -> Match | None:
        return next(self.matches(at, *groups), None)

    def text(self, first: int, end: int) -> str:
        """The goal's own words from one token to another (excluded)."""
        return self.goal[self.list[first].start : self.list[end - 1].end] if end > first else ""
