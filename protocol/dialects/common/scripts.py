"""Code as statements: where one begins and ends is told with strings, brackets and comments respected. Nothing is evaluated.

A model's answer may put its code into a fence; what looks like a fence inside a text is none.
"""

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from protocol.dialects.common.conversion import Reading
from protocol.dialects.common.dialect import DialectError, Loss, ParsedPayload, Piece
from protocol.dialects.common.fields import position
from protocol.dialects.common.syntax import TEXT, TOKEN, BareName, Call, parse_value
from protocol.model.geometry import JsonObject

_ALONE = re.compile(f"[rRuU]?(?:{TEXT})", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*```[^\n]*", re.MULTILINE)
_ONE_LINE = re.compile(r"[ \t]*```[ \t]*([^`\n]+?)[ \t]*```[ \t]*$")
_CODE = re.compile(r"^[ \t]*([a-z]\w*\.[a-zA-Z]\w*[ \t]*\()", re.MULTILINE)


class Statement(NamedTuple):
    """One statement, without the comment behind it. `start` and `end` are its place in the text, its end mark included."""

    text: str
    start: int
    end: int
    line: int
    column: int

    @property
    def where(self) -> str:
        return f"line {self.line}, column {self.column}"

    @property
    def first_words(self) -> str:
        return self.text.partition("\n")[0][:60]


def is_a_text(statement: str) -> bool:
    """Whether a statement is nothing but one text in quotes, such as a docstring."""
    return _ALONE.fullmatch(statement) is not None and len(statement) > 1 and statement[-1] in "\"'"


def statements(text: str) -> Iterator[Statement]:
    """The statements of `text`, in order; lines within brackets and texts belong together."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    start, depth, comment = 0, 0, -1
    for token in TOKEN.finditer(text):
        at = token.start()
        mark = text[at]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif mark == "#":
            comment = at
        elif mark in "\n;":
            yield from _statement(text, start, at if comment < 0 else comment, token.end(), breaks)
            start, comment = token.end(), -1
    yield from _statement(text, start, len(text) if comment < 0 else comment, len(text), breaks)


def _statement(text: str, start: int, stop: int, end: int, breaks: list[int]) -> Iterator[Statement]:
    body = text[start:stop]
    said = body.strip()
    if said:
        first = start + len(body) - len(body.lstrip())
        line = bisect_left(breaks, first)
        yield Statement(said, start, end, line + 1, first - (breaks[line - 1] if line else -1))


_HEADER = re.compile(r"(?:async[ \t]+)?(?:if|for|while|with|try|def|class)\b")
_GOES_ON = re.compile(r"(?:elif|else|except|finally)\b")
QUOTED = r"""\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'"""
CALLED = rf"\((?:[^()\"']|{QUOTED})*+\)"
"""Arguments without a call among them: what is passed over hides nothing that is done."""
IMPORT = re.compile(r"(?:from[ \t]+[\w.]+[ \t]+)?import\b.+", re.DOTALL)
_PRINTED = re.compile(rf"print{CALLED}", re.DOTALL)
_ASSIGNED = re.compile(r"(?<![\w.])([^\W\d]\w*)[ \t]*(?:[-+*/%|&]|//)?=(?!=)|\b(?:for|as)[ \t]+([^\W\d]\w*)")
PRINTED = Loss(what="console", why="words for the console are no action")
UNSURE = "what is done here is only known when it is run"


_LOOP = re.compile(rf"for[ \t]+([^\W\d]\w*(?:[ \t]*,[ \t]*[^\W\d]\w*)*)[ \t]+in[ \t]+((?:{QUOTED}|[^:\"'])++):", re.DOTALL)
_RANGE = re.compile(r"range\(([-+\d, \t]{1,40})\)")
_HELD = re.compile(rf"with[ \t]+((?:\w+\.)?)hold\([ \t]*({QUOTED})[ \t]*\)[ \t]*:", re.DOTALL)
_LEAVES = re.compile(r"(?:break|continue|return|raise|yield|global|nonlocal|del)\b")
_MOST_WITHIN = 50
"""Functions that may call each other."""
_MOST_UNROLLED = 1_000
"""Statements that a loop may stand for."""


def _blocks(
    text: str, found: Iterable[Statement], functions: "Functions", enters: Callable[[Statement], bool], depth: int = 0
) -> Iterator[tuple[Statement, bool]]:
    header: Statement | None = None
    body: list[Statement] = []
    row = end = 0

    def block(header: Statement) -> Iterator[tuple[Statement, bool]]:
        if functions.keeps(header, body):
            return
        if (tried := _tried(header, body)) is not None:
            yield from _blocks(text, tried, functions, enters, depth)
            return
        whole = header._replace(text=text[header.start : end].strip())
        done = _unrolled(header, body)
        unsure = done is None or any(functions.is_run(one.text) for one in done)
        yield from [(whole, True)] if done is None or unsure else [(one, False) for one in done]

    for s in found:
        goes_on = header is not None and (
            s.line == row or s.column > header.column or (s.column == header.column and _GOES_ON.match(s.text) is not None)
        )
        if header is not None and not goes_on:
            yield from block(header)
            header = None
        row, end = s.line + s.text.count("\n"), s.end
        if goes_on:
            body.append(s)
        elif functions.waits(s) or (_HEADER.match(s.text) and not enters(s)):
            header, body = s, []
        else:
            called = functions.called_by(s)
            unsure = called is None or (bool(called) and depth >= _MOST_WITHIN)
            yield s, unsure
            if called and not unsure:
                yield from _blocks(text, called, functions, enters, depth + 1)
                yield called[0], False  # names that were given within it mean nothing behind it
    if header is not None:
        yield from block(header)


_ENDS = re.compile(r"(?:break|continue|return|raise)\b")
_TRY = re.compile(r"try[ \t]*:|(?:except\b[^:\n]*|else[ \t]*|finally[ \t]*):")
_TOLD = r"print|exit|sys\.exit|logg\w+\.\w+|traceback\.print_exc|\w+\.screenshot"
_GIVES_UP = re.compile(rf"pass|(?:raise|return)\b[^()]*(?:{CALLED})?|(?:{_TOLD}){CALLED}", re.DOTALL)


def _tried(header: Statement, body: list[Statement]) -> list[Statement] | None:
    """What a `try:` does where nothing fails; None for another block, and where something is done because something fails."""
    if not header.text.startswith("try"):
        return None
    done: list[Statement] = []
    failed = False
    for s in (header, *body):
        part = _TRY.match(s.text) if s.column == header.column else None
        if part is not None:
            failed = s.text.startswith("except")
            said = s.text[part.end() :].strip()
            s = s._replace(text=said, column=s.column + len(s.text) - len(said))
        if s.text and not _GIVES_UP.fullmatch(s.text) if failed else _ENDS.match(s.text):
            return None
        done += [s] if s.text and not failed else []
    return done


def _unrolled(header: Statement, body: list[Statement]) -> list[Statement] | None:
    """The statements that a block does for certain, one after the other; None where only a run tells them."""
    opening = _HELD.match(header.text) or _LOOP.match(header.text)
    if opening is None:
        return None
    if said := header.text[opening.end() :].strip():
        body = [header._replace(text=said, column=header.column + len(header.text) - len(said)), *body]
    if any(s.column <= header.column or _HEADER.match(s.text) or _LEAVES.match(s.text) for s in body):
        return None
    if opening.re is _HELD:
        down, up = (header._replace(text=f"{opening[1]}{name}({opening[2]})") for name in ("keyDown", "keyUp"))
        return [down, *body, up]
    turns = _turns(opening[2])
    if turns is None or len(turns) * (len(body) + 1) > _MOST_UNROLLED:
        return None
    given = (header._replace(text=f"{opening[1]} = {value!r}") for value in turns)
    return [one for each in given for one in (each, *body)]


def _turns(said: str) -> Sequence[Any] | None:
    """What a loop goes through; None for what is no literal."""
    try:
        if (counted := _RANGE.fullmatch(said.strip())) is not None:
            return range(*map(int, counted[1].split(",")))[: _MOST_UNROLLED + 1]
        values = parse_value("", said)
    except (DialectError, ValueError, TypeError):
        return None
    return values if isinstance(values, list) and not _has_name(values) else None


_FUNCTION = re.compile(r"(?:async )?def (\w+)")
_CALL = re.compile(r"(?<!def )\b([^\W\d]\w*)\(|,[ \t]*([^\W\d]\w*)\)(?![ \t]*(?:->|:))")
"""A function that is called, or given to something that calls it."""
_MAIN = r"if __name__ == [\"']__main__[\"']:"
FRAME = rf"pass|(?:async )?def \w+{CALLED}(?: ?-> ?[^()]+)?:|{_MAIN}"
"""What stands around the statements of a script."""
_RUN = re.compile(r"(?:await )?(?:asyncio\.run\()?(\w+)\(([\w, ]*)\)\)?")
_PARAMETERS = re.compile(rf"(?:async )?def \w+({CALLED})", re.DOTALL)
_PART = rf"(?:[^,=\"'()\[\]]|\[[^\[\]\"']*\]|{QUOTED})*+"
_PARAMETER = re.compile(rf"\s*(\**)(\w*)/?\s*(?::{_PART})?(?:=({_PART}))?(?:,|\Z)", re.DOTALL)
_AT_ONCE = ("main", "run")
"""What codegen calls its functions; each is called once, some of them by the other."""


class Functions:
    """The functions of a script, and which are done once: where a statement calls them, or else where they are defined."""

    def __init__(self, text: str, means: Callable[[str], str | None]) -> None:
        """`means` tells what a name stands for now, as it is written; None where that is not known."""
        self._means = means
        self._calls = Counter(one or other for one, other in _CALL.findall(text))
        self._entered: set[str] = set()
        self._run = {run[1] for s in statements(text) if (run := _RUN.fullmatch(s.text))}
        """Those that a statement calls which does nothing else."""
        self._bodies: dict[str, list[Statement]] = {}
        self._parameters: dict[str, dict[str, str] | None] = {}
        """Of each function what its parameters stand for where nothing is given to them, as that stood where it was defined."""

    def enters(self, s: Statement, *, uncalled: bool = False) -> bool:
        """Whether the statements of a function, or of the main part, are done one after the other, once: it is called once, or
        nowhere where `uncalled` says that somebody else calls it, as a test."""
        function = _FUNCTION.match(s.text)
        if function is None:
            return re.fullmatch(_MAIN, s.text) is not None
        name, calls = function[1], self._calls[function[1]]
        once = name in self._bodies or (name in _AT_ONCE if calls else uncalled)
        if once:
            self._entered.add(name)
        return once

    def waits(self, s: Statement) -> bool:
        """Whether a function's statements are to be told where it is called."""
        function = _FUNCTION.match(s.text)
        return function is not None and self._waits(function[1])

    def _waits(self, name: str) -> bool:
        once = self._calls[name] == 1 or name in _AT_ONCE
        return once and name in self._run and self._bodies.get(name) != []

    def keeps(self, header: Statement, body: list[Statement]) -> bool:
        """Keeps the statements of a function for its call, if it waits for that."""
        function = _FUNCTION.match(header.text)
        if function is None or not self._waits(function[1]):
            return False
        self._bodies[function[1]] = [header, *body]
        self._parameters[function[1]] = self._read_parameters(header.text)
        self._entered.add(function[1])
        return True

    def called_by(self, s: Statement) -> list[Statement] | None:
        """The statements of the function that a statement calls, once; None where it is not told what a parameter stands for."""
        run = _RUN.fullmatch(s.text)
        found = self._bodies.get(run[1], []) if run else []
        if not run or not found:
            return []
        self._bodies[run[1]] = []
        given = self._given(run[1], [part.strip() for part in run[2].split(",") if part.strip()])
        return None if given is None else _with_arguments(found, given)

    def _read_parameters(self, header: str) -> dict[str, str] | None:
        opening = _PARAMETERS.match(header)
        inner = opening[1][1:-1] if opening else ""
        said = list(_PARAMETER.finditer(inner))
        if opening is None or "".join(one[0] for one in said) != inner:
            return None
        usual = {one[2]: (one[3] or "").strip() for one in said if one[2] and not one[1]}
        return {name: self._meant(value) for name, value in usual.items()}

    def _meant(self, said: str) -> str:
        return self._means(said) or said

    def _given(self, function: str, arguments: list[str]) -> JsonObject | None:
        """What the parameters stand for that stand for something else than their names say; None where that is not told."""
        parameters = self._parameters[function]
        if parameters is None or len(arguments) > len(parameters):
            return None
        given = {**parameters, **{name: self._meant(said) for name, said in zip(parameters, arguments, strict=False)}}
        if any(not said and self._means(name) for name, said in given.items()):
            return None
        return {name: said for name, said in given.items() if said and said != name}

    def is_run(self, statement: str) -> bool:
        """Whether a statement calls a function whose statements are told where it is defined."""
        run = _RUN.fullmatch(statement)
        return run is not None and run[1] in self._entered


def _with_arguments(function: list[Statement], means: JsonObject) -> list[Statement] | None:
    """The statements of a function: a parameter is given the literal that it stands for, and what is no literal stands in its
    place; None where one of the names in that is given anew."""
    header, *body = function
    literals = {name: said for name, said in means.items() if _is_literal(said)}
    others = {name: said for name, said in means.items() if name not in literals}
    first = body[0] if body else header
    given = [
        first._replace(text=f"{name} = {said}", line=header.line, column=header.column + 1) for name, said in literals.items()
    ]
    if not others:
        return [header, *given, *body]
    fixed = "|".join({*others, *re.findall(r"[^\W\d]\w*", " ".join(others.values()))})
    anew = re.compile(rf"(?:[\w \t,]*\b)?(?:{fixed})\b[\w \t,]*(?:[-+*/%|&]|//)?=(?!=)|.*\b(?:for|as)[ \t]+(?:{fixed})\b")
    if any(anew.match(s.text) for s in body):
        return None
    word = re.compile(rf"([fF]?)({TEXT})|(?<![\w.])({'|'.join(others)})\b(?![ \t]*=(?!=))", re.DOTALL)

    def said(found: re.Match[str]) -> str:
        if found[3]:
            return str(others[found[3]])
        fields = re.sub(r"\{(\w+)\}", lambda field: f"{{{others.get(field[1], field[1])}}}", found[2])
        return found[1] + (fields if found[1] else found[2])

    return [header, *given, *(s._replace(text=word.sub(said, s.text)) for s in body)]


def _is_literal(said: str) -> bool:
    try:
        return not _has_name(parse_value("", said))
    except DialectError:
        return False


def is_printed(statement: str) -> bool:
    """Whether a statement only prints words."""
    return _PRINTED.fullmatch(statement) is not None


def assigned_in(text: str) -> set[str]:
    """The names that are given something, or something else, anywhere in a text."""
    return {one or other for one, other in _ASSIGNED.findall(text)}


def code_in(dialect: str, text: str) -> tuple[str, list[Loss]]:
    """The code of a model's answer, each character where it stood, and what is lost: the words around the fence.

    A text without a fence is code. Raises DialectError for code outside a fence.
    """
    fences = list(_fences(text)) if "```" in text else []
    if not fences:
        return text, []
    outside: list[tuple[int, int]] = []
    start, opened = 0, False
    for fence in fences:
        one = None if opened else _ONE_LINE.match(fence[0])
        if one:
            outside += [(start, fence.start() + one.start(1)), (fence.start() + one.end(1), fence.end())]
            start = fence.end()
        elif opened:
            start, opened = fence.start(), False
        else:
            outside.append((start, fence.end()))
            opened = True
    if not opened:
        outside.append((start, len(text)))
    words = [_FENCE.sub("", text[a:b]) for a, b in outside]
    if code := next(filter(None, (_CODE.search(text, a, b) for a, b in outside)), None):
        raise DialectError(dialect, position(text, code.start(1)), "code stands outside the fence")
    lost = any(part.strip(" \t\n`") for part in words)
    code_alone, done = "", 0
    for a, b in outside:  # blanks there: every other character stays at its line and column
        code_alone += text[done:a] + re.sub(r"[^\n]", " ", text[a:b])
        done = b
    return code_alone + text[done:], [Loss(what="words", why="words around the code are no action")] if lost else []


def _fences(text: str) -> Iterator[re.Match[str]]:
    """Lines that begin with three backticks and are not part of a text in quotes."""
    texts = [t.span() for t in TOKEN.finditer(text) if text.startswith(('"""', "'''"), t.start())]
    n = 0
    for fence in _FENCE.finditer(text):
        while n < len(texts) and texts[n][1] <= fence.start():
            n += 1
        if n == len(texts) or fence.start() < texts[n][0]:
            yield fence


_OPERAND = rf"(?<![\w.])(?:[fFrRuU]?(?:{TEXT})|[^\W\d]\w*+(?![.(\[]))"
_SUM = re.compile(rf"{_OPERAND}(?:\s*+\+\s*+{_OPERAND})*+", re.DOTALL)
_FIELD = re.compile(r"\{\{|\}\}|\{[^\W\d]\w*\}")


def with_texts_joined(text: str, given: Mapping[str, Any]) -> str:
    """A statement in which texts that are put together are one: `"https://" + HOST`, `f"{HOST}/login"`. What is not given a
    literal stays as it is."""

    def one(found: re.Match[str]) -> str:
        operands = re.findall(_OPERAND, found[0], re.DOTALL)
        values = [_operand(said, given) for said in operands]
        alone = len(operands) == 1 and operands[0][0] not in "fF"
        return found[0] if alone or None in values else repr("".join(map(str, values)))

    return _SUM.sub(one, text)


def _operand(said: str, given: Mapping[str, Any]) -> str | None:
    """The text that an operand is; None where that is not known."""
    if said[-1] not in "\"'":
        value = given.get(said)
        return value if type(value) is str else None
    known = {name: value for name, value in given.items() if type(value) in (str, int, float)}
    formatted = said[0] in "fF"
    try:
        text = str(parse_value("", said[formatted:]))
        if formatted and re.search("[{}]", _FIELD.sub("", text)):
            return None  # more than names
        return text.format_map(known) if formatted else text
    except (DialectError, KeyError):
        return None


_GIVEN = re.compile(r"([^\W\d]\w*(?:[ \t]*,[ \t]*[^\W\d]\w*)*)[ \t]*=(?!=)(.+)", re.DOTALL)


def names_given(dialect: str, statement: Statement) -> JsonObject:
    """The names that a statement gives, with their literals; none where it gives none. Raises DialectError."""
    given = _GIVEN.fullmatch(statement.text)
    if given is None:
        return {}
    names, said = [name.strip() for name in given[1].split(",")], given[2].strip()
    try:
        value = parse_value(dialect, said if len(names) == 1 or said[:1] in ("(", "[") else f"({said})")
    except DialectError:
        raise DialectError(dialect, statement.where, "only a literal can be given a name, such as x = 640") from None
    if len(names) == 1:
        values = [value]
    elif isinstance(value, list) and len(value) == len(names):
        values = value
    else:
        raise DialectError(dialect, statement.where, f"{len(names)} names need {len(names)} literals")
    if any(_has_name(each) for each in values):
        raise DialectError(dialect, statement.where, "only a literal can be given a name, such as x = 640")
    return dict(zip(names, values, strict=True))


def _has_name(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_name, value))
    return isinstance(value, BareName)


def with_values(call: Call, given: Mapping[str, Any]) -> Call:
    """The call with the literals of the names among its arguments."""

    def said(value: Any) -> Any:
        if isinstance(value, BareName):
            return given.get(value, value)
        return [said(each) for each in value] if isinstance(value, list) and _has_name(value) else value

    return call._replace(args=[said(one) for one in call.args], kwargs={name: said(one) for name, one in call.kwargs.items()})


class ScriptReading(Reading, ABC):
    """A script that is read statement by statement, and what its names stand for."""

    nothing, empty = "there is no action in it", DialectError
    functions: Functions
    names: dict[str, Any]
    """What was given a name, as far as it is known."""
    around: list[tuple[int, dict[str, Any]]]
    """Where the functions begin that are read now, and what the names meant around each."""

    @abstractmethod
    def open(self, payload: Any) -> str:
        """The code of a payload, before its first statement is read. Raises DialectError."""

    def enters(self, s: Statement) -> bool:
        """Whether the statements of a block are done one after the other, once."""
        return self.functions.enters(s)

    def statements(self, payload: Any) -> Iterator[tuple[Statement, bool]]:
        """The statements of a payload, and whether each is a block of which only a run tells what it does.

        Such a block (a condition, a loop, a function) is one statement with its body. The statements of one that is entered
        follow it, and those of a function that is called once follow the call. A loop over literals stands for what it does, and
        so do `with pyautogui.hold("shift"):` and `try:`.
        """
        self.names, self.around = {}, []
        text = self.open(payload)
        self.functions = Functions(text, self.meaning)
        for s, unsure in _blocks(text, statements(text), self.functions, self.enters):
            self._scope(s, unsure)
            yield s, unsure

    def _scope(self, s: Statement, unsure: bool) -> None:
        """What names mean in a function ends with it: `s` is its first line, behind it once more, or any other statement."""
        if self.around and self.around[-1][0] == s.start:
            self.names = self.around.pop()[1]
        elif s.text.startswith(("def ", "async def ")) and not unsure:
            self.around.append((s.start, self.names))
            self.names = {**self.around[0][1]}
        elif self.around and s.column == 1:
            self.names = self.around[0][1]
            self.around = []
        elif s.text.startswith("global "):
            self.forget(re.findall(r"\w+", s.text))

    def forget(self, names: Iterable[str]) -> None:
        """These names stand for something else now, and nobody here knows for what."""
        for name in names:
            for known in (self.names, *(around for _, around in self.around)):
                known.pop(name, None)

    @abstractmethod
    def meaning(self, name: str) -> str | None:
        """What a name stands for now, as it is written; None where that is not known."""

    @abstractmethod
    def statement(self, s: Statement, unsure: bool) -> None:
        """Read one more statement, or a block that is unsure. Raises DialectError, and can go on behind it."""

    def joined(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces of statements that follow on each other, with what several of them mean together."""
        return pieces

    def parsed(self, payload: Any) -> ParsedPayload:
        for s, unsure in self.statements(payload):
            self.statement(s, unsure)
        pieces = self.joined([Piece(0, action, []) for action in self.actions])
        actions = [piece.action for piece in pieces if piece.action is not None]
        losses = [*self.losses, *(loss for piece in pieces for loss in piece.losses)]
        return ParsedPayload(actions or self.refuse("", self.nothing), losses)

    def pieces(self, text: str) -> Iterator[Piece]:
        """The pieces of a script: what is not understood is one, and so is a block that only a run tells. What was lost stands
        with the action that it led to, and what was lost after the last action with that one."""
        found: list[Piece] = []
        since: list[Piece] = []
        """The pieces since the last that is not understood, one for each action."""
        try:
            for s, unsure in self.statements(text):
                refused = self._next(s, since, unsure)
                if refused is not None:
                    found += [*self.joined(since), refused]
                    since, self.actions = [], []
        except DialectError as bad:
            found.append(Piece(1, None, [], bad.where, bad.reason))
        found += self.joined(since)
        if last := next((piece for piece in reversed(found) if piece.action is not None), None):
            last.losses.extend(self.losses)
        yield from found

    def _next(self, s: Statement, since: list[Piece], unsure: bool) -> Piece | None:
        """Reads a statement and adds its pieces; the piece that it is where it is not understood."""
        before = self.actions[-1] if self.actions else None
        refused: Piece | None = None
        try:
            self.statement(s, unsure)
        except DialectError as bad:
            refused = Piece(s.line, None, [], bad.where or s.where, f"{bad.reason}: {s.first_words}")
        lost = [*self.losses]
        if since and (len(self.actions) < len(since) or self.actions[len(since) - 1] is not before):
            lost = [*since.pop().losses, *lost]  # the last action is a part of the next one
        for action in self.actions[len(since) :]:
            since.append(Piece(s.line, action, lost))
            lost = []
            self.losses = []
        return refused
