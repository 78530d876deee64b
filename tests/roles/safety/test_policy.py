"""A safety policy as data: conditions in CEL, the constraints of a task, and how long requests and approvals are good."""

from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol import Action, ActionTarget, CallApi, Click, Fill, GUIElement, Navigate, VisualState, Window
from roles.contracts import Fact
from roles.safety import Constraints, Grounds, Review, SafetyPolicy, review
from roles.safety.policy import Moment, Uptime, overdue, problem_in, problem_with, together, uptime

TO = GUIElement(element_id="to", text="To", role="textbox", app="mail", value="", confidence=0.9)
PIN = GUIElement(element_id="pin", text="Password", role="textbox", app="mail", value="tulip")
DIALOG = GUIElement(element_id="d", text="Really?", role="dialog", app="mail")
TOTAL = GUIElement(element_id="t", text="$41.00", role="text", app="mail")
SCREEN = VisualState(
    elements=(TO, PIN, DIALOG, TOTAL), app="mail", modal="d", windows=(Window(window_id="w", app="billing", title="Billing"),)
)
GROUNDS = Grounds(
    said=lambda: ["Send the total to ada@example.com"],
    facts=(Fact(name="total", value="$41.00", kind="money", app="billing", element_id="x"),),
)
FILL = Fill(target=ActionTarget(element_id="to"), text="eve@evil.example")


def policy(*rules: dict[str, Any], **more: Any) -> SafetyPolicy:
    named = [{"name": f"r{number}", **rule} for number, rule in enumerate(rules)]
    return SafetyPolicy.model_validate({"rules": named, "otherwise": "allow", **more})


def judge(rules: SafetyPolicy, action: Action = FILL, element: GUIElement | None = TO, **more: Any) -> Review:
    return review(action, element, SCREEN, rules, **{"grounds": GROUNDS, **more})


@pytest.mark.parametrize(
    "condition",
    [
        "action.verb == 'fill' && action.effect == 'edit' && !action.inner",
        "action.parameters.text.endsWith('evil.example') && !action.parameters.submit",
        "target.name == 'To' && target.role == 'textbox' && target.there && target.enabled && target.confidence < 1.0",
        "app == 'mail' && confidence == 1.0",
        "value.matches('^[^@]+@evil')",
        "provenance.source == 'model' && provenance.sources == ['model'] && !provenance.private",
        "facts.total.value == '$41.00' && facts.total.app == 'billing' && !('iban' in facts)",
        "screen.modal == 'Really?' && 'billing' in screen.windows && screen.texts.exists(t, t == '$41.00')",
        "screen.fields['To'] == '' && !screen.loading && screen.app == 'mail'",
    ],
)
def test_a_condition_speaks_of_action_target_app_value_provenance_facts_screen_and_confidence(condition: str) -> None:
    assert judge(policy({"verdict": "deny", "if": condition})).verdict == "deny"
    assert judge(policy({"verdict": "deny", "if": f"!({condition})"})).verdict == "allow"


def test_a_condition_stands_beside_the_other_keys_of_its_rule_and_is_not_looked_at_without_them() -> None:
    never = "1 / size(facts) == 1"  # fails where there are no facts
    ruled = policy({"verdict": "deny", "verbs": ["click"], "if": never})
    assert judge(ruled, grounds=Grounds()).verdict == "allow"
    assert judge(ruled, Click(target=ActionTarget(element_id="t")), TOTAL, grounds=Grounds()).verdict == "deny"


def test_what_is_private_is_not_shown_to_a_condition() -> None:
    seen = policy({"verdict": "deny", "if": "screen.fields['Password'] == 'tulip' || target.value == 'tulip'"})
    assert judge(seen, Fill(target=ActionTarget(element_id="pin"), text="x"), PIN).verdict == "allow"
    hidden = policy({"verdict": "deny", "if": "target.private && target.value == '•••' && screen.fields['Password'] == '•••'"})
    assert judge(hidden, Fill(target=ActionTarget(element_id="pin"), text="x"), PIN).verdict == "deny"


