"""One thing that can be done, however it is done: with its arguments, what it risks, and what it means to do it twice."""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeVar

from pydantic import Field

from environments.effects.words import Effect
from protocol import Frozen
from roles.safety.privacy.vault import references_in

T = TypeVar("T")


class Late(Exception):
    """There was no result in time."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """The result of `work`. Raises Late when it takes longer; it is then left behind, and ends with the process."""
    result: list[Any] = []
    faults: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result.append(context.run(work))
        except BaseException as fault:  # noqa: BLE001 - handed to the caller, who raises it
            faults.append(fault)

    thread = threading.Thread(target=run, name="deskcrew-tool", daemon=True)
    thread.start()
    thread.join(seconds)
    if faults:
        raise faults[0]
    if not result:
        raise Late
    found: T = result[0]
    return found


_LARGEST = 100_000
"""Characters of a schema; a larger one of a stranger is not read."""
_OF_TEXTS = frozenset({"enum", "const", "pattern", "format", "minLength", "maxLength", "type", "anyOf", "oneOf"})
"""What cannot be told of a private value, which stands there as a reference."""
_SAID = 160


class UnfitSchema(Exception):
    """The schema itself cannot be used; one sentence."""


def problem_with(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Why these arguments do not fit, or an empty string."""
    from jsonschema import exceptions

    try:
        errors = _validator(json.dumps(schema, sort_keys=True)).iter_errors(dict(arguments))
        found = [error for error in errors if not _told_of_a_reference(error)]
    except UnfitSchema as bad:
        return str(bad)
    except Exception as bad:  # noqa: BLE001 - a stranger's schema may refer to anything: whatever comes of it, nothing is called
        return f"its schema cannot be used: {type(bad).__name__}"
    if not found:
        return ""
    worst: exceptions.ValidationError = exceptions.best_match(iter(found))
    return _sentence(worst, schema)


def _sentence(error: Any, schema: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    properties = schema.get("properties")
    takes = ", ".join(properties) if isinstance(properties, Mapping) and properties else "nothing"
    return f"{where or 'arguments'}: {error.message[:_SAID]}; it takes: {takes[:_SAID]}"


def _told_of_a_reference(error: Any) -> bool:
    return isinstance(error.instance, str) and bool(references_in(error.instance)) and error.validator in _OF_TEXTS


@lru_cache(maxsize=512)
def _validator(text: str) -> Any:
    """A validator that fetches nothing and runs no pattern of a stranger's: what a pattern says, the callee checks."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    if len(text) > _LARGEST:
        raise UnfitSchema(f"its schema has {len(text)} characters, more than {_LARGEST}")
    return Draft202012Validator(_without_patterns(json.loads(text)), registry=Registry())


def _without_patterns(schema: Any, deep: int = 40) -> Any:
    """A pattern takes as long as its writer wants. A property that is called `pattern` stays."""
    if not isinstance(schema, dict) or not deep:
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"pattern", "patternProperties"}:
            continue
        if key in {"properties", "$defs", "definitions", "dependentSchemas"} and isinstance(value, dict):
            made[key] = {name: _without_patterns(part, deep - 1) for name, part in value.items()}
        elif key in {"enum", "const", "default", "examples"}:
            made[key] = value
        elif isinstance(value, list):
            made[key] = [_without_patterns(part, deep - 1) for part in value]
        else:
            made[key] = _without_patterns(value, deep - 1)
    return made


SkillKind = Literal["gui", "api", "agent", "mcp", "tool"]
"""The surface; a function of an app's own interface; an app's own agent; a tool of an MCP server; a LangChain tool."""
OUTSIDE: frozenset[SkillKind] = frozenset({"mcp", "tool"})
"""Kinds that are done by programs of others, not by the environment."""
RESULT = "result"
"""Kind of a fact that is what a function, an app's agent or a tool answered, under the name of what was called."""
AGENT = "agent"
"""What the skill of an app's own agent is called."""


class Idempotence(StrEnum):
    """What it means to do a thing twice."""

    READING = "reading"
    """It changes nothing."""
    REPEATABLE = "repeatable"
    """The second time changes nothing more."""
    ONCE = "once-only"
    """The second time adds to the first."""


class Skill(Frozen):
    """One thing that can be done."""

    kind: SkillKind
    app: str = ""
    """The application; of a tool from outside, the name under which its server stands. Empty for a verb of the surface."""
    name: str
    summary: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """The JSON Schema of what it takes."""
    risk: Effect | None = None
    """In the words of the safety policy. None where it is not known, or where the control tells."""
    idempotence: Idempotence = Idempotence.ONCE
    settled: bool = False
    """The configuration says the risk: nothing else is asked for it."""

    @property
    def called(self) -> str:
        """`mail.send_message`, or the verb of the surface."""
        return f"{self.app}.{self.name}" if self.app else self.name

    @property
    def outside(self) -> bool:
        return self.kind in OUTSIDE

    @property
    def takes(self) -> dict[str, Any]:
        """Its arguments by name."""
        found = self.arguments.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def needs(self) -> tuple[str, ...]:
        found = self.arguments.get("required")
        return tuple(str(name) for name in found) if isinstance(found, list) else ()


class ToolFault(Exception):
    """A tool from outside could not be reached: it did nothing. The message is one sentence."""


class ToolRefused(Exception):
    """A tool said no; how far it had come is not known. The message is one sentence."""


class ToolSilent(Exception):
    """A tool was asked and no answer came: it may have done it. The message is one sentence."""


class OutsideTool(Protocol):
    """Something that programs of others do."""

    @property
    def skill(self) -> Skill: ...

    def call(self, arguments: Mapping[str, Any]) -> str:
        """What it answers, as text. Raises ToolFault, ToolRefused or ToolSilent."""
