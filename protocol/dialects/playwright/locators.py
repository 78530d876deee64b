"""Playwright's locators as Python writes them: `get_by_role("button", name="Save")`, `locator("#a").content_frame.first`.

A role with a name is `target.role` and `target.text`, a lone `locator("...")` is its selector, and any other chain is
`target.selector` in its own words. A grammar reads chains as data; nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

from protocol.dialects.common.base import Context, DialectError, Loss
from protocol.dialects.common.calls import parse_value, refuse_deep
from protocol.dialects.common.conversion import Reading, element_of
from protocol.model.blame import blame
from protocol.model.geometry import JsonObject
from protocol.model.keys import KeyNameError, split_chord, write_key
from protocol.model.targets import ActionTarget

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
    """A list."""


class Flags(Values):
    """`re.IGNORECASE | re.MULTILINE`."""


class Table(JsonObject):
    """A dict."""


class _NamedTwice(Exception):
    pass


def _roots(value: Any) -> Iterator[Step]:
    if isinstance(value, Chain):
        yield from value.roots()
    elif isinstance(value, Values | Table):
        for inner in value.values() if isinstance(value, Table) else value:
            yield from _roots(inner)


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    def __init__(self, dialect: str) -> None:
        super().__init__()
        self._dialect = dialect

    def chain(self, *steps: Step) -> Chain:
        return Chain(list(steps))

    def link(self, chain: Chain) -> Any:
        alone = len(chain.steps) == 1 and chain.root.args is None
        return _CONSTANTS[chain.root.name] if alone and chain.root.name in _CONSTANTS else chain

    def step(self, name: Token, *called: Any) -> Step:
        start, end = name.start_pos or 0, (called[-1] if called else name).end_pos or 0
        if not called:
            return Step(str(name), None, {}, start, end)
        kwargs: JsonObject = {}
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
        return Flags(chains)

    def list(self, opened: Token, *values: Any) -> Values:
        return Values(values[:-1])

    def dict(self, *pairs: tuple[str, Any]) -> Table:
        return Table(pairs)

    def pair(self, key: str, value: Any) -> tuple[str, Any]:
        return key, value

    def string(self, *parts: Token) -> Any:
        return parse_value(self._dialect, " ".join(parts))

    def number(self, token: Token) -> Any:
        return parse_value(self._dialect, str(token))


@cache
def _parser(dialect: str) -> Lark:
    build = _Build(dialect)
    return Lark.open(
        "locators.lark",
        rel_to=__file__,
        parser="lalr",
        lexer="contextual",
        start="chain",
        transformer=build,
        maybe_placeholders=False,
    )


def read_chain(dialect: str, text: str, line: int = 1, column: int = 1) -> Chain:
    """The chain that `text` is; it begins at that line and column. Raises DialectError."""
    here = f"line {line}, column {column}"
    refuse_deep(dialect, text, here)
    try:
        found: Any = _parser(dialect).parse(text)
        chain: Chain = found
    except UnexpectedInput as bad:
        down, across, expected = blame(text, bad, _NAMED)
        across += column - 1 if down == 1 else 0
        raise DialectError(dialect, f"line {line + down - 1}, column {across}", f"expected {expected}") from None
    except _NamedTwice:
        raise DialectError(dialect, here, "an argument is given twice, or by position after a named one") from None
    except DialectError as bad_value:
        raise DialectError(dialect, here, str(bad_value).removeprefix(f"{dialect}: ")) from None
    return chain


NAME = "playwright_python"
BUTTONS = ("left", "right", "middle")
MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
UNSAID_WAIT = 30.0
"""Seconds that Playwright waits for an element where nothing else is said."""


class PageReading(Reading):
    """A call on a page that is read, be it a method or a tool."""

    def modifiers(self) -> tuple[str, ...]:
        held: tuple[str, ...] = self.fields.texts("modifiers", ())
        for n, name in enumerate(held):
            if name not in MODIFIERS:
                self.fields.refuse(f"modifiers[{n}]", f"one of {', '.join(MODIFIERS)} is needed, not {name[:40]!r}")
        return held

    def keys(self) -> tuple[str, ...]:
        return self.fields.chord("key", "playwright")

    def one_key(self) -> str:
        return self.key(self.keys(), why="one key is needed")


PAGE = re.compile(r"page\d*")
"""The names that codegen gives to pages."""
_FLAGS = frozenset({"IGNORECASE", "I", "MULTILINE", "M", "DOTALL", "S"})
_ATTRIBUTES = frozenset({"first", "last", "content_frame", "visible"})
_FILTERS = ("has", "has_not", "has_text", "has_not_text", "visible")
_STATES = ("checked", "disabled", "expanded", "include_hidden", "level", "pressed", "selected", "description")
_CALLS: dict[str, tuple[int, tuple[str, ...]]] = {
    "locator": (1, _FILTERS),
    "get_by_role": (1, ("name", "exact", *_STATES)),
    **{f"get_by_{what}": (1, ("exact",)) for what in ("text", "label", "placeholder", "alt_text", "title")},
    "get_by_test_id": (1, ()),
    "frame_locator": (1, ()),
    "filter": (0, _FILTERS),
    "nth": (1, ()),
    "and_": (1, ()),
    "or_": (1, ()),
    "describe": (1, ()),
}
"""What a locator is asked for: how many arguments by position, and which by name."""


def is_locator(step: Step) -> bool:
    """Whether a step leads to an element, and holds nothing but texts, numbers, patterns and locators."""
    if step.args is None:
        return step.name in _ATTRIBUTES
    if step.name not in _CALLS:
        return False
    count, names = _CALLS[step.name]
    return len(step.args) == count and set(step.kwargs) <= set(names) and all(map(is_plain, step.values))


def is_plain(value: Any) -> bool:
    """Whether a value is a text, a number, a pattern or a locator, and nothing else."""
    if isinstance(value, Chain):
        return _is_pattern(value) or (
            bool(PAGE.fullmatch(value.root.name)) and value.root.args is None and len(value.steps) > 1
            and all(map(is_locator, value.steps[1:]))
        )  # fmt: skip
    return value is None or isinstance(value, str | int | float)


def _is_pattern(chain: Chain) -> bool:
    """`re.compile(r"...", re.IGNORECASE | re.MULTILINE)`."""
    if len(chain.steps) != 2 or chain.root.name != "re" or chain.root.args is not None:
        return False
    made = chain.steps[1]
    if made.name != "compile" or made.kwargs or not made.args or not isinstance(made.args[0], str):
        return False
    flags = made.args[1:]
    flags = flags[0] if len(flags) == 1 and isinstance(flags[0], Flags) else flags
    return len(flags) <= len(_FLAGS) and all(_is_flag(flag) for flag in flags)


def _is_flag(value: Any) -> bool:
    if not isinstance(value, Chain) or len(value.steps) != 2 or value.root.name != "re" or value.root.args is not None:
        return False
    return value.steps[1].args is None and value.steps[1].name in _FLAGS


def target_of(steps: list[Step], text: str) -> ActionTarget:
    """The target that these steps of `text` lead to. There is at least one step, and each `is_locator`."""
    said = text[steps[0].start : steps[-1].end]
    if len(steps) > 1:
        return ActionTarget(selector=said)
    step = steps[0]
    first = step.args[0] if step.args else None
    name = step.kwargs.get("name")
    if step.name == "get_by_role" and isinstance(first, str) and isinstance(name, str):
        if set(step.kwargs) == {"name"}:
            return ActionTarget(role=first, text=name)
        return ActionTarget(role=first, text=name, selector=said)
    if step.name == "locator" and isinstance(first, str) and not step.kwargs and _steps_in(first) is None:
        return ActionTarget(selector=first)
    return ActionTarget(selector=said)


def _steps_in(selector: str) -> list[Step] | None:
    """The steps of a selector that is a chain in one line, and nothing else; None for a selector of another kind."""
    if "\n" in selector or "\r" in selector or not selector.endswith((")", *_ATTRIBUTES)):
        return None
    try:
        steps = read_chain(NAME, f"page.{selector}").steps[1:]
    except DialectError:
        return None
    whole = bool(steps) and steps[-1].end == len(selector) + len("page.") and steps[0].start == len("page.")
    return steps if whole and all(map(is_locator, steps)) else None


def locate(target: ActionTarget, context: Context, what: str, *, needed: bool = False) -> tuple[str, list[Loss]] | None:
    """`target` as a locator, without the page, and what is lost; None for a mere place, unless an element is needed there."""
    said = _locator(target, context, what, needed)
    if said is None:
        return None
    back = target_of(read_chain(NAME, f"page.{said}").steps[1:], f"page.{said}")
    other = [name for name in ActionTarget.model_fields if getattr(target, name) != getattr(back, name)]
    lost = [name for name in other if getattr(target, name) is not None] or other
    return said, [Loss(what=f"{what}.{lost[0]}", why=f"said as {said[:60]}")] if lost else []


def _locator(target: ActionTarget, context: Context, what: str, needed: bool) -> str | None:
    if target.selector is not None:
        return target.selector if _steps_in(target.selector) else f"locator({quoted(target.selector)})"
    if target.text is not None and target.role is not None:
        return f"get_by_role({quoted(target.role)}, name={quoted(target.text)})"
    given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
    if context.state is not None and (needed or not given <= {"point", "description", "state_id", "role"}):
        element, _ = element_of(target, context, NAME, what)
        if element is not None and element.role and element.text:
            return f"get_by_role({quoted(element.role)}, name={quoted(element.text)})"
        if element is not None and element.text:
            return f"get_by_text({quoted(element.text)})"
    return f"get_by_text({quoted(target.text)})" if target.text is not None else None


def quoted(text: str) -> str:
    """A text as Python's code, in double quotes as codegen writes it."""
    said = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda sign: sign[0] if sign[0].isprintable() else ascii(sign[0])[1:-1], said)


_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


def chord_text(keys: tuple[str, ...], dialect: str, verb: str) -> str:
    """The chord as Playwright spells it. Raises DialectError for one that would fall into other keys."""
    text = "+".join(write_key(key, "playwright") or key for key in keys)
    try:
        parts = split_chord(text) if len(text) > 1 else (text,)
    except KeyNameError:
        parts = ()
    if len(parts) != len(keys):
        raise DialectError(dialect, f"{verb}.keys", f"the chord {text} cannot be told apart")
    return text


def literal(value: Any) -> str:
    """A JSON value as Python's code."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted(name)}: {literal(inner)}' for name, inner in value.items())}}}"
    return repr(value)
