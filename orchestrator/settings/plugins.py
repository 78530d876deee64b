"""Parts of other packages, by entry point or `package.module:Class`: environments, policies, dialects, sources, safety checks."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, NamedTuple

from pydantic import Field

from environments.files.wrong_data import did_you_mean
from orchestrator.errors import UsageProblem
from protocol import Frozen

Kind = Literal["environments", "policies", "dialects", "sources", "checks"]
NEEDED: dict[Kind, tuple[str, ...]] = {
    "environments": ("name", "reset", "observe", "perform", "close"),
    "policies": (),
    "dialects": ("name", "read", "write"),
    "sources": ("name", "search"),
    "checks": ("name", "check"),
}
"""What a part has to have; a policy has the method of its role."""
METHODS = {"manager": "plan", "operator": "decide", "evaluator": "judge", "analyst": "answer", "technician": "write"}
"""What the policy of each role is asked by."""
Role = Literal["manager", "operator", "evaluator", "analyst", "technician"]


class PluginSettings(Frozen):
    """Parts of other packages that a run takes: the name of an entry point, or `package.module:Class`."""

    policies: dict[Role, str] = Field(default_factory=dict)
    """Who decides for a role, in place of `crew.ROLE.policy`."""
    sources: tuple[str, ...] = ()
    """Where the Manager looks things up, after all others."""
    checks: tuple[str, ...] = ()
    """What looks at every action after the safety policy, and can only be stricter."""


class Listed(NamedTuple):
    """A part that an installed package offers."""

    kind: Kind
    name: str
    place: str
    package: str
    problem: str
    """What is wrong with it; empty where nothing is."""


def group(kind: Kind) -> str:
    """The entry points' group."""
    return f"deskcrew.{kind}"


def names(kind: Kind) -> tuple[str, ...]:
    """What installed packages offer."""
    return tuple(sorted(point.name for point in entry_points(group=group(kind))))


def part(kind: Kind, name: str, *given: Any, role: str = "") -> Any:
    """The part of this name, made from what is `given` where it is a class. Raises UsageProblem with what is wrong with it."""
    where = f"{kind if kind in {'environments', 'dialects'} else f'plugins.{kind}'}{role and f'.{role}'}: {name}"
    points = {point.name: point for point in entry_points(group=group(kind))}
    if name not in points and ":" not in name:
        raise UsageProblem(f"{where}: no installed package offers it under {group(kind)}{did_you_mean(name, points)}")
    point = points.get(name) or EntryPoint(name, name, group(kind))
    try:
        found = point.load()
        made = found(*given) if isinstance(found, type) or (callable(found) and kind == "environments") else found
    except Exception as bad:  # whatever a stranger's code raises is what is wrong with it
        raise UsageProblem(f"{where} cannot be used: {type(bad).__name__}: {bad}") from bad
    needed = (METHODS[role],) if role else NEEDED[kind]
    lacking = [word for word in needed if not hasattr(made, word)]
    if kind == "policies" and not role and not any(hasattr(made, word) for word in METHODS.values()):
        lacking = [" or ".join(METHODS.values())]
    if lacking:
        raise UsageProblem(f"{where}: {point.value} has no {lacking[0]}, which {'the ' + role if role else 'such a part'} needs")
    return made


def listed(*, check: bool = False) -> list[Listed]:
    """Every part that installed packages offer; `check` also works each environment through the contract's check."""
    from environments.check import check_environment

    found = []
    for kind in NEEDED:
        for point in sorted(entry_points(group=group(kind)), key=lambda one: one.name):
            problem, package = "", point.dist.name if point.dist else ""
            try:
                made = part(kind, point.name, *((None,) if kind == "environments" else ()))
                if kind == "environments" and check:
                    check_environment(made)
                elif kind == "environments":
                    made.close()
            except (UsageProblem, AssertionError) as bad:
                problem = str(bad)
            found.append(Listed(kind, point.name, point.value, package, problem))
    return found


def refuse_classes(data: Any, where: str) -> None:
    """Raises UsageProblem where data that others wrote names code of a package that need not be installed."""
    environment, plugins = data.get("environment"), data.get("plugins")
    named = any(plugins.values()) if isinstance(plugins, dict) else plugins
    if named or (isinstance(environment, str) and ":" in environment):
        raise UsageProblem(f"{where}: only a file of settings or the command line may name plugins and classes; a task may not.")
