"""Safety policies from files: by a preset's name, by a path, or written out; each rule with the line it stands in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import Environment, WorldState
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.settings.layers import PRESET, looks_like_path, shipped, shipped_names
from orchestrator.settings.yaml_documents import Source, Where, checked, read_document
from protocol import Frozen, JsonObject
from roles.safety import SafetyPolicy
from roles.safety.policy import written_out

FOLDER = "safety"


class SafetyFile(NamedTuple):
    """A policy as data that `SafetyPolicy` accepts, and where each of its rules was written."""

    data: JsonObject
    places: tuple[Source, ...]

    def policy(self) -> SafetyPolicy:
        return SafetyPolicy.model_validate(self.data)


class _Preset(Frozen):
    preset: str


def read_safety(safety: str | Mapping[str, Any], where: Where, *, base: Path | None = None) -> SafetyFile:
    """The policy that a name, a path or a mapping means. Raises UsageProblem with file, line and key for one that is wrong.

    A mapping with a `preset` is that policy with other values; its rules are added in front of those of the preset.
    """
    return _read(safety, where, base or Path.cwd(), ())


def _read(safety: str | Mapping[str, Any], where: Where, base: Path, above: Sequence[str]) -> SafetyFile:
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
        added["network"] = _network(own["network"], below.data["network"])
    return SafetyFile({**below.data, **own, **added}, (*places, *below.places))


def _network(own: Any, below: Any) -> Any:
    """Like rules, what pages may send is added to."""
    mine, theirs = written_out(own), written_out(below)
    allowed = [*mine.get("allow", ()), *theirs.get("allow", ())]
    return theirs | mine | ({"allow": allowed} if allowed else {})


def _named(name: str, where: Where, base: Path, above: Sequence[str]) -> SafetyFile:
    if not looks_like_path(name) and name not in shipped_names(FOLDER):
        raise UsageProblem(f"{where(())}: there is no safety policy {name!r}{did_you_mean(name, shipped_names(FOLDER))}.")
    path = base / Path(name).expanduser() if looks_like_path(name) else shipped(FOLDER, f"{name}.yaml")
    place = os.path.realpath(path)  # links in a circle lead nowhere, and say so when it is read
    if place in above:
        raise UsageProblem(f"{where(())}: the safety policy {name!r} has itself as its preset.")
    document = read_document(path, "safety policy")
    found = _read(document.data, document.where, path.parent, (*above, place))
    return found if "rules" in found.data else _with_default_rules(found)


def _with_default_rules(found: SafetyFile) -> SafetyFile:
    """Rules that a file leaves out are those of SafetyPolicy, written out so that others can be added to them."""
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
