"""A person's hands in a run, here or on another machine: the same lines are typed, and the same is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from orchestrator.control.hands import Hands
from orchestrator.desk.client.remote import Remote, path_of
from orchestrator.errors import UsageProblem
from orchestrator.runs.privacy.clean import clean
from protocol.dsl import DSLError, parse_line
from protocol.prompt_form import whole_form

_SHOWN = 600
"""Tokens of a screen that is shown here."""
_ROWS = 80
"""Elements of one that is shown from there."""


class Acting(Protocol):
    """Somewhere to act by hand."""

    def shown(self) -> str:
        """The screen in words."""

    def done(self, line: str) -> str:
        """Do what a line of the DSL says; why it could not be done, or nothing."""


class Here:
    """In a run of this machine."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def shown(self) -> str:
        return whole_form(self._hands.look(), budget=_SHOWN).text

    def done(self, line: str) -> str:
        try:
            result = self._hands.do(parse_line(line))
        except DSLError as bad:
            return bad.message
        return "" if result.ok else result.error or "it could not be done"


class There:
    """In a run of a desk. Its screen is shown as it was kept after the last action, private content left out."""

    def __init__(self, remote: Remote, run_id: str) -> None:
        self._remote, self._run_id = remote, run_id
        self._state = ""

    def shown(self) -> str:
        state = self._state or self._last()
        if not state:
            return "No screen was kept yet."
        seen = self._remote.get(f"{path_of(self._run_id)}/screens/{state}/elements")
        lines = list(_lines(seen["elements"]))
        more = [f"and {len(lines) - _ROWS} more"] if len(lines) > _ROWS else []
        return "\n".join([f"# {clean(seen['app'] or 'desktop', 80)}: {len(lines)} elements", *lines[:_ROWS], *more])

    def done(self, line: str) -> str:
        try:
            parse_line(line)
        except DSLError as bad:
            return bad.message
        came = self._remote.post(f"{path_of(self._run_id)}/act", {"action": line})
        self._state = str(came["state_id"])
        return str(came["error"])

    def _last(self) -> str:
        states = [str(event.body["state_id"]) for event in self._remote.past(self._run_id) if event.body.get("state_id")]
        return states[-1] if states else ""


def _lines(elements: list[list[Any]]) -> Iterator[str]:
    for element in elements:
        try:
            role, text, value = (clean(part or "", 120) for part in element[4:7])
        except ValueError:
            raise UsageProblem("The desk shows screens in another way; is it of the same version?") from None
        if text or value:
            yield f"{role} {text!r}" + (f" = {value!r}" if value else "")
