"""Who decides is chosen by settings: each key makes its difference, and what cannot work is refused before the run."""

import base64
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from models import CLICK, prompts_of, text_of, view

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.crew import Crew
from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_context
from orchestrator.settings.policies import Deciders
from orchestrator.settings.settings import load_settings
from roles.analyst.llm import LlmAnalyst
from roles.contracts import GateRequest, PlanRequest
from roles.contracts.limits import Limits
from roles.contracts.signals import GateTrigger
from roles.journal.journal import Journal
from roles.operator.rules import RulesOperator
from roles.policies.fallback import AtTheEnd, Fallback
from roles.policies.scripted_model import ScriptedChatModel
from roles.technician.llm import LlmTechnician


def made(*overrides: str, role: str = "operator", **more: Any) -> Any:
    settings = load_settings(overrides=overrides).settings
    return Deciders(settings.crew, journal=Journal(None, time.time), limits=Limits(), **more).of(role)


@pytest.mark.parametrize(
    ("role", "overrides", "kind"),
    [
        ("operator", ["crew.operator.policy=rules"], RulesOperator),
        ("operator", ["crew.operator.policy=fallback"], Fallback),
        ("technician", ["crew.technician.policy=llm"], LlmTechnician),
        ("analyst", ["crew.analyst.policy=llm"], LlmAnalyst),
        ("evaluator", ["crew.evaluator.model={name: given, temperature: 0.5}", "crew.evaluator.final=llm"], AtTheEnd),
        ("evaluator", ["crew.evaluator.final={policy: fallback, chain: [rules, llm]}"], AtTheEnd),
    ],
)
def test_each_policy_has_its_name(role: str, overrides: list[str], kind: type) -> None:
    assert type(made(*overrides, role=role, model=prompts_of(lambda _: CLICK)[0])) is kind


def test_a_plan_of_a_model_is_told_the_workers_that_there_are_and_what_those_without_a_model_can_do() -> None:
    plan = {"reason": "r", "outcome": "planned", "subtasks": [{"id": "a", "instruction": "i", "app": "notes"}]}
    desk = SimulatedDesktop(parse_world("name: n\napps: {notes: {}, files: {}}\nopen: [notes]\n"), 0)
    told = []
    for others, environment in (("rules", desk), ("llm", desk), ("llm", None)):
        model, heard = prompts_of(lambda _: plan)
        settings = ["crew.manager.policy=llm", f"crew.technician.policy={others}", f"crew.analyst.policy={others}"]
        made(*settings, role="manager", model=model, environment=environment).plan(PlanRequest(goal="g"))
        told.append(text_of(heard[0]))
    assert all("analyst: computes" in text for text in told)
    assert ["technician: runs" in text for text in told] == [True, True, False], "only where there are files"
    assert "that its instruction gives whole and with nothing beside it" in told[0]
    assert 'as in: Compute fact "a" + fact "b" as "sum"' in told[0]
    assert "nothing beside it" not in told[1]


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        (["crew.operator.policy=llm"], r"crew\.operator\.model: an llm policy needs a model"),
        (["crew.operator.policy=llm", "crew.model=given"], r"crew\.(operator\.)?model: the model `given`"),
        (["crew.operator.policy=llm", "crew.model={name: scripted, script: none.yaml}"], r"none\.yaml"),
        (["crew.operator.policy=scripted"], r"crew\.operator\.script: a scripted policy needs the YAML file"),
        (["crew.analyst.policy=trusting"], r"the analyst has no policy 'trusting'"),
        (["crew.manager.batch=3"], r"crew\.manager\.batch: only the operator can have it; leave it out"),
        (["crew.evaluator.form=computer_use"], r"crew\.evaluator\.form: only the operator acts by a tool for computers"),
        (["crew.analyst.vision=true"], r"crew\.analyst\.vision: only the manager and the operator and the evaluator can have it"),
        (["crew.evaluator.vision=true"], r"crew\.evaluator\.vision: only a model sees pictures"),
        (["crew.evaluator.final={policy: rules, vision: true}"], r"crew\.evaluator\.final\.vision: only a model sees pictures"),
        (["crew.operator.chain=[{policy: llm, modle: given}, rules]"], r"chain\[0\]\.modle'; did you mean 'model'"),
        (["crew.operator.chain=[{model: {temprature: 1}}]"], r"unknown key '.*chain\[0\]\.model\.temprature'; did you mean"),
        (["crew.operator.chain=[{policy: rules, model: given}]"], r"chain\[0\]: only a member whose policy is llm has a model"),
        (["crew.operator.policy=fallback", "crew.operator.chain=[{model: given}, rules]"], r"operator\.chain\.model: the model"),
        (["crew.operator.policy=fallback", "crew.operator.chain=[{model: {temperature: 1}}, rules]"], "llm policy needs a model"),
        (["crew.model=wobble"], "a model is one of openai:NAME"),
        (["crew.operator.model=ollama:small"], r"crew\.operator: its model is never asked, since no policy of this role"),
        (
            ["crew.operator.policy=llm", "crew.model=given", "crew.operator.prompt=PROMPT"],
            r"no variable 'screan' .*did you mean 'screen'",
        ),
    ],
)
def test_what_cannot_work_is_refused_before_the_run(tmp_path: Path, overrides: list[str], why: str) -> None:
    prompt = tmp_path / "mine.md"
    prompt.write_text("# system\n{{answer_form}}\n# turn\n{{subtask}} {{screan}} {{steps}}\n", encoding="utf-8")
    said = [*(text.replace("PROMPT", str(prompt)) for text in overrides), f"runs_dir={tmp_path / 'runs'}"]
    with pytest.raises(UsageProblem, match=why):
        Crew.from_config(overrides=said).run("write a note")
    assert not list((tmp_path / "runs").glob("*"))


