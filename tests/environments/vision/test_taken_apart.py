"""Pictures taken apart without OCR: frames, lines of letters where a detector is wrong about them, and what stands together."""

import io
from collections.abc import Callable

import pytest

pytest.importorskip("cv2", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from PIL import Image, ImageDraw, ImageFont

from environments.vision.controls import ElementDraft
from environments.vision.pixels import Box, Colour, Frame, Pixels, frames_of, ground_of, np, pixels_of, written_in
from environments.vision.reader import LineBox, Reader, TextLine, _bands, _with_lines, cut_short, lettered
from environments.vision.recognizer import arranged

FIELD = Box(10, 10, 210, 46)
WHITE = Colour(255, 255, 255)
CARD = Frame(Box(10, 10, 400, 200), WHITE, WHITE, Colour(200, 200, 200))
SMALL, LARGE = 11, 13
"""Sizes of letters."""


def picture(draw: Callable[[ImageDraw.ImageDraw], object], size: tuple[int, int] = (260, 120)) -> Pixels:
    image = Image.new("RGB", size, "white")
    draw(ImageDraw.Draw(image))
    out = io.BytesIO()
    image.save(out, "PNG")
    return pixels_of(out.getvalue())


def boxed(*boxes: tuple[int, int, int, int]) -> Pixels:
    def draw(pen: ImageDraw.ImageDraw) -> None:
        for x1, y1, x2, y2 in boxes:
            pen.rounded_rectangle((x1, y1, x2 - 1, y2 - 1), 4, outline="#808890")

    return picture(draw, (200, 120))


def field(*, label: str = "", value: str = "$582.76", caret: bool = False, at: int = 0, arrows: bool = False) -> Pixels:
    """A field with a small name at its top and the value close below it; the caret stands at the value's end.

    With `arrows` two more at its right end, as on a field for numbers.
    """

    def draw(pen: ImageDraw.ImageDraw) -> None:
        pen.rounded_rectangle((FIELD.x1, FIELD.y1 + at, FIELD.x2 - 1, FIELD.y2 - 1 + at), 4, outline="#2459d3", width=2)
        pen.text((20, 13 + at), label, "#596376", font=ImageFont.load_default(SMALL))
        pen.text((20, 25 + at), value, "#1b2230", font=ImageFont.load_default(LARGE))
        if caret:
            end = 20 + int(pen.textlength(value, font=ImageFont.load_default(LARGE)))
            pen.rectangle((end, 24 + at, end + 1, 45 + at), fill="#2459d3")
        for tip, foot in ((18, 22), (38, 34)) if arrows else ():
            pen.line(((190, foot), (194, tip), (198, foot)), fill="#596376", width=2)

    return picture(draw)


def lines(pixels: Pixels, *boxes: Box) -> list[LineBox]:
    return lettered(pixels, boxes, [FIELD])


def test_a_small_name_and_the_value_close_below_it_are_two_lines_each_there_once() -> None:
    name, value = lines(field(label="Body"), Box(18, 13, 90, 42))
    assert name.box.y2 <= value.box.y1 + 4
    assert value.box.x2 > name.box.x2
    assert value.box.height > name.box.height
    twice = lines(field(label="Body"), Box(18, 13, 60, 28), Box(18, 20, 90, 42))
    assert [line.box for line in twice] == [name.box, value.box]


def test_a_line_is_whole_where_the_detector_cut_it_off_and_looks_the_same_wherever_it_stands() -> None:
    (whole,), (cut,) = lines(field(), Box(18, 26, 90, 42)), lines(field(), Box(18, 26, 45, 42))
    assert cut.box == whole.box
    here = lines(field(label="Body"), Box(18, 13, 90, 42))
    there = lettered(field(label="Body", at=50), [Box(17, 62, 93, 93)], [Box(FIELD.x1, FIELD.y1 + 50, FIELD.x2, FIELD.y2 + 50)])
    assert [line.crop.tobytes() for line in here] == [line.crop.tobytes() for line in there]


@pytest.mark.parametrize(("arrows", "wide"), [(False, Box(18, 22, 90, 44)), (True, Box(18, 14, 202, 44))])
def test_a_caret_that_touches_the_last_letter_and_the_frame_is_no_letter(arrows: bool, wide: Box) -> None:
    narrow = wide if arrows else Box(18, 26, 90, 42)
    without, with_one = lines(field(arrows=arrows), narrow), lines(field(arrows=arrows, caret=True), wide)
    assert [line.box for line in without] == [line.box for line in with_one]
    assert (without[0].crop == with_one[0].crop).mean() > 0.97, "no stroke of it is left"


def test_texts_that_stand_apart_are_two_and_words_of_one_are_told_by_the_room_between_them() -> None:
    def draw(pen: ImageDraw.ImageDraw) -> None:
        for x in (10, 90):
            pen.text((x, 10), "Next", "black", font=ImageFont.load_default(LARGE))

    assert len(lettered(picture(draw), [Box(8, 8, 130, 28)])) == 2
    (line,) = lines(field(value="New laptop"), Box(18, 26, 100, 42))
    assert len(line.words()) == 2
    assert sum(word.shape[1] for word in line.words()) == line.crop.shape[1]


def test_the_arrow_behind_a_word_is_no_letter_of_it() -> None:
    end = 10 + int(ImageFont.load_default(LARGE).getlength("More"))

    def draw(pen: ImageDraw.ImageDraw) -> None:
        pen.text((10, 10), "More", "black", font=ImageFont.load_default(LARGE))
        pen.line([(end + 11, 17), (end + 16, 22), (end + 21, 17)], "black", 2)

    word, arrow = lettered(picture(draw), [Box(8, 8, end + 24, 28)])
    assert word.box.x2 <= end + 1
    assert arrow.box.x1 >= end + 9


CUT = [(f"living room ther{ends}", "living room ther…") for ends in ("...>", "…", "..", " ···", "....'")]


@pytest.mark.parametrize(
    ("words", "told"), [*CUT, *((whole, whole) for whole in ("••••••", "a. b", "e.g. this", "No.", "1.5", "(x)", "what?"))]
)
def test_words_for_which_there_was_no_room_end_alike_and_others_stay_as_they_are(words: str, told: str) -> None:
    assert cut_short(words) == told


def test_a_frame_is_found_once_where_it_was_drawn_and_a_line_that_is_struck_through_is_read_as_it_stands() -> None:
    boxes = [(10, 10, 110, 42), (10, 50, 26, 66), (120, 20, 190, 100)]
    assert sorted(tuple(frame.box) for frame in frames_of(boxed(*boxes))) == sorted(boxes)
    assert frames_of(boxed()) == []
    pixels, box = picture(lambda pen: pen.rectangle((0, 9, 89, 10), fill="black"), (90, 20)), Box(0, 0, 90, 20)
    assert written_in(pixels, box, ground_of(pixels, box)) == Box(0, 9, 90, 11)


def test_only_rows_that_changed_are_read_again_and_no_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    line = TextLine(Box(5, 40, 90, 60), "x", 1.0)
    assert _with_lines(list(_bands(np.array([50, 52]), 120)), [line]) == [(34, 68)]
    reader, read = Reader(), []
    monkeypatch.setattr(reader, "_of_band", lambda pixels, top, bottom, frames: read.append((top, bottom)) or iter(()))
    for seen in (boxed(), boxed((10, 80, 60, 90)), boxed()):
        reader.read(seen)
    assert read == [(0, 120), (64, 105)], "the third picture was read before"


def text(name: str, x: int, row: int, role: str = "text") -> ElementDraft:
    return ElementDraft(role, Box(x, 20 + 36 * row, x + 60, 32 + 36 * row), name)


@pytest.mark.parametrize(
    ("parts", "role", "items"),
    [
        ([text("/", 30, 0), text("/Archive", 50, 1), text("/Projects", 50, 2), text("/Projects/Garden", 70, 3)], "tree",
         [("treeitem", name, False) for name in ("/", "/Archive", "/Projects", "/Projects/Garden")]),
        ([text("/", 30, 0), text("/Archive", 50, 1), text("/Reports", 24, 2, "button")], "tree",
         [("treeitem", "/", False), ("treeitem", "/Archive", False), ("treeitem", "/Reports", True)]),
        ([text(name, 30, n) for n, name in enumerate(("Milk", "Bread", "Eggs"))], "list",
         [("listitem", name, False) for name in ("Milk", "Bread", "Eggs")]),
    ],
    ids=["several depths", "the chosen one has a frame", "one depth"],
)  # fmt: skip
def test_texts_below_each_other_are_a_tree_or_a_list(
    parts: list[ElementDraft], role: str, items: list[tuple[str, str, bool]]
) -> None:
    (whole,) = arranged(parts, [CARD])
    assert (whole.role, [(item.role, item.text, item.selected) for item in whole.inside]) == (role, items)
