"""The apps of the simulated desktop. One of ours is a folder and a line in `APPS`; one of another package is an entry point."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from rapidfuzz import fuzz, process

from environments.simulated.app import AnyApp, App
from environments.simulated.apps.documents.files.app import Files
from environments.simulated.apps.documents.spreadsheet.app import Spreadsheet
from environments.simulated.apps.documents.terminal.app import Terminal
from environments.simulated.apps.house.camera.app import CameraApp, MicrophoneApp
from environments.simulated.apps.house.home.app import Home
from environments.simulated.apps.house.settings.app import Settings
from environments.simulated.apps.money.billing.app import Billing
from environments.simulated.apps.money.reimbursement.app import Reimbursement
from environments.simulated.apps.money.shop.app import Shop
from environments.simulated.apps.office.calendar.app import Calendar
from environments.simulated.apps.office.contacts.app import Contacts
from environments.simulated.apps.office.mail.app import Mail
from environments.simulated.apps.office.notes.app import Notes
from environments.simulated.apps.talk.chat.app import Chat
from environments.simulated.apps.web.browser.app import Browser

APPS: dict[str, AnyApp] = {
    app.name: app
    for app in (
        Billing(),
        Reimbursement(),
        Mail(),
        Notes(),
        Files(),
        Settings(),
        Calendar(),
        Contacts(),
        Chat(),
        Spreadsheet(),
        Shop(),
        Terminal(),
        Browser(),
        Home(),
        CameraApp(),
        MicrophoneApp(),
    )
}


GROUP = "deskcrew.apps"
"""Entry points of this group name an app of another package: `counter = "my_package.counter:Counter"`."""

UNUSABLE: dict[str, str] = {}
"""Apps of other packages that cannot be used, and why: said only to a world that wants one of them."""


def register(app: AnyApp) -> None:
    """Take in an app. Raises ValueError when its name is taken or cannot be one."""
    if app.name in APPS:
        raise ValueError(f"there is an app {app.name!r} already: {type(APPS[app.name]).__qualname__}")
    if not app.name.isidentifier() or app.name == "desktop":
        raise ValueError(f"{app.name!r} cannot be the name of an app; use letters, digits and underscores")
    APPS[app.name] = app


def _take_in(points: Iterable[EntryPoint]) -> None:
    for point in points:
        try:
            found = point.load()
            app = found() if isinstance(found, type) else found
            if not isinstance(app, App):
                raise TypeError("it is no environments.simulated.app.App")
            register(app)
        except (ImportError, AttributeError, SyntaxError, TypeError, ValueError) as bad:
            UNUSABLE[point.name] = f"{point.value}: {bad}"


_take_in(entry_points(group=GROUP))


class AppListing(NamedTuple):
    """An app as a list of all of them names it."""

    name: str
    title: str
    functions: list[str]
    agent: bool
    package: str
    """The distribution whose entry point it is."""


def listed_apps() -> list[AppListing]:
    """Every app that can be used, by name."""
    origin = {point.name: point.dist.name if point.dist else "" for point in entry_points(group=GROUP)}
    return [
        AppListing(name, app.title, [f.name for f in app.functions], app.agent is not None, origin.get(name) or "deskcrew")
        for name, app in sorted(APPS.items())
    ]


def nearest_app(wanted: str, among: Iterable[str]) -> tuple[str | None, str]:
    """The app of this name or title, or None and what to use instead."""
    names = sorted(among)
    folded = " ".join(wanted.split()).casefold()
    for name in names:
        if folded in (name.casefold(), APPS[name].title.casefold()):
            return name, ""
    hit = process.extractOne(folded, names, scorer=fuzz.WRatio, score_cutoff=60)
    close = f"did you mean {hit[0]}? " if hit else ""
    return None, f"{close}apps are: {', '.join(names)}"
