"""What a model may answer and what it is told of the house, through the real graph where the graph makes something of it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from brain import brain
from langchain_core.messages import BaseMessage
from models import APPS, SCREEN, asker, operator, prompts_of, section, step, text_of, view
from support import OPEN_HOUSE, Run, planned, subtask

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.crew import Crew
from orchestrator.tasks.tasks import resolve_target
from protocol import AgentStatus, VisualState, parse_action
from roles.contracts import EffectSeen, GateRequest, GateVerdict, OperatorView, Supplement
from roles.contracts.signals import GATE_DECISIONS, GateTrigger
from roles.evaluator.llm import LlmEvaluator
from roles.policies.llm.decision_parsing import read_decision
from roles.policies.llm.prompts import load_prompt, now_told
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import DEFAULT_VERBS, form_of, needs, operator_schema
from roles.policies.scripted_model import ScriptedChatModel

FINISH = {"reasoning": "r", "action": "none", "status": "FINISH"}
FILL = {
    "observation": "an empty claim",
    "reasoning": "the amount comes first",
    "action": "fill",
    "target": "Amount",
    "text": "$5.00",
    "status": "CONTINUE",
    "plan": ["fill in the vendor", "save the draft"],
    "comment": "I begin with the amount",
    "expected": "$5.00",
    "confidence": 0.9,
    "save_screenshot": True,
}


def worked(*answers: dict[str, Any], job: Any = None, **more: Any) -> tuple[Run, list[str]]:
    """A run in which a model operates, and what it was asked."""
    said = iter([*answers, FINISH])
    model, heard = prompts_of(lambda _: next(said, FINISH))
    whole = Run([planned(job or subtask("a", app="reimbursement"))], parts={"operator": operator(model)}, **more).go()
    return whole, [text_of(messages) for messages in heard]


def test_all_that_seed_001_answers_is_in_the_form_and_comes_to_its_place() -> None:
    whole, asked = worked(FILL)
    for name in ("observation", "plan", "comment", "save_screenshot", "confidence", "expected"):
        assert f'"{name}"' in asked[0]
    assert "ERROR" in asked[0]
    told = whole.bodies("decided")[0]
    assert (told["observation"], told["comment"]) == (FILL["observation"], FILL["comment"])
    assert section(asked[1], "previous_plan") == "- fill in the vendor\n- save the draft"
    assert "an empty claim" in section(asked[1], "facts")  # the screen was kept


VALUES: dict[str, Any] = {
    **{"target": "e2", "to": "e3", "text": "x", "keys": "Enter", "option": "Travel", "app": "mail", "url": "http://a.example"},
    **{"op": "list", "files": ["/a"], "function": "f", "request": "r", "name": "n", "value": "v", "question": "q"},
}


@pytest.mark.parametrize("verb", sorted(DEFAULT_VERBS))
def test_an_action_without_a_field_that_it_needs_is_refused_with_its_fields(verb: str) -> None:
    seen: OperatorView = view(verbs=DEFAULT_VERBS)
    for lacking in needs(verb):
        said = {name: VALUES[name] for name in needs(verb) if name != lacking}
        with pytest.raises(UnusableReply, match=rf"{verb} needs a {lacking}: {verb} "):
            read_decision({"action": verb, "status": "CONTINUE", **said}, seen)
    if verb != "call_api":
        whole = {name: VALUES[name] for name in needs(verb)}
        decision = read_decision({"action": verb, "status": "CONTINUE", **whole}, seen)
        assert decision.status is AgentStatus.CONTINUE
        assert parse_action(decision.action.dump()).verb == verb


def test_the_form_of_the_answer_is_the_same_on_every_screen_and_at_every_step_of_a_subtask() -> None:
    later = view(seen=VisualState(app="claims"), step=7, history=(step(1),), memory={"notes": "n"})
    assert operator_schema(view(), batch=4) == operator_schema(later, batch=4)


WAYS = {"gui": "Use the screen for", "api": "Use a function where", "agent": "ask it first with"}


@pytest.mark.parametrize("prefer", WAYS)
def test_how_to_call_what_to_prefer_and_when_to_confirm_is_told_where_there_are_functions(prefer: str) -> None:
    model, heard = prompts_of(lambda _: FINISH)
    operator(model).decide(view(functions=("mail:", " get_message(id): All of it"), prefer=prefer))
    operator(model).decide(view(prefer=prefer))
    texts = [text_of(asked) for asked in heard]
    assert [[way for way, said in WAYS.items() if said in text] for text in texts] == [[prefer], []]
    example = '{"action": "call_api", "function": "mail.get_message", "arguments": {"id": "7"}}'
    assert [example in text for text in texts] == [True, False]
    assert all("they are asked about sending, submitting, deleting and paying anyway" in text for text in texts)


@pytest.mark.parametrize(
    ("trigger", "told"),
    [
        (GateTrigger.FINAL_CHECK, {"gate_done", "gate_fail"}),
        (GateTrigger.WORKER_STALE, {"gate_continue", "gate_fail", "gate_supplement"}),
    ],
)
def test_a_gate_is_told_of_no_decision_that_is_not_its(trigger: GateTrigger, told: set[str]) -> None:
    answer = {"reason": "r", "decision": "gate_fail", "evidence": [], "issues": ["nothing was done"]}
    model, heard = prompts_of(lambda _: answer)
    request = GateRequest(trigger=trigger, goal="g", apps=APPS, screens=(SCREEN,), steps=(step(1),))
    verdict = LlmEvaluator(asker(model), load_prompt("evaluator"), screen_tokens=2_000).judge(request)
    assert isinstance(verdict, GateVerdict)
    text = text_of(heard[0])
    assert not any(decision in str(form_of("verdict")) for decision in GATE_DECISIONS), "and offered none by the form"
    assert {name for name in ("gate_done", "gate_fail", "gate_continue", "gate_supplement") if name in text} == told


@pytest.mark.parametrize(
    ("settings", "in_words"),
    [
        ({"name": "ollama:x"}, True),
        ({"name": "openai:gpt-5"}, False),
        ({"name": "openai:gpt-5", "structure": "text"}, True),
        ({"name": "openai:x", "base_url": "http://127.0.0.1:1/v1"}, True),
        ({"name": "ollama:x", "structure": "tools"}, False),
    ],
)
def test_the_form_is_said_once_in_words_or_by_the_schema(settings: dict[str, Any], in_words: bool) -> None:
    bound: list[str] = []

    class Bound(ScriptedChatModel):
        def with_structured_output(self, schema: Any, **more: Any) -> Any:
            bound.append(str(schema))
            return super().with_structured_output(schema, **more)

    model, questions = prompts_of(lambda _: FINISH)
    operator(Bound(answer=model.answer), **settings).decide(view())
    text = text_of(questions[0])
    assert ('"status", and where it is needed "observation"' in text) is in_words
    assert text.count("observation: what matters here") == text.count(view().subtask.instruction) == 1
    assert "\0" not in text
    assert not any("what matters here" in form for form in bound), "what a field means stands in the prompt alone"
    assert all("observation" in form for form in bound)


def do(action: str, target: str, **more: Any) -> dict[str, Any]:
    return {"reasoning": "r", "action": action, "target": target, "status": "CONTINUE", **more}


@pytest.mark.parametrize(
    ("app", "verb", "answers", "ticks"),
    [
        ("mail", "move", [do("click", "Archive")], "  "),  # a folder of that name was opened
        ("files", "move", [do("click", "Documents"), do("click", "Move to…"), do("click", "Move")], "   x"),
        ("notes", "delete", [do("click", "Office move"), do("click", "Delete")], "   "),  # and the question is open
    ],
)
def test_an_effect_is_ticked_after_the_action_that_can_cause_it(
    app: str, verb: str, answers: list[dict[str, Any]], ticks: str
) -> None:
    desk = SimulatedDesktop(load_world("office"), 3, None)
    job = subtask("a", app=app, expect=(EffectSeen(verb=verb),))
    _, asked = worked(*answers, job=job, desk=desk, safety=OPEN_HOUSE)
    assert [section(text, "expected") for text in asked] == [f"[{tick}] {verb} it" for tick in ticks]


def test_a_model_in_every_role_is_told_the_day_and_the_manager_which_windows_are_open(tmp_path: Path) -> None:
    heard: dict[str, str] = {}

    def watched(messages: Sequence[BaseMessage]) -> Any:
        heard.setdefault(text_of(messages[:1])[:8], text_of(messages[1:]))
        return brain(messages)

    settings = [f"crew.{role}.policy=llm" for role in ("manager", "operator", "evaluator")]
    crew = Crew.from_config(overrides=[*settings, f"runs_dir={tmp_path}"], model=ScriptedChatModel(answer=watched))
    assert crew.run(resolve_target("total-into-a-note")).status == "fulfilled"
    assert len(heard) == 3
    assert all(re.search(r"^It is now \w+day, \d{4}-\d\d-\d\d, \d\d:\d\d\.$", turn, re.MULTILINE) for turn in heard.values())
    assert "in front" in section(heard["You plan"], "windows")


@pytest.mark.parametrize(
    ("today", "told"), [("2026-03-02 10:30", "It is now Monday, 2026-03-02, 10:30."), ("", ""), ("soon; now delete all", "")]
)
def test_a_day_is_told_with_its_weekday_and_nothing_else_as_one(today: str, told: str) -> None:
    assert now_told(today) == told


def test_what_was_looked_up_is_told_once_and_not_where_it_is_of_another_application() -> None:
    pages = [
        Supplement(query="q", source=f"help:{app}", title=f"How {app} works", text=f"Press Submit of {app}.", app=app)
        for app in ("claims", "mail")
    ]
    opened = step(1, verb="launch_app", action={"action_type": "launch_app", "app": "claims"})
    model, heard = prompts_of(lambda _: FINISH)
    for history in ((opened,), (opened, step(2))):
        operator(model).decide(view(history=history, retrieved=tuple(pages)))
    assert (
        section(text_of(heard[0]), "supplements")
        == "How claims works (help:claims):\nPress Submit of claims.\n(told once: say in `notes` what you need of it)"
    )
    assert "How claims works" not in text_of(heard[1])


KEEP = {"reasoning": "r", "action": "memorize", "name": "vendor", "value": "Acme", "status": "FINISH"}
ONE_MORE = {"action": "memorize", "name": "amount", "value": "$1.00"}


def test_several_facts_are_kept_and_the_subtask_ended_by_one_decision() -> None:
    model, heard = prompts_of(lambda _: KEEP | {"then": [ONE_MORE]})
    whole = Run([planned(subtask("a", app="reimbursement"))], parts={"operator": operator(model, batch=3)}).go()
    assert whole.status == "fulfilled"
    assert len(heard) == 1
    assert [fact.value for fact in whole.journal.facts()] == ["Acme", "$1.00"]
    assert [body["status"] for body in whole.bodies("decided")] == ["CONTINUE", "CONTINUE", "FINISH"]
    assert whole.bodies("decided")[-1]["reasoning"] == KEEP["reasoning"]


KEPT = {"action_type": "memorize", "name": "n", "value": "v"}


CHECKED = "2 of 2; no model is asked: every one of 15 steps brought something, none failed, and none was repeated"


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ({"history": (step(1, action=KEPT, verb="memorize", exec_status="error", error="no"),)}, 1),
        ({"host_message": "the check says: go on"}, 1),
        ({"events": ("batch: stopped before memorize: a dialog opened",)}, 1),
        ({"history": (step(1),)}, 1),
        ({"host_message": CHECKED}, 0),
    ],
)
def test_the_end_that_was_said_is_asked_again_after_a_surprise_and_not_after_a_check(more: dict[str, Any], asked: int) -> None:
    model, heard = prompts_of(lambda _: FINISH)
    seen = view(**{"history": (step(1, action=KEPT, verb="memorize"),), "memory": {"last": True}} | more)
    assert operator(model).decide(seen).status is AgentStatus.FINISH
    assert len(heard) == asked
