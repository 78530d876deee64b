"""What keys do: to the focused field, to a form, to a dialog, to the windows."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from environments.simulated.app import Opened, Shortcut
from environments.simulated.input import pointer
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.widgets import SWITCHES, TEXTS
from environments.simulated.turn.turn import Refused, Turn
from protocol import Scroll
from protocol.model.keys import MODIFIERS


class EditedLine(NamedTuple):
    """The content of a field while it is edited; `anchor` is the other end of the selection."""

    value: str
    caret: int
    anchor: int | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the selection, within the value."""
        size = len(self.value)
        caret = min(max(0, self.caret), size)
        anchor = caret if self.anchor is None else min(max(0, self.anchor), size)
        return min(caret, anchor), max(caret, anchor)

    @property
    def selected(self) -> str:
        start, end = self.span
        return self.value[start:end]

    def insert(self, text: str) -> EditedLine:
        """Text takes the place of the selection."""
        start, end = self.span
        return EditedLine(self.value[:start] + text + self.value[end:], start + len(text))

    def delete(self, forward: bool) -> EditedLine:
        start, end = self.span
        if start == end:
            start, end = (start, min(end + 1, len(self.value))) if forward else (max(0, start - 1), end)
        return EditedLine(self.value[:start] + self.value[end:], start)

    def select_all(self) -> EditedLine:
        return EditedLine(self.value, len(self.value), 0)

    def move(self, key: str) -> EditedLine | None:
        """The line after a caret key; None when the key is no caret key."""
        start, end = self.span
        places = {
            "ArrowLeft": start if start != end else max(0, start - 1),
            "ArrowRight": end if start != end else min(len(self.value), end + 1),
            "Home": 0,
            "End": len(self.value),
        }
        return EditedLine(self.value, places[key]) if key in places else None


def line_of(turn: Turn, shown: ShownElement) -> EditedLine:
    return EditedLine(shown.widget.value or "", turn.desk.caret, turn.desk.anchor)


def put(turn: Turn, shown: ShownElement, line: EditedLine) -> None:
    if line.value != shown.widget.value:
        turn.edit(shown, line.value)
    turn.change(caret=line.caret, anchor=line.anchor)


def edit_key(turn: Turn, shown: ShownElement, line: EditedLine, key: str) -> None:
    turn.fault(shown)
    if key in {"Backspace", "Delete"}:
        put(turn, shown, line.delete(forward=key == "Delete"))
    elif len(key) == 1:
        put(turn, shown, line.insert(key))
    elif moved := line.move(key):
        turn.change(caret=moved.caret, anchor=None)


def clipboard(turn: Turn, shown: ShownElement | None, key: str) -> None:
    if shown is None:
        if key == "c" and turn.desk.selection:
            turn.change(clipboard=turn.desk.selection)
        return
    line = line_of(turn, shown)
    if key == "a":
        whole = line.select_all()
        turn.change(caret=whole.caret, anchor=whole.anchor)
        return
    if key in "cx" and line.selected:
        turn.change(clipboard=line.selected)
        if key == "x":
            put(turn, shown, line.insert(""))
    elif key == "v" and turn.desk.clipboard:
        text = turn.desk.clipboard
        put(turn, shown, line.insert(text if shown.widget.multiline else " ".join(text.split("\n"))))


def press(turn: Turn, keys: Sequence[str]) -> None:
    """One chord. Keys that nothing listens to do nothing, as on any desktop."""
    *held, key = keys
    key = " " if key == "Space" else key
    modifiers = set(held) - {"Shift"}
    if key in MODIFIERS:
        return
    if modifiers:
        _chord(turn, modifiers, key)
    elif key == "Enter":
        _enter(turn)
    elif key == "Escape":
        _escape(turn)
    elif key == "Tab":
        _tab(turn, backwards="Shift" in held)
    elif key == "ContextMenu" or (key == "F10" and held):
        if turn.focused is not None:
            pointer.asked(turn, turn.focused)
    else:
        _plain(turn, key.upper() if len(key) == 1 and "Shift" in held else key)


