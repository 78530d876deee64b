"""A world in Chromium is the same world."""

import os
from itertools import count
from time import monotonic

import pytest
from browsing.twin import Twin, dom_id
from support import sampled
from waiting import DEADLINE

from environments.browser import BrowserEnvironment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import screen_of
from environments.simulated.world.worldfile import load_world
from orchestrator.settings.layers import shipped_names
from orchestrator.tasks.judge import play, task_environment
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import ActionTarget, Click, Fill, GUIElement, LaunchApp, Navigate, Type

SEEN = frozenset({
    "button", "link", "tab", "textbox", "combobox", "checkbox", "switch", "slider", "spinbutton", "menuitem", "option",
    "treeitem", "row", "heading", "text", "alert", "status", "cell", "columnheader", "rowheader", "gridcell", "dialog",
})  # fmt: skip
ALIKE = ("enabled", "visible", "focused", "selected", "required", "invalid", "private", "actuator")
"""What must be the same besides role, name and value."""
WORLDS = ("company", "phone", "reception-desk", "smart-home", "office-interrupted")
"""Of every type, with every app; all of them where DESKCREW_EVERY_CASE is set."""
_LONGEST = 300
_keys = count()


def seen(element: GUIElement) -> dict[str, object]:
    """What must be the same, whatever it was read from."""
    named = {"role": element.role, "name": _plain(element.text), "value": _plain(element.value)}
    return named | {name: getattr(element, name) for name in ALIKE}


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


def looked_at_while_done(place, browser: BrowserEnvironment, *actions) -> None:
    """The page is opened, and compared after that and after each action of somebody who works it as a crew does."""
    for action in (Navigate(url=place.address.url), *actions):
        result = browser.perform(action, key=f"same/{next(_keys)}")
        assert result.ok, result.error
        assert differences(place.session.desktop, browser) == {}, action


def press(text: str) -> Click:
    return Click(target=ActionTarget(text=text))


@pytest.mark.parametrize("name", shipped_names("worlds") if os.environ.get("DESKCREW_EVERY_CASE") else WORLDS)
def test_the_first_screen_of_every_world_and_of_every_app_in_it(serve, browser, name) -> None:
    place = serve(name)
    desktop = place.session.desktop
    shut = desktop.snapshot().world.desk.dialogs
    looked_at_while_done(place, browser, *(press(f"Open {app.title}") for app in (() if shut else desktop.apps())))


@pytest.mark.parametrize(
    ("keys", "actions"),
    [
        ("open: [reimbursement]", (Fill(target=ActionTarget(text="Amount"), text="a lot"),
         Type(target=ActionTarget(text="Description"), text="two\nlines"), press("Submit"),
         Fill(target=ActionTarget(text="Amount"), text="12.50"), press("Open Notes"), press("New note"))),
        ("open: [billing, notes, mail]\narrange: side_by_side", (press("Open Notes"),)),
        ("open: [billing, notes, mail]\narrange: cascade", (press("Open Notes"),)),
        ("open: [reimbursement]\nvariation: {names: near, language: zh}", ()),
        ("open: [reimbursement]\nvariation: {language: de, layout: wide}", ()),
        ("open: [reimbursement]\nvariation: {layout: mirrored, density: compact, theme: dark}", ()),
    ],
    ids=["errors, focus and a form", "side by side", "behind each other", "names", "language", "layout"],
)  # fmt: skip
def test_windows_forms_and_variations_look_the_same_to_a_browser(serve, browser, keys, actions) -> None:
    place = serve(f"apps: {{billing: {{open: any}}, notes: {{}}, mail: {{}}, reimbursement: {{required: [amount]}}}}\n{keys}")
    looked_at_while_done(place, browser, *actions)


# --- an oracle played in process and by hand in Chromium comes to the same state in every app


SAMPLE = (
    "invoice-to-reimbursement", "claim-with-details", "reply-to-a-mail", "total-into-a-note", "stuck-button",
    "changed-behind-the-back", "mail-the-total", "due-date-into-a-file",
)  # fmt: skip
"""Chosen for the controls that they use, of which each second is played here; scripts/parity.py plays every task."""


@pytest.mark.parametrize("name", sampled(SAMPLE, 2))
def test_an_oracle_comes_to_the_same_both_ways(browser: BrowserEnvironment, name: str) -> None:
    task = resolve_target(name)
    assert isinstance(task, Task)
    assert task.oracle

    def make() -> SimulatedDesktop:
        surface = task_environment(task, 3)
        assert isinstance(surface, SimulatedDesktop)
        return surface

    twin = Twin(make, browser)
    try:
        played = play(task, 3, twin)
        assert played.problem == ""
        assert played.verdict.passed
        assert twin.unlike() == {}
    finally:
        twin.close()


def test_what_is_done_on_one_side_only_is_found(browser: BrowserEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("browsing.twin.PATIENCE", 0.3)
    twin = Twin(lambda: SimulatedDesktop(load_world("office")), browser)
    try:
        twin.perform(LaunchApp(app="reimbursement"), key="1")
        assert twin.unlike() == {}
        twin.desktop.perform(Fill(target=ActionTarget(text="Amount"), text="1.00"), key="2")
        assert set(twin.unlike()) == {"reimbursement"}
        refused = twin.perform(Click(target=ActionTarget(text="No such button")), key="3")
        assert not refused.ok
    finally:
        twin.close()
