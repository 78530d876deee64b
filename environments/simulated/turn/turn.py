"""One action's way through the world: what apps and dialogs make of it. Lives as long as the action."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from environments.simulated.app import (
    Answered,
    AppState,
    Arrived,
    Busy,
    Change,
    Copy,
    DatedState,
    Dialog,
    Edited,
    Effect,
    Event,
    Focus,
    Later,
    Launch,
    Left,
    Notice,
    Notify,
    Pressed,
    SharingState,
    Submitted,
    Toast,
)
from environments.simulated.apps import APPS
from environments.simulated.screen import notices
from environments.simulated.screen.alterations import MARK, own_key
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import Screen, screen_of
from environments.simulated.screen.widgets import TEXTS
from environments.simulated.screen.windows import arranged, to_front
from environments.simulated.skills import FunctionResult
from environments.simulated.turn import interceptions
from environments.simulated.turn.events import Fail, Rule, Swallow
from environments.simulated.turn.triggers import TriggerEvent
from environments.simulated.world.world import ClosedDialog, Desk, Message, ScheduledEvent, World
from protocol import ExecStatus

TOAST_SECONDS = 4.0


class Refused(Exception):
    """The action cannot be done as things stand; the message tells the planner why."""


class Failed(Exception):
    """A fault of the world file took the action. `world` is where that leaves things."""

    def __init__(self, message: str, status: ExecStatus, world: World) -> None:
        super().__init__(message)
        self.status = status
        self.world = world


class Turn:
    """The world while one action changes it."""

    def __init__(self, world: World, rules: Sequence[Rule]) -> None:
        self.before = world
        self.world = world
        self.rules = rules
        self.happened: list[TriggerEvent] = []
        self.passed_on: list[tuple[str, Notify | Later]] = []
        """What apps asked to be told to others, or to themselves later."""
        self.output = ""
        self.late: tuple[str, ExecStatus] | None = None
        """A failure that is reported although the action had its effect."""

    @property
    def desk(self) -> Desk:
        return self.world.desk

    @property
    def screen(self) -> Screen:
        return screen_of(self.world)

    @property
    def focused(self) -> ShownElement | None:
        return self.screen.track(self.desk.focus) if self.desk.focus else None

    def change(self, **fields: Any) -> None:
        self.world = self.world.with_desk(**fields)

    def state_of(self, app: str) -> AppState:
        """An app's state as its updates and functions get it: with the state of the app that it shares, or with the time."""
        state, other = self.world.apps[app], self.world.apps.get(APPS[app].shares)
        if isinstance(state, DatedState):
            return state.model_copy(update={"moment": self.desk.now})
        return state.model_copy(update={"lent": other}) if other is not None and isinstance(state, SharingState) else state

    def _keep(self, app: str, state: AppState) -> None:
        """Take over an app's next state, without what was lent to it."""
        if isinstance(state, SharingState) and state.lent is not None:
            state = state.model_copy(update={"lent": None})
        if isinstance(state, DatedState) and state.moment:
            state = _without_moment(state, self.world.apps[app])
        self.world = self.world.with_app(app, state)

    def tell(self, app: str, event: Event) -> None:
        if MARK in getattr(event, "key", ""):
            event = _known(event)
        update = APPS[app].update(self.state_of(app), event)
        self._keep(app, update.state)
        for effect in update.effects:
            self._do(app, effect)

    def _do(self, app: str, effect: Effect) -> None:
        match effect:
            case Dialog():
                self.open_dialog(effect.model_copy(update={"app": app}))
            case Toast(text=text):
                self.toast(text)
            case Busy(seconds=seconds):
                self.change(loading={**self.desk.loading, app: self.desk.clock + seconds})
            case Copy(text=text):
                self.change(clipboard=text)
            case Submitted():
                self._reach_network(app)
                self.happened.append(TriggerEvent("submitted", app))
            case Change(state=state):
                self._keep(APPS[app].shares, state)
            case _:
                self._pass_on(app, effect)

    def _pass_on(self, app: str, effect: Effect) -> None:
        """What reaches another app, or the app itself later on."""
        if isinstance(effect, Notify | Later):
            self.passed_on.append((app, effect))
        match effect:
            case Later(seconds=seconds, topic=topic, data=data):
                due = ScheduledEvent(at=round(self.desk.clock + seconds, 3), app=app, topic=topic, data=dict(data))
                self.change(queue=(*self.desk.queue, due))
            case Focus(key=key):
                self.focus_on(app, key)
            case Notice(title=title, text=text):
                notices.notice(self, title, text, app)
            case Launch() | Notify() if effect.app not in self.world.apps:
                self.toast(f"{APPS[effect.app].title} is not installed")
            case Launch():
                self.open_app(effect.app)
                self.tell(effect.app, Arrived(effect.topic, effect.data))
            case Notify():
                self.tell(effect.app, Arrived(effect.topic, effect.data))

    def use(self, app: str, done: FunctionResult[Any]) -> None:
        """Take over what a function or an agent of an app has done."""
        self._keep(app, done.state)
        for effect in done.effects:
            self._do(app, effect)
        self.output = json.dumps(done.result, ensure_ascii=False)

    def toast(self, text: str) -> None:
        self.change(messages=(*self.desk.messages[-2:], Message(text=text, until=self.desk.clock + TOAST_SECONDS)))

    def open_app(self, app: str) -> None:
        """Bring an app to the front, in a new window if it has none."""
        self.move_focus("")
        self.change(windows=to_front(self.desk, app, list(self.world.apps)))
        self.happened.append(TriggerEvent("app_opened", app))

    def close_app(self, app: str) -> None:
        self.move_focus("")
        self.change(windows=arranged(self.desk, (win for win in self.desk.windows if win.app != app), list(self.world.apps)))

    def move_focus(self, track_id: str, *, caret: int = 0, anchor: int | None = None) -> None:
        """The field that is left hears of it first, as a page's `blur` would tell it."""
        left = self.focused
        if left and left.element.track_id != track_id and left.element.app and not left.layer and left.widget.role in TEXTS:
            self.tell(left.element.app, Left(left.widget.key))
        self.change(
            focus=track_id,
            caret=caret,
            anchor=anchor,
            mark=None if left is None or left.element.track_id != track_id else self.desk.mark,
        )

    def focus_on(self, app: str, key: str) -> None:
        """Put the focus on an app's own control; nothing happens when it is not on the screen."""
        for shown in self.screen.order:
            if shown.element.app == app and own_key(shown.widget.key) == key and shown.widget.interactive:
                self.move_focus(str(shown.element.track_id), caret=len(shown.widget.value or ""))
                return

    def _reach_network(self, app: str) -> None:
        """Raise Failed while nothing can be saved, or have it reported afterwards."""
        net = interceptions.offline(self, app)
        if net is None:
            return
        if not net.after:
            raise Failed(net.says, ExecStatus.ERROR, self.before)
        self.late = self.late or (net.says, ExecStatus.ERROR)

    def press(self, shown: ShownElement, modifiers: tuple[str, ...] = ()) -> None:
        """Activate a control, whether by pointer or by key."""
        self.fault(shown)
        self.clicked(shown)
        app, key = shown.element.app, shown.widget.key
        if shown.layer:
            self.answer(int(key.rsplit("-", 1)[1]) - 1)
        elif notices.pressed(self, key) or interceptions.uncovered(self, app, key):
            return
        elif app is None:
            self.open_app(key.removeprefix("icon-"))
        else:
            before = self.world.apps[app]
            self.tell(app, Pressed(key, modifiers))
            interceptions.bounced(self, shown, before)

    def clicked(self, shown: ShownElement) -> None:
        self.happened.append(TriggerEvent("clicked", shown.element.app or "", shown.word))

    def edit(self, shown: ShownElement, value: str) -> None:
        """A field gets a new value."""
        if shown.layer:
            key = shown.widget.key.removeprefix("field-")
            dialog = self.desk.dialogs[-1]
            fields = tuple(f.model_copy(update={"value": value}) if f.key == key else f for f in dialog.fields)
            self.change(dialogs=(*self.desk.dialogs[:-1], dialog.model_copy(update={"fields": fields})))
        elif shown.element.app:
            taken = interceptions.written(self, shown, value)
            if taken is not None:
                self.tell(shown.element.app, Edited(shown.widget.key, taken))

    def open_dialog(self, dialog: Dialog) -> None:
        self.move_focus("")
        self.change(dialogs=(*self.desk.dialogs, dialog))
        if dialog.fields:
            layer = len(self.desk.dialogs)
            field = next(s for s in self.screen.shown.values() if s.layer == layer and s.widget.key.startswith("field-"))
            self.move_focus(str(field.element.track_id), caret=len(field.widget.value or ""), anchor=0)

    def answer(self, index: int) -> None:
        """Close the top dialog with one of its buttons."""
        dialog = self.desk.dialogs[-1]
        name = dialog.buttons[index]
        self.change(dialogs=self.desk.dialogs[:-1], focus="")
        if dialog.app is None:
            if not interceptions.let_in(self, dialog, name):
                return
            self.change(answered=(*self.desk.answered, ClosedDialog(title=dialog.title, kind=dialog.kind, button=name)))
        else:
            self.tell(dialog.app, Answered(dialog.key, name, {f.key: f.value for f in dialog.fields}))

    def fault(self, shown: ShownElement) -> None:
        """Raise Failed when a rule makes actions on this control fail."""
        hit = interceptions.caught(self, shown, Fail)
        if hit and self.late is None:
            at, fail = hit
            if not fail.after:
                raise Failed(fail.error, ExecStatus(fail.status), interceptions.spend(self.before, at))
            self.late = fail.error, ExecStatus(fail.status)
            self.world = interceptions.spend(self.world, at)

    def swallows(self, shown: ShownElement) -> bool:
        """Whether a rule takes this click, which counts as one of the clicks that it takes."""
        hit = interceptions.caught(self, shown, Swallow)
        if hit:
            self.world = interceptions.spend(self.world, hit[0])
        return hit is not None


def _known(event: Any) -> Event:
    """An event on a control that was built anew, with the key by which the app knows it."""
    known: Event = replace(event, key=own_key(event.key))
    return known


def _without_moment(state: DatedState, before: AppState) -> AppState:
    """The state without the time that was lent to it; the very same as before where nothing else is another object."""
    if all(value is before.__dict__[name] for name, value in state.__dict__.items() if name != "moment"):
        return before
    return state.model_copy(update={"moment": ""})
