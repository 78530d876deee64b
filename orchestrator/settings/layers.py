"""Layers of settings: YAML files and overrides, merged key by key, each value with its source and its folder."""

import json
import os
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml
from pydantic import BaseModel, Field, ValidationError

from environments.files.wrong_data import did_you_mean, first_problem, problem_told
from environments.files.yaml_lines import KeyPath, TooLarge, YamlText, nearest_line, read_small, read_yaml, safe_data
from orchestrator.errors import UsageProblem
from protocol import Frozen, JsonObject

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
        data, lines = read_yaml(text, yaml.SafeLoader)
        return ({} if data is None else data), lines
    except yaml.MarkedYAMLError as bad:
        line = bad.problem_mark.line + 1 if bad.problem_mark else 1
        raise UsageProblem(f"{name}, line {line}: not valid YAML; often it is a colon, a tab or a quote.") from None
    except (yaml.YAMLError, ValueError):
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


@lru_cache(maxsize=128)
def _parsed(text: str) -> YamlText:
    """Read once in a process: one run reads its safety policy three times, and a suite the defaults for each episode."""
    return read_yaml(text, yaml.SafeLoader)


def parse_document(text: str, name: str, what: str) -> Document:
    """As read_document, from text."""
    try:
        kept, lines = _parsed(text)
    except yaml.MarkedYAMLError as bad:
        line = bad.problem_mark.line + 1 if bad.problem_mark else 1
        # What the library itself finds is mostly a text that needs quotes; what read_yaml adds says what to do.
        hint = "" if type(bad) is yaml.MarkedYAMLError else "; put a text with a colon, a hash or a bracket in quotes"
        raise UsageProblem(f"{name}, line {line}: not valid YAML ({bad.problem or bad.context}){hint}.") from None
    except (yaml.YAMLError, ValueError) as bad:
        raise UsageProblem(f"{name}: not valid YAML ({str(bad).splitlines()[0]}).") from None
    data = {} if kept is None else deepcopy(kept)
    if not isinstance(data, dict):
        raise UsageProblem(f"{name}: a {what} is a mapping of keys to values, and this is {kind_of(data)}.")
    return Document(data, lines, name)


def checked(model: type[Model], data: Mapping[str, Any], where: Where, context: Mapping[str, Any] | None = None) -> Model:
    """`data` as a `model`; else the first problem as one sentence: file, line, key, and what was expected. `where(path)` gives
    the Source of a key, and `context` is for the model's validators."""
    try:
        return model.model_validate_json(json.dumps(data, default=str), strict=True, context=context)
    except ValidationError as bad:
        first = first_problem(bad)
        path = tuple(first["loc"])
        said = f"{where(path)}: {problem_told(first, path, model)}"
        if path[:1] == ("crew",) and path[-1] == "policy" and "expected" in said:
            said += f"; a class of another package goes into plugins.policies.{path[1]}"
        raise UsageProblem(said if said.endswith("?") else f"{said}.") from None
    except (TypeError, ValueError) as bad:
        raise UsageProblem(f"{where(())}: {bad}.") from None


def kind_of(value: Any) -> str:
    """What a YAML value is, in words."""
    words = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    words[type(None)] = "empty"
    return words.get(type(value), type(value).__name__)


