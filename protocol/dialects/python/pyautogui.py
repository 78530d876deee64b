"""OSWorld's `pyautogui` space: one or more lines of pyautogui's Python, or one of the words WAIT, DONE and FAIL.

Read by a grammar; nothing is evaluated, and what is no known call with literal arguments is an error with its line and column.
In the variant `som` a place may be `tag_3`: the third visible element of the state, counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import BareName, Call
from protocol.dialects.common.conversion import element_of, without_delay
from protocol.dialects.common.fields import at, build, checked_number
from protocol.dialects.python.pyautogui_calls import FUNCTIONS, PACE, Reader, read_code
from protocol.dialects.python.strokes import FARTHEST, InputDevice, Kind, Stroke, actions_of, spot_of, strokes_of, write_name
from protocol.model.actions import AgentAction
from protocol.model.geometry import BoundingBox
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Extension, PressKey, Screenshot, Type, Wait

NAME = "pyautogui"
_HANDS = InputDevice(NAME)
_WORDS: dict[str, Kind] = {"WAIT": "wait", "DONE": "done", "FAIL": "fail"}
_TAG = re.compile(r"tag_(\d{1,6})")
CARRIED: dict[str, tuple[str, ...]] = {
    "move": ("xOffset", "yOffset", "duration", "tween"),
    "drag": ("xOffset", "yOffset", "duration", "tween", "button"),
    "position": (),
    "size": (),
    "alert": ("text", "title", "button"),
    "confirm": ("text", "title", "buttons"),
    "prompt": ("text", "title", "default"),
    "password": ("text", "title", "default", "mask"),
    "countdown": ("seconds",),
    "copy": ("text",),
}
"""Functions that no verb of ours means, with their parameters; carried as `x-pyautogui.<name>`."""
_ALSO = {"moveRel": "move", "dragRel": "drag"}
_COPY = "pyperclip.copy"
"""The one function of another module that is carried, as `copy`: OSWorld's agents paste what pyautogui has no keys for."""
_PREFIX = f"x-{NAME}."
_PASTE = (("Control", "v"), ("Meta", "v"))


