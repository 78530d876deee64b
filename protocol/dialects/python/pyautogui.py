"""OSWorld's `pyautogui` space: one or more lines of pyautogui's Python, or one of the words WAIT, DONE and FAIL.

Read by a grammar; nothing is evaluated, and what is no known call with literal arguments is an error with its line and column.
In the variant `som` a place may be `tag_3`: the third visible element of the state, counted from 1.
Signatures are those of pyautogui 0.9.54, with the `pause` of older versions. AgentNet writes the same calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, ParsedPayload, Piece, WrittenPayload
from protocol.dialects.common.calls import (
    FRAME,
    IMPORT,
    PRINTED,
    UNSURE,
    BareName,
    Call,
    Functions,
    Statement,
    assigned_in,
    blocks,
    bound,
    checked_text,
    code_in,
    is_a_text,
    is_printed,
    names_given,
    parse_calls,
    with_values,
)
from protocol.dialects.common.conversion import Reading, element_of, given, without_delay
from protocol.dialects.common.fields import Fields, at, build, checked_number
from protocol.dialects.python.strokes import (
    FARTHEST,
    InputDevice,
    Kind,
    Stroke,
    actions_of,
    read_name,
    spot_of,
    stroke,
    strokes_of,
    write_name,
)
from protocol.model.actions import AgentAction
from protocol.model.geometry import BoundingBox, JsonObject
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Extension, PressKey, Screenshot, Type, Wait

MOST = 10_000
"""Presses that the calls of one text may make: `press('a', presses=...)` says many in few characters."""
_BUTTONS = {"left": "left", "primary": "left", "right": "right", "secondary": "right", "middle": "middle"}
_NUMBERED = {1: "left", 2: "middle", 3: "right"}
PACE = ("duration", "tween", "interval", "pause", "_pause", "logScreenshot")
"""Parameters that say how fast a stroke is, or leave a picture behind."""

_SETTING = r"pyautogui\.(?:FAILSAFE|PAUSE)[ \t]*=[ \t]*(?:True|False|\d+(?:\.\d*)?|\.\d+)"
_SILENT = re.compile(f"{_SETTING}|{FRAME}")
_PASSED = (
    (is_a_text, Loss(what="words", why="words around the code are no action")),
    (is_printed, PRINTED),
    (re.compile(_SETTING.replace("FAILSAFE|", "")).fullmatch, Loss(what="PAUSE", why="how fast it is done is not kept")),
)
"""What is passed over, and what is lost by that."""

_CLICK = "x y interval duration tween"
_BUTTON_CLICK = "x y interval button duration tween"
_MOUSE = "x y button duration tween"


class Code:
    """Code that is read statement by statement, and what its names stand for.

    Imports, settings of pyautogui and printed words are passed over, and so is a text that stands alone, in which agents keep
    their thoughts.
    """

    def __init__(self, dialect: str, payload: Any, words: tuple[str, ...] = ()) -> None:
        """`words` stand for themselves. Raises DialectError for code beside a fence."""
        self._text, self.losses = code_in(dialect, checked_text(dialect, payload))
        self._dialect, self._words = dialect, words
        self._functions = Functions(self._text)
        self._literals: JsonObject = {}
        self._imported: dict[str, str] = {}
        """Names of modules, and of functions of them, by which the code calls them."""

    def statements(self) -> Iterator[tuple[Statement, bool]]:
        return blocks(self._text, self._functions.enters)

    def calls(self) -> Iterator[Call | Statement]:
        """All that is called, and the words, in order. Raises DialectError."""
        for s, unsure in self.statements():
            yield from self.called(s, unsure)

    def called(self, s: Statement, unsure: bool) -> list[Call | Statement]:
        """What a statement calls, or the word that it is. Raises DialectError, and can go on behind it."""
        try:
            if unsure:
                raise DialectError(self._dialect, s.where, UNSURE)
            return self._called(s)
        except DialectError:
            for name in assigned_in(s.text):
                self._literals.pop(name, None)
            raise

    def _called(self, s: Statement) -> list[Call | Statement]:
        first = re.match(r"[^\W\d]\w*", s.text)
        known = self._imported.get(first[0]) if first else None
        text = known + s.text[first.end() :] if first and known else s.text
        if text in self._words:
            return [s]
        if IMPORT.fullmatch(text):
            self._import(text)
        elif lost := next((loss for passes, loss in _PASSED if passes(text)), None):
            self.losses += [] if lost in self.losses else [lost]
        elif not (_SILENT.fullmatch(text) or self._functions.is_run(text)):
            names = names_given(self._dialect, s)
            self._literals |= names
            chains = [] if names else parse_calls(self._dialect, text, s.line, s.column)
            if long := next((chain for chain in chains if len(chain) > 1), None):
                raise DialectError(self._dialect, long[1].where, "nothing is called on what a call gives")
            return [with_values(chain[0], self._literals) for chain in chains]
        return []

    def _import(self, text: str) -> None:
        module, _, names = text.partition("import")
        module = module.removeprefix("from").strip()
        for name, alias in re.findall(r"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?", names):
            self._imported[alias or name] = f"{module}.{name}" if module else name
        if module == "pyautogui" and "*" in names:
            self._imported |= {name.partition(".")[2]: name for name in FUNCTIONS if name.startswith("pyautogui.")}


@dataclass
class Reader(Reading):
    """Reads calls one by one, and gathers what is lost."""

    spot: Callable[[Any, Any, str], ActionTarget]
    """The place of `x` and `y`, at a position in the text. Raises DialectError."""
    bare: Callable[[BareName], bool] = lambda word: False
    """Whether a bare name may stand for a place."""
    names_keys: bool = False
    """Whether `hotkey(keys=[...])` means its keys; pyautogui itself ignores them there."""
    presses: int = 0
    call: Call = field(init=False)

    def read(self, call: Call, means: Means, pace: tuple[str, ...] = PACE) -> list[Any]:
        """The strokes of a call, or the action that it is."""
        names, read = means
        self.bind(call, names.split(), pace)
        strokes = read(self)
        self.fields.end()
        return strokes if isinstance(strokes, list) else [strokes]

    def bind(self, call: Call, names: list[str], pace: tuple[str, ...] = PACE) -> None:
        """The arguments of a call by name, without its pace. Raises DialectError for too many, and for what is no literal."""
        self.call = call
        given = bound(self.dialect, call.where, call.name, names, call.args, call.kwargs)
        self.fields = Fields(self.dialect, {name: value for name, value in given.items() if name not in pace}, call.where)
        slow = [name for name in given if name in pace and name != "tween"]
        told = [name for name in slow if given[name] is not True and given[name] not in (0, None)]
        if told:
            self.losses.append(Loss(what=f"{call.name}.{told[0]}", why="how fast it is done is not kept"))
        for name, value in given.items():
            self._literal(name, value)

    def _literal(self, name: str, value: Any) -> None:
        if isinstance(value, BareName) and not (name == "tween" or _constant(value) or (name == "x" and self.bare(value))):
            self.fields.refuse(name, f"a literal is needed, not the name {str(value)[:40]!r}")
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self._literal(name, part)

    def aim(self) -> ActionTarget | None:
        """Where the call happens; None where the pointer is."""
        x, y = self.fields.any("x", None), self.fields.any("y", None)
        if isinstance(x, list) and y is None and len(x) == 2:
            x, y = x
        if x is None and y is None:
            return None
        if isinstance(x, str) and not isinstance(x, BareName):
            self.fields.refuse("x", "a picture on the disk is no place")
        if (x is None or y is None) and not isinstance(x, BareName):
            self.fields.refuse("x" if x is None else "y", "is missing")
        return self.spot(x, y, self.fields.where)

    def needed(self) -> ActionTarget:
        return self.aim() or self.fields.refuse("x", "is missing")

    def button(self) -> str:
        value = self.fields.any("button", "left")
        if isinstance(value, int) and not isinstance(value, bool) and value in _NUMBERED:
            return _NUMBERED[value]
        name = str(value).removeprefix("pyautogui.").lower() if isinstance(value, str) else ""
        return _BUTTONS.get(name) or self.fields.refuse("button", f"there is no button {value!r:.40}")

    def named(self, value: Any, name: str = "keys") -> str:
        """The key of that name in the field `name`."""
        if not isinstance(value, str):
            self.fields.refuse(name, f"the name of a key is needed, not {value!r:.40}")
        return read_name(self.dialect, f"{self.fields.where}.{name}", value)

    def click(self) -> list[Stroke]:
        count = self.fields.number("clicks", 1, whole=True)
        if count not in (1, 2, 3):
            self.fields.refuse("clicks", "1, 2 or 3 is needed")
        return stroke("click", at=Reader.aim, button=Reader.button, count=count)(self)

    def drag(self) -> list[Stroke]:
        spot, button = self.needed(), self.button()
        if not self.fields.flag("mouseDownUp", True):
            self.fields.refuse("mouseDownUp", "a drag that presses nothing is not understood here")
        return [Stroke("drag", self.call.where, spot, button)]

    def write(self) -> list[Stroke]:
        message = self.fields.any("message")
        if isinstance(message, list):
            return self._pressed(message)
        if not isinstance(message, str):
            self.fields.refuse("message", f"a text is needed, not {message!r:.40}")
        return [Stroke("write", self.call.where, text=str(message))]

    def press(self) -> list[Stroke]:
        times, keys = self.fields.number("presses", 1, whole=True), self.fields.any("keys")
        keys = keys if isinstance(keys, list) else [keys]
        self.presses += times * len(keys)
        if times < 1 or self.presses > MOST:
            self.fields.refuse("presses", f"between 1 and {MOST} presses are understood")
        return self._pressed(keys * times)

    def _pressed(self, names: list[Any]) -> list[Stroke]:
        return [Stroke("press", self.call.where, keys=(self.named(name),)) for name in names]

    def hotkey(self) -> list[Stroke]:
        """Keys by position, or in one list."""
        keys = self.fields.any("keys")
        names = keys if isinstance(keys, list) else [keys]
        return [Stroke("press", self.call.where, keys=tuple(self.named(name) for name in names))]

    def functions(self, call: Call) -> list[Stroke]:
        """What a call of pyautogui's own does."""
        if call.name in ("pyautogui.hotkey", "pyautogui.shortcut"):
            if "keys" in call.kwargs and not self.names_keys:
                raise DialectError(self.dialect, f"{call.where}.keys", "pyautogui takes the keys of hotkey by position")
            listed = len(call.args) == 1 and isinstance(call.args[0], list)
            call = call if listed or not call.args else call._replace(args=[list(call.args)])
        return self.read(call, FUNCTIONS[call.name])


