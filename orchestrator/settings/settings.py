"""What a run is configured with: layers of YAML, each value with its source. Later layers win.

Order: configs/default.yaml, the preset that `policies` names, files of `--config`, the task's own words, `-c key=value`.
Unknown keys are errors.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_serializer

from environments.contract import Environment, EnvironmentFault, WorldState
from environments.faults.faults import Fault, FaultKind
from environments.files.wrong_data import did_you_mean, dotted
from environments.files.yaml_lines import KeyPath
from environments.simulated.variation.metrics import Variation
from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.settings.layers import (
    BUILT_IN,
    KEY,
    PRESET,
    Layer,
    MergedLayers,
    Source,
    Where,
    checked,
    file_layer,
    find_preset,
    looks_like_path,
    override_layer,
    read_document,
    shipped,
    shipped_names,
)
from orchestrator.settings.plugins import PluginSettings, refuse_classes
from orchestrator.settings.role_settings import CrewSettings
from protocol import Frozen, JsonObject
from protocol.retries import Retries
from roles.contracts.facts import BoardSettings
from roles.contracts.limits import Limits
from roles.journal.screenshots import ScreenshotSettings
from roles.journal.transcripts import RecordSettings
from roles.knowledge.settings import KnowledgeSettings, McpSettings
from roles.safety import Constraints, SafetyPolicy
from roles.safety.policy import written_out
from roles.skills.contract import SkillSettings

if TYPE_CHECKING:
    from environments.simulated.desktop import SimulatedDesktop


class BrowserSettings(Frozen):
    """The page that a run begins with, and what its browser may reach."""

    url: str = ""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts that may be reached; empty for the host of `url` alone."""
    allow_files: bool = False
    """Whether pages among the files of this machine may be opened."""
    executable: Path | None = None
    """The Chromium to start; the first on the path where nothing is said."""
    headless: bool = True
    resumes: bool = False
    """Whether the page's server keeps what is done: a run that was stopped then goes on at `url` in a new browser."""


def make_browser(settings: BrowserSettings, store: Path | None, retries: Retries | None = None) -> Environment:
    """A browser at the page of the settings. Raises UsageProblem, also for a run that another process began, where the settings
    do not say that it may go on: what was filled in and opened went with its browser, and a page that only looks like it must not
    be worked on."""
    from environments.browser import BrowserEnvironment

    if not settings.url:
        raise UsageProblem("browser.url: the browser needs the address of a page; give it with --url or -c browser.url=ADDRESS.")
    record = store / "browser" if store else None
    if record is not None and record.exists() and not settings.resumes:
        raise UsageProblem(
            "environment browser: the page was lost with the process that showed it, so this run cannot continue; start it "
            "again, and answer it in the terminal or choose another safety policy; where the page's server keeps all changes, "
            "resume it with -c browser.resumes=true."
        )
    try:
        return BrowserEnvironment(
            settings.url, allowed_hosts=settings.allowed_hosts or _host_of(settings.url), executable=settings.executable,
            headless=settings.headless, allow_files=settings.allow_files, record=record, retries=retries,
        )  # fmt: skip
    except EnvironmentFault as bad:
        hint = "; allow it with -c browser.allow_files=true" if settings.url.startswith("file:") else ""
        raise UsageProblem(f"environment browser: {bad}{hint}.") from None


def make_served(
    settings: BrowserSettings, make: Callable[[], SimulatedDesktop], store: Path | None, retries: Retries | None = None
) -> Environment:
    """A simulated world as web pages, in a browser. The world is kept beside its run, so that a run goes on in a new browser."""
    from environments.served.browsed import BrowsedWorld

    if settings.url:
        raise UsageProblem(
            "browser.url: the environment served has an address of its own; leave it out, or say environment: browser."
        )
    try:
        return BrowsedWorld(make, store, executable=settings.executable, headless=settings.headless, retries=retries)
    except EnvironmentFault as bad:
        why = str(bad).removesuffix("; choose another with --port.").rstrip(".")
        raise UsageProblem(f"environment served: {why}.") from None