FAILING = "facts.nothing.value == 'x'"
KINDS = [
    {"verdict": verdict, **condition}
    for verdict in ("allow", "ask", "deny")
    for condition in ({}, {"if": "app == 'mail'"}, {"if": "app == 'web'"}, {"if": FAILING})
]


def says(rule: dict[str, Any]) -> str | None:
    """What one rule comes to by the book."""
    if rule.get("if") == FAILING:
        return "deny" if rule["verdict"] == "deny" else "ask"
    return None if rule.get("if") == "app == 'web'" else rule["verdict"]


@given(st.lists(st.sampled_from(KINDS), max_size=5), st.randoms(use_true_random=False))
def test_the_strictest_of_all_that_apply_counts_in_whatever_order_they_stand(rules: list[dict[str, Any]], rng: Any) -> None:
    order = ["deny", "ask", "allow"]
    expected = min((said for rule in rules if (said := says(rule))), key=order.index, default="allow")
    found = judge(policy(*rules))
    assert found.verdict == judge(policy(*rng.sample(rules, len(rules)))).verdict == expected
    applying = [f"r{number}" for number, rule in enumerate(rules) if says(rule) == expected]
    assert found.policy in (applying or ["otherwise"])


def test_of_equally_strict_rules_the_first_is_named_and_one_that_fails_says_so_and_is_the_one_that_decided() -> None:
    for verdict in ("deny", "ask", "allow"):
        found = judge(policy({"verdict": "allow", "if": "false"}, {"verdict": verdict, "why": "first"}, {"verdict": verdict}))
        assert (found.policy, found.reasons) == ("r1", ("first",))
    found = judge(policy({"verdict": "allow"}, {"verdict": "allow", "if": FAILING}))
    assert (found.verdict, found.policy) == ("ask", "r1")
    assert "cannot be evaluated: there is no 'nothing'" in found.reasons[0]


@pytest.mark.parametrize("verdict", ["allow", "ask", "deny"])
@pytest.mark.parametrize(
    "failing",
    [FAILING, "facts.total.value > 5", "int(value) == 5", "screen.texts[99] == ''", "9223372036854775807 + size(value) > 0"],
)
def test_whatever_goes_wrong_in_a_condition_never_allows(verdict: str, failing: str) -> None:
    assert judge(policy({"verdict": verdict, "if": failing})).verdict == ("deny" if verdict == "deny" else "ask")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), anything, max_size=4), st.text(), st.text())
def test_no_argument_and_no_text_of_a_screen_makes_a_failing_rule_allow_or_the_review_fail(
    arguments: dict[str, Any], name: str, value: str
) -> None:
    at = GUIElement(element_id="to", text=name, role="textbox", value=value, app="mail")
    state = VisualState(elements=(at,), app="mail")
    call = CallApi(app="mail", function="look_up", arguments=arguments)
    every = "size(action.parameters) >= 0 && size(value) >= 0 && provenance.source != '?' && size(screen.texts) >= 0"
    whole = policy({"verdict": "deny", "if": every}, {"verdict": "allow", "if": f"!({every})"})
    assert review(call, at, state, whole).verdict in {"ask", "deny"}


def test_arguments_that_are_too_deep_or_too_many_are_cut_or_asked_about_and_crash_nothing() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = {"a": deep}
    call = CallApi(app="mail", function="look_up", arguments={"deep": deep, "big": 2**80})
    assert (
        review(call, None, SCREEN, policy({"verdict": "deny", "if": "has(action.parameters.arguments.deep)"})).verdict == "deny"
    )
    many = CallApi(app="mail", function="look_up", arguments={f"k{n}": f"v{n}" for n in range(200)})
    found = review(many, None, SCREEN, policy({"verdict": "allow", "if": "value != ''"}))
    assert found.verdict == "ask"
    assert "values" in found.reasons[0]


def call(*to: str) -> CallApi:
    return CallApi(app="mail", function="look_up", arguments={"to": list(to)})