def shown(path: Path) -> str:
    """A path as a reader would type it here: relative when it lies below the working folder."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return str(path)
    return str(path) if relative.startswith("..") else relative


COMMAND_LINE = Source("command line")
BUILT_IN = Source("built in")
MAX_NESTING = 12
_PATHS = (
    "policies",
    "world",
    "safety",
    "safety.preset",
    "crew.*.script",
    "crew.*.prompt",
    "crew.*.model.script",
    "crew.model.script",
    "crew.*.final.script",
    "crew.*.final.prompt",
    "crew.*.final.model.script",
    *(f"crew.{role}.chain.*.{key}" for role in ("*", "*.final") for key in ("prompt", "model.script")),
    "help_dirs.*",
    "packages",
)
"""Keys whose relative paths mean the folder of the file they stand in."""
PRESET = "preset"
_MODELS = ("crew.model", "crew.*.model", "crew.*.final.model")
_NAMED = frozenset({("policies",), ("world",), ("safety",), ("safety", PRESET)})
"""Keys whose value may be the name of something shipped instead."""


class Layer(NamedTuple):
    """Settings of one origin: the values, the source of each key, and the folder that relative paths mean."""

    data: JsonObject
    document: Document | None
    base: Path

    def where(self, path: KeyPath) -> Source:
        return self.document.where(path) if self.document else COMMAND_LINE


class MergedLayers:
    """Layers on top of each other: `data`, and where each key was set."""

    def __init__(self) -> None:
        self.data: JsonObject = {}
        self._sources: dict[KeyPath, Source] = {}

    def add(self, layer: Layer) -> None:
        """Later layers win. Mappings are merged key by key; anything else replaces what was there."""
        self._add(layer, self.data, layer.data, ())

    def where(self, path: KeyPath) -> Source:
        """The source of a key, or of the nearest thing around it."""
        for end in range(len(path), 0, -1):
            if found := self._sources.get(path[:end]):
                return found
        return BUILT_IN

    def leaves(self) -> dict[KeyPath, Source]:
        """The source of every key that has no key below it."""
        around = {path[:end] for path in self._sources for end in range(1, len(path))}
        return {path: source for path, source in self._sources.items() if path not in around}

    def _add(self, layer: Layer, merged: JsonObject, data: Mapping[Any, Any], at: KeyPath) -> None:
        for key, value in data.items():
            path = (*at, str(key))
            if isinstance(value, Mapping):
                if not isinstance(below := merged.get(str(key)), dict):
                    source = self._sources.get(path)
                    self._forget(path)
                    merged[str(key)] = {}
                    word = _stands_for(path, value)
                    if word and isinstance(below, str) and source is not None:
                        merged[str(key)] = {word: below}
                        self._sources[*path, word] = source
                self._sources[path] = layer.where(path)
                self._add(layer, merged[str(key)], value, path)
            else:
                self._forget(path)
                merged[str(key)] = _anchored(value, path, layer.base)
                self._sources[path] = layer.where(path)

    def _forget(self, path: KeyPath) -> None:
        for known in [p for p in self._sources if p[: len(path)] == path]:
            del self._sources[known]


def file_layer(path: Path) -> Layer:
    document = read_document(path, "config file")
    return Layer(document.data, document, path.resolve().parent)


def override_lines(said: Mapping[str, Any]) -> list[str]:
    """`KEY=VALUE` of each, as the command line has it."""
    return [f"{key}={json.dumps(value, default=str)}" for key, value in said.items()]


def override_layer(text: str) -> Layer:
    """What `-c KEY=VALUE` says."""
    key, equals, value = text.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts) or len(parts) > MAX_NESTING:
        raise UsageProblem(f"command line: -c {text!r} is not KEY=VALUE; write for example -c limits.steps=40.")
    try:
        data: Any = safe_data(value)
    except (yaml.YAMLError, ValueError):
        raise UsageProblem(f"command line: -c {key}: the value {value[:200]!r} is not valid YAML; put it in quotes.") from None
    for part in reversed(parts):
        data = {part: data}
    return Layer(data, None, Path.cwd())


def _anchored(value: Any, path: KeyPath, base: Path) -> Any:
    """Relative paths made absolute, so that a run can be resumed from another folder; names stay names."""
    if isinstance(value, list):
        return [_anchored(item, (*path, index), base) for index, item in enumerate(value)]
    if isinstance(value, dict):  # in a list: its keys are not merged
        return {key: _anchored(item, (*path, str(key)), base) for key, item in value.items()}
    if not isinstance(value, str) or not value:
        return value
    named = path in _NAMED
    if not any(_matches(pattern, path) for pattern in _PATHS) or (named and not looks_like_path(value)):
        return value
    return str(base / Path(value).expanduser())


def _stands_for(path: KeyPath, value: Mapping[Any, Any]) -> str:
    """The key of a mapping for which a word may stand in its place, so that `value` changes what the word names: the safety
    policy, unless it has rules of its own, and a model."""
    if path == ("safety",):
        return "" if {PRESET, "rules"} & value.keys() else PRESET
    return "name" if any(_matches(pattern, path) for pattern in _MODELS) else ""


def _matches(pattern: str, path: KeyPath) -> bool:
    parts = pattern.split(".")
    return len(parts) == len(path) and all(p in ("*", str(key)) for p, key in zip(parts, path, strict=True))


def looks_like_path(word: str) -> bool:
    """A path has a slash or a YAML ending; anything else is the name of something shipped."""
    return "/" in word or "\\" in word or word.endswith((".yaml", ".yml"))


def shipped(*parts: str) -> Path:
    """A file or folder among the shipped configs."""
    return Path(str(files("configs"))).joinpath(*parts)


@cache
def shipped_names(kind: str) -> tuple[str, ...]:
    """Names of what is shipped in a folder of configs: policies, safety, tasks or worlds."""
    return tuple(sorted(path.stem for path in shipped(kind).glob("*.yaml")))


KEY = "policies"
"""The setting that names a preset, and the folder of the shipped ones."""


class Preset(Frozen):
    """What a file of a preset may say. Its parts are settings, and are checked as such once all layers are merged."""

    about: str = Field(min_length=1)
    """One line for people: when to take it."""
    crew: JsonObject = Field(default_factory=dict)
    knowledge: JsonObject = Field(default_factory=dict)
    limits: JsonObject = Field(default_factory=dict)
    safety: str | JsonObject | None = None


class FoundPreset(NamedTuple):
    """A preset and where it stands."""

    name: str
    about: str
    layer: Layer
    path: Path


def find_preset(name: str, where: Where) -> FoundPreset:
    """The preset of this name, or in this file. Raises UsageProblem; `where(())` is where it was asked for."""
    names = shipped_names(KEY)
    if looks_like_path(name):
        path = Path(name)
    elif name in names:
        path = shipped(KEY, f"{name}.yaml")
    else:
        raise UsageProblem(f"{where(())}: there is no preset of policies {name!r}{did_you_mean(name, names)}")
    document = read_document(path, "preset of policies")
    preset = checked(Preset, document.data, document.where)
    data = {key: value for key, value in document.data.items() if key != "about"}
    return FoundPreset(path.stem, preset.about, Layer(data, document, path.resolve().parent), path)
