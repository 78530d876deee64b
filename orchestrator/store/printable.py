"""Text of strangers made safe to print: on one line, with nothing in it that a terminal would obey. Imports nothing heavy."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from protocol import JsonObject


def write_json(path: Path, data: Any, mode: int = 0o666, indent: int | None = 1) -> None:
    """In one piece: whoever reads it has the old text or the new one."""
    from protocol.log.log import whole_file

    text = json.dumps(data, indent=indent, ensure_ascii=False, default=str) + "\n"
    with whole_file(path, errors="surrogatepass", mode=mode) as file:
        file.write(text)


def mapping_in(text: str | bytes | None) -> JsonObject | None:
    """The mapping that a text says; None for anything else."""
    try:
        value = json.loads(text or "")
    except (ValueError, TypeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def number(value: Any) -> float:
    """`value` if it is a number to count with, else 0."""
    return float(value) if isinstance(value, int | float) and abs(value) < 2**53 else 0.0


def items_of(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that move the cursor, turn the writing direction, cannot be encoded or cannot be seen."""
_SHOWN = {"\n": "⏎", "\t": " ", "\r": " "} | {joiner: joiner for joiner in "\u200d\ufe0f\ufe0e"}
"""What stands for a sign; joiners inside emoji stay."""


_PILED = re.compile(r"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})"
                    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")  # fmt: skip
"""More marks on one letter than any language has: they would be drawn over the lines above and below."""
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What reading an event raises that deskcrew never wrote."""


def clean(text: Any, limit: int = 400) -> str:
    """Foreign text on one line: no escape sequences, no direction marks, no lone surrogates; cut when too long."""
    try:
        words = str(text)
    except ValueError:  # a number of thousands of digits
        words = "…"
    if len(words) > limit:
        words = words[: limit - 1] + "…"
    return visible(words)


def shortened(text: Any, limit: int = 160) -> str:
    """The same for what is read as a sentence: cut after a word where there is one."""
    words = clean(text, limit + 1)
    if len(words) <= limit:
        return words
    whole = words[:limit].rpartition(" ")[0].rstrip(" ,;:")
    return (whole if len(whole) > limit // 2 else words[: limit - 1]) + "…"


def visible(text: str) -> str:
    """The same text on one line, with nothing in it that a terminal would obey."""
    shown = text
    if not text.isprintable():
        shown = "".join(_SHOWN.get(c, "�" if unicodedata.category(c) in _HIDDEN else c) for c in text)
    return shown if shown.isascii() else _PILED.sub(r"\1", shown)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON for stdout: letters of every language as they are, and what a terminal would obey as escapes."""
    return escaped(json.dumps(_as_data(value), indent=indent, ensure_ascii=False, default=str))


def _as_data(value: Any) -> Any:
    """Typed rows as JSON has them."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: _as_data(part) for key, part in value.items()}
    return [_as_data(part) for part in value] if isinstance(value, list | tuple) else value


def escaped(said: str) -> str:
    """The same JSON, so written."""
    return "\n".join(line if line.isprintable() else "".join(map(_escaped, line)) for line in said.split("\n"))


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1] if unicodedata.category(char) in _HIDDEN else char
