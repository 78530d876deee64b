"""What a safety policy says of an action on a screen, and which rules lead to it; no crew works for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from environments.contract import Environment, WorldState
from environments.effects import Change, Effect, Preview
from orchestrator.control.requests import usable_action
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_skills, make_environment
from orchestrator.settings.layers import Source, read_document, shipped_names
from orchestrator.settings.layers import explain as explain_data
from orchestrator.settings.settings import FOLDER, LoadedSettings, load_settings, read_safety
from orchestrator.tasks.tasks import Task, fill_goal, fill_slots
from protocol import Action, AskInAppAgent, CallApi, LaunchApp, RunScript, TargetError, VisualState, resolve
from protocol.dsl import emit
from roles.contracts import Fact
from roles.safety import ExplainedVerdict, Grounds, SafetyPolicy, explain
from roles.safety.review import shown

_UNFIT = {
    "effects": "its effect is {effect}",
    "verbs": "its verb is {verb}",
    "apps": "it is done in {app}",
    "targets": "its target is called {target!r}",
    "values": "of its values are not those",
    "if": "its condition does not hold",
}


class ExplainRequest(NamedTuple):
    """What is to be explained."""

    action: str
    safety: str = ""
    """A preset's name or a file; empty means what the settings say."""
    task: Task | None = None
    world: str | None = None
    screen: Path | None = None
    app: str | None = None
    goal: str = ""
    facts: tuple[str, ...] = ()
    confidence: float = 1.0
    config: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()


class RuleSays(NamedTuple):
    """One rule, as it stands before the action."""

    name: str
    verdict: str
    applies: bool
    why: str
    place: str


class Explanation(NamedTuple):
    """The answer."""

    action: str
    verdict: str
    rule: str
    why: str
    effect: str
    severity: str
    app: str
    target: str
    policy: str
    place: str
    """Where the rule that decides was written, or what else it is."""
    rules: list[RuleSays]
    """In the order in which they count."""
    by_rules: str
    """The verdict and the rule that the rules alone come to."""
    values: list[dict[str, Any]]
    """Each value that the action carries, and where it comes from."""
    also: list[str]
    """What else the action amounts to, which is judged no stricter."""
    network: str
    """What becomes of requests that no action was allowed to cause."""
    missing: str
    """Why the target is not on the screen."""
    changes: list[dict[str, Any]] | None = None
    """What the action would change, told by doing it in a fork; None where that cannot be done."""


def explained(asked: ExplainRequest) -> Explanation:
    """Raises UsageProblem for what cannot be read."""
    action = usable_action(asked.action)
    loaded = load_settings(asked.config, _overrides(asked), asked.task.layer() if asked.task else None)
    found = read_safety(loaded.settings.safety, lambda path: Source(loaded.source(".".join(["safety", *map(str, path)]))))
    policy = found.policy()
    state, goal, changes, effects, unrated = _screen(asked, loaded, action)
    element, missing = None, ""
    if action.target is not None:
        try:
            element = state.by_id[resolve(action.target, state).element_id]
        except TargetError as no:
            missing, changes = str(no), None
    facts = tuple(_fact(text) for text in asked.facts)
    grounds = Grounds(said=lambda: [asked.goal or goal], facts=facts)
    more = {"confidence": asked.confidence, "grounds": grounds, "changes": changes, "effects": effects, "unrated": unrated}
    all_effects = explain(action, element, state, policy, **more)
    first = all_effects[0]
    places = {id(rule): str(place) for rule, place in zip(policy.rules, found.places, strict=True)}
    rules = [
        RuleSays(
            name=look.rule.name,
            verdict=look.rule.verdict if look.verdict is None else look.verdict,
            applies=look.verdict is not None,
            why=look.because if look.failed else "" if look.verdict else _unfit(look.because, action, first),
            place=places[id(look.rule)],
        )
        for look in first.looks
    ]
    values = [{"value": value, **origin._asdict()} for value, origin in first.values]
    deciding = next((rule for rule in rules if rule.applies and rule.name == first.review.policy), None)
    by_rules = next((f"{rule.verdict} ({rule.name})" for rule in rules if rule.name == first.by_rule), None)
    return Explanation(
        action=emit(action),
        verdict=first.review.verdict,
        rule=first.review.policy,
        why="; ".join(first.review.reasons),
        effect=first.review.effect.value,
        severity=first.review.severity,
        app=first.app,
        target=first.target,
        policy=policy.name,
        place=deciding.place if deciding else "no rule: it stands above them" if first.review.policy != "otherwise" else "",
        rules=rules,
        by_rules=by_rules or f"{policy.otherwise} (otherwise: no rule applies)",
        values=values,
        also=[f"{other.review.effect.value}: {other.review.verdict} ({other.review.policy})" for other in all_effects[1:]],
        network=network_told(policy),
        missing=missing,
    )._replace(changes=shown(changes))


