"""Slots of a page: what the goal gives, an earlier step finds or the user answers."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from roles.contracts import USER, Supplement
from roles.contracts.orders import STEPS
from roles.contracts.orders import Step as TypedStep
from roles.knowledge.pages.documents import asked_stems, stems, words_of
from roles.knowledge.pages.playbook import SLOT, Playbook
from roles.screen.language.dates import Dates
from roles.screen.language.words import BREAKS, Lexicon, Token, Words, tokens

_SHAPED = {"quote", "url", "email", "phone", "date", "time", "file", "id", "number"}
_BETWEEN = words_of("& de van von der da la")


class Given(NamedTuple):
    """A value of the goal."""

    text: str
    """Without quotation marks."""
    kind: str
    """quote, url, email, phone, date, time, file, id, number or name."""
    start: int = 0
    end: int = 0
    called: tuple[str, ...] = ()
    """The words right before it that say what it is, the nearest first."""


def values_in(text: str, plain: Collection[str] = ()) -> list[Given]:
    """The values of `text`, in order. A word of `plain` begins no name, nor does the first word of a sentence."""
    words = Words(text)
    dates, found, at = Dates(words, ""), list[Given](), 0
    while at < len(words.list):
        end, kind = _value_at(words, dates, at, plain)
        if kind:
            first, last = words.list[at + (words.list[at].lower == "at")], words.list[end - 1]
            whole = text[first.start : last.end]
            bare = whole[1:-1] if kind == "quote" else whole
            found.append(Given(bare, kind, first.start, last.end, tuple(_called(words.list, at, kind))))
        at = end
    return found


def _value_at(words: Words, dates: Dates, at: int, plain: Collection[str]) -> tuple[int, str]:
    token = words.list[at]
    if token.kind not in {"quote", "url", "email", "file", "id", "phone"} and (when := dates.read(at)) is not None:
        return when[1], "time" if token.kind == "time" or token.lower == "at" else "date"
    if token.kind in _SHAPED:
        return at + 1, token.kind
    begins = at == 0 or words.list[at - 1].lower in BREAKS
    end = at
    while end < len(words.list) and (_named(words.list[end], plain) or (end > at and words.list[end].lower in _BETWEEN)):
        end += 1
    while end > at and not _named(words.list[end - 1], plain):  # what joins two names ends none
        end -= 1
    return (at + 1, "") if begins or end == at else (end, "name")


def _named(token: Token, plain: Collection[str]) -> bool:
    return token.kind == "word" and token.capital and token.lower not in {"i", "ok"} and token.lower not in plain


def _called(tokens: list[Token], at: int, kind: str) -> Iterator[str]:
    said, links = (Lexicon.english().data["procedures"][group] for group in ("names", "links"))
    for token in reversed(tokens[max(0, at - 5) : at]):
        if token.lower in said and kind in {"quote", "name", "date", "time"}:
            yield said[token.lower]
        if token.lower not in links:
            yield token.lower
            return


def without_values(text: str, kinds: Collection[str] = ()) -> str:
    """The words of `text` that say what is to be done, and not with what; with `kinds` only those are left out."""
    return without(text, [one for one in values_in(text) if not kinds or one.kind in kinds])


def without(text: str, values: Sequence[Given]) -> str:
    """`text` without these, which stand in it in order."""
    for one in reversed(values):
        text = f"{text[: one.start]} {text[one.end :]}"
    return " ".join(text.split())


def without_quoted(query: str) -> str:
    """What is asked without the values that stand in quotation marks, if that leaves anything to ask."""
    rest = without_values(query, {"quote"})
    return rest if asked_stems(rest) else query


class Wanted:
    """A slot of a page, by its words."""

    def __init__(self, slot: str) -> None:
        self.slot = slot
        self.words = tuple(slot.replace("_", " ").replace(".", " ").casefold().split())
        last, kinds_of = self.words[-1] if self.words else "", Lexicon.english().data["procedures"]["kinds"]
        self.kinds = next((tuple(kinds.split()) for kinds, names in kinds_of.items() if last in names), ())
        """Of the values that can stand here; empty: of any."""
        self._stems = frozenset(stem for word in self.words for stem in stems(word))

    def takes(self, one: Given) -> bool:
        return not self.kinds or one.kind in self.kinds

    def is_called(self, one: Given) -> bool:
        """Whether the goal calls the value what the slot is called."""
        return any(stem in self._stems for word in one.called for stem in stems(word))


_MARKS = ('""', "“”", "«»")


@dataclass
class Filling:
    """What stands in the slots of one page for one goal."""

    values: dict[str, Given] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def question_for(slot: str, text: str, book: Playbook) -> str:
    """How the user is asked for what a slot wants. The same slot, goal and page are asked about in the same words."""
    return f'What is the {slot.replace("_", " ").replace(".", " ")} for "{text}"? ("{book.title}" of {book.source} wants it)'


def filling(
    book: Playbook, text: str, values: Sequence[Given], told: Sequence[Supplement], titled: Mapping[str, Given]
) -> Filling:
    """Fill what can be filled. A slot that two values fit equally well stays empty: nothing is guessed."""
    wanted = [Wanted(name) for name in book.slots(needed=True)]
    made = Filling({name: one for name, one in titled.items() if any(s.slot == name and s.takes(one) for s in wanted)})
    for slot in wanted:
        fits = {one.text: one for one in values if slot.takes(one) and slot.is_called(one)}
        if slot.slot not in made.values and len(fits) == 1:
            made.values[slot.slot] = next(iter(fits.values()))
    _by_kind(book, values, wanted, made)
    for slot in wanted:
        question = question_for(slot.slot, text, book)
        said = next((one.text for one in told if one.source == USER and one.title == question), None)
        if said is not None:
            bare = said.strip().strip('"“”')
            found = values_in(f"it is {bare}")
            made.values[slot.slot] = found[0] if len(found) == 1 and found[0].text == bare else Given(bare, "quote")
    made.missing = [s.slot for s in wanted if s.slot not in made.values and not _is_found(s, book)]
    return made


def by_title(book: Playbook, text: str, values: Sequence[Given]) -> dict[str, Given]:
    """What stands in the slots of a title that the goal says word for word: `Remind {name} about {invoice}`; else nothing."""
    parts = SLOT.split(book.title)
    loose = (r"\s+(?:(?:the|a|an|our|my)\s+)?".join(map(re.escape, part.split())) for part in parts[::2])
    match = re.fullmatch(r"\s*(.+?)\s*".join(loose) + r"[\s.!]*", text.strip(), re.IGNORECASE) if len(parts) > 1 else None
    given = {one.text.casefold(): one for one in values}
    found: dict[str, Given] = {}
    for name, group in zip(parts[1::2], match.groups() if match else (), strict=False):
        bare = group.strip().strip("\"“”«»'")
        one = given.get(bare.casefold()) or (Given(bare, "name") if bare.isalpha() and not Words(bare).closed(0) else None)
        if one is None or found.setdefault(name, one) != one:
            return {}
    return found


def _by_kind(book: Playbook, values: Sequence[Given], wanted: Sequence[Wanted], made: Filling) -> None:
    """By what kind of value they take, where that leaves no choice; what the title speaks of comes first."""
    titled = SLOT.findall(book.title)
    for slots in ([s for s in wanted if s.kinds], [s for s in wanted if s.slot in titled], wanted):
        for slot in slots:
            owner = next((one for name, one in made.values.items() if Wanted(name).words[:1] == slot.words[:1]), None)
            if slot.slot not in made.values and owner is not None and slot.takes(owner):
                made.values[slot.slot] = owner
            if slot.slot in made.values or _is_found(slot, book):
                continue
            taken = {one.text for one in made.values.values()}
            free = {one.text: one for one in values if one.text not in taken and slot.takes(one)}
            first = next(({t: one for t, one in free.items() if one.kind == kind} for kind in slot.kinds), free)
            fits = first if len(first) == 1 else free
            rivals = [o for o in slots if o.slot not in made.values and o.words[:1] != slot.words[:1] and not _is_found(o, book)]
            rivals = [o for o in rivals if any(o.takes(one) for one in fits.values())]
            if len(fits) == 1 and not rivals:
                made.values[slot.slot] = next(iter(fits.values()))


def _is_found(slot: Wanted, book: Playbook) -> bool:
    """Whether a step before the first that uses it speaks of what the slot is called."""
    first = next((step.number for step in book.steps if slot.slot in SLOT.findall(step.text)), 0)
    earlier = [" ".join(SLOT.sub(" ", step.text).casefold().split()) for step in book.steps if step.number < first]
    return not book.typed and any(" ".join(slot.words) in text for text in earlier)


def filled(text: str, made: Filling, before: Sequence[str]) -> str | None:
    """`text` with everything in its slots, or None where something cannot stand there.

    What is found by a step `before` stands as words that point back to it.
    """
    quoted = [(token.start, token.end) for token in tokens(text) if token.kind == "quote"]
    failed = False

    def put(found: re.Match[str]) -> str:
        nonlocal failed
        inside = next((text[start] + text[end - 1] for start, end in quoted if start < found.start() < end), "")
        one = made.values.get(found[1])
        if one is None:
            failed = failed or bool(inside) or not before
            name = " ".join(Wanted(found[1]).words)
            return name if re.search(r"\b(?:the|its|this|that)\s+$", text[: found.start()], re.IGNORECASE) else f"the {name}"
        if inside:
            failed = failed or any(mark in one.text for mark in inside)
            return one.text
        if one.kind not in {"quote", "name"} or (one.kind == "name" and one.text.replace(" ", "").isalpha()):
            return one.text
        marks = next((pair for pair in _MARKS if not any(mark in one.text for mark in pair)), "")
        failed = failed or not marks
        return f"{marks[:1]}{one.text}{marks[1:]}"

    done = SLOT.sub(put, text)
    return None if failed else done


_OWN_WORDS = frozenset({"label", "labels", "control", "skill", "formula", "name", "names"})
"""What a card calls its own, in which braces are no slots, and names of facts."""


def typed_filled(steps: Sequence[TypedStep], made: Filling) -> tuple[TypedStep, ...]:
    """Steps with the goal's values in their slots, letter for letter; the slots of facts stay."""
    values = {name: one.text.replace("{", "{{").replace("}", "}}") for name, one in made.values.items()}
    return STEPS.validate_python([_put(step.model_dump(mode="json"), values) for step in steps])


def _put(part: Any, values: Mapping[str, str]) -> Any:
    if isinstance(part, str):
        return SLOT.sub(lambda slot: values.get(slot[1], slot.group()), part)
    if isinstance(part, dict):
        return {key: inner if key in _OWN_WORDS else _put(inner, values) for key, inner in part.items()}
    return [_put(inner, values) for inner in part] if isinstance(part, list) else part
