"""AgentNet, the data of OpenCUA: pyautogui's calls with named arguments and places between 0 and 1, and some of its own.

Source: `schema/action/gui.py` of OpenCUA's data processor. In the variant `image` the places are pixels of the picture that the
model saw, as OpenCUA's models answer. Case means nothing within a chord.
"""

from typing import Any, ClassVar

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import Choice, Part, at, checked_number, dialect_of, given, row
from protocol.dialects.common.syntax import Call, Means
from protocol.dialects.python.devices import DeviceWriting
from protocol.dialects.python.pyautogui import FUNCTIONS, PACE, SPOT, Reader
from protocol.model import verbs

NAME = "agentnet"
UNSAID_WAIT = 20.0
"""Seconds of `computer.wait()`, as the prompts of OpenCUA say."""
LONG_PRESS = 1.0
"""Seconds that `mobile.long_press` stands for; it does not say them."""


class _Reading(Reader):
    """A text of calls."""

    names_keys = True

    def take(self, payload: Call, where: str) -> None:
        if payload.name in _OWN:
            self.read_call(payload, _OWN[payload.name], () if payload.name.endswith(".wait") else PACE)
        elif payload.name in FUNCTIONS:
            self.function(payload)
        else:
            self.refuse(payload.where, "there is no such function here")

    def spot(self, x: Any, y: Any, where: str) -> ActionTarget:
        space, image = self.context.picture if self.variant == "image" else ("norm1", None)
        return at(checked_number(NAME, where, x), checked_number(NAME, where, y), space, image, NAME, where)


def _swipe(reader: Reader) -> AgentAction:
    ends = {name: list(reader.fields.pair(name)) for name in ("from_coord", "to_coord")}
    for x, y in ends.values():
        reader.spot(x, y, reader.call.where)
    return reader.build("x-agentnet.swipe", arguments=ends)


_ENDS = {
    "success": row("finish_goal", summary=given("answer", "")),
    "failure": row("fail_goal", reason=given("answer", "")),
}
_HOLD = Part(lambda r: LONG_PRESS, lambda w, hold: {} if hold else None)
_OWN: dict[str, Means] = {
    "computer.tripleClick": ("x y", lambda r: r.click(r.needed(), count=3)),
    "computer.triple_click": ("x y", lambda r: r.click(r.needed(), count=3)),
    "computer.wait": ("duration", row("wait", seconds=given("duration", UNSAID_WAIT, kind="number", always=True))),
    "computer.terminate": ("status answer", Choice("status", _ENDS)),
    "answer": ("answer", row("answer", text=given("answer"))),
    "browser.select_option": ("x y value", row("select_option", target=SPOT, options=lambda r: (r.fields.text("value"),))),
    "browser.clear": ("x y", row("fill", target=SPOT, text="")),
    "mobile.swipe": ("from_coord to_coord", _swipe),
    "mobile.home": ("", lambda r: r.theirs("home")),
    "mobile.back": ("", row("go_back")),
    "mobile.wait": ("seconds", row("wait", seconds=given("seconds", kind="number"))),
    "mobile.long_press": ("x y", row("click", target=SPOT, hold=_HOLD)),
    "mobile.open_app": ("app_name", row("launch_app", app=given("app_name"))),
}


class _Writing(DeviceWriting):
    """Lines of Python with named arguments."""

    table: ClassVar = {name: read for name, (_, read) in (*_OWN.items(), ("pyautogui.moveTo", FUNCTIONS["pyautogui.moveTo"]))}
    can = frozenset({"press", "modifiers", "hold", "fill"})
    aimed = frozenset()
    moved = frozenset({"scroll"})
    drags = ("left", "right", "middle")
    clicked: ClassVar = {
        ("left", 1): "pyautogui.click", ("right", 1): "pyautogui.rightClick", ("middle", 1): "pyautogui.middleClick",
        ("left", 2): "pyautogui.doubleClick", ("left", 3): "computer.tripleClick",
    }  # fmt: skip
    dragged = "pyautogui.dragTo"
    wheels = ("pyautogui.hscroll", "pyautogui.scroll")

    def call(self, name: str, /, **arguments: Any) -> str:
        by_place = ("notches", "answer") if name != "computer.terminate" else ()
        said = [repr(value) if own in by_place else f"{own}={value!r}" for own, value in arguments.items()]
        return f"{name}({', '.join(said)})"

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """A place with four decimals, as in the data, or in pixels of the picture."""
        if self.variant == "image":
            said = self.place(target, what, *self.context.picture)
            return {"x": said.x, "y": said.y}
        said = self.place(target, what, "norm1")
        return {"x": round(said.x, 4), "y": round(said.y, 4)}

    def click(self, action: verbs.Click) -> list[str]:
        return [self.call("mobile.long_press", **self.aim(action.target))] if action.hold else super().click(action)

    def fill(self, action: verbs.Fill) -> list[str]:
        at = self.aim(action.target)
        typed = [self.call("pyautogui.click", **at), self.call("pyautogui.write", message=action.text)] if action.text else []
        return [self.call("browser.clear", **at), *typed]

    def select_option(self, action: verbs.SelectOption) -> list[str]:
        at = self.aim(action.target)
        return [self.call("browser.select_option", **at, value=option) for option in action.options]

    def type(self, action: verbs.Type) -> list[str]:
        return [self.call("pyautogui.write", message=action.text)]

    def press_key(self, action: verbs.PressKey) -> list[str]:
        names = [self.key_name(key) for key in action.keys]
        return [self.call("pyautogui.press" if len(names) == 1 else "pyautogui.hotkey", keys=names)]

    def extension(self, action: verbs.Extension) -> list[str]:
        name = action.action_type.removeprefix(f"x-{NAME}.")
        return [self.call(f"mobile.{name}", **action.arguments)] if name in ("home", "swipe") else self.cannot(action)


DIALECT = dialect_of(_Reading, _Writing, NAME, "AgentNet (OpenCUA)", "text", ("norm1", "image"))
