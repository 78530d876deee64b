"""Chains of Python as data: `page.get_by_label("Name").first.click()`. A grammar reads them; nothing is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

from protocol.dialects.common.base import DialectError
from protocol.dialects.common.calls import parse_value
from protocol.model.blame import blame

_DEEPEST = 50
_GRAMMAR = r"""
    chain: root step*
    root: NAME | NAME LPAR [argument ("," argument)* ","?] RPAR
    step: "." NAME | "." NAME LPAR [argument ("," argument)* ","?] RPAR | LSQB NUMBER RSQB -> item
    argument: NAME "=" value -> keyword
            | value -> positional
    ?value: string | number | chain -> link | flags | list | dict
    flags: chain ("|" chain)+
    string: STRING+
    number: NUMBER
    list: LSQB [value ("," value)* ","?] RSQB
    dict: "{" [pair ("," pair)* ","?] "}"
    pair: string ":" value

    NAME: /[^\W\d]\w*/
    NUMBER: /[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?/
    STRING.2: /[rRuU]?("{3}([^"\\]|\\.|"(?!""))*+"{3}|'{3}([^'\\]|\\.|'(?!''))*+'{3}|"([^"\\\n]|\\.)*+"|'([^'\\\n]|\\.)*+')/s
    LPAR: "("
    RPAR: ")"
    LSQB: "["
    RSQB: "]"
    %ignore /\s+/
"""
_NAMED = {
    "NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "LPAR": '"("', "RPAR": '")"', "LSQB": '"["',
    "RSQB": '"]"', "LBRACE": '"{"', "RBRACE": '"}"', "COMMA": '","', "EQUAL": '"="', "DOT": '"."', "COLON": '":"',
    "VBAR": '"|"', "$END": "the end",
}  # fmt: skip
_CONSTANTS = {"True": True, "False": False, "None": None}


class Step(NamedTuple):
    """`page`, `.first`, `.nth(2)` or `[0]`; `args` is None where nothing is called. `start` and `end` are its place."""

    name: str
    args: list[Any] | None
    kwargs: dict[str, Any]
    start: int
    end: int

    @property
    def values(self) -> list[Any]:
        return [*(self.args or ()), *self.kwargs.values()]


@dataclass(frozen=True)
class Chain:
    """A name, and what is asked of it, one after the other."""

    steps: list[Step]
    depth: int

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
    """A list."""

    depth = 1


class Flags(Values):
    """`re.IGNORECASE | re.MULTILINE`."""


class Table(dict[str, Any]):
    """A dict."""

    depth = 1


class _TooDeep(Exception):
    pass


class _NamedTwice(Exception):
    pass


def _roots(value: Any) -> Iterator[Step]:
    if isinstance(value, Chain):
        yield from value.roots()
    elif isinstance(value, Values | Table):
        for inner in value.values() if isinstance(value, Table) else value:
            yield from _roots(inner)


def _deeper(values: Iterable[Any]) -> int:
    depth: int = 1 + max((getattr(value, "depth", 0) for value in values), default=0)
    if depth > _DEEPEST:
        raise _TooDeep
    return depth


_Collected = TypeVar("_Collected", Values, Flags, Table)


def _collected(found: _Collected) -> _Collected:
    found.depth = _deeper(found.values() if isinstance(found, dict) else found)
    return found


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    def __init__(self, dialect: str) -> None:
        super().__init__()
        self._dialect = dialect

    def chain(self, *steps: Step) -> Chain:
        return Chain(list(steps), _deeper(value for step in steps for value in step.values))

    def link(self, chain: Chain) -> Any:
        alone = len(chain.steps) == 1 and chain.root.args is None
        return _CONSTANTS[chain.root.name] if alone and chain.root.name in _CONSTANTS else chain

    def step(self, name: Token, *called: Any) -> Step:
        start, end = name.start_pos or 0, (called[-1] if called else name).end_pos or 0
        if not called:
            return Step(str(name), None, {}, start, end)
        kwargs: dict[str, Any] = {}
        args: list[Any] = []
        for key, value in called[1:-1]:
            if key is None and not kwargs:
                args.append(value)
            elif key is None or key in kwargs:
                raise _NamedTwice
            else:
                kwargs[key] = value
        return Step(str(name), args, kwargs, start, end)

    root = step

    def item(self, opened: Token, number: Token, closed: Token) -> Step:
        return Step("[]", [self.number(number)], {}, opened.start_pos or 0, closed.end_pos or 0)

    def keyword(self, name: Token, value: Any) -> tuple[str, Any]:
        return str(name), value

    def positional(self, value: Any) -> tuple[None, Any]:
        return None, value

    def flags(self, *chains: Chain) -> Flags:
        return _collected(Flags(chains))

    def list(self, opened: Token, *values: Any) -> Values:
        return _collected(Values(values[:-1]))

    def dict(self, *pairs: tuple[str, Any]) -> Table:
        return _collected(Table(pairs))

    def pair(self, key: str, value: Any) -> tuple[str, Any]:
        return key, value

    def string(self, *parts: Token) -> Any:
        return parse_value(self._dialect, " ".join(parts))

    def number(self, token: Token) -> Any:
        return parse_value(self._dialect, str(token))


@cache
def _parser(dialect: str) -> Lark:
    build = _Build(dialect)
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual", start="chain", transformer=build, maybe_placeholders=False)


def read_chain(dialect: str, text: str, line: int = 1, column: int = 1) -> Chain:
    """The chain that `text` is; it begins at that line and column. Raises DialectError."""
    here = f"line {line}, column {column}"
    try:
        found: Any = _parser(dialect).parse(text)
        chain: Chain = found
    except UnexpectedInput as bad:
        down, across, expected = blame(text, bad, _NAMED)
        across += column - 1 if down == 1 else 0
        raise DialectError(dialect, f"line {line + down - 1}, column {across}", f"expected {expected}") from None
    except _TooDeep:
        raise DialectError(dialect, here, f"it is nested more than {_DEEPEST} deep") from None
    except _NamedTwice:
        raise DialectError(dialect, here, "an argument is given twice, or by position after a named one") from None
    except DialectError as bad_value:
        raise DialectError(dialect, here, str(bad_value).removeprefix(f"{dialect}: ")) from None
    return chain
