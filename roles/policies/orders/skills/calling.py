"""The way by an application's own functions, where the run prefers them or its window may not be touched.

What a function says that it did is not believed: the window is looked at afterwards, or, where it may not be touched, what was
written is read back by another function. Where none fits for certain, the window is the way.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from protocol import CallApi, ExecStatus, Memorize
from roles.contracts import orders
from roles.contracts.values import table_text
from roles.policies.orders.skills.creating import new_records
from roles.policies.orders.skills.filling import tried_before
from roles.policies.orders.skills.finding import find_record, fitting, naming, survey
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail, first
from roles.screen.calls import Record, cells_of, records_in, shows, telling, tells_of
from roles.screen.language.words import table
from roles.screen.matching import similarity, tokens
from roles.screen.rows import Row, matches
from roles.screen.texts import fold, named_words
from roles.screen.values import values_in
from roles.skills.arguments import problem_with
from roles.skills.contract import RESULT, Idempotence, Skill

_MOST_CALLS = 8
"""Of one step."""
_UNIT = 4
"""Characters of a unit behind a number, and of what parts them."""
_KEYS = ("id", "number", "key", "path", "name", "title")


def may_touch(at: Situation) -> bool:
    """Whether windows may be worked; also where it is not known what may be done."""
    return not at.view.verbs or "click" in at.view.verbs


def by_call(step: orders.Step, at: Situation) -> Move | None:
    """The step's next move by functions; None where the window is the way."""
    hands = may_touch(at)
    if at.notes.get("by hand") or not at.view.skills or (at.view.prefer != "api" and hands):
        return None
    move: Move | None = None
    try:
        match step:
            case orders.ReadStep() | orders.CollectStep() | orders.FindStep():
                move = _learned(step, at)
            case orders.CreateStep() | orders.FillStep() | orders.PressStep():
                move = _written(step, at)
            case orders.OpenStep() if not hands:
                move = done("functions need no window")
    except Needed as needed:
        move = needed.move
    except orders.StepFailure:
        if not hands or at.notes.get("doing"):
            raise
    if move is None:
        at.notes["by hand"] = True
    return move


# --- looking up -------------------------------------------------------------------------------------------------------


def _learned(step: orders.ReadStep | orders.CollectStep | orders.FindStep, at: Situation) -> Move | None:
    """What is to be known of records, from what functions tell of them."""
    labels = () if isinstance(step, orders.FindStep) else step.labels
    if step.records is None or (isinstance(step, orders.ReadStep) and not labels):
        return None
    found = _told(step.records, labels, at)
    if found is None:
        return None
    rows = [row for row, _ in found]
    if any(row.value(label) is None for row in rows for label in labels):
        return None
    values = []
    if isinstance(step, orders.ReadStep):
        values = [(name, rows[0].value(label) or "") for label, name in zip(labels, step.names, strict=True)]
    elif isinstance(step, orders.CollectStep):
        columns = labels or (tuple(label for label, _ in rows[0].cells) if rows else ("Name",))
        cells = tuple(tuple(row.value(label) or "" for label in columns) for row in rows)
        values = [(step.name, table_text(columns, cells))]
    known: list[str] = at.notes.setdefault("learned", [])
    for name, value in values:
        if name not in known:
            known.append(name)
            return act(Memorize(name=name, value=value), f"{at.notes['told by']} says it", f"{name} on the blackboard")
    return done(f"{at.notes['told by']} tells of {naming(step.records)}")


def _told(records: orders.Records, labels: Sequence[str], at: Situation) -> list[tuple[Row, Record]] | None:
    """The records that are meant, as a function lists them; None where none tells for certain. Raises Needed until it was called.

    What the list does not say of a sole record under these labels is asked of the function that tells all of one.
    """
    for skill in _reading(records, _called("list"), 0, at):
        limit = skill.takes.get("limit", {}).get("maximum")
        answer = _asked(skill, {"limit": limit} if isinstance(limit, int) else {}, at, f"it lists each {records.kind}")
        if answer is None:
            return None
        pairs = [(_row(record), record) for record in answer[0]]
        rows = [row for row, _ in pairs]
        if not answer[1] or any(matches(row, tests) is None for row in rows for tests in (records.tests, *records.but)):
            continue
        fit = fitting(records, rows, at)
        if records.exactly and len(fit) != records.exactly:
            raise orders.StepFailure(
                f"{skill.called} tells of {len(fit)} {naming(records)} where {records.exactly} was to be found"
            )
        at.notes["told by"] = skill.called
        found = [pair for pair in pairs if pair[0] in fit]
        return _whole(*found[0], labels, records, at) if len(found) == 1 else found
    return None


