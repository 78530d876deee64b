"""What fingers do on a phone: tap, long press, swipe, and the gestures for back, home and the app before.

A tap is a click, and what else a click means there is the pointer's. Neither a right button nor hovering exists here.
"""

from __future__ import annotations

from typing import Literal

from environments.simulated.app import Swiped
from environments.simulated.apps.browser_state import BrowserState
from environments.simulated.floating import around, asked
from environments.simulated.going import go
from environments.simulated.pointer import LONG_PRESS, find, only_a_place, scroll
from environments.simulated.seen import Shown
from environments.simulated.turn import Refused, Turn
from environments.simulated.widgets import TEXTS
from protocol import Action, Click, Drag, GoBack, Hover, Point, PressKey, Scroll
from protocol.verbs import Delta

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
            _switch(turn)
        case Drag() if (start := _bare(turn, action)) is not None:
            _swipe(turn, None, start, action)
        case _:
            return False
    return True


def finger(turn: Turn, shown: Shown, action: Action, at: Point | None) -> bool:
    """Whether the action on this thing is another one for a finger than for a pointer: then it was done."""
    if turn.desk.form != "phone":
        return False
    if isinstance(action, Click) and action.hold >= LONG_PRESS:
        _long_press(turn, shown)
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
    _no_dialog(turn)
    turn.move_focus("")
    turn.change(windows=tuple(win.model_copy(update={"minimized": True}) for win in turn.desk.windows))


def _switch(turn: Turn) -> None:
    _no_dialog(turn)
    others = [win.app for win in turn.desk.windows if win.app != turn.desk.front]
    if not others:
        raise Refused("no other app is open; go home and tap one")
    turn.open_app(others[-1])


def _no_dialog(turn: Turn) -> None:
    if turn.desk.dialogs:
        raise Refused(f'a dialog "{turn.desk.dialogs[-1].title}" is open; answer it first')


def _bare(turn: Turn, action: Drag) -> Point | None:
    """Where a finger starts on nothing at all, which still scrolls."""
    place = only_a_place(action.target, turn.desk.size) if action.target else None
    return place if place is not None and not turn.desk.dialogs and not turn.screen.under(*place) else None


def _long_press(turn: Turn, shown: Shown) -> None:
    """The menu of the thing, or its text selected."""
    if asked(turn, shown):
        return
    if shown.widget.role in TEXTS:
        value = shown.widget.value or ""
        turn.move_focus(str(shown.element.track_id), caret=len(value), anchor=0 if value else None)
    else:
        turn.move_focus("")
        turn.change(selection=shown.widget.text or "")


def _carries(turn: Turn, shown: Shown, action: Drag) -> bool:
    """Whether the finger moves a thing or a handle instead of swiping."""
    if shown.widget.role == "slider":
        return True
    if around(shown, "drag") is None or only_a_place(action.to, turn.desk.size) is not None:
        return False
    return around(find(turn, action.to)[0], "drop") is not None


def _swipe(turn: Turn, shown: Shown | None, start: Point, action: Drag) -> None:
    """To the side it is for the thing below the finger; up and down it scrolls, the other way round.

    Where everything stands at the other side, an app hears of the other direction: its rows are swiped away from their start.
    """
    end = only_a_place(action.to, turn.desk.size) or find(turn, action.to)[1].point
    if end is None:
        raise Refused(f"it cannot be told where {action.to.describe()} is; swipe to a point")
    across, down = end.x - start.x, end.y - start.y
    if max(abs(across), abs(down)) < LEAST:
        raise Refused(f"a swipe goes at least {LEAST} pixels; click to tap")
    if abs(down) >= abs(across):
        scroll(turn, Scroll(target=action.target if shown is not None else None, delta=Delta(y=-down), unit="px"))
        return
    mirrored = turn.desk.variation.layout == "mirrored"
    direction: Literal["left", "right"] = "left" if (across < 0) is not mirrored else "right"
    thing = around(shown, "swipes")
    if thing is None or thing.element.app is None:
        raise Refused(f"nothing there can be swiped to the {direction}; swipe up or down to scroll")
    turn.fault(thing)
    turn.tell(thing.element.app, Swiped(thing.widget.key, direction))
