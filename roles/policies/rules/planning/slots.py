"""Slots of a page: what the goal gives, what an earlier step finds, what the user answers; and what nothing fills."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roles.contracts import USER, PlanRequest
from roles.knowledge.pages.playbook import SLOT, Playbook
from roles.policies.rules.grammar import parse
from roles.policies.rules.pages.handbook import page_reading
from roles.policies.rules.reference import slot as later
from roles.screen.language import clauses as c
from roles.screen.language.goals import Given, Wanted, Words, taken_apart, written
from roles.screen.language.lexicon import READ_VERBS
from roles.screen.language.masks import Masks

_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
_GIVEN_IF = re.compile(
    r"^if\s+(?:there is |you (?:have|know|were given)\s+)?(?:an?\s+|the\s+)?\{(?P<slot>[^{}]+)\}"
    r"\s*(?:is\s+)?(?:given|known|named|mentioned|there|set|told)?\s*,\s*(?:then\s+)?(?P<then>.+)$",
    re.IGNORECASE | re.DOTALL,
)


_ANY_KIND = ("name", "quoted", "id", "email", "file", "url", "money", "date", "time", "number")
"""For a slot whose words say nothing of its kind: what is most likely meant first."""


@dataclass
class Filling:
    """What stands in the slots of one page for one goal."""

    values: dict[str, Given] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    """Slots that a step of the page finds out itself."""
    missing: list[str] = field(default_factory=list)


def question_for(slot: str, text: str, book: Playbook) -> str:
    """How the user is asked for what a slot wants. The same slot, goal and page are asked about in the same words."""
    return f'What is the {slot.replace("_", " ").replace(".", " ")} for "{text}"? ("{book.title}" of {book.source} wants it)'


def filling(book: Playbook, text: str, words: Words, request: PlanRequest) -> Filling:
    """Fill what can be filled. A slot that two values fit equally well stays empty: nothing is guessed."""
    wanted = [Wanted(name) for name in _used_slots(book)]
    free = list(words.given)
    made = Filling()
    _by_title(book, text, wanted, free, made)
    for slot in wanted:
        fits = [one for one in free if slot.takes(one) and slot.is_called(one)]
        if slot.slot not in made.values and len(fits) == 1:
            _take(slot, fits[0], made)
    made.found = {s.slot for s in wanted if s.slot not in made.values and _is_found(s, book)}
    _by_kind(wanted, free, book, made)
    for answered in request.supplements:
        for slot in wanted:
            if answered.source == USER and answered.title == question_for(slot.slot, text, book):
                made.values[slot.slot] = _answer(answered.text)
    needed = _needed(book)
    made.missing = [s.slot for s in wanted if s.slot not in made.values and s.slot not in made.found and s.slot in needed]
    return made


def _used_slots(book: Playbook) -> list[str]:
    """The slots that have to be filled, and those that may be: not those of steps that are left out."""
    needed = [book.title, *book.conditions, *(step.text for step in book.steps if not step.optional)]
    return list(dict.fromkeys(name for words in needed for name in SLOT.findall(words)))


def _needed(book: Playbook) -> set[str]:
    """The slots without which it cannot be followed: not those of what is done only if something is given."""
    steps = [step.text for step in book.steps if not step.optional and not _GIVEN_IF.match(step.text)]
    return {name for text in (book.title, *book.conditions, *steps) for name in SLOT.findall(text)}


def _take(slot: Wanted, one: Given, made: Filling) -> None:
    made.values[slot.slot] = one


def _by_title(book: Playbook, text: str, wanted: Sequence[Wanted], free: Sequence[Given], made: Filling) -> None:
    """`Remind {name} about {invoice}` said as it is written there."""
    if not SLOT.search(book.title):
        return
    parts = SLOT.split(book.title)
    said = "".join(_loose(part) if at % 2 == 0 else "(.+?)" for at, part in enumerate(parts))
    match = re.search(rf"(?:^|\b){said}[\s.!]*$", text.strip(), re.IGNORECASE)
    if match is None:
        return
    by_raw = {one.raw: one for one in free}
    for name, group in zip(parts[1::2], match.groups(), strict=True):
        bare = re.sub(r"^(?:the|a|an|our|my)\s+", "", group.strip().strip("\"“”„«»'"), flags=re.IGNORECASE)
        slot = next((s for s in wanted if s.slot == name), None)
        one = by_raw.get(bare) or next((one for one in free if one.raw in bare), None)
        if slot is not None and one is not None and slot.takes(one):
            _take(slot, one, made)


def _loose(part: str) -> str:
    words = [re.escape(word) for word in part.split()]
    joined = r"\s+(?:(?:the|a|an|our|my)\s+)?".join(words)
    before = r"\s*" if part[:1].isspace() else ""
    return before + joined + (r"\s*" if part[-1:].isspace() else "")


def _by_kind(wanted: Sequence[Wanted], free: Sequence[Given], book: Playbook, made: Filling) -> None:
    """By what kind of thing they are, where that leaves no choice."""
    for slot in sorted(wanted, key=lambda s: not s.kinds):
        if slot.slot in made.values or slot.slot in made.found:
            continue
        known = [o for o in wanted if o.slot in made.values and (o.owner == slot.owner or slot.general)]
        same = {one.raw: one for o in known if slot.takes(one := made.values[o.slot])}
        if len(same) == 1:
            _take(slot, next(iter(same.values())), made)
            continue
        taken = {one.raw for name, one in made.values.items() if not Wanted(name).same_thing(slot)}
        for kind in slot.kinds or _ANY_KIND:
            fits = {one.raw: one for one in free if one.kind == kind and one.raw not in taken and slot.takes(one)}
            if len(fits) > 1 or (len(fits) == 1 and _contested(slot, next(iter(fits.values())), wanted, book, made)):
                break
            if len(fits) == 1:
                _take(slot, next(iter(fits.values())), made)
                break


def _contested(slot: Wanted, one: Given, wanted: Sequence[Wanted], book: Playbook, made: Filling) -> bool:
    """Whether another thing that the page wants could be this value as well. What the title speaks of comes first."""
    in_title = SLOT.findall(book.title)
    rivals = [
        other for other in wanted
        if other.slot not in made.values and other.slot not in made.found and not other.same_thing(slot)
        and one.kind in other.kinds[:1] and other.takes(one)
    ]  # fmt: skip
    if not rivals:
        return False
    if slot.slot in in_title:
        return any(other.slot in in_title for other in rivals)
    return True


def _is_found(slot: Wanted, book: Playbook) -> bool:
    """Whether a step before the first that uses it reads what the slot is called."""
    first = next((step.number for step in book.steps if slot.slot in SLOT.findall(step.text)), 0)
    name = re.escape(" ".join(slot.words))
    reads = re.compile(rf"\b(?:{READ_VERBS}|check|open|add up|sum up)\b[^.]*\b{name}\b", re.IGNORECASE)
    return any(reads.search(step.text) for step in book.steps if step.number < first)


def _answer(text: str) -> Given:
    masks = Masks()
    bare = text.strip().strip("\"“”")
    held = masks.only(masks.hide_typed(bare))
    if held is not None:
        return Given(bare, held.kind)
    found = taken_apart(f"it is {bare}").given
    return Given(bare, "name" if len(found) == 1 and found[0].raw == bare and found[0].kind == "name" else "quoted")


def filled(text: str, made: Filling, facts: Mapping[str, str], *, by_name: bool = False) -> str | None:
    """`text` with everything in its slots, or None where one of them is empty; nothing where it is not to be done.

    `facts` are those that are found by then. What is found stands as `the total`, and `by_name` in words that become its
    value when it is known, as it does within quotes.
    """
    match = _GIVEN_IF.match(text)
    if match is not None:
        if match["slot"] not in made.values:
            return ""
        text = match["then"][:1].upper() + match["then"][1:]
    spans = [found.span() for found in _QUOTED.finditer(text)]

    def put(found: re.Match[str]) -> str:
        inside = any(start < found.start() < end for start, end in spans)
        name = found[1]
        if (one := made.values.get(name)) is not None:
            return written(one.raw, one.kind, quoted=inside)
        words = " ".join(Wanted(name).words)
        if name not in made.found or words not in facts:
            lost.append(name)
            return found.group()
        if inside or by_name:
            return later(facts[words]) if inside else f'"{later(facts[words])}"'
        return _the(text, found.start(), words)

    lost: list[str] = []
    done = SLOT.sub(put, text)
    return None if lost else done


def _the(text: str, at: int, words: str) -> str:
    return words if re.search(r"\b(?:the|its|this|that)\s+$", text[:at], re.IGNORECASE) else f"the {words}"


def facts_found(clauses: Sequence[c.Clause], slots: set[str]) -> dict[str, str]:
    """By the words of a slot, the name of the fact that is found for it."""
    names = [name for clause in clauses if isinstance(clause, c.Read | c.Compute | c.Collect) for name in clause.fact_names()]
    known: dict[str, str] = {}
    for slot in slots:
        words = " ".join(Wanted(slot).words)
        fits = [name for name in names if set(words.split()) <= set(name.casefold().split()) or words.endswith(f" {name}")]
        if fits:
            known[words] = fits[-1]
    return known


def reading(texts: Sequence[str], request: PlanRequest) -> list[c.Clause]:
    """The clauses of steps that stand one after the other. Without applications they speak of the page that is shown."""
    if not request.apps:
        return page_reading(texts)
    steps = " ".join(f"{text.rstrip(' .;')}." for text in texts)
    return parse(steps, request.apps, [fact.name for fact in request.facts])
