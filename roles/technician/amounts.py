"""What the text of a script amounts to, in the words of the safety policy: one effect for each class of its commands."""

from __future__ import annotations

from protocol import Action, GUIElement, RunScript, VisualState
from roles.effects import Effect, effect_of
from roles.technician.risk import ORDER, RiskClass, risks_of

_EFFECTS: dict[RiskClass, tuple[Effect, ...]] = {
    RiskClass.FILES: (Effect.OBSERVE,),
    RiskClass.PROCESS: (Effect.ACTIVATE,),
    RiskClass.OUTSIDE: (Effect.ACTIVATE,),
    RiskClass.NETWORK: (Effect.SEND,),
    RiskClass.PRIVILEGE: (Effect.PERMISSION,),
    # What cannot be told may be anything: each rule against one of these is a rule against it.
    RiskClass.OBFUSCATED: (Effect.ACTIVATE, Effect.SEND, Effect.PERMISSION),
}


def effects_of(action: Action, element: GUIElement | None, state: VisualState) -> tuple[Effect, ...]:
    """All that an action may amount to, the worst first. Only a script amounts to several things."""
    if not isinstance(action, RunScript):
        return (effect_of(action, element, state),)
    kinds = {risk.kind for risk in risks_of(action.language, action.code)} or {RiskClass.FILES}
    worst_first = sorted(kinds, key=ORDER.index, reverse=True)
    return tuple(dict.fromkeys(effect for kind in worst_first for effect in _EFFECTS[kind]))
