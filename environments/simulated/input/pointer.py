"""What a pointer does: clicking, choosing, dragging and scrolling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from environments.simulated.app import Dropped, Expanded, Opened, Scrolled
from environments.simulated.apps import APPS
from environments.simulated.input.ranges import TRACK, at_point
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.popups import around, asked, is_offer, take, went_away
from environments.simulated.screen.screen import screen_of, state_of
from environments.simulated.screen.widgets import FIELDS, INDENT, SWITCHES
from environments.simulated.turn.turn import Refused, Turn
from environments.simulated.world.world import TITLE_BAR
from protocol import ActionTarget, Click, Point, Resolved, Scroll, TargetError, VisualState, resolve
from protocol.model.geometry import Size

NOTCH = 60
LONG_PRESS = 0.5
"""Seconds after which a press is a long one."""
_ROW = 36


def find(turn: Turn, target: ActionTarget) -> tuple[ShownElement, Resolved]:
    """The thing a target means. An open dialog is asked first, then the front window, then everything on the screen."""
    screen = turn.screen
    if target.state_id is not None and target.state_id == screen.state.state_id:
        target = target.model_copy(update={"state_id": None})
    for pool in pools(turn, target):
        try:
            return _found(turn, target, state_of([shown.element for shown in pool], turn.desk))
        except TargetError as problem:
            if problem.candidates:
                raise Refused(str(problem)) from None
    try:
        return _found(turn, target, screen.state)
    except TargetError as problem:
        busy = turn.desk.front if screen.state.loading else None
        raise Refused(f"{APPS[busy].title} is loading; wait" if busy else str(problem)) from None


def pools(turn: Turn, target: ActionTarget) -> Iterator[Sequence[ShownElement]]:
    """The parts of the screen that come before the others for this target."""
    screen = turn.screen
    if screen.top:
        yield [s for s in screen.order if s.layer == screen.top]
    elif (point := only_a_place(target, turn.desk.size)) is not None:
        yield screen.under(*point)
    elif target.track_id and (known := screen.track(target.track_id)) is not None:
        yield (known,)  # wherever it stands: in another window something else may lie at the same place
    elif len(screen.panels) > 1:
        yield screen.panels[0].shown


def only_a_place(target: ActionTarget, size: Size) -> Point | None:
    """The pixel of a target that says nothing else."""
    if target.track_id or target.element_id or target.text:
        return None
    if target.point is not None:
        return target.point.to_px(size)
    return target.bbox.to_px(size).center if target.bbox is not None else None


def _found(turn: Turn, target: ActionTarget, state: VisualState) -> tuple[ShownElement, Resolved]:
    resolved = resolve(target, state)
    if not resolved.element_id:
        raise Refused(f"nothing stands at {target.describe()}")
    return turn.screen.at(resolved.element_id), resolved


def usable(turn: Turn, shown: ShownElement) -> None:
    """Refuse what no pointer can reach: beneath a dialog, scrolled out, or behind something else."""
    if shown.layer < turn.screen.top:
        raise Refused(f'a dialog "{turn.desk.dialogs[-1].title}" is open; answer it first')
    if shown.covered:
        raise Refused(f'"{shown.name}" lies behind something else; bring its window to the front or close what covers it')
    if not shown.element.visible:
        box = shown.element.bbox
        way = "up" if box and box.y1 < _top_of(turn, shown) else "down"
        raise Refused(f'"{shown.name}" is scrolled out of view; scroll {way}')


def _top_of(turn: Turn, shown: ShownElement) -> int:
    """Where the content of its window begins."""
    box = next((win.box for win in turn.desk.windows if win.app == shown.element.app), None)
    return (box[1] if box else 0) + TITLE_BAR


def raised(turn: Turn, shown: ShownElement) -> ShownElement:
    """A press in a window behind brings that to the front first."""
    app = shown.element.app
    if shown.layer or app is None or app == turn.desk.front or all(win.app != app for win in turn.desk.windows):
        return shown
    turn.open_app(app)
    return turn.screen.track(str(shown.element.track_id)) or shown


def actor_of(shown: ShownElement) -> ShownElement | None:
    """The nearest thing around that reacts to a click: a row for its cells."""
    here: ShownElement | None = shown
    while here and not here.widget.interactive:
        here = here.above
    return here


def form_of(shown: ShownElement) -> ShownElement | None:
    here: ShownElement | None = shown
    while here and here.widget.role != "form":
        here = here.above
    return here


def enabled(turn: Turn, shown: ShownElement) -> None:
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


def click(turn: Turn, shown: ShownElement, action: Click, point: Point | None) -> None:
    actor, count = actor_of(shown), action.count
    if actor and is_offer(actor.widget):
        take(turn, actor.name)
        return
    went_away(turn, shown, pressed=True)
    if (action.button == "right" or action.hold >= LONG_PRESS) and asked(turn, shown):
        return
    if actor is None or action.button != "left":
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
    if actor.widget.role in SWITCHES:
        turn.edit(actor, "false" if value == "true" else "true")
    elif actor.widget.role == "slider":
        slide(turn, actor, point)
    elif actor.widget.role not in FIELDS:
        _press(turn, actor, action, point)


def _press(turn: Turn, actor: ShownElement, action: Click, point: Point | None) -> None:
    widget, app = actor.widget, actor.element.app
    branch = widget.role == "treeitem" and widget.expanded is not None and app is not None
    if app and branch and _on_disclosure(actor, point):
        turn.tell(app, Expanded(widget.key, not widget.expanded))
        return
    if widget.press:
        turn.press(actor, action.modifiers)
    if app and branch and action.count > 1:
        turn.tell(app, Expanded(widget.key, not widget.expanded))
    if app and widget.opens and action.count > 1:
        turn.tell(app, Opened(widget.key))


def _on_disclosure(actor: ShownElement, point: Point | None) -> bool:
    """Whether a point is on the small triangle before the name of a treeitem."""
    box = actor.element.bbox
    return point is not None and box is not None and point.x < box.x1 + INDENT * actor.widget.level


def slide(turn: Turn, shown: ShownElement, point: Point | None) -> None:
    """Bring the handle of a slider to a point."""
    box = shown.element.bbox
    if box is not None and point is not None:
        turn.edit(shown, at_point(shown.widget, (box.x1 + TRACK, box.x2 - TRACK), point))


def choose(turn: Turn, shown: ShownElement, options: Sequence[str]) -> None:
    """Choose what the action names: no list here takes more than one."""
    if len(options) > 1:
        raise Refused(f'"{shown.name}" takes one option, not {len(options)}')
    select(turn, shown, options[0])


def select(turn: Turn, shown: ShownElement, option: str) -> None:
    """Choose one of a combobox's options; case and spacing do not matter."""
    if shown.widget.role != "combobox":
        raise Refused(f'"{shown.name}" has no options; it is a {shown.widget.role}')
    enabled(turn, shown)
    meant = shown.widget.meant(option)
    if meant is None:
        raise Refused(f'"{shown.name}" has no option {option!r}; options are: {", ".join(shown.widget.options)}')
    turn.move_focus(str(shown.element.track_id))
    turn.edit(shown, meant)


