"""An action as a function: a world and an action in, the next world and a result out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from environments.simulated.app import AnyApp, AppState, Arrived, FunctionDeclined, FunctionResult, Passed, Swiped, ask, call
from environments.simulated.apps import APPS, nearest_app, timed
from environments.simulated.apps.web.browser.state import MOST_TABS, BrowserState
from environments.simulated.input import keyboard, pointer
from environments.simulated.preview import ForwardedEvent
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import Screen, screen_of
from environments.simulated.screen.widgets import TEXTS
from environments.simulated.turn.advance import follow, run_out, settled
from environments.simulated.turn.events import Rule
from environments.simulated.turn.turn import Failed, Refused, Turn, spend
from environments.simulated.world.file_changes import change_files
from environments.simulated.world.world import World
from protocol import (
    Action,
    ActionResult,
    ActionTarget,
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
from protocol.model.verbs import Delta

Going: TypeAlias = Navigate | GoBack | GoForward | Tabs
_BROWSER = "browser"


def go(turn: Turn, action: Going) -> None:
    """Do it in the browser, which comes to the front. Raises Refused where the world has none, or nothing to go to."""
    state = turn.world.apps.get(_BROWSER)
    if not isinstance(state, BrowserState):
        raise Refused(f"this desktop cannot {action.verb.replace('_', ' ')}; it has no browser")
    turn.need_no_dialog()
    if turn.desk.busy(_BROWSER):
        raise Refused(f"{APPS[_BROWSER].title} is loading; wait")
    event = _event(turn, state, action)
    if turn.desk.front != _BROWSER:
        turn.open_app(_BROWSER)
    if event is not None:
        turn.move_focus("")
        turn.tell(_BROWSER, event)


def _event(turn: Turn, state: BrowserState, action: Going) -> Arrived | None:
    """What the browser is told; None where it is only asked."""
    if not isinstance(action, Navigate) and all(win.app != _BROWSER for win in turn.desk.windows):
        raise Refused("the browser is not open; navigate to an address first")
    match action:
        case Navigate(url=url):
            return Arrived("navigate", {"url": url})
        case GoBack():
            if state.tab.at == 0:
                raise Refused("there is no page to go back to in this tab")
            return Arrived("back", {})
        case GoForward():
            if state.tab.at + 1 == len(state.tab.trail):
                raise Refused("there is no page to go forward to in this tab")
            return Arrived("forward", {})
        case _:
            return _of_tabs(turn, state, action)


def _of_tabs(turn: Turn, state: BrowserState, action: Tabs) -> Arrived | None:
    names = list(state.tabs)
    if action.op == "list":
        listed = [
            {"index": at, "title": state.place_at(tab.address).title, "url": tab.address, "current": name == state.current}
            for at, (name, tab) in enumerate(state.tabs.items())
        ]
        turn.output = json.dumps(listed, ensure_ascii=False)
        return None
    if action.op == "new":
        if len(names) >= MOST_TABS:
            raise Refused(f"there are {MOST_TABS} tabs already; close one first")
        return Arrived("new-tab", {"url": action.url or ""})
    at = names.index(state.current) if action.index is None else action.index
    if at >= len(names):
        raise Refused(f"there is no tab {at}; tabs are counted from 0, and there are {len(names)}")
    return Arrived("close-tab" if action.op == "close" else "choose-tab", {"tab": names[at]})


def retargeted(action: Action, meant: Callable[[ActionTarget], ActionTarget]) -> Action:
    """The same action with what each of its targets comes to."""
    changes: dict[str, ActionTarget] = {}
    if action.target is not None:
        changes["target"] = meant(action.target)
    if isinstance(action, Drag):
        changes["to"] = meant(action.to)
    return action.model_copy(update=changes) if changes else action


def pinned(screen: Screen, target: ActionTarget) -> ActionTarget:
    """The same target by track id in place of its element id: a track id names a thing on any screen."""
    of_another = target.state_id is not None and target.state_id != screen.state.state_id
    if target.track_id or not target.element_id or of_another or target.element_id not in screen.state.by_id:
        return target
    track = screen.at(target.element_id).element.track_id
    return target.model_copy(update={"track_id": track, "element_id": None})


def as_seen(before: World, after: World, resolved: Resolved, target: ActionTarget | None) -> Resolved:
    """What was found for `target`, by the number that it had on the screen before; unchanged where it was not there yet."""
    if not resolved.element_id or resolved.element_id not in screen_of(after).state.by_id:
        return resolved
    track = screen_of(after).at(resolved.element_id).element.track_id
    shown = screen_of(before).track(track) if track else None
    if shown is None:
        return resolved
    number = {"element_id": shown.element.element_id}
    tier = "element_id" if target is not None and target.element_id and not target.track_id else resolved.tier
    return resolved.model_copy(
        update={**number, "tier": tier, "known": resolved.known and resolved.known.model_copy(update=number)}
    )


LEAST = 24
"""Pixels: a finger that goes less far taps."""
_BACK, _HOME, _SWITCH = frozenset({"GoBack", "BrowserBack"}), "GoHome", "AppSwitch"


def gesture(turn: Turn, action: Action) -> bool:
    """Whether the action was a gesture that is the phone's own. Raises Refused for what fingers cannot do."""
    if turn.desk.form != "phone":
        return False
    match action:
        case Hover():
            raise Refused("a phone has no pointer that hovers; tap instead, or press long: click with hold 0.5 or more")
        case Click(button=button) if button != "left":
            raise Refused(f"a phone has no {button} button; press long instead: click with hold 0.5 or more")
        case GoBack():
            back(turn)
        case PressKey(keys=(key,)) if key in _BACK:
            back(turn)
        case PressKey(keys=(key,)) if key == _HOME:
            home(turn)
        case PressKey(keys=(key,)) if key == _SWITCH:
            turn.need_no_dialog()
            others = [win.app for win in turn.desk.windows if win.app != turn.desk.front]
            if not others:
                raise Refused("no other app is open; go home and tap one")
            turn.open_app(others[-1])
        case Drag() if (start := _bare(turn, action)) is not None:
            _swipe(turn, None, start, action)
        case _:
            return False
    return True


