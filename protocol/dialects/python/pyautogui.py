"""OSWorld's `pyautogui` space: one or more lines of pyautogui's Python, or one of the words WAIT, DONE and FAIL.

Read by a grammar; nothing is evaluated, and what is no known call with literal arguments is an error with its line and column.
In the variant `som` a place may be `tag_3`: the third visible element of the state, counted from 1.
Signatures are those of pyautogui 0.9.54, with the `pause` of older versions. AgentNet writes the same calls.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Any, ClassVar

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import Context, DialectError, Loss, Part, Piece, dialect_of, element_of, given_in, row
from protocol.dialects.common import scripts
from protocol.dialects.common.fields import a_text, at, build, checked_number
from protocol.dialects.common.syntax import BareName, Call, CallReading, Means, parse_calls
from protocol.dialects.python.devices import BUTTON, PAUSE, DeviceReading, DeviceWriting, here
from protocol.model import verbs

MOST = 10_000
"""Presses that the calls of one text may make: `press('a', presses=...)` says many in few characters."""
_BUTTONS = {"left": "left", "primary": "left", "right": "right", "secondary": "right", "middle": "middle"}
_NUMBERED = {1: "left", 2: "middle", 3: "right"}
PACE = ("duration", "tween", "interval", "pause", "_pause", "logScreenshot")
"""Parameters that say how fast a stroke is, or leave a picture behind."""

_SETTING = r"pyautogui\.(?:FAILSAFE|PAUSE)[ \t]*=[ \t]*(?:True|False|\d+(?:\.\d*)?|\.\d+)"
_SILENT = re.compile(f"{_SETTING}|{scripts.FRAME}")
_PASSED = (
    (scripts.is_a_text, Loss(what="words", why="words around the code are no action")),
    (scripts.is_printed, scripts.PRINTED),
    (re.compile(_SETTING.replace("FAILSAFE|", "")).fullmatch, Loss(what="PAUSE", why="how fast it is done is not kept")),
)
"""What is passed over, and what is lost by that."""

_CLICK = "x y interval duration tween"
_BUTTON_CLICK = "x y interval button duration tween"
_MOUSE = "x y button duration tween"


class Reader(CallReading, DeviceReading, scripts.ScriptReading):
    """Code that is read statement by statement, and what its names stand for.

    Imports, settings of pyautogui and printed words are passed over, and so is a text that stands alone, in which agents keep
    their thoughts.
    """

    words: ClassVar[Collection[str]] = ()
    """Those that stand for themselves."""
    names_keys: ClassVar[bool] = False
    """Whether `hotkey(keys=[...])` means its keys, in which case means nothing; pyautogui itself ignores them there."""
    presses = 0
    """That were made so far."""

    def open(self, payload: Any) -> str:
        text, losses = scripts.code_in(self.dialect, a_text(payload, self.dialect))
        self.losses += losses
        self._imported: dict[str, str] = {}
        """Names of modules, and of functions of them, by which the code calls them."""
        return text

    def meaning(self, name: str) -> str | None:
        return repr(self.names[name]) if name in self.names else None

    def statement(self, s: scripts.Statement, unsure: bool) -> None:
        before = [*self.actions]
        try:
            if unsure:
                self.refuse(s.where, scripts.UNSURE)
            for one in self._called(s):
                self.take(one, "")
        except DialectError:
            self.actions = before
            for name in scripts.assigned_in(s.text):
                self.names.pop(name, None)
            raise

    def _called(self, s: scripts.Statement) -> list[Call | scripts.Statement]:
        """What a statement calls, or the word that it is. Raises DialectError."""
        first = re.match(r"[^\W\d]\w*", s.text)
        known = self._imported.get(first[0]) if first else None
        text = known + s.text[first.end() :] if first and known else s.text
        text = scripts.with_texts_joined(text, self.names)
        if text in self.words:
            return [s]
        if scripts.IMPORT.fullmatch(text):
            self._import(text)
        elif lost := next((loss for passes, loss in _PASSED if passes(text)), None):
            self.lose(lost.what, lost.why)
        elif not (_SILENT.fullmatch(text) or self.functions.is_run(text)):
            names = scripts.names_given(self.dialect, s._replace(text=text))
            self.names |= names
            chains = [] if names else parse_calls(self.dialect, text, s.line, s.column)
            if long := next((chain for chain in chains if len(chain) > 1), None):
                self.refuse(long[1].where, "nothing is called on what a call gives")
            return [scripts.with_values(chain[0], self.names) for chain in chains]
        return []

    def _import(self, text: str) -> None:
        module, _, names = text.partition("import")
        module = module.removeprefix("from").strip()
        for name, alias in re.findall(r"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?", names):
            self._imported[alias or name] = f"{module}.{name}" if module else name
        if module == "pyautogui" and "*" in names:
            self._imported |= {name.partition(".")[2]: name for name in FUNCTIONS if name.startswith("pyautogui.")}

    @abstractmethod
    def spot(self, x: Any, y: Any, where: str) -> ActionTarget:
        """The place of `x` and `y`, at a position in the text. Raises DialectError."""

    def bare(self, word: BareName) -> bool:
        """Whether a bare name may stand for a place."""
        return False

    def read_call(self, call: Call, means: Means, pace: tuple[str, ...] = PACE) -> None:
        """Read one more call."""
        names, read = means
        self.bind(call, names.split(), pace)
        self.actions += self.acted(read)

    def bind(self, call: Call, names: Any, dropped: Any = PACE) -> JsonObject:
        """The arguments of a call by name, without its pace."""
        given = super().bind(call, names, dropped)
        slow = [name for name in given if name in dropped and name != "tween"]
        if told := [name for name in slow if given[name] is not True and given[name] not in (0, None)]:
            self.losses.append(Loss(what=f"{call.name}.{told[0]}", why="how fast it is done is not kept"))
        return given

    def may_stand(self, name: str, word: BareName) -> bool:
        constant = word.removeprefix("pyautogui.").lower() in _BUTTONS and word.startswith("pyautogui.")
        return name == "tween" or constant or (name == "x" and self.bare(word))

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
        return self.key_named(value, name)

    def clicks(self) -> list[AgentAction]:
        count = self.fields.number("clicks", 1, whole=True)
        if count not in (1, 2, 3):
            self.fields.refuse("clicks", "1, 2 or 3 is needed")
        return self.click(self.aim(), self.button(), count)

    def dragged(self) -> list[AgentAction]:
        spot, button = self.needed(), self.button()
        if not self.fields.flag("mouseDownUp", True):
            self.fields.refuse("mouseDownUp", "a drag that presses nothing is not understood here")
        return self.drag(spot, button)

    def wheel(self, axis: str, sign: int) -> AgentAction:
        delta = {axis: sign * self.fields.number("clicks", whole=True)}
        return self.build("scroll", delta=delta, target=self.aim() or self.moved())

    def write(self) -> list[AgentAction]:
        message = self.fields.any("message")
        if isinstance(message, list):
            return self._pressed(message)
        if not isinstance(message, str):
            self.fields.refuse("message", f"a text is needed, not {message!r:.40}")
        return [self.build("type", text=str(message))]

    def press(self) -> list[AgentAction]:
        times, keys = self.fields.number("presses", 1, whole=True), self.fields.any("keys")
        keys = keys if isinstance(keys, list) else [keys]
        self.presses += times * len(keys)
        if times < 1 or self.presses > MOST:
            self.fields.refuse("presses", f"between 1 and {MOST} presses are understood")
        return self._pressed(keys * times)

    def _pressed(self, names: list[Any]) -> list[AgentAction]:
        return [self.build("press_key", keys=(self.named(name),)) for name in names]

    def hotkey(self) -> AgentAction:
        """Keys by position, or in one list."""
        given = self.fields.any("keys")
        keys = tuple(self.named(name) for name in (given if isinstance(given, list) else [given]))
        if self.names_keys and len(keys) > 1:
            keys = tuple(key.lower() if len(key) == 1 and key.isascii() else key for key in keys)
        return self.build("press_key", keys=keys)

    def function(self, call: Call) -> None:
        """What a call of pyautogui's own does."""
        if call.name in ("pyautogui.hotkey", "pyautogui.shortcut"):
            if "keys" in call.kwargs and not self.names_keys:
                raise DialectError(self.dialect, f"{call.where}.keys", "pyautogui takes the keys of hotkey by position")
            listed = len(call.args) == 1 and isinstance(call.args[0], list)
            call = call if listed or not call.args else call._replace(args=[list(call.args)])
        self.read_call(call, FUNCTIONS[call.name])


