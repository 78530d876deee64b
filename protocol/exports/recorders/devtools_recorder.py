"""Recordings of Chrome's DevTools Recorder: `{title, steps}`, as @puppeteer/replay replays them. Read only."""

import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

from protocol import AgentAction, InteractionStep, JsonObject
from protocol.dialects import Context, Fields, Loss, Reading, given, refusing, row
from protocol.exports.common.base import Format, ImportResult
from protocol.exports.common.kept import info_of, lost_in_reading
from protocol.exports.common.lines import json_document, step_of, told, told_each
from protocol.model.keys import read_key

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
    reader = StepReader()
    lines = told_each(recording["steps"], "$.steps", "a step", lambda number, *item: told(number, reader.step(number, *item)))
    return ImportResult(info, lines)


class StepReader(Reading):
    """Reads step by step, and knows the size of the window and how far each thing is scrolled."""

    def __init__(self) -> None:
        super().__init__(NAME, Context())
        self._size: tuple[int, int] | None = None
        self._scrolled: dict[str, tuple[float, float]] = {}
        self.target: Target = None

    def _verb(self, step: JsonObject, where: str) -> str:
        self.fields = Fields(NAME, step, where)
        verb: str = self.fields.text("type")
        self.fields.drop(*_ALWAYS, *(name for name in step if name.startswith("_")))
        return verb

    def step(self, number: int, where: str, step: JsonObject) -> Iterator[InteractionStep]:
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
        self._scrolled.clear()
        return self.build("navigate", url=self.fields.text("url"))

    def scroll(self) -> AgentAction:
        """A recording says how far it is scrolled afterwards, not by how much."""
        was = self._scrolled.get(str(self.target), (0, 0))
        now = (self.fields.number("x", was[0]), self.fields.number("y", was[1]))
        self._scrolled[str(self.target)] = now
        return self.build("scroll", target=self.target, delta={"x": now[0] - was[0], "y": now[1] - was[1]}, unit="px")


_TARGET = attrgetter("target")
_READ: dict[str, Callable[[StepReader], AgentAction]] = {
    "click": StepReader.click,
    "doubleClick": lambda reader: reader.click(2),
    "hover": row("hover", target=StepReader.on),
    "change": row("fill", target=_TARGET, text=given("value")),
    "keyDown": row("key_down", key=StepReader.pressed, target=_TARGET),
    "keyUp": row("key_up", key=StepReader.pressed, target=_TARGET),
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
    # CSS as it is, and an XPath with the mark that Playwright knows it by
    parts = [re.sub("^xpath/", "xpath=", part).removeprefix("pierce/") for part in selector]
    said = " >> ".join(parts) if _rank(selector[-1]) < _NAMED else None
    if text is None and said is None:
        role = None
        said = " >> ".join(ways[0])
    return {"text": text, "role": role, "selector": said}


_NAMED = 3


def _rank(selector: str) -> int:
    if selector.startswith(("aria/", "text/")):
        return _NAMED
    return 2 if selector.startswith("pierce/") else 1 if selector.startswith("xpath/") else 0


def _named(selector: str) -> tuple[str | None, str | None]:
    """The name and the role that an `aria/` or `text/` selector says."""
    if selector.startswith("text/"):
        return selector.removeprefix("text/"), None
    if not selector.startswith("aria/"):
        return None, None
    said = {name: one or other for name, one, other in _ATTRIBUTE.findall(selector)}
    bare = _ATTRIBUTE.sub("", selector.removeprefix("aria/")).strip()
    return said.get("name") or bare or None, said.get("role")


FORMAT = Format(name=NAME, title="Chrome DevTools Recorder", suffix=".json", read=read)
