"""Pictures behind the words of a question, for models that see."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from protocol import VisualState
from roles.contracts import PictureKind, ScreenPicture

Picturing = Callable[[VisualState, ScreenPicture], bytes | None]
"""The picture of a screen as a PNG; None where it cannot be had."""
TOLD: dict[PictureKind, str] = {
    "clean": "the screen as it is",
    "annotated": "the same screen; each mark is the id of an element",
    "last_target": "the same screen, with a rectangle where your last target was",
    "side_by_side": "the screen as it is on the left, and with marks on the right; each mark is the id of an element",
}


def with_pictures(turn: str, pictures: Iterable[tuple[str, bytes | None]]) -> str | list[Any]:
    """The turn, with the pictures that there are behind it, each after what it shows."""
    blocks: list[Any] = []
    for told, png in pictures:
        if png is not None:
            blocks.append({"type": "text", "text": f"This picture shows {told}."})
            body = base64.b64encode(png).decode("ascii")
            blocks.append({"type": "image", "base64": body, "mime_type": "image/png"})
    return [{"type": "text", "text": turn}, *blocks] if blocks else turn


def of_screen(
    when: str, seen: VisualState, kinds: Sequence[PictureKind], picturing: Picturing
) -> list[tuple[str, bytes | None]]:
    """The pictures of one screen, for who acts on none: there is no last target."""
    wanted = [ScreenPicture(kind=kind, state_id=seen.state_id) for kind in kinds if kind != "last_target"]
    return [(f"{when}: {TOLD[picture.kind]}", picturing(seen, picture)) for picture in wanted]
