"""A picture as SVG: one file, no scripts, nothing that is loaded."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from html import escape

from environments.simulated.render.raster import GRID, ICONS, WIDTH
from environments.simulated.render.shapes import Box, Fill, Icon, Label, Picture, Shape, ShapeGroup, common
from environments.simulated.render.text import OWN, font, printable

_FONTS = "Aileron,'Helvetica Neue',Helvetica,Arial,'Noto Sans','Noto Sans CJK SC','DejaVu Sans',sans-serif"
_LINES = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'


def svg(picture: Picture, title: str = "Desktop", *, embed_font: bool = True) -> str:
    """The picture as SVG. What belongs to an element is in a group with its id as `data-element`.

    The font of Latin text is inside, which takes 17 KB; without it, a viewer uses a font of its own in the same room.
    """
    width, height = picture.size
    clips = _ClipPaths((0, 0, width, height))
    body = [_part(part, clips) for part in picture.parts]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="{_FONTS}" role="img">',
            f"<title>{_said(title)}</title>",
            *((_font(),) if embed_font else ()),
            *clips.defined(),
            *body,
            "</svg>\n",
        ]
    )


def _said(text: str) -> str:
    """A text as XML can hold it: some characters may not stand in it, however they are written."""
    return escape(printable(text))


@lru_cache(maxsize=1)
def _font() -> str:
    data = b64encode(font(OWN, 14).font_bytes).decode("ascii")
    return f"<style>@font-face{{font-family:Aileron;src:url(data:font/otf;base64,{data})}}</style>"


class _ClipPaths:
    """A number for every box that something is clipped to."""

    def __init__(self, whole: Box) -> None:
        self.whole = whole
        self.numbers: dict[Box, int] = {}

    def attribute(self, box: Box) -> str:
        if common(box, self.whole) == self.whole:
            return ""
        return f' clip-path="url(#clip-{self.numbers.setdefault(box, len(self.numbers))})"'

    def defined(self) -> list[str]:
        return [f'<clipPath id="clip-{number}"><rect {_box(box)}/></clipPath>' for box, number in self.numbers.items()]


def _part(part: ShapeGroup, clips: _ClipPaths) -> str:
    owner = f' data-element="{_said(part.owner)}"' if part.owner else ""
    return f"<g{owner}{clips.attribute(part.clip)}>{''.join(_shape(shape) for shape in part.shapes)}</g>"


def _shape(shape: Shape) -> str:
    if isinstance(shape, Fill):
        radius = min(shape.radius, (shape.box[2] - shape.box[0]) // 2, (shape.box[3] - shape.box[1]) // 2)
        curve = f' rx="{radius}"' if radius > 0 else ""
        return f"<rect {_box(shape.box)}{curve}{_ink('fill', shape.colour)}/>"
    return _label(shape) if isinstance(shape, Label) else _icon(shape)


def _label(label: Label) -> str:
    weight = ' font-weight="600"' if label.face.bold else ""
    return (
        f'<text x="{label.x}" y="{label.y}" font-size="{label.face.size}"{weight} textLength="{label.width:.1f}" '
        f'lengthAdjust="spacingAndGlyphs" xml:space="preserve"{_ink("fill", label.colour)}>{escape(label.text)}</text>'
    )


def _icon(icon: Icon) -> str:
    scale = icon.size / GRID
    lines = "".join(f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in stroke)}"/>' for stroke in ICONS[icon.name])
    width = max(WIDTH, 1.3 / scale)
    return (
        f'<g transform="translate({icon.x} {icon.y}) scale({scale:g})" {_LINES} stroke-width="{width:g}"'
        f"{_ink('stroke', icon.colour)}>{lines}</g>"
    )


def _box(box: Box) -> str:
    return f'x="{box[0]}" y="{box[1]}" width="{max(0, box[2] - box[0])}" height="{max(0, box[3] - box[1])}"'


def _ink(name: str, colour: str) -> str:
    cover = f' {name}-opacity="{int(colour[7:], 16) / 255:.3f}"' if len(colour) > 7 else ""
    return f' {name}="{colour[:7]}"{cover}'
