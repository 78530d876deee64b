"""One action on a page: what does it, and what its result says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

from environments.browser.actions import fields, pointer
from environments.browser.actions.targeting import Refused
from environments.browser.network.gate import ExpectedRequest
from environments.browser.observation.control_identity import ControlChanged, dialog_parts
from environments.browser.observation.elements import clean
from environments.browser.observation.screen import ACCEPTS, Sight, beat, dialog_elements, effect, settle, title_of
from protocol import ActionResult, ActionTarget, ExecStatus, Resolved, TargetError, VisualState, resolve
from protocol.model import verbs

if TYPE_CHECKING:
    from playwright.async_api import Page, Response

_PATIENCE = 15_000
_PASSING = re.compile("ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|NETWORK_CHANGED)")


class PageBusy(Refused):
    """Nobody was there to answer, which may be otherwise a moment later."""


class ConditionTimeout(Exception):
    """The time of a condition ran out."""


async def navigate(sight: Sight, action: verbs.Navigate) -> None:
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
        first = (str(bad).splitlines() or ["no reason was given"])[0].removeprefix("Page.goto: ").split(" at http")[0]
        raise fault(f"{url[:200]} could not be opened: {first[:200]}") from None
    await settle(sight, opened=True)
    if answer is not None and answer.status >= 400:
        sight.session.notes.append(f"the server answered {answer.status} {clean(answer.status_text, 60)}".strip())
    return answer


async def through_history(sight: Sight, action: verbs.GoBack | verbs.GoForward) -> None:
    page, back = sight.session.page, isinstance(action, verbs.GoBack)
    was = page.url
    step = page.go_back if back else page.go_forward
    sight.session.gate.begin(sight.session.permit, ExpectedRequest("history"))
    try:
        answer = await step(wait_until="domcontentloaded", timeout=_PATIENCE)
        if answer is None and page.url != was:  # a script of the page draws what it leads to
            await effect(sight, (await beat(sight)).pulse, pointer.WAITS)
        await settle(sight)
    finally:
        sight.session.gate.end()
    if answer is None and page.url == was:
        raise Refused(f"there is no page to go {'back' if back else 'forward'} to")


async def tabs(sight: Sight, action: verbs.Tabs) -> None:
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


async def _tab(sight: Sight, action: verbs.Tabs) -> None:
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


async def wait(sight: Sight, action: verbs.Wait) -> None:
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


async def _holds(sight: Sight, action: verbs.Wait) -> bool:
    await sight.look()
    said = [_plain(str(await eye.ask("words"))) for eye in list(sight.eyes.values())]
    said += [_plain(e.name) for e in sight.elements if e.visible]
    shows = action.text is None or any(_plain(action.text) in text for text in said)
    gone = action.text_gone is None or not any(_plain(action.text_gone) in text for text in said)
    return shows and gone


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


Doing = Callable[[Sight, Any], Awaitable[Resolved | None]]


async def _look_again(sight: Sight, action: verbs.Screenshot) -> None:
    await settle(sight, 1.0)


DOES: dict[type[verbs.Action], Doing] = {
    verbs.Click: pointer.click, verbs.Hover: pointer.hover, verbs.Drag: pointer.drag, verbs.MouseDown: pointer.half,
    verbs.MouseUp: pointer.half, verbs.Scroll: pointer.scroll, verbs.Type: fields.type_text, verbs.PressKey: fields.press_keys,
    verbs.HoldKey: fields.press_keys, verbs.KeyDown: fields.press_keys, verbs.KeyUp: fields.press_keys, verbs.Fill: fields.fill,
    verbs.SelectOption: fields.select_option, verbs.Upload: fields.upload, verbs.Navigate: navigate,
    verbs.GoBack: through_history, verbs.GoForward: through_history, verbs.Tabs: tabs, verbs.Wait: wait,
    verbs.Screenshot: _look_again,
}  # fmt: skip
_NEEDS_NO_PAGE = (verbs.Navigate, verbs.Tabs, verbs.Wait, verbs.Screenshot)
_LEADS_ON = (verbs.Click, verbs.PressKey, verbs.Fill, verbs.Type)
_NO_PAGE = "chrome-error:"
PATIENCE = 30.0
"""Seconds that an action may take, besides those that it asks for itself."""


def cannot(action: verbs.Action) -> str:
    """Why this is not for a browser at all; empty when it is."""
    if action.inner:
        return f"{action.verb} changes the crew's own state and is not for the browser"
    if type(action) not in DOES:
        return f"this browser cannot {action.verb.replace('_', ' ')}"
    return ""


async def act(sight: Sight, action: verbs.Action) -> ActionResult:
    """Do it. Whatever goes wrong with the page is said in the result."""
    from playwright.async_api import Error, TimeoutError

    session = sight.session
    if action.delay:
        await asyncio.sleep(action.delay)
    try:
        if session.dialogs:
            return _done(sight, await answer(sight, action))
        if session.front in session.crashed and not isinstance(action, _NEEDS_NO_PAGE):
            raise Refused("the page crashed; navigate to an address to continue")
        result = _done(sight, await DOES[type(action)](sight, action))
        if isinstance(action, _LEADS_ON) and session.front is not None and session.front.url.startswith(_NO_PAGE):
            raise Refused("what it leads to could not be opened: the browser shows its own error page")
        return result
    except Refused as no:
        return ActionResult(exec_status=ExecStatus.ERROR, error=clean(str(no), 2000), output=_told(sight))
    except (ConditionTimeout, TimeoutError) as late:
        first = str(late).splitlines()[0] if str(late) else "the page did not answer in time"
        return ActionResult(exec_status=ExecStatus.TIMEOUT, error=clean(first, 500), output=_told(sight))
    except Error as bad:
        return ActionResult(exec_status=ExecStatus.ERROR, error=_said(sight, bad), output=_told(sight))


def _said(sight: Sight, bad: Exception) -> str:
    """Playwright's reason as one sentence that helps to plan."""
    session, text = sight.session, str(bad)
    if session.front is not None and session.front in session.crashed:
        return "the page crashed; navigate to an address to continue"
    if "context was destroyed" in text or "navigat" in text.casefold() or "detached" in text:
        return "the page changed to another while this was done; look again before going on"
    if "closed" in text:
        return "the tab was closed while this was done; look again before going on"
    if "not attached" in text:
        return "the element is gone from the page; look again"
    return clean(f"the page did not take it: {text.splitlines()[0] if text else type(bad).__name__}", 400)


