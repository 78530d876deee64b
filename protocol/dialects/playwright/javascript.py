"""The part of JavaScript that recorders write, as data: its tokens, and its calls said in Python's words. Nothing is evaluated.

`page.getByRole('link', { name: /more/i }).first().click()` becomes `page.get_by_role("link", name=re.compile("more",
re.IGNORECASE)).first.click()`: one reader understands both.
A script is a row of statements within tests. What would have to be run to know what it does (a condition, a loop, a function)
is one statement that nobody here understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from protocol.dialects.common.base import DialectError
from protocol.dialects.playwright.locators import quoted

NAME = "playwright_js"
_DEEPEST = 50
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


class Pythonic:
    """Says one expression in Python's words; it knows literals, names and calls, and refuses everything else."""

    def __init__(self, given: list[Token]) -> None:
        self._given = given
        self._at = 0

    def whole(self) -> str:
        """The expression that all the tokens are. Raises DialectError."""
        said = self.value(0)
        if self._at < len(self._given):
            self._refuse("the end of the statement")
        return said

    def _peek(self, *texts: str) -> bool:
        return self._at < len(self._given) and self._given[self._at].kind == "mark" and self._given[self._at].text in texts

    def _take(self, *texts: str) -> Token:
        if not self._peek(*texts):
            self._refuse(" or ".join(f'"{text}"' for text in texts))
        self._at += 1
        return self._given[self._at - 1]

    def _next(self, expected: str) -> Token:
        if self._at >= len(self._given):
            self._refuse(expected)
        self._at += 1
        return self._given[self._at - 1]

    def _refuse(self, expected: str) -> NoReturn:
        here = self._given[min(self._at, len(self._given) - 1)]
        raise DialectError(NAME, here.where, f"expected {expected}")

    def value(self, depth: int) -> str:
        if depth > _DEEPEST:
            self._refuse(f"no more than {_DEEPEST} levels")
        token = self._next("a value")
        if token.kind in ("text", "template"):
            return quoted(text_of(token))
        if token.kind == "number":
            return token.text.replace("_", "")
        if token.kind == "pattern":
            match = _PATTERN.fullmatch(token.text)
            flags = [_FLAGS[flag] for flag in (match[2] if match else "") if flag in _FLAGS]
            said = quoted(match[1].replace("\\/", "/") if match else "")
            return f"re.compile({', '.join([said, ' | '.join(flags)] if flags else [said])})"
        if token.text == "-" and self._at < len(self._given) and self._given[self._at].kind == "number":
            return "-" + self.value(depth + 1)
        if token.text == "[":
            return f"[{', '.join(self._values(']', depth))}]"
        if token.text == "{":
            return f"{{{', '.join(f'{quoted(name)}: {value}' for name, value in self._pairs(depth))}}}"
        if token.kind == "name":
            return _CONSTANTS.get(token.text) or self._chain(token, depth)
        self._at -= 1
        self._refuse("a value")

    def _chain(self, root: Token, depth: int) -> str:
        said = snake(root.text) if self._peek("(") else root.text
        said += self._called(root.text, depth)
        negated = ""
        while self._peek("."):
            self._at += 1
            name = self._next("a name")
            if name.kind != "name":
                self._at -= 1
                self._refuse("a name")
            if name.text == "soft" and said == "expect":
                said += self._called(name.text, depth)
            elif name.text == "not" and not self._peek("("):
                negated = "not_"
            elif name.text in _PROPERTIES and self._peek("("):
                self._take("(")
                self._take(")")
                said += f".{snake(name.text)}"
            else:
                said += f".{negated}{snake(name.text)}{self._called(name.text, depth)}"
                negated = ""
        return said

    def _called(self, name: str, depth: int) -> str:
        """The arguments of a call, the options at its end by their names; nothing where nothing is called."""
        if not self._peek("("):
            return ""
        self._at += 1
        said: list[str] = []
        while not self._peek(")"):
            if self._peek("{") and name not in _TAKES_OBJECT:
                self._at += 1
                said += [f"{snake(option)}={value}" for option, value in self._pairs(depth)]
            else:
                said.append(self.value(depth + 1))
            if not self._peek(")"):
                self._take(",", ")")
        self._at += 1
        return f"({', '.join(said)})"

    def _values(self, end: str, depth: int) -> list[str]:
        said: list[str] = []
        while not self._peek(end):
            said.append(self.value(depth + 1))
            if not self._peek(end):
                self._take(",", end)
        self._at += 1
        return said

    def _pairs(self, depth: int) -> list[tuple[str, str]]:
        said: list[tuple[str, str]] = []
        while not self._peek("}"):
            if self._peek("..."):
                self._spread()
                said.append(("spread", "None"))
                continue
            name = self._next("a name")
            if name.kind not in ("name", "text"):
                self._at -= 1
                self._refuse("a name")
            self._take(":")
            said.append((text_of(name) if name.kind == "text" else name.text, self.value(depth + 1)))
            if not self._peek("}"):
                self._take(",", "}")
        self._at += 1
        return said

    def _spread(self) -> None:
        """Passes over `...devices['iPhone 15'],`: what it stands for is only known when the script is run."""
        depth = 0
        while depth or not self._peek(",", "}"):
            text = self._next('"}"').text
            depth += (text in _OPENING) - (text in _CLOSING)
        if self._peek(","):
            self._at += 1


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
