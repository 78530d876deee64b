"""UI-TARS: `Thought: ...` and `Action: click(start_box='(10,20)')`, in the spellings of its four families of models.

Source: bytedance/UI-TARS `codes/ui_tars/{prompt,action_parser}.py` (PyPI `ui-tars`), and the prompts of UI-TARS-desktop.
"""

import re
from math import floor
from typing import Any, NamedTuple, NoReturn

from protocol import ActionTarget, AgentAction, JsonObject, Space
from protocol.dialects import WAYS, DialectError, ParsedPayload, Part, Reading, Table, Writing, dialect_of, given, row
from protocol.dialects.common.fields import Fields, a_text, at, checked_number, positions, read_chord
from protocol.dialects.common.syntax import parse_value
from protocol.dialects.vendors.pointing import Canvas
from protocol.model import verbs

NAME = "ui_tars"


class ParsedCall(NamedTuple):
    """`name(key='value')`, and where it stands in the text."""

    name: str
    args: dict[str, str]
    where: str = ""


class _Cursor:
    """A place in the text that only moves on."""

    def __init__(self, text: str, index: int = 0) -> None:
        self.text = text
        self.index = index
        self._where = positions(text)

    @property
    def where(self) -> str:
        return self._where(self.index)

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

    def argument(name: str, text: str) -> str:
        body = repr('"' + text)[2:-1]  # the extra quote makes repr choose single ones
        return f"{name}='{body if _is_place(name, text) else _TROUBLE.sub(by_number, body)}'"

    def by_number(found: re.Match[str]) -> str:
        return r"\x27" if found[0] == r"\'" else f"{found[0][:-1]}\\x{ord(found[0][-1]):02x}"

    said = (f"{call.name}({', '.join(argument(*item) for item in call.args.items())})" for call in calls)
    return "Action: " + "\n\n".join(said)


def _is_place(name: str, text: str) -> bool:
    """Whether the tags in `text` are ours, and not a part of what is typed."""
    return name in _PLACES and _POINT.fullmatch(text) is not None


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
    inner = ""
    for key, value in call.args.items():
        wraps = not _is_place(key, value) and re.search("[<>]", value) is not None
        if _TOKEN in value:
            raise DialectError(NAME, "text", "the text holds the tag in which UI-TARS wraps texts")
        inner += f"<parameter={key}>{_OPEN * wraps}{value}{_SHUT * wraps}</parameter>"
    return f"<function={call.name}>{inner}</function>"


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


_SPACES: dict[str, Space] = dict.fromkeys(("v1", "doubao", "xml"), "norm1000")


class _Reading(Canvas, Reading):
    """A model's answer, call by call; its thought is no action."""

    spaces = _SPACES
    call: ParsedCall

    def parsed(self, payload: Any) -> ParsedPayload:
        text = a_text(payload, NAME)
        for call in read_xml(text) if self.variant == "xml" else read_text(text):
            self.call, self.fields = call, Fields(NAME, call.args, call.where)
            self.actions += self.read(_CALLS, call.name, noun="verb")
        return ParsedPayload(self.actions, [])

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
            return at(x1, y1, *self.canvas, NAME, where)
        return {"bbox": self.box((x1, y1, *corner))}

    def start(self) -> Any:
        return self.target("start_box", "point", "start_point")

    def keys(self, older: str) -> tuple[str, ...]:
        """The chord in `key`, or under its older name. Separated by blanks; `ctrl+c` is read as well."""
        name = "key" if "key" in self.fields else older
        text = self.fields.text(name).strip()
        where = f"{self.call.where}.{name}"
        return tuple(key for part in text.split() or [text] for key in read_chord(part, "uitars", NAME, where))

    def hold(self) -> float:
        seconds = self.fields.text("time", "").strip()
        if seconds and not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", seconds):
            self.fields.refuse("time", "seconds are needed")
        return float(seconds) if seconds else LONG_PRESS

    def type(self) -> AgentAction:
        content = self.fields.text("content")
        return self.build("type", text=content.removesuffix("\n"), submit=content.endswith("\n"), target=self.start())

    def scroll(self) -> AgentAction:
        way = self.fields.text("direction").strip().lower()
        if way not in WAYS:
            self.fields.refuse("direction", f"one of up, down, left or right is needed, not {way[:40]!r}")
        return self.build("scroll", direction=way, amount=SCROLL, target=self.start())

    def carried(self) -> AgentAction:
        self.fields.drop(*self.call.args)
        return self.theirs(self.call.name, **self.call.args)