def _overrides(asked: ExplainRequest) -> list[str]:
    said = {"safety": asked.safety, "world": asked.world}
    return [*(f"{key}={json.dumps(value)}" for key, value in said.items() if value), *asked.overrides]


class Scene(NamedTuple):
    """Where an action is explained: the screen that is given, or the first one of the world."""

    state: VisualState
    goal: str
    changes: Sequence[Change] | None = None
    """What the action would change there; None where that cannot be told."""
    effects: Sequence[Effect] | None = None
    """Of a call, what the registry of skills knows."""
    unrated: bool = False
    """Whether it calls a tool from outside of which nobody has said what it may do."""


def _screen(asked: ExplainRequest, loaded: LoadedSettings, action: Action) -> Scene:
    if asked.screen is not None:
        return Scene(read_screen(asked.screen), asked.task.goal if asked.task else "")
    if loaded.settings.environment != "simulated":
        raise UsageProblem(f"environment: {loaded.settings.environment} is not started for this; give a screen: --screen FILE.")
    surface = make_environment(loaded.settings.model_copy(update={"faults": ()}))
    try:
        surface.reset(seed=loaded.settings.seed)
        if asked.app is not None:
            opened = surface.perform(LaunchApp(app=asked.app), key="explain")
            if not opened.ok:
                raise UsageProblem(f"--app {asked.app}: {opened.error}")
        skills = build_skills(loaded.settings, surface) if isinstance(action, CallApi | AskInAppAgent) else None
        outside = isinstance(action, RunScript) or (skills is not None and skills.tool(action) is not None)
        changes = surface.preview(action) if isinstance(surface, Preview) and not outside else None
        scene = Scene(surface.observe(), _goal(asked.task, surface, loaded.settings.seed), changes)
        if skills is None:
            return scene
        return scene._replace(effects=skills.effects(action, None, scene.state), unrated=skills.unrated(action))
    finally:
        surface.close()


def _goal(task: Task | None, surface: Environment, seed: int) -> str:
    if task is None or not isinstance(surface, WorldState):
        return ""
    return fill_goal(task, fill_slots(task, surface.world(), seed))


def read_screen(path: Path) -> VisualState:
    """A VisualState from a JSON or YAML file."""
    document = read_document(path, "screen")
    try:
        return VisualState.model_validate_json(json.dumps(document.data, default=str))
    except ValidationError as bad:
        raise UsageProblem(explain_data(bad, VisualState, document.where)) from None


def _fact(text: str) -> Fact:
    """`NAME=VALUE`, as the Operator notes it from a screen."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageProblem(f"--fact {text!r} is not NAME=VALUE; write for example --fact total=$12.50.")
    return Fact(name=name.strip(), value=value, element_id="told")


def _unfit(key: str, action: Action, found: ExplainedVerdict) -> str:
    """Why a rule does not apply, in words."""
    told = {"effect": found.review.effect.value, "verb": action.verb, "app": found.app or "no app", "target": found.target}
    return f"{key}: {_UNFIT[key].format(**told)}"


def network_told(policy: SafetyPolicy) -> str:
    """What a policy says of requests, in short."""
    network = policy.network
    if network.mode == "off" or not network.allow:
        return str(network.mode)
    return f"{network.mode}, but for {len(network.allow)} kind{'s' if len(network.allow) != 1 else ''} that pages may send"


class Problem(NamedTuple):
    """A policy file that was looked at."""

    name: str
    wrong: str
    rules: int = 0
    network: str = ""
    notes: list[str] = []  # noqa: RUF012 - never changed


def check_policies(files: Sequence[str]) -> list[Problem]:
    """What is wrong with policies, and what a reader may stumble over; all that are shipped where none is named."""
    return [_checked(file) for file in files or shipped_names(FOLDER)]


def _checked(name: str) -> Problem:
    try:
        found = read_safety(name, lambda path: Source("command line"))
    except UsageProblem as bad:
        return Problem(name, str(bad))
    policy = found.policy()
    seen: dict[str, Source] = {}
    notes = []
    for rule, place in zip(policy.rules, found.places, strict=True):
        if rule.name in seen:
            notes.append(f"{place}: there is another rule {rule.name!r} ({seen[rule.name]}); reports cannot tell them apart")
        seen.setdefault(rule.name, place)
    if policy.otherwise == "allow":
        notes.append("otherwise: allow permits every action that no rule covers")
    if policy.network.mode == "off":
        notes.append("network: off permits every request, whatever it sends and whoever makes it")
    return Problem(name, "", len(policy.rules), network_told(policy), list(notes))
