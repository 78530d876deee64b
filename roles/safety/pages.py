"""Which step of a page is behind an action, and whether the user's own words ask for what it does.

A page that was looked up may say anything. What it adds to the goal and reaches others, costs, deletes or changes an
account is not the user's until a person has said so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz import fuzz

from environments.effects.words import Effect, effects_in
from roles.contracts import USER, StepOrigin, Supplement
from roles.knowledge.pages.playbook import playbooks_in
from roles.knowledge.pages.visible import shown

_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|https?://\S+|\S+@\S+')
_ADDRESS = re.compile(r"https?://[^\s,;<>\"”]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SAME = 70
"""How much of an action's words a step has that says to do it."""
_LINES = 60


def step_behind(
    origins: Sequence[StepOrigin], effect: Effect, words: Sequence[str], found: Iterable[Supplement], *, asked: bool
) -> StepOrigin | None:
    """The step that an action of this effect on these things comes from; None where it is the goal's own.

    `origins` are those of the subtask. Where they do not say it, the pages themselves are looked through, unless the user
    `asked` for such a thing: a policy may do what it has read without having planned it.
    """
    own = any(not origin.source for origin in origins)
    stated = [origin for origin in origins if origin.source]
    fits = [origin for origin in stated if effect in effects_in(origin.text)]
    if fits or (stated and not own):
        return max(fits or stated, key=lambda origin: _likeness(origin.text, words))
    if asked:
        return None
    read = (origin for supplement in found if supplement.source != USER for origin in _said_by(supplement))
    alike = [origin for origin in read if effect in effects_in(origin.text) and _likeness(origin.text, words) >= _SAME]
    return max(alike, key=lambda origin: _likeness(origin.text, words), default=None)


def asked_for(effect: Effect, said: Iterable[str], step: StepOrigin | None = None) -> bool:
    """Whether the user's own words name such an effect, and a page's step brings no address that they do not."""
    texts = list(said)
    strange = _ADDRESS.findall(step.text) if step is not None else []
    every = " ".join(texts).casefold()
    if any(address.casefold() not in every for address in strange):
        return False
    return any(effect in effects_in(_QUOTED.sub(" ", text)) for text in texts)


def _said_by(found: Supplement) -> Iterator[StepOrigin]:
    books = playbooks_in(found)
    for book in books:
        yield from (book.origin(step.number) for step in book.steps)
    if not books:
        lines = [line.strip() for line in shown(found.text).text.splitlines() if line.strip()]
        yield from (StepOrigin(source=found.source, title=found.title, text=line[:160]) for line in lines[:_LINES])


def _likeness(text: str, words: Sequence[str]) -> float:
    folded = text.casefold()
    return max((fuzz.partial_ratio(word.casefold(), folded) for word in words if word), default=0.0)