def refused_address(url: str, settings: BrowserSettings) -> str:
    """Why a page that somebody elsewhere names is none that these settings reach; empty where it is one. A file never is, and a
    host is one that the settings name: where any other name leads is said by whoever owns it."""
    from environments.browser.session import Rules

    hosts = settings.allowed_hosts or _host_of(settings.url)
    if not hosts:
        return "no page can be opened here"
    address = url.strip() if "://" in url else f"http://{url.strip()}"
    return Rules(address, hosts, "", (0, 0), True, allow_files=False, downloads=None, uploads=None).refuses(address)


def _host_of(url: str) -> tuple[str, ...]:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return ()
    return (host,) if host else ()


FOLDER = "safety"


class SafetyFile(NamedTuple):
    """A policy as data that `SafetyPolicy` accepts, and where each of its rules was written."""

    data: JsonObject
    places: tuple[Source, ...]

    def policy(self) -> SafetyPolicy:
        return SafetyPolicy.model_validate(self.data)


class _Preset(Frozen):
    preset: str


def read_safety(safety: str | Mapping[str, Any], where: Where, base: Path | None = None, above: Sequence[str] = ()) -> SafetyFile:
    """The policy that a name, a path or a mapping means. Raises UsageProblem with file, line and key for one that is wrong.

    A mapping with a `preset` is that policy with other values; its rules are added in front of those of the preset. Paths begin
    at `base`, and `above` are the policies that name this one.
    """
    base = base or Path.cwd()
    if isinstance(safety, str):
        return _named(safety, where, base, above)
    own = {key: value for key, value in safety.items() if key != PRESET}
    checked(SafetyPolicy, own, where)
    rules = own.get("rules", ())
    places = tuple(where(("rules", index)) for index in range(len(rules)))
    if PRESET not in safety:
        return SafetyFile(dict(own), places)
    name = checked(_Preset, {PRESET: safety[PRESET]}, where).preset
    below = _named(name, lambda path: where((PRESET, *path)), base, above)
    added = {"rules": [*rules, *below.data["rules"]]} if "rules" in below.data or rules else {}
    if "network" in own and "network" in below.data:
        # Like rules, what pages may send is added to
        mine, theirs = written_out(own["network"]), written_out(below.data["network"])
        allowed = [*mine.get("allow", ()), *theirs.get("allow", ())]
        added["network"] = theirs | mine | ({"allow": allowed} if allowed else {})
    return SafetyFile({**below.data, **own, **added}, (*places, *below.places))


def _named(name: str, where: Where, base: Path, above: Sequence[str]) -> SafetyFile:
    if not looks_like_path(name) and name not in shipped_names(FOLDER):
        raise UsageProblem(f"{where(())}: there is no safety policy {name!r}{did_you_mean(name, shipped_names(FOLDER))}.")
    path = base / Path(name).expanduser() if looks_like_path(name) else shipped(FOLDER, f"{name}.yaml")
    place = os.path.realpath(path)  # links in a circle lead nowhere, and say so when it is read
    if place in above:
        raise UsageProblem(f"{where(())}: the safety policy {name!r} has itself as its preset.")
    document = read_document(path, "safety policy")
    found = read_safety(document.data, document.where, path.parent, (*above, place))
    if "rules" in found.data:
        return found
    # Those of SafetyPolicy, written out so that others can be added to them
    rules = [rule.model_dump(mode="json", by_alias=True, exclude_defaults=True) for rule in SafetyPolicy().rules]
    return SafetyFile({**found.data, "rules": rules}, (Source("built in"),) * len(rules))


def refuse_unfit(policy: SafetyPolicy, environment: Environment) -> None:
    """Raises UsageProblem for a policy that is only for simulations and an environment that does not know its own truth."""
    if policy.only_in_simulation and not isinstance(environment, WorldState):
        raise UsageProblem(unfit(policy.name, environment.name))


def unfit(policy: str, environment: str) -> str:
    return (
        f"the safety policy {policy!r} is only for simulated environments, and {environment} is a real one; "
        "choose another, such as safety: ask-sensitive."
    )


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

        return FromPixels(environment, min_confidence=settings.min_confidence, record=store / "vision" if store else None)
    except EnvironmentFault as bad:
        problem = MissingDependency if "installed" in str(bad) else UsageProblem
        raise problem(f"vision.on: {bad}") from None


Display = Literal["auto", "rich", "plain", "json", "none"]


