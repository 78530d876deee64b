"""Notifications of the desktop: they stay until they are dismissed, and open their app when they are pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from environments.simulated.screen.widgets import Widget, button, group, link, text
from environments.simulated.world.world import Desk, Notification

if TYPE_CHECKING:
    from environments.simulated.turn.interceptions import Interception

SHOWN = 4
"""How many are on the screen at once: the newest ones."""


def notice(turn: Interception, title: str, words: str = "", app: str | None = None) -> None:
    number = turn.desk.noticed + 1
    made = Notification(number=number, app=app, title=title, text=words, at=turn.desk.clock)
    turn.change(noticed=number, notices=(*turn.desk.notices, made))


def dismiss(turn: Interception, number: int) -> None:
    turn.change(notices=tuple(one for one in turn.desk.notices if one.number != number))


def open_notice(turn: Interception, number: int) -> None:
    """It goes, and its app comes to the front."""
    found = next((one for one in turn.desk.notices if one.number == number), None)
    dismiss(turn, number)
    if found and found.app in turn.world.apps:
        turn.open_app(str(found.app))


def pressed(turn: Interception, key: str) -> bool:
    """Do what a press on a notice means; False when the key is not one of theirs."""
    name, _, what = key.partition(".")
    number = name.removeprefix("notice-")
    if number == name or not number.isdecimal():
        return False
    (dismiss if what == "dismiss" else open_notice)(turn, int(number))
    return True


def widgets(desk: Desk) -> tuple[Widget, ...]:
    """What is shown of them, the newest first."""
    return tuple(_card(one) for one in reversed(desk.notices[-SHOWN:]))


def _card(one: Notification) -> Widget:
    key = f"notice-{one.number}"
    words = (text(one.text, f"{key}.text"),) if one.text else ()
    card = group(link(one.title, key), *words, button("Dismiss", f"{key}.dismiss"), key=f"{key}.card")
    return card._replace(role="status")
