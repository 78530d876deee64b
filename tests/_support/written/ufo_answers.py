"""Answers as the two versions of UFO want them."""

from __future__ import annotations

from typing import Any

from protocol.dialects import Context

UFO, UFO2 = Context(), Context(variant="ufo2")


def answer(function: str = "", status: str = "CONTINUE", label: str = "", text: str = "", **arguments: Any) -> dict[str, Any]:
    call = {"ControlLabel": label, "ControlText": text, "Function": function, "Args": arguments}
    end = {"Plan": [], "Comment": "", "SaveScreenshot": {"save": False, "reason": ""}}
    return {"Observation": "", "Thought": "", **call, "Status": status, **end}


def answer2(function: str = "", status: str = "CONTINUE", **arguments: Any) -> dict[str, Any]:
    action = {"function": function, "arguments": arguments, "status": status}
    end = {"plan": [], "comment": "", "save_screenshot": {"save": False, "reason": ""}}
    return {"observation": "", "thought": "", "action": action, **end}
