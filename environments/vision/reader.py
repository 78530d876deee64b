"""The lines of text on a picture, by OCR. What was read before is not read again: a picture, unchanged rows, a line."""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from environments.vision.pixels import INK, Box, Colour, Pixels, RapidOCR, around, cv2, far_from, ground_of, in_rows, np, part

_LETTER = 5
"""What is less high is a dot, a dash or a speck."""
_LEVEL = 0.5
"""How far the middles of two letters of a line may be from each other, of the height of the higher."""
_GAP = 1.2
"""Letters that are further from each other, in heights of a line, are two texts."""
_SIGN_APART = 0.6
_SPACE = 0.28
"""Room between two words, in heights of a line."""
_ROOM = 3
"""Pixels around the ink of a line that the model for text wants."""
_AROUND, _ABOVE = 6, 6
"""Around a box, in its heights and above and below it in pixels, its letters may go on: a detector cuts them."""
_NEXT = 0.6
"""How far the next word may be, in heights of the line."""
_FRAMED, _RIM = (40, 24), 3
"""How wide and high a frame is at least that a text stands in, and how thick its edge is at most."""
_CARET = 12
_MOST = 12
"""A box with more lines than that is a picture."""


class LineBox(NamedTuple):
    """The box of a line's ink, and its own pixels on its own ground, with nothing else that may stand close by."""

    box: Box
    crop: Pixels
    spaces: tuple[int, ...] = ()
    """Columns of the crop in which a word seems to end."""

    def words(self) -> list[Pixels]:
        """The crop, cut apart where its words seem to end."""
        ends = [0, *self.spaces, self.crop.shape[1]]
        return [np.ascontiguousarray(self.crop[:, start:end]) for start, end in pairwise(ends)]


class _Blob(NamedTuple):
    """Ink that hangs together."""

    label: int
    box: Box

    @property
    def middle(self) -> float:
        return self.box.middle[1]


def lettered(pixels: Pixels, boxes: Sequence[Box], frames: Sequence[Box] = ()) -> list[LineBox]:
    """The lines in boxes that a detector has found, each once and whole. What is drawn on the edge of a frame is no letter."""
    framed = [frame for frame in frames if frame.height >= _FRAMED[1] and frame.width >= _FRAMED[0]]
    found: list[LineBox] = []
    for box in _joined(boxes):
        for line in _in_box(pixels, box, framed):
            if not any(other.box.shared(line.box) > 0.7 * min(other.box.area, line.box.area) for other in found):
                found.append(line)
    return found


def _in_box(pixels: Pixels, box: Box, frames: Sequence[Box]) -> Iterator[LineBox]:
    beside, inside = _AROUND * box.height, box.grown(1).on(pixels)
    outer = Box(box.x1 - beside, box.y1 - _ABOVE, box.x2 + beside, box.y2 + _ABOVE).on(pixels)
    ground = ground_of(pixels, inside)
    far = far_from(part(pixels, outer), ground) > INK
    for frame in frames:
        if frame.shared(outer):
            _without_edges(far, frame.moved(-outer.x1, -outer.y1))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(far.astype(np.uint8), connectivity=8)
    blobs = [_Blob(n, Box(int(x), int(y), int(x + w), int(y + h))) for n, (x, y, w, h, _) in enumerate(stats) if n]
    blobs = [blob for blob in blobs if not _is_edge(blob.box, outer)]
    own = inside.moved(-outer.x1, -outer.y1)
    rows = _rows([blob for blob in blobs if blob.box.shared(own) > 0.5 * blob.box.area])
    lines = [line for row in rows for line in _apart(list(_without_caret(_whole(row, blobs), labels)))]
    if not 0 < len(lines) <= _MOST:
        yield LineBox(inside, np.ascontiguousarray(part(pixels, inside)))
        return
    for line in lines:
        yield _cut_out(pixels, outer, line, labels, ground)


