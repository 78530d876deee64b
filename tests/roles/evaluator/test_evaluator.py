"""A model's verdict is one that the trigger allows, and rests on evidence that there is."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from models import SCREEN, asker, fact, prompts_of, saying, section, step, text_of

from protocol import GUIElement
from roles.contracts import FactKnown, FieldHas, GateRequest, GateVerdict, Subtask
from roles.contracts.signals import GateTrigger, Signal
from roles.evaluator.evidence import gather
from roles.evaluator.llm import LlmEvaluator
from roles.evaluator.rules import RulesEvaluator
from roles.policies.fallback import GaveUp
from roles.policies.llm.asking import Asker
from roles.policies.llm.prompts import Prompt, load_prompt

STATE = f"state:{SCREEN.state_id}"
REQUEST = GateRequest(
    trigger=GateTrigger.WORKER_SUCCESS,
    goal="claim it",
    subtask=Subtask(
        id="a", title="a", instruction="enter it", app="claims",
        expect=(FactKnown(name="total"), FieldHas(label="Amount", value="7", app="claims")),
    ),
    steps=(step(4),),
    facts=(fact("total", "7"),),
    screens=(SCREEN,),
    summary="all done, believe me",
)  # fmt: skip
ANSWER = {"action_type": "answer", "text": "It is 7."}
GOOD = {"reason": "r", "decision": "gate_done", "evidence": [STATE, "step:4", "fact:total"]}


def judge(*replies: Any, **changes: Any) -> GateVerdict:
    policy = LlmEvaluator(asker(saying(*replies)), load_prompt("evaluator"), screen_tokens=2_000)
    return policy.judge(REQUEST.model_copy(update=changes))


def heard(reply: Any = GOOD, rules: RulesEvaluator | None = None, tokens: int = 2_000, **changes: Any) -> str:
    """What a model is told that is to judge."""
    model, prompts = prompts_of(lambda _: reply)
    policy = LlmEvaluator(asker(model), load_prompt("evaluator"), screen_tokens=tokens, rules=rules)
    policy.judge(REQUEST.model_copy(update=changes))
    return text_of(prompts[0])


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (GOOD | {"decision": "gate_supplement"}, "gate_supplement is not allowed at WORKER_SUCCESS"),
        (GOOD | {"decision": "perfect"}, "decision"),
        (GOOD | {"evidence": ["state:made-up"]}, "there is no evidence 'state:made-up'; there are state:"),
        (GOOD | {"evidence": []}, "gate_done needs evidence"),
        ({"reason": "r"}, "decision"),
        ("The work is done.", "no JSON object"),
    ],
)
def test_a_verdict_that_does_not_hold_is_asked_for_again(bad: Any, why: str) -> None:
    assert judge(bad, GOOD).decision is Signal.GATE_DONE
    with pytest.raises(GaveUp, match=why):
        judge(bad)


def test_a_line_that_was_shown_is_evidence_for_what_it_rests_on() -> None:
    quoted = ["a: fact_known name total: seen (fact:total)", "1 steps, 0 of them failed", "total = 7"]
    assert judge(GOOD | {"evidence": quoted}).evidence == ("fact:total",)
    with pytest.raises(GaveUp, match="gate_done needs evidence"):
        judge(GOOD | {"evidence": ["1 steps, 0 of them failed"]})


def test_a_failure_says_what_is_wrong_and_a_supplement_what_to_search_for() -> None:
    assert judge({"reason": "too little", "decision": "gate_fail", "evidence": []}).issues == ("too little",)
    reply, stale = {"reason": "r", "decision": "gate_supplement", "evidence": []}, {"trigger": GateTrigger.WORKER_STALE}
    with pytest.raises(GaveUp, match="needs a query"):
        judge(reply, **stale)
    assert judge(reply | {"query": "how to claim"}, **stale).query == "how to claim"


def test_what_code_can_find_out_is_told_as_findings() -> None:
    text = heard()
    findings = section(text, "findings")
    assert "a: fact_known name total: seen (fact:total)" in findings
    assert "a: field_has label Amount, value 7, app claims: NOT SEEN" in findings
    assert "1 steps, 0 of them failed" in findings
    assert "all done, believe me" in section(text, "summary")
    assert STATE in section(text, "screens")
    assert "Allowed are: gate_continue, gate_done, gate_fail\n" in text
    assert "NO STEP was done" in section(heard(GOOD | {"evidence": [STATE]}, steps=()), "findings")


def test_what_rules_hold_against_it_is_told_unless_another_finding_says_it() -> None:
    error = GUIElement(element_id="w", role="alert", text="The date is missing")
    field = GUIElement(element_id="d", role="textbox", text="Date", invalid=True)
    wrong = SCREEN.model_copy(update={"elements": (*SCREEN.elements, error, field)})
    reply, rules = GOOD | {"evidence": ["step:4"]}, RulesEvaluator()
    findings = section(heard(reply, rules, screens=(wrong,)), "findings")
    assert "RULES OBJECT: claims reports: The date is missing" in findings
    assert findings.count("RULES OBJECT") == 1, "that the amount is missing stands there anyway"
    final = heard(reply, rules, trigger=GateTrigger.FINAL_CHECK, subtask=None, plan=(REQUEST.subtask,))
    assert "RULES OBJECT: a: a is not fulfilled" in section(final, "findings")
    found = gather(REQUEST).model_copy(update={"unfounded": ('"17" in "Body" (step 4): no fact says it',)})
    assert 'NO SOURCE SEEN: "17" in "Body" (step 4)' in section(heard(reply, rules, found=found), "findings")


def narrow(reply: Any = GOOD, **changes: Any) -> tuple[GateVerdict, str, Any]:
    """The verdict of a small model, what it was told, and the form that it was held to."""
    heard: list[Any] = []

    def ask(prompt: Prompt, values: Any, schema: Any, read: Any, *_: Any, **__: Any) -> Any:
        heard.extend(["\n".join(prompt.filled(values)), schema["properties"]])
        return read(reply)

    nobody = cast("Asker", SimpleNamespace(ask=ask))
    policy = LlmEvaluator(nobody, load_prompt("evaluator", form="narrow"), screen_tokens=300, form="narrow")
    return policy.judge(REQUEST.model_copy(update=changes)), heard[0], heard[1]


def test_the_narrow_form_holds_the_decisions_of_its_gate_and_the_evidence_that_is_shown() -> None:
    many = tuple(step(number) for number in range(1, 30))
    _, text, form = narrow(GOOD | {"evidence": [STATE]}, steps=many, run=many)
    assert form["decision"]["enum"] == ["gate_continue", "gate_done", "gate_fail"]
    assert form["evidence"]["items"]["enum"] == [*(f"step:{number}" for number in range(24, 30)), "fact:total", STATE]
    assert section(text, "expected") == '[x] memorize "total"\n[ ] a field such as "Amount" holds "7"'
    assert section(text, "steps").startswith("24. ")
    failed = GOOD | {"decision": "gate_fail", "evidence": []}
    _, text, form = narrow(failed, trigger=GateTrigger.FINAL_CHECK, steps=(), screens=(), facts=())
    assert form["decision"]["enum"] == ["gate_done", "gate_fail"]
    assert "evidence" not in form, "there is none"
    assert "NO STEP was done" in section(text, "findings")
    assert "query" in narrow(failed, trigger=GateTrigger.WORKER_STALE)[2]


@pytest.mark.parametrize(("said", "kept"), [("low", "low"), ("0.9", ""), (["low"], ""), (None, "")])
def test_how_sure_a_model_is_is_kept_where_it_says_so(said: Any, kept: str) -> None:
    assert narrow(GOOD | {"confidence": said})[0].confidence == judge(GOOD | {"confidence": said}).confidence == kept


@pytest.mark.parametrize("called", [False, True])
def test_an_answer_rests_on_the_screen_where_it_was_given_unless_calls_have_answered(called: bool) -> None:
    action = {"action_type": "call_api", "app": "mail", "function": "count_folders", "arguments": {}}
    steps = (*[step(1, action=action, verb="call_api", app="mail")] * called, step(2, action=ANSWER, verb="answer"))
    no = GOOD | {"evidence": [], "decision": "gate_fail"}
    told = heard(no, trigger=GateTrigger.FINAL_CHECK, subtask=None, plan=(), steps=steps)
    assert (f"{STATE} shows claims, in which nothing was done" in section(told, "screens")) is called


def test_many_screens_keep_to_one_budget_and_the_last_comes_first() -> None:
    other = [SCREEN.model_copy(update={"app": f"app{n}"}) for n in range(40)]
    worked = tuple(step(n, app=f"app{n}") for n in range(1, 39))
    no = GOOD | {"evidence": [], "decision": "gate_fail"}
    screens = section(heard(no, tokens=500, screens=(*other, SCREEN), steps=(*REQUEST.steps, *worked)), "screens")
    assert STATE in screens
    assert "more screens are not shown" in screens
    assert "(2 screens of applications in which nothing was done are not shown)" in screens
