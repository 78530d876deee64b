"""Boxes: pixels, corners, and the two spellings of the seeds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from protocol import BoundingBox, Coordinate, Point, Region
from protocol.model.geometry import Box

numbers = st.integers(-5_000, 5_000)


class _Holder(BaseModel):
    box: Box


def test_a_box_may_be_written_as_a_list_or_as_an_object() -> None:
    listed = _Holder.model_validate({"box": [120, 80, 800, 120]}).box
    assert listed == _Holder.model_validate({"box": {"x1": 120, "y1": 80, "x2": 800, "y2": 120}}).box
    assert (listed.x1, listed.y1, listed.x2, listed.y2) == (120, 80, 800, 120)


@pytest.mark.parametrize("written", [[1, 2, 3], [1, 2, 3, 4, 5], [], ["a", 0, 0, 0], [0.5, 0, 1, 1], {"x": 1, "y": 1, "w": 2}])
def test_a_box_of_another_shape_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        _Holder.model_validate({"box": written})


@pytest.mark.parametrize(("x1", "y1", "x2", "y2"), [(10, 0, 9, 5), (0, 10, 5, 9)])
def test_corners_out_of_order_are_refused_and_named(x1: int, y1: int, x2: int, y2: int) -> None:
    with pytest.raises(ValidationError, match=rf"\({x1},{y1}\) to \({x2},{y2}\)"):
        BoundingBox(x1=x1, y1=y1, x2=x2, y2=y2)


def test_the_right_and_the_lower_edge_are_outside() -> None:
    box = BoundingBox(x1=0, y1=0, x2=10, y2=10)
    assert [box.contains(Point(*at)) for at in ((0, 0), (9, 9), (10, 5), (5, 10))] == [True, True, False, False]


def test_values_cannot_be_changed_or_widened() -> None:
    box = BoundingBox(x1=0, y1=0, x2=1, y2=1)
    with pytest.raises(ValidationError, match="frozen"):
        box.x1 = 5  # type: ignore[misc]
    with pytest.raises(ValidationError, match="z1"):
        BoundingBox.model_validate({"x1": 0, "y1": 0, "x2": 1, "y2": 1, "z1": 3})


@pytest.mark.parametrize(
    ("written", "pixel"),
    [
        ({"x": 640, "y": 400}, (640, 400)),
        ({"x": 0.5, "y": 0.25, "space": "norm1"}, (640, 200)),
        ({"x": 1.0, "y": 1.0, "space": "norm1"}, (1279, 799)),
        ({"x": 500, "y": 999, "space": "norm1000"}, (640, 799)),
        ({"x": 999, "y": 0, "space": "norm999"}, (1279, 0)),
        ({"x": 512, "y": 320, "space": "image", "image_size": [1024, 640]}, (640, 400)),
        ({"x": 1, "y": 1}, (1, 1)),
        ({"x": -5, "y": 2000}, (-5, 2000)),
    ],
)
def test_a_coordinate_is_a_pixel_by_the_space_it_names(written: dict[str, object], pixel: tuple[int, int]) -> None:
    assert Coordinate.model_validate(written).to_px((1280, 800)) == pixel


@given(st.integers(0, 1279), st.integers(0, 799), st.sampled_from(["px", "norm1"]), st.sampled_from([(1280, 800), (2560, 1600)]))
def test_a_pixel_survives_a_space_that_is_fine_enough(x: int, y: int, space: Any, image: tuple[int, int]) -> None:
    there = Coordinate(x=x, y=y).to_space(space, (1280, 800))
    assert there.to_px((1280, 800)) == (x, y)
    in_picture = Coordinate(x=x, y=y).to_space("image", (1280, 800), image)
    assert in_picture.to_px((1280, 800)) == (x, y)


@pytest.mark.parametrize(
    "written",
    [{"x": 1.5, "y": 0, "space": "norm1"}, {"x": -1, "y": 0, "space": "norm1000"}, {"x": 3, "y": 4, "space": "image"},
     {"x": float("nan"), "y": 0}, {"x": 1e9, "y": 0}],
)  # fmt: skip
def test_a_number_that_does_not_fit_its_space_is_refused(written: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Coordinate.model_validate(written)


def test_a_region_covers_the_same_pixels_in_every_space() -> None:
    asked = BoundingBox(x1=128, y1=80, x2=640, y2=400)
    for numbers in (
        {"x1": 0.1, "y1": 0.1, "x2": 0.5, "y2": 0.5, "space": "norm1"},
        {"x1": 100, "y1": 100, "x2": 500, "y2": 500, "space": "norm1000"},
        {"x1": 64, "y1": 40, "x2": 320, "y2": 200, "space": "image", "image_size": (640, 400)},
    ):
        assert Region.model_validate(numbers).to_px((1280, 800)) == asked
    with pytest.raises(ValidationError, match="out of order"):
        Region(x1=0.5, y1=0, x2=0.1, y2=1, space="norm1")
