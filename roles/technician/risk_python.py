"""What a Python script names and calls, and its classes, by the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from roles.technician.risk import Risk, RiskClass, of_path, short
from roles.technician.risk_words import METHODS, MODULES, NAMES, NOT_BARE

_C = RiskClass


def python_risks(code: str) -> Iterator[Risk]:
    """One risk for each import, name, call and path that matters; a plain script has one of `files`."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as bad:
        yield Risk(_C.OBFUSCATED, short(code), why=f"it is not valid Python: {bad}")
        return
    found = list(_Reader(code, tree).risks())
    yield from found or [Risk(_C.FILES, short(code))]


class _Reader:
    def __init__(self, code: str, tree: ast.Module) -> None:
        self._code = code
        self._tree = tree
        self._calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
        self._bases = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        self._modules = {
            (name.asname or name.name).partition(".")[0]: name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for name in node.names
        }

    def risks(self) -> Iterator[Risk]:
        for node in ast.walk(self._tree):
            for kind, why in self._of(node):
                said = short(ast.get_source_segment(self._code, self._calls.get(id(node), node)) or "")
                yield Risk(kind, said, getattr(node, "lineno", 1), why)

    def _of(self, node: ast.AST) -> Iterator[tuple[RiskClass, str]]:
        match node:
            case ast.Import(names=names):
                yield from (kind for name in names for kind in _module(name.name))
            case ast.ImportFrom(module=module, names=names):
                yield from _module(module or "")
                yield from (
                    _named(name.name) for name in names if name.name in NAMES and (module, name.name) != ("re", "compile")
                )
                yield from ((_C.OBFUSCATED, "it is not said what is imported") for name in names if name.name == "*")
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Name(id=name):
                yield from self._name(node, name)
            case ast.Constant(value=str(text)) if (kind := of_path(text)) and _is_path(text):
                yield kind, "it names a path outside of the files"

    def _attribute(self, node: ast.Attribute) -> Iterator[tuple[RiskClass, str]]:
        name = node.attr
        base = node.value
        module = self._modules.get(base.id, "") if isinstance(base, ast.Name) else ""
        module = "os" if isinstance(base, ast.Attribute) and base.attr == "os" else module
        if name in METHODS and module != "os":
            return
        if name in NAMES:
            yield _named(name)
        elif module == "os" and name.startswith(("exec", "spawn", "posix_spawn")):
            yield _C.OBFUSCATED, "it starts another program"

    def _name(self, node: ast.Name, name: str) -> Iterator[tuple[RiskClass, str]]:
        if name in self._modules and id(node) not in self._bases:
            yield _C.OBFUSCATED, "a module goes by another name"
        elif name in NAMES and name not in NOT_BARE:
            kind = NAMES[name]
            if kind is _C.OBFUSCATED or id(node) in self._calls:
                yield _named(name)


def _module(name: str) -> Iterator[tuple[RiskClass, str]]:
    kind = MODULES.get(name.partition(".")[0], _C.OBFUSCATED)
    if kind is not _C.FILES:
        yield kind, f"what {name or 'it'} does cannot be told" if kind is _C.OBFUSCATED else ""


def _named(name: str) -> tuple[RiskClass, str]:
    kind = NAMES[name]
    return kind, "it may run anything" if kind is _C.OBFUSCATED else ""


def _is_path(text: str) -> bool:
    """A text with a slash and no blank, as a path has it; a sentence or a date is none."""
    return "/" in text and not any(char.isspace() for char in text)