def _click(button: str, count: int = 1) -> Callable[[Reader], list[AgentAction]]:
    return lambda r: r.click(r.aim(), button, count)


SPOT = Part(Reader.needed, lambda w, target: w.aim(target))
_HERE = here(Reader.aim)
KEY = Part(lambda r: r.named(r.fields.any("key"), "key"), lambda w, key: {"key": w.key_name(key)})
SECONDS = Part(lambda r: r.fields.number("seconds"), lambda w, seconds: {"seconds": seconds})
FUNCTIONS: dict[str, Means] = {
    "pyautogui.click": ("x y clicks interval button duration tween", Reader.clicks),
    "pyautogui.leftClick": (_CLICK, _click("left")),
    "pyautogui.rightClick": (_CLICK, _click("right")),
    "pyautogui.middleClick": (_CLICK, _click("middle")),
    "pyautogui.doubleClick": (_BUTTON_CLICK, lambda r: r.click(r.aim(), r.button(), 2)),
    "pyautogui.tripleClick": (_BUTTON_CLICK, lambda r: r.click(r.aim(), r.button(), 3)),
    "pyautogui.mouseDown": (_MOUSE, row("mouse_down", target=_HERE, button=BUTTON)),
    "pyautogui.mouseUp": (_MOUSE, row("mouse_up", target=_HERE, button=BUTTON)),
    "pyautogui.moveTo": ("x y duration tween", row("hover", target=SPOT)),
    "pyautogui.dragTo": ("x y duration tween button", Reader.dragged),
    "pyautogui.scroll": ("clicks x y", lambda r: r.wheel("y", -1)),
    "pyautogui.vscroll": ("clicks x y", lambda r: r.wheel("y", -1)),
    "pyautogui.hscroll": ("clicks x y", lambda r: r.wheel("x", 1)),
    "pyautogui.write": ("message interval", Reader.write),
    "pyautogui.typewrite": ("message interval", Reader.write),
    "pyautogui.press": ("keys presses interval", Reader.press),
    "pyautogui.hotkey": ("keys", Reader.hotkey),
    "pyautogui.shortcut": ("keys", Reader.hotkey),
    "pyautogui.keyDown": ("key", row("key_down", key=KEY)),
    "pyautogui.keyUp": ("key", row("key_up", key=KEY)),
    "time.sleep": ("seconds", row("wait", seconds=SECONDS)),
    "pyautogui.sleep": ("seconds", row("wait", seconds=SECONDS)),
}
"""How each function is read. The wheel turns up for positive clicks of `scroll`, and right for those of `hscroll`."""


