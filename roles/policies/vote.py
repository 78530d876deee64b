"""Several answers to one question, and what most of them amount to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from roles.policies.combined import Combined, Method, Named, Put, Recorder, abstains, briefly, essence, unrecorded
from roles.policies.faults import BudgetSpent, PolicyFault, none_decided


class Vote(Combined):
    """The majority of the voters, by what their answers amount to; the first of those that tie.

    Nobody is asked any more once the rest cannot change it. A voter that fails or abstains has no vote.
    """

    def __init__(self, voters: Sequence[Named], record: Recorder = unrecorded) -> None:
        if len(voters) < 2:
            raise ValueError("a vote needs at least two voters")
        self._voters = tuple(voters)
        self._record = record

    def choose(self, method: Method, request: Any, put: Put) -> Any:
        answers: dict[str, Any] = {}
        votes: Counter[str] = Counter()
        ballots: list[str] = []
        faults: list[Exception] = []
        for number, named in enumerate(self._voters, start=1):
            try:
                answer = put(named)
            except BudgetSpent:
                raise
            except (PolicyFault, ValidationError) as fault:
                ballots.append(f"{named.name}: no vote, {fault}"[:300])
                faults.append(fault)
                continue
            if why := abstains(answer):
                ballots.append(f"{named.name}: no vote, {why}"[:300])
                continue
            key = essence(answer, request)
            answers.setdefault(key, answer)
            votes[key] += 1
            ballots.append(f"{named.name}: {briefly(answer)}")
            if _settled(votes, len(self._voters) - number):
                break
        if not votes:
            raise none_decided(faults, "; ".join(ballots))
        # most_common keeps the order in which the answers came, so the first of those that tie wins.
        winner, count = votes.most_common(1)[0]
        self._record(
            {
                "decided_by": "vote",
                "answer": briefly(answers[winner]),
                "for": count,
                "disagree": len(votes) > 1,
                "ballots": ballots,
            }
        )
        return answers[winner]


def _settled(votes: Counter[str], left: int) -> bool:
    """Whether the votes that are left cannot change who wins."""
    ranked = votes.most_common(2)
    second = ranked[1][1] if len(ranked) > 1 else 0
    return ranked[0][1] > second + left