def from_pyautogui(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a text of calls."""
    tags = _tags(context)

    def spot(x: Any, y: Any, where: str) -> ActionTarget:
        if isinstance(x, BareName):
            return _tagged(x, tags, where)
        return at(checked_number(NAME, where, x), checked_number(NAME, where, y), "px", None, NAME, where)

    reader = Reader(NAME, context, spot, bare=lambda word: tags is not None and bool(_TAG.fullmatch(word)))
    said, losses = read_code(NAME, payload, tuple(_WORDS))
    strokes: list[Stroke | AgentAction] = []
    for one in said:
        strokes += _read(reader, one) if isinstance(one, Call) else [Stroke(_WORDS[one.text], one.where)]
    return ParsedPayload(_pasted(actions_of(NAME, strokes), reader.losses), losses + reader.losses)


def _pasted(actions: list[AgentAction], losses: list[Loss]) -> list[AgentAction]:
    """What is copied and pasted at once is typed."""
    found: list[AgentAction] = []
    copied: int | None = None
    for action in actions:
        if copied is not None and isinstance(action, PressKey) and action.keys in _PASTE:
            action = Type(text=_copied(found.pop(copied)))
            losses.append(Loss(what=_COPY, why="said as typing, not by way of the clipboard"))
        copied = len(found) if _copied(action) else copied if isinstance(action, Wait) else None
        found.append(action)
    return found


def _copied(action: AgentAction) -> str:
    text = action.arguments.get("text") if isinstance(action, Extension) and action.action_type == f"{_PREFIX}copy" else ""
    return text if isinstance(text, str) else ""


def _read(reader: Reader, call: Call) -> list[Stroke | AgentAction]:
    if call.name in FUNCTIONS:
        return [*reader.functions(call)]
    module, _, name = call.name.partition(".")
    if module == NAME and name == "screenshot":
        return [_read_screenshot(reader, call)]
    name = _ALSO.get(name, name)
    if call.name != _COPY and (module != NAME or name == "copy" or name not in CARRIED):
        raise DialectError(NAME, call.where, f"{call.name[:60]} is no function that is known here")
    reader.bind(call, list(CARRIED[name]))
    arguments = {own: reader.fields.any(own) for own in CARRIED[name] if own in reader.fields}
    reader.fields.end()
    return [build(NAME, call.where, action_type=_PREFIX + name, arguments=arguments)]


def _read_screenshot(reader: Reader, call: Call) -> AgentAction:
    reader.bind(call, ["imageFilename", "region"])
    fields = reader.fields
    if fields.text("imageFilename", None) is not None:
        reader.losses.append(Loss(what="screenshot.imageFilename", why="where a picture is kept is not said"))
    region = fields.any("region", None)
    fields.end()
    if region is None:
        return build(NAME, call.where, action_type="screenshot")
    if not isinstance(region, list) or len(region) != 4:
        fields.refuse("region", "(left, top, width, height) is needed")
    left, top, width, height = (checked_number(NAME, f"{call.where}.region", n, whole=True) for n in region)
    box = {"x1": left, "y1": top, "x2": left + width, "y2": top + height}
    return build(NAME, f"{call.where}.region", action_type="screenshot", region=box)


def _tags(context: Context) -> list[str] | None:
    """Ids of the elements that have a tag, in order; None where there are no tags."""
    if DIALECT.variant(context) != "som":
        return None
    return [element.element_id for element in context.state.elements if element.visible] if context.state else []


def _tagged(word: BareName, tags: list[str] | None, where: str) -> ActionTarget:
    match = _TAG.fullmatch(word)
    number = int(match[1]) if match else 0
    if tags is None or not 1 <= number <= len(tags):
        raise DialectError(NAME, where, f"there is no {str(word)[:40]} on the screen; tags go up to {len(tags or ())}")
    return ActionTarget(element_id=tags[number - 1])


def to_pyautogui(action: Action, context: Context) -> WrittenPayload:
    """The lines of Python that do `action`. Raises DialectError for what pyautogui cannot do."""
    tags = _tags(context)
    if isinstance(action, Screenshot):
        return _write_screenshot(action, context)
    if isinstance(action, Extension):
        return _write_carried(action, context)

    def locate(target: ActionTarget, what: str) -> tuple[ActionTarget, list[Loss]]:
        tagged = _by_tag(target, context, tags, what) if tags else None
        return tagged or spot_of(target, context, "px", None, NAME, what)

    strokes, losses = strokes_of(action, _HANDS, context, locate)
    return WrittenPayload("\n".join(_WRITE[stroke.kind](stroke, _spot(stroke, tags)) for stroke in strokes), losses)


def _by_tag(target: ActionTarget, context: Context, tags: list[str], what: str) -> tuple[ActionTarget, list[Loss]] | None:
    """The element of the target if it has a tag."""
    given = [name for name in ActionTarget.model_fields if getattr(target, name) is not None]
    if given == ["point"]:
        return None
    try:
        element, _ = element_of(target, context, NAME, what)
    except DialectError:
        return None
    if element is None or element.element_id not in tags:
        return None
    lost = [name for name in given if name != "element_id"]
    losses = [Loss(what=f"{what}.{lost[0]}", why="only the tag of the element is said")] if lost else []
    return ActionTarget(element_id=element.element_id), losses


def _spot(stroke: Stroke, tags: list[str] | None) -> str:
    """The place as the first arguments of a call."""
    if stroke.at is None:
        return ""
    if stroke.at.point is None:
        return f"tag_{(tags or []).index(str(stroke.at.element_id)) + 1}"
    return f"{stroke.at.point.x!r}, {stroke.at.point.y!r}"


def _call(name: str, *arguments: str) -> str:
    return f"pyautogui.{name}({', '.join(filter(None, arguments))})"


_CLICKS = {
    ("left", 1): "click", ("right", 1): "rightClick", ("middle", 1): "middleClick", ("left", 2): "doubleClick",
    ("left", 3): "tripleClick",
}  # fmt: skip


def _write_click(s: Stroke, spot: str) -> str:
    name = _CLICKS.get((s.button, s.count))
    return _call(name, spot) if name else _call("click", spot, f"clicks={s.count}", f"button={s.button!r}")


def _button(s: Stroke) -> str:
    return "" if s.button == "left" else f"button={s.button!r}"


def _write_wheel(s: Stroke, spot: str) -> str:
    spot = spot and (f"x={spot}" if spot.startswith("tag_") else spot)
    return _call("hscroll", str(s.across), spot) if s.across else _call("scroll", str(-s.down), spot)


def _write_press(s: Stroke, spot: str) -> str:
    return _call("press" if len(s.keys) == 1 else "hotkey", *(repr(write_name(NAME, key)) for key in s.keys))


_WRITE: dict[Kind, Callable[[Stroke, str], str]] = {
    "move": lambda s, spot: _call("moveTo", spot),
    "click": _write_click,
    "down": lambda s, spot: _call("mouseDown", spot, _button(s)),
    "up": lambda s, spot: _call("mouseUp", spot, _button(s)),
    "drag": lambda s, spot: _call("dragTo", spot, f"button={s.button!r}"),
    "wheel": _write_wheel,
    "write": lambda s, spot: _call("write", repr(s.text)),
    "press": _write_press,
    "key_down": lambda s, spot: _call("keyDown", repr(write_name(NAME, s.keys[0]))),
    "key_up": lambda s, spot: _call("keyUp", repr(write_name(NAME, s.keys[0]))),
    "wait": lambda s, spot: f"time.sleep({s.seconds!r})",
    "done": lambda s, spot: "DONE",
    "fail": lambda s, spot: "FAIL",
}


def _write_screenshot(action: Screenshot, context: Context) -> WrittenPayload:
    losses = without_delay(action)
    if action.marks:
        losses.append(Loss(what="screenshot.marks", why="marks cannot be asked for"))
    if action.target is not None:
        losses.append(Loss(what="target", why="screenshot has no target here"))
    if action.region is None:
        return WrittenPayload("pyautogui.screenshot()", losses)
    box = action.region.to_px(context.size)
    if max(map(abs, (box.x1, box.y1, box.x2, box.y2))) > FARTHEST:
        raise DialectError(NAME, "screenshot.region", "the region is too far away to be on a screen")
    if not isinstance(action.region, BoundingBox):
        losses.append(Loss(what="screenshot.region", why=f"said in px instead of {action.region.space}"))
    return WrittenPayload(f"pyautogui.screenshot(region=({box.x1}, {box.y1}, {box.x2 - box.x1}, {box.y2 - box.y1}))", losses)


def _write_carried(action: Extension, context: Context) -> WrittenPayload:
    """A call that is carried, if reading it gives the action back."""
    name = action.action_type.removeprefix(_PREFIX)
    known = [own for own in CARRIED.get(name, ()) if own not in PACE]
    if not action.action_type.startswith(_PREFIX) or name not in CARRIED or set(action.arguments) - set(known):
        raise DialectError(NAME, action.action_type, "pyautogui has no such function, or not with these arguments")
    losses = without_delay(action)
    if action.target is not None:
        losses.append(Loss(what="target", why=f"{name} has no target here"))
    text = _call(name, *(f"{own}={value!r}" for own, value in action.arguments.items()))
    if name == "copy":
        text = f"import pyperclip\n{text.replace(f'{NAME}.copy', _COPY, 1)}"
    bare = action.model_copy(update={"delay": None, "target": None})
    if from_pyautogui(text, context) != ([bare], []):
        raise DialectError(NAME, action.action_type, "the arguments cannot be said in Python")
    return WrittenPayload(text, losses)


DIALECT = Dialect(NAME, "OSWorld pyautogui", "text", from_pyautogui, to_pyautogui, ("xy", "som"))
