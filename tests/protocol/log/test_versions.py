"""The version of a line decides how it is read; a problem names its JSON path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.log.versions import BadStep, parse_step

STEP: dict[str, Any] = {"timestamp": 1, "visual_state": {}, "action": {"action_type": "wait"}, "protocol_version": "0.1"}

BAD_BOX = {"x1": 0, "y1": 0, "x2": "x", "y2": 1}


def problems(data: Any) -> list[tuple[str, str]]:
    with pytest.raises(BadStep) as caught:
        parse_step(data)
    return [(problem.where, problem.reason) for problem in caught.value.problems]


def test_a_line_without_a_version_is_the_draft_and_is_brought_up_to_date():
    draft = {name: value for name, value in STEP.items() if name != "protocol_version"}
    assert parse_step({**draft, "action": {"type": "hover", "target_id": "a"}}).protocol_version == "0.1"


@pytest.mark.parametrize(
    ("version", "said"),
    [("0.2", "newer than 0.1"), ("1.0", "newer than 0.1"), ("0.1.1", "newer than 0.1"), ("0.0.9", "not known"),
     ("first", "not known"), ("9" * 100 + ".0", "not known"), ("²", "not known"), (0.1, "a version is a text"),
     ([1], "a version is a text"), ({}, "a version is a text")],
)  # fmt: skip
def test_a_version_that_is_not_known_is_refused_and_never_guessed(version, said):
    ((where, reason),) = problems({**STEP, "protocol_version": version})
    assert where == "$.protocol_version"
    assert said in reason


@pytest.mark.parametrize(
    ("change", "where", "said"),
    [
        ({"action": {"action_type": "clik"}}, "$.action", "did you mean 'click'"),
        ({"action": {"action_type": "click"}}, "$.action", "click needs a target"),
        ({"action": {}}, "$.action", "the verb, is missing"),
        ({"action": {"action_type": "type"}}, "$.action.text", "required"),
        ({"action": {"action_type": "drag", "target": {"text": "a"}, "to": {"bbox": [1]}}}, "$.action.to.bbox", "four numbers"),
        ({"visual_state": {"elements": [{"element_id": "a"}, {"element_id": "b", "bbox": BAD_BOX}]}},
         "$.visual_state.elements[1].bbox.x2", "valid integer"),
        ({"visual_state": {"elements": [{}]}}, "$.visual_state.elements[0].element_id", "required"),
        ({"odd key": 1}, "$['odd key']", "not permitted"),
        ({"pictures": [{"path": "/etc/passwd"}]}, "$.pictures[0].path", "relative"),
        ({"pictures": [{"path": "../up.png"}]}, "$.pictures[0].path", "relative"),
        ({"pictures": [{"path": "data:image/png;base64,AAAA"}]}, "$.pictures[0].path", "relative"),
        ({"timestamp": None}, "$.timestamp", "valid number"),
    ],
)  # fmt: skip
def test_a_problem_names_its_path_and_reason(change, where, said):
    ((found, reason), *_) = problems({**STEP, **change})
    assert found == where
    assert said in reason


def test_every_problem_of_a_line_is_named():
    assert len(problems({**STEP, "timestamp": "x", "action": {"action_type": "scroll", "unit": "mile"}})) == 2


@given(
    st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda s: st.lists(s) | st.dictionaries(st.text(max_size=9), s))
)
def test_no_json_raises_anything_else(data):
    with pytest.raises(BadStep):
        parse_step(data)
