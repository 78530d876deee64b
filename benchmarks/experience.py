#!/usr/bin/env python3
"""What experience and demonstrations are worth to rules: the shipped tasks with and without what was learned before.

    benchmarks/experience.py                              all parts, every task
    benchmarks/experience.py --tasks 'claim-*' --seed 5   some of them, on another seed
    benchmarks/experience.py --part halves --json         one part; one JSON object
    benchmarks/experience.py --part halves --base-url http://127.0.0.1:8080/v1 --sample 12     the Operator is a model

halves: the tasks are shuffled and halved. The first half is worked, and what comes out right and clean is kept
(`knowledge.experience.save: auto`). The second half is worked twice: without that, and with it.

kin: the rules work every task on one seed, and what comes out right and clean is kept. Then each is worked on another seed,
without that and with it: the same kind of work with other values. It is of use to models, since rules need no example.

shown: every task is done once by its oracle, as a person would, on one seed; that log is learned from, with the goal in words
that no rule reads (each small word of it is garbled, the values stay). Then the goal of another seed, garbled in the same way, is
given to the crew: without the demonstration, and with it.

A run is right when the task's judge says so and nothing else was changed. Every approval is given. Without `--base-url` no
model is asked, so that no tokens are spent; with it plans and checks are still the rules', and every action is the model's, which
is shown what is known of a subtask before it begins (`knowledge.look_up: ahead`), and no help pages.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import OwnWords
from environments.served.demonstration import Demonstration
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from orchestrator.control.requests import approving
from orchestrator.errors import UsageProblem
from orchestrator.runs.experience import Lesson, kept, problem_with
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.judge import task_environment
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, fill_goal, fill_slots, load_task
from protocol import read_log
from roles.knowledge.pages.learned import distil
from roles.screen.language.words import tokens

_OFF = ("knowledge.experience.use=false", "knowledge.demonstrations.use=false")
MODEL = {"temperature": 0.0, "max_tokens": 200, "timeout": 200, "deadline": 400}
LIMITS = {"steps": 16, "max_steps": 16, "plans": 3, "gates": 20, "wall_seconds": 600}
"""Of a run of a model: a small one that is lost is not left to wander."""


class Came(NamedTuple):
    """How one run came out."""

    task: str
    right: bool
    steps: int
    used: bool
    """It followed what was learned, or whoever worked was shown it."""
    tokens: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="*", help="names or patterns, with commas between them")
    parser.add_argument("--seed", type=int, default=7, help="of the worlds that are worked")
    parser.add_argument("--shown", type=int, default=0, help="seed of the worlds in which something is learned")
    parser.add_argument("--part", choices=["halves", "kin", "shown", "all"], default="all")
    parser.add_argument("--sample", type=int, default=0, help="so many of the tasks, drawn by the seed")
    parser.add_argument("--base-url", default="", help="of a server that speaks OpenAI's protocol: its model is the Operator")
    parser.add_argument("--model", default="openai:local", help="as `crew.model.name` has it")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    names = [n for n in shipped_names("tasks") if any(fnmatch(n, pattern) for pattern in asked.tasks.split(","))]
    tasks = [task for name in names if (task := load_task(shipped("tasks", f"{name}.yaml"))).outcome == "fulfilled"]
    tasks = random.Random(asked.seed).sample(tasks, asked.sample) if asked.sample else tasks
    crew = by_model(asked.model, asked.base_url) if asked.base_url else ()
    found: dict[str, Any] = {}
    if asked.part in {"halves", "all"}:
        found["halves"] = halves(tasks, asked.seed, asked.shown, crew)
    if asked.part in {"kin", "all"}:
        found["kin"] = kin(tasks, asked.seed, asked.shown, crew)
    if asked.part in {"shown", "all"}:
        found["shown"] = shown([task for task in tasks if task.oracle], asked.seed, asked.shown, crew)
    print(json.dumps(found, indent=2) if asked.json else _told(found))


def by_model(name: str, base_url: str) -> tuple[str, ...]:
    """Settings by which a model takes every step."""
    model = json.dumps({**MODEL, "name": name, "base_url": base_url})
    limits = (f"limits.{key}={most}" for key, most in LIMITS.items())
    told = "knowledge.look_up=ahead", "knowledge.help.use=false"
    return f"crew.model={model}", "policies=llm-small", "crew.operator.policy=llm", *told, *limits


def halves(tasks: Sequence[Task], seed: int, learning: int, crew: Sequence[str] = ()) -> dict[str, Any]:
    """The second half without and with what the first has taught."""
    order = list(tasks)
    random.Random(seed).shuffle(order)
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    with tempfile.TemporaryDirectory() as scratch:
        runs = Path(scratch) / "runs"
        taught = [work(task, learning, runs, "knowledge.experience.save=auto", *crew) for task in first]
        before = [work(task, seed, runs, *_OFF, *crew) for task in second]
        after = [work(task, seed, runs, *crew) for task in second]
    return {"first half": _sum(taught), "second half without": _sum(before), "second half with": _sum(after)}


def kin(tasks: Sequence[Task], seed: int, learning: int, crew: Sequence[str] = ()) -> dict[str, Any]:
    """The tasks without and with what the rules did for them on another seed."""
    with tempfile.TemporaryDirectory() as scratch:
        runs = Path(scratch) / "runs"
        taught = [work(task, learning, runs, "knowledge.experience.save=auto") for task in tasks]
        before = [work(task, seed, runs, *_OFF, *crew) for task in tasks]
        after = [work(task, seed, runs, *crew) for task in tasks]
    return {"by rules, kept": _sum(taught), "without": _sum(before), "with": _sum(after)}


def shown(tasks: Sequence[Task], seed: int, learning: int, crew: Sequence[str] = ()) -> dict[str, Any]:
    """Goals in words that nobody understands, without and with somebody having shown each once."""
    with tempfile.TemporaryDirectory() as scratch:
        runs = Path(scratch) / "runs"
        runs.mkdir()
        lessons = {task.id: taught(task, learning, runs) for task in tasks}
        goals = {task.id: in_garbled_words(task, seed) for task in tasks}
        sure = {task for task, lesson in lessons.items() if not lesson.against and not lesson.found.doubts}
        before = [work(goals[task.id], seed, runs, *_OFF, *crew) for task in tasks]
        after = [work(goals[task.id], seed, runs, *crew) for task in tasks]
    undoubted, doubted = [c for c in after if c.task in sure], [c for c in after if c.task not in sure]
    print(*(f"not right: {one.task}" for one in undoubted if not one.right), sep="\n", file=sys.stderr)
    return {"without": _sum(before), "with": _sum(after), "with, learned without doubt": _sum(undoubted),
            "with, learned in doubt": _sum(doubted)}  # fmt: skip


def taught(task: Task, seed: int, runs: Path) -> Lesson:
    """Have the oracle show it, and learn from its log."""
    surface = task_environment(task, seed)
    assert isinstance(surface, SimulatedDesktop), surface.name
    surface.reset(seed=seed)
    slots = fill_slots(task, surface.world(), seed)
    goal = garbled(" ".join(fill_goal(task, slots).split()))
    log = runs.parent / f"{task.id}.jsonl"
    session = Session(surface, goal, log=Demonstration(log, task.id))
    for step in steps_of(task.oracle or (), slots):
        if not step.asks:
            action = surface.meant(step.action) if isinstance(surface, OwnWords) else step.action
            session.perform(session.complete(action), role="person")
    session.close()
    surface.close()
    steps = [line.step for line in read_log(log) if line.step is not None]
    found = distil(steps, goal)
    lesson = Lesson(found, "demonstration", f"log:{task.id}", problem_with(found))
    if not lesson.against:
        kept(lesson, load_settings(overrides=[f"runs_dir={runs}"]).settings.knowledge, runs)
    return lesson


def in_garbled_words(task: Task, seed: int) -> Task:
    """The task on this seed with a goal that no rule reads."""
    surface = task_environment(task, seed)
    surface.reset(seed=seed)
    assert isinstance(surface, SimulatedDesktop), surface.name
    goal = " ".join(fill_goal(task, fill_slots(task, surface.world(), seed)).split())
    surface.close()
    return task.model_copy(update={"goal": garbled(goal), "plan": None})


def garbled(goal: str) -> str:
    """Every small word backwards behind a `q`; what stands in quotation marks, ids, dates and names stay."""
    said, at = "", 0
    for token in tokens(goal):
        small = token.kind == "word" and len(token.text) > 1 and token.lower.isalpha() and not (token.capital and token.start)
        said += goal[at : token.start] + (f"q{token.lower[::-1]}" if small else goal[token.start : token.end])
        at = token.end
    return (said + goal[at:]).replace("{", "(").replace("}", ")")


def work(task: Task, seed: int, runs: Path, *overrides: str) -> Came:
    """One run of the crew, with nothing but rules unless the overrides say otherwise."""
    loaded = load_settings(overrides=[f"seed={seed}", f"runs_dir={runs}", *overrides], task_layer=task.layer())
    try:
        report = start(loaded, task, approver=approving).report
    except UsageProblem:
        return Came(task.id, False, 0, False)
    verdict = report.get("judge") or {}
    used = any(page["used"] and page["kind"] in {"experience", "demonstration"} for page in report.get("knowledge", ()))
    found = (hit["source"] for one in report["supplements"] for hit in one["found"])
    used = used or (bool(report["models"]) and any(source.startswith(("run:", "log:")) for source in found))
    if unreachable := [error["message"] for error in report["errors"] if "could not be asked" in error["message"]]:
        raise SystemExit(f"the model does not answer, so this run does not count: {unreachable[0]}")
    tokens = sum(model["tokens_in"] + model["tokens_out"] for model in report["models"].values())
    right = bool(verdict.get("passed") and verdict.get("clean"))
    return Came(task.id, right, int(verdict.get("steps") or 0), used, tokens)


def _sum(came: Sequence[Came]) -> dict[str, Any]:
    right = [one for one in came if one.right]
    used = [one for one in came if one.used]
    return {
        "tasks": len(came),
        "right": len(right),
        "steps of those": sum(one.steps for one in right),
        "tokens of all": sum(one.tokens for one in came),
        "followed or shown it": len(used),
        "right by it": sum(one.right for one in used),
    }


def _told(found: dict[str, Any]) -> str:
    lines = []
    for part, rows in found.items():
        keys = list(next(iter(rows.values())))
        lines += ["", f"| {part} | {' | '.join(keys)} |", f"|---|{'---|' * len(keys)}"]
        lines += [f"| {name} | {' | '.join(str(row[key]) for key in keys)} |" for name, row in rows.items()]
    return "\n".join(lines).strip()


if __name__ == "__main__":
    main()