def _reading(records: orders.Records, verbs: Collection[str], needs: int, at: Situation) -> Iterator[Skill]:
    """Functions that are called by one of these verbs, tell of such records and need to be told so much."""
    nouns = _nouns(records.app, records.kind, at)
    for skill in at.view.skills:
        verb, *rest = words_of(skill.name)
        reads = skill.kind == "api" and skill.app == records.app and skill.idempotence is Idempotence.READING
        if reads and len(skill.needs) == needs and verb in verbs and any(similarity(n, " ".join(rest)) >= 0.8 for n in nouns):
            yield skill


def _whole(
    row: Row, record: Record, labels: Sequence[str], records: orders.Records, at: Situation
) -> list[tuple[Row, Record]] | None:
    ways = _reading(records, {"get", "read", "show"}, 1, at) if any(row.value(label) is None for label in labels) else ()
    for skill in ways:
        if (key := _key(record, skill.needs[0])) is None:
            continue
        answer = _asked(skill, {skill.needs[0]: key}, at, "it tells all of the record")
        if answer is None:
            return None
        if len(answer[0]) == 1:
            return [(row.opened(_row(answer[0][0]).cells, ""), answer[0][0])]
    return [(row, record)]


def _row(record: Record) -> Row:
    cells = cells_of(record)
    return Row(" · ".join(text for _, text in cells), cells[0][1] if cells else "", cells, body="")


# --- writing ----------------------------------------------------------------------------------------------------------


class _Wish(NamedTuple):
    """What is to be written, and by what it will be known."""

    verbs: tuple[str, ...]
    nouns: tuple[str, ...]
    entries: tuple[orders.Entry, ...] = ()
    records: orders.Records | None = None
    """The record that it is done to."""
    made: orders.Records | None = None
    """How the record is known afterwards; None where it is to be gone."""


def _wish(step: orders.CreateStep | orders.FillStep | orders.PressStep, at: Situation) -> _Wish | None:
    """What a function may do of it: what makes, sends, changes or deletes a record, and can be seen afterwards."""
    match step:
        case orders.CreateStep():
            made = new_records(step, at.kind(step.app, step.kind))
            return _Wish(_called(step.commit), _nouns(step.app, step.kind, at), step.entries, made=made)
        case orders.FillStep(records=orders.Records() as meant) if not step.form and all(
            e.mode in {"set", "clear"} for e in step.entries
        ):
            return _Wish(_called("change"), _nouns(step.app, meant.kind, at), step.entries, meant, meant)
        case orders.PressStep(records=orders.Records() as meant, verb="delete") if not step.entries:
            return _Wish(_called("delete"), _nouns(step.app, meant.kind, at), (), meant)
    return None


def _written(step: orders.CreateStep | orders.FillStep | orders.PressStep, at: Situation) -> Move | None:
    wish = _wish(step, at)
    if wish is None:
        return None
    if at.notes.get("doing"):
        return _looked(step, wish, at)
    if tried_before(at) and may_touch(at):
        return None  # what was called before may have claimed more than it did: now it is done where it can be seen
    fits = [fit for skill in at.view.skills if skill.app == step.app and (fit := _fit(wish, skill)) is not None]
    if len(fits) != 1:
        return None  # two that fit alike are no choice for a rule
    skill, arguments, lacks = fits[0]
    if lacks:
        told = _told(wish.records, (), at) if wish.records is not None else None
        key = _key(told[0][1], lacks) if told is not None and len(told) == 1 else None
        if key is None:
            return None
        arguments[lacks] = key
    if problem_with(skill.arguments, arguments):
        return None
    at.notes["doing"] = skill.called
    return _call(skill, arguments, at, "it is the application's own function for this")


def _fit(wish: _Wish, skill: Skill) -> tuple[Skill, dict[str, Any], str] | None:
    """The function with every value in its place, and the argument that names the record; None where it does not fit."""
    verb, *rest = words_of(skill.name)
    noun = " ".join(rest)
    if skill.kind != "api" or skill.idempotence is Idempotence.READING or verb not in wish.verbs:
        return None
    if noun and not any(similarity(one, noun) >= 0.8 for one in wish.nouns):
        return None
    arguments: dict[str, Any] = {}
    for entry in wish.entries:
        names = {name: " ".join(words_of(name)) for name in skill.takes if name not in arguments}
        alike = [words for words in table("phrases")["arguments"] if fold(entry.label) in words]
        called = [
            name for name, said in names.items()
            if similarity(fold(entry.label), said) >= 0.9 or any(said in words for words in alike)
        ]  # fmt: skip
        value = fitted("" if entry.mode == "clear" else entry.value, skill.takes[called[0]]) if len(called) == 1 else None
        if value is None:
            return None
        arguments[called[0]] = value
    missing = [name for name in skill.needs if name not in arguments]
    return (skill, arguments, "".join(missing)) if len(missing) == (wish.records is not None) else None


