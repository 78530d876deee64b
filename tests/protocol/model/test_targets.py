"""Resolving a target: the order of the tiers, and that nothing is ever guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol import ActionTarget, BoundingBox, GUIElement, StaleTarget, TargetError, VisualState, resolve, target_element


def box(x: int, y: int, w: int = 40, h: int = 20) -> BoundingBox:
    return BoundingBox(x1=x, y1=y, x2=x + w, y2=y + h)


SAVE = GUIElement(element_id="e1", track_id="t-save", text="Save", role="button", bbox=box(0, 0))
SEND = GUIElement(element_id="e2", track_id="t-send", text="Send", role="button", bbox=box(100, 0))
ROW_1 = GUIElement(element_id="e3", text="Open", role="button", bbox=box(0, 100))
ROW_2 = GUIElement(element_id="e4", text="Open", role="link", bbox=box(0, 200))
SCREEN = VisualState(elements=(SAVE, SEND, ROW_1, ROW_2))


@pytest.mark.parametrize(
    ("target", "element_id", "tier"),
    [
        (ActionTarget(track_id="t-save", element_id="e2", text="Send", bbox=box(100, 0)), "e1", "track_id"),
        (ActionTarget(element_id="e2", text="Save", bbox=box(0, 0)), "e2", "element_id"),
        (ActionTarget(text="Save", bbox=box(100, 0)), "e1", "text"),
        (ActionTarget(bbox=box(100, 0)), "e2", "bbox"),
        (ActionTarget(track_id="gone", element_id="gone", text="Send", bbox=box(0, 0)), "e2", "text"),
        (ActionTarget(track_id="gone", element_id="gone", text="gone", bbox=box(0, 0)), "e1", "bbox"),
        (ActionTarget(text="  save "), "e1", "text"),
        (ActionTarget(text="SEND"), "e2", "text"),
    ],
)
def test_the_first_tier_that_matches_decides(target: ActionTarget, element_id: str, tier: str) -> None:
    found = resolve(target, SCREEN)
    assert (found.element_id, found.tier) == (element_id, tier)
    assert found.point == SCREEN.by_id[element_id].bbox.center  # type: ignore[union-attr]


@pytest.mark.parametrize("target", [ActionTarget(text="Open"), ActionTarget(text="Open", bbox=box(0, 100))])
def test_an_ambiguous_tier_is_an_error_that_lists_the_candidates_and_is_not_settled_by_a_later_one(target: ActionTarget) -> None:
    with pytest.raises(TargetError, match=r"2 elements match text 'Open'.*e3 button.*e4 link") as caught:
        resolve(target, SCREEN)
    assert caught.value.candidates == ("e3", "e4")


def test_what_stands_in_another_of_its_name_wins_over_it_and_what_stands_beside_it_does_not() -> None:
    """A list without a label takes its only choice's."""
    listbox = GUIElement(element_id="l", role="listbox", text="Lyon", bbox=box(0, 0))
    option = GUIElement(element_id="o", role="option", text="Lyon", bbox=box(0, 0), parent="l")
    screen = SCREEN.model_copy(update={"elements": (listbox, option)})
    assert resolve(ActionTarget(text="lyon"), screen).element_id == "o"
    other = option.model_copy(update={"element_id": "p"})
    with pytest.raises(TargetError, match="2 elements match"):
        resolve(ActionTarget(text="Lyon"), SCREEN.model_copy(update={"elements": (listbox, option, other)}))


@pytest.mark.parametrize(
    "target",
    [ActionTarget(text="Delete"), ActionTarget(text="Sav"), ActionTarget(element_id="e9"), ActionTarget(bbox=box(900, 700))],
)
def test_a_target_that_is_not_there_is_an_error_without_candidates(target: ActionTarget) -> None:
    with pytest.raises(TargetError, match="no element on the screen matches") as caught:
        resolve(target, SCREEN)
    assert caught.value.candidates == ()


def test_an_exact_name_wins_over_one_that_differs_in_case() -> None:
    state = VisualState(elements=(GUIElement(element_id="a", text="OK"), GUIElement(element_id="b", text="ok")))
    assert resolve(ActionTarget(text="ok"), state).element_id == "b"
    with pytest.raises(TargetError) as caught:
        resolve(ActionTarget(text="Ok"), state)
    assert caught.value.candidates == ("a", "b")


def test_a_visible_element_wins_over_a_hidden_one_of_the_same_name() -> None:
    hidden = GUIElement(element_id="a", text="Save", visible=False)
    state = VisualState(elements=(hidden, GUIElement(element_id="b", text="Save")))
    assert resolve(ActionTarget(text="Save"), state).element_id == "b"
    assert resolve(ActionTarget(text="Save"), VisualState(elements=(hidden,))).element_id == "a"


@pytest.mark.parametrize("blank", ["", "   ", "\n"])
def test_a_blank_text_does_not_mean_the_element_without_a_name(blank: str) -> None:
    state = VisualState(elements=(GUIElement(element_id="pane"), SAVE))
    with pytest.raises(TargetError):
        resolve(ActionTarget(text=blank), state)
    assert resolve(ActionTarget(text=blank, bbox=box(0, 0)), state).element_id == "e1"


@pytest.mark.parametrize("field", ["element_id", "track_id"])
def test_an_id_that_two_elements_share_is_ambiguous(field: str) -> None:
    one = GUIElement.model_validate({"element_id": "a", "text": "Save", field: "same"})
    two = GUIElement.model_validate({"element_id": "b", "text": "Delete", field: "same"})
    with pytest.raises(TargetError, match="2 elements"):
        resolve(ActionTarget.model_validate({field: "same"}), VisualState(elements=(one, two)))


