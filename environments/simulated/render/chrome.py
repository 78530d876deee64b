"""What is the desktop's own: wallpaper, title bar, task bar, scroll bar, and what lies around a dialog.

Nothing here can be clicked: windows are opened, closed and switched by keys and by actions, so no such buttons are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from environments.simulated.render.raster import icon_of
from environments.simulated.render.shapes import Box, Fill, Icon, Shape, framed, grown, shadow
from environments.simulated.render.spot import SMALL, STRONG, at, baseline
from environments.simulated.render.text import measure, printable
from environments.simulated.render.theme import Theme
from environments.simulated.world.world import MARGIN, TASK_BAR, TITLE_BAR
from protocol import Window

FRAME = 24
"""How far a dialog reaches beyond the box of its element, where the screen has room."""
_SHADOW = 24
_NAMED = 96
"""With less room than this for each, the task bar shows the icons alone."""


def wallpaper(size: tuple[int, int], theme: Theme) -> Iterator[Shape]:
    width, height = size
    yield Fill((0, 0, width, height), theme.wallpaper)
    for across, down, radius in ((0.82, 0.2, 0.55), (0.82, 0.2, 0.4), (0.12, 0.95, 0.35)):
        x, y, r = round(width * across), round(height * down), round(height * radius)
        yield Fill((x - r, y - r, x + r, y + r), theme.wallpaper_light, r)


def page(box: Box, size: tuple[int, int], theme: Theme) -> Iterator[Shape]:
    """The ground of a window; one that leaves something of the desktop free has edges, and a dark line below and beside it."""
    if box[2] - box[0] < size[0]:
        left, top, right, bottom = box
        yield Fill((left + 4, bottom, right + 3, bottom + 3), theme.shade)
        yield Fill((right, top + 4, right + 3, bottom + 3), theme.shade)
        yield from framed(box, theme.page, theme.border, 0)
        return
    yield Fill((box[0], box[1] + TITLE_BAR, box[2], box[3]), theme.page)


def title_bar(box: Box, window: Window, theme: Theme, busy: bool) -> Iterator[Shape]:
    left, top, right, _ = box
    bottom = top + TITLE_BAR
    yield Fill((left, top, right, bottom), theme.bar)
    yield Icon(icon_of(window.app), left + MARGIN, top + TITLE_BAR // 2 - 9, 18, theme.accent if window.focused else theme.muted)
    words, ink = left + MARGIN + 28, theme.text if window.focused else theme.muted
    yield at(words, baseline(top + TITLE_BAR // 2, STRONG), printable(window.title), STRONG, ink, right - words - MARGIN)
    yield Fill((left, bottom - 1, right, bottom), theme.border)
    if busy:
        yield Fill((left, bottom - 2, right, bottom), theme.soft)
        yield Fill((left, bottom - 2, left + (right - left) * 2 // 5, bottom), theme.accent)


def sheet(box: Box, theme: Theme) -> Iterator[Shape]:
    """What an open menu or a list of proposals lies on."""
    around = grown(box, 4)
    yield from shadow(around, theme.shade, 6, _SHADOW // 2)
    yield from framed(around, theme.surface, theme.border, 6)


def task_bar(size: tuple[int, int], windows: Sequence[Window], theme: Theme) -> Iterator[Shape]:
    """The windows by name; the one in front is underlined, and one that is put away is pale."""
    width, height = size
    top = height - TASK_BAR
    yield Fill((0, top, width, height), theme.bar)
    yield Fill((0, top, width, top + 1), theme.border)
    x, room = 12, max(40, (width - 24) // max(1, len(windows)) - 6)
    for window in windows:
        title = printable(window.title)
        wide = min(room, 40 + round(measure(title, SMALL))) if room >= _NAMED else 32
        ink = theme.text if window.focused else theme.faint if window.minimized else theme.muted
        if window.focused:
            yield Fill((x, top + 5, x + wide, height - 4), theme.soft, 6)
            yield Fill((x + 10, height - 6, x + wide - 10, height - 4), theme.accent, 1)
        yield Icon(icon_of(window.app), x + 8, top + 12, 16, theme.accent if window.focused else ink)
        if room >= _NAMED:
            yield at(x + 30, baseline(top + 20, SMALL), title, SMALL, ink, wide - 36)
        x += wide + 6


def phone_bars(size: tuple[int, int], time: str, theme: Theme, ink: str) -> Iterator[Shape]:
    """The time of day above, and the line below from which a finger goes home."""
    width, height = size
    yield at(width - MARGIN - 40, baseline(TITLE_BAR // 2, SMALL), time, SMALL, ink, 48)
    yield Fill((0, height - TASK_BAR, width, height), theme.bar)
    yield Fill((width // 2 - 56, height - TASK_BAR // 2 - 2, width // 2 + 56, height - TASK_BAR // 2 + 3), theme.control, 2)


def scroll_bar(box: Box, scrolled: int, overflow: int, theme: Theme) -> Iterator[Shape]:
    """At the right edge of a window that holds more than it shows."""
    if overflow <= 0:
        return
    top, bottom = box[1] + TITLE_BAR + 4, box[3] - 4
    track = bottom - top
    long = max(28, track * track // (track + overflow))
    start = top + (track - long) * min(scrolled, overflow) // overflow
    yield Fill((box[2] - 11, start, box[2] - 4, start + long), theme.control, 3)


def around_dialog(size: tuple[int, int], box: Box, theme: Theme) -> Iterator[Shape]:
    """Everything below is dimmed, and the dialog gets a card that is larger than its element."""
    yield Fill((0, 0, *size), theme.dim)
    x1, y1, x2, y2 = grown(box, FRAME)
    card = max(0, x1), max(0, y1), min(size[0], x2), min(size[1], y2)
    yield from shadow(card, theme.shade, 12, _SHADOW)
    yield from framed(card, theme.surface, theme.border, 12)