def fitted(text: str, schema: Mapping[str, Any]) -> Any:
    """A text as a schema wants it; None where it cannot be."""
    kinds = [part for part in schema.get("anyOf", [schema]) if isinstance(part, Mapping) and part.get("type") != "null"]
    part = kinds[0] if kinds else {}
    if "enum" in part:
        return next((one for one in part["enum"] if fold(str(one)) == fold(text)), None)
    match part.get("type"):
        case "boolean":
            return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(fold(text))
        case "integer" | "number" as kind:
            number, unit = (values_in("number", text) or [""])[0], text.strip()
            if not number or not unit.startswith(number) or len(unit) - len(number) > _UNIT:
                return None
            return int(number) if kind == "integer" and number.lstrip("-").isdecimal() else float(number.replace(",", ""))
        case "string" | None:
            return text
    return None


def _looked(step: orders.CreateStep | orders.FillStep | orders.PressStep, wish: _Wish, at: Situation) -> Move | None:
    """What came of the call: a refusal leads to the window, and what is said to be done is looked at."""
    name = str(at.notes["doing"])
    call = next((s for s in reversed(at.history) if s.action.get("action_type") == "call_api"), None)
    if not at.notes.get("called"):
        if call is None or call.exec_status is ExecStatus.ERROR:
            at.notes["doing"] = ""
            return None if may_touch(at) else fail(f"{name} did not do it ({call.error if call else 'it was not called'})")
        if call.exec_status is not ExecStatus.EXECUTED:
            return fail(f"{name} did not say whether it was done ({call.error or call.exec_status.value})")
        at.notes["called"] = True
    meant = wish.made or wish.records
    try:
        over = (_seen if may_touch(at) else _read_back)(wish, meant, at) if meant is not None else None
    except orders.StepFailure:
        over = None
    return over or fail(f"{name} said that it was done, and {at.title(step.app)} does not show it")


def _seen(wish: _Wish, meant: orders.Records, at: Situation) -> Move | None:
    """The window is looked at; None where it does not show what was done."""
    first(at.to_app(meant.app))
    if wish.made is None:
        return None if survey(meant.model_copy(update={"exactly": 0}), at) else done(f"{naming(meant)} is no longer there")
    try:
        find_record(meant, at)
    except Needed as needed:
        if needed.move.kind == "fail":
            return None
        raise
    texts = telling(entry.value for entry in wish.entries)
    return done(f"{at.title(meant.app)} shows what was written") if all(shows(at.view.seen, text) for text in texts) else None


def _read_back(wish: _Wish, meant: orders.Records, at: Situation) -> Move | None:
    """A function that reads is asked for what was written; None where it does not tell of it."""
    if not at.notes.get("reading back"):
        at.notes.update(asked={}, **{"reading back": True})
    found = _told(meant.model_copy(update={"exactly": 0}), [entry.label for entry in wish.entries] if wish.made else (), at)
    if found is None:
        return None
    if wish.made is None:
        return None if found else done(f"{at.notes['told by']} tells of it no more")
    texts = telling(entry.value for entry in wish.entries)
    return done(f"{at.notes['told by']} tells of it") if any(tells_of(texts, record) for _, record in found) else None


# --- calls ------------------------------------------------------------------------------------------------------------


def words_of(name: str) -> tuple[str, ...]:
    """`sendMessage`, `send_message`: send, message."""
    return tokens(" ".join(named_words(name))) or (name,)


def _called(verb: str) -> tuple[str, ...]:
    """How the name of a function begins that does what is committed."""
    return tuple(table("phrases")["functions"].get(verb, (verb,)))


def _nouns(app: str, kind: str, at: Situation) -> tuple[str, ...]:
    card = at.kind(app, kind)
    return (kind, *(card.words if card else ()))


def _key(record: Mapping[str, Any], argument: str) -> str | None:
    """What names a record to a function: what it calls so itself, else its id."""
    values = (record.get(name) for name in (argument, *_KEYS))
    return next((str(value) for value in values if isinstance(value, str | int) and str(value)), None)


def _call(skill: Skill, arguments: Mapping[str, Any], at: Situation, why: str) -> Move | None:
    if at.count("calls") >= _MOST_CALLS:
        return None
    at.notes.setdefault("asked", {})[skill.called] = at.history[-1].step if at.history else 0
    call = CallApi(app=skill.app, function=skill.name, arguments=dict(arguments))
    return act(call, f"{why}: {skill.called} is called", f"what {skill.called} answers")


def _asked(skill: Skill, arguments: Mapping[str, Any], at: Situation, why: str) -> tuple[list[Record], bool] | None:
    """The records of its answer since it was asked in this step, and whether these are all. Raises Needed to ask it; None where
    no more may be asked."""
    since = at.notes.get("asked", {}).get(skill.called)
    if since is None:
        first(_call(skill, arguments, at, why))
        return None
    answers = (f for f in reversed(at.view.facts) if f.kind == RESULT and fold(f.name) == fold(skill.called))
    answer = next((f.value for f in answers if f.step > since), None)
    return records_in(answer) if answer is not None else ([], False)
