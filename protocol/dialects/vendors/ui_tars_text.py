"""How UI-TARS writes calls down: `Action: click(start_box='(1,2)')`, or tags as in `<function=click>`. Texts are opaque."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.calls import parse_value

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
        wrapped = cursor.text.startswith(_OPEN, cursor.index)
        start = cursor.index + len(_OPEN) * wrapped
        end = cursor.text.find(_SHUT if wrapped else "</parameter>", start)
        if end < 0:
            cursor.fail("the parameter has no end")
        cursor.index = end + len(_SHUT) * wrapped
        args[key] = cursor.text[start:end]
        cursor.need(_PARAMETER_END, "</parameter>")
    return ParsedCall(name, args, where)


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
