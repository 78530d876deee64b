"""Desks that are really served: a port of this machine, HTTP, and runs of a folder."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import DEVNULL, PIPE
from types import SimpleNamespace
from typing import Any, NamedTuple

import httpx
import pytest
from warm import Forked
from worked.desk_pages import opened as opened
from worked.desk_pages import waiting_home as waiting_home
from worked.desk_pages import waits_once as waits_once

from environments.served.server import Address
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.crew import Crew
from orchestrator.desk import workers
from orchestrator.desk.app import REFUSALS, served
from orchestrator.desk.auth import Role, Tokens, person_of
from orchestrator.desk.desk import Desk
from protocol import ActionResult, Click, ExecStatus, VisualState
from protocol.model.targets import ActionTarget, Resolved
from roles.contracts import StepRecord, Subtask
from roles.journal.actions import action_key
from roles.journal.journal import Journal

TOKENS: dict[Role, str] = {"view": "token-of-vera", "approve": "token-of-anna", "operate": "token-of-otto"}
NAMES: dict[Role, str] = {"view": "vera", "approve": "anna", "operate": "otto"}
GOAL = "Read the total of invoice INV-7029 in billing, enter it as the amount in the reimbursement form and submit the form"
APPROVE: dict[str, Any] = {"decisions": [{"type": "approve", "who": "Ada"}]}


class Place(NamedTuple):
    """A served desk."""

    address: Address
    desk: Desk
    by: Callable[[Role], httpx.Client]
    """A program that has the token of this role."""

    @property
    def http(self) -> httpx.Client:
        """Of somebody who may do everything."""
        return self.by("operate")

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refusals(self) -> list[dict[str, Any]]:
        """What was written down, newest first."""
        return list(reversed(_REFUSED))


_REFUSED: list[dict[str, Any]] = []


class _Kept(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        assert isinstance(record.args, dict)
        _REFUSED.append(dict(record.args))


REFUSALS.addHandler(_Kept())


Serve = Callable[..., Place]


@pytest.fixture(autouse=True)
def warm_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Desks in this process start each worker with its imports done; those of a server in a process of its own start cold."""
    monkeypatch.setattr(workers, "subprocess", SimpleNamespace(Popen=Forked, PIPE=PIPE, DEVNULL=DEVNULL))


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def _served(open_: ExitStack, folder: Path, port: int = 0, **more: Any) -> Place:
    people = [person_of(NAMES[role], role, token) for role, token in TOKENS.items()]
    desk = Desk(folder, Tokens(people), **more)
    address = open_.enter_context(served(desk, TOKENS["operate"], port=port))
    clients: dict[str, httpx.Client] = {}

    def by(role: Role) -> httpx.Client:
        if role not in clients:
            bearer = {"Authorization": f"Bearer {TOKENS[role]}"}
            client = httpx.Client(base_url=address.base, headers=bearer, trust_env=False, timeout=30)
            clients[role] = open_.enter_context(client)
        return clients[role]

    return Place(address, desk, by)


@pytest.fixture
def serve(runs_dir: Path) -> Iterator[Serve]:
    """`serve()` gives a Place around `runs_dir`."""
    with ExitStack() as open_:
        yield lambda folder=None, port=0, **more: _served(open_, folder or runs_dir, port, **more)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, dict[str, str]]]:
    """One desk for tests that only look, and the ids of a run that waits and of one that came to a good end, with pictures."""
    home = tmp_path_factory.mktemp("runs")
    crew = Crew.from_config(overrides=[f"runs_dir={home}", "display=none"])
    waiting = crew.run(GOAL).run_id
    pictured = Crew.from_config(overrides=[f"runs_dir={home}", "display=none", "screenshots.save=all"])
    done = crew.resume(pictured.run(GOAL).run_id, APPROVE).run_id
    with ExitStack() as open_:
        yield _served(open_, home), {"waiting": waiting, "done": done}


