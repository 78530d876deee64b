"""What all of OmniMCP's answers share: elements as whole numbers, chords with `+` or `-`, and how a goal ends."""

from __future__ import annotations

import re
from typing import Any

from protocol.dialects.base import Context, DialectError, Fields, cannot
from protocol.dialects.naming import Ledger, read_keys
from protocol.keys import MODIFIERS, Keyboard
from protocol.targets import ActionTarget
from protocol.verbs import PressKey

NAME = "omnimcp"
KEYBOARD: Keyboard = "pynput"
_WHOLE = re.compile(r"(0|[1-9]\d{0,5})\Z", re.ASCII)
_JOINT = re.compile(r"[+-]")


def _counted(context: Context) -> tuple[str, ...] | None:
    """The ids of the state in their order where some of them is no whole number: then numbers count them from 0."""
    ids = tuple(element.element_id for element in context.state.elements) if context.state else ()
    return None if all(_WHOLE.match(name) for name in ids) else ids


def number_of(element_id: str, context: Context) -> int | None:
    """The number that OmniMCP has for an element; None where it has none."""
    counted = _counted(context)
    if counted is None:
        return int(element_id) if _WHOLE.match(element_id) else None
    return counted.index(element_id) if element_id in counted else None


def number(target: ActionTarget, ledger: Ledger) -> int:
    """The number of the element that is meant. Raises DialectError where nobody knows it."""
    element_id = ledger.element_id(target)
    found = number_of(element_id, ledger.context)
    if found is None:
        raise DialectError(NAME, "target", f"elements are whole numbers there, and {element_id[:60]!r} has none")
    return found


def element(fields: Fields, name: str, context: Context) -> ActionTarget | None:
    """The element of a number, or of a text that is one."""
    given = fields.any(name, None)
    if given is None:
        return None
    if isinstance(given, str) and _WHOLE.match(given):
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 1_000_000:
        fields.refuse(name, "the whole number of an element is needed")
    counted = _counted(context)
    if counted is None:
        return ActionTarget(element_id=str(given))
    if given >= len(counted):
        fields.refuse(name, f"there are {len(counted)} elements, counted from 0")
    return ActionTarget(element_id=counted[given])


def read_chord(fields: Fields, name: str) -> tuple[str, ...]:
    """`Cmd+Space`, `ctrl-c`, and, which OmniMCP itself cannot read, `ctrl+-`."""
    text = fields.text(name).strip()
    where = f"{fields.where}.{name}"
    if len(text) > 1 and text[-1] in "+-" and text[-2] in "+-":
        parts = [*_JOINT.split(text[:-2]), text[-1]]
    else:
        parts = [text] if len(text) == 1 else _JOINT.split(text)
    parts = [{"spacebar": "space"}.get(part.strip().casefold(), part.strip()) for part in parts]
    keys = tuple(key for part in parts for key in read_keys(NAME, where, [part], KEYBOARD))
    if len([key for key in keys if key not in MODIFIERS]) > 1:
        raise DialectError(NAME, where, f"a chord is one key and modifiers, and {text[:60]!r} has several keys")
    return keys


def write_chord(action: PressKey, ledger: Ledger) -> str:
    """Raises DialectError for a chord that would be read as another."""
    held, key = ledger.one_key(action)
    said = "+".join(ledger.names(action, (*held, key), KEYBOARD))
    try:
        exact = read_chord(Fields(NAME, {"key_info": said}), "key_info") == action.keys
    except DialectError:
        exact = False
    return said if exact else cannot(NAME, action, f"the chord {said!r} would be read as another")


def thoughts(fields: Fields, name: str) -> str:
    given: Any = fields.text(name, "")
    return str(given)