def write(turn: Turn, text: str) -> None:
    """Key events: in a field of one line, a line break is the Enter key."""
    field = _field(turn)
    lines = [text] if field.widget.multiline else text.split("\n")
    for index, part in enumerate(lines):
        if index:
            _enter(turn)
        if part:
            shown = _field(turn)
            turn.fault(shown)
            if shown.widget.role == "combobox":
                pointer.select(turn, shown, part)
            else:
                put(turn, shown, line_of(turn, shown).insert(part))


def fill(turn: Turn, shown: ShownElement, text: str) -> None:
    """Replace what is in the field."""
    if shown.widget.role == "combobox":
        pointer.select(turn, shown, text)
        return
    take_focus(turn, shown)
    if shown.widget.role in SWITCHES:
        wanted = text.strip().casefold()
        if wanted not in {"true", "false"}:
            raise Refused(f'"{shown.name}" is a {shown.widget.role}; fill it with true or false, or click it')
        turn.edit(shown, wanted)
    elif shown.widget.role == "slider":
        if problem := pointer.refusal(shown.widget, text):
            raise Refused(f'"{shown.name}" takes no such value: {problem}')
        turn.edit(shown, pointer.written(pointer.number(text) or Decimal(0)))
    elif shown.widget.role in TEXTS:
        value = text if shown.widget.multiline else " ".join(text.split("\n"))
        put(turn, shown, EditedLine(value, len(value)))
    else:
        raise Refused(f'"{shown.name}" is a {shown.widget.role}, not a field')


def take_focus(turn: Turn, shown: ShownElement) -> None:
    """Put the focus on a control; the caret goes to the end unless it is there already."""
    if not shown.widget.interactive:
        raise Refused(f'"{shown.name}" is a {shown.widget.role} and takes no keys')
    pointer.enabled(turn, shown)
    if turn.desk.focus != shown.element.track_id:
        turn.move_focus(str(shown.element.track_id), caret=len(shown.widget.value or ""))


def _field(turn: Turn) -> ShownElement:
    shown = turn.focused
    if shown is None:
        raise Refused("nothing has the focus; click a field first")
    if shown.widget.role not in TEXTS | {"combobox"}:
        raise Refused(f'"{shown.name}" has the focus and is a {shown.widget.role}, not a field')
    return shown


def _enter(turn: Turn) -> None:
    shown = turn.focused
    if shown and shown.widget.opens and shown.element.app:
        pointer.enabled(turn, shown)
        turn.tell(shown.element.app, Opened(shown.widget.key))
    elif shown and shown.widget.press:
        _activate(turn, shown)
    elif shown and shown.widget.multiline:
        turn.fault(shown)
        put(turn, shown, line_of(turn, shown).insert("\n"))
    elif turn.desk.dialogs:
        dialog = turn.desk.dialogs[-1]
        if dialog.default is None:
            raise Refused(f'"{dialog.title}" has no default button; choose one of: {", ".join(dialog.buttons)}')
        _answer(turn, dialog.default)
    elif shown is None:
        raise Refused("nothing has the focus, so Enter does nothing; click a field or a control first")
    elif around := pointer.form_of(shown):
        button = next((s for s in turn.screen.order if s.widget.key == around.widget.submit and s.layer == shown.layer), None)
        if button:
            _activate(turn, button)


def _activate(turn: Turn, shown: ShownElement) -> None:
    pointer.enabled(turn, shown)
    turn.press(shown)


def _escape(turn: Turn) -> None:
    """Close what is open over the page; only with nothing open the focus is taken away."""
    if turn.desk.dialogs:
        dialog = turn.desk.dialogs[-1]
        if dialog.escape is None:
            raise Refused(f'Escape does not close "{dialog.title}"; choose one of: {", ".join(dialog.buttons)}')
        _answer(turn, dialog.escape)
        return
    front = turn.desk.front or ""
    before = turn.world.apps.get(front)
    if front:
        turn.tell(front, Shortcut("Escape"))
    if turn.world.apps.get(front) is before:
        turn.move_focus("")


