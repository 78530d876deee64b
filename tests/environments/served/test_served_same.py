"""A browser on a served world sees the same elements as the world in this process, app by app."""

from __future__ import annotations

import os
from itertools import count
from time import monotonic

import pytest
from waiting import DEADLINE
from worlds.twin import dom_id

from environments.browser import BrowserEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import screen_of
from orchestrator.settings.layers import shipped_names
from protocol import ActionTarget, Click, Fill, GUIElement, Navigate, Type

SEEN = frozenset({
    "button", "link", "tab", "textbox", "combobox", "checkbox", "switch", "slider", "spinbutton", "menuitem", "option",
    "treeitem", "row", "heading", "text", "alert", "status", "cell", "columnheader", "rowheader", "gridcell", "dialog",
})  # fmt: skip
WORLDS = ("company", "phone", "reception-desk", "smart-home", "office-interrupted")
"""Of every type, with every app; all of them where DESKCREW_EVERY_CASE is set."""
_LONGEST = 300
_keys = count()


def seen(element: GUIElement) -> dict[str, object]:
    """What must be the same, whatever it was read from."""
    return {
        "role": element.role,
        "name": _plain(element.text),
        "value": _plain(element.value),
        "enabled": element.enabled,
        "visible": element.visible,
        "focused": element.focused,
        "selected": element.selected,
        "required": element.required,
        "invalid": element.invalid,
        "private": element.private,
        "actuator": element.actuator,
    }


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())[:_LONGEST].strip()


def wanted(shown: ShownElement, top: int) -> dict[str, object]:
    """As `seen`, but for a name that is only made of a class or of what is inside, and for what a part may stick out of."""
    inside = bool(shown.widget.children) and not shown.element.text
    loose = {"name"} if inside or shown.element.name_source == "class" else set()
    # Under a dialog nothing can be reached, on either side, and only a browser says of it what the dialog covers.
    loose |= {"visible"} if shown.covered or shown.layer < top else set()
    return {key: value for key, value in seen(shown.element).items() if key not in loose}


def elements(desktop: SimulatedDesktop) -> dict[str, dict[str, object]]:
    """By track id; an empty cell that nothing can be done with is nothing to see."""
    screen = screen_of(desktop.snapshot().world)
    return {
        str(s.element.track_id): wanted(s, screen.top)
        for s in screen.order
        if s.element.role in SEEN and not (s.element.role == "cell" and not _plain(s.element.text))
    }


def same(own: dict[str, object], shown: GUIElement | None) -> bool:
    """A control of which less than half is in view is out of view to the world, and a browser sees the rest of it."""
    if shown is None or shown.bbox is None:
        return False
    there = seen(shown)
    if not own.get("visible", True) and shown.bbox.y2 - shown.bbox.y1 <= 16:
        own = own | {"visible": there["visible"]}
    return own.items() <= there.items()


def differences(desktop: SimulatedDesktop, browser: BrowserEnvironment) -> dict[str, object]:
    """Empty as soon as the page shows what the world holds; what is still being written gets there after a moment."""
    end = monotonic() + DEADLINE
    while True:
        world = elements(desktop)
        assert len(world) > 3
        page = {dom_id(e): e for e in browser.observe().elements if dom_id(e)}
        unlike = {track: (own, page.get(track)) for track, own in world.items() if not same(own, page.get(track))}
        if not unlike or monotonic() > end:
            return unlike


class Driver:
    """Somebody who works the page as a crew does."""

    def __init__(self, browser: BrowserEnvironment) -> None:
        self.browser = browser

    def does(self, action) -> None:
        result = self.browser.perform(action, key=f"same/{next(_keys)}")
        assert result.ok, result.error

    def clicks(self, text: str) -> None:
        self.does(Click(target=ActionTarget(text=text)))


@pytest.mark.parametrize("name", shipped_names("worlds") if os.environ.get("DESKCREW_EVERY_CASE") else WORLDS)
def test_the_first_screen_of_every_world_and_of_every_app_in_it(serve, browser, name) -> None:
    place, driver = serve(name), Driver(browser)
    driver.does(Navigate(url=place.address.url))
    assert differences(place.session.desktop, browser) == {}
    for app in place.session.desktop.apps():
        if not place.session.desktop.snapshot().world.desk.dialogs:
            driver.clicks(f"Open {app.title}")
            assert differences(place.session.desktop, browser) == {}, app.app


def test_after_actions_with_errors_focus_and_a_dialog(serve, browser) -> None:
    place, driver = serve(), Driver(browser)
    driver.does(Navigate(url=place.address.url))
    for action in (
        Fill(target=ActionTarget(text="Amount"), text="a lot"),
        Type(target=ActionTarget(text="Description"), text="two\nlines"),
        Click(target=ActionTarget(text="Submit")),
        Fill(target=ActionTarget(text="Amount"), text="12.50"),
    ):
        driver.does(action)
        assert differences(place.session.desktop, browser) == {}
    driver.clicks("Open Notes")
    driver.clicks("New note")
    assert differences(place.session.desktop, browser) == {}


@pytest.mark.parametrize("arrange", ["side_by_side", "cascade"])
def test_windows_beside_and_behind_each_other(serve, browser, arrange) -> None:
    place = serve(f"""
        apps: {{billing: {{open: any}}, notes: {{}}, mail: {{}}, reimbursement: {{}}}}
        arrange: {arrange}
        open: [billing, notes, mail]
    """)
    driver = Driver(browser)
    driver.does(Navigate(url=place.address.url))
    assert differences(place.session.desktop, browser) == {}
    driver.clicks("Open Notes")
    assert differences(place.session.desktop, browser) == {}


@pytest.mark.parametrize(
    "axes", ["names: near, language: zh", "language: de, layout: wide", "layout: mirrored, density: compact, theme: dark"]
)
def test_variations_look_the_same_to_a_browser(serve, browser, axes) -> None:
    place = serve(f"""
        apps: {{reimbursement: {{required: [amount]}}, mail: {{}}}}
        open: [reimbursement]
        variation: {{{axes}}}
    """)
    Driver(browser).does(Navigate(url=place.address.url))
    assert differences(place.session.desktop, browser) == {}
