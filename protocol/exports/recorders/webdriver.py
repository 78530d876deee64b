"""W3C WebDriver actions: a JSON list with one body of Perform Actions a step. Source: WebDriver, sections 15 and 17.

Each body has the sources `keyboard`, `mouse` and `wheel` as far as they are used, all with the same number of ticks. What a
step presses it releases, unless it is a `mouse_down` or `key_down`; a last body releases what is still held. Places are pixels of
the screen, taken as CSS pixels of the viewport.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from protocol.dialects.common.base import Context, DialectError
from protocol.dialects.common.conversion import NOTCH, Conversion, pixels_in, place
from protocol.exports.common.base import ExportResult, Format, Run
from protocol.exports.common.frames import context_of
from protocol.exports.common.lines import json_line
from protocol.log.log import whole_file
from protocol.model.geometry import Coordinate, JsonObject
from protocol.model.steps import InteractionStep
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Click,
    Drag,
    Fill,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    PressKey,
    Scroll,
    Type,
    Wait,
)

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
        say = _SAID.get(action.verb)
        held, at = self._held.copy(), self._at
        try:
            if say is None:
                raise _NoTicks("it is another command of WebDriver, or none of its")
            said = _StepTicks(context_of(step), self._held, self._at)
            if action.delay:
                said.ticks.pause(action.delay)
            say(said, action)
        except (_NoTicks, DialectError) as no:
            self._held, self._at = held, at
            self._exported.unsaid(no, f"{action.verb}: ")
            return None
        self._at = said.at
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


class _StepTicks(Conversion):
    """One step on its way to ticks."""

    def __init__(self, context: Context, held: PressedKeys, at: tuple[int, int] | None) -> None:
        super().__init__(NAME, context)
        self.ticks = TickSequence(held)
        self.at = at

    def point(self, target: ActionTarget, what: str) -> tuple[int, int]:
        found, losses = place(target, self.context, "px", None, NAME, what)
        self.take(losses)
        return self.pixel(found, what)

    def pixel(self, found: Coordinate, what: str) -> tuple[int, int]:
        """A whole pixel of the viewport; WebDriver refuses to move out of it."""
        size = self.context.size
        pixel = found.to_px(size)
        if (pixel.x, pixel.y) != (found.x, found.y):
            self.lose(f"{what}.point", "said as a whole pixel")
        if not (0 <= pixel.x < size[0] and 0 <= pixel.y < size[1]):
            raise _NoTicks("the place is not on the screen")
        return pixel.x, pixel.y

    def move(self, to: tuple[int, int]) -> None:
        self.at = to
        self.ticks.add("mouse", type="pointerMove", x=to[0], y=to[1], origin="viewport")

    def keys(self, keys: tuple[str, ...]) -> list[str]:
        codes = []
        for key in keys:
            code = code_of(key)
            if code is None:
                raise _NoTicks(f"WebDriver has no key {key}")
            if key == "ControlOrMeta":
                self.lose("keys", "ControlOrMeta is said as Control; on macOS it is Meta")
            codes.append(code)
        return codes

    def holding(self, modifiers: tuple[str, ...], act: Callable[[], None]) -> None:
        """Does `act` with the modifiers held, but for those that are held already."""
        codes = [code for code in self.keys(modifiers) if code not in self.ticks.held.keys]
        for code in codes:
            self.ticks.key(code, down=True)
        act()
        for code in reversed(codes):
            self.ticks.key(code, down=False)

    def press(self, button: str, count: int = 1, hold: float = 0.0) -> None:
        for _ in range(count):
            self.ticks.button(BUTTONS[button], down=True)
            if hold:
                self.ticks.pause(hold)
            self.ticks.button(BUTTONS[button], down=False)

    def focus(self, action: Action, what: str) -> None:
        """Clicks into the target, where there is one."""
        if action.target is None:
            return
        self.move(self.point(action.target, what))
        self.press("left")
        self.lose(f"{action.verb}.target", "said as a click and then the keys")

    def type(self, text: str, what: str) -> None:
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


def _click(said: _StepTicks, action: Any) -> None:
    to = said.point(action.target, "target")

    def act() -> None:
        said.move(to)
        said.press(action.button, action.count, action.hold)

    said.holding(action.modifiers, act)


def _hover(said: _StepTicks, action: Any) -> None:
    to = said.point(action.target, "target")
    said.holding(action.modifiers, lambda: said.move(to))


def _drag(said: _StepTicks, action: Any) -> None:
    way = [said.point(action.target, "target")]
    for point in action.path:
        way.append(said.point(ActionTarget(point=point), "path"))
    way.append(said.point(action.to, "to"))

    def act() -> None:
        said.move(way[0])
        said.ticks.button(BUTTONS[action.button], down=True)
        for to in way[1:]:
            said.move(to)
        said.ticks.button(BUTTONS[action.button], down=False)

    said.holding(action.modifiers, act)


def _button(said: _StepTicks, action: Any) -> None:
    if action.target is not None:
        said.move(said.point(action.target, "target"))
    said.ticks.button(BUTTONS[action.button], down=isinstance(action, MouseDown))


def _key(said: _StepTicks, action: Any) -> None:
    said.focus(action, "target")
    said.ticks.key(said.keys((action.key,))[0], down=isinstance(action, KeyDown))


def _chord(said: _StepTicks, action: Any) -> None:
    said.focus(action, "target")
    codes = [code for code in said.keys(action.keys) if code not in said.ticks.held.keys]
    for code in codes:
        said.ticks.key(code, down=True)
    if isinstance(action, HoldKey):
        said.ticks.pause(action.seconds)
    for code in reversed(codes):
        said.ticks.key(code, down=False)


def _type(said: _StepTicks, action: Any) -> None:
    said.focus(action, "target")
    if isinstance(action, Fill):
        said.lose("fill", "said as select-all with Control+a and then typing")
        said.holding(("Control",), lambda: said.type("a", "fill.text"))
    said.type(action.text, f"{action.verb}.text")
    if action.submit:
        said.type("\n", "submit")


def _scroll(said: _StepTicks, action: Any) -> None:
    width, height = said.context.size
    if action.target is not None:
        at = said.point(action.target, "target")
    else:
        at = said.at or (width // 2, height // 2)
        if said.at is None:
            said.lose("scroll.target", "said at the middle of the screen")
    across, down = pixels_in(action.unit, said.context.size)
    if action.unit != "px":
        said.lose(
            "scroll.unit", f"a notch is said as {NOTCH} px" if action.unit == "notch" else "a page is said as the screen's size"
        )
    x, y = round(action.delta.x * across), round(action.delta.y * down)
    if (x, y) != (action.delta.x * across, action.delta.y * down):
        said.lose("scroll.delta", "said in whole pixels")
    wheel = {"type": "scroll", "x": at[0], "y": at[1], "deltaX": x, "deltaY": y, "origin": "viewport", "duration": 0}
    said.holding(action.modifiers, lambda: said.ticks.add("wheel", **wheel))


def _wait(said: _StepTicks, action: Any) -> None:
    if action.text is not None or action.text_gone is not None:
        said.lose("wait.text", "WebDriver's actions wait for a time only")
    said.ticks.pause(action.seconds)


_VERBS: dict[Callable[[_StepTicks, Any], None], tuple[type[Action], ...]] = {
    _click: (Click,), _hover: (Hover,), _drag: (Drag,), _button: (MouseDown, MouseUp), _key: (KeyDown, KeyUp),
    _chord: (PressKey, HoldKey), _type: (Type, Fill), _scroll: (Scroll,), _wait: (Wait,),
}  # fmt: skip
_SAID = {verb.model_fields["action_type"].default: say for say, verbs in _VERBS.items() for verb in verbs}

FORMAT = Format(name=NAME, title="W3C WebDriver actions, one body a step", suffix=".json", write=write)
