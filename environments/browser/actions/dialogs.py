"""JavaScript dialogs as elements. Nothing answers them but the agent: the page stands still until then."""

from __future__ import annotations

from environments.browser.observation.elements import clean
from environments.browser.session import OpenDialog
from protocol import BoundingBox, GUIElement

_TITLES = {"alert": "The page says", "confirm": "The page asks", "prompt": "The page asks", "beforeunload": "Leave this page?"}
_LEAVING = "Changes that you made may not be saved."
_BUTTONS = {"alert": ("OK",), "beforeunload": ("Leave", "Stay")}
ACCEPTS = frozenset({"OK", "Leave"})
_WIDTH, _LINE = 440, 36


def title_of(dialog: OpenDialog) -> str:
    return _TITLES.get(dialog.kind, "The page asks")


def dialog_elements(dialog: OpenDialog, size: tuple[int, int]) -> tuple[GUIElement, ...]:
    """The dialog first, then what is in it; placed where Chromium draws it, at the top in the middle."""
    top = f"dialog-{dialog.number}"
    names = _BUTTONS.get(dialog.kind, ("OK", "Cancel"))
    rows = 2 + (dialog.kind == "prompt") + 1
    left = max(0, (size[0] - _WIDTH) // 2)
    right, bottom = min(size[0], left + _WIDTH), min(size[1], rows * _LINE)

    def line(n: int, x1: int = left, x2: int = right) -> BoundingBox:
        y = min(n * _LINE, bottom)
        return BoundingBox(x1=x1, y1=y, x2=x2, y2=min(y + _LINE, bottom))

    def part(name: str, role: str, text: str, bbox: BoundingBox, value: str | None = None) -> GUIElement:
        return GUIElement(
            element_id=f"{top}-{name}", track_id=f"{top}-{name}", role=role, text=text, bbox=bbox, parent=top, value=value,
            name_source="content", focused=role == "textbox",
        )  # fmt: skip

    said = clean(dialog.message, 2000) or (_LEAVING if dialog.kind == "beforeunload" else "")
    parts = [
        GUIElement(element_id=top, track_id=top, role="dialog", text=title_of(dialog), name_source="content",
                   bbox=BoundingBox(x1=left, y1=0, x2=right, y2=bottom)),
        part("text", "text", said, line(1)),
    ]  # fmt: skip
    if dialog.kind == "prompt":
        parts.append(part("field", "textbox", "Answer", line(2), clean(dialog.text, 20_000)))
    wide = (right - left) // len(names)
    for n, name in enumerate(names):
        x = left + n * wide
        parts.append(part(name.lower(), "button", name, line(rows - 1, x, x + wide)))
    return tuple(parts)