def _answer(turn: Turn, name: str) -> None:
    index = turn.desk.dialogs[-1].buttons.index(name)
    top = turn.screen.top
    turn.press(next(s for s in turn.screen.order if s.layer == top and s.widget.key.endswith(f"-{index + 1}") and s.widget.press))


def _tab(turn: Turn, backwards: bool) -> None:
    shown = turn.screen.next_stop(turn.desk.focus, -1 if backwards else 1)
    if shown is None:
        return
    value = shown.widget.value or ""
    turn.move_focus(str(shown.element.track_id), caret=len(value), anchor=0 if value else None)
    pointer.into_view(turn, shown)


def _plain(turn: Turn, key: str) -> None:
    shown = turn.focused
    role = shown.widget.role if shown else ""
    if shown and shown.widget.limits and (value := pointer.stepped(shown.widget, key)) is not None:
        turn.fault(shown)
        turn.edit(shown, value)
        turn.change(caret=len(value), anchor=None)
    elif key in {"PageDown", "PageUp"}:
        action = Scroll.toward("down" if key == "PageDown" else "up", 1, "page")
        if shown is None or not pointer.scroll_rows(turn, shown, action):
            pointer.scroll(turn, action)
    elif shown and role in TEXTS:
        edit_key(turn, shown, line_of(turn, shown), key)
    elif shown and role in SWITCHES and key == " ":
        turn.edit(shown, "false" if shown.widget.value == "true" else "true")
    elif shown and role == "combobox" and key in {"ArrowDown", "ArrowUp"}:
        by = 1 if key == "ArrowDown" else -1
        options = shown.widget.options
        if options:
            here = options.index(shown.widget.value or "") if shown.widget.value in options else (-1 if by > 0 else len(options))
            turn.edit(shown, options[min(max(0, here + by), len(options) - 1)])
    elif shown and shown.widget.press and key == " ":
        _activate(turn, shown)
    elif turn.desk.front and not turn.desk.dialogs and len(key) > 1:
        # A key that means nothing to what has the focus may mean something to the app. Letters are no such keys
        turn.tell(turn.desk.front, Shortcut(key))


def _chord(turn: Turn, modifiers: set[str], key: str) -> None:
    name = "+".join([*sorted(modifiers), key.lower() if len(key) == 1 else key])
    shown = turn.focused
    editable = shown if shown and shown.widget.role in TEXTS else None
    edits = {"Control+a", "Control+c", "Control+x", "Control+v", "Meta+a", "Meta+c", "Meta+x", "Meta+v"}
    if name in edits and (editable or turn.desk.dialogs or turn.desk.selection):
        clipboard(turn, editable, name[-1])
    elif turn.desk.dialogs:
        return
    elif name in {"Alt+F4", "Control+w"} and turn.desk.front:
        turn.close_app(turn.desk.front)
    elif name == "Alt+Tab":
        if others := [w.app for w in turn.desk.windows if w.app != turn.desk.front]:
            turn.open_app(others[-1])
    elif name == "Meta+d":
        turn.move_focus("")
        turn.change(windows=tuple(w.replace(minimized=True) for w in turn.desk.windows))
    elif name in _PLACES and turn.desk.front and turn.desk.form == "desktop":
        front = turn.desk.front
        turn.change(windows=tuple(w.replace(**_PLACES[name]) if w.app == front else w for w in turn.desk.windows))
    elif turn.desk.front:
        turn.tell(turn.desk.front, Shortcut(name))


_PLACES: dict[str, dict[str, object]] = {"Meta+ArrowUp": {"box": None}, "Meta+ArrowDown": {"minimized": True}}
"""Keys that put the window in front over the whole screen, or away."""
