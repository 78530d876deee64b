"""What `deskcrew log` prints: findings and steps, for people and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import typer
from rich.console import Console
from rich.text import Text

from environments.files.wrong_data import did_you_mean
from environments.files.yaml_lines import LARGEST, read_small
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, escaped, json_text
from protocol import InteractionStep, JsonObject, Picture, describe
from protocol.dialects import NAMES as DIALECTS
from protocol.dialects import Context, DialectError
from protocol.exports import NAMES as FORMATS
from protocol.exports import FormatError, ImportResult, RunInfo, format_named
from protocol.exports.training.spoken import read_dsl, read_spoken
from protocol.log.check import check_log
from protocol.log.log import LogLine, read_log, step_json
from protocol.model.steps import picture_file
from protocol.prompt_form import prompt_form

_LARGEST = 8_000_000
"""Bytes of a file that is looked at."""
_LINES = 20
_ENOUGH = 0.75
"""Of the lines: every log may have some that nobody understands."""


def advice(path: Path) -> str:
    """What to do about a log that cannot be read as what it was taken for."""
    found = readable_as(path)
    if not found:
        return "see what --from takes: deskcrew log formats"
    said = " or ".join(f"--from {name}" for name in found[:3])
    return f"it can be read with {said}; all that --from takes: deskcrew log formats"


def readable_as(path: Path) -> list[str]:
    """The formats and dialects in which nearly every one of the first lines can be read, the most telling first."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return []
    except OSError:
        return []
    counted = {name: _read(partial(read, path)) for name in FORMATS if (read := format_named(name).read) is not None}
    counted |= {name: _read(partial(read_spoken, name, path, Context())) for name in DIALECTS}
    fits = [name for name, (share, _) in counted.items() if share >= _ENOUGH]
    return sorted(fits, key=lambda name: counted[name], reverse=True)


def _read(begin: Callable[[], ImportResult]) -> tuple[float, int]:
    """Which share of the first lines can be read, and how many."""
    try:
        found = list(islice(begin().lines, _LINES))
    except (FormatError, DialectError, OSError):
        return 0.0, 0
    count = sum(line.step is not None for line in found)
    return count / max(1, len(found)), count


def _pictures(step: InteractionStep, folder: Path) -> Iterator[Text]:
    path = step.visual_state.screenshot_path
    alone = path and all(picture.path != path for picture in step.pictures)
    for picture in (*([Picture.model_construct(path=path, sha256="", moment="before")] if alone else ()), *step.pictures):
        there = "" if picture_file(folder, picture.path) is not None else " (not there)"
        yield Text(f"{picture.moment:>16}: {clean(picture.path)}{there}", style="dim")


OWN = "deskcrew"
DSL = "dsl"


class OpenLog(NamedTuple):
    """A log that is read as a stream."""

    path: Path
    info: RunInfo
    lines: Iterator[LogLine]


def locate(name: str, runs_dir: Path) -> Path:
    """The file that is meant: itself, `log.jsonl` in that folder, or the log of that run. Raises UsageProblem."""
    path = Path(name)
    if path.is_dir():
        path = path / "log.jsonl"
    elif not path.exists() and path.suffix == "" and len(path.parts) == 1:
        from orchestrator.runs.folders import find_run

        path = find_run(name, runs_dir) / "log.jsonl"
    if not path.exists():
        raise UsageProblem(f"There is no log {path}; give a log.jsonl, a folder with one, or a run of {runs_dir}.")
    if path.is_fifo() and not str(path.absolute()).startswith(("/dev/fd/", "/proc/")):
        raise UsageProblem(f"{path} is a pipe, which may never be written to; give a file, or the pipe of a shell: <(COMMAND).")
    if not (path.is_file() or path.is_fifo()):
        raise UsageProblem(f"{path} is a folder or a device, not a log; give a log.jsonl, a folder with one, or a run.")
    return path


def opened(name: str, source: str, runs_dir: Path, screen: str = "", image: str = "") -> OpenLog:
    """The log as it stands in `source`: a format, a dialect with or without `:variant`, or the DSL. Raises UsageProblem."""
    path = locate(name, runs_dir)
    if source == OWN:
        return OpenLog(path, _run_info(path), read_log(path))
    spoken, _, variant = source.partition(":")
    if source == DSL or spoken in DIALECTS:
        seen = Context(variant=variant or None, image=_size("image", image) if image else None)
        context = replace(seen, screen=_size("screen", screen)) if screen else seen
        imported = read_dsl(path) if spoken == DSL else read_spoken(spoken, path, context)
    elif source in FORMATS:
        read = format_named(source).read
        if read is None:
            raise UsageProblem(f"{source} can be written but not read; list the formats with: deskcrew log formats")
        imported = read(path)
    else:
        raise UsageProblem(f"There is no format {source!r}{did_you_mean(source, [OWN, DSL, *FORMATS, *DIALECTS])}")
    return OpenLog(path, imported.info, imported.lines)


