"""Tools from outside that say again what they said when the run was recorded. Nothing of them is started."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from orchestrator.replaying.recording import Done, Recording
from protocol import ExecStatus
from roles.skills.contract import Idempotence, Skill, ToolRefused, ToolSilent
from roles.skills.settings import SkillSettings


class RecordedTool:
    """One tool, with its answers in order."""

    def __init__(self, skill: Skill, answers: list[Done]) -> None:
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


def recorded_tools(recording: Recording) -> tuple[RecordedTool, ...]:
    """The tools that were called under the names of the run's servers, as its settings rate them."""
    told = SkillSettings.model_validate(recording.record["settings"].get("skills") or {})
    servers = {server.called: server for server in told.mcp}
    called: dict[tuple[str, str], list[Done]] = {}
    for _, done in sorted(recording.actions.items()):
        app = done.action.get("app")
        if done.action.get("action_type") == "call_api" and app in servers and done.result is not None:
            called.setdefault((app, done.action["function"]), []).append(done)
    made = []
    for (app, function), answers in called.items():
        risk, twice = servers[app].risk, servers[app].idempotence or Idempotence.ONCE
        skill = Skill(kind="mcp", app=app, name=function, risk=risk, idempotence=twice, settled=risk is not None)
        made.append(RecordedTool(skill, answers))
    return tuple(made)
