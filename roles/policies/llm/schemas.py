"""The forms of answers as narrow JSON schemas: only what can be done here, only names that there are.

They are flat, because small models fill in flat forms better; `reading.py` turns an answer into a decision of ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from roles.contracts import OperatorView, PlanRequest

Schema = dict[str, Any]
MOST_NAMES = 200
"""A longer list of names is left out of a schema: providers bound them, and the answer is checked anyway."""
STATUSES = ("CONTINUE", "FINISH", "FAIL", "CONFIRM", "PENDING", "ERROR")
LOOK_AGAIN = "SCREENSHOT"
"""A status for models that see pictures only."""

FIELDS: dict[str, Schema] = {
    "text": {"type": "string", "description": "what to write"},
    "submit": {"type": "boolean", "description": "press Enter afterwards"},
    "keys": {"type": "string", "description": "a chord, such as Enter or Control+s"},
    "option": {"type": "string", "description": "the choice in a list"},
    "direction": {"type": "string", "enum": ["up", "down", "left", "right"]},
    "to": {"type": "string", "description": "id of the element to drag onto"},
    "seconds": {"type": "number"},
    "button": {"type": "string", "enum": ["left", "right", "middle"]},
    "count": {"type": "integer", "enum": [1, 2, 3]},
    "app": {"type": "string"},
    "url": {"type": "string"},
    "op": {"type": "string", "enum": ["list", "new", "close", "select"]},
    "index": {"type": "integer"},
    "function": {"type": "string"},
    "arguments": {"type": "object"},
    "request": {"type": "string"},
    "question": {"type": "string"},
    "name": {"type": "string", "description": "name of a fact"},
    "value": {"type": "string", "description": "what to keep, exactly; of several a line each"},
    "files": {"type": "array", "items": {"type": "string"}},
}
_TAKES: dict[str, str] = {
    "click": "target button? count?",
    "hover": "target",
    "drag": "target to",
    "fill": "target text submit?",
    "type": "target? text submit?",
    "press_key": "keys target?",
    "select_option": "target option",
    "scroll": "target? direction?",
    "launch_app": "app",
    "switch_window": "app",
    "navigate": "url",
    "go_back": "",
    "go_forward": "",
    "tabs": "op index? url?",
    "wait": "seconds?",
    "screenshot": "",
    "upload": "target files",
    "call_api": "app? function arguments?",
    "ask_in_app_agent": "app request",
    "memorize": "name value target?",
    "answer": "text",
    "ask_user": "question name?",
}
"""What each verb takes; with a question mark what may be left out."""
_OF_VERB = {verb: tuple(name.rstrip("?") for name in takes.split()) for verb, takes in _TAKES.items()}
AIMED = frozenset(verb for verb, names in _OF_VERB.items() if "target" in names)
"""Verbs that may have a target."""
DEFAULT_VERBS = tuple(_OF_VERB)


_EXPECTED_WORDS: Schema = {"type": "string", "description": "words that the screen shows once the action has worked"}


def fields_of(verb: str) -> frozenset[str]:
    """What an action of this verb may say beside its target."""
    return frozenset(_OF_VERB.get(verb, ())) - {"target"}


def needs(verb: str) -> list[str]:
    """What an action of this verb cannot do without."""
    return [name for name in _TAKES[verb].split() if not name.endswith("?")]


def verbs_told(verbs: Sequence[str]) -> str:
    """Each verb with its fields."""
    return ", ".join(f"{verb}({', '.join(_TAKES[verb].split())})" for verb in verbs)


def verbs_of(view: OperatorView) -> tuple[str, ...]:
    """The verbs that a model may choose from: never more than there are forms for."""
    return tuple(verb for verb in (view.verbs or DEFAULT_VERBS) if verb in _OF_VERB)


def operator_schema(view: OperatorView, *, batch: int = 1, pictures: bool = False) -> Schema:
    """`batch` is how many actions an answer may hold. It is the same at every step of a subtask, so that prompts begin alike:
    ids of elements are no part of it, and are checked when the answer is read."""
    verbs = verbs_of(view)
    used = dict.fromkeys(name for verb in verbs for name in _OF_VERB[verb] if name != "target")
    fields = {name: dict(FIELDS[name]) for name in used}
    if "app" in fields and view.apps:
        fields["app"] = one_of([*(app.app for app in view.apps), *(skill.app for skill in view.skills if skill.outside)])
    properties: Schema = {
        "observation": {"type": "string", "description": "what you see that matters, in one short sentence"},
        "reasoning": {"type": "string", "description": "one or two short sentences, first of all"},
        "action": {"type": "string", "enum": [*verbs, "none"], "description": "one of the actions here, or none"},
        "target": {"type": "string", "description": "id of the element"},
        **fields,
        "expected": _EXPECTED_WORDS,
        "confidence": {"type": "number", "description": "0 to 1; when it is low the user is asked first"},
        "status": {"type": "string", "enum": [*STATUSES, *([LOOK_AGAIN] if pictures else [])]},
        "plan": {"type": "array", "items": {"type": "string"}, "description": "the steps after this one"},
        "comment": {"type": "string", "description": "words for the user"},
        "save_screenshot": {"type": "boolean", "description": "keep this screen for later subtasks"},
        "notes": {"type": "string", "description": "what you want to know again at the next step"},
    }
    if pictures:
        properties["marks"] = {"type": "array", "items": {"type": "string"}}
    if batch > 1:
        step = {"action": {"type": "string", "enum": list(verbs)}, "target": properties["target"], **fields}
        step["expected"] = _EXPECTED_WORDS
        more = {"type": "array", "maxItems": batch - 1, "items": object_of_form("", step, ("action",))}
        properties["then"] = more | {"description": "the next actions, each an object with `action`, `target` and what it takes"}
    return object_of_form("operator_decision", properties, ("reasoning", "action", "status"))


def manager_schema(request: PlanRequest, workers: Sequence[str], *, typed: bool = False) -> Schema:
    """With `typed` a subtask may say its steps as data, for a worker that goes by rules."""
    app = one_of([a.app for a in request.apps]) if request.apps else {"type": "string"}
    subtask = {
        "id": {"type": "string"},
        "title": {"type": "string"},
        "instruction": {"type": "string"},
        "app": app,
        "worker": {"type": "string", "enum": list(workers)},
        "depends_on": {"type": "array", "items": {"type": "string"}},
        "expect": {"type": "array", "items": object_of_form("", _EXPECTED, ("kind",)), "description": "objects with a `kind`"},
    }
    if typed:
        subtask["steps"] = {"type": "array", "items": {"type": "object", "description": "a step"}}
    properties: Schema = {
        "reason": {"type": "string", "description": "one or two short sentences, before anything else"},
        "outcome": {"type": "string", "enum": ["planned", "nothing_left", "supplement_needed", "infeasible"]},
        "subtasks": {"type": "array", "items": object_of_form("", subtask, ("id",))},
        "query": {"type": "string", "description": "with supplement_needed: what to look for"},
    }
    return object_of_form("plan", properties, ("reason", "outcome", "subtasks"))


_EXPECTED: dict[str, Schema] = {
    "kind": {"type": "string", "enum": ["fact_known", "field_has", "text_shown", "effect_seen"]},
    "name": {"type": "string", "description": "of fact_known: the name of the fact"},
    "label": {"type": "string", "description": "of field_has: what the field is called"},
    "value": {"type": "string", "description": "of field_has: what it holds"},
    "fact": {"type": "string", "description": "of field_has, in place of value: the name of the fact that it holds"},
    "text": {"type": "string", "description": "of text_shown"},
    "verb": {"type": "string", "description": "of effect_seen: save, send, submit, delete, ..."},
}
"""What a plan expects of a subtask, in one flat form; `read_plan` keeps what each kind takes."""


def technician_schema() -> Schema:
    properties: Schema = {
        "reason": {"type": "string", "description": "one or two short sentences, before anything else"},
        "outcome": {"type": "string", "enum": ["run", "done", "cannot"]},
        "language": {"type": "string", "enum": ["bash", "python"]},
        "code": {"type": "string", "description": "with run: the whole script"},
    }
    return object_of_form("script", properties, ("reason", "outcome"))


def analyst_schema() -> Schema:
    result = {"name": {"type": "string"}, "formula": {"type": "string", "description": "over facts and tables"}}
    properties: Schema = {
        "reasoning": {"type": "string", "description": "one or two short sentences, before anything else"},
        "results": {"type": "array", "items": object_of_form("", result, ("name", "formula"))},
        "missing": {"type": "array", "items": {"type": "string"}},
        "advice": {"type": "string", "description": "where one was asked for; no numbers that were not computed"},
    }
    return object_of_form("answer", properties, ("reasoning", "results"))


def evaluator_schema() -> Schema:
    """The same at every gate: which decisions are allowed is told at the end of the turn, and checked when the answer is read."""
    properties: Schema = {
        "reason": {"type": "string", "description": "one or two short sentences, before anything else"},
        "decision": {"type": "string", "description": "one of those that are allowed here"},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "issues": {"type": "array", "items": {"type": "string"}},
        "query": {"type": "string", "description": "what to look for, where a supplement is asked for"},
        "refused": {"type": "boolean", "description": "at the final check only"},
    }
    return object_of_form("verdict", properties, ("reason", "decision", "evidence"))


def one_of(names: Sequence[str]) -> Schema:
    """One of these names, as far as there are not too many."""
    known = list(dict.fromkeys(names))
    return {"type": "string", "enum": known} if 0 < len(known) <= MOST_NAMES else {"type": "string"}


def object_of_form(title: str, properties: Mapping[str, Any], required: Sequence[str]) -> Schema:
    """An object with these fields and no others."""
    named = {"title": title, "description": f"Your {title.replace('_', ' ')}."} if title else {}
    body = {"type": "object", "properties": dict(properties), "required": list(required), "additionalProperties": False}
    return named | body


def bare(schema: Schema) -> Schema:
    """A form without the words about its fields, for a model that is told them beside it."""

    def without(said: Any) -> Any:
        if isinstance(said, list):
            return [without(item) for item in said]
        if not isinstance(said, dict):
            return said
        told = {key: value for key, value in said.items() if not (key == "description" and isinstance(value, str))}
        return {key: without(value) for key, value in told.items()}

    named = {key: schema[key] for key in ("title", "description") if key in schema}
    return named | {key: without(value) for key, value in schema.items() if key not in named}


def form_told(schema: Schema) -> str:
    """The form in words, for models that are not held to a schema."""
    told = {name: f"  {json.dumps(name)}: {_kind(said)}" for name, said in schema["properties"].items()}
    needed = [line for name, line in told.items() if name in schema["required"]]
    more = [line for name, line in told.items() if name not in schema["required"]]
    return "\n".join(["{", *needed, *(["and only where it is needed:", *more] if more else []), "}"])


def _kind(said: Schema) -> str:
    described = said.get("description", "")
    if "anyOf" in said:
        return "one of " + " or ".join(_fields(kind) for kind in said["anyOf"])
    if "enum" in said and len(said["enum"]) <= 30 and not described:
        return "one of " + ", ".join(str(name) or '""' for name in said["enum"])
    if said["type"] == "array" and not described:
        inner = said["items"]
        return "a list of " + (", each " + _fields(inner) if inner.get("properties") else _kind(inner)).lstrip(", ")
    return f"{'list' if said['type'] == 'array' else said['type']}{' (' + described + ')' if described else ''}"


def _fields(inner: Schema) -> str:
    return "{" + ", ".join(f"{json.dumps(name)}: {_kind(said)}" for name, said in inner["properties"].items()) + "}"
