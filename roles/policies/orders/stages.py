"""Groups of steps to subtasks: one application each, said in plain English, with what is to be seen when they are done."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat, takewhile
from string import ascii_lowercase, digits

from roles.contracts import AppShown, EffectSeen, Expectation, FactKnown, FieldHas, Subtask, Worker, orders
from roles.contracts.signals import SubtaskStatus
from roles.contracts.wording import describe, in_words, plain, slots_in
from roles.policies.orders.state import Group

MOST_STEPS = 6
"""Presses in one subtask; a form that is filled in has one for itself."""
_EFFECTS = frozenset({"send", "submit", "delete"})
"""Verbs that are held to be seen; what is saved shows itself."""
_NUMBERS = frozenset(f"{digits}.")
_TITLE = 90
_LETTERS = ("", *(first + second for first in ("", *ascii_lowercase) for second in ascii_lowercase[1:]))
"""Behind a group's name: its first part has none."""


def group_of(subtask: str) -> str:
    """The group that a subtask is a part of, or a later attempt at."""
    number = "".join(takewhile(_NUMBERS.__contains__, subtask[1:])).rstrip(".")
    return subtask[:1] + number if subtask[:1].islower() else subtask


def new_subtasks(groups: Sequence[Group], plan: Sequence[Subtask], titles: Mapping[str, str]) -> list[Subtask]:
    """Subtasks for these groups, which come to the plan."""
    made: list[Subtask] = [s for s in plan if s.status is not SubtaskStatus.REJECTED]
    fresh: list[Subtask] = []
    for group in groups:
        for letter, (app, steps) in zip(_LETTERS, _parts(group.steps), strict=False):
            one = _subtask(f"{group.id}{letter}", app, steps, titles, made)
            made.append(one)
            fresh.append(one)
    return fresh


def app_of(step: orders.Step) -> str | None:
    """The application in which a step is done; None for what needs none."""
    match step:
        case orders.FindStep(records=records) | orders.CollectStep(records=records):
            return records.app
        case orders.ComputeStep():
            return "="
        case orders.AnswerStep():
            return None
        case _:
            return step.app


def worker_of(step: orders.Step) -> Worker:
    """Who does a step."""
    return "analyst" if isinstance(step, orders.ComputeStep) else "technician" if isinstance(step, orders.JobStep) else "operator"


def _parts(steps: Sequence[orders.Step]) -> list[tuple[str | None, list[orders.Step]]]:
    parts: list[tuple[str | None, list[orders.Step]]] = []
    for step in steps:
        app = app_of(step)
        done = [one for one in parts[-1][1] if changes(one)] if parts else []
        alone = bool(done) and not all(isinstance(one, orders.PressStep) for one in (*done, step))
        full = changes(step) and (len(done) >= MOST_STEPS or alone)
        alone = bool(parts) and any(isinstance(one, orders.JobStep) for one in (*parts[-1][1], step))
        if parts and parts[-1][0] == app and not full and not alone:
            parts[-1][1].append(step)
        else:
            parts.append((app, [step]))
    return parts


def changes(step: orders.Step) -> bool:
    return isinstance(step, orders.FillStep | orders.PressStep | orders.CreateStep | orders.JobStep)


def _subtask(
    name: str, app: str | None, steps: Sequence[orders.Step], titles: Mapping[str, str], before: Sequence[Subtask]
) -> Subtask:
    analysis = app == "="
    sentences = [describe(step) for step in steps]
    head = "; ".join(sentences)
    title = f"{titles[app]}: {head}" if app is not None and app in titles else head
    return Subtask(
        id=name,
        title=title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + "…",
        instruction=in_words(steps),
        app=None if analysis else app,
        worker=worker_of(steps[0]),
        depends_on=tuple(_depends(app, steps, before)),
        expect=expected(steps),
        steps=tuple(steps),
    )


