"""The safety policy: what an action may do. Rules are data; deny stands before ask, ask before allow. Source: seed 000."""

from roles.safety.case import NOTHING, Grounds, Origin, origin_of
from roles.safety.policy import Constraints, Rule, SafetyPolicy, Verdict
from roles.safety.review import Review, review

__all__ = [
    "NOTHING",
    "Constraints",
    "Grounds",
    "Origin",
    "Review",
    "Rule",
    "SafetyPolicy",
    "Verdict",
    "origin_of",
    "review",
]
