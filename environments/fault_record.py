"""What a faulty environment did, in a file beside the run: so that one that is resumed knows which faults have struck."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from environments.contract import EnvironmentFault
from protocol import ActionResult


class Done(NamedTuple):
    """An action with its result, or without one when the surface broke; `kind` is the fault that struck, if one did."""

    key: str
    digest: str
    kind: str
    verb: str
    target: str
    result: ActionResult | None


class FaultRecord:
    """A line of JSON for each action. Without a path it goes with the process."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.done: list[Done] = []
        if path is not None and path.exists():
            self.done = [done for line in path.read_text(encoding="utf-8").splitlines() if (done := _read(line))]

    def add(self, done: Done) -> None:
        self.done.append(done)
        if self._path is None:
            return
        body = done._asdict() | {"result": done.result.model_dump(mode="json") if done.result else None}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" + json.dumps(body))
        except OSError as bad:
            raise EnvironmentFault(f"{self._path}: the record of faults cannot be written: {bad.strerror}") from bad

    def clear(self) -> None:
        self.done.clear()
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _read(line: str) -> Done | None:
    """None for a line that was cut short: what it stood for is done again under the same key, with the same fault."""
    try:
        body = json.loads(line)
        result = body.pop("result")
        return Done(**body, result=ActionResult.model_validate(result) if result else None)
    except (ValueError, TypeError, AttributeError):
        return None
