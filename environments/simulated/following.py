"""What follows an action: the rules that are due, and a desk that is consistent again."""

from __future__ import annotations

from contextlib import suppress

from pydantic import ValidationError

from environments.simulated.app import Arrived, Dialog
from environments.simulated.apps import APPS
from environments.simulated.events import Edit, Popup, Rule, due, set_in
from environments.simulated.screen import screen_of
from environments.simulated.turn import Turn
from environments.simulated.values import slug
from environments.simulated.world import Armed, World


def follow(turn: Turn) -> None:
    """Apply every rule that is due, in the order of the file. What they cause counts at the next action."""
    happened, front = tuple(turn.happened), turn.desk.front
    for index, rule in enumerate(turn.rules):
        fired = turn.desk.fired.get(index, 0)
        if due(rule, fired, turn.desk.actions, turn.desk.clock, front, happened):
            turn.change(fired={**turn.desk.fired, index: fired + 1})
            _apply(turn, index, rule)


def _apply(turn: Turn, index: int, rule: Rule) -> None:
    if rule.popup:
        turn.open_dialog(_dialog(rule.popup))
    elif rule.loading:
        turn.move_focus("")
        turn.change(loading={**turn.desk.loading, rule.loading.app: turn.desk.clock + rule.loading.seconds})
    elif rule.rename:
        names = turn.desk.names
        of_app = {**names.get(rule.rename.app, {}), rule.rename.label: rule.rename.to}
        turn.change(names={**names, rule.rename.app: of_app})
    elif rule.edit:
        with suppress(KeyError, ValidationError):  # what was to be edited may be gone by now
            turn.world = edited(turn.world, rule.edit)
    elif rule.mail:
        turn.tell("mail", Arrived("mail", {"from": rule.mail.sender, "subject": rule.mail.subject, "body": rule.mail.body}))
    elif fault := rule.swallow or rule.fail or rule.crash:
        turn.change(armed=(*turn.desk.armed, Armed(rule=index, left=fault.times)))


def _dialog(popup: Popup) -> Dialog:
    default = popup.default or (popup.buttons[0] if popup.harmless else None)
    escape = popup.buttons[-1] if popup.harmless else None
    return Dialog(
        key=slug(popup.title),
        title=popup.title,
        text=popup.text,
        buttons=popup.buttons,
        default=default,
        escape=escape,
        kind=popup.kind,
    )


def edited(world: World, edit: Edit) -> World:
    """The world after somebody else's change. Raises KeyError or pydantic.ValidationError when it does not fit."""
    state = world.apps[edit.app]
    data = set_in(state.model_dump(mode="json"), edit.keys, edit.value)
    changed = APPS[edit.app].state.model_validate(data)
    head = edit.keys[0]
    # Only the field that changed is taken over: the others stay the same objects, which the store goes by.
    return world.with_app(edit.app, state.model_copy(update={head: getattr(changed, head)}))


def settled(before: World, world: World) -> World:
    """Focus and scrolling that fit what is shown now: a new page starts at its top, and nothing that is gone has the focus."""
    desk, front = world.desk, world.desk.front
    screen = screen_of(world)
    focused = screen.by_track.get(desk.focus)
    if desk.focus and (focused is None or not focused.widget.enabled or focused.layer != screen.top):
        desk = desk.model_copy(update={"focus": "", "caret": 0, "anchor": None})
    if front is not None:
        offset = desk.scroll.get(front, 0)
        kept = 0 if front == before.desk.front and _page(before) != _page(world) else min(offset, screen.overflow)
        if kept != offset:
            desk = desk.model_copy(update={"scroll": {**desk.scroll, front: kept}})
    return world if desk is world.desk else World(desk, world.apps)


def _page(world: World) -> str | None:
    return next(
        (s.element.track_id for s in screen_of(world).shown.values() if s.widget.role == "heading" and s.layer == 0), None
    )
