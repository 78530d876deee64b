"""Runs in which a scripted model decides for Manager, Operator and Evaluator."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from brain import brain
from langchain_core.messages import BaseMessage

from orchestrator.crew import Crew
from orchestrator.runs.outcome import Outcome
from orchestrator.tasks.tasks import resolve_target
from roles.policies.scripted_model import ScriptedChatModel

ROLES = ("manager", "operator", "evaluator")
Answer = Callable[[Sequence[BaseMessage]], Any]


def model_crew(folder: Path, answer: Answer = brain, *more: str, **model: Any) -> Crew:
    chosen = [f"crew.{role}.policy=llm" for role in ROLES]
    given = [*chosen, "crew.model=given", "retries.wait=0.001", f"runs_dir={folder}", *more]
    return Crew.from_config(overrides=given, model=ScriptedChatModel(answer=answer, **model))


def worked_by_model(folder: Path, answer: Answer = brain, *more: str, **model: Any) -> Outcome:
    """A shipped task of two apps."""
    return model_crew(folder, answer, *more, **model).run(resolve_target("total-into-a-note"))
