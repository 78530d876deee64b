"""What an action amounts to in the world: reading a button's own words, never what the screen says about it.

A button that none of these words fits is `activate`: unknown, so the default policy asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from environments.effect_words import Effect as Effect
from environments.effect_words import effect_of_words as effect_of_words
from environments.effect_words import plain
from environments.effects import SENSITIVE as SENSITIVE
from protocol import (
    Action,
    ActionTarget,
    CallApi,
    Click,
    Drag,
    Fill,
    GUIElement,
    HoldKey,
    Navigate,
    PressKey,
    SelectOption,
    TargetError,
    Type,
    VisualState,
    resolve,
)
from roles.carried import addresses, disguised, is_program, looks, makes, takes_data, tells, texts
from roles.leading import is_odd, sends_elsewhere, way_of

_WAY_OUT = re.compile(
    r"(close|cancel|dismiss|no(,|\s)?\s*thanks|not\s+now|(maybe\s+)?later|skip|no|back|go\s+back|keep\s+editing|help|"
    r"nein|abbrechen|schließen|zurück|später|取消|关闭|返回)[.!]?",
    re.IGNORECASE,
)
"""In a dialog only these leave things as they are; "Next" or "Go" say yes to what it asks."""

_PRESSABLE = {"button", "link", "menuitem", "menuitemcheckbox", "switch", "submit", "image", "img", "icon"}
_DATA = {
    *("row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "option", "treeitem", "tab"),
    *("heading", "text", "paragraph", "article", "status", "alert", "list", "table", "group", "form", "progress", "window"),
}
"""Roles that show something: pressing them looks closer. A role that is neither this nor pressable may be any control."""
_FILLERS = {"now", "this", "it", "all", "item", "entry", "row", "selected", "…", "...", "!"}
_TRASH = re.compile(r"trash|recycl|\bbin\b|papierkorb|回收站|废纸篓", re.IGNORECASE)
_EDITABLE = {"textbox", "searchbox", "combobox", "checkbox", "radio", "slider", "spinbutton", "listbox"}
_SENSITIVE = (
    Effect.ACCOUNT,
    Effect.PURCHASE,
    Effect.DELETE,
    Effect.PERMISSION,
    Effect.ACTUATE,
    Effect.SEND,
    Effect.SUBMIT,
    Effect.UPLOAD,
    Effect.DOWNLOAD,
)
_LONGEST_NAME = 40
"""Of a folder; a longer text that speaks of a bin is no place to put something."""
_DEEPEST = 64
"""Containers around an element; a screen that claims more, or a circle of them, is cut off."""
_CHORDS = {
    **dict.fromkeys("ac", Effect.OBSERVE),
    **dict.fromkeys("fow", Effect.NAVIGATE),
    **dict.fromkeys("vxyz", Effect.EDIT),
    "s": Effect.SAVE,
    "d": Effect.DELETE,
}
"""With Control or Meta held."""
_OTHERS = {
    "upload": Effect.UPLOAD,
    **dict.fromkeys(("hover", "scroll", "wait", "screenshot"), Effect.OBSERVE),
    **dict.fromkeys(("launch_app", "switch_window", "go_back", "go_forward", "tabs"), Effect.NAVIGATE),
    **dict.fromkeys(("memorize", "answer", "ask_user", "finish_goal", "fail_goal"), Effect.OBSERVE),
}
"""By verb alone. Any other verb may do anything: scripts, calls, buttons held down, verbs that are carried."""


def effect_of(action: Action, element: GUIElement | None, state: VisualState) -> Effect:
    """What `action` would do to `element` as it stands in `state`."""
    if element is not None and element.actuator and isinstance(action, Drag | Fill | SelectOption | Type):
        return Effect.ACTUATE
    match action:
        case Drag(to=to):
            return _dropped(to, state)
        case Fill(submit=submit):
            return _enter(element, state) if submit else Effect.EDIT
        case Type(submit=submit, text=text):
            return _enter(element, state) if submit or "\n" in text or "\r" in text else Effect.EDIT
        case PressKey(keys=keys) | HoldKey(keys=keys):
            return _key(keys, element, state)
        case Click(button="back" | "forward"):
            return Effect.NAVIGATE
        case Click():
            return _press(element, state)
        case Navigate(url=url):
            return _visit(url, state)
        case CallApi():
            return _call(action, state)
        case _:
            return _other(action)


def _other(action: Action) -> Effect:
    return _chosen(action.options) if isinstance(action, SelectOption) else _OTHERS.get(action.verb, Effect.ACTIVATE)


def _dropped(to: ActionTarget, state: VisualState) -> Effect:
    return Effect.DELETE if _TRASH.search(_named(to, state)) else Effect.EDIT


def _chosen(options: Sequence[str]) -> Effect:
    """A list may do at once what its entry says: `Delete my account`. A lone word is a category, not a command."""
    found = [effect_of_words(option) for option in options if len(plain(option).split()) > 1]
    return next((effect for effect in found if effect in SENSITIVE), Effect.EDIT)


def _named(target: ActionTarget, state: VisualState) -> str:
    """What a target is called, also where it was given without a name."""
    try:
        found = state.by_id.get(resolve(target, state).element_id or "")
    except TargetError:
        found = None
    return f"{target.text or ''} {found.name if found is not None else ''}"


def _visit(address: str, state: VisualState) -> Effect:
    if is_program(address):
        return Effect.ACTIVATE
    return Effect.SEND if takes_data(address, state) else Effect.NAVIGATE


def _call(call: CallApi, state: VisualState) -> Effect:
    """A function does at once what its name says; the words of buttons that only open a form say too little of it."""
    effect = effect_of_words(call.function.replace("_", " "))
    if effect in SENSITIVE:
        return effect
    if looks(call.function):
        visits = [_visit(address, state) for address in addresses(call.arguments)]
        return next((visit for visit in visits if visit is not Effect.NAVIGATE), effect or Effect.NAVIGATE)
    if tells(call.function):
        return Effect.SEND
    if any(_TRASH.search(text) for text in texts(call.arguments) if len(text) < _LONGEST_NAME):
        return Effect.DELETE
    if effect is Effect.NAVIGATE or effect is None:
        return Effect.EDIT if makes(call.function) else Effect.ACTIVATE
    return effect


def _press(element: GUIElement | None, state: VisualState) -> Effect:
    if element is None:
        return Effect.ACTIVATE
    if element.actuator:
        return Effect.ACTUATE
    if element.role in _EDITABLE:
        return Effect.EDIT
    effect = _worded(element, state)
    if element.shown and effect not in SENSITIVE:  # what a person would take it for counts as much as what it is called
        looks_like = _worded(element.model_copy(update={"text": element.shown}), state)
        effect = looks_like if looks_like in SENSITIVE else effect
    return _led(effect, element, state) if element.leads or element.parent else effect


def _led(effect: Effect, element: GUIElement, state: VisualState) -> Effect:
    """What it is called says what it does, as far as where it leads agrees."""
    if effect in SENSITIVE:
        return effect
    way = way_of(element)
    if way is not None and way.how == "download":
        return Effect.DOWNLOAD
    if sends_elsewhere(element, state):
        return Effect.SEND
    return Effect.ACTIVATE if is_odd(element, state) else effect


def _worded(element: GUIElement, state: VisualState) -> Effect:
    effect = effect_of_words(element.name) if element.name else None
    if element.role in _DATA:
        return Effect.NAVIGATE
    if element.role == "link" and _inside_data(element, state):
        return effect if effect in SENSITIVE and _is_command(element.name) else Effect.NAVIGATE
    dialog = _dialog_of(element, state)
    if effect not in SENSITIVE and dialog is not None and not _WAY_OUT.fullmatch(element.name.strip()):
        return _dialog_effect(dialog, state) or effect or Effect.ACTIVATE
    plain_link = element.role == "link" and not disguised(element.name)
    return effect or (Effect.NAVIGATE if plain_link else Effect.ACTIVATE)


def _inside_data(element: GUIElement, state: VisualState) -> bool:
    parent = state.by_id.get(element.parent or "")
    return parent is not None and parent.role in {"row", "cell", "gridcell", "listitem"}


def _is_command(name: str) -> bool:
    """A bare command ("Delete", "Pay now"), unlike a subject or a title that has such a word in it."""
    words = plain(name).casefold().split()
    rest = [word for word in words if word not in _FILLERS]
    return 0 < len(rest) <= 2 and effect_of_words(" ".join(rest[:1])) in SENSITIVE and len(words) <= 3


def _dialog_of(element: GUIElement, state: VisualState) -> GUIElement | None:
    at: GUIElement | None = element
    for _ in range(_DEEPEST):
        if at is None or at.role in {"dialog", "alertdialog"}:
            return at
        at = state.by_id.get(at.parent or "")
    return None


def _dialog_effect(dialog: GUIElement, state: VisualState) -> Effect | None:
    """An affirmative button does what its dialog asks; only a sensitive question changes what it is."""
    texts = [dialog.name] + [e.name for e in state.elements if _dialog_of(e, state) == dialog and e.role not in _PRESSABLE]
    found = [effect_of_words(text) for text in texts]
    return next((effect for effect in _SENSITIVE if effect in found), None)


def _enter(element: GUIElement | None, state: VisualState) -> Effect:
    """Enter in a field presses the default button of the form or dialog around it: the worst of its buttons counts."""
    holder = state.by_id.get(state.modal) if state.modal is not None else _around(element, state)
    if holder is None:
        return Effect.CONFIRM
    effects = [_press(e, state) for e in state.elements if e.role == "button" and _is_inside(e, holder, state)]
    worst = next((effect for effect in _SENSITIVE if effect in effects), None)
    return worst or (effects[0] if effects else Effect.CONFIRM)


def _around(element: GUIElement | None, state: VisualState) -> GUIElement | None:
    """The form or dialog that the element stands in, else its outermost container."""
    at, outermost = element, None
    for _ in range(_DEEPEST):
        at = state.by_id.get(at.parent or "") if at is not None else None
        if at is None:
            return outermost
        outermost = at
        if at.role in {"form", "search", "dialog", "alertdialog"}:
            return at
    return outermost


def _is_inside(element: GUIElement, holder: GUIElement, state: VisualState) -> bool:
    at: GUIElement | None = element
    for _ in range(_DEEPEST):
        if at is None or at.element_id == holder.element_id:
            return at is not None
        at = state.by_id.get(at.parent or "")
    return False


def _key(keys: tuple[str, ...], element: GUIElement | None, state: VisualState) -> Effect:
    folded = tuple(key.casefold() for key in keys)
    focused = element or next((e for e in state.elements if e.focused), None)
    if focused is not None and focused.actuator and folded[-1] not in {"tab", "escape"}:
        return Effect.ACTUATE
    if folded[-1] in {"enter", "return", "\n", "\r", " ", "space"}:
        pressed = focused is not None and focused.role in _PRESSABLE
        if pressed:
            return _press(focused, state)
        modified = len(folded) > 1 or state.modal is not None or (focused is not None and focused.role in _EDITABLE)
        return _enter(focused, state) if modified else Effect.CONFIRM
    if folded[-1] in {"delete", "backspace"}:
        return Effect.EDIT if focused is not None and focused.role in _EDITABLE else Effect.DELETE
    if len(folded) > 1 and folded[0] in {"control", "meta", "controlormeta"}:
        return _CHORDS.get(folded[-1], Effect.ACTIVATE)
    if len(folded[-1]) == 1 and not (set(folded[:-1]) - {"shift"}):
        return Effect.EDIT
    harmless = {"escape", "tab", "arrowup", "arrowdown", "arrowleft", "arrowright", "pageup", "pagedown", "home", "end"}
    harmless |= {"goback", "gohome", "appswitch", "browserback"}
    return Effect.NAVIGATE if folded[-1] in harmless else Effect.ACTIVATE
