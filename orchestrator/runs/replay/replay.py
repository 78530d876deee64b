"""Work a recorded run again with the present code, and say where it first differs."""

import json
import re
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from environments.contract import EnvironmentFault, FileChange
from environments.files.scratch import Scratch
from environments.sandbox.contract import Language, LeftOut, ScriptResult
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.runs.outcome import Approver, Outcome
from orchestrator.runs.replay.courses import Course, NothingRecorded, Parts, choices_of, no_more
from orchestrator.runs.replay.recording import (
    Difference,
    Moment,
    RecordedAction,
    RecordedAnswer,
    Recording,
    apps_differ,
    first_difference,
    moments,
    needs_approval,
    recording_of,
    within,
)
from orchestrator.settings.policies import ROLES
from orchestrator.settings.role_settings import RehearseSettings
from orchestrator.settings.settings import LoadedSettings, Settings
from orchestrator.tasks.plans import PlanFile, plan_of
from orchestrator.tasks.tasks import Task
from protocol import ExecStatus, JsonObject, parse_action
from roles.contracts import Subtask, Supplement
from roles.contracts.requests import PlanReviewRequest, Request, read_request
from roles.journal import events as journal
from roles.journal.journal import Event
from roles.manager.plans import WORK_PLAN, as_given
from roles.safety.privacy.vault import references_in
from roles.safety.privacy.vault_shapes import REFERENCE
from roles.skills.contract import Idempotence, Skill, SkillSettings, ToolRefused, ToolSilent


class RecordedTool:
    """One tool, with its answers in order."""

    def __init__(self, skill: Skill, answers: list[RecordedAction]) -> None:
        self.skill = skill
        self._left = deque(answers)

    def call(self, arguments: Mapping[str, Any]) -> str:
        if not self._left:
            raise ToolRefused(f"{self.skill.called} was not called so often when the run was recorded")
        result = self._left.popleft().result or {}
        if result.get("exec_status") == ExecStatus.EXECUTED.value:
            return str(result.get("output", ""))
        error = str(result.get("error", ""))
        raise (ToolSilent if result.get("exec_status") == ExecStatus.TIMEOUT.value else ToolRefused)(error)


def parts_of(recording: Recording) -> dict[str, Any]:
    """What a run takes to decide as it was decided then: policies that nobody asks, sources, tools and a sandbox."""
    given: dict[str, Any] = {**dict.fromkeys(ROLES, object()), **Course(choices_of(recording.events), no_more).parts}
    given["sandbox"] = RecordedSandbox(recording)
    if recording.record["settings"].get("tools"):  # those of other programs; help documents are looked up again
        given["sources"] = (RecordedSource(recording),)
    # The tools that were called under the names of the run's servers, as its settings rate them
    told = SkillSettings.model_validate(recording.record["settings"].get("skills") or {})
    servers = {server.called: server for server in told.mcp}
    called: dict[tuple[str, str], list[RecordedAction]] = {}
    for _, done in sorted(recording.actions.items()):
        app = done.action.get("app")
        if done.action.get("action_type") == "call_api" and app in servers and done.result is not None:
            called.setdefault((app, done.action["function"]), []).append(done)
    made = []
    for (app, function), answers in called.items():
        risk, twice = servers[app].risk, servers[app].idempotence or Idempotence.ONCE
        skill = Skill(kind="mcp", app=app, name=function, risk=risk, idempotence=twice, settled=risk is not None)
        made.append(RecordedTool(skill, answers))
    return given | {"skills": tuple(made)}


class RecordedPerson:
    """Answers every request as it was answered then; what nobody was asked then stays unanswered."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._left: defaultdict[str, deque[RecordedAnswer]] = defaultdict(deque)
        for said in recording.said:
            self._left[within(said.key)].append(said)

    def __call__(self, body: dict[str, Any]) -> Mapping[str, Any] | None:
        request = read_request(body)
        left = self._left[within(request.key)]
        if not left:
            return None
        said = left.popleft()
        decision: dict[str, Any] = {"type": said.decision, "message": said.message, "who": said.who}
        if said.decision == "edit":
            decision["edited_action"] = self._edited(said, request)
        else:
            decision["digest"] = self._digest(said, request)
        return {"decisions": [decision]}

    def _digest(self, said: RecordedAnswer, request: Request) -> str:
        """What was said to another action then is no answer to this one. A digest with private values is one run's own."""
        done, asked = self._recording.actions.get(within(said.key)), request.about
        if done is None or not references_in(json.dumps(done.action)):
            return said.digest
        return request.digest if done.action == {"action_type": asked.name, **asked.args} else said.digest

    def _edited(self, said: RecordedAnswer, request: Request) -> JsonObject:
        if isinstance(request, PlanReviewRequest):
            # What the person wrote: of the version that was worked for it, what had not ended
            bodies = [
                e.body for e in self._recording.events if e.kind == journal.ApprovalEvent.KIND and e.body.get("key") == said.key
            ]
            plan = [Subtask.model_validate(item) for item in self._recording.plans[bodies[-1]["worked"]]]
            return {"name": WORK_PLAN, "args": as_given(plan).model_dump(mode="json", exclude_defaults=True)}
        action = self._recording.actions[within(said.key)].action
        return {"name": action["action_type"], "args": {k: v for k, v in action.items() if k != "action_type"}}


