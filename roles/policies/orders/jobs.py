"""Orders to run code that the goal gives itself, as jobs for the Technician."""

import re

from roles.contracts.orders import JobStep, Of, Order, Reading, Text, Value
from roles.screen.language.words import phrases

_FENCE = re.compile(r"```(?P<language>[A-Za-z0-9]*)\n(?P<code>.*?)\n?```", re.DOTALL)


def job_of(order: Order, goal: str) -> JobStep | None:
    """The job that an order is as a whole, with code between backquotes; None where it is none."""
    slots, thing = [slot for slot in order.slots if not _is_tool(slot.value)], order.object
    if order.verb != "run" or (thing is None and [slot.role for slot in slots] != ["value"]):
        return None
    if thing is not None and (slots or thing.kind not in phrases("tools")):
        return None
    code = slots[0].value if thing is None else thing.name
    said = [goal[start:end] for start, end in code.spans] if isinstance(code, Text) else []
    if len(said) != 1:
        return None
    if (fence := _FENCE.fullmatch(said[0])) is not None:
        language = fence["language"].casefold()
        known = language in phrases("python") | phrases("shell")
        return JobStep(code=fence["code"], language="python" if language in phrases("python") else "bash") if known else None
    return JobStep(code=said[0][1:-1]) if len(said[0]) > 2 and said[0][0] + said[0][-1] == "``" else None


def only_job(reading: Reading) -> JobStep | None:
    """The job that a whole text asks for; None where it asks for anything else, or more."""
    order = reading.orders[0] if reading.understood and len(reading.orders) == 1 else None
    return job_of(order, reading.goal) if order and order.condition is None and not order.negated else None


def _is_tool(value: Value) -> bool:
    return isinstance(value, Of) and not value.fields and value.thing.kind in phrases("tools") and value.thing.name is None
