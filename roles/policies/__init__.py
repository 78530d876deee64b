"""Who decides for a role, beside rules and models: a script, a person, a chain of policies, a vote, a choice by subtask."""

from roles.policies.choosing import BySubtask, Case
from roles.policies.combined import Named, Recorder
from roles.policies.fallback import Fallback
from roles.policies.faults import BudgetSpent, GaveUp, PolicyFault, Unreachable
from roles.policies.human import HumanPolicy
from roles.policies.scripted import (
    AnalystScript,
    EvaluatorScript,
    ManagerScript,
    OperatorScript,
    ScriptedAnalyst,
    ScriptedEvaluator,
    ScriptedManager,
    ScriptedOperator,
)
from roles.policies.trusting import TrustingEvaluator
from roles.policies.vote import Vote

__all__ = [
    "AnalystScript",
    "BudgetSpent",
    "BySubtask",
    "Case",
    "EvaluatorScript",
    "Fallback",
    "GaveUp",
    "HumanPolicy",
    "ManagerScript",
    "Named",
    "OperatorScript",
    "PolicyFault",
    "Recorder",
    "ScriptedAnalyst",
    "ScriptedEvaluator",
    "ScriptedManager",
    "ScriptedOperator",
    "TrustingEvaluator",
    "Unreachable",
    "Vote",
]
