#!/usr/bin/env python3
"""How much of a prompt a provider can take from its cache: the beginning that a call shares with the one before it.

    benchmarks/prompts.py                        the table, by role
    benchmarks/prompts.py --tasks 'add-*' --seed 3 --each    some tasks, and a line for each pair of calls
    benchmarks/prompts.py --folder DIR           and every request as a file
    benchmarks/prompts.py --screens              one decision of an Operator on each screen of benchmarks/tokens.py instead

Without a model: each role asks a model whose answers cannot be used and is not asked again, then rules decide, so that the
requests are those of whole runs. A request is the form of the answer, the system part and the turn, in this order, as
providers lay it out. Of two consecutive calls of a role: the tokens of their common beginning, by those of the stable part of
the longer one. Stable is all but what is of the moment: the sections of MOMENT, the ledger's ticks, the clock, and why a gate
asks. The same within a subtask, and between two of them.

Counts as `benchmarks/tokens.py` does: o200k where its vocabulary is here, the estimate of `protocol.prompt_form` otherwise.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr
from tokens import as_table, screens, tokenizer

from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import load_task
from protocol.prompt_form import Counter
from roles.contracts import AppWords, OperatorView, Subtask
from roles.contracts.limits import Limits
from roles.journal.journal import Journal
from roles.operator.llm import LlmOperator
from roles.policies.fallback import GaveUp
from roles.policies.llm.asking import Asker
from roles.policies.llm.calls import Breaker, Caller, Clocks
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.settings import ModelSettings
from roles.policies.scripted_model import ScriptedChatModel

TASKS = (
    "add-to-a-note",
    "claim-two-invoices",
    "due-date-into-a-file",
    "invoice-to-reimbursement",
    "mail-the-total",
    "pass-on-a-number",
    "reply-to-a-mail",
    "warm-the-living-room",
)
ROLES = ("manager", "operator", "evaluator")
MOMENT = (
    *("screen", "changes", "events", "previous_plan", "expected", "notes", "saved_screens", "message", "refused", "facts"),
    *("supplements", "results", "screens", "findings", "summary", "held", "windows", "evidence", "user_words"),
)
"""Sections of what is so at this step only."""
_SECTIONS = re.compile(rf"<({'|'.join(MOMENT)}) (\w+)>\n.*?\n</\1 \2>\n?", re.DOTALL)
_LINES = re.compile(r"^(?:It is now .*|Why you are asked.*|What rules .*|Rules read .*|\[[ x!?]\] .*)\n", re.MULTILINE)
_CLOSING = re.compile(r"\nYour [^\n]*\Z")
_SUBTASK = re.compile(r"^(?:Your subtask|What is checked).*$", re.MULTILINE)


class Request(NamedTuple):
    role: str
    schema: str
    system: str
    turn: str

    @property
    def whole(self) -> str:
        return f"{self.schema}\n{self.system}\n{self.turn}"

    @property
    def stable(self) -> str:
        turn = _CLOSING.sub("", _LINES.sub("", _SECTIONS.sub("", self.turn)))
        return f"{self.schema}\n{self.system}\n{turn}"

    @property
    def subtask(self) -> str:
        return found[0] if (found := _SUBTASK.search(self.turn)) else ""


class Pair(NamedTuple):
    """Two consecutive calls: tokens of the later, of the stable part of the longer, and of what they share."""

    role: str
    within: bool
    tokens: int
    stable: int
    shared: int


class Listener(ScriptedChatModel):
    """Keeps what it is asked, and never answers usably."""

    _schema: str = PrivateAttr(default="")
    _heard: list[Request] = PrivateAttr(default_factory=list)

    @property
    def heard(self) -> list[Request]:
        return self._heard

    def with_structured_output(self, schema: Any, **more: Any) -> Runnable[LanguageModelInput, Any]:
        self._schema = json.dumps(schema, ensure_ascii=False)
        return super().with_structured_output(schema, **more)

    def _message(self, messages: Sequence[BaseMessage], bound: Mapping[str, Any]) -> AIMessage:
        system, turn = (_words(message) for message in messages[:2])
        role = next((role for role in ROLES if system.startswith(_begins(role))), "")
        if role:
            self._heard.append(Request(role, self._schema, system, turn))
        return super()._message(messages, bound)


def _words(message: BaseMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "".join(str(block.get("text", "")) for block in message.content if isinstance(block, dict))


def _begins(role: str) -> str:
    return load_prompt(role).system.strip().partition(".")[0]


def requests_of(name: str, seed: int) -> list[Request]:
    """All that models are asked in one run of a shipped task."""
    task, model = load_task(shipped("tasks", f"{name}.yaml")), Listener()
    said = [f"seed={seed}", "limits.reasks=0", "limits.tokens=null", 'crew.model={"name": "given", "structure": "tools"}']
    for role in ROLES:
        said += [f"crew.{role}.policy=fallback", f"crew.{role}.chain=[llm, rules]"]
    with tempfile.TemporaryDirectory() as scratch:
        settings = load_settings(overrides=[*said, f"runs_dir={scratch}"], task_layer=task.layer())
        start(settings, task, approver=_approving, parts={"model": model})
    return model.heard


def decisions_on_screens() -> list[Request]:
    """What an Operator's model is asked on each screen of `benchmarks/tokens.py`, without functions and at the first step."""
    model, settings = Listener(), ModelSettings(name="given", structure="tools")
    journal, breaker = Journal(None, time.time), Breaker(settings, Clocks())
    asker = Asker(Caller(model, settings, "operator", journal, Limits(), breaker), reasks=0)
    found = screens()
    apps = tuple(AppWords(app=app, title=app) for app in sorted({screen.state.app or "pages" for screen in found}))
    for screen in found:
        app = screen.state.app or "pages"
        subtask = Subtask(id="s1", title="claim", instruction="Enter the amount and submit the form", app=app, attempt=1)
        given = {"user_request": "Claim the invoice INV-1042", "subtask": subtask, "app": app, "apps": apps}
        view = OperatorView.model_validate(given | {"seen": screen.state, "before": screen.before})
        with suppress(GaveUp):
            LlmOperator(asker, load_prompt("operator"), screen_tokens=2_500, recent=8).decide(view)
    return model.heard


