"""What opens when a pointer comes near and closes when it goes elsewhere: menus, sheets, lists of proposals."""

from __future__ import annotations

from environments.simulated.app import Away, Context, Hovered
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.panels import proposals, taken
from environments.simulated.screen.widgets import Widget
from environments.simulated.turn.turn import Turn


def around(shown: ShownElement | None, trait: str) -> ShownElement | None:
    """The nearest thing around, itself included, that has this trait of a widget."""
    while shown and not getattr(shown.widget, trait):
        shown = shown.above
    return shown


def rested(turn: Turn, shown: ShownElement) -> None:
    """The pointer came to rest: what hovers hears of it, and what had opened hears that the pointer is elsewhere."""
    actor = around(shown, "hovers")
    if actor and actor.widget.enabled and actor.element.app:
        turn.tell(actor.element.app, Hovered(actor.widget.key))
    else:
        went_away(turn, shown, pressed=False)


def went_away(turn: Turn, shown: ShownElement, *, pressed: bool) -> None:
    """Tell the app in front when something floats there and the pointer is not on it, nor on what opened it."""
    front = turn.desk.front
    if front is None or shown.layer or not any(s.widget.floats and s.element.app == front for s in turn.screen.panels[0].shown):
        return
    if around(shown, "floats") is None and around(shown, "expanded") is None:
        turn.tell(front, Away(pressed))


def asked(turn: Turn, shown: ShownElement) -> bool:
    """A right click or a long press: whether anything around has a menu of its own."""
    actor = around(shown, "context")
    if actor is None or actor.element.app is None or not actor.widget.enabled:
        return False
    turn.move_focus(str(actor.element.track_id))
    turn.tell(actor.element.app, Context(actor.widget.key))
    return True


def offers(turn: Turn) -> tuple[str, ...]:
    """What the field that has the focus proposes at this moment."""
    shown = turn.focused
    return () if shown is None or turn.desk.mark is None or shown.layer else proposals(shown.widget)


def offer(turn: Turn) -> None:
    """Open the list of the field that was just written into; it closes when there is nothing more to propose."""
    shown = turn.focused
    wanted = bool(shown and shown.widget.value and not shown.widget.value.rstrip().endswith((",", ";")))
    turn.change(mark=-1 if shown and wanted and not shown.layer and proposals(shown.widget) else None)


def step_offer(turn: Turn, shown: ShownElement, by: int) -> None:
    """Mark the next proposal; the first step opens the list."""
    found = proposals(shown.widget)
    if not found or shown.layer:
        return
    mark = turn.desk.mark
    turn.change(mark=(0 if by > 0 else len(found) - 1) if mark is None or mark < 0 else (mark + by) % len(found))


def take(turn: Turn, option: str) -> None:
    """Put a proposal into the field that has the focus."""
    shown = turn.focused
    if shown is not None:
        value = taken(shown.widget.value or "", option)
        turn.edit(shown, value)
        turn.change(caret=len(value), anchor=None, mark=None)


def is_offer(widget: Widget) -> bool:
    return widget.role == "option" and ".proposal-" in widget.key