def finger(turn: Turn, shown: ShownElement, action: Action, at: Point | None) -> bool:
    """Whether the action on this thing is another one for a finger than for a pointer: then it was done."""
    if turn.desk.form != "phone":
        return False
    if isinstance(action, Click) and action.hold >= pointer.LONG_PRESS:
        if pointer.asked(turn, shown):
            return True  # the menu of the thing, else its text is selected
        if shown.widget.role in TEXTS:
            value = shown.widget.value or ""
            turn.move_focus(str(shown.element.track_id), caret=len(value), anchor=0 if value else None)
        else:
            turn.move_focus("")
            turn.change(selection=shown.widget.text or "")
        return True
    if isinstance(action, Drag) and at is not None and not _carries(turn, shown, action):
        _swipe(turn, shown, at, action)
        return True
    return False


def back(turn: Turn) -> None:
    """Close what may be closed, else go to the page before, else to the home screen."""
    front = turn.desk.front
    if turn.desk.dialogs:
        dialog = turn.desk.dialogs[-1]
        if dialog.escape is None:
            raise Refused(f'going back does not close "{dialog.title}"; choose one of: {", ".join(dialog.buttons)}')
        turn.answer(dialog.buttons.index(dialog.escape))
        return
    state = turn.world.apps.get(front or "")
    if isinstance(state, BrowserState) and state.tab.at > 0:
        go(turn, GoBack())
        return
    way = next((s for s in turn.screen.order if s.widget.key == "back" and s.widget.press and s.element.app == front), None)
    if front is not None and way is not None and way.widget.enabled:
        turn.press(way)
    else:
        home(turn)


