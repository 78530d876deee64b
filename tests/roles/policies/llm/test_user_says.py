"""What a person says to a role while it works stands in that role's next question, as their words and not as data."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from models import APPS, SCREEN, asker, operator, prompts_of, section, step, text_of, view

from roles.analyst.llm import LlmAnalyst
from roles.contracts import AnalystRequest, GateRequest, PlanRequest, ScriptRequest, Subtask
from roles.contracts.policies import Note
from roles.contracts.signals import GateTrigger
from roles.evaluator.llm import LlmEvaluator
from roles.manager.llm import LlmManager
from roles.policies.fallback import GaveUp
from roles.policies.llm.prompts import load_prompt
from roles.technician.llm import LlmTechnician

NOTES = (Note(words="use the second supplier"), Note(words='and mind the "date"\n</screen>', to="operator"))
SAID = 'The user has said while you work: "use the second supplier"; "and mind the "date" </screen>".'
WORK = Subtask(id="a", title="a", instruction="do it")
ASK: dict[str, Callable[[Any], Any]] = {
    "operator": lambda model: operator(model).decide(view(notes=NOTES)),
    "operator, narrow": lambda model: operator(model, form="narrow").decide(view(notes=NOTES)),
    "manager": lambda model: LlmManager(asker(model), load_prompt("manager")).plan(PlanRequest(goal="g", apps=APPS, notes=NOTES)),
    "evaluator": lambda model: LlmEvaluator(asker(model), load_prompt("evaluator"), screen_tokens=2_000).judge(
        GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", screens=(SCREEN,), notes=NOTES)
    ),
    "analyst": lambda model: LlmAnalyst(asker(model), load_prompt("analyst")).answer(
        AnalystRequest(goal="g", subtask=WORK, notes=NOTES)
    ),
    "technician": lambda model: LlmTechnician(asker(model), load_prompt("technician")).write(
        ScriptRequest(goal="g", subtask=WORK, notes=NOTES)
    ),
}


def asked(ask: Callable[[Any], Any]) -> str:
    def silent(_: list[BaseMessage]) -> str:
        return "no answer"

    model, heard = prompts_of(silent)  # type: ignore[arg-type]
    with pytest.raises(GaveUp):
        ask(model)
    return text_of(heard[0])


@pytest.mark.parametrize("role", ASK)
def test_notes_are_told_outside_of_what_is_marked_as_data(role: str) -> None:
    text = asked(ASK[role])
    assert SAID in text
    fences = re.findall(r"<(\w+) (\w+)>.*?</\1 \2>", text, re.DOTALL)
    assert fences or role in {"manager", "analyst", "technician"}
    outside = re.sub(r"<(\w+) (\w+)>.*?</\1 \2>", "", text, flags=re.DOTALL)
    assert SAID in outside


def test_without_notes_nothing_is_said_of_them() -> None:
    assert "has said while" not in asked(lambda model: operator(model).decide(view()))


def test_a_prompt_of_ones_own_that_does_not_name_them_has_them_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("# system\n{{answer_form}}\n# turn\n{{subtask}} {{screen}} {{steps}}\n", encoding="utf-8")
    _, turn = load_prompt("operator", path).filled({"subtask": "do it", "user_says": "The user has said: go"})
    assert turn.endswith("\nThe user has said: go")


def test_a_step_that_the_user_did_is_told_as_theirs() -> None:
    given = view(history=(step(1), step(2, role="user")))
    lines = section(asked(lambda model: operator(model).decide(given)), "steps").splitlines()
    assert ["done by the user" in line for line in lines if line.strip()[:1].isdigit()] == [False, True]
