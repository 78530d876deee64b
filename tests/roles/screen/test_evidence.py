"""What shows that a field holds what was to be written, and what does not."""

from itertools import pairwise

import pytest
from models import step

from protocol import GUIElement, VisualState
from roles.contracts import EffectSeen, FieldHas, GateRequest, StepRecord
from roles.contracts.signals import GateTrigger
from roles.screen.evidence import Finding, check, names_effect


def field(value: str, *, name: str = "Body", number: str = "e1", role: str = "textbox") -> GUIElement:
    return GUIElement(element_id=number, role=role, text=name, value=value)


def state(*elements: GUIElement) -> VisualState:
    return VisualState(app="notes", elements=elements)


def written(number: int, before: VisualState, after: VisualState) -> StepRecord:
    action = {"action_type": "fill", "target": {"element_id": "e1", "text": "Body"}, "text": "x"}
    return acted(number, action, before, after, app=None, visible_change=False)


def found(wanted: FieldHas | EffectSeen, *screens: VisualState, steps: tuple[StepRecord, ...] = ()) -> Finding:
    request = GateRequest(
        trigger=GateTrigger.WORKER_SUCCESS, goal="g", screens=screens[-1:], earlier=screens[-2::-1], steps=steps
    )
    return check(wanted, request)


ADDED = FieldHas(label="body", value="and this", beside=True)


FIRST, BOTH, NEW = (state(field(text)) for text in ("first", "first\nand this", "and this"))
OTHER = state(field("of two")), state(field("of two\nand this"))


@pytest.mark.parametrize(
    ("screens", "holds"),
    [
        ((FIRST, BOTH), True),
        ((FIRST, NEW), False),
        ((FIRST, NEW, BOTH), True),  # lost in between, and there again
        ((FIRST, BOTH, *OTHER), True),  # another record
    ],
)
def test_what_is_to_be_added_stands_beside_the_old_text(screens: tuple[VisualState, ...], holds: bool) -> None:
    steps = tuple(written(n, *pair) for n, pair in enumerate(pairwise(screens), 1) if pair != (BOTH, OTHER[0]))
    finding = found(ADDED, *screens, steps=steps)
    assert finding.holds is holds
    assert holds or finding.missing == "\"Body\" holds 'and this', but no longer what it held before"
    assert found(ADDED.model_copy(update={"beside": False}), *screens, steps=steps).holds


@pytest.mark.parametrize(("name", "holds"), [("Enable notifications", True), ("Mute", False)])
def test_a_box_of_another_name_shows_nothing(name: str, holds: bool) -> None:
    """`false` is what most boxes hold."""
    wanted = FieldHas(label="notifications", value="false")
    boxes = field("false", name=name, role="checkbox"), field("7", name="Volume", number="e2")
    assert found(wanted, state(*boxes)).holds is holds


def test_a_value_that_tells_it_counts_where_no_field_has_the_name() -> None:
    wanted = FieldHas(label="reason", value="Taxi to the airport")
    other = field("Taxi to the airport", name="Body")
    assert found(wanted, state(other)).holds
    assert not found(wanted, state(other, field("", name="Reason", number="e2"))).holds


@pytest.mark.parametrize(
    ("name", "saves"), [("Save", True), ("Keep changes", True), ("Keep editing", False), ("Keep writing it", False)]
)
def test_going_on_with_a_form_does_not_save_it(name: str, saves: bool) -> None:
    assert names_effect(name, "save") is saves


def acted(number: int, action: dict[str, object], before: VisualState, after: VisualState, **more: object) -> StepRecord:
    target = str((action.get("target") or {"text": ""})["text"])  # type: ignore[index]
    told = {"before": before.state_id, "after": after.state_id, "verb": str(action["action_type"]), "target": target}
    return step(number, **{"app": "notes", "action": action} | told | more)


def press(name: str, number: str) -> dict[str, object]:
    return {"action_type": "click", "target": {"element_id": number, "text": name}}


def effect(verb: str, screens: tuple[VisualState, ...], *steps: StepRecord) -> bool:
    return found(EffectSeen(verb=verb), *screens, steps=steps).holds


def button(name: str, number: str, *, enabled: bool = True) -> GUIElement:
    return GUIElement(element_id=number, role="button", text=name, enabled=enabled)


HEADING = GUIElement(element_id="h", role="heading", text="Claim R-1 submitted")
LIST = state(GUIElement(element_id="e9", role="link", text="R-1"), button("Go on", "e8"))
IDLE = state(field("x"), button("Save", "e2", enabled=False))


