"""The one place that names concrete classes: words of a config become environments, policies and sources."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from environments.contract import Environment
from orchestrator.core.hub_line import HubLine
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.settings.browser import make_browser, make_served
from orchestrator.settings.plugins import names, part
from orchestrator.settings.policies import Deciders
from orchestrator.settings.safety_files import refuse_unfit
from orchestrator.settings.settings import Settings, from_pixels, load_safety, shipped
from orchestrator.store.checkpoints import CursorSaver
from protocol.retries import Retries
from roles.contracts import Clock, SupplementSource
from roles.contracts.call_timeouts import TimedEnvironment
from roles.contracts.context import Answers, Context, NoAnswers
from roles.journal.events import ConstraintsAddedEvent
from roles.journal.journal import Journal, Listener
from roles.journal.rows import Rows
from roles.journal.screenshots import Gallery
from roles.knowledge.answers import AnswerFile, answers_path
from roles.knowledge.library import Library, stored_at
from roles.knowledge.sources import McpSource
from roles.operator.graph import DURABLE_BEFORE
from roles.operator.safety.permits import guard
from roles.safety import SafetyPolicy
from roles.safety.constraints import together
from roles.safety.privacy.redaction import Redactor, SecretBorder
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault
from roles.skills.chain_tools import McpTools, given_tools, installed_tools
from roles.skills.contract import OutsideTool, ToolFault
from roles.skills.registry import Skills

if TYPE_CHECKING:
    from environments.simulated.desktop import SimulatedDesktop


def _simulated(settings: Settings, store: Path | None) -> SimulatedDesktop:
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    spec = load_world(settings.world)
    spec = spec.model_copy(update={"variation": spec.variation.with_changes(settings.variation)})
    return SimulatedDesktop(spec, settings.seed, store)


def _browser(settings: Settings, store: Path | None) -> Environment:
    return make_browser(settings.browser, store, settings.retries)


def _served(settings: Settings, store: Path | None) -> Environment:
    return make_served(settings.browser, lambda: _simulated(settings, store), store, settings.retries)


ENVIRONMENTS: dict[str, Callable[[Settings, Path | None], Environment]] = {
    "simulated": _simulated,
    "browser": _browser,
    "served": _served,
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


def _timed(environment: Environment, settings: Settings) -> Environment:
    """One that may hang is given its time for each call; a simulated desktop only computes, and so does whoever reads it."""
    # Asked of the class: a stranger's wrapper that passes every attribute on is not known to only compute.
    if hasattr(type(environment), "computes") and getattr(environment, "computes", False):
        return environment
    return TimedEnvironment(environment, settings.limits.action_seconds)


def build_safety(settings: Settings, given: SafetyPolicy | Mapping[str, Any] | str | None = None) -> SafetyPolicy:
    """What is given, as the policy or as the settings would have it, else what they say. Raises UsageProblem."""
    data = {} if isinstance(given, SafetyPolicy) else load_safety(given or settings.safety)
    policy = given if isinstance(given, SafetyPolicy) else SafetyPolicy.model_validate(data)
    checks = [part("checks", name) for name in settings.plugins.checks]
    return policy.with_checks(checks) if checks else policy


def build_library(settings: Settings, embeddings: Any = None) -> Library:
    """What was added to the store, the shipped help documents and those of the user's own folders."""
    folders = [shipped("help"), *settings.help_dirs]
    return Library(settings.knowledge, stored_at(settings.knowledge, settings.runs_dir), folders, embeddings, settings.retries)


def build_sources(settings: Settings, embeddings: Any = None) -> tuple[SupplementSource, ...]:
    """What the library has, kind by kind, then the tools of MCP servers."""
    return (
        *build_library(settings, embeddings).sources(),
        *(McpSource(tool, retries=settings.retries) for tool in settings.tools),
        *(part("sources", name) for name in settings.plugins.sources),
    )


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
    except (ToolFault, ValueError) as bad:
        raise UsageProblem(str(bad)) from bad


def build_answers(settings: Settings, clock: Clock = time.time) -> Answers:
    """What the user answered in earlier runs, where the settings want that; its file is made when something is kept."""
    told = settings.memory
    if told.answers == "off":
        return NoAnswers()
    return AnswerFile(answers_path(told.answers_file, settings.runs_dir), told.answers, told.answers_days, clock)


def build_context(
    settings: Settings,
    *,
    run_id: str = "run",
    journal_path: Path | None = None,
    rows: Rows | None = None,
    environment: Environment | None = None,
    store: Path | None = None,
    listener: Listener | None = None,
    clock: Clock = time.time,
    parts: Mapping[str, Any] | None = None,
) -> Context:
    """Everything that the nodes are given. `parts` replaces policies (`manager`, `operator`, `evaluator`), `sources`,
    `embeddings` for what is looked up, or the `model` that llm policies ask where the settings name none; `around(role, policy)`
    gives a policy in a policy's place."""
    given = dict(parts or {})
    clock = given.get("clock") or clock
    safety = build_safety(settings, given.get("safety"))
    redactor = Redactor(safety, Vault(store / VAULT if store else None))
    within = _timed(environment or make_environment(settings, store), settings)
    refuse_unfit(safety, within)
    surface: Environment = SecretBorder(within, redactor)
    journal = Journal(
        journal_path, clock, redactor, listener, run_id, rows=rows, retries=settings.retries, record=settings.record
    )
    journal.transcripts.source = given.get("replies")
    constraints = together(settings.constraints, (event.body for event in journal.events(ConstraintsAddedEvent)))
    safety = safety.constrained(constraints)
    redactor.keep_to(safety)
    guard(surface, safety, journal)  # before anything is opened in it, also where a run goes on
    from environments.sandbox.detect import Detected

    around: Callable[[str, Any], Any] = given.get("around") or (lambda _, policy: policy)
    seeing = [one.vision for one in (settings.crew.evaluator, settings.crew.evaluator.at_the_end()) if one]
    gallery = Gallery(settings.screenshots, surface, journal, store, remember=any(seeing))
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
        sandbox=given.get("sandbox") or Detected(settings.sandbox, settings.packages),
        sources=given["sources"] if "sources" in given else build_sources(settings, given.get("embeddings")),
        ahead=settings.knowledge.look_up == "ahead",
        safety=safety,
        constraints=constraints,
        limits=settings.limits,
        blackboard=settings.memory.blackboard,
        answers=given.get("answers") or build_answers(settings, clock),
        clock=clock,
        line=HubLine(journal, settings.limits, surface),
        gallery=gallery,
        review_plans=settings.crew.manager.review,
        ask_user=settings.crew.manager.ask_user,
        skills=build_skills(settings, surface, given.get("skills")),
        **({"recognizer": given["recognizer"]} if given.get("recognizer") else {}),
    )


DURABLE = {"operator": DURABLE_BEFORE}
"""In front of which nodes of which role a cursor must be on disk."""


def build_saver(path: Path | None, retries: Retries | None = None) -> CursorSaver:
    """The checkpoint store of one run."""
    return CursorSaver(path, DURABLE, retries)
