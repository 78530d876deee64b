"""The values of a goal: which words of it are values, and the names under which steps refer to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from roles.safety.privacy.vault_shapes import spotted
from roles.screen.language.goals import Given, Wanted, taken_apart
from roles.screen.language.masks import ANY, Masks
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
