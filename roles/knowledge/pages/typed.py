"""Steps as data on a page, in a block of their own (```steps), and what each of them says in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from roles.contracts.orders import (
    AnswerStep,
    CollectStep,
    CreateStep,
    FillStep,
    FindStep,
    OpenStep,
    PressStep,
    ReadStep,
    Records,
    RowTest,
    Step,
    WaitStep,
)

_BLOCK = re.compile(r"^```steps[ \t]*\n(?P<said>.*?)(?:^```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_STEPS: TypeAdapter[tuple[Step, ...]] = TypeAdapter(tuple[Step, ...])


class BadSteps(ValueError):
    """They are no steps, in one sentence."""


def block(steps: Iterable[Step]) -> str:
    """The steps as they stand on a page, one a line."""
    dumped = (step.model_dump(mode="json", exclude_defaults=True) | {"skill": step.skill} for step in steps)
    return "\n".join(["```steps", *(f"- {json.dumps(one, ensure_ascii=False)}" for one in dumped), "```", ""])


def steps_on(text: str) -> tuple[Step, ...]:
    """The steps that a page gives as data; none where it has no such block. Raises BadSteps."""
    found = _BLOCK.search(text)
    if found is None:
        return ()
    try:
        return checked(yaml.load(found["said"], Loader=yaml.CSafeLoader))
    except yaml.YAMLError as bad:
        raise BadSteps(f"its steps are not to be read: {str(bad).splitlines()[0]}") from None


def checked(said: Any) -> tuple[Step, ...]:
    """Steps from plain data. Raises BadSteps."""
    try:
        steps = _STEPS.validate_python(said)
    except ValidationError as bad:
        first = bad.errors()[0]
        raise BadSteps(f"its step {first['loc'][0] if first['loc'] else 0} is none: {first['msg']}") from None
    return tuple(step.model_copy(update={"order": -1}) for step in steps)  # what it is for is not a page's to say


def in_words(step: Step) -> str:
    """What it does, as a sentence for people and for the safety rules, which know deeds by their words."""
    match step:
        case FillStep() | PressStep() | CreateStep():
            return _change(step)
        case OpenStep(app=app, place=place):
            return f"Open {place} in {app}." if place else f"Open {app}."
        case FindStep(records=records):
            return f"Open {_told(records)}."
        case ReadStep(app=app, records=records, labels=labels):
            what = " and ".join(f'"{label}"' for label in labels) or "the text"
            return f"Find {what} of {_told(records) if records else f'what is shown in {app}'}."
        case WaitStep(records=records, seconds=seconds):
            return f"Wait for {_told(records) if records else f'{seconds:g} seconds'}."
        case CollectStep(records=records, name=name):
            return f'Collect {_told(records)} as "{name}".'
        case AnswerStep(value=value):
            return f'Tell the user "{value}".'
    return json.dumps(step.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)


def _change(step: FillStep | PressStep | CreateStep) -> str:
    entries = ", ".join(f'{entry.mode} {entry.label} "{entry.value}"'.removeprefix("set ") for entry in step.entries)
    if isinstance(step, PressStep):
        on = _told(step.records) if step.records else f"in {step.app}"
        control = step.control.replace("{title}", "").strip() or step.verb
        return f"{step.verb.replace('_', ' ').capitalize()} {on} ({control}){f', with {entries}' if entries else ''}."
    ends = f", and {step.commit} it" if step.commit else ""
    if isinstance(step, CreateStep):
        return f"Create a new {step.kind} in {step.place or step.app}: {entries}{ends}."
    where = _told(step.records) if step.records else step.app
    return f"In {where}{f', {step.form}' if step.form else ''}: {entries}{ends}."


def _told(records: Records) -> str:
    some = "the" if records.exactly == 1 else "all" if not records.exactly else f"{records.exactly}"
    pick = f" {records.pick.order} {records.pick.number} by {records.pick.by}" if records.pick else ""
    tests = " and ".join(map(_test, records.tests))
    but = "".join(f" except {' and '.join(map(_test, one))}" for one in records.but)
    where = f" of {records.place}" if records.place else ""
    return f"{some} {records.kind or 'record'}{where} in {records.app}{f' where {tests}' if tests else ''}{pick}{but}"


def _test(test: RowTest) -> str:
    return f'{test.label or "anything"} {"not " if test.negated else ""}{test.relation.replace("_", " ")} "{test.value}"'
