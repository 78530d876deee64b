"""World files: what stands in a YAML, checked before anything starts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, Field, ValidationError
from rapidfuzz import fuzz, process

from environments.contract import WorldError
from environments.simulated.app import AppState, Setting
from environments.simulated.apps import APPS
from environments.simulated.events import Rule
from environments.simulated.following import edited
from environments.simulated.generate import cast_for
from environments.simulated.values import Model
from environments.simulated.world import Desk, Win, World
from environments.simulated.yaml_text import load_yaml


class WorldSpec(Model):
    """A world as its file describes it; the seed fills in what the file leaves open."""

    name: str = Field(min_length=1)
    about: str = ""
    seed: int = 0
    screen: tuple[int, int] = (1280, 800)
    user: str | None = None
    """Whose desktop it is."""
    today: date | None = None
    apps: dict[str, dict[str, Any] | None] = Field(min_length=1)
    """Which apps there are, and what is in them."""
    open: tuple[str, ...] = ()
    """Apps that start open; the first one has the focus."""
    events: tuple[Rule, ...] = ()


def load_world(path_or_name: str | Path, seed: int | None = None) -> WorldSpec:
    """The world of a file, or the shipped one of this name. Raises WorldError in one sentence."""
    name, text = _read(path_or_name)
    return parse_world(text, name, seed)


def parse_world(text: str, name: str = "world", seed: int | None = None) -> WorldSpec:
    """The world that a YAML text describes; `name` stands for the file in errors."""
    try:
        data = load_yaml(text)
    except yaml.MarkedYAMLError as bad:
        line = bad.problem_mark.line + 1 if bad.problem_mark else 1
        raise WorldError(f"{name}, line {line}: {bad.problem or bad.context}; mend the YAML there.") from None
    except yaml.YAMLError as bad:
        raise WorldError(f"{name}: this is not YAML: {str(bad).splitlines()[0]}.") from None
    if not isinstance(data, dict):
        raise WorldError(f"{name}: a world file is a mapping with the keys {', '.join(WorldSpec.model_fields)}.")
    data = {"name": Path(name).stem, **data, **({} if seed is None else {"seed": seed})}
    try:
        spec = WorldSpec.model_validate(data)
    except ValidationError as bad:
        raise WorldError(_sentence(name, (), bad, WorldSpec)) from None
    _check(spec, name)
    return spec


def first_world(spec: WorldSpec, seed: int, name: str = "") -> World:
    """The state in which a world starts, before any rule. Raises WorldError when the content does not fit the app."""
    cast = cast_for(seed, spec.user, spec.today)
    apps: dict[str, AppState] = {}
    for app, content in spec.apps.items():
        setting = Setting(random.Random(f"{seed}:{app}"), cast)  # noqa: S311 - variation, not secrecy
        try:
            apps[app] = APPS[app].initial(content or {}, setting)
        except ValidationError as bad:
            raise WorldError(_sentence(name or spec.name, ("apps", app), bad, APPS[app].content)) from None
    windows = tuple(Win(app=app) for app in reversed(spec.open))
    return World(Desk(name=spec.name, seed=seed, size=spec.screen, windows=windows), apps)


def _read(path_or_name: str | Path) -> tuple[str, str]:
    shipped = resources.files("configs") / "worlds"
    names = (
        sorted(Path(entry.name).stem for entry in shipped.iterdir() if entry.name.endswith(".yaml")) if shipped.is_dir() else []
    )
    if str(path_or_name) in names:
        return f"{path_or_name}.yaml", (shipped / f"{path_or_name}.yaml").read_text(encoding="utf-8")
    path = Path(path_or_name)
    try:
        return str(path), path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WorldError(
            f"There is no world file {path}; shipped worlds are: {', '.join(names)}{_meant(path.stem, names)}."
        ) from None
    except UnicodeDecodeError as bad:
        raise WorldError(f"{path}: byte {bad.start} is not UTF-8; save the file as UTF-8.") from None
    except OSError as bad:
        raise WorldError(f"{path}: the file cannot be read: {bad.strerror}.") from None


def _check(spec: WorldSpec, name: str) -> None:
    """Everything that can be known without starting: apps exist, content fits, rules speak of what there is."""
    for app in spec.apps:
        if app not in APPS:
            raise WorldError(
                f"{name}: apps.{app}: there is no app {app!r}; known apps are: {', '.join(APPS)}{_meant(app, APPS)}."
            )
    for key, wanted in (("open", spec.open), *((f"events.{i}", rule.apps()) for i, rule in enumerate(spec.events))):
        for app in wanted:
            if app not in spec.apps:
                there = ", ".join(spec.apps)
                raise WorldError(
                    f"{name}: {key}: {app!r} is not one of this world's apps, which are: {there}{_meant(app, spec.apps)}."
                )
    if len(set(spec.open)) < len(spec.open):
        raise WorldError(f"{name}: open: an app is named twice; name each app once.")
    if spec.screen[0] < 320 or spec.screen[1] < 240:
        raise WorldError(f"{name}: screen: {list(spec.screen)} is too small; use at least [320, 240].")
    world = first_world(spec, spec.seed, name)
    for index, rule in enumerate(spec.events):
        if rule.edit:
            _check_edit(world, rule, f"{name}: events.{index}.edit")


def _check_edit(world: World, rule: Rule, where: str) -> None:
    if rule.edit is None:
        return
    try:
        edited(world, rule.edit)
    except KeyError as bad:
        path = ".".join(rule.edit.keys)
        raise WorldError(f"{where}.path: there is no {bad.args[0]!r} along {path} in the state of {rule.edit.app}.") from None
    except ValidationError as bad:
        raise WorldError(f"{where}.value: {_reason(bad)}.") from None


def _sentence(name: str, at: Sequence[str], bad: ValidationError, root: type[BaseModel]) -> str:
    """The first problem as `file: key: what is wrong, and what to do.`"""
    # A misspelt key is also a missing one; the misspelling says more.
    first = next((error for error in bad.errors() if error["type"] == "extra_forbidden"), bad.errors()[0])
    key = ".".join(str(part) for part in (*at, *first["loc"]))
    if first["type"] == "extra_forbidden":
        word = str(first["loc"][-1])
        known = _keys_at(root, first["loc"][:-1])
        return f"{name}: {key}: this key is not known; known keys here are: {', '.join(known)}{_meant(word, known)}."
    if first["type"] == "missing":
        return f"{name}: {key}: this key is missing; add it."
    return f"{name}: {key + ': ' if key else ''}{_reason(bad)}."


def _keys_at(root: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    """The keys that may stand at a place of a document."""
    model: type[BaseModel] = root
    for part in loc:
        if part in model.model_fields:
            model = _model_in(model.model_fields[str(part)].annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a type is or holds: `Line` of `tuple[Line, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def _reason(bad: ValidationError) -> str:
    said = bad.errors()[0]["msg"].removeprefix("Value error, ")
    given = bad.errors()[0]["input"]
    shown = f", not {given!r}" if said.startswith("Input should") and isinstance(given, str | int | float | bool) else ""
    return said.rstrip(".") + shown


def _meant(word: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    hit = process.extractOne(str(word), list(names), scorer=fuzz.WRatio, score_cutoff=60)
    return f"; did you mean {hit[0]}?" if hit else ""
