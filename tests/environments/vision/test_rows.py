"""What stands together on a screen: lists, trees and the rows of tables, from the places of their parts alone."""

from __future__ import annotations

import pytest

pytest.importorskip("cv2", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from environments.vision.controls import ElementDraft
from environments.vision.pixels import Box, Colour, Frame
from environments.vision.recognizer import arranged

WHITE = Colour(255, 255, 255)
CARD = Frame(Box(10, 10, 400, 200), WHITE, WHITE, Colour(200, 200, 200))


def text(name: str, x: int, row: int, role: str = "text") -> ElementDraft:
    return ElementDraft(role, Box(x, 20 + 36 * row, x + 60, 32 + 36 * row), name)


def test_texts_that_begin_at_several_depths_are_a_tree() -> None:
    parts = [text("/", 30, 0), text("/Archive", 50, 1), text("/Projects", 50, 2), text("/Projects/Garden", 70, 3)]
    (tree,) = arranged(parts, [CARD])
    assert tree.role == "tree"
    assert [(item.role, item.text, item.selected) for item in tree.inside] == [
        ("treeitem", name, False) for name in ("/", "/Archive", "/Projects", "/Projects/Garden")
    ]


def test_the_item_of_a_tree_that_is_chosen_has_a_frame() -> None:
    (tree,) = arranged([text("/", 30, 0), text("/Archive", 50, 1), text("/Reports", 24, 2, "button")], [CARD])
    assert [(item.text, item.selected) for item in tree.inside] == [("/", False), ("/Archive", False), ("/Reports", True)]


def test_texts_that_begin_at_one_depth_are_a_list() -> None:
    (whole,) = arranged([text(name, 30, n) for n, name in enumerate(("Milk", "Bread", "Eggs"))], [CARD])
    assert (whole.role, [item.role for item in whole.inside]) == ("list", ["listitem"] * 3)
