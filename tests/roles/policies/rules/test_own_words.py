"""Records of applications that no rule knows by name: what a goal says of them is done, or it is said why not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from pydantic import Field

from environments.simulated.app import App, AppState, Content, Edited, Event, Pressed, Setting, Update
from environments.simulated.apps import APPS as INSTALLED
from environments.simulated.apps import register
from environments.simulated.screen.widgets import Widget, alert, button, cell, combobox, heading, pair, row, table, textbox
from environments.simulated.world.values import Model
from orchestrator.lab.testing.stage import Stage
from roles.contracts import AppWords
from roles.policies.rules.grammar import describe, parse
from roles.policies.rules.planning.understanding import offered
from roles.screen.language import clauses as c

APPS = (
    AppWords(app="berths", title="Berths", words=("berths", "berth", "harbour")),
    AppWords(app="shipments", title="Shipments", words=("shipment", "shipments")),
    AppWords(app="reimbursement", title="Reimbursement", words=("reimbursement", "expense", "claim")),
    AppWords(app="notes", title="Notes", words=("notes", "note")),
)


class Berth(Model):
    number: str
    boat: str
    state: str = "Free"
    remark: str = ""


class BerthsContent(Content):
    berths: tuple[Berth, ...] = ()


class BerthsState(AppState):
    berths: dict[str, Berth]
    open: str = ""
    draft: dict[str, str] = Field(default_factory=dict)
    said: str = ""


class Berths(App[BerthsContent, BerthsState]):
    """A harbour: a list of berths, each with a page on which its state and a remark are changed and saved."""

    name = "berths"
    title = "Berths"
    words = ("berths", "berth", "harbour")
    content = BerthsContent
    state = BerthsState
    looks = frozenset({"open", "draft", "said"})

    def start(self, content: BerthsContent, setting: Setting) -> BerthsState:
        return BerthsState(berths={berth.number: berth for berth in content.berths})

    def view(self, state: BerthsState) -> tuple[Widget, ...]:
        if not state.open:
            rows = [row(b.number, cell(b.number), cell(b.boat), cell(b.state)) for b in state.berths.values()]
            return (heading("Berths", "page"), button("New berth", "new"), table("berths", ("Number", "Boat", "State"), rows))
        berth = state.berths[state.open]
        shown = state.draft
        return (
            heading(f"Berth {berth.number}", "page"),
            *((alert(state.said, "said"),) if state.said else ()),
            pair("Number", berth.number),
            pair("Boat", berth.boat),
            combobox("State", "f.state", shown.get("state", berth.state), ("Free", "Taken", "Closed")),
            textbox("Remark", "f.remark", shown.get("remark", berth.remark)),
            button("Save", "save"),
            button("Inspect", "inspect", enabled=berth.state != "Closed"),
            button("Back to berths", "back"),
        )

    def update(self, state: BerthsState, event: Event) -> Update[BerthsState]:
        match event:
            case Pressed(key="back"):
                return Update(state.model_copy(update={"open": "", "draft": {}, "said": ""}))
            case Pressed(key="save"):
                return Update(self._changed(state, state.draft))
            case Pressed(key="inspect") if state.berths[state.open].boat == "Gull":
                return Update(state.model_copy(update={"said": "Gull is at sea"}))
            case Pressed(key="inspect"):
                return Update(self._changed(state, {"remark": "inspected"}))
            case Edited(key=key, value=value):
                return Update(state.model_copy(update={"draft": {**state.draft, key.removeprefix("f."): value}}))
            case Pressed(key=key) if key in state.berths:
                return Update(state.model_copy(update={"open": key}))
        return Update(state)

    def _changed(self, state: BerthsState, values: dict[str, str]) -> BerthsState:
        berth = state.berths[state.open].model_copy(update=values)
        return state.model_copy(update={"berths": {**state.berths, state.open: berth}, "open": "", "draft": {}})


WORLD = dedent(
    """
    name: harbour
    apps:
      berths:
        berths:
          - {number: B-1, boat: Heron}
          - {number: B-2, boat: Gull, state: Taken}
          - {number: B-3, boat: Little Auk, state: Closed}
      notes: {notes: []}
    open: [notes]
    """
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    register(Berths())
    made = Stage(tmp_path)
    made.world(WORLD)
    yield made
    made.close()
    INSTALLED.pop("berths")


def worked(stage: Stage, goal: str) -> tuple[Any, dict[str, dict[str, str]]]:
    run = stage(goal, answer="approve")
    return run, run.world["apps"]["berths"]["berths"]


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (
            "Set the state of berth B-2 to Free",
            ['Enter "Free" into the field "state" of the berth with id "B-2"', 'Save the "change"'],
        ),
        (
            'Change the remark of berth B-2 to "wet" and the state to Closed',
            [
                'Enter "wet" into the field "remark" of the berth with id "B-2"',
                'Enter "Closed" into the field "state" of the berth with id "B-2"',
                'Save the "change"',
            ],
        ),
        (
            'Write "wet" as the remark of berth B-2 and save it',
            ['Enter "wet" into the field "remark" of the berth with id "B-2"', 'Save the "form"'],
        ),
        (
            "Berth B-2 is empty now; please set its state to Free",
            ['Enter "Free" into the field "state" of the berth with id "B-2"', 'Save the "change"'],
        ),
        ("In the expense form, set the amount to 5", ['Enter "5" into the field "amount" in the "expense form" app']),
        ("Find the weight of shipment S-13", ['Read the "weight" of the shipment with id "S-13"']),
        ("Set the state of every berth to Free", ['Work out how to do "Set the state of every berth to Free"']),
    ],
)
def test_a_field_of_a_record_is_no_field_of_an_application(goal: str, said: list[str]) -> None:
    assert [describe(clause) for clause in parse(goal, APPS)] == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Inspect berth B-1", ['Perform "inspect" on the berth with id "B-1"']),
        (
            "I would like to inspect the berth B-1 in the harbour",
            ['Perform "inspect" on the berth with id "B-1" in the "harbour" app'],
        ),
        ("Mark shipment S-7 as delivered", ['Perform "mark as delivered" on the shipment with id "S-7"']),
        ("Open berth B-1 and inspect it", ['Open the berth with id "B-1"', 'Perform "inspect" on the berth with id "B-1"']),
        ("Which berth is free", []),
        ("Dance the monthly dance", []),
        ("Inspect every berth", []),
    ],
)
def test_a_deed_is_read_where_a_record_is_named(words: str, said: list[str]) -> None:
    assert [describe(clause) for clause in offered(words, APPS) or ()] == said


@pytest.mark.parametrize(
    ("goal", "number", "field", "value"),
    [
        ("Set the state of berth B-2 to Free", "B-2", "state", "Free"),
        ("Inspect berth B-1", "B-1", "remark", "inspected"),
        ("If the state of berth B-2 is Taken, set its remark to busy, else to idle", "B-2", "remark", "busy"),
        ("If berth B-1 is taken, set its remark to busy, otherwise inspect it", "B-1", "remark", "inspected"),
    ],
)
def test_a_record_of_an_unknown_kind_is_changed_and_saved(stage: Stage, goal: str, number: str, field: str, value: str) -> None:
    run, berths = worked(stage, goal)
    assert (run.status, berths[number][field]) == ("fulfilled", value)


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("Set the state of berth B-9 to Free", "was not found in berths"),
        ("Inspect berth B-3", '"Inspect" is disabled'),
        ("Inspect berth B-2", "Gull is at sea"),
    ],
)
def test_what_cannot_be_done_to_a_record_is_said_and_changes_nothing(stage: Stage, goal: str, reason: str) -> None:
    before = stage.desk.world()["apps"]["berths"]["berths"] if stage.desk else {}
    run, berths = worked(stage, goal)
    assert run.status == "rejected"
    assert reason in run.reason
    assert berths == before


def test_a_record_is_sought_elsewhere_than_where_something_is_made_of_it(stage: Stage) -> None:
    run = stage('Copy the state of Little Auk into a note titled "Auk"', answer="approve")
    assert run.status == "fulfilled"
    assert [note["body"] for note in run.world["apps"]["notes"]["notes"].values()] == ["Closed"]


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (
            'Count how many tickets have the priority High and write the number into a note titled "High"',
            ['table "ticket table" | where [priority] is "High" | count'],
        ),
        ('How many tickets that nobody likes are there? Write the number into a note titled "Few"', []),
    ],
)
def test_what_narrows_a_count_is_counted_by_or_the_goal_is_not_understood(goal: str, said: list[str]) -> None:
    apps = (*APPS, AppWords(app="tickets", title="Tickets", words=("ticket", "tickets")))
    found = parse(goal, apps)
    assert [x.formula for x in found if isinstance(x, c.Compute)] == said
    assert any(isinstance(x, c.Unknown) for x in found) == (not said)
