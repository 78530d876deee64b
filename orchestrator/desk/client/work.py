"""Commands that work a run on another machine: what they send, the face that follows it, and the outcome's exit code."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from orchestrator.control.controls import Stop, heeding
from orchestrator.desk.client.remote import Remote, State, outcome_of, path_of, token_for
from orchestrator.errors import Stopped, UsageProblem
from orchestrator.runs.plans import ShownPlan, read_given, read_plan, told
from orchestrator.runs.privacy.clean import clean, json_text
from orchestrator.settings.layers import file_layer, shipped_names
from orchestrator.store.blackboard import board_page
from orchestrator.store.folders import RunView
from orchestrator.tasks.tasks import Task, resolve_target
from orchestrator.views.listing import run_json, run_page
from orchestrator.views.terminal.ending import ELSEWHERE
from orchestrator.views.terminal.prompt import settled_by

if TYPE_CHECKING:
    from orchestrator.runs.face import Face
    from orchestrator.runs.outcome import Outcome

_NO_PLAN = "There is no plan: "
_LOOKS_AGAIN = 1.0
"""Seconds between two looks, while somebody is asked here, whether somebody has answered there."""


def connected(server: str, token_file: Path | None) -> Remote:
    """The server, with the token from where it is kept. Raises UsageProblem."""
    remote = Remote(server, token_for(server, token_file))
    if remote.plain:
        typer.echo(f"deskcrew: warning: {remote.url} is another machine, and nothing that is sent is encrypted", err=True)
    ELSEWHERE.set(f" --server {shlex.quote(remote.url)}")
    return remote


def order(
    target: str | None, config: Sequence[Path], overrides: Iterable[str], plan: Path | None, secrets: Mapping[str, str]
) -> dict[str, Any]:
    """What is sent to have a run started: files are read here, since the server has none of them. Raises UsageProblem."""
    if target is None:
        raise UsageProblem('There is nothing to do; say it in words (deskcrew run "Open ...") or name a task.')
    if plan is not None:
        read_plan(plan)
    settings = [f"{key}={json.dumps(value)}" for path in config for key, value in file_layer(path).data.items()]
    body: dict[str, Any] = {"overrides": [*settings, *overrides], "plan": read_given(plan) if plan else None}
    return body | _target(target) | {"secrets": dict(secrets)}


def _target(target: str) -> dict[str, Any]:
    if target in shipped_names("tasks"):
        return {"task": target}
    found = resolve_target(target)
    if not isinstance(found, Task):
        return {"goal": found}
    return {"task": found.model_dump(mode="json", by_alias=True, exclude_defaults=True)}


def secrets_of(target: str | None) -> tuple[str, ...]:
    """Names of the private values that a task wants of its user."""
    found = None if target is None else resolve_target(target)
    return found.secrets if isinstance(found, Task) else ()


def started(remote: Remote, face: Face, body: Mapping[str, Any]) -> None:
    """Start a run there, follow it here, and end with its exit code."""
    _followed(remote, face, str(remote.post("/api/runs", body)["id"]), 0)


def resumed(remote: Remote, face: Face, run_id: str, answer: Mapping[str, Any] | None, overrides: Sequence[str]) -> None:
    """Go on with a run there, with an answer if one is given, and follow it here."""
    name, heard = _recalled(remote, face, run_id)
    now = remote.state(name)
    if answer is not None:
        if not now.asking:
            raise UsageProblem(f"Run {name} waits for no answer; resume it with: deskcrew resume {name}{ELSEWHERE.get()}")
        remote.answer(name, now.asking, answer)
    elif now.status != "on_hold":
        remote.steered(name, "resume", {"overrides": list(overrides)})
    _followed(remote, face, name, heard)


def shown_there(remote: Remote, run_id: str, plan: bool, board: bool, at: int | None, *, as_json: bool) -> tuple[str, bool]:
    """What `show` prints of a run there, and whether its last line is ended."""
    name = remote.find(run_id)
    if board:
        known = remote.get(f"{path_of(name)}/blackboard", **({} if at is None else {"at": at}))
        return (json_text(known, 2) if as_json else board_page(known)), False
    if plan:
        found = remote.get(f"{path_of(name)}/plan")
        return told(ShownPlan(found["plan"], tuple(found["about"])), as_json), True
    now = remote.state(name)
    view = RunView(now.report, now.notes)
    return (run_json(view) if as_json else run_page(view)), False


def handed_back(remote: Remote, face: Face, run_id: str, say: str) -> None:
    """Give a run back to its crew, and follow it here."""
    name, heard = _recalled(remote, face, run_id)
    remote.steered(name, "handback", {"message": say})
    _followed(remote, face, name, heard)


def planned(remote: Remote, body: Mapping[str, Any]) -> ShownPlan | str:
    """The plan that is made there, or in words why there is none."""
    wanted = {key: value for key, value in body.items() if key not in ("plan", "secrets")}
    try:
        made = remote.post("/api/plan", wanted)
    except UsageProblem as bad:
        if str(bad).startswith(_NO_PLAN):
            return str(bad).removeprefix(_NO_PLAN)
        raise
    return ShownPlan(made["plan"], tuple(made["about"]))


def _recalled(remote: Remote, face: Face, run_id: str) -> tuple[str, int]:
    name, heard = remote.find(run_id), 0
    for event in remote.past(name):
        face.recall(event)
        heard = event.id
    return name, heard


def _followed(remote: Remote, face: Face, run_id: str, heard: int) -> None:
    """With a face on the screen until the run rests. Ctrl-C pauses it there, twice leaves it alone; it goes on without us."""
    stop = Stop()
    face.start()
    try:
        with heeding(stop, lambda: None):
            outcome = _to_its_rest(remote, face, run_id, heard, stop)
    except KeyboardInterrupt:
        face.stop()
        where = f"{run_id}{ELSEWHERE.get()}"
        typer.echo(f"\ndeskcrew: run {run_id} goes on without you; see it with: deskcrew show {where}", err=True)
        raise
    finally:
        face.stop()
    face.finish(outcome)
    raise typer.Exit(outcome.exit_code)


def _to_its_rest(remote: Remote, face: Face, run_id: str, heard: int, stop: Stop) -> Outcome:
    last = [heard]

    def hear(event: Any) -> None:
        last[0] = event.id
        face.event(event)

    while True:
        now = _interruptible(stop, lambda: remote.pause(run_id), lambda: remote.follow(run_id, hear, last[0]))
        if now.pending is None or face.approver is None or stop.who:
            return outcome_of(run_id, now)
        elsewhere = _Elsewhere(remote, run_id, now, last[0])
        with settled_by(elsewhere):
            answer = face.approver(now.pending)
        if answer is None and elsewhere.said:
            continue
        if answer is None:
            return outcome_of(run_id, now)
        try:
            remote.answer(run_id, now.asking, answer)
        except UsageProblem as bad:  # somebody was first, or it cannot be an answer: then it is asked again
            print(f"deskcrew: {clean(str(bad), 1000)}", file=sys.stderr, flush=True)


class _Elsewhere:
    """Looks whether somebody else has answered there what is asked here."""

    def __init__(self, remote: Remote, run_id: str, asked: State, after: int) -> None:
        self._remote, self._run_id, self._asked, self._after = remote, run_id, asked, after
        self._looked = time.monotonic()
        self.said = ""

    def __call__(self) -> str:
        if time.monotonic() - self._looked < _LOOKS_AGAIN:
            return ""
        try:
            if self._remote.state(self._run_id).asking != self._asked.asking:
                self.said = self._told()
        except Stopped:  # a server that is away for a while has told nothing
            return ""
        finally:
            self._looked = time.monotonic()
        return self.said

    def _told(self) -> str:
        for event in self._remote.past(self._run_id, self._after):
            if event.kind == "approval" and event.body.get("decision"):
                return f"{clean(event.body.get('who', ''), 60)} has answered: {clean(event.body['decision'], 20)}"
        return "somebody else has answered"


def _interruptible(stop: Stop, pause: Callable[[], Any], work: Callable[[], Any]) -> Any:
    """While a stream is waited for, Ctrl-C is heard at once: the first pauses the run there."""
    stop.at_rest = not stop.who
    try:
        return work()
    except KeyboardInterrupt:
        if not stop.at_rest:
            raise
        stop.at_rest = False
        said = "deskcrew: pausing before the next action; press Ctrl-C again to let it go on without you"
        print(f"\n{said}", file=sys.stderr, flush=True)  # not by typer, which writes into the rows of the live view
        pause()
        return work()
    finally:
        stop.at_rest = False
