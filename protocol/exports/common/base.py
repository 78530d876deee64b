"""What every format of a whole run shares: the run that is written, what came of writing it, and its pictures."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NoReturn

from pydantic import ValidationError

from protocol.dialects.common.base import DialectError, Loss
from protocol.log.log import LogLine, UnreadableLine, raw_lines, whole_document
from protocol.log.versions import BadStep, Problem
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep, Picture, picture_file


@dataclass(frozen=True)
class RunInfo:
    """What a log does not say about its run."""

    run_id: str = ""
    goal: str = ""
    outcome: Literal["fulfilled", "rejected", ""] = ""
    """Empty where nobody has said."""
    agent: str = "deskcrew"
    agent_version: str = ""


@dataclass(frozen=True)
class Run:
    """A run to be written. `steps` is read once, in order; `folder` is what the paths of pictures are relative to."""

    steps: Iterable[InteractionStep]
    info: RunInfo = RunInfo()
    folder: Path | None = None
    calls: Sequence[JsonObject] = ()
    """What was said to the run's models and by them, call by call, where that was kept."""


@dataclass
class ExportResult:
    """What was written, and what the format could not say, with how often."""

    files: list[Path] = field(default_factory=list)
    steps: int = 0
    losses: Counter[Loss] = field(default_factory=Counter)

    def unsaid(self, no: Exception, verb: str = "") -> None:
        """A step that the format cannot say."""
        self.losses[Loss(what="action", why=f"{verb}{no}"[:200])] += 1


@dataclass(frozen=True)
class ImportResult:
    """Another agent's run, step by step; a line that is not understood is an error with its number, and the rest goes on."""

    info: RunInfo
    lines: Iterator[LogLine]


class FormatError(ValueError):
    """A file that is not in the format. The message names the file, the place in it and the reason."""


@dataclass(frozen=True)
class Format:
    """One way to write or read a whole run."""

    name: str
    title: str
    suffix: str
    """Of the file that is written: `.json`, `.jsonl`, `.py`."""
    write: Callable[[Run, Path], ExportResult] | None = None
    """Writes to the path, in one piece. Raises FormatError for a run that it cannot say."""
    read: Callable[[Path], ImportResult] | None = None
    """Raises FormatError where not even a first line can be found."""


class Pictures:
    """Pictures of a run beside what is written of it: each is copied once and named by a relative path with its sha256."""

    def __init__(self, folder: Path | None, out: Path) -> None:
        """`folder` is where the run's paths start, `out` the file that will name the pictures."""
        self._folder = folder
        self._base = out.parent
        self._below = f"{out.stem}_images"
        self._known: dict[str, Picture | None] = {}

    def of(self, step: InteractionStep, moment: Literal["before", "after"]) -> Picture | None:
        """The step's picture of that moment as the new file should name it; None where there is none."""
        for picture in step.pictures:
            if picture.moment == moment:
                return self._copied(picture)
        if moment == "before" and step.visual_state.screenshot_path:
            return self._copied(Picture.model_construct(path=step.visual_state.screenshot_path, sha256="", moment=moment))
        return None

    def _copied(self, picture: Picture) -> Picture | None:
        if picture.path not in self._known:
            self._known[picture.path] = self._copy(picture)
        known = self._known[picture.path]
        return known and known.model_copy(update={"moment": picture.moment})

    def _copy(self, picture: Picture) -> Picture | None:
        source = picture_file(self._folder, picture.path) if self._folder else None
        if source is None:
            return None
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        name = PurePosixPath(self._below) / f"{digest[:16]}{source.suffix.lower()}"
        target = self._base / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent.is_symlink():  # whoever made the folder would have the pictures written elsewhere
            raise FormatError(f"{target.parent} is a link; pictures are written into a folder of their own")
        if target.is_symlink():
            target.unlink()
        if not target.exists():
            shutil.copyfile(source, target)
        return picture.model_copy(update={"path": str(name), "sha256": digest})


_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What some reader takes for the end of a line, or cannot encode; within JSON it only stands in texts."""


def json_line(value: Any) -> str:
    """`value` as JSON on one line. Raises FormatError for what JSON cannot say."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as bad:
        raise FormatError(f"not JSON: {bad}") from None
    return _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def parse_json(data: bytes) -> Any:
    """The JSON that `data` holds, without NaN. Raises BadStep."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except json.JSONDecodeError as bad:
        line = f"line {bad.lineno}, " if bad.lineno > 1 else ""
        refuse("$", f"not JSON: {bad.msg.removesuffix(' at')}, {line}column {bad.colno}")
    except UnicodeDecodeError as bad:
        refuse("$", f"not UTF-8: byte {bad.start + 1}")
    except RecursionError:
        refuse("$", "cannot be read: it is nested too deeply")
    except ValueError as bad:  # NaN, or a number of thousands of digits
        refuse("$", f"cannot be read: {str(bad)[:80]}")


def refuse(where: str, reason: str) -> NoReturn:
    """Raises BadStep with one problem."""
    raise BadStep((Problem(where, reason),))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in JSON")


def text_document(path: Path) -> str:
    """The text of a whole file. Raises FormatError."""
    try:
        data = whole_document(path)
    except OSError as bad:
        raise FormatError(f"{path.name}: cannot be read: {bad.strerror}") from None
    if isinstance(data, UnreadableLine):
        raise FormatError(f"{path.name}: {data}")
    return text_in(path, data)


def text_in(path: Path, data: bytes) -> str:
    """The bytes of a file as text. Raises FormatError."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as bad:
        raise FormatError(f"{path.name}: not UTF-8: byte {bad.start + 1}") from None


