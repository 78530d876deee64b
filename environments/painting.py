"""Boxes of a picture that nobody may read, painted over. Raises EnvironmentFault on import where Pillow is not installed."""

from __future__ import annotations

import io
from collections.abc import Iterable

from environments.marks import opened
from environments.pillow import ImageDraw
from protocol import BoundingBox

COLOUR = "#3f3f46"


def painted_over(png: bytes, boxes: Iterable[BoundingBox], screen: tuple[int, int]) -> bytes:
    """The picture with every box of the screen filled. Raises EnvironmentFault for bytes that are no picture."""
    image = opened(png)
    across, down = image.width / max(1, screen[0]), image.height / max(1, screen[1])
    pen = ImageDraw.Draw(image)
    for box in boxes:
        pen.rectangle((box.x1 * across, box.y1 * down, box.x2 * across, box.y2 * down), fill=COLOUR)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()
