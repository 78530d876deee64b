"""What a page's script says, made into elements: nothing a page writes is trusted to be short, whole or of the right kind."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, isfinite
from typing import Any
from urllib.parse import urlsplit

from protocol import BoundingBox, GUIElement

LONG = 300
_PROSE = 4000
_VALUE = 20_000
_FAR = 1_000_000
_ADDRESS = 300


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


def shifted(raw: dict[str, Any], x: float, y: float) -> dict[str, Any]:
    """The same record with its places counted from elsewhere."""
    b = raw.get("b") or [0, 0, 0, 0]
    moved = {**raw, "b": [number(b[0]) + x, number(b[1]) + y, number(b[2]) + x, number(b[3]) + y]}
    if raw.get("pt"):
        moved["pt"] = [number(raw["pt"][0]) + x, number(raw["pt"][1]) + y]
    return moved


def shown_address(url: str) -> str:
    """An address without what stands behind its path; empty where it is none of the web."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.scheme in ("http", "https") else ""


def element_of(raw: Mapping[str, Any], size: tuple[int, int]) -> GUIElement:
    """An element of the protocol; a visible one has the part of its box that is on the screen."""
    left, top, right, bottom = (number(n) for n in raw["b"])
    box = (floor(left), floor(top), max(ceil(right), floor(left)), max(ceil(bottom), floor(top)))
    if raw.get("v"):
        width, height = size
        x1, y1 = min(max(box[0], 0), width), min(max(box[1], 0), height)
        box = (x1, y1, max(min(box[2], width), x1), max(min(box[3], height), y1))
    value = raw.get("val")
    options = raw.get("o")
    return GUIElement(
        element_id=raw["id"],
        track_id=raw["id"],
        tag=_tag(raw),
        text=clean(raw.get("n"), _PROSE if raw.get("r") == "text" else LONG) or None,
        role=clean(raw.get("r"), 40) or None,
        bbox=BoundingBox(x1=box[0], y1=box[1], x2=box[2], y2=box[3]),
        visible=bool(raw.get("v")),
        name_source=clean(raw.get("s"), 20) or None,
        value=None if value is None else clean(value, _VALUE),
        enabled=not raw.get("d"),
        focused=bool(raw.get("f")),
        selected=bool(raw.get("sel")),
        expanded=bool(raw["x"]) if "x" in raw else None,
        required=bool(raw.get("q")),
        invalid=bool(raw.get("w")),
        private=bool(raw.get("pr")),
        actuator=bool(raw.get("ac")),
        parent=raw.get("parent"),
        placeholder=clean(raw.get("ph")) or None,
        leads=clean(raw.get("h"), _ADDRESS) or None,
        shown=clean(raw.get("sh"), LONG) or None,
        options=tuple(clean(option) for option in options[:500]) if isinstance(options, list) else (),
    )


def _tag(raw: Mapping[str, Any]) -> str | None:
    """The tag, with the id that the page gives the element: `input#amount`."""
    tag, own = clean(raw.get("t"), 40), clean(raw.get("at"), 200)
    return (f"{tag}#{own}" if own else tag) or None
