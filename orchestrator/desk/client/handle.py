"""A handle of a run of a desk: the verbs of `RunControl` over its API. `RunHandle` and `Runs` are either of the two."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from orchestrator.control.controls import Stop
from orchestrator.control.requests import settled_by
from orchestrator.desk.client.remote import Remote, path_of
from orchestrator.desk.models import RunReport
from orchestrator.errors import MachineStopped, UsageProblem, only_one
from orchestrator.runs.folders import RunInfo, RunView
from orchestrator.runs.handle import ControlResult, LocalRuns, RunControl
from orchestrator.runs.outcome import Approver, Outcome
from orchestrator.runs.report import Board
from orchestrator.settings.layers import file_layer, override_lines, shipped_names
from orchestrator.store.printable import clean
from orchestrator.tasks.plans import ShownPlan, read_given, read_plan
from orchestrator.tasks.tasks import Task, resolve_target
from protocol import JsonObject
from protocol.dsl import DSLError, parse_line
from roles.contracts.policies import Addressee
from roles.journal.journal import Event, Listener
from roles.manager.plans import WORK_PLAN

_NO_PLAN = "There is no plan: "
_LOOKS_AGAIN = 1.0
"""Seconds between two looks, while somebody is asked here, whether somebody has answered there."""
_ROWS = 80
"""Elements of a screen that are shown."""
_HELD_STILL = frozenset({"on_hold", "paused", "taken_over", "interrupted"})


class RemoteRun:
    """A run of a desk."""

    def __init__(self, remote: Remote, run_id: str) -> None:
        self.run_id = run_id
        self._remote = remote
        self._path = path_of(run_id)
        self._heard = 0
        """The last event that somebody here was told of."""

    def report(self) -> RunView:
        now = self._remote.state(self.run_id)
        return RunView(now.report, [*now.notes])

    def plan(self) -> ShownPlan:
        found = self._remote.get(f"{self._path}/plan")
        return ShownPlan(found["plan"], tuple(found["about"]))

    def blackboard(self, at: int | None = None) -> Board:
        return cast("Board", self._remote.get(f"{self._path}/blackboard", **({} if at is None else {"at": at})))

    def prompts(self, step: int | None = None) -> list[JsonObject]:
        asked = {} if step is None else {"step": step}
        return cast("list[JsonObject]", self._remote.get(f"{self._path}/prompts", **asked)["calls"])

    def past(self) -> Iterator[Event]:
        for event in self._remote.past(self.run_id):
            self._heard = event.id
            yield event

    def pause(self) -> ControlResult:
        return self._asked("pause")

    def cancel(self, why: str = "") -> ControlResult:
        return self._asked("cancel", why=why)

    def steer(self, words: str, to: Addressee = "crew") -> ControlResult:
        return self._asked("steer", words=words, to=to)

    def takeover(self) -> ControlResult:
        return self._asked("takeover")

    @contextmanager
    def hands(self) -> "Iterator[RemoteHands]":
        yield RemoteHands(self._remote, self.run_id)

    def resume(
        self,
        *,
        answer: Mapping[str, Any] | None = None,
        overrides: Sequence[str] = (),
        listener: Listener | None = None,
        approver: Approver | None = None,
        stop: Stop | None = None,
    ) -> Outcome:
        now = self._remote.state(self.run_id)
        if answer is not None:
            if not now.asking:
                raise UsageProblem(
                    f"Run {self.run_id} is not waiting for an answer; resume it with: deskcrew resume {self.run_id}"
                )
            self._answer(now.asking, answer)
        elif now.status != "on_hold":
            self._asked("resume", overrides=list(overrides))
        return self.followed(listener, approver, stop)

    def handback(
        self, say: str = "", *, listener: Listener | None = None, approver: Approver | None = None, stop: Stop | None = None
    ) -> Outcome:
        self._asked("handback", message=say)
        return self.followed(listener, approver, stop)

    def followed(self, listener: Listener | None, approver: Approver | None, stop: Stop | None) -> Outcome:
        """Until it rests: what it asks is asked here, too, and whoever answers first is heard."""
        stop = stop or Stop()

        def hear(event: Event) -> None:
            self._heard = event.id
            if listener is not None:
                listener(event)

        while True:
            now = self._interruptible(stop, lambda: self._remote.follow(self.run_id, hear, self._heard))
            if now.pending is None or approver is None or stop.who:
                return self._outcome(now)
            elsewhere = _AnswerWatch(self._remote, self.run_id, now, self._heard)
            with settled_by(elsewhere):
                answer = approver(now.pending)
            if answer is None and elsewhere.said:
                continue
            if answer is None:
                return self._outcome(now)
            try:
                self._answer(now.asking, answer)
            except UsageProblem as bad:  # somebody was first, or it cannot be an answer: then it is asked again
                print(f"deskcrew: {clean(str(bad), 1000)}", file=sys.stderr, flush=True)

    def _interruptible(self, stop: Stop, work: Callable[[], RunReport]) -> RunReport:
        """While a stream is waited for, Ctrl-C is heard at once: the first pauses the run there."""
        stop.at_rest = not stop.who
        try:
            return work()
        except KeyboardInterrupt:
            if not stop.at_rest:
                raise
            stop.at_rest = False
            stop.told()
            self.pause()
            return work()
        finally:
            stop.at_rest = False

    def _asked(self, verb: str, **body: Any) -> ControlResult:
        told = self._remote.post(f"{self._path}/{verb}", body)
        return ControlResult(told["run_id"], told["state"], told["said"], tuple(told["next"]))

    def _answer(self, asking: str, answer: Mapping[str, Any]) -> None:
        decision = answer["decisions"][0]
        body = {"pending": asking, "decision": decision["type"], "message": decision.get("message") or ""}
        if edited := decision.get("edited_action"):
            plan = edited["name"] == WORK_PLAN
            body["action"] = edited["args"] if plan else {"action_type": edited["name"], **edited["args"]}
        if constraints := decision.get("constraints"):
            body["constraints"] = constraints
        self._remote.post(f"{self._path}/answer", body)

    def _outcome(self, now: RunReport) -> Outcome:
        """As the process that worked the run had it; its folder is the other machine's, so it is only named."""
        status = now.status if now.status in _HELD_STILL else str(now.report.get("status", now.status))
        return Outcome(
            run_id=self.run_id, folder=Path("runs") / self.run_id, status=status, exit_code=now.exit_code,
            reason=str(now.report.get("reason") or now.reason), report=now.report, pending=now.pending,
        )  # fmt: skip


