"""How UI-TARS writes calls down: `Action: click(start_box='(1,2)')`, or tags as in `<function=click>`. Texts are opaque."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from protocol.dialects.common.base import DialectError, Fields, at, build, checked_number
from protocol.dialects.common.calls import parse_value
from protocol.dialects.common.saying import read_chord
from protocol.model.actions import AgentAction
from protocol.model.geometry import Size, Space
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
_FENCE = re.compile(r"\s*+```\s*+")
_ENDS = r"(?=\s*+(?:\)|,\s*+(?:\)|\w++\s*+=)))"
"""What follows a quote that ends a text: models forget to escape the others."""
_QUOTED = re.compile(
    "|".join(rf"{q}((?:[^{q}\\]++|\\.|{q}(?!{_ENDS}))*+){q}{_ENDS}" for q in ("'", '"')),
    re.DOTALL,
)
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
        calls.append(_call(cursor))
        cursor.take(_FENCE)
        if cursor.take(_MARK):
            cursor.take(_SPACE)
    return calls or cursor.fail("expected an action")


def _marked(text: str) -> re.Match[str] | None:
    """Where the thought ends: at the first line with the word, for a typed text may hold it as well."""
    return None if _BARE.match(text) else _LINE_MARK.search(text) or _MARK.search(text)


def _call(cursor: _Cursor) -> ParsedCall:
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
    return ParsedCall(name, args, where)


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
        args[key] = _content(cursor)
        cursor.need(_PARAMETER_END, "</parameter>")
    return ParsedCall(name, args, where)


def _content(cursor: _Cursor) -> str:
    wrapped = cursor.text.startswith(_OPEN, cursor.index)
    start = cursor.index + len(_OPEN) * wrapped
    end = cursor.text.find(_SHUT if wrapped else "</parameter>", start)
    if end < 0:
        cursor.fail("the parameter has no end")
    cursor.index = end + len(_SHUT) * wrapped
    return cursor.text[start:end]


def write_xml(calls: list[ParsedCall]) -> str:
    """The calls in tags; a text with tags of its own in the wrapper that UI-TARS has for those.

    Raises DialectError for a text that holds the wrapper itself.
    """
    return f"{_TOOLS}{''.join(map(_tagged, calls))}</seed:tool_call>"


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
CARRIED = frozenset({"press_home", "open_computer"})
"""Verbs that we lack."""

_NUMBERS = re.compile(
    r"(?:<\|box_start\|>|<point>|<bbox>)?\s*+[(\[]?([-+.\deE,\s]++)[)\]]?\s*+(?:<\|box_end\|>|</point>|</bbox>)?"
)


def read_call(call: ParsedCall, space: Space, image: Size | None) -> AgentAction:
    """The action that `call` means; its numbers count in `space`. Raises DialectError."""
    read = _READ.get(call.name)
    if read is None:
        raise DialectError(NAME, call.where, f"there is no verb {call.name[:40]!r}; verbs are {', '.join(_READ)}")
    reading = _Reading(call, space, image)
    action = read(reading)
    reading.fields.end()
    return action


class _Reading:
    """One call that is read."""

    def __init__(self, call: ParsedCall, space: Space, image: Size | None) -> None:
        self.call = call
        self.where = call.where
        self.fields = Fields(NAME, call.args, call.where)
        self._space = space
        self._image = image

    def build(self, verb: str, **fields: Any) -> AgentAction:
        return build(NAME, self.where, action_type=verb, **fields)

    def target(self, *names: str) -> Any:
        """The place in the first of these arguments that is given; None where none is."""
        given = [name for name in names if name in self.fields]
        return self._place(given[0], self.fields.text(given[0])) if given else None

    def _place(self, name: str, text: str) -> ActionTarget | dict[str, Any]:
        where = f"{self.where}.{name}"
        match = _NUMBERS.fullmatch(text.strip())
        try:
            numbers = [_number(part) for part in re.split(r"[,\s]+", match[1].strip())] if match else []
        except ValueError:  # signs without digits, or thousands of digits
            numbers = []
        if len(numbers) not in (2, 4):
            raise DialectError(NAME, where, "a point or a box is needed, such as (10,20) or <point>10 20</point>")
        x1, y1, *corner = (checked_number(NAME, where, number) for number in numbers)
        if not corner or corner == [x1, y1]:
            return at(x1, y1, self._space, self._image, NAME, where)
        box = {"x1": x1, "y1": y1, "x2": corner[0], "y2": corner[1]}
        return {"bbox": box if self._space == "px" else {"space": self._space, "image_size": self._image, **box}}

    def start(self) -> Any:
        return self.target("start_box", "point", "start_point")

    def keys(self, older: str) -> tuple[str, ...]:
        """The chord in `key`, or under its older name. Separated by blanks; `ctrl+c` is read as well."""
        name = "key" if "key" in self.fields else older
        text = self.fields.text(name).strip()
        return tuple(key for part in text.split() or [text] for key in read_chord(part, "uitars", NAME, f"{self.where}.{name}"))

    def key(self) -> str:
        keys = self.keys("press")
        return keys[0] if len(keys) == 1 else self.fields.refuse("key", "one key is needed, not a chord")


def _number(text: str) -> int | float:
    return float(text) if re.search("[.eE]", text) else int(text)


def _clicks(**fields: Any) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build("click", target=r.start(), **fields)


def _long_press(r: _Reading) -> AgentAction:
    given = r.fields.text("time", "").strip()
    if given and not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", given):
        r.fields.refuse("time", "seconds are needed")
    return r.build("click", target=r.start(), hold=float(given) if given else LONG_PRESS)


def _type(r: _Reading) -> AgentAction:
    content = r.fields.text("content")
    return r.build("type", text=content.removesuffix("\n"), submit=content.endswith("\n"), target=r.start())


def _scroll(r: _Reading) -> AgentAction:
    way = r.fields.text("direction").strip().lower()
    if way not in ("up", "down", "left", "right"):
        r.fields.refuse("direction", f"one of up, down, left or right is needed, not {way[:40]!r}")
    return r.build("scroll", direction=way, amount=SCROLL, target=r.start())


def _mouse(verb: str) -> Callable[[_Reading], AgentAction]:
    return lambda r: r.build(verb, target=r.start(), button=r.fields.text("button", None))


def _drag(r: _Reading) -> AgentAction:
    return r.build("drag", target=r.start(), to=r.target("end_box", "end_point"))


def _theirs(r: _Reading) -> AgentAction:
    r.fields.drop(*r.call.args)
    return r.build(f"x-{NAME}.{r.call.name}", arguments=r.call.args)


_READ: dict[str, Callable[[_Reading], AgentAction]] = {
    "click": _clicks(),
    "left_single": _clicks(),
    "left_double": _clicks(count=2),
    "right_single": _clicks(button="right"),
    "long_press": _long_press,
    "hover": lambda r: r.build("hover", target=r.start()),
    "move_to": lambda r: r.build("hover", target=r.start()),
    "mouse_down": _mouse("mouse_down"),
    "mouse_up": _mouse("mouse_up"),
    "drag": _drag,
    "select": _drag,
    "scroll": _scroll,
    "type": _type,
    "hotkey": lambda r: r.build("press_key", keys=r.keys("hotkey")),
    "press": lambda r: r.build("key_down", key=r.key()),
    "keydown": lambda r: r.build("key_down", key=r.key()),
    "release": lambda r: r.build("key_up", key=r.key()),
    "keyup": lambda r: r.build("key_up", key=r.key()),
    "wait": lambda r: r.build("wait", seconds=WAIT),
    "finished": lambda r: r.build("finish_goal", summary=r.fields.text("content", "")),
    "call_user": lambda r: r.build("ask_user", question=HELP),
    "open_app": lambda r: r.build("launch_app", app=r.fields.text("app_name")),
    "navigate": lambda r: r.build("navigate", url=r.fields.text("url" if "url" in r.fields else "content")),
    "navigate_back": lambda r: r.build("go_back"),
    "press_back": lambda r: r.build("go_back"),
    **dict.fromkeys(CARRIED, _theirs),
}