def _size(name: str, said: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d{0,5})[x\u00d7]([1-9]\d{0,5})", said.strip())
    if found is None:
        raise UsageProblem(f"--{name} {said!r}: give a width and a height in pixels, such as 1920x1080.")
    return int(found[1]), int(found[2])


def _run_info(path: Path) -> RunInfo:
    """What the run's own folder says of it; a log that stands alone says nothing."""
    from importlib.metadata import version

    found: JsonObject = {}
    for name in ("run.json", "report.json"):
        try:
            said = json.loads(read_small(path.parent / name, LARGEST))
        except (OSError, ValueError, RecursionError):
            continue
        found |= said if isinstance(said, dict) else {}
    status = found.get("status")
    return RunInfo(
        run_id=str(found.get("run_id", "")),
        goal=str(found.get("goal", "")),
        outcome=status if status in ("fulfilled", "rejected") else "",
        agent_version=version("deskcrew"),
    )


def validate(log: OpenLog, *, as_json: bool) -> int:
    """Print every finding of a log and the count. Returns how many lines cannot be used."""
    path, bad, lines, warnings = log.path, set[int](), 0, 0

    def counted() -> Iterator[LogLine]:
        nonlocal lines
        for line in log.lines:
            lines += 1
            yield line

    for finding in check_log(counted(), path.parent):
        if finding.level == "error":
            bad.add(finding.number)
        else:
            warnings += 1
        where, reason = finding.problem
        if as_json:
            data = {"file": str(path), "line": finding.number, "level": finding.level, "path": where, "reason": reason}
            typer.echo(json_text(data))
        else:
            typer.echo(f"{path}:{finding.number}: {finding.level}: {where}: {clean(reason)}")
    summary = {"file": str(path), "lines": lines, "bad_lines": len(bad), "warnings": warnings}
    words = f"{path}: {lines} lines, {len(bad)} cannot be used, {warnings} warnings"
    typer.echo(json_text(summary) if as_json else words)
    return len(bad)


def show(log: OpenLog, *, only: int | None, pictures: str, as_json: bool) -> None:
    """Print the steps; a line that cannot be read says so in its place. `only` is the number of one step."""
    if pictures not in ("paths", "none"):
        raise UsageProblem(f"--pictures is paths or none, not {pictures!r}.")
    console = Console(soft_wrap=True, markup=False, highlight=False, emoji=False)
    shown = unread = 0
    for line in log.lines:
        if only is not None and not (line.step and (line.step.step or line.number) == only):
            continue
        shown, unread = shown + 1, unread + (line.step is None)
        if unread == shown > _LINES and not as_json:  # the file is none of these, or begins with something else
            continue
        if as_json:
            typer.echo(escaped(step_json(line.step)) if line.step else json.dumps({"line": line.number, "error": line.error}))
            continue
        for text in (*_told(line), *(_pictures(line.step, log.path.parent) if line.step and pictures == "paths" else ())):
            console.print(text)
        for element in prompt_form(line.step.visual_state).splitlines() if line.step and only is not None else ():
            console.print(Text(f"       | {element}", style="dim"))
    if only is not None and not shown:
        raise UsageProblem(f"{log.path} has no step {only}.")
    if unread == shown:
        nothing = "no readable line" if shown else "no action that is readable in this form"
        raise UsageProblem(f"{log.path} contains {nothing}; {advice(log.path)}")


_TONES = {"executed": "green", "error": "red", "timeout": "yellow", "pending": "yellow"}


def _told(line: LogLine) -> Iterator[Text]:
    if line.step is None:
        yield Text(f"{line.number:>5}  cannot be read: {clean(line.error)}", style="red")
        return
    step, result = line.step, line.step.result
    head = Text(f"{step.step or line.number:>5}  {step.timestamp:>8.1f}s  ")
    head.append(clean(describe(step.action)), style="bold")
    if result:
        head.append(f"  {result.exec_status}", style=_TONES.get(result.exec_status.value, ""))
        if found := result.resolved:
            head.append(f" by {found.tier}" + (f" @{found.point.x},{found.point.y}" if found.point else ""), style="dim")
    if step.visible_change is False:
        head.append("  nothing changed", style="dim")
    yield head
    about = " · ".join(part for part in (step.role, step.subtask, step.visual_state.app or "") if part)
    details = {"in": about, "why": step.reasoning}
    details |= {"error": result.error, "output": result.output} if result else {}
    for mark, words in details.items():
        if words:
            yield Text(f"{mark:>16}: {clean(words)}", style="red" if mark == "error" else "dim")
