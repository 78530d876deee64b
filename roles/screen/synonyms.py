"""What controls are called: `Hand in` is Submit, `Following page` is Next; skills know the usual word. Which lead on, or back."""

from __future__ import annotations

import re

from protocol import Action, ActionTarget, GUIElement, VisualState

_CONTROLS = frozenset({"button", "tab", "menuitem", "textbox", "searchbox", "combobox", "checkbox", "switch", "spinbutton"})
_FIELDS = _CONTROLS - {"button", "tab", "menuitem"}
_PRESSED: dict[str, tuple[str, ...]] = {
    "Next": ("following page", "page forward", "forwards", "onward"),
    "Previous": ("earlier page", "page back", "preceding page", "backwards"),
    "Back": ("return", "go back", "one step back"),
    "Search": ("find", "look up", "look for"),
    "Edit": ("modify", "amend", "alter"),
    "Delete": ("erase", "bin", "discard"),
    "Save": ("store", "keep", "keep changes", "store changes"),
    "Submit": ("hand in", "send in", "file it", "turn in"),
    "Send": ("dispatch", "send off", "post it", "send it"),
    "Cancel": ("abort", "never mind", "leave it"),
    "Reply": ("respond", "write back", "answer"),
    "Compose": ("write a mail", "write mail", "new mail"),
    "Rename": ("change name", "change the name", "give another name", "call it otherwise"),
    "Move": ("put elsewhere", "relocate", "shift"),
    "New event": ("schedule", "plan something", "enter an event"),
}  # fmt: skip
_FILLED: dict[str, tuple[str, ...]] = {
    "Title": ("heading", "headline", "event name"),
    "Company": ("employer", "firm", "organisation", "organization"),
    "Notifications": ("alerts", "alerts on"),
    "Attendees": ("guests", "participants", "invited"),
    "Repeats": ("recurs", "recurrence", "comes again", "repetition"),
    "Repeat until": ("recurs until", "ends on", "until"),
    "Start date": ("first day", "begins on", "begin date", "from day"),
    "End date": ("last day", "final day", "ends on day", "to day"),
    "Start time": ("begins at", "begin time", "from hour"),
    "End time": ("ends at", "finish time", "to hour"),
}
_BUTTONS = {other: plain for plain, others in _PRESSED.items() for other in others}
_LABELS = {other: plain for plain, others in _FILLED.items() for other in others}
_TO_SEARCH = re.compile(r"^(?:find|look up|look for)(?=\s)", re.IGNORECASE)
_BEGINNINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^(?:return to|all(?=\s[a-z]+s$))(?=\s)", re.IGNORECASE), "Back to"),
    (re.compile(r"^(?:create|make)(?: an?| the)?(?=\s+(?:new\s+)?[a-z]+$)", re.IGNORECASE), "New"),
    (re.compile(r"^(?:modify|amend|alter)(?=\s)", re.IGNORECASE), "Edit"),
    (re.compile(r"^(?:erase|bin)(?=\s)", re.IGNORECASE), "Delete"),
)


def usual(name: str, role: str = "button") -> str:
    """The usual name of a control that is called `name`."""
    folded = " ".join(name.split()).casefold().rstrip(".…")
    if role in _FIELDS:
        return _LABELS.get(folded) or _TO_SEARCH.sub("Search", name, count=1)
    if folded in _BUTTONS:
        return _BUTTONS[folded]
    for begins, word in _BEGINNINGS if role == "button" else ():
        if begins.match(name):
            return begins.sub(word, name, count=1)
    return name


def plainly_called(state: VisualState, said: str = "") -> VisualState:
    """The same screen with the usual names, unless something there is called so already.

    What links and texts say stays, and so does a name that the words of the instruction, `said`, use themselves.
    """
    taken = {e.name.casefold() for e in state.elements}
    renamed = [e if e.name and e.name.casefold() in said.casefold() else _renamed(e, taken) for e in state.elements]
    if all(new is old for new, old in zip(renamed, state.elements, strict=True)):
        return state
    return state.model_copy(update={"elements": tuple(renamed)})


def _renamed(element: GUIElement, taken: set[str]) -> GUIElement:
    if element.role not in _CONTROLS or not element.name:
        return element
    plain = usual(element.name, element.role)
    return element if plain == element.name or plain.casefold() in taken else element.model_copy(update={"text": plain})


def as_shown(action: Action, state: VisualState) -> Action:
    """`action` with its targets called as they are on the screen."""
    changes: dict[str, ActionTarget] = {}
    for part in ("target", "to"):
        target = getattr(action, part, None)
        element = state.by_id.get(target.element_id or "") if isinstance(target, ActionTarget) else None
        if element is not None and isinstance(target, ActionTarget) and target.text not in {None, element.text}:
            changes[part] = target.model_copy(update={"text": element.text})
    return action.model_copy(update=changes) if changes else action


_BACK = ("back", "back to list", "list", "all", "overview", "cancel")
_ONWARD = frozenset(
    {"next", "next page", "more", "load more", "show more", "view more", "see more", "older", ">", "›", "»", "→",
     "weiter", "nächste", "nächste seite", "mehr", "mehr anzeigen", "mehr laden", "suivant", "page suivante", "voir plus",
     "siguiente", "página siguiente", "ver más"}
)  # fmt: skip


def similarity_next(name: str) -> bool:
    return name.strip().casefold() in _ONWARD


def leads_back(name: str) -> bool:
    """Whether a control of this name returns to where one came from."""
    words = name.casefold().split()
    return bool(words) and (words[0] in {"back", "←", "‹"} or name.casefold() in _BACK)
