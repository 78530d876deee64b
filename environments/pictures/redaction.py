"""Boxes of a picture that nobody may read, painted over. Raises EnvironmentFault on import where Pillow is not installed."""

from __future__ import annotations

import io
from collections.abc import Iterable
from math import ceil, floor

from environments.pictures.set_of_mark import Image, ImageDraw, opened
from protocol import BoundingBox

COLOUR = "#3f3f46"
_AROUND = 1
"""Pixels beside a box in which the edges of its letters may show."""


def painted_over(
    png: bytes, boxes: Iterable[BoundingBox], screen: tuple[int, int], kept: Iterable[BoundingBox] | None = None
) -> bytes:
    """The picture with every box of the screen filled, and where `kept` is given also all that is in none of these.

    Raises EnvironmentFault for bytes that are no picture.
    """
    image = opened(png)
    across, down = image.width / max(1, screen[0]), image.height / max(1, screen[1])

    def placed(box: BoundingBox, more: int) -> tuple[int, int, int, int]:
        """In pixels of the picture, which a box may share with its neighbour."""
        left, top = floor(box.x1 * across) - more, floor(box.y1 * down) - more
        return left, top, ceil(box.x2 * across) + more, ceil(box.y2 * down) + more

    if kept is not None:
        whole, image = image, Image.new("RGB", image.size, COLOUR)
        for box in kept:
            place = placed(box, 0)
            image.paste(whole.crop(place), place)
    pen = ImageDraw.Draw(image)
    for box in boxes:
        pen.rectangle(placed(box, _AROUND), fill=COLOUR)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()