def _approving(request: dict[str, Any]) -> dict[str, Any] | None:
    if request["kind"] != "question":
        return {"decisions": [{"type": "approve"}]}
    return {"decisions": [{"type": "respond", "message": "I have nothing to add; do what the goal says."}]}


def pairs_of(heard: Sequence[Request], count: Counter) -> Iterator[Pair]:
    for role in ROLES:
        mine = [request for request in heard if request.role == role]
        for before, after in pairwise(mine):
            stable = max(count(before.stable), count(after.stable))
            shared = count(_beginning(before.whole, after.whole))
            yield Pair(role, before.subtask == after.subtask, count(after.whole), stable, min(shared, stable))


def _beginning(one: str, other: str) -> str:
    """What both begin with."""
    return "".join(a for a, _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


def rows_of(pairs: Sequence[Pair]) -> list[list[str]]:
    rows = [["role", "pairs", "tokens of a call", "stable part", "shared", "per cent"]]
    groups = [(role, [p for p in pairs if p.role == role]) for role in ROLES]
    groups += [("operator, within a subtask", [p for p in pairs if p.role == "operator" and p.within]), ("all", list(pairs))]
    for name, group in groups:
        if group:
            tokens, stable, shared = (sum(getattr(p, key) for p in group) for key in ("tokens", "stable", "shared"))
            means = (f"{total / len(group):,.0f}" for total in (tokens, stable, shared))
            rows.append([name, f"{len(group)}", *means, f"{shared / stable:.1%}"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="*", help="names or patterns, with commas between them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="a line for each pair of calls")
    parser.add_argument("--folder", type=Path, help="keep every request here")
    parser.add_argument("--screens", action="store_true", help="decisions on the screens of benchmarks/tokens.py")
    asked = parser.parse_args()
    name, count = tokenizer()
    if asked.screens:
        heard = decisions_on_screens()
        fresh = [count(after.whole) - count(_beginning(before.whole, after.whole)) for before, after in pairwise(heard)]
        tokens = sum(count(request.whole) for request in heard) / len(heard)
        print(f"counted by {name}; {len(heard)} decisions")
        print(f"{tokens:,.0f} tokens each, {sum(fresh) / len(fresh):,.0f} of them behind what the decision before begins with")
        return
    pairs: list[Pair] = []
    for task in (task for task in TASKS if any(fnmatch(task, pattern) for pattern in asked.tasks.split(","))):
        heard = requests_of(task, asked.seed)
        mine = list(pairs_of(heard, count))
        pairs += mine
        if asked.each:
            print(*(f"{task:26} {p.role:9} {p.tokens:6} {p.stable:6} {p.shared:6}" for p in mine), sep="\n")
        if asked.folder is not None:
            asked.folder.mkdir(parents=True, exist_ok=True)
            for number, request in enumerate(heard):
                place = asked.folder / f"{task}-{number:03}-{request.role}.txt"
                place.write_text(f"{request.schema}\n\n{request.system}\n\n{request.turn}\n", encoding="utf-8")
    print(f"counted by {name}; {len(pairs)} pairs of calls, seed {asked.seed}\n")
    print(as_table(rows_of(pairs)))


if __name__ == "__main__":
    main()
