"""Presets and settings looked at without a run: what is wrong with them, and what this machine lacks for them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from environments.contract import EnvironmentFault
from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.settings.build import make_environment
from orchestrator.settings.layers import KEY, Preset, find_preset, looks_like_path, shipped_names
from orchestrator.settings.policies import ROLES, Deciders
from orchestrator.settings.settings import LoadedSettings, SettingLine, load_safety, load_settings, located, show_config
from orchestrator.settings.yaml_documents import Source, read_document
from roles.journal.journal import Journal


class PolicyReport(NamedTuple):
    """A preset, or a file of settings, as it stands on this machine."""

    name: str
    about: str
    policies: dict[str, str]
    """Who decides for each role."""
    safety: str
    wrong: list[str]
    """What has to be mended: file, line, key."""
    lacking: list[str]
    """What has to be installed or given before a run."""


def report_presets() -> Iterator[PolicyReport]:
    """Every shipped preset."""
    return (report(name) for name in shipped_names(KEY))


def report(what: str) -> PolicyReport:
    """A preset by its name, or a file: a preset, or settings."""
    try:
        return _reported(what)
    except UsageProblem as bad:
        return PolicyReport(what, "", {}, "", [str(bad)], [])


def _reported(what: str) -> PolicyReport:
    if not looks_like_path(what) and not Path(what).exists():
        found = find_preset(what, lambda _: Source("command line"))
        return _report(found.name, found.about, [], [f"{KEY}={found.name}"])
    path = Path(what)
    if "about" in read_document(path, "preset or config file").data:
        preset = find_preset(str(path.resolve()), lambda _: Source(what))
        return _report(what, preset.about, [], [f"{KEY}={path.resolve()}"])
    return _report(what, "settings", [path], [])


def _report(name: str, about: str, files: Sequence[Path], overrides: Sequence[str]) -> PolicyReport:
    try:
        loaded = load_settings(files, overrides)
    except UsageProblem as bad:
        return PolicyReport(name, about, {}, "", [str(bad)], [])
    settings = loaded.settings
    wrong, lacking = _problems(loaded)
    policies = {role: getattr(settings.crew, role).policy for role in ROLES}
    safety = load_safety(settings.safety)
    return PolicyReport(name, about, policies, str(safety.get("name", "its own")), wrong, lacking)


def _problems(loaded: LoadedSettings) -> tuple[list[str], list[str]]:
    wrong: list[str] = []
    lacking: list[str] = []
    for problem in problems(loaded):
        (lacking if isinstance(problem, MissingDependency) else wrong).append(str(problem))
    return list(dict.fromkeys(wrong)), list(dict.fromkeys(lacking))


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


class PresetSummary(NamedTuple):
    """What a preset says, and what follows from it."""

    report: PolicyReport
    lines: list[SettingLine]


def show(what: str) -> PresetSummary:
    """The settings that a preset makes, and who decides for each role."""
    found = find_preset(what, lambda _: Source("command line"))
    own = set(Preset.model_fields)
    loaded = load_settings((), [f"{KEY}={what}"])
    document = found.layer.document
    said = [line for line in show_config(loaded) if _stands_in(line, document.name if document else "", own)]
    return PresetSummary(report(what), said)


def _stands_in(line: SettingLine, name: str, own: set[str]) -> bool:
    chooses = re.fullmatch(r"crew\.[a-z]+\.policy", line.key)
    return bool(chooses) or (line.key.split(".")[0] in own and line.source.startswith(f"{name}, line"))