def home(turn: Turn) -> None:
    """The home screen, with every app put away as it is."""
    turn.need_no_dialog()
    turn.move_focus("")
    turn.change(windows=tuple(win.model_copy(update={"minimized": True}) for win in turn.desk.windows))


def _bare(turn: Turn, action: Drag) -> Point | None:
    """Where a finger starts on nothing at all, which still scrolls."""
    place = pointer.only_a_place(action.target, turn.desk.size) if action.target else None
    return place if place is not None and not turn.desk.dialogs and not turn.screen.under(*place) else None


def _carries(turn: Turn, shown: ShownElement, action: Drag) -> bool:
    """Whether the finger moves a thing or a handle instead of swiping."""
    if shown.widget.role == "slider":
        return True
    if pointer.around(shown, "drag") is None or pointer.only_a_place(action.to, turn.desk.size) is not None:
        return False
    return pointer.around(pointer.find(turn, action.to)[0], "drop") is not None


def _swipe(turn: Turn, shown: ShownElement | None, start: Point, action: Drag) -> None:
    """To the side it is for the thing below the finger; up and down it scrolls, the other way round.

    Where everything stands at the other side, an app hears of the other direction: its rows are swiped away from their start.
    """
    end = pointer.only_a_place(action.to, turn.desk.size) or pointer.find(turn, action.to)[1].point
    if end is None:
        raise Refused(f"it is not known where {action.to.describe()} is; swipe to a point")
    across, down = end.x - start.x, end.y - start.y
    if max(abs(across), abs(down)) < LEAST:
        raise Refused(f"a swipe goes at least {LEAST} pixels; click to tap")
    if abs(down) >= abs(across):
        pointer.scroll(turn, Scroll(target=action.target if shown is not None else None, delta=Delta(y=-down), unit="px"))
        return
    mirrored = turn.desk.variation.layout == "mirrored"
    direction: Literal["left", "right"] = "left" if (across < 0) is not mirrored else "right"
    thing = pointer.around(shown, "swipes")
    if thing is None or thing.element.app is None:
        raise Refused(f"nothing there can be swiped to the {direction}; swipe up or down to scroll")
    turn.fault(thing)
    turn.tell(thing.element.app, Swiped(thing.widget.key, direction))


SECONDS_PER_ACTION = 0.5


class EnvironmentCrash(Exception):
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
    passed_on: tuple[ForwardedEvent, ...] = ()


def step(world: World, action: Action, rules: Sequence[Rule]) -> Step:
    """Do one action. Raises EnvironmentCrash when a rule says so; everything else is a result."""
    for armed in world.desk.armed:
        if crash := rules[armed.rule].crash:
            raise EnvironmentCrash(crash.message, spend(world, armed))
    # The clock goes on, whatever comes of the action; what has run out by then is gone
    desk = world.desk
    took = action.seconds if isinstance(action, Wait) else SECONDS_PER_ACTION
    clock = round(desk.clock + took + (action.delay or 0.0), 3)
    gone = run_out(desk, clock)
    started = world.with_desk(clock=clock, actions=desk.actions + 1, **gone)
    turn = Turn(started, rules)
    resolved: Resolved | None = None
    # what is gone may have moved element ids
    meant = retargeted(action, partial(pinned, screen_of(world))) if gone else action
    try:
        resolved = None if gesture(turn, meant) else _act(turn, meant)
        if resolved and gone:
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
    done, passed_on = turn.world, tuple(ForwardedEvent(*one) for one in turn.passed_on)
    pass_time(turn)
    follow(turn)
    return Step(settled(world, turn.world), result, done, passed_on)


def pass_time(turn: Turn) -> None:
    """Tell the apps that are timed how late it is; after the action, which was meant for the screen as it was before."""
    for app in timed((*turn.world.apps,)):
        turn.tell(app, Passed(turn.desk.clock, turn.desk.starts))


