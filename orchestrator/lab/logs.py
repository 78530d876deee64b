"""What `deskcrew log` does: it finds, prints and converts logs, its findings, steps and losses for people and as JSON."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import typer
from rich.console import Console
from rich.text import Text

from environments.files.wrong_data import did_you_mean
from environments.files.yaml_lines import LARGEST, read_small
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, escaped, json_text
from orchestrator.store.reader import calls_in
from protocol import InteractionStep, JsonObject, Picture, describe
from protocol.dialects import NAMES as DIALECTS
from protocol.dialects import Context, DialectError, Loss, dialect
from protocol.dsl import emit
from protocol.exports import NAMES as FORMATS
from protocol.exports import ExportResult, FormatError, ImportResult, Run, RunInfo, format_named
from protocol.exports.common.kept import LOST
from protocol.exports.training.spoken import read_dsl, read_spoken
from protocol.log.check import check_log
from protocol.log.log import LogLine, read_log, step_json, whole_file
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


_UNSAID = "action"
"""What is lost where a dialect cannot say an action at all."""


class _LogReading:
    """The steps of a log that can be read; the other lines are kept for the summary."""

    def __init__(self, lines: Iterator[LogLine]) -> None:
        self._lines = lines
        self.bad: list[LogLine] = []
        self.bad_count = self.count = 0
        self.lost: Counter[Loss] = Counter()

    def __iter__(self) -> Iterator[InteractionStep]:
        for line in self._lines:
            if line.step is not None:
                self.count += 1
                told = line.step.raw.get(LOST)  # when the step was read from another format
                for said in told if isinstance(told, list) else ():
                    what, _, why = str(said).partition(": ")
                    self.lost[Loss(what=what, why=f"{why} (when it was read)")] += 1
                yield line.step
                continue
            self.bad_count += 1
            if len(self.bad) < 20:
                self.bad.append(line)


def convert(log: OpenLog, to: str, out: Path | None, variant: str | None, *, as_json: bool) -> bool:
    """Write `log` as `to` and say what was lost. Returns whether every line could be said."""
    if to not in (OWN, DSL, *FORMATS, *DIALECTS):
        raise UsageProblem(f"There is no format {to!r}{did_you_mean(to, [OWN, DSL, *FORMATS, *DIALECTS])}")
    reading = _LogReading(log.lines)
    suffix = format_named(to).suffix if to in FORMATS else ".txt" if to == DSL else ".jsonl"
    path = out or log.path.with_name(f"{log.path.stem}.{to}{suffix}")
    if path.resolve() == log.path.resolve():
        raise UsageProblem(f"{path} is the log itself; name another file with --output.")
    if not path.parent.is_dir():
        raise UsageProblem(f"There is no folder {path.parent} for {path.name}; make it first.")
    exported = _write(log, reading, to, path, variant)
    exported.losses.update(reading.lost)
    _tell(exported, reading, path, as_json=as_json)
    if not reading.count and not as_json:
        nothing = "no readable line" if reading.bad_count else "no action that is readable in this form"
        typer.echo(f"{log.path} contains {nothing}; {advice(log.path)}", err=True)
    return not reading.bad_count and not any(loss.what == _UNSAID for loss in exported.losses)


def _write(log: OpenLog, reading: _LogReading, to: str, path: Path, variant: str | None) -> ExportResult:
    if to in FORMATS:
        write = format_named(to).write
        if write is None:
            raise UsageProblem(f"{to} can be read but not written; list the formats with: deskcrew log formats")
        folder = log.path.parent
        calls = calls_in(folder) if (folder / "run.json").is_file() else []  # where the log belongs to a run
        return write(Run(steps=reading, info=log.info, folder=folder, calls=calls), path)
    exported = ExportResult(files=[path])
    with whole_file(path) as file:
        for step in reading:
            exported.steps += 1
            file.write(_line(step, to, variant, exported.losses) + "\n")
    return exported


def _line(step: InteractionStep, to: str, variant: str | None, losses: Counter[Loss]) -> str:
    if to == OWN:
        return step_json(step)
    if to == DSL:
        return emit(step.action)
    said: dict[str, Any] = {"step": step.step}
    try:
        written = dialect(to).write(step.action, Context(state=step.visual_state, variant=variant))
    except DialectError as cannot:
        losses[Loss(what=_UNSAID, why=str(cannot)[:200])] += 1
        return json_text({**said, "error": str(cannot)})
    losses.update(written.losses)
    return json.dumps({**said, "payload": written.payload, "losses": [loss.model_dump() for loss in written.losses]})


def _tell(exported: ExportResult, reading: _LogReading, path: Path, *, as_json: bool) -> None:
    if as_json:
        told = [{"what": loss.what, "why": loss.why, "count": count} for loss, count in exported.losses.most_common()]
        bad = [{"line": line.number, "error": line.error} for line in reading.bad]
        files = [str(file) for file in exported.files]
        data = {"files": files, "steps": exported.steps, "bad_lines": reading.bad_count, "bad": bad, "losses": told}
        typer.echo(json_text(data, 2))
        return
    typer.echo(f"{path}: {exported.steps} steps")
    for line in reading.bad:
        typer.echo(f"line {line.number} cannot be read: {clean(line.error)}", err=True)
    if reading.bad_count > len(reading.bad):
        typer.echo(f"and {reading.bad_count - len(reading.bad)} more lines", err=True)
    for loss, count in exported.losses.most_common(20):
        typer.echo(f"lost in {count}: {clean(loss.what)}: {clean(loss.why)}", err=True)
    if len(exported.losses) > 20:
        typer.echo(f"and {len(exported.losses) - 20} more kinds of loss", err=True)


def listed() -> list[dict[str, str]]:
    """Every format and dialect, and in which direction it goes."""
    rows = [(OWN, "run", "read, write", "deskcrew's own log, protocol 0.1"), (DSL, "action", "read, write", "lines for people")]
    for name in FORMATS:
        found = format_named(name)
        ways = [way for way, does in (("read", found.read), ("write", found.write)) if does]
        rows.append((name, "run", ", ".join(ways), found.title))
    rows += [(name, "action", "read, write", dialect(name).title) for name in DIALECTS]
    return [dict(zip(("name", "of", "ways", "title"), row, strict=True)) for row in rows]
