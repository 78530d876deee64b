"""Typed steps as a person writes them: one skill, and what it is done with.

    - find: {app: billing, kind: invoice, where: {Number: INV-1}}
    - fill: {app: billing, fields: {Status: Paid, Tags: {add: urgent}}, commit: save}

The keys are those of the models, but that the records stand flat in the step, `where` are their tests and `fields` the entries.
What cannot be said so is written with the models' own keys, so that whatever is written is read back the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias, get_args

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter, ValidationError

from roles.contracts.orders import Entry, Records, RowTest, Step

_STEP: TypeAdapter[Step] = TypeAdapter(Step)
_SKILLS: Mapping[str, Any] = {model.model_fields["skill"].default: model for model in get_args(get_args(Step)[0])}
_FLAT = tuple(name for name in Records.model_fields if name not in {"app", "tests", "but"})
_ANYTHING = "anything"
"""The label of a test on anything that a record shows."""


def read_step(value: Any) -> Any:
    """The models' own keys, of what a person wrote. Raises ValueError in one clause."""
    if not isinstance(value, Mapping) or "skill" in value:
        return _as_tuples(value)
    skill, body = next(iter(value.items()), ("", None))
    if len(value) != 1 or skill not in _SKILLS or not isinstance(body, Mapping):
        raise ValueError(f"a step is one of {', '.join(_SKILLS)}, with what it needs: find: {{app: notes, kind: note}}")
    body, keys = dict(body), _SKILLS[skill].model_fields
    if "entries" in keys and "fields" in body:
        body["entries"] = [_entry(label, said) for label, said in _pairs(body.pop("fields"), "fields")]
    if "records" in keys and "records" not in body and (keys["records"].is_required() or "kind" in body):
        records = {name: body.pop(name) for name in _FLAT if name in body}
        if "app" in body:
            records["app"] = body["app"] if "app" in keys else body.pop("app")
        if "where" in body:
            records["tests"] = [_test(label, said) for label, said in _pairs(body.pop("where"), "where")]
        if isinstance(body.get("but"), Sequence):
            records["but"] = [[_test(*pair) for pair in _pairs(tests, "but")] for tests in body.pop("but")]
        body["records"] = records
    return _as_tuples({"skill": skill, **body})


def _as_tuples(value: Any) -> Any:
    """Lists as tuples: what has been a file's list is none any more for a strict model."""
    if isinstance(value, Mapping):
        return {key: _as_tuples(part) for key, part in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


def _pairs(said: Any, key: str) -> list[tuple[str, Mapping[str, str]]]:
    """Labels, and `how: value` for each; a value that stands alone is how ``."""
    if not isinstance(said, Mapping):
        raise ValueError(f"{key} is no mapping of labels to values")
    found = []
    for label, value in said.items():
        one = value if isinstance(value, Mapping) else {"": value}
        if len(one) != 1 or not all(isinstance(text, str) for text in (label, *one.values())):
            raise ValueError(f"{key}: {label!r} needs one text (put it in quotes)")
        found.append((label, one))
    return found


def _test(label: str, said: Mapping[str, str]) -> dict[str, Any]:
    how, value = next(iter(said.items()))
    negated = how == "not" or how.startswith("not ")
    relation = how.removeprefix("not").strip() or "is"
    return {"label": "" if label == _ANYTHING else label, "relation": relation, "value": value, "negated": negated}


def _entry(label: str, said: Mapping[str, str]) -> dict[str, Any]:
    how, value = next(iter(said.items()))
    return {"label": label, "value": value, "mode": how or "set"}


def written_step(step: Step) -> dict[str, Any]:
    """The step as a person would write it."""
    own: dict[str, Any] = _STEP.dump_python(step, mode="json", exclude_defaults=True)
    body = {name: value for name, value in own.items() if name not in {"skill", "entries", "records", "order"}}
    if "entries" in own:
        body["fields"] = {e.label: e.value if e.mode == "set" else {e.mode: e.value} for e in _entries(step)}
    records = getattr(step, "records", None)
    if isinstance(records, Records):
        flat: dict[str, Any] = records.model_dump(mode="json", exclude_defaults=True, exclude={"tests", "but"})
        flat |= {"where": _where(records.tests)} if records.tests else {}
        flat |= {"but": [_where(tests) for tests in records.but]} if records.but else {}
        body = {**flat, **body}
    short: dict[str, Any] = {step.skill: body | ({"order": own["order"]} if "order" in own else {})}
    try:
        same = _STEP.validate_python(read_step(short)) == step
    except (ValidationError, ValueError):
        same = False
    return short if same else own


def _entries(step: Step) -> tuple[Entry, ...]:
    return getattr(step, "entries", ())


def _where(tests: Sequence[RowTest]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for test in tests:
        how = " ".join([*(["not"] if test.negated else []), *([test.relation] if test.relation != "is" else [])])
        found[test.label or _ANYTHING] = {how: test.value} if how else test.value
    return found


WrittenStep: TypeAlias = Annotated[Step, BeforeValidator(read_step), PlainSerializer(written_step)]
"""A step in a file or in JSON, in the form that people write."""
