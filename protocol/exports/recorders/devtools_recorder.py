"""Recordings of Chrome's DevTools Recorder: `{title, steps}`, as @puppeteer/replay replays them. Written and read.

A step that is read back otherwise than it was meant is a declared loss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.conversion import Conversion, cannot, element_of, pixels_in
from protocol.dialects.common.fields import Fields, build
from protocol.exports.common.base import ExportResult, Format, ImportResult, Run
from protocol.exports.common.frames import context_of
from protocol.exports.common.kept import info_of, lost_in_reading
from protocol.exports.common.lines import json_document, json_line, step_of, told_each
from protocol.log.log import LogLine, whole_file
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.keys import KeyNameError, read_key, write_key
from protocol.model.steps import InteractionStep
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Click,
    Extension,
    Fill,
    Hover,
    KeyDown,
    KeyUp,
    Navigate,
    PressKey,
    Scroll,
    SelectOption,
    Tabs,
    Type,
)

NAME = "devtools_recorder"
BUTTONS = {"primary": "left", "auxiliary": "middle", "secondary": "right", "back": "back", "forward": "forward"}
_ALWAYS = ("type", "timeout", "assertedEvents", "target", "frame", "selectors", "description")
"""Fields that any step may have: they are kept in `raw`, and `selectors` become the target. People add a description."""
_LOOKS = ("width", "height", "deviceScaleFactor", "isMobile", "hasTouch", "isLandscape")
CARRIED = {
    "waitForElement": "wait_for_element", "waitForExpression": "wait_for_expression", "customStep": "custom_step",
    "emulateNetworkConditions": "emulate_network_conditions",
}  # fmt: skip
Target = dict[str, str | None] | None
"""Fields of an ActionTarget; None where a step has no element."""
_ATTRIBUTE = re.compile(r"""\[\s*(name|role)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\]""")


def read(path: Path) -> ImportResult:
    """The steps of a recording; its title is the goal. The document is held in memory. Raises FormatError."""
    recording = json_document(path, "steps", "a recording")
    info = info_of(None, goal=recording.get("title"), agent="Chrome DevTools Recorder")
    return ImportResult(info, StepReader().lines(recording["steps"]))


class StepReader:
    """Reads step by step, and knows the size of the window and how far each thing is scrolled."""

    def __init__(self) -> None:
        self._size: tuple[int, int] | None = None
        self.scrolled: dict[str, tuple[float, float]] = {}
        self.losses: list[Loss] = []

    def lines(self, steps: list[Any]) -> Iterator[LogLine]:
        return told_each(steps, "$.steps", "a step", self._step)

    def _step(self, number: int, where: str, step: JsonObject) -> Iterator[InteractionStep]:
        self.losses = []
        fields = Fields(NAME, step, where)
        verb = fields.text("type")
        fields.drop(*_ALWAYS, *(name for name in step if name.startswith("_")))
        if verb == "setViewport":
            self._size = (fields.number("width", whole=True), fields.number("height", whole=True))
            return
        action = self.action(step, where)
        if step.get("frame") or step.get("target", "main") != "main":
            self.losses.append(Loss(what="frame", why="in which frame or window it is, is not said"))
        screen = {"screen_resolution": self._size} if self._size else {}
        raw = {"step": step, **lost_in_reading(self.losses)}
        yield step_of(where, timestamp=0.0, step=number, visual_state=screen, action=action, raw=raw)

    def action(self, step: JsonObject, where: str = "$") -> AgentAction:
        """What a step does. Raises DialectError."""
        fields = Fields(NAME, step, where)
        verb = fields.text("type")
        fields.drop(*_ALWAYS, *(name for name in step if name.startswith("_")))
        target = target_of(step.get("selectors"), fields)
        if verb in CARRIED:
            arguments = {name: value for name, value in step.items() if name not in _ALWAYS}
            return build(NAME, fields.where, action_type=f"x-{NAME}.{CARRIED[verb]}", target=target, arguments=arguments)
        if verb not in _READERS:
            fields.refuse("type", f"there is no step {verb[:60]!r}; steps are {', '.join((*_READERS, *CARRIED, 'setViewport'))}")
        action = _READERS[verb](self, fields, target)
        fields.end()
        return action

    def where(self, step: JsonObject) -> tuple[float, float]:
        """How far that is scrolled which a `scroll` would scroll."""
        return self.scrolled.get(str(target_of(step.get("selectors"), Fields(NAME, step))), (0, 0))

    def click(self, fields: Fields, target: Target, count: int = 1) -> AgentAction:
        button = BUTTONS[fields.choice("button", tuple(BUTTONS), "primary")]
        held = fields.number("duration", None)
        fields.drop("deviceType")
        self._offset(fields)
        hold = None if held is None else held / 1000
        return build(NAME, fields.where, action_type="click", target=target, button=button, count=count, hold=hold)

    def hover(self, fields: Fields, target: Target) -> AgentAction:
        self._offset(fields)
        return build(NAME, fields.where, action_type="hover", target=target)

    def _offset(self, fields: Fields) -> None:
        x, y = fields.number("offsetX", None), fields.number("offsetY", None)
        if x is not None or y is not None:
            self.losses.append(Loss(what="click.offset", why="only the element is said, not the place within it"))

    def change(self, fields: Fields, target: Target) -> AgentAction:
        return build(NAME, fields.where, action_type="fill", target=target, text=fields.text("value"))

    def key(self, fields: Fields, target: Target, verb: str) -> AgentAction:
        name = fields.text("key")
        try:
            key = read_key("Space" if name == " " else name, "playwright")
        except KeyNameError as no:
            fields.refuse("key", str(no))
        return build(NAME, fields.where, action_type=verb, key=key, target=target)

    def navigate(self, fields: Fields, target: Target) -> AgentAction:
        self.scrolled.clear()
        return build(NAME, fields.where, action_type="navigate", url=fields.text("url"))

    def scroll(self, fields: Fields, target: Target) -> AgentAction:
        """A recording says how far it is scrolled afterwards, not by how much."""
        was = self.scrolled.get(str(target), (0, 0))
        now = (fields.number("x", was[0]), fields.number("y", was[1]))
        self.scrolled[str(target)] = now
        delta = {"x": now[0] - was[0], "y": now[1] - was[1]}
        return build(NAME, fields.where, action_type="scroll", target=target, delta=delta, unit="px")


_READERS: dict[str, Callable[[StepReader, Fields, Target], AgentAction]] = {
    "click": StepReader.click,
    "doubleClick": lambda reader, fields, target: reader.click(fields, target, 2),
    "hover": StepReader.hover,
    "change": StepReader.change,
    "keyDown": lambda reader, fields, target: reader.key(fields, target, "key_down"),
    "keyUp": lambda reader, fields, target: reader.key(fields, target, "key_up"),
    "navigate": StepReader.navigate,
    "scroll": StepReader.scroll,
    "close": lambda reader, fields, target: build(NAME, fields.where, action_type="tabs", op="close"),
}


def target_of(selectors: Any, fields: Fields) -> Target:
    """The element by its name and role where one way says them, and by the first selector of CSS or else XPath."""
    if selectors is None:
        return None
    if not isinstance(selectors, list) or not selectors:
        fields.refuse("selectors", "a list of selectors is needed")
    ways = [way if isinstance(way, list) else [way] for way in selectors]
    if not all(isinstance(part, str) and part for way in ways for part in way) or not all(ways):
        fields.refuse("selectors", "each selector is a text, or a list of texts that lead into shadow roots")
    text, role = next((found for way in ways if len(way) == 1 and (found := _named(way[0]))[0]), (None, None))
    selector = min(ways, key=lambda way: (_rank(way[-1]), len(way)))
    said = " >> ".join(map(_as_selector, selector)) if _rank(selector[-1]) < _NAMED else None
    if text is None and said is None:
        role = None
        said = " >> ".join(ways[0])
    return {"text": text, "role": role, "selector": said}


_NAMED = 3


def _rank(selector: str) -> int:
    if selector.startswith(("aria/", "text/")):
        return _NAMED
    return 2 if selector.startswith("pierce/") else 1 if selector.startswith("xpath/") else 0


def _as_selector(selector: str) -> str:
    """CSS as it is, and an XPath with the mark that Playwright knows it by."""
    if selector.startswith("xpath/"):
        return f"xpath={selector.removeprefix('xpath/')}"
    return selector.removeprefix("pierce/")


def _named(selector: str) -> tuple[str | None, str | None]:
    """The name and the role that an `aria/` or `text/` selector says."""
    if selector.startswith("text/"):
        return selector.removeprefix("text/"), None
    if not selector.startswith("aria/"):
        return None, None
    said = {name: one or other for name, one, other in _ATTRIBUTE.findall(selector)}
    bare = _ATTRIBUTE.sub("", selector.removeprefix("aria/")).strip()
    return said.get("name") or bare or None, said.get("role")


Said = list[JsonObject]
_THEIRS = {ours: theirs for theirs, ours in BUTTONS.items()}


def write(run: Run, path: Path) -> ExportResult:
    """A recording of every step that says an element, a key or an address, as a stream."""
    exported = ExportResult(files=[path])
    writer = _Writer()
    with whole_file(path) as file:
        file.write(f'{{"title": {json_line(run.info.goal or run.info.run_id)}, "steps": [')
        mark = "\n"
        for step in run.steps:
            try:
                said = writer.step(step)
            except DialectError as no:
                exported.unsaid(no)
                continue
            exported.losses.update(writer.losses)
            exported.steps += 1
            for one in said:
                file.write(mark + json_line(one))
                mark = ",\n"
        file.write("\n]}\n")
    return exported


class _Writer(Conversion):
    """Writes step by step; a reader beside it goes along, and knows how far everything is scrolled."""

    def __init__(self) -> None:
        super().__init__(NAME, Context())
        self.reader = StepReader()
        self._size: tuple[int, int] | None = None

    def step(self, step: InteractionStep) -> Said:
        """The steps of a recording. Raises DialectError for what none can say."""
        self.losses, self.context = [], context_of(step)
        action = step.action
        if type(action) not in _WRITERS:
            cannot(NAME, action)
        if action.delay is not None:
            self.losses.append(Loss(what="delay", why="there is no delay before a step"))
        said = _WRITERS[type(action)](self, action)
        self._check(action, said)
        return [*self._look(step), *said]

    def _check(self, action: Action, said: Said) -> None:
        """What is read back otherwise is lost, whatever the reason."""
        read_back = [self.reader.action(one) for one in said]
        if not self.losses and read_back != [action]:
            self.losses.append(Loss(what="target", why="it is read back by another name"))

    def _look(self, step: InteractionStep) -> Iterator[JsonObject]:
        size = step.visual_state.screen_resolution
        if size != self._size:
            self._size = size
            fixed = {"deviceScaleFactor": 1, "isMobile": False, "hasTouch": False, "isLandscape": False}
            yield {"type": "setViewport", "width": size[0], "height": size[1], **fixed}

    def selectors(self, target: ActionTarget | None) -> JsonObject:
        """The element in every way that a recording can name it. Raises DialectError for a mere place."""
        if target is None:
            return {}
        text, role = target.text, target.role
        if text is None and target.selector is None:
            element, _ = element_of(target, self.context, NAME)
            text, role = (element.text or None, element.role) if element else (None, None)
            if text is None:
                raise DialectError(NAME, "target", "a recording names elements, and this place has none with a text")
            self.lose("target", "said by the text and the role of the element")
        ways: list[list[str]] = []
        if text is not None:
            ways.append([f"aria/{text}" + (f'[role="{role}"]' if role else "")] if role else [f"text/{text}"])
        if target.selector is not None:
            ways.append([_as_theirs(part) for part in target.selector.split(" >> ")])
        return {"target": "main", "selectors": ways}


def _as_theirs(selector: str) -> str:
    return f"xpath/{selector.removeprefix('xpath=')}" if selector.startswith("xpath=") else selector


def _click(writer: _Writer, action: Click) -> Said:
    if action.count > 2:
        cannot(NAME, action, "a recording has clicks and double clicks")
    held = {"duration": action.hold * 1000} if action.hold else {}
    button = {} if action.button == "left" else {"button": _THEIRS[action.button]}
    kind = "doubleClick" if action.count == 2 else "click"
    step = {"type": kind, **writer.selectors(action.target), **button, "offsetX": 1, "offsetY": 1, **held}
    return _held(writer, action.modifiers, [step], "click.modifiers")


def _held(writer: _Writer, keys: tuple[str, ...], said: Said, what: str) -> Said:
    if not keys:
        return said
    writer.lose(what, "said as keys that go down before and come up after")
    down = [_key("keyDown", key) for key in keys]
    return [*down, *said, *(_key("keyUp", key) for key in reversed(keys))]


def _key(kind: str, key: str) -> JsonObject:
    name = write_key(key, "playwright")
    if name is None or name == "ControlOrMeta":
        raise DialectError(NAME, "key", f"a recording has no key {key!r}")
    return {"type": kind, "target": "main", "key": " " if name == "Space" else name}


def _hover(writer: _Writer, action: Hover) -> Said:
    return _held(writer, action.modifiers, [{"type": "hover", **writer.selectors(action.target)}], "hover.modifiers")


def _change(writer: _Writer, action: Fill | Type | SelectOption) -> Said:
    if action.target is None:
        cannot(NAME, action, "a recording changes a field, and none is said")
    if isinstance(action, SelectOption):
        if len(action.options) != 1:
            cannot(NAME, action, "a recording chooses one option at a time")
        writer.lose("select_option", "said as a change, as of any field")
        return [{"type": "change", **writer.selectors(action.target), "value": action.options[0]}]
    if isinstance(action, Type):
        writer.lose("type", "said as a change, which replaces what is in the field")
    said: Said = [{"type": "change", **writer.selectors(action.target), "value": action.text}]
    if action.submit:
        writer.lose(f"{action.verb}.submit", "said as a press of Enter afterwards")
        said += [_key("keyDown", "Enter"), _key("keyUp", "Enter")]
    return said


def _press(writer: _Writer, action: PressKey) -> Said:
    return _held(writer, action.keys, [], "press_key")


def _one_key(kind: str) -> Callable[[_Writer, Any], Said]:
    return lambda writer, action: [{**_key(kind, action.key), **writer.selectors(action.target)}]


def _scroll(writer: _Writer, action: Scroll) -> Said:
    if action.modifiers:
        writer.lose("scroll.modifiers", "no key is held")
    across, down = pixels_in(action.unit, writer.context.size)
    if action.unit != "px":
        writer.lose("scroll.unit", "a notch is said as 120 pixels, a page as the size of the screen")
    named = writer.selectors(action.target)
    was = writer.reader.where({"type": "scroll", **named})
    return [{"type": "scroll", **named, "x": was[0] + action.delta.x * across, "y": was[1] + action.delta.y * down}]


def _close(writer: _Writer, action: Tabs) -> Said:
    if action.op != "close":
        cannot(NAME, action, "a recording only closes pages")
    if action.index is not None:
        writer.lose("tabs.index", "the page of the step is closed")
    return [{"type": "close", "target": "main"}]


def _carried(writer: _Writer, action: Extension) -> Said:
    kind = {f"x-{NAME}.{name}": kind for kind, name in CARRIED.items()}.get(action.action_type)
    if kind is None or {"type", "target", "selectors"} & action.arguments.keys():
        cannot(NAME, action)
    return [{"type": kind, **writer.selectors(action.target), **action.arguments}]


_WRITERS: dict[type[Action], Callable[[_Writer, Any], Said]] = {
    Click: _click, Hover: _hover, Fill: _change, Type: _change, SelectOption: _change, PressKey: _press,
    KeyDown: _one_key("keyDown"), KeyUp: _one_key("keyUp"), Scroll: _scroll, Tabs: _close, Extension: _carried,
    Navigate: lambda writer, action: [{"type": "navigate", "url": action.url}],
}  # fmt: skip

FORMAT = Format(name=NAME, title="Chrome DevTools Recorder", suffix=".json", write=write, read=read)
