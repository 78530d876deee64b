"""What an element of a world is on a page: a tag, its attributes, and what the front end must know to act on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from environments.simulated.seen import Shown
from environments.simulated.widgets import FIELDS

Box = tuple[int, int, int, int]
Markup = dict[str, Any]
"""One control as JSON, without what is empty. `label` and `hint` belong to fields; `traits` say what it reacts to."""


class Kind(NamedTuple):
    """How a role is written in HTML. `role` is empty where the tag says it already."""

    tag: str
    role: str = ""
    type: str = ""


_KINDS: Mapping[str, Kind] = {
    "button": Kind("button", "", "button"), "link": Kind("a"), "tab": Kind("button", "tab", "button"), "heading": Kind("h2"),
    "text": Kind("p"), "form": Kind("form"), "checkbox": Kind("input", "", "checkbox"),
    "switch": Kind("input", "switch", "checkbox"), "slider": Kind("input", "", "range"), "combobox": Kind("select"),
    "progress": Kind("div", "progressbar"),
}  # fmt: skip
"""Every other role is a division that says its role: rows and cells stand where the world puts them, and no table could."""
_NATIVE = frozenset({"button", "input", "select", "textarea"})
_SELECTED = {"button": "aria-pressed", "link": "aria-current"}
_TRAITS = ("opens", "hovers", "swipes", "drop", "floats")


def markup(shown: Shown, up: str, origin: tuple[int, int], main: bool) -> Markup:
    """The control for an element. `up` is what it stands in, and `origin` where that begins."""
    element, widget = shown.element, shown.widget
    kind = _kind(shown)
    box = element.bbox
    left, top, right, bottom = (box.x1, box.y1, box.x2, box.y2) if box else (0, 0, 0, 0)
    made: Markup = {
        "up": up,
        "box": (left - origin[0], top - origin[1], right - left, bottom - top),
        "kind": widget.role,
        "tag": kind.tag,
        "type": kind.type,
        "attrs": _attributes(shown, kind),
        "lift": shown.lift,
        "traits": [trait for trait in _TRAITS if getattr(widget, trait)],
        "main": main,
    }
    made |= _field(shown) if widget.role in FIELDS else _said(shown)
    return {name: value for name, value in made.items() if value not in ("", None, False, 0, [], {})}


def _kind(shown: Shown) -> Kind:
    element, widget = shown.element, shown.widget
    if widget.role == "textbox":
        return Kind("textarea") if widget.multiline else Kind("input", "", "password" if element.private else "text")
    if widget.role == "spinbutton":
        # A number field cannot hold what is no number, and the world can.
        return Kind("input", "", "number") if _is_number(element.value) else Kind("input", "spinbutton", "text")
    return _KINDS.get(widget.role) or Kind("div", widget.role)


def _is_number(value: str | None) -> bool:
    try:
        return not value or abs(float(value)) < 1e21
    except ValueError:
        return False


def _attributes(shown: Shown, kind: Kind) -> dict[str, str]:
    element, widget = shown.element, shown.widget
    nameless = element.name_source == "class"
    attributes = {
        "role": kind.role,
        "href": "#" if kind.tag == "a" else "",
        "class": element.name if nameless else "",
        "aria-label": element.name if widget.children or widget.role == "progress" else "",
        "aria-expanded": "" if widget.expanded is None else _bool(widget.expanded),
        "aria-level": str(widget.level or ""),
        # The attribute `required` would have the browser judge the field by rules of its own.
        "aria-required": "true" if element.required else "",
        "aria-invalid": "true" if element.invalid else "",
        "disabled": "disabled" if not element.enabled and kind.tag in _NATIVE else "",
        "aria-disabled": "true" if not element.enabled and kind.tag not in _NATIVE else "",
        "aria-modal": "true" if widget.role == "dialog" else "",
        "placeholder": element.placeholder or "" if _hinted(shown, kind) else "",
        "autocomplete": "off" if kind.tag in ("input", "textarea") else "",
        "spellcheck": "false" if kind.tag in ("input", "textarea") else "",
        "draggable": "true" if widget.drag else "",
        "data-actuator": "true" if widget.actuator else "",
        "tabindex": "-1" if widget.interactive and kind.tag not in (*_NATIVE, "a") else "",
        **_limits(shown, kind),
    }
    if element.selected:
        attributes[_SELECTED.get(widget.role, "aria-selected")] = "true"
    elif widget.role == "tab":
        attributes["aria-selected"] = "false"
    return {name: value for name, value in attributes.items() if value}


def _hinted(shown: Shown, kind: Kind) -> bool:
    """A placeholder is a name to a browser; where the name only stands beside the field, it must not be one."""
    return kind.tag in ("input", "textarea") and shown.element.name_source != "nearby"


def _limits(shown: Shown, kind: Kind) -> dict[str, str]:
    limits = shown.widget.limits
    if limits is None:
        return {}
    lowest, highest, step = (f"{limit:g}" for limit in limits)
    if kind.type in ("number", "range"):
        return {"min": lowest, "max": highest, "step": step}
    return {"aria-valuemin": lowest, "aria-valuemax": highest, "aria-valuenow": shown.element.value or ""}


def _field(shown: Shown) -> Markup:
    """A field with its name: bound to it, only standing beside it, or not there at all."""
    element, widget = shown.element, shown.widget
    value = element.value or ""
    field: Markup = {"value": value, "live": widget.role == "textbox" and bool(element.options)}
    if widget.role in ("checkbox", "switch"):
        field = {"checked": value == "true"}
    elif widget.role == "combobox":
        field["options"] = list(element.options)
    if not _hinted(shown, _kind(shown)):
        field["hint"] = element.placeholder
    named = element.name_source in ("label", "content", "nearby")
    return field | {"field": True, "label": element.text if named else "", "bound": element.name_source != "nearby"}


def _said(shown: Shown) -> Markup:
    """What stands in it, unless other elements do; a thing without words is drawn by its class."""
    element, widget = shown.element, shown.widget
    silent = widget.children or element.name_source == "class"
    value = element.value if widget.role == "progress" else None
    return {"text": "" if silent else element.text, "value": value}


def _bool(value: bool) -> str:
    return "true" if value else "false"
