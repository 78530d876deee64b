"""What is asked about once, what an approval is bound to, and what an action would change."""

from typing import Any

import pytest
from support import Run, decide, desktop, planned, subtask

from protocol import ActionTarget, Click, Fill, GUIElement, PressKey, VisualState, Window
from roles.contracts import StepRecord
from roles.operator.recovery import interruption
from roles.operator.safety.review import unlike
from roles.safety import Rule, SafetyPolicy


def asking(words: str, *more: GUIElement, yes: str = "OK", no: str = "Cancel") -> VisualState:
    inside: dict[str, Any] = {"parent": "d"}
    parts = (
        GUIElement(element_id="d", role="dialog", text="The page asks"),
        GUIElement(element_id="t", role="text", text=words, **inside),
        *more,
        GUIElement(element_id="y", role="button", text=yes, track_id="y", **inside),
        GUIElement(element_id="n", role="button", text=no, track_id="n", **inside),
    )
    return VisualState(elements=parts, modal="d", app="browser")


def pressed(name: str, verb: str = "click", **more: Any) -> StepRecord:
    told: dict[str, Any] = {
        **{"step": 1, "subtask": "s1", "app": "browser", "verb": verb, "target": name, "exec_status": "executed"},
        **{"before": "a", "after": "b", "visible_change": True, "events": ("popup: The page asks",)},
    }
    return StepRecord(action={"action_type": "click", "target": {"text": name}}, **(told | more))


@pytest.mark.parametrize(
    ("name", "verb", "words", "answer"),
    [
        ("Remove", "delete", "Delete all 300 photos for ever?", "OK"),  # what was pressed for, in other words
        ("Frobnicate", "click", "Transfer 5 EUR to Bob?", "OK"),  # a person has approved a press of unknown effect
        ("Show photos", "click", "Delete all 300 photos for ever?", "Cancel"),  # graver than what was pressed for
        ("Next", "click", "Changes may not be saved.", "OK"),
    ],
)
def test_a_person_is_asked_for_yes_only_where_yes_is_what_the_press_was_for(name, verb, words, answer):
    found = interruption(asking(words), [pressed(name, verb)], f"Click {name}.")
    assert not found.harmless
    assert found.action.target.text == answer
    assert words in found.why


def test_a_question_that_nobody_s_press_brought_up_gets_the_safest_answer():
    for steps in ([], [pressed("Remove", "delete", recovery=True)], [pressed("Remove", "delete", events=())]):
        found = interruption(asking("Delete all 300 photos for ever?"), steps)
        assert found.action.target.text == "Cancel"


def test_a_goal_that_answers_and_a_prompt_for_words_are_not_answered_with_yes():
    assert interruption(asking("Delete all?"), [pressed("Show photos")], "Click Show photos, then click Cancel.") is None
    field = GUIElement(element_id="p", role="textbox", text="Answer", parent="d")
    found = interruption(asking("New name?", field), [pressed("Rename")], "Click Rename.")
    assert found.action.target.text == "Cancel"


def test_a_dialog_that_offers_the_verb_of_the_last_press_again_is_its_question():
    asked = asking("Close T-2?", yes="Close ticket")
    assert interruption(asked, [pressed("Close")], "Close the ticket T-2.") is None
    for steps, seen in (
        ([pressed("Show")], asked),
        ([pressed("Close")], asking("Close T-2?", yes="Delete ticket")),
        ([pressed("Close")], asking("Close T-2?", yes="Close ticket", no="Close all")),  # there is no way out of it
    ):
        assert interruption(seen, steps, "Close the ticket T-2.") is not None


def screen(*parts: tuple[str, str, str, dict[str, Any]], address: str = "http://bank.example/pay") -> VisualState:
    """Elements as `(id, role, text, more)`; those with a parent stand in it."""
    elements = tuple(GUIElement(element_id=i, track_id=i, role=role, text=text or None, **more) for i, role, text, more in parts)
    tab = Window(window_id="tab-0", app="browser", title=f"Bank - {address}", focused=True)
    return VisualState(screen_resolution=(800, 600), elements=elements, app="browser", windows=(tab,))


def form(who: str = "Bob", amount: str = "5", **more: Any) -> VisualState:
    inside = {"parent": "f"}
    return screen(
        ("clock", "text", more.pop("clock", "12:00"), {}),
        ("f", "form", "", {}),
        ("w", "text", f"to {who}", inside),
        ("a", "textbox", "Amount", inside | {"value": amount}),
        ("s", "status", more.pop("status", ""), inside),
        ("b", "button", "Pay", inside),
        **more,
    )


