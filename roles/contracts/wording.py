"""Steps in plain English, as people and models read them."""

import re
from collections.abc import Iterable

from roles.contracts import orders

_SLOT = re.compile(r"(?<!\{)(?:\{\{)*\{([^{}]+)\}")
_RELATIONS = {"at_least": "is at least", "at_most": "is at most", "over": "is over", "under": "is under"}


def slots_in(value: str) -> list[str]:
    """Names of the facts that a value holds."""
    return _SLOT.findall(value)


def plain(value: str) -> str:
    """A value as people read it."""
    return value.replace("{{", "{").replace("}}", "}") if not slots_in(value) else value


def in_words(steps: Iterable[orders.Step]) -> str:
    """Steps as an instruction; empty without any."""
    return " ".join(f"{describe(step)}." for step in steps)


def describe(step: orders.Step) -> str:
    """A step as people and models read it."""
    match step:
        case orders.FillStep() | orders.CreateStep() | orders.PressStep():
            return _change(step)
        case orders.OpenStep(app=app, place=place):
            return f"Open {place} in {app}" if place else f"Open {app}"
        case orders.WaitStep(records=records, seconds=seconds):
            return f"Wait until there is {told(records)}" if records is not None else f"Wait for {seconds:g} seconds"
        case orders.ComputeStep(formula=formula, name=name):
            return f'Compute {formula} as "{name}"'
        case orders.JobStep():
            said = f"Run ```{step.language}\n{step.code}\n```"  # as the reader reads it, so that the words alone do the same
            return f'{said}, remembered as "{step.name}"' if step.name else said
        case orders.AnswerStep(value=value):
            return f'Tell the user "{plain(value)}"'
        case orders.FindStep() | orders.ReadStep() | orders.CollectStep():
            return _look(step)


def _look(step: orders.FindStep | orders.ReadStep | orders.CollectStep) -> str:
    if isinstance(step, orders.FindStep):
        return f"Open {told(step.records)}"
    if isinstance(step, orders.CollectStep):
        columns = f", with {', '.join(step.labels)}" if step.labels else ""
        return f'Collect {told(step.records)} over all pages{columns}, as the table "{step.name}"'
    where = f" of {told(step.records)}" if step.records is not None else ""
    what = " and ".join(f"the {label}" for label in step.labels) or "the text"
    names = ", ".join(f'"{name}"' for name in step.names)
    return f"Look up {what}{where}, remembered as {names}"


def _change(step: orders.FillStep | orders.CreateStep | orders.PressStep) -> str:
    entries = ", ".join(map(_entry, step.entries))
    on = told(step.records) if not isinstance(step, orders.CreateStep) and step.records is not None else ""
    if isinstance(step, orders.PressStep):
        pressed = step.control.replace("{title}", "").strip() or step.verb
        return f'Press "{pressed}"' + (f" for {on}" if on else "") + (f", with {entries}" if entries else "")
    at_once = isinstance(step, orders.FillStep) and not step.form
    end = f"; then {step.commit}" if step.commit else "" if at_once else "; do not save or send it"
    if isinstance(step, orders.FillStep):
        return (f"In {on}: " if on else "") + entries + end
    where = f' in "{plain(step.place)}"' if step.place else ""
    return f"Make a new {step.kind or 'record'}{where}{': ' if entries else ''}{entries}{end}"


def told(records: orders.Records) -> str:
    """The records that are meant, in words."""
    some = "the" if records.exactly == 1 else f"the {records.exactly}" if records.exactly else "every"
    pick = records.pick
    if pick is not None:
        which = {"most": "with the most", "least": "with the least", "first": "that comes first", "last": "that comes last"}
        some = f"the {pick.number}" if pick.number > 1 else "the"
        ordered = f" {which[pick.order]} {pick.by}".rstrip()
    tests = " and ".join(_test(test) for test in records.tests)
    but = "".join(f", except where {' and '.join(_test(test) for test in tests)}" for tests in records.but)
    place = f' in "{plain(records.place)}"' if records.place else ""
    return f"{some} {records.kind or 'record'}{place}" + (f" where {tests}" if tests else "") + (ordered if pick else "") + but


def _test(test: orders.RowTest) -> str:
    relation = _RELATIONS.get(test.relation, test.relation)
    negated = relation.replace("is", "is not", 1) if "is" in relation.split() else f"not {relation}"
    return f'{test.label or "some field"} {negated if test.negated else relation} "{plain(test.value)}"'


def _entry(entry: orders.Entry) -> str:
    value = f'"{plain(entry.value)}"'
    match entry.mode:
        case "set":
            return f"set {entry.label} to {value}"
        case "raise" | "lower":
            return f"{entry.mode} {entry.label} to {value}"
        case "clear":
            return f"empty {entry.label}"
        case "append" | "prepend":
            return f"write {value} at the {'end' if entry.mode == 'append' else 'beginning'} of {entry.label}"
        case "later":
            return f"move {entry.label} by {entry.value} minutes"
        case _:
            return f"{entry.mode} {value} {'to' if entry.mode == 'add' else 'from'} {entry.label}"
