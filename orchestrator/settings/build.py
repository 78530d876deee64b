"""The one place that names concrete classes: words of a config become environments, policies and sources."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from environments.contract import Environment, EnvironmentFault, Screenshots
from environments.files.wrong_data import did_you_mean
from orchestrator.core.hub_line import HubLine
from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.settings.layers import KEY, Preset, Source, find_preset, looks_like_path, read_document, shipped, shipped_names
from orchestrator.settings.plugins import names, part
from orchestrator.settings.policies import ROLES, Deciders
from orchestrator.settings.settings import (
    FOLDER,
    LoadedSettings,
    SettingLine,
    Settings,
    from_pixels,
    load_safety,
    load_settings,
    located,
    make_browser,
    make_served,
    read_safety,
    refuse_unfit,
    show_config,
)
from protocol import Frozen
from roles.contracts import SupplementSource
from roles.contracts.context import Context
from roles.contracts.nodes import TimedEnvironment
from roles.journal.events import ConstraintsAddedEvent
from roles.journal.journal import Journal, Listener
from roles.journal.screenshots import Gallery
from roles.knowledge.library import Library, stored_at
from roles.operator.safety.permits import guard
from roles.safety import SafetyPolicy
from roles.safety.policy import together
from roles.safety.privacy.redaction import Redactor, SecretBorder
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault
from roles.skills.chain_tools import McpTools, given_tools, installed_tools
from roles.skills.contract import NoAnswer, OutsideTool
from roles.skills.registry import Skills

if TYPE_CHECKING:
    from environments.simulated.desktop import SimulatedDesktop


def _simulated(settings: Settings, store: Path | None) -> SimulatedDesktop:
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    spec = load_world(settings.world)
    spec = spec.model_copy(update={"variation": spec.variation.with_changes(settings.variation)})
    return SimulatedDesktop(spec, settings.seed, store)


ENVIRONMENTS: dict[str, Callable[[Settings, Path | None], Environment]] = {
    "simulated": _simulated,
    "browser": lambda given, store: make_browser(given.browser, store, given.retries),
    "served": lambda given, store: make_served(given.browser, lambda: _simulated(given, store), store, given.retries),
}


def make_environment(settings: Settings, store: Path | None = None) -> Environment:
    """The environment that the settings name; one with a store goes on from what is in it."""
    if settings.environment in ENVIRONMENTS:
        made = ENVIRONMENTS[settings.environment](settings, store)
    elif ":" in settings.environment or settings.environment in names("environments"):
        made = part("environments", settings.environment, store)
    else:
        known = (*ENVIRONMENTS, *names("environments"))
        raise UsageProblem(
            f"environment: there is no environment {settings.environment!r}{did_you_mean(settings.environment, known)}"
        )
    if settings.faults:
        from environments.faults.faults import FaultyEnvironment

        # Beside the world, so that a run that goes on knows which faults have struck.
        made = FaultyEnvironment(made, settings.faults, settings.seed, store / "faults.jsonl" if store else None)
    return from_pixels(made, settings.vision, store)


def build_safety(settings: Settings, given: SafetyPolicy | Mapping[str, Any] | str | None = None) -> SafetyPolicy:
    """What is given, as the policy or as the settings would have it, else what they say. Raises UsageProblem."""
    data = {} if isinstance(given, SafetyPolicy) else load_safety(given or settings.safety)
    policy = given if isinstance(given, SafetyPolicy) else SafetyPolicy.model_validate(data)
    checks = [part("checks", name) for name in settings.plugins.checks]
    return policy.with_checks(checks) if checks else policy


def build_library(settings: Settings) -> Library:
    """What was added to the store, the shipped help documents and those of the user's own folders."""
    folders = [shipped("help"), *settings.help_dirs]
    return Library(settings.knowledge, stored_at(settings.knowledge, settings.runs_dir), folders, settings.retries)


def build_sources(settings: Settings) -> tuple[SupplementSource, ...]:
    """What the library has, kind by kind, then the tools of MCP servers."""
    found = list(build_library(settings).sources())
    if settings.tools:
        from roles.knowledge.retrievers import McpSource  # here, since most runs ask no server

        found += [McpSource(tool, retries=settings.retries) for tool in settings.tools]
    return (*found, *(part("sources", name) for name in settings.plugins.sources))


