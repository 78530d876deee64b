"""Every number that bounds a run is bounded itself."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from roles.contracts.limits import Limits

LEAST = {
    "plans": 1, "steps": 1, "max_steps": 1, "max_recovery_attempts": 0, "retries": 0,
    "check_every": 1, "reasks": 0, "gates": 1, "stale_repeats": 2,
    "looks": 0, "script_output": 100, "tool_output": 100, "answer_output": 100, "goal_chars": 1,
}  # fmt: skip
LEAST_IF_ANY = {"replans": 0, "tokens": 1, "recoveries": 1, "unusable": 1}
TIMES_AND_MONEY = {"wall_seconds", "simulated_seconds", "action_seconds", "script_seconds", "money"}
BY_ROLE = {"role_tokens": 1, "role_steps": 1, "role_money": 0.01}


def test_every_whole_number_has_its_least_value_tested_here() -> None:
    whole = {name for name, field in Limits.model_fields.items() if field.annotation is int}
    assert whole == set(LEAST)


@pytest.mark.parametrize(("name", "least"), LEAST.items())
def test_a_limit_that_would_never_let_go_or_never_begin_is_refused(name: str, least: int) -> None:
    assert getattr(Limits.model_validate({name: least}), name) == least
    for wrong in (least - 1, -1, None, "many", 1.5, float("inf")):
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: wrong})


def test_no_other_limit_is_left_out_here() -> None:
    assert set(Limits.model_fields) == {*LEAST, *LEAST_IF_ANY, *TIMES_AND_MONEY, *BY_ROLE, "min_confidence"}


@pytest.mark.parametrize(("name", "least"), LEAST_IF_ANY.items())
def test_a_limit_that_may_be_left_out_is_bounded_where_it_is_said(name: str, least: int) -> None:
    assert getattr(Limits(), name) is None
    assert getattr(Limits.model_validate({name: least}), name) == least
    for wrong in (least - 1, -1, "many", 1.5):
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: wrong})


@pytest.mark.parametrize("name", sorted(TIMES_AND_MONEY))
@pytest.mark.parametrize("wrong", [0, -1, float("nan"), "soon"])
def test_a_run_has_some_time_and_money(name: str, wrong: object) -> None:
    with pytest.raises(ValidationError, match=name):
        Limits.model_validate({name: wrong})


@pytest.mark.parametrize(("name", "least"), BY_ROLE.items())
def test_a_role_is_one_that_there_is_and_has_at_least_something(name: str, least: float) -> None:
    assert getattr(Limits.model_validate({name: {"operator": least}}), name) == {"operator": least}
    for wrong in ({"operator": 0}, {"operator": -1}, {"operatr": 5}, 5):
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: wrong})


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_confidence_is_a_share(wrong: float) -> None:
    with pytest.raises(ValidationError, match="min_confidence"):
        Limits(min_confidence=wrong)


def test_a_misspelt_limit_is_refused_and_none_changes_while_a_run_goes_on() -> None:
    with pytest.raises(ValidationError, match="max_step"):
        Limits.model_validate({"max_step": 3})
    with pytest.raises(ValidationError, match="frozen"):
        Limits().steps = 10_000  # type: ignore[misc]


def test_what_an_earlier_version_wrote_and_is_gone_is_passed_over_where_it_limited_nothing() -> None:
    assert Limits.model_validate({"parallel": 1, "output": None, "role_seconds": {}, "steps": 7}) == Limits(steps=7)
    with pytest.raises(ValidationError, match="output"):
        Limits.model_validate({"output": 500})
