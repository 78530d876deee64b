"""Conditions in CEL over a world: paths are followed once, and whatever else stands in an expression stays what it is."""

from typing import Any

import pytest

from environments.files.conditions import LONGEST, check, evaluate, evaluate_each, names_in, problem_with

WORLD: dict[str, Any] = {
    "world": {"apps": {"mail": {"m": {"1": {"to": "a", "n": 1}, "2": {"to": "world.apps", "n": 2}}, "list": [3, 4], "has": 1}}},
    "initial": {"apps": {"mail": {"m": {"1": {"to": "a", "n": 1}}, "list": [3, 4]}}},
    "slots": {"it": "2", "m": {"n": 2}},
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("world.apps.mail.m.exists(k, world.apps.mail.m[k].n == 2)", True),
        ('world.apps.mail.m[slots.it].to == "world.apps"', True),
        ("world.apps.mail.m[slots.it].to == 'world.apps'", True),
        ("world.apps.mail.list == initial.apps.mail.list", True),
        ("world.apps == initial.apps", False),
        ("has(world.apps.mail.has) && !has(world.apps.mail.nothing)", True),
        ("has(world.apps.mail) ? world.apps.mail.has : 0", 1),
        ("size(world.apps.mail.m) + world.apps.mail.list.size()", 4),
        ("[{'apps': {'mail': 5}}].exists(world, world.apps.mail == 5)", True),
        ("world.apps.mail.m.all(m, !(m in initial.apps.mail.m) || slots.m.n == 2)", True),
        ("world.apps.mail.list[0] + slots.m.n", 5),
        ('"quote \\" world.apps.mail.has" + string(world.apps.mail.has)', 'quote " world.apps.mail.has1'),
    ],
)
def test_a_path_means_what_lies_there(expression: str, value: Any) -> None:
    assert evaluate(expression, WORLD) == value


@pytest.mark.parametrize("expression", ["world.apps.post.m == 1", "world.apps.mail.m.x.y == 1", "slots.it.x == 1"])
def test_a_path_that_leads_nowhere_is_an_error(expression: str) -> None:
    found = check(expression, WORLD)
    assert found.error
    assert not found.passed
    assert check("slots.m.n", WORLD).error == "gives 2, which is neither true nor false"


def test_what_fits_is_found_for_each_value() -> None:
    assert evaluate_each("item.n == slots.m.n", "item", [{"n": 1}, {"n": 2}], WORLD) == [False, True]
    assert evaluate_each("world.n", "world", [{"n": 1}, {"n": 2}], WORLD) == [1, 2]


def test_the_names_of_a_condition_are_those_that_it_does_not_bind_itself() -> None:
    assert names_in("a.b.exists(c, c == d) && 'e' in f") == {"a", "d", "f"}


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        *((said, "there is no function nope()") for said in ("nope(a)", "a.nope()", "a.exists(x, nope(x))")),
        *((said, "") for said in ("a.trim() == '' && size(a) > -1", "has(a.b) && !('x' in a)", "a.map(x, x + 1)[0] == 1")),
        (" + ".join(["1"] * 20_000) + " > 0", f"it is longer than {LONGEST:,} characters"),
    ],
)
def test_what_can_never_be_evaluated_is_said_and_not_tried(condition: str, problem: str) -> None:
    assert problem_with(condition, ("a",)) == problem
    assert not check(condition, {}).passed


@pytest.mark.parametrize(
    ("expression", "deep"),
    [
        ("world.all(a, world.all(b, world.all(c, a + b + c > 0)))", True),
        ("world . map ( a, world.filter(b, world.exists_one(c, true)).size() > 1).size() == 1", True),
        ("world.all(a, world.all(b, a + b > 0)) && world.map(c, world.map(d, d)).size() == 3", False),
        ("world.all(a, world.all(b, '.all(.all(' != \".map(\"))", False),
    ],
)
def test_loops_stand_in_each_other_only_so_deep_as_somebody_can_wait_for(expression: str, deep: bool) -> None:
    assert (problem_with(expression, ["world"]) == "more than 2 loops are nested in each other") is deep
    assert check(expression, {"world": [1, 2, 3]}).passed is not deep
