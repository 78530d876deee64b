"""What a page's script says, made into elements: nothing a page writes is trusted to be short, whole or of the right kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import ceil, floor, isfinite
from typing import Any
from urllib.parse import urlsplit

from protocol import BoundingBox, GUIElement

LONG = 300
_PROSE = 4000
_VALUE = 20_000
_FAR = 1_000_000
_ADDRESS = 300


@cache
def script(*names: str) -> str:
    """These parts of our script, one after the other."""
    folder = resources.files("environments.browser") / "scripts"
    return "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)


def clean(text: object, limit: int = LONG) -> str:
    """A text that can be written down: no half surrogate pairs, no NUL, not longer than `limit`."""
    if not isinstance(text, str):
        return "" if text is None else str(text)[:limit]
    whole = text[:limit].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "")


def number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return 0.0
    return float(min(max(value, -_FAR), _FAR))


def shown_address(url: str) -> str:
    """An address without what stands behind its path; empty where it is none of the web."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.scheme in ("http", "https") else ""


@dataclass
class PageRecord:
    """What a page's script says of one element, with its places in pixels of the page."""

    said: Mapping[str, Any]
    id: str
    parent: str | None
    box: tuple[float, float, float, float]
    point: tuple[float, float] | None
    visible: bool
    leads: object

    @classmethod
    def of(cls, said: Mapping[str, Any], document: str, x: float, y: float) -> "PageRecord":
        """A record of a document that begins at a place of the page."""
        left, top, right, bottom = (number(n) for n in (said.get("b") or (0, 0, 0, 0)))
        point = (number(said["pt"][0]) + x, number(said["pt"][1]) + y) if said.get("pt") else None
        parent = f"{document}{said['p']}" if said.get("p") else None
        box = left + x, top + y, right + x, bottom + y
        return cls(said, f"{document}{int(said['i'])}", parent, box, point, bool(said.get("v")), said.get("h"))

    def element(self, size: tuple[int, int]) -> GUIElement:
        """An element of the protocol; a visible one has the part of its box that is on the screen."""
        said = self.said
        left, top, right, bottom = (number(n) for n in self.box)
        box = (floor(left), floor(top), max(ceil(right), floor(left)), max(ceil(bottom), floor(top)))
        if self.visible:
            width, height = size
            x1, y1 = min(max(box[0], 0), width), min(max(box[1], 0), height)
            box = (x1, y1, max(min(box[2], width), x1), max(min(box[3], height), y1))
        value, options = said.get("val"), said.get("o")
        tag, own = clean(said.get("t"), 40), clean(said.get("at"), 200)
        return GUIElement(
            element_id=self.id,
            track_id=self.id,
            tag=(f"{tag}#{own}" if own else tag) or None,
            text=clean(said.get("n"), _PROSE if said.get("r") == "text" else LONG) or None,
            role=clean(said.get("r"), 40) or None,
            bbox=BoundingBox(x1=box[0], y1=box[1], x2=box[2], y2=box[3]),
            visible=self.visible,
            name_source=clean(said.get("s"), 20) or None,
            value=None if value is None else clean(value, _VALUE),
            enabled=not said.get("d"),
            focused=bool(said.get("f")),
            selected=bool(said.get("sel")),
            expanded=bool(said["x"]) if "x" in said else None,
            required=bool(said.get("q")),
            invalid=bool(said.get("w")),
            private=bool(said.get("pr")),
            actuator=bool(said.get("ac")),
            parent=self.parent,
            placeholder=clean(said.get("ph")) or None,
            leads=clean(self.leads, _ADDRESS) or None,
            shown=clean(said.get("sh"), LONG) or None,
            options=tuple(clean(option) for option in options[:500]) if isinstance(options, list) else (),
        )
