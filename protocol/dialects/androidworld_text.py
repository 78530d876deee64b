"""How the agents of AndroidWorld answer: M3A with a reason and an object, SeeAct with three lines. Texts are opaque."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from protocol.dialects.base import DialectError, Loss
from protocol.dialects.calls import Word, parse_value
from protocol.dialects.saying import position

NAME = "androidworld"

_MARK = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_NAMED = re.compile(r"\{\s*+[\"'}]")
_FENCE = re.compile(r"```(?:json)?\s*+(.*?)\s*```", re.DOTALL)


def read_object(text: str) -> Mapping[str, Any]:
    """The object behind `Action:`, or alone; in JSON, or as Python prints it. Raises DialectError.

    It starts at the first brace and ends the text: an object inside a typed text is never taken for the action.
    """
    stripped = text.strip()
    mark = None if stripped.startswith(("{", "```")) else _MARK.search(stripped)
    body = stripped[mark.end() :].strip() if mark else stripped
    fenced = _FENCE.fullmatch(body)
    body = fenced[1] if fenced else body
    if not body.startswith("{"):
        raise DialectError(NAME, "$", "an object in braces is needed behind Action:")
    if not _NAMED.match(body):
        raise DialectError(NAME, "$", "an object with names in quotes is needed")
    try:
        found = json.loads(body)
    except RecursionError:
        raise DialectError(NAME, "$", "the JSON is nested too deeply") from None
    except ValueError:
        found = parse_value(NAME, body)
    if not isinstance(found, Mapping) or not all(type(name) is str for name in found):
        raise DialectError(NAME, "$", "an object whose names are in quotes is needed")
    for name, value in found.items():
        if type(value) is Word:
            raise DialectError(NAME, f"$.{name}", f"a value is needed, not the name {str(value)[:40]}")
    return found


def write_object(said: Mapping[str, Any]) -> str:
    """M3A's answer. It must have a reason, and ends its object at the first brace: those of texts are written by their number."""
    return f"Reason: none given\nAction: {json.dumps(said, ensure_ascii=False).replace('}', _BRACE)[: -len(_BRACE)]}}}"


_BRACE = "\\u007d"

_VERBS = {
    "CLICK": "click", "LONG PRESS": "long_press", "INPUT TEXT": "input_text", "SWIPE": "scroll", "OPEN APP": "open_app",
    "ANSWER": "answer", "KEYBOARD ENTER": "keyboard_enter", "NAVIGATE HOME": "navigate_home", "NAVIGATE BACK": "navigate_back",
    "WAIT": "wait", "TERMINATE": "status",
}  # fmt: skip
_NAMES = {verb: name for name, verb in _VERBS.items()}
_VALUES = {"INPUT TEXT": "text", "SWIPE": "direction", "OPEN APP": "app_name", "ANSWER": "text"}
_OURS = {"INPUT TEXT": "type.text", "OPEN APP": "launch_app.app", "ANSWER": "answer.text"}
OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
"""A finger that moves up shows what is further down."""
_LINES = re.compile(r"^(?:ELEMENT:(?P<element>[^\n]*)\n\s*)?ACTION:(?P<action>[^\n]*)\n\s*VALUE:(?P<value>[^\n]*)", re.MULTILINE)
_LETTERS = 26 * 26 + 1
"""Elements for which SeeAct has letters."""


def read_lines(text: str) -> dict[str, Any]:
    """SeeAct's answer as AndroidWorld's object. Raises DialectError."""
    found = _LINES.search(text)
    if found is None:
        raise DialectError(NAME, "", "the lines ELEMENT:, ACTION: and VALUE: are needed")
    if text[found.end() :].strip():
        raise DialectError(NAME, position(text, found.end()), "a value is one line, and nothing follows it")
    name = found["action"].strip().rstrip(".")
    if name not in _VERBS:
        where = position(text, found.start("action"))
        raise DialectError(NAME, where, f"there is no action {name[:40]!r}; actions are {', '.join(_VERBS)}")
    said: dict[str, Any] = {"action_type": _VERBS[name]}
    element = (found["element"] or "").strip().rstrip(".")
    if element not in ("", "None"):
        said["index"] = _index(element, position(text, found.start("element")))
    value = _value(name, found["value"].strip(), position(text, found.start("value")))
    if value is not None:
        said[_VALUES[name]] = value
    return said | ({"goal_status": "task_complete"} if name == "TERMINATE" else {})


def _value(name: str, value: str, where: str) -> str | None:
    plain = value.strip(".")
    if name not in _VALUES:
        if plain not in ("", "None"):
            raise DialectError(NAME, where, f"{name} has the value None, not {value[:40]!r}")
        return None
    if name == "SWIPE":
        if plain not in OPPOSITE:
            raise DialectError(NAME, where, f"one of up, down, left or right is needed, not {value[:40]!r}")
        return OPPOSITE[plain]
    if not value:
        raise DialectError(NAME, where, f"{name} needs a value")
    return value


def _index(letters: str, where: str) -> int:
    """`A` is 0, `Z` is 25, `AA` is 26, as SeeAct counts."""
    if not re.fullmatch("[A-Z]{1,2}", letters):
        raise DialectError(NAME, where, f"one or two capital letters are needed, not {letters[:40]!r}")
    last = ascii_uppercase.index(letters[-1])
    return last if len(letters) == 1 else 26 + 26 * ascii_uppercase.index(letters[0]) + last


def _letters(index: int) -> str:
    if index >= _LETTERS:
        raise DialectError(NAME, "target", f"SeeAct has letters for {_LETTERS} elements, not for number {index}")
    return ascii_uppercase[index] if index < 26 else ascii_uppercase[index // 26 - 1] + ascii_uppercase[index % 26]


def write_lines(said: Mapping[str, Any]) -> tuple[str, list[Loss]]:
    """SeeAct's answer for AndroidWorld's object, and what its own parser makes of the value. Raises DialectError."""
    name = _NAMES.get(said["action_type"])
    if name is None or said.get("goal_status") == "infeasible" or "clear_text" in said or "x" in said:
        raise DialectError(NAME, str(said["action_type"]), "SeeAct has no words for it")
    losses: list[Loss] = []
    value = said[_VALUES[name]] if name in _VALUES else "None"
    if name in _OURS:
        losses = _cut(_OURS[name], value)
    element = _letters(said["index"]) if "index" in said else "None"
    if name == "INPUT TEXT" and element == "None":
        raise DialectError(NAME, "target", "SeeAct needs an element to type into")
    return f"ELEMENT: {element}\n\nACTION: {name}\n\nVALUE: {OPPOSITE[value] if name == 'SWIPE' else value}", losses


def _cut(field: str, value: str) -> list[Loss]:
    if "\n" in value or not value.strip():
        raise DialectError(NAME, field, "a value is one line that is not empty")
    if value != value.strip():
        return [Loss(what=field, why="blanks at the ends are not kept")]
    if ":" in value or value != value.strip("."):
        return [Loss(what=field, why="SeeAct's own parser cuts a value at a colon, and dots at its ends")]
    return []
