"""When a policy cannot decide.

PolicyFault        it could not decide this time: the model was unreachable, its answer unusable
  GaveUp           it was asked again as often as it may be: asking once more brings nothing
    Unreachable    nobody answers: alone a role gives up, and a run stops until it is resumed
    BudgetSpent    it may spend nothing more; no other policy is asked instead, the run ends
"""

from __future__ import annotations

from collections.abc import Sequence


class PolicyFault(Exception):
    """A policy could not decide: the model was unreachable, its answer unusable."""


class GaveUp(PolicyFault):
    """The policy has asked again as often as it may."""


class Unreachable(GaveUp):
    """No answer can be had at all, now: the model is down, silent, or lets nobody in."""


def none_decided(faults: Sequence[Exception], words: str) -> GaveUp:
    """When nobody of several could decide: one who could not be reached may be reached later."""
    return (Unreachable if any(isinstance(fault, Unreachable) for fault in faults) else GaveUp)(words)


class BudgetSpent(GaveUp):
    """The tokens or the money of the role or of the run are spent."""
