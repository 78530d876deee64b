"""Views that are not as an app makes them: controls renamed, moved, covered, and text that others put in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from environments.simulated.screen.widgets import Widget, alert, button, each_inside, group, status, text
from environments.simulated.turn.events import same_label
from environments.simulated.world.values import Model


class Alteration(Model):
    """One thing that is shown otherwise, until the clock passes `until`."""

    what: Literal["rename", "move", "cover", "placeholder", "banner"]
    label: str = ""
    to: str = ""
    """The new name or place, or the words."""
    key: str = ""
    """Of what is put in; ends with `!` where it can be dismissed."""
    until: float | None = None


def altered(widgets: Sequence[Widget], changes: Iterable[Alteration]) -> tuple[Widget, ...]:
    """The view with the changes, one after the other."""
    view = tuple(widgets)
    for change in changes:
        view = _CHANGES[change.what](view, change)
    return view


def _each(widgets: tuple[Widget, ...], turn: Callable[[Widget], Widget]) -> tuple[Widget, ...]:
    """Every widget of the tree turned into another; one whose children stay the same objects keeps them."""

    def turned(widget: Widget) -> Widget:
        return turn(each_inside(widget, turned))

    return tuple(turned(widget) for widget in widgets)


def _meant(widget: Widget, change: Alteration) -> bool:
    return bool(widget.word) and same_label(widget.word or "", change.label)


def _rename(widgets: tuple[Widget, ...], change: Alteration) -> tuple[Widget, ...]:
    def called(w: Widget) -> Widget:  # by its new name in every language
        return w._replace(text=change.to, own=w.own and w.own._replace(text=change.to)) if _meant(w, change) else w

    return _each(widgets, called)


def _placeholder(widgets: tuple[Widget, ...], change: Alteration) -> tuple[Widget, ...]:
    fields = {"textbox", "combobox", "spinbutton"}
    return _each(widgets, lambda w: w._replace(placeholder=change.to) if w.role in fields and _meant(w, change) else w)


def _cover(widgets: tuple[Widget, ...], change: Alteration) -> tuple[Widget, ...]:
    key = change.key.rstrip("!")
    last = button("Dismiss", f"{key}.dismiss") if change.key.endswith("!") else text("Please wait…", f"{key}.wait")
    inside = [status(change.to, f"{key}.text"), last]
    lid = group(*inside, key=key)._replace(floats=True, press=True)

    def covered(widget: Widget) -> Widget:
        return group(lid, widget, key=f"{key}.over") if _meant(widget, change) and widget.interactive else widget

    return _each(widgets, covered)


def _is_alone(widget: Widget, change: Alteration) -> bool:
    """Whether it is the control that is meant, or holds nothing else."""
    if _meant(widget, change) and widget.interactive:
        return True
    return len(widget.children) == 1 and _is_alone(widget.children[0], change)


def _move(widgets: tuple[Widget, ...], change: Alteration) -> tuple[Widget, ...]:
    def moved(children: tuple[Widget, ...]) -> tuple[Widget, ...]:
        here = [child for child in children if _is_alone(child, change)]
        if not here:
            return children
        rest = [child for child in children if child not in here]
        return tuple([*here, *rest] if change.to == "first" else [*rest, *here])

    def within(widget: Widget) -> Widget:
        order = moved(widget.children)
        return widget if order is widget.children else widget._replace(children=order)

    return moved(_each(widgets, within))


_CHANGES: dict[str, Callable[[tuple[Widget, ...], Alteration], tuple[Widget, ...]]] = {
    "rename": _rename,
    "move": _move,
    "cover": _cover,
    "placeholder": _placeholder,
    "banner": lambda widgets, change: (alert(change.to, change.key), *widgets),
}
