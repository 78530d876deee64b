"""What a run is configured with: layers of YAML, each value with its source. Later layers win.

Order: configs/default.yaml, the preset that `policies` names, files of `--config`, the task's own words, `-c key=value`.
Unknown keys are errors.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, field_serializer

from environments.contract import Environment, EnvironmentFault
from environments.faults.kinds import Fault, FaultKind
from environments.sandbox.contract import SandboxKind
from environments.simulated.variation.metrics import Variation
from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.settings.browser import BrowserSettings
from orchestrator.settings.layers import (
    BUILT_IN,
    KEY,
    Layer,
    MergedLayers,
    file_layer,
    find_preset,
    looks_like_path,
    override_layer,
    shipped,
    shipped_names,
)
from orchestrator.settings.plugins import PluginSettings, refuse_classes
from orchestrator.settings.role_settings import CrewSettings, RoleSettings
from orchestrator.settings.safety_files import read_safety, unfit
from orchestrator.settings.yaml_documents import KeyPath, Source, Where, checked, dotted
from orchestrator.store.address import LOCAL, checked_address, shown_address
from protocol import Frozen, JsonObject
from protocol.retries import Retries
from roles.contracts.limits import Limits
from roles.journal.screenshots import ScreenshotSettings
from roles.journal.transcripts import RecordSettings
from roles.knowledge.answers import MemorySettings
from roles.knowledge.settings import KnowledgeSettings
from roles.knowledge.sources import McpSettings
from roles.safety import Constraints
from roles.skills.contract import SkillSettings


class VisionSettings(Frozen):
    """Whether the crew is shown only what can be read from the pixels of the screen."""

    on: bool = False
    """Take nothing from the environment but its picture: elements by OCR and by what controls look like."""
    min_confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    """A line of text that OCR is less sure of is left out."""


def from_pixels(environment: Environment, settings: VisionSettings, store: Path | None) -> Environment:
    """The environment, or only its pixels. Raises UsageProblem where it has none, and where OCR is not installed."""
    if not settings.on:
        return environment
    try:
        from environments.vision.environment import FromPixels

        made: Environment = FromPixels(
            environment, min_confidence=settings.min_confidence, record=store / "vision" if store else None
        )
    except EnvironmentFault as bad:
        problem = MissingDependency if "installed" in str(bad) else UsageProblem
        raise problem(f"vision.on: {bad}") from None
    return made


__all__ = [
    "CrewSettings",
    "Display",
    "Layer",
    "LoadedSettings",
    "RoleSettings",
    "SettingLine",
    "Settings",
    "load_safety",
    "load_settings",
    "located",
    "looks_like_path",
    "shipped",
    "shipped_names",
    "show_config",
    "varied",
]

Display = Literal["auto", "rich", "plain", "log", "json", "none"]


def _fault(value: Any) -> Any:
    """A fault in a word, or in full; pydantic is strict here, and wants of a list from a file that it is a tuple."""
    if isinstance(value, str):
        return Fault.of(value)
    if not isinstance(value, dict):
        return value
    full = {key: tuple(part) if isinstance(part, list) else part for key, part in value.items()}
    kind = value.get("kind")
    return full | {"kind": FaultKind(kind)} if kind in list(FaultKind) else full


class Settings(Frozen):
    """All that a run can be told, beside its goal."""

    policies: str = "rules"
    """Name of a preset in configs/policies, or a path: who decides for each role where no later layer says so."""
    crew: CrewSettings = CrewSettings()
    environment: str = "simulated"
    """`simulated`; `browser`; `served`, the simulated world as web pages in a real browser; or one of another package."""
    plugins: PluginSettings = PluginSettings()
    """Policies, sources and safety checks of other packages."""
    browser: BrowserSettings = BrowserSettings()
    """For the environment `browser`, and which Chromium `served` starts."""
    world: str = "office"
    """Name of a shipped world, or a path."""
    variation: Variation = Variation()
    """What of the world's looks and words is otherwise; an axis that is not named stays as the world has it."""
    seed: int = 0
    faults: tuple[Annotated[Fault, BeforeValidator(_fault)], ...] = ()
    """What goes wrong between the crew and the environment: `KIND`, `KIND:RATE`, or all that a fault can say."""
    limits: Limits = Limits()
    retries: Retries = Retries()
    safety: str | JsonObject = "ask-sensitive"
    """Name of a file in configs/safety, a path, the policy itself, or `{preset: NAME}` with what is otherwise."""
    constraints: Constraints = Constraints()
    """What narrows the safety policy for a task or a run."""
    screenshots: ScreenshotSettings = ScreenshotSettings()
    """Pictures of the screen: which a model is shown, and which a run keeps."""
    record: RecordSettings = RecordSettings()
    """What is kept of the prompts and replies of models."""
    vision: VisionSettings = VisionSettings()
    """Whether the crew gets nothing but pictures of the screen."""
    memory: MemorySettings = MemorySettings()
    """What is remembered: how much of the blackboard a prompt is told, and what the user answered in earlier runs."""
    help_dirs: tuple[Path, ...] = ()
    """Folders with help documents, `APP/*` in each: Markdown, JSON and HTML."""
    tools: tuple[McpSettings, ...] = ()
    """Tools of MCP servers in which the Manager looks things up, after the help documents."""
    knowledge: KnowledgeSettings = KnowledgeSettings()
    """Where else it looks things up, and how well a thing must fit."""
    skills: SkillSettings = SkillSettings()
    """What the crew may do beside the surface: functions and agents of apps, and tools from outside."""
    sandbox: SandboxKind = "bubblewrap"
    """Where the Technician's scripts run: `bubblewrap`, or `gvisor`, a kernel of its own, where runsc is installed."""
    packages: Path | None = None
    """A folder of wheels from which a script may install for itself, in its sandbox; left out, nothing can be installed."""
    store: Annotated[str, BeforeValidator(checked_address)] = LOCAL
    """Where journal and checkpoints are: `sqlite`, in the run's folder, or `postgresql://...`, shared with other machines."""
    runs_dir: Path = Path("runs")
    display: Display = Field(default="auto")

    @field_serializer("variation")
    def _only_what_was_said(self, variation: Variation) -> dict[str, Any]:
        return variation.model_dump(mode="json", exclude_unset=True)

    @field_serializer("store")
    def _without_password(self, store: str) -> str:
        return shown_address(store)