def _without_edges(ink: Any, frame: Box) -> None:
    """Take the edges of a frame from the ink: a caret reaches them, and the last letter reaches the caret."""
    x1, y1, x2, y2 = (max(0, side) for side in frame.grown(1))
    for rows, columns in (
        (slice(y1, max(0, frame.y1 + _RIM)), slice(x1, x2)), (slice(max(0, frame.y2 - _RIM), y2), slice(x1, x2)),
        (slice(y1, y2), slice(x1, max(0, frame.x1 + _RIM))), (slice(y1, y2), slice(max(0, frame.x2 - _RIM), x2)),
    ):  # fmt: skip
        ink[rows, columns] = False


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those as one that lie on one another."""
    left = sorted(boxes)
    done: list[Box] = []
    while left:
        box = left.pop()
        shared = ((other, box.within(other)) for other in left)
        on_it = (o for o, both in shared if both.height > 0 and both.width > 0.5 * min(box.width, o.width))
        other = next(on_it, None)
        if other is None:
            done.append(box)
        else:
            left.remove(other)
            left.append(box.around(other))
    return sorted(done, key=lambda box: (box.y1, box.x1))


def _is_edge(box: Box, outer: Box) -> bool:
    """Whether it is a line that is drawn there, or goes on beyond, and no letter."""
    cut = box.x1 == 0 or box.x2 == outer.width or box.y1 == 0 or box.y2 == outer.height
    return (cut and box.area > 12) or (box.width > 24 and box.width > 8 * box.height)


def _whole(row: Sequence[_Blob], blobs: Sequence[_Blob]) -> list[_Blob]:
    """The row with the letters at its ends that a detector has left out."""
    found = list(row)
    high = max(blob.box.height for blob in row)
    top, bottom = min(blob.box.y1 for blob in row), max(blob.box.y2 for blob in row)
    left = [blob for blob in blobs if blob not in found and top - 4 <= blob.box.y1 and blob.box.y2 <= bottom + 4]
    while True:
        start, end = min(blob.box.x1 for blob in found), max(blob.box.x2 for blob in found)
        more = [b for b in left if -high < b.box.x1 - end <= _NEXT * high or 0 <= start - b.box.x2 <= _NEXT / 2 * high]
        if not more:
            return sorted(found, key=lambda blob: blob.box.x1)
        found += more
        left = [blob for blob in left if blob not in more]


def _rows(blobs: Sequence[_Blob]) -> list[list[_Blob]]:
    """Letters that stand side by side, with their dots, from the top, each row from the left."""
    letters = [blob for blob in blobs if blob.box.height >= _LETTER] or list(blobs)
    rows = in_rows(letters, lambda blob: blob.middle, _level)
    for speck in blobs:
        near = min(rows, key=lambda row: _distance(row, speck), default=None)
        if speck not in letters and near is not None and _distance(near, speck) <= 4:
            near.append(speck)
    return [sorted(row, key=lambda blob: blob.box.x1) for row in rows]


def _level(row: Sequence[_Blob], letter: _Blob) -> bool:
    own = median(blob.middle for blob in row)
    high = max(letter.box.height, median(blob.box.height for blob in row))
    return abs(letter.middle - own) <= _LEVEL * high


def _distance(row: Sequence[_Blob], speck: _Blob) -> float:
    """How far it is above or below the letters that stand beside it; 0 for one among them."""
    top, bottom = median(blob.box.y1 for blob in row), median(blob.box.y2 for blob in row)
    return max(0.0, top - speck.middle, speck.middle - bottom)


def _without_caret(row: Sequence[_Blob], labels: Any) -> Iterator[_Blob]:
    """A row without the thin stroke that shows where typing goes on: it reaches over all letters, and may touch one."""
    for blob in row:
        box = blob.box
        # the arrow of a list, or those of a field for numbers, stand further off
        near = [other.box for other in row if other is not blob and other.box.x1 - box.x2 < _GAP * box.height]
        over = near and box.y1 < min(other.y1 for other in near) and box.y2 > max(other.y2 for other in near)
        goes_on = any(other.x1 >= box.x2 for other in near)
        if not over or goes_on or box.height < _CARET:
            yield blob
            continue
        place = labels[box.y1 : box.y2, box.x1 : box.x2]
        ink = place == blob.label
        stroke = ink.mean(axis=0) > 0.9
        if not 0 < stroke.sum() <= 3:
            yield blob
            continue
        place[:, stroke] = -1
        left = ink & ~stroke
        across, down = np.flatnonzero(left.any(axis=0)), np.flatnonzero(left.any(axis=1))
        if len(across) > 1:
            inner = Box(int(across[0]), int(down[0]), int(across[-1]) + 1, int(down[-1]) + 1)
            yield _Blob(blob.label, inner.moved(box.x1, box.y1))


def _apart(row: Sequence[_Blob]) -> Iterator[list[_Blob]]:
    """A row as one text, or as several with wide gaps between them. The arrow of a list that opens stands nearer."""
    high = max((blob.box.height for blob in row), default=0)
    text: list[_Blob] = []
    for blob in row:
        room = blob.box.x1 - max(other.box.x2 for other in text) if text else 0
        arrow = blob is row[-1] and blob.box.height >= 4 and blob.box.width > 1.2 * blob.box.height
        if room > (_SIGN_APART if arrow else _GAP) * high:
            yield text
            text = []
        text.append(blob)
    if text:
        yield text


def _cut_out(pixels: Pixels, outer: Box, line: Sequence[_Blob], labels: Any, ground: Colour) -> LineBox:
    own = around(line)
    grown = own.grown(_ROOM)
    crop = np.empty((grown.height, grown.width, 3), dtype=np.uint8)
    crop[:] = ground
    there = grown.within(Box(0, 0, outer.width, outer.height))
    taken = labels[there.y1 : there.y2, there.x1 : there.x2]
    mine = np.isin(taken, [blob.label for blob in line])
    # The smooth rims of letters are less than ink: they stay with what they are around.
    near = (cv2.dilate(mine.astype(np.uint8), np.ones((3, 3), dtype=np.uint8)) > 0) & (mine | (taken == 0))
    target = crop[there.y1 - grown.y1 : there.y2 - grown.y1, there.x1 - grown.x1 : there.x2 - grown.x1]
    target[near] = part(pixels, outer)[there.y1 : there.y2, there.x1 : there.x2][near]
    return LineBox(own.moved(outer.x1, outer.y1), crop, tuple(x - grown.x1 for x in _spaces(line)))


def _spaces(line: Sequence[_Blob]) -> Iterator[int]:
    """Where there is more room between two letters than within a word."""
    high = max(blob.box.height for blob in line)
    end = line[0].box.x2
    for blob in line[1:]:
        if blob.box.x1 - end > _SPACE * high:
            yield (blob.box.x1 + end) // 2
        end = max(end, blob.box.x2)


_PICTURES, _LINES = 64, 4_096
_APART = 16
"""Changed rows that are nearer to each other belong together."""
_LARGE = 4_000
"""Pixels of a side up to which a picture is read in its own size."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SIGN = re.compile(r"[^\w$€£¥#@&%+\-(\[\"'“‘]|[\u3040-\u9fff\uac00-\ud7af_]")


class TextLine(NamedTuple):
    """A line of text, or a part of one that stands apart; the box is that of its ink."""

    box: Box
    text: str
    confidence: float


class Reader:
    """Reads pictures, one like the other best: most of a screen stays as it was."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[bytes, tuple[TextLine, ...]] = OrderedDict()
        self._lines: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._last: tuple[Pixels, tuple[TextLine, ...]] | None = None

    def read(self, pixels: Pixels, frames: Sequence[Box] = ()) -> tuple[TextLine, ...]:
        """Every line, from the top down. `frames` are what is known to be drawn around texts."""
        key = hashlib.blake2b(pixels.tobytes(), digest_size=16).digest()
        if key not in self._pictures:
            kept, bands = self._unchanged(pixels)
            found = [line for top, bottom in bands for line in self._of_band(pixels, top, bottom, frames)]
            self._pictures[key] = tuple(sorted([*kept, *found], key=lambda line: (line.box.y1, line.box.x1)))
            if len(self._pictures) > _PICTURES:
                self._pictures.popitem(last=False)
        self._last = pixels, self._pictures[key]
        return self._pictures[key]

    def _unchanged(self, pixels: Pixels) -> tuple[list[TextLine], list[tuple[int, int]]]:
        """The lines of the last picture that still hold, and the rows that have to be read."""
        whole = [(0, pixels.shape[0])]
        if self._last is None or self._last[0].shape != pixels.shape:
            return [], whole
        before, lines = self._last
        bands = list(_bands(np.flatnonzero((before != pixels).any(axis=(1, 2))), pixels.shape[0]))
        bands = _with_lines(bands, lines)
        if sum(bottom - top for top, bottom in bands) > 0.7 * pixels.shape[0]:
            return [], whole
        kept = [line for line in lines if not any(line.box.y1 < bottom and top < line.box.y2 for top, bottom in bands)]
        return kept, bands

    def _of_band(self, pixels: Pixels, top: int, bottom: int, frames: Sequence[Box]) -> Iterator[TextLine]:
        band = pixels[top:bottom]
        found = self._engine(np.ascontiguousarray(band[:, :, ::-1]), use_det=True, use_cls=False, use_rec=False).boxes
        yield from self.also(pixels, [_upright(corners, top) for corners in (found if found is not None else ())], frames)

    def also(self, pixels: Pixels, boxes: Sequence[Box], frames: Sequence[Box] = ()) -> Iterator[TextLine]:
        """The lines that stand in boxes."""
        lines = lettered(pixels, [box.on(pixels) for box in boxes if box.on(pixels).area], frames)
        for line, (text, sure) in zip(lines, self._said([line.crop for line in lines]), strict=True):
            if text := cut_short(_without_icons(self._spaced(line, text))):
                yield TextLine(line.box, text, sure)

    def _spaced(self, line: LineBox, text: str) -> str:
        """The text with the spaces that the model has overlooked: its words are read one by one, and must come to the same."""
        if len(line.spaces) <= text.count(" "):
            return text
        words = " ".join(word for word, _ in self._said(line.words()))
        return words if words.replace(" ", "") == text.replace(" ", "") else text

    def _said(self, crops: Sequence[Pixels]) -> list[tuple[str, float]]:
        """What stands on each; only what was read nowhere before is given to the model."""
        crops = [np.ascontiguousarray(crop[:, :, ::-1]) for crop in crops]
        keys = [hashlib.blake2b(crop.tobytes() + str(crop.shape).encode(), digest_size=16).digest() for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._lines}
        if new:
            read = self._engine.recognize_txt(list(new.values()))
            for key, text, sure in zip(new, read.txts or (), read.scores or (), strict=True):
                self._lines[key] = str(text), float(sure)
        said = [self._lines[key] for key in keys]
        while len(self._lines) > _LINES:
            self._lines.popitem(last=False)
        return said

    @cached_property
    def _engine(self) -> Any:
        return RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": _LARGE,
                "Det.limit_type": "max",
                "Det.limit_side_len": _LARGE,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,  # more of them wait for each other, busily
            }
        )


def _bands(rows: Any, height: int) -> Iterator[tuple[int, int]]:
    """Neighbouring rows together, with some room around them."""
    for band in np.split(rows, np.flatnonzero(np.diff(rows) > 2 * _APART) + 1):
        if len(band):
            yield max(0, int(band[0]) - _APART), min(height, int(band[-1]) + _APART)


def _with_lines(bands: list[tuple[int, int]], lines: Sequence[TextLine]) -> list[tuple[int, int]]:
    """The bands, made so wide that they cut no line, and those that meet as one."""
    while True:
        wider = []
        for top, bottom in bands:
            cut = [line.box.grown(4) for line in lines if line.box.y1 < bottom and top < line.box.y2]
            wider.append((max(0, min([top, *(box.y1 for box in cut)])), max([bottom, *(box.y2 for box in cut)])))
        joined: list[tuple[int, int]] = []
        for top, bottom in sorted(wider):
            if joined and top <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(bottom, joined[-1][1])
            else:
                joined.append((top, bottom))
        if joined == bands:
            return bands
        bands = joined


def _upright(corners: Any, down: int) -> Box:
    across, along = [float(point[0]) for point in corners], [float(point[1]) for point in corners]
    return Box(int(min(across)), int(min(along)) + down, int(max(across)) + 1, int(max(along)) + 1 + down)


_CUT = re.compile(r"(?<=\w)\s*(?:\.{2,}|…|[·•]{2,})[.…>)\]|*'’·\s]{0,2}$")


def cut_short(text: str) -> str:
    """The sign for words that had no room is read in many ways, and always meant alike."""
    return _CUT.sub("…", text)


def _without_icons(text: str) -> str:
    """An icon beside a text is read as a sign of some alphabet: it goes where the text is of another one."""
    words = text.strip().split()
    if len(words) > 1 and not _CJK.search("".join(words[1:])) and len(words[0]) == 1 and _SIGN.fullmatch(words[0]):
        words = words[1:]
    if len(words) > 1 and not _CJK.search("".join(words[:-1])) and len(words[-1]) == 1 and _CJK.fullmatch(words[-1]):
        words = words[:-1]
    return " ".join(words)
