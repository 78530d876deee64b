"""The one place that names concrete classes: words of a config become environments, policies and sources."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from environments.contract import Environment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.worldfile import load_world
from orchestrator.documents import checked, read_document
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.line import HubLine
from orchestrator.settings import RoleSettings, Settings, load_safety, shipped
from orchestrator.store import CursorSaver
from roles.context import Context
from roles.contracts import Clock, SupplementSource
from roles.journal import Journal, Listener
from roles.operator.graph import DURABLE_BEFORE
from roles.policies import EvaluatorScript, ManagerScript, OperatorScript, ScriptedEvaluator, ScriptedManager, ScriptedOperator
from roles.redaction import Redactor
from roles.rules.evaluator import RulesEvaluator
from roles.rules.help import HelpDocuments
from roles.rules.manager import RulesManager
from roles.rules.operator import RulesOperator
from roles.safety import SafetyPolicy


def _simulated(settings: Settings, store: Path | None) -> Environment:
    desktop: Environment = SimulatedDesktop(load_world(settings.world), settings.seed, store)
    return desktop


ENVIRONMENTS: dict[str, Callable[[Settings, Path | None], Environment]] = {"simulated": _simulated}

RULES: dict[str, Callable[[], Any]] = {"manager": RulesManager, "operator": RulesOperator, "evaluator": RulesEvaluator}
SCRIPTED: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "manager": (ManagerScript, ScriptedManager),
    "operator": (OperatorScript, ScriptedOperator),
    "evaluator": (EvaluatorScript, ScriptedEvaluator),
}
POLICIES = ("rules", "scripted")


def make_environment(settings: Settings, store: Path | None = None) -> Environment:
    """The environment that the settings name; one with a store goes on from what is in it."""
    if settings.environment not in ENVIRONMENTS:
        raise UsageProblem(
            f"environment: there is no environment {settings.environment!r}{did_you_mean(settings.environment, ENVIRONMENTS)}"
        )
    return ENVIRONMENTS[settings.environment](settings, store)


def build_policy(role: str, settings: RoleSettings) -> Any:
    """The decision maker of a role; None for a role that has no policies."""
    if role not in RULES:
        return None
    if settings.policy == "rules":
        return RULES[role]()
    if settings.policy == "scripted":
        if settings.script is None:
            raise UsageProblem(f"crew.{role}.script: a scripted policy needs the YAML file of its script")
        document = read_document(settings.script, f"{role} script")
        model, policy = SCRIPTED[role]
        return policy(checked(model, document.data, document.where))
    raise UsageProblem(f"crew.{role}.policy: there is no policy {settings.policy!r}{did_you_mean(settings.policy, POLICIES)}")


def build_safety(settings: Settings) -> SafetyPolicy:
    return SafetyPolicy.model_validate(load_safety(settings.safety))


def build_sources(settings: Settings) -> tuple[SupplementSource, ...]:
    """The shipped help documents, then those of the user's own folders."""
    folders = [shipped("help"), *settings.help_dirs]
    return tuple(HelpDocuments(folder) for folder in folders)


def build_context(
    settings: Settings,
    *,
    run_id: str = "run",
    journal_path: Path | None = None,
    environment: Environment | None = None,
    store: Path | None = None,
    listener: Listener | None = None,
    clock: Clock = time.time,
    parts: Mapping[str, Any] | None = None,
) -> Context:
    """Everything that the nodes are given. `parts` replaces policies (`manager`, `operator`, `evaluator`) or `sources`."""
    given = dict(parts or {})
    safety = given.get("safety") or build_safety(settings)
    surface = environment or make_environment(settings, store)
    journal = Journal(journal_path, clock, Redactor(safety), listener, run_id)
    crew = settings.crew
    return Context(
        environment=surface,
        journal=journal,
        manager=given.get("manager") or build_policy("manager", crew.manager),
        operator=given.get("operator") or build_policy("operator", crew.operator),
        evaluator=given.get("evaluator") or build_policy("evaluator", crew.evaluator),
        sources=given.get("sources", build_sources(settings)),
        safety=safety,
        limits=settings.limits,
        clock=clock,
        line=HubLine(journal, settings.limits),
    )


def build_saver(path: Path | None) -> CursorSaver:
    """The checkpoint store of one run."""
    return CursorSaver(path, {"operator": DURABLE_BEFORE})
