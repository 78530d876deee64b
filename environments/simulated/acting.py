"""An action as a function: a world and an action in, the next world and a result out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from environments.simulated import keyboard
from environments.simulated.aimed import as_seen, pinned, renumbered
from environments.simulated.app import AnyApp, AppState, Passed
from environments.simulated.apps import APPS, nearest_app
from environments.simulated.events import Rule
from environments.simulated.file_changes import change_files
from environments.simulated.floating import rested
from environments.simulated.following import follow, settled
from environments.simulated.going import go
from environments.simulated.mishaps import spend
from environments.simulated.pointer import choose, click, drag, find, raised, scroll, usable
from environments.simulated.previewing import PassedOn
from environments.simulated.seats import passed, waited
from environments.simulated.seen import Shown
from environments.simulated.skills import Declined, Done, ask, call
from environments.simulated.touch import finger, gesture
from environments.simulated.turn import Failed, Refused, Turn
from environments.simulated.world import World
from protocol import (
    Action,
    ActionResult,
    AskInAppAgent,
    CallApi,
    Click,
    Drag,
    ExecStatus,
    Extension,
    Fill,
    GoBack,
    GoForward,
    Hover,
    LaunchApp,
    Navigate,
    Point,
    PressKey,
    Resolved,
    Screenshot,
    Scroll,
    SelectOption,
    SwitchWindow,
    Tabs,
    Type,
    Wait,
)

SECONDS_PER_ACTION = 0.5
_PERFORMED = (
    AskInAppAgent, CallApi, Click, Drag, Extension, Fill, GoBack, GoForward, Hover, LaunchApp, Navigate, PressKey, Screenshot,
    Scroll, SelectOption, SwitchWindow, Tabs, Type, Wait,
)  # fmt: skip


class Crashed(Exception):
    """A rule breaks the environment: nothing was performed. `world` only counts the crash."""

    def __init__(self, message: str, world: World) -> None:
        super().__init__(message)
        self.world = world


class Step(NamedTuple):
    """What an action leaves behind."""

    world: World
    result: ActionResult
    done: World
    """Where the action itself ended: before time went on, and before the world's own rules."""
    passed_on: tuple[PassedOn, ...] = ()


def step(world: World, action: Action, rules: Sequence[Rule]) -> Step:
    """Do one action. Raises Crashed when a rule says so; everything else is a result."""
    for armed in world.desk.armed:
        if crash := rules[armed.rule].crash:
            raise Crashed(crash.message, spend(world, armed))
    started = _ticked(world, action)
    turn = Turn(started, rules)
    resolved: Resolved | None = None
    moved = renumbered(world, started)
    meant = pinned(world, action) if moved else action
    try:
        resolved = None if gesture(turn, meant) else _act(turn, meant)
        if resolved and moved:
            resolved = as_seen(world, started, resolved, action.target)
        result = ActionResult(exec_status=ExecStatus.EXECUTED, output=turn.output, resolved=resolved)
        if turn.late:
            error, status = turn.late
            result = ActionResult(exec_status=status, error=error, resolved=resolved)
    except Refused as no:
        turn = Turn(started, rules)
        result = ActionResult(exec_status=ExecStatus.ERROR, error=str(no))
    except Failed as fault:
        turn = Turn(fault.world, rules)
        result = ActionResult(exec_status=fault.status, error=str(fault))
    done, passed_on = turn.world, tuple(PassedOn(*one) for one in turn.passed_on)
    pass_time(turn)
    follow(turn)
    return Step(settled(world, turn.world), result, done, passed_on)


def pass_time(turn: Turn) -> None:
    """Tell the apps that are timed how late it is; after the action, which was meant for the screen as it was before."""
    for app in turn.world.apps:
        if APPS[app].timed:
            turn.tell(app, Passed(turn.desk.clock, turn.desk.starts))


def _ticked(world: World, action: Action) -> World:
    """The clock goes on, whatever comes of the action; what has run out by then is gone."""
    desk = world.desk
    took = waited(desk, action.seconds) if isinstance(action, Wait) else SECONDS_PER_ACTION
    time = passed(desk, took + (action.delay or 0.0))
    clock = time["clock"]
    return world.with_desk(
        **time,
        actions=desk.actions + 1,
        messages=tuple(m for m in desk.messages if m.until > clock),
        loading={app: until for app, until in desk.loading.items() if until > clock},
    )


