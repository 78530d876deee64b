"""What is wrong with data that somebody wrote, in the same words wherever it is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from environments.files.yaml_lines import KeyPath  # lists of runs name what was meant without YAML

_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "text (put it in quotes)",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "list_type": "a list",
    "tuple_type": "a list",
    "path_type": "a path",
}


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant, or None when nothing is close."""
    from rapidfuzz import fuzz, process

    match = process.extractOne(word.casefold(), {name: name.casefold() for name in known}, scorer=fuzz.WRatio, score_cutoff=60)
    return str(match[2]) if match else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'steps'?`, or what there is to choose from."""
    names = sorted(known)
    if close := nearest(word, names):
        return f"; did you mean {close!r}?"
    return f"; known here: {', '.join(names)}" if names else ""


def first_problem(bad: ValidationError) -> Any:
    """What pydantic says of the problem to begin with. A misspelt key is also a missing one; the misspelling says more."""
    problems = bad.errors()
    return next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])


def problem_told(problem: Any, path: KeyPath, model: type[BaseModel] | None = None) -> str:
    """A problem of pydantic with the key at `path`; of a `model` it is said which keys it has."""
    key = dotted(path)
    match problem["type"]:
        case "extra_forbidden":
            known = _fields_at(model, tuple(problem["loc"])[:-1]) if model else []
            return f"unknown key {key!r}{did_you_mean(str(path[-1]), known)}"
        case "missing":
            return f"the key {key!r} is missing; it is required"
        case "value_error":
            return f"{key}: {problem['ctx']['error']}" if key else str(problem["ctx"]["error"])
        case "too_short":
            return f"{key} is {_brief(problem['input'])}, expected at least {problem['ctx']['min_length']} item"
        case "union_tag_not_found":
            return f"the key {problem['ctx']['discriminator']} is missing; it is required"
        case "union_tag_invalid":
            kinds = re.findall(r"'([^']*)'", problem["ctx"]["expected_tags"])
            return f"{problem['ctx']['discriminator']} is {problem['ctx']['tag']!r}{did_you_mean(problem['ctx']['tag'], kinds)}"
    message = str(problem["msg"])
    expected = _EXPECTED.get(problem["type"], message.removeprefix("Input should be ").removeprefix("a valid "))
    return f"{key}: {message}" if expected == message else f"{key or 'it'} is {_brief(problem['input'])}, expected {expected}"


def _fields_at(model: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys that may stand at `path`, following nested models."""
    for part in path:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        if part in fields:
            inner = next(iter(_models_in(fields[str(part)].annotation)), None)
            if inner is None:
                return []
            model = inner
    return sorted(field.alias or name for name, field in model.model_fields.items())


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _brief(value: Any, limit: int = 40) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def dotted(path: KeyPath) -> str:
    """`limits.steps`, `success[2]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
