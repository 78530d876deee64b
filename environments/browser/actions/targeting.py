"""From a target to a pixel that can be pressed, or a sentence why there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from environments.browser.observation.elements import script
from environments.browser.observation.screen import Sight, Spot, beat, settle
from protocol import ActionTarget, BoundingBox, GUIElement, Point, Resolved, TargetError, resolve

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

SHORTEST = 4
"""Shorter texts turn up by chance, as they do in the vault."""
_MOST = 2_000
"""Boxes of one frame."""


class Span(NamedTuple):
    """Letters of one text of a page."""

    text: int
    start: int
    end: int


async def written(page: Page, texts: Sequence[str], size: tuple[int, int]) -> list[BoundingBox]:
    """The boxes on the screen, of every frame. Raises Playwright's errors."""
    wanted = [bare for text in texts if len(bare := _bare(text)) >= SHORTEST]
    boxes: list[BoundingBox] = []
    for frame in page.frames if wanted else ():
        seen = await frame.evaluate_handle(script("written"))
        said = await seen.evaluate("seen => [seen.texts, seen.values]")
        spans = list(spans_of(wanted, [str(text) for text in said[0]]))[:_MOST]
        fields = [at for at, values in enumerate(said[1]) if any(bare in _bare(str(v)) for v in values for bare in wanted)]
        if spans or fields:
            left, top = await _corner(frame, page)
            found = await seen.evaluate("(seen, wanted) => seen.boxes(...wanted)", [[list(span) for span in spans], fields])
            for x1, y1, x2, y2 in found:
                across = [min(max(0, round(float(x) + left)), size[0]) for x in (x1, x2)]
                down = [min(max(0, round(float(y) + top)), size[1]) for y in (y1, y2)]
                if across[0] < across[1] and down[0] < down[1]:
                    boxes.append(BoundingBox(x1=across[0], y1=down[0], x2=across[1], y2=down[1]))
        await seen.dispose()
    return boxes


def spans_of(wanted: Iterable[str], texts: Sequence[str]) -> Iterator[Span]:
    """Where each of the wanted texts stands in the texts of a page, which may be cut anywhere and spaced in any way."""
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        for at, sign in enumerate(text):
            for letter in _bare(sign):
                letters.append(letter)
                places.append((number, at))
    whole = "".join(letters)
    for bare in wanted:
        start = whole.find(bare)
        while start >= 0:
            end = start + len(bare)
            for number in dict.fromkeys(place[0] for place in places[start:end]):
                inside = [at for text, at in places[start:end] if text == number]
                yield Span(number, inside[0], inside[-1] + 1)
            start = whole.find(bare, start + 1)


def _bare(text: str) -> str:
    return "".join(text.split()).casefold()


async def _corner(frame: Frame, page: Page) -> tuple[float, float]:
    """Where a frame's own pixels begin."""
    if frame is page.main_frame:
        return 0.0, 0.0
    holder = await frame.frame_element()
    box = await holder.bounding_box()
    inner = await holder.evaluate("(el) => [el.clientLeft, el.clientTop]")
    return (box["x"] + float(inner[0]), box["y"] + float(inner[1])) if box else (0.0, 0.0)


SETTLE = 0.03
"""Seconds between moving and pressing: what reacts to the pointer has shown it by then."""
_STAND = 35
"""Milliseconds for which an element is at one place before it is pressed there."""
_REDRAWN = 4
"""How often an element is found anew: some pages draw themselves several times a second, and nothing was pressed so far."""


class Refused(Exception):
    """The sentence says what the planner can do about it."""


class Gone(Refused):
    """What was found is no longer part of the page."""


class Aim(NamedTuple):
    """An element that was meant, and where on the page it is pressed. `spot` is None for a bare point."""

    resolved: Resolved
    spot: Spot | None
    element: GUIElement | None
    x: float
    y: float
    said: Mapping[str, Any] = {}
    """What the page says of it, when it was asked last."""

    @property
    def given(self) -> bool:
        """Whether the point was the target's own, not the middle of the element."""
        return self.element is None or self.element.bbox is None or self.resolved.point != self.element.bbox.center

    @property
    def name(self) -> str:
        if self.element is None:
            return f"the point {self.x:g}, {self.y:g}"
        return f'"{self.element.name}"' if self.element.text else f"the {self.element.role} {self.element.element_id}"


async def find(sight: Sight, target: ActionTarget | None, how: str = "press") -> Aim:
    """The element that is meant, wherever it is, and what the page says of it. Raises Refused."""
    assert target is not None  # noqa: S101 - the verb's own rule
    if sight.read is None or sight.read != (await beat(sight)).pulse:
        await sight.look()
    state = sight.state()
    try:
        resolved = resolve(target, state)
    except TargetError as problem:
        raise Refused(f"{problem}; the page is still loading, wait" if sight.busy else str(problem)) from None
    element = state.by_id.get(resolved.element_id)
    spot = sight.spots.get(resolved.element_id)
    point = resolved.point or Point(0, 0)
    if element is not None and spot is None:
        raise Refused(f"{element.role} {element.element_id} is a notice, not a part of the page")
    return await asked(Aim(resolved, spot, element, point.x, point.y), how)


