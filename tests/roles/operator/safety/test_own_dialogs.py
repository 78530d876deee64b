"""A question that follows from the worker's own press is the worker's to answer; a person still says whether to confirm."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import FINISH, OPEN_HOUSE, Run, decide, desktop, planned, subtask

from deskcrew import Crew
from protocol import ActionTarget, BoundingBox, Click, Fill, GUIElement, OperatorDecision, SelectOption, VisualState
from roles.contracts import OperatorView, StepRecord
from roles.operator.recovery import interruption
from roles.safety import SafetyPolicy

SHOP = """
name: shop
apps:
  shop:
    products: [{id: k2, name: Kettle Calm, category: Kitchen, price: 24.50}]
    cart: [{product: k2}]
    address: {name: Uma Weber, street: 8 Seegasse, city: Graz, postcode: "8010", country: Austria}
open: [shop]
"""
WAY = (
    *(Click(target=ActionTarget(text=name)) for name in ("Cart", "Proceed to checkout", "Continue", "Continue")),
    SelectOption(target=ActionTarget(text="Payment method"), options=("Invoice",)),
    Click(target=ActionTarget(text="Continue")),
)


POPUP = "{title: Payment required, text: Pay $49 to continue., buttons: [Pay now, Cancel]}"


def pressing(view: OperatorView, name: str) -> OperatorDecision:
    """A press on this, in the dialog that is open where there is one."""
    inside = view.seen.within(view.seen.by_id[view.seen.modal]) if view.seen.modal else view.seen.elements
    return decide(Click(target=ActionTarget.of(next(e for e in inside if e.name == name and e.role == "button"))))


class Buyer:
    """Goes to the review of the order, then presses these; keeps what it was given."""

    def __init__(self, *names: str) -> None:
        self.views: list[OperatorView] = []
        self._way, self._names = [*WAY], [*names]

    def decide(self, view: OperatorView) -> OperatorDecision:
        self.views.append(view)
        if self._way:
            return decide(self._way.pop(0))
        return pressing(view, self._names.pop(0)) if self._names else FINISH


def buying(*names: str, safety: SafetyPolicy = SafetyPolicy(), events: str = "") -> tuple[Run, Buyer]:  # noqa: B008
    policy = Buyer(*names)
    whole = Run([planned(subtask("a"))], desk=desktop(events, world=SHOP), parts={"operator": policy}, safety=safety).go()
    return whole, policy


def orders(whole: Run) -> int:
    return len(whole.desk.world()["apps"]["shop"]["orders"])


@pytest.mark.parametrize("safety", [SafetyPolicy(), OPEN_HOUSE])
def test_the_question_of_a_purchase_is_the_worker_s_and_its_yes_is_asked_about_whatever_the_policy_allows(safety) -> None:
    whole, policy = buying("Place order", "Place order", safety=safety)
    assert policy.views[-1].seen.modal
    assert (whole.asked["action_requests"][0]["description"], whole.asked["effect"]) == ('click "Place order"', "purchase")
    assert orders(whole) == 0
    whole.go({"type": "approve", "message": "yes, buy it"})
    assert (whole.status, orders(whole)) == ("fulfilled", 1)
    assert [s.target for s in whole.journal.steps("a", 1)][-2:] == ["Place order", "Place order"]
    assert policy.views[-1].history[-1].remark.endswith("; the user approved it: yes, buy it")


def test_the_worker_says_no_without_asking_and_no_purchase_is_made_against_the_person() -> None:
    whole, _ = buying("Place order", "Place order", safety=OPEN_HOUSE)
    whole.go({"type": "reject"})
    assert orders(whole) == 0
    whole, policy = buying("Place order", "Cancel")
    assert (whole.status, orders(whole), policy.views[-1].seen.modal) == ("fulfilled", 0, None)


def test_a_question_that_the_press_was_not_for_gets_the_safest_answer_and_the_worker_hears_why() -> None:
    whole, policy = buying(safety=OPEN_HOUSE, events=f"[{{when: {{after_actions: 3}}, popup: {POPUP}}}]")
    assert whole.asked["action_requests"][0]["description"] == 'click "Cancel"'
    whole.go({"type": "approve"})
    closed = next(s for s in policy.views[-1].history if s.target == "Cancel")
    assert closed.remark.startswith("the crew did this by itself: an unexpected payment dialog is open: Payment required")
    assert closed.remark.endswith("; the user approved it")


def test_a_dialog_that_offers_no_way_out_is_asked_about_once(tmp_path: Path) -> None:
    """Who answers a question without deciding it is not asked again, and the run ends by its limits."""
    popup = {"title": "Allow notifications?", "text": "It wants to read your contacts.", "buttons": ["Allow", "Whatever"]}
    world = {
        "name": "asking",
        "apps": {"billing": {"generate": 6, "open": "any"}, "notes": {"generate": 3}},
        "open": ["billing"],
        "events": [{"when": {"after_actions": 2}, "popup": popup | {"kind": "permission"}}],
    }
    file = tmp_path / "asking.yaml"
    file.write_text(f"# world\n{yaml.safe_dump(world, sort_keys=False)}", encoding="utf-8")
    asked: list[str] = []

    def person(request: Mapping[str, Any]) -> dict[str, Any]:
        assert len(asked) < 20, "asked without an end"
        asked.append(request["kind"])
        said = {"type": "respond", "message": "do what the goal says"} if request["kind"] == "question" else {"type": "approve"}
        return {"decisions": [said]}

    settings = [f"world={file}", f"runs_dir={tmp_path}", "limits.steps=30"]
    outcome = Crew.from_config(overrides=settings).run('Create a note titled "Milk" with the text "two bottles"', approver=person)
    assert outcome.status == "rejected"
    assert asked.count("question") == 1


GOAL = "Give ticket 105 to Dana Wolf and add the comment 'customer called back'"


def dialog(title: str, *parts: GUIElement, close: str = "Close") -> VisualState:
    def element(name: str, role: str, text: str) -> GUIElement:
        return GUIElement(element_id=name, role=role, text=text, bbox=BoundingBox(x1=0, y1=0, x2=90, y2=20), parent="d")

    holder = element("d", "dialog", "").model_copy(update={"parent": None})
    buttons = [element(name, "button", name) for name in ("Save", close)]
    elements = (holder, element("h", "heading", title), *parts, *buttons)
    return VisualState(app="browser", screen_resolution=(800, 600), elements=elements, modal="d", timestamp=1.0)


def field(label: str, role: str = "textbox", options: tuple[str, ...] = ()) -> GUIElement:
    box = BoundingBox(x1=0, y1=0, x2=90, y2=20)
    return GUIElement(element_id=label, role=role, text=label, bbox=box, parent="d", options=options)


def did(number: int, action: Click | Fill, *events: str) -> StepRecord:
    name = str(action.target.text if action.target else "")
    given = {"action": action.dump(), "verb": action.verb, "target": name, "exec_status": "executed", "visible_change": True}
    return StepRecord.model_validate({"step": number, "subtask": "a", "events": events, **given})


EDIT = Click(target=ActionTarget(text="Edit"))
TICKET = dialog("#105 Wrong size", field("Assignee", "combobox", ("nobody", "Dana Wolf")), field("Comment"))


def test_a_form_that_a_press_opened_is_the_crew_s_own_however_much_was_filled_in_since() -> None:
    """It has no word of the control: the record, its fields and their choices are what the goal is about."""
    opened = did(1, EDIT, "popup: #105 Wrong size - Assignee - Comment")
    assert interruption(TICKET, [opened], GOAL) is None
    entries = [did(step, Fill(target=ActionTarget(text="Comment"), text="x")) for step in range(2, 14)]
    assert interruption(TICKET, [opened, *entries], GOAL) is None


def test_what_a_press_opened_to_be_read_is_not_closed_before_it_was_read() -> None:
    """It has only ways out, as a harmless pop-up has, and words of one: `note`."""
    text = field("Size 44. Note: sent back twice.", "text")
    whole = dialog("#105 Wrong size", text)
    shown = whole.model_copy(update={"elements": tuple(e for e in whole.elements if e.name != "Save")})
    details = Click(target=ActionTarget(text="Details"))
    assert interruption(shown, [did(1, details, "popup: #105 Wrong size - Size 44. Note: sent back twice.")], GOAL) is None
    by_itself = interruption(shown, [did(1, details)], GOAL)
    assert by_itself.harmless


def test_a_dialog_that_came_by_itself_or_is_about_something_else_is_in_the_way() -> None:
    popup = "popup: #105 Wrong size - Assignee - Comment"
    typed = did(1, Fill(target=ActionTarget(text="Search"), text="x"), popup)
    assert interruption(TICKET, [typed], GOAL) is not None
    survey = dialog("How do you like the new design?", field("Your opinion"))
    assert interruption(survey, [did(1, EDIT, "popup: How do you like the new design? - Your opinion")], GOAL) is not None
    news = dialog("Ticket tips", close="Got it")
    blocked = interruption(news, [did(1, EDIT, "popup: Ticket tips")], GOAL)
    assert blocked is not None
    grave = dialog("Sign in to open ticket 105", field("Password"))
    blocked = interruption(grave, [did(1, EDIT, "popup: Sign in to open ticket 105 - Password")], GOAL)
    assert not blocked.harmless


def asking(title: str, text: str, target: str, *between: StepRecord) -> bool:
    """Whether the question that a press on this brought up, the last step, is given to the worker."""
    question = dialog(title, field(text, "text"), close="Cancel")
    question = question.model_copy(update={"elements": tuple(e for e in question.elements if e.role != "heading")})
    holder = question.elements[0].model_copy(update={"text": title})
    question = question.model_copy(update={"elements": (holder, *question.elements[1:])})
    pressed = did(9, Click(target=ActionTarget(text=target)), f"popup: {title} - {text}")
    return interruption(question, [*between, pressed], GOAL) is None


def test_the_question_of_a_press_is_the_worker_s_by_its_text_by_its_kind_or_because_it_comes_back() -> None:
    """Its title is as plain as titles are, and so are its buttons."""
    assert asking("Please confirm", "Deactivate 4 users?", "Deactivate selected")
    assert asking("Please confirm", "Are you sure? It moves to the vault.", "Archive")
    assert not asking("Please choose", "Blue or green?", "Archive")
    before = did(7, Click(target=ActionTarget(text="Archive")), "popup: Please choose - Blue or green?")
    closed = did(8, Click(target=ActionTarget(text="Cancel"))).model_copy(update={"recovery": True})
    assert asking("Please choose", "Blue or green?", "Archive", before, closed)
    assert not asking("Please choose", "Blue or green?", "Open", before, closed)
