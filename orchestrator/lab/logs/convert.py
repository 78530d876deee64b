"""`deskcrew log convert`: a log in a format of runs, in a dialect, or as our own log; every loss is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from environments.files.wrong_data import did_you_mean
from orchestrator.errors import UsageProblem
from orchestrator.lab.logs.show import DSL, OWN, OpenLog, advice
from orchestrator.store.printable import clean, json_text
from orchestrator.store.reader import calls_in
from protocol import InteractionStep
from protocol.dialects import NAMES as DIALECTS
from protocol.dialects import Context, DialectError, Loss, dialect
from protocol.dsl import emit
from protocol.exports import NAMES as FORMATS
from protocol.exports import ExportResult, Run, format_named
from protocol.exports.common.kept import LOST
from protocol.log.log import LogLine, step_json, whole_file

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