async def asked(aim: Aim, how: str = "press") -> Aim:
    """With what the page says of it now: of what a press there is a press of, or of what takes the keys."""
    if aim.spot is None:
        return aim
    point = [aim.x - aim.spot.x, aim.y - aim.spot.y] if aim.given else None
    return aim._replace(said=await aim.spot.ask("look", point, how))


async def usable(sight: Sight, aim: Aim, how: str = "press", *, pressed: bool = True, scroll: bool = False) -> Aim:
    """What was just asked about, at a point where nothing covers it once it stands still; where it is out of view, it is scrolled
    to on demand. Raises Refused where a pointer cannot get to it."""
    aim = await _at_rest(aim, how)
    if scroll and _out_of_view(sight, aim):
        await into_view(sight, aim)
        aim = await _at_rest(await asked(aim, how), how)
    if aim.spot is None:
        return aim
    place, name = aim.said["place"], aim.name
    if place.get("gone"):
        raise Gone(f"{name} is gone from the page; look again")
    if pressed and place.get("disabled"):
        raise Refused(f"{name} is disabled")
    if place.get("hidden"):
        raise Refused(f"{name} is not shown on the page")
    if place.get("off"):
        way = place["side"]
        hint = f"scroll {way}" if way in ("up", "down", "left", "right") else "scroll its container"
        raise Refused(f"{name} is out of view; {hint}, or scroll with it as the target to bring it into view")
    if place.get("cover"):
        raise Refused(f'{name} is covered by "{str(place["cover"])[:80]}"; close or move that first')
    if place["exact"]:
        return aim
    x, y = place["pt"][0] + aim.spot.x, place["pt"][1] + aim.spot.y
    _through_frames(sight, aim, x, y)
    resolved = aim.resolved.model_copy(update={"point": Point(int(x), int(y))})
    moved = aim._replace(resolved=resolved, x=x, y=y)
    return await asked(moved, how) if aim.given else moved


async def find_usable(sight: Sight, target: ActionTarget | None, *, pressed: bool = True) -> Aim:
    """The element that is meant, where a pointer gets to it; what a page draws anew meanwhile is found anew. Raises Refused."""
    for _ in range(_REDRAWN):
        with suppress(Gone):
            return await usable(sight, await find(sight, target), pressed=pressed)
    return await usable(sight, await find(sight, target), pressed=pressed)


async def into_view(sight: Sight, aim: Aim) -> None:
    """Scroll so that it can be seen."""
    if aim.spot is not None:
        await aim.spot.ask("show")
        await settle(sight, 1.0)


def _out_of_view(sight: Sight, aim: Aim) -> bool:
    """By itself, or in a frame of which this part is."""
    if aim.spot is None:
        return False
    place = aim.said["place"]
    point = place.get("pt")
    return bool(place.get("off") or (point and not _on_page(sight, point[0] + aim.spot.x, point[1] + aim.spot.y)))


def _on_page(sight: Sight, x: float, y: float) -> bool:
    width, height = sight.session.rules.size
    return 0 <= x < width and 0 <= y < height


async def _at_rest(aim: Aim, how: str) -> Aim:
    """Once it no longer moves: an animation carries things off, and swallows presses."""
    for _ in range(40 if aim.spot is not None else 0):
        place = aim.said["place"]
        if place.get("gone") or (place["stood"] >= _STAND and not place["moving"]):
            break
        await asyncio.sleep((_STAND if place["moving"] else _STAND - place["stood"]) / 1000)
        aim = await asked(aim, how)
    return aim


def _through_frames(sight: Sight, aim: Aim, x: float, y: float) -> None:
    """A point in a frame counts only where the page shows that frame. Raises Refused."""
    if not _on_page(sight, x, y):
        raise Refused(f"{aim.name} is out of view; scroll with it as the target to bring it into view")
    shown = sight.state().by_id.get(aim.resolved.element_id)
    if aim.spot is not None and aim.spot.frame.parent_frame is not None and shown is not None and not shown.visible:
        raise Refused(f"{aim.name} lies in a frame that is covered or out of view; scroll with it as the target")


async def move(sight: Sight, aim: Aim) -> Aim:
    """Bring the pointer there and let the page react; what moves under the pointer is followed."""
    await _to(sight, aim)
    if aim.spot is None or await aim.spot.ask("at", aim.x - aim.spot.x, aim.y - aim.spot.y):
        return aim
    aim = await asked(aim)
    if aim.said["place"].get("gone"):
        return aim  # it was replaced on hover: the door looks whether by the same
    aim = await usable(sight, aim)
    await _to(sight, aim)
    return aim


async def _to(sight: Sight, aim: Aim) -> None:
    sight.pointer = aim.x, aim.y
    await sight.session.page.mouse.move(aim.x, aim.y, steps=2)
    await asyncio.sleep(SETTLE)