@pytest.mark.parametrize(
    ("evil", "good"),
    [({"if": "value.endsWith('evil.example')"}, {"if": "!value.endsWith('evil.example')"}),
     ({"values": ["*@evil.example"]}, {"values": ["to", "*@good.example"]})],
)  # fmt: skip
def test_to_be_allowed_every_value_has_to_fit_and_to_be_asked_about_or_denied_one_is_enough(evil, good) -> None:
    mixed, clean = call("a@good.example", "eve@evil.example"), call("a@good.example", "b@good.example")
    allowing = policy({"verdict": "allow", **good}, otherwise="ask")
    assert (judge(allowing, clean, None).verdict, judge(allowing, mixed, None).verdict) == ("allow", "ask")
    for verdict in ("ask", "deny"):
        strict = policy({"verdict": verdict, **evil})
        assert (judge(strict, clean, None).verdict, judge(strict, mixed, None).verdict) == ("allow", verdict)


ALLOWING = st.fixed_dictionaries(
    {"verdict": st.just("allow"), "effects": st.sampled_from([(), ("actuate",)])},
    optional={"if": st.sampled_from(["true", "app == 'home'", FAILING])},
)


@given(st.lists(ALLOWING, max_size=2), st.sampled_from(["Unlock front door", "Turn on oven", "Frobnicate"]))
def test_no_policy_lets_an_actuator_be_operated_without_a_person(ruled: list[dict[str, Any]], name: str) -> None:
    lock = GUIElement(element_id="l", text=name, role="button", app="home", actuator=name == "Frobnicate")
    state = VisualState(elements=(lock,), app="home")
    rules = policy(*ruled, min_confidence=0.0)
    found = review(Click(target=ActionTarget(element_id="l")), lock, state, rules, grounds=GROUNDS)
    assert (found.verdict, found.severity) == ("ask", "high")
    assert found.policy == "actuators_need_a_person" or FAILING in str(ruled)
    assert review(CallApi(app="home", function="unlock_door"), None, state, rules, grounds=GROUNDS).verdict == "ask"


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("screen.texts.exists(app, app == 'x')", ""),  # a name of its own for what it goes through
        ("value == 'action.verbb'", ""),  # what stands in quotes is a text
        ("value.contains('.all(') && screen.texts.all(a, screen.texts.exists(b, a == b))", ""),
        ("has(action.parameters.arguments) && action.parameters.arguments.amount > 5", ""),
        ("app ==", "Syntax error"),
        ("aap == 'mail'", "it uses unknown names (aap)"),
        ("action.verbb == 'click'", "action has no 'verbb'; it has verb, effect"),
        ("world.apps.mail == 1", "it uses unknown names (world)"),
        ("startswith(value, 'x')", "there is no function startswith()"),
        ("lists.range(1000000000).all(n, true)", "there is no function range()"),
        ("value > 5", "No such overload"),
        ("value", "neither true nor false"),
        ("size(value)", "neither true nor false"),
        ("'x' + " * 900 + "'x' == value", "longer than 4,000 characters"),
        ("screen.texts.all(a, screen.texts.all(b, screen.texts.all(c, a == b)))", "more than 2 loops"),
        ("(" * 300 + "true" + ")" * 300, "Recursion limit"),
    ],
    ids=lambda text: text[:30],
)
def test_a_condition_that_can_never_be_evaluated_is_refused_and_one_that_may_hold_is_not(condition: str, said: str) -> None:
    assert said in problem_with(condition)
    if not said:
        assert policy({"verdict": "deny", "if": condition})
        return
    with pytest.raises(ValidationError):
        policy({"verdict": "deny", "if": condition})


def test_a_mistake_is_refused_and_never_read_as_a_looser_policy() -> None:
    with pytest.raises(ValidationError, match="there is no verb 'clik'"):
        policy({"verdict": "deny", "verbs": ["clik"]})
    named = {"name": "x", "verdict": "deny"}
    for wrong in ({"allowed": ["mail"]}, {"min_confidence": 2}, {"rules": [{**named, "effects": ["explode"]}]},
                  {"rules": [{**named, "aps": ["mail"]}]}, {"rules": [{**named, "name": ""}]}):  # fmt: skip
        with pytest.raises(ValidationError):
            SafetyPolicy.model_validate(wrong)
    assert policy({"verdict": "deny", "verbs": ["x-mine.dance"]})


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
    away = Navigate(url="https://good.example/")
    assert judged({"blocked_domains": "evil.example"}, away, at="https://evil.example/form").verdict == "allow", "it may be left"


