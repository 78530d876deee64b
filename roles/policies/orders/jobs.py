"""Orders that are computations over files, as jobs for the Technician. What is none of these few is left to the others."""

from __future__ import annotations

import re

from roles.contracts.orders import JobStep, Of, Order, Reading, Slot, Test, Text, Thing, Value, Worked

_FILE = re.compile(r"~?[\w .-]*(?:/[\w .-]+)+/?|[\w -][\w .-]*\.[A-Za-z][A-Za-z0-9]{0,4}")
_FENCE = re.compile(r"```(?P<language>[A-Za-z0-9]*)\n(?P<code>.*?)\n?```", re.DOTALL)
_PYTHON = frozenset({"python", "python3", "py"})
_SHELL = frozenset({"", "bash", "sh", "shell"})
_COUNTED = frozenset({"line", "word", "character"})
_TOOLS = frozenset({"terminal", "shell", "console", "sandbox", "command line", "script", "command"})
"""By which something is computed; it says no more than that."""


class _NoJob(Exception):
    """A part of the order that no job has."""


def job_of(order: Order, goal: str) -> JobStep | None:
    """The job that an order is as a whole; None where it is none."""
    slots = [slot for slot in order.slots if not _is_tool(slot.value)]
    try:
        match order.verb:
            case "run" if order.object is None and len(slots) == 1 and slots[0].role == "value":
                return _run(slots[0].value, goal)
            case "run" if order.object is not None and not slots and order.object.kind in _TOOLS:
                return _run(order.object.name, goal)
    except _NoJob:
        pass
    return None


def job_for(value: Value) -> JobStep | None:
    """The job that finds a value out: how many lines a file has; None where it is none."""
    try:
        if isinstance(value, Worked) and value.how == "count" and len(value.of) == 1 and isinstance(value.of[0], Of):
            return _count(value.of[0].thing) if not value.of[0].fields else None
    except _NoJob:
        pass
    return None


def only_job(reading: Reading) -> JobStep | None:
    """The job that a whole text asks for; None where it asks for anything else, or more."""
    if not reading.understood or len(reading.orders) != 1:
        return None
    order = reading.orders[0]
    if order.condition is not None or order.negated:
        return None
    told = [slot for slot in order.slots if not _is_tool(slot.value)]
    value = job_for(told[0].value) if order.verb == "answer" and order.object is None and len(told) == 1 else None
    return value.model_copy(update={"name": "output of the script"}) if value is not None else job_of(order, reading.goal)


def tools_in(order: Order) -> list[Slot]:
    """Slots that only say by which it is done."""
    return [slot for slot in order.slots if _is_tool(slot.value)]


def _is_tool(value: Value) -> bool:
    return isinstance(value, Of) and not value.fields and value.thing.kind in _TOOLS and value.thing.name is None


def _run(code: Value | None, goal: str) -> JobStep:
    """Code that the words give themselves, between backquotes."""
    said = [goal[start:end] for start, end in code.spans] if isinstance(code, Text) else []
    if len(said) != 1:
        raise _NoJob
    if (fence := _FENCE.fullmatch(said[0])) is not None:
        language = fence["language"].casefold()
        if language not in _PYTHON | _SHELL:
            raise _NoJob
        return JobStep(job="run", code=fence["code"], language="python" if language in _PYTHON else "bash")
    if len(said[0]) < 3 or said[0][0] + said[0][-1] != "``":
        raise _NoJob
    return JobStep(job="run", code=said[0][1:-1])


def _count(thing: Thing) -> JobStep:
    if thing.kind == "file":  # which an application may list as well
        folder, tools = _folder(thing)
        if not tools:
            raise _NoJob
        return JobStep(job="count", what="file", files=(folder,))
    if thing.kind not in _COUNTED or thing.name is not None:
        raise _NoJob
    file, having = _narrowed(thing)
    return JobStep(job="count", what=thing.kind, files=(file,), having=having)


def _narrowed(thing: Thing) -> tuple[str, str]:
    """The one file that these lines are of, and the words that they are to have."""
    files, having = [], []
    if thing.pick is not None or thing.but or thing.also or thing.back is not None or thing.quantity == "number":
        raise _NoJob
    for test in thing.tests:
        if test.negated or test.field:
            raise _NoJob
        if test.relation in {"with", "has"} and isinstance(test.value, Text):
            having.append(test.value.text)
        elif test.relation in {"is", "in"}:
            files.append(_file(test.value))
        elif not _is_tool(test.value):
            raise _NoJob
    if thing.place is not None and not _is_tool(Of(thing=thing.place)):
        files.append(_file(Of(thing=thing.place)))
    if len(files) != 1 or len(having) > 1:
        raise _NoJob
    return files[0], "".join(having)


def _folder(thing: Thing) -> tuple[str, list[Test]]:
    tools = [test for test in thing.tests if _is_tool(test.value)]
    place = thing.place
    if place is None or place.name is None or place.tests or len(tools) != len(thing.tests) or place.kind not in {"", "folder"}:
        raise _NoJob
    return place.name.text, tools


def _file(value: Value) -> str:
    """The file that is named."""
    thing = value.thing if isinstance(value, Of) and not value.fields else Thing()
    name = value if isinstance(value, Text) else thing.name
    if name is None or thing.tests or thing.pick is not None or thing.place is not None or thing.back is not None:
        raise _NoJob
    if thing.kind not in {"", "file"} or (not thing.kind and _FILE.fullmatch(name.text) is None):
        raise _NoJob
    return name.text
