"""The part of JavaScript that recorders write, as data: its tokens, and its calls said in Python's words. Nothing is evaluated.

`page.getByRole('link', { name: /more/i }).first().click()` becomes `page.get_by_role("link", name=re.compile("more",
re.IGNORECASE)).first.click()`: one reader understands both.
A script is a row of statements within tests. What would have to be run to know what it does (a condition, a loop, a function)
is one statement that nobody here understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from protocol.dialects.common.dialect import DialectError
from protocol.dialects.playwright.locators import quoted

NAME = "playwright_js"
_TOKEN = re.compile(
    r"""
    (?P<space>[\s\ufeff]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)
    |(?P<text>'(?:[^'\\\n]|\\[\s\S])*+'|"(?:[^"\\\n]|\\[\s\S])*+")
    |(?P<template>`(?:[^`\\]|\\[\s\S])*+`)
    |(?P<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    |(?P<name>[^\W\d][\w$]*|\$[\w$]*)
    |(?P<mark>=>|\.\.\.|\?\.|[-+*/%=<>!&|^~?:;,.(){}\[\]@\#])
    """,
    re.VERBOSE,
)
_PATTERN = re.compile(r"/((?:[^/\\\n\[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++)/([a-z]*)")
_OPERAND_BEFORE = frozenset({"text", "template", "number", "name", "pattern"})
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CONSTANTS = {"true": "True", "false": "False", "null": "None", "undefined": "None"}
_FLAGS = {"i": "re.IGNORECASE", "m": "re.MULTILINE", "s": "re.DOTALL"}
_PROPERTIES = frozenset({"first", "last", "contentFrame"})
"""Called in JavaScript, and no call in Python."""
_RENAMED = {"and": "and_", "or": "or_"}
_TAKES_OBJECT = frozenset({"setViewportSize", "dispatchEvent"})
"""Methods whose last object is an argument by position, and not options."""


class Token(NamedTuple):
    """`kind` is a group of the grammar, or `pattern`; `start` is its place in the text, `line` counts from 1."""

    kind: str
    text: str
    start: int
    line: int
    column: int
    first: bool
    """Whether a line break stands in front of it."""

    @property
    def where(self) -> str:
        return f"line {self.line}, column {self.column}"


def tokens(text: str) -> list[Token]:
    """The tokens of a script. What is no token of JavaScript is a `mark` of its own, for a reader to refuse where it stands."""
    found: list[Token] = []
    at, line, begun, first = 0, 1, 0, True
    while at < len(text):
        match, kind = _TOKEN.match(text, at), "mark"
        if text[at] == "/" and not _divides(found) and not text.startswith(("//", "/*"), at):
            match, kind = _PATTERN.match(text, at), "pattern"
        elif match is not None:
            kind = match.lastgroup or "mark"
        said = match[0] if match else text[at]
        if kind == "space":
            first = first or "\n" in said
        else:
            found.append(Token(kind if match else "mark", said, at, line, at - begun + 1, first))
            first = False
        at += len(said)
        breaks = said.count("\n")
        if breaks:
            line, begun = line + breaks, at - len(said) + said.rfind("\n") + 1
    return found


def _divides(before: list[Token]) -> bool:
    """Whether a slash divides there, and does not begin a pattern."""
    return bool(before) and (before[-1].kind in _OPERAND_BEFORE or before[-1].text in (")", "]", "}"))


def text_of(token: Token) -> str:
    """What a text in quotes says. Raises DialectError for a template with values in it."""
    if token.kind == "template" and re.search(r"(?<!\\)(?:\\\\)*\$\{", token.text):
        raise DialectError(NAME, token.where, "a text with values in it is no literal")
    said = _ESCAPE.sub(_unescaped, token.text[1:-1])
    return _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), said)


def _unescaped(match: re.Match[str]) -> str:
    sign = match[1]
    if sign[0] in "ux" and len(sign) > 1:
        code = int(sign[1:].strip("{}"), 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    return _PLAIN.get(sign, sign)


def snake(name: str) -> str:
    """`toHaveURL` as Python calls it: `to_have_url`."""
    said = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return _RENAMED.get(said, said)


class _Pythonic:
    """Says one expression in Python's words, token by token; whether it is whole, the reader of Python tells."""

    def __init__(self, given: list[Token]) -> None:
        self._given = given
        self._said: list[str] = []
        self._open: list[str] = []
        """The brackets that are open; `=` for the braces around the options of a call, which Python does not write."""
        self._negated = ""

    def said(self) -> str:
        at = 0
        while at < len(self._given):
            token, before = self._given[at], self._text(at - 1)
            operand = token.kind != "mark"
            if operand and at and (self._given[at - 1].kind != "mark" or before in _CLOSING):
                raise DialectError(NAME, token.where, "expected the end of the statement")
            if operand and self._open[-1:] in (["{"], ["="]) and before in ("{", ","):
                at = self._key(at)
            elif token.kind == "name" and before == ".":
                at = self._member(at)
            elif operand:
                self._said.append(_operand(token, called=self._text(at + 1) == "("))
                at += 1
            else:
                at = self._mark(at)
        return "".join(self._said)

    def _text(self, at: int) -> str:
        return self._given[at].text if 0 <= at < len(self._given) else ""

    def _key(self, at: int) -> int:
        token = self._given[at]
        if token.kind not in ("name", "text") or self._text(at + 1) != ":":
            raise DialectError(NAME, token.where, "expected a name")
        name = text_of(token) if token.kind == "text" else token.text
        self._said.append(f"{snake(name)}=" if self._open[-1] == "=" else f"{quoted(name)}: ")
        return at + 2

    def _member(self, at: int) -> int:
        """What stands behind a dot: `.not` goes into the name that follows, `.soft` says nothing here."""
        name, after = self._text(at), self._text(at + 1)
        if (name, after) == ("not", ".") or (name == "soft" and self._said[-2:] == ["expect", "."]):
            self._negated = "not_" * (name == "not")
            del self._said[-1:]
            return at + 1
        self._said.append(self._negated + snake(name))
        self._negated = ""
        return at + 3 if name in _PROPERTIES and after == "(" and self._text(at + 2) == ")" else at + 1

    def _mark(self, at: int) -> int:
        token, text = self._given[at], self._text(at)
        if text == "...":
            return self._spread(at)
        options = text == "{" and self._open[-1:] and self._open[-1] not in ("(", "[", "{", "=")
        if options and self._open[-1] not in _TAKES_OBJECT:
            self._open.append("=")
        elif text in _OPENING:
            called = text == "(" and at > 0 and self._given[at - 1].kind == "name"
            self._open.append(self._text(at - 1) if called else text)
            self._said.append(text)
        elif text in _CLOSING and self._open:
            if self._said[-1] == ", ":
                del self._said[-1]
            self._said += [] if self._open.pop() == "=" else [text]
        elif text in (".", "-", ","):
            self._said.append(", " if text == "," else text)
        else:
            raise DialectError(NAME, token.where, "expected a value")
        return at + 1

    def _spread(self, at: int) -> int:
        """Passes over `...devices['iPhone 15'],`: what it stands for is only known when the script is run."""
        depth = 0
        while at < len(self._given) and (depth or self._text(at) not in (",", "}")):
            depth += (self._text(at) in _OPENING) - (self._text(at) in _CLOSING)
            at += 1
        self._said.append("spread=None" if self._open[-1:] == ["="] else '"spread": None')
        return at


def pythonic(given: list[Token]) -> str:
    """The expression that the tokens are, in Python's words. Raises DialectError for what is no literal, name or call."""
    return _Pythonic(given).said()


def _operand(token: Token, *, called: bool) -> str:
    if token.kind in ("text", "template"):
        return quoted(text_of(token))
    if token.kind == "number":
        return token.text.replace("_", "")
    if token.kind == "name":
        return _CONSTANTS.get(token.text) or (snake(token.text) if called else token.text)
    match = _PATTERN.fullmatch(token.text)
    flags = [_FLAGS[flag] for flag in (match[2] if match else "") if flag in _FLAGS]
    said = quoted(match[1].replace("\\/", "/") if match else "")
    return f"re.compile({', '.join([said, ' | '.join(flags)] if flags else [said])})"


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
        if token.text == "{" and (
            given[n - 1].text == "=>" or (given[n - 1].text == ")" and any(token.text == "function" for token in given[start:n]))
        ):
            return n + 1 if depth == 1 else 0
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth < 0 or (depth == 0 and token.text in ")}" and given[n + 1 : n + 2] and given[n + 1].text != "("):
            return 0
    return 0


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
