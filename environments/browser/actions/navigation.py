"""Addresses, tabs and time."""

from __future__ import annotations

import asyncio
import re
from time import monotonic
from typing import TYPE_CHECKING

from environments.browser.actions.targeting import Refused
from environments.browser.network.gate import ExpectedRequest
from environments.browser.observation.elements import clean
from environments.browser.observation.screen import Sight
from environments.browser.observation.settling import settle
from protocol import ExecStatus, GoBack, GoForward, Navigate, Tabs, Wait

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

_PATIENCE = 15_000
_PASSING = re.compile("ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|NETWORK_CHANGED)")


class PageBusy(Refused):
    """Nobody was there to answer, which may be otherwise a moment later."""


class ConditionTimeout(Exception):
    """The time of a condition ran out."""

    status = ExecStatus.TIMEOUT


async def navigate(sight: Sight, action: Navigate) -> None:
    await open_address(sight, action.url)


async def open_address(sight: Sight, url: str) -> Response | None:
    """Open it in the front tab, in a fresh one where that crashed; what the server answered. Raises Refused with what the network
    said."""
    session = sight.session
    url = url.strip()
    if "://" not in url and not url.startswith(("about:", "data:", "javascript:", "blob:")):
        url = f"http://{url}"
    if url != "about:blank" and (why := session.rules.refuses(url)):
        raise Refused(why)
    if not await session.answers():
        await session.replace()
    session.gate.begin(session.permit, ExpectedRequest("open", url))
    try:
        return await _go(sight, session.page, url)
    finally:
        session.gate.end()


async def _go(sight: Sight, page: Page, url: str) -> Response | None:
    from playwright.async_api import Error, TimeoutError

    try:
        answer = await page.goto(url, wait_until="domcontentloaded", timeout=_PATIENCE)
    except TimeoutError:
        raise ConditionTimeout(f"{url[:200]} did not load within {_PATIENCE // 1000} seconds") from None
    except Error as bad:
        if "ERR_ABORTED" in str(bad) and (sight.session.saving() or any("download" in note for note in sight.session.notes)):
            return None  # the address is a file, which is saved and not shown
        fault = PageBusy if _PASSING.search(str(bad)) else Refused
        raise fault(f"{url[:200]} could not be opened: {_reason(str(bad))}") from None
    await settle(sight, opened=True)
    if answer is not None and answer.status >= 400:
        sight.session.notes.append(f"the server answered {answer.status} {clean(answer.status_text, 60)}".strip())
    return answer


def _reason(message: str) -> str:
    first = message.splitlines()[0] if message else "no reason was given"
    return first.removeprefix("Page.goto: ").split(" at http")[0][:200]


async def go_back(sight: Sight, action: GoBack) -> None:
    await _through_history(sight, back=True)


async def go_forward(sight: Sight, action: GoForward) -> None:
    await _through_history(sight, back=False)


async def _through_history(sight: Sight, back: bool) -> None:
    page = sight.session.page
    was = page.url
    step = page.go_back if back else page.go_forward
    sight.session.gate.begin(sight.session.permit, ExpectedRequest("history"))
    try:
        answer = await step(wait_until="domcontentloaded", timeout=_PATIENCE)
        await settle(sight)
    finally:
        sight.session.gate.end()
    if answer is None and page.url == was:
        raise Refused(f"there is no page to go {'back' if back else 'forward'} to")


async def tabs(sight: Sight, action: Tabs) -> None:
    session = sight.session
    if action.op == "list":
        await sight.look()
        session.notes += [f"tab {n}: {w.title}{' (in front)' if w.focused else ''}" for n, w in enumerate(sight.state().windows)]
        return
    if action.op == "new":
        if action.url is not None and action.url != "about:blank" and (why := session.rules.refuses(action.url)):
            raise Refused(why)
        await session.new_page()
        session.notes[:] = [f"tab {len(session.pages) - 1} is new and in front"]
        if action.url is not None:
            await open_address(sight, action.url)
        return
    await _tab(sight, action)


async def _tab(sight: Sight, action: Tabs) -> None:
    session = sight.session
    index = session.pages.index(session.page) if action.index is None else action.index
    if index >= len(session.pages):
        raise Refused(f"there is no tab {index}; there are {len(session.pages)}, counted from 0")
    page = session.pages[index]
    if action.op == "select":
        session.front = page
        if page not in session.crashed:
            await page.bring_to_front()
            await settle(sight)
        return
    if len(session.pages) == 1:
        raise Refused("the last tab stays open; navigate elsewhere instead")
    await page.close(run_before_unload=True)
    for _ in range(50):
        if page.is_closed() or session.dialogs:
            break
        await asyncio.sleep(0.02)
    if session.front is not None and not session.dialogs:
        await session.front.bring_to_front()


async def wait(sight: Sight, action: Wait) -> None:
    """For a time, or until a text shows or is gone. Raises ConditionTimeout when it never did."""
    from playwright.async_api import Error

    end = monotonic() + action.seconds
    if action.text is None and action.text_gone is None:
        await asyncio.sleep(action.seconds)
        await settle(sight, 1.0)
        return
    while True:
        try:
            if await _holds(sight, action):
                return
        except Error:
            pass  # the page is on its way to another: ask again
        if monotonic() >= end:
            break
        await asyncio.sleep(min(0.1, max(0.0, end - monotonic())))
    what = f"{action.text!r} did not show" if action.text is not None else f"{action.text_gone!r} is still shown"
    raise ConditionTimeout(f"{what} within {action.seconds:g} seconds")


async def _holds(sight: Sight, action: Wait) -> bool:
    await sight.look()
    frames = [handle for handle, _ in sight.eyes.values()]
    said = [" ".join(str(await handle.evaluate("eye => eye.words()")).split()).casefold() for handle in frames]
    said += [" ".join(e.name.split()).casefold() for e in sight.elements if e.visible]
    shows = action.text is None or any(_plain(action.text) in text for text in said)
    gone = action.text_gone is None or not any(_plain(action.text_gone) in text for text in said)
    return shows and gone


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
