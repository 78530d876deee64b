"""Where a text stopped making sense to a grammar, and what could have stood there."""

from collections.abc import Mapping

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken


def blame(text: str, bad: UnexpectedInput, named: Mapping[str, str]) -> tuple[int, int, str]:
    """Line and column from 1, and the terminals that were expected in the words of `named`, with what stands there instead."""
    if isinstance(bad, UnexpectedToken):
        names = bad.accepts or bad.expected
        where = len(text) if bad.token.type == "$END" else bad.pos_in_stream
    else:
        names = (bad.allowed if isinstance(bad, UnexpectedCharacters) else None) or set()
        where = bad.pos_in_stream
    where = len(text) if where is None or where < 0 else where
    words = sorted({named.get(name, name) for name in names})
    column = where - text.rfind("\n", 0, where)
    found = f", not {text[where]!r}" if text[where : where + 1].strip() else ""
    return text.count("\n", 0, where) + 1, column, (" or ".join(words) or "something else") + found