def build_skills(settings: Settings, environment: Environment, given: Iterable[Any] | None = None) -> Skills:
    """All that can be done in this environment, with the tools of the settings and those that a program gives.

    Raises UsageProblem for a server that cannot be asked, and for names that are taken.
    """
    told = settings.skills
    tools: list[OutsideTool] = []
    try:
        tools += given_tools(given or (), seconds=told.seconds)
        tools += installed_tools(told.installed, seconds=told.seconds)
        for server in told.mcp:
            tools += McpTools(server, retries=settings.retries).tools()
        return Skills(environment, told, tools)
    except (NoAnswer, ValueError) as bad:
        raise UsageProblem(str(bad)) from bad


def build_context(
    settings: Settings,
    *,
    run_id: str = "run",
    journal_path: Path | None = None,
    environment: Environment | None = None,
    store: Path | None = None,
    listener: Listener | None = None,
    parts: Mapping[str, Any] | None = None,
) -> Context:
    """Everything that the nodes are given. `parts` replaces policies (`manager`, `operator`, `evaluator`), `sources`
    of what is looked up, or the `model` that llm policies ask where the settings name none; `around(role, policy)`
    gives a policy in a policy's place."""
    given = dict(parts or {})
    clock = given.get("clock") or time.time
    safety = build_safety(settings, given.get("safety"))
    redactor = Redactor(safety, Vault(store / VAULT if store else None))
    within = environment or make_environment(settings, store)
    # A simulated desktop only computes. Asked of the class: a stranger's wrapper that passes every attribute on may hang.
    if not (hasattr(type(within), "computes") and getattr(within, "computes", False)):
        within = TimedEnvironment(within, settings.limits.action_seconds)
    refuse_unfit(safety, within)
    surface: Environment = SecretBorder(within, redactor)
    journal = Journal(journal_path, clock, redactor, listener, run_id, retries=settings.retries, record=settings.record)
    constraints = together(settings.constraints, (event.body for event in journal.events(ConstraintsAddedEvent)))
    safety = safety.constrained(constraints)
    redactor.keep_to(safety)
    guard(surface, safety, journal)  # before anything is opened in it, also where a run goes on
    from environments.sandbox.detect import Detected

    around: Callable[[str, Any], Any] = given.get("around") or (lambda _, policy: policy)
    seeing = [one.vision for one in (settings.crew.evaluator, settings.crew.evaluator.at_the_end()) if one]
    remember = True in seeing or ("auto" in seeing and isinstance(surface, Screenshots))
    gallery = Gallery(settings.screenshots, surface, journal, store, remember=remember)
    deciders = Deciders(
        settings.crew,
        journal=journal,
        limits=settings.limits,
        environment=surface,
        model=given.get("model"),
        screenshots=settings.screenshots,
        gallery=gallery,
        retries=settings.retries,
    )

    def decider(role: str) -> Any:
        outside = {str(one): name for one, name in settings.plugins.policies.items()}
        return part("policies", outside[role], role=role) if role in outside else deciders.of(role)

    return Context(
        environment=surface,
        journal=journal,
        manager=around("manager", given.get("manager") or decider("manager")),
        operator=around("operator", given.get("operator") or decider("operator")),
        evaluator=around("evaluator", given.get("evaluator") or decider("evaluator")),
        analyst=around("analyst", given.get("analyst") or decider("analyst")),
        technician=around("technician", given.get("technician") or decider("technician")),
        sandbox=given.get("sandbox") or Detected(settings.packages),
        sources=given["sources"] if "sources" in given else build_sources(settings),
        ahead=settings.knowledge.look_up == "ahead",
        safety=safety,
        constraints=constraints,
        limits=settings.limits,
        blackboard=settings.memory.blackboard,
        clock=clock,
        line=HubLine(journal, settings.limits, surface),
        gallery=gallery,
        review_plans=settings.crew.manager.review,
        ask_user=settings.crew.manager.ask_user,
        skills=build_skills(settings, surface, given.get("skills")),
        **({"recognizer": given["recognizer"]} if given.get("recognizer") else {}),
    )


class PolicyReport(Frozen):
    """A preset, or a file of settings, as it stands on this machine."""

    name: str
    about: str
    policies: dict[str, str]
    """Who decides for each role."""
    safety: str
    wrong: tuple[str, ...] = ()
    """What has to be mended: file, line, key."""
    lacking: tuple[str, ...] = ()
    """What has to be installed or given, on the machine of the run, before it."""


