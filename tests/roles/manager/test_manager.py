"""A model's plan is a DAG over applications that there are, or it is asked for again."""

from typing import Any

import pytest
from models import APPS, asker, fact, prompts_of, saying, section, text_of

from environments.cards import AppCard, FieldCard, KindCard, VerbCard
from protocol.prompt_form import estimate_tokens
from roles.analyst.rules import RulesAnalyst
from roles.contracts import AnalystRequest, EffectSeen, FactKnown, FieldHas, PlanAnswer, PlanRequest, ScriptRequest, Subtask
from roles.contracts.signals import SubtaskStatus
from roles.contracts.wording import in_words
from roles.manager.llm import LlmManager
from roles.policies.fallback import GaveUp
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.subtask_words import cards_told, facts_told
from roles.technician.rules import RulesTechnician

LETTER = ("Dear Dana, the cables are laid. " * 20).strip()


def subtask(name: str, app: str = "mail", *after: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "title": name, "instruction": f"do {name}", "app": app, "depends_on": list(after), **more}


def planned(*subtasks: dict[str, Any]) -> dict[str, Any]:
    return {"reason": "r", "outcome": "planned", "subtasks": list(subtasks)}


def plan(*replies: Any, **changes: Any) -> PlanAnswer:
    request = PlanRequest.model_validate({"goal": "claim it", "apps": APPS, **changes})
    return LlmManager(asker(saying(*replies)), load_prompt("manager")).plan(request)


GOOD = planned(subtask("a"), subtask("b", "claims", "a"))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (planned(subtask("a", "mail", "a")), "wait for each other: a -> a"),
        (planned(subtask("a", "mail", "c"), subtask("b", "mail", "a"), subtask("c", "mail", "b")), "each other: a -> c -> b"),
        (planned(subtask("a", "mail", "nobody")), "'a' depends on 'nobody', which is not in the plan"),
        (planned(subtask("a", "browser")), "wants the application 'browser'; there are claims, mail"),
        (planned(subtask("a"), subtask("a")), "'a' is used twice"),
        (planned(), "no subtask that is still to be done"),
        (planned(subtask("a", worker="wizard")), "worker"),
        (planned(subtask("a", worker="technician")), "there is no worker 'technician'; there are operator"),
        (planned({"id": "a", "app": "mail"}), "'a' has no instruction"),
        ({"reason": "r", "outcome": "planned", "subtasks": "do it"}, "list of objects"),
        ({"reason": "r", "outcome": "perhaps", "subtasks": []}, "outcome"),
        ({"reason": "r", "outcome": "supplement_needed", "subtasks": []}, "needs a query"),
        (planned(*[subtask(f"s{n}") for n in range(50)]), "40 are the most"),
        (planned(subtask("a b/c")), "id"),
        (planned(subtask("a", expect=[{"kind": "luck"}])), "no kind 'luck'; it is one of fact_known"),
        (planned(subtask("a", expect=[{"kind": "field_has", "label": "Amount"}])), "needs the value, or the fact"),
        (planned(subtask("a", expect=[{"kind": "effect_seen"}])), "verb"),
        (planned(subtask("a", expect="saved")), "list of objects"),
    ],
)
def test_a_plan_that_cannot_be_worked_is_asked_for_again_with_the_reason(bad: dict[str, Any], why: str) -> None:
    assert [s.id for s in plan(bad, GOOD).subtasks] == ["a", "b"]
    with pytest.raises(GaveUp, match=why) as said:
        plan(bad)
    assert "\n" not in str(said.value)


def test_what_is_fulfilled_is_kept_and_statuses_are_not_the_models_to_give() -> None:
    done = Subtask(id="a", title="a", instruction="find it", app="mail", status=SubtaskStatus.FULFILLED)
    failed = Subtask(id="b", title="b", instruction="enter it", app="claims", status=SubtaskStatus.REJECTED)
    reply = planned(
        subtask("a", instruction="something else"), subtask("b", "claims", "a", status="fulfilled"), subtask("c", "mail", "b")
    )
    answer = plan(reply, plan=(done, failed), failed="b", attempts=2)
    assert [(s.id, s.status, s.depends_on) for s in answer.subtasks] == [
        ("a", SubtaskStatus.FULFILLED, ()),
        ("b-2", SubtaskStatus.READY, ("a",)),
        ("c", SubtaskStatus.READY, ("b-2",)),
    ]
    assert answer.subtasks[0].instruction == "find it"


