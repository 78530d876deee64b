"""A chain of policies: the next one is asked when the one before it fails or abstains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from roles.policies.combined import Combined, Method, Named, Put, Recorder, abstains, briefly, unrecorded
from roles.policies.faults import BudgetSpent, PolicyFault, none_decided


class Fallback(Combined):
    """The first usable answer of the chain. It is recorded who gave it, and what kept the others from it."""

    def __init__(self, chain: Sequence[Named], record: Recorder = unrecorded) -> None:
        if not chain:
            raise ValueError("a chain of policies needs at least one")
        self._chain = tuple(chain)
        self._record = record

    def choose(self, method: Method, request: Any, put: Put) -> Any:
        passed: list[str] = []
        faults: list[Exception] = []
        weak: Any = None
        for named in self._chain:
            try:
                answer = put(named)
            except BudgetSpent:
                raise
            except (PolicyFault, ValidationError) as fault:
                passed.append(f"{named.name}: {fault}"[:300])
                faults.append(fault)
                continue
            if why := abstains(answer):
                passed.append(f"{named.name}: {why}"[:300])
                weak = answer
                continue
            self._record({"decided_by": named.name, "passed": passed, "answer": briefly(answer)})
            return answer
        self._record({"decided_by": "", "passed": passed, "answer": ""})
        if weak is not None:
            return weak
        raise none_decided(faults, "; ".join(passed))