_AT = Part(_Reading.start, lambda w, target: {} if target is None else {"point" if w.tagged else "start_box": w.point(target)})
_BUTTON = Part(
    lambda r: r.fields.text("button", None),
    lambda w, button: None if button in ("back", "forward") else {} if button == "left" else {"button": button},
)
_HOLD = Part(_Reading.hold, lambda w, hold: {} if hold else None)
_START = Part(_Reading.start, lambda w, target: {w.end("start"): w.point(target)})
_END = Part(lambda r: r.target("end_box", "end_point"), lambda w, target: {w.end("end"): w.point(target, "to")})
_CHORD = Part(lambda r: r.keys("hotkey"), lambda w, keys: {"key": w.lower(*keys)})
_ONE_KEY = Part(lambda r: r.key(r.keys("press")), lambda w, key: {"key": w.lower(key)})
_SUMMARY = given("content", "")
_URL = Part(lambda r: r.fields.text("url" if "url" in r.fields else "content"), lambda w, url: {"content": url})
_CALLS: Table = {
    "long_press": row("click", target=_AT, hold=_HOLD),
    "click": row("click", target=_AT),
    "left_single": row("click", target=_AT),
    "left_double": row("click", target=_AT, count=2),
    "right_single": row("click", target=_AT, button="right"),
    "hover": row("hover", target=_AT),
    "move_to": row("hover", target=_AT),
    "mouse_down": row("mouse_down", target=_AT, button=_BUTTON),
    "mouse_up": row("mouse_up", target=_AT, button=_BUTTON),
    **dict.fromkeys(("drag", "select"), row("drag", target=_START, to=_END)),
    "scroll": _Reading.scroll,
    "type": _Reading.type,
    "hotkey": row("press_key", keys=_CHORD),
    **dict.fromkeys(("press", "keydown"), row("key_down", key=_ONE_KEY)),
    **dict.fromkeys(("release", "keyup"), row("key_up", key=_ONE_KEY)),
    "wait": row("wait", seconds=Part(lambda r: WAIT, lambda w, seconds: {})),
    "finished": row("finish_goal", summary=_SUMMARY),
    "call_user": row("ask_user", question=Part(lambda r: HELP, lambda w, question: {})),
    "open_app": row("launch_app", app=given("app_name")),
    "navigate": row("navigate", url=_URL),
    "press_back": row("go_back"),
    "navigate_back": row("go_back"),
    **dict.fromkeys(CARRIED, _Reading.carried),
}


class _Writing(Canvas, Writing):
    """Calls with their arguments as texts."""

    table = _CALLS
    spaces = _SPACES
    can = frozenset({"submit", "hold", "modifiers"})

    def names(self) -> tuple[str, ...]:
        """Tags have a name of their own for moving."""
        return tuple(name for name in _CALLS if name != "hover" or self.variant != "xml")

    def call(self, name: str, /, **arguments: Any) -> ParsedCall:
        return ParsedCall(name, arguments)

    def payload(self, action: verbs.Action) -> str:
        """The text, without a thought."""
        calls = self.calls(action)
        return f"{_TOOLS}{''.join(map(_tagged, calls))}</seed:tool_call>" if self.variant == "xml" else write_text(calls)

    @property
    def tagged(self) -> bool:
        return self.variant in ("doubao", "xml")

    def end(self, which: str) -> str:
        return f"{which}_{'point' if self.tagged else 'box'}"

    def point(self, target: ActionTarget | None, what: str = "target") -> str:
        said = self.near(target, what, *self.canvas)
        x, y = floor(said.x + 0.5), floor(said.y + 0.5)
        if self.tagged:
            return f"<point>{x} {y}</point>"
        return f"({x},{y})" if self.variant == "1.5" else f"<|box_start|>({x},{y})<|box_end|>"

    def lower(self, *keys: str) -> str:
        return self.chord(tuple(key.lower() if len(key) == 1 else key for key in keys), "uitars", " ")

    def scroll(self, action: verbs.Scroll) -> list[ParsedCall]:
        way = self.way(action)
        return [self.call("scroll", **_AT.write(self, action.target) or {}, direction=way)]

    def type(self, action: verbs.Type) -> list[ParsedCall]:
        return [self.call("type", content=action.text + "\n" * action.submit)]

    def answer(self, action: verbs.Answer) -> list[ParsedCall]:
        return [self.call("finished", **_SUMMARY.write(self, action.text) or {})]

    def fail_goal(self, action: verbs.FailGoal) -> list[ParsedCall]:
        return [self.call("call_user")]

    def extension(self, action: verbs.Extension) -> list[ParsedCall]:
        if not all(isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*", key) for key, value in action.arguments.items()):
            self.cannot(action, "arguments are texts, with names of letters")
        return super().extension(action)


DIALECT = dialect_of(_Reading, _Writing, NAME, "UI-TARS", "text", ("1.5", "v1", "doubao", "xml"))