def _constant(word: BareName) -> bool:
    return word.removeprefix("pyautogui.").lower() in _BUTTONS and word.startswith("pyautogui.")


Means = tuple[str, Callable[[Any], Any]]
"""The parameters of a function, and what a call of it is."""


def _wheel(axis: str, sign: int) -> Means:
    return "clicks x y", stroke("wheel", **{axis: lambda r: sign * r.fields.number("clicks", whole=True)}, at=Reader.aim)


def _clicks(count: int = 1) -> Means:
    return _BUTTON_CLICK, stroke("click", at=Reader.aim, button=Reader.button, count=count)


_ONE_KEY = {"keys": lambda r: (r.named(r.fields.any("key"), "key"),)}
_SLEEP: Means = ("seconds", stroke("wait", seconds=given("seconds", kind="number")))
FUNCTIONS: dict[str, Means] = {
    "pyautogui.click": ("x y clicks interval button duration tween", Reader.click),
    "pyautogui.leftClick": (_CLICK, stroke("click", at=Reader.aim)),
    "pyautogui.rightClick": (_CLICK, stroke("click", at=Reader.aim, button="right")),
    "pyautogui.middleClick": (_CLICK, stroke("click", at=Reader.aim, button="middle")),
    "pyautogui.doubleClick": _clicks(2),
    "pyautogui.tripleClick": _clicks(3),
    "pyautogui.mouseDown": (_MOUSE, stroke("down", at=Reader.aim, button=Reader.button)),
    "pyautogui.mouseUp": (_MOUSE, stroke("up", at=Reader.aim, button=Reader.button)),
    "pyautogui.moveTo": ("x y duration tween", stroke("move", at=Reader.needed)),
    "pyautogui.dragTo": ("x y duration tween button", Reader.drag),
    "pyautogui.scroll": _wheel("down", -1),
    "pyautogui.vscroll": _wheel("down", -1),
    "pyautogui.hscroll": _wheel("across", 1),
    "pyautogui.write": ("message interval", Reader.write),
    "pyautogui.typewrite": ("message interval", Reader.write),
    "pyautogui.press": ("keys presses interval", Reader.press),
    "pyautogui.hotkey": ("keys", Reader.hotkey),
    "pyautogui.shortcut": ("keys", Reader.hotkey),
    "pyautogui.keyDown": ("key", stroke("key_down", **_ONE_KEY)),
    "pyautogui.keyUp": ("key", stroke("key_up", **_ONE_KEY)),
    "pyautogui.sleep": _SLEEP,
    "time.sleep": _SLEEP,
}
"""How each function is read. The wheel turns up for positive clicks of `scroll`, and right for those of `hscroll`."""


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
_SHARES = "places between 0 and 1 are shares of the screen, and pixels are needed here; agentnet has shares"
_PASTE = (("Control", "v"), ("Meta", "v"))


