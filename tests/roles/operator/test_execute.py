"""The small actions that seeds 000 and 002 name, each done by the Operator on the real desktop."""

from __future__ import annotations

from typing import Any

import pytest
from support import OPEN_HOUSE, Run, decide, desktop, planned, subtask

from protocol import (
    Action,
    ActionTarget,
    Click,
    Drag,
    Fill,
    Hover,
    LaunchApp,
    Memorize,
    PressKey,
    Scroll,
    SelectOption,
    SwitchWindow,
    Type,
    Wait,
)

WORLD = """
name: office
apps:
  files: {files: {/Docs/plan.txt: a, /top.txt: top}}
  reimbursement: {}
open: [files]
"""
AMOUNT, CATEGORY = ActionTarget(text="Amount"), ActionTarget(text="Category")
FORM: tuple[Action, ...] = (LaunchApp(app="reimbursement"),)


def named(name: str) -> ActionTarget:
    return ActionTarget(text=name)


def worked(*actions: Action) -> Run:
    run = Run([planned(subtask("a"))], {"a": list(map(decide, actions))}, desk=desktop(world=WORLD), safety=OPEN_HOUSE).go()
    assert run.status == "fulfilled", run.result
    assert [step.exec_status for step in run.journal.all_steps(20)] == ["executed"] * len(actions)
    return run


def value(run: Run, label: str) -> Any:
    return next(e.value for e in run.desk.observe().elements if e.text == label)


@pytest.mark.parametrize(
    "action", [Scroll.toward("down", 1, "page"), Wait(seconds=2), Hover(target=named("top.txt"))], ids=lambda action: action.verb
)
def test_scrolling_waiting_and_hovering_reach_the_surface(action: Action) -> None:
    (received,) = worked(action).desk.received()
    assert received["action"]["action_type"] == action.verb


def test_buttons_are_clicked() -> None:
    run = worked(Click(target=named("New folder")), Fill(target=named("Folder name"), text="Mine"), Click(target=named("Create")))
    assert "/Mine" in run.desk.world()["apps"]["files"]["entries"]


def test_an_item_of_a_menu_is_chosen() -> None:
    entry = ActionTarget(text="top.txt", role="cell")
    run = worked(
        Click(target=entry, button="right"),
        Click(target=named("Rename…")),
        Fill(target=named("New name"), text="new.txt", submit=True),
    )
    assert "/new.txt" in run.desk.world()["apps"]["files"]["entries"]


def test_a_form_is_filled_in_by_typing_writing_and_choosing() -> None:
    run = worked(
        *FORM,
        Type(target=AMOUNT, text="5"),
        PressKey(keys=("Tab",)),
        Fill(target=named("Vendor"), text="Acme"),
        SelectOption(target=CATEGORY, options=("Travel",)),
    )
    assert [value(run, label) for label in ("Amount", "Vendor", "Category")] == ["5", "Acme", "Travel"]


def test_a_thing_is_dragged_onto_another() -> None:
    run = worked(Drag(target=named("top.txt"), to=named("Docs")))
    assert "/Docs/top.txt" in run.desk.world()["apps"]["files"]["entries"]


def test_windows_are_opened_and_switched() -> None:
    run = worked(LaunchApp(app="reimbursement"), SwitchWindow(window="files"))
    assert run.desk.observe().app == "files"
    assert [step.app for step in run.journal.all_steps(9)] == ["reimbursement", "files"]


def test_what_is_noted_stands_on_the_blackboard_and_never_reaches_the_surface() -> None:
    run = worked(Memorize(name="total", value="$5.00"))
    assert [(fact.name, fact.value) for fact in run.journal.facts()] == [("total", "$5.00")]
    assert run.desk.received() == []
