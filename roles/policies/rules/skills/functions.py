"""Which function of an application does what is wanted, and what it is to be given: by names, schemas and summaries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from roles.policies.rules.skills.moves import Situation
from roles.screen.calls import Record
from roles.screen.language import clauses as c
from roles.screen.matching import best, similarity, tokens
from roles.screen.records import Entry, matching_entries, picked
from roles.screen.values import find_money, parse_date
from roles.skills.arguments import problem_with
from roles.skills.contract import Idempotence, Skill

_TITLE = ("title", "name", "subject", "path")
_BODY = ("body", "text", "content", "message", "description")
_CREATE = ("create", "add", "make", "new")
_CHANGE = ("update", "edit", "change", "set", "append", "write")
_SEND = ("send", "post")
_COMMITS = {
    "submit": ("submit", "send", "file", "hand"),
    "send": _SEND,
    "save": ("save", "update", "write", "store"),
    "create": _CREATE,
}


class Given(NamedTuple):
    """A value, and what an argument for it may be called."""

    names: tuple[str, ...]
    text: str


class Wish(NamedTuple):
    """What is wanted. `clauses` is how many clauses are done once it is."""

    verbs: tuple[str, ...]
    nouns: tuple[str, ...] = ()
    values: tuple[Given, ...] = ()
    entity: c.Entity = c.NOTHING
    """The record that it is done to."""
    clauses: int = 1
    deed: str = ""
    """What is to be seen of it: send, submit, save, delete, ..."""


def wish_of(clauses: Sequence[c.Clause], at: Situation) -> Wish | None:
    """What the first of these clauses wants, with those behind it that are part of the same; None where that is no call."""
    match clauses[0] if clauses else None:
        case c.Create():
            return _create(clauses, at)
        case c.Compose(to=to, subject=subject, body=body, send=send):
            parts = [Given(("to", "recipient", "recipients"), ", ".join(to))]
            parts += _texts(at, (("subject", "title"), subject), (_BODY, body)) or []
            verbs, nouns = (_SEND, ("message", "mail", "email")) if send else (("save", "create", "draft"), ("draft",))
            whole = _known(at, subject, body) and bool(to)
            return Wish(verbs, nouns, tuple(parts), deed="send" if send else "save") if whole else None
        case c.Reply(entity=entity, body=body, send=True) if _known(at, body):
            said = _texts(at, (_BODY, body)) or ()
            return Wish(("reply", "answer", "respond"), ("reply", "message"), said, entity, deed="send")
        case c.Post(to=to, body=body) if to and _known(at, body):
            talk = c.Entity(noun="conversation", name=to)
            return Wish(_SEND, ("message",), _texts(at, (_BODY, body)) or (), talk, deed="send")
        case c.Rename(entity=entity, to=to):
            return Wish(("rename",), (entity.noun,), (Given(("name", "title", "to"), to),), entity, deed="rename")
        case c.Move(entity=entity, to=to):
            return Wish(("move",), (entity.noun,), (Given(("folder", "to", "place"), to),), entity, deed="move")
        case c.Delete(entity=entity):
            return Wish(("delete", "remove"), (entity.noun,), (), entity, deed="delete")
        case c.Enter(entity=entity) if entity:
            return _change(clauses, at)
        case c.Enter() | c.Select() | c.Check():
            return _form(clauses, at)
        case _:
            return None


def _create(clauses: Sequence[c.Clause], at: Situation) -> Wish | None:
    """A new thing, with what is entered into it right after, and the saving of it."""
    first = clauses[0]
    assert isinstance(first, c.Create)  # noqa: S101 - an invariant
    values = _texts(at, (_TITLE, first.title), (_BODY, first.body))
    fields, more = _fields(clauses[1:], at)
    if values is None or fields is None:
        return None
    count = 1 + more + _saves(clauses[1 + more :])
    return Wish(_CREATE, (first.noun,), (*values, *fields), clauses=count, deed="save")


def _change(clauses: Sequence[c.Clause], at: Situation) -> Wish | None:
    """One value of a record that exists, replaced or added to."""
    first = clauses[0]
    assert isinstance(first, c.Enter)  # noqa: S101 - an invariant
    text = at.text(first.value)
    if text is None or not first.entity.specific:
        return None
    names = ("append", "add") if first.add else (first.field,) if first.field and first.field not in _BODY else _BODY
    verbs = _CHANGE
    count = 1 + _saves(clauses[1:])
    return Wish(verbs, (first.entity.noun,), (Given(names, text),), first.entity, count, "save")


def _form(clauses: Sequence[c.Clause], at: Situation) -> Wish | None:
    """Values for the fields of a form, and what is then to become of it."""
    fields, count = _fields(clauses, at)
    end = clauses[count] if count < len(clauses) else None
    if not fields or not isinstance(end, c.Commit) or end.manner:
        return None
    thing = () if end.thing in {"form", ""} else (end.thing,)
    return Wish(_COMMITS.get(end.verb, (end.verb,)), thing, fields, clauses=count + 1, deed=end.verb)


def _fields(clauses: Sequence[c.Clause], at: Situation) -> tuple[tuple[Given, ...] | None, int]:
    """What the clauses at the beginning put into fields, and how many they are; None where a value is not known."""
    found: list[Given] = []
    for count, clause in enumerate(clauses):
        match clause:
            case c.Enter(value=value, field=field, entity=entity, add=False) if not entity:
                parts = [(field or name, c.Value(facts=(name,))) for name in value.facts] if not value.text else [(field, value)]
                for name, part in parts:
                    text = at.text(part)
                    if text is None or not name:
                        return None, count
                    found.append(Given(_BODY if name in _BODY else (name,), text))
            case c.Select(option=option, field=field) if field and at.text(option) is not None:
                found.append(Given((field,), at.text(option) or ""))
            case c.Check(box=box, on=on):
                found.append(Given((box,), "true" if on else "false"))
            case _:
                return tuple(found), count
    return tuple(found), len(clauses)


def _saves(rest: Sequence[c.Clause]) -> int:
    return int(bool(rest) and isinstance(rest[0], c.Commit) and rest[0].verb == "save" and not rest[0].manner)


def _texts(at: Situation, *parts: tuple[tuple[str, ...], c.Value]) -> tuple[Given, ...] | None:
    """What is given of these; None where something of it is not known."""
    found = []
    for names, value in parts:
        if value:
            text = at.text(value)
            if text is None:
                return None
            found.append(Given(names, text))
    return tuple(found)


def _known(at: Situation, *values: c.Value) -> bool:
    return all(not value or at.text(value) is not None for value in values)


_LISTS = ("find", "search", "list", "get")
_SEARCHES = ("query", "search", "words", "text", "q")
_WHOSE = ("sender", "vendor", "author")
"""What the name of a record means where a function takes one of these."""
_FITS = 0.8
"""How well an argument's name fits, to be taken for it."""
_KEYS = ("id", "number", "key", "path", "name", "title")


