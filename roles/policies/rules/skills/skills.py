"""One skill for each kind of clause, and what all share: being in the right application, and not repeating what does nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from protocol import ActionTarget, Click, Fill, GUIElement, LaunchApp, PressKey, Scroll, SwitchWindow, Wait
from roles.policies.rules.pages.skills import PAGE_SKILLS
from roles.policies.rules.skills.collecting import await_it, buy, collect, free
from roles.policies.rules.skills.committing import after_press, click, commit, commit_button, push
from roles.policies.rules.skills.deeds import act_on, keep_only, post, reschedule, write_to_attendees
from roles.policies.rules.skills.finding import go_to, is_open, start_search
from roles.policies.rules.skills.handling import create, delete, move, open_item, rename
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press, set_value
from roles.policies.rules.skills.reading import read, tell
from roles.policies.rules.skills.writing import add_up, cell, check, complete, enter, put_into, select, sort
from roles.screen.language import clauses as c
from roles.screen.matching import app_for, ends_as, similarity, tokens
from roles.screen.screens import shown
from roles.screen.synonyms import leads_back
from roles.screen.values import same_value

_ON = {"on": True, "off": False, "enable": True, "disable": False}
_RANGE = frozenset({"slider", "spinbutton"})
_CONTROLS = _RANGE | {"textbox", "switch", "checkbox", "button"}
"""Where only a picture is given, a field for numbers is no more than a field."""


def adjust(clause: c.Adjust, at: Situation) -> Move:
    """Find the device's page, change what is to be changed, and see that it shows."""
    controls = [e for e in at.screen.elements if e.role in _CONTROLS and _of(clause.device, e)]
    if not controls:
        return _reach(clause, at)
    if clause.aspect:
        return _set(clause, controls, at)
    switch = next((e for e in controls if e.role in {"switch", "checkbox"}), None)
    wanted = _ON.get(clause.value)
    if switch is not None and wanted is not None:
        if (switch.value == "true") == wanted:
            return done(f"{clause.device} is {clause.value}")
        if at.notes.get("switched") and at.count("waits") > 1:
            return _refused(clause, at)
        at.notes["switched"] = True
        return press(switch, f"{clause.device} is to be {clause.value}", at=at)
    return _by_button(clause, controls, at)


def _of(device: str, element: GUIElement) -> bool:
    """Whether all words of the device stand in the control's name, as far as there was room for them."""
    return set(tokens(device)) <= set(tokens(element.name)) or ends_as(device, element.name)


def _reach(clause: c.Adjust, at: Situation) -> Move:
    """The tab of the room that the device's name speaks of, else its own link, else one tab after the other."""
    tried: list[str] = at.notes.setdefault("tabs", [])
    link = next((e for i in at.screen.items if (e := i.press).role == "link" and similarity(clause.device, e.name) >= 0.95), None)
    if link is not None and link.name not in tried:
        tried.append(link.name)
        return press(link, f'"{link.name}" is the device', at=at)
    tabs = [e for e in at.screen.presses if e.role in {"tab", "link"} and e.enabled and not e.selected and e.name not in tried]
    named = next((e for e in tabs if set(tokens(e.name)) <= set(tokens(clause.device))), None)
    tab = named or next(iter(tabs), None)
    if tab is None or len(tried) > 12:
        return fail(f'there is no device "{clause.device}" here', f"where to find {clause.device}")
    tried.append(tab.name)
    return press(tab, f'"{clause.device}" may be in "{tab.name}"', at=at)


