"""Histories of browser-use: `{history: [{model_output, result, state, metadata}]}`, as `save_history` writes them. Read only.

Names of all its versions are read. A function without a verb of ours, or of the user's own, is carried as `x-browser_use.<name>`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.fields import Fields, build
from protocol.exports.common.base import Format, ImportResult
from protocol.exports.common.kept import info_of, picture_named
from protocol.exports.common.lines import json_document, listed, mapping, refuse, step_of, told_each
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.keys import KeyNameError, read_key, split_chord
from protocol.model.steps import InteractionStep

NAME = "browser_use"
_FUNCTION = re.compile(r"[a-z0-9][a-z0-9_]{0,80}")
_WAIT = 3.0
"""Seconds of a `wait` that says none, as browser-use has it."""


def read(path: Path) -> ImportResult:
    """Every action of a history; those of one answer have its number. The document is held in memory. Raises FormatError."""
    document = json_document(path, "history", "a history of browser-use")
    history = document["history"]
    info = info_of(None, run_id=path.stem, agent="browser-use", outcome=_outcome(history))
    return ImportResult(info, told_each(history, "$.history", "a step", _steps))


def _outcome(history: list[Any]) -> str:
    last = mapping((listed(mapping(history[-1]).get("result")) or [None])[-1]) if history else {}
    success = last.get("success") if last.get("is_done") is True else None
    return "fulfilled" if success is True else "rejected" if success is False else ""


def _steps(number: int, where: str, item: JsonObject) -> Iterator[InteractionStep]:
    output, results = mapping(item.get("model_output")), listed(item.get("result"))
    actions = output.get("action")
    if not isinstance(actions, list):
        said = next((str(each["error"])[:200] for each in map(mapping, results) if each.get("error")), "the model said none")
        refuse(f"{where}.model_output.action", f"there is no action: {said}")
    state, about = mapping(item.get("state")), mapping(item.get("metadata"))
    elements = listed(state.get("interacted_element"))
    brain = {**mapping(output.get("current_state")), **output}
    thoughts = (brain.get(name) for name in ("thinking", "next_goal", "memory"))
    reason = next((thought for thought in thoughts if isinstance(thought, str) and thought), "")
    for n, said in enumerate(actions):
        element = mapping(elements[n]) if n < len(elements) else {}
        result = mapping(results[n]) if n < len(results) else None
        yield step_of(
            where,
            timestamp=about.get("step_start_time") or 0.0,
            step=number,
            visual_state={"app": state.get("title") if isinstance(state.get("title"), str) else None},
            action=_action(said, f"{where}.model_output.action[{n}]", element),
            reasoning=reason if n == 0 else "",
            result=_result(result),
            pictures=picture_named(state.get("screenshot_path"), "before"),
            raw=_raw(n, item, element, result),
        )


def _result(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """What came of an action; None where browser-use did not come to it, because the page had changed before."""
    if result is None:
        return None
    error, output = result.get("error"), result.get("extracted_content")
    return {
        "exec_status": "error" if error else "executed",
        "error": str(error)[:2_000] if error else "",
        "output": output if isinstance(output, str) else "",
    }


def _raw(n: int, item: JsonObject, element: JsonObject, result: JsonObject | None) -> JsonObject:
    """What no field of ours holds; a picture within the file is not kept."""
    state = {k: v for k, v in mapping(item.get("state")).items() if k not in ("screenshot", "interacted_element") and v}
    kept = {"interacted_element": element, "result": result}
    if n == 0:
        output = {k: v for k, v in mapping(item.get("model_output")).items() if k != "action" and v}
        kept |= {"model_output": output, "state": state, "metadata": item.get("metadata")}
    return {name: value for name, value in kept.items() if value}


def _action(said: Any, where: str, element: JsonObject) -> AgentAction:
    functions = [name for name, value in said.items() if value is not None] if isinstance(said, dict) else []
    functions = [name for name in functions if name != "interacted_element"]
    if len(functions) != 1:
        raise DialectError(NAME, where, "an object with one function is needed")
    name = functions[0]
    given = said[name] if isinstance(said[name], dict) else {}
    fields = Fields(NAME, given, f"{where}.{name}")
    if name in _READERS:
        action = _READERS[name](fields, element)
        if action is not None:
            fields.end()
            return action
    if not _FUNCTION.fullmatch(name):
        raise DialectError(NAME, where, f"{name[:60]!r} is no name of a function")
    target = _element(given["index"], element) if isinstance(given.get("index"), int) else None
    return build(NAME, fields.where, action_type=f"x-{NAME}.{name}", target=target, arguments=given)


def _element(index: int, element: JsonObject) -> JsonObject:
    """The element of an index, which holds for that page only, with every name by which it is found again."""
    attributes = mapping(element.get("attributes"))
    names = (element.get("ax_name"), attributes.get("aria-label"), attributes.get("placeholder"))
    paths = (element.get("css_selector"), element.get("x_path") or element.get("xpath"))
    css, path = (found if isinstance(found, str) and found else None for found in paths)
    return {
        "element_id": str(index),
        "text": next((name for name in names if isinstance(name, str) and name), None),
        "role": attributes.get("role") if isinstance(attributes.get("role"), str) else None,
        "selector": css or (f"xpath=/{path.removeprefix('/')}" if path else None),
    }


def _at(fields: Fields, element: JsonObject) -> JsonObject:
    fields.drop("xpath")
    x, y = fields.number("coordinate_x", None), fields.number("coordinate_y", None)
    if x is not None and y is not None:
        return {"point": {"x": x, "y": y}}
    return _element(fields.number("index", whole=True), element)


def _click(fields: Fields, element: JsonObject) -> AgentAction:
    held = ["Control"] if fields.flag("while_holding_ctrl", False) else None
    return build(NAME, fields.where, action_type="click", target=_at(fields, element), modifiers=held)


def _input(fields: Fields, element: JsonObject) -> AgentAction:
    clear = fields.flag("clear", None), fields.flag("clear_existing", None)
    verb = "type" if False in clear else "fill"
    return build(NAME, fields.where, action_type=verb, target=_at(fields, element), text=fields.text("text"))


def _go(fields: Fields, element: JsonObject) -> AgentAction:
    url = fields.text("url")
    if fields.flag("new_tab", False):
        return build(NAME, fields.where, action_type="tabs", op="new", url=url)
    return build(NAME, fields.where, action_type="navigate", url=url)


def _tab(op: str) -> Callable[[Fields, JsonObject], AgentAction | None]:
    """Older versions count tabs, newer ones have ids for them, which nobody else knows."""

    def read_tab(fields: Fields, element: JsonObject) -> AgentAction | None:
        index = fields.any("page_id", None)
        if isinstance(index, bool) or not isinstance(index, int) or index < 0:
            return None
        return build(NAME, fields.where, action_type="tabs", op=op, index=index)

    return read_tab


def _keys(fields: Fields, element: JsonObject) -> AgentAction:
    """A key, a chord, or else signs that are typed one by one."""
    said = fields.text("keys")
    try:
        keys = [read_key(part, None) for part in split_chord(said)]
    except KeyNameError:
        return build(NAME, fields.where, action_type="type", text=said)
    return build(NAME, fields.where, action_type="press_key", keys=keys)


def _scroll(fields: Fields, element: JsonObject) -> AgentAction:
    down = fields.flag("down", True)
    pages = fields.number("pages", None) or fields.number("num_pages", None) or 1
    index = fields.number("index", None, whole=True)
    target = _element(index, element) if index else None
    delta = {"y": pages if down else -pages}
    return build(NAME, fields.where, action_type="scroll", delta=delta, unit="page", target=target)


def _scrolled(sign: int) -> Callable[[Fields, JsonObject], AgentAction]:
    def read_scroll(fields: Fields, element: JsonObject) -> AgentAction:
        amount = fields.number("amount", None)
        delta, unit = ({"y": sign}, "page") if amount is None else ({"y": sign * amount}, "px")
        return build(NAME, fields.where, action_type="scroll", delta=delta, unit=unit)

    return read_scroll


def _drag(fields: Fields, element: JsonObject) -> AgentAction | None:
    ends = [fields.any(f"coord_{end}_{axis}", None) for end in ("source", "target") for axis in "xy"]
    if any(end is None for end in ends):
        return None
    fields.drop("steps", "delay_ms", "element_source_offset", "element_target_offset")
    start, end = {"point": ends[:2]}, {"point": ends[2:]}
    return build(NAME, fields.where, action_type="drag", target=start, to=end)


def _done(fields: Fields, element: JsonObject) -> AgentAction | None:
    if "data" in fields:  # an answer in the user's own form
        return None
    text = fields.text("text", "")
    fields.drop("files_to_display")
    if fields.flag("success", True):
        return build(NAME, fields.where, action_type="finish_goal", summary=text)
    return build(NAME, fields.where, action_type="fail_goal", reason=text)


def _choose(fields: Fields, element: JsonObject) -> AgentAction:
    return build(NAME, fields.where, action_type="select_option", target=_at(fields, element), options=fields.text("text"))


def _upload(fields: Fields, element: JsonObject) -> AgentAction:
    return build(NAME, fields.where, action_type="upload", target=_at(fields, element), files=[fields.text("path")])


_READERS: dict[str, Callable[[Fields, JsonObject], AgentAction | None]] = {
    **dict.fromkeys(("click", "click_element", "click_element_by_index"), _click),
    **dict.fromkeys(("input", "input_text"), _input),
    **dict.fromkeys(("navigate", "go_to_url"), _go),
    **dict.fromkeys(("select_dropdown", "select_dropdown_option"), _choose),
    **dict.fromkeys(("upload_file", "upload_file_to_element"), _upload),
    **dict.fromkeys(("switch", "switch_tab"), _tab("select")),
    **dict.fromkeys(("close", "close_tab"), _tab("close")),
    "open_tab": lambda fields, _: build(NAME, fields.where, action_type="tabs", op="new", url=fields.text("url")),
    "go_back": lambda fields, _: build(NAME, fields.where, action_type="go_back"),
    "wait": lambda fields, _: build(NAME, fields.where, action_type="wait", seconds=fields.number("seconds", _WAIT)),
    "send_keys": _keys, "scroll": _scroll, "scroll_down": _scrolled(1),
    "scroll_up": _scrolled(-1), "drag_drop": _drag, "done": _done,
}  # fmt: skip

FORMAT = Format(name="browser_use_history", title="browser-use history", suffix=".json", read=read)
