"""Calls of functions: what shows that one did what it says, on a screen or in what an application tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from protocol import VisualState
from roles.contracts import Fact, GateRequest, StepRecord
from roles.safety.destinations import looks, texts
from roles.screen.screens import Screen, fold
from roles.screen.values import same_value
from roles.skills.contract import RESULT


def telling(values: Iterable[str]) -> list[str]:
    """Of what was written, that by which it can be known again."""
    return [text.strip() for text in values if len(text.strip()) > 1 and text.casefold() not in {"true", "false"}]


def shows(state: VisualState, text: str) -> bool:
    """Whether a text, or each of its lines, stands on the screen; a path counts by its last part."""
    return all(_stands(state, line) for line in text.splitlines() if line.strip())


def _stands(state: VisualState, text: str) -> bool:
    wanted = fold(text.rsplit("/", 1)[-1] if text.startswith("/") else text)
    for element in state.elements:
        for shown in (element.text, element.value):
            if shown and (wanted in fold(shown) or same_value(shown, text)):
                return True
    return False


def tells_of(texts: Sequence[str], record: Mapping[str, Any]) -> bool:
    """Whether all of these texts stand in a record."""
    return all(_in_record(text, record.values()) for text in texts)


def _in_record(text: str, values: Iterable[object]) -> bool:
    wanted, held = fold(text), [str(value) for value in values]
    return any(wanted in fold(value) or same_value(value, text) or _amount(value) == _amount(text) != "" for value in held)


def _amount(text: str) -> str:
    """The figure of an amount without its currency; empty where it is none."""
    plain = re.sub(r"[^\d.,-]", "", text).replace(",", "")
    return plain if re.fullmatch(r"-?\d+\.\d{2}", plain) and len(text) - len(plain) <= 6 else ""


CALLS = frozenset({"call_api", "ask_in_app_agent"})
_NAMES_A_RECORD = re.compile(r"(^|_)(id|key|line|note|number|conversation|path)$")
_QUOTED = re.compile(r'"([^"]+)"')
_SHORT_ID, _ENOUGH = 2, 2
"""Characters of an id that may stand anywhere, and of the texts of a call those by which a row is known again."""


def is_call(step: StepRecord) -> bool:
    return step.action.get("action_type") in CALLS


def looks_only(step: StepRecord) -> bool:
    """Whether it was a function that is named as one that tells something."""
    return looks(str(step.action.get("function", "")))


GRAVE_EVENTS = ("validation:", "alert:", "popup:")
"""How an event begins after which nothing goes on as it was decided."""
_LOOKING = frozenset(
    {"launch_app", "switch_window", "scroll", "hover", "wait", "screenshot", "go_back", "go_forward", "tabs", "navigate"}
    | {"memorize", "answer", "ask_user", "finish_goal", "fail_goal"}
)  # fmt: skip
_SEARCHES = re.compile(r"(?:search|find|filter|go to|look)\b", re.IGNORECASE)


def changes_something(step: StepRecord) -> bool:
    """Whether a step that worked did more than look, search and go somewhere."""
    verb = str(step.action.get("action_type"))
    if step.exec_status != "executed" or verb in _LOOKING or _SEARCHES.match(step.target):
        return False
    if is_call(step):
        return not looks_only(step)
    kinds = {event.partition(":")[0] for event in step.events}
    return not (verb in {"click", "press_key"} and step.verb == verb and "navigation" in kinds and "status" not in kinds)


def function_words(step: StepRecord) -> list[str]:
    """What the name of the function is made of: `move_file` and `moveFile` are `move` and `file`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(step.action.get("function", "")))
    return [word for word in re.split(r"[^a-z]+", name.casefold()) if word]


def changed_by(step: StepRecord, request: GateRequest) -> str:
    """The screen of the application that a call changed before one's eyes, as evidence."""
    after = next((s for s in (*request.screens, *request.earlier) if s.state_id == step.after), None)
    said_no = any(event.startswith(("validation", "alert")) for event in step.events)
    app = str(step.action.get("app", ""))
    seen = step.visible_change and not said_no and after is not None and bool(app) and _same_app(after, app)
    return f"state:{step.after}" if seen else ""


def told_of(text: str | None, app: str | None, request: GateRequest) -> str:
    """What an application tells of a text after the last call that wrote, as evidence.

    It counts only where nobody has looked at the application's window: what can be seen is looked at.
    """
    writes = [s for s in request.steps if is_call(s) and not looks_only(s)]
    seen = any(_same_app(state, app or "") for state in (*request.screens, *request.earlier))
    if not text or not app or seen or not writes:
        return ""
    told = ((f.name, record) for f in _tellings(writes[-1], app, request) for record in records_in(f.value)[0])
    return next((f"fact:{name}" for name, record in told if tells_of([text], record)), "")


def _tellings(step: StepRecord, app: str, request: GateRequest) -> Iterator[Fact]:
    """What reading functions of an application have answered since a step."""
    for fact in request.facts:
        asked, _, function = fact.name.rpartition(".")
        if fact.kind == RESULT and asked.casefold() == app.casefold() and looks(function) and fact.step > step.step:
            yield fact