class RemoteHands:
    """A person's hands in a run of a desk. Its screen is shown as it was kept after the last action, private content left out."""

    def __init__(self, remote: Remote, run_id: str) -> None:
        self._remote, self._run_id = remote, run_id
        self._state = ""

    def shown(self) -> str:
        if not self._state:
            states = [str(event.body["state_id"]) for event in self._remote.past(self._run_id) if event.body.get("state_id")]
            self._state = states[-1] if states else ""
        if not self._state:
            return "No screen was kept yet."
        seen = self._remote.get(f"{path_of(self._run_id)}/screens/{self._state}/elements")
        lines = list(_lines(seen["elements"]))
        more = [f"and {len(lines) - _ROWS} more"] if len(lines) > _ROWS else []
        return "\n".join([f"# {clean(seen['app'] or 'desktop', 80)}: {len(lines)} elements", *lines[:_ROWS], *more])

    def done(self, line: str) -> str:
        try:
            parse_line(line)
        except DSLError as bad:
            return bad.message
        came = self._remote.post(f"{path_of(self._run_id)}/act", {"action": line})
        self._state = str(came["state_id"])
        return str(came["error"])


def _lines(elements: list[list[Any]]) -> Iterator[str]:
    for element in elements:
        try:
            role, text, value = (clean(part or "", 120) for part in element[4:7])
        except ValueError:
            raise UsageProblem("The desk uses another format of screens; is it of the same version?") from None
        if text or value:
            yield f"{role} {text!r}" + (f" = {value!r}" if value else "")


