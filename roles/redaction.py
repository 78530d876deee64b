"""Keeping private content out of everything that is written: events, observations, logs, reports."""

from __future__ import annotations

from typing import Any

from protocol import VisualState
from roles.safety import SafetyPolicy

MASK = "•••"


class Redactor:
    """Learns the content of private fields as they are seen or filled, and masks it wherever it turns up again."""

    def __init__(self, policy: SafetyPolicy) -> None:
        self._policy = policy
        self._secrets: set[str] = set()

    def learn(self, state: VisualState) -> None:
        """Remember what the private fields of `state` hold."""
        for element in state.elements:
            if element.value and self._policy.is_private(element):
                self.keep(element.value)

    def keep(self, secret: str) -> None:
        """Remember one value; very short ones would mask half of every text and are masked in their field only."""
        if len(secret.strip()) >= 4:
            self._secrets.add(secret.strip())

    def screen(self, state: VisualState) -> VisualState:
        """`state` as it may be written."""
        self.learn(state)
        if not self._secrets and not any(e.value and self._policy.is_private(e) for e in state.elements):
            return state
        elements = []
        for element in state.elements:
            hidden = MASK if element.value and self._policy.is_private(element) else self.text(element.value)
            shown = {"value": hidden, "text": self.text(element.text), "placeholder": self.text(element.placeholder)}
            elements.append(element.model_copy(update=shown | {"options": tuple(self.body(element.options))}))
        windows = tuple(w.model_copy(update={"title": self.text(w.title)}) for w in state.windows)
        return state.model_copy(update={"elements": tuple(elements), "windows": windows})

    def text(self, text: str | None) -> str | None:
        if text is None or not self._secrets:
            return text
        for secret in sorted(self._secrets, key=len, reverse=True):  # one secret may be a part of another
            text = text.replace(secret, MASK)
        return text

    def body(self, value: Any) -> Any:
        """`value` (JSON) with every secret masked."""
        if not self._secrets:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.body(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.body(item) for item in value]
        return value