def shown_later(step: StepRecord, request: GateRequest) -> str:
    """What shows that a call did what it says, as evidence; empty where nothing does."""
    wanted = telling(_carried(step))
    app = str(step.action.get("app", ""))
    for state in _later(step, request):
        if _same_app(state, app) and wanted and all(shows(state, text) for text in wanted):
            return f"state:{state.state_id}"
    for fact in _tellings(step, app, request) if wanted else ():
        if any(tells_of(wanted, record) for record in records_in(fact.value)[0]):
            return f"fact:{fact.name}"
    return ""


def said_later(step: StepRecord, done: str, request: GateRequest) -> str:
    """What says later that it was done to the record that the call names or made: a page or a row of it, or its record.

    A row is known by what the call names a record by, by the id that it answered, or by two texts that it wrote; what stood there
    before the call was not made by it.
    """
    given = (step.action.get("arguments") or {}).items()
    named = telling(text for name, value in given if _NAMES_A_RECORD.search(name) for text in texts(value))
    own = [r for f in request.facts if f.kind == RESULT and f.step == step.step for r in records_in(f.value)[0]]
    made = telling(str(value) for record in own for name, value in record.items() if _NAMES_A_RECORD.search(name))
    wrote = dict.fromkeys(map(fold, telling(_carried(step))))
    said, app = re.compile(done, re.IGNORECASE), str(step.action.get("app", ""))
    later = [state for state in _later(step, request) if _same_app(state, app)]
    ids = {i for s in request.steps if s.step <= step.step for i in (s.before, s.after if s.step < step.step else "")}
    before = {item.text for state in request.earlier if state.state_id in ids for item in Screen(state).items}

    def is_it(row: str) -> bool:
        by_id = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", row) for one in made if len(one) > _SHORT_ID)
        told = sum(text in fold(row) for text in wrote)
        return (bool(named) and all(fold(n) in fold(row) for n in named)) or (row not in before and (by_id or told >= _ENOUGH))

    for state in later:
        titles = [e.name for e in state.elements if e.role == "heading"]
        if any(said.search(t) and named and all(fold(n) in fold(t) for n in named) for t in titles):
            return f"state:{state.state_id}"
        there = any(map(said.search, titles))
        if any((there or said.search(item.text)) and is_it(item.text) for item in Screen(state).items):
            return f"state:{state.state_id}"
    for fact in _tellings(step, app, request):
        records = [r for r in records_in(fact.value)[0] if any(said.search(str(v)) for v in r.values())]
        if any((named and tells_of(named, r)) or is_it(" ".join(map(str, r.values()))) for r in records):
            return f"fact:{fact.name}"
    return ""


def gone_later(step: StepRecord, target: str | None, request: GateRequest) -> str:
    """What shows that something is no longer there: a later list of its application in which it does not stand."""
    for state in _later(step, request):
        rows = [e for e in state.elements if e.role in {"row", "listitem", "treeitem"}]
        if _same_app(state, str(step.action.get("app", ""))) and rows and target and not shows(state, target):
            return f"state:{state.state_id}"
    return ""


def _carried(step: StepRecord) -> Iterator[str]:
    """What a call writes: its texts, without those that only name a record; of an agent, what is quoted."""
    if step.action.get("action_type") == "ask_in_app_agent":
        yield from _QUOTED.findall(str(step.action.get("request", "")))
        return
    arguments = step.action.get("arguments") or {}
    record = [name for name in arguments if _NAMES_A_RECORD.search(name)]
    for name, value in arguments.items():
        alone = len(arguments) == 1 and not name.endswith(("id", "key", "number"))  # these never say what is new
        if name not in record or alone or name == "path":
            yield from texts(value)


def _later(step: StepRecord, request: GateRequest) -> Iterator[VisualState]:
    """Screens that were seen after it, the newest first."""
    ids = {i for s in request.steps if s.step > step.step for i in (s.before, s.after)} | {step.after}
    yield from reversed(request.screens)
    yield from (state for state in request.earlier if state.state_id in ids)


def _same_app(state: VisualState, app: str) -> bool:
    called = {(state.app or "").casefold(), *(w.title.casefold() for w in state.windows if w.app == state.app)}
    return not app or app.casefold() in called


Record = dict[str, Any]
_COUNTS = ("count", "total")
"""How many there are, where an answer holds a part of them."""


def records_in(text: str) -> tuple[list[Record], bool]:
    """The records of an answer, and whether that is all there are. An answer that is no JSON has none."""
    try:
        data = json.loads(text)
    except ValueError:
        return [], False
    if isinstance(data, list):
        return [one for one in data if isinstance(one, dict)], True
    if not isinstance(data, dict):
        return [], True
    lists = [value for value in data.values() if isinstance(value, list) and all(isinstance(v, dict) for v in value)]
    beside = {key: value for key, value in data.items() if isinstance(value, str)}
    if len(lists) != 1 or set(beside) - {"currency"}:
        return [data], True  # one record, which may have lists of its own
    found = [beside | one for one in lists[0]]
    there = [value for key in _COUNTS if isinstance(value := data.get(key), int)]
    first = data.get("offset")
    return found, max(there, default=0) <= len(found) + (first if isinstance(first, int) else 0)
