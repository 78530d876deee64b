"""What follows an action: what the clock brought meanwhile, the rules that are due and what they do, and a consistent desk."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from environments.files.conditions import check, problem_with
from environments.simulated.app import AppState, Arrived, Dialog
from environments.simulated.apps import APPS
from environments.simulated.screen.alterations import Alteration
from environments.simulated.screen.screen import screen_of
from environments.simulated.turn import events
from environments.simulated.turn.events import Rule, moment_of, same_label
from environments.simulated.turn.turn import Failed, Turn, sign_in
from environments.simulated.world.values import slug
from environments.simulated.world.world import ArmedRule, Desk, ScheduledEvent, World

_APP = re.compile(r"\bworld\s*\.\s*apps\s*(?:\.\s*(\w+)|\[\s*[\"'](\w+)[\"']\s*\])(?:\s*\.\s*(\w+)(?!\w*\s*\())?")
_WORLD = re.compile(r"\bworld\b(?!\s*\.\s*apps\s*[.\[])")


class RuleProblem(NamedTuple):
    """Something in the rules that cannot be: where, as keys below `events`, and what."""

    at: tuple[str | int, ...]
    said: str
    word: str = ""
    """What may be misspelt."""
    known: tuple[str, ...] = ()
    """What could have been meant."""


@lru_cache(maxsize=256)
def apps_in(condition: str) -> tuple[str, ...]:
    """The apps that a condition speaks of by name; those are all it looks at in `world.apps`."""
    return tuple(dict.fromkeys(found[0] or found[1] for found in _APP.findall(condition)))


@lru_cache(maxsize=256)
def looks_beyond(condition: str) -> bool:
    """Whether a condition speaks of more than the apps that it names, so that any action may change how it comes out."""
    return bool(_WORLD.search(condition)) or not apps_in(condition)


def wrongs(rules: Sequence[Rule], apps: Mapping[str, AppState]) -> Iterator[RuleProblem]:
    """Everything that is wrong, in the order of the file."""
    names = [rule.name for rule in rules if rule.name]
    for index, rule in enumerate(rules):
        if rule.name and names.count(rule.name) > 1:
            yield RuleProblem((index, "name"), f"two events are called {rule.name!r}; give each a name of its own")
        for number, after in enumerate(rule.when.after or ()):
            if after.event not in names:
                there = f"events with a name are: {', '.join(names) or 'none'}"
                yield RuleProblem(
                    (index, "when", "after", number), f"there is no event {after.event!r}; {there}", after.event, (*names,)
                )
        if rule.when.condition is not None:
            yield from _condition(index, rule.when.condition, apps)
    yield from _circle(rules)


def _condition(index: int, condition: str, apps: Mapping[str, AppState]) -> Iterator[RuleProblem]:
    at = (index, "when", "if")
    if problem := problem_with(condition, ("world",)):
        yield RuleProblem(at, f"this condition cannot be looked at: {problem}")
    for dotted, quoted, field in _APP.findall(condition):
        app = dotted or quoted
        if app not in apps:
            yield RuleProblem(at, f"{app!r} is not one of this world's apps, which are: {', '.join(apps)}", app, (*apps,))
        elif field and field not in type(apps[app]).model_fields:
            known = tuple(type(apps[app]).model_fields)
            yield RuleProblem(at, f"the state of {app} has no {field!r}; it has: {', '.join(known)}", field, known)


def _circle(rules: Sequence[Rule]) -> Iterator[RuleProblem]:
    """Rules that wait for each other would never fire."""
    waits = {rule.name: [after.event for after in rule.when.after or ()] for rule in rules if rule.name}
    done: set[str] = set()

    def way_back(name: str, path: tuple[str, ...]) -> tuple[str, ...]:
        if name in path:
            return (*path[path.index(name) :], name)
        if name in done:
            return ()
        found = next((way for other in waits.get(name, ()) if (way := way_back(other, (*path, name)))), ())
        done.add(name)
        return found

    for index, rule in enumerate(rules):
        if rule.name and (way := way_back(rule.name, ())):
            yield RuleProblem((index, "when", "after"), f"these events wait for each other in a circle: {' after '.join(way)}")
            return


class DueEvent(NamedTuple):
    """Something that is due. At the same time, what an app waits for comes first, then the rules in the order of the file."""

    at: float
    order: int
    what: ScheduledEvent | int
    """Or the index of a rule."""


def earliest(world: World, rules: Sequence[Rule], put_off: Container[int] = ()) -> DueEvent | None:
    """What comes next, however long that takes, but for the rules that are put off."""
    desk = world.desk
    if not rules and not desk.queue:
        return None
    coming = [DueEvent(due.at, -1, due) for due in desk.queue]
    fired = {rule.name: desk.fired_at[index] for index, rule in enumerate(rules) if rule.name and index in desk.fired_at}
    for index, rule in enumerate(rules):
        at = rule.when.due(desk.tried.get(index, 0), fired, desk.starts)
        if at is not None and index not in put_off:
            coming.append(DueEvent(at, index, index))
    return min(coming, key=lambda one: (one.at, one.order), default=None)


def truth(world: World, apps: Sequence[str] | None = None) -> dict[str, Any]:
    """The true state as JSON: apps by name, and the desk's own parts. `apps` are those that are wanted, else all."""
    desk = world.desk.model_dump(mode="json", include=set(_DESK))
    wanted: Mapping[str, Any] = world.apps if apps is None else {app: world.apps[app] for app in apps if app in world.apps}
    return {
        "apps": {name: state.model_dump(mode="json") for name, state in wanted.items()},
        **{name: desk[name] for name in _DESK if name not in ("dialogs", "notices")},
        "front": world.desk.front,
        "dialogs": [dialog.title for dialog in world.desk.dialogs],
        "notices": [one.title for one in world.desk.notices],
        "now": world.desk.now,
    }


