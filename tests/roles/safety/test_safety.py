"""The policy: deny beats ask, ask beats allow, and what is not known is never free."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol as p
from protocol import ActionTarget, Click, Fill, GUIElement, VisualState, Window
from roles.operator.safety.permits import element_of
from roles.safety import Review, Rule, SafetyPolicy, review
from roles.safety.effects import SENSITIVE, Effect


def judge(policy: SafetyPolicy, name: str = "Next", *, role: str = "button", app: str | None = "mail", **more: Any) -> Review:
    element = GUIElement(element_id="it", text=name, role=role, app=app)
    return review(Click(target=ActionTarget(element_id="it")), element, VisualState(elements=(element,), app=app), policy, **more)


DEFAULT = SafetyPolicy()
VERDICTS = ("allow", "ask", "deny")


def rules(*verdicts: str) -> SafetyPolicy:
    return SafetyPolicy(rules=tuple(Rule.model_validate({"name": f"{n}-{v}", "verdict": v}) for n, v in enumerate(verdicts)))


def test_what_no_rule_matches_is_settled_by_otherwise_and_nothing_is_allowed_without_a_rule() -> None:
    for otherwise in VERDICTS:
        elsewhere = {"name": "x", "verdict": "deny", "apps": ["web"]}
        found = judge(SafetyPolicy.model_validate({"rules": [elsewhere], "otherwise": otherwise}))
        assert (found.verdict, found.policy) == (otherwise, "otherwise")
    assert judge(SafetyPolicy(rules=())).verdict == "ask"


def test_by_default_work_is_free_and_sensitive_and_unknown_controls_need_a_person_and_every_effect_has_its_rule() -> None:
    sensitive = ("Submit", "Send", "Pay now", "Delete account", "Delete", "Allow", "Upload", "Download", "提交", "Löschen")
    asked = (*sensitive, "OK", "Frobnicate")
    assert {name: judge(DEFAULT, name).verdict for name in asked} == dict.fromkeys(asked, "ask")
    free = ("Next", "Cancel", "Save", "Rename", "打开")
    assert {name: judge(DEFAULT, name).verdict for name in free} == dict.fromkeys(free, "allow")
    named = [effect for rule in DEFAULT.rules for effect in rule.effects]
    assert sorted(named) == sorted(Effect)
    assert {effect for rule in DEFAULT.rules if rule.verdict == "ask" for effect in rule.effects} >= SENSITIVE


# --- applications


def test_an_app_that_is_not_allowed_and_the_way_into_it_are_denied_whatever_the_rules_say() -> None:
    policy = rules("allow").model_copy(update={"allowed_apps": ("mail",)})
    for app in ("web", "mailer", "MAIL2", "ma"):
        found = judge(policy, app=app)
        assert (found.verdict, found.policy, found.severity) == ("deny", "allowed_apps", "high")
        assert app in found.reasons[0]
    assert judge(policy, app="Mail").verdict == "allow"
    state = VisualState(app="mail", windows=(Window(window_id="w2", app="web", title="Web"),))
    for action in (p.LaunchApp(app="web"), p.SwitchWindow(window="web"), p.SwitchWindow(window="w2")):
        assert review(action, None, state, policy).verdict == "deny"
    assert review(p.LaunchApp(app="mail"), None, state, policy).verdict == "allow"
    # what never leaves the crew needs no app
    for action in (p.Memorize(name="a", value="b"), p.Answer(text="x"), p.FinishGoal()):
        assert review(action, None, VisualState(app="web"), policy).verdict == "allow"


def test_an_app_is_never_free_by_hiding_behind_another_or_nothing() -> None:
    element = GUIElement(element_id="it", text="Next", role="button", app="web")
    action = Click(target=ActionTarget(element_id="it"))
    assert review(action, element, VisualState(app="mail"), SafetyPolicy(allowed_apps=("mail",))).verdict == "deny"
    assert judge(SafetyPolicy(allowed_apps=("mail",)), app=None).verdict == "ask"
    assert judge(DEFAULT, app=None).verdict == "allow"
    assert review(p.Wait(), None, VisualState(), SafetyPolicy(allowed_apps=("mail",))).verdict == "allow"


# --- people


def test_low_confidence_and_a_wish_to_confirm_ask_and_never_soften_a_verdict() -> None:
    assert judge(DEFAULT, confidence=0.5).verdict == "allow"
    found = judge(DEFAULT, confidence=0.49)
    assert (found.verdict, found.policy) == ("ask", "low_confidence")
    assert "0.49" in found.reasons[0]
    for name, confidence in itertools.product(["Pay now", "Next"], [0.0, 0.49, 1.0]):
        strict = rules("deny")
        assert judge(strict, name, confidence=confidence).verdict == "deny"
    assert judge(DEFAULT, "Pay now", confidence=1.0).verdict == "ask"
    assert judge(DEFAULT, confirm=True).policy == "asked_to_confirm"
    assert judge(DEFAULT, confirm=True).verdict == "ask"
    assert judge(rules("deny"), confirm=True).verdict == "deny"


def test_a_question_for_the_user_reaches_the_user_under_any_policy_that_works() -> None:
    ask = p.AskUser(question="Which one?")
    assert review(ask, None, VisualState(), rules("allow")).verdict == "ask"


# --- conditions


@pytest.mark.parametrize(
    ("condition", "hit", "miss"),
    [
        ({"targets": ["*salary*"]}, "Salary 2026", "Budget"),
        ({"targets": ["pay ?"]}, "Pay 1", "Pay 10"),
        ({"verbs": ["click"]}, "x", None),
        ({"effects": ["delete"]}, "Delete", "Next"),
        ({"apps": ["MA*"]}, "x", None),
    ],
)
def test_a_rule_matches_when_all_its_conditions_do(condition: dict[str, Any], hit: str, miss: str | None) -> None:
    policy = SafetyPolicy.model_validate({"rules": [{"name": "r", "verdict": "deny", **condition}], "otherwise": "allow"})
    assert judge(policy, hit).verdict == "deny"
    if miss is not None:
        assert judge(policy, miss).verdict == "allow"
    both = SafetyPolicy.model_validate(
        {"rules": [{"name": "r", "verdict": "deny", **condition} | {"apps": ["other"]}], "otherwise": "allow"}
    )
    assert judge(both, hit).verdict == "allow"


def test_a_rule_can_look_at_what_is_typed_or_chosen() -> None:
    policy = SafetyPolicy.model_validate(
        {"rules": [{"name": "r", "verdict": "deny", "values": ["*@evil.example"]}], "otherwise": "allow"}
    )
    field, target = GUIElement(element_id="it", text="To", role="textbox", app="mail"), ActionTarget(element_id="it")
    for action, verdict in (
        (Fill(target=target, text="Bob@EVIL.example"), "deny"),
        (p.SelectOption(target=target, options=("a@evil.example",)), "deny"),
        (Fill(target=target, text="bob@good.example"), "allow"),
    ):
        assert review(action, field, VisualState(elements=(field,), app="mail"), policy).verdict == verdict


# --- a task's constraints


@pytest.mark.parametrize(
    ("word", "denied", "free"),
    [
        ("delete", "Delete", "Next"),
        ("DELETE", "Löschen", "Next"),
        ("click", "Next", None),
        ("archive", "Archive message", "Next"),
        ("actuate", "Turn on oven", "Next"),
        ("next", "Go to next page", "Back"),
        ("Open [draft]", "Open [draft] 3", "Open notes"),
    ],
)
def test_a_forbidden_word_is_an_effect_a_verb_or_the_name_of_a_control(word: str, denied: str, free: str | None) -> None:
    policy = DEFAULT.constrained({"forbidden_actions": [word]})
    found = judge(policy, denied)
    assert (found.verdict, found.severity) == ("deny", "high")
    assert word in found.reasons[0]
    if free is not None:
        assert judge(policy, free).verdict == "allow"


def test_one_word_alone_means_a_list_of_one_and_what_says_nothing_changes_nothing() -> None:
    policy = DEFAULT.constrained({"forbidden_actions": "delete", "allowed_apps": "mail", "private": "*salary*"})
    assert judge(policy, "Delete").verdict == "deny"
    assert judge(policy, "Next").verdict == "allow"
    assert policy.allowed_apps == ("mail",)
    for name in ("Salary", "Password", "New password (again)", "Passcode", "Secret word", "Card number", "CVV", "CVC"):
        assert policy.is_private(GUIElement(element_id="e", text=name)), name
    assert DEFAULT.is_private(GUIElement(element_id="e", text="Anything", private=True))
    assert not policy.is_private(GUIElement(element_id="e", text="Amount"))
    assert DEFAULT.constrained({}) == DEFAULT
    assert DEFAULT.constrained({"forbidden_actions": None, "allowed_apps": None, "private": None}) == DEFAULT


def test_a_task_narrows_the_allowed_apps_and_never_widens_them() -> None:
    strict = SafetyPolicy(allowed_apps=("mail", "notes"))
    assert strict.constrained({"allowed_apps": ["mail"]}).allowed_apps == ("mail",)
    for wide in (["*"], ["mail", "web"], ["web"]):
        assert judge(strict.constrained({"allowed_apps": wide}), app="web").verdict == "deny"
    assert judge(strict.constrained({"allowed_apps": ["*"]}), app="notes").verdict == "allow"
    assert judge(DEFAULT.constrained({"allowed_apps": ["mail"]}), app="web").verdict == "deny"
    assert judge(DEFAULT.constrained({"allowed_apps": []}), app="mail").verdict == "deny"


apps = st.sampled_from(["*", "mail", "web", "m*", "notes"])


@given(st.lists(apps, max_size=3), st.lists(apps, max_size=3), st.sampled_from(["mail", "web", "notes", "maps"]))
def test_an_app_passes_only_if_policy_and_task_both_allow_it(policy: list[str], task: list[str], app: str) -> None:
    both = SafetyPolicy(allowed_apps=tuple(policy)).constrained({"allowed_apps": task})
    if judge(both, app=app).verdict != "deny":
        assert judge(SafetyPolicy(allowed_apps=tuple(policy)), app=app).verdict != "deny"
        assert judge(SafetyPolicy(allowed_apps=tuple(task)), app=app).verdict != "deny"


def test_what_a_policy_denies_is_denied_at_the_button_that_only_brings_up_a_question() -> None:
    work = Rule.model_validate({"name": "work", "verdict": "allow", "effects": ["observe", "navigate", "edit"]})
    kept = Rule.model_validate({"name": "kept", "verdict": "deny", "effects": ["delete"]})
    assert judge(SafetyPolicy(rules=(work, kept)), "Delete", changes=()).verdict == "deny"
    assert judge(SafetyPolicy(rules=(work,)), "Delete", changes=()).verdict == "allow"
    assert judge(SafetyPolicy(rules=(work, kept)), "Reply", changes=()).verdict == "allow"


def test_a_bare_point_on_nothing_means_no_element() -> None:
    assert element_of(Click(target=ActionTarget(point=p.Point(3, 3))), VisualState()) == (None, "")