NAME = "pyautogui"
_WORDS: dict[str, JsonObject] = {
    "WAIT": {"action_type": "wait", "seconds": PAUSE},
    "DONE": {"action_type": "finish_goal"},
    "FAIL": {"action_type": "fail_goal"},
}
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


class _Reading(Reader):
    """A text of calls."""

    words = _WORDS

    def take(self, payload: Call | scripts.Statement, where: str) -> None:
        if isinstance(payload, scripts.Statement):
            self.actions.append(build(NAME, payload.where, **_WORDS[payload.text]))
        elif payload.name in FUNCTIONS:
            self.function(payload)
        elif payload.name == f"{NAME}.screenshot":
            self._screenshot(payload)
        else:
            self._carried(payload)

    def _carried(self, call: Call) -> None:
        module, _, name = call.name.partition(".")
        name = _ALSO.get(name, name)
        if call.name != _COPY and (module != NAME or name == "copy" or name not in CARRIED):
            self.refuse(call.where, f"{call.name[:60]} is no function that is known here")
        self.bind(call, CARRIED[name])
        arguments = {own: self.fields.any(own) for own in CARRIED[name] if own in self.fields}
        self.fields.end()
        self.actions.append(self.build(_PREFIX + name, arguments=arguments))

    def _screenshot(self, call: Call) -> None:
        self.bind(call, ["imageFilename", "region"])
        fields = self.fields
        if fields.text("imageFilename", None) is not None:
            self.losses.append(Loss(what="screenshot.imageFilename", why="where a picture is kept is not said"))
        region = fields.any("region", None)
        fields.end()
        box: JsonObject | None = None
        if region is not None:
            if not isinstance(region, list) or len(region) != 4:
                fields.refuse("region", "(left, top, width, height) is needed")
            left, top, width, height = (checked_number(NAME, f"{call.where}.region", n, whole=True) for n in region)
            box = {"x1": left, "y1": top, "x2": left + width, "y2": top + height}
        self.actions.append(self.build("screenshot", "" if box is None else "region", region=box))

    def spot(self, x: Any, y: Any, where: str) -> ActionTarget:
        if isinstance(x, BareName):
            match, tags = _TAG.fullmatch(x), _tags(self.context, self.variant) or []
            number = int(match[1]) if match else 0
            if not 1 <= number <= len(tags):
                self.refuse(where, f"there is no {str(x)[:40]} on the screen; tags go up to {len(tags)}")
            return ActionTarget(element_id=tags[number - 1])
        if type(x) is type(y) is float and 0 < x < 1 and 0 < y < 1:
            self.refuse(where, _SHARES)
        return at(checked_number(NAME, where, x), checked_number(NAME, where, y), "px", None, NAME, where)

    def joined(self, pieces: list[Piece]) -> list[Piece]:
        """What is copied and pasted at once is typed."""
        found: list[Piece] = []
        copied: int | None = None
        for piece in pieces:
            action = piece.action
            if copied is not None and isinstance(action, verbs.PressKey) and action.keys in _PASTE:
                copy = found.pop(copied)
                lost = [*copy.losses, *piece.losses, Loss(what=_COPY, why="said as typing, not by way of the clipboard")]
                action = verbs.Type(text=_copied(copy.action))
                piece = piece._replace(action=action, losses=lost)
            copied = len(found) if _copied(action) else copied if isinstance(action, verbs.Wait) else None
            found.append(piece)
        return found

    def bare(self, word: BareName) -> bool:
        return self.variant == "som" and bool(_TAG.fullmatch(word))


