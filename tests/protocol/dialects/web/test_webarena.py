"""WebArena: one bracketed action, and texts that hold brackets, backticks and actions themselves."""

from __future__ import annotations

from typing import Any

import pytest

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, GUIElement, PressKey, Scroll, Type, VisualState
from protocol.dialects import Context, DialectError
from protocol.dialects.web.webarena import DIALECT, from_webarena

SEARCH = GUIElement(element_id="164", text="Search", role="textbox", bbox=BoundingBox(x1=0, y1=0, x2=100, y2=20))
SEEN = VisualState(elements=(SEARCH,))
FIELD = ActionTarget(element_id="164")


def read(text: str) -> Any:
    found = from_webarena(text, Context())
    assert not found.losses
    (action,) = found.actions
    return action


def write(action: p.Action) -> str:
    """The text of an action that loses nothing."""
    written = DIALECT.write(action, Context(state=SEEN))
    assert written.losses == []
    return str(written.payload)


def lost(action: p.Action) -> tuple[str, list[str]]:
    written = DIALECT.write(action, Context(state=SEEN))
    return str(written.payload), [loss.what for loss in written.losses]


EXACT = [
    ("click [164]", Click(target=FIELD)),
    ("hover [164]", p.Hover(target=FIELD)),
    ("type [164] [restaurants near CMU] [1]", Type(text="restaurants near CMU", target=FIELD, submit=True)),
    ("type [164] [restaurants near CMU] [0]", Type(text="restaurants near CMU", target=FIELD)),
    ("press [Control+v]", PressKey(keys="ctrl+v")),
    ("press [Control++]", PressKey(keys=("Control", "+"))),
    ("scroll [down]", Scroll.toward("down", 1, "page")),
    ("scroll [up]", Scroll.toward("up", 1, "page")),
    ("goto [http://homepage.com]", p.Navigate(url="http://homepage.com")),
    ("goto [http://[::1]:80/a[0]]", p.Navigate(url="http://[::1]:80/a[0]")),
    ("new_tab", p.Tabs(op="new")),
    ("tab_focus [2]", p.Tabs(op="select", index=2)),
    ("close_tab", p.Tabs(op="close")),
    ("go_back", p.GoBack()),
    ("go_forward", p.GoForward()),
    ("stop [$279.49]", p.FinishGoal(summary="$279.49")),
    ("stop []", p.FinishGoal()),
    ("stop [N/A]", p.FailGoal()),
]


@pytest.mark.parametrize(("said", "action"), EXACT, ids=[said for said, _ in EXACT])
def test_each_verb_is_said_and_read(said: str, action: p.Action) -> None:
    assert write(action) == said
    assert read(said) == action
    assert read(f"Let's think step-by-step [1]. In summary, the next action I will perform is ```{said}```") == action
    assert read(f"```\n{said}\n```\n") == action


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("type [164] [hello]", Type(text="hello", target=FIELD, submit=True)),
        ("type[164][hello][0]", Type(text="hello", target=FIELD)),
        ("type [164] [hello] [press_enter_after=0]", Type(text="hello", target=FIELD)),
        ("scroll down", Scroll.toward("down", 1, "page")),
        ("scroll [direction=up]", Scroll.toward("up", 1, "page")),
        ("page_focus [1]", p.Tabs(op="select", index=1)),
        ("stop", p.FinishGoal()),
        ("click[164]", Click(target=FIELD)),
    ],
)
def test_other_spellings_are_read(said: str, action: p.Action) -> None:
    assert read(said) == action
    assert read(f"I do this: ```{said}```") == action


def test_enter_is_explicit_both_ways() -> None:
    """Without a flag Enter is pressed; we always write the flag."""
    assert read("type [164] [a]").submit is True
    assert read("type [164] [a] [0]").submit is False
    assert write(Type(text="a", target=FIELD)).endswith("[0]")


def test_the_flag_keeps_brackets_of_the_text_apart() -> None:
    for text in ("a] [1", "a] [0", "] [", "[x] [1] [0]", "]]]", "[[", "a] [press_enter_after=1"):
        for submit in (True, False):
            action = Type(text=text, target=FIELD, submit=submit)
            assert read(write(action)) == action


def test_the_element_of_a_target_is_found_in_the_state() -> None:
    assert lost(Click(target={"text": "Search"})) == ("click [164]", ["target.text"])
    assert lost(Click(target={"point": [50, 10]})) == ("click [164]", ["target.point"])
    assert lost(Click(target={"bbox": [0, 0, 90, 20]})) == ("click [164]", ["target.bbox"])
    for target in ({"text": "Find"}, {"point": [500, 500]}, {"selector": "#search"}):
        with pytest.raises(DialectError):
            DIALECT.write(Click(target=target), Context(state=SEEN))
    with pytest.raises(DialectError, match="a state is needed"):
        DIALECT.write(Click(target={"text": "Search"}), Context())


def test_an_id_is_said_as_it_is_without_a_state() -> None:
    assert DIALECT.write(Click(target=FIELD), Context()) == ("click [164]", [])


def test_ids_that_are_no_numbers_are_read_by_us_alone() -> None:
    said, losses = lost(Click(target={"element_id": "abDb123"}))
    assert (said, losses) == ("click [abDb123]", ["target.element_id"])
    assert read(said) == Click(target={"element_id": "abDb123"})
    for element_id in ("", "a]b", "["):
        with pytest.raises(DialectError, match="would be read as another"):
            DIALECT.write(Click(target={"element_id": element_id}), Context())


def test_the_first_action_between_backticks_counts() -> None:
    """As WebArena has it; what follows is talk."""
    assert read("```go_back``` or rather ```go_forward```") == p.GoBack()
    assert read("```go_back``` ```stop [x```") == p.GoBack()
