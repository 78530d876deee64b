"""Typed steps worked by the rules Operator on a real SimulatedDesktop, without graphs."""

import json
from dataclasses import dataclass, field
from typing import Any

from environments.contract import Environment
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import Action, AgentStatus, AskUser, Memorize, TargetError, VisualState, Wait, describe, resolve
from roles.contracts import Fact, OperatorView, StepRecord, Subtask
from roles.contracts.facts import kind_of
from roles.contracts.orders import Entry, Records, RowTest, Step
from roles.operator.recovery import interruption
from roles.operator.rules import RulesOperator
from roles.safety.effects import effect_of
from roles.screen.dialogs import effect_verb, screen_events


def desk(world: str, seed: int = 1) -> SimulatedDesktop:
    """A shipped world by its name, or a world as YAML."""
    spec = parse_world(world) if "\n" in world else load_world(world, seed)
    desktop = SimulatedDesktop(spec, seed)
    desktop.reset(seed=seed)
    return desktop


def which(app: str, kind: str, place: str = "", **tests: str) -> Records:
    """The one record for which these labels show these values."""
    return Records(
        app=app, kind=kind, place=place, tests=tuple(RowTest(label=k.replace("_", " "), value=v) for k, v in tests.items())
    )


def entries(*pairs: str, mode: str = "set") -> tuple[Entry, ...]:
    """Label, value, label, value, ..."""
    return tuple(
        Entry.model_validate({"label": a, "value": b, "mode": mode}) for a, b in zip(pairs[::2], pairs[1::2], strict=True)
    )


@dataclass
class Hands:
    """The Operator at work on one environment. `answers` are what the user says, by the name of the fact."""

    environment: Environment
    cards: tuple[Any, ...] = ()
    facts: list[Fact] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    """Actions in words."""
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    keys: int = 0
    goal: str = "g"

    def work(self, *steps: Step, attempt: int = 1, turns: int = 80) -> tuple[AgentStatus, str]:
        """How it ended, and what the Operator said of it."""
        app = next((app for step in steps if (app := getattr(step, "app", None))), None)
        subtask = Subtask(id="s1", title="t", instruction="i", app=app, steps=steps, attempt=attempt)
        history: list[StepRecord] = []
        memory: dict[str, Any] = {}
        before: VisualState | None = None
        for _ in range(turns):
            seen = self.environment.observe()
            blocked = interruption(seen, history)
            if seen.loading or blocked is not None:
                action: Action = Wait(seconds=1.0) if blocked is None else blocked.action
                if isinstance(action, AskUser):
                    return AgentStatus.PENDING, action.question
                self._perform(action)
                continue
            view = OperatorView(
                user_request=self.goal, subtask=subtask, app=app, seen=seen, facts=tuple(self.facts),
                history=tuple(history[-12:]), memory=json.loads(json.dumps(memory)), cards=self.cards, before=before,
            )  # fmt: skip
            decision = RulesOperator().decide(view)
            memory = decision.memory
            if decision.action is None:
                return decision.status, decision.comment
            self.done.append(describe(decision.action))
            if decision.action.inner:
                if isinstance(decision.action, AskUser) and decision.action.name not in self.answers:
                    return AgentStatus.PENDING, decision.action.question
                self._inner(decision.action)
                continue
            result = self._perform(decision.action)
            after = self.environment.observe()
            history.append(_record(decision.action, seen, after, result.exec_status, result.error, len(history) + 1))
            before = seen
        return AgentStatus.FAIL, "too many steps"

    def _perform(self, action: Action) -> Any:
        self.keys += 1
        return self.environment.perform(action, key=f"key-{self.keys}")

    def _inner(self, action: Action) -> None:
        match action:
            case Memorize(name=name, value=value):
                self.facts.append(Fact(name=name, value=value, kind=kind_of(value)))
            case AskUser(name=name, question=question):
                self.asked.append(question)
                self.facts.append(Fact(name=name, value=self.answers[name], kind="text", role="user"))
            case _:
                self.said.append(str(getattr(action, "text", "")))


def hands(world: str, seed: int = 1, **answers: str) -> Hands:
    desktop = desk(world, seed)
    return Hands(desktop, tuple(desktop.cards()), answers=answers)


def _record(action: Action, before: VisualState, after: VisualState, status: Any, error: str, step: int) -> StepRecord:
    element = None
    if action.target is not None:
        try:
            element = before.by_id.get(resolve(action.target, before).element_id)
        except TargetError:
            element = None
    return StepRecord(
        step=step, subtask="s1", app=after.app, action=action.dump(),
        verb=effect_verb(action, effect_of(action, element, before)),
        target=element.name if element else "", exec_status=status, error=error, before=before.state_id, after=after.state_id,
        visible_change=before.state_id != after.state_id,
        events=tuple(f"{e['kind']}: {e['text']}" for e in screen_events(before, after)),
    )  # fmt: skip