def from_pyautogui(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a text of calls."""
    reader, code = _reader(context), Code(NAME, payload, tuple(_WORDS))
    strokes = [stroke for one in code.calls() for stroke in _strokes(reader, one)]
    found = _pasted([(0, action) for action in actions_of(NAME, strokes)], reader.losses)
    return ParsedPayload([action for _, action in found], code.losses + reader.losses)


def _reader(context: Context) -> Reader:
    tags = _tags(context)

    def spot(x: Any, y: Any, where: str) -> ActionTarget:
        if isinstance(x, BareName):
            match = _TAG.fullmatch(x)
            number = int(match[1]) if match else 0
            if tags is None or not 1 <= number <= len(tags):
                raise DialectError(NAME, where, f"there is no {str(x)[:40]} on the screen; tags go up to {len(tags or ())}")
            return ActionTarget(element_id=tags[number - 1])
        if type(x) is type(y) is float and 0 < x < 1 and 0 < y < 1:
            raise DialectError(NAME, where, _SHARES)
        return at(checked_number(NAME, where, x), checked_number(NAME, where, y), "px", None, NAME, where)

    return Reader(NAME, context, spot, bare=lambda word: tags is not None and bool(_TAG.fullmatch(word)))


def _pasted(actions: list[tuple[int, AgentAction]], losses: list[Loss]) -> list[tuple[int, AgentAction]]:
    """What is copied and pasted at once is typed. Each action has its line."""
    found: list[tuple[int, AgentAction]] = []
    copied: int | None = None
    for line, action in actions:
        if copied is not None and isinstance(action, PressKey) and action.keys in _PASTE:
            action = Type(text=_copied(found.pop(copied)[1]))
            losses.append(Loss(what=_COPY, why="said as typing, not by way of the clipboard"))
        copied = len(found) if _copied(action) else copied if isinstance(action, Wait) else None
        found.append((line, action))
    return found


def pieces(text: str, context: Context) -> Iterator[Piece]:
    """The pieces of a script, statement by statement: what is not understood is one, and so is a block that only a run tells."""
    reader, rows = _reader(context), list[tuple[int, Stroke | AgentAction]]()
    try:
        code = Code(NAME, text, tuple(_WORDS))
    except DialectError as bad:
        yield Piece(1, None, [], bad.where, bad.reason)
        return
    for s, unsure in code.statements():
        try:
            rows += [(s.line, stroke) for one in code.called(s, unsure) for stroke in _strokes(reader, one)]
        except DialectError as bad:
            yield from _told(rows, code.losses, reader.losses)
            yield Piece(s.line, None, [], bad.where or s.where, f"{bad.reason}: {s.first_words}")
            rows = []
    yield from _told(rows, code.losses, reader.losses)


def _told(rows: list[tuple[int, Stroke | AgentAction]], lost: list[Loss], losses: list[Loss]) -> Iterator[Piece]:
    """The actions of strokes that follow each other, each with its line; what was lost stands with the first."""
    found: list[tuple[int, AgentAction]] = []
    n = 0
    while n < len(rows):
        move, after = rows[n][1], rows[n + 1][1] if n + 1 < len(rows) else None
        both = isinstance(move, Stroke) and isinstance(after, Stroke) and move.kind == "move" != after.kind
        group = rows[n : n + 1 + both]
        found += [(group[-1][0], action) for action in actions_of(NAME, [one for _, one in group])]
        n += len(group)
    for line, action in _pasted(found, losses):
        yield Piece(line, action, lost + losses)
        lost.clear()
        losses.clear()


def _copied(action: AgentAction) -> str:
    text = action.arguments.get("text") if isinstance(action, Extension) and action.action_type == f"{_PREFIX}copy" else ""
    return text if isinstance(text, str) else ""


def _strokes(reader: Reader, call: Call | Statement) -> list[Stroke | AgentAction]:
    if isinstance(call, Statement):
        return [Stroke(_WORDS[call.text], call.where)]
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
    x, y = stroke.at.point.x, stroke.at.point.y
    if type(x) is type(y) is float and 0 < x < 1 and 0 < y < 1:
        raise DialectError(NAME, "target", _SHARES)
    return f"{x!r}, {y!r}"


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


DIALECT = Dialect(NAME, "OSWorld pyautogui", "text", from_pyautogui, to_pyautogui, ("xy", "som"), pieces)
