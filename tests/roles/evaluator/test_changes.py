"""What a gate is told of the changes: by what things are, from the first sight of a view to the last."""

from __future__ import annotations

from models import step

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import Action, ActionTarget, Click, Fill, GUIElement, LaunchApp, VisualState
from roles.contracts import GateRequest
from roles.contracts.signals import GateTrigger
from roles.evaluator.changes import changes_told


def press(name: str) -> Click:
    return Click(target=ActionTarget(text=name))


def told(*actions: Action, world: str = "office") -> str:
    desk = SimulatedDesktop(load_world(world))
    states, steps = [desk.observe()], []
    for number, action in enumerate(actions, start=1):
        assert desk.perform(action, key=str(number)).ok, action
        states.append(desk.observe())
        steps.append(step(number, before=states[-2].state_id, after=states[-1].state_id))
    known = {state.state_id: state for state in states}
    request = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", steps=tuple(steps), screens=(states[-1],))
    return changes_told(request, known.get)


def test_a_form_is_told_by_its_fields_from_old_to_new_and_a_view_that_was_only_opened_by_its_name() -> None:
    amount = Fill(target=ActionTarget(text="Amount"), text="12.00")
    said = told(LaunchApp(app="reimbursement"), amount, LaunchApp(app="settings"))
    assert '~ textbox "Amount": "" → "12.00"' in said
    assert "settings: only opened, nothing changed there: " in said
    assert "Recovery phone" not in said, "a screen that was merely opened is not told"
    assert "Vendor" not in said, "nor a field that is as it was"


def test_another_page_or_search_of_a_list_is_no_change_of_its_records() -> None:
    search = Fill(target=ActionTarget(text="Search invoices"), text="INV-1", submit=True)
    for turned in (press("Next"), search):
        said = told(LaunchApp(app="billing"), press("Back to invoices"), turned)
        assert "row " not in said


def state(*rows: tuple[str, ...], notice: str = "") -> VisualState:
    elements = [GUIElement(element_id="h", tag="h1", role="heading", text="Inbox"), *([] if not notice else [status(notice)])]
    for number, cells in enumerate(rows):
        elements.append(GUIElement(element_id=f"r{number}", tag="tr", role="row"))
        elements += [
            GUIElement(element_id=f"r{number}c{n}", tag="td", role="cell", text=text, parent=f"r{number}", private=text == "4711")
            for n, text in enumerate(cells)
        ]
    return VisualState(app="mail", elements=tuple(elements))


def status(notice: str) -> GUIElement:
    return GUIElement(element_id="s", tag="div", role="status", text=notice)


def between(before: VisualState, after: VisualState) -> list[str]:
    done = step(1, before=before.state_id, after=after.state_id)
    request = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", steps=(done,), screens=(after,), earlier=(before,))
    return changes_told(request, lambda _: None).splitlines()


def test_a_row_is_known_again_by_its_first_cell_wherever_it_stands() -> None:
    before = state(("Ada", "open"), ("Bo", "open"), ("Cy", "open"))
    assert between(before, state(("Bo", "paid"), ("Cy", "open"), ("Di", "open"))) == [
        'mail, "Inbox":',
        '~ row "Bo": "open" → "paid"',
        '+ row "Di": "open"',
        '- row "Ada": "open"',
    ]


def test_of_many_changes_those_that_tell_most_are_told_and_the_rest_is_counted() -> None:
    many = state(*((f"row {n}", "x") for n in range(60)), notice="All imported")
    lines = between(state(), many)
    assert lines[1] == '+ status "All imported"'
    assert lines[-1] == "(21 more changes are not told)"


def test_a_private_cell_is_told_as_hidden() -> None:
    lines = between(state(("PIN", "1234")), state(("PIN", "4711")))
    assert lines[1] == '~ row "PIN": "1234" → "(hidden)"'
