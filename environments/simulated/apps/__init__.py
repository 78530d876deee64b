"""The apps of the simulated desktop. One of ours is a folder and a line in `_OURS`; one of another package is an entry point."""

from collections import UserDict
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from rapidfuzz import fuzz, process

from environments.simulated.app import AnyApp, App

_OURS = {
    "billing": "money.billing.app:Billing",
    "reimbursement": "money.reimbursement.app:Reimbursement",
    "mail": "office.mail.app:Mail",
    "notes": "office.notes.app:Notes",
    "files": "documents.files.app:Files",
    "settings": "house.settings.app:Settings",
    "calendar": "office.calendar.app:Calendar",
    "contacts": "office.contacts.app:Contacts",
    "chat": "talk.chat.app:Chat",
    "spreadsheet": "documents.spreadsheet.app:Spreadsheet",
    "shop": "money.shop.app:Shop",
    "terminal": "documents.terminal.app:Terminal",
    "browser": "web.browser.app:Browser",
    "home": "house.home.app:Home",
    "camera": "house.camera.app:CameraApp",
    "microphone": "house.camera.app:MicrophoneApp",
}
"""Where each app of ours is, under this package."""


class AppTable(UserDict[str, Any]):
    """Apps by name; one of ours is imported when it is asked for, since a world has only some of them."""

    def __getitem__(self, name: str) -> AnyApp:
        if isinstance(app := self.data[name], str):
            module, _, word = app.partition(":")
            app = self.data[name] = getattr(import_module(f"{__name__}.{module}"), word)()
        found: AnyApp = app
        return found


APPS = AppTable(_OURS)


@lru_cache(maxsize=64)
def timed(apps: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the apps that are told how late it is."""
    return tuple(app for app in apps if APPS[app].timed)


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
    timed.cache_clear()


for _point in entry_points(group=GROUP):
    try:
        _found = _point.load()
        _app = _found() if isinstance(_found, type) else _found
        if not isinstance(_app, App):
            raise TypeError("it is no environments.simulated.app.App")
        register(_app)
    except (ImportError, AttributeError, SyntaxError, TypeError, ValueError) as bad:
        UNUSABLE[_point.name] = f"{_point.value}: {bad}"


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
