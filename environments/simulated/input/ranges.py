"""Values between a lowest and a highest one, in steps: what a slider and a spinbutton hold."""

from __future__ import annotations

from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, InvalidOperation

from environments.simulated.screen.widgets import Widget
from protocol import Point

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
        return f"{text!r} is no number"
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
