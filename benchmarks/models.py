#!/usr/bin/env python3
"""What a crew makes of a model: the same tasks by the model alone in a loop, and by the model as the Operator of a crew.

    benchmarks/models.py --base-url http://127.0.0.1:8080/v1 --rows rows.jsonl             all arms, seeds 1 and 2
    benchmarks/models.py --base-url ... --model openai:NAME --seeds 0..2 --tasks 'add-*'   another model, some of it
    benchmarks/models.py --arms first,chance --draws 5 --rows rows.jsonl                   without any model
    benchmarks/models.py --rows rows.jsonl --table                                         only the table of what is there

flat: the model's loop over the whole goal. No plan, no gates; it ends when the model says FINISH or FAIL.
crew: the same model, the same prompt and the same limits; rules plan and check, every action is the model's.
first, chance: the same crew without a model. The first move of each list, or one that is drawn, in place of its answer.

Each finished run is one line of the rows file. A benchmark that was stopped goes on behind the last of them. A run is right
when the task's judge says so; false_complete is a run that called itself done and is not right. Every approval is given.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage

from orchestrator.control.requests import approving
from orchestrator.lab.suite.suite import EpisodeSpec, outcome_of, seeds_of
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.layers import shipped
from orchestrator.tasks.tasks import Task, load_task
from roles.contracts import GateRequest, GateVerdict, PlanAnswer, PlanRequest, Subtask
from roles.contracts.signals import GateTrigger, Signal
from roles.policies.scripted_model import ScriptedChatModel

TASKS = (
    "add-to-a-note",
    "cancel-the-order",
    "change-the-language",
    "due-date-into-a-file",
    "invoice-to-reimbursement",
    "mail-the-total",
    "note-into-a-file",
    "pass-on-a-number",
    "rename-a-report",
    "reply-to-a-mail",
    "total-into-a-note",
    "warm-the-living-room",
)
"""Short ones, of one application or two."""
MODELLED, CONTROLS = ("flat", "crew"), ("first", "chance")
ARMS = (*MODELLED, *CONTROLS)
STEPS_EACH, FEWEST, MOST = 2, 8, 16
"""A run may take so many steps for each line of its task's oracle, but never fewer and never more: the same for all arms."""
LIMITS = {"wall_seconds": 600}
CREW_LIMITS = {"plans": 3, "gates": 20}
_MOVES = re.compile(r"<moves [^>]*>\n(.*?)\n</moves", re.DOTALL)
_MOVE = re.compile(r"^- (.*)$", re.MULTILINE)
_NAMED = re.compile(r'"([^"]+)"')
MODEL = {"temperature": 0.0, "max_tokens": 200, "timeout": 200, "deadline": 400}


class Row(NamedTuple):
    """How one run came out."""

    arm: str
    task: str
    seed: int
    passed: bool
    false_complete: bool
    status: str
    steps: int
    plans: int
    gates: int
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    why: str
    draw: int = 0
    """Which of the draws of `chance`."""

    @property
    def of(self) -> tuple[str, str, int, int]:
        return self.arm, self.task, self.seed, self.draw


