"""What a log should keep besides its schema: its order, and pictures that are there and unchanged."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from protocol.log.log import LogLine
from protocol.log.versions import Problem
from protocol.model.steps import InteractionStep, Picture, picture_file


class Finding(NamedTuple):
    """Something about a line: an error makes the line unusable, a warning does not."""

    number: int
    level: Literal["error", "warning"]
    problem: Problem


def check_log(lines: Iterable[LogLine], folder: Path) -> Iterator[Finding]:
    """Every finding in order, as the lines are read. `folder` is where the paths of pictures start."""
    before, number = None, 0
    pictures: dict[str, str | None] = {}
    for line in lines:
        for problem in line.problems:
            yield Finding(line.number, "error", problem)
        if line.step is None:
            continue
        step, found = line.step, list[Problem]()
        if before is not None and line.number != number and before.run_id == step.run_id:  # the calls of one line are one step
            if step.step and step.step <= before.step:
                found.append(Problem("$.step", f"step {step.step} comes after step {before.step}"))
            if step.timestamp < before.timestamp:
                earlier = f"{step.timestamp:g} is earlier than {before.timestamp:g} of the step before"
                found.append(Problem("$.timestamp", earlier))
        for problem in (*found, *_pictures(step, folder, pictures)):
            yield Finding(line.number, "warning", problem)
        before, number = step, line.number


_MOST = 10_000
"""Pictures remembered; beyond it they are looked at again."""


def _pictures(step: InteractionStep, folder: Path, known: dict[str, str | None]) -> Iterator[Problem]:
    named = [(f"$.pictures[{n}]", picture) for n, picture in enumerate(step.pictures)]
    path = step.visual_state.screenshot_path
    if path and all(picture.path != path for picture in step.pictures):
        named.append(("$.visual_state.screenshot_path", Picture.model_construct(path=path, sha256="")))
    for where, picture in named:
        if picture.path not in known:
            if len(known) >= _MOST:
                known.clear()
            known[picture.path] = _digest(folder, picture.path)
        if known[picture.path] is None:
            yield Problem(where, f"the picture {picture.path} is not there")
        elif picture.sha256 and known[picture.path] != picture.sha256:
            yield Problem(where, f"the picture {picture.path} is not the one that was logged: its sha256 differs")


def _digest(folder: Path, path: str) -> str | None:
    found = picture_file(folder, path)
    if found is None:
        return None
    try:
        with found.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
