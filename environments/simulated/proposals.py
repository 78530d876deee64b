"""What a textbox with options proposes while it is written into, and how the list of it looks."""

from __future__ import annotations

import re

from environments.simulated.widgets import Widget, group

MOST = 6
"""So many proposals are shown."""
_LAST = re.compile(r"^(.*[,;]\s*)?(.*)$", re.DOTALL)


def _parts(text: str) -> tuple[str, str]:
    """What stays, and the last one of several things that a field may name."""
    found = _LAST.match(text)
    return (found[1] or "", found[2].strip()) if found else ("", text)


def proposals(widget: Widget) -> tuple[str, ...]:
    """The options that have in them what was written last; none once that is an option itself, as there is no more to say."""
    if widget.role != "textbox" or not widget.options:
        return ()
    _, wanted = _parts(widget.value or "")
    folded = wanted.casefold()
    if any(option.casefold() == folded for option in widget.options):
        return ()
    fits = [option for option in widget.options if folded in option.casefold()]
    return tuple(sorted(fits, key=lambda option: not option.casefold().startswith(folded))[:MOST])


def taken(value: str, option: str) -> str:
    """The value of the field when this option takes the place of what was written last."""
    return _parts(value)[0] + option


def list_key(key: str) -> str:
    return f"{key}.proposals"


def proposed(widgets: tuple[Widget, ...], key: str, mark: int) -> tuple[Widget, ...]:
    """A view with the list below the field of this key, if it has something to propose."""
    return tuple(_beside(widget, key, mark) for widget in widgets)


def _beside(widget: Widget, key: str, mark: int) -> Widget:
    if widget.key == key and (found := proposals(widget)):
        options = tuple(
            Widget("option", text, f"{key}.proposal-{n}", press=True, selected=n == mark + 1)
            for n, text in enumerate(found, start=1)
        )
        return group(widget, Widget("listbox", None, list_key(key), children=options, floats=True), key=f"{key}.field")
    if not widget.children:
        return widget
    children = proposed(widget.children, key, mark)
    return widget if all(a is b for a, b in zip(children, widget.children, strict=True)) else widget._replace(children=children)
