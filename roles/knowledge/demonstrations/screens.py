"""What the screens of a demonstration show: where a value stood, of which record, and what records are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.safety.privacy.vault_shapes import spotted
from roles.screen.language import clauses as c
from roles.screen.language.goals import Given, Wanted, taken_apart
from roles.screen.language.lexicon import FILTERS, ID_NOUNS, NOUNS, PICKS
from roles.screen.language.masks import ANY, Masks
from roles.screen.matching import similarity, tokens
from roles.screen.screens import Screen, shown
from roles.screen.values import same_value

SHORTEST = 3
"""Letters; a shorter text is found in a goal only where it stands there as an id, a number or in quotation marks."""
_SLUG = re.compile(r"[^a-z0-9]+")


class Mention(NamedTuple):
    """A value in the words of the goal."""

    start: int
    end: int
    text: str
    kind: str = "name"
    """quoted, id, date, money, email, number, ... as Masks has it; private for what must not be kept."""


def mentions(goal: str) -> list[Mention]:
    """The values that can be told from other words by their shape, quotation marks left out."""
    private = [Mention(s.start, s.end, goal[s.start : s.end], "private") for s in spotted(goal)]
    masks = Masks()
    hidden = masks.hide_typed(masks.hide_quotes(goal))
    found: list[Mention] = []
    at = 0
    for char in re.findall(ANY, hidden):
        held = masks.held(char)
        start = goal.find(held.raw, at)
        if start < 0:
            continue  # an escaped quotation mark within quotation marks
        at = start + len(held.raw)
        if not any(p.start < at and start < p.end for p in private):
            found.append(Mention(start, at, held.raw, held.kind))
    return sorted([*private, *found])


class Slots:
    """Values of one goal that steps refer to by name."""

    def __init__(self, goal: str, more: Iterable[Mention] = ()) -> None:
        self.goal = goal
        self.mentions = sorted({*mentions(goal), *more})
        self._told_apart = {one.raw for one in taken_apart(goal).given}
        """What can be told from other words in another goal, too; another value there could not be filled in."""
        self.values: dict[str, str] = {}
        """What each slot held in this demonstration, by its name."""
        self._named: dict[tuple[int, int], str] = {}
        for mention in self.mentions:
            if mention.kind == "private":
                self._take(mention, next((s.label for s in spotted(goal) if s.start == mention.start), "secret"))

    def learn(self, texts: Iterable[str]) -> None:
        """Names that screens show and the goal says, in whatever letters it does."""
        for text in texts:
            mention = self.mention(text)
            if mention is not None and not any(m.start < mention.end and mention.start < m.end for m in self.mentions):
                self.mentions = sorted([*self.mentions, mention])

    def mention(self, value: str) -> Mention | None:
        """Where the goal says `value`, in whatever form."""
        wanted = value.strip()
        if not wanted:
            return None
        typed = next((m for m in self.mentions if same_value(m.text, wanted)), None)
        if typed is not None or len(wanted) < SHORTEST:
            return typed
        for found in re.finditer(rf"(?<!\w){re.escape(wanted)}(?!\w)", self.goal, re.IGNORECASE):
            if found.group() in self._told_apart:
                return Mention(found.start(), found.end(), found.group())
        return None

    def named(self, value: str, called: str = "") -> str | None:
        """`{invoice}` for a value that the goal says; `called` is what it is, as a field or a label has it."""
        mention = self.mention(value)
        return None if mention is None else self._take(mention, called)

    def within(self, text: str, called: str = "") -> str:
        """`text` with a slot for every value of the goal that stands in it as the goal has it."""
        for mention in sorted(self.mentions, key=lambda m: m.start - m.end):
            if mention.text and (len(mention.text) >= SHORTEST or mention.kind in {"number", "id"}):
                pattern = rf"(?<![\w{{]){re.escape(mention.text)}(?![\w}}])"
                if re.search(pattern, text):
                    text = re.sub(pattern, lambda _, m=mention: self._take(m, called), text)  # type: ignore[misc]
        return text

    def _take(self, mention: Mention, called: str) -> str:
        same = next((m for m in self._named if self.goal[m[0] : m[1]] == mention.text), None)
        span = (mention.start, mention.end)
        if same is not None:
            self._named.setdefault(span, self._named[same])
        elif span not in self._named:
            name = base = next(words for words in (self._plainly(called), mention.kind, "value") if _takes(words, mention))
            number = 2
            while name in self.values:
                name, number = f"{base} {number}", number + 1
            self._named[span] = name
            self.values[name] = mention.text
        return f"{{{self._named[span]}}}"

    def _plainly(self, called: str) -> str:
        """`quantity` for the field `Quantity of Candle holder`: a name must not hold a value."""
        for mention in self.mentions:
            called = called.replace(mention.text, " ")
        words = _slug(re.sub(r"\{[^}]*\}", " ", called))
        return re.sub(r"^[\d ]+|\s+(?:of|for|to|in|on|from|with)$", "", words)

    @property
    def title(self) -> str:
        """The goal with its slots; quotation marks around one stay."""
        spans = {(m.start, m.end): name for m in self.mentions for name in [self._name_of(m.text)] if name}
        parts: list[str] = []
        at = 0
        for (start, end), name in sorted({**spans, **self._named}.items()):
            if start >= at:
                parts += [self.goal[at:start], f"{{{name}}}"]
                at = end
        return "".join([*parts, self.goal[at:]])

    @property
    def unused(self) -> list[str]:
        """Values of the goal that no step needed."""
        return [m.text for m in self.mentions if m.kind != "name" and not self._name_of(m.text)]

    def _name_of(self, text: str) -> str:
        return next((name for name, value in self.values.items() if value == text), "")


def _takes(name: str, mention: Mention) -> bool:
    """Whether a slot of this name can be filled with such a value."""
    return bool(name) and (name == "value" or Wanted(name).takes(Given(mention.text, mention.kind)))


def _slug(words: str) -> str:
    return _SLUG.sub(" ", words.casefold()).strip()[:30].strip()


Texts = Sequence[tuple[str, str]]
"""What a record shows, with labels where there are any."""


class Sighting(NamedTuple):
    """A value on a screen that somebody had seen."""

    at: int
    """The step before which it was seen."""
    app: str
    label: str
    row: bool
    texts: tuple[tuple[str, str], ...]
    """What else the record shows there, with labels."""


@dataclass
class DemonstrationScreens:
    """The screens of a demonstration, searched backwards for a value."""

    states: Sequence[VisualState]
    screens: dict[str, Screen] = field(default_factory=dict)

    def screen(self, at: int) -> Screen:
        state = self.states[at]
        return self.screens.setdefault(state.state_id, Screen(state))

    def of(self, value: str, before: int, called: str, written: frozenset[str]) -> Sighting | None:
        """Where `value` was read: on the page of a record rather than in a list, under a name like `called`, lately.

        `written` are the fields that were filled in by hand, which tell nothing.
        """
        found: dict[tuple[str, str, bool], Sighting] = {}
        for at in range(before, -1, -1):
            for sighting in self._on(at, value, written):
                found.setdefault((sighting.app, sighting.label, sighting.row), sighting)
        ranked = sorted(found.values(), key=lambda s: (-round(similarity(called, s.label), 1), s.row, -s.at))
        return ranked[0] if ranked else None

    def _on(self, at: int, value: str, written: frozenset[str]) -> Iterator[Sighting]:
        state, screen = self.states[at], self.screen(at)
        app = state.app or ""
        for pair in screen.pairs:
            if same_value(pair.value, value) and (pair.element.track_id or pair.element.name) not in written:
                yield Sighting(at, app, pair.label, False, texts_of(screen))
        for item in screen.items:
            for cell in item.cells:
                if cell.value and same_value(cell.value, value):
                    yield Sighting(at, app, cell.label, True, tuple((p.label, p.value) for p in item.cells))


def texts_of(screen: Screen) -> tuple[tuple[str, str], ...]:
    """What the page of a record shows, rows aside: labelled values, and texts without a label."""
    pairs = [(p.label, p.value) for p in screen.pairs]
    return (*pairs, *(("", shown(e)) for e in screen.detail_texts if e.role == "heading"))


def row_texts(screen: Screen, element: GUIElement) -> tuple[tuple[str, str], ...]:
    """What the row around `element` shows; nothing when it stands in none."""
    around = {element.element_id, *(a.element_id for a in screen.above(element))}
    item = next((i for i in screen.items if i.element.element_id in around), None)
    if item is None:
        return ()
    cells = [(p.label, p.value) for p in item.cells]
    plain = [("", shown(e)) for e in [item.element, *screen.within(item.element)] if shown(e) and e.role not in {"button"}]
    return tuple(cells) or tuple(plain)


def entity_of(texts: Texts, noun: str, slots: Slots) -> c.Entity:
    """The record that shows these texts, told by what the goal says of it: its id, else its name and date."""
    told = _picked(slots.goal, noun)
    found = c.Entity(noun=noun, pick=told.pick, filters=told.filters)
    for label, text in texts:
        mention = slots.mention(text) or (_id_in(text, slots) if not label else None)
        if mention is None or mention.kind in {"money", "number", "time", "private"}:
            continue
        part = "id" if mention.kind == "id" else "dated" if mention.kind == "date" else _naming(label)
        if part == "id":
            kind = _noun_of_id(mention.text) or noun
            return c.Entity(noun=kind, id=slots.named(mention.text, kind or "id") or "")
        if mention.kind == "file":
            return c.Entity(noun="file", name=slots.named(mention.text, "file") or "")
        if not getattr(found, part):
            found = _with(found, part, slots.named(mention.text, label or noun or part) or "")
    return found


def _with(entity: c.Entity, part: str, value: str) -> c.Entity:
    match part:
        case "dated":
            return replace(entity, dated=value)
        case "subject":
            return replace(entity, subject=value)
        case _:
            return replace(entity, name=value)


def names_on(states: Iterable[VisualState]) -> list[str]:
    """What entries of lists, headings and labelled values are called, longest first: names that a goal may use."""
    found: set[str] = set()
    seen = {state.state_id: state for state in states}.values()
    apps = {name.casefold() for state in seen for name in (state.app or "", *(window.title for window in state.windows))}
    for state in seen:
        screen = Screen(state)
        labels = {p.label.casefold() for p in screen.pairs} | {column.casefold() for column in screen.columns}
        texts = [shown(e) for row in screen.rows for e in [row, *screen.within(row)] if e.role not in {"button", "checkbox"}]
        texts += [p.value for p in screen.pairs] + [e.name for e in state.elements if e.role == "heading"]
        found.update(t for t in texts if t[:1].isupper() and t.casefold() not in labels | apps and t.casefold() not in NOUNS)
    return sorted(found, key=lambda text: (-len(text), text))


def _naming(label: str) -> str:
    return "subject" if similarity("subject", label) >= 0.9 else "name"


def _id_in(text: str, slots: Slots) -> Mention | None:
    """`Invoice INV-7` is about INV-7."""
    words = set(text.split())
    return next((m for m in slots.mentions if m.kind == "id" and m.text in words), None)


def _noun_of_id(text: str) -> str:
    return ID_NOUNS.get(re.split(r"[-\d]", text)[0].upper(), "")


def _picked(goal: str, noun: str) -> c.Entity:
    """`my latest unpaid invoice`: the goal tells it from others without a value."""
    kinds = [word for word, kind in NOUNS.items() if kind == noun] if noun else []
    picks, filters = "|".join(sorted(PICKS, key=len, reverse=True)), "|".join(FILTERS)
    match = re.search(rf"\b((?:(?:{picks}|{filters})\s+)+)(?:{'|'.join(kinds)})\b", goal, re.IGNORECASE) if kinds else None
    said = match[1].casefold() if match else ""
    pick = re.search(rf"\b(?:{picks})\b", said)
    return c.Entity(noun=noun, filters=tuple(re.findall(rf"\b(?:{filters})\b", said)), pick=PICKS[pick.group()] if pick else "")


def noun_of(state: VisualState) -> str:
    """What kind of records the screen shows, by its headings or the name of the application."""
    heads = [e.name for e in state.elements if e.role == "heading"]
    for words in (*heads[:1], state.app or ""):
        for word in tokens(words):
            if word in NOUNS or f"{word}s" in NOUNS:
                return NOUNS.get(word) or NOUNS[f"{word}s"]
    return ""