def test_a_config_file_names_its_files_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text(
        "# system\nAda {{answer_form}}\n# turn\n{{subtask}} {{screen}} {{steps}}\n", encoding="utf-8"
    )
    (tmp_path / "model.yaml").write_text("lines:\n- {answer: {reasoning: r, action: none, status: FINISH}}\n", encoding="utf-8")
    config = tmp_path / "crew.yaml"
    config.write_text(
        "crew:\n  operator: {policy: llm, prompt: mine.md, model: {name: scripted, script: model.yaml}}\n", encoding="utf-8"
    )
    settings = load_settings([config]).settings
    policy = Deciders(settings.crew, journal=Journal(None, time.time), limits=Limits()).of("operator")
    assert policy.decide(view()).status == "FINISH"
    assert "Ada" in settings.crew.operator.prompt.read_text()  # type: ignore[union-attr]


@contextmanager
def provider(said: dict[str, Any]) -> Iterator[list[tuple[str, float | None, str]]]:
    """A package of a provider whose models say what stands under their name; with whom was asked: model, temperature, prompt."""
    heard: list[tuple[str, float | None, str]] = []

    class Model(ScriptedChatModel):
        def __init__(self, model: str, temperature: float | None = None, **more: Any) -> None:
            def answer(messages: Any) -> Any:
                heard.append((model, temperature, text_of(messages)))
                return said[model]

            super().__init__(answer=answer)

    package = types.ModuleType("langchain_openai")
    package.ChatOpenAI = Model  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "langchain_openai", package)
        yield heard


ADA = "# system\nAda {{answer_form}}\n# turn\n{{subtask}} {{screen}} {{steps}}\n"
BIG = "{name: 'openai:big', base_url: 'http://127.0.0.1:2/v1'}"
END = {"reasoning": "r", "action": "none", "status": "FINISH"}
ROLES_MODEL = "crew.operator.model={name: 'openai:small', base_url: 'http://127.0.0.1:1/v1', temperature: 0}"