def test_a_save_button_that_is_idle_shows_a_save_only_after_something_was_written() -> None:
    assert not effect("save", (LIST, IDLE), acted(1, press("R-1", "e9"), LIST, IDLE))
    assert effect("save", (state(field("")), IDLE), written(1, state(field("")), IDLE).model_copy(update=SEEN))


def test_a_document_that_says_it_is_saved_as_it_is_opened_was_not_saved_by_that() -> None:
    told = {"events": ("status: 25 rows, 4 columns; saved",)}
    assert not effect("save", (LIST, IDLE), acted(1, {"action_type": "launch_app", "app": "notes"}, LIST, IDLE, **told))
    assert effect("save", (LIST, IDLE), acted(1, press("Save", "e8"), LIST, IDLE, **told))


SEEN = {"app": "notes", "visible_change": True}


def test_a_form_that_became_a_page_called_submitted_was_submitted_and_a_page_that_was_opened_was_not() -> None:
    form, page = state(field("x"), button("Go on", "e8")), state(HEADING)
    became = {"events": ("navigation: notes / Claim R-1 submitted",)}
    fill = written(1, state(field("")), form).model_copy(update=SEEN)
    assert effect("submit", (form, page), fill, acted(2, press("Go on", "e8"), form, page, **became))
    assert not effect("submit", (LIST, page), acted(2, press("Go on", "e8"), LIST, page, **became))


def test_an_agent_that_was_asked_for_something_else_did_not_do_it() -> None:
    def asked(words: str) -> StepRecord:
        return acted(1, {"action_type": "ask_in_app_agent", "app": "notes", "request": words}, LIST, IDLE)

    assert not effect("move", (LIST, IDLE), asked('Create a folder "Old"'))
    assert effect("move", (LIST, IDLE), asked("Move it there"))


def listed(*cells: str) -> VisualState:
    row = GUIElement(element_id="r", role="row", text="", parent="t")
    inner = [GUIElement(element_id=f"c{n}", role="cell", text=text, parent="r") for n, text in enumerate(cells)]
    return state(GUIElement(element_id="t", role="table", text="Claims"), row, *inner)


@pytest.mark.parametrize(("status", "holds"), [("Submitted", True), ("Draft", False)])
def test_what_a_list_says_of_the_record_after_a_call_counts(status: str, holds: bool) -> None:
    call = {"action_type": "call_api", "app": "notes", "function": "submit_claim", "arguments": {"number": "R-1"}}
    assert effect("submit", (LIST, listed("R-1", status)), acted(1, call, LIST, LIST, visible_change=False)) is holds


def test_a_row_that_came_since_is_known_by_what_the_call_wrote_of_which_it_need_not_show_all() -> None:
    wrote = {"vendor": "Oak & Sons", "amount": "5.00", "description": "Taxi to the fair"}
    call = acted(1, {"action_type": "call_api", "app": "notes", "function": "submit_claim", "arguments": wrote}, LIST, LIST)
    call = call.model_copy(update={"visible_change": False})
    mine, other = listed("R-9", "Oak & Sons", "5.00", "Submitted"), listed("R-8", "Oak & Sons", "7.00", "Submitted")
    assert effect("submit", (LIST, mine), call)
    assert not effect("submit", (LIST, other), call), "one text of three may be anybody's"
    assert not effect("submit", (mine, LIST, mine), call.model_copy(update={"before": mine.state_id})), "it stood there before"


@pytest.mark.parametrize(("shown", "holds"), [("D: Amount", True), ("D: Amounts", False)])
def test_a_choice_is_meant_by_its_words_behind_its_own_label(shown: str, holds: bool) -> None:
    chosen = GUIElement(element_id="e1", role="combobox", text="Sort by", value=shown, options=("A: Vendor", shown))
    assert found(FieldHas(label="Sort by", value="Amount"), state(chosen)).holds is holds


@pytest.mark.parametrize(("told", "holds"), [("Not saved: the name is taken", False), ("All changes saved", True)])
def test_a_value_that_the_page_says_it_did_not_keep_is_not_there(told: str, holds: bool) -> None:
    """A page that saves by itself shows the value whether it keeps it or not."""
    before = state(field("Team", name="Name"), field("Saved", name="", number="e2", role="status"))
    said = GUIElement(element_id="e2", role="status", text=told)
    after = state(field("Ops", name="Name"), said)
    wrote = written(1, before, after).model_copy(update={"target": "Name"})
    assert found(FieldHas(label="Name", value="Ops"), before, after, steps=(wrote,)).holds is holds
