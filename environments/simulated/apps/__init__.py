"""The apps of the simulated desktop. A new one is a file here and its line in `APPS`."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from environments.simulated.app import AnyApp
from environments.simulated.apps.billing import Billing
from environments.simulated.apps.calendar import Calendar
from environments.simulated.apps.chat import Chat
from environments.simulated.apps.contacts import Contacts
from environments.simulated.apps.files import Files
from environments.simulated.apps.mail import Mail
from environments.simulated.apps.notes import Notes
from environments.simulated.apps.reimbursement import Reimbursement
from environments.simulated.apps.settings import Settings
from environments.simulated.apps.shop import Shop
from environments.simulated.apps.spreadsheet import Spreadsheet
from environments.simulated.apps.terminal import Terminal

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
    )
}


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
