"""What the screens of a demonstration show: where a value stood, of which record; and which values of the goal are slots."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from protocol import GUIElement, VisualState
from roles.contracts.orders import Records, RowTest
from roles.knowledge.pages.filling import Given, Wanted, values_in
from roles.safety.privacy.vault_shapes import spotted
from roles.screen.matching import similarity
from roles.screen.screens import FIELD_ROLES, Screen, shown
from roles.screen.values import same_value

_SHORTEST = 3
"""Letters; a shorter text is found within another only where it is an id or a number."""
_NO_RECORD = frozenset({"number", "time", "private"})
"""Kinds of values that tell no record from others."""


def escaped(text: str) -> str:
    """A text as a step holds it letter for letter."""
    return text.replace("{", "{{").replace("}", "}}")


class Slots:
    """Values of one goal that steps refer to by name."""

    def __init__(self, goal: str) -> None:
        self.goal = goal
        hidden = [Given(goal[s.start : s.end], "private", s.start, s.end, (s.label,)) for s in spotted(goal)]
        given = [*hidden, *(one for one in values_in(goal) if not any(_meet(one, secret) for secret in hidden))]
        apart = (one for n, one in enumerate(given) if not any(_meet(one, o) for o in given[:n]))
        self.given = sorted(apart, key=lambda one: one.start)
        self.values: dict[str, str] = {}
        """What each slot held in this demonstration, by its name."""
        for one in hidden:
            self._take(one, one.called[0] or "secret")

    def mention(self, value: str) -> Given | None:
        """Where the goal says `value`, in whatever form."""
        wanted = value.strip()
        return next((one for one in self.given if wanted and same_value(one.text, wanted)), None)

    def named(self, value: str, called: str = "") -> str | None:
        """`{invoice}` for a value that the goal says; `called` is what it is, as a field or a label has it."""
        one = self.mention(value)
        return None if one is None else self._take(one, called)

    def within(self, text: str, called: str = "") -> str:
        """`text`, as a step holds it, with a slot for every value of the goal that stands in it as the goal has it."""
        text = escaped(text)
        for one in sorted(self.given, key=lambda one: one.start - one.end):
            if len(one.text) >= _SHORTEST or one.kind in {"number", "id"}:
                pattern = rf"(?<![\w{{]){re.escape(escaped(one.text))}(?![\w}}])"
                text = re.sub(pattern, lambda _, one=one: self._take(one, called), text)  # type: ignore[misc]
        return text

    def _take(self, one: Given, called: str) -> str:
        name = next((name for name, value in self.values.items() if value == one.text), "")
        if not name:
            said = [word for word in one.called if not self.goal.casefold().startswith(word)]  # a goal begins with a verb
            plain = next(words for words in (self._plainly(called), *said, one.kind, "value") if _takes(words, one))
            name, number = plain, 2
            while name in self.values:
                name, number = f"{plain} {number}", number + 1
            self.values[name] = one.text
        return f"{{{name}}}"

    def _plainly(self, called: str) -> str:
        """`quantity` for the field `Quantity of Candle holder`: a name must not hold a value."""
        for one in self.given:
            called = called.replace(one.text, " ")
        words = re.sub(r"[^a-z0-9]+", " ", re.sub(r"\{[^}]*\}", " ", called).casefold())
        return re.sub(r"^[\d ]+|\s+(?:of|for|to|in|on|from|with)$", "", words.strip()[:30]).strip()

    @property
    def title(self) -> str:
        """The goal with its slots; quotation marks around one stay."""
        parts, at = [], 0
        for one in self.given:
            name = next((name for name, value in self.values.items() if value == one.text), "")
            start = one.start + (one.kind == "quote")
            if name:
                parts += [self.goal[at:start], f"{{{name}}}"]
                at = one.end - (one.kind == "quote")
        return " ".join("".join([*parts, self.goal[at:]]).split())

    @property
    def unused(self) -> list[str]:
        """Values of the goal that no step needed."""
        return [one.text for one in self.given if one.kind != "name" and one.text not in self.values.values()]


def _meet(one: Given, other: Given) -> bool:
    return one.start < other.end and other.start < one.end


def _takes(name: str, one: Given) -> bool:
    """Whether a slot of this name can be filled with such a value."""
    slot = re.sub(r"[^a-z ]", "", name)
    return bool(slot) and (one.kind == "private" or slot == "value" or Wanted(name).takes(one))


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


class DemonstrationScreens:
    """The screens of a demonstration, searched backwards for a value."""

    def __init__(self, states: Sequence[VisualState]) -> None:
        self.states = states
        self._screens: dict[str, Screen] = {}

    def screen(self, at: int) -> Screen:
        state = self.states[at]
        return self._screens.setdefault(state.state_id, Screen(state))

    def of(self, value: str, before: int, called: str, written: frozenset[str]) -> Sighting | None:
        """Where `value` was read: on the page of a record rather than in a list, under a name like `called`, lately.

        `written` are the fields that were filled in by hand, which tell nothing.
        """
        found: dict[tuple[str, str, bool], Sighting] = {}
        for at in range(before, -1, -1):
            for sighting in self._on(at, value, written, before):
                found.setdefault((sighting.app, sighting.label, sighting.row), sighting)
        ranked = sorted(found.values(), key=lambda s: (-round(similarity(called, s.label), 1), s.row, -s.at))
        return ranked[0] if ranked else None

    def _on(self, at: int, value: str, written: frozenset[str], before: int) -> Iterator[Sighting]:
        screen, app = self.screen(at), self.states[at].app or ""
        for pair in screen.pairs:
            here = app == self.states[before].app and pair.element.role in FIELD_ROLES  # what a new form proposes
            if same_value(pair.value, value) and (pair.element.track_id or pair.element.name) not in written and not here:
                yield Sighting(at, app, pair.label, False, texts_of(screen))
        for item in screen.items:
            for cell in item.cells:
                if cell.value and cell.label and same_value(cell.value, value):
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
    plain = [("", shown(e)) for e in [item.element, *screen.within(item.element)] if shown(e) and e.role != "button"]
    return tuple((p.label, p.value) for p in item.cells) or tuple(plain)


def records_of(app: str, texts: Texts, slots: Slots) -> Records:
    """The record that shows these texts, told by what the goal says of it: its id alone, else whatever else it says.

    Its kind is for the application's card to say. Without tests nothing tells it from others.
    """
    tests: list[RowTest] = []
    for label, text in texts:
        one = slots.mention(text)
        if one is None and not label:  # `Invoice INV-7` is about INV-7
            one = next((given for given in slots.given if given.kind == "id" and given.text in text.split()), None)
        if one is None or one.kind in _NO_RECORD:
            continue
        slot = slots.named(one.text, "" if one.kind == "id" else label) or ""
        test = RowTest(label=" ".join(label.split()).rstrip(":"), relation="is" if label else "has", value=slot)
        if one.kind == "id":
            return Records(app=app, kind="", tests=(test,))
        if all(slot != known.value for known in tests):
            tests.append(test)
    return Records(app=app, kind="", tests=tuple(tests))
