"""The models as JSON Schemas, draft 2020-12: the canonical form, which is what is written, not every spelling that is read."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import TypeAdapter

from protocol.model.actions import AgentAction
from protocol.model.decisions import LLMResponse, OperatorDecision
from protocol.model.elements import VisualState
from protocol.model.geometry import JsonObject
from protocol.model.steps import PROTOCOL_VERSION, ActionResult, InteractionStep
from protocol.model.targets import ActionTarget

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_EXPORTED: JsonObject = {
    "action": AgentAction,
    "action_target": ActionTarget,
    "visual_state": VisualState,
    "action_result": ActionResult,
    "interaction_step": InteractionStep,
    "operator_decision": OperatorDecision,
    "llm_response": LLMResponse,
}


def schemas() -> dict[str, JsonObject]:
    """Every schema by name."""
    return {
        name: {
            "$schema": _DRAFT,
            "$id": f"urn:deskcrew:protocol:{PROTOCOL_VERSION}:{name}",
            "title": name,
            **{key: value for key, value in TypeAdapter(model).json_schema().items() if key != "title"},
        }
        for name, model in _EXPORTED.items()
    }


def write_schemas(folder: Path) -> list[Path]:
    """Write each as `<name>.json` into the folder, which is made. Returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, schema in schemas().items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        files.append(path)
    return files
