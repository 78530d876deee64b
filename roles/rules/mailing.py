"""Skill: write, answer and pass on mail."""

from __future__ import annotations

from protocol import GUIElement
from roles.rules import clauses as c
from roles.rules.committing import after_press, commit_button, push
from roles.rules.finding import go_to, is_open
from roles.rules.matching import similarity
from roles.rules.moves import Move, Situation, fail, press
from roles.rules.values import same_value
from roles.rules.writing import put_into

_TO = ("to", "recipient", "recipients", "send to")
_SUBJECT = ("subject", "title", "topic")
_BODY = ("message", "body", "text", "content")
_COMPOSE = (
    "compose",
    "new message",
    "new mail",
    "new e-mail",
    "new email",
    "write",
    "write a message",
    "new",
    "create mail",
    "write mail",
)


def _field(names: tuple[str, ...], at: Situation) -> GUIElement | None:
    scored = [(max(similarity(name, f.name) for name in names), f) for f in at.screen.inputs if f.role == "textbox"]
    good = [pair for pair in scored if pair[0] >= 0.9]
    return max(good, key=lambda pair: pair[0])[1] if good else None


def _writing(at: Situation) -> bool:
    return _field(_TO, at) is not None or _field(_BODY, at) is not None


def compose(clause: c.Compose, at: Situation) -> Move:
    """A new message: begin it, fill it, send it."""
    subject, body = at.text(clause.subject), at.text(clause.body)
    if subject is None or body is None:
        lacking = [*at.missing(clause.subject), *at.missing(clause.body)]
        return fail(f'the fact "{lacking[0]}" is not known', f"where to find the {lacking[0]}")
    if at.notes.get("pressed") and (move := after_press("send", at)):
        return move
    parts = ((_TO, ", ".join(_addresses(clause.to, at))), (_SUBJECT, subject), (_BODY, body))
    if not _writing(at) or not at.notes.get("begun"):
        if not _writing(at) or not _holds_only(parts, at):
            return _begin(_COMPOSE, at)
        at.notes["begun"] = True
    return _fill(parts, at) or _finish(clause.send, at)


def _addresses(people: tuple[str, ...], at: Situation) -> list[str]:
    """A name stands for its address when a fact tells it."""
    found = []
    for person in people:
        fact = next((f for f in at.view.facts if f.kind == "email" and person.casefold() in f.name.casefold()), None)
        found.append(fact.value if fact and "@" not in person else person)
    return found


def _holds_only(parts: tuple[tuple[tuple[str, ...], str], ...], at: Situation) -> bool:
    """Whether the open message is empty, or is this very one as an earlier attempt left it, sound or not."""
    if at.view.subtask.hints:
        return True
    fields = [(_field(names, at), text) for names, text in parts]
    return all(not f.value or same_value(f.value, text) for f, text in fields if f is not None)


def _begin(names: tuple[str, ...], at: Situation) -> Move:
    tries = at.count("begin")
    if _writing(at) and tries:
        at.notes["begun"] = True
    button = next((e for name in names for e in at.screen.presses if e.enabled and e.name.casefold() == name), None)
    if button is None or tries > 4:
        back = next((e for e in at.screen.presses if e.enabled and e.name.casefold().split()[0] in {"back", "inbox"}), None)
        if back is not None and tries <= 4:
            return press(back, "from the list one can begin a message", at=at)
        return fail("there is no way to write a message on this screen", "how to write a message")
    at.notes["begun"] = True
    return press(button, f'"{button.name}" begins it', at=at)


def _fill(parts: tuple[tuple[tuple[str, ...], str], ...], at: Situation) -> Move | None:
    for names, text in parts:
        field = _field(names, at)
        if not text or (field is None and names is not _BODY):
            continue
        if field is None:
            return fail("the message has no field for its text")
        move = put_into(field, text, at)
        if move.kind != "done":
            return move
    return None


def _finish(send: bool, at: Situation) -> Move:
    button = commit_button("send" if send else "save", "", "" if send else "draft", at)
    if button is None:
        return fail(f"there is no button to {'send' if send else 'save'} the message")
    return push(button, "send" if send else "save", at)


def reply(clause: c.Reply, at: Situation) -> Move:
    """Open the mail, press Reply, write, send."""
    body = at.text(clause.body)
    if body is None:
        return fail(f"the fact {at.missing(clause.body)[0]!r} is not known")
    return _answer(clause.entity, ("reply", "respond", "answer"), ((_BODY, body),), clause.send, at)


def forward(clause: c.Forward, at: Situation) -> Move:
    """Open the mail, press Forward, name the receiver, send; an application without it gets a new message."""
    body = at.text(clause.body) or ""
    parts = ((_TO, ", ".join(_addresses(clause.to, at))), *(((_BODY, body),) if body else ()))
    return _answer(clause.entity, ("forward", "forward message", "send on"), parts, True, at)


def _answer(
    entity: c.Entity, names: tuple[str, ...], parts: tuple[tuple[tuple[str, ...], str], ...], send: bool, at: Situation
) -> Move:
    if at.notes.get("pressed") and (move := after_press("send", at)):
        return move
    if at.notes.get("begun"):
        if not _writing(at):
            return fail(f'"{names[0]}" did not open a message') if at.count("waits") > 2 else _press_named(names, at)
        return _fill(parts, at) or _finish(send, at)
    if not is_open(entity, at):
        return go_to(entity, at)
    return _press_named(names, at)


def _press_named(names: tuple[str, ...], at: Situation) -> Move:
    button = next((e for name in names for e in at.screen.presses if e.enabled and e.name.casefold() == name), None)
    if button is None:
        listed = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
        return fail(f"there is no button to {names[0]}; buttons there are: {listed}")
    at.notes["begun"] = True
    return press(button, f'"{button.name}" begins it', at=at)
