"""Actions in the apps' own words, for a harness that plays a world however it shows itself. Nothing here is for a role."""

from __future__ import annotations

from collections.abc import Sequence

from environments.simulated.input.pointer import pools
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import state_of
from environments.simulated.turn.turn import Turn
from environments.simulated.world.world import World
from protocol import Action, ActionTarget, Drag, GUIElement, TargetError, VisualState, resolve


def meant(world: World, action: Action) -> Action:
    """The same action on what its texts mean in the apps' own words; unchanged where nothing on the screen is called so."""
    turn = Turn(world, ())
    changes: dict[str, ActionTarget] = {}
    if action.target is not None:
        changes["target"] = _target(turn, action.target)
    if isinstance(action, Drag):
        changes["to"] = _target(turn, action.to)
    return action.model_copy(update=changes) if changes else action


def _target(turn: Turn, target: ActionTarget) -> ActionTarget:
    if not target.text or target.track_id or target.element_id:
        return target
    for pool in (*pools(turn, target), turn.screen.order):
        try:
            found = resolve(target, _own(turn, pool))
        except TargetError as problem:
            if problem.candidates:
                return target
            continue
        if found.element_id:
            return ActionTarget(track_id=turn.screen.at(found.element_id).element.track_id, description=target.text)
    return target


def _own(turn: Turn, pool: Sequence[ShownElement]) -> VisualState:
    return state_of([_worded(shown) for shown in pool], turn.desk)


def _worded(shown: ShownElement) -> GUIElement:
    own = shown.widget.own or shown.widget
    return shown.element.model_copy(update={"text": own.text, "placeholder": own.placeholder, "options": own.options})