class LoadedSettings(NamedTuple):
    """The merged settings, and where each leaf was set."""

    settings: Settings
    sources: dict[str, str]
    below: tuple[Layer, ...] = ()
    """The layers that a task's own words stand above: the defaults and the files."""
    above: tuple[Layer, ...] = ()
    """What was said besides, which stands above a task's words."""

    def with_task(self, layer: Layer) -> LoadedSettings:
        """The settings under which a task is worked. Raises UsageProblem. As they are where nothing of their layers is known."""
        refuse_classes(layer.data, "the task")
        return _merged(self.below, (layer, *self.above)) if self.below else self

    def source(self, key: str) -> str:
        """Where the value of `key` came from."""
        while key:
            if key in self.sources:
                return self.sources[key]
            key = key.rpartition(".")[0]
        return str(BUILT_IN)

    def place(self, key: str) -> str | None:
        """Where `key` was set, or the first of the keys in it; None where nobody set it."""
        return next((source for known, source in self.sources.items() if known == key or known.startswith(f"{key}.")), None)


_RETRIED_APART = re.compile(r"(?:crew(?:\.\w+)*\.model|knowledge\.online)\.(tries|wait)")
_ABOUT = re.compile(r"crew\.(?P<role>[a-z]+)(?:\.(?P<key>[a-z_.]+))?(?P<said>: .*)", re.DOTALL)
"""A problem with what decides for a role, as it is said where the policies are made."""


