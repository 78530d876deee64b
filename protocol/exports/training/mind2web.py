"""Mind2Web: tasks with their `actions`, and Multimodal-Mind2Web: a row an action. JSON or JSON lines. Read only.

An element is known by its `backend_node_id` on that page, by its role and name, and by its box.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol.dialects import DialectError
from protocol.dialects.common.fields import Fields, build
from protocol.exports.common.base import Format, FormatError, ImportResult
from protocol.exports.common.kept import info_of
from protocol.exports.common.lines import (
    bad_line,
    first_values,
    listed,
    mapping,
    parse_json,
    read_json_lines,
    refuse,
    step_of,
    told,
)
from protocol.log.log import LogLine, UnreadableLine, whole_document
from protocol.log.versions import BadStep, Problem
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep

NAME = "mind2web"
_WORDED = re.compile(r"\s*\[([^\]]*)\]\s*(.*?)\s*->\s*([A-Z]+)\s*(?::\s?(.*))?", re.DOTALL)
"""How a row tells its action: `[button]  Search -> CLICK`, `[textbox]  From -> TYPE: Columbus`."""
_TAGS = {"a": "link", "select": "combobox", "textarea": "textbox"}
_ROLES = frozenset({
    "button", "checkbox", "combobox", "gridcell", "heading", "img", "link", "listbox", "menuitem", "menuitemcheckbox",
    "menuitemradio", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
})  # fmt: skip
"""A row says the role of an element, or its tag where it has none of its own."""
_BULK = ("raw_html", "cleaned_html", "neg_candidates", "pos_candidates", "screenshot", "action_reprs", "actions")


def read(path: Path) -> ImportResult:
    """The actions of every task; the task in words is their subtask. Raises FormatError."""
    first = first_values(path)[0]
    if isinstance(first, dict) and (listed(first.get("actions")) or "operation" in first):
        return ImportResult(_info(first), read_json_lines(path, _record))
    try:
        data = whole_document(path)
        document = refuse("$", data) if isinstance(data, UnreadableLine) else parse_json(data)
    except BadStep as bad:
        raise FormatError(f"{path.name}: {bad}") from None
    records = document if isinstance(document, list) else [document]
    if not any("actions" in mapping(one) or "operation" in mapping(one) for one in records):
        raise FormatError(f"{path.name}: a task of Mind2Web has actions, and a row of it an operation")
    lines = (line for number, one in enumerate(records, start=1) for line in _record(number, one, whole=True))
    return ImportResult(_info(mapping(records[0]) if len(records) == 1 else {}), lines)


def _info(task: JsonObject) -> Any:
    return info_of(None, run_id=task.get("annotation_id"), goal=task.get("confirmed_task"), agent="Mind2Web")


def _record(number: int, data: Any, *, whole: bool = False) -> Iterator[LogLine]:
    """The steps of a task, or of a row; within a document the place begins at the record."""
    where = f"$[{number - 1}]" if whole else "$"
    if not isinstance(data, dict):
        yield bad_line(number, Problem(where, "a task is an object"))
        return
    actions, words = data.get("actions"), listed(data.get("action_reprs"))
    if not isinstance(actions, list):
        index = str(data.get("target_action_index", ""))
        count = int(index) if re.fullmatch(r"[0-9]{1,6}", index) else number - 1
        said = data.get("target_action_reprs") or (words[count] if count < len(words) else "")
        yield from told(number, _steps(where, data, data, said, count + 1))
        return
    for n, action in enumerate(actions):
        place = f"{where}.actions[{n}]"
        if isinstance(action, dict):
            yield from told(number, _steps(place, data, action, words[n] if n < len(words) else "", n + 1))
        else:
            yield bad_line(number, Problem(place, "an action is an object"))


def _steps(where: str, task: JsonObject, action: JsonObject, said: Any, count: int) -> Iterator[InteractionStep]:
    words = said if isinstance(said, str) else ""
    subtask = task.get("confirmed_task")
    raw = {name: value for name, value in action.items() if name not in _BULK and value}
    yield step_of(
        where,
        timestamp=0.0,
        step=count,
        run_id=task["annotation_id"] if isinstance(task.get("annotation_id"), str) else "",
        subtask=subtask if isinstance(subtask, str) else "",
        visual_state={"app": task["website"] if isinstance(task.get("website"), str) else None},
        action=_action(where, action, words),
        reasoning=words,
        raw=raw,
    )


def _action(where: str, action: JsonObject, words: str) -> AgentAction:
    fields = Fields(NAME, _json(action.get("operation"), f"{where}.operation"), f"{where}.operation")
    op, original, value = fields.text("op"), fields.text("original_op", ""), fields.text("value", "")
    target = _target(f"{where}.pos_candidates", action.get("pos_candidates"), words)
    if target is None:
        raise DialectError(NAME, f"{where}.pos_candidates", "nothing says which element it is")
    verb = original if original in ("HOVER", "ENTER") else op
    if verb not in _VERBS:
        fields.refuse("op", f"there is no operation {verb[:40]!r}; operations are {', '.join(_VERBS)}")
    name, field = _VERBS[verb]
    given: JsonObject = {field: value} if field else {}
    if verb == "ENTER":
        given = {"keys": ["Enter"]}
    elif verb == "SELECT":
        given = {"options": [value]}
    return build(NAME, where, action_type=name, target=target, **given)


_VERBS = {
    "CLICK": ("click", ""), "TYPE": ("type", "text"), "SELECT": ("select_option", ""), "HOVER": ("hover", ""),
    "ENTER": ("press_key", ""),
}  # fmt: skip


def _json(value: Any, where: str) -> Any:
    """An object, which the rows of Multimodal-Mind2Web hold as a text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise DialectError(NAME, where, "this is not JSON") from None


def _target(where: str, candidates: Any, words: str) -> JsonObject | None:
    """The element: the one that was meant, or else the first of those that do as well; by its name alone where there is none."""
    found = [mapping(_json(one, f"{where}[{n}]")) for n, one in enumerate(listed(candidates))]
    meant = next((one for one in found if one.get("is_original_target") is True), found[0] if found else {})
    attributes = mapping(_json(meant.get("attributes"), f"{where}.attributes"))
    node = meant.get("backend_node_id")
    told_of = _WORDED.fullmatch(words)
    role, text = (told_of[1].strip(), told_of[2].strip()) if told_of else ("", "")
    role = _TAGS.get(role, role)
    target = {
        "element_id": str(node) if isinstance(node, str | int) and not isinstance(node, bool) and node != "" else None,
        "text": text or None,
        "role": role if text and role in _ROLES else None,
        "bbox": _box(attributes.get("bounding_box_rect")),
    }
    said = {name: value for name, value in target.items() if value is not None}
    return said or None


def _box(rect: Any) -> dict[str, int] | None:
    """`x,y,width,height` in pixels of the whole page; -1 everywhere where it was not shown."""
    numbers = [part.strip() for part in rect.split(",")] if isinstance(rect, str) else []
    if len(numbers) != 4 or not all(re.fullmatch(r"-?\d{1,7}(\.\d{1,20})?", part) for part in numbers):
        return None
    x, y, width, height = map(float, numbers)
    if width <= 0 or height <= 0:
        return None
    return {"x1": round(x), "y1": round(y), "x2": round(x + width), "y2": round(y + height)}


FORMAT = Format(name=NAME, title="Mind2Web tasks, and rows of Multimodal-Mind2Web", suffix=".json", read=read)
