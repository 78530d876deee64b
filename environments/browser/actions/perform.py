"""One action on a page: what does it, and what its result says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from environments.browser.actions import fields, keyboard, navigation, pointer
from environments.browser.actions.dialogs import ACCEPTS, dialog_elements, title_of
from environments.browser.actions.targeting import Refused
from environments.browser.observation.control_identity import ControlChanged, dialog_parts
from environments.browser.observation.elements import clean
from environments.browser.observation.screen import Sight
from environments.browser.observation.settling import settle
from environments.browser.session import OpenDialog
from protocol import (
    Action,
    ActionResult,
    ActionTarget,
    Click,
    Drag,
    ExecStatus,
    Fill,
    GoBack,
    GoForward,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    Resolved,
    Screenshot,
    Scroll,
    SelectOption,
    Tabs,
    TargetError,
    Type,
    Upload,
    VisualState,
    Wait,
    resolve,
)

Doing = Callable[[Sight, Any], Awaitable[Resolved | None]]


async def _look_again(sight: Sight, action: Screenshot) -> None:
    await settle(sight, 1.0)


DOES: dict[type[Action], Doing] = {
    Click: pointer.click, Hover: pointer.hover, Drag: pointer.drag, MouseDown: pointer.mouse_down, MouseUp: pointer.mouse_up,
    Scroll: pointer.scroll, Type: keyboard.type_text, PressKey: keyboard.press_key, HoldKey: keyboard.hold_key,
    KeyDown: keyboard.key_down, KeyUp: keyboard.key_up, Fill: fields.fill, SelectOption: fields.select_option,
    Upload: fields.upload, Navigate: navigation.navigate, GoBack: navigation.go_back, GoForward: navigation.go_forward,
    Tabs: navigation.tabs, Wait: navigation.wait, Screenshot: _look_again,
}  # fmt: skip
_NEEDS_NO_PAGE = (Navigate, Tabs, Wait, Screenshot)
_LEADS_ON = (Click, PressKey, Fill, Type)
_NO_PAGE = "chrome-error:"
PATIENCE = 30.0
"""Seconds that an action may take, besides those that it asks for itself."""


def cannot(action: Action) -> str:
    """Why this is not for a browser at all; empty when it is."""
    if action.inner:
        return f"{action.verb} changes the crew's own state and is not for the browser"
    if type(action) not in DOES:
        return f"this browser cannot {action.verb.replace('_', ' ')}"
    return ""


async def act(sight: Sight, action: Action) -> ActionResult:
    """Do it. Whatever goes wrong with the page is said in the result."""
    from playwright.async_api import Error, TimeoutError

    session = sight.session
    if action.delay:
        await asyncio.sleep(action.delay)
    try:
        if session.dialogs:
            return _done(sight, await answer(sight, action))
        if session.front in session.crashed and not isinstance(action, _NEEDS_NO_PAGE):
            raise Refused("the page crashed; navigate to an address to go on")
        result = _done(sight, await DOES[type(action)](sight, action))
        if isinstance(action, _LEADS_ON) and session.front is not None and session.front.url.startswith(_NO_PAGE):
            raise Refused("what it leads to could not be opened: the browser shows its own page of an error")
        return result
    except Refused as no:
        return ActionResult(exec_status=ExecStatus.ERROR, error=clean(str(no), 2000), output=_told(sight))
    except (navigation.ConditionTimeout, TimeoutError) as late:
        first = str(late).splitlines()[0] if str(late) else "the page did not answer in time"
        return ActionResult(exec_status=ExecStatus.TIMEOUT, error=clean(first, 500), output=_told(sight))
    except Error as bad:
        return ActionResult(exec_status=ExecStatus.ERROR, error=_said(sight, bad), output=_told(sight))


def _said(sight: Sight, bad: Exception) -> str:
    """Playwright's reason as one sentence that helps to plan."""
    session, text = sight.session, str(bad)
    if session.front is not None and session.front in session.crashed:
        return "the page crashed; navigate to an address to go on"
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


async def answer(sight: Sight, action: Action) -> Resolved | None:
    """An action while a dialog is open: only the dialog takes input."""
    dialog = sight.session.dialogs[0]
    allowed = sight.session.permit.control if sight.session.permit is not None else None
    if allowed and allowed != dialog_parts(sight):
        raise ControlChanged(f'a dialog "{title_of(dialog)}" is open that was not reviewed; look again')
    if isinstance(action, Wait | Screenshot):
        if isinstance(action, Wait):
            await asyncio.sleep(min(action.seconds, 600))
        return None
    if isinstance(action, PressKey) and action.target is None and action.keys in (("Enter",), ("Escape",)):
        await _close(sight, action.keys == ("Enter",))
        return None
    if action.target is None or not isinstance(action, Click | Fill | Type | Hover):
        raise Refused(f'a dialog "{title_of(dialog)}" is open: {clean(dialog.message, 200)!r}; answer it first')
    resolved = _in_dialog(sight, action.target)
    part = resolved.element_id.rsplit("-", 1)[-1]
    if isinstance(action, Fill | Type):
        if part != "field":
            raise Refused("only the field of a prompt takes text; this dialog is answered by its buttons")
        dialog.text = action.text if isinstance(action, Fill) else dialog.text + action.text
        if action.submit:
            await _close(sight, True)
    elif isinstance(action, Click) and part in ("ok", "cancel", "leave", "stay"):
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
    session.notes.append(f'the dialog "{title_of(dialog)}: {clean(dialog.message, 200)}" was answered {_word(dialog, accept)}')


def _word(dialog: OpenDialog, accept: bool) -> str:
    if dialog.kind == "beforeunload":
        return "Leave" if accept else "Stay"
    return "OK" if accept or dialog.kind == "alert" else "Cancel"
