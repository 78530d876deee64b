#!/usr/bin/env python3
"""What a hierarchy that adapts saves: calls and tokens of the Manager's and the Evaluator's model, by `crew.adaptive`.

    benchmarks/adaptive.py                              every shipped task, seed 0
    benchmarks/adaptive.py --tasks 'claim-*' --seed 2 --hasty 0.1

The Operator goes by rules, so that all crews do the same. The Manager's model gives no usable answer, once, and the rules plan.
The Evaluator's model is the worst there is: it says that all is well at every gate. So what is falsely called done is what code
did not see, and an adaptive crew that checked less would have more of it. `--hasty` is the share of the Operator's decisions at
which it says that it is done and is not. Tokens are estimated.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from orchestrator.errors import UsageProblem
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.store.salvage import salvage
from orchestrator.tasks.tasks import load_task
from protocol import AgentStatus, OperatorDecision
from roles.contracts import OperatorPolicy, OperatorView
from roles.policies.scripted_model import ScriptedChatModel

ARMS = {
    "off": ("crew.adaptive={final_check: false}",),
    "final check": ("crew.adaptive={final_check: true}",),
}
MODELS = (
    "crew.manager={policy: fallback, chain: [llm, rules]}", "crew.evaluator={policy: fallback, chain: [llm, rules]}",
    "crew.model=given", "limits.reasks=0", "display=none", "record.prompts=none",
)  # fmt: skip


def model(messages: Sequence[BaseMessage]) -> Any:
    """Nothing for a plan; at a gate all is well."""
    turn = str(messages[1].content)
    if "Why you are asked" not in turn:
        return "?"
    evidence = re.search(r"state:[0-9a-f]{8,}|step:\d+", turn)
    decision = "gate_done" if re.search(r"asked: (?:WORKER_SUCCESS|FINAL_CHECK)", turn) else "gate_continue"
    return {"reason": "it looks fine", "decision": decision, "evidence": [evidence[0]] if evidence else [], "issues": []}


class Hasty:
    """Says at a share of its decisions that it is done; which ones is settled by the subtask and the step."""

    def __init__(self, policy: OperatorPolicy, share: float) -> None:
        self._policy, self._share = policy, share

    def decide(self, view: OperatorView) -> OperatorDecision:
        key = hashlib.blake2b(f"{view.subtask.id}/{view.subtask.attempt}/{view.step}".encode(), digest_size=4).digest()
        if int.from_bytes(key) / 2**32 < self._share:
            return OperatorDecision(reasoning="that will do", status=AgentStatus.FINISH, memory=view.memory)
        return self._policy.decide(view)


def approved(_: Any) -> dict[str, Any]:
    return {"decisions": [{"type": "approve"}]}


def work(task: Path, seed: int, hasty: float, arm: Sequence[str]) -> Counter[str]:
    """One run: its calls and tokens by role, whether it was called done, and whether it was."""
    with tempfile.TemporaryDirectory() as folder:
        given = [*MODELS, *arm, f"seed={seed}", f"runs_dir={folder}"]
        around = lambda role, policy: Hasty(policy, hasty) if role == "operator" and hasty else policy  # noqa: E731
        told = load_task(task)
        parts = {"model": ScriptedChatModel(answer=model), "around": around}
        outcome = start(load_settings([], given, told.layer()), told, parts=parts, approver=approved)
        events = salvage(outcome.folder / "journal.sqlite").events
    used: Counter[str] = Counter(runs=1)
    for event in events:
        if event.kind == "model_call":
            used[f"{event.role} calls"] += 1
            used["tokens"] += event.body["tokens_in"] + event.body["tokens_out"]
    good = bool((outcome.report.get("judge") or {}).get("passed"))
    used["right"] += good
    used["falsely done"] += outcome.status == "fulfilled" and not good
    return used


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    options.add_argument("--tasks", default="*")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--hasty", type=float, default=0.0)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    names = [name for name in shipped_names("tasks") if fnmatch(name, given.tasks)]
    totals: dict[str, Counter[str]] = {arm: Counter() for arm in ARMS}
    for name in names:
        try:
            runs = {arm: work(shipped(f"tasks/{name}.yaml"), given.seed, given.hasty, told) for arm, told in ARMS.items()}
        except UsageProblem as bad:
            print(f"{name} is left out: {bad}")
            continue
        for arm, used in runs.items():
            totals[arm] += used
            if given.json:
                print(json.dumps({"task": name, "arm": arm, **used}))
    print("| adaptive | runs | Manager's calls | Evaluator's calls | tokens | right | falsely done |")
    print("|---|---|---|---|---|---|---|")
    for arm, used in totals.items():
        counted = [used[key] for key in ("runs", "manager calls", "evaluator calls", "tokens", "right", "falsely done")]
        print(f"| {arm} | {' | '.join(f'{n:,}' for n in counted)} |")


if __name__ == "__main__":
    main()
