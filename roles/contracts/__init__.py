"""What roles say to each other: subtasks and requests go down, reports and decisions come up. Sources: seeds 001 and 002.

A policy is one method per role. A role never knows whether rules, a script, a model or a person decides.
"""

from roles.contracts.expectations import (
    EXPECTATIONS,
    AppShown,
    ChosenSeen,
    EffectSeen,
    Expectation,
    FactKnown,
    FieldHas,
    TakenSeen,
    TextShown,
)
from roles.contracts.gates import Checked, GateEvidence, GateRequest, GateVerdict
from roles.contracts.operating import OperatorView, PictureKind, ScreenPicture
from roles.contracts.planning import PageUse, PlanAnswer, PlanRequest
from roles.contracts.policies import (
    AnalystPolicy,
    AnalystRequest,
    Answer,
    Clock,
    EvaluatorPolicy,
    ManagerPolicy,
    OperatorPolicy,
    RanScript,
    Report,
    Result,
    Script,
    ScriptAnswer,
    ScriptRequest,
    SupplementSource,
    TechnicianPolicy,
)
from roles.contracts.subtasks import AppWords, StepOrigin, StepRecord, Subtask, Supplement, Worker
from roles.knowledge.memory.blackboard_fact import USER, Board, Fact

__all__ = [
    "EXPECTATIONS",
    "USER",
    "AnalystPolicy",
    "AnalystRequest",
    "Answer",
    "AppShown",
    "AppWords",
    "Board",
    "Checked",
    "ChosenSeen",
    "Clock",
    "EffectSeen",
    "EvaluatorPolicy",
    "Expectation",
    "Fact",
    "FactKnown",
    "FieldHas",
    "GateEvidence",
    "GateRequest",
    "GateVerdict",
    "ManagerPolicy",
    "OperatorPolicy",
    "OperatorView",
    "PageUse",
    "PictureKind",
    "PlanAnswer",
    "PlanRequest",
    "RanScript",
    "Report",
    "Result",
    "ScreenPicture",
    "Script",
    "ScriptAnswer",
    "ScriptRequest",
    "StepOrigin",
    "StepRecord",
    "Subtask",
    "Supplement",
    "SupplementSource",
    "TakenSeen",
    "TechnicianPolicy",
    "TextShown",
    "Worker",
]
