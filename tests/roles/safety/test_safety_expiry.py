"""How old a request or an approval is: by the longest that any clock can tell, so that setting one back gains nothing."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roles.safety import SafetyPolicy
from roles.safety.policy import Moment, Uptime, overdue, uptime

TEN = SafetyPolicy(approval_seconds=10.0)


def moment(at: float, up: float = 0.0, boot: str = "b") -> Moment:
    return Moment(at=at, up=up, boot=boot)


@pytest.mark.parametrize(
    ("then", "now", "age"),
    [
        (moment(100, 5), moment(107, 12), 7),
        (moment(100, 5), moment(90, 25), 20),  # the time of day was set back
        (moment(100, 5), moment(101, 25), 20),  # a little only
        (moment(100, 5), moment(150, 12), 50),  # or forward: then it is as old as it may be
        (moment(100, 5), moment(107, 2, "c"), 7),  # the machine was started anew
        (moment(100, 5), moment(90, 2, "c"), inf),  # and its clock is wrong
        (moment(100, 5), moment(90, 2), inf),  # an uptime that ran backwards is none
        (moment(100, 0, ""), moment(107, 0, ""), 7),
    ],
)
def test_the_longest_time_that_a_clock_can_tell_counts(then: Moment, now: Moment, age: float) -> None:
    assert then.age(now) == age


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6), st.floats(-1e6, 1e6))
def test_setting_the_clock_back_never_makes_anything_younger_than_the_uptime_says(
    at: float, up: float, passed: float, shift: float
) -> None:
    age = moment(at, up).age(moment(at + passed + shift, up + passed))
    assert age >= (up + passed) - up


def test_what_is_older_than_the_policy_allows_is_overdue_and_says_so() -> None:
    asked = moment(100, 5).model_dump(mode="json")
    assert not overdue(TEN, asked, moment(110, 15))
    assert overdue(TEN, asked, moment(111, 16)) == "it is 11 s old, and is good for 10 s (approval_seconds of the safety policy)"
    assert "of an unknown age" in overdue(TEN, asked, moment(90, 0, "c"))
    assert not overdue(SafetyPolicy(approval_seconds=None), asked, moment(1e9))


@pytest.mark.parametrize("nonsense", [None, {}, "yesterday", {"at": "x"}, {"at": 100, "up": -5.0}, {"at": 105, "who": "me"}, 105])
def test_what_has_no_moment_that_can_be_read_is_overdue(nonsense: object) -> None:
    assert overdue(TEN, nonsense, moment(105, 10))


def test_the_uptime_of_this_machine_runs_on_and_is_of_one_start() -> None:
    one, other = uptime(), uptime()
    assert one.boot == other.boot != ""
    assert one.seconds <= other.seconds
    assert Moment.now(lambda: 5.0, lambda: Uptime("x", 3.0)) == Moment(at=5.0, boot="x", up=3.0)