class Fitting(NamedTuple):
    """A function with the arguments that it can be given. `lacks` is the argument that names the record, to be looked up."""

    skill: Skill
    arguments: dict[str, Any]
    lacks: str = ""
    score: float = 0.0


def words_of(name: str) -> tuple[str, ...]:
    """`sendMessage`, `send_message`: send, message."""
    return tokens(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " "))


def best_writing(wish: Wish, skills: Sequence[Skill], app: str) -> Fitting | None:
    """The function that does it, with every value that is wanted in its place; None where none takes them all."""
    found = [fit for skill in skills if skill.kind == "api" and skill.app == app and (fit := _fit(wish, skill)) is not None]
    ranked = sorted(found, key=lambda fit: -fit.score)
    if not ranked or (len(ranked) > 1 and ranked[0].score - ranked[1].score < 0.01):
        return None  # two that fit alike are no choice for a rule
    return ranked[0]


def _fit(wish: Wish, skill: Skill) -> Fitting | None:
    words = words_of(skill.name)
    if skill.idempotence is Idempotence.READING or not words or words[0] not in wish.verbs:
        return None
    nouns = [noun for noun in wish.nouns if noun]
    thing = " ".join(words[1:])
    likeness = max((similarity(noun, thing) for noun in nouns), default=0.5) if thing else 0.6
    if likeness < 0.5:
        return None
    arguments: dict[str, Any] = {}
    for given in wish.values:
        name = _argument_for(given, skill, taken=arguments)
        if name is None or (made := fitted(given.text, skill.takes[name], name)) is None:
            return None
        arguments[name] = made
    missing = [name for name in skill.needs if name not in arguments]
    if len(missing) > 1 or (missing and not wish.entity) or (wish.entity and not missing):
        return None
    lacks = missing[0] if missing else ""
    if not lacks and problem_with(skill.arguments, arguments):
        return None
    rank = wish.verbs.index(words[0])
    return Fitting(skill, arguments, lacks, likeness - 0.02 * rank)


