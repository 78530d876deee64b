"""Looking at an application after one of its functions was called: is what was written there to be seen?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from environments.effects.words import Effect, effect_of_words
from protocol import GUIElement
from roles.contracts import Fact
from roles.contracts import clauses as c
from roles.policies.rules.functions.functions import key_of
from roles.policies.rules.functions.wishes import Wish
from roles.policies.rules.skills.moves import Move, Situation, done, fail, press
from roles.policies.rules.skills.skills import next_move, reach_app
from roles.screen.calls import records_in, shows, telling, tells_of
from roles.screen.matching import similarity, tokens
from roles.screen.records import entry_of, fits
from roles.screen.screens import fold
from roles.screen.values import same_value

_LOOKS = 14
_PARTS = {
    "send": ("sent", "outbox"),
    "save": ("draft", "drafts", "all", "list"),
    "submit": ("submitted", "history", "my", "all", "list"),
    "delete": ("all", "list", "inbox"),
}
"""Words of the part of an application where what was done is to be seen."""
_NAVIGATION = frozenset({"tab", "link", "treeitem", "menuitem", "option", "listitem", "button", "radio"})
_HARMLESS = frozenset({None, Effect.NAVIGATE, Effect.OBSERVE})


def look_at(wish: Wish, clause: c.Clause, answer: Fact | None, at: Situation) -> Move:
    """Bring the application to the front and find what was done; what cannot be found was not done."""
    if way := reach_app(clause, at):
        return way
    looks = at.count("looks")
    if wish.deed == "delete":
        if _gone(wish.entity, at):
            return done("it is no longer listed")
    elif _open(wish, at) or (at.notes.get("entry") and all(shows(at.view.seen, text) for text in _written(wish))):
        return done(f"{at.view.seen.app} shows what was written")
    if looks < _LOOKS and (nearer := _nearer(wish, answer, at)) is not None:
        return nearer
    app = at.view.seen.app
    if wish.deed != "delete" and all(shows(at.view.seen, text) for text in _written(wish)):
        return done(f"{app} lists what was written")
    return fail(f"{at.notes['doing']} said that it was done, and {app} does not show it")


def _written(wish: Wish) -> list[str]:
    return telling(given.text for given in wish.values)


def _open(wish: Wish, at: Situation) -> bool:
    """Whether all of it stands on the screen by itself, and not only in the rows of a list."""
    alone = (*at.screen.detail_texts, *at.screen.inputs)
    here = at.view.seen.model_copy(update={"elements": tuple(alone)})
    return all(shows(here, text) for text in _written(wish))


def _gone(entity: c.Entity, at: Situation) -> bool:
    return bool(at.screen.items) and not any(fits(entity, entry_of(item)) for item in at.screen.items)


def _nearer(wish: Wish, answer: Fact | None, at: Situation) -> Move | None:
    """Open the entry that shows some of it, else the part of the application where such things are."""
    opened: list[str] = at.notes.setdefault("looked at", [])
    for item in at.screen.items:
        clue = next((text for text in _clues(wish, answer) if fold(text) in fold(item.text)), None)
        if clue is not None and item.press.enabled and (tries := opened.count(item.text)) < 2:
            opened.append(item.text)  # one press may only select it
            at.notes["entry"] = True
            return press(item.press, f"it shows {clue!r}", count=1 + tries, at=at)
    for element in _parts(wish, at):
        if element.name not in opened:
            opened.append(element.name)
            return press(element, f'"{element.name}" may show what was done', at=at)
    clues = _clues(wish, None)
    if not clues:
        return None
    found = next_move(c.OpenItem(entity=c.Entity(noun=(*wish.nouns, "")[0], name=clues[0])), at)
    return found if found.kind == "act" else None


def _clues(wish: Wish, answer: Fact | None) -> list[str]:
    """By what an entry of it may be known: values, and what its function calls it."""
    records = records_in(answer.value)[0] if answer is not None else []
    keys = [key for record in records[:1] if (key := key_of(record, "number")) is not None and len(key) > 2]
    values = _written(wish) + telling([wish.entity.name, wish.entity.subject, wish.entity.id])
    return [*keys, *(text.rsplit("/", 1)[-1] for text in values if "\n" not in text)]


def _parts(wish: Wish, at: Situation) -> Sequence[GUIElement]:
    """Places of the application, those named for such a thing first; nothing that does anything."""
    words = _PARTS.get(wish.deed, ())
    nouns = [noun for noun in wish.nouns if noun]

    def near(element: GUIElement) -> float:
        named = set(tokens(element.name))
        likeness = max((similarity(noun, element.name) for noun in nouns), default=0.0)
        return (2.0 if named & set(words) else 0.0) + (likeness if likeness >= 0.6 else 0.0)

    there = [
        e for e in at.screen.presses
        if e.enabled and e.role in _NAVIGATION and effect_of_words(e.name) in _HARMLESS and not _makes(e.name)
    ]  # fmt: skip
    return sorted((e for e in there if near(e) > 0), key=near, reverse=True)


def _makes(name: str) -> bool:
    return bool({"new", "create", "add", "compose", "+", "write", "reply", "edit"} & set(name.casefold().split()[:1]))


def answers_for(arguments: Mapping[str, Any], answer: str) -> bool:
    """Whether an answer is the one to a call with these arguments, by those that it names again."""
    records, _ = records_in(answer)
    if len(records) != 1:
        return False
    named = {name: value for name, value in arguments.items() if name in records[0]}
    return bool(named) and all(same_value(str(records[0][name]), str(value)) for name, value in named.items())


def told_back(wish: Wish, answer: str) -> bool:
    """Whether what a reading function answered tells of all that was written."""
    texts = _written(wish)
    records, _ = records_in(answer)
    return any(tells_of(texts, record) for record in records) if texts else not records


def nearest_told(wish: Wish, answer: str) -> dict[str, Any] | None:
    """The record of an answer that tells of most of what was written, where it tells of any."""
    texts = _written(wish)
    scored = [(sum(tells_of([text], record) for text in texts), record) for record in records_in(answer)[0]]
    best = max(scored, key=lambda pair: pair[0], default=(0, {}))
    return best[1] if best[0] else None