class RecordedSource:
    """Finds what was found."""

    name = "recorded"

    def __init__(self, recording: Recording) -> None:
        self._found: dict[str, list[Any]] = {
            event.body["query"]: event.body["found"] for event in recording.events if event.kind == journal.SupplementEvent.KIND
        }

    def search(self, query: str, app: str | None, limit: int) -> list[Supplement]:
        return [Supplement.model_validate(item) for item in self._found.get(query, ())]


class RecordedSandbox:
    """Runs nothing: a script that was run comes to what it came to then."""

    refusal = ""

    def __init__(self, recording: Recording) -> None:
        self._left: defaultdict[tuple[str, str], deque[tuple[JsonObject, FileChange]]] = defaultdict(deque)
        for key, done in sorted(recording.actions.items()):
            if done.action.get("action_type") != "run_script" or done.result is None:
                continue
            change = recording.actions.get(f"{key}/files")
            made = FileChange.of(parse_action(change.action)) if change else None
            name = (done.action.get("language", "bash"), done.action["code"])
            self._left[name].append((done.result, made or FileChange()))

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> ScriptResult:
        left = self._left[language, script] or self._referring(language, script)
        if not left:
            raise NothingRecorded("the technician runs a script that it did not run then")
        result, change = left.popleft()
        body = json.loads(result.get("output") or "{}")
        removed = {path.lstrip("/") for path in change.removed}
        after = {path: text for path, text in files.items() if path not in removed}
        after |= {path.lstrip("/"): text.encode("utf-8", "surrogatepass") for path, text in change.written.items()}
        kept = (*(folder for folder in folders if folder not in removed), *(path.lstrip("/") for path in change.folders))
        left_out = [LeftOut(*line.lstrip("/").split(": ", 1)) for line in body.get("left_out", ())]
        return ScriptResult(
            exit_code=body.get("exit_code", 0),
            stdout=body.get("stdout", ""),
            stderr=body.get("stderr", ""),
            timed_out=result.get("exec_status") == ExecStatus.TIMEOUT.value,
            truncated=bool(body.get("cut")),
            files=after,
            folders=kept,
            left_out=tuple(left_out),
        )

    def _referring(self, language: Language, script: str) -> deque[tuple[JsonObject, FileChange]]:
        """The scripts that were recorded with references where this one has values."""
        for (spoken, code), left in self._left.items():
            known = ".+".join(map(re.escape, REFERENCE.split(code)[::2]))
            if left and spoken == language and references_in(code) and re.fullmatch(known, script, re.DOTALL):
                return left
        return deque()


class ReplayResult(NamedTuple):
    """What came of working a run again."""

    run_id: str
    steps: int
    difference: Difference | None
    note: str = ""
    """Why it was not worked to an end, where nothing differs."""
    asks: Moment | None = None
    """The first action that needs an approval now, and did not then."""

    def as_json(self) -> dict[str, Any]:
        found = self.difference
        return {
            "run_id": self.run_id,
            "steps": self.steps,
            "same": found is None,
            "note": self.note,
            "difference": found._asdict() if found else None,
            "needs_approval": {"step": self.asks.step, **self.asks.shown} if self.asks else None,
        }

    def sentence(self) -> str:
        if self.difference is not None:
            said = f"Run {self.run_id} differs first at {self.difference.sentence()}."
            if self.asks is None:
                return said
            return f"{said} Step {self.asks.step} ({self.asks.shown['action']}) needs an approval now, but not in the recording."
        note = f" ({self.note})" if self.note else ""
        return f"Run {self.run_id}: {self.steps} steps repeated, nothing differs{note}."