def found(then: VisualState, now: VisualState) -> str:
    return unlike(then, then.by_id["b"], now, now.by_id["b"])


def test_what_stands_around_a_control_or_next_to_it_is_part_of_what_was_approved_and_nothing_else():
    assert found(form(), form()) == ""
    assert found(form(), form(who="Eve")) == "'to Bob' is now 'to Eve'"
    assert found(form(), form(amount="5000")) == "'Amount 5' is now 'Amount 5000'"
    assert found(form(), form(clock="12:01", status="saved a draft")) == ""
    assert found(form(), form(address="http://bank.example.evil.example/pay")).startswith("the page is on bank.example.evil")
    assert found(form(), form(address="http://bank.example/pay?step=2")) == ""

    def rows(first: str, second: str) -> VisualState:
        return screen(
            ("r1", "row", "", {}),
            ("c1", "cell", first, {"parent": "r1"}),
            ("r2", "row", "", {}),
            ("c2", "cell", second, {"parent": "r2"}),
            ("b", "button", "Delete", {"parent": "r2"}),
        )

    assert found(rows("Ann", "Bob"), rows("Zoe", "Bob")) == ""
    assert found(rows("Ann", "Bob"), rows("Ann", "Eve")) == "'Bob' is now 'Eve'"

    def bare(words: str) -> VisualState:
        return screen(("t", "text", words, {}), ("b", "button", "Pay", {}))

    assert found(bare("10 EUR to Ann"), bare("9,000 EUR to Eve")) == "'10 EUR to Ann' is now '9,000 EUR to Eve'"


SUBMIT = Click(target=ActionTarget(text="Submit"))
AMOUNT = ActionTarget(text="Amount")
TOO_MUCH = "changes.exists(c, c.effect == 'submit' && c.told.contains('900'))"
NOT_THAT_MUCH = SafetyPolicy(
    rules=(Rule.model_validate({"name": "too_much", "verdict": "deny", "if": TOO_MUCH}), *SafetyPolicy().rules)
)


def claims(run: Run) -> list[str]:
    return [claim["amount"] for claim in run.desk.world()["apps"]["reimbursement"]["claims"].values()]


def run(*actions, **more) -> Run:
    return Run([planned(subtask("a")), planned(subtask("b"))], {"a": [decide(action) for action in actions]}, **more).go()


def test_a_request_shows_what_would_change_and_a_form_that_is_not_taken_asks_nothing() -> None:
    whole = run(SUBMIT)
    assert whole.asked["effect"] == "submit"
    assert [change["told"] for change in whole.asked["changes"]] == ["hands in the claim of Acme over 1.00"]
    assert "it hands in the claim of Acme over 1.00" in whole.asked["reasons"]
    empty = run(SUBMIT, desk=desktop(world="apps: {reimbursement: {}}\nopen: [reimbursement]\n"))
    assert empty.status == "fulfilled"
    assert claims(empty) == []


def test_whichever_way_it_is_pressed_it_is_asked_about() -> None:
    for action in (PressKey(target=AMOUNT, keys=("Enter",)), Fill(target=AMOUNT, text="2.00", submit=True)):
        whole = run(action)
        assert whole.asked["effect"] == "submit", action
        assert claims(whole) == []


def test_what_would_now_change_something_else_is_asked_about_anew() -> None:
    whole = run(SUBMIT, SUBMIT)
    whole.desk.perform(Fill(target=AMOUNT, text="900.00"), key="somebody")
    whole.go({"type": "approve"})
    assert claims(whole) == []
    assert whole.asked["changes"][0]["told"].endswith("over 900.00")
    whole.go({"type": "approve"})
    assert claims(whole) == ["900.00"]


def test_a_rule_may_speak_of_the_changes() -> None:
    whole = run(Fill(target=AMOUNT, text="900.00"), SUBMIT, safety=NOT_THAT_MUCH)
    assert claims(whole) == []
    assert whole.bodies("reviewed")[-1]["policy"] == "too_much"


def test_where_the_change_cannot_be_told_its_words_are_read_and_why_is_written_down() -> None:
    class Torn(type(desktop())):  # type: ignore[misc]
        def preview(self, action):
            raise KeyError("no such table")

    torn = desktop()
    torn.__class__ = Torn
    whole = run(SUBMIT, desk=torn)
    assert whole.asked["effect"] == "submit"
    assert whole.bodies("error") == [{"message": "what the click would change cannot be determined: KeyError: 'no such table'"}]
    assert claims(whole) == []
