"""UI-TARS: `Thought: ...` and `Action: click(start_box='(10,20)')`, in the spellings of its four families of models.

Source: bytedance/UI-TARS `codes/ui_tars/{prompt,action_parser}.py` (PyPI `ui-tars`), and the prompts of UI-TARS-desktop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, NoReturn

from protocol.dialects.common.base import Context, Dialect, DialectError, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import parse_value
from protocol.dialects.common.conversion import Reading, Writing, given, read_chord, row, says
from protocol.dialects.common.fields import Fields, a_text, at, checked_number, within_length
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject, Size, Space
from protocol.model.targets import ActionTarget

NAME = "ui_tars"


class ParsedCall(NamedTuple):
    """`name(key='value')`, and where it stands in the text."""

    name: str
    args: dict[str, str]
    where: str = ""


class _Cursor:
    """A place in the text that only moves on, so that counting lines stays linear."""

    def __init__(self, text: str, index: int = 0) -> None:
        self.text = text
        self.index = index
        self._counted = 0
        self._line = 1
        self._line_start = 0

    @property
    def where(self) -> str:
        lines = self.text.count("\n", self._counted, self.index)
        if lines:
            self._line += lines
            self._line_start = self.text.rfind("\n", self._counted, self.index) + 1
        self._counted = self.index
        return f"line {self._line}, column {self.index - self._line_start + 1}"

    @property
    def at_end(self) -> bool:
        return self.index >= len(self.text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands here, if it is that."""
        match = pattern.match(self.text, self.index)
        if match:
            self.index = match.end()
        return match

    def need(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        return self.take(pattern) or self.fail(f"expected {expected}")

    def fail(self, message: str) -> NoReturn:
        raise DialectError(NAME, self.where, message)


_SPACE = re.compile(r"\s*+")
_MARK = re.compile(r"Action[:：]")
_LINE_MARK = re.compile(r"^[ \t]*+Action[:：]", re.MULTILINE)
_BARE = re.compile(r"\s*+[A-Za-z_]\w*+\s*+\(\s*+(?:\)|\w++\s*+=)")
_CALL = re.compile(r"([A-Za-z_]\w*+)\s*+\(\s*+")
_KEY = re.compile(r"([A-Za-z_]\w*+)\s*+=\s*+")
_COMMA = re.compile(r"\s*+,\s*+")
_CLOSE = re.compile(r"\s*+\)\s*+")
_AFTER = re.compile(r"\s*+(?:```\s*+)?+(?:</[\w-]++>\s*+)*+")
"""Ends of a fence, and of tags around the whole answer such as `<computer_env>`."""
_ENDS = r"(?=\s*+(?:\)|,\s*+(?:\)|\w++\s*+=)))"
"""What follows a quote that ends a text: models forget to escape the others."""
_QUOTED = re.compile("|".join(rf"{q}((?:[^{q}\\]++|\\.|{q}(?!{_ENDS}))*+){q}{_ENDS}" for q in ("'", '"')), re.DOTALL)
_LOOSE = re.compile(r"\\.|[\n']", re.DOTALL)


def read_text(text: str) -> list[ParsedCall]:
    """The calls after `Action:`, or all of a text that starts with a call. Raises DialectError with line and column."""
    mark = _marked(text)
    if mark is None and not _BARE.match(text):
        raise DialectError(NAME, "", "there is no Action: in the text")
    cursor = _Cursor(text, mark.end() if mark else 0)
    cursor.take(_SPACE)
    calls: list[ParsedCall] = []
    while not cursor.at_end:
        where = cursor.where
        name = cursor.need(_CALL, "an action such as click(...)")[1]
        args: dict[str, str] = {}
        while not cursor.take(_CLOSE):
            if args:
                cursor.need(_COMMA, '"," or ")"')
                if cursor.take(_CLOSE):
                    break
            key = cursor.need(_KEY, "a named argument such as content='...'")[1]
            if key in args:
                cursor.fail(f"the argument {key} is given twice")
            args[key] = _value(cursor)
        calls.append(ParsedCall(name, args, where))
        cursor.take(_AFTER)
        if cursor.take(_MARK):
            cursor.take(_SPACE)
    return calls or cursor.fail("expected an action")


def _marked(text: str) -> re.Match[str] | None:
    """Where the thought ends: at the first line with the word, for a typed text may hold it as well."""
    return None if _BARE.match(text) else _LINE_MARK.search(text) or _MARK.search(text)


def _value(cursor: _Cursor) -> str:
    where = cursor.where
    quoted = cursor.need(_QUOTED, "a text in quotes, and its end")
    body = quoted[1] if quoted[1] is not None else quoted[2]
    body = _LOOSE.sub(lambda m: {"\n": r"\n", "'": r"\'"}.get(m[0], m[0]), body)
    try:
        return str(parse_value(NAME, f"'{body}'"))
    except DialectError as bad:
        raise DialectError(NAME, where, str(bad).removeprefix(f"{NAME}: ")) from None


_PLACES = frozenset({"point", "start_point", "end_point"})
_POINT = re.compile(r"<point>[-\d]+ [-\d]+</point>")
_TROUBLE = re.compile(r"\\'(?=\))|Action:|point=|<point>|\[EOS\]|type\(content")


def write_text(calls: list[ParsedCall]) -> str:
    """The calls as an answer without a thought.

    Where UI-TARS's own parser takes a part of a text for its syntax, one character of it is written by its number.
    """
    said = (f"{call.name}({', '.join(_argument(*item) for item in call.args.items())})" for call in calls)
    return "Action: " + "\n\n".join(said)


def _argument(name: str, text: str) -> str:
    body = repr('"' + text)[2:-1]  # the extra quote makes repr choose single ones
    return f"{name}='{body if _is_place(name, text) else _TROUBLE.sub(_by_number, body)}'"


def _is_place(name: str, text: str) -> bool:
    """Whether the tags in `text` are ours, and not a part of what is typed."""
    return name in _PLACES and _POINT.fullmatch(text) is not None


def _by_number(match: re.Match[str]) -> str:
    found = match[0]
    return r"\x27" if found == r"\'" else f"{found[:-1]}\\x{ord(found[-1]):02x}"


_TOKEN = "text_never_used_51bce0c785ca2f68081bfa7d91973934"  # noqa: S105 - their own name for a tag
_OPEN, _SHUT = f"<{_TOKEN}>", f"</{_TOKEN}>"
_TOOLS = "<seed:tool_call>"
_TAG_TOOLS = re.compile(r"\s*+<seed:tool_call>\s*+")
_TAG_END = re.compile(r"\s*+</seed:tool_call>\s*+")
_FUNCTION = re.compile(r"<function=(\w++)>\s*+")
_FUNCTION_END = re.compile(r"</function>\s*+")
_PARAMETER = re.compile(r"<parameter=(\w++)>")
_PARAMETER_END = re.compile(r"</parameter>\s*+")


def read_xml(text: str) -> list[ParsedCall]:
    """The calls of every `<seed:tool_call>`. Raises DialectError with line and column."""
    start = 0 if _FUNCTION.match(text.lstrip()) else text.find(_TOOLS)
    if start < 0:
        raise DialectError(NAME, "", f"there is no {_TOOLS} in the text")
    cursor = _Cursor(text, start)
    cursor.take(_SPACE)
    calls: list[ParsedCall] = []
    while not cursor.at_end:
        if not cursor.take(_TAG_TOOLS):
            calls.append(_function(cursor))
            continue
        while not cursor.take(_TAG_END):
            calls.append(_function(cursor))
    return calls or cursor.fail("expected <function=...>")


def _function(cursor: _Cursor) -> ParsedCall:
    where = cursor.where
    name = cursor.need(_FUNCTION, "<function=...>")[1]
    args: dict[str, str] = {}
    while not cursor.take(_FUNCTION_END):
        key = cursor.need(_PARAMETER, "<parameter=...> or </function>")[1]
        if key in args:
            cursor.fail(f"the parameter {key} is given twice")
        wrapped = cursor.text.startswith(_OPEN, cursor.index)
        start = cursor.index + len(_OPEN) * wrapped
        end = cursor.text.find(_SHUT if wrapped else "</parameter>", start)
        if end < 0:
            cursor.fail("the parameter has no end")
        cursor.index = end + len(_SHUT) * wrapped
        args[key] = cursor.text[start:end]
        cursor.need(_PARAMETER_END, "</parameter>")
    return ParsedCall(name, args, where)


def _tagged(call: ParsedCall) -> str:
    texts = ((key, value if _is_place(key, value) else _wrapped(value)) for key, value in call.args.items())
    inner = "".join(f"<parameter={key}>{text}</parameter>" for key, text in texts)
    return f"<function={call.name}>{inner}</function>"


def _wrapped(value: str) -> str:
    if _TOKEN in value:
        raise DialectError(NAME, "text", "the text holds the tag in which UI-TARS wraps texts")
    return f"{_OPEN}{value}{_SHUT}" if re.search("[<>]", value) else value


_THOUGHT = re.compile(r"<(\w+)>(.*)</\1>|(?:Thought[:：])?(.*)", re.DOTALL)


def thought_of(text: str) -> str:
    """What the model thought before it acted; empty where it only acts."""
    mark = _marked(text)
    end = mark.start() if mark else text.find(_TOOLS)
    match = _THOUGHT.fullmatch(text[:end].strip()) if end >= 0 else None
    return ((match[2] or match[3] or "") if match else "").strip()


SCROLL = 5
"""Notches of a scroll, which never says how far; UI-TARS's executor turns the wheel by so many."""
WAIT = 5.0
"""Seconds of a wait, which never says how long."""
LONG_PRESS = 1.0
"""Seconds of a long press that does not say how long."""
HELP = "The agent asks for help."
"""The question of a `call_user`, which has no words of its own."""
CARRIED = ("press_home", "open_computer")
"""Verbs that we lack."""

_NUMBERS = re.compile(
    r"(?:<\|box_start\|>|<point>|<bbox>)?\s*+[(\[]?([-+.\deE,\s]++)[)\]]?\s*+(?:<\|box_end\|>|</point>|</bbox>)?"
)


def _space(context: Context, variant: str) -> tuple[Space, Size | None]:
    return context.picture if variant == "1.5" else ("norm1000", None)


def from_ui_tars(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a model's answer; its thought is no action. Raises DialectError."""
    variant = DIALECT.variant(context)
    text = a_text(payload, NAME)
    reading = _Reading(NAME, context, *_space(context, variant))
    return ParsedPayload([reading.action(call) for call in (read_xml(text) if variant == "xml" else read_text(text))], [])


@dataclass
class _Reading(Reading):
    """A call that is read."""

    space: Space
    image: Size | None
    call: ParsedCall = field(init=False)

    def action(self, call: ParsedCall) -> AgentAction:
        self.call, self.fields = call, Fields(NAME, call.args, call.where)
        read = _READ.get(call.name)
        if read is None:
            self.refuse(call.where, f"there is no verb {call.name[:40]!r}; verbs are {', '.join(_READ)}")
        action = read(self)
        self.fields.end()
        return action

    def target(self, *names: str) -> ActionTarget | JsonObject | None:
        """The place in the first of these arguments that is given; None where none is."""
        name = next((name for name in names if name in self.fields), None)
        if name is None:
            return None
        where = f"{self.call.where}.{name}"
        match = _NUMBERS.fullmatch(self.fields.text(name).strip())
        try:
            parts = re.split(r"[,\s]+", match[1].strip()) if match else []
            numbers = [float(part) if re.search("[.eE]", part) else int(part) for part in parts]
        except ValueError:  # signs without digits, or thousands of digits
            numbers = []
        if len(numbers) not in (2, 4):
            self.refuse(where, "a point or a box is needed, such as (10,20) or <point>10 20</point>")
        x1, y1, *corner = (checked_number(NAME, where, number) for number in numbers)
        if max(numbers) <= 1 and any(number % 1 for number in numbers):
            self.refuse(where, "these are shares of the picture, as a parser of answers gives them, and not what the model said")
        if not corner or corner == [x1, y1]:
            return at(x1, y1, self.space, self.image, NAME, where)
        box = {"x1": x1, "y1": y1, "x2": corner[0], "y2": corner[1]}
        return {"bbox": box if self.space == "px" else {"space": self.space, "image_size": self.image, **box}}

    def start(self) -> Any:
        return self.target("start_box", "point", "start_point")

    def keys(self, older: str) -> tuple[str, ...]:
        """The chord in `key`, or under its older name. Separated by blanks; `ctrl+c` is read as well."""
        name = "key" if "key" in self.fields else older
        text = self.fields.text(name).strip()
        where = f"{self.call.where}.{name}"
        return tuple(key for part in text.split() or [text] for key in read_chord(part, "uitars", NAME, where))

    def pressed(self) -> str:
        return self.key(self.keys("press"))

    def long_press(self) -> AgentAction:
        seconds = self.fields.text("time", "").strip()
        if seconds and not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", seconds):
            self.fields.refuse("time", "seconds are needed")
        return self.build("click", target=self.start(), hold=float(seconds) if seconds else LONG_PRESS)

    def type(self) -> AgentAction:
        content = self.fields.text("content")
        return self.build("type", text=content.removesuffix("\n"), submit=content.endswith("\n"), target=self.start())

    def scroll(self) -> AgentAction:
        way = self.fields.text("direction").strip().lower()
        if way not in ("up", "down", "left", "right"):
            self.fields.refuse("direction", f"one of up, down, left or right is needed, not {way[:40]!r}")
        return self.build("scroll", direction=way, amount=SCROLL, target=self.start())

    def theirs(self) -> AgentAction:
        self.fields.drop(*self.call.args)
        return self.build(f"x-{NAME}.{self.call.name}", arguments=self.call.args)


_AT, _BUTTON = _Reading.start, given("button", None)
_DRAG = row("drag", target=_AT, to=lambda r: r.target("end_box", "end_point"))
_READ: dict[str, Callable[[_Reading], AgentAction]] = {
    "click": row("click", target=_AT),
    "left_single": row("click", target=_AT),
    "left_double": row("click", target=_AT, count=2),
    "right_single": row("click", target=_AT, button="right"),
    "long_press": _Reading.long_press,
    "hover": row("hover", target=_AT),
    "move_to": row("hover", target=_AT),
    "mouse_down": row("mouse_down", target=_AT, button=_BUTTON),
    "mouse_up": row("mouse_up", target=_AT, button=_BUTTON),
    "drag": _DRAG,
    "select": _DRAG,
    "scroll": _Reading.scroll,
    "type": _Reading.type,
    "hotkey": row("press_key", keys=lambda r: r.keys("hotkey")),
    **dict.fromkeys(("press", "keydown"), row("key_down", key=_Reading.pressed)),
    **dict.fromkeys(("release", "keyup"), row("key_up", key=_Reading.pressed)),
    "wait": row("wait", seconds=WAIT),
    "finished": row("finish_goal", summary=given("content", "")),
    "call_user": row("ask_user", question=HELP),
    "open_app": row("launch_app", app=given("app_name")),
    "navigate": row("navigate", url=lambda r: r.fields.text("url" if "url" in r.fields else "content")),
    "navigate_back": row("go_back"),
    "press_back": row("go_back"),
    **dict.fromkeys(CARRIED, _Reading.theirs),
}


def to_ui_tars(action: verbs.Action, context: Context) -> WrittenPayload:
    """The text of `action`, without a thought. Raises DialectError for what UI-TARS has no verb for."""
    variant = DIALECT.variant(context)
    writing = _Writing(NAME, context, variant)
    calls = [call for step in writing.simpler(action, _CLICKS, ("submit", "hold", "modifiers")) for call in writing.said(step)]
    # The calls in tags; a text with tags of its own in the wrapper that UI-TARS has for those
    text = f"{_TOOLS}{''.join(map(_tagged, calls))}</seed:tool_call>" if variant == "xml" else write_text(calls)
    return WrittenPayload(within_length(text, NAME), writing.losses)


_CLICKS = {("left", 1): "click", ("left", 2): "left_double", ("right", 1): "right_single"}
_Calls = list[ParsedCall]


@dataclass
class _Writing(Writing):
    """Calls with their arguments as texts."""

    variant: str
    no_target: ClassVar = "the verb has no place"
    lost: ClassVar = {
        "drag": {"path": "only the start and the end are said"},
        "wait": {"text": "there is no condition", "text_gone": "there is no condition"},
    }
    launch_app = says("open_app", app_name="app")
    navigate = says("navigate", content="url")
    go_back = says("press_back")

    def call(self, name: str, /, **arguments: str) -> ParsedCall:
        return ParsedCall(name, arguments)

    @property
    def tagged(self) -> bool:
        return self.variant in ("doubao", "xml")

    def point(self, target: ActionTarget | None, what: str = "target") -> str:
        if target is None:
            self.refuse(what, "a place is needed")
        said = self.near(target, what, *_space(self.context, self.variant))
        if self.tagged:
            return f"<point>{said.x} {said.y}</point>"
        return f"({said.x},{said.y})" if self.variant == "1.5" else f"<|box_start|>({said.x},{said.y})<|box_end|>"

    def on(self, name: str, target: ActionTarget | None, **arguments: str) -> ParsedCall:
        """A call at a place, or at none."""
        box = {} if target is None else {"point" if self.tagged else "start_box": self.point(target)}
        return self.call(name, **box, **arguments)

    def key_names(self, action: verbs.Action, what: str, *keys: str) -> str:
        low = tuple(key.lower() if len(key) == 1 else key for key in keys)
        if low != keys:
            self.lose(f"{action.verb}.{what}", "keys are said in lower case")
        return self.chord(action, low, "uitars", " ")

    def click(self, action: verbs.Click) -> _Calls:
        if action.hold not in (0, LONG_PRESS):
            self.lose("click.hold", f"a long press always takes {LONG_PRESS:g} second")
        return [self.on("long_press" if action.hold else _CLICKS[action.button, action.count], action.target)]

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> _Calls:
        if action.button in ("back", "forward"):
            self.cannot(action, f"there is no {action.button} button")
        button: dict[str, str] = {} if action.button == "left" else {"button": action.button}
        return [self.on(action.verb, action.target, **button)]

    mouse_up = mouse_down

    def drag(self, action: verbs.Drag) -> _Calls:
        if action.button != "left":
            self.cannot(action, "only the left button drags")
        end = "point" if self.tagged else "box"
        places = {f"start_{end}": self.point(action.target), f"end_{end}": self.point(action.to, "to")}
        return [self.call("drag", **places)]

    def hover(self, action: verbs.Hover) -> _Calls:
        return [self.on("move_to" if self.variant == "xml" else "hover", action.target)]

    def scroll(self, action: verbs.Scroll) -> _Calls:
        way = self.way(action, SCROLL, "notch")
        return [self.on("scroll", action.target, direction=way)]

    def type(self, action: verbs.Type) -> _Calls:
        if action.text.endswith("\n") and not action.submit:
            self.lose("type.text", "a line break at the end presses Enter there")
        return [self.call("type", content=action.text + "\n" * action.submit)]

    def press_key(self, action: verbs.PressKey) -> _Calls:
        return [self.call("hotkey", key=self.key_names(action, "keys", *action.keys))]

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> _Calls:
        verb = "press" if isinstance(action, verbs.KeyDown) else "release"
        return [self.call(verb, key=self.key_names(action, "key", action.key))]

    key_up = key_down

    def wait(self, action: verbs.Wait) -> _Calls:
        if action.seconds != WAIT:
            self.lose("wait.seconds", f"a wait always takes {WAIT:g} seconds")
        return [self.call("wait")]

    def finish_goal(self, action: verbs.FinishGoal | verbs.Answer) -> _Calls:
        if isinstance(action, verbs.Answer):
            self.lose("answer", "said as finished, which also ends the run")
        text = action.text if isinstance(action, verbs.Answer) else action.summary
        return [self.call("finished", **({"content": text} if text else {}))]

    answer = finish_goal

    def ask_user(self, action: verbs.AskUser) -> _Calls:
        if (action.question, action.name) != (HELP, "answer"):
            self.lose("ask_user.question", "call_user has no words")
        return [self.call("call_user")]

    def fail_goal(self, action: verbs.FailGoal) -> _Calls:
        self.lose("fail_goal", "said as call_user, which also asks for help and has no words")
        return [self.call("call_user")]

    def extension(self, action: verbs.Extension) -> _Calls:
        name = action.action_type.removeprefix(f"x-{NAME}.")
        if name not in CARRIED:
            self.cannot(action)
        texts = [(key, value) for key, value in action.arguments.items() if isinstance(value, str)]
        if len(texts) != len(action.arguments) or not all(re.fullmatch(r"[A-Za-z_]\w*", key) for key, _ in texts):
            self.cannot(action, "arguments are texts, with names of letters")
        return [ParsedCall(name, dict(texts))]


DIALECT = Dialect(NAME, "UI-TARS", "text", from_ui_tars, to_ui_tars, ("1.5", "v1", "doubao", "xml"))