def replay(recording: Recording, secrets: Mapping[str, str] | None = None) -> ReplayResult:
    """Work it again in a folder that goes afterwards; `secrets` are private values that went when it had ended.

    Raises UsageProblem for a run that cannot be replayed.
    """
    with Scratch("deskcrew-replay-") as place:
        why = repeated(recording, place.path, secrets=secrets)
        folders = [folder for folder in place.path.iterdir() if (folder / "run.json").exists()]
        now = recording_of(folders[0])
    then, since = moments(recording), moments(now)
    found = first_difference(then, since, finished=recording.finished, why=why)
    if found is None and recording.finished and now.finished:
        found = apps_differ(recording.apps, now.apps, now.steps)
    note = "" if recording.finished else recording.cut or "it was not finished then"
    return ReplayResult(recording.run_id, recording.steps, found, note, needs_approval(then, since))


def repeated(recording: Recording, runs_dir: Path, **how: Any) -> str:
    """Work it `again` with all that was said and decided then; returns why it stopped, if not at its end."""
    try:
        return again(recording, runs_dir, parts_of(recording), **how).reason
    except NothingRecorded as more:
        return str(more)


def again(
    recording: Recording,
    runs_dir: Path,
    parts: Parts,
    *,
    listener: Callable[[Event], None] | None = None,
    secrets: Mapping[str, str] | None = None,
    approver: Approver | None = None,
) -> Outcome:
    """Start the run anew in `runs_dir`; where nobody else approves, who was asked then answers as they did.

    Raises UsageProblem where it cannot begin as it did, and NothingRecorded.
    """
    loaded = _settings(recording, runs_dir)
    forked = recording.record.get("forked_from", {})
    if forked.get("changed"):
        raise UsageProblem(
            f"Run {recording.run_id} cannot be repeated as a whole: it was forked from {forked['run_id']} at step "
            f"{forked['step']} with another {' and '.join(forked['changed'])}; replay or fork that one."
        )
    if not loaded.settings.forkable:
        raise UsageProblem(
            f"Run {recording.run_id} cannot be repeated: a {loaded.settings.environment} does not begin in the same state twice."
        )
    values = {**recording.values, **(secrets or {})}
    if missing := [name for name in recording.needed if name not in values]:
        raise UsageProblem(
            f"Run {recording.run_id} cannot be repeated without its private values, which were deleted when it ended; "
            f"give them again: {' '.join(f'--secret {name}' for name in missing)}"
        )
    plan: PlanFile | None = None
    if version := recording.record.get("plan_version"):  # under the name that it had
        plan = plan_of([Subtask.model_validate(item) for item in recording.plans[version]], "the recorded plan")
    given = {**parts, "secrets": values}
    asked = approver or RecordedPerson(recording)
    try:
        return runs.start(loaded, _target(recording), listener=listener, approver=asked, parts=given, plan=plan)
    except (EnvironmentFault, UsageProblem) as bad:
        raise UsageProblem(f"Run {recording.run_id} cannot be replayed: {bad}") from None


def _settings(recording: Recording, runs_dir: Path) -> LoadedSettings:
    data: Mapping[str, Any] = recording.record["settings"]
    try:
        settings = Settings.model_validate({**data, "runs_dir": runs_dir, "display": "none"})
    except ValidationError as bad:
        where = ".".join(str(part) for part in bad.errors()[0]["loc"])
        raise UsageProblem(
            f"Run {recording.run_id} cannot be replayed: its settings.{where} is not a setting of this version "
            f"({bad.errors()[0]['msg']})."
        ) from None
    # Tools from outside are not started, and not asked again: they answer what they answered.
    skills = settings.skills.model_copy(update={"mcp": (), "installed": ()})
    crew = settings.crew.model_copy(update={"rehearse": RehearseSettings()})  # what was rehearsed was decided then
    return LoadedSettings(settings.model_copy(update={"skills": skills, "crew": crew}), dict(recording.record.get("sources", {})))


def _target(recording: Recording) -> Task | str:
    harness = recording.record.get("harness")
    if not harness:
        return str(recording.record["goal"])
    try:
        return Task.model_validate(harness["task"])
    except ValidationError as bad:
        where = ".".join(str(part) for part in bad.errors()[0]["loc"])
        raise UsageProblem(
            f"Run {recording.run_id} cannot be replayed: its task's {where} is none of this version ({bad.errors()[0]['msg']})."
        ) from None
