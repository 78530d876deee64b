"""Waiting until a page has come to rest, instead of sleeping."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Any, NamedTuple

from environments.browser.observation.screen import Sight
from environments.browser.session import Session

STILL = 120
"""Milliseconds without a change after which a page is at rest."""
LIMIT = 4.0
_TICKING = 1.2
"""Seconds after which a page that changes all the time, as a clock does, is taken as it is."""
_POLL = 0.03


class Activity(NamedTuple):
    """How much has happened in a tab so far; two of them say whether anything happened in between."""

    documents: int
    changes: int
    contents: int
    sent: int
    asked: int
    tabs: int
    url: str

    def content(self) -> tuple[int | str, ...]:
        """What counts as an effect, not only as a sign of life."""
        return self.documents, self.contents, self.sent, self.asked, self.tabs, self.url

    def elsewhere(self) -> tuple[int | str, ...]:
        """What reaches beyond the page that is shown: after that nothing is done a second time."""
        return self.documents, self.sent, self.asked, self.tabs, self.url


async def beat(sight: Sight, still: int = STILL, busy: bool = True) -> tuple[Activity, bool]:
    """The pulse now, and whether the page is at rest; with `busy` it may say so of itself in vain (`aria-busy`)."""
    from playwright.async_api import Error

    session, frame = sight.session, sight.session.page.main_frame
    changes = contents = 0
    rest = session.flying() == 0
    states: list[dict[str, Any]] = []
    try:
        states.append(await (await sight.eye(frame))[0].evaluate("eye => eye.state()"))
    except Error:
        rest = False
    for other, (handle, _) in list(sight.eyes.items()):
        if other is frame or other.is_detached() or other.page is not session.page:
            continue
        try:
            states.append(await handle.evaluate("eye => eye.state()"))
        except Error:
            rest = False
    for state in states:
        changes += int(state["changes"])
        contents += int(state["contents"])
        rest = rest and state["since"] >= still and state["ready"] == "complete" and not state["moving"]
        rest = rest and (busy or not state["busy"])
    pulse = Activity(sight.documents, changes, contents, session.sent, session.asked, len(session.pages), session.page.url)
    return pulse, rest


async def settle(sight: Sight, seconds: float = LIMIT, *, opened: bool = False) -> bool:
    """True when the page came to rest, False when it was still busy after that time or a dialog stopped it.

    One that was just `opened` may say that it is busy until there is anything to be seen.
    """
    start = monotonic()
    while monotonic() < start + seconds:
        if _stopped(sight.session):
            return False
        _, rest = await beat(sight, STILL if monotonic() < start + _TICKING else 0, not opened)
        if rest:
            return True
        await asyncio.sleep(_POLL)
    return False


async def effect(sight: Sight, before: Activity, seconds: float) -> bool:
    """Whether something came of an action: now, or within that time. A menu may take half a second."""
    end = monotonic() + seconds
    while not _stopped(sight.session):
        pulse, _ = await beat(sight)
        if pulse.content() != before.content():
            return True
        if monotonic() > end:
            return False
        await asyncio.sleep(_POLL)
    return True


def _stopped(session: Session) -> bool:
    return bool(session.dialogs) or session.gone or session.front is None or session.front in session.crashed
