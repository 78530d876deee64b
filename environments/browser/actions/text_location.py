"""Where on a page given texts can be read, also where no element of the screen tells them.

The page is asked for all that it says, and the texts are looked for here: a page could overhear whatever is said to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from protocol import BoundingBox

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

SHORTEST = 4
"""Shorter texts turn up by chance, as they do in the vault."""
_MOST = 2_000
"""Boxes of one frame."""
_GATHER = r"""() => {
  const nodes = [], fields = [];
  const gather = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === 3) nodes.push(node);
      else {
        if (node.shadowRoot) gather(node.shadowRoot);
        if (/^(INPUT|TEXTAREA|SELECT|BUTTON|METER|PROGRESS)$/.test(node.tagName)) fields.push(node);
      }
    }
  };
  if (document.body) gather(document.body);
  const said = (el) => [el.value, el.getAttribute('placeholder'), ...[...(el.selectedOptions || [])].map((o) => o.label)];
  return {nodes, fields, texts: nodes.map((n) => n.data), values: fields.map((el) => said(el).map((t) => String(t ?? '')))};
}"""
_BOXES = r"""(seen, wanted) => {
  const found = [];
  for (const [at, from, to] of wanted.texts) {
    const range = document.createRange();
    try { range.setStart(seen.nodes[at], from); range.setEnd(seen.nodes[at], to); } catch (gone) { continue; }
    found.push(...range.getClientRects());
  }
  for (const at of wanted.fields) found.push(seen.fields[at].getBoundingClientRect());
  return found.map((box) => [box.left, box.top, box.right, box.bottom]);
}"""


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
        seen = await frame.evaluate_handle(_GATHER)
        said = await seen.evaluate("seen => [seen.texts, seen.values]")
        spans = list(spans_of(wanted, [str(text) for text in said[0]]))[:_MOST]
        fields = [at for at, values in enumerate(said[1]) if any(bare in _bare(str(v)) for v in values for bare in wanted)]
        if spans or fields:
            left, top = await _corner(frame, page)
            found = await seen.evaluate(_BOXES, {"texts": [list(span) for span in spans], "fields": fields})
            boxes += _on_screen(found, left, top, size)
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


def _on_screen(found: Sequence[Sequence[Any]], left: float, top: float, size: tuple[int, int]) -> Iterator[BoundingBox]:
    for x1, y1, x2, y2 in found:
        across = [min(max(0, round(float(x) + left)), size[0]) for x in (x1, x2)]
        down = [min(max(0, round(float(y) + top)), size[1]) for y in (y1, y2)]
        if across[0] < across[1] and down[0] < down[1]:
            yield BoundingBox(x1=across[0], y1=down[0], x2=across[1], y2=down[1])
