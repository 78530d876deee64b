"""What keys do: to the focused field, to a form, to a dialog, to the windows."""

from __future__ import annotations

from collections.abc import Sequence

from environments.simulated.app import Shortcut
from environments.simulated.editing import Line, delete, insert, move, select_all
from environments.simulated.pointer import enabled, form_of, into_view, scroll, select
from environments.simulated.screen import Shown
from environments.simulated.turn import Refused, Turn
from environments.simulated.widgets import FIELDS
from environments.simulated.world import Win
from protocol import Scroll
from protocol.keys import MODIFIERS


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
            _write_into(turn, _field(turn), part)


def fill(turn: Turn, shown: Shown, text: str) -> None:
    """Replace what is in the field."""
    if shown.widget.role == "combobox":
        select(turn, shown, text)
        return
    take_focus(turn, shown)
    if shown.widget.role == "checkbox":
        wanted = text.strip().casefold()
        if wanted not in {"true", "false"}:
            raise Refused(f'"{shown.name}" is a checkbox; fill it with true or false, or click it')
        turn.edit(shown, wanted)
    elif shown.widget.role == "textbox":
        value = text if shown.widget.multiline else " ".join(text.split("\n"))
        _set(turn, shown, Line(value, len(value)))
    else:
        raise Refused(f'"{shown.name}" is a {shown.widget.role}, not a field')


def take_focus(turn: Turn, shown: Shown) -> None:
    """Put the focus on a control; the caret goes to the end unless it is there already."""
    if not shown.widget.interactive:
        raise Refused(f'"{shown.name}" is a {shown.widget.role} and takes no keys')
    enabled(turn, shown)
    if turn.desk.focus != shown.element.track_id:
        turn.move_focus(str(shown.element.track_id), caret=len(shown.widget.value or ""))


def _field(turn: Turn) -> Shown:
    shown = turn.focused
    if shown is None:
        raise Refused("nothing has the focus; click a field first")
    if shown.widget.role not in {"textbox", "combobox"}:
        raise Refused(f'"{shown.name}" has the focus and is a {shown.widget.role}, not a field')
    return shown


def _write_into(turn: Turn, shown: Shown, text: str) -> None:
    turn.fault(shown)
    if shown.widget.role == "combobox":
        select(turn, shown, text)
    else:
        _set(turn, shown, insert(_line(turn, shown), text))


def _line(turn: Turn, shown: Shown) -> Line:
    return Line(shown.widget.value or "", turn.desk.caret, turn.desk.anchor)


def _set(turn: Turn, shown: Shown, line: Line) -> None:
    if line.value != shown.widget.value:
        turn.edit(shown, line.value)
    turn.change(caret=line.caret, anchor=line.anchor)


def _enter(turn: Turn) -> None:
    shown = turn.focused
    if shown and shown.widget.press:
        enabled(turn, shown)
        turn.press(shown)
    elif shown and shown.widget.multiline:
        turn.fault(shown)
        _set(turn, shown, insert(_line(turn, shown), "\n"))
    elif turn.desk.dialogs:
        _default(turn)
    elif shown is None:
        raise Refused("nothing has the focus, so Enter does nothing; click a field or a control first")
    else:
        _submit(turn, shown)


def _submit(turn: Turn, shown: Shown) -> None:
    around = form_of(shown)
    if around is None:
        return
    button = next(
        (s for s in turn.screen.shown.values() if s.widget.key == around.widget.submit and s.layer == shown.layer), None
    )
    if button:
        enabled(turn, button)
        turn.press(button)


def _default(turn: Turn) -> None:
    dialog = turn.desk.dialogs[-1]
    if dialog.default is None:
        raise Refused(f'"{dialog.title}" has no default button; choose one of: {", ".join(dialog.buttons)}')
    _answer(turn, dialog.default)


def _escape(turn: Turn) -> None:
    if not turn.desk.dialogs:
        turn.move_focus("")
        return
    dialog = turn.desk.dialogs[-1]
    if dialog.escape is None:
        raise Refused(f'Escape does not close "{dialog.title}"; choose one of: {", ".join(dialog.buttons)}')
    _answer(turn, dialog.escape)


