"""The deeds of a demonstration as sentences: idioms put together, readings gathered, each in the English that rules read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roles.knowledge.demonstrations_deeds import Deed
from roles.rules import clauses as c
from roles.rules.lexicon import NOUNS
from roles.rules.matching import similarity
from roles.rules.wording import describe

_NEW = ("new", "create", "add", "compose", "write")
_AGREE = {"ok", "create", "add", "done", "rename", "save"}
_TO, _SUBJECT, _TITLE = ("to", "recipient"), ("subject",), ("title", "name", "file name")
_BODY = ("message", "body", "text", "content")


def joined(deeds: Sequence[Deed]) -> list[Deed]:
    """Presses and fields that together are one deed: a mail, an answer, a new note."""
    found = _gathered(list(deeds))
    at = 0
    while at < len(found):
        for idiom in (_reply, _post, _compose, _create, _rename, _move):
            if (made := idiom([d.clause for d in found[at:]])) is not None:
                clause, length = made
                found[at : at + length] = [found[at]._replace(clause=clause)]
                break
        at += 1
    return found


def in_sentences(clauses: Sequence[c.Clause]) -> list[str]:
    """A sentence for each clause."""
    return [f"{describe(clause)}." for clause in clauses]


def _gathered(deeds: list[Deed]) -> list[Deed]:
    """Facts of one record that are read one after the other are one reading."""
    found: list[Deed] = []
    for deed in deeds:
        last = found[-1].clause if found else None
        clause = deed.clause
        if isinstance(last, c.Read) and isinstance(clause, c.Read) and _alike(last, clause):
            more = tuple(f for f in clause.facts if f not in last.facts)
            found[-1] = found[-1]._replace(clause=replace(last, facts=(*last.facts, *more)))
        else:
            found.append(deed)
    return found


def _alike(first: c.Read, second: c.Read) -> bool:
    return (first.app, first.entity) == (second.app, second.entity) and not first.names and not second.names


def _reply(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    match list(rest[:4]):
        case [c.OpenItem(entity=entity), c.ClickOn(control=control), c.Enter() as said, c.Commit(verb="send")]:
            if control.casefold().startswith("reply") and _called(said.field, _BODY):
                return c.Reply(app=said.app, entity=entity, body=said.value), 4
    return None


def _post(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    match list(rest[:3]):
        case [c.OpenItem(entity=entity), c.Enter() as said, c.Press(keys=("Enter",)) | c.Commit(verb="send")]:
            if entity.name and not entity.subject and "message" in said.field.casefold():
                return c.Post(app=said.app, to=entity.name, body=said.value), 3
    return None


def _rename(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    match list(rest[:3]):
        case [c.Act(verb="rename", entity=entity, app=app), c.Enter(value=value), *agreed] if not value.facts:
            named = bool(agreed) and isinstance(agreed[0], c.ClickOn | c.Commit | c.Press)
            return c.Rename(app=app, entity=entity, to=value.text), 2 + named
    return None


def _move(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    """`Move to`, and then where: a menu's entry or a choice."""
    match list(rest[:2]):
        case [c.Act(verb="move" | "move to", entity=entity, app=app), c.ClickOn(control=place)]:
            return c.Move(app=app, entity=entity, to=place), 2
        case [c.Act(verb="move" | "move to", entity=entity, app=app), c.Select(option=option)] if not option.facts:
            return c.Move(app=app, entity=entity, to=option.text), 2
        case _:
            return None


def _compose(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    if not (rest and isinstance(rest[0], c.ClickOn) and rest[0].control.casefold().split()[0] in _NEW):
        return None
    fields = _fields(rest[1:])
    end = 1 + len(fields)
    sent = rest[end] if end < len(rest) else None
    to = next((e.value for e in fields if _called(e.field, _TO)), c.Value())
    known = all(_called(e.field, (*_TO, *_SUBJECT, *_BODY)) for e in fields)
    if not (fields and known and to.text and not to.facts and isinstance(sent, c.Commit) and sent.verb == "send"):
        return None
    subject = next((e.value for e in fields if _called(e.field, _SUBJECT)), c.Value())
    body = next((e.value for e in fields if _called(e.field, _BODY)), c.Value())
    return c.Compose(app=rest[0].app, to=(to.text,), subject=subject, body=body), end + 1


def _create(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    """`New note`, a title, a text, and Save where there is one."""
    if not (rest and isinstance(rest[0], c.ClickOn)):
        return None
    verb, _, noun = rest[0].control.casefold().partition(" ")
    fields = _fields(rest[1:])
    known = all(_called(e.field, (*_TITLE, *_BODY)) for e in fields)
    if verb not in _NEW or noun.removeprefix("new ") not in NOUNS or not fields or not known:
        return None
    end = 1 + len(fields)
    match list(rest[end : end + 1]):
        case [c.ClickOn(control=control)] if control.casefold() in _AGREE:  # a prompt asked for the name first
            fields += (more := [e for e in _fields(rest[end + 1 :]) if _called(e.field, _BODY)][:1])
            end += 1 + len(more)
    title = next((e.value for e in fields if _called(e.field, _TITLE)), c.Value())
    body = next((e.value for e in fields if _called(e.field, _BODY)), c.Value())
    saved = end < len(rest) and isinstance(rest[end], c.Commit)
    return c.Create(app=rest[0].app, noun=NOUNS[noun.removeprefix("new ")], title=title, body=body), end + saved


def _fields(rest: Sequence[c.Clause]) -> list[c.Enter]:
    found: list[c.Enter] = []
    for clause in rest:
        if not isinstance(clause, c.Enter) or clause.add:
            break
        found.append(clause)
    return found


def _called(field: str, names: Sequence[str]) -> bool:
    return any(similarity(name, field) >= 0.9 for name in names)
