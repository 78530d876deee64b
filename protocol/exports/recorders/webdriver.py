"""W3C WebDriver actions: a JSON list with one body of Perform Actions a step. Source: WebDriver, sections 15 and 17.

Each body has the sources `keyboard`, `mouse` and `wheel` as far as they are used, all with the same number of ticks. What a
step presses it releases, unless it is a `mouse_down` or `key_down`; a last body releases what is still held. Places are pixels of
the screen, taken as CSS pixels of the viewport.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import Context, DialectError
from protocol.dialects.common.conversion import NOTCH, Writing, pixels_in
from protocol.exports.common.base import ExportResult, Format, Run
from protocol.exports.common.kept import context_of
from protocol.exports.common.lines import json_line
from protocol.log.log import whole_file
from protocol.model import verbs
from protocol.model.actions import VERBS
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep
from protocol.model.targets import ActionTarget

BUTTONS = {"left": 0, "middle": 1, "right": 2, "back": 3, "forward": 4}
_NAMED = {
    "Backspace": 0xE003, "Tab": 0xE004, "Enter": 0xE007, "Shift": 0xE008, "Control": 0xE009, "ControlOrMeta": 0xE009,
    "Alt": 0xE00A, "Pause": 0xE00B, "Escape": 0xE00C, "Space": 0x20, "PageUp": 0xE00E, "PageDown": 0xE00F, "End": 0xE010,
    "Home": 0xE011, "ArrowLeft": 0xE012, "ArrowUp": 0xE013, "ArrowRight": 0xE014, "ArrowDown": 0xE015, "Insert": 0xE016,
    "Delete": 0xE017, "Meta": 0xE03D, **{f"F{n}": 0xE030 + n for n in range(1, 13)},
}  # fmt: skip
_SOURCES: dict[str, JsonObject] = {
    "keyboard": {"type": "key", "id": "keyboard"},
    "mouse": {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}},
    "wheel": {"type": "wheel", "id": "wheel"},
    "nobody": {"type": "none", "id": "nobody"},
}


def code_of(key: str) -> str | None:
    """WebDriver's value of a canonical key or a sign; None where it has none.

    A sign of the private use area is none: WebDriver would take it for a key, such as Enter.
    """
    if key in _NAMED:
        return chr(_NAMED[key])
    if len(key) != 1 or unicodedata.category(key) in ("Cc", "Cs", "Co"):
        return None
    return key


@dataclass
class PressedKeys:
    """What is pressed, in the order it was pressed."""

    keys: list[str] = field(default_factory=list)
    buttons: list[int] = field(default_factory=list)

    def copy(self) -> PressedKeys:
        return PressedKeys(self.keys.copy(), self.buttons.copy())


class TickSequence:
    """One tick after the other: one source acts, the others pause."""

    def __init__(self, held: PressedKeys) -> None:
        self.held = held
        self._ticks: list[tuple[str, JsonObject]] = []

    def add(self, source: str, **item: Any) -> None:
        self._ticks.append((source, item))

    def key(self, code: str, *, down: bool) -> None:
        self.add("keyboard", type="keyDown" if down else "keyUp", value=code)
        _note(self.held.keys, code, down)

    def button(self, button: int, *, down: bool) -> None:
        self.add("mouse", type="pointerDown" if down else "pointerUp", button=button)
        _note(self.held.buttons, button, down)

    def pause(self, seconds: float) -> None:
        """A tick in which nobody does anything."""
        self._ticks.append(("", {"type": "pause", "duration": round(seconds * 1000)}))

    def body(self) -> JsonObject | None:
        """The body of Perform Actions; None where nothing is done."""
        if not self._ticks:
            return None
        used = [source for source in _SOURCES if any(by == source for by, _ in self._ticks)] or ["nobody"]
        return {
            "actions": [{**_SOURCES[source], "actions": [self._tick(tick, source) for tick in self._ticks]} for source in used]
        }

    def _tick(self, tick: tuple[str, JsonObject], source: str) -> JsonObject:
        by, item = tick
        return item if by in (source, "") else {"type": "pause"}


def _note(held: list[Any], what: Any, down: bool) -> None:
    if down and what not in held:
        held.append(what)
    elif not down and what in held:
        held.remove(what)


NAME = "webdriver"


def write(run: Run, path: Path) -> ExportResult:
    """One body a step that can be said, in order, as a stream."""
    exported = ExportResult(files=[path])
    writer = _Writer(exported)
    with whole_file(path) as file:
        separator = "[\n"
        for step in run.steps:
            if body := writer.body(step):
                file.write(separator + json_line(body))
                separator = ",\n"
        if body := writer.released():
            file.write(separator + json_line(body))
            separator = ",\n"
        file.write("\n]\n" if separator == ",\n" else "[]\n")
    return exported


class _NoTicks(Exception):
    """The step cannot be said."""


class _Writer:
    """Says one step after the other; knows what is held and where the pointer is."""

    def __init__(self, exported: ExportResult) -> None:
        self._exported = exported
        self._held = PressedKeys()
        self._at: tuple[int, int] | None = None

    def body(self, step: InteractionStep) -> JsonObject | None:
        action = step.action
        held, at = self._held.copy(), self._at
        try:
            if action.verb not in _SAID:
                raise _NoTicks("it is another command of WebDriver, or none of its")
            said = _StepTicks(context_of(step), self._held, self._at)
            if action.delay:
                said.ticks.pause(action.delay)
            said.said(action)
        except (_NoTicks, DialectError) as no:
            self._held, self._at = held, at
            self._exported.unsaid(no, f"{action.verb}: ")
            return None
        self._at = said.pointer
        self._exported.losses.update(said.losses)
        self._exported.steps += 1
        return said.ticks.body()

    def released(self) -> JsonObject | None:
        """Releases what mouse_down and key_down have left held."""
        ticks = TickSequence(self._held)
        for button in self._held.buttons.copy():
            ticks.button(button, down=False)
        for code in self._held.keys.copy():
            ticks.key(code, down=False)
        return ticks.body()


class _StepTicks(Writing):
    """One step on its way to ticks."""

    def __init__(self, context: Context, held: PressedKeys, pointer: tuple[int, int] | None) -> None:
        super().__init__(NAME, context)
        self.ticks = TickSequence(held)
        self.pointer = pointer

    def point(self, target: Any, what: str = "target") -> tuple[int, int]:
        """A whole pixel of the viewport; WebDriver refuses to move out of it."""
        found, size = self.place(target, what), self.context.size
        pixel = found.to_px(size)
        if (pixel.x, pixel.y) != (found.x, found.y):
            self.lose(f"{what}.point", "said as a whole pixel")
        if not (0 <= pixel.x < size[0] and 0 <= pixel.y < size[1]):
            raise _NoTicks("the place is not on the screen")
        return pixel.x, pixel.y

    def move(self, to: tuple[int, int]) -> None:
        self.pointer = to
        self.ticks.add("mouse", type="pointerMove", x=to[0], y=to[1], origin="viewport")

    def codes(self, keys: tuple[str, ...]) -> list[str]:
        codes = []
        for key in keys:
            code = code_of(key)
            if code is None:
                raise _NoTicks(f"WebDriver has no key {key}")
            if key == "ControlOrMeta":
                self.lose("keys", "ControlOrMeta is said as Control; on macOS it is Meta")
            codes.append(code)
        return codes

    @contextmanager
    def holding(self, keys: tuple[str, ...]) -> Iterator[None]:
        """With the keys held, but for those that are held already."""
        codes = [code for code in self.codes(keys) if code not in self.ticks.held.keys]
        for code in codes:
            self.ticks.key(code, down=True)
        yield
        for code in reversed(codes):
            self.ticks.key(code, down=False)

    def press(self, button: str, count: int = 1, hold: float = 0.0) -> None:
        for _ in range(count):
            self.ticks.button(BUTTONS[button], down=True)
            if hold:
                self.ticks.pause(hold)
            self.ticks.button(BUTTONS[button], down=False)

    def focus(self, action: verbs.Action) -> None:
        """Clicks into the target, where there is one."""
        if action.target is not None:
            self.move(self.point(action.target))
            self.press("left")
            self.lose(f"{action.verb}.target", "said as a click and then the keys")

    def signs(self, text: str, what: str) -> None:
        lost = False
        for sign in text.replace("\r\n", "\n"):
            code = code_of({"\n": "Enter", "\r": "Enter", "\t": "Tab"}.get(sign, sign))
            if code is None:
                lost = True
                continue
            self.ticks.key(code, down=True)
            self.ticks.key(code, down=False)
        if lost:
            self.lose(what, "signs that no key types are left out")

    def click(self, action: verbs.Click) -> None:
        to = self.point(action.target)
        with self.holding(action.modifiers):
            self.move(to)
            self.press(action.button, action.count, action.hold)

    def hover(self, action: verbs.Hover) -> None:
        to = self.point(action.target)
        with self.holding(action.modifiers):
            self.move(to)

    def drag(self, action: verbs.Drag) -> None:
        start, *way = [
            self.point(action.target), *(self.point(ActionTarget(point=point), "path") for point in action.path),
            self.point(action.to, "to"),
        ]  # fmt: skip
        with self.holding(action.modifiers):
            self.move(start)
            self.ticks.button(BUTTONS[action.button], down=True)
            for to in way:
                self.move(to)
            self.ticks.button(BUTTONS[action.button], down=False)

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> None:
        if action.target is not None:
            self.move(self.point(action.target))
        self.ticks.button(BUTTONS[action.button], down=isinstance(action, verbs.MouseDown))

    mouse_up = mouse_down

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> None:
        self.focus(action)
        self.ticks.key(self.codes((action.key,))[0], down=isinstance(action, verbs.KeyDown))

    key_up = key_down

    def press_key(self, action: verbs.PressKey | verbs.HoldKey) -> None:
        self.focus(action)
        with self.holding(action.keys):
            if isinstance(action, verbs.HoldKey):
                self.ticks.pause(action.seconds)

    hold_key = press_key

    def type(self, action: verbs.Type | verbs.Fill) -> None:
        self.focus(action)
        if isinstance(action, verbs.Fill):
            self.lose("fill", "said as select-all with Control+a and then typing")
            with self.holding(("Control",)):
                self.signs("a", "fill.text")
        self.signs(action.text, f"{action.verb}.text")
        if action.submit:
            self.signs("\n", "submit")

    fill = type

    def scroll(self, action: verbs.Scroll) -> None:
        width, height = self.context.size
        at = (self.pointer or (width // 2, height // 2)) if action.target is None else self.point(action.target)
        if action.target is None and self.pointer is None:
            self.lose("scroll.target", "said at the middle of the screen")
        across, down = pixels_in(action.unit, self.context.size)
        if action.unit != "px":
            notch = f"a notch is said as {NOTCH} px"
            self.lose("scroll.unit", notch if action.unit == "notch" else "a page is said as the screen's size")
        x, y = round(action.delta.x * across), round(action.delta.y * down)
        if (x, y) != (action.delta.x * across, action.delta.y * down):
            self.lose("scroll.delta", "said in whole pixels")
        wheel = {"type": "scroll", "x": at[0], "y": at[1], "deltaX": x, "deltaY": y, "origin": "viewport", "duration": 0}
        with self.holding(action.modifiers):
            self.ticks.add("wheel", **wheel)

    def wait(self, action: verbs.Wait) -> None:
        if action.text is not None or action.text_gone is not None:
            self.lose("wait.text", "WebDriver's actions wait for a time only")
        self.ticks.pause(action.seconds)


_SAID = frozenset(name for name in vars(_StepTicks) if name in VERBS)
"""The verbs that are actions of WebDriver."""

FORMAT = Format(name=NAME, title="W3C WebDriver actions, one body a step", suffix=".json", write=write)
