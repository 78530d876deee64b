"""What is wrong with a world file, as one sentence: file, line, key, what, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from rapidfuzz import fuzz, process

from environments.contract import WorldError
from environments.yaml_lines import KeyPath, nearest_line

_NO_LINES: dict[KeyPath, int] = {}


class Page(NamedTuple):
    """A file as it was read: its name, and the line of each key."""

    name: str
    lines: dict[KeyPath, int] = _NO_LINES

    def mistake(self, path: KeyPath, said: str) -> WorldError:
        """`said` without its full stop."""
        line = nearest_line(self.lines, path)
        place = self.name if line is None else f"{self.name}, line {line}"
        key = ".".join(str(part) for part in path)
        return WorldError(f"{place}: {key + ': ' if key else ''}{said}{'' if said.endswith('?') else '.'}")

    def invalid(self, bad: ValidationError, root: type[BaseModel], at: KeyPath = ()) -> WorldError:
        """The first thing that pydantic found at a key."""
        # A misspelt key is also a missing one; the misspelling says more.
        first = next((error for error in bad.errors() if error["type"] == "extra_forbidden"), bad.errors()[0])
        path = (*at, *first["loc"])
        if first["type"] == "extra_forbidden":
            word, known = str(path[-1]), _keys_at(root, first["loc"][:-1])
            said = f"this key is not known; known keys here are: {', '.join(known)}{meant(word, known)}"
        elif first["type"] == "missing":
            said = "this key is missing; add it"
        else:
            said = reason(bad)
        return self.mistake(path, said)


def _keys_at(root: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    """The keys that may stand at a place of a document."""
    model: type[BaseModel] = root
    for part in loc:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        if part in fields:
            model = _model_in(fields[str(part)].annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a type is or holds: `Line` of `tuple[Line, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def reason(bad: ValidationError) -> str:
    """What pydantic says of the first problem, with the value where that helps."""
    said = bad.errors()[0]["msg"].removeprefix("Value error, ")
    given = bad.errors()[0]["input"]
    shown = f", not {given!r}" if said.startswith("Input should") and isinstance(given, str | int | float | bool) else ""
    return said.rstrip(".") + shown


def meant(word: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    """`; did you mean mail?`, or nothing."""
    hit = process.extractOne(str(word), list(names), scorer=fuzz.WRatio, score_cutoff=60)
    return f"; did you mean {hit[0]}?" if hit else ""
