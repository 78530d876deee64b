"""Every key of the settings makes a difference that can be seen; a key without such a test fails here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from flips.roles import MADE_OF, ROLES, answered, overrides
from flips.settings import FLIPS, SAFETY_FLIPS, Flip
from pydantic import BaseModel

from orchestrator.settings.role_settings import CrewSettings
from orchestrator.settings.settings import Settings, load_settings
from roles.safety import SafetyPolicy

_NAMED = re.compile(r"\.(?:chain|voters)\[\]$")
"""A member of which nothing but the policy is said."""
_ROLES = re.compile(r"^crew\.(?:manager|operator|evaluator\.final|evaluator|technician|analyst)\.")
EACH = pytest.mark.slow("every setting")
pytestmark = pytest.mark.filterwarnings("ignore:.*is an old name:FutureWarning")


def models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def leaves(model: type[BaseModel], at: str = "") -> Iterator[str]:
    """Every key that holds a value: `limits.steps`, `faults[].kind`, `crew.ROLE.policy`."""
    for name, field in model.model_fields.items():
        key = f"{at}.{name}".lstrip(".")
        if field.exclude:  # read of old runs only
            continue
        inner = models_in(field.annotation)
        if not inner:
            yield _ROLES.sub("crew.ROLE.", key)
        for part in inner:
            yield from leaves(part, key + ("[]" if get_origin(field.annotation) is tuple else ""))


LEAVES = set(leaves(Settings))
SAFETY_LEAVES = set(leaves(SafetyPolicy))


def test_every_key_of_the_settings_has_two_values_and_a_difference_to_see() -> None:
    unseen = LEAVES - set(FLIPS)
    assert not unseen, f"add a line to FLIPS in tests/_support/flips/settings.py for: {', '.join(sorted(unseen))}"
    assert set(FLIPS) <= LEAVES, "a line for a key that is gone"


def test_every_key_of_a_safety_policy_has_two_values_and_a_difference_to_see() -> None:
    assert set(SAFETY_FLIPS) == SAFETY_LEAVES


def values(data: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """What a dump says, by key; the items of a list stand under `[]`."""
    key = _ROLES.sub("crew.ROLE.", at)
    if isinstance(data, str) and _NAMED.search(key):
        key += ".policy"
    if key in LEAVES or key.removeprefix("safety.") in SAFETY_LEAVES or not isinstance(data, dict | list):
        yield key, json.dumps(data, sort_keys=True)
    elif isinstance(data, dict):
        for name, part in data.items():
            yield from values(part, f"{at}.{name}".lstrip("."))
    else:
        for part in data:
            yield from values(part, f"{at}[]")


def said(flip: Flip, override: str) -> set[tuple[str, Any]]:
    settings = load_settings((), [*flip.always, override]).settings
    return set(values(json.loads(settings.model_dump_json())))


@EACH
@pytest.mark.parametrize("key", sorted(set(FLIPS) - {"policies"}))
def test_a_flip_changes_its_key_and_nothing_else(key: str) -> None:
    flip = FLIPS[key]
    assert {name for name, _ in said(flip, flip.one) ^ said(flip, flip.other)} == {key}


@EACH
@pytest.mark.parametrize("key", sorted(FLIPS))
def test_flipping_a_key_makes_a_difference(key: str, tmp_path: Path) -> None:
    see_difference(FLIPS[key], tmp_path)


@EACH
@pytest.mark.parametrize("key", sorted(SAFETY_FLIPS))
def test_flipping_a_key_of_a_safety_policy_makes_a_difference(key: str, tmp_path: Path) -> None:
    see_difference(SAFETY_FLIPS[key], tmp_path)


OF_ROLES = [(role, key) for role in ROLES for key in type(getattr(CrewSettings(), role)).model_fields]
SEEN_IN_RUNS = {"review", "ask_user", "granularity", "grounding"}


@EACH
@pytest.mark.parametrize(("role", "key"), [(role, key) for role, key in OF_ROLES if key not in SEEN_IN_RUNS])
def test_every_role_reads_each_of_its_keys_or_refuses_it(role: str, key: str, tmp_path: Path) -> None:
    one, other, _ = MADE_OF[key]
    told = [answered(role, overrides(role, key, value, tmp_path), tmp_path) for value in (one, other)]
    assert told[0] != told[1]


def see_difference(flip: Flip, folder: Path) -> None:
    def seen(override: str, name: str) -> Any:
        (folder / name).mkdir()
        told = flip.view([*flip.always, override], folder / name)
        return json.loads(json.dumps(told, default=repr).replace(str(folder / name), "HERE"))

    one = seen(flip.one, "one")
    assert one == seen(flip.one, "again"), "what is seen must not change by itself"
    assert one != seen(flip.other, "other")
