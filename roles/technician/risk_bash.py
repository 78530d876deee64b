"""The commands of a bash script and their classes, by the grammar of tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from roles.technician.risk import Risk, RiskClass, of_path, short
from roles.technician.risk_words import COMMANDS, SHELLS, VARIABLES, WRAPPERS

NO_PARSER = 'the parser for bash is not installed; get it with: pip install "deskcrew[technician]"'
_C = RiskClass
_DEEPEST = 200
_PLAIN = frozenset({"word", "number", "raw_string", "variable_name"})
_AWK_RUNS = re.compile(r"\bsystem\b|\bgetline\b|(?<!\|)\|(?!\|)|@")
_SED_RUNS = re.compile(r"(?:^|[;{}\n/0-9$,!|#])\s*[ewEW](?:\s|$)|[/|#,][gipmIM0-9]*[ew][gipmIM0-9]*(?:\s*(?:;|}|$)|\s+\S)")

Word = str | None
"""A word as it will be when the command runs; None when that is not known before."""


def bash_risks(code: str) -> Iterator[Risk]:
    """One risk for each command, redirection and assignment that matters."""
    try:
        import tree_sitter
        import tree_sitter_bash
    except ImportError:
        yield Risk(_C.OBFUSCATED, short(code), why=NO_PARSER)
        return
    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language())).parse(code.encode("utf-8")).root_node
    if root.has_error:
        yield Risk(_C.OBFUSCATED, short(code), why="it is not valid bash")
        return
    yield from _Reader(root).risks()


class _Reader:
    """One script: its tree, and the functions that it defines, whose bodies are read where they stand."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._own = {_text(node.child_by_field_name("name")) for node in _all(root) if node.type == "function_definition"}

    def risks(self) -> Iterator[Risk]:
        for node in _all(self._root):
            yield from self._of(node)

    def _of(self, node: Any) -> Iterator[Risk]:
        line, said = node.start_point[0] + 1, short(_text(node))
        match node.type:
            case "command":
                yield from (Risk(kind, said, line, why) for kind, why in self._command(node))
            case "file_redirect":
                yield from (Risk(kind, said, line, why) for kind, why in _redirected(node))
            case "variable_assignment" if _text(node.child_by_field_name("name")) in VARIABLES:
                yield Risk(_C.OBFUSCATED, said, line, "it changes what later commands mean")
            case "&":
                yield Risk(_C.PROCESS, "&", line, "it runs in the background")
            case "expansion" if "@P" in _text(node):
                yield Risk(_C.OBFUSCATED, said, line, "a value is run as a prompt")
            case "function_definition" if _text(node.child_by_field_name("name")) in COMMANDS:
                yield Risk(_C.OBFUSCATED, said, line, "it gives a known command another meaning")

    def _command(self, node: Any) -> Iterator[tuple[RiskClass, str]]:
        name = node.child_by_field_name("name")
        if name is None:  # assignments alone
            return
        words = [_word(name.named_children[0] if name.named_children else name)]
        words += [_word(child) for child in node.children_by_field_name("argument")]
        if name.named_children and name.named_children[0].type not in _PLAIN:
            yield _C.OBFUSCATED, "the name of the command is put together"
        yield from judge(words, self._own)


def judge(words: Sequence[Word], own: set[str] | frozenset[str] = frozenset()) -> Iterator[tuple[RiskClass, str]]:
    """The classes of one command, given its words."""
    if not words or words[0] is None:
        yield _C.OBFUSCATED, "which command it is is known only when it runs"
        return
    name, rest = words[0].rpartition("/")[2], words[1:]
    for word in rest:
        if word is not None and (kind := of_path(word.partition("=")[2] if word.startswith("--") else word)):
            yield kind, "it names a path outside of the files" if kind is _C.OUTSIDE else "it opens a connection"
    if words[0] in own:
        return
    if name in WRAPPERS:
        yield from judge(_behind(rest, WRAPPERS[name]), own)
    elif name in SHELLS:
        yield from _given(name, rest)
    elif name in _SPECIAL:
        yield from _SPECIAL[name](rest)
    elif name in COMMANDS:
        yield COMMANDS[name], ""
    else:
        yield _C.OBFUSCATED, f"{name} is not a command that is known here"