def report_presets() -> Iterator[PolicyReport]:
    """Every shipped preset."""
    return (report(name) for name in shipped_names(KEY))


def report(what: str) -> PolicyReport:
    """A preset by its name, or a file: a preset, or settings."""
    name, about, files, overrides = what, "", list[Path](), list[str]()
    try:
        path = Path(what)
        if not looks_like_path(what) and not path.exists():
            found = find_preset(what, lambda _: Source("command line"))
            name, about, overrides = found.name, found.about, [f"{KEY}={found.name}"]
        elif "about" in read_document(path, "preset or config file").data:
            about = find_preset(str(path.resolve()), lambda _: Source(what)).about
            overrides = [f"{KEY}={path.resolve()}"]
        else:
            about, files = "settings", [path]
        loaded = load_settings(files, overrides)
    except UsageProblem as bad:
        return PolicyReport(name=name, about=about, policies={}, safety="", wrong=(str(bad),))
    settings, every = loaded.settings, list(problems(loaded))
    lacking = dict.fromkeys(str(one) for one in every if isinstance(one, MissingDependency))
    wrong = dict.fromkeys(str(one) for one in every if not isinstance(one, MissingDependency))
    policies = {role: getattr(settings.crew, role).policy for role in ROLES}
    safety = str(load_safety(settings.safety).get("name", "its own"))
    return PolicyReport(name=name, about=about, policies=policies, safety=safety, wrong=tuple(wrong), lacking=tuple(lacking))


def problems(loaded: LoadedSettings) -> Iterator[UsageProblem]:
    """Why a role could not be given its policy, the roles in order."""
    settings = loaded.settings
    try:
        environment = make_environment(settings.model_copy(update={"faults": ()}))
    except (UsageProblem, EnvironmentFault) as bad:
        yield located(loaded, UsageProblem(str(bad)))
        return
    journal = Journal(None, time.time)
    deciders = Deciders(settings.crew, journal=journal, limits=settings.limits, environment=environment)
    for role in ROLES:
        try:
            deciders.of(role)
        except UsageProblem as bad:
            yield located(loaded, bad)
    journal.close()
    environment.close()


class SafetyReport(NamedTuple):
    """A safety policy that was looked at."""

    name: str
    wrong: str
    rules: int = 0
    network: str = ""
    """What becomes of requests that no action was allowed to cause."""
    notes: tuple[str, ...] = ()
    """What a reader may stumble over."""


def check_safety(files: Sequence[str]) -> list[SafetyReport]:
    """What is wrong with safety policies; all that are shipped where none is named."""
    return [_checked_safety(file) for file in files or shipped_names(FOLDER)]


def _checked_safety(name: str) -> SafetyReport:
    try:
        found = read_safety(name, lambda path: Source("command line"))
    except UsageProblem as bad:
        return SafetyReport(name, str(bad))
    policy, seen, notes = found.policy(), dict[str, Source](), []
    for rule, place in zip(policy.rules, found.places, strict=True):
        if rule.name in seen:
            notes.append(f"{place}: there is another rule {rule.name!r} ({seen[rule.name]}); reports cannot tell them apart")
        seen.setdefault(rule.name, place)
    if policy.otherwise == "allow":
        notes.append("otherwise: allow permits every action that no rule covers")
    if policy.network.mode == "off":
        notes.append("network: off permits every request, whatever it sends and whoever makes it")
    allowed = len(policy.network.allow) if policy.network.mode != "off" else 0
    but = f", but for {allowed} kind{'s' if allowed != 1 else ''} that pages may send" if allowed else ""
    return SafetyReport(name, "", len(policy.rules), f"{policy.network.mode}{but}", tuple(notes))


def show(what: str) -> tuple[PolicyReport, list[SettingLine]]:
    """A preset, and the settings that it makes, with who decides for each role."""
    document = find_preset(what, lambda _: Source("command line")).layer.document
    place = f"{document.name if document else ''}, line"
    own = (*Preset.model_fields,)
    said = [
        line
        for line in show_config(load_settings((), [f"{KEY}={what}"]))
        if re.fullmatch(r"crew\.[a-z]+\.policy", line.key) or (line.key.split(".")[0] in own and line.source.startswith(place))
    ]
    return report(what), said