def _depends(app: str | None, steps: Sequence[orders.Step], before: Sequence[Subtask]) -> list[str]:
    """Who finds the facts out, who was in this application before; what has effects waits for all that comes first."""
    wanted = {name for step in steps for name in facts_used(step)}
    needs = [s.id for s in before if wanted & {e.name for e in s.expect if isinstance(e, FactKnown)}]
    same = [s.id for s in before if s.app == app and app is not None][-1:]
    last = [s.id for s in before[-1:]]
    waits = any(changes(step) or isinstance(step, orders.AnswerStep | orders.WaitStep) for step in steps)
    return list(dict.fromkeys([*needs, *same, *(last if waits or not (needs or same) else [])]))


def facts_used(step: orders.Step) -> list[str]:
    """Names of the facts that a step needs."""
    if isinstance(step, orders.ComputeStep):
        from roles.knowledge.formula import names_in  # its grammar is not needed to show a run

        return list(names_in(step.formula))
    if isinstance(step, orders.JobStep):
        return []
    body = step.model_dump(mode="json")
    return [name for text in _texts(body) for name in slots_in(text)]


def _texts(body: object) -> Iterable[str]:
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict):
        for name, inner in body.items():
            if name not in {"label", "labels", "control"}:  # a card's own words, in which braces are no slots
                yield from _texts(inner)
    elif isinstance(body, list | tuple):
        for inner in body:
            yield from _texts(inner)


def expected(steps: Iterable[orders.Step]) -> tuple[Expectation, ...]:
    """What must have been seen once all of them are done."""
    return tuple(dict.fromkeys(one for step in steps for one in expectations(step)))


def expectations(step: orders.Step) -> list[Expectation]:
    """What must have been seen once the step is done."""
    match step:
        case orders.ReadStep(names=names):
            return [FactKnown(name=name) for name in names]
        case orders.CollectStep(name=name) | orders.ComputeStep(name=name):
            return [FactKnown(name=name)]
        case orders.JobStep(name=name):
            return [FactKnown(name=name)] if name else [EffectSeen(verb="run_script")]
        case orders.OpenStep(app=app):
            return [AppShown(app=app)]
        case (
            orders.FillStep(app=app, entries=entries, commit=commit) | orders.CreateStep(app=app, entries=entries, commit=commit)
        ):
            sent = [EffectSeen(verb=commit, app=app)] if commit in _EFFECTS else []
            entries = tuple(map(_titled, entries, repeat(step.records if isinstance(step, orders.FillStep) else None)))
            return [*(has for entry in entries for has in _entered(entry, app)), *sent]
        case orders.PressStep(app=app, verb=verb, entries=entries):
            asked = [has for entry in entries for has in _entered(entry, app)] if verb == "rename" else []  # folders are pressed
            return [*asked, *([EffectSeen(verb=verb, app=app)] if verb in _EFFECTS else [])]
        case _:
            return []


def _titled(entry: orders.Entry, records: orders.Records | None) -> orders.Entry:
    """The entry of a field that bears the record's own name, "Brightness of {title}", where that is known."""
    said = [test.value for test in records.tests if test.relation in {"is", "has"} and not test.negated] if records else []
    names = [one for one in said if not any(one != more and one.casefold() in more.casefold() for more in said)]
    label = entry.label.replace("{title}", names[0]) if len(names) == 1 and not slots_in(names[0]) else entry.label
    return entry.model_copy(update={"label": label})


def _entered(entry: orders.Entry, app: str) -> list[FieldHas]:
    beside = entry.mode in {"append", "prepend"}
    if entry.mode in {"add", "remove", "clear", "later"} or entry.value == "" or "{" in entry.label:
        return []
    facts = slots_in(entry.value)
    if not facts:
        return [FieldHas(label=entry.label, value=plain(entry.value), app=app, beside=beside)]
    alone = "{" + facts[0] + "}" in (entry.value.splitlines() if beside else [entry.value])  # else more stands in the field
    return [FieldHas(label=entry.label, fact=facts[0], app=app, beside=beside)] if alone else []