def _argument_for(given: Given, skill: Skill, taken: Mapping[str, Any]) -> str | None:
    """The argument that a value belongs into: called so, or like it."""
    free = [name for name in skill.takes if name not in taken]
    for name in given.names:
        if name in free:
            return name
    scored = [(max(similarity(wanted, " ".join(words_of(name))) for wanted in given.names), name) for name in free]
    good = [pair for pair in scored if pair[0] >= _FITS]
    return max(good)[1] if good else None


def fitted(text: str, schema: Mapping[str, Any], name: str) -> Any:
    """A text as a schema wants it; None where it cannot be."""
    kinds = [part for part in schema.get("anyOf", [schema]) if isinstance(part, Mapping) and part.get("type") != "null"]
    for part in kinds:
        if (choices := part.get("enum")) is not None:
            return next((one for one in choices if str(one).casefold() == text.strip().casefold()), None)
        match part.get("type"):
            case "boolean":
                return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(text.casefold())
            case "integer" | "number" as kind:
                plain = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*\D{0,3}", text)
                return None if plain is None else int(plain[1]) if kind == "integer" and "." not in plain[1] else float(plain[1])
            case "array":
                return [text]
            case "string":
                return f"/{text}" if name == "path" and not text.startswith("/") else text
    return text if not kinds or not kinds[0].get("type") else None


# --- looking up -------------------------------------------------------------------------------------------------------


def lookups(entity: c.Entity, about: Sequence[str], skills: Sequence[Skill], app: str) -> list[Fitting]:
    """Reading functions that may tell of a record, the most direct first."""
    found = []
    for skill in skills:
        if skill.kind != "api" or skill.app != app or skill.idempotence is not Idempotence.READING:
            continue
        words = words_of(skill.name)
        thing = " ".join(words[1:]) or " ".join(words)
        nouns = [noun for noun in (entity.noun, *about) if noun][:3]
        said = tokens(skill.summary)
        likeness = max((max(similarity(n, thing), *(0.9 * similarity(n, word) for word in said)) for n in nouns), default=0.0)
        if words[0] not in _LISTS or likeness < 0.6 or (arguments := _search(entity, skill)) is None:
            continue
        direct = entity.id and words[0] == "get"
        narrow = any(name in arguments for name in (*_SEARCHES, *_WHOSE))
        found.append(Fitting(skill, arguments, "", likeness + (1.0 if direct else 0.0) + (0.1 if narrow else 0.0)))
    return sorted(found, key=lambda fit: -fit.score)


