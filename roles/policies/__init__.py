"""Who decides for a role, beside rules and models: a script, a person, a chain of policies, a vote, a choice by subtask."""

from roles.policies.fallback import (
    BudgetSpent,
    BySubtask,
    Case,
    Fallback,
    GaveUp,
    Named,
    PolicyFault,
    Recorder,
    Unreachable,
    Vote,
)
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
    TrustingEvaluator,
)

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
