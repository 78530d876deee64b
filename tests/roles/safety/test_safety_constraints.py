"""Constraints only forbid or ask for more; what they do not know is refused with the nearest name; people may add to them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from protocol import Action, ActionTarget, CallApi, Click, Fill, GUIElement, Navigate, VisualState, Window
from roles.contracts import Fact
from roles.safety import Constraints, Review, SafetyPolicy, review
from roles.safety.policy import problem_in, together

BOX = GUIElement(element_id="to", text="To", role="textbox", app="mail")
LINK = GUIElement(element_id="go", text="More", role="link", app="browser", leads="open https://shop.evil.example/x")
DELETE = GUIElement(element_id="del", text="Delete", role="button", app="mail")


def judged(constraints: dict[str, Any], action: Action, element: GUIElement | None = None, at: str = "") -> Review:
    windows = (Window(window_id="w", app="browser", title=f"Page - {at}", focused=True),) if at else ()
    seen = VisualState(elements=(BOX, LINK, DELETE), app="mail", windows=windows)
    return review(action, element, seen, SafetyPolicy().constrained(constraints))


WRITE = Fill(target=ActionTarget(element_id="to"), text="Hello")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"forbiden_actions": ["send"]}, "there is no constraint 'forbiden_actions'; did you mean 'forbidden_actions'?"),
        ({"block_domains": ["a"]}, "did you mean 'blocked_domains'?"),
        ({"zzz": 1}, "known here: allowed_apps, forbidden_actions"),
        ({"maximum_autonomy": "some"}, "constraints.maximum_autonomy: Input should be 'read-only'"),
        ({"scope": ["app =="]}, "cannot be evaluated"),
        ({"output_requirements": ["nothing > 1"]}, "cannot be evaluated"),
    ],
)
def test_what_is_no_constraint_is_refused_in_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as bad:
        Constraints.model_validate(wrong)
    assert said in problem_in(bad.value, "constraints")


@pytest.mark.parametrize(
    ("action", "element", "at"),
    [
        (Navigate(url="https://evil.example/a"), None, ""),
        (Navigate(url="https://user@EVIL.example:8080/a"), None, ""),
        (Navigate(url="http://evil%2eexample/"), None, ""),
        (Fill(target=ActionTarget(element_id="to"), text="bob@mail.evil.example"), BOX, ""),
        (Click(target=ActionTarget(element_id="go")), LINK, ""),
        (WRITE, BOX, "https://evil.example/form"),
        (CallApi(app="mail", function="send", arguments={"to": "a@evil.example"}), None, ""),
    ],
)
def test_nothing_is_opened_at_sent_to_or_done_on_a_blocked_domain(action: Action, element: GUIElement | None, at: str) -> None:
    found = judged({"blocked_domains": "evil.example"}, action, element, at)
    assert (found.verdict, found.policy) == ("deny", "blocked_domains")
    assert judged({"blocked_domains": "other.example"}, action, element, at).verdict != "deny"


def test_a_page_on_a_blocked_domain_may_be_left() -> None:
    away = Navigate(url="https://good.example/")
    assert judged({"blocked_domains": "evil.example"}, away, at="https://evil.example/form").verdict == "allow"


@pytest.mark.parametrize(
    ("level", "writing", "deleting"),
    [("read-only", "deny", "deny"), ("ask-all", "ask", "ask"), ("ask-sensitive", "allow", "ask")],
)
def test_maximum_autonomy_narrows_a_policy_that_allows_everything(level: str, writing: str, deleting: str) -> None:
    free = SafetyPolicy.model_validate({"rules": [], "otherwise": "allow"}).constrained({"maximum_autonomy": level})
    seen = VisualState(elements=(BOX, DELETE), app="mail")
    assert review(WRITE, BOX, seen, free).verdict == writing
    assert review(Click(target=ActionTarget(element_id="del")), DELETE, seen, free).verdict == deleting


def test_what_changes_something_has_to_lie_within_the_scope() -> None:
    assert judged({"scope": "app == 'mail'"}, WRITE, BOX).verdict == "allow"
    found = judged({"scope": ["app == 'mail'", "value != 'Hello'"]}, WRITE, BOX)
    assert (found.verdict, found.policy) == ("deny", "scope")
    assert "out of scope" in found.reasons[0]
    untold = {"scope": "facts.nobody.value == 'x'"}
    assert judged(untold, WRITE, BOX).verdict == "deny", "what cannot be told lies outside"


def test_output_requirements_speak_of_the_answer_and_the_facts() -> None:
    asked = Constraints.model_validate({"output_requirements": ["answer.matches('^[0-9]+$')", "'total' in facts"]})
    assert len(asked.unmet([])) == 2
    assert asked.unmet([Fact(name="answer", value="12"), Fact(name="total", value="$1")]) == []


def test_what_is_added_narrows_and_nothing_takes_it_back() -> None:
    first = Constraints(allowed_apps=("mail", "notes"), forbidden_actions=("send",), maximum_autonomy="ask-all")
    added: list[dict[str, Any]] = [
        {"constraints": {"allowed_apps": ["notes", "files"], "forbidden_actions": ["delete"]}},
        {"constraints": {"maximum_autonomy": "ask-sensitive"}},
    ]
    both = together(first, added)
    assert (both.allowed_apps, both.forbidden_actions, both.maximum_autonomy) == (("notes",), ("send", "delete"), "ask-all")
    assert together(both, added) == both
