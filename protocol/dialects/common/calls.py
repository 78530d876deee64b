"""Code-like text as data: calls with literal arguments. Read by a grammar; nothing is ever evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.fields import within_length
from protocol.model.blame import blame
from protocol.model.geometry import JsonObject

_LONG = r"{q}{q}{q}[^{q}\\]*(?:(?:\\.|{q}{{1,2}}(?!{q}))[^{q}\\]*)*{q}{q}{q}"
_SHORT = r"{q}[^{q}\\\n]*(?:\\.[^{q}\\\n]*)*{q}"
_STRINGS = "|".join(form.format(q=mark) for mark in ('"', "'") for form in (_LONG, _SHORT))
_GRAMMAR = r"""
    calls: (chain ";"?)*
    chain: call ("." call)*
    call: name "(" [argument ("," argument)* ","?] ")"
    argument: IDENT "=" value -> keyword
            | value -> positional
    ?value: string | number | word | list | tuple | dict
    string: STRING+
    number: NUMBER
    word: name
    list: "[" [value ("," value)* ","?] "]"
    tuple: "(" [value ("," value)* ","?] ")"
    dict: "{" [pair ("," pair)* ","?] "}"
    pair: value ":" value
    name: IDENT ("." IDENT)*

    IDENT: /[^\W\d]\w*/
    NUMBER: /[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?/
    STRING.2: /[rRuU]?({_STRINGS})/s
    COMMENT: /#[^\n]*/
    %ignore COMMENT
    %ignore /\s+/
""".replace("{_STRINGS}", _STRINGS)

_DEEPEST = 50
_NAMED = {
    "IDENT": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "LPAR": '"("', "RPAR": '")"', "LSQB": '"["',
    "RSQB": '"]"', "LBRACE": '"{"', "RBRACE": '"}"', "COMMA": '","', "EQUAL": '"="', "DOT": '"."', "COLON": '":"',
    "SEMICOLON": '";"', "$END": "the end",
}  # fmt: skip
_CONSTANTS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_ESCAPE = re.compile(r"\\(\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")
_PLAIN = {"\n": "", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}


class BareName(str):
    """A bare name that stands where a value is expected: `direction=down`, `tag_3`."""

    __slots__ = ()


class Call(NamedTuple):
    """`name(*args, **kwargs)`; where it stands in the text."""

    name: str
    args: list[Any]
    kwargs: JsonObject
    line: int
    column: int

    @property
    def where(self) -> str:
        return f"line {self.line}, column {self.column}"


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


class _Nested(list[Any]):
    depth = 1


class _TooDeep(Exception):
    pass


class _BadLiteral(Exception):
    """A literal that is none."""


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    def calls(self, *chains: list[Call]) -> list[list[Call]]:
        return list(chains)

    def chain(self, *calls: Call) -> list[Call]:
        return list(calls)

    def call(self, name: Token, *arguments: Any) -> Call:
        kwargs: JsonObject = {}
        args: list[Any] = []
        for argument in arguments:
            key, value = argument
            if key is None and kwargs:
                raise _BadLiteral("a positional argument stands after a named one")
            if key is None:
                args.append(value)
            elif key in kwargs:
                raise _BadLiteral(f"the argument {key} is given twice")
            else:
                kwargs[key] = value
        return Call(str(name), args, kwargs, name.line or 1, name.column or 1)

    def keyword(self, name: Token, value: Any) -> tuple[str, Any]:
        return str(name), value

    def positional(self, value: Any) -> tuple[None, Any]:
        return None, value

    def name(self, first: Token, *rest: Token) -> Token:
        return first.update(value=".".join((first, *rest)))

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

    def word(self, name: Token) -> Any:
        return _CONSTANTS[name] if str(name) in _CONSTANTS else BareName(str(name))

    def list(self, *values: Any) -> Any:
        return _nested(values)

    def tuple(self, *values: Any) -> Any:
        return _nested(values)

    def pair(self, key: Any, value: Any) -> Any:
        return _nested((key, value))

    def dict(self, *pairs: Any) -> Any:
        _nested(pairs)
        try:
            return {key: value for key, value in pairs}
        except TypeError:
            raise _BadLiteral("a key of an object is a text or a number") from None


def _nested(values: Any) -> _Nested:
    found = _Nested(values)
    found.depth = 1 + max((_depth(value) for value in found), default=0)
    if found.depth > _DEEPEST:
        raise _TooDeep
    return found


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max((_depth(inner) for inner in value.values()), default=0)
    return value.depth if isinstance(value, _Nested) else 0


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
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual", start=start, transformer=_Build(), maybe_placeholders=False)


def parse_calls(dialect: str, text: str) -> list[list[Call]]:
    """Every statement of `text`: a chain of calls, mostly of one. Raises DialectError with line and column."""
    found: list[list[Call]] = _parse(dialect, text, "calls")
    return found


def parse_value(dialect: str, text: str) -> Any:
    """One literal, such as a dict as Python prints it. Raises DialectError."""
    return _parse(dialect, text, "value")


def _parse(dialect: str, text: str, start: str) -> Any:
    try:
        return _parser(start).parse(within_length(text, dialect))
    except UnexpectedInput as bad:
        line, column, expected = blame(text, bad, _NAMED)
        raise DialectError(dialect, f"line {line}, column {column}", f"expected {expected}") from None
    except _TooDeep:
        raise DialectError(dialect, "", f"the text is nested more than {_DEEPEST} deep") from None
    except _BadLiteral as bad:
        raise DialectError(dialect, "", str(bad)) from None
