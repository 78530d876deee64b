"""A Technician that runs the scripts that are written down for it, in order."""

from __future__ import annotations

from protocol import Frozen
from roles.contracts import Script, ScriptAnswer, ScriptRequest


class TechnicianScript(Frozen):
    """Scripts per subtask id, or `any` for every subtask; past the end, or where one did not work, the Technician is done."""

    scripts: dict[str, tuple[Script, ...]]


class ScriptedTechnician:
    """Runs what stands next for the subtask: how many were run comes with the request."""

    def __init__(self, script: TechnicianScript) -> None:
        self._scripts = script.scripts

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        scripts = self._scripts.get(f"{request.subtask.id}/{request.subtask.attempt}") or self._scripts.get(request.subtask.id)
        scripts = scripts or self._scripts.get("any", ())
        if request.ran and request.ran[-1].error:
            return ScriptAnswer(outcome="cannot", reason=f"script {len(request.ran)} did not work: {request.ran[-1].error}")
        if len(request.ran) >= len(scripts):
            return ScriptAnswer(outcome="done", reason="the script has ended")
        return ScriptAnswer(outcome="run", script=scripts[len(request.ran)])
