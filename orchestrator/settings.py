"""What a run is configured with: layers of YAML, each value with its source. Later layers win.

Order: configs/default.yaml, files of `--config`, the task's own words, `-c key=value`. Unknown keys are errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml
from pydantic import Field

from orchestrator.documents import Document, KeyPath, Source, Where, checked, dotted, read_document
from orchestrator.errors import UsageProblem, did_you_mean
from protocol import Frozen
from roles.limits import Limits
from roles.safety import SafetyPolicy

COMMAND_LINE = Source("command line")
BUILT_IN = Source("built in")
MAX_NESTING = 12
Display = Literal["auto", "rich", "plain", "json", "none"]
_PATHS = ("world", "safety", "crew.*.script", "help_dirs.*")
"""Keys whose relative paths mean the folder of the file they stand in."""


class RoleSettings(Frozen):
    """Who decides for a role."""

    policy: str = "rules"
    script: Path | None = None
    """The YAML file that a scripted policy follows."""


class CrewSettings(Frozen):
    manager: RoleSettings = RoleSettings()
    operator: RoleSettings = RoleSettings()
    evaluator: RoleSettings = RoleSettings()
    technician: RoleSettings = RoleSettings()
    analyst: RoleSettings = RoleSettings()


class Settings(Frozen):
    """All that a run can be told, beside its goal."""

    crew: CrewSettings = CrewSettings()
    environment: str = "simulated"
    world: str = "office"
    """Name of a shipped world, or a path."""
    seed: int = 0
    limits: Limits = Limits()
    safety: str | dict[str, Any] = "ask-sensitive"
    """Name of a file in configs/policies, a path, or the policy itself."""
    help_dirs: tuple[Path, ...] = ()
    """Folders with help documents, `APP/*.md` in each."""
    runs_dir: Path = Path("runs")
    display: Display = Field(default="auto")


class Loaded(NamedTuple):
    """The merged settings, and where each leaf was set."""

    settings: Settings
    sources: dict[str, str]

    def source(self, key: str) -> str:
        """Where the value of `key` came from."""
        while key:
            if key in self.sources:
                return self.sources[key]
            key = key.rpartition(".")[0]
        return str(BUILT_IN)


class Layer(NamedTuple):
    """Settings of one origin: the values, the source of each key, and the folder that relative paths mean."""

    data: dict[str, Any]
    document: Document | None
    base: Path

    def where(self, path: KeyPath) -> Source:
        return self.document.where(path) if self.document else COMMAND_LINE


def shipped(*parts: str) -> Path:
    """A file or folder among the shipped configs."""
    return Path(str(files("configs"))).joinpath(*parts)


def load_settings(config_files: Sequence[Path] = (), overrides: Sequence[str] = (), task_layer: Layer | None = None) -> Loaded:
    """Everything merged and checked. Raises UsageProblem for the first thing that is wrong."""
    layers = [_file_layer(shipped("default.yaml")), *(_file_layer(Path(path)) for path in config_files)]
    if task_layer is not None:
        layers.append(task_layer)
    layers += [_override_layer(text) for text in overrides]
    merged: dict[str, Any] = {}
    sources: dict[KeyPath, Source] = {}
    for layer in layers:
        _merge(merged, sources, layer, layer.data, ())
    settings = checked(Settings, merged, lambda path: _source_of(sources, path))
    around = {path[:end] for path in sources for end in range(1, len(path))}
    loaded = Loaded(settings, {dotted(path): str(source) for path, source in sources.items() if path not in around})
    load_safety(settings.safety, lambda path: _source_of(sources, ("safety", *path)))
    return loaded


def _file_layer(path: Path) -> Layer:
    document = read_document(path, "config file")
    return Layer(document.data, document, path.resolve().parent)


def _override_layer(text: str) -> Layer:
    key, equals, value = text.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts) or len(parts) > MAX_NESTING:
        raise UsageProblem(f"command line: -c {text!r} is not KEY=VALUE; write for example -c limits.steps=40.")
    try:
        data: Any = yaml.safe_load(value)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UsageProblem(f"command line: -c {key}: the value {value!r} is not valid YAML; put it in quotes.") from None
    for part in reversed(parts):
        data = {part: data}
    return Layer(data, None, Path.cwd())


def _merge(merged: dict[str, Any], sources: dict[KeyPath, Source], layer: Layer, data: Mapping[Any, Any], at: KeyPath) -> None:
    """Mappings are merged key by key; anything else replaces what was there."""
    for key, value in data.items():
        path = (*at, str(key))
        before = merged.get(str(key))
        if isinstance(value, Mapping):
            if not isinstance(before, dict):
                _forget(sources, path)
                merged[str(key)] = {}
            sources[path] = layer.where(path)
            _merge(merged[str(key)], sources, layer, value, path)
        else:
            _forget(sources, path)
            merged[str(key)] = _anchored(value, path, layer.base)
            sources[path] = layer.where(path)


def _forget(sources: dict[KeyPath, Source], path: KeyPath) -> None:
    for known in [p for p in sources if p[: len(path)] == path]:
        del sources[known]


def _source_of(sources: Mapping[KeyPath, Source], path: KeyPath) -> Source:
    for end in range(len(path), 0, -1):
        if found := sources.get(path[:end]):
            return found
    return BUILT_IN


def _anchored(value: Any, path: KeyPath, base: Path) -> Any:
    """Relative paths made absolute, so that a run can be resumed from another folder; names stay names."""
    if isinstance(value, list):
        return [_anchored(item, (*path, index), base) for index, item in enumerate(value)]
    if not isinstance(value, str) or not value:
        return value
    named = len(path) == 1 and path[0] in {"world", "safety"}
    if not any(_matches(pattern, path) for pattern in _PATHS) or (named and not looks_like_path(value)):
        return value
    return str(base / Path(value).expanduser())


def _matches(pattern: str, path: KeyPath) -> bool:
    parts = pattern.split(".")
    return len(parts) == len(path) and all(p in ("*", str(key)) for p, key in zip(parts, path, strict=True))


def looks_like_path(word: str) -> bool:
    """A path has a slash or a YAML ending; anything else is the name of something shipped."""
    return "/" in word or "\\" in word or word.endswith((".yaml", ".yml"))


@cache
def shipped_names(kind: str) -> tuple[str, ...]:
    """Names of the shipped tasks, policies or worlds."""
    return tuple(sorted(path.stem for path in shipped(kind).glob("*.yaml")))


def load_safety(safety: str | Mapping[str, Any], where: Where = lambda path: Source("safety policy")) -> dict[str, Any]:
    """The safety policy that `safety` means, as data that `SafetyPolicy` accepts."""
    if isinstance(safety, Mapping):
        checked(SafetyPolicy, safety, where)
        return dict(safety)
    path = Path(safety) if looks_like_path(safety) else shipped("policies", f"{safety}.yaml")
    if not looks_like_path(safety) and safety not in shipped_names("policies"):
        raise UsageProblem(f"{where(())}: there is no safety policy {safety!r}{did_you_mean(safety, shipped_names('policies'))}.")
    document = read_document(path, "safety policy")
    checked(SafetyPolicy, document.data, document.where)
    return document.data


class Shown(NamedTuple):
    """One line of `--show-config`."""

    key: str
    value: Any
    source: str


def show_config(loaded: Loaded) -> Iterator[Shown]:
    """Every leaf, defaults included."""
    for key, value in _leaves(json.loads(loaded.settings.model_dump_json()), ()):
        yield Shown(key, value, loaded.source(key))


def _leaves(data: Mapping[str, Any], at: KeyPath) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*at, key))
        else:
            yield dotted((*at, key)), value
