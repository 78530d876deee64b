"""Calls of functions: what shows that one did what it says, on a screen or in what an application tells."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from protocol import GUIElement, VisualState
from roles.contracts import GateRequest, StepRecord
from roles.safety.destinations import looks, texts
from roles.screen.language.words import phrases, quotes, tells_done
from roles.screen.screens import PRESS_VERBS, Screen
from roles.screen.texts import begins, fold, has_phrase, named_words
from roles.screen.values import is_a, same_value
from roles.skills.contract import RESULT

Record = dict[str, Any]
CALLS = frozenset({"call_api", "ask_in_app_agent"})
GRAVE_EVENTS = ("validation:", "alert:", "popup:")
"""How an event begins after which nothing goes on as it was decided."""
INNER = frozenset({"memorize", "answer", "ask_user", "finish_goal", "fail_goal"})
"""Verbs of steps that touch no application and run no script."""
_LOOKING = INNER | {
    "launch_app", "switch_window", "scroll", "hover", "wait", "screenshot", "go_back", "go_forward", "tabs", "navigate"
}  # fmt: skip
_NAMES_A_RECORD = frozenset({"id", "key", "line", "note", "number", "conversation", "path"})
_SHORT_ID, _ENOUGH = 2, 2
"""Characters of an id that may stand anywhere, and of the texts of a call those by which a row is known again."""


# --- what a step is ---------------------------------------------------------------------------------------------------


def is_call(step: StepRecord) -> bool:
    return step.action.get("action_type") in CALLS


def looks_only(step: StepRecord) -> bool:
    """Whether it was a function that is named as one that tells something."""
    return looks(str(step.action.get("function", "")))


def changes_something(step: StepRecord) -> bool:
    """Whether a step that worked did more than look, search and go somewhere."""
    verb = str(step.action.get("action_type"))
    if step.exec_status != "executed" or verb in _LOOKING or begins(step.target, phrases("looks")):
        return False
    if is_call(step):
        return not looks_only(step)
    kinds = {event.partition(":")[0] for event in step.events}
    return not (verb in PRESS_VERBS and step.verb == verb and "navigation" in kinds and "status" not in kinds)


def target_of(step: StepRecord, before: VisualState | None) -> GUIElement | None:
    """What a step fell on, on the screen before it."""
    named = str((step.action.get("target") or {}).get("element_id", ""))
    return before.by_id.get(named) if before is not None else None


def function_words(step: StepRecord) -> list[str]:
    return named_words(str(step.action.get("function", "")))


def names_a_record(argument: str) -> bool:
    """Whether an argument or a field says which record is meant."""
    return argument.rpartition("_")[2] in _NAMES_A_RECORD


# --- whether a text is shown or told ----------------------------------------------------------------------------------


def telling(values: Iterable[str]) -> list[str]:
    """Of what was written, that by which it can be known again."""
    return [text.strip() for text in values if len(text.strip()) > 1 and text.casefold() not in {"true", "false"}]


def shows(state: VisualState, text: str) -> bool:
    """Whether a text, or each of its lines, stands on the screen; a path counts by its last part."""
    held = [shown for e in state.elements for shown in (e.text, e.value) if shown]
    wanted = [line.rsplit("/", 1)[-1] if line.startswith("/") else line for line in text.splitlines() if line.strip()]
    return all(_holds(held, line) for line in wanted)


def tells_of(texts: Sequence[str], record: Mapping[str, Any]) -> bool:
    """Whether all of these texts stand in a record."""
    held = [*map(str, record.values())]
    return all(_holds(held, text) for text in texts)


def _holds(values: Iterable[str], text: str) -> bool:
    wanted = fold(text)
    return any(wanted in fold(value) or same_value(value, text) for value in values)


# --- what shows that a call did what it says --------------------------------------------------------------------------


class _Sight(NamedTuple):
    """What was seen or told of an application since a call."""

    evidence: str
    shows: Callable[[str], bool]
    records: Sequence[str]
    titles: Sequence[str] = ()
    """What stands over the records on a screen."""
    is_list: bool = False


def effect_seen(step: StepRecord, verb: str, target: str | None, request: GateRequest) -> str:
    """What shows that a call did what it says, as evidence; empty where nothing does.

    All that it wrote stands on a later screen or in a later answer of its application; or its record, or the page of it, tells
    of the `verb`; or a list lacks what was deleted; or it changed the screen of its application before one's eyes. A
    record is known by what the call names it by, by the id that it answered, or by two texts that it wrote; what stood there
    before was not made by it.
    """
    given, gone = (step.action.get("arguments") or {}).items(), verb == "delete"
    named = telling(text for name, value in given if names_a_record(name) for text in texts(value))
    own = [r for f in request.facts if f.kind == RESULT and f.step == step.step for r in records_in(f.value)[0]]
    made = telling(str(value) for record in own for name, value in record.items() if names_a_record(name))
    wrote, app = telling(_carried(step)), str(step.action.get("app", ""))
    ids = {i for s in request.steps if s.step <= step.step for i in (s.before, s.after if s.step < step.step else "")}
    before = {item.text for state in request.earlier if state.state_id in ids for item in Screen.of(state).items}

    def is_named(text: str) -> bool:
        return bool(named) and all(fold(one) in fold(text) for one in named)

    def is_it(row: str) -> bool:
        by_id = any(has_phrase(row, one) for one in made if len(one) > _SHORT_ID)
        told = sum(text in fold(row) for text in dict.fromkeys(map(fold, wrote)))
        return is_named(row) or (row not in before and (by_id or told >= _ENOUGH))

    for sight in _since(step, app, request):
        if gone and sight.is_list and target and not sight.shows(target):
            return sight.evidence
        titles = [title for title in sight.titles if tells_done(title, verb)]
        if (not gone and wrote and all(map(sight.shows, wrote))) or any(map(is_named, titles)):
            return sight.evidence
        if any((titles or tells_done(row, verb)) and is_it(row) for row in sight.records):
            return sight.evidence
    after = next((s for s in (*request.screens, *request.earlier) if s.state_id == step.after), None)
    said_no = any(event.startswith(("validation", "alert")) for event in step.events)
    changed = step.visible_change and not said_no and after is not None and bool(app) and _same_app(after, app)
    return f"state:{step.after}" if changed else ""


def _since(step: StepRecord, app: str, request: GateRequest) -> Iterator[_Sight]:
    """The newest screens first."""
    ids = {i for s in request.steps if s.step > step.step for i in (s.before, s.after)} | {step.after}
    for state in (*reversed(request.screens), *(s for s in request.earlier if s.state_id in ids)):
        if _same_app(state, app):
            rows, titles = [item.text for item in Screen.of(state).items], [e.name for e in state.elements if e.role == "heading"]
            yield _Sight(f"state:{state.state_id}", partial(shows, state), rows, titles, bool(rows))
    for name, record in _tellings(step, app, request):
        held = [*map(str, record.values())]
        yield _Sight(f"fact:{name}", partial(_holds, held), [" ".join(held)])


def told_of(text: str | None, app: str | None, request: GateRequest) -> str:
    """What an application tells of a text after the last call that wrote, as evidence.

    It counts only where nobody has looked at the application's window: what can be seen is looked at.
    """
    writes = [s for s in request.steps if is_call(s) and not looks_only(s)]
    seen = any(_same_app(state, app or "") for state in (*request.screens, *request.earlier))
    told = _tellings(writes[-1], app, request) if text and app and writes and not seen else ()
    return next((f"fact:{name}" for name, record in told if tells_of([text or ""], record)), "")


def _tellings(step: StepRecord, app: str, request: GateRequest) -> Iterator[tuple[str, Record]]:
    """The records that reading functions of an application have answered since a step, by the names of the facts."""
    for fact in request.facts:
        asked, _, function = fact.name.rpartition(".")
        if fact.kind == RESULT and asked.casefold() == app.casefold() and looks(function) and fact.step > step.step:
            yield from ((fact.name, record) for record in records_in(fact.value)[0])


def _carried(step: StepRecord) -> Iterator[str]:
    """What a call writes: its texts, without those that only name a record; of an agent, what is quoted."""
    if step.action.get("action_type") == "ask_in_app_agent":
        yield from quotes(str(step.action.get("request", "")))
        return
    arguments = step.action.get("arguments") or {}
    for name, value in arguments.items():
        alone = len(arguments) == 1 and not name.endswith(("id", "key", "number"))  # these never say what is new
        if not names_a_record(name) or alone or name == "path":
            yield from texts(value)


def _same_app(state: VisualState, app: str) -> bool:
    called = {(state.app or "").casefold(), *(w.title.casefold() for w in state.windows if w.app == state.app)}
    return not app or app.casefold() in called


_COUNTS = ("count", "total")
"""How many there are, where an answer holds a part of them."""


def cells_of(record: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Its labelled values as texts: a list with commas, an amount with the currency that stands beside it."""
    said = ((" ".join(named_words(name)) or name, _cell(value, record.get("currency"))) for name, value in record.items())
    return tuple((label, text) for label, text in said if text)


def _cell(value: Any, currency: Any = None) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_cell, value)))
    text = ("no", "yes")[value] if isinstance(value, bool) else str(value) if isinstance(value, str | int | float) else ""
    priced = isinstance(currency, str) and text[-3:-2] == "." and is_a("number", text)
    return f"{currency}{float(text):,.2f}" if priced else text


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
