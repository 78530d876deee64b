"""The exported schemas are those of the models, are valid 2020-12, and agree with the models about logs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from written.actions import KINDS

from protocol import VERBS, read_log
from protocol.log.versions import schemas, write_schemas

HOME = Path(__file__).parents[3] / "protocol" / "v0_1"
EXAMPLES = sorted((HOME / "examples").glob("*.jsonl"))


@pytest.mark.parametrize("name", sorted(schemas()))
def test_the_stored_schema_is_the_models(name):
    stored = json.loads((HOME / "schema" / f"{name}.json").read_text(encoding="utf-8"))
    assert stored == schemas()[name], "run scripts/export_protocol.py --schema"
    Draft202012Validator.check_schema(stored)
    assert stored["$schema"].endswith("2020-12/schema")
    assert "0.1" in stored["$id"]


def test_no_other_schema_is_stored_and_all_are_written(tmp_path):
    written = write_schemas(tmp_path / "a" / "b")
    assert {path.name: path.read_text(encoding="utf-8") for path in (HOME / "schema").iterdir()} == {
        path.name: path.read_text(encoding="utf-8") for path in written
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_read_and_fits_the_schema(path):
    lines = list(read_log(path))
    assert lines
    assert not [line.error for line in lines if line.error]
    if path.stem == "seed-004":
        return  # a draft: read, and not in the form that is written
    validator = Draft202012Validator(schemas()["interaction_step"])
    for text in path.read_text(encoding="utf-8").splitlines():
        validator.validate(json.loads(text))


def test_the_examples_have_every_verb_and_real_runs():
    steps = [line.step for path in EXAMPLES for line in read_log(path) if line.step]
    assert {step.action.verb for step in steps} >= set(VERBS)
    real = {step.run_id for step in steps} - {"synthetic", ""}
    assert len(real) >= 4
    assert {step.result.resolved.tier for step in steps if step.result and step.result.resolved} == {
        "track_id", "element_id", "text", "bbox", "point",
    }  # fmt: skip


ACTION = Draft202012Validator(schemas()["action"])


@pytest.mark.parametrize("verb", KINDS)
@given(data=st.data())
def test_every_action_that_is_written_fits_the_schema(verb, data):
    ACTION.validate(data.draw(KINDS[verb]).dump())


@pytest.mark.parametrize(
    "bad",
    [{"action_type": "explode"}, {"action_type": "type"}, {"action_type": "click", "count": 9, "target": {"text": "a"}},
     {"action_type": "wait", "nap": True}, {"action_type": "scroll", "unit": "mile"}, {"action_type": "X-a"}],
)  # fmt: skip
def test_what_the_models_refuse_the_schema_refuses(bad: dict[str, Any]):
    assert not ACTION.is_valid(bad)