def drag(turn: Turn, shown: ShownElement, to: ActionTarget) -> None:
    if shown.widget.role == "slider":
        enabled(turn, shown)
        turn.move_focus(str(shown.element.track_id))
        slide(turn, shown, to.point.to_px(turn.desk.size) if to.point else find(turn, to)[1].point)
        return
    onto, _ = find(turn, to)
    usable(turn, onto)
    source = around(shown, "drag")
    place = around(onto, "drop")
    if source is None or source.element.app is None:
        raise Refused(f'"{shown.name}" cannot be dragged')
    if place is None or place.element.track_id == source.element.track_id:
        raise Refused(f'nothing can be dropped on "{onto.name}"')
    turn.fault(source)
    turn.tell(source.element.app, Dropped(source.widget.key, place.widget.key))


def scroll(turn: Turn, action: Scroll) -> None:
    """Scroll the window that the target stands in; without a target, the front one."""
    desk, front = turn.desk, turn.desk.front
    if desk.dialogs:
        raise Refused(f'a dialog "{desk.dialogs[-1].title}" is open; answer it first')
    target = find(turn, action.target)[0] if action.target else None
    if target and scroll_rows(turn, target, action):
        return
    app = (target.element.app if target else None) or front
    if app is None:
        raise Refused("no window is open; there is nothing to scroll")
    box = next((win.box for win in desk.windows if win.app == app), None) or desk.ground
    pixels = round(action.delta.y * {"notch": NOTCH, "px": 1, "page": box[3] - box[1] - TITLE_BAR}[action.unit])
    was = desk.scroll.get(app, 0)
    to = min(max(0, was + pixels), turn.screen.overflow(app))
    if to == was:
        turn.output = "already at the end" if action.delta.y > 0 else "already at the top"
    turn.change(scroll={**desk.scroll, app: to})


def scroll_rows(turn: Turn, shown: ShownElement, action: Scroll) -> bool:
    """Whether a list that holds only the rows in view takes this; at its end the window does."""
    holder = around(shown, "scrolls")
    if holder is None or holder.widget.scrolls is None or holder.element.app is None:
        return False
    total, first, rows = holder.widget.scrolls
    each = {"notch": 3.0, "px": 1 / _ROW, "page": float(rows)}[action.unit]
    by = min(max(round(action.delta.y * each), -first), max(0, total - rows - first))
    if by:
        turn.tell(holder.element.app, Scrolled(holder.widget.key, by))
    return bool(by)


def into_view(turn: Turn, shown: ShownElement) -> None:
    """Scroll so that a thing that got the focus by key can be seen."""
    front, box = turn.desk.front, shown.element.bbox
    if front is None or box is None or shown.element.visible:
        return
    offset = turn.desk.scroll.get(front, 0) + box.center.y - turn.desk.size[1] // 2
    turn.change(scroll={**turn.desk.scroll, front: min(max(0, offset), screen_of(turn.world).overflow(front))})
