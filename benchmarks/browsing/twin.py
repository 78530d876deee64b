"""A world twice: in this process, and served to a real browser in which every action is done once more by hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from time import monotonic, sleep
from typing import Any, TypeVar

import httpx

import protocol as p
from environments.browser import BrowserEnvironment
from environments.contract import EnvironmentFault
from environments.effects import Change
from environments.served.server import served
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop

T = TypeVar("T")
PATIENCE = 5.0
"""Seconds within which the page and its server must have come to what the world in this process has come to at once."""
_NOT_BY_HAND = (p.CallApi, p.AskInAppAgent, p.Wait, p.Screenshot, p.Navigate, p.GoBack, p.GoForward, p.Tabs)
"""What no hand does on a page: functions and agents of apps, waiting, which moves the clock of the world alone, and the verbs of
a browser, which in Chromium would leave the page and not turn those of the world's own browser."""
_keys = count(1)


class Twin:
    """Performs each action in process, and then on the same thing in Chromium. Raises EnvironmentFault where that fails.

    The desktop in this process is the one that answers; `unlike` says where the other one is not the same.
    """

    def __init__(self, make: Callable[[], SimulatedDesktop], browser: BrowserEnvironment) -> None:
        self.desktop = make()
        self.browser = browser
        self.name = f"twin:{self.desktop.name}"
        self._open = ExitStack()
        address = self._open.enter_context(served(Session(make())))
        bearer = {"Authorization": f"Bearer {address.token}"}
        self._http = self._open.enter_context(httpx.Client(base_url=address.base, headers=bearer, trust_env=False, timeout=30))
        self._by_hand(p.Navigate(url=address.url))

    def reset(self, *, seed: int | None = None) -> p.VisualState:
        self._ask("/reset", {"seed": seed})
        return self.desktop.reset(seed=seed)

    def observe(self) -> p.VisualState:
        return self.desktop.observe()

    def perform(self, action: p.Action, *, key: str) -> p.ActionResult:
        before = self.desktop.observe()
        scrolled = self._scroll()
        result = self.desktop.perform(action, key=key)
        if not result.ok or isinstance(action, _NOT_BY_HAND) or _a_phones_key(action):
            self._ask("/actions", action.dump())
        elif isinstance(action, p.Scroll):
            self._wheel({app: to - scrolled.get(app, 0) for app, to in self._scroll().items() if to != scrolled.get(app, 0)})
        else:
            for one in _by_line(self._on_page(action, before, result)):
                self._by_hand(one)
        return result

    def preview(self, action: p.Action) -> Sequence[Change] | None:
        return self.desktop.preview(action)

    def unlike(self) -> dict[str, tuple[str, str]]:
        """The apps whose state is not the same on both sides, with both hashes; the desk holds carets and clocks."""
        mine = {app: value for app, value in self.desktop.hashes().items() if app != "desk"}

        def equal() -> dict[str, str] | None:
            other = self._hashes()
            return other if all(other.get(app) == value for app, value in mine.items()) else None

        if _within(PATIENCE, equal) is not None:
            return {}
        other = self._hashes()
        return {app: (value, other.get(app, "")) for app, value in mine.items() if other.get(app) != value}

    def world(self) -> dict[str, Any]:
        return self.desktop.world()

    def received(self) -> list[dict[str, Any]]:
        return self.desktop.received()

    def close(self) -> None:
        self._open.close()
        self.desktop.close()

    def _scroll(self) -> dict[str, int]:
        return dict(self.desktop.snapshot().world.desk.scroll)

    def _on_page(self, action: p.Action, before: p.VisualState, result: p.ActionResult) -> p.Action:
        """The action on the page's own elements."""
        if isinstance(action, p.LaunchApp | p.SwitchWindow):
            return p.Click(target=p.ActionTarget(element_id=self._seen(lambda e: e.name == f"Open {self._front()}").element_id))
        changes: dict[str, object] = {}
        if result.resolved is not None:
            changes["target"] = self._same(before.by_id[result.resolved.element_id])
        if isinstance(action, p.Drag):
            changes["to"] = self._same(before.by_id[p.resolve(action.to, before).element_id])
        return action.model_copy(update=changes)

    def _same(self, element: p.GUIElement) -> p.ActionTarget:
        found = self._seen(lambda e: dom_id(e) == element.track_id)
        return p.ActionTarget(element_id=found.element_id)

    def _front(self) -> str:
        """The title of the app that an action brought to the front."""
        return next(window.title for window in self.desktop.observe().windows if window.focused)

    def _seen(self, fits: Callable[[p.GUIElement], bool]) -> p.GUIElement:
        """The element of the page, once it is there."""

        def look() -> p.GUIElement | None:
            return next((e for e in self.browser.observe().elements if fits(e)), None)

        found = _within(PATIENCE, look)
        if found is None:
            raise EnvironmentFault("the page does not show what the world in this process shows")
        return found

    def _wheel(self, by: dict[str, int]) -> None:
        for pixels in by.values():
            self._by_hand(p.Scroll.toward("down" if pixels > 0 else "up", abs(pixels), "px"))

    def _by_hand(self, action: p.Action) -> None:
        result = self.browser.perform(action, key=f"twin/{next(_keys)}")
        if not result.ok:
            raise EnvironmentFault(f"in the browser, {action.verb}: {result.error}")

    def _ask(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """What the server answers, asked as a program that has the token."""
        answer = self._http.request("GET" if body is None else "POST", path, json=body)
        if answer.is_error:
            raise EnvironmentFault(f"the server answered {answer.status_code} to {path}: {answer.text[:1000].strip()}")
        return answer.json()

    def _hashes(self) -> dict[str, str]:
        found: dict[str, str] = self._ask("/hashes")
        return found


def _a_phones_key(action: p.Action) -> bool:
    """Back, home and the list of apps are keys of a phone, which a browser's keyboard does not have."""
    return isinstance(action, p.PressKey) and action.keys[-1] in {"GoBack", "GoHome", "AppSwitch"}


def _by_line(action: p.Action) -> Iterator[p.Action]:
    """In a field of one line a line break is the Enter key, which a browser wants to be told."""
    if not isinstance(action, p.Type) or "\n" not in action.text:
        yield action
        return
    first, *others = action.text.split("\n")
    yield action.model_copy(update={"text": first, "submit": False})
    for part in others:
        yield p.PressKey(keys=("Enter",))
        if part:
            yield p.Type(text=part)
    if action.submit:
        yield p.PressKey(keys=("Enter",))


def dom_id(element: p.GUIElement) -> str:
    """The id that a page gives an element: on a served page, the track id of what it shows."""
    return (element.tag or "").partition("#")[2]


def _within(seconds: float, ask: Callable[[], T | None]) -> T | None:
    """The first answer that is one, asked for again and again."""
    end = monotonic() + seconds
    while (found := ask()) is None and monotonic() < end:
        sleep(0.05)
    return found
