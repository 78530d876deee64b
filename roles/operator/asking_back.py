"""A question to which the page wants yes or no before it does what a press of the crew's has begun."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from protocol import ActionTarget, Click, GUIElement, VisualState
from roles.contracts import StepRecord
from roles.effects import SENSITIVE, Effect, effect_of, effect_of_words
from roles.rules.dialogs import dismiss_choice

_PAIRS = ({"ok": "cancel"}, {"leave": "stay"})
_PRESSES = frozenset({"click", "press_key"})
_WAITS = frozenset({"wait", "screenshot"})
_SPOKEN = re.compile(
    r"\b(?:accept|confirm|agree to|dismiss|decline|answer)\w*\b.*\b(?:dialog|pop-?up|question|prompt|message|alert)",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """What is asked, and the control that says yes and the one that says no."""

    words: str
    yes: GUIElement
    no: GUIElement

    def answered_in(self, goal: str) -> bool:
        """Whether the goal says itself what is to be pressed."""
        return _SPOKEN.search(goal) is not None or any(
            re.search(rf"\b{re.escape(button.name)}\b", goal, re.IGNORECASE) for button in (self.yes, self.no)
        )

    def goes_on_with(self, press: StepRecord, seen: VisualState) -> bool:
        """Whether yes is no more than what the press was for; what is graver is left to the safest answer."""
        effect = effect_of(Click(target=ActionTarget.of(self.yes)), self.yes, seen)
        return effect not in SENSITIVE or press.verb == effect.value or effect_of_words(press.target) in (None, Effect.CONFIRM)


def question_of(dialog: GUIElement, inside: Sequence[GUIElement]) -> Question | None:
    """The question that a dialog of two plain answers puts, and that wants no words."""
    buttons = {e.name.strip().casefold(): e for e in inside if e.role == "button" and e.enabled}
    if any(e.role in {"textbox", "searchbox"} for e in inside):
        return None
    for pair in _PAIRS:
        for yes, no in pair.items():
            if set(buttons) == {yes, no}:
                said = " - ".join(dict.fromkeys(e.name for e in (dialog, *inside) if e.name and e.role != "button"))
                return Question(said[:200], buttons[yes], buttons[no])
    return None


def repeats(press: StepRecord, dialog: GUIElement, inside: Sequence[GUIElement]) -> bool:
    """Whether the dialog offers the verb of the press again (`Close`, `Close ticket`), and a way out of it."""
    verb = press.target.casefold().split()[:1]
    again = [e for e in inside if e.role == "button" and e.enabled and e.name.casefold().split()[:1] == verb]
    return bool(verb and again) and dismiss_choice(dialog, [e for e in inside if e not in again]) is not None


def brought_up_by(seen: VisualState, steps: Sequence[StepRecord]) -> StepRecord | None:
    """The crew's own press that the open dialog followed at once, where the goal wanted that press."""
    last = next((s for s in reversed(steps) if s.action["action_type"] not in _WAITS), None)
    if last is None or last.recovery or last.action["action_type"] not in _PRESSES:
        return None
    return last if any(event.startswith("popup:") for event in last.events) else None