def located(loaded: LoadedSettings, problem: UsageProblem) -> UsageProblem:
    """The same problem with the file and the line in front where its setting was made, if it is about a setting."""
    found = _ABOUT.match(str(problem))
    if found is None:
        return problem
    role, key, said = found["role"], found["key"] or "policy", found["said"]
    for meant in (f"crew.{role}.{key}", f"crew.{key}"):
        if place := loaded.place(meant):
            return type(problem)(f"{place}: {meant}{said}")
    return type(problem)(f"{loaded.source(f'crew.{role}.policy')}: {problem}")


def load_settings(
    config_files: Sequence[Path] = (), overrides: Sequence[str] = (), task_layer: Layer | None = None
) -> LoadedSettings:
    """Everything merged and checked. Raises UsageProblem for the first thing that is wrong."""
    if task_layer is not None:
        refuse_classes(task_layer.data, "the task")
    below = (file_layer(shipped("default.yaml")), *(file_layer(Path(path)) for path in config_files))
    above = tuple(override_layer(text) for text in overrides)
    return _merged(below, above if task_layer is None else (task_layer, *above))


def _merged(below: tuple[Layer, ...], above: tuple[Layer, ...]) -> LoadedSettings:
    merged = MergedLayers()
    for layer in _with_preset([*below, *above]):
        merged.add(layer)
    settings = checked(Settings, merged.data, merged.where)
    _fitting_safety(settings, lambda path: merged.where(("safety", *path)))
    sources = {dotted(path): str(source) for path, source in merged.leaves().items()}
    for path, source in merged.leaves().items():
        key = dotted(path)
        # The settings of a run, from which another is forked, name them and say nothing with them.
        said: Any = merged.data
        for part in path:
            said = said[part]
        if (old := _RETRIED_APART.fullmatch(key)) and said is not None:
            warnings.warn(f"{source}: {key} is an old name; write retries.{old[1]}, for all", FutureWarning, stacklevel=2)
    return LoadedSettings(settings, sources, below, above)


def _with_preset(layers: Sequence[Layer]) -> list[Layer]:
    """The layers with the preset that the last of them names, above the defaults."""
    names = MergedLayers()
    for layer in layers:
        names.add(layer._replace(data={key: value for key, value in layer.data.items() if key == KEY}))
    name = names.data.get(KEY)
    if not isinstance(name, str):
        return list(layers)  # what it is instead is said when all settings are checked
    return [layers[0], find_preset(name, lambda path: names.where((KEY, *path))).layer, *layers[1:]]


def varied(axes: Sequence[str]) -> list[str]:
    """`language=de` as an override. Raises UsageProblem for an axis that there is not."""
    for text in axes:
        axis, equals, _ = text.partition("=")
        if not equals:
            raise UsageProblem(f"command line: --vary {text!r} is not AXIS=VALUE; write for example --vary language=de.")
        if axis.strip() not in Variation.model_fields:
            known = ", ".join(Variation.model_fields)
            raise UsageProblem(f"command line: --vary {text}: there is no axis {axis.strip()!r}; axes are: {known}.")
    return [f"variation.{text}" for text in axes]


def load_safety(safety: str | Mapping[str, Any], where: Where = lambda path: Source("safety policy")) -> JsonObject:
    """The safety policy that `safety` means, as data that `SafetyPolicy` accepts."""
    return read_safety(safety, where).data


def _fitting_safety(settings: Settings, where: Where) -> None:
    """Refuse a safety policy with a mistake in it, and one that is not for this environment."""
    found = load_safety(settings.safety, where)
    if found.get("only_in_simulation") and settings.environment == "browser":
        raise UsageProblem(f"{where(())}: {unfit(found.get('name', 'its own'), f'environment: {settings.environment}')}")


class SettingLine(NamedTuple):
    """One line of `--show-config`."""

    key: str
    value: Any
    source: str


def show_config(loaded: LoadedSettings) -> Iterator[SettingLine]:
    """Every leaf, defaults included."""
    for key, value in _leaves(json.loads(loaded.settings.model_dump_json()), ()):
        yield SettingLine(key, value, loaded.source(key))


def _leaves(data: Mapping[str, Any], at: KeyPath) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*at, key))
        else:
            yield dotted((*at, key)), value
