"""What an action aims at, told by the screen that it was chosen on.

The clock goes on with every action, and a message that has run out by then moves the numbers of what comes after it. An
element id is a number of one screen, so it is read on the screen before; the result names what it was by the same numbers.
"""

from __future__ import annotations

from environments.simulated.screen import Screen, screen_of
from environments.simulated.world import World
from protocol import Action, ActionTarget, Drag, Resolved


def renumbered(before: World, after: World) -> bool:
    """Whether the time that passed between the two can have moved element ids."""
    return before.desk.messages != after.desk.messages or before.desk.loading != after.desk.loading


def pinned(before: World, action: Action) -> Action:
    """The same action, its element ids joined by the track ids that they stand for; a track id names a thing on any screen."""
    screen = screen_of(before)
    changes: dict[str, ActionTarget] = {}
    if action.target is not None:
        changes["target"] = _pinned(screen, action.target)
    if isinstance(action, Drag):
        changes["to"] = _pinned(screen, action.to)
    return action.model_copy(update=changes) if changes else action


def _pinned(screen: Screen, target: ActionTarget) -> ActionTarget:
    of_another = target.state_id is not None and target.state_id != screen.state.state_id
    if target.track_id or not target.element_id or of_another or target.element_id not in screen.state.by_id:
        return target
    track = screen.at(target.element_id).element.track_id
    return target.model_copy(update={"track_id": track, "element_id": None})


def as_seen(before: World, after: World, resolved: Resolved, target: ActionTarget | None) -> Resolved:
    """What was found for `target`, by the number that it had on the screen before; unchanged where it was not there yet."""
    if not resolved.element_id or resolved.element_id not in screen_of(after).state.by_id:
        return resolved
    track = screen_of(after).at(resolved.element_id).element.track_id
    shown = screen_of(before).track(track) if track else None
    if shown is None:
        return resolved
    number = {"element_id": shown.element.element_id}
    by_number = target is not None and target.element_id and not target.track_id
    return resolved.model_copy(
        update={
            **number,
            "tier": "element_id" if by_number else resolved.tier,
            "known": resolved.known and resolved.known.model_copy(update=number),
        }
    )