_DESK = ("clock", "clipboard", "focus", "actions", "windows", "answered", "seed", "passed", "dialogs", "notices")


def holds(world: World, condition: str) -> bool:
    """Whether a condition of a rule holds; one that speaks of what is not there does not."""
    return check(condition, {"world": truth(world, apps_in(condition))}).passed


_MOST = 10_000
"""So many things may fall due within one action; more is a mistake in the world."""


def follow(turn: Turn) -> None:
    """Let everything happen that is due by now, in the order of time; what an action made happen comes last.

    What the rules cause counts as happened from the next action on. Then what has run out is gone, and a new day has come for
    every app that knows the day.
    """
    if turn.rules or turn.desk.queue:
        _Advance(turn).go()
    desk, clock = turn.desk, turn.desk.clock
    today = _day(desk.starts, clock // 60)
    for app, state in turn.world.apps.items():
        if state.__dict__.get("today", today) != today:  # asking a model for what it lacks costs more than all the rest here
            turn.world = turn.world.with_app(app, state.replace(today=today))
    changes = run_out(desk, clock)
    if desk.armed and any(armed.until is not None and armed.until <= clock for armed in desk.armed):
        changes["armed"] = tuple(armed for armed in desk.armed if armed.until is None or armed.until > clock)
    if desk.altered:
        lasting = {app: tuple(c for c in some if c.until is None or c.until > clock) for app, some in desk.altered.items()}
        changes |= {"altered": lasting} if lasting != desk.altered else {}
    if changes:
        turn.change(**changes)


class _Advance:
    """The way from the time before an action to the time after it."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.until = turn.desk.clock
        self.happened = tuple(turn.happened)
        self.front = turn.desk.front
        self.at = 0.0
        """How far the clock has come."""
        self.put_off: set[int] = set()
        """Rules whose time has come while their app was not in front."""
        self.first = turn.desk.actions == 0
        conditional = [(index, rule.when.condition) for index, rule in enumerate(turn.rules) if rule.when.conditional]
        self.conditions = [(index, condition) for index, condition in conditional if condition is not None]
        self.seen = {index: self._parts(turn.before, condition) for index, condition in self.conditions}
        """For each condition: what it was looked at with."""

    def go(self) -> None:
        turn = self.turn
        self._pass()
        for index, rule in enumerate(turn.rules):
            # What the action made happen, or the number of actions, brings it
            when, desk = rule.when, turn.desk
            if when.brought(self.happened):
                brought = not (when.once and desk.fired.get(index))
            else:
                brought = when.app in (None, self.front) and when.counted(desk.tried.get(index, 0), desk.actions)
            if brought:
                self._try(index, rule)
        self._conditions()
        self._pass()  # what waited for a rule that has just fired, and is to happen at once

    def _pass(self) -> None:
        """Set the clock to each moment at which something is due, up to now."""
        turn = self.turn
        for _ in range(_MOST):
            coming = earliest(turn.world, turn.rules, self.put_off)
            if coming is None or coming.at > self.until:
                break
            self.at = max(coming.at, self.at)
            turn.change(clock=self.at)
            if isinstance(coming.what, ScheduledEvent):
                self._deliver(coming.what)
            elif (when := turn.rules[coming.what].when).app in (None, turn.desk.front):
                self._try(coming.what, turn.rules[coming.what])
            elif when.every is None:
                self.put_off.add(coming.what)  # until its app is in front
            else:
                self._count("tried", coming.what)  # it waits for its next time
            self._conditions()
        self.at = self.until
        if turn.desk.clock != self.until:
            turn.change(clock=self.until)

    def _deliver(self, due: ScheduledEvent) -> None:
        turn = self.turn
        turn.change(queue=tuple(other for other in turn.desk.queue if other is not due))
        kept = turn.world
        try:
            turn.tell(due.app, Arrived(due.topic, due.data))
        except Failed:  # it wanted to save something, and nothing can be saved now
            turn.world = kept

    def _try(self, index: int, rule: Rule) -> None:
        """The trigger has come: the rule fires if its condition holds and chance will have it."""
        turn, when = self.turn, rule.when
        tried = self._count("tried", index)
        if when.condition is not None and not when.conditional and not holds(turn.world, when.condition):
            return
        draw = f"{turn.desk.seed}:event {index}:{tried}"
        if when.chance < 1 and random.Random(draw).random() >= when.chance:  # noqa: S311 - variation, not secrecy
            return
        if self._count("fired", index) == 1:
            turn.change(fired_at={**turn.desk.fired_at, index: turn.desk.clock})
        _DO[type(rule.effect)](turn, index, rule.effect)

    def _count(self, what: str, index: int) -> int:
        counts: dict[int, int] = getattr(self.turn.desk, what)
        count = counts.get(index, 0) + 1
        self.turn.change(**{what: {**counts, index: count}})
        return count

    def _conditions(self) -> None:
        """Fire the rules whose condition has come true; it is looked at only where something of what it speaks of has changed."""
        turn = self.turn
        for index, condition in self.conditions:
            when = turn.rules[index].when
            parts = self._parts(turn.world, condition)
            same = all(one is other for one, other in zip(parts, self.seen[index], strict=True))
            if (same and not self.first) or (when.once and turn.desk.fired.get(index)):
                continue
            self.seen[index] = parts
            before, now = index in turn.desk.held, holds(turn.world, condition)
            if now != before:
                held = (*turn.desk.held, index) if now else tuple(other for other in turn.desk.held if other != index)
                turn.change(held=held)
            if now and not before and when.app in (None, turn.desk.front):
                self._try(index, turn.rules[index])
        self.first = False

    @staticmethod
    def _parts(world: World, condition: str) -> tuple[Any, ...]:
        if looks_beyond(condition):
            return (world,)
        return tuple(world.apps.get(app) for app in apps_in(condition))


@lru_cache(maxsize=64)
def _day(starts: str, minutes: float) -> str:
    return moment_of(starts, minutes * 60)[:10]


def run_out(desk: Desk, clock: float) -> dict[str, Any]:
    """The messages and the loading apps that are left at that time, where some are gone: what stays is the same object."""
    changes: dict[str, Any] = {}
    if desk.messages and any(message.until <= clock for message in desk.messages):
        changes["messages"] = tuple(message for message in desk.messages if message.until > clock)
    if desk.loading and any(until <= clock for until in desk.loading.values()):
        changes["loading"] = {app: until for app, until in desk.loading.items() if until > clock}
    return changes


def settled(before: World, world: World) -> World:
    """Focus and scrolling that fit what is shown now: a new page starts at its top, and nothing that is gone has the focus."""
    desk, front = world.desk, world.desk.front
    screen = screen_of(world)
    focused = screen.track(desk.focus) if desk.focus else None
    if desk.focus and (focused is None or not focused.widget.enabled or focused.layer != screen.top):
        desk = desk.replace(focus="", caret=0, anchor=None)
    if front is not None and (offset := desk.scroll.get(front, 0)):
        turned = front == before.desk.front and screen_of(before).front.page != screen.front.page
        kept = 0 if turned else min(offset, screen.overflow(front))
        if kept != offset:
            desk = desk.replace(scroll={**desk.scroll, front: kept})
    return world if desk is world.desk else World(desk, world.apps)


_MANY = 10**9


def _popup(turn: Turn, index: int, popup: events.Popup) -> None:
    turn.open_dialog(
        Dialog(
            key=slug(popup.title),
            title=popup.title,
            text=popup.text,
            buttons=popup.buttons,
            default=popup.default or (popup.buttons[0] if popup.harmless else None),
            escape=popup.buttons[-1] if popup.harmless else None,
            kind=popup.kind,
        )
    )


def _loading(turn: Turn, index: int, loading: events.Loading) -> None:
    turn.move_focus("")
    turn.change(loading={**turn.desk.loading, loading.app: turn.desk.clock + loading.seconds})


def _alter(turn: Turn, app: str, change: Alteration, seconds: float | None = None) -> None:
    if seconds is not None:
        change = change.replace(until=turn.desk.clock + seconds)
    turn.change(altered={**turn.desk.altered, app: (*turn.desk.altered.get(app, ()), change)})


def _rename(turn: Turn, index: int, rename: events.Rename) -> None:
    """A new name takes the place of the one before, which a later rule may so give back."""
    app, altered = rename.app, turn.desk.altered
    kept = tuple(a for a in altered.get(app, ()) if a.what != "rename" or not same_label(a.label, rename.label))
    turn.change(altered={**altered, app: kept})
    _alter(turn, rename.app, Alteration(what="rename", label=rename.label, to=rename.to), rename.seconds)


def _cover(turn: Turn, index: int, cover: events.Cover) -> None:
    key = f"cover-{index}-{turn.desk.fired.get(index, 1)}" + ("!" if cover.dismiss else "")
    _alter(turn, cover.app, Alteration(what="cover", label=cover.label, to=cover.text, key=key), cover.seconds)


def _edit(turn: Turn, index: int, edit: events.Edit) -> None:
    with suppress(KeyError, ValidationError):  # what was to be edited may be gone by now
        turn.world = edited(turn.world, edit)


def _deadline(turn: Turn, index: int, deadline: events.Deadline) -> None:
    turn.change(passed={deadline.name: turn.desk.clock, **turn.desk.passed})
    if deadline.notice:
        turn.notice(deadline.notice)


def _crash_app(turn: Turn, index: int, crash: events.CrashApp) -> None:
    """The window goes at once: no field hears that it is left. What was only begun is as on a first start."""
    app = APPS[crash.app]
    fields = app.state.model_fields
    begun = [name for name in app.looks if name in fields and not fields[name].is_required()]
    fresh = {name: fields[name].get_default(call_default_factory=True) for name in begun}
    turn.change(focus="", dialogs=tuple(dialog for dialog in turn.desk.dialogs if dialog.app != crash.app))
    turn.world = turn.world.with_app(crash.app, turn.world.apps[crash.app].replace(**fresh))
    turn.close_app(crash.app)
    turn.notice(f"{app.title} has stopped", "What was not saved is lost. Open it again.", crash.app)


def _inject(turn: Turn, index: int, inject: events.Inject) -> None:
    match inject.where:
        case "mail":
            turn.tell("mail", Arrived("mail", {"from": inject.sender, "subject": "Important", "body": inject.text}))
        case "chat":
            turn.tell("chat", Arrived("message", {"from": inject.sender, "text": inject.text}))
        case "note":
            turn.tell("notes", Arrived("note", {"title": "Important", "body": inject.text}))
        case "toast":
            turn.toast(inject.text)
        case "notice":
            turn.notice(inject.text, app=inject.app)
        case "banner" | "placeholder" as what:
            key = f"banner-{index}-{turn.desk.fired.get(index, 1)}"
            _alter(turn, str(inject.app), Alteration(what=what, label=inject.label, to=inject.text, key=key))


_DO: dict[type[Any], Callable[[Turn, int, Any], None]] = {
    events.Popup: _popup,
    events.Expire: lambda turn, index, expire: turn.open_dialog(sign_in(index, expire)),
    events.Loading: _loading,
    **dict.fromkeys(
        (events.Swallow, events.Twice, events.Fail, events.Crash),
        lambda turn, index, fault: turn.change(armed=(*turn.desk.armed, ArmedRule(rule=index, left=fault.times))),
    ),
    events.Network: lambda turn, index, network: turn.change(
        armed=(*turn.desk.armed, ArmedRule(rule=index, left=_MANY, until=turn.desk.clock + network.seconds))
    ),
    events.Rename: _rename,
    events.Move: lambda turn, index, move: _alter(
        turn, move.app, Alteration(what="move", label=move.label, to=move.to), move.seconds
    ),
    events.Cover: _cover,
    events.Edit: _edit,
    events.Mail: lambda turn, index, mail: turn.tell(
        "mail", Arrived("mail", {"from": mail.sender, "subject": mail.subject, "body": mail.body})
    ),
    events.Chat: lambda turn, index, chat: turn.tell(
        "chat", Arrived("message", {"from": chat.sender, "text": chat.text, "with": chat.conversation})
    ),
    events.Note: lambda turn, index, note: turn.notice(note.title, note.text, note.app),
    events.Deadline: _deadline,
    events.CrashApp: _crash_app,
    events.Inject: _inject,
}


def edited(world: World, edit: events.Edit) -> World:
    """The world after somebody else's change. Raises KeyError or pydantic.ValidationError when it does not fit."""
    state = world.apps[edit.app]
    data = events.set_in(state.model_dump(mode="json"), edit.keys, edit.value)
    changed = APPS[edit.app].state.model_validate(data)
    head = edit.keys[0]
    # Only the field that changed is taken over: the others stay the same objects, which the store goes by.
    return world.with_app(edit.app, state.model_copy(update={head: getattr(changed, head)}))