def _set(clause: c.Adjust, controls: list[GUIElement], at: Situation) -> Move:
    ranges = [e for e in controls if e.role in {*_RANGE, "textbox"}]
    field = next((e for e in ranges if clause.aspect.casefold() in e.name.casefold()), None)
    field = field or (ranges[0] if len(ranges) == 1 and clause.aspect in {"target", "temperature"} else None)
    if field is None:
        return fail(f'"{clause.device}" has no {clause.aspect} that can be set')
    if (problem := _beyond(clause, field)) is not None:
        return fail(problem)
    if not same_value(field.value or "", clause.value):
        if at.count("fills") > 2:
            return _refused(clause, at)
        if scroll := at.reach(field):
            return scroll
        return act(
            Fill(target=ActionTarget.of(field), text=clause.value),
            f'"{field.name}" is to be {clause.value}',
            f"{clause.value} shown",
        )
    setter = next((e for e in controls if e.role == "button" and e.name.casefold().startswith(("set ", "apply", "save"))), None)
    if setter is not None and not at.notes.get("set") and field.role != "slider":
        at.notes["set"] = True
        if not setter.enabled:
            return act(PressKey(target=ActionTarget.of(field), keys=("Enter",)), "to set it")
        return press(setter, f'"{setter.name}" makes it so', at=at)
    complaint = "; ".join(at.screen.complaints)
    return fail(complaint) if complaint else done(f"{clause.device}: {clause.aspect} {clause.value}")


def _beyond(clause: c.Adjust, field: GUIElement) -> str | None:
    """Said when the field cannot go as far as is asked."""
    try:
        wanted = float(clause.value)
    except ValueError:
        return None
    if field.limits is None or field.limits[0] <= wanted <= field.limits[1]:
        return None
    low, high = f"{field.limits[0]:g}", f"{field.limits[1]:g}"
    return f'"{field.name}" can be set from {low} to {high}, so {clause.value} is not possible'


def _by_button(clause: c.Adjust, controls: list[GUIElement], at: Situation) -> Move:
    if at.notes.get("pressed_it") and at.last is not None and at.last.visible_change and at.screen.dialog is None:
        return done(f"{clause.device}: {clause.value}")
    word = {"on": "turn on|switch on|start|enable", "off": "turn off|switch off|stop|disable"}.get(clause.value, clause.value)
    button = next((e for e in controls if e.role == "button" and re.match(rf"(?:{word})\b", e.name, re.IGNORECASE)), None)
    if button is None:
        state = next((shown(e) for e in at.screen.detail_texts if _of(clause.device, e)), "")
        return fail(f'"{clause.device}" offers no way to {clause.value} it; it says {state or "nothing"}')
    if at.count("presses") > 2:
        return _refused(clause, at)
    at.notes["pressed_it"] = True
    return press(button, f'"{button.name}" does it', at=at)


def _refused(clause: c.Adjust, at: Situation) -> Move:
    said = "; ".join([*at.screen.complaints, *at.screen.notices]) or "nothing says why"
    return fail(f'"{clause.device}" does not take {clause.value}: {said}')


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


APPLESS = (c.Tell, c.Pause, c.Avoid, c.Remember, c.Unknown)


def next_move(clause: c.Clause, at: Situation) -> Move:
    """What to do next for `clause`, on this screen."""
    if not isinstance(clause, APPLESS) and (way := reach_app(clause, at)):
        return way
    if isinstance(clause, c.Open):
        return done(f"{clause.app} is on the screen")
    chosen = _SKILLS[type(clause)](clause, at)
    return _another_way(chosen, at)


def target_app(clause: c.Clause, at: Situation) -> str | None:
    """The application of the clause: of its subtask, else as its words name it."""
    if at.view.subtask.app:
        return at.view.subtask.app
    named = app_for(clause.app, at.view.apps) if clause.app else None
    return named.app if named else at.view.app


def reach_app(clause: c.Clause, at: Situation) -> Move | None:
    """Bring the clause's application to the front."""
    app = target_app(clause, at)
    seen = at.view.seen
    if app is None or seen.app == app:
        return None
    if isinstance(clause, c.Invite) and at.notes.get("begun"):
        return None  # what is written to those who attend may open in another application
    if at.count("reaching") > 4:
        return fail(f"{app} does not come to the front")
    window = next((w for w in seen.windows if w.app == app), None)
    if window is not None:
        return act(SwitchWindow(window=window.window_id), f"{app} is open behind this window", f"{app} on the screen")
    return act(LaunchApp(app=app), f"{app} is not open yet", f"{app} on the screen")


