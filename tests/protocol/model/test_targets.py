"""Resolving a target: the order of the tiers, and that nothing is ever guessed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol import ActionTarget, BoundingBox, GUIElement, StaleTarget, TargetError, VisualState, resolve, target_element


def box(x: int, y: int, w: int = 40, h: int = 20) -> BoundingBox:
    return BoundingBox(x1=x, y1=y, x2=x + w, y2=y + h)


def el(element_id: str, text: str | None = None, bbox: BoundingBox | None = None, **more: Any) -> GUIElement:
    return GUIElement(element_id=element_id, text=text, bbox=bbox, **more)


SAVE = el("e1", "Save", box(0, 0), track_id="t-save", role="button")
SEND = el("e2", "Send", box(100, 0), track_id="t-send", role="button")
ROW_1, ROW_2 = el("e3", "Open", box(0, 100), role="button"), el("e4", "Open", box(0, 200), role="link")
SHOWN = (SAVE, SEND, ROW_1, ROW_2)
SCREEN = VisualState(elements=SHOWN)
OTHER = "0" * 16
LISTBOX, OPTION = el("l", "Lyon", box(0, 0), role="listbox"), el("o", "Lyon", box(0, 0), role="option", parent="l")
OK = (el("a", "OK"), el("b", "ok"))
HIDDEN = el("a", "Save", visible=False)
PANEL, LABEL, TWIN = (
    el("panel", bbox=box(0, 0, 400, 400)),
    el("label", bbox=SAVE.bbox, parent="e1"),
    el("twin", "Delete", SAVE.bbox),
)
IMAGE = {"x": 10, "y": 10, "space": "image", "image_size": (640, 400)}


@pytest.mark.parametrize(
    ("target", "shown", "element_id", "tier"),
    [
        ({"track_id": "t-save", "element_id": "e2", "text": "Send", "bbox": box(100, 0)}, SHOWN, "e1", "track_id"),
        ({"element_id": "e2", "text": "Save", "bbox": box(0, 0)}, SHOWN, "e2", "element_id"),
        ({"text": "Save", "bbox": box(100, 0)}, SHOWN, "e1", "text"),
        ({"bbox": box(100, 0)}, SHOWN, "e2", "bbox"),
        ({"track_id": "gone", "element_id": "gone", "text": "Send", "bbox": box(0, 0)}, SHOWN, "e2", "text"),
        ({"track_id": "gone", "element_id": "gone", "text": "gone", "bbox": box(0, 0)}, SHOWN, "e1", "bbox"),
        ({"text": "  save "}, SHOWN, "e1", "text"),
        ({"text": "SEND"}, SHOWN, "e2", "text"),
        # a role tells two of the same name apart; an exact name wins over one that differs in case, and a visible element over
        # a hidden one; a blank text never means the element without a name; a selector is not for a list of elements
        ({"text": "Open", "role": "link"}, SHOWN, "e4", "text"),
        ({"text": "ok"}, OK, "b", "text"),
        ({"text": "Save"}, (HIDDEN, el("b", "Save")), "b", "text"),
        ({"text": "Save"}, (HIDDEN,), "a", "text"),
        ({"text": " ", "bbox": box(0, 0)}, (el("pane"), SAVE), "e1", "bbox"),
        ({"selector": "#save", "text": "Save"}, SHOWN, "e1", "text"),
        # what stands in another of its name wins over it: a list without a label takes its only choice's
        ({"text": "lyon"}, (LISTBOX, OPTION), "o", "text"),
        # the innermost element under a point
        ({"bbox": box(0, 0)}, (PANEL, SAVE), "e1", "bbox"),
        ({"bbox": box(0, 0)}, (LABEL, SAVE, PANEL), "label", "bbox"),
        ({"bbox": box(300, 300)}, (PANEL, SAVE), "panel", "bbox"),
        ({"bbox": box(0, 0)}, (SAVE.model_copy(update={"visible": False}), TWIN), "twin", "bbox"),
        # a target of another state is found by what outlives a state
        ({"text": "Save", "element_id": "e4", "state_id": OTHER}, SHOWN, "e1", "text"),
        ({"element_id": "e1", "state_id": SCREEN.state_id}, SHOWN, "e1", "element_id"),
    ],
)
def test_the_first_tier_that_matches_decides(target: Any, shown: tuple[GUIElement, ...], element_id: str, tier: str) -> None:
    screen = VisualState(elements=shown)
    found = resolve(ActionTarget.model_validate(target), screen)
    assert (found.element_id, found.tier) == (element_id, tier)
    middle = screen.by_id[element_id].bbox
    assert found.point == (middle and middle.center)


@pytest.mark.parametrize(
    ("target", "shown", "candidates"),
    [
        ({"text": "Open"}, SHOWN, ("e3", "e4")),
        ({"text": "Open", "bbox": box(0, 100)}, SHOWN, ("e3", "e4")),
        ({"text": "Ok"}, OK, ("a", "b")),
        ({"text": "Lyon"}, (LISTBOX, OPTION, OPTION.model_copy(update={"element_id": "p"})), ("o", "p")),
        ({"bbox": box(0, 0)}, (SAVE, TWIN), ("e1", "twin")),
        ({"element_id": "same"}, (el("same", "Save"), el("same", "Delete")), ("same", "same")),
        ({"track_id": "same"}, (el("a", track_id="same"), el("b", track_id="same")), ("a", "b")),
    ],
)
def test_an_ambiguous_tier_is_an_error_that_lists_the_candidates_and_is_not_settled_by_a_later_one(
    target: Any, shown: tuple[GUIElement, ...], candidates: tuple[str, ...]
) -> None:
    with pytest.raises(TargetError, match="2 elements match") as caught:
        resolve(ActionTarget.model_validate(target), VisualState(elements=shown))
    assert caught.value.candidates == candidates


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        *(({"text": text}, "no element on the screen matches") for text in ("Delete", "Sav", "", "   ", "\n")),
        ({"element_id": "e9"}, "no element on the screen matches"),
        ({"bbox": box(900, 700)}, "no element on the screen matches"),
        ({"text": "Open", "role": "heading"}, "no element"),
        ({"selector": "#save"}, "cannot be followed"),
        *(({"point": {"x": x, "y": y}}, "not on the screen of 1280 by 800") for x, y in ((1280, 5), (5, 800), (-1, 5))),
    ],
)
def test_a_target_that_is_not_there_is_an_error_without_candidates(target: Any, reason: str) -> None:
    with pytest.raises(TargetError, match=reason) as caught:
        resolve(ActionTarget.model_validate(target), VisualState(elements=(*SHOWN, el("pane"))))
    assert caught.value.candidates == ()


@pytest.mark.parametrize(
    "target",
    [{"element_id": "e1"}, {"bbox": box(0, 0)}, {"point": {"x": 5, "y": 5}}, {"text": "gone", "element_id": "e1"}],
)
def test_what_does_not_outlive_a_state_is_not_looked_for_on_another(target: Any) -> None:
    with pytest.raises(StaleTarget, match=f"chosen on state {OTHER}, and the screen is now {SCREEN.state_id}"):
        resolve(ActionTarget.model_validate({**target, "state_id": OTHER}), SCREEN)


@pytest.mark.parametrize(
    ("target", "element_id", "tier", "point"),
    [
        ({"point": IMAGE}, "", "point", (20, 20)),
        ({"point": {"x": 25, "y": 15}}, "e1", "point", (25, 15)),
        ({"point": {"x": 1200, "y": 790}}, "", "point", (1200, 790)),  # a place on nothing
        ({"text": "Save", "point": {"x": 1, "y": 1}}, "e1", "text", (1, 1)),  # says where on the element
        ({"text": "Save", "point": {"x": 1200, "y": 790}}, "e1", "text", (20, 10)),
    ],
)
def test_a_point_is_pressed_where_it_is(target: Any, element_id: str, tier: str, point: tuple[int, int]) -> None:
    found = resolve(ActionTarget.model_validate(target), SCREEN)
    assert (found.element_id, found.tier, found.point) == (element_id, tier, point)


@pytest.mark.parametrize("nothing", [{}, {"text": None}, {"bbox": None, "element_id": None}])
def test_a_target_that_names_nothing_is_refused(nothing: dict[str, None]) -> None:
    with pytest.raises(ValidationError, match="a target needs"):
        ActionTarget.model_validate(nothing)


def test_the_target_of_an_element_holds_every_locator_it_offers() -> None:
    assert ActionTarget.of(SAVE) == ActionTarget(track_id="t-save", element_id="e1", text="Save", bbox=box(0, 0))
    assert ActionTarget.of(el("e", "")).text is None


words = st.sampled_from(["Save", "save", "Save ", "OK", "", None])
ids = st.sampled_from(["a", "b", "c"])
places = st.none() | st.builds(box, st.sampled_from([0, 5]), st.just(0), st.sampled_from([10, 40]))
elements = st.builds(
    GUIElement, element_id=ids, track_id=st.none() | ids, text=words, bbox=places, visible=st.booleans(), parent=st.none() | ids
)
targets = st.builds(lambda **given: given, track_id=st.none() | ids, element_id=st.none() | ids, text=words, bbox=places).filter(
    lambda given: any(v is not None for v in given.values())
)


@given(targets.map(ActionTarget.model_validate), st.lists(elements, max_size=6))
def test_resolving_never_guesses(target: ActionTarget, shown: list[GUIElement]) -> None:
    """Whatever is found is the same in any order of the elements, and it answers to the tier that found it."""
    try:
        found = resolve(target, VisualState(elements=tuple(shown)))
    except TargetError:
        with pytest.raises(TargetError) as refused:
            resolve(target, VisualState(elements=tuple(reversed(shown))))
        assert set(refused.value.candidates) <= {e.element_id for e in shown}
        return
    assert resolve(target, VisualState(elements=tuple(reversed(shown)))) == found
    named = [e for e in shown if e.element_id == found.element_id]
    if found.tier == "track_id":
        assert any(e.track_id == target.track_id for e in named)
    elif found.tier == "element_id":
        assert len(named) == 1
        assert target.element_id == found.element_id
    elif found.tier == "text":
        assert any(e.name.strip().casefold() == str(target.text).strip().casefold() for e in named)
    else:
        assert target.bbox is not None
        assert any(e.bbox is not None and e.bbox.contains(target.bbox.center) for e in named)


def test_what_was_found_says_every_locator_that_the_target_did_not() -> None:
    found = resolve(ActionTarget(text="Save"), SCREEN)
    assert found.known
    assert found.known.element_id == "e1"
    assert found.known.bbox
    assert resolve(found.known, SCREEN).known is None


def test_what_a_target_means_is_nothing_where_it_may_mean_several_or_none() -> None:
    state = VisualState(elements=(SAVE, SEND, SEND.model_copy(update={"element_id": "c"})))
    assert target_element(ActionTarget(text="Save"), state) == SAVE
    assert [target_element(said and ActionTarget(text=said), state) for said in ("Send", "Delete", None)] == [None] * 3
