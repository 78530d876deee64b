"""Gates that are off: a crew that takes its workers at their word, to measure against or where mistakes cost nothing."""

from __future__ import annotations

from roles.contracts import GateRequest, GateVerdict
from roles.signals import GateDecision, GateTrigger

_WORDS = {
    GateTrigger.WORKER_SUCCESS: GateDecision.DONE,
    GateTrigger.FINAL_CHECK: GateDecision.DONE,
    GateTrigger.PERIODIC_CHECK: GateDecision.CONTINUE,
    GateTrigger.WORKER_STALE: GateDecision.FAIL,
}


class TrustingEvaluator:
    """Looks at nothing: who says done is done, who says stuck is stuck."""

    def judge(self, request: GateRequest) -> GateVerdict:
        said = request.summary or "nothing"
        return GateVerdict(decision=_WORDS[request.trigger], reason=f"unchecked; the worker said: {said}")
