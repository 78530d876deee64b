"""Goals about the files of a folder: `everything in Incoming about the roof belongs into /Projects/Roof; move it there`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roles.contracts import clauses as c
from roles.policies.rules.english.reference import slot
from roles.policies.rules.english.segments import Sentences
from roles.screen.language.masks import ANY, quote

Parse = Callable[[str, Sequence[str]], list[c.Clause]]
_PATH = rf"(?:/[\w./-]+|{ANY})"
_BELONGS = re.compile(
    rf"^(?:everything|all(?: the)? files|whatever(?: is)?|the files)\s+in\s+(?:the\s+|my\s+)?"
    rf"(?P<folder>{_PATH}|[A-Z]\w*)(?:\s+folder)?\s+"
    rf"(?:(?:that|which)\s+(?:is|are|has to do)\s+(?:about|with)|about|with)\s+(?:the\s+)?(?P<word>\w+|{ANY})\s+"
    rf"(?:belongs?|goes|go|should go|has to go)\s+(?:in|into|to)\s+(?:the\s+)?(?P<to>{_PATH}|[A-Z]\w*)(?:\s+folder)?$",
    re.IGNORECASE,
)
_MOVE_THEM = re.compile(
    r"^(?:please\s+)?(?:move|put)\s+(?:them|these(?: files)?|those(?: files)?|it all|it)\s+there\b(?:\s+and\s+leave\b.*)?$", re.I
)
_IN = re.compile(rf"\b(?:files|pictures|documents|photos|scans)\s+in\s+(?:the\s+)?(?P<folder>{_PATH}|[A-Z]\w*)\b", re.IGNORECASE)
_RENAME_THEM = re.compile(
    rf"^(?:please\s+)?(?:rename|call)\s+(?:them|these|those)\s+(?:to\s+)?(?P<names>{ANY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){ANY})+)"
    r"(?:\s*,?\s+in\s+(?:the|this|that|their)\s+(?:same\s+|present\s+)?order\b.*)?$",
    re.IGNORECASE,
)
_TABLE = "file table"


def folder(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """Files of a folder that are moved by what they are about, or named anew one after the other."""
    for at, part in enumerate(said.parts[:-1]):
        for form in (_sorted, _renamed):
            clauses = form(part.rstrip(" ."), said.parts[at + 1].rstrip(" ."), said)
            if clauses is not None:
                around = (*said.parts[:at], *said.parts[at + 2 :])
                return [*clauses, *(parse(said.plain(" ".join(around)), ()) if around else [])]
    return None


def _collected(name: str, said: Sentences) -> c.Collect:
    return c.Collect(entity=c.Entity(noun="file", subject=said.masks.show(name)), name=_TABLE)


def _sorted(first: str, second: str, said: Sentences) -> list[c.Clause] | None:
    match = _BELONGS.match(first)
    if match is None or not _MOVE_THEM.match(second):
        return None
    rows = "files to move"
    formula = f"table {quote(_TABLE)} | where [name] contains {quote(said.masks.show(match['word']))}"
    moved = c.Move(entity=c.Entity(noun="file", name=f"{c.EACH}name"), to=said.masks.show(match["to"]))
    return [_collected(match["folder"], said), c.Compute(formula=formula, name=rows), c.ForEach(table=rows, body=(moved,))]


def _renamed(first: str, second: str, said: Sentences) -> list[c.Clause] | None:
    where, match = _IN.search(first), _RENAME_THEM.match(second)
    if where is None or match is None:
        return None
    names = [said.masks.held(char).raw for char in re.findall(ANY, match["names"])]
    computed: list[c.Clause] = [
        c.Compute(formula=f"table {quote(_TABLE)} | row {n} | get [name]", name=f"file {n}") for n in range(1, len(names) + 1)
    ]
    renamed = [c.Rename(entity=c.Entity(noun="file", name=slot(f"file {n}")), to=name) for n, name in enumerate(names, start=1)]
    return [_collected(where["folder"], said), *computed, *renamed]
