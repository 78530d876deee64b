"""Histories of browser-use: `{history: [{model_output, result, state, metadata}]}`, as `save_history` writes them. Read only.

Names of all its versions are read. A function without a verb of ours, or of the user's own, is carried as `x-browser_use.<name>`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protocol import AgentAction, InteractionStep, JsonObject
from protocol.dialects import Context, DialectError, Fields, Reading, given, row
from protocol.exports.common.base import Format, ImportResult
from protocol.exports.common.kept import info_of, picture_named
from protocol.exports.common.lines import json_document, listed, mapping, step_of, told, told_each
from protocol.log.log import LogLine, bad_line
from protocol.log.versions import Problem
from protocol.model.keys import KeyNameError, read_key, split_chord

NAME = "browser_use"
_FUNCTION = re.compile(r"[a-z0-9][a-z0-9_]{0,80}")
_WAIT = 3.0
"""Seconds of a `wait` that says none, as browser-use has it."""


def read(path: Path) -> ImportResult:
    """Every action of a history; those of one answer have its number. The document is held in memory. Raises FormatError."""
    document = json_document(path, "history", "a history of browser-use")
    history = document["history"]
    last = mapping((listed(mapping(history[-1]).get("result")) or [None])[-1]) if history else {}
    success = last.get("success") if last.get("is_done") is True else None
    outcome = "fulfilled" if success is True else "rejected" if success is False else ""
    info = info_of(None, run_id=path.stem, agent="browser-use", outcome=outcome)
    return ImportResult(info, told_each(history, "$.history", "a step", _lines))


def _lines(number: int, where: str, item: JsonObject) -> Iterator[LogLine]:
    """The actions of an answer; one that is not understood costs only itself."""
    actions = mapping(item.get("model_output")).get("action")
    if isinstance(actions, list) and actions:
        for n, said in enumerate(actions):
            yield from told(number, _step(number, where, item, n, said))
        return
    errors = (str(each["error"])[:200] for each in map(mapping, listed(item.get("result"))) if each.get("error"))
    reason = f"there is no action: {next(errors, 'the model said none')}"
    yield bad_line(number, Problem(f"{where}.model_output.action", reason))


def _step(number: int, where: str, item: JsonObject, n: int, said: Any) -> Iterator[InteractionStep]:
    """The step of the `n`th action of an answer."""
    output, results = mapping(item.get("model_output")), listed(item.get("result"))
    state, about = mapping(item.get("state")), mapping(item.get("metadata"))
    elements = listed(state.get("interacted_element"))
    brain = {**mapping(output.get("current_state")), **output}
    thoughts = (brain.get(name) for name in ("thinking", "next_goal", "memory"))
    reason = next((thought for thought in thoughts if isinstance(thought, str) and thought), "")
    element = mapping(elements[n]) if n < len(elements) else {}
    result = mapping(results[n]) if n < len(results) else None
    came: JsonObject | None = None  # browser-use did not come to it where the page had changed before
    if result is not None:
        error, text = result.get("error"), result.get("extracted_content")
        came = {"exec_status": "error" if error else "executed", "error": str(error or "")[:2_000]}
        came["output"] = text if isinstance(text, str) else ""
    rest: JsonObject = {"interacted_element": element, "result": result}  # a picture within the file is not kept
    if n == 0:
        shown = {k: v for k, v in state.items() if k not in ("screenshot", "interacted_element") and v}
        rest |= {"model_output": {k: v for k, v in output.items() if k != "action" and v}, "state": shown}
        rest["metadata"] = item.get("metadata")
    yield step_of(
        where,
        timestamp=about.get("step_start_time") or 0.0,
        step=number,
        visual_state={"app": state.get("title") if isinstance(state.get("title"), str) else None},
        action=_action(said, f"{where}.model_output.action[{n}]", element),
        reasoning=reason if n == 0 else "",
        result=came,
        pictures=picture_named(state.get("screenshot_path"), "before"),
        raw={name: value for name, value in rest.items() if value},
    )


def _action(said: Any, where: str, element: JsonObject) -> AgentAction:
    functions = [name for name, value in said.items() if value is not None] if isinstance(said, dict) else []
    functions = [name for name in functions if name != "interacted_element"]
    if len(functions) != 1:
        raise DialectError(NAME, where, "an object with one function is needed")
    name = functions[0]
    arguments = said[name] if isinstance(said[name], dict) else {}
    reading = _Reading(NAME, Context())
    reading.element, reading.fields = element, Fields(NAME, arguments, f"{where}.{name}")
    action = _READ[name](reading) if name in _READ else None
    if action is not None:
        reading.fields.end()
        return action
    if not _FUNCTION.fullmatch(name):
        raise DialectError(NAME, where, f"{name[:60]!r} is not a valid name of a function")
    target = reading.indexed(arguments["index"]) if isinstance(arguments.get("index"), int) else None
    return reading.build(f"x-{NAME}.{name}", target=target, arguments=arguments)


class _Reading(Reading):
    """One call of a function, and the element that it acted on."""

    element: JsonObject

    def indexed(self, index: int) -> JsonObject:
        """The element of an index, which holds for that page only, with every name by which it is found again."""
        attributes = mapping(self.element.get("attributes"))
        names = (self.element.get("ax_name"), attributes.get("aria-label"), attributes.get("placeholder"))
        paths = (self.element.get("css_selector"), self.element.get("x_path") or self.element.get("xpath"))
        css, path = (found if isinstance(found, str) and found else None for found in paths)
        return {
            "element_id": str(index),
            "text": next((name for name in names if isinstance(name, str) and name), None),
            "role": attributes.get("role") if isinstance(attributes.get("role"), str) else None,
            "selector": css or (f"xpath=/{path.removeprefix('/')}" if path else None),
        }

    def target(self) -> JsonObject:
        self.fields.drop("xpath")
        x, y = self.fields.number("coordinate_x", None), self.fields.number("coordinate_y", None)
        if x is not None and y is not None:
            return {"point": {"x": x, "y": y}}
        return self.indexed(self.fields.number("index", whole=True))

    def input(self) -> AgentAction:
        clear = self.fields.flag("clear", None), self.fields.flag("clear_existing", None)
        return self.build("type" if False in clear else "fill", target=self.target(), text=self.fields.text("text"))

    def go(self) -> AgentAction:
        url = self.fields.text("url")
        return self.build("tabs", op="new", url=url) if self.fields.flag("new_tab", False) else self.build("navigate", url=url)

    def tab(self, op: str) -> AgentAction | None:
        """Older versions count tabs, newer ones have ids for them, which nobody else knows."""
        index = self.fields.any("page_id", None)
        if isinstance(index, bool) or not isinstance(index, int) or index < 0:
            return None
        return self.build("tabs", op=op, index=index)

    def keys(self) -> AgentAction:
        """A key, a chord, or else signs that are typed one by one."""
        said = self.fields.text("keys")
        try:
            return self.build("press_key", keys=[read_key(part, None) for part in split_chord(said)])
        except KeyNameError:
            return self.build("type", text=said)

    def scroll(self) -> AgentAction:
        down = self.fields.flag("down", True)
        pages = self.fields.number("pages", None) or self.fields.number("num_pages", None) or 1
        index = self.fields.number("index", None, whole=True)
        target = self.indexed(index) if index else None
        return self.build("scroll", delta={"y": pages if down else -pages}, unit="page", target=target)

    def scrolled(self, sign: int) -> AgentAction:
        amount = self.fields.number("amount", None)
        delta, unit = ({"y": sign}, "page") if amount is None else ({"y": sign * amount}, "px")
        return self.build("scroll", delta=delta, unit=unit)

    def drag(self) -> AgentAction | None:
        ends = [self.fields.any(f"coord_{end}_{axis}", None) for end in ("source", "target") for axis in "xy"]
        if any(end is None for end in ends):
            return None
        self.fields.drop("steps", "delay_ms", "element_source_offset", "element_target_offset")
        return self.build("drag", target={"point": ends[:2]}, to={"point": ends[2:]})

    def done(self) -> AgentAction | None:
        if "data" in self.fields:  # an answer in the user's own form
            return None
        text = self.fields.text("text", "")
        self.fields.drop("files_to_display")
        success = self.fields.flag("success", True)
        return self.build("finish_goal", summary=text) if success else self.build("fail_goal", reason=text)


_AT = _Reading.target
_READ: dict[str, Callable[[_Reading], AgentAction | None]] = {
    **dict.fromkeys(
        ("click", "click_element", "click_element_by_index"),
        row("click", modifiers=lambda r: ["Control"] if r.fields.flag("while_holding_ctrl", False) else None, target=_AT),
    ),
    **dict.fromkeys(("input", "input_text"), _Reading.input),
    **dict.fromkeys(("navigate", "go_to_url"), _Reading.go),
    **dict.fromkeys(("select_dropdown", "select_dropdown_option"), row("select_option", target=_AT, options=given("text"))),
    **dict.fromkeys(
        ("upload_file", "upload_file_to_element"), row("upload", target=_AT, files=lambda r: [r.fields.text("path")])
    ),
    **dict.fromkeys(("switch", "switch_tab"), lambda r: r.tab("select")),
    **dict.fromkeys(("close", "close_tab"), lambda r: r.tab("close")),
    "open_tab": row("tabs", op="new", url=given("url")),
    "go_back": row("go_back"),
    "wait": row("wait", seconds=given("seconds", _WAIT, kind="number")),
    "send_keys": _Reading.keys,
    "scroll": _Reading.scroll,
    "scroll_down": lambda r: r.scrolled(1),
    "scroll_up": lambda r: r.scrolled(-1),
    "drag_drop": _Reading.drag,
    "done": _Reading.done,
}

FORMAT = Format(name="browser_use_history", title="browser-use history", suffix=".json", read=read)
