"""Texts as they are compared: folded, as words, and whether words stand in them as a whole."""

import re
from collections.abc import Iterable
from functools import lru_cache

_LABEL = 42
"""Characters of a label."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def fold(text: str) -> str:
    """In small letters, with single blanks and plain apostrophes."""
    return " ".join(text.split()).casefold().replace("’", "'")


@lru_cache(maxsize=16384)
def plain(text: str) -> str:
    """Folded, without punctuation at either end; a lone sign stays."""
    folded = fold(text)
    return re.sub(r"^[^\w#$€£+<>-]+|[^\w%+<>]+$", "", folded) or folded


def words(text: str) -> list[str]:
    """Its words and numbers; `don't` and `follow-up` are one each."""
    return _WORD.findall(text)


def pieces(text: str) -> list[str]:
    """What stands between blanks, without the marks around it: words, numbers, addresses, names of files."""
    return [piece for part in text.split() if (piece := part.strip(",;:.!?·()\"'"))]


def named_words(name: str) -> list[str]:
    """What a name of code is made of: `move_file` and `moveFile` are `move` and `file`."""
    apart = (f" {c}" if c.isupper() and before.islower() else c for before, c in zip(f" {name}", name, strict=False))
    return "".join(c if c.isalnum() else " " for c in "".join(apart)).casefold().split()


def has_phrase(text: str, phrase: str) -> bool:
    """Whether it stands in a text as a whole: in no longer word or number, and in no name of a file."""
    at = text.find(phrase) if phrase else -1
    while at >= 0 and (_goes_on(text[:at][:-3:-1]) or _goes_on(text[at + len(phrase) :][:2])):
        at = text.find(phrase, at + 1)
    return at >= 0


def _goes_on(beside: str) -> bool:
    """Whether a word or number goes on with these two characters, the nearest first."""
    near, far = beside[:1], beside[1:]
    return near.isalnum() or (near != "" and near in "_-") or (near == "." and far.isalnum()) or (near == "," and far.isdigit())


def says_any(text: str, phrases: Iterable[str]) -> bool:
    """Whether one of these phrases, in small letters, stands in a text."""
    folded = fold(text)
    return any(has_phrase(folded, phrase) for phrase in phrases)


def begins(text: str, phrases: Iterable[str]) -> bool:
    """Whether it begins with the words of one of these phrases."""
    said = f"{' '.join(words(text.casefold()))} "
    return any(said.startswith(f"{phrase} ") for phrase in phrases)


def uncut(text: str) -> str:
    """What is shown of a text for which there was no room: `Living room therm…`; all of any other."""
    return text.rstrip().removesuffix("…").removesuffix("...").rstrip()


def labelled(line: str) -> tuple[str, str]:
    """The label and the value of `Label: value`; of any other text no label, and all of it."""
    label, _, value = line.partition(":")
    parted = label[:1].isalpha() and len(label) <= _LABEL and value[:1].isspace() and value.strip() and "\n" not in line
    return (label.strip(), value.strip()) if parted else ("", line)


def is_words(text: str) -> bool:
    """Whether it is words alone, without figures and marks."""
    return all(c.isalpha() or c in " -" for c in text)


def is_name(text: str) -> bool:
    """Whether it may be what somebody is called: no address, no figure first."""
    return text[:1].isalpha() and all(c.isalnum() or c in " _.'’-" for c in text)


def listed_in(text: str) -> list[str]:
    """The parts of a list: `Friends, Suppliers; Others`."""
    return [part.strip() for part in text.replace(";", ",").replace("\n", ",").split(",") if part.strip()]


def has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))