def test_a_chain_goes_on_with_another_model_and_prompt_where_the_first_gives_no_usable_answer(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text(ADA, encoding="utf-8")
    big = f"{{model: {BIG[:-1]}, temperature: 1}}, prompt: {tmp_path / 'mine.md'}}}"
    journal = Journal(None, time.time)
    with provider({"small": "no idea", "big": END}) as heard:
        told = [ROLES_MODEL, "crew.operator.policy=fallback", f"crew.operator.chain=[llm, {big}, rules]"]
        settings = load_settings(overrides=told).settings
        again = type(settings).model_validate_json(settings.model_dump_json())
        assert again == settings, "a resumed run has the same chain"
        assert Deciders(again.crew, journal=journal, limits=Limits()).of("operator").decide(view()).status == "FINISH"
    assert [(name, heat, "Ada" in prompt) for name, heat, prompt in heard] == [("small", 0.0, False)] * 3 + [("big", 1.0, True)]
    [event] = journal.events("policy")
    assert event.body["decided_by"] == "llm openai:big, temperature 1, mine.md"
    assert [passed.partition(":")[0] for passed in event.body["passed"]] == ["llm"]


def pictures_in(heard: list[Any]) -> list[str]:
    content = [message[1].content for message in heard]
    return [block["text"] for blocks in content if isinstance(blocks, list) for block in blocks[1:] if block["type"] == "text"]


def test_a_model_of_the_evaluator_sees_before_and_after_and_that_of_the_manager_sees_now(tmp_path: Path) -> None:
    judged, judging = prompts_of(lambda messages: {"reason": "r", "decision": "gate_fail", "issues": ["no"]})
    seeing = ["crew.evaluator.policy=llm", "crew.evaluator.vision=true", "crew.evaluator.pictures=[clean]", "limits.plans=1"]
    goal = 'Create a note titled "Milk" with the text "two bottles"'
    Crew.from_config(overrides=[*seeing, f"runs_dir={tmp_path}", "display=none"], model=judged).run(goal)
    before, now = (f"This picture shows {when}: the screen as it is." for when in ("before the work began", "now"))
    assert pictures_in(judging) == [before, now]
    planned, planning = prompts_of(lambda messages: {"outcome": "infeasible", "reason": "no"})
    seeing = ["crew.manager.policy=llm", "crew.manager.vision=true"]
    Crew.from_config(overrides=[*seeing, f"runs_dir={tmp_path}", "display=none"], model=planned).run(goal)
    assert pictures_in(planning) == ["This picture shows now: the same screen; each mark is the id of an element."]


def test_what_is_private_is_painted_over_for_the_evaluator_too(tmp_path: Path) -> None:
    """The picture that the model gets is without the words of the private field."""
    told = load_settings(overrides=["crew.evaluator.policy=llm", "crew.evaluator.vision=true", "crew.evaluator.pictures=[clean]"])
    model, heard = prompts_of(lambda messages: {"reason": "r", "decision": "gate_fail", "issues": ["no"]})
    bare = SimulatedDesktop(parse_world("name: n\napps: {settings: {}}\nopen: [settings]\n"), 0)
    context = build_context(told.settings, environment=bare, parts={"model": model})
    seen = context.environment.observe()
    context.gallery.keep(seen, "all")
    context.evaluator.judge(GateRequest(trigger=GateTrigger.WORKER_SUCCESS, goal="go", screens=(seen,)))
    shown = base64.b64decode(heard[0][1].content[2]["base64"])
    assert any(element.private for element in seen.elements)
    assert shown == context.environment.screenshot() != bare.screenshot()  # type: ignore[attr-defined]


def test_the_final_check_has_a_policy_of_its_own_and_the_journal_says_who_decided(tmp_path: Path) -> None:
    script = tmp_path / "no.yaml"
    script.write_text("verdicts: {FINAL_CHECK: [{decision: gate_fail, reason: not by me, issues: [not by me]}]}\n")
    own = [f"crew.evaluator.final={{policy: scripted, script: {script}}}", "limits.plans=1", f"runs_dir={tmp_path}"]
    outcome = Crew.from_config(overrides=own).run('Create a note titled "Milk" with the text "two bottles"')
    gates = [(gate["trigger"], gate["decision"], gate["reason"]) for gate in outcome.report["gates"]]
    assert ("FINAL_CHECK", "gate_fail", "not by me") in gates
    assert [gate[1] for gate in gates if gate[0] == "WORKER_SUCCESS"] == ["gate_done"]
    assert [one["decided_by"] for one in outcome.report["decided_by"]] == ["rules", "scripted"]
