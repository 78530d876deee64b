"""Going from page to page without a pointer: addresses, back and forward, tabs. All of it is the browser's to do."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from environments.simulated.app import Arrived
from environments.simulated.apps import APPS
from environments.simulated.apps.web.browser.state import MOST_TABS, BrowserState, place_at
from environments.simulated.turn.turn import Refused, Turn
from protocol import GoBack, GoForward, Navigate, Tabs

Going: TypeAlias = Navigate | GoBack | GoForward | Tabs
_BROWSER = "browser"


def go(turn: Turn, action: Going) -> None:
    """Do it in the browser, which comes to the front. Raises Refused where the world has none, or nothing to go to."""
    state = turn.world.apps.get(_BROWSER)
    if not isinstance(state, BrowserState):
        raise Refused(f"this desktop cannot {action.verb.replace('_', ' ')}; it has no browser")
    if turn.desk.dialogs:
        raise Refused(f'a dialog "{turn.desk.dialogs[-1].title}" is open; answer it first')
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
        turn.output = json.dumps(_listed(state), ensure_ascii=False)
        return None
    if action.op == "new":
        if len(names) >= MOST_TABS:
            raise Refused(f"there are {MOST_TABS} tabs already; close one first")
        return Arrived("new-tab", {"url": action.url or ""})
    at = names.index(state.current) if action.index is None else action.index
    if at >= len(names):
        raise Refused(f"there is no tab {at}; tabs are counted from 0, and there are {len(names)}")
    return Arrived("close-tab" if action.op == "close" else "choose-tab", {"tab": names[at]})


def _listed(state: BrowserState) -> list[dict[str, Any]]:
    return [
        {"index": at, "title": place_at(state, tab.address).title, "url": tab.address, "current": name == state.current}
        for at, (name, tab) in enumerate(state.tabs.items())
    ]
