"""What a person would notice after an action, as events; and modal dialogs: their kind, the safe button, the one that agrees."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Literal, cast

from environments.contract import Environment, type_of
from protocol import Action, ActionResult, GUIElement, VisualState
from roles.safety.effects import SENSITIVE, Effect
from roles.screen.language.words import table
from roles.screen.screens import FIELD_ROLES, PRESS_ROLES, Screen
from roles.screen.texts import begins, fold, words

_NAMED_EFFECTS = SENSITIVE | {Effect.SAVE}
_LONG = 240


def effect_verb(action: Action, effect: str) -> str:
    """What the step amounts to: submit, send, save, delete, ... or just the action's verb."""
    return effect if effect in {e.value for e in _NAMED_EFFECTS} else action.verb


def target_name(action: Action) -> str:
    """What a step records as its target: the control, or the application."""
    if action.target is not None:
        return action.target.describe()
    return str(action.parameters.get("app") or action.parameters.get("window") or "")


def screen_events(before: VisualState | None, after: VisualState) -> list[dict[str, str]]:
    """Events as `{kind, text}`: popup, loading, validation, alert, status, navigation."""
    known = Counter((e.role, e.text) for e in before.elements) if before is not None else Counter()
    events: list[dict[str, str]] = []
    if after.modal is not None and (before is None or _dialog_text(before) != _dialog_text(after)):
        events.append({"kind": "popup", "text": _dialog_text(after)})
    if after.loading:
        events.append({"kind": "loading", "text": f"{after.app} is loading"})
    invalid = {e.name for e in before.elements if e.invalid} if before is not None else set()
    fresh = [e for e in after.elements if e.invalid and e.name not in invalid]
    events += [{"kind": "validation", "text": f"{e.name or e.element_id} is not valid"} for e in fresh]
    any_invalid = any(e.invalid for e in after.elements)
    for element in after.elements:
        if element.role not in {"alert", "status"} or not element.text:
            continue
        known[element.role, element.text] -= 1
        if known[element.role, element.text] < 0:  # the same message may come once more while it still stands there
            kind = "validation" if element.role == "alert" and any_invalid else str(element.role)
            events.append({"kind": kind, "text": element.text})
    if before is not None and (before.app != after.app or heading(before) != heading(after)):
        events.append({"kind": "navigation", "text": " / ".join(part for part in (after.app, heading(after)) if part)})
    return [{"kind": e["kind"], "text": e["text"][:_LONG]} for e in events[:8]]


def told_by(environment: Environment, action: Action, result: ActionResult) -> list[dict[str, str]]:
    """What a browser tells that no screen shows: files, new tabs, answered dialogs, requests that were stopped."""
    if action.inner or not result.output or type_of(environment) != "browser":
        return []
    return [{"kind": "told", "text": " ".join(result.output.split())[:_LONG]}]


def heading(state: VisualState) -> str:
    """What stands over the page."""
    return next((e.name for e in state.elements if e.role == "heading" and e.visible), "")


def _dialog_text(state: VisualState) -> str:
    """Title and words of the dialog on top."""
    if state.modal is None:
        return ""
    dialog = state.by_id[state.modal]
    words = [dialog.name, *(e.name for e in state.within(dialog) if e.role != "button")]
    return " - ".join(dict.fromkeys(w for w in words if w))


DialogKind = Literal["harmless", "security", "permission", "payment", "consent", "account", "confirm", "unknown"]

HARMLESS: DialogKind = "harmless"

_NAMED = re.compile(r"[\w/-]+\.\w{2,4}\b|\"[^\"]*\"|“[^”]*”")
"""Names of files and quoted titles: what a thing is called says nothing about what a dialog does."""
GRAVE = frozenset({"payment", "account", "permission", "security"})
"""Kinds to which the crew never says yes by itself."""


@cache
def _words(name: str, whole: bool = False) -> re.Pattern[str]:
    """A pattern of the lexicon; of a name as a whole."""
    every = "|".join(table("dialogs")["kinds"].get(name) or table("dialogs")[name])
    return re.compile(rf"^(?:{every})[.!]?$" if whole else every, re.IGNORECASE)


