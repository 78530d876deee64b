"""What becomes known to the desktop when messages arrive."""

from __future__ import annotations

from collections.abc import Iterable

from environments.simulated.app import Effect, Later, Notify, Toast
from environments.simulated.apps.chat_state import ChatState
from environments.simulated.apps.chat_talk import Coming


def effects_of(state: ChatState, news: Iterable[Coming]) -> tuple[Effect, ...]:
    """A short notice of what is not on the screen anyway, unless it is muted; invitations go to the calendar."""
    effects: list[Effect] = []
    for one in news:
        talk = state.conversations[one.conversation]
        if not talk.muted and state.open != one.conversation:
            effects.append(Toast(f"New message from {one.sender}"))
        if one.invite is not None:
            effects.append(Notify("calendar", "invitation", {**one.invite.model_dump(), "from": one.sender}))
    return tuple(effects)


def awaited(before: ChatState, after: ChatState) -> tuple[Effect, ...]:
    """For each answer that is on its way since then: the moment at which it is there, if nothing happens in the app earlier."""
    return tuple(Later(float(one.after), "answers", {}) for one in after.coming if one not in before.coming)
