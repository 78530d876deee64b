"""An action is done once: what comes of it, and what is done about one that a stopped process had begun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support import OPEN_HOUSE, Run, decide, desktop, planned, subtask

from protocol import (
    Action,
    ActionResult,
    ActionTarget,
    Click,
    Drag,
    ExecStatus,
    Fill,
    GUIElement,
    Hover,
    LaunchApp,
    Memorize,
    PressKey,
    Scroll,
    SelectOption,
    SwitchWindow,
    Type,
    VisualState,
    Wait,
    Window,
)
from roles.operator.execute import PostconditionCheck, reconciled, stands

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


BEGUN = ActionResult(exec_status=ExecStatus.PENDING, error="it cannot be known whether it was done")
DONE = ActionResult(exec_status=ExecStatus.EXECUTED)
SEND = Click(target=ActionTarget(text="Send report"))


def form(*more: GUIElement, text: str = "", sent: bool = False, page: str = "Report - /report", **state: Any) -> VisualState:
    field = GUIElement(element_id="1", role="textbox", text="Subject", value=text)
    send = GUIElement(element_id="2", role="button", text="Send report", enabled=not sent)
    windows = (Window(window_id="tab-0", app="browser", title=page, focused=True),)
    return VisualState(app="browser", windows=windows, elements=(field, send, *more), **state)


def told(text: str, role: str = "status") -> GUIElement:
    return GUIElement(element_id=f"told-{text}", role=role, text=text)


@pytest.mark.parametrize(
    ("action", "before", "now", "how"),
    [
        (Fill(target=ActionTarget(text="Subject"), text="Rain"), form(), form(text="Rain"), PostconditionCheck.DONE),
        (Fill(target=ActionTarget(text="Subject"), text="Rain"), form(), form(), PostconditionCheck.NOT_DONE),
        (Fill(target=ActionTarget(text="Subject"), text="Rain"), form(), form(text="Other"), PostconditionCheck.NOT_DONE),
        (
            SelectOption(target=ActionTarget(text="Subject"), options=("Rain",)),
            form(),
            form(text="Rain"),
            PostconditionCheck.DONE,
        ),
        (Type(target=ActionTarget(text="Subject"), text="in"), form(text="Ra"), form(text="Rain"), PostconditionCheck.DONE),
        (Type(target=ActionTarget(text="Subject"), text="in"), form(text="Ra"), form(text="Ra"), PostconditionCheck.NOT_DONE),
        (Type(target=ActionTarget(text="Subject"), text="in"), form(text="Ra"), form(text="R"), PostconditionCheck.UNKNOWN),
        (SEND, form(), form(), PostconditionCheck.NOT_DONE),
        (SEND, form(), form(sent=True, text="x"), PostconditionCheck.DONE),
        (SEND, form(), form(told("Kept as 17")), PostconditionCheck.DONE),
        (SEND, form(), form(told("Sure?", "dialog"), modal="told-Sure?"), PostconditionCheck.DONE),
        (SEND, form(), form(told("The report was kept", "heading")), PostconditionCheck.DONE),
        (SEND, form(), form(told("Lunch is served", "heading")), PostconditionCheck.UNKNOWN),
        (SEND, form(), form(told("Kept as 17"), page="Start - /"), PostconditionCheck.UNKNOWN),
        (SEND, None, form(), PostconditionCheck.UNKNOWN),
        (PressKey(keys=("Enter",)), form(text="Rain"), form(), PostconditionCheck.UNKNOWN),
    ],
)
def test_the_postcondition_is_read_from_the_screen(
    action: Any, before: VisualState | None, now: VisualState, how: PostconditionCheck
) -> None:
    assert stands(action, before, now) is how


def test_words_that_were_expected_are_a_postcondition_of_any_action() -> None:
    press = PressKey(keys=("Enter",))
    assert stands(press, form(), form(told("Kept as 17", "text")), "kept as") is PostconditionCheck.DONE
    assert (
        stands(press, form(told("Kept as 16", "text")), form(told("Kept as 17", "text")), "kept as") is PostconditionCheck.UNKNOWN
    )


def tried(screens: list[VisualState], answers: dict[str, ActionResult]) -> tuple[ActionResult, list[str]]:
    """What comes of pressing Send, and under which keys it was done again."""
    keys: list[str] = []

    def perform(key: str) -> ActionResult:
        keys.append(key)
        return answers.get(key, DONE)

    observe: Callable[[], VisualState] = iter(screens).__next__
    return reconciled(BEGUN, SEND, form(), "", key="k", observe=observe, perform=perform), keys


def test_what_was_done_is_not_done_again() -> None:
    result, keys = tried([form(told("Kept"))], {})
    assert result.ok
    assert keys == []


def test_what_was_not_done_is_done_once_under_a_key_of_its_own_and_not_without_end() -> None:
    result, keys = tried([form()], {})
    assert result.ok
    assert keys == ["k/again-1"]
    result, keys = tried([form(told("Lunch is served", "heading"))], {})
    assert result is BEGUN
    assert keys == []
    result, keys = tried([form(), form()], {"k/again-1": BEGUN})
    assert result.ok
    assert keys == ["k/again-1", "k/again-2"]
    result, keys = tried([form(), form(told("Kept"))], {"k/again-1": BEGUN})
    assert result.ok
    assert keys == ["k/again-1"]
    result, keys = tried([form()] * 9, {f"k/again-{n}": BEGUN for n in range(9)})
    assert result is BEGUN
    assert len(keys) == 3