def _answer(turn: Turn, name: str) -> None:
    index = turn.desk.dialogs[-1].buttons.index(name)
    top = turn.screen.top
    turn.press(
        next(
            s for s in turn.screen.shown.values() if s.layer == top and s.widget.key.endswith(f"-{index + 1}") and s.widget.press
        )
    )


def _tab(turn: Turn, backwards: bool) -> None:
    screen = turn.screen
    stops = [s for s in screen.shown.values() if s.layer == screen.top and s.widget.interactive and s.widget.enabled]
    if not stops:
        return
    tracks = [s.element.track_id for s in stops]
    here = tracks.index(turn.desk.focus) if turn.desk.focus in tracks else (0 if backwards else -1)
    shown = stops[(here + (-1 if backwards else 1)) % len(stops)]
    value = shown.widget.value or ""
    turn.move_focus(str(shown.element.track_id), caret=len(value), anchor=0 if value else None)
    into_view(turn, shown)


def _plain(turn: Turn, key: str) -> None:
    shown = turn.focused
    if key in {"PageDown", "PageUp"}:
        scroll(turn, Scroll.toward("down" if key == "PageDown" else "up", 1, "page"))
    if shown is None:
        return
    line = _line(turn, shown)
    if shown.widget.role == "textbox":
        _edit_key(turn, shown, line, key)
    elif shown.widget.role == "checkbox" and key == " ":
        turn.edit(shown, "false" if shown.widget.value == "true" else "true")
    elif shown.widget.role == "combobox" and key in {"ArrowDown", "ArrowUp"}:
        _step_option(turn, shown, 1 if key == "ArrowDown" else -1)
    elif shown.widget.press and key == " ":
        enabled(turn, shown)
        turn.press(shown)


def _edit_key(turn: Turn, shown: Shown, line: Line, key: str) -> None:
    turn.fault(shown)
    if key in {"Backspace", "Delete"}:
        _set(turn, shown, delete(line, forward=key == "Delete"))
    elif len(key) == 1:
        _set(turn, shown, insert(line, key))
    elif moved := move(line, key):
        turn.change(caret=moved.caret, anchor=None)


def _step_option(turn: Turn, shown: Shown, by: int) -> None:
    options = shown.widget.options
    if options:
        here = options.index(shown.widget.value or "") if shown.widget.value in options else (-1 if by > 0 else len(options))
        turn.edit(shown, options[min(max(0, here + by), len(options) - 1)])


def _chord(turn: Turn, modifiers: set[str], key: str) -> None:
    name = "+".join([*sorted(modifiers), key.lower() if len(key) == 1 else key])
    shown = turn.focused
    editable = shown if shown and shown.widget.role in FIELDS and shown.widget.role == "textbox" else None
    edits = {"Control+a", "Control+c", "Control+x", "Control+v", "Meta+a", "Meta+c", "Meta+x", "Meta+v"}
    if name in edits:
        _clipboard(turn, editable, name[-1])
    elif turn.desk.dialogs:
        return
    elif name in {"Alt+F4", "Control+w"} and turn.desk.front:
        turn.close_app(turn.desk.front)
    elif name == "Alt+Tab":
        _next_window(turn)
    elif name == "Meta+d":
        turn.move_focus("")
        turn.change(windows=tuple(Win(app=w.app, minimized=True) for w in turn.desk.windows))
    elif turn.desk.front:
        turn.tell(turn.desk.front, Shortcut(name))


def _next_window(turn: Turn) -> None:
    others = [w.app for w in turn.desk.windows if w.app != turn.desk.front]
    if others:
        turn.open_app(others[-1])


def _clipboard(turn: Turn, shown: Shown | None, key: str) -> None:
    if shown is None:
        if key == "c" and turn.desk.selection:
            turn.change(clipboard=turn.desk.selection)
        return
    line = _line(turn, shown)
    if key == "a":
        whole = select_all(line)
        turn.change(caret=whole.caret, anchor=whole.anchor)
        return
    if key in "cx" and line.selected:
        turn.change(clipboard=line.selected)
        if key == "x":
            _set(turn, shown, insert(line, ""))
    elif key == "v" and turn.desk.clipboard:
        text = turn.desk.clipboard
        _set(turn, shown, insert(line, text if shown.widget.multiline else " ".join(text.split("\n"))))
