"""What clauses want of an application, in a form that can be held against its functions: verbs, a thing, values, a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roles.contracts import clauses as c
from roles.policies.rules.skills.moves import Situation

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