def test_what_is_kept_is_named_by_its_id_alone() -> None:
    done = Subtask(id="a", title="a", instruction="find it", app="mail", status=SubtaskStatus.FULFILLED)
    waits = Subtask(
        id="b", title="b", instruction="enter " * 500, app="claims", depends_on=("a",), expect=(EffectSeen(verb="save"),)
    )
    answer = plan(planned({"id": "a"}, {"id": "b"}, subtask("c", "mail", "b")), plan=(done, waits), attempts=2)
    assert answer.subtasks[:2] == (done, waits)
    failed = waits.model_copy(update={"status": SubtaskStatus.REJECTED})
    with pytest.raises(GaveUp, match="'b' has no instruction"):
        plan(planned({"id": "b"}), plan=(done, failed), failed="b", attempts=2)
    part = plan(planned({"id": "a"}, {"id": "c", "instruction": "go on"}), plan=(done,), failed="a", attempts=2)
    assert [subtask.id for subtask in part.subtasks] == ["a", "c"], "the last subtask of a part is fulfilled and worked once"


def test_nothing_left_is_believed_only_when_nothing_is_left() -> None:
    reply = {"reason": "r", "outcome": "nothing_left", "subtasks": []}
    open_ = Subtask(id="a", title="a", instruction="find it")
    with pytest.raises(GaveUp, match="a is not fulfilled"):
        plan(reply, plan=(open_,))
    assert plan(reply, plan=(open_.model_copy(update={"status": SubtaskStatus.FULFILLED}),)).outcome == "nothing_left"


def test_what_was_seen_and_said_is_told_and_facts_that_are_too_long_share_the_room() -> None:
    model, heard = prompts_of(lambda _: GOOD)
    request = PlanRequest(
        goal="claim it", apps=APPS, trigger="gate_fail", failed="b", evidence=("the amount is wrong",),
        facts=(fact("total", "7"), fact("letter", LETTER)), user_words=("use the other form",), refused=("delete it",),
        nearly_spent=("96 of 120 steps used (limits.steps)",),
    )  # fmt: skip
    LlmManager(asker(model), load_prompt("manager")).plan(request)
    text = text_of(heard[0])
    assert "Why you are asked: gate_fail, about the subtask b" in text
    assert "Little is left to work with: 96 of 120 steps used (limits.steps)" in text
    for name, words in {
        "evidence": "the amount is wrong", "facts": "total = 7", "user_words": "use the other form", "refused": "delete it"
    }.items():  # fmt: skip
        assert words in section(text, name)
    assert f"letter = {LETTER}" in section(text, "facts"), "whole, where there is room"
    assert "the last subtask replies to the user with `answer`" in text
    told = facts_told(PlanRequest(goal="g", facts=(fact("short", "7"), *(fact(f"long {n}", LETTER * 9) for n in range(3)))))
    assert "short = 7" in told
    assert told.count(" more)") == 3
    assert told.endswith("(a worker has all of one that is cut where its instruction says fact:NAME)")


def test_a_plan_says_what_a_gate_looks_for_and_stray_fields_say_nothing() -> None:
    expect = [
        {"kind": "fact_known", "name": "total", "label": "", "verb": "save"},
        {"kind": "field_has", "label": "Amount", "fact": "total", "value": ""},
        {"kind": "effect_seen", "verb": "submit", "text": "ignored"},
    ]
    (found,) = plan(planned(subtask("a", expect=expect))).subtasks
    assert found.expect == (FactKnown(name="total"), FieldHas(label="Amount", fact="total"), EffectSeen(verb="submit"))