@pytest.mark.parametrize(
    ("level", "writing", "deleting"),
    [("read-only", "deny", "deny"), ("ask-all", "ask", "ask"), ("ask-sensitive", "allow", "ask")],
)
def test_maximum_autonomy_narrows_a_policy_that_allows_everything(level: str, writing: str, deleting: str) -> None:
    free = SafetyPolicy.model_validate({"rules": [], "otherwise": "allow"}).constrained({"maximum_autonomy": level})
    seen = VisualState(elements=(BOX, DELETE), app="mail")
    assert review(WRITE, BOX, seen, free).verdict == writing
    assert review(Click(target=ActionTarget(element_id="del")), DELETE, seen, free).verdict == deleting


def test_what_changes_something_has_to_lie_within_the_scope_and_outputs_are_required_of_the_answer_and_the_facts() -> None:
    assert judged({"scope": "app == 'mail'"}, WRITE, BOX).verdict == "allow"
    found = judged({"scope": ["app == 'mail'", "value != 'Hello'"]}, WRITE, BOX)
    assert (found.verdict, found.policy) == ("deny", "scope")
    assert "out of scope" in found.reasons[0]
    untold = {"scope": "facts.nobody.value == 'x'"}
    assert judged(untold, WRITE, BOX).verdict == "deny", "what cannot be told lies outside"
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


TEN = SafetyPolicy(approval_seconds=10.0)


def moment(at: float, up: float = 0.0, boot: str = "b") -> Moment:
    return Moment(at=at, up=up, boot=boot)


@pytest.mark.parametrize(
    ("then", "now", "age"),
    [
        (moment(100, 5), moment(107, 12), 7),
        (moment(100, 5), moment(90, 25), 20),  # the time of day was set back
        (moment(100, 5), moment(101, 25), 20),  # a little only
        (moment(100, 5), moment(150, 12), 50),  # or forward: then it is as old as it may be
        (moment(100, 5), moment(107, 2, "c"), 7),  # the machine was started anew
        (moment(100, 5), moment(90, 2, "c"), inf),  # and its clock is wrong
        (moment(100, 5), moment(90, 2), inf),  # an uptime that ran backwards is none
        (moment(100, 0, ""), moment(107, 0, ""), 7),
    ],
)
def test_the_longest_time_that_a_clock_can_tell_counts(then: Moment, now: Moment, age: float) -> None:
    assert then.age(now) == age


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6), st.floats(-1e6, 1e6))
def test_setting_the_clock_back_never_makes_anything_younger_than_the_uptime_says(
    at: float, up: float, passed: float, shift: float
) -> None:
    age = moment(at, up).age(moment(at + passed + shift, up + passed))
    assert age >= (up + passed) - up


def test_what_is_older_than_the_policy_allows_or_has_no_moment_that_can_be_read_is_overdue_and_says_so() -> None:
    asked = moment(100, 5).model_dump(mode="json")
    assert not overdue(TEN, asked, moment(110, 15))
    assert overdue(TEN, asked, moment(111, 16)) == "it is 11 s old, and is good for 10 s (approval_seconds of the safety policy)"
    assert "of an unknown age" in overdue(TEN, asked, moment(90, 0, "c"))
    assert not overdue(SafetyPolicy(approval_seconds=None), asked, moment(1e9))
    for nonsense in (None, {}, "yesterday", {"at": "x"}, {"at": 100, "up": -5.0}, {"at": 105, "who": "me"}, 105):
        assert overdue(TEN, nonsense, moment(105, 10))


def test_the_uptime_of_this_machine_runs_on_and_is_of_one_start() -> None:
    one, other = uptime(), uptime()
    assert one.boot == other.boot != ""
    assert one.seconds <= other.seconds
    assert Moment.now(lambda: 5.0, lambda: Uptime("x", 3.0)) == Moment(at=5.0, boot="x", up=3.0)
