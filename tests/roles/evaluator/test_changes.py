"""What a gate is told of the changes: by what things are, from the first sight of a view to the last."""

from itertools import pairwise
from typing import Any

from models import step

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import Action, ActionTarget, CallApi, Click, Fill, GUIElement, LaunchApp, VisualState
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
        assert not any(line.startswith(("+ row", "- row", "~ row")) for line in said.splitlines())


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
    done = step(1, app="mail", before=before.state_id, after=after.state_id)
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


def paged(number: int, *rows: tuple[str, ...], heading: str = "Inbox") -> VisualState:
    page = GUIElement(element_id="p", tag="p", role="text", text=f"Page {number} of 2")
    one = state(*rows)
    title = one.elements[0].model_copy(update={"text": heading})
    return VisualState(app="mail", elements=(title, *one.elements[1:], page))


def after(*states: VisualState, **how: dict[str, Any]) -> str:
    """What is told of screens that came one after the other, each of a step with what is said of it."""
    steps = [
        step(n, before=a.state_id, after=b.state_id, **how.get(f"step{n}", {}))
        for n, (a, b) in enumerate(pairwise(states), start=1)
    ]
    request = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", steps=tuple(steps), screens=states[-1:], earlier=states)
    return changes_told(request, lambda _: None)


def test_a_row_that_is_out_of_sight_or_on_another_page_is_not_told_as_gone() -> None:
    top, down = state(("Ada", "open"), ("Bo", "open")), state(("Bo", "open"), ("Cy", "open"))
    assert '- row "Ada"' not in after(top, down, step1={"verb": "scroll", "app": "mail", "action": {"action_type": "scroll"}})
    filtered = {"target": "Search", "app": "mail", "action": press("Search").dump()}
    assert '- row "Ada"' not in after(top, down, step1=filtered)
    full, pushed = paged(1, ("Ada", "open"), ("Bo", "open")), paged(1, ("New", "open"), ("Ada", "open"))
    made = {"app": "mail"}
    drawn = after(full, paged(1, ("Ada", "open"), ("Cy", "open")), step1=made)
    assert '+ row "Cy": "open" (it may have been on another page)' in drawn
    assert '- row "Bo": "open" (it may be on another page)' in after(full, pushed, step1=made)
    assert '- row "Bo"' not in after(full, pushed, paged(2, ("Bo", "open")), step1=made)
    moved = after(full, pushed, paged(1, ("Bo", "open"), heading="Archive"), step1=made)
    assert '- row "Bo": "open" (now in "Archive")' in moved


def test_pages_that_were_turned_are_shown_to_who_checks_them() -> None:
    told = after(paged(1, ("Ada", "open")), paged(2, ("Zoe", "paid")))
    assert told.splitlines() == [
        'mail, "Inbox": 2 pages were looked at; what was on those that are not shown:',
        '"Ada": "open"',
    ]


def test_a_view_that_a_function_changed_after_it_was_seen_is_not_called_only_opened() -> None:
    inbox, call = state(("Ada", "open")), CallApi(app="mail", function="move_message").dump()
    notes = VisualState(app="notes", elements=(GUIElement(element_id="h", tag="h1", role="heading", text="Notes"),))
    told = after(notes, inbox, notes, notes, step3={"action": call, "verb": "call_api"})
    assert told == 'mail: not looked at again since a function changed something there: "Inbox"'


def test_of_many_changes_those_that_tell_most_are_told_and_the_rest_is_counted() -> None:
    many = state(*((f"row {n}", "x") for n in range(60)), notice="All imported")
    lines = between(state(), many)
    assert lines[1] == '+ status "All imported"'
    assert lines[-1] == "(21 more changes are left out)"


def test_a_private_cell_is_told_as_hidden() -> None:
    lines = between(state(("PIN", "1234")), state(("PIN", "4711")))
    assert lines[1] == '~ row "PIN": "1234" → "(hidden)"'
