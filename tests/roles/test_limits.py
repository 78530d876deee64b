"""Every number that bounds a run is bounded itself."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from roles.limits import Limits

LEAST = {
    "plans": 1, "steps": 1, "max_steps": 1, "max_recovery_attempts": 0, "retries": 0,
    "check_every": 1, "reasks": 0, "gates": 1, "stale_repeats": 2,
}  # fmt: skip


def test_every_whole_number_has_its_least_value_tested_here() -> None:
    whole = {name for name, field in Limits.model_fields.items() if field.annotation is int}
    assert whole == set(LEAST)


@pytest.mark.parametrize(("name", "least"), LEAST.items())
def test_a_limit_that_would_never_let_go_or_never_begin_is_refused(name: str, least: int) -> None:
    assert getattr(Limits.model_validate({name: least}), name) == least
    for wrong in (least - 1, -1, None, "many", 1.5, float("inf")):
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: wrong})


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), "soon"])
def test_a_run_has_some_time(wrong: object) -> None:
    with pytest.raises(ValidationError, match="wall_seconds"):
        Limits.model_validate({"wall_seconds": wrong})


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_confidence_is_a_share(wrong: float) -> None:
    with pytest.raises(ValidationError, match="min_confidence"):
        Limits(min_confidence=wrong)


def test_a_misspelt_limit_is_refused_and_not_ignored() -> None:
    with pytest.raises(ValidationError, match="max_step"):
        Limits.model_validate({"max_step": 3})


def test_limits_do_not_change_while_a_run_goes_on() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Limits().steps = 10_000  # type: ignore[misc]