def _behind(words: Sequence[Word], valued: tuple[str, int]) -> Sequence[Word]:
    """The command that another one starts: past its options, their values and its own words."""
    options, own = valued
    at = 0
    while at < len(words):
        word = words[at]
        if word is None:
            return words[at:]
        if word.startswith("-") and word != "-":
            at += 2 if len(word) == 2 and word[1] in options else 1
        elif re.fullmatch(r"[A-Za-z_]\w*=.*", word, re.DOTALL):
            if word.partition("=")[0] in VARIABLES:
                return [None]
            at += 1
        elif own:
            own, at = own - 1, at + 1
        else:
            break
    return words[at:] or ["echo"]


def _given(name: str, words: Sequence[Word]) -> Iterator[tuple[RiskClass, str]]:
    """A shell or Python with a text of its own, which is read too."""
    if len(words) >= 2 and words[0] == "-c" and words[1] is not None:
        from roles.technician.risk import risks_of

        language = "python" if name.startswith("python") else "bash"
        yield from ((risk.kind, risk.why) for risk in risks_of(language, words[1]))
    else:
        yield _C.OBFUSCATED, f"what {name} runs is not written here"


def _find(words: Sequence[Word]) -> Iterator[tuple[RiskClass, str]]:
    yield _C.FILES, ""
    if None in words and any(word in {"-exec", "-execdir", "-ok", "-okdir"} for word in words):
        yield from judge([None])
        return
    for at, word in enumerate(words):
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            end = next((n for n in range(at, len(words)) if words[n] in {";", "+"}), len(words))
            yield from judge(words[at + 1 : end])


def _sed(words: Sequence[Word]) -> Iterator[tuple[RiskClass, str]]:
    yield _C.FILES, ""
    if any(word is None or _SED_RUNS.search(word) or word in {"-f", "--file"} for word in words):
        yield _C.OBFUSCATED, "its program may run commands"


def _awk(words: Sequence[Word]) -> Iterator[tuple[RiskClass, str]]:
    program = next((word for word in words if word is None or not word.startswith("-")), None)
    if program is None or any(word is not None and word.startswith(("-f", "-i", "-l", "-E")) for word in words):
        yield _C.OBFUSCATED, "its program is not written here"
    elif any(word is not None and _AWK_RUNS.search(word) for word in words):
        yield _C.OBFUSCATED, "its program may run commands"
    else:
        yield _C.FILES, ""


def _chmod(words: Sequence[Word]) -> Iterator[tuple[RiskClass, str]]:
    special = any(word is None or re.fullmatch(r"[ugoa]*[+=][rwxX]*[st].*|[2467]\d{3}", word) for word in words[:2])
    yield (_C.PRIVILEGE, "it gives a file the rights of another user") if special else (_C.FILES, "")


def _sort(words: Sequence[Word]) -> Iterator[tuple[RiskClass, str]]:
    if any(word is not None and word.startswith("--compress-program") for word in words):
        yield _C.OBFUSCATED, "it starts another program"
    yield _C.FILES, ""


_SPECIAL = {"find": _find, "sed": _sed, "awk": _awk, "mawk": _awk, "gawk": _awk, "chmod": _chmod, "sort": _sort}


def _redirected(node: Any) -> Iterator[tuple[RiskClass, str]]:
    target = node.child_by_field_name("destination")
    if target is None or target.type in {"number", "process_substitution"}:
        return
    path = _word(target)
    if path is not None and (kind := of_path(path)):
        yield kind, "it names a path outside of the files" if kind is _C.OUTSIDE else "it opens a connection"


def _word(node: Any) -> Word:
    """What a word will be, if its text alone tells."""
    match node.type:
        case "word":
            return re.sub(r"\\(.)", r"\1", _text(node), flags=re.DOTALL)
        case "number":
            return _text(node)
        case "raw_string":
            return _text(node)[1:-1]
        case "string":
            if any(child.type not in {"string_content"} for child in node.named_children):
                return None
            return re.sub(r'\\([\\"$`])', r"\1", _text(node)[1:-1])
        case "concatenation":
            parts = [_word(child) for child in node.children]
            return None if None in parts else "".join(part for part in parts if part is not None)
        case _:
            return None if node.named_children or node.type == "ansi_c_string" else _text(node)


def _text(node: Any) -> str:
    return "" if node is None or node.text is None else str(node.text.decode("utf-8", "replace"))


def _all(root: Any) -> Iterator[Any]:
    """Every node, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)