def _performable(action: Action) -> None:
    if action.inner:
        raise Refused(f"{action.verb} changes the crew's own state and is not for the desktop")
    if not isinstance(action, _PERFORMED):
        raise Refused(f"this desktop cannot {action.verb.replace('_', ' ')}")


def _act(turn: Turn, action: Action) -> Resolved | None:
    _performable(action)
    match action:
        case LaunchApp(app=app):
            _launch(turn, app)
            return None
        case SwitchWindow(window=window):
            _switch(turn, window)
            return None
        case CallApi(app=app, function=function, arguments=arguments):
            _skill(turn, app, lambda found, state: call(found, state, function, arguments))
            return None
        case AskInAppAgent(app=app, request=request):
            _skill(turn, app, lambda found, state: ask(found, state, request))
            return None
        case Navigate() | GoBack() | GoForward() | Tabs():
            go(turn, action)
            return None
        case Extension():
            change_files(turn, action)
            return None
        case Wait() | Screenshot():
            return None
        case Type() | PressKey() if action.target is None:
            _by_keyboard(turn, action)
            return None
        case Scroll() if action.target is None:
            scroll(turn, action)
            return None
        case _:
            return _on_target(turn, action)


def _skill(turn: Turn, wanted: str, use: Callable[[AnyApp, AppState], Done[Any]]) -> None:
    """Functions and agents work without a window, and whatever dialog is open."""
    app, hint = nearest_app(wanted, turn.world.apps)
    if app is None:
        raise Refused(f"there is no app {wanted!r}; {hint}")
    if turn.desk.busy(app):
        raise Refused(f"{APPS[app].title} is loading; wait")
    try:
        turn.use(app, use(APPS[app], turn.state_of(app)))
    except Declined as no:
        raise Refused(str(no)) from None


def _on_target(turn: Turn, action: Action) -> Resolved:
    if action.target is None:
        raise Refused(f"{action.verb} needs a target")
    shown, resolved = find(turn, action.target)
    usable(turn, shown)
    turn.fault(shown)
    if not isinstance(action, Hover | Scroll):
        shown = raised(turn, shown)
    if not finger(turn, shown, action, resolved.point):
        _at(turn, shown, action, resolved.point)
    return resolved


def _at(turn: Turn, shown: Shown, action: Action, point: Point | None) -> None:
    """By pointer, or by keyboard on what then has the focus."""
    match action:
        case Click():
            click(turn, shown, action, point)
        case Hover():
            rested(turn, shown)
        case Fill(text=text, submit=submit):
            keyboard.fill(turn, shown, text, submit)
        case SelectOption(options=options):
            choose(turn, shown, options)
        case Drag(to=to):
            drag(turn, shown, to)
        case Type() | PressKey():
            keyboard.take_focus(turn, shown)
            _by_keyboard(turn, action)
        case Scroll():
            scroll(turn, action)


def _by_keyboard(turn: Turn, action: Type | PressKey) -> None:
    if isinstance(action, PressKey):
        keyboard.press(turn, action.keys)
        return
    keyboard.write(turn, action.text)
    if action.submit:
        keyboard.press(turn, ("Enter",))


def _launch(turn: Turn, wanted: str) -> None:
    _no_dialog(turn)
    app, hint = nearest_app(wanted, turn.world.apps)
    if app is None:
        raise Refused(f"there is no app {wanted!r}; {hint}")
    turn.open_app(app)


def _switch(turn: Turn, wanted: str) -> None:
    _no_dialog(turn)
    opened = {win.window_id: win.app for win in turn.desk.windows}
    app = opened.get(wanted) or nearest_app(wanted, list(opened.values()))[0]
    if app is None:
        names = ", ".join(sorted(opened.values())) or "none"
        raise Refused(f"there is no window {wanted!r}; open windows are: {names}")
    turn.open_app(app)


def _no_dialog(turn: Turn) -> None:
    if turn.desk.dialogs:
        raise Refused(f'a dialog "{turn.desk.dialogs[-1].title}" is open; answer it first')
