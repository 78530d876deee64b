"""Python's calls and literals as data, read by a grammar; nothing is ever evaluated.

A text is chains, such as `page.get_by_role("button").first.click()`. Most dialects have plain calls: `pyautogui.click(1, 2)`.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

from protocol.dialects.common.conversion import Reading
from protocol.dialects.common.dialect import DialectError
from protocol.dialects.common.fields import Fields, position, positions, within_length
from protocol.log.versions import SaidTwice, said_once
from protocol.model.blame import blame
from protocol.model.geometry import JsonObject

_DEEPEST = 50
_NAMED = {
    "NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "LPAR": '"("', "RPAR": '")"', "LSQB": '"["',
    "RSQB": '"]"', "LBRACE": '"{"', "RBRACE": '"}"', "COMMA": '","', "EQUAL": '"="', "DOT": '"."', "COLON": '":"',
    "SEMICOLON": '";"', "VBAR": '"|"', "$END": "the end",
}  # fmt: skip
_CONSTANTS = {"True": True, "False": False, "None": None}
_JSON_CONSTANTS = {"true": True, "false": False, "null": None}
_ESCAPE = re.compile(r"\\(\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")
_OPERATOR = re.compile(r"[-+*/%<>@&^~!]|(?<=[fFbB])[\"']")
_WORKED_OUT = "a literal is needed here: what is worked out is only known when it is run"
_PLAIN = {"\n": "", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}


class Step(NamedTuple):
    """`page`, `.first`, `.nth(2)` or `[0]`; `args` is None where nothing is called. `start` and `end` are its place."""

    name: str
    args: list[Any] | None
    kwargs: JsonObject
    start: int
    end: int

    @property
    def values(self) -> list[Any]:
        return [*(self.args or ()), *self.kwargs.values()]


@dataclass(frozen=True)
class Chain:
    """A name, and what is asked of it, one after the other."""

    steps: list[Step]

    @property
    def root(self) -> Step:
        return self.steps[0]

    def roots(self) -> Iterator[Step]:
        """The names that this chain and those within it begin with, in order."""
        yield self.root
        for step in self.steps:
            for value in step.values:
                yield from _roots(value)


class Values(list[Any]):
    """A list or a tuple."""


class Flags(Values):
    """`re.IGNORECASE | re.MULTILINE`."""


class Table(JsonObject):
    """A dict."""


def _roots(value: Any) -> Iterator[Step]:
    if isinstance(value, Chain):
        yield from value.roots()
    elif isinstance(value, Values | Table):
        for inner in value.values() if isinstance(value, Table) else value:
            yield from _roots(inner)


class BareName(str):
    """A bare name that stands where a value is expected: `direction=down`, `tag_3`."""

    __slots__ = ()


class Call(NamedTuple):
    """`name(*args, **kwargs)`; where it stands in the text."""

    name: str
    args: list[Any]
    kwargs: JsonObject
    where: str


class _BadLiteral(Exception):
    """A literal that is none, at an offset of the text where that is known."""

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    def chains(self, *chains: Chain) -> list[Chain]:
        return list(chains)

    def chain(self, *steps: Step) -> Chain:
        return Chain(list(steps))

    def link(self, chain: Chain) -> Any:
        alone = len(chain.steps) == 1 and chain.root.args is None
        return _CONSTANTS[chain.root.name] if alone and chain.root.name in _CONSTANTS else chain

    def step(self, name: Token, *called: Any) -> Step:
        start, end = name.start_pos or 0, (called[-1] if called else name).end_pos or 0
        kwargs: JsonObject = {}
        args: list[Any] = []
        for key, value in called[1:-1]:
            if key is None and kwargs:
                raise _BadLiteral("a positional argument stands after a named one")
            if key is None:
                args.append(value)
            elif key in kwargs:
                raise _BadLiteral(f"the argument {key} is given twice")
            else:
                kwargs[key] = value
        return Step(str(name), args if called else None, kwargs, start, end)

    root = step

    def item(self, opened: Token, number: Token, closed: Token) -> Step:
        return Step("[]", [self.number(number)], {}, opened.start_pos or 0, closed.end_pos or 0)

    def keyword(self, name: Token, value: Any) -> tuple[str, Any]:
        return str(name), value

    def positional(self, value: Any) -> tuple[None, Any]:
        return None, value

    def string(self, *parts: Token) -> str:
        return "".join(map(_unquoted, parts))

    def number(self, token: Token) -> int | float:
        try:
            value = float(token) if any(c in ".eE" for c in token) else int(token)
        except ValueError:  # thousands of digits
            raise _BadLiteral("the number is too long") from None
        if not abs(value) <= 1e15:
            raise _BadLiteral("the number is too large")
        return value

    def flags(self, *chains: Chain) -> Flags:
        return Flags(chains)

    def values(self, opened: Token, *values: Any) -> Values:
        return Values(values[:-1])

    def pair(self, key: Any, value: Any) -> Any:
        return key, value

    def table(self, *pairs: Any) -> Table:
        try:
            return Table(said_once(pairs))
        except SaidTwice as twice:
            raise _BadLiteral(str(twice)) from None
        except TypeError:
            raise _BadLiteral("a key of an object is a text or a number") from None


def _unquoted(token: str) -> str:
    raw = token[0] in "rR"
    body = token.lstrip("rRuU")
    body = body[3:-3] if body[:3] in ('"""', "'''") and len(body) >= 6 else body[1:-1]
    return body if raw else _ESCAPE.sub(_unescaped, body)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code in _PLAIN:
        return _PLAIN[code]
    number = int(code[1:], 16) if code[0] in "xuU" else int(code, 8)
    if number > 0x10FFFF:
        raise _BadLiteral(f"there is no character \\{code}")
    return chr(number)