def _copied(action: AgentAction | None) -> str:
    text = action.arguments.get("text") if isinstance(action, verbs.Extension) and action.action_type == f"{_PREFIX}copy" else ""
    return text if isinstance(text, str) else ""


def _tags(context: Context, variant: str) -> list[str] | None:
    """Ids of the elements that have a tag, in order; None where there are no tags."""
    if variant != "som":
        return None
    return [element.element_id for element in context.state.elements if element.visible] if context.state else []


class _Writing(DeviceWriting):
    """Lines of Python."""

    table: ClassVar = {name: read for name, (_, read) in FUNCTIONS.items()}
    drags = ("left", "right", "middle")
    clicked: ClassVar = {
        ("left", 1): "click", ("right", 1): "rightClick", ("middle", 1): "middleClick", ("left", 2): "doubleClick",
        ("left", 3): "tripleClick",
    }  # fmt: skip
    dragged = "dragTo"
    wheels = ("hscroll", "scroll")

    def call(self, name: str, /, **arguments: Any) -> str:
        """The numbers of a place and keys by position, all else by name; a tag behind something else has its name, too."""
        by_name = {"button", "clicks", *([] if "y" in arguments or next(iter(arguments), "x") == "x" else ["x"])}
        said = [f"{own}={value!r}" if own in by_name else repr(value) for own, value in arguments.items()]
        return f"{name if '.' in name else f'pyautogui.{name}'}({', '.join(said)})"

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """A place, or the tag of an element that has one."""
        tags = _tags(self.context, self.variant)
        if tags and target is not None and given_in(target) != ["point"]:
            try:
                element, _ = element_of(target, self.context, NAME, what)
            except DialectError:
                element = None
            if element is not None and element.element_id in tags:
                return {"x": _Tag(f"tag_{tags.index(element.element_id) + 1}")}
        return super().aim(target, what)

    def type(self, action: verbs.Type) -> list[str]:
        return [self.call("write", message=action.text)]

    def press_key(self, action: verbs.PressKey) -> list[str]:
        names = [self.key_name(key) for key in action.keys]
        return [self.call("press" if len(names) == 1 else "hotkey", **{f"key{n}": name for n, name in enumerate(names)})]

    def finish_goal(self, action: verbs.FinishGoal | verbs.FailGoal) -> list[str]:
        return ["DONE" if isinstance(action, verbs.FinishGoal) else "FAIL"]

    fail_goal = finish_goal

    def screenshot(self, action: verbs.Screenshot) -> list[str]:
        region = self.region(action)
        return ["pyautogui.screenshot()" if region is None else f"pyautogui.screenshot(region={region})"]

    def extension(self, action: verbs.Extension) -> list[str]:
        name = action.action_type.removeprefix(_PREFIX)
        if name not in CARRIED:
            self.cannot(action)
        arguments = ", ".join(f"{own}={value!r}" for own, value in action.arguments.items())
        return [f"import pyperclip\n{_COPY}({arguments})" if name == "copy" else f"pyautogui.{name}({arguments})"]


class _Tag(str):
    """The name of an element, which stands without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


DIALECT = dialect_of(_Reading, _Writing, NAME, "OSWorld pyautogui", "text", ("xy", "som"), script=True)
