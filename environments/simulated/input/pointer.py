"""What a pointer does: clicking, choosing, dragging and scrolling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, InvalidOperation

from environments.simulated.app import Away, Context, Dropped, Expanded, Hovered, Opened, Scrolled
from environments.simulated.apps import APPS
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import screen_of, state_of
from environments.simulated.screen.widgets import FIELDS, INDENT, SWITCHES, Widget
from environments.simulated.turn.turn import Refused, Turn
from environments.simulated.world.world import TITLE_BAR
from protocol import ActionTarget, Click, Point, Resolved, Scroll, TargetError, VisualState, resolve
from protocol.model.geometry import Size
from protocol.model.targets import resolved_to


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
    if front is None or shown.layer or not turn.screen.front.floats:
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


Limits = tuple[float, float, float]
TRACK = 12
"""Pixels between the edge of a slider and where its track begins or ends."""
_PAGE = 10
"""Steps that PageUp and PageDown make."""
_KEYS = {"ArrowUp": 1, "ArrowRight": 1, "ArrowDown": -1, "ArrowLeft": -1, "PageUp": _PAGE, "PageDown": -_PAGE}
SPIN_KEYS = frozenset({"ArrowUp", "ArrowDown", "PageUp", "PageDown"})
"""The others move the caret in a spinbutton."""


def number(text: str) -> Decimal | None:
    """The number that a text is, or None."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def written(value: Decimal) -> str:
    """`3`, not `3.0`, and never `1E+1`."""
    return f"{value.normalize():f}" if value else "0"


def snapped(value: Decimal, limits: Limits) -> str:
    """The nearest value that the limits allow: between the lowest and the highest, and on a step."""
    low, high, step = (Decimal(str(part)) for part in limits)
    within = min(max(value, low), high)
    if step <= 0:
        return written(within)
    steps = ((within - low) / step).to_integral_value(ROUND_HALF_UP)
    most = ((high - low) / step).to_integral_value(ROUND_FLOOR)
    return written(low + min(steps, most) * step)


def refusal(widget: Widget, text: str) -> str:
    """Why a text cannot be the value of a slider; empty when it can."""
    value, limits = number(text), widget.limits or (0, 100, 1)
    low, high, step = (written(Decimal(str(part))) for part in limits)
    if value is None:
        return f"{text!r} is not a number"
    if not Decimal(low) <= value <= Decimal(high):
        return f"{written(value)} is outside of {low} to {high}"
    return "" if Decimal(snapped(value, limits)) == value else f"{written(value)} is not a multiple of the step {step} from {low}"


def stepped(widget: Widget, key: str) -> str | None:
    """The value after a key; None when the key means nothing here."""
    limits = widget.limits or (0, 100, 1)
    low, high, step = (Decimal(str(part)) for part in limits)
    if widget.role == "slider" and key in ("Home", "End"):
        return snapped(low if key == "Home" else high, limits)
    if key not in _KEYS or (widget.role != "slider" and key not in SPIN_KEYS):
        return None
    here = number(widget.value or "")
    return snapped(low if here is None else here + _KEYS[key] * step, limits)


def at_point(widget: Widget, box: tuple[int, int], point: Point) -> str:
    """The value that a slider has when its handle is brought to a point; `box` is where its track begins and ends."""
    low, high, _ = limits = widget.limits or (0, 100, 1)
    left, right = box
    share = Decimal(point.x - left) / Decimal(max(1, right - left))
    return snapped(Decimal(str(low)) + share * (Decimal(str(high)) - Decimal(str(low))), limits)


def share(widget: Widget) -> float:
    """How far the value is from the lowest to the highest one, from 0 to 1."""
    low, high, _ = widget.limits or (0, 100, 1)
    here = number(widget.value or "")
    return 0.0 if here is None or high <= low else min(1.0, max(0.0, (float(here) - low) / (high - low)))


NOTCH = 60
LONG_PRESS = 0.5
"""Seconds after which a press is a long one."""
_ROW = 36


def find(turn: Turn, target: ActionTarget) -> tuple[ShownElement, Resolved]:
    """The thing a target means. An open dialog is asked first, then the front window, then everything on the screen."""
    screen = turn.screen
    if target.state_id is not None and target.state_id == screen.state.state_id:
        target = target.model_copy(update={"state_id": None})
    known = screen.track(target.track_id) if target.track_id and not (screen.top or target.state_id) else None
    if known is not None:
        return known, resolved_to(known.element, target, "track_id", turn.desk.size)
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
        yield screen.front.shown


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
        turn.need_no_dialog()
    if shown.covered:
        raise Refused(f'"{shown.name}" is covered by something else; bring its window to the front or close what covers it')
    if not shown.element.visible:
        box = shown.element.bbox
        around = next((win.box for win in turn.desk.windows if win.app == shown.element.app), None)
        way = "up" if box and box.y1 < (around[1] if around else 0) + TITLE_BAR else "down"
        raise Refused(f'"{shown.name}" is scrolled out of view; scroll {way}')


def raised(turn: Turn, shown: ShownElement) -> ShownElement:
    """A press in a window behind brings that to the front first."""
    app = shown.element.app
    if shown.layer or app is None or app == turn.desk.front or all(win.app != app for win in turn.desk.windows):
        return shown
    turn.open_app(app)
    return turn.screen.track(str(shown.element.track_id)) or shown


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
    for other in turn.screen.order:
        if around and other.widget.role in FIELDS and form_of(other) is around:
            if other.widget.required and other.widget.value in ("", "false", None):
                reason = f'; "{other.name}" is required'
                break
            if other.widget.invalid:
                reason = f'; "{other.name}" is not valid'
                break
    raise Refused(f"{shown.name} is disabled{reason}")


def click(turn: Turn, shown: ShownElement, action: Click, point: Point | None) -> None:
    actor, count = around(shown, "interactive"), action.count  # a row for its cells
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
    box = actor.element.bbox
    # On the small triangle before its name
    if app and branch and point is not None and box is not None and point.x < box.x1 + INDENT * widget.level:
        turn.tell(app, Expanded(widget.key, not widget.expanded))
        return
    if widget.press:
        turn.press(actor, action.modifiers)
    if app and branch and action.count > 1:
        turn.tell(app, Expanded(widget.key, not widget.expanded))
    if app and widget.opens and action.count > 1:
        turn.tell(app, Opened(widget.key))


def slide(turn: Turn, shown: ShownElement, point: Point | None) -> None:
    """Bring the handle of a slider to a point."""
    box = shown.element.bbox
    if box is not None and point is not None:
        turn.edit(shown, at_point(shown.widget, (box.x1 + TRACK, box.x2 - TRACK), point))


def select(turn: Turn, shown: ShownElement, option: str, *others: str) -> None:
    """Choose one of a combobox's options; case and spacing do not matter, and no list here takes more than one."""
    if others:
        raise Refused(f'"{shown.name}" takes one option, not {1 + len(others)}')
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
    if desk.scroll.get(app) != to:
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