class Working:
    """A run that is written as a crew writes one, when a test says so."""

    def __init__(self, folder: Path, goal: str = "Work", **record: Any) -> None:
        folder.mkdir(parents=True)
        self.folder, self.id = folder, folder.name
        self.goal = goal
        said = {"run_id": folder.name, "started": time.time(), "goal": goal, "settings": {"world": "office", "seed": 0}, **record}
        (folder / "run.json").write_text(json.dumps(said), encoding="utf-8")
        self.journal = Journal(folder / "journal.sqlite", time.time, run_id=folder.name)
        self.journal.append("run_started", {"goal": goal, "run_id": folder.name, "world": "office", "seed": 0})
        self.screen = SimulatedDesktop(load_world("office")).observe()
        self.steps = 0

    def plan(self, *titles: str) -> None:
        plan = tuple(Subtask(id=f"s{n}", title=title, instruction=title, app="billing") for n, title in enumerate(titles, 1))
        shown = [subtask.model_dump(mode="json", exclude_defaults=True) for subtask in plan]
        self.journal.append("plan", {"subtasks": shown, "reason": "as written", "version": 1}, role="manager")
        self.journal.commit()

    def step(self, count: int = 1, **said: Any) -> int:
        """Act, as a crew does in many events, and commit them together; gives the id of the last event."""
        for _ in range(count):
            self.steps += 1
            self._step(self.steps, said)
        self.journal.commit()
        return [event.id for event in self.journal.events()][-1]

    def _step(self, step: int, said: dict[str, Any]) -> None:
        place: dict[str, Any] = {"role": "operator", "subtask": "s1", "step": step}
        seen, after = self._seen(step), self._seen(step + 1)
        before_id, after_id = self.journal.screens.keep(seen), self.journal.screens.keep(after)
        element = next(e for e in seen.elements if e.role in ("link", "button") and e.bbox is not None)
        action = Click(target=ActionTarget.of(element))
        key = action_key(self.id, "s1", 1, step)
        line = said.get("line", f"click number {step}")
        self.journal.append("observed", {"state_id": before_id, "app": "billing", "step": step}, **place)
        self.journal.append("decided", {"status": "CONTINUE", "reasoning": "so it is", "line": line, "plan": []}, **place)
        self.journal.intend(key, action)
        found = Resolved(element_id=element.element_id, tier="track_id")
        self.journal.settle(key, ActionResult(exec_status=ExecStatus.EXECUTED, resolved=found))
        self.journal.append("outcome", {"line": line, "exec_status": "executed", "error": "", "key": key}, **place)
        done = StepRecord(
            step=step, subtask="s1", app="billing", action=action.dump(), verb="click", exec_status=ExecStatus.EXECUTED,
            before=before_id, after=after_id, visible_change=True,
        )  # fmt: skip
        self.journal.step(done, 1, key=f"step/{key}")

    def _seen(self, step: int) -> VisualState:
        first, *rest = self.screen.elements
        return self.screen.model_copy(update={"elements": (first.model_copy(update={"text": f"screen {step}"}), *rest)})

    def ask(self, number: int = 1, **more: Any) -> str:
        """Ask a person, and stop until they answer."""
        key = f"{self.id}/s1/1/{number:06d}"
        request = {
            "key": key, "kind": "approval", "role": "operator", "digest": f"digest-{number}", "rule": "irreversible",
            "action_requests": [{"name": "click", "args": {}, "description": "click “Submit”"}],
            "review_configs": [{"action_name": "click", "allowed_decisions": ["approve", "reject"]}], **more,
        }  # fmt: skip
        self.journal.append("approval_requested", request, role="operator", subtask="s1", step=self.steps + 1)
        self.journal.commit()
        self.report("on_hold", f"waiting for approval: click number {number}", pending=request)
        return key

    def answer(self, key: str, decision: str = "approve", who: str = "Ada") -> None:
        body = {"key": key, "decision": decision, "who": who, "message": "", "digest": "digest-1", "line": "click"}
        self.journal.append("approval", body, role="user", subtask="s1", step=self.steps + 1)
        self.journal.commit()

    def end(self, status: str = "fulfilled") -> None:
        self.journal.append("run_finished", {"status": status, "reason": "all is done", "exit_code": 0})
        self.journal.close()
        self.report(status, "all is done")

    def report(self, status: str, reason: str, **more: Any) -> None:
        report = {"status": status, "reason": reason, "counts": {"steps": self.steps}, "budgets": {}, **more}
        part = self.folder / "report.part"
        part.write_text(json.dumps(report), encoding="utf-8")
        part.replace(self.folder / "report.json")


@pytest.fixture
def working(runs_dir: Path) -> Iterator[Callable[..., Working]]:
    """`working(name, goal=…)` begins a run."""
    made: list[Working] = []

    def begin(name: str = "20260101-000000-0001", **more: Any) -> Working:
        made.append(Working(runs_dir / name, **more))
        return made[-1]

    yield begin
    for one in made:
        one.journal.close()
