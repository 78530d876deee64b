"""Whether the arguments of a call fit the JSON Schema of what is called, in one sentence."""

import contextvars
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from functools import lru_cache
from typing import Any, TypeVar

from roles.safety.privacy.vault import references_in

T = TypeVar("T")


class CallTimeout(Exception):
    """There was no result in time."""


def within(seconds: float, work: Callable[[], T], late: type[Exception] = CallTimeout) -> T:
    """The result of `work`. Raises `late` when it takes longer; it is then left behind, and ends with the process."""
    done: Future[T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(work))
        except BaseException as fault:  # noqa: BLE001 - handed to the caller, who raises it
            done.set_exception(fault)

    threading.Thread(target=run, name="deskcrew-tool", daemon=True).start()
    if not wait([done], seconds).done:
        raise late(f"no answer within {seconds:g} s")
    return done.result()


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
    where = ".".join(str(part) for part in worst.absolute_path)
    properties = schema.get("properties")
    takes = ", ".join(properties) if isinstance(properties, Mapping) and properties else "nothing"
    return f"{where or 'arguments'}: {worst.message[:_SAID]}; it takes: {takes[:_SAID]}"


def _told_of_a_reference(error: Any) -> bool:
    return error.validator in _OF_TEXTS and isinstance(error.instance, str) and bool(references_in(error.instance))


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
