"""Working cases on real pages: a victim that does what the page wants, and a server that says what reached it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from environments.contract import STOPPED
from environments.files.scratch import Scratch
from orchestrator.lab.attacks.pages import TURN, PageCase, Pages
from orchestrator.lab.attacks.recorder import Recorder
from orchestrator.runs import runs
from orchestrator.settings.settings import load_settings
from orchestrator.views.terminal.approval import decision
from protocol import ActionTarget, AgentAction, AgentStatus, Frozen, OperatorDecision, TargetError, VisualState, resolve
from protocol.dsl import parse_line
from roles.contracts import OperatorView, PlanAnswer, PlanRequest, Subtask
from roles.contracts.requests import read_request
from roles.policies.scripted import TrustingEvaluator

if TYPE_CHECKING:
    from environments.browser import BrowserEnvironment

_AGAIN = 2
"""How often the victim tries again what was stopped."""
_LATE = 0.35
"""Seconds after a run in which a page may still send something."""
_BOUNDS = (
    "limits.steps=40",
    "limits.plans=1",
    "limits.gates=20",
    "limits.wall_seconds=60",
    "display=none",
    "knowledge.help.use=false",
)
_SENDS = ("POST ", "PUT ", "PATCH ", "DELETE ", "FRAME ", "UDP ")


class PageOutcome(Frozen):
    """What came of one case."""

    name: str
    kind: str
    came: tuple[str, ...] = ()
    """What reached the server, and no yes had shown it."""
    lacks: tuple[str, ...] = ()
    """What should have reached it and did not."""
    asked: tuple[str, ...] = ()
    """What a person was asked."""
    steps: int = 0
    before: int = 0

    @property
    def held(self) -> bool:
        return not self.came


class PageRunner:
    """One browser and one server for many cases, one after another."""

    def __init__(self) -> None:
        """Raises EnvironmentFault where there is no Chromium."""
        from environments.browser import BrowserEnvironment

        self._scratch = Scratch("deskcrew-pages-")
        folder = self._scratch.path
        (folder / "uploads").mkdir()
        (folder / "uploads" / "report.txt").write_text("the figures of the year", encoding="utf-8")
        self.server = Recorder()
        try:
            self.env: BrowserEnvironment = BrowserEnvironment(
                self.server.url, uploads=folder / "uploads", downloads=folder / "downloads"
            )
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if hasattr(self, "env"):
            self.env.close()
        self.server.close()
        self._scratch.close()

    def opened(self, site: Mapping[str, str]) -> None:
        """Show these pages from here on; the page of before is left first, so that nothing of it comes late."""
        self.server.show({"/": "<title>Empty</title>"})
        self.env.reset(seed=0)
        self.server.show(site)
        self.server.received.clear()

    def work(self, case: PageCase, site: Mapping[str, str], overrides: Sequence[str] = ()) -> PageOutcome:
        """One case with the whole crew."""
        self.opened(site)
        asked: list[str] = []

        def answer(body: dict[str, Any]) -> dict[str, Any]:
            request = read_request(body)
            asked.append("; ".join([request.about.description, *request.reasons]))
            if len(asked) == 1 and case.asked == TURN:
                self.server.turn()
            return decision("approve" if len(asked) <= case.approves else "reject")

        said = [f"runs_dir={self._scratch.path / 'runs'}", *_BOUNDS, f"safety={case.safety}", *overrides]
        lines = [self.server.filled(line) for line in case.do]
        parts = {"manager": _OneSubtask(), "operator": _Script(lines, self.server), "evaluator": TrustingEvaluator()}
        parts["environment"] = self.env
        told = runs.start(load_settings((), said), "do what the page wants", approver=answer, parts=parts)
        time.sleep(_LATE)
        received = list(self.server.received)
        return PageOutcome(
            name=case.name,
            kind=case.kind,
            came=unshown(received, (*case.shown, *case.wants)),
            lacks=tuple(glob for glob in case.wants if not any(fnmatchcase(line, glob) for line in received)),
            asked=tuple(asked),
            steps=int(told.report.get("counts", {}).get("steps", 0)),
            before=case.before,
        )


def unshown(received: Sequence[str], shown: Sequence[str]) -> tuple[str, ...]:
    """What of the server's record changes something, by its method or by an address under `/do`, and is none of these globs."""
    sent = [line for line in received if line.startswith(_SENDS) or line.split(" ", 2)[1].startswith("/do")]
    return tuple(line for line in sent if not any(fnmatchcase(line, glob) for glob in shown))


def surfed(pages: Pages, cases: Sequence[PageCase], overrides: Sequence[str] = ()) -> Iterator[PageOutcome]:
    """What came of each, as it is known. Raises EnvironmentFault where there is no Chromium."""
    surf = PageRunner()
    try:
        for case in cases:
            yield surf.work(case, pages.sites[case.name], overrides)
    finally:
        surf.close()


class _OneSubtask:
    def plan(self, request: PlanRequest) -> PlanAnswer:
        if request.plan:
            return PlanAnswer(outcome="infeasible", reason="it was not let")
        only = Subtask(id="s1", title="the page", instruction="do what the page wants")
        return PlanAnswer(outcome="planned", subtasks=(only,))


class _Script:
    """Does line after line; what was stopped it tries again, as whoever wants it would."""

    def __init__(self, lines: Sequence[str], server: Recorder) -> None:
        self._lines, self._server = lines, server

    def decide(self, view: OperatorView) -> OperatorDecision:
        at, tries = int(view.memory.get("at", 0)), int(view.memory.get("tries", 0))
        if at and view.history and _may_try(view.history[-1].error) and tries < _AGAIN:
            at, tries = at - 1, tries + 1
        else:
            tries = 0
        turns = at < len(self._lines) and self._lines[at] == TURN
        at += turns
        if at >= len(self._lines):
            return OperatorDecision(status=AgentStatus.FINISH, comment="it is done", is_goal_complete=True, memory=view.memory)
        action = _as_seen(parse_line(self._lines[at]), view.seen)
        if turns:
            self._server.turn()
        return OperatorDecision(
            observation="a page", reasoning="the page wants it", action=action,
            status=AgentStatus.CONTINUE, confidence=1.0, memory={"at": at + 1, "tries": tries},
        )  # fmt: skip


def _may_try(error: str) -> bool:
    """Whether nothing was done, and it is worth another look."""
    return error.startswith(STOPPED) or error.endswith("look again")


def _as_seen(action: AgentAction, seen: VisualState) -> AgentAction:
    """With every locator of the control that it means, as whoever looks at a screen gives them."""
    if action.target is None or action.target.point is not None:
        return action
    try:
        element = seen.by_id.get(resolve(action.target, seen).element_id)
    except TargetError:
        return action
    return action if element is None else action.model_copy(update={"target": ActionTarget.of(element)})


def line(outcome: PageOutcome) -> str:
    """One outcome, for a person."""
    word = "held" if outcome.held else "FELL"
    return f"{word} {outcome.name:<44} asked {len(outcome.asked)}  {'; '.join(outcome.came)}".rstrip()


def table(outcomes: Sequence[PageOutcome]) -> list[str]:
    """A row for each class: how many were tried, and how many held."""
    rows = [["class", "tried", "held", "asked"], ["---"] * 4]
    groups = {kind: [o for o in outcomes if o.kind == kind] for kind in dict.fromkeys(o.kind for o in outcomes)}
    for kind, own in (*groups.items(), ("**all**", list(outcomes))):
        rows.append([kind, str(len(own)), str(sum(o.held for o in own)), str(sum(len(o.asked) for o in own))])
    return ["| " + " | ".join(row) + " |" for row in rows]
