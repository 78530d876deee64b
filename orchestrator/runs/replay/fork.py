"""A new run from a step of another one: what was done until then is done again, exactly, and then the crew goes on by itself."""

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from langgraph.graph import START

from orchestrator.core.controller import build_controller
from orchestrator.core.machine import Situation
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import find_run, read_run
from orchestrator.runs.privacy.trust import refuse_strange, signed
from orchestrator.runs.replay.courses import Enough
from orchestrator.runs.replay.recording import Recording, find_recording, first_difference, moments, recording_of
from orchestrator.runs.replay.replay import repeated
from orchestrator.settings.build import build_safety
from orchestrator.settings.layers import Document, Layer, override_layer
from orchestrator.settings.settings import Settings, load_settings
from orchestrator.store.checkpoints import CursorSaver
from orchestrator.store.printable import write_json
from orchestrator.tasks.tasks import fitting
from roles.contracts.signals import Signal, SubtaskStatus
from roles.journal.events import FeedbackEvent, ForkedEvent, RunStartedEvent, SituationEvent
from roles.journal.journal import Event, Journal
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import FILE as VAULT
from roles.safety.privacy.vault import Vault

_OF_THE_WORLD = ("environment", "world", "seed", "variation", "faults", "browser")
"""Settings that the steps before the fork depend on."""


def fork(
    run_id: str,
    at: int,
    *,
    runs_dir: Path,
    goal: str | None = None,
    config: Sequence[Path] = (),
    overrides: Sequence[str] = (),
    secrets: Mapping[str, str] | None = None,
) -> str:
    """Make the new run and return its id; `resume` goes on with it. The run it is from is only read. Raises UsageProblem."""
    folder = find_run(run_id, runs_dir)
    recording = find_recording(folder.name, runs_dir)
    if not 0 <= at <= recording.steps:
        raise UsageProblem(f"--at {at}: run {folder.name} has {recording.steps} steps; name one of 0 to {recording.steps}.")
    refuse_strange(recording.record)
    settings = _changed(recording, config, overrides)
    with ExitStack() as undo:
        made = _worked_until(recording, at, runs_dir, undo, secrets)
        # Refuse a fork that did not come to the step as the run did
        now = moments(recording_of(made))
        found = first_difference(moments(recording)[: len(now)], now, finished=False)
        if found is not None:
            raise UsageProblem(f"Run {recording.run_id} cannot be forked at step {at}: it differs now at {found.sentence()}.")
        _go_on_as(made, recording, at, settings, goal)
        undo.pop_all()
    return made.name


def _changed(recording: Recording, config: Sequence[Path], overrides: Sequence[str]) -> Settings:
    """The settings of the run with what is to be otherwise from now on."""
    data = dict(recording.record["settings"])
    if any("policies" in override_layer(text).data for text in overrides):
        del data["crew"]  # another preset decides who decides
    base = Layer(data, Document({}, {}, f"run {recording.run_id}"), Path.cwd())
    settings = load_settings(config, overrides, base).settings
    was = Settings.model_validate(recording.record["settings"])
    for name in _OF_THE_WORLD:
        if getattr(settings, name) != getattr(was, name):
            raise UsageProblem(f"{name} cannot be changed in a fork: the steps before it were done in that world.")
    return settings


def _worked_until(recording: Recording, at: int, runs_dir: Path, undo: ExitStack, secrets: Mapping[str, str] | None) -> Path:
    """The folder of a new run in which everything up to the step was done again. `undo` takes it away."""
    names: list[str] = []

    def listen(event: Event) -> None:
        if event.kind == RunStartedEvent.KIND:
            names.append(str(event.body["run_id"]))
            undo.callback(shutil.rmtree, runs_dir / names[0], ignore_errors=True)
        if (event.kind == FeedbackEvent.KIND and event.step == at) or (event.kind == SituationEvent.KIND and at == 0):
            raise Enough  # the step from which the new run goes on is done

    try:
        why = repeated(recording, runs_dir, listener=listen, secrets=secrets)
    except Enough:
        return runs_dir / names[0]
    raise UsageProblem(
        f"Run {recording.run_id} cannot be forked at step {at}: repeated, it does not reach that step ({why}); "
        f"see where it differs with: deskcrew replay {recording.run_id}"
    )


def _go_on_as(folder: Path, recording: Recording, at: int, settings: Settings, goal: str | None) -> None:
    """Settings and goal from here on, and a note of where the run is from."""
    record = read_run(folder)
    kept = {"runs_dir": str(folder.parent)}
    then, now = recording.record["settings"] | kept, json.loads(settings.model_dump_json()) | kept
    changed = [*(["goal"] if goal is not None else []), *(key for key in now if now[key] != then.get(key))]
    record["settings"] = now
    record["forked_from"] = {"run_id": recording.run_id, "step": at, "goal": recording.record["goal"], "changed": changed}
    if goal is not None:
        goal = Redactor(build_safety(settings), Vault(folder / VAULT)).said(fitting(goal, settings.limits))
        record["goal"] = goal
        record.pop("harness", None)  # its conditions are about another goal
        for key in ("task_id", "plan_given", "given"):
            record.pop(key, None)
        _tell_of_goal(folder, record["run_id"], goal, at)
    write_json(folder / "run.json", signed(record))
    with closing(Journal(folder / "journal.sqlite", time.time, run_id=record["run_id"])) as journal:
        journal.record(ForkedEvent(**(record["forked_from"] | {"goal": record["goal"]})), key="forked")


def _tell_of_goal(folder: Path, run_id: str, goal: str, at: int) -> None:
    """The Manager plans anew for the other goal, with the screens and the blackboard as they are and no plan."""
    with closing(CursorSaver(folder / "checkpoints.sqlite")) as saver:
        graph = build_controller(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": run_id}}
        values = graph.get_state(config).values
        if at == 0:
            graph.update_state(config, {"goal": goal}, as_node=START)
            return
        # An id that is used again begins a new attempt, so that nothing of the old plan counts as done for the new one.
        statuses = {name: [SubtaskStatus.READY.value, attempt] for name, (_, attempt) in values["statuses"].items()}
        plans = values["plans"] + 1
        assignment = {"task": "plan", "trigger": Signal.TASK_OPEN.value, "statuses": statuses, "attempts": plans}
        graph.update_state(
            config,
            {
                **{"goal": goal, "worked_goal": goal, "statuses": statuses, "plans": plans, "steps": at, "plan_version": 0},
                **{"situation": Situation.PLAN.value, "spoke": "manager", "assignment": assignment, "report": None},
                **{"current": None, "held": None, "since_gate": 0, "carry": {}, "more": False},
                **{"evidence": [], "user_words": [], "answers": []},
                "earlier_goals": [*values.get("earlier_goals", ()), values["goal"]],
            },
            as_node="controller",
        )
