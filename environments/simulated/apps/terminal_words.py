"""A command line as words and signs. A quoted `|` is a word and a bare one a pipe, which `shlex` does not tell apart."""

from __future__ import annotations

from typing import NamedTuple

SIGNS = ("&&", "||", ">>", "|&", "&>", ";;", "|", "&", ";", ">", "<", "(", ")")
WORKING = frozenset({"&&", ";", "|", ">", ">>"})
_SPECIAL = "*?["
LONGEST = 4096


class Refusal(Exception):
    """The line is not carried out; the message says what is wrong with it."""


class Word(NamedTuple):
    """A word without its quotes; `pattern` is set when it has wildcards that are not quoted."""

    text: str
    pattern: str = ""


class Sign(NamedTuple):
    """`|`, `&&`, `;`, `>` or `>>`."""

    text: str


def tokens(line: str) -> list[Word | Sign]:
    """The words and signs of a line. Raises Refusal."""
    if len(line) > LONGEST:
        raise Refusal(f"the line is too long; at most {LONGEST} characters can be read")
    found: list[Word | Sign] = []
    at = 0
    while at < len(line):
        sign = _sign_at(line, at)
        if sign:
            found.append(Sign(sign))
            at += len(sign)
        elif line[at] == "\n":
            found.append(Sign(";"))
            at += 1
        elif line[at].isspace():
            at += 1
        else:
            word, at = _word(line, at)
            found.append(word)
    return found


def _sign_at(line: str, at: int) -> str:
    sign = next((sign for sign in SIGNS if line.startswith(sign, at)), "")
    if sign and sign not in WORKING:
        raise Refusal(f"{sign!r} is not supported in this terminal; commands are joined by '|', '&&' and ';' only")
    return sign


def _word(line: str, at: int) -> tuple[Word, int]:
    start, said = at, list[tuple[str, bool]]()
    while at < len(line) and not line[at].isspace() and not _sign_at(line, at):
        char = line[at]
        if char in "'\"":
            part, at = _quoted(line, at)
            said += [(c, True) for c in part]
            continue
        if char == "\\":
            said += [(c, True) for c in line[at + 1 : at + 2]]
            at += 2
            continue
        _no_expansion(line, at)
        said.append((char, False))
        at += 1
    if line[start:at].isdigit() and line.startswith(">", at):
        raise Refusal("streams cannot be redirected by their number; use '>' and '>>'")
    return _finished(said), at


def _finished(said: list[tuple[str, bool]]) -> Word:
    if said[:1] == [("~", False)] and (len(said) == 1 or said[1][0] == "/"):
        said = [("/", False), *said[2:]]
    text = "".join(char for char, _ in said)
    if not any(char in _SPECIAL and not quoted for char, quoted in said):
        return Word(text)
    return Word(text, "".join(f"[{char}]" if quoted and char in _SPECIAL else char for char, quoted in said))


def _quoted(line: str, at: int) -> tuple[str, int]:
    """What is between quotes, and where it goes on after them."""
    quote, said = line[at], list[str]()
    at += 1
    while at < len(line) and line[at] != quote:
        if quote == '"':
            _no_expansion(line, at)
            if line[at] == "\\" and line[at + 1 : at + 2] in {'"', "\\", "$", "`"}:
                at += 1
        said.append(line[at])
        at += 1
    if at >= len(line):
        raise Refusal(f"unexpected EOF while looking for matching `{quote}'")
    return "".join(said), at + 1


def _no_expansion(line: str, at: int) -> None:
    if line[at] == "`" or line.startswith("$(", at):
        raise Refusal("commands within commands are not supported in this terminal; run them one after the other")
    after = line[at + 1 : at + 2]
    if line[at] == "$" and (after in {"{", "?", "$", "!", "#", "@", "_"} or after.isalnum()) and after:
        raise Refusal("there are no variables in this terminal; quote a dollar sign with '…'")