@cache
def _parser(start: str) -> Lark:
    given: JsonObject = {"parser": "lalr", "lexer": "contextual", "maybe_placeholders": False}
    return Lark.open("syntax.lark", rel_to=__file__, start=start, transformer=_Build(), **given)


def _parse(dialect: str, text: str, start: str, first: int, begun: int) -> Any:
    """What the text is that begins at that line and column. Raises DialectError with its place."""
    refuse_deep(dialect, within_length(text, dialect), f"line {first}, column {begun}")
    try:
        return _parser(start).parse(text)
    except UnexpectedInput as bad:
        line, column, expected = blame(text, bad, _NAMED)
        where = f"line {line + first - 1}, column {column + (begun - 1) * (line == 1)}"
        worked_out = bad.pos_in_stream is not None and _OPERATOR.match(text, bad.pos_in_stream)
        begins = not text[: bad.pos_in_stream].rpartition("\n")[2].strip()
        raise DialectError(dialect, where, _WORKED_OUT if worked_out and not begins else f"expected {expected}") from None
    except _BadLiteral as wrong:
        raise DialectError(dialect, f"line {first}, column {begun}", str(wrong)) from None


def read_chain(dialect: str, text: str, line: int = 1, column: int = 1) -> Chain:
    """The chain that `text` is; it begins at that line and column. Raises DialectError."""
    chain: Chain = _parse(dialect, text, "chain", line, column)
    return chain


def parse_value(dialect: str, text: str) -> Any:
    """One literal, such as a dict as Python prints it. Raises DialectError."""
    try:
        return _literal(_parse(dialect, text, "value", 1, 1))
    except _BadLiteral as bad:
        raise DialectError(dialect, position(text, bad.offset or 0), str(bad)) from None


def parse_calls(dialect: str, text: str, line: int = 1, column: int = 1) -> list[list[Call]]:
    """Every statement of `text`, which begins there: a chain of calls, mostly of one. Raises DialectError with its place."""

    where = positions(text, line, column)
    found: list[list[Call]] = []
    for chain in _parse(dialect, text, "chains", line, column):
        calls: list[Call] = []
        names: list[Step] = []
        try:
            for step in chain.steps:
                names.append(step)
                if step.args is not None:
                    if step.name == "[]":
                        raise _BadLiteral("expected a call", step.start)
                    args, kwargs = [_literal(value) for value in step.args], {k: _literal(v) for k, v in step.kwargs.items()}
                    calls.append(Call(".".join(each.name for each in names), args, kwargs, where(names[0].start)))
                    names = []
            if names:
                raise _BadLiteral('expected "("', names[-1].end)
        except _BadLiteral as bad:
            raise DialectError(dialect, where(bad.offset or 0), str(bad)) from None
        found.append(calls)
    return found


def _literal(value: Any) -> Any:
    """A value without any call in it."""
    if isinstance(value, Chain):
        called = next((step for step in value.steps if step.args is not None), None)
        if called is not None:
            raise _BadLiteral("a literal is needed here, and no call", called.start)
        name = ".".join(step.name for step in value.steps)
        return _JSON_CONSTANTS[name] if name in _JSON_CONSTANTS else BareName(name)
    if isinstance(value, Flags):
        raise _BadLiteral("a literal is needed here", value[0].root.start)
    if isinstance(value, Table):
        return {_literal(key): _literal(inner) for key, inner in value.items()}
    return [_literal(inner) for inner in value] if isinstance(value, Values) else value


def bound(dialect: str, where: str, name: str, names: Sequence[str], args: list[Any], kwargs: JsonObject) -> JsonObject:
    """Arguments by name. Raises DialectError for too many by position, and for one that is given twice."""
    if len(args) > len(names):
        raise DialectError(dialect, where, f"{name} takes at most {len(names)} arguments by position")
    given = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key in given:
            raise DialectError(dialect, where, f"the argument {key} is given twice")
        given[key] = value
    return given


Means = tuple[str, Callable[[Any], Any]]
"""The parameters of a function in their order, and what a call of it is."""


@dataclass
class CallReading(Reading):
    """A call with literal arguments that is read."""

    call: Call = field(init=False)

    def bind(self, call: Call, names: Sequence[str], dropped: Collection[str] = ()) -> JsonObject:
        """The arguments by name; those that are `dropped` are no fields. Raises DialectError for too many, and for no literal."""
        self.call = call
        given = bound(self.dialect, call.where, call.name, names, call.args, call.kwargs)
        self.fields = Fields(self.dialect, {name: value for name, value in given.items() if name not in dropped}, call.where)
        for name, value in given.items():
            self._literal(name, value)
        return given

    def may_stand(self, name: str, word: BareName) -> bool:
        """Whether a bare name may be the value of this argument."""
        return False

    def _literal(self, name: str, value: Any) -> None:
        if isinstance(value, BareName) and not self.may_stand(name, value):
            self.fields.refuse(name, f"a literal is needed, not the name {str(value)[:40]!r}")
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self._literal(name, part)


TEXT = (
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'(?:[^'\\\n]|\\.)*+'?"
)
TOKEN = re.compile(TEXT + r"|#[^\n]*|[()\[\]{}\n;]", re.DOTALL)
"""Possessive, and a text that is not closed ends somewhere all the same: no input takes more than linear time."""


def refuse_deep(dialect: str, text: str, where: str = "") -> None:
    """Raises DialectError for more brackets within brackets than anybody writes."""
    depth = 0
    for token in TOKEN.finditer(text):
        depth = max(0, depth + (token[0] in "([{") - (token[0] in ")]}"))
        if depth > _DEEPEST:
            raise DialectError(dialect, where, f"the text is nested more than {_DEEPEST} deep")