def _another_way(move: Move, at: Situation) -> Move:
    """An action that was done twice with nothing to see for it is done by key, and then not at all."""
    action = move.action
    if action is None or action.inner or action.verb in {"wait", "scroll"}:
        return move
    if isinstance(action, Click) and action.target is not None:
        by_key = PressKey(target=action.target, keys=("Enter",))
        if at.failed_times(action) < (1 if at.keyboard else 2):
            return move
        if at.failed_times(by_key) < 2:
            return act(by_key, f"{move.why}; clicking did nothing", move.expected)
        return fail(f'"{action.target.describe()}" does not react')
    if at.failed_times(action) >= 3:
        where = action.target.describe() if action.target else action.verb
        return fail(f'"{where}" does not react to {action.verb.replace("_", " ")}')
    return move


def _press_keys(clause: c.Press, at: Situation) -> Move:
    return _once(act(PressKey(keys=clause.keys), "the instruction names the keys"), at)


def _once(move: Move, at: Situation) -> Move:
    return done("it was done") if at.count("did") else move


def _search(clause: c.Search, at: Situation) -> Move:
    field = next((f for f in at.screen.searches if f.enabled), None)
    if field is None:
        back = next((e for e in at.screen.presses if e.enabled and leads_back(e.name)), None)
        if back is not None and at.count("backs") < 3:
            return press(back, "the list may have a search field", at=at)
        return fail("there is no search field on this screen", "how to search")
    if at.notes.get("searched"):
        return done("the search was made")
    if field.value != clause.query:
        return set_value(field, clause.query, "to search", at)
    at.notes["searched"] = True
    return start_search(field, at)


def _scroll(clause: c.Scroll, at: Situation) -> Move:
    return _once(act(Scroll.toward(clause.way, 1, "page"), "the instruction says so"), at)


def _wait(clause: c.Pause, at: Situation) -> Move:
    return _once(act(Wait(seconds=min(600.0, clause.seconds)), "the instruction says so"), at)


def _unknown(clause: c.Unknown, at: Situation) -> Move:
    return fail(f'these words are not understood: "{clause.text}"', clause.text)


def _unknown_deed(clause: c.Obey, at: Situation) -> Move:
    return fail(f'only the user says what is to be done, not "{clause.what}"')


def _nothing(clause: c.Clause, at: Situation) -> Move:
    return done("there is nothing to do for it")


_SKILLS: dict[type[c.Clause], Callable[[Any, Situation], Move]] = {
    c.OpenItem: open_item, c.Read: read, c.Enter: enter, c.Complete: complete, c.Select: select, c.Check: check,
    c.ClickOn: click, c.Press: _press_keys, c.Commit: commit, c.Search: _search, c.Compose: compose, c.Reply: reply,
    c.Forward: forward, c.Create: create, c.Rename: rename, c.Move: move, c.Delete: delete, c.Scroll: _scroll,
    c.Act: act_on, c.Post: post, c.Adjust: adjust, c.Sort: sort, c.Cell: cell, c.AddUp: add_up, c.Free: free,
    c.KeepOnly: keep_only, c.Buy: buy, c.Obey: _unknown_deed, c.Reschedule: reschedule, c.Invite: write_to_attendees,
    c.Collect: collect, c.Await: await_it, c.Pause: _wait,
    c.Tell: tell, c.Unknown: _unknown, c.Avoid: _nothing, c.Remember: _nothing,
    **PAGE_SKILLS,
}  # fmt: skip

__all__ = ["APPLESS", "go_to", "next_move", "reach_app", "target_app"]