def test_a_point_means_the_innermost_element_under_it() -> None:
    panel = GUIElement(element_id="panel", bbox=box(0, 0, 400, 400))
    label = GUIElement(element_id="label", parent="e1", bbox=SAVE.bbox)
    assert resolve(ActionTarget(bbox=box(0, 0)), VisualState(elements=(panel, SAVE))).element_id == "e1"
    assert resolve(ActionTarget(bbox=box(0, 0)), VisualState(elements=(label, SAVE, panel))).element_id == "label"
    assert resolve(ActionTarget(bbox=box(300, 300)), VisualState(elements=(panel, SAVE))).element_id == "panel"


def test_two_elements_of_one_size_under_a_point_are_ambiguous_unless_one_is_not_visible() -> None:
    twin = GUIElement(element_id="twin", text="Delete", bbox=SAVE.bbox)
    with pytest.raises(TargetError) as caught:
        resolve(ActionTarget(bbox=box(0, 0)), VisualState(elements=(SAVE, twin)))
    assert set(caught.value.candidates) == {"e1", "twin"}
    covered = SAVE.model_copy(update={"visible": False})
    assert resolve(ActionTarget(bbox=box(0, 0)), VisualState(elements=(covered, twin))).element_id == "twin"


@pytest.mark.parametrize("nothing", [{}, {"text": None}, {"bbox": None, "element_id": None}])
def test_a_target_that_names_nothing_is_refused(nothing: dict[str, None]) -> None:
    with pytest.raises(ValidationError, match="a target needs"):
        ActionTarget.model_validate(nothing)


def test_the_target_of_an_element_holds_every_locator_it_offers() -> None:
    assert ActionTarget.of(SAVE) == ActionTarget(track_id="t-save", element_id="e1", text="Save", bbox=box(0, 0))
    assert ActionTarget.of(GUIElement(element_id="e", text="")).text is None


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


def test_a_point_is_pressed_where_it_is_and_names_the_element_under_it():
    half = {"x": 10, "y": 10, "space": "image", "image_size": (640, 400)}
    assert resolve(ActionTarget(point=half), SCREEN).point == (20, 20)
    found = resolve(ActionTarget(point={"x": 25, "y": 15}), SCREEN)
    assert found.tier == "point"
    assert found.point == (25, 15)
    assert found.element_id == "e1"


def test_a_point_on_nothing_is_still_a_place_on_the_screen():
    found = resolve(ActionTarget(point={"x": 1200, "y": 790}), SCREEN)
    assert (found.element_id, found.tier, found.point) == ("", "point", (1200, 790))
    for x, y in ((1280, 5), (5, 800), (-1, 5)):
        with pytest.raises(TargetError, match="not on the screen of 1280 by 800"):
            resolve(ActionTarget(point={"x": x, "y": y}), SCREEN)


def test_a_point_beside_a_name_says_where_on_the_element():
    save = next(e for e in SCREEN.elements if e.text == "Save")
    assert save.bbox
    inside = {"x": save.bbox.x1 + 1, "y": save.bbox.y1 + 1}
    assert resolve(ActionTarget(text="Save", point=inside), SCREEN).point == tuple(inside.values())
    assert resolve(ActionTarget(text="Save", point={"x": 1200, "y": 790}), SCREEN).point == save.bbox.center


def test_a_role_tells_two_of_the_same_name_apart():
    assert resolve(ActionTarget(text="Open", role="link"), SCREEN).element_id == "e4"
    with pytest.raises(TargetError, match="no element"):
        resolve(ActionTarget(text="Open", role="heading"), SCREEN)


def test_a_target_of_another_state_is_found_by_what_outlives_a_state():
    other = "0" * 16
    assert resolve(ActionTarget(text="Save", element_id="e4", state_id=other), SCREEN).element_id == "e1"
    for target in (
        ActionTarget(element_id="e1", state_id=other),
        ActionTarget(bbox=box(0, 0), state_id=other),
        ActionTarget(point={"x": 5, "y": 5}, state_id=other),
        ActionTarget(text="gone", element_id="e1", state_id=other),
    ):
        with pytest.raises(StaleTarget, match=f"chosen on state {other}, and the screen is now {SCREEN.state_id}"):
            resolve(target, SCREEN)
    assert resolve(ActionTarget(element_id="e1", state_id=SCREEN.state_id), SCREEN).element_id == "e1"


def test_what_was_found_says_every_locator_that_the_target_did_not():
    found = resolve(ActionTarget(text="Save"), SCREEN)
    assert found.known
    assert found.known.element_id == "e1"
    assert found.known.bbox
    assert resolve(found.known, SCREEN).known is None


def test_a_selector_is_not_for_a_list_of_elements():
    with pytest.raises(TargetError, match="cannot be followed"):
        resolve(ActionTarget(selector="#save"), SCREEN)
    assert resolve(ActionTarget(selector="#save", text="Save"), SCREEN).element_id == "e1"


def test_what_a_target_means_is_nothing_where_it_may_mean_several_or_none() -> None:
    once, twice = GUIElement(element_id="a", text="Save", role="button"), GUIElement(element_id="b", text="Send", role="button")
    state = VisualState(elements=(once, twice, twice.model_copy(update={"element_id": "c"})))
    assert target_element(ActionTarget(text="Save"), state) == once
    assert target_element(ActionTarget(text="Send"), state) is None
    assert target_element(ActionTarget(text="Delete"), state) is None
    assert target_element(None, state) is None