class _AnswerWatch:
    """Looks whether somebody else has answered there what is asked here."""

    def __init__(self, remote: Remote, run_id: str, asked: RunReport, after: int) -> None:
        self._remote, self._run_id, self._asked, self._after = remote, run_id, asked, after
        self._looked = time.monotonic()
        self.said = ""

    def __call__(self) -> str:
        if time.monotonic() - self._looked < _LOOKS_AGAIN:
            return ""
        try:
            if self._remote.state(self._run_id).asking != self._asked.asking:
                self.said = self._told()
        except MachineStopped:  # a server that is away for a while has told nothing
            return ""
        finally:
            self._looked = time.monotonic()
        return self.said

    def _told(self) -> str:
        for event in self._remote.past(self._run_id, self._after):
            if event.kind == "approval" and event.body.get("decision"):
                return f"{clean(event.body.get('who', ''), 60)} has answered: {clean(event.body['decision'], 20)}"
        return "somebody else has answered"


class RemoteRuns:
    """The runs of a desk."""

    folder = None
    leaving = "leave it running"

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self.option = f" --server {shlex.quote(remote.url)}"
        self.warning = remote.warning

    def list(self) -> list[RunInfo]:
        return [RunInfo(**run) for run in self._remote.get("/api/listing")["runs"]]

    def run(self, run_id: str, *, who: str = "", wait: float = 20.0, secrets: Mapping[str, str] | None = None) -> RemoteRun:
        if who:
            raise UsageProblem("--as is for runs of this machine; a server identifies you by your token.")
        name = only_one(run_id, [run.run_id for run in self.list()], f"at {self._remote.url}", f"deskcrew ls{self.option}")
        return RemoteRun(self._remote, name)

    def order(
        self, target: str | None, config: Sequence[Path], overrides: Sequence[str], plan: Path | None, display: str | None
    ) -> "RemoteOrder":
        from orchestrator.settings.settings import load_settings

        if target is None:
            raise UsageProblem('No goal is given; state one in words (deskcrew run "Open ...") or name a task.')
        if plan is not None:
            read_plan(plan)
        settings = [line for path in config for line in override_lines(file_layer(path).data)]
        body: dict[str, Any] = {"overrides": [*settings, *overrides], "plan": read_given(plan) if plan else None}
        shown = load_settings(overrides=[] if display is None else override_lines({"display": display})).settings.display
        return RemoteOrder(self, self._remote, target, body, shown)

    def left(self, run_id: str) -> str:
        return f"run {run_id} continues without you; see it with: deskcrew show {run_id}{self.option}"

    def close(self) -> None:
        self._remote.close()


class RemoteOrder:
    """A run that a desk can start: files are read here, since the server has none of them."""

    def __init__(self, runs: RemoteRuns, remote: Remote, target: str, body: dict[str, Any], display: str) -> None:
        self.runs, self.display = runs, display
        self._remote = remote
        found = resolve_target(target)
        self.secrets = found.secrets if isinstance(found, Task) else ()
        if not isinstance(found, Task):
            self._body = body | {"goal": found}
        elif target in shipped_names("tasks"):
            self._body = body | {"task": target}
        else:
            self._body = body | {"task": found.model_dump(mode="json", by_alias=True, exclude_defaults=True)}

    def start(
        self, secrets: Mapping[str, str], listener: Listener | None, approver: Approver | None, stop: Stop | None
    ) -> Outcome:
        run_id = str(self._remote.post("/api/runs", self._body | {"secrets": dict(secrets)})["id"])
        return RemoteRun(self._remote, run_id).followed(listener, approver, stop)

    def plan(self) -> ShownPlan | str:
        try:
            made = self._remote.post("/api/plan", {key: value for key, value in self._body.items() if key != "plan"})
        except UsageProblem as bad:
            if str(bad).startswith(_NO_PLAN):
                return str(bad).removeprefix(_NO_PLAN)
            raise
        return ShownPlan(made["plan"], tuple(made["about"]))


RunHandle = RunControl | RemoteRun
"""One run. Everything raises UsageProblem where there is no such run, and for what cannot be asked of it."""
Runs = LocalRuns | RemoteRuns
"""The runs of a folder, or of a desk."""
