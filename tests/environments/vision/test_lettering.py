"""Lines of letters without OCR: what a detector of text gets wrong about where they are is put right by the letters."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("cv2", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from PIL import Image, ImageDraw, ImageFont

from environments.vision.pixels import Box, Pixels, pixels_of
from environments.vision.reader import LineBox, cut_short, lettered

FIELD = Box(10, 10, 210, 46)


def field(*, label: str = "Body", value: str = "$582.76", caret: bool = False, at: int = 0, arrows: bool = False) -> Pixels:
    """A field with a small name at its top and the value close below it; the caret stands at the value's end.

    With `arrows` two more at its right end, as on a field for numbers.
    """
    image = Image.new("RGB", (260, 120), "white")
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((FIELD.x1, FIELD.y1 + at, FIELD.x2 - 1, FIELD.y2 - 1 + at), 4, outline="#2459d3", width=2)
    pen.text((20, 13 + at), label, "#596376", font=ImageFont.load_default(11))
    large = ImageFont.load_default(13)
    pen.text((20, 25 + at), value, "#1b2230", font=large)
    if caret:
        end = 20 + int(pen.textlength(value, font=large))
        pen.rectangle((end, 24 + at, end + 1, 45 + at), fill="#2459d3")
    for tip, foot in ((18, 22), (38, 34)) if arrows else ():
        pen.line(((190, foot), (194, tip), (198, foot)), fill="#596376", width=2)
    out = io.BytesIO()
    image.save(out, "PNG")
    return pixels_of(out.getvalue())


def lines(pixels: Pixels, *boxes: Box) -> list[LineBox]:
    return lettered(pixels, boxes, [FIELD])


def test_a_small_name_and_the_value_close_below_it_are_two_lines() -> None:
    name, value = lines(field(), Box(18, 13, 90, 42))
    assert name.box.y2 <= value.box.y1 + 4
    assert value.box.x2 > name.box.x2
    assert value.box.height > name.box.height


def test_a_line_is_whole_where_the_detector_cut_it_off() -> None:
    (whole,) = lines(field(label=""), Box(18, 26, 90, 42))
    (cut,) = lines(field(label=""), Box(18, 26, 45, 42))
    assert cut.box == whole.box


def test_a_line_that_was_found_twice_is_there_once() -> None:
    once = lines(field(), Box(18, 13, 90, 42))
    assert [line.box for line in lines(field(), Box(18, 13, 60, 28), Box(18, 20, 90, 42))] == [line.box for line in once]


def test_a_caret_that_touches_the_last_letter_and_the_frame_is_no_letter() -> None:
    without, with_one = lines(field(label=""), Box(18, 26, 90, 42)), lines(field(label="", caret=True), Box(18, 22, 90, 44))
    assert [line.box for line in without] == [line.box for line in with_one]
    assert (without[0].crop == with_one[0].crop).mean() > 0.97, "no stroke of it is left"


def test_the_caret_of_a_field_for_numbers_is_no_letter_either() -> None:
    wide = Box(18, 14, 202, 44)
    without, with_one = lines(field(label="", arrows=True), wide), lines(field(label="", caret=True, arrows=True), wide)
    assert [line.box for line in without] == [line.box for line in with_one]


def test_a_line_looks_the_same_wherever_it_stands() -> None:
    here, there = field(), field(at=50)
    low = Box(FIELD.x1, FIELD.y1 + 50, FIELD.x2, FIELD.y2 + 50)
    one, other = lines(here, Box(18, 13, 90, 42)), lettered(there, [Box(17, 62, 93, 93)], [low])
    assert [line.crop.tobytes() for line in one] == [line.crop.tobytes() for line in other]


def test_texts_that_stand_apart_are_two() -> None:
    image = Image.new("RGB", (200, 40), "white")
    pen = ImageDraw.Draw(image)
    for x in (10, 90):
        pen.text((x, 10), "Next", "black", font=ImageFont.load_default(13))
    out = io.BytesIO()
    image.save(out, "PNG")
    assert len(lettered(pixels_of(out.getvalue()), [Box(8, 8, 130, 28)])) == 2


def test_the_words_of_a_line_are_told_by_the_room_between_them() -> None:
    (line,) = lines(field(label="", value="New laptop"), Box(18, 26, 100, 42))
    assert len(line.words()) == 2
    assert sum(word.shape[1] for word in line.words()) == line.crop.shape[1]


def test_the_arrow_behind_a_word_is_no_letter_of_it() -> None:
    image = Image.new("RGB", (120, 40), "white")
    pen = ImageDraw.Draw(image)
    pen.text((10, 10), "More", "black", font=ImageFont.load_default(13))
    end = 10 + int(pen.textlength("More", font=ImageFont.load_default(13)))
    pen.line([(end + 11, 17), (end + 16, 22), (end + 21, 17)], "black", 2)
    out = io.BytesIO()
    image.save(out, "PNG")
    word, arrow = lettered(pixels_of(out.getvalue()), [Box(8, 8, end + 24, 28)])
    assert word.box.x2 <= end + 1
    assert arrow.box.x1 >= end + 9


@pytest.mark.parametrize("ends", ["...>", "…", "..", " ···", "....'"])
def test_words_for_which_there_was_no_room_end_alike_however_the_sign_for_it_is_read(ends: str) -> None:
    assert cut_short(f"living room ther{ends}") == "living room ther…"


@pytest.mark.parametrize("whole", ["••••••", "a. b", "e.g. this", "No.", "1.5", "(x)", "what?"])
def test_what_is_not_cut_short_stays_as_it_is(whole: str) -> None:
    assert cut_short(whole) == whole