CARDS = (
    AppCard(
        app="claims", title="Claims",
        kinds=(
            KindCard(
                kind="claim", fields=(FieldCard(label="Amount"), FieldCard(label="Status", options=("Open", "Paid"))),
                verbs=(VerbCard(verb="withdraw", control="Withdraw"),), create=VerbCard(verb="create", control="New claim"),
            ),
        ),
    ),
)  # fmt: skip


def test_what_the_applications_hold_is_told_as_data_within_bounds() -> None:
    model, heard = prompts_of(lambda _: GOOD)
    request = PlanRequest(goal="claim it", apps=APPS, cards=CARDS)
    LlmManager(asker(model), load_prompt("manager")).plan(request)
    text = text_of(heard[0])
    assert section(text, "holds") == "claims: claim: Amount, Status (Open | Paid); create, withdraw"
    assert '"steps"' not in text
    many = [CARDS[0].model_copy(update={"app": f"app{n}"}) for n in range(60)]
    assert cards_told(many, 100_000).count("\n") == 59
    assert "Amount" not in cards_told(many, 400)
    assert cards_told(many, 400).endswith("(fields and choices are left out)")
    assert "characters shown)" in cards_told(many * 9, 400)
    assert estimate_tokens(cards_told(many, 400)) <= 400
    status = FieldCard(label="Status", options=tuple(f"s{n}" for n in range(11)))
    kind = CARDS[0].kinds[0].model_copy(update={"fields": (status,)})
    assert "s6 | s7 | and 3 more)" in cards_told([CARDS[0].model_copy(update={"kinds": (kind,)})])


STEPS = [{"press": {"app": "claims", "kind": "claim", "where": {"Amount": "7"}, "verb": "withdraw"}}]


def typed(*replies: dict[str, Any]) -> PlanAnswer:
    request = PlanRequest(goal="claim it", apps=APPS, cards=CARDS)
    return LlmManager(asker(saying(*replies)), load_prompt("manager"), typed=True).plan(request)


def test_a_subtask_may_say_its_steps_as_data() -> None:
    (found,) = typed(planned(subtask("a", "claims", steps=STEPS))).subtasks
    assert [step.skill for step in found.steps] == ["press"]
    assert in_words(found.steps) == 'Press "withdraw" for the claim where Amount is "7".'


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (subtask("a", "claims", steps=[{"dance": {}}]), "its steps cannot be read"),
        (subtask("a", "mail", steps=STEPS), "its worker cannot do 'press' there"),
        (subtask("a", "claims", steps=[{"find": {"app": "claims", "kind": "boat"}}]), "claims holds no 'boat'; there are claim"),
        (subtask("a", "claims", steps=[{"compute": {"formula": "1", "name": "one"}}]), "its worker cannot do 'compute' there"),
    ],
)
def test_steps_that_cannot_be_worked_are_asked_for_again_with_the_reason(bad: dict[str, Any], why: str) -> None:
    assert not typed(planned(bad), GOOD).subtasks[0].steps
    with pytest.raises(GaveUp, match=why):
        typed(planned(bad))


def test_what_is_told_of_workers_without_a_model_is_what_they_can_do() -> None:
    model, heard = prompts_of(lambda _: GOOD)
    workers = ("operator", "technician", "analyst")
    manager = LlmManager(asker(model), load_prompt("manager"), workers=workers, by_rules=workers[1:])
    manager.plan(PlanRequest(goal="claim it", apps=APPS))
    code, formula = "Run ```python (a line break) CODE ```; no more", 'Compute fact "a" + fact "b" as "sum"'
    assert code in text_of(heard[0])
    assert formula in text_of(heard[0])

    def script(words: str) -> str:
        subtask = Subtask(id="a", title="a", instruction=words, worker="technician")
        return RulesTechnician().write(ScriptRequest(goal="g", subtask=subtask)).outcome

    assert [script("Run ```python\nprint(1)\n```"), script("Count the lines of a.txt")] == ["run", "cannot"]
    compute = Subtask(id="a", title="a", instruction=formula, worker="analyst")
    answer = RulesAnalyst().answer(AnalystRequest(goal="g", subtask=compute, facts=(fact("a", "1"), fact("b", "2"))))
    assert [(result.name, result.value) for result in answer.results] == [("sum", "3")]
