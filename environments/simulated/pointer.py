"""What a pointer does: clicking, choosing, dragging and scrolling."""

from __future__ import annotations

from collections.abc import Sequence

from environments.simulated.app import Dropped, Opened
from environments.simulated.apps import APPS
from environments.simulated.screen import TASK_BAR, TITLE_BAR, Shown, screen_of
from environments.simulated.turn import Refused, Turn
from environments.simulated.widgets import FIELDS
from protocol import ActionTarget, Resolved, Scroll, TargetError, VisualState, resolve

NOTCH = 60


def find(turn: Turn, target: ActionTarget) -> tuple[Shown, Resolved]:
    """The thing a target means; while a dialog is open, the dialog is asked first."""
    screen = turn.screen
    if screen.top:
        inside = tuple(s.element for s in screen.shown.values() if s.layer == screen.top)
        try:
            return _found(turn, target, VisualState.model_construct(elements=inside))
        except TargetError as problem:
            if problem.candidates:
                raise Refused(str(problem)) from None
    try:
        return _found(turn, target, screen.state)
    except TargetError as problem:
        busy = turn.desk.front if screen.state.loading else None
        raise Refused(f"{APPS[busy].title} is loading; wait" if busy else str(problem)) from None


def _found(turn: Turn, target: ActionTarget, state: VisualState) -> tuple[Shown, Resolved]:
    resolved = resolve(target, state)
    if not resolved.element_id:
        raise Refused(f"nothing stands at {target.describe()}")
    return turn.screen.shown[resolved.element_id], resolved


def usable(turn: Turn, shown: Shown) -> None:
    """Refuse what no pointer can reach: beneath a dialog, or scrolled out."""
    if shown.layer < turn.screen.top:
        raise Refused(f'a dialog "{turn.desk.dialogs[-1].title}" is open; answer it first')
    if not shown.element.visible:
        box = shown.element.bbox
        way = "up" if box and box.y1 < TITLE_BAR else "down"
        raise Refused(f'"{shown.name}" is scrolled out of view; scroll {way}')


def actor_of(shown: Shown) -> Shown | None:
    """The nearest thing around that reacts to a click: a row for its cells."""
    here: Shown | None = shown
    while here and not here.widget.interactive:
        here = here.above
    return here


def form_of(shown: Shown) -> Shown | None:
    here: Shown | None = shown
    while here and here.widget.role != "form":
        here = here.above
    return here


def enabled(turn: Turn, shown: Shown) -> None:
    """Refuse a disabled control, with the field that keeps it so if one does."""
    if shown.widget.enabled:
        return
    around = form_of(shown)
    reason = ""
    for other in turn.screen.shown.values():
        if around and other.widget.role in FIELDS and form_of(other) is around:
            if other.widget.required and other.widget.value in ("", "false", None):
                reason = f'; "{other.name}" is required'
                break
            if other.widget.invalid:
                reason = f'; "{other.name}" is not valid'
                break
    raise Refused(f"{shown.name} is disabled{reason}")


def click(turn: Turn, shown: Shown, count: int, button: str) -> None:
    actor = actor_of(shown)
    if actor is None or button != "left":
        # Clicking plain text takes the focus away; two or three clicks select it.
        turn.move_focus("")
        turn.clicked(shown)
        turn.change(selection=shown.widget.text or "" if count > 1 else "")
        return
    enabled(turn, actor)
    swallowed = turn.swallows(actor)
    value = actor.widget.value or ""
    turn.move_focus(str(actor.element.track_id), caret=len(value), anchor=0 if count > 1 and value else None)
    if swallowed:
        return
    if actor.widget.role in FIELDS:
        turn.fault(actor)
        turn.clicked(actor)
    if actor.widget.role == "checkbox":
        turn.edit(actor, "false" if value == "true" else "true")
    elif actor.widget.role not in FIELDS:
        _press(turn, actor, count)


def _press(turn: Turn, actor: Shown, count: int) -> None:
    if actor.widget.press:
        turn.press(actor)
    if actor.widget.opens and count > 1 and actor.element.app:
        turn.tell(actor.element.app, Opened(actor.widget.key))


def choose(turn: Turn, shown: Shown, options: Sequence[str]) -> None:
    """Choose what the action names: no list here takes more than one."""
    if len(options) > 1:
        raise Refused(f'"{shown.name}" takes one option, not {len(options)}')
    select(turn, shown, options[0])


def select(turn: Turn, shown: Shown, option: str) -> None:
    """Choose one of a combobox's options; case and spacing do not matter."""
    if shown.widget.role != "combobox":
        raise Refused(f'"{shown.name}" has no options; it is a {shown.widget.role}')
    enabled(turn, shown)
    wanted = " ".join(option.split()).casefold()
    exact = [o for o in shown.widget.options if o == option]
    found = exact or [o for o in shown.widget.options if " ".join(o.split()).casefold() == wanted]
    if not found:
        raise Refused(f'"{shown.name}" has no option {option!r}; options are: {", ".join(shown.widget.options)}')
    turn.move_focus(str(shown.element.track_id))
    turn.edit(shown, found[0])


def drag(turn: Turn, shown: Shown, to: ActionTarget) -> None:
    onto, _ = find(turn, to)
    usable(turn, onto)
    source = _ancestor(shown, "drag")
    place = _ancestor(onto, "drop")
    if source is None or source.element.app is None:
        raise Refused(f'"{shown.name}" cannot be dragged')
    if place is None or place.element.track_id == source.element.track_id:
        raise Refused(f'nothing can be dropped on "{onto.name}"')
    turn.fault(source)
    turn.tell(source.element.app, Dropped(source.widget.key, place.widget.key))


def _ancestor(shown: Shown, trait: str) -> Shown | None:
    here: Shown | None = shown
    while here and not getattr(here.widget, trait):
        here = here.above
    return here


def scroll(turn: Turn, action: Scroll) -> None:
    desk, front = turn.desk, turn.desk.front
    if desk.dialogs:
        raise Refused(f'a dialog "{desk.dialogs[-1].title}" is open; answer it first')
    if front is None:
        raise Refused("no window is open; there is nothing to scroll")
    page = desk.size[1] - TITLE_BAR - TASK_BAR
    pixels = round(action.delta.y * {"notch": NOTCH, "px": 1, "page": page}[action.unit])
    was = desk.scroll.get(front, 0)
    to = min(max(0, was + pixels), turn.screen.overflow)
    if to == was:
        turn.output = "already at the end" if action.delta.y > 0 else "already at the top"
    turn.change(scroll={**desk.scroll, front: to})


def into_view(turn: Turn, shown: Shown) -> None:
    """Scroll so that a thing that got the focus by key can be seen."""
    front, box = turn.desk.front, shown.element.bbox
    if front is None or box is None or shown.element.visible:
        return
    offset = turn.desk.scroll.get(front, 0) + box.center.y - turn.desk.size[1] // 2
    turn.change(scroll={**turn.desk.scroll, front: min(max(0, offset), screen_of(turn.world).overflow)})
