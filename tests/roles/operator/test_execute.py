"""An action is done once: what comes of it, and what is done about one that a stopped process had begun."""

from collections.abc import Callable
from typing import Any

import pytest
from support import OPEN_HOUSE, Run, decide, desktop, planned, subtask

import protocol as p
from roles.operator.execute import PostconditionCheck, reconciled, stands

WORLD = """
name: office
apps:
  files: {files: {/Docs/plan.txt: a, /top.txt: top}}
  reimbursement: {}
open: [files]
"""


def named(name: str) -> p.ActionTarget:
    return p.ActionTarget(text=name)


def worked(*actions: p.Action) -> Run:
    run = Run([planned(subtask("a"))], {"a": list(map(decide, actions))}, desk=desktop(world=WORLD), safety=OPEN_HOUSE).go()
    assert run.status == "fulfilled", run.result
    assert [step.exec_status for step in run.journal.all_steps(20)] == ["executed"] * len(actions)
    return run


@pytest.mark.parametrize(
    "action",
    [p.Scroll.toward("down", 1, "page"), p.Wait(seconds=2), p.Hover(target=named("top.txt"))],
    ids=lambda action: action.verb,
)
def test_scrolling_waiting_and_hovering_reach_the_surface(action: p.Action) -> None:
    (received,) = worked(action).desk.received()
    assert received["action"]["action_type"] == action.verb


def entries(run: Run) -> Any:
    return run.desk.world()["apps"]["files"]["entries"]


def values(run: Run) -> list[Any]:
    held = {e.text: e.value for e in run.desk.observe().elements}
    return [held[label] for label in ("Amount", "Vendor", "Category")]


@pytest.mark.parametrize(
    ("actions", "came"),
    [
        ((p.Click(target=named("New folder")), p.Fill(target=named("Folder name"), text="Mine"),
         p.Click(target=named("Create"))), lambda run: "/Mine" in entries(run)),
        ((p.Click(target=p.ActionTarget(text="top.txt", role="cell"), button="right"), p.Click(target=named("Rename…")),
         p.Fill(target=named("New name"), text="new.txt", submit=True)), lambda run: "/new.txt" in entries(run)),
        ((p.Drag(target=named("top.txt"), to=named("Docs")),), lambda run: "/Docs/top.txt" in entries(run)),
        ((p.LaunchApp(app="reimbursement"), p.Type(target=named("Amount"), text="5"), p.PressKey(keys=("Tab",)),
         p.Fill(target=named("Vendor"), text="Acme"), p.SelectOption(target=named("Category"), options=("Travel",))),
         lambda run: values(run) == ["5", "Acme", "Travel"]),
        ((p.LaunchApp(app="reimbursement"), p.SwitchWindow(window="files")), lambda run: run.desk.observe().app == "files"),
    ],
    ids=["buttons", "menus", "drag and drop", "forms", "windows"],
)  # fmt: skip
def test_buttons_menus_forms_dragging_and_windows_are_operated(
    actions: tuple[p.Action, ...], came: Callable[[Run], bool]
) -> None:
    assert came(worked(*actions))


BEGUN = p.ActionResult(exec_status=p.ExecStatus.PENDING, error="it cannot be known whether it was done")
DONE = p.ActionResult(exec_status=p.ExecStatus.EXECUTED)
SEND = p.Click(target=p.ActionTarget(text="Send report"))
SUBJECT = p.ActionTarget(text="Subject")


def form(*more: p.GUIElement, text: str = "", sent: bool = False, page: str = "Report - /report", **state: Any) -> p.VisualState:
    field = p.GUIElement(element_id="1", role="textbox", text="Subject", value=text)
    send = p.GUIElement(element_id="2", role="button", text="Send report", enabled=not sent)
    windows = (p.Window(window_id="tab-0", app="browser", title=page, focused=True),)
    return p.VisualState(app="browser", windows=windows, elements=(field, send, *more), **state)


def told(text: str, role: str = "status") -> p.GUIElement:
    return p.GUIElement(element_id=f"told-{text}", role=role, text=text)


