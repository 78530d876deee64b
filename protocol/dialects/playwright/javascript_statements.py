"""The statements of a recorded script in JavaScript or TypeScript: where each begins and ends, and which test it is of.

A script is a row of statements within tests. What would have to be run to know what it does (a condition, a loop, a function)
is one statement that nobody here understands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from protocol.dialects.playwright.javascript import Token, text_of

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_TESTS = frozenset({"test", "it", "specify", "setup"})
_AROUND = _TESTS | {"describe", "suite", "context"}
"""What a script's statements stand in: a call of one of these, whose last argument is a function."""
_CONTROL = frozenset({"if", "for", "while", "do", "switch", "try", "function", "class", "async", "export"})
_GOES_ON = frozenset({"else", "catch", "finally"})
_UNFINISHED = frozenset("=+-*&|?:,.!<>") | {"=>", "?.", "await", "const", "let", "var", "new", "return"}
_CONTINUES = frozenset(".?:=+-*&|,)]") | {"?.", "=>"}


class StatementTokens(NamedTuple):
    """The tokens of a statement without its end mark; `control` where it is no single thing that is done."""

    tokens: list[Token]
    control: bool = False


class TestStart(NamedTuple):
    """A test begins: what comes next is done on a page of its own."""

    title: str


def parts(given: list[Token]) -> Iterator[StatementTokens | TestStart]:
    """The statements in order, and where a test begins."""
    at, opened = 0, 0
    while at < len(given):
        if given[at].text == ";":
            at += 1
        elif given[at].text == "}" and opened:
            opened -= 1
            at = _after_end(given, at + 1)
        elif body := _body(given, at):
            opened += 1
            if title := _title(given, at, body):
                yield title
            at = body
        else:
            control = given[at].kind == "name" and given[at].text in _CONTROL and given[at + 1 : at + 2] != []
            end = _end(given, at, control)
            if end == at:  # a bracket that closes nothing
                end += 1
            yield StatementTokens(given[at:end], control)
            at = end


def _head(given: list[Token], at: int) -> int:
    return at + 1 if given[at].text == "await" and at + 1 < len(given) else at


def _body(given: list[Token], at: int) -> int:
    """Where the body begins of the function that a test, or the whole script, is; 0 where this is no such thing."""
    start = _head(given, at)
    if given[start].text not in _AROUND and given[start].text != "(":
        return 0
    depth = 0
    for n in range(start, len(given)):
        token = given[n]
        broken = token.text == ";" or (n > start and (token.first or token.kind == given[n - 1].kind == "name"))
        if broken and depth == 0:
            return 0
        if token.text == "{" and (given[n - 1].text == "=>" or _function(given, start, n)):
            return n + 1 if depth == 1 else 0
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth < 0 or (depth == 0 and token.text in ")}" and given[n + 1 : n + 2] and given[n + 1].text != "("):
            return 0
    return 0


def _function(given: list[Token], start: int, n: int) -> bool:
    return given[n - 1].text == ")" and any(token.text == "function" for token in given[start:n])


def _title(given: list[Token], at: int, body: int) -> TestStart | None:
    """A test with its title; a group of tests and a step within one are none."""
    start = _head(given, at)
    names = [token.text for token in given[start : start + 4]]
    if names[0] not in _TESTS or "step" in names or "describe" in names:
        return None
    said = next((token for token in given[start:body] if token.kind in ("text", "template")), None)
    return TestStart("" if said is None or "${" in said.text else text_of(said))


def _after_end(given: list[Token], at: int) -> int:
    """Behind what follows the body of a function: `);`, `)();`, `, 30_000);`."""
    depth = 0
    while at < len(given):
        token = given[at]
        if depth <= 0 and (token.text == "}" or (token.first and token.text not in _CLOSING)):
            return at
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        at += 1
        if token.text == ";" and depth <= 0:
            return at
    return at


def _end(given: list[Token], at: int, control: bool) -> int:
    """Behind the last token of the statement that begins at `at`."""
    depth = 0
    for n in range(at, len(given)):
        token, after = given[n], given[n + 1] if n + 1 < len(given) else None
        if token.text in _CLOSING and depth == 0:
            return n
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth:
            continue
        if token.text == ";":
            return n
        if after is None or (control and token.text == "}" and after.text not in _GOES_ON):
            return n + 1
        ends = token.text not in _UNFINISHED and after.text not in _CONTINUES and not (control and after.text in "{")
        if after.first and ends and not (control and (token.text == ")" or after.text in _GOES_ON)):
            return n + 1
    return len(given)
