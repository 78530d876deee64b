"""What is pressed to find what a screen hides: likely names first, each once, and nothing that does more than show."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import ExecStatus, GUIElement, Scroll, VisualState
from roles.contracts import OperatorView, StepRecord, Subtask
from roles.policies.orders.skills.revealing import Behind, further, revealed
from roles.policies.orders.skills.situation import Situation

SHOWN: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("tab", "Profile", {"selected": True}), ("tab", "Billing", {}), ("button", "Address", {"expanded": False}),
    ("button", "Delete all", {"expanded": False}), ("button", "More actions", {}), ("button", "Reveal phone", {}),
    ("button", "Reveal salary", {}), ("button", "Save", {}),
)  # fmt: skip
ELEMENTS = tuple(GUIElement(element_id=f"e{n}", role=role, text=name, **more) for n, (role, name, more) in enumerate(SHOWN))
TASK, SEEN = Subtask(id="s1", title="t", instruction="i", app="a"), VisualState(app="a", elements=ELEMENTS)
VIEW = OperatorView(user_request="g", subtask=TASK, app="a", seen=SEEN)


@pytest.mark.parametrize(
    ("wanted", "behind", "pressed"),
    [
        ("phone", ("mask",), ["Reveal phone"]),
        ("billing", ("section", "tab"), ["Billing", "Address"]),
        ("address", ("section", "tab"), ["Address", "Billing"]),
        ("rename", ("menu",), ["More actions"] * 4),
    ],
)
def test_what_may_show_it_is_pressed_once_the_likeliest_first_and_a_menu_again(
    wanted: str, behind: tuple[Behind, ...], pressed: list[str]
) -> None:
    at, names = Situation(VIEW), list[str | None]()
    while (move := revealed(wanted, at, *behind)) is not None:
        assert move.action is not None
        assert move.action.target is not None
        names.append(move.action.target.text)
    assert names == pressed


def test_a_page_that_did_not_move_is_at_its_end() -> None:
    action, status = Scroll.toward("down", 1, "page").dump(), ExecStatus.EXECUTED
    scrolled = StepRecord(step=1, subtask="s1", action=action, verb="scroll", exec_status=status, visible_change=False)
    assert further(Situation(VIEW)) is not None
    assert further(Situation(VIEW.model_copy(update={"history": (scrolled,)}))) is None
