"""Plan, operate and judge by rules on a real SimulatedDesktop, without graphs: what the orchestrator does, in sixty lines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import Action, ActionResult, AgentStatus, Answer, AskUser, Memorize, TargetError, VisualState, Wait, resolve
from roles.contracts import AppWords, Fact, GateRequest, OperatorView, PlanRequest, StepRecord, Subtask, Supplement
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.evaluator.rules import RulesEvaluator
from roles.knowledge.library import help_in
from roles.manager.plans import next_ready, validate_plan
from roles.manager.rules import RulesManager
from roles.operator.recovery import interruption
from roles.operator.rules import RulesOperator
from roles.safety.effects import effect_of
from roles.screen.events import effect_verb, screen_events
from roles.screen.values import kind_of

HELP = Path(__file__).parents[3] / "configs" / "help"
_OPEN = {SubtaskStatus.READY, SubtaskStatus.PENDING}


def office(seed: int) -> SimulatedDesktop:
    desktop = SimulatedDesktop(load_world("office", seed), seed)
    desktop.reset(seed=seed)
    return desktop


def world(text: str) -> SimulatedDesktop:
    desktop = SimulatedDesktop(parse_world(text), 1)
    desktop.reset(seed=1)
    return desktop


@dataclass
class Crew:
    """One run of a goal. `answers` are what the user says to questions, by the name of the fact."""

    desktop: SimulatedDesktop
    goal: str
    answers: dict[str, str] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    derived: frozenset[str] = frozenset()
    """Names of facts that are worked out from several things on the screen."""
    plan: tuple[Subtask, ...] = ()
    plans: int = 0
    steps: list[StepRecord] = field(default_factory=list)
    screens: dict[str, VisualState] = field(default_factory=dict)
    why: str = ""

    @property
    def apps(self) -> tuple[AppWords, ...]:
        return tuple(AppWords(app=a.app, title=a.title, words=tuple(a.words)) for a in self.desktop.apps())

    @property
    def state(self) -> dict[str, Any]:
        apps: dict[str, Any] = self.desktop.world()["apps"]
        return apps

    def run(self) -> str:
        """done, infeasible, asked or spent."""
        trigger, failed = "task_open", None
        evidence: tuple[str, ...] = ()
        supplements: tuple[Supplement, ...] = ()
        for self.plans in range(1, 11):
            request = PlanRequest(
                goal=self.goal, apps=self.apps, plan=self.plan, facts=tuple(self.facts), trigger=trigger, failed=failed,
                evidence=evidence, supplements=supplements, attempts=self.plans,
            )  # fmt: skip
            answer = RulesManager().plan(request)
            self.why = answer.reason
            if answer.outcome == "supplement_needed":
                found = help_in(HELP).search(answer.query, answer.app, 3)
                supplements += tuple(found)
                trigger = "supplied" if found else "nothing_found"
                continue
            if answer.outcome == "infeasible":
                return "infeasible"
            self._adopt(answer.subtasks if answer.outcome == "planned" else self.plan)
            outcome = self._work()
            if outcome is None:
                return "asked"
            if outcome[0] == "done":
                return "done"
            trigger, failed, evidence = outcome
        return "spent"

    def _adopt(self, subtasks: tuple[Subtask, ...]) -> None:
        ended = {s.id: s for s in self.plan if s.status not in _OPEN}
        fresh = tuple(ended.get(s.id, s) for s in subtasks)
        self.plan = (*(s for s in ended.values() if s.id not in {f.id for f in fresh}), *fresh)
        validate_plan(self.plan, self.apps)

    def _work(self) -> tuple[str, str | None, tuple[str, ...]] | None:
        while (subtask := next_ready(self.plan)) is not None:
            status, why, history = self._operate(subtask)
            if status is AgentStatus.PENDING:
                self.why = why
                return None
            issues: tuple[str, ...] = (why,)
            if status is AgentStatus.FINISH:
                verdict = RulesEvaluator().judge(self._gate(GateTrigger.WORKER_SUCCESS, subtask, tuple(history)))
                issues = () if verdict.decision == "gate_done" else (verdict.reason,)
            ended = SubtaskStatus.REJECTED if issues else SubtaskStatus.FULFILLED
            self.plan = tuple(s.model_copy(update={"status": ended}) if s.id == subtask.id else s for s in self.plan)
            if issues:
                return "cannot_execute", subtask.id, issues
        verdict = RulesEvaluator().judge(self._gate(GateTrigger.FINAL_CHECK, None, tuple(self.steps)))
        self.why = verdict.reason
        return ("done", None, ()) if verdict.decision == "gate_done" else ("issues_found", None, verdict.issues)

    def _gate(self, trigger: GateTrigger, subtask: Subtask | None, steps: tuple[StepRecord, ...]) -> GateRequest:
        now = self.desktop.observe()
        others = [s for w in now.windows if w.app != now.app and (s := self.desktop.peek(w.app))]
        earlier = list(self.screens.values())[::-1][:12]
        return GateRequest(
            trigger=trigger, goal=self.goal, subtask=subtask, plan=self.plan, steps=steps, facts=tuple(self.facts),
            screens=(*others, now) if subtask is None else (now,), earlier=tuple(earlier),
        )  # fmt: skip

    def _operate(self, subtask: Subtask) -> tuple[AgentStatus, str, list[StepRecord]]:
        history: list[StepRecord] = []
        memory: dict[str, Any] = {}
        for turn in range(80):
            seen = self._look()
            key = f"{self.plans}/{subtask.id}/{turn}"
            blocked = interruption(seen, history)
            if seen.loading or blocked is not None:
                action: Action = Wait(seconds=1.0) if blocked is None else blocked.action
                if isinstance(action, AskUser):
                    return AgentStatus.PENDING, action.question, history
                self.desktop.perform(action, key=key)
                continue
            view = OperatorView(
                user_request=self.goal, subtask=subtask, app=subtask.app, seen=seen, facts=tuple(self.facts),
                history=tuple(history[-12:]), memory=json.loads(json.dumps(memory)), apps=self.apps,
            )  # fmt: skip
            decision = RulesOperator().decide(view)
            memory = decision.memory
            if decision.action is None:
                return decision.status, decision.comment, history
            if decision.action.inner:
                if (question := self._inner(decision.action, seen, subtask)) is not None:
                    return AgentStatus.PENDING, question, history
                continue
            result = self.desktop.perform(decision.action, key=key)
            history.append(self._record(subtask, decision.action, seen, result))
        return AgentStatus.FAIL, "too many steps", history

    def _inner(self, action: Action, seen: VisualState, subtask: Subtask) -> str | None:
        """Carry out a verb of the crew; the question when the user has no answer to it."""
        match action:
            case Memorize(name=name, value=value, target=target):
                assert target is not None
                element = seen.by_id[resolve(target, seen).element_id]
                assert name in self.derived or value in f"{element.text} {element.value}", "a fact is what the screen shows"
                self.facts.append(Fact(name=name, value=value, kind=kind_of(value), app=seen.app, subtask=subtask.id))
            case AskUser(question=question, name=name):
                self.asked.append(question)
                if name not in self.answers:
                    return question
                reply = self.answers[name]
                self.facts.append(Fact(name=name, value=reply, kind=kind_of(reply), role="user"))
            case Answer(text=text):
                self.said.append(text)
        return None

    def _look(self) -> VisualState:
        seen = self.desktop.observe()
        self.screens.pop(seen.state_id, None)
        self.screens[seen.state_id] = seen
        return seen

    def _record(self, subtask: Subtask, action: Action, before: VisualState, result: ActionResult) -> StepRecord:
        after = self._look()
        element = None
        if action.target is not None:
            try:
                element = before.by_id.get(resolve(action.target, before).element_id)
            except TargetError:
                element = None
        record = StepRecord(
            step=len(self.steps) + 1, subtask=subtask.id, app=after.app, action=action.dump(),
            verb=effect_verb(action, effect_of(action, element, before)), target=element.name if element else "",
            exec_status=result.exec_status, error=result.error, before=before.state_id, after=after.state_id,
            visible_change=before.state_id != after.state_id,
            events=tuple(f"{e['kind']}: {e['text']}" for e in screen_events(before, after)),
        )  # fmt: skip
        self.steps.append(record)
        return record