class WholeGoal:
    """A plan that is none: the goal as it was said. A second one is not made."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        if request.attempts > 1:
            return PlanAnswer(outcome="infeasible", reason="; ".join(request.evidence) or "the model gave up")
        return PlanAnswer(outcome="planned", subtasks=(Subtask(id="goal", title="The goal", instruction=request.goal),))


class OpenGate:
    """A gate that lets everything through."""

    def judge(self, request: GateRequest) -> GateVerdict:
        on = request.trigger in {GateTrigger.PERIODIC_CHECK, GateTrigger.WORKER_STALE}
        return GateVerdict(decision=Signal.GATE_CONTINUE if on else Signal.GATE_DONE, reason="not looked at")


def main() -> None:
    asked = _arguments()
    there = list(_read(asked.rows))
    if not asked.table:
        done = {row.of for row in there}
        for work in _work(asked):
            if work in done:
                continue
            row = work_one(*work, asked)
            there.append(row)
            with asked.rows.open("a", encoding="utf-8") as rows:
                rows.write(json.dumps(row._asdict()) + "\n")
            print(_line(row), flush=True)
    print(_table(there))


def _work(asked: argparse.Namespace) -> Iterator[tuple[str, str, int, int]]:
    """Seed by seed and task by task, so that a benchmark that is stopped has compared what it has."""
    tasks = [name for name in TASKS if any(fnmatch(name, pattern) for pattern in asked.tasks.split(","))]
    for seed in seeds_of(asked.seeds):
        for task in tasks:
            for arm in asked.arms.split(","):
                yield from ((arm, task, seed, draw) for draw in range(asked.draws if arm == "chance" else 1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080/v1", help="of a server that speaks OpenAI's protocol")
    parser.add_argument("--model", default="openai:local", help="as `crew.model.name` has it")
    parser.add_argument("--tasks", default="*", help="names or patterns, with commas between them")
    parser.add_argument("--seeds", default="1,2", help="such as 0,1 or 0..2")
    parser.add_argument("--draws", type=int, default=5, help="of `chance`, for each task and seed")
    parser.add_argument("--rehearse", type=int, default=1, help="attempts at each subtask before the best is carried out")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the crew's arms")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--rows", type=Path, default=Path("models.jsonl"), help="the file of finished runs")
    parser.add_argument("--runs-dir", default="", help="keep the runs' folders here")
    parser.add_argument("--table", action="store_true", help="run nothing")
    return parser.parse_args()


def _read(path: Path) -> Iterator[Row]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Row(**json.loads(line))


def work_one(arm: str, name: str, seed: int, draw: int, asked: argparse.Namespace) -> Row:
    """One run, in a folder of its own that is thrown away unless it is asked for."""
    model = {"name": "given"} if arm in CONTROLS else {**MODEL, "name": asked.model, "base_url": asked.base_url}
    steps = steps_allowed(load_task(shipped("tasks", f"{name}.yaml")))
    limits = {**LIMITS, "steps": steps, "max_steps": steps}
    limits |= {"plans": 2, "gates": 1000, "check_every": 1000} if arm == "flat" else CREW_LIMITS
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(asked.runs_dir) / arm / name / f"{seed}-{draw}" if asked.runs_dir else Path(scratch)
        said = [f"crew.model={json.dumps(model)}", "policies=llm-small", "crew.operator.policy=llm"]
        said += [f"limits.{key}={value}" for key, value in limits.items()]
        said += [f"crew.rehearse.n={asked.rehearse}", *asked.set] if arm != "flat" else []
        parts: dict[str, Any] = {}
        if arm == "flat":
            parts = {"manager": WholeGoal(), "evaluator": OpenGate()}
        elif arm in CONTROLS:
            parts = {"model": without_a_model(random.Random(f"{name} {seed} {draw}") if arm == "chance" else None)}
        spec = EpisodeSpec(configuration=arm, task=name, seed=seed, repeat=draw, settings=tuple(said))
        return _row((arm, name, seed, draw), outcome_of(spec, folder, parts=parts, approver=_answering))


def steps_allowed(task: Task) -> int:
    return min(MOST, max(FEWEST, STEPS_EACH * len(task.oracle or ())))


def without_a_model(chance: random.Random | None) -> ScriptedChatModel:
    """Answers with one of the moves that it is shown, the first or a drawn one. A text of its own is a name from the job."""

    def answer(messages: Sequence[BaseMessage]) -> dict[str, Any]:
        asked = str(messages[1].content)
        moves = _MOVE.findall(_MOVES.findall(asked)[-1])
        names = _NAMED.findall(asked.partition("<")[0]) or ["nothing"]
        move, name = (chance.choice(moves), chance.choice(names)) if chance else (moves[0], names[0])
        return {"do": {"move": move} | dict.fromkeys(("text", "name", "option", "keys"), name)}

    return ScriptedChatModel(answer=answer)


def _answering(request: Mapping[str, Any]) -> dict[str, Any] | None:
    said = {"type": "respond", "message": "I have nothing to add; do what the goal says."}
    return approving(request) or {"decisions": [said]}


def _row(of: tuple[str, str, int, int], outcome: Outcome) -> Row:
    report = outcome.report
    if unreachable := [e["message"] for e in report["errors"] if "could not be asked" in e["message"]]:
        raise SystemExit(f"the model does not answer, so this run does not count: {unreachable[0]}")
    verdict, counts, used = report["judge"], report["counts"], report["models"].values()
    right = bool(verdict["passed"] and verdict["clean"])
    failed = [check["expression"] for check in verdict["checks"] if not check["passed"]]
    why = "" if right else " ".join(f"{outcome.reason}; failed: {failed[:1] or verdict['side_effects'][:1]}".split())
    return Row(
        *of[:3], right, outcome.status == "fulfilled" and not right, outcome.status,
        counts["steps"], counts["plans"], counts["gates"], sum(u["calls"] for u in used),
        sum(u["tokens_in"] for u in used), sum(u["tokens_out"] for u in used), round(report["wall_seconds"], 1), why[:400], of[3],
    )  # fmt: skip


def _line(row: Row) -> str:
    mark = "right" if row.passed else "FALSE" if row.false_complete else "no   "
    told = f"{row.steps:>3} steps {row.plans} plans {row.calls:>3} calls {row.tokens_in + row.tokens_out:>7,} tokens"
    return f"{mark} {row.arm} {row.task:26} {row.seed:>2} {told} {row.seconds:6.1f}s {row.status} {row.why[:160]}"


def _table(rows: Sequence[Row]) -> str:
    """Markdown: a line for each task, and each arm as a whole."""
    heads = [f"{arm}: right, false" + (", tokens, seconds" if arm in MODELLED else "") for arm in ARMS]
    lines = [f"| task | {' | '.join(heads)} |", "|---" * (1 + len(ARMS)) + "|"]
    for name in [name for name in TASKS if any(row.task == name for row in rows)]:
        cells = [_cell([r for r in rows if r.task == name and r.arm == arm]) for arm in ARMS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines.append("| **all** | " + " | ".join(_cell([r for r in rows if r.arm == arm]) for arm in ARMS) + " |")
    return "\n".join(lines)


def _cell(rows: Sequence[Row]) -> str:
    if not rows:
        return "-"

    def mean(of: Callable[[Row], float]) -> float:
        return statistics.mean(map(of, rows))

    told = f"{sum(row.passed for row in rows)}/{len(rows)}, {sum(row.false_complete for row in rows)}"
    if rows[0].arm in CONTROLS:
        return told
    tokens, seconds = mean(lambda row: row.tokens_in + row.tokens_out), mean(lambda row: row.seconds)
    return f"{told}, {tokens:,.0f}, {seconds:.0f}"


if __name__ == "__main__":
    main()
