"""One action's way through the world: what apps and dialogs make of it. Lives as long as the action."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from environments.simulated import app as sim
from environments.simulated.apps import APPS
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import Screen, screen_of
from environments.simulated.screen.widgets import TEXTS
from environments.simulated.turn.events import Control, Expire, Fail, Network, Rule, Swallow, TriggerEvent, Twice, same_label
from environments.simulated.world.values import Model
from environments.simulated.world.world import ArmedRule, ClosedDialog, Desk, Message, Notification, ScheduledEvent, World
from protocol import ExecStatus

TOAST_SECONDS = 4.0


E = TypeVar("E", bound=Model)
C = TypeVar("C", bound=Control)


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
        self.passed_on: list[tuple[str, sim.Notify | sim.Later]] = []
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
        now = self.desk.__dict__
        if any(now[name] is not value for name, value in fields.items()):
            self.world = self.world.with_desk(**fields)

    def need_no_dialog(self) -> None:
        """Raise Refused while a dialog takes all input."""
        if self.desk.dialogs:
            raise Refused(f'a dialog "{self.desk.dialogs[-1].title}" is open; answer it first')

    def state_of(self, app: str) -> sim.AppState:
        """An app's state as its updates and functions get it: with the state of the app that it shares."""
        state, other = self.world.apps[app], self.world.apps.get(APPS[app].shares)
        return state.replace(lent=other) if other is not None and isinstance(state, sim.SharingState) else state

    def _keep(self, app: str, state: sim.AppState) -> None:
        """Take over an app's next state, without what was lent to it."""
        if isinstance(state, sim.SharingState) and state.lent is not None:
            state = state.replace(lent=None)
        self.world = self.world.with_app(app, state)

    def tell(self, app: str, event: sim.Event) -> None:
        update = APPS[app].update(self.state_of(app), event)
        self._keep(app, update.state)
        for effect in update.effects:
            self._do(app, effect)

    def _do(self, app: str, effect: sim.Effect) -> None:
        match effect:
            case sim.Dialog():
                self.open_dialog(effect.replace(app=app))
            case sim.Toast(text=text):
                self.toast(text)
            case sim.Busy(seconds=seconds):
                self.change(loading={**self.desk.loading, app: self.desk.clock + seconds})
            case sim.Copy(text=text):
                self.change(clipboard=text)
            case sim.Submitted():
                # Nothing can be saved while the network is down, or that it was saved is not reported
                if net := next((net for _, net in in_force(self.world, self.rules, Network) if net.app in (None, app)), None):
                    if not net.after:
                        raise Failed(net.says, ExecStatus.ERROR, self.before)
                    self.late = self.late or (net.says, ExecStatus.ERROR)
                self.happened.append(TriggerEvent("submitted", app))
            case sim.Change(state=state):
                self._keep(APPS[app].shares, state)
            case _:
                self._pass_on(app, effect)

    def _pass_on(self, app: str, effect: sim.Effect) -> None:
        """What reaches another app, or the app itself later on."""
        if isinstance(effect, sim.Notify | sim.Later):
            self.passed_on.append((app, effect))
        match effect:
            case sim.Later(seconds=seconds, topic=topic, data=data):
                due = ScheduledEvent(at=round(self.desk.clock + seconds, 3), app=app, topic=topic, data=dict(data))
                self.change(queue=(*self.desk.queue, due))
            case sim.Focus(key=key):
                here = (s for s in self.screen.order if s.element.app == app and s.widget.key == key and s.widget.interactive)
                if field := next(here, None):  # nothing happens when it is not on the screen
                    self.move_focus(str(field.element.track_id), caret=len(field.widget.value or ""))
            case sim.Notice(title=title, text=text):
                self.notice(title, text, app)
            case sim.Launch() | sim.Notify() if effect.app not in self.world.apps:
                self.toast(f"{APPS[effect.app].title} is not installed")
            case sim.Launch():
                self.open_app(effect.app)
                self.tell(effect.app, sim.Arrived(effect.topic, effect.data))
            case sim.Notify():
                self.tell(effect.app, sim.Arrived(effect.topic, effect.data))

    def use(self, app: str, done: sim.FunctionResult[Any]) -> None:
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
        self.change(windows=self.desk.to_front(app, list(self.world.apps)))
        self.happened.append(TriggerEvent("app_opened", app))

    def close_app(self, app: str) -> None:
        self.move_focus("")
        self.change(windows=self.desk.arranged((win for win in self.desk.windows if win.app != app), list(self.world.apps)))

    def move_focus(self, track_id: str, *, caret: int = 0, anchor: int | None = None) -> None:
        """The field that is left hears of it first, as a page's `blur` would tell it."""
        left = self.focused
        if left and left.element.track_id != track_id and left.element.app and not left.layer and left.widget.role in TEXTS:
            self.tell(left.element.app, sim.Left(left.widget.key))
        self.change(focus=track_id, caret=caret, anchor=anchor)

    def press(self, shown: ShownElement, modifiers: tuple[str, ...] = ()) -> None:
        """Activate a control, whether by pointer or by key."""
        self.fault(shown)
        self.clicked(shown)
        app, key = shown.element.app, shown.widget.key
        if shown.layer:
            self.answer(int(key.rsplit("-", 1)[1]) - 1)
        elif self.pressed_notice(key) or self.uncovered(app, key):
            return
        elif app is None:
            self.open_app(key.removeprefix("icon-"))
        else:
            before = self.world.apps[app]
            self.tell(app, sim.Pressed(key, modifiers))
            self.bounced(shown, before)

    def clicked(self, shown: ShownElement) -> None:
        self.happened.append(TriggerEvent("clicked", shown.element.app or "", shown.word))

    def edit(self, shown: ShownElement, value: str) -> None:
        """A field gets a new value."""
        if shown.layer:
            key = shown.widget.key.removeprefix("field-")
            dialog = self.desk.dialogs[-1]
            fields = tuple(f.replace(value=value) if f.key == key else f for f in dialog.fields)
            self.change(dialogs=(*self.desk.dialogs[:-1], dialog.replace(fields=fields)))
        elif shown.element.app:
            self.tell(shown.element.app, sim.Edited(shown.widget.key, value))

    def open_dialog(self, dialog: sim.Dialog) -> None:
        self.move_focus("")
        self.change(dialogs=(*self.desk.dialogs, dialog))
        if dialog.fields:
            layer = len(self.desk.dialogs)
            field = next(s for s in self.screen.order if s.layer == layer and s.widget.key.startswith("field-"))
            self.move_focus(str(field.element.track_id), caret=len(field.widget.value or ""), anchor=0)

    def answer(self, index: int) -> None:
        """Close the top dialog with one of its buttons."""
        dialog = self.desk.dialogs[-1]
        name = dialog.buttons[index]
        self.change(dialogs=self.desk.dialogs[:-1], focus="")
        if dialog.app is None:
            if not self.let_in(dialog, name):
                return
            self.change(answered=(*self.desk.answered, ClosedDialog(title=dialog.title, kind=dialog.kind, button=name)))
        else:
            self.tell(dialog.app, sim.Answered(dialog.key, name, {f.key: f.value for f in dialog.fields}))

    def fault(self, shown: ShownElement) -> None:
        """Raise Failed when a rule makes actions on this control fail."""
        hit = self.caught(shown, Fail)
        if hit and self.late is None:
            at, fail = hit
            if not fail.after:
                raise Failed(fail.error, ExecStatus(fail.status), spend(self.before, at))
            self.late = fail.error, ExecStatus(fail.status)
            self.world = spend(self.world, at)

    def swallows(self, shown: ShownElement) -> bool:
        """Whether a rule takes this click, which counts as one of the clicks that it takes."""
        hit = self.caught(shown, Swallow)
        if hit:
            self.world = spend(self.world, hit[0])
        return hit is not None

    def caught(self, shown: ShownElement, kind: type[C]) -> tuple[ArmedRule, C] | None:
        """The rule of a kind that takes what is done to this control."""
        for armed, effect in in_force(self.world, self.rules, kind):
            if effect.app in (None, shown.element.app) and same_label(effect.label, shown.word):
                return armed, effect
        return None

    def bounced(self, shown: ShownElement, before: sim.AppState) -> None:
        """A click that arrives twice: the second finds the form as the first one did, since both were on their way."""
        app = shown.element.app
        hit = self.caught(shown, Twice)
        if hit is None or app is None:
            return
        self.world = spend(self.world, hit[0])
        kind = APPS[app]
        begun = {name: getattr(before, name) for name in kind.looks if name in kind.state.model_fields and name != "counter"}
        self.world = self.world.with_app(app, self.world.apps[app].replace(**begun))
        self.tell(app, sim.Pressed(shown.widget.key))

    def uncovered(self, app: str | None, key: str) -> bool:
        """A press on what lies over a control: it goes if it can be dismissed by that. False for any other key."""
        name, _, what = key.partition(".")
        if not name.startswith("cover-"):
            return False
        if what == "dismiss" and app is not None:
            left = tuple(change for change in self.desk.altered.get(app, ()) if change.key.rstrip("!") != name)
            self.change(altered={**self.desk.altered, app: left})
        return True

    def let_in(self, dialog: sim.Dialog, button: str) -> bool:
        """Whether a dialog of the desktop stays closed: one that asks for a password comes again without the right one."""
        if not dialog.key.startswith("expire-"):
            return True
        rule = int(dialog.key.removeprefix("expire-"))
        expire = self.rules[rule].expire
        if expire is None:
            return True
        if button != "Sign in":
            self.close_app(str(expire.app))
            return True
        given = dialog.fields[0].value
        right = bool(given) if expire.password is None else given == expire.password
        if not right:
            self.open_dialog(sign_in(rule, expire, wrong=True))
        return right

    def notice(self, title: str, words: str = "", app: str | None = None) -> None:
        number = self.desk.noticed + 1
        made = Notification(number=number, app=app, title=title, text=words, at=self.desk.clock)
        self.change(noticed=number, notices=(*self.desk.notices, made))

    def pressed_notice(self, key: str) -> bool:
        """A notice goes, and its app comes to the front unless it was dismissed; False when the key is not one of theirs."""
        name, _, what = key.partition(".")
        number = name.removeprefix("notice-")
        if number == name or not number.isdecimal():
            return False
        found = next((one for one in self.desk.notices if one.number == int(number)), None)
        self.change(notices=tuple(one for one in self.desk.notices if one is not found))
        if what != "dismiss" and found and found.app in self.world.apps:
            self.open_app(str(found.app))
        return True


def in_force(world: World, rules: Sequence[Rule], kind: type[E]) -> list[tuple[ArmedRule, E]]:
    """The rules of a kind that wait, in the order in which they came."""
    desk = world.desk
    waiting = (armed for armed in desk.armed if armed.until is None or armed.until > desk.clock)
    return [(armed, effect) for armed in waiting if isinstance(effect := rules[armed.rule].effect, kind)]


def spend(world: World, used: ArmedRule) -> World:
    """One use less; a rule with none left is disarmed."""
    less = (a.replace(left=a.left - 1) if a == used else a for a in world.desk.armed)
    return world.with_desk(armed=tuple(a for a in less if a.left > 0))


def sign_in(rule: int, expire: Expire, wrong: bool = False) -> sim.Dialog:
    """The dialog that asks for the password; its key names the rule."""
    ways = ("Sign in",) if expire.app is None else ("Sign in", f"Close {APPS[expire.app].title}")
    return sim.Dialog(
        key=f"expire-{rule}",
        title=expire.title,
        text="That is not the right password." if wrong else expire.text,
        fields=(sim.DialogField(key="password", label="Password", private=True),),
        buttons=ways,
        default="Sign in",
        kind="account",
    )