def dialog_text(dialog: GUIElement, children: Sequence[GUIElement]) -> str:
    """Its title and what it says; the names of its buttons do not count."""
    texts = [dialog.name, *(e.name for e in children if e.role not in PRESS_ROLES)]
    return " ".join(dict.fromkeys(t for t in texts if t))


def classify_dialog(dialog: GUIElement, children: Sequence[GUIElement]) -> DialogKind:
    """What the dialog is about, the gravest reading of its words first. What no rule knows is unknown, never harmless."""
    buttons = [e for e in children if e.role == "button"]
    said = " ".join([dialog_text(dialog, children), *(b.name for b in buttons)])
    said = _NAMED.sub(" ", said)
    if _words("newsletter").search(said) and not _words("money").search(said):
        said = fold(said).replace("subscri", "")  # a newsletter costs nothing, and is declined all the same
    for kind in table("dialogs")["kinds"]:  # the most dangerous reading of a text wins
        if _words(kind).search(said):
            return cast(DialogKind, kind)
    if _words("money").search(said):
        return "payment"
    question = dialog_text(dialog, children).rstrip().endswith(("?", "？"))  # to which OK would say yes
    harmless = [
        _words("out", whole=True).match(b.name.strip())
        or (not question and _words("acknowledge", whole=True).match(b.name.strip()))
        for b in buttons
    ]
    only_ways_out = bool(buttons) and all(harmless)
    asks_for_input = any(e.role in FIELD_ROLES for e in children)
    if not asks_for_input and (only_ways_out or (_words("told").search(said) and dismiss_choice(dialog, children) is not None)):
        return HARMLESS
    return "unknown"


def announces(dialog: GUIElement, children: Sequence[GUIElement]) -> bool:
    """Whether it tells news, a tip or a success by its title, which nobody has to answer; the title of a record is none."""
    titles = [next((e.name for e in (dialog, *children) if e.name), ""), *(e.name for e in children if e.role == "heading")]
    return not any(e.role in FIELD_ROLES for e in children) and _words("told").search(" ".join(titles)) is not None


def dismiss_choice(dialog: GUIElement, children: Sequence[GUIElement]) -> GUIElement | None:
    """The button that changes least: a way out, or a mere acknowledgement when it is the only button; None without either."""
    buttons = [e for e in children if e.role in {"button", "link"} and e.enabled and e.visible]
    for button in buttons:
        if _words("out", whole=True).match(button.name.strip()):
            return button
    if len(buttons) == 1 and _words("acknowledge", whole=True).match(buttons[0].name.strip()):
        return buttons[0]
    return None


def _bare(name: str) -> str:
    return fold(name).strip(" .!")


def _agreed_to(name: str) -> str:
    """What is agreed to: `yes, save it`, but not `yes, but do not save it`."""
    yes, _, rest = name.partition(" ")
    return rest if yes.rstrip(",") in {"yes", "ok", "okay", "sure"} and not begins(rest, ("but", "do not", "don't")) else name


def agree_choice(verb: str, screen: Screen) -> GUIElement | None:
    """In a dialog that the crew's own `verb` brought up: the button that goes on with it; None in one about something else."""
    dialog = screen.dialog
    if dialog is None:
        return None
    buttons = [e for e in screen.elements if e.role == "button" and e.enabled and e.name]
    for alias in table("dialogs")["verbs"].get(verb, (verb,)):
        for button in buttons:
            name = _agreed_to(_bare(button.name))
            if alias not in {"ok", "yes"} and (name == alias or name.startswith(alias + " ")):
                return button
    asked = expected(dialog, screen.elements, verb)
    return next((b for b in buttons if asked and _bare(b.name) in table("dialogs")["agree"]), None)


def expected(dialog: GUIElement, children: Sequence[GUIElement], verb: str) -> bool:
    """Whether the dialog is the question that the crew's own `verb` had to bring up, and no graver one."""
    text = f" {' '.join(words(dialog_text(dialog, children).casefold()))}"
    aliases = table("dialogs")["verbs"].get(verb, (verb,))
    about = any(f" {alias}" in text for alias in aliases if alias != "ok")
    return about and classify_dialog(dialog, children) not in GRAVE
