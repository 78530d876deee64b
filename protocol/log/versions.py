"""Which version a line of a log is in: read as it is, brought up to date, or refused. Never guessed."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from pydantic import TypeAdapter, ValidationError

from protocol.model.actions import AgentAction
from protocol.model.decisions import LLMResponse, OperatorDecision
from protocol.model.elements import VisualState
from protocol.model.geometry import JsonObject
from protocol.model.steps import PROTOCOL_VERSION, ActionResult, InteractionStep
from protocol.model.targets import ActionTarget

_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
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
            "$schema": _SCHEMA,
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


_DRAFT = None
"""Lines of seed 004's draft say no version at all; its spellings are still read (`protocol/model/actions.py`)."""

_OLDER: dict[str | None, str] = {_DRAFT: PROTOCOL_VERSION}
"""Version of a line: the version it is brought up to, one step at a time."""


class Problem(NamedTuple):
    """What is wrong with a line, and at which JSON path."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class BadStep(ValueError):
    """A line that is no InteractionStep of a version that is known."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def refuse(where: str, reason: str) -> NoReturn:
    """Raises BadStep with one problem."""
    raise BadStep((Problem(where, reason),))


def parse_json(data: bytes) -> Any:
    """The JSON that `data` holds, without NaN and without a key that is said twice. Raises BadStep."""
    try:
        return json.loads(data.decode("utf-8"), **STRICT)
    except json.JSONDecodeError as bad:
        line = f"line {bad.lineno}, " if bad.lineno > 1 else ""
        refuse("$", f"not JSON: {bad.msg.removesuffix(' at')}, {line}column {bad.colno}")
    except UnicodeDecodeError as bad:
        refuse("$", f"not UTF-8: byte {bad.start + 1}")
    except RecursionError:
        refuse("$", "cannot be read: it is nested too deeply")
    except ValueError as bad:  # NaN, a key twice, or a number of thousands of digits
        long = str(bad).startswith("Exceeds")
        refuse("$", f"cannot be read: {'a number in it has thousands of digits' if long else str(bad)[:80]}")


class SaidTwice(ValueError):
    """A key that an object in JSON says twice: it is not guessed which is meant."""


def said_once(pairs: Sequence[tuple[Any, Any]]) -> JsonObject:
    """The object of these keys and values. Raises SaidTwice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for n, (name, _) in enumerate(pairs) if any(name == other for other, _ in pairs[:n]))
        raise SaidTwice(f"the key {str(twice)[:40]!r} is there twice")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


STRICT: JsonObject = {"parse_constant": _refuse, "object_pairs_hook": said_once}
"""How JSON is read: without NaN, and without a key that is said twice."""


def json_of_line(line: bytes) -> Any:
    """The JSON of a line. Raises BadStep, which says where the line has no end."""
    try:
        return parse_json(line.rstrip(b"\r\n"))
    except BadStep as bad:
        cut = "" if line.endswith(b"\n") else " (the line is cut off)"
        raise BadStep(tuple(problem._replace(reason=problem.reason + cut) for problem in bad.problems)) from None


def parse_step(data: Any) -> InteractionStep:
    """The step that a line's JSON means. Raises BadStep with every problem and its JSON path."""
    if not isinstance(data, Mapping):
        raise BadStep((Problem("$", f"a step is an object, not {type(data).__name__}"),))
    version = data.get("protocol_version")
    while (version is None or isinstance(version, str)) and version in _OLDER:
        version = _OLDER[version]
        data = {**data, "protocol_version": version}
    if version != PROTOCOL_VERSION:
        raise BadStep((Problem("$.protocol_version", _refusal(version)),))
    try:
        return InteractionStep.model_validate(data)
    except ValidationError as bad:
        raise BadStep(tuple(_problem(error, data) for error in bad.errors(include_url=False))) from None


def _refusal(version: object) -> str:
    if not isinstance(version, str):
        return f'a version is a text such as "{PROTOCOL_VERSION}", not {version!r}'
    parts = version.split(".")
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 9]
    if len(numbers) == len(parts) and numbers > [int(part) for part in PROTOCOL_VERSION.split(".")]:
        return f"version {version} is newer than {PROTOCOL_VERSION}, the newest that is known here; update deskcrew to read it"
    return f"version {version[:40]!r} is not known; known is {PROTOCOL_VERSION}"


def _problem(error: Any, data: Any) -> Problem:
    reason = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "union_tag_invalid":
        tag = str(error["ctx"]["tag"])
        verbs = str(error["ctx"]["expected_tags"]).replace("'", "").split(", ")
        near = get_close_matches(tag[:40], verbs, n=1)
        reason = f"there is no verb {tag[:40]!r}; " + (f"did you mean {near[0]!r}?" if near else f"verbs are {', '.join(verbs)}")
    if error["type"] == "union_tag_not_found":
        reason = "action_type, the verb, is missing"
    # The path through the data as it was written: names of unions, which pydantic adds, are left out
    parts = error["loc"]
    missing = error["type"] == "missing"
    path, at = "$", data
    for number, part in enumerate(parts, start=1):
        if isinstance(part, int) and isinstance(at, list) and part < len(at):
            path, at = f"{path}[{part}]", at[part]
        elif isinstance(at, Mapping) and part in at:
            path, at = path + _step(str(part)), at[part]
        elif missing and number == len(parts):
            path += _step(str(part))
    return Problem(path, reason)


def _step(name: str) -> str:
    return f".{name}" if name.isidentifier() else f"[{name!r}]"
