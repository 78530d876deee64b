"""What the dialects of UI-TARS, AndroidWorld, WebArena and BrowserGym share when they say an action."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any, NoReturn

from protocol.dialects.common.base import LONGEST, Context, DialectError, Loss
from protocol.dialects.common.conversion import cannot, dropped, element_of, place
from protocol.model.geometry import Coordinate, Size, Space
from protocol.model.keys import Keyboard, KeyNameError, read_key, split_chord, write_key
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Direction, Scroll

FARTHEST = 1_000_000
"""What a coordinate may be at most."""


def element_id_of(target: ActionTarget, context: Context, dialect: str, what: str = "target") -> tuple[str, list[Loss]] | None:
    """The id of the element that `target` names, and what is lost by saying no more; None where it only names a place.

    An id that stands alone, or without a state to look it up in, is said as it is.
    Raises DialectError where the target names no element of the state, or several.
    """
    given = [name for name in _LOCATORS if getattr(target, name) is not None]
    named = [name for name in given if name in _NAMING]
    if not named:
        return None
    found = target.element_id if given == ["element_id"] or context.state is None else None
    if found is None:
        element = element_of(target, context, dialect, what)[0]
        if element is None:
            return None
        found = element.element_id
    lost = (name for name in given if name != "element_id")
    return found, [Loss(what=f"{what}.{name}", why="only the id of the element is said") for name in lost]


_NAMING = ("track_id", "element_id", "text")
_LOCATORS = (*_NAMING, "bbox", "point", "role", "selector", "description", "state_id")


def spot(
    target: ActionTarget, context: Context, space: Space, image: Size | None, dialect: str, what: str, *, whole: bool
) -> tuple[Coordinate, list[Loss]]:
    """Where `target` is, as `place` says it, in whole numbers where the other side counts in those."""
    said, losses = place(target, context, space, image, dialect, what)
    if said.image_size is not None and space != "image":
        losses.append(Loss(what=f"{what}.point.image_size", why="the size of the picture is not said"))
        said = said.model_copy(update={"image_size": None})
    if max(abs(said.x), abs(said.y)) > FARTHEST:
        raise DialectError(dialect, what, f"the place is more than {FARTHEST} pixels away")
    rounded = said.model_copy(update={"x": floor(said.x + 0.5), "y": floor(said.y + 0.5)})
    if not whole or rounded == said:
        return said, losses
    if not losses:
        losses.append(Loss(what=f"{what}.point", why="said in whole numbers"))
    return rounded, losses


def direction_of(action: Scroll, dialect: str, amount: float, unit: str) -> tuple[Direction, list[Loss]]:
    """The way a scroll goes, for those who say no more; `amount` and `unit` are how far it goes there. Raises DialectError."""
    x, y = action.delta.x, action.delta.y
    if not x and not y:
        cannot(dialect, action, "a scroll by nothing has no direction")
    losses = dropped(action, modifiers="no keys are held while scrolling")
    if x and y:
        losses.append(Loss(what="scroll.delta", why="only one direction is said"))
    across = abs(x) > abs(y)
    if (abs(x if across else y), action.unit) != (amount, unit):
        losses.append(Loss(what="scroll.delta", why=f"how far is not said: there it is always {amount:g} {unit}"))
    if across:
        return ("right" if x > 0 else "left"), losses
    return ("down" if y > 0 else "up"), losses


def read_chord(text: str, keyboard: Keyboard, dialect: str, where: str, separator: str = "+") -> tuple[str, ...]:
    """The canonical keys of a chord. Raises DialectError for a name that no keyboard has."""
    try:
        keys = tuple(read_key(part, keyboard) for part in split_chord(text, separator))
    except KeyNameError as bad:
        raise DialectError(dialect, where, str(bad)) from None
    if not keys:
        raise DialectError(dialect, where, "the chord has no keys")
    return keys


def write_chord(keys: tuple[str, ...], keyboard: Keyboard, dialect: str, action: Action, separator: str = "+") -> str:
    """The chord as `keyboard` spells it. Raises DialectError where it lacks a key or the spelling would be read as another."""
    names = [write_key(key, keyboard) or cannot(dialect, action, f"there is no key {key!r}") for key in keys]
    said = separator.join(names)
    try:
        exact = read_chord(said, keyboard, dialect, action.verb, separator) == keys
    except DialectError:
        exact = False
    return said if exact else cannot(dialect, action, f"the chord {said!r} would be read as another")


def chord_text(keys: tuple[str, ...], refuse: Callable[[str, str], NoReturn]) -> str:
    """The chord as Playwright spells it; one that would fall into other keys is refused."""
    text = "+".join(write_key(key, "playwright") or key for key in keys)
    try:
        parts = split_chord(text) if len(text) > 1 else (text,)
    except KeyNameError:
        parts = ()
    return text if len(parts) == len(keys) else refuse("keys", f"the chord {text} cannot be told apart")


def within_length(text: str, dialect: str) -> str:
    """`text`, unless nobody would read anything so long."""
    if len(text) > LONGEST:
        raise DialectError(dialect, "", f"the text is longer than {LONGEST} characters")
    return text


def a_text(payload: Any, dialect: str) -> str:
    """The payload of a dialect of texts. Raises DialectError for anything else, and for texts that are too long."""
    if not isinstance(payload, str):
        raise DialectError(dialect, "$", f"a text is needed, not {type(payload).__name__}")
    return within_length(payload, dialect)


def position(text: str, index: int) -> str:
    """Where `index` is in `text`, for people."""
    return f"line {text.count(chr(10), 0, index) + 1}, column {index - text.rfind(chr(10), 0, index)}"
