"""The Operator goes by what an action would change: asked about with it, and looked at once more right before it is done."""

from __future__ import annotations

from support import Run, decide, desktop, planned, subtask

from protocol import ActionTarget, Click, Fill, PressKey
from roles.safety import Rule, SafetyPolicy

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
