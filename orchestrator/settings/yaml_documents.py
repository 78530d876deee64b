"""YAML files whose every value remembers its line, and pydantic's complaints turned into one sentence that says where."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from environments.files.small_files import TooLarge, read_small
from environments.files.yaml_lines import KeyPath as KeyPath
from environments.files.yaml_lines import lines_of, nearest_line, refuse_deep
from orchestrator.errors import UsageProblem, did_you_mean
from protocol import JsonObject

Model = TypeVar("Model", bound=BaseModel)


class Source(NamedTuple):
    """Where a value was set: a file with its line, or words such as `command line`."""

    name: str
    line: int | None = None

    def __str__(self) -> str:
        return self.name if self.line is None else f"{self.name}, line {self.line}"


Where = Callable[[KeyPath], Source]
"""Tells where the value of a key was set."""


class Document(NamedTuple):
    """A mapping from a file, with the line of every key and list item."""

    data: JsonObject
    lines: dict[KeyPath, int]
    name: str

    def where(self, path: KeyPath) -> Source:
        """The source of the value at `path`, or of the nearest thing around it."""
        line = nearest_line(self.lines, path)
        return Source(self.name) if line is None else Source(self.name, line)


def read_document(path: Path, what: str) -> Document:
    """The YAML mapping in `path`; `what` names the file's kind in messages."""
    return parse_document(_text(path, what), shown(path), what)


def read_private(path: Path, what: str) -> tuple[Any, dict[KeyPath, int]]:
    """What stands in a YAML file that may hold something private, and its lines: no complaint repeats a word of it."""
    name, text = shown(path), _text(path, what)
    try:
        return _parsed(text)
    except yaml.MarkedYAMLError as bad:
        line = bad.problem_mark.line + 1 if bad.problem_mark else 1
        raise UsageProblem(f"{name}, line {line}: not valid YAML; often it is a colon, a tab or a quote.") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UsageProblem(f"{name}: not valid YAML; see how a {what} is written.") from None


def _text(path: Path, what: str) -> str:
    name = shown(path)
    try:
        return read_small(path)
    except TooLarge as bad:
        raise UsageProblem(f"{name}: {bad}, which no {what} is; check the path.") from None
    except FileNotFoundError:
        raise UsageProblem(f"There is no {what} {name}; check the path.") from None
    except IsADirectoryError:
        raise UsageProblem(f"{name} is a folder; give a {what} in it.") from None
    except UnicodeDecodeError as bad:
        raise UsageProblem(f"{name} is not UTF-8 text (byte {bad.start}); save the {what} as UTF-8.") from None
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or bad
        raise UsageProblem(f"The {what} {name} cannot be read: {why}.") from None


def _parsed(text: str) -> tuple[Any, dict[KeyPath, int]]:
    """The value and the lines of YAML; an empty one is an empty mapping."""
    refuse_deep(text)
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return {}, {}
    lines = lines_of(node)  # first: it refuses what would be loaded for hours
    return yaml.safe_load(text), lines


def parse_document(text: str, name: str, what: str) -> Document:
    """As read_document, from text."""
    try:
        data, lines = _parsed(text)
    except yaml.MarkedYAMLError as bad:
        line = bad.problem_mark.line + 1 if bad.problem_mark else 1
        raise UsageProblem(f"{name}, line {line}: not valid YAML ({bad.problem or bad.context}).") from None
    except RecursionError:
        raise UsageProblem(f"{name}: not valid YAML (it is nested too deeply).") from None
    except (yaml.YAMLError, ValueError) as bad:
        raise UsageProblem(f"{name}: not valid YAML ({str(bad).splitlines()[0]}).") from None
    if not isinstance(data, dict):
        raise UsageProblem(f"{name}: a {what} is a mapping of keys to values, and this is {kind_of(data)}.")
    return Document(data, lines, name)


def checked(model: type[Model], data: Mapping[str, Any], where: Where, context: Mapping[str, Any] | None = None) -> Model:
    """`data` as a `model`; else the first problem as one sentence. `where(path)` gives the Source of a key, and `context` is for
    the model's validators."""
    try:
        return model.model_validate_json(json.dumps(data, default=str), strict=True, context=context)
    except ValidationError as bad:
        raise UsageProblem(explain(bad, model, where)) from None
    except (TypeError, ValueError) as bad:
        raise UsageProblem(f"{where(())}: {bad}.") from None


def explain(bad: ValidationError, model: type[BaseModel], where: Where) -> str:
    """The first problem: file, line, key, and what was expected."""
    problems = bad.errors()
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    path = tuple(first["loc"])
    key, place = dotted(path), where(path)
    match first["type"]:
        case "extra_forbidden":
            said = f"unknown key {key!r}{did_you_mean(str(path[-1]), _fields_at(model, path[:-1]))}"
        case "missing":
            said = f"the key {key!r} is missing; it is required"
        case "value_error":
            said = f"{key}: {first['ctx']['error']}" if key else str(first["ctx"]["error"])
        case _:
            said = f"{key} is {_brief(first['input'])}, expected {_expected(first)}"
    return f"{place}: {said}." if not said.endswith("?") else f"{place}: {said}"


def _expected(problem: Any) -> str:
    words = {
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "string_type": "text (put it in quotes)",
        "bool_type": "true or false",
        "dict_type": "a mapping of keys to values",
        "model_type": "a mapping of keys to values",
        "model_attributes_type": "a mapping of keys to values",
        "list_type": "a list",
        "tuple_type": "a list",
        "path_type": "a path",
    }
    if word := words.get(problem["type"]):
        return word
    message = str(problem["msg"])
    return message.removeprefix("Input should be ").removeprefix("a valid ")


def _fields_at(model: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys that may stand at `path`, following nested models."""
    for part in path:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(str(part))
        inner = next((m for m in _models_in(field.annotation)), None) if field else None
        if inner is None:
            return [] if field else sorted(model.model_fields)
        model = inner
    return sorted(field.alias or name for name, field in model.model_fields.items())


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def kind_of(value: Any) -> str:
    """What a YAML value is, in words."""
    words = {
        dict: "a mapping",
        list: "a list",
        str: "text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        type(None): "empty",
    }
    return words.get(type(value), type(value).__name__)


def _brief(value: Any, limit: int = 40) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def dotted(path: KeyPath) -> str:
    """`limits.steps`, `success[2]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def shown(path: Path) -> str:
    """A path as a reader would type it here: relative when it lies below the working folder."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return str(path)
    return str(path) if relative.startswith("..") else relative
