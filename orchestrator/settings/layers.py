"""Layers of settings: YAML files and overrides, merged key by key, each value with its source and its folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import Field

from environments.files.yaml_lines import safe_data
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.settings.yaml_documents import Document, KeyPath, Source, Where, checked, read_document
from protocol import Frozen, JsonObject

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
    *(
        f"crew.{role}.{of}.*.{key}"
        for role in ("*", "*.final")
        for of in ("chain", "voters")
        for key in ("prompt", "model.script")
    ),
    "help_dirs.*",
    "packages",
)
"""Keys whose relative paths mean the folder of the file they stand in."""
PRESET = "preset"
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
                    if _is_on_top(path, below, value) and source is not None:
                        merged[str(key)] = {PRESET: below}
                        self._sources[*path, PRESET] = source
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


def _is_on_top(path: KeyPath, below: Any, value: Mapping[Any, Any]) -> bool:
    """Whether a mapping changes the safety policy that is named below it: one with rules of its own stands in its place."""
    return path == ("safety",) and isinstance(below, str) and not {PRESET, "rules"} & value.keys()


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
    return FoundPreset(path.stem, preset.about, Layer(_settings(document), document, path.resolve().parent), path)


def _settings(document: Document) -> JsonObject:
    return {key: value for key, value in document.data.items() if key != "about"}
