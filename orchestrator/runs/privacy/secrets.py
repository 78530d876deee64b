"""What is private in a run: values that a person gives or writes are held by the run's vault until the run has ended."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from getpass import getpass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import read_run
from orchestrator.settings.settings import Settings, load_safety
from orchestrator.store.printable import write_json
from orchestrator.tasks.changes import filled_text
from orchestrator.tasks.plans import PlanFile
from orchestrator.tasks.tasks import Task
from protocol import JsonObject, VisualState
from roles.contracts import Subtask
from roles.contracts.requests import NamedAction, QuestionRequest, Request, screen_of
from roles.journal.journal import Journal
from roles.manager.plans import WORK_PLAN
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import FILE, SecretTaken, Vault, reference

VARIABLE = "DESKCREW_SECRET_"
"""What the environment variable of a private value begins with; its name follows in capital letters."""
BEGINNING = "world.initial.json"
"""The true world as it began and the task's slots, for the harness's judge: it belongs to the world's own files."""


def variable_of(name: str) -> str:
    return f"{VARIABLE}{name.upper()}"


def give(journal: Journal, values: Mapping[str, str]) -> None:
    """Bind names to the values that a person gave for this run. Raises UsageProblem."""
    for name, value in values.items():
        try:
            redactor_of(journal).vault.give(name, value)
        except SecretTaken as bad:
            raise UsageProblem(f"--secret {name[:60]}: {bad}.") from None


def redactor_of(journal: Journal) -> Redactor:
    assert journal.redactor is not None, "a run's journal has one"  # noqa: S101 - an invariant
    return journal.redactor


def give_named(journal: Journal, task: Task) -> None:
    """What the task says that its user gives, from the environment's variables. Raises UsageProblem for what is missing."""
    known = redactor_of(journal).vault.names
    for name in task.secrets:
        if name in known:
            continue
        if (value := os.environ.get(variable_of(name))) is None:
            raise UsageProblem(
                f"Task {task.id} needs the private value {name}: give it with --secret {name}, or as {variable_of(name)}."
            )
        give(journal, {name: value})


def named(journal: Journal) -> dict[str, str]:
    """What `{name}` in a goal stands for: the references of the values that are known."""
    return {name: reference(name) for name in redactor_of(journal).vault.names}


def goal_without(goal: str, journal: Journal, first: VisualState) -> str:
    """The goal with references in place of what is private in it, as the policy and the fields of the first screen name it."""
    redactor = redactor_of(journal)
    return redactor.said(
        _filled(goal, redactor), *(e.name for e in first.elements if e.private and e.name and e.role in {"textbox", "combobox"})
    )


def _filled(text: str, redactor: Redactor) -> str:
    """What a person says, with references in place of the `{name}`s of private values."""
    for name in redactor.vault.names:
        text = text.replace("{" + name + "}", reference(name))
    return text


def task_without(task: Task, slots: Mapping[str, Any], journal: Journal) -> JsonObject:
    """The task as it is written down: what its user answers to private questions is referred to, and so is all that is known."""
    for word, said in task.user.items():
        journal.answer(word, filled_text(said, slots), "")
    body: JsonObject = journal.masked(task.model_dump(mode="json", by_alias=True))
    return body


def plan_without(plan: PlanFile, journal: Journal) -> tuple[Subtask, ...]:
    """The subtasks of a plan that a person wrote, with references."""
    bodies = _told([subtask.model_dump(mode="json") for subtask in plan.subtasks], redactor_of(journal))
    return tuple(Subtask.model_validate(body) for body in bodies)


def _told(body: Any, redactor: Redactor) -> Any:
    """JSON that a person wrote, with references: what is recognised in one place is known in all others."""
    return redactor.body(redactor.told(body))


def answer_without(answer: Mapping[str, Any], request: Request, journal: Journal) -> JsonObject:
    """A person's answer with references, before anything of it is written down."""
    seen = journal.screens.get(screen_of(request))
    return _answer_without(answer, request, redactor_of(journal), seen)


def answer_to(folder: Path, answer: Mapping[str, Any], request: Request, seen: VisualState | None) -> JsonObject:
    """The same from outside of the run's process; `seen` is the screen that the request speaks of."""
    return _answer_without(answer, request, _redactor_at(folder), seen)


def _answer_without(answer: Mapping[str, Any], request: Request, redactor: Redactor, seen: VisualState | None) -> JsonObject:
    decision = dict(answer["decisions"][0])
    message = _filled(str(decision.get("message") or ""), redactor)
    if isinstance(request, QuestionRequest) and message:
        asked = request.about.args
        decision["message"] = redactor.answer(str(asked.get("question", "")), message, str(asked.get("name") or ""))
    elif message:
        decision["message"] = redactor.said(message)
    if isinstance(edited := decision.get("edited_action"), Mapping):
        decision["edited_action"] = _edit_without(edited, redactor, seen or VisualState())
    return {**answer, "decisions": [decision]}


def _edit_without(edited: Mapping[str, Any], redactor: Redactor, seen: VisualState) -> JsonObject:
    if edited.get("name") == WORK_PLAN:
        return {**edited, "args": _told(edited.get("args"), redactor)}
    try:
        action = NamedAction.model_validate(edited).action()
    except ValidationError:
        return {**edited, "args": _told(edited.get("args"), redactor)}  # the crew refuses it, in words
    dump = redactor.action(action, seen).dump()
    return {"name": dump.pop("action_type"), "args": dump}


def said_to(folder: Path, words: str) -> str:
    """What a person says to a run from outside of its process, with references that the run's vault knows."""
    return _redactor_at(folder).said(words)


def _redactor_at(folder: Path) -> Redactor:
    """What keeps private values out of what is written to a run from outside of its process."""
    try:
        settings = Settings.model_validate(read_run(folder)["settings"])
    except ValidationError:
        settings = Settings()
    policy = SafetyPolicy.model_validate(load_safety(settings.safety))
    return Redactor(policy, Vault(folder / FILE))


def keep_beginning(folder: Path, slots: Mapping[str, Any], initial: Mapping[str, Any]) -> None:
    """Write down how the world began, beside the world: only the harness reads it."""
    path = folder / BEGINNING
    path.touch(mode=0o600)
    write_json(path, {"slots": slots, "initial": initial}, mode=0o600, indent=None)


def beginning(folder: Path) -> tuple[JsonObject, JsonObject]:
    """The slots and the initial world. Raises UsageProblem where they cannot be read."""
    path = folder / BEGINNING
    try:
        body = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        return dict(body["slots"]), dict(body["initial"])
    except (OSError, ValueError, KeyError, TypeError) as bad:
        raise UsageProblem(f"{path} cannot be read ({bad}); the initial state of the task is unknown.") from None


def asked_for(names: Iterable[str]) -> dict[str, str]:
    """The values of these names: from the environment's variables, else from the terminal, without echo. Raises UsageProblem."""
    return {name: _asked(name) for name in dict.fromkeys(names)}


def _asked(name: str) -> str:
    if "=" in name or not name.replace("_", "a").isalnum() or name != name.lower():
        raise UsageProblem(
            f"--secret {name.partition('=')[0][:40]}: give a name only (small letters, digits and _), never the value; "
            "it is read from the terminal or from an environment variable."
        )
    if (value := os.environ.get(variable_of(name))) is not None:
        return value
    if not sys.stdin.isatty():
        raise UsageProblem(f"--secret {name}: there is no terminal to type it on; set {variable_of(name)} instead.")
    return getpass(f"{name} (not shown): ")
