"""A difference brings the new value back, with its keys in their order, and is small where little changed."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.replay.recorded_policies import applied, delta

_LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]) | st.floats(0, 1)
VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner), max_leaves=12
)


@given(VALUES, VALUES)
def test_what_was_and_the_difference_give_what_is(old: object, new: object) -> None:
    change = json.loads(json.dumps(delta(old, new)))
    assert json.dumps(applied(old, change)) == json.dumps(new)


@given(VALUES)
def test_nothing_is_written_where_nothing_changed(value: object) -> None:
    assert applied(value, delta(value, json.loads(json.dumps(value)))) == value
    if isinstance(value, dict | list | str | int):
        assert delta(value, json.loads(json.dumps(value))) is None


def test_what_is_added_to_a_long_list_is_written_alone() -> None:
    old = {"rows": [["x" * 50, n] for n in range(100)], "page": 1}
    new = {"rows": [*old["rows"], ["y", 100]], "page": 2}  # type: ignore[misc]  # a list of rows
    assert len(json.dumps(delta(old, new))) < 120