def _fault(value: Any) -> Any:
    """A fault in a word, or in full; pydantic is strict here, and wants of a list from a file that it is a tuple."""
    if isinstance(value, str):
        return Fault.of(value)
    if not isinstance(value, dict):
        return value
    full = {key: tuple(part) if isinstance(part, list) else part for key, part in value.items()}
    kind = value.get("kind")
    return full | {"kind": FaultKind(kind)} if kind in list(FaultKind) else full


class MemorySettings(Frozen):
    """The blackboard of a run."""

    blackboard: BoardSettings = Field(default_factory=BoardSettings)
    """How much of the blackboard a prompt is told; nothing of it is lost."""


class Settings(Frozen):
    """All that a run can be told, beside its goal."""

    policies: str = "rules"
    """Name of a preset in configs/policies, or a path: who decides for each role where no later layer says so."""
    crew: CrewSettings = Field(default_factory=CrewSettings)
    environment: str = "simulated"
    """`simulated`; `browser`; `served`, the simulated world as web pages in a real browser; or one of another package."""
    plugins: PluginSettings = Field(default_factory=PluginSettings)
    """Policies, sources and safety checks of other packages."""
    browser: BrowserSettings = Field(default_factory=BrowserSettings)
    """For the environment `browser`, and which Chromium `served` starts."""
    world: str = "office"
    """Name of a shipped world, or a path."""
    variation: Variation = Field(default_factory=Variation)
    """What of the world's looks and words is otherwise; an axis that is not named stays as the world has it."""
    seed: int = 0
    faults: tuple[Annotated[Fault, BeforeValidator(_fault)], ...] = ()
    """What goes wrong between the crew and the environment: `KIND`, `KIND:RATE`, or all that a fault can say."""
    limits: Limits = Field(default_factory=Limits)
    retries: Retries = Field(default_factory=Retries)
    safety: str | JsonObject = "ask-sensitive"
    """Name of a file in configs/safety, a path, the policy itself, or `{preset: NAME}` with what is otherwise."""
    constraints: Constraints = Field(default_factory=Constraints)
    """What narrows the safety policy for a task or a run."""
    screenshots: ScreenshotSettings = Field(default_factory=ScreenshotSettings)
    """Pictures of the screen: which a model is shown, and which a run keeps."""
    record: RecordSettings = Field(default_factory=RecordSettings)
    """What is kept of the prompts and replies of models."""
    traces: Literal["none", "otel"] = "none"
    """`otel`: a run is an OpenTelemetry trace, sent where the process or its `OTEL_*` variables say."""
    vision: VisionSettings = Field(default_factory=VisionSettings)
    """Whether the crew gets nothing but pictures of the screen."""
    memory: MemorySettings = Field(default_factory=MemorySettings)
    """How much of the blackboard a prompt is told."""
    help_dirs: tuple[Path, ...] = ()
    """Folders with help documents, `APP/*` in each: Markdown, JSON and HTML."""
    tools: tuple[McpSettings, ...] = ()
    """Tools of MCP servers in which the Manager looks things up, after the help documents."""
    knowledge: KnowledgeSettings = Field(default_factory=KnowledgeSettings)
    """Where else it looks things up, and how well a thing must fit."""
    skills: SkillSettings = Field(default_factory=SkillSettings)
    """What the crew may do beside the surface: functions and agents of apps, and tools from outside."""
    packages: Path | None = None
    """A folder of wheels from which a script may install for itself, in its sandbox; left out, nothing can be installed."""
    runs_dir: Path = Path("runs")
    display: Display = Field(default="auto")

    @property
    def forkable(self) -> bool:
        """Whether such a run begins the same way again, and all of it stands in its folder, so that a copy goes on by itself."""
        return self.environment == "simulated"

    @field_serializer("variation")
    def _only_what_was_said(self, variation: Variation) -> dict[str, Any]:
        return variation.model_dump(mode="json", exclude_unset=True)


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
    """The settings, merged and validated. Raises UsageProblem for the first error."""
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
    safety = load_safety(settings.safety, lambda path: merged.where(("safety", *path)))
    if safety.get("only_in_simulation") and settings.environment == "browser":
        raise UsageProblem(f"{merged.where(('safety',))}: {unfit(safety.get('name', 'its own'), 'environment: browser')}")
    sources = {dotted(path): str(source) for path, source in merged.leaves().items()}
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
