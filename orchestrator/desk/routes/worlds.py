"""Worlds by hand: opened, recorded as a demonstration, closed, and learnt from."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from pydantic import Field

from orchestrator.desk.auth import Operator, Viewer
from orchestrator.desk.desk import Desk, OpenWorld, TheDesk, steps_in
from orchestrator.desk.routes.start import settings_of
from orchestrator.desk.workers import HOME
from orchestrator.lab.learning.knowledge import lesson
from orchestrator.lab.logs.show import OWN
from orchestrator.runs.experience import kept
from orchestrator.settings.layers import shipped_names
from orchestrator.tasks import shipped
from orchestrator.tasks.shipped import ShippedWorld
from protocol import Frozen

router = APIRouter(prefix="/api", tags=["worlds"])
_RECORD = re.compile(r"[\w.+-]{1,200}\.jsonl")


class Worlds(Frozen):
    worlds: tuple[ShippedWorld, ...]


class OpenIn(Frozen):
    """How it is opened."""

    seed: int | None = None
    goal: str = Field(default="", max_length=2_000)
    """What is to be done, shown below the desktop and kept with the recording."""
    record: bool = False
    """Write down what is done, so that it can be learnt from."""


class WorldByHand(Frozen):
    """A world that is served."""

    id: str
    world: str
    seed: int
    goal: str
    url: str
    """Opens it, with its own token."""
    record: str
    """Name of the recording; empty where nothing is recorded."""
    steps: int
    who: str
    since: float


class WorldsByHand(Frozen):
    worlds: tuple[WorldByHand, ...]


class Recording(Frozen):
    """What somebody did in a world."""

    name: str
    steps: int
    at: float


class Recordings(Frozen):
    recordings: tuple[Recording, ...]


class LearnedSkill(Frozen):
    """What was understood of a recording or a run, and whether it is kept."""

    said: str
    title: str = ""
    steps: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    saved: bool = False
    document: str = ""
    record: str = ""
    """The recording that it came from; it can be learnt from later."""


class LearnIn(Frozen):
    """From what."""

    record: str = ""
    """A recording, by its name. Either this or a run."""
    run: str = ""
    goal: str = Field(default="", max_length=2_000)
    """What was to be done, where the recording does not say."""
    app: str = ""
    dry_run: bool = False


@router.get("/worlds")
def worlds(desk: TheDesk, visitor: Viewer) -> Worlds:
    """What is shipped."""
    return Worlds(worlds=tuple(shipped.worlds()))


@router.get("/worlds/open")
def open_worlds(desk: TheDesk, visitor: Operator) -> WorldsByHand:
    """Those that are served now, with the addresses that open them."""
    return WorldsByHand(worlds=tuple(_by_hand(one) for one in desk.worlds.all()))


@router.post("/worlds/{name}/open", status_code=201)
def open_world(desk: TheDesk, visitor: Operator, name: str, wanted: OpenIn | None = None) -> WorldByHand:
    """Serve a world to a person."""
    if name not in shipped_names("worlds"):
        raise HTTPException(404, f"There is no world {name[:100]!r}; see /api/worlds.")
    asked = wanted or OpenIn()
    log = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**6:06d}.jsonl"
    record = _records(desk) / log if asked.record else None
    return _by_hand(desk.worlds.open(name, asked.seed, asked.goal, record, visitor.name))


@router.delete("/worlds/open/{id}")
def close_world(desk: TheDesk, visitor: Operator, id: str, learn: Annotated[bool, Query()] = False) -> LearnedSkill:
    """Close a world; with `learn`, what was recorded is kept as a demonstration, else it is only said what would be."""
    found = desk.worlds.shut(id)
    if found is None:
        raise HTTPException(404, f"No world is open as {id[:100]!r}; see /api/worlds/open.")
    if found.record is None:
        return LearnedSkill(said="It is closed.")
    if not steps_in(found.record):
        return LearnedSkill(
            said="It is closed; nothing was done in it, so there is nothing to learn from.", record=found.record.name
        )
    return _learnt(desk, found.record.name, str(found.record), found.goal, "", keep=learn)


@router.get("/recordings")
def recordings(desk: TheDesk, visitor: Operator) -> Recordings:
    """What was recorded here, newest first."""
    files = sorted(_records(desk).glob("*.jsonl"), key=lambda file: file.stat().st_mtime, reverse=True)
    return Recordings(recordings=tuple(Recording(name=f.name, steps=steps_in(f), at=f.stat().st_mtime) for f in files))


@router.post("/knowledge/learn")
def learn(desk: TheDesk, visitor: Operator, wanted: LearnIn) -> LearnedSkill:
    """Keep what was done in a recording, or in a run, so that the crew can follow it."""
    if bool(wanted.record) == bool(wanted.run):
        raise HTTPException(422, "Name either a recording or a run.")
    if wanted.run:
        return _learnt(desk, "", desk.folder(wanted.run).name, wanted.goal, wanted.app, keep=not wanted.dry_run)
    file = _records(desk) / wanted.record
    if not _RECORD.fullmatch(wanted.record) or not file.is_file():
        raise HTTPException(404, "There is no recording of this name; see /api/recordings.")
    return _learnt(desk, file.name, str(file), wanted.goal, wanted.app, keep=not wanted.dry_run)


def _learnt(desk: Desk, record: str, word: str, goal: str, app: str, *, keep: bool) -> LearnedSkill:
    settings = settings_of(desk).settings
    found = lesson(word, goal, OWN, desk.runs_dir, app)
    read = found.found
    shown = LearnedSkill(said="", title=read.title, steps=tuple(read.steps), doubts=tuple(read.doubts), record=record)
    if found.against:
        return shown.model_copy(update={"said": _not_learnt(record, found.against)})
    if not keep:
        said = "The recording is kept, and the crew can learn it." if record else "The crew can learn it."
        return shown.model_copy(update={"said": said})
    result = kept(found, settings.knowledge, settings.runs_dir)
    said = f"The crew can follow it now, as {result.title!r}." if result.saved else _not_learnt(record, result.why)
    return shown.model_copy(update={"said": said, "saved": result.saved, "document": result.document})


def _not_learnt(record: str, why: str) -> str:
    """The recording itself is never lost by it."""
    return f"The crew has learnt nothing from it: {why}.{' The recording is kept.' if record else ''}"


def _records(desk: Desk) -> Path:
    folder = desk.runs_dir / HOME / "recordings"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _by_hand(one: OpenWorld) -> WorldByHand:
    record = one.record.name if one.record is not None else ""
    return WorldByHand(
        id=one.id, world=one.world, seed=one.seed, goal=one.goal, url=one.url, record=record, steps=one.steps, who=one.who,
        since=one.since,
    )  # fmt: skip