def _search(entity: c.Entity, skill: Skill) -> dict[str, Any] | None:
    """What a reading function is to be given for this record; None where it needs more than is known."""
    arguments: dict[str, Any] = {}
    words = entity.name or entity.subject
    whose = next((name for name in _WHOSE if name in skill.takes and entity.name), "")
    words = entity.subject if whose else words
    for name, schema in skill.takes.items():
        if name == whose:
            arguments[name] = entity.name
        elif name in _SEARCHES and (words or entity.id):
            arguments[name] = entity.id or words
        elif name == "limit" and isinstance(most := schema.get("maximum"), int):
            arguments[name] = most
        elif name in {"first", "last", "day", "date"} and (day := parse_date(entity.dated)) is not None:
            arguments[name] = day.isoformat()
        elif name in skill.needs and name in {"number", "id"} and entity.id:
            arguments[name] = entity.id
        elif name in entity.filters:
            arguments[name] = True
        elif _has_choices(schema) and (states := [f for f in entity.filters if fitted(f, schema, name) == f]):
            arguments[name] = states[0]
    fits = all(name in arguments for name in skill.needs) and not problem_with(skill.arguments, arguments)
    return arguments if fits else None


def _has_choices(schema: Mapping[str, Any]) -> bool:
    return any("enum" in part for part in schema.get("anyOf", [schema]) if isinstance(part, Mapping))


def detail_of(record: Mapping[str, Any], after: Skill, skills: Sequence[Skill]) -> Fitting | None:
    """The function that tells all of one record that another one listed."""
    thing = " ".join(words_of(after.name)[1:])
    for skill in skills:
        words = words_of(skill.name)
        if skill.app != after.app or skill.kind != "api" or skill.idempotence is not Idempotence.READING or len(skill.needs) != 1:
            continue
        if words[0] not in {"get", "read", "show"} or similarity(thing, " ".join(words[1:])) < 0.6:
            continue
        key = key_of(record, skill.needs[0])
        if key is not None:
            return Fitting(skill, {skill.needs[0]: key})
    return None


def key_of(record: Mapping[str, Any], argument: str) -> str | None:
    """What names a record to a function: what it calls so itself, else its id."""
    for name in (argument, *_KEYS):
        value = record.get(name)
        if isinstance(value, str | int) and str(value):
            return str(value)
    return None


def worth(value: Any, record: Mapping[str, Any]) -> str | None:
    """A value of a record as a person would write it; an amount with the currency that stands beside it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) if value and all(isinstance(v, str | int | float) for v in value) else None
    if not isinstance(value, str | int | float) or value == "":
        return None
    text = str(value)
    currency = record.get("currency")
    if isinstance(currency, str) and re.fullmatch(r"-?\d+\.\d{2}", text) and not find_money(text):
        return f"{currency}{float(text):,.2f}"
    return text


_ENOUGH = 0.7


def chosen(entity: c.Entity, records: list[Record]) -> Record | None:
    """The one record that is meant; None where there is none, or several."""
    if len(records) == 1 and not entity.specific:
        return records[0]
    entries = {index: _entry(record) for index, record in enumerate(records)}
    fitting = picked(entity, matching_entries(entity, list(entries.values())))
    if len(fitting) > 1 and entity.name:
        exact = [e for e in fitting if entity.name.casefold() in {value.casefold() for _, value in e.cells}]
        fitting = exact if len(exact) == 1 else fitting
    if len(fitting) != 1:
        return None
    return next(records[index] for index, entry in entries.items() if entry is fitting[0] or entry == fitting[0])


def value_of(fact: str, record: Mapping[str, Any]) -> str | None:
    """What a record says of it, as a person would write it."""
    flat = {name: value for name, value in record.items() if not isinstance(value, dict)}
    match = best(fact, list(flat), lambda name: " ".join(words_of(name)), least=_ENOUGH)
    return worth(flat[match.item], record) if match is not None and not match.rivals else None


def _entry(record: Mapping[str, Any]) -> Entry:
    cells = []
    for name, value in record.items():
        if isinstance(value, bool):
            said = name if value else f"not {name}" if name not in {"unread"} else "read"
            cells.append((name, said))
        elif (text := worth(value, record)) is not None:
            cells.append((" ".join(words_of(name)), text))
    return Entry(" · ".join(value for _, value in cells), tuple(cells))