def json_document(path: Path, steps: str, what: str) -> JsonObject:
    """The object that a whole file holds: `what`, with a list of steps under the key `steps`. Raises FormatError."""
    try:
        data = whole_document(path)
        found = refuse("$", data) if isinstance(data, UnreadableLine) else parse_json(data)
    except OSError as bad:
        raise FormatError(f"{path.name}: cannot be read: {bad.strerror}") from None
    except BadStep as bad:
        raise FormatError(f"{path.name}: {bad}") from None
    if not isinstance(found, dict) or not isinstance(found.get(steps), list):
        raise FormatError(f"{path.name}: $.{steps}: {what} has a list of steps")
    return found


Meaning = Callable[[int, Any], Iterator[LogLine]]
"""What the JSON of a line means, by the line's number."""


def read_json_lines(path: Path, meaning: Meaning) -> Iterator[LogLine]:
    """Every line in order, constant memory; what is not understood is reported with its number, and the rest is read."""
    for number, line in enumerate(raw_lines(path), start=1):
        if isinstance(line, UnreadableLine):
            yield bad_line(number, Problem("$", line))
        elif line.strip():
            yield from _read(number, line, meaning)


def _read(number: int, line: bytes, meaning: Meaning) -> Iterator[LogLine]:
    try:
        data = parse_json(line.rstrip(b"\r\n"))
    except BadStep as bad:
        cut = "" if line.endswith(b"\n") else " (the line is cut off)"
        yield bad_line(number, *(problem._replace(reason=problem.reason + cut) for problem in bad.problems))
        return
    yield from meaning(number, data)


def told(number: int, steps: Iterator[InteractionStep]) -> Iterator[LogLine]:
    """The lines of these steps; the first mistake, a BadStep or a DialectError, ends them."""
    try:
        for step in steps:
            yield LogLine(number, step)
    except BadStep as bad:
        yield bad_line(number, *bad.problems)
    except DialectError as bad:
        yield bad_line(number, Problem("$", str(bad)))


Steps = Callable[[int, str, JsonObject], Iterator[InteractionStep]]
"""What an object means, by its number and its place."""


def told_each(items: Iterable[Any], place: str, noun: str, steps: Steps, first: int = 1) -> Iterator[LogLine]:
    """The lines of the objects of a list at `place`, each with its number; what is no object is a mistake."""
    for n, item in enumerate(items):
        where = f"{place}[{n}]"
        if isinstance(item, dict):
            yield from told(first + n, steps(first + n, where, item))
        else:
            yield bad_line(first + n, Problem(where, f"{noun} is an object"))


def bad_line(number: int, *problems: Problem) -> LogLine:
    """A line that cannot be read, and why."""
    return LogLine(number, None, str(problems[0]), problems)


def first_objects(path: Path, count: int = 1) -> list[JsonObject]:
    """The first JSON objects of a file, for what is said of the whole run. Raises FormatError where there is none."""
    found: list[JsonObject] = []
    try:
        for line in raw_lines(path):
            if not isinstance(line, UnreadableLine) and line.strip():
                try:
                    data = parse_json(line)
                except BadStep:
                    continue
                found += [data] if isinstance(data, dict) else []
            if len(found) >= count:
                break
    except OSError as bad:
        raise FormatError(f"{path.name}: cannot be read: {bad.strerror}") from None
    if not found:
        raise FormatError(f"{path.name}: no line of it is a JSON object")
    return found


def first_value(path: Path) -> Any:
    """What the first line that says something is as JSON; None where it is none. Raises FormatError for an empty file."""
    try:
        for line in raw_lines(path):
            if isinstance(line, UnreadableLine):
                return None
            if line.strip():
                return parse_json(line)
    except BadStep:
        return None
    except OSError as bad:
        raise FormatError(f"{path.name}: cannot be read: {bad.strerror}") from None
    raise FormatError(f"{path.name}: it is empty")


def mapping(value: Any) -> JsonObject:
    """`value` if it is a JSON object, and an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """`value` if it is a JSON list, and an empty one otherwise."""
    return value if isinstance(value, list) else []


def step_of(where: str, **fields: Any) -> InteractionStep:
    """A step of these fields. Raises BadStep at `where` and the field."""
    try:
        return InteractionStep.model_validate(fields)
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        path = "".join(f".{part}" for part in first["loc"][:2])
        refuse(where + path, str(first["msg"]).removeprefix("Value error, "))
