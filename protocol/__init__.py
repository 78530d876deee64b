"""The GUI protocol: what was seen, what may be done, what came of it. Imports nothing of ours."""

from protocol.log.log import LogLine, read_log, write_log
from protocol.model.actions import VERBS, AgentAction, parse_action
from protocol.model.decisions import AgentStatus, LLMResponse, NextAction, OperatorDecision
from protocol.model.describe import describe
from protocol.model.elements import GUIElement, VisualState, Window
from protocol.model.geometry import BoundingBox, Coordinate, Frozen, JsonObject, Point, Region, Size, Space, TaggedModel
from protocol.model.steps import PROTOCOL_VERSION, ActionResult, ExecStatus, InteractionStep, Picture
from protocol.model.targets import ActionTarget, Resolved, StaleTarget, TargetError, resolve, target_element
from protocol.model.verbs import (
    CARRIES,
    Action,
    Answer,
    AskInAppAgent,
    AskUser,
    CallApi,
    Click,
    Delta,
    Direction,
    Drag,
    Extension,
    FailGoal,
    Fill,
    FinishGoal,
    GoBack,
    GoForward,
    HoldKey,
    Hover,
    KeyDown,
    KeyUp,
    LaunchApp,
    Memorize,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    RunScript,
    Screenshot,
    Scroll,
    SelectOption,
    SwitchWindow,
    Tabs,
    Type,
    Upload,
    Wait,
)

__all__ = [
    "CARRIES", "PROTOCOL_VERSION", "VERBS", "Action", "ActionResult", "ActionTarget", "AgentAction", "AgentStatus", "Answer",
    "AskInAppAgent", "AskUser", "BoundingBox", "CallApi", "Click", "Coordinate", "Delta", "Direction", "Drag", "ExecStatus",
    "Extension", "FailGoal", "Fill", "FinishGoal", "Frozen", "GUIElement", "GoBack", "GoForward", "HoldKey", "Hover",
    "InteractionStep", "JsonObject", "KeyDown", "KeyUp", "LLMResponse", "LaunchApp", "LogLine", "Memorize", "MouseDown",
    "MouseUp", "Navigate", "NextAction", "OperatorDecision", "Picture", "Point", "PressKey", "Region", "Resolved", "RunScript",
    "Screenshot", "Scroll", "SelectOption", "Size", "Space", "StaleTarget", "SwitchWindow", "Tabs", "TaggedModel",
    "TargetError", "Type", "Upload", "VisualState", "Wait", "Window", "describe", "parse_action", "read_log", "resolve",
    "target_element", "write_log",
]  # fmt: skip
