"""One action's way through the world: what apps and dialogs make of it. Lives as long as the action."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from environments.simulated.app import (
    Answered,
    AppState,
    Arrived,
    Busy,
    Change,
    Copy,
    Dialog,
    Edited,
    Effect,
    Event,
    Launch,
    Left,
    Notify,
    Pressed,
    Sharing,
    Submitted,
    Toast,
)
from environments.simulated.apps import APPS
from environments.simulated.events import Fail, Happening, Rule, Swallow, same_label
from environments.simulated.screen import Screen, Shown, screen_of
from environments.simulated.skills import Done
from environments.simulated.world import Armed, Closed, Desk, Message, Win, World
from protocol import ExecStatus

TOAST_SECONDS = 4.0
R = TypeVar("R", Fail, Swallow)


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
        self.happened: list[Happening] = []
        self.output = ""
        self.late: Fail | None = None
        """A failure that is reported although the action had its effect."""

    @property
    def desk(self) -> Desk:
        return self.world.desk

    @property
    def screen(self) -> Screen:
        return screen_of(self.world)

    @property
    def focused(self) -> Shown | None:
        return self.screen.by_track.get(self.desk.focus) if self.desk.focus else None

    def change(self, **fields: Any) -> None:
        self.world = self.world.with_desk(**fields)

    def state_of(self, app: str) -> AppState:
        """An app's state as its updates and functions get it: with the state of the app that it shares."""
        state, other = self.world.apps[app], self.world.apps.get(APPS[app].shares)
        return state.model_copy(update={"lent": other}) if other is not None and isinstance(state, Sharing) else state

    def _keep(self, app: str, state: AppState) -> None:
        """Take over an app's next state, without what was lent to it."""
        if isinstance(state, Sharing) and state.lent is not None:
            state = state.model_copy(update={"lent": None})
        self.world = self.world.with_app(app, state)

    def tell(self, app: str, event: Event) -> None:
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
                self.happened.append(Happening("submitted", app))
            case Change(state=state):
                self._keep(APPS[app].shares, state)
            case Launch() | Notify() if effect.app not in self.world.apps:
                self.toast(f"{APPS[effect.app].title} is not installed")
            case Launch():
                self.open_app(effect.app)
                self.tell(effect.app, Arrived(effect.topic, effect.data))
            case Notify():
                self.tell(effect.app, Arrived(effect.topic, effect.data))

    def use(self, app: str, done: Done[Any]) -> None:
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
        others = tuple(win for win in self.desk.windows if win.app != app)
        self.change(windows=(*others, Win(app=app)))
        self.happened.append(Happening("app_opened", app))

    def close_app(self, app: str) -> None:
        self.move_focus("")
        self.change(windows=tuple(win for win in self.desk.windows if win.app != app))

    def move_focus(self, track_id: str, *, caret: int = 0, anchor: int | None = None) -> None:
        """The field that is left hears of it first, as a page's `blur` would tell it."""
        left = self.focused
        if left and left.element.track_id != track_id and left.element.app and not left.layer and left.widget.role == "textbox":
            self.tell(left.element.app, Left(left.widget.key))
        self.change(focus=track_id, caret=caret, anchor=anchor)

    def press(self, shown: Shown) -> None:
        """Activate a control, whether by pointer or by key."""
        self.fault(shown)
        self.clicked(shown)
        if shown.layer:
            self.answer(int(shown.widget.key.rsplit("-", 1)[1]) - 1)
        elif shown.element.app is None:
            self.open_app(shown.widget.key.removeprefix("icon-"))
        else:
            self.tell(shown.element.app, Pressed(shown.widget.key))

    def clicked(self, shown: Shown) -> None:
        self.happened.append(Happening("clicked", shown.element.app or "", shown.name))

    def edit(self, shown: Shown, value: str) -> None:
        """A field gets a new value."""
        if shown.layer:
            key = shown.widget.key.removeprefix("field-")
            dialog = self.desk.dialogs[-1]
            fields = tuple(f.model_copy(update={"value": value}) if f.key == key else f for f in dialog.fields)
            self.change(dialogs=(*self.desk.dialogs[:-1], dialog.model_copy(update={"fields": fields})))
        elif shown.element.app:
            self.tell(shown.element.app, Edited(shown.widget.key, value))

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
            self.change(answered=(*self.desk.answered, Closed(title=dialog.title, kind=dialog.kind, button=name)))
        else:
            self.tell(dialog.app, Answered(dialog.key, name, {f.key: f.value for f in dialog.fields}))

    def fault(self, shown: Shown) -> None:
        """Raise Failed when a rule makes actions on this control fail."""
        hit = self._caught(shown, lambda rule: rule.fail)
        if hit and self.late is None:
            at, fail = hit
            if fail.after:
                self.late = fail
                self.change(armed=_spent(self.desk.armed, at))
                return
            world = self.before.with_desk(armed=_spent(self.before.desk.armed, at))
            raise Failed(fail.error, ExecStatus(fail.status), world)

    def swallows(self, shown: Shown) -> bool:
        """Whether a rule takes this click, which counts as one of the clicks that it takes."""
        hit = self._caught(shown, lambda rule: rule.swallow)
        if hit:
            self.change(armed=_spent(self.desk.armed, hit[0]))
        return hit is not None

    def _caught(self, shown: Shown, part: Callable[[Rule], R | None]) -> tuple[Armed, R] | None:
        for armed in self.desk.armed:
            effect = part(self.rules[armed.rule])
            if effect and effect.app in (None, shown.element.app) and same_label(effect.label, shown.name):
                return armed, effect
        return None


def _spent(armed: tuple[Armed, ...], used: Armed) -> tuple[Armed, ...]:
    """One use less; a rule with none left is disarmed."""
    less = (a.model_copy(update={"left": a.left - 1}) if a == used else a for a in armed)
    return tuple(a for a in less if a.left > 0)


def spend(world: World, used: Armed) -> World:
    return world.with_desk(armed=_spent(world.desk.armed, used))
