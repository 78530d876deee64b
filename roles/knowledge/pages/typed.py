"""Steps as data on a page, in a block of their own (```steps), and what each of them says in words."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from environments.cards import AppCard, KindCard
from roles.contracts.orders import STEPS, CreateStep, FillStep, PressStep, Records, Step
from roles.contracts.wording import describe

_BLOCK = re.compile(r"^```steps[ \t]*\n(?P<said>.*?)(?:^```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


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
        steps = STEPS.validate_python(said)
    except ValidationError as bad:
        first = bad.errors()[0]
        raise BadSteps(f"its step {first['loc'][0] if first['loc'] else 0} is none: {first['msg']}") from None
    return tuple(step.model_copy(update={"order": -1}) for step in steps)  # what it is for is not a page's to say


def grounded(steps: Iterable[Step], cards: Sequence[AppCard]) -> tuple[Step, ...]:
    """The steps with the kinds of records as the applications call them. Raises BadSteps where one has no such fields."""
    known = {card.app: card for card in cards}
    return tuple(_grounded(step, known[app]) if (app := getattr(step, "app", "")) in known else step for step in steps)


def _grounded(step: Step, card: AppCard) -> Step:
    records: Records | None = getattr(step, "records", None)
    entries = getattr(step, "entries", ())
    if isinstance(step, FillStep) and records is None and not step.form:
        kind = _kind(card, "", [entry.label for entry in entries], written=True)
        filled = step.model_copy(update=_called_here(step, kind))
        if kind.single:
            return filled.model_copy(update={"records": Records(app=card.app, kind=kind.kind)})
        return CreateStep(app=card.app, kind=kind.kind, entries=filled.entries, commit=step.commit) if kind.create else filled
    if isinstance(step, CreateStep):
        kind = _kind(card, step.kind, [entry.label for entry in entries], written=True)
        return step.model_copy(update={**_called_here(step, kind), "kind": kind.kind})
    if records is None:
        return step
    labels = [test.label for test in records.tests if test.label]
    labels += [*getattr(step, "labels", ()), *(entry.label for entry in entries if isinstance(step, FillStep) and not step.form)]
    kind = _kind(card, records.kind, labels)
    tests = tuple(test.model_copy(update={"label": _label(test.label, kind)}) for test in records.tests)
    records = records.model_copy(update={"kind": kind.kind, "tests": tests})
    return step.model_copy(update={**_called_here(step, kind), "records": records})


def _called_here(step: Step, kind: KindCard) -> dict[str, Any]:
    """What is to change in a step so that it calls the fields as they are called here."""
    changes: dict[str, Any] = {}
    if isinstance(step, FillStep | CreateStep | PressStep):
        changes["entries"] = tuple(e.model_copy(update={"label": _label(e.label, kind)}) for e in step.entries)
    if labels := getattr(step, "labels", ()):
        changes["labels"] = tuple(_label(label, kind) for label in labels)
    return changes


def _label(said: str, kind: KindCard, written: bool = False) -> str:
    """As the field is called here; as it was said where it is not for certain that a field is meant."""
    fields = [field for field in kind.fields if field.written or not written]
    wanted = said.casefold()
    if any(field.label.casefold() == wanted for field in fields):
        return said
    also = [field.label for field in fields if wanted in map(str.casefold, field.words)]
    return also[0] if len(also) == 1 else said


def _kind(card: AppCard, said: str, labels: Sequence[str], *, written: bool = False) -> KindCard:
    """The kind that is called so, else the one that has these fields."""
    called = [kind for kind in card.kinds if said and said in (kind.kind, *kind.words)]
    fits = [
        kind for kind in called or card.kinds
        if {_label(label, kind, written).casefold() for label in labels}
        <= {field.label.casefold() for field in kind.fields if field.written or not written}
    ]  # fmt: skip
    most = max((sum(1 for _ in kind.verbs) for kind in fits), default=0)
    best = fits if len(fits) == 1 else [kind for kind in fits if len(kind.verbs) == most]
    if len(best) != 1:
        which = " and ".join(f'"{label}"' for label in labels) or "such"
        raise BadSteps(f"{card.title} has {'several kinds of records' if best else 'no records'} with {which}")
    return best[0]


def in_words(step: Step) -> str:
    """What it does, for people and for the safety rules, which know deeds by their words: a press by its verb, too."""
    verb = step.verb.replace("_", " ") if isinstance(step, PressStep) else ""
    return ": ".join(filter(None, (getattr(step, "app", ""), verb, f"{describe(step)}.")))
