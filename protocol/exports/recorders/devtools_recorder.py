"""Recordings of Chrome's DevTools Recorder: `{title, steps}`, as @puppeteer/replay replays them. Written and read.

A step that is read back otherwise than it was meant is a declared loss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.conversion import Reading, Writing, element_of, given, pixels_in, row
from protocol.dialects.common.fields import Fields, refusing
from protocol.exports.common.base import ExportResult, Format, ImportResult, Run
from protocol.exports.common.kept import context_of, info_of, lost_in_reading
from protocol.exports.common.lines import json_document, json_line, step_of, told_each
from protocol.log.log import LogLine, whole_file
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.keys import read_key, write_key
from protocol.model.steps import InteractionStep
from protocol.model.targets import ActionTarget

NAME = "devtools_recorder"
BUTTONS = {"primary": "left", "auxiliary": "middle", "secondary": "right", "back": "back", "forward": "forward"}
_ALWAYS = ("type", "timeout", "assertedEvents", "target", "frame", "selectors", "description")
"""Fields that any step may have: they are kept in `raw`, and `selectors` become the target. People add a description."""
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


class StepReader(Reading):
    """Reads step by step, and knows the size of the window and how far each thing is scrolled."""

    def __init__(self) -> None:
        super().__init__(NAME, Context())
        self._size: tuple[int, int] | None = None
        self.scrolled: dict[str, tuple[float, float]] = {}
        self.target: Target = None

    def lines(self, steps: list[Any]) -> Iterator[LogLine]:
        return told_each(steps, "$.steps", "a step", self._step)

    def _verb(self, step: JsonObject, where: str) -> str:
        self.fields = Fields(NAME, step, where)
        verb: str = self.fields.text("type")
        self.fields.drop(*_ALWAYS, *(name for name in step if name.startswith("_")))
        return verb

    def _step(self, number: int, where: str, step: JsonObject) -> Iterator[InteractionStep]:
        self.losses = []
        if self._verb(step, where) == "setViewport":
            self._size = (self.fields.number("width", whole=True), self.fields.number("height", whole=True))
            return
        action = self.action(step, where)
        if step.get("frame") or step.get("target", "main") != "main":
            self.losses.append(Loss(what="frame", why="in which frame or window it is, is not said"))
        screen = {"screen_resolution": self._size} if self._size else {}
        raw = {"step": step, **lost_in_reading(self.losses)}
        yield step_of(where, timestamp=0.0, step=number, visual_state=screen, action=action, raw=raw)

    def action(self, step: JsonObject, where: str = "$") -> AgentAction:
        """What a step does. Raises DialectError."""
        verb = self._verb(step, where)
        self.target = target_of(step.get("selectors"), self.fields)
        if verb in CARRIED:
            arguments = {name: value for name, value in step.items() if name not in _ALWAYS}
            return self.build(f"x-{NAME}.{CARRIED[verb]}", target=self.target, arguments=arguments)
        if verb not in _READ:
            known = ", ".join((*_READ, *CARRIED, "setViewport"))
            self.fields.refuse("type", f"there is no step {verb[:60]!r}; steps are {known}")
        action = _READ[verb](self)
        self.fields.end()
        return action

    def where(self, step: JsonObject) -> tuple[float, float]:
        """How far that is scrolled which a `scroll` would scroll."""
        return self.scrolled.get(str(target_of(step.get("selectors"), Fields(NAME, step))), (0, 0))

    def on(self) -> Target:
        """The element, whatever place within it is meant."""
        x, y = self.fields.number("offsetX", None), self.fields.number("offsetY", None)
        if x is not None or y is not None:
            self.losses.append(Loss(what="click.offset", why="only the element is said, not the place within it"))
        return self.target

    def click(self, count: int = 1) -> AgentAction:
        button = BUTTONS[self.fields.choice("button", tuple(BUTTONS), "primary")]
        held = self.fields.number("duration", None)
        self.fields.drop("deviceType")
        hold = None if held is None else held / 1000
        return self.build("click", target=self.on(), button=button, count=count, hold=hold)

    def pressed(self) -> str:
        name = self.fields.text("key")
        with refusing(NAME, f"{self.fields.where}.key"):
            return read_key("Space" if name == " " else name, "playwright")

    def navigate(self) -> AgentAction:
        self.scrolled.clear()
        return self.build("navigate", url=self.fields.text("url"))

    def scroll(self) -> AgentAction:
        """A recording says how far it is scrolled afterwards, not by how much."""
        was = self.scrolled.get(str(self.target), (0, 0))
        now = (self.fields.number("x", was[0]), self.fields.number("y", was[1]))
        self.scrolled[str(self.target)] = now
        return self.build("scroll", target=self.target, delta={"x": now[0] - was[0], "y": now[1] - was[1]}, unit="px")


def _target(reader: StepReader) -> Target:
    return reader.target


_READ: dict[str, Callable[[StepReader], AgentAction]] = {
    "click": StepReader.click,
    "doubleClick": lambda reader: reader.click(2),
    "hover": row("hover", target=StepReader.on),
    "change": row("fill", target=_target, text=given("value")),
    "keyDown": row("key_down", key=StepReader.pressed, target=_target),
    "keyUp": row("key_up", key=StepReader.pressed, target=_target),
    "navigate": StepReader.navigate,
    "scroll": StepReader.scroll,
    "close": row("tabs", op="close"),
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


class _Writer(Writing):
    """Writes step by step; a reader beside it goes along, and knows how far everything is scrolled."""

    def __init__(self) -> None:
        super().__init__(NAME, Context())
        self.reader = StepReader()
        self._size: tuple[int, int] | None = None

    def call(self, kind: str, /, **fields: Any) -> JsonObject:
        return {"type": kind, **fields}

    def step(self, step: InteractionStep) -> Said:
        """The steps of a recording. Raises DialectError for what none can say."""
        self.losses, self.context = [], context_of(step)
        action = step.action
        said: Said = self.said(action)
        if action.delay is not None:
            self.losses.insert(0, Loss(what="delay", why="there is no delay before a step"))
        read_back = [self.reader.action(one) for one in said]
        if not self.losses and read_back != [action]:  # what is read back otherwise is lost, whatever the reason
            self.losses.append(Loss(what="target", why="it is read back by another name"))
        return [*self._look(step), *said]

    def _look(self, step: InteractionStep) -> Iterator[JsonObject]:
        size = step.visual_state.screen_resolution
        if size != self._size:
            self._size = size
            fixed = {"deviceScaleFactor": 1, "isMobile": False, "hasTouch": False, "isLandscape": False}
            yield self.call("setViewport", width=size[0], height=size[1], **fixed)

    def on(self, target: ActionTarget | None) -> JsonObject:
        """The element in every way that a recording can name it. Raises DialectError for a mere place."""
        if target is None:
            return {}
        text, role = target.text, target.role
        if text is None and target.selector is None:
            element, _ = element_of(target, self.context, NAME)
            text, role = (element.text or None, element.role) if element else (None, None)
            if text is None:
                self.refuse("target", "a recording names elements, and this place has none with a text")
            self.lose("target", "said by the text and the role of the element")
        ways: list[list[str]] = []
        if text is not None:
            ways.append([f"aria/{text}" + (f'[role="{role}"]' if role else "")] if role else [f"text/{text}"])
        if target.selector is not None:
            ways.append([re.sub(r"\Axpath=", "xpath/", part) for part in target.selector.split(" >> ")])
        return {"target": "main", "selectors": ways}

    def key(self, kind: str, key: str) -> JsonObject:
        name = write_key(key, "playwright")
        if name is None or name == "ControlOrMeta":
            self.refuse("key", f"a recording has no key {key!r}")
        return self.call(kind, target="main", key=" " if name == "Space" else name)

    def around(self, keys: tuple[str, ...], said: Said, what: str) -> Said:
        if keys:
            self.lose(what, "said as keys that go down before and come up after")
        down, up = ([self.key(kind, key) for key in keys] for kind in ("keyDown", "keyUp"))
        return [*down, *said, *reversed(up)]

    def click(self, action: verbs.Click) -> Said:
        if action.count > 2:
            self.cannot(action, "a recording has clicks and double clicks")
        held = {"duration": action.hold * 1000} if action.hold else {}
        button = {} if action.button == "left" else {"button": _THEIRS[action.button]}
        kind = "doubleClick" if action.count == 2 else "click"
        step = self.call(kind, **self.on(action.target), **button, offsetX=1, offsetY=1, **held)
        return self.around(action.modifiers, [step], "click.modifiers")

    def hover(self, action: verbs.Hover) -> Said:
        return self.around(action.modifiers, [self.call("hover", **self.on(action.target))], "hover.modifiers")

    def type(self, action: verbs.Type | verbs.Fill) -> Said:
        if action.target is None:
            self.cannot(action, "a recording changes a field, and none is said")
        if isinstance(action, verbs.Type):
            self.lose("type", "said as a change, which replaces what is in the field")
        change = self.call("change", **self.on(action.target), value=action.text)
        if not action.submit:
            return [change]
        self.lose(f"{action.verb}.submit", "said as a press of Enter afterwards")
        return [change, self.key("keyDown", "Enter"), self.key("keyUp", "Enter")]

    fill = type

    def select_option(self, action: verbs.SelectOption) -> Said:
        if len(action.options) != 1:
            self.cannot(action, "a recording chooses one option at a time")
        self.lose("select_option", "said as a change, as of any field")
        return [self.call("change", **self.on(action.target), value=action.options[0])]

    def press_key(self, action: verbs.PressKey) -> Said:
        return self.around(action.keys, [], "press_key")

    def key_down(self, action: verbs.KeyDown) -> Said:
        return [{**self.key("keyDown", action.key), **self.on(action.target)}]

    def key_up(self, action: verbs.KeyUp) -> Said:
        return [{**self.key("keyUp", action.key), **self.on(action.target)}]

    def scroll(self, action: verbs.Scroll) -> Said:
        self.drop(action, modifiers="no key is held")
        across, down = pixels_in(action.unit, self.context.size)
        if action.unit != "px":
            self.lose("scroll.unit", "a notch is said as 120 pixels, a page as the size of the screen")
        named = self.on(action.target)
        was = self.reader.where({"type": "scroll", **named})
        return [self.call("scroll", **named, x=was[0] + action.delta.x * across, y=was[1] + action.delta.y * down)]

    def navigate(self, action: verbs.Navigate) -> Said:
        return [self.call("navigate", url=action.url)]

    def tabs(self, action: verbs.Tabs) -> Said:
        if action.op != "close":
            self.cannot(action, "a recording only closes pages")
        self.drop(action, index="the page of the step is closed")
        return [self.call("close", target="main")]

    def extension(self, action: verbs.Extension) -> Said:
        kind = {f"x-{NAME}.{name}": kind for kind, name in CARRIED.items()}.get(action.action_type)
        if kind is None or {"type", "target", "selectors"} & action.arguments.keys():
            self.cannot(action)
        return [self.call(kind, **self.on(action.target), **action.arguments)]


FORMAT = Format(name=NAME, title="Chrome DevTools Recorder", suffix=".json", write=write, read=read)