@pytest.mark.parametrize(
    ("action", "before", "now", "how"),
    [
        (p.Fill(target=SUBJECT, text="Rain"), form(), form(text="Rain"), PostconditionCheck.DONE),
        (p.Fill(target=SUBJECT, text="Rain"), form(), form(), PostconditionCheck.NOT_DONE),
        (p.Fill(target=SUBJECT, text="Rain"), form(), form(text="Other"), PostconditionCheck.NOT_DONE),
        (p.SelectOption(target=SUBJECT, options=("Rain",)), form(), form(text="Rain"), PostconditionCheck.DONE),
        (p.Type(target=SUBJECT, text="in"), form(text="Ra"), form(text="Rain"), PostconditionCheck.DONE),
        (p.Type(target=SUBJECT, text="in"), form(text="Ra"), form(text="Ra"), PostconditionCheck.NOT_DONE),
        (p.Type(target=SUBJECT, text="in"), form(text="Ra"), form(text="R"), PostconditionCheck.UNKNOWN),
        (SEND, form(), form(), PostconditionCheck.NOT_DONE),
        (SEND, form(), form(sent=True, text="x"), PostconditionCheck.DONE),
        (SEND, form(), form(told("Kept as 17")), PostconditionCheck.DONE),
        (SEND, form(), form(told("Sure?", "dialog"), modal="told-Sure?"), PostconditionCheck.DONE),
        (SEND, form(), form(told("The report was kept", "heading")), PostconditionCheck.DONE),
        (SEND, form(), form(told("Lunch is served", "heading")), PostconditionCheck.UNKNOWN),
        (SEND, form(), form(told("Kept as 17"), page="Start - /"), PostconditionCheck.UNKNOWN),
        (SEND, None, form(), PostconditionCheck.UNKNOWN),
        (p.PressKey(keys=("Enter",)), form(text="Rain"), form(), PostconditionCheck.UNKNOWN),
    ],
)
def test_the_postcondition_is_read_from_the_screen(
    action: Any, before: p.VisualState | None, now: p.VisualState, how: PostconditionCheck
) -> None:
    assert stands(action, before, now) is how


def test_words_that_were_expected_are_a_postcondition_of_any_action() -> None:
    press = p.PressKey(keys=("Enter",))
    assert stands(press, form(), form(told("Kept as 17", "text")), "kept as") is PostconditionCheck.DONE
    assert (
        stands(press, form(told("Kept as 16", "text")), form(told("Kept as 17", "text")), "kept as") is PostconditionCheck.UNKNOWN
    )


def tried(screens: list[p.VisualState], answers: dict[str, p.ActionResult]) -> tuple[p.ActionResult, list[str]]:
    """What comes of pressing Send, and under which keys it was done again."""
    keys: list[str] = []

    def perform(key: str) -> p.ActionResult:
        keys.append(key)
        return answers.get(key, DONE)

    observe: Callable[[], p.VisualState] = iter(screens).__next__
    return reconciled(BEGUN, SEND, form(), "", key="k", observe=observe, perform=perform), keys


OTHER = told("Lunch is served", "heading")


@pytest.mark.parametrize(
    ("screens", "begun", "done", "keys"),
    [
        ([form(told("Kept"))], 0, True, []),
        ([form()], 0, True, ["k/again-1"]),
        ([form(OTHER)], 0, False, []),
        ([form(), form()], 1, True, ["k/again-1", "k/again-2"]),
        ([form(), form(told("Kept"))], 1, True, ["k/again-1"]),
        ([form()] * 9, 9, False, ["k/again-1", "k/again-2", "k/again-3"]),
    ],
    ids=["done", "not done", "unknown", "stopped again", "stopped again and done", "without end"],
)
def test_what_was_not_done_is_done_once_under_a_key_of_its_own_and_not_without_end(
    screens: list[p.VisualState], begun: int, done: bool, keys: list[str]
) -> None:
    result, used = tried(screens, {f"k/again-{n}": BEGUN for n in range(1, begun + 1)})
    assert (result.ok, result is BEGUN, used) == (done, not done, keys)
