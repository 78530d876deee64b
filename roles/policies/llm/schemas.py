"""The forms of answers as narrow JSON schemas: only what can be done here. What a field means is said in the prompts alone.

They are flat, because small models fill in flat forms better; `decision_parsing.py` turns an answer into a decision of ours.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from roles.contracts import OperatorView
from roles.contracts.signals import Signal
from roles.policies.llm.reply_parsing import forms

Schema = dict[str, Any]
STATUSES = ("CONTINUE", "FINISH", "FAIL", "CONFIRM", "PENDING", "ERROR")

_TAKES: Mapping[str, str] = forms()["verbs"]
"""What each verb takes; with a question mark what may be left out."""
_OF_VERB = {verb: tuple(name.rstrip("?") for name in takes.split()) for verb, takes in _TAKES.items()}
AIMED = frozenset(verb for verb, names in _OF_VERB.items() if "target" in names)
"""Verbs that may have a target."""
DEFAULT_VERBS = tuple(_OF_VERB)
_REASON, _NAMED = 160, 2
"""Characters of a small model's reason, and how many names of evidence it gives."""


def fields_of(verb: str) -> frozenset[str]:
    """What an action of this verb may say beside its target."""
    return frozenset(_OF_VERB.get(verb, ())) - {"target"}


def needs(verb: str) -> list[str]:
    """What an action of this verb cannot do without."""
    return [name for name in _TAKES[verb].split() if not name.endswith("?")]


def verbs_told(verbs: Sequence[str]) -> str:
    """Each verb with its fields."""
    return "; ".join(f"{verb} {_TAKES[verb]}".strip() for verb in verbs)


def verbs_of(view: OperatorView) -> tuple[str, ...]:
    """The verbs that a model may choose from: never more than there are forms for."""
    return tuple(verb for verb in (view.verbs or DEFAULT_VERBS) if verb in _OF_VERB)


def operator_schema(view: OperatorView, *, batch: int = 1, pictures: bool = False) -> Schema:
    """`batch` is how many actions an answer may hold, in a list where it is more than one. It is the same at every step of a
    subtask, so that prompts begin alike: ids of elements are no part of it, and are checked when the answer is read."""
    fields = dict.fromkeys(name for verb in verbs_of(view) for name in ("target", *_OF_VERB[verb]))
    action = _fields("action", *fields, "expected")
    several: Schema = {"type": "array", "maxItems": batch, "items": object_of_form("", action, ("action",))}
    more = _fields("confidence", "status", "plan", "comment", "save_screenshot", "notes", *(["marks"] if pictures else []))
    properties = _fields("observation", "reasoning") | ({"actions": several} if batch > 1 else action) | more
    return object_of_form("decision", properties, ("reasoning", "actions" if batch > 1 else "action", "status"))


def _fields(*names: str) -> Schema:
    return {name: _schema(forms()["fields"].get(name, "string")) for name in names}


def manager_schema(workers: Sequence[str], *, typed: bool = False) -> Schema:
    """With `typed` a subtask may say its steps as data, for a worker that goes by rules."""
    form = form_of("plan")
    subtask = form["properties"]["subtasks"]["items"]["properties"]
    subtask["worker"] = {"type": "string", "enum": list(workers)}
    if not typed:
        del subtask["steps"]
    return form


def narrow_verdict(decisions: Sequence[str], evidence: Sequence[str]) -> Schema:
    """A verdict with nothing but the decisions that its gate allows and the evidence that there is."""
    short = {"type": "string", "maxLength": _REASON}
    named = {"type": "array", "items": {"type": "string", "enum": list(evidence)}, "minItems": 1, "maxItems": _NAMED}
    sure = form_of("verdict")["properties"]["confidence"]
    fields = {"reason": short, **({"evidence": named} if evidence else {})}
    fields |= {"decision": {"type": "string", "enum": list(decisions)}, "confidence": sure}
    fields |= {"query": short} if Signal.GATE_SUPPLEMENT in decisions else {}
    return object_of_form("verdict", fields, tuple(fields))


def form_of(name: str) -> Schema:
    """The form of that name in forms.yaml."""
    return {"title": name, **_schema(forms()[name])}


def _schema(kind: Any) -> Schema:
    if isinstance(kind, list):
        return {"type": "array", "items": _schema(kind[0])}
    if isinstance(kind, str):
        return {"type": "string", "enum": kind.split(" | ")} if " | " in kind else {"type": kind}
    properties = {name.rstrip("?"): _schema(field) for name, field in kind.items()}
    return object_of_form("", properties, [name for name in kind if not name.endswith("?")])


def object_of_form(title: str, properties: Mapping[str, Any], required: Sequence[str]) -> Schema:
    """An object with these fields and no others."""
    body = {"type": "object", "properties": dict(properties), "required": list(required), "additionalProperties": False}
    return {"title": title, **body} if title else body


def form_told(schema: Mapping[str, Any]) -> str:
    """The form in words, for models that are not held to a schema. What a field has to be is said where it is no text."""
    told = {name: f"{json.dumps(name)}{_kind(said)}" for name, said in schema["properties"].items()}
    needed = ", ".join(said for name, said in told.items() if name in schema["required"])
    more = ", ".join(said for name, said in told.items() if name not in schema["required"])
    return "{" + needed + (f", and where it is needed {more}" if more else "") + "}"


def _kind(said: Schema) -> str:
    if "anyOf" in said:
        return ": one of " + ", ".join(map(form_told, said["anyOf"]))
    if "enum" in said:
        return ": " + " | ".join(map(str, said["enum"]))
    if said["type"] == "array":
        inner = said["items"]
        return ": list of " + (f"objects {form_told(inner)}" if "properties" in inner else f"{inner['type']}s")
    return "" if said["type"] == "string" else f": {said['type']}"
