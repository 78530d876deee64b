"""What a person would notice after an action: the difference of two screens as events, and what is said against the action."""

from __future__ import annotations

import re
from collections.abc import Sequence

from environments.contract import Environment, type_of
from protocol import Action, ActionResult, GUIElement, VisualState
from roles.contracts import StepRecord
from roles.safety.effects import SENSITIVE, Effect

_NAMED = SENSITIVE | {Effect.SAVE}
_LONG = 240


def effect_verb(action: Action, effect: str) -> str:
    """What the step amounts to: submit, send, save, delete, ... or just the action's verb."""
    return effect if effect in {e.value for e in _NAMED} else action.verb


def target_name(action: Action) -> str:
    """What a step records as its target: the control, or the application."""
    if action.target is not None:
        return action.target.describe()
    return str(action.parameters.get("app") or action.parameters.get("window") or "")


def screen_events(before: VisualState | None, after: VisualState) -> list[dict[str, str]]:
    """Events as `{kind, text}`: popup, loading, validation, alert, status, navigation."""
    known = {(e.role, e.text) for e in before.elements} if before is not None else set()
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
        if element.role in {"alert", "status"} and element.text and (element.role, element.text) not in known:
            kind = "validation" if element.role == "alert" and any_invalid else str(element.role)
            events.append({"kind": kind, "text": element.text})
    if before is not None and (before.app != after.app or _heading(before) != _heading(after)):
        events.append({"kind": "navigation", "text": " / ".join(part for part in (after.app, _heading(after)) if part)})
    return [{"kind": e["kind"], "text": e["text"][:_LONG]} for e in events[:8]]


def told_by(environment: Environment, action: Action, result: ActionResult) -> list[dict[str, str]]:
    """What a browser tells that no screen shows: files, new tabs, answered dialogs, requests that were stopped."""
    if action.inner or not result.output or type_of(environment) != "browser":
        return []
    return [{"kind": "told", "text": " ".join(result.output.split())[:_LONG]}]


def _heading(state: VisualState) -> str:
    return next((e.name for e in state.elements if e.role == "heading" and e.visible), "")


def _dialog_text(state: VisualState) -> str:
    """Title and words of the dialog on top."""
    if state.modal is None:
        return ""
    dialog = state.by_id.get(state.modal)
    words = [dialog.name if dialog else "", *(e.name for e in state.children(state.modal) if e.role != "button")]
    return " - ".join(dict.fromkeys(w for w in words if w))


_SAID = frozenset(
    {"alert", "status", "heading", "text", "paragraph", "log", "tooltip", "listitem", "cell", "dialog", "alertdialog"}
)
_NO = re.compile(
    r"\b(?:(?:was|were|is|are|has|have|could|can|did|does|do)\s?(?:not|n[’']t)\s+(?:be\s+|been\s+)?(?:saved|sent|stored|submitted|changed|"
    r"updated|completed|processed|accepted|found|valid|available|allowed|permitted|authori[sz]ed|match|recogni[sz]ed?|load(?:ed)?|possible|"
    r"save|send|update|submit|complete|process|sign|log)|cannot\s+be\s+\w+|could\s?n[o’']t\s+\w+|(?:was|were)\s+unable to|"
    r"^unable to\b|"
    r"\w+ failed\b|(?:an?|internal|server|unexpected|unknown|fatal)\s+error\b|^error\b|went wrong|has expired|session expired|"
    r"(?:wrong|incorrect|invalid)\s+(?:user|password|e-?mail|login|name|code|credentials|input|value|date|number|address|pin|format)|"
    r"(?:access|permission|request) (?:was )?denied|^forbidden\b|page not found|service unavailable|(?:has |was )?timed out|"
    r"already (?:taken|exists|in use|registered)|\bis sold out)|"
    r"\b(?:konnten? nicht|(?:nicht|kein\w*) (?:gespeichert|gesendet|möglich|gefunden)|fehlgeschlagen|ist ein fehler|"
    r"ungültige?[srn]?\b|"
    r"falsches? (?:passwort|kennwort)|ist abgelaufen)|\b(?:une erreur|a échoué|mot de passe incorrect|a expiré)\b|"
    r"\b(?:no se pudo|contraseña incorrecta|ha caducado)\b|エラーが|失敗しました|できませんでした|错误|失败|无法|خطأ|فشل",
    re.IGNORECASE,
)
"""Words of any text that is new."""
_ASKS = re.compile(
    r"\b(?:is|are)\s+(?:required|invalid|incorrect|wrong|missing)|please\b|must\b|try again|"
    r"too (?:short|long|many|large)|not enough|"
    r"\b(?:erforderlich|bitte)\b|\b(?:obligatoire|veuillez|obligatorio|por favor)\b|ください|请",
    re.IGNORECASE,
)
"""Words that say no where the page gives an alarm; elsewhere they may say what comes next."""
PAGE_SAYS_NO = "the page says after the last press"
"""How a finding begins that tells such words."""
_LONGEST = 240
"""A longer text tells a story, and says little about the last press."""


def refusal(before: VisualState | None, after: VisualState) -> str:
    """The words by which the page says that it did not do it; empty where it says nothing of the kind."""
    known = {(e.element_id, _words(e)) for e in before.elements} if before is not None else set()
    for element in after.elements:
        words = _words(element)
        if element.role not in _SAID or not words or len(words) > _LONGEST or (element.element_id, words) in known:
            continue
        if _NO.search(words) or (element.role == "alert" and _ASKS.search(words)):
            return words
    return ""


def _words(element: GUIElement) -> str:
    return " ".join(element.name.split())


_NO_TO_IT = re.compile(r"(?:cancel|stay|no|go back|keep\b.*|abbrechen|nein|zurück|取消)[.!]?$", re.IGNORECASE)
"""Answers that call off what was asked about; what only closes an advertisement is none."""
PAGE_ASKED = "the page asked"
"""How a finding begins that tells such a question."""
_PRESSES = frozenset({"click", "press_key"})


def called_off(step: StepRecord, steps: Sequence[StepRecord]) -> str:
    """That the page asked before it did what the step was for, and was not told yes; empty where nothing was called off."""
    for answer in (s for s in steps if s.step > step.step and s.action.get("action_type") in _PRESSES):
        asked = next((event.partition(" ")[2] for event in step.events if event.startswith("popup:")), "")
        if not asked or answer.exec_status != "executed":
            return ""
        said = answer.target.strip() or "+".join(map(str, answer.action.get("keys", [])))
        if said == "Escape" or _NO_TO_IT.match(said):
            return f'{PAGE_ASKED} "{asked}", and the answer was "{said}"'
        step = answer  # it was told yes, and may ask on
    return ""