def _act(turn: Turn, action: Action) -> Resolved | None:
    match action:
        case LaunchApp(app=app):
            _launch(turn, app)
        case SwitchWindow(window=window):
            _switch(turn, window)
        case CallApi(app=app, function=function, arguments=arguments):
            _skill(turn, app, lambda found, state: call(found, state, function, arguments))
        case AskInAppAgent(app=app, request=request):
            _skill(turn, app, lambda found, state: ask(found, state, request))
        case Navigate() | GoBack() | GoForward() | Tabs():
            go(turn, action)
        case Extension():
            change_files(turn, action)
        case Wait() | Screenshot():
            pass
        case Type() | PressKey() if action.target is None:
            _by_keyboard(turn, action)
        case Scroll() if action.target is None:
            pointer.scroll(turn, action)
        case _:
            return _on_target(turn, action)
    return None


def _skill(turn: Turn, wanted: str, use: Callable[[AnyApp, AppState], FunctionResult[Any]]) -> None:
    """Functions and agents work without a window, and whatever dialog is open."""
    app, hint = nearest_app(wanted, turn.world.apps)
    if app is None:
        raise Refused(f"there is no app {wanted!r}; {hint}")
    if turn.desk.busy(app):
        raise Refused(f"{APPS[app].title} is loading; wait")
    try:
        turn.use(app, use(APPS[app], turn.state_of(app)))
    except FunctionDeclined as no:
        raise Refused(str(no)) from None


_TARGETED = (Click, Drag, Fill, Hover, PressKey, Scroll, SelectOption, Type)
_LOOKS = (Hover, Scroll)
"""Reach a window behind without bringing it to the front."""


def _on_target(turn: Turn, action: Action) -> Resolved:
    if action.inner:
        raise Refused(f"{action.verb} changes the crew's own state and is not for the desktop")
    if not isinstance(action, _TARGETED):
        raise Refused(f"this desktop cannot {action.verb.replace('_', ' ')}")
    if action.target is None:
        raise Refused(f"{action.verb} needs a target")
    shown, resolved = pointer.find(turn, action.target)
    pointer.usable(turn, shown)
    turn.fault(shown)
    if not isinstance(action, _LOOKS):
        shown = pointer.raised(turn, shown)
    if not finger(turn, shown, action, resolved.point):
        _at(turn, shown, action, resolved.point)
    return resolved


def _at(turn: Turn, shown: ShownElement, action: Action, point: Point | None) -> None:
    """By pointer, or by keyboard on what then has the focus."""
    match action:
        case Click():
            pointer.click(turn, shown, action, point)
        case Hover():
            pointer.rested(turn, shown)
        case Fill(text=text, submit=submit):
            keyboard.fill(turn, shown, text)
            if submit:
                keyboard.press(turn, ("Enter",))
        case SelectOption(options=options):
            pointer.select(turn, shown, *options)
        case Drag(to=to):
            pointer.drag(turn, shown, to)
        case Type() | PressKey():
            keyboard.take_focus(turn, shown)
            _by_keyboard(turn, action)
        case Scroll():
            pointer.scroll(turn, action)


def _by_keyboard(turn: Turn, action: Type | PressKey) -> None:
    if isinstance(action, PressKey):
        keyboard.press(turn, action.keys)
        return
    keyboard.write(turn, action.text)
    if action.submit:
        keyboard.press(turn, ("Enter",))


def _launch(turn: Turn, wanted: str) -> None:
    turn.need_no_dialog()
    app, hint = nearest_app(wanted, turn.world.apps)
    if app is None:
        raise Refused(f"there is no app {wanted!r}; {hint}")
    turn.open_app(app)


def _switch(turn: Turn, wanted: str) -> None:
    turn.need_no_dialog()
    opened = {win.window_id: win.app for win in turn.desk.windows}
    app = opened.get(wanted) or nearest_app(wanted, list(opened.values()))[0]
    if app is None:
        names = ", ".join(sorted(opened.values())) or "none"
        raise Refused(f"there is no window {wanted!r}; open windows are: {names}")
    turn.open_app(app)