def _done(sight: Sight, resolved: Resolved | None) -> ActionResult:
    return ActionResult(exec_status=ExecStatus.EXECUTED, output=_told(sight), resolved=resolved)


def _told(sight: Sight) -> str:
    """What happened by itself since the last result."""
    notes, sight.session.notes[:] = list(dict.fromkeys(sight.session.notes)), []
    return clean("; ".join(notes), 4000)


async def answer(sight: Sight, action: verbs.Action) -> Resolved | None:
    """An action while a dialog is open: only the dialog takes input."""
    dialog = sight.session.dialogs[0]
    allowed = sight.session.permit.control if sight.session.permit is not None else None
    if allowed and allowed != dialog_parts(sight):
        raise ControlChanged(f'a dialog "{title_of(dialog)}" is open that was not reviewed; look again')
    if isinstance(action, verbs.Wait | verbs.Screenshot):
        if isinstance(action, verbs.Wait):
            await asyncio.sleep(min(action.seconds, 600))
        return None
    if isinstance(action, verbs.PressKey) and action.target is None and action.keys in (("Enter",), ("Escape",)):
        await _close(sight, action.keys == ("Enter",))
        return None
    into = ActionTarget(element_id=f"dialog-{dialog.number}-field") if isinstance(action, verbs.Type) else None
    aimed = action.target or (into if dialog.kind == "prompt" else None)  # which has the focus
    if aimed is None or not isinstance(action, verbs.Click | verbs.Fill | verbs.Type | verbs.Hover):
        raise Refused(f'a dialog "{title_of(dialog)}" is open: {clean(dialog.message, 200)!r}; answer it first')
    resolved = _in_dialog(sight, aimed)
    part = resolved.element_id.rsplit("-", 1)[-1]
    if isinstance(action, verbs.Fill | verbs.Type):
        if part != "field":
            raise Refused("only the field of a prompt takes text; this dialog is answered by its buttons")
        dialog.text = action.text if isinstance(action, verbs.Fill) else dialog.text + action.text
        if action.submit:
            await _close(sight, True)
    elif isinstance(action, verbs.Click) and part in ("ok", "cancel", "leave", "stay"):
        await _close(sight, part.capitalize() in ACCEPTS or part == "ok")
    return resolved


def _in_dialog(sight: Sight, target: ActionTarget) -> Resolved:
    dialog = sight.session.dialogs[0]
    parts = dialog_elements(dialog, sight.session.rules.size)
    try:
        state = VisualState(screen_resolution=sight.session.rules.size, elements=parts)
        return resolve(target.model_copy(update={"state_id": None}), state)
    except TargetError as problem:
        buttons = ", ".join(e.name for e in parts if e.role == "button")
        raise Refused(f'a dialog "{title_of(dialog)}" is open; answer it first: {buttons} ({problem})') from None


async def _close(sight: Sight, accept: bool) -> None:
    session = sight.session
    dialog = session.dialogs.pop(0)
    session.stirred.clear()
    if accept and dialog.kind == "prompt":
        await dialog.dialog.accept(dialog.text)
    else:
        await (dialog.dialog.accept() if accept else dialog.dialog.dismiss())
    await settle(sight)
    yes, no = {"beforeunload": ("Leave", "Stay"), "alert": ("OK", "OK")}.get(dialog.kind, ("OK", "Cancel"))
    said = f'the dialog "{title_of(dialog)}: {clean(dialog.message, 200)}" was answered {yes if accept else no}'
    session.notes.append(said)
